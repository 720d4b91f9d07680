"""Who wrote a work that a text names in passing: *the Lamps at Sea book by Ann Lee*, ``Ann Lee's *Lamps at Sea* book``.

Used by the fact reader; pure. The name of the work is marked: by emphasis, or as the label of a link.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kgfs.extraction.facts.lexicon_facts import LexiconFact, candidate_of
from kgfs.extraction.facts.meeting_notes.attendees import person_name
from kgfs.extraction.facts.structured.listed_names import stated_entry
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.units import Unit

_NAME = r"[^\W\d_a-z][\w.’'-]*(?: [^\W\d_a-z][\w.’'-]*){1,3}"
_NAMES = rf"(?P<who>{_NAME}(?:(?:, and |, | and | & ){_NAME})*?)"
_KIND = r"(?:book|paper|article|essay|talk|handbook|textbook|blog post|report|guide|course)"
_TITLE = r"(?P<title>[^*_\[\]()“”\"\n]{4,80}?)"
_KINDS = rf"(?:{_KIND}|column|interview|piece|podcast|post|presentation|research project|series|story|study|video)"
_BEHIND = r"(?=[\]*_.,;)]|$| (?:about|at|for|from|in|is|of|on|that|which|with)\b| \()"
_PATTERNS = (
    re.compile(rf"(?:^|(?<=[\s\[(])){_NAMES}[’']s? (?:\*{{1,2}}|_|\[\*?|“|\"){_TITLE}(?:\*{{1,2}}|_|\*?\]\([^()\s]+\)|”|\") {_KIND}\b"),
    re.compile(rf"(?:\[|\*{{1,2}}|_|“|\"){_TITLE}(?:\*{{1,2}}|_|\]\([^()\s]+\)|”|\")? {_KIND} by {_NAMES}(?=[\]*_.,;)]|$| (?:is|for|which|that)\b)"),
    re.compile(rf"\[[*_“\"]*{_TITLE}[*_”\"]*\]\([^()\s]+\)(?: \([^()]{{1,30}}\))?(?: [-–—]|,|:) (?:an? |the )?(?:[a-z-]+ ){{0,2}}?{_KINDS} by (?:Dr\.? |Prof\.? )?{_NAMES}{_BEHIND}"),
    re.compile(rf"(?<![*_\w])[*_]{_TITLE}[*_],? by {_NAMES}{_BEHIND}"),
    re.compile(rf"^\W{{0,4}}(?P<who>{_NAME}), \[[*_]{{1,2}}{_TITLE}[*_]{{1,2}}\]\("),
)  # fmt: skip
_HINT = re.compile(rf"\b{_KINDS}\b|[*_],? by [A-Z]|, \[[*_]")
"""What any of them has."""
_CUT = re.compile(
    r"(?i)\b(?:an?|the|of|to|for|with|in|on|his|her|their|own|this|that|and)$|\b(?:corresponding|accompanying)\b"
)
_BETWEEN = re.compile(r", and |, | and | & ")


def written_works(units: Sequence[Unit], lexicon: Lexicon, *, tagged: bool) -> Iterator[LexiconFact]:
    """The facts, in order of the sentences; each pair once."""
    told: set[tuple[int, int]] = set()
    for unit in units:
        if unit.kind not in ("sentence", "row") or _HINT.search(unit.quote) is None:
            continue
        for found in (found for pattern in _PATTERNS for found in pattern.finditer(unit.quote)):
            names = [person_name(name.rstrip("."), tagged=tagged) for name in _BETWEEN.split(found["who"])]
            title = found["title"].strip()
            if not all(names) or title.islower() or _CUT.search(title) is not None:
                continue
            work = stated_entry(lexicon, title, "Work")
            for person in (stated_entry(lexicon, name, "Person") for name in names if work is not None):
                if work is not None and person is not None and (person, work) not in told:
                    told.add((person, work))
                    yield LexiconFact("credits.work", candidate_of(unit, "WROTE", 0.8), person, work, unit)
