"""Sentences that report something of a place, an organization or a person: ``Hotels in Charleston saw strong demand``.

Used by the extractor where the tagger gives every name a type; pure. What is expected, asked or denied is no report.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Sequence

from kgfs.documents import dates
from kgfs.extraction.facts.marks import CLOSE, OPEN
from kgfs.extraction.facts.sentences import districts
from kgfs.extraction.facts.sentences.relations import is_unreal

_SAID = re.compile(
    rf"^(?:(?:In|On|By|At|Last|This|During|Earlier)\b[^{OPEN}{CLOSE}]{{2,30}}?,? )?(?:The )?{OPEN}(?P<letter>[OP])(?P<mark>\d+){CLOSE}"
    rf"(?:, [^,{OPEN}{CLOSE}]{{2,60}},)?(?: also| later| then| has| had)* "
    r"(?P<verb>said|says|announced|reported|reports|stated|warned|disclosed|confirmed|revealed|noted|found|estimated|concluded|"
    r"acknowledged|recorded|posted|raised|cut|launched|opened|closed|unveiled|released|halted|suspended)\b"
)
_THOUGHT = frozenset("concluded cut found noted opened closed raised recorded".split())
"""What somebody in a story does; of a body it is told."""
_THEN = re.compile(
    rf"(?:Earlier|Last|(?:By|During|In|On|Since)(?: the)?(?: early| late| mid)?[ -](?:last|same|past|spring|summer|fall|autumn|"
    rf"winter|year|month|(?P<month>{'|'.join(sorted(dates.MONTH_NAMES))}))\b)",
    re.I,
)
"""A sentence that tells of another time than that of its document, or of a month before it: *In June, the House …*."""
_PLACE = re.compile(rf"\b(?:in|across|throughout|around) (?:the )?(?:[a-z]+ )?{OPEN}L(?P<mark>\d+){CLOSE}")
_OPENS = re.compile(
    rf"^(?:(?:In|Across|Throughout) (?:the )?{OPEN}L(?P<where>\d+){CLOSE},|{OPEN}L(?P<mark>\d+){CLOSE}"
    r"(?:['’]s? |(?= (?:is|are|was|were|has|had|have|saw|continued|remained|experienced|reported|recorded)\b)))"
)
_CLAUSE = re.compile(
    r"[;:]|, (?:but|while|whereas|although|though|as|which|given|due|driven|since|because|amid|following|reflecting)\b"
)
_CAUSE = re.compile(
    r"\b(?:due to|because of|despite|amid|given|following|reflecting|owing to|in response to|driven by|triggered|as a result of|on the "
    r"back of|worries|concerns?|fears|tensions?|conflicts?|war|invasion|developments|ceasefire|geopolitical|risks?|"
    r"uncertaint(?:y|ies)|likelihood|prospects?|outlook|hikes?)\b",
    re.I,
)
"""Between the start of a clause and a place: then the place is where the cause is, or what may come."""
_LIST = re.compile(rf"(?:,? and |, ){OPEN}L(?P<mark>\d+){CLOSE}")
_WHEN = re.compile(r"(?<!than )(?<!as )\b(?:in|on|during)(?: early| mid| late)? $", re.I)
MIN_LENGTH, MAX_LENGTH = 40, 500
MOST_PLACES = 4


def report_subjects(text: str, masked: str, names: Sequence[str]) -> list[tuple[int, float, str]]:
    """The marks of which a sentence reports something, each with how sure that is; none in most sentences."""
    if not MIN_LENGTH <= len(text) <= MAX_LENGTH or is_unreal(masked) or text[-1:] not in ".!”\"'":
        return []
    found: dict[int, tuple[float, str]] = {}
    said = _SAID.match(masked)
    if said is not None and not (said["letter"] == "P" and said["verb"] in _THOUGHT):
        found[int(said["mark"])] = 0.65, "reports.said"
    if districts.states_movement(text):
        opening = _OPENS.match(masked)
        if opening:
            found.setdefault(int(opening["where"] or opening["mark"]), (0.6, "reports.place"))
        for match in _PLACE.finditer(masked):
            if not _measured_there(masked, match.start()):
                continue
            found.setdefault(int(match["mark"]), (0.6, "reports.place"))
            following = _LIST.match(masked, match.end())
            while following is not None:
                found.setdefault(int(following["mark"]), (0.6, "reports.place"))
                following = _LIST.match(masked, following.end())
    if len(found) > MOST_PLACES:
        return []
    return [(mark, confidence, rule) for mark, (confidence, rule) in sorted(found.items())]


_OF_ONE = re.compile(r"(?:^|[\s,])(?:an?|one|another) (?:[^\s,]+ ){1,6}$", re.I)
"""``a furniture maker in ⟨0⟩``: what one firm says of itself is not said of the place."""


def _measured_there(masked: str, place: int) -> bool:
    """Whether the clause of a place says how something measured moved, and does not name the place as a cause."""
    start = max((cut.end() for cut in _CLAUSE.finditer(masked, 0, place)), default=0)
    # The word that opens a clause tells what it is: ", given the surge in oil prices in ⟨0⟩".
    lead = max((cut.start() for cut in _CLAUSE.finditer(masked, 0, place)), default=0)
    cut = _CLAUSE.search(masked, place)
    clause = masked[start : cut.start() if cut else len(masked)]
    before = masked[lead:place]
    return districts.moves(clause) and _CAUSE.search(before) is None and _OF_ONE.search(before) is None


def report_date(text: str, written: str | None) -> str | None:
    """When that was which a sentence reports: the one date that it states, if that is no term of a comparison; else when
    its document was ``written``, unless it tells of another time."""
    spans = dates.find_dates(text)
    if len(spans) == 1 and _WHEN.search(text[: spans[0].start]):
        return spans[0].date
    then = _THEN.match(text)
    if then is None or written is None or len(written) < len("2026-06"):
        return None if then else written
    month = dates.MONTH_NAMES.get((then["month"] or "").capitalize())
    if month is None:
        return None
    year = int(written[:4]) - (month > int(written[5:7]))
    return f"{year:04}-{month:02}"
