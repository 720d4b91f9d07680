"""Sentences that report something of a place, an organization or a person: ``Hotels in Charleston saw strong demand``.

Used by the extractor where the tagger gives every name a type; pure. What is expected, asked or denied is no report.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Sequence

from kgfs.documents import dates
from kgfs.extraction.facts import districts
from kgfs.extraction.facts.relations import CLOSE, OPEN, is_unreal

_SAID = re.compile(
    rf"^(?:(?:In|On|By|At|Last|This|During|Earlier)\b[^{OPEN}{CLOSE}]{{2,30}}?,? )?(?:The )?{OPEN}(?P<letter>[OP])(?P<mark>\d+){CLOSE}"
    rf"(?:, [^,{OPEN}{CLOSE}]{{2,60}},)?(?: also| later| then| has| had)* "
    r"(?:said|says|announced|reported|reports|stated|warned|disclosed|confirmed|revealed|noted|found|estimated|concluded|acknowledged|"
    r"recorded|posted|raised|cut|launched|opened|closed|unveiled|released|approved|rejected|adopted|signed|halted|suspended)\b"
)
_PLACE = re.compile(rf"\b(?:in|across|throughout|around|near|for|from) (?:[a-z]+ )?{OPEN}L(?P<mark>\d+){CLOSE}")
_OPENS = re.compile(rf"^(?:In |Across |Throughout )?{OPEN}L(?P<mark>\d+){CLOSE}")
_LIST = re.compile(rf"(?:,? and |, ){OPEN}L(?P<mark>\d+){CLOSE}")
_WHEN = re.compile(r"(?<!than )(?<!as )\b(?:in|on|during)(?: early| mid| late)? $", re.I)
MIN_LENGTH, MAX_LENGTH = 40, 500
MOST_PLACES = 4


def report_subjects(text: str, masked: str, names: Sequence[str]) -> list[tuple[int, float]]:
    """The marks of which a sentence reports something, each with how sure that is; none in most sentences."""
    if not MIN_LENGTH <= len(text) <= MAX_LENGTH or is_unreal(masked) or text[-1:] not in ".!”\"'":
        return []
    found: dict[int, float] = {}
    said = _SAID.match(masked)
    if said is not None:
        found[int(said["mark"])] = 0.65
    if districts.states_movement(text):
        opening = _OPENS.match(masked)
        for match in [*([opening] if opening else []), *_PLACE.finditer(masked)]:
            found.setdefault(int(match["mark"]), 0.6)
            following = _LIST.match(masked, match.end())
            while following is not None:
                found.setdefault(int(following["mark"]), 0.6)
                following = _LIST.match(masked, following.end())
    if len(found) > MOST_PLACES:
        return []
    return sorted(found.items())


def report_date(text: str) -> str | None:
    """When that was which a sentence reports: the one date that it states, if that is no term of a comparison."""
    spans = dates.find_dates(text)
    return spans[0].date if len(spans) == 1 and _WHEN.search(text[: spans[0].start]) else None
