"""Who belongs to a body, by the votes in its minutes: *Voting for this action: Ann Lee, Bo Ray, and Cy Dunn*.

Used by the fact reader; pure. Only members vote, and the minutes name the body in which they do.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from kgfs.extraction.facts.lexicon_facts import LexiconFact, candidate_of
from kgfs.extraction.facts.name_types import NameTypes
from kgfs.extraction.names.named import NameSpan
from kgfs.extraction.units import Unit

_VOTES = re.compile(
    r"(?:[-*_ ]|\d+\. )*(?:Vot(?:es|ed|ing)|Those voting|Members voting) (?:for|against|in favou?r(?: of)?)"
    r"(?: (?:this|the|that) (?:action|motion|resolution|proposal|decision)s?)?[*_]*:",
    re.IGNORECASE,
)
_CALLED = re.compile(r"\b[Tt]he (Board|Commission|Committee|Council|Panel|Senate)\b(?! of\b)")
FEWEST_MENTIONS = 3
"""Of *the Committee*, as minutes call the body."""


def vote_facts(units: Sequence[Unit], spans: Sequence[Sequence[NameSpan]], types: NameTypes) -> Iterator[LexiconFact]:
    """The facts, in order of the votes, each member once; none where the minutes name several such bodies."""
    voting = [place for place, unit in enumerate(units) if _VOTES.match(unit.content.text)]
    body = _body(units, spans, types) if voting else None
    told: set[int] = set()
    for place in voting if body is not None else ():
        for span in spans[place]:
            if types.best(span.ref) == "Person" and " " in types.name(span.ref) and span.ref not in told:
                told.add(span.ref)
                candidate = candidate_of(units[place], "MEMBER_OF", 0.8)
                yield LexiconFact("meetings.votes", candidate, span.ref, body, units[place])


def _body(units: Sequence[Unit], spans: Sequence[Sequence[NameSpan]], types: NameTypes) -> int | None:
    """The body that the minutes mean by *the Committee*: the only one that they name so."""
    called = Counter(noun for unit in units for noun in _CALLED.findall(unit.content.text)).most_common(1)
    if not called or called[0][1] < FEWEST_MENTIONS:
        return None
    named = Counter(
        span.ref
        for found in spans
        for span in found
        if types.best(span.ref) == "Organization"
        and any(name.split()[-1] == called[0][0] and " " in name for name in types.names(span.ref))
    ).most_common(2)
    return named[0][0] if named and (len(named) == 1 or named[0][1] > named[1][1]) else None
