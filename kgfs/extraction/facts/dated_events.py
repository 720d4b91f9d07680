"""When something was founded, built, opened or published, and when somebody was born or died: a name, its verb and a date.

Used by the fact reader where the tagger gives every name a type; pure. The fact has no second entity: its value is the date as
it is written, ``Tarn College FOUNDED_IN 1914``. The day on which somebody did something is found here, too.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kgfs.documents import dates
from kgfs.extraction.facts.lexicon_facts import LexiconFact, candidate_of
from kgfs.extraction.facts.marks import CLOSE, OPEN, with_marks
from kgfs.extraction.facts.meeting_notes.meeting_names import day_in
from kgfs.extraction.facts.name_types import SURE, NameTypes
from kgfs.extraction.facts.sentences.relations import is_unreal
from kgfs.extraction.names.named import NameSpan
from kgfs.extraction.units import Unit

_MADE = (
    "founded|established|incorporated|organi[sz]ed|chartered|formed|created|built|erected|constructed|completed|opened|launched|released|"
    "published|destroyed|demolished|abolished|dissolved|disbanded|closed|discontinued|adopted|ratified|introduced|settled|dedicated|consecrated|inaugurated|"
    "fought|signed|unveiled|enacted|repealed|decommissioned|commissioned"
)
_BY_ITSELF = "opened|closed|launched|began|ended|launches|opens|closes"
"""What something does by itself, without *was*."""
_EVENT = re.compile(
    rf"{OPEN}(?P<letter>[A-Z])(?P<mark>\d+){CLOSE}[\"”*_]*(?: \([^()]{{1,60}}\))?(?:,? (?:which|who))?"
    rf"(?: (?:(?:was|were|is|are) (?:first |originally |officially |formally |finally |re)*(?P<done>{_MADE}|born|buried|baptized)|(?:first |officially )?(?P<own>{_BY_ITSELF}|died))"
    rf"|,(?: (?:an?|the) [^,;:(){OPEN}]{{3,60}},)? (?P<apposed>founded|established|incorporated|chartered|built|erected|completed)(?= in \d{{4}},))"
    rf"(?: there| here)? (?P<how>in|on) (?:the (?:year|summer|spring|autumn|fall|winter) (?:of )?)?(?:late |early |mid-)?"
)
_OF_SOMEBODY = frozenset("born died buried baptized".split())
_NO_SUBJECT = re.compile(r"\b(?:of|in|at|for|to|from|with|by|on|under|near|and|between|about) (?:the )?[\"“*_]*$")
"""Before a name that is only part of what is spoken of: *the office in Reno was opened in 1914*."""
_OPENING = re.compile(r"\W*(?:In|On|By|Since)(?: the)?(?: (?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day,?)? ")
_BEHIND = re.compile(r"[^,;:()]{0,30}?,? (?:in|on) (?:the )?")


def dated_events(unit: Unit, spans: Sequence[NameSpan], types: NameTypes) -> Iterator[LexiconFact]:
    """The events of a sentence whose date it states."""
    letters, sure, _ = types.letters(spans)
    masked = with_marks(unit.content.text, spans, letters)
    if is_unreal(masked):
        return
    days = dates.find_dates(masked)
    for match in _EVENT.finditer(masked):
        mark, done = int(match["mark"]), match["done"] or match["own"] or match["apposed"]
        day = next((one for one in days if one.start == match.end()), None)
        whose = (match["letter"] == "P") == (done in _OF_SOMEBODY)
        if day is None or not whose or (match["letter"] == "X" and not types.is_given(spans[mark].ref)):
            continue
        if (sure[mark] < SURE and not types.is_given(spans[mark].ref)) or _NO_SUBJECT.search(masked[: match.start()]):
            continue
        beside = match["apposed"] is not None or " which " in match[0] or " who " in match[0]
        if beside and masked[: match.start()].endswith(", "):
            continue  # the last of a list: "the hall in Quay, Tarn, which opened in"
        of_life = done in ("born", "died")
        candidate = candidate_of(unit, done.upper() if of_life else f"{done}_{match['how']}".upper(), 0.75)
        candidate.object_text, candidate.date, candidate.date_role = masked[day.start : day.end], day.date, "happened"
        yield LexiconFact("dated.event", candidate, spans[mark].ref, None, unit, shows_ends=False)


def day_of_sentence(text: str, start: int, end: int, headings: Sequence[str]) -> str | None:
    """When what stands from ``start`` to ``end`` of a sentence happened: as the sentence says, else as the heading above it."""
    days = dates.find_dates(text)
    if not days:
        return next((day for heading in reversed(headings) if (day := day_in(heading))), None)
    return _only_day(days, text, start, end, _BEHIND)


_BESIDE = re.compile(r"[*_\"”`)\]]*,? (?:in|on)(?: the year)? ")


def day_beside(text: str, start: int, end: int) -> str | None:
    """The only date of a sentence, if it stands right behind what is from ``start`` to ``end``, or opens the sentence."""
    return _only_day(dates.find_dates(text), text, start, end, _BESIDE)


def _only_day(days: Sequence[dates.DateSpan], text: str, start: int, end: int, behind: re.Pattern[str]) -> str | None:
    """The one of ``days``, if it opens the sentence, or nothing but what is ``behind`` stands before it."""
    if len(days) != 1:
        return None
    (only,) = days
    opens = _OPENING.fullmatch(text, 0, only.start) is not None and only.end <= start
    follows = only.start >= end and behind.fullmatch(text, end, only.start) is not None
    return only.date if opens or follows else None
