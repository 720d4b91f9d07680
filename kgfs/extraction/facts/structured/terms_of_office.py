"""For how long somebody is a member or holds an office: ``until October 2027``, ``term ends 1 May 2025``.

Used by ``rosters``; pure.
"""

from __future__ import annotations

import re

from kgfs.documents import dates

MONTHS = 12

_ENDS = re.compile(r"(?i)\b(?:until|till|through|(?:term )?(?:ends|expires|ending)(?: in| on)?):? ")
_YEARS = re.compile(r"(?<![\d-])((?:19|20)\d\d) ?[-–—/] ?((?:19|20)\d\d|present|today|now)(?![\d-])", re.I)
_SINCE = re.compile(r"(?i)\b(?:since|from) ((?:19|20)\d\d)\b")
_SLASHED = re.compile(r"(?<![\d/])(\d{1,2})/(\d{1,2})/((?:19|20)\d\d)(?![\d/])")
_DASH = re.compile(r"\s*(?:[-–—]|to|until)\s*")


def term_of_office(text: str) -> tuple[str | None, str | None]:
    """The first and the last day, month or year that a line names as a term; ``None`` for what it doesn't say."""
    days = list(_SLASHED.finditer(text))
    if len(days) == 2 and _DASH.fullmatch(text, days[0].end(), days[1].start()):
        return _day(days[0], days), _day(days[1], days)
    years = _YEARS.search(text)
    if years is not None:
        return years[1], years[2] if years[2].isdigit() else None
    since, ends = _SINCE.search(text), _ENDS.search(text)
    last = None
    if ends is not None:
        found = dates.find_dates(text[ends.end() : ends.end() + 40])
        year = re.match(r"(?:the end of )?((?:19|20)\d\d)\b", text[ends.end() :])
        last = found[0].date if found and found[0].start <= len("the end of ") else year[1] if year else None
    return since[1] if since else None, last


def _day(found: re.Match[str], days: list[re.Match[str]]) -> str:
    """A day of slashes, *1/29/2026*; only its year where neither of the days tells which number is the month."""
    one, other, year = int(found[1]), int(found[2]), int(found[3])
    by_month = any(int(day[2]) > MONTHS for day in days)
    by_day = any(int(day[1]) > MONTHS for day in days)
    if by_month == by_day:
        return str(year)
    return dates.iso_date(year, *((one, other) if by_month else (other, one))) or str(year)
