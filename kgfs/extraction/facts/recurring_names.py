"""Names that a document has several times, found in each of its sentences.

Used by the fact reader; pure. The tagger takes *Open Liberty* for an order at the head of one sentence and for a name
in the next, and of *Java SE* it sees now both words, now one. What two sentences show to be a name is one wherever it
stands whole.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.names.matching import Matcher, Tokens
from kgfs.extraction.names.named import NameFindings, NameSpan
from kgfs.extraction.units import Unit

_OFTEN = 2
_LISTED = 0.85
_OWN = re.compile(r"[a-z][A-Z]|[A-Z]{2}|\d")
"""What no ordinary word has."""
_WHOLE = re.compile(r"[A-Z][\w.+#/-]*(?: (?:of|for|and|the|[A-Z\d][\w.+#/-]*))* [A-Z\d][\w.+#/-]*")
"""Several words of which the first and the last have a capital."""
_GOES_ON = re.compile(r"[ -](?:[A-Z]\w|\d)|['’]s [A-Z]")
_BEFORE = re.compile(r"[A-Z][\w.-]* $")
_OPENING = re.compile(r"(?:The|A|An|This|In|On|For|With|If|When|As|By|Like|Our|Your|Both|Each|All|See|Use) $")


class RecurringNames:
    """The names of one document that stand for the same thing wherever they stand."""

    def __init__(self, lexicon: Lexicon, commands: Sequence[str]) -> None:
        """``commands`` are those that the document lists the options of."""
        self._lexicon = lexicon
        self._matcher: Matcher[int] = Matcher([])
        for ref, named in enumerate(lexicon.named):
            if lexicon.resolved(ref) != ref or not _is_shown(named):
                continue
            for name in (named.name, *named.aliases):
                if _is_clear(name):
                    self._matcher.add(name, ref)

        for name in commands:
            ref = lexicon.resolved(lexicon.get(name))
            lexicon.named[ref].vote("Command", _LISTED)
            lexicon.named[ref].defined = True
            self._matcher.add(name, ref)

    def completed(self, unit: Unit, spans: Sequence[NameSpan]) -> list[NameSpan]:
        """The names of a unit, with those that stand there and were not seen; a part of one gives way to it."""
        text = unit.content.text
        found = list(spans)
        for hit in self._matcher.find_names(Tokens(text)):
            touching = [span for span in found if span.start < hit.end and hit.start < span.end]
            if any(span.start < hit.start or span.end > hit.end or span.ref == hit.key for span in touching):
                continue
            if any((span.start, span.end) == (hit.start, hit.end) for span in touching):
                continue
            before = _BEFORE.search(text, 0, hit.start)
            if before is not None and _OPENING.fullmatch(before[0]) is None:
                continue
            if _GOES_ON.match(text, hit.end):
                continue
            found = [span for span in found if span not in touching] + [NameSpan(hit.start, hit.end, hit.key)]
        return sorted(found, key=lambda span: span.start)


def _is_shown(named: NameFindings) -> bool:
    return bool(named.name) and (
        named.declared or named.known or (named.count >= _OFTEN and (named.best is not None or named.mid >= _OFTEN))
    )


def _is_clear(name: str) -> bool:
    """Whether a name is one wherever it stands: several words with capitals, or a word with capitals inside."""
    return _WHOLE.fullmatch(name) is not None or (" " not in name and len(name) > 2 and _OWN.search(name) is not None)
