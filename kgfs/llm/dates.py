"""Dates as a text words them: ``in 2014``, ``last year``, ``since March``, ``from 2010 to 2014``, ``third quarter``.

Used by the extractor dialogue; pure. The model gives the words, which must stand in the text, and a proposal in ISO.
A proposal that the words have in so many words wins (``1 April`` has no year, and a plan means the next one); else what
the words say by themselves, and a proposal that contradicts them is dropped.
"""

from __future__ import annotations

import calendar
import datetime as dt
import re
from typing import NamedTuple

from kgfs.documents import dates

_MONTHS = {name.lower(): number for number, name in enumerate(
    ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
     "December"), 1)}  # fmt: skip
_MONTHS |= {name[:3]: number for name, number in _MONTHS.items()} | {"sept": 9}
_COUNTS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
           "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20}  # fmt: skip
_ORDINALS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "final": 4}
_ISO = re.compile(r"\d{4}(?:-\d\d(?:-\d\d)?)?")
_QUARTER = re.compile(r"\b(?:q([1-4])|(first|1st|second|2nd|third|3rd|fourth|4th|final) quarter)\b", re.I)
_HALF = re.compile(r"\b(?:h([12])|(first|second) half)\b", re.I)
_SPAN = re.compile(
    r"^(?:from|between)\s+(?P<a>.+?)\s+(?:to|until|till|through|and)\s+(?P<b>.+)$|^(?P<c>.+?)\s*[–—]\s*(?P<d>.+)$", re.I
)
_YEARS = re.compile(r"^(?:in |from |during )?((?:1[4-9]|20|21)\d\d)\s*[-–—]\s*((?:1[4-9]|20|21)?\d\d)$", re.I)
_FROM = re.compile(
    r"^(?:(?:ever )?(?:since|starting(?: in| on)?|effective|beginning(?: in| on)?|after|from)\s+|post-)(.+)$", re.I
)
_TO = re.compile(
    r"^(?:(?:until|till|up to|through|by the end of|ending(?: in| on)?|before|prior to)\s+|pre-)(.+)$", re.I
)
_AS_OF = re.compile(r"^as (?:of|at)\s+", re.I)
"""When something was measured, not since when it is so."""
_EARLY = re.compile(r"^(?:in )?(?:the )?(?:early|mid|middle of|late|beginning of|end of)[ -](?:the )?(?=\S)", re.I)
_DECADE = re.compile(r"^(?:in |during )?(?:the )?(?P<tens>(?:1[4-9]|20)\d)0['’]?s$", re.I)
_FISCAL = re.compile(r"\b(?:FY|fiscal(?: year)?)[ ’']?(?P<year>(?:19|20)?\d\d)\b", re.I)
_DOTTED = re.compile(r"\b(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>(?:19|20)\d\d)\b")
_AGO = re.compile(
    rf"\b(\d{{1,3}}|{'|'.join(sorted(_COUNTS, key=len, reverse=True))}) (day|week|month|year|decade)s?"
    r" (?:ago|earlier|before)\b",
    re.I,
)
_LATER = re.compile(
    rf"\b(\d{{1,3}}|{'|'.join(sorted(_COUNTS, key=len, reverse=True))}) (day|week|month|year|decade)s?"
    r" (?:later|after|on)\b",
    re.I,
)
"""After what the text told before: nothing to reckon from the document's date."""
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_WEEKDAY = re.compile(r"\b((?:mon|tues|wednes|thurs|fri|satur|sun)day)\b", re.I)
_NTH = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)\b", re.I)
_EDGE = re.compile(r"\b(?:end|start|beginning|close) of\b", re.I)
_HOLIDAYS = {"new year's day": (1, 1), "new year's eve": (12, 31), "christmas day": (12, 25), "christmas eve": (12, 24)}
_RELATIVE = re.compile(r"\b(last|previous|prior|past|this|current|next|coming) (day|week|month|quarter|year)\b", re.I)
_MONTH = re.compile(
    r"\b(?:(?P<which>last|this|next|past) )?(?:(?P<before>\d{1,2})(?:st|nd|rd|th)? (?:of )?)?"
    rf"(?P<name>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\b\.?(?: (?P<after>\d{{1,2}})(?:st|nd|rd|th)?\b)?",
    re.I,
)
_YEAR = re.compile(r"\b(?:1[4-9]|20|21)\d\d\b")
NOW = re.compile(r"\b(?:now|currently|at present|presently|today|to date|these days|present)\b", re.I)


class DateRange(NamedTuple):
    """What words say of time: a date, or from when to when; ISO, whose length is the precision."""

    date: str | None = None
    valid_from: str | None = None
    valid_to: str | None = None


def resolve_date(words: str, document_date: str | None) -> DateRange | None:
    """What ``words`` in a document of ``document_date`` say; ``None`` where that cannot be told for sure."""
    text = _EARLY.sub("", _AS_OF.sub("", " ".join(words.split()).strip(" ,.;()")))
    decade = _DECADE.match(text)
    if decade and _EARLY.match(words.strip()):
        return None  # the late 1990s are not ten years
    if decade:
        return DateRange(valid_from=f"{decade['tens']}0", valid_to=f"{decade['tens']}9")
    years = _YEARS.match(text)
    if years:
        first, last = years[1], years[2] if len(years[2]) == 4 else years[1][: 4 - len(years[2])] + years[2]
        return DateRange(valid_from=first, valid_to=last) if first <= last else None
    span = _SPAN.match(text)
    if span:
        start, end = span["a"] or span["c"], span["b"] or span["d"]
        last_ = None if NOW.fullmatch(end.removeprefix("the ")) else _one(end, document_date)
        year = _YEAR.search(end)
        first_ = _one(start, document_date)
        if year and not _YEAR.search(start):
            first_ = _one(f"{start} {year[0]}", document_date) or first_
        if first_ and (last_ or NOW.search(end)):
            return DateRange(valid_from=first_, valid_to=last_) if not last_ or first_ <= last_ else None
        return None
    for pattern, place in ((_FROM, 1), (_TO, 2)):
        found = pattern.match(text)
        if found:
            one = _one(found[1], document_date)
            return None if one is None else DateRange(valid_from=one) if place == 1 else DateRange(valid_to=one)
    one = _one(text, document_date)
    return None if one is None else DateRange(date=one)


def _one(text: str, document_date: str | None) -> str | None:
    """The one date that words state."""
    dotted = _DOTTED.search(text)
    if dotted:
        return dates.iso_date(int(dotted["year"]), int(dotted["month"]), int(dotted["day"]))
    fiscal = _FISCAL.search(text)
    if fiscal and _part(text) is None:
        return dates.iso_date(int(fiscal["year"]) if len(fiscal["year"]) == 4 else 2000 + int(fiscal["year"]))
    text = _EARLY.sub("", text)
    stated = {span.date for span in dates.find_dates(text)}
    if len(stated) > 1:
        return None
    part = _part(text)
    if part is not None:
        year = _YEAR.search(text)
        return _within(int(year[0]) if year else None, part, text, document_date)
    if stated:
        return stated.pop()
    base = _day(document_date)
    if base is None:
        return None
    length = len(document_date or "")
    ago = _AGO.search(text)
    if ago:
        return _shifted(base, length, -_count(ago[1]), ago[2].lower())
    relative = _RELATIVE.search(text)
    if relative:
        step = {"this": 0, "current": 0, "next": 1, "coming": 1}.get(relative[1].lower(), -1)
        return _shifted(base, length, step, relative[2].lower())
    lowered = text.lower()
    for word, step in (("yesterday", -1), ("today", 0), ("tomorrow", 1)):
        if re.search(rf"\b{word}\b", lowered):
            return _shifted(base, length, step, "day")
    month = _MONTH.search(text)
    if month and (month["name"][0].isupper() or month["which"]):
        number = _MONTHS[month["name"].lower()]
        day = int(month["before"] or month["after"] or 0) or None
        if (month["which"] or "").lower() == "next" or length < 7:
            return None
        # A month without a year is the latest one that was not after the document's.
        year_ = base.year if number <= base.month else base.year - 1
        if (month["which"] or "").lower() == "this" and year_ != base.year:
            return None
        return dates.iso_date(year_, number, day)
    return None


def _part(text: str) -> tuple[int, int] | None:
    """The months of a quarter or a half that words name."""
    quarter = _QUARTER.search(text)
    if quarter:
        number = int(quarter[1]) if quarter[1] else _ORDINALS[quarter[2].lower()]
        return 3 * number - 2, 3 * number
    half = _HALF.search(text)
    if half:
        number = int(half[1]) if half[1] else _ORDINALS[half[2].lower()]
        return 6 * number - 5, 6 * number
    return None


def _within(year: int | None, part: tuple[int, int], text: str, document_date: str | None) -> str | None:
    """The year of a part of it: dates have no precision between a month and a year."""
    if year is not None:
        return dates.iso_date(year)
    base = _day(document_date)
    if base is None:
        return None
    relative = re.search(r"\b(last|this|next) year\b", text, re.I)
    if relative:
        return dates.iso_date(base.year + {"last": -1, "this": 0, "next": 1}[relative[1].lower()])
    if len(document_date or "") < 7:
        return None
    return dates.iso_date(base.year if part[0] <= base.month else base.year - 1)


def _day(date: str | None) -> dt.date | None:
    found = _ISO.match(date or "")
    if found is None:
        return None
    parts = [*map(int, found[0].split("-")), 1, 1][:3]
    try:
        return dt.date(*parts)
    except ValueError:
        return None


def _shifted(base: dt.date, length: int, count: int, unit: str) -> str | None:
    """``base`` moved, as precise as the unit and the document's date (``length`` of its ISO form) allow."""
    try:
        if unit == "decade":
            return dates.iso_date(base.year + 10 * count)
        if unit == "year":
            return dates.iso_date(base.year + count)
        if length < 7:
            return None
        if unit in ("month", "quarter"):
            months = base.year * 12 + base.month - 1 + count * (3 if unit == "quarter" else 1)
            year, month = divmod(months, 12)
            return dates.iso_date(year) if unit == "quarter" else dates.iso_date(year, month + 1)
        if length < 10:
            return None
        moved = base + dt.timedelta(days=count * (7 if unit == "week" else 1))
        return dates.iso_date(moved.year, moved.month) if unit == "week" else moved.isoformat()
    except (OverflowError, ValueError):
        return None


def settle_dates(
    words: str, proposed: DateRange, quote: str, document_date: str | None, passage: str = ""
) -> tuple[DateRange, bool]:
    """The dates of a fact, and whether some of ``proposed`` was dropped.

    A proposal wins whose year, month and day all stand in ``words``, which may leave out the year. Else what they say
    wins, and the proposal says only whether a bare date is a beginning or an end. Words that say nothing by themselves
    (``the same year``) leave of the proposal what the ``quote`` or, with such words, the ``passage`` states.
    """
    given = [one for one in proposed if one is not None]
    bases = _bases(document_date, passage)
    found = resolve_date(words, document_date) if words else None
    stated = [one for one in found or () if one is not None]
    # What is less precise than the words loses to them: "27 March 2026" says more than 2026-03.
    coarse = any(len(other) > len(one) and _agree(one, other) for one in given for other in stated)
    said = {span.date for span in dates.find_dates(quote)}
    worded = words and given and all(one in said or _is_worded(one, words, bases) for one in given)
    if worded and not coarse and len(given) >= len(stated):
        return proposed, False
    if found is not None:
        if not all(any(_agree(one, other) for other in stated) for one in given):
            # The end of what was before ("until 31 May, then she") is not the end of what is told.
            other = found.date is None and not any(one and two for one, two in zip(found, proposed, strict=True))
            return DateRange() if other else found, True
        if found.date and len(given) == 1 and proposed.date is None:
            if proposed.valid_from is not None:
                return DateRange(valid_from=found.date), False
            return DateRange(valid_to=found.date), False
        return found, False
    here = [span.date for span in dates.find_dates(f"{quote}\n{passage}" if words else quote)]
    kept: list[str | None] = []
    for one in proposed:
        if one is not None and words and _is_named_day(one, passage, bases):
            kept.append(one)
            continue
        fitting = [other for other in here if one is not None and _agree(one, other)]
        kept.append(min((one or "", fitting[0]), key=len) if fitting else None)
    return DateRange(*kept), sum(one is not None for one in kept) < len(given)


class _Bases(NamedTuple):
    """What words without a year, or a month, may be reckoned from."""

    days: list[dt.date]
    """The document's date, and the days that the passage and what stands above it name."""
    years: set[int]
    named: list[str]
    """The dates of the passage, as precise as they stand there."""


def _bases(document_date: str | None, passage: str) -> _Bases:
    named = [span.date for span in dates.find_dates(passage)]
    dotted = (dates.iso_date(int(one["year"]), int(one["month"]), int(one["day"])) for one in _DOTTED.finditer(passage))
    named += [one for one in dotted if one is not None]
    all_ = [one for one in (document_date, *named) if one]
    days = [day for one in all_ if len(one) == 10 and (day := _day(one)) is not None]
    return _Bases(days, {int(one[:4]) for one in all_ if one[:4].isdigit()}, named)


def _is_worded(date: str, words: str, bases: _Bases) -> bool:
    """Whether words say a date: its year, month and day stand in them, or it is a day that they lead to.

    A year that they leave out is one near those of the document; a weekday, ``the 30th`` or ``the end of the month`` is
    one near a day that the document names.
    """
    year, month, day = (*map(int, date.split("-")), 0, 0)[:3]
    years = {int(one) for one in _YEAR.findall(words)} | {
        int(one) if len(one) == 4 else 2000 + int(one) for one in _FISCAL.findall(words)
    }
    if years:
        if year not in years:
            return False
    elif _is_reckoned(date, words, bases) or (day and _leads_to(dt.date(year, month, day), words, bases)):
        return True
    elif not month or not any(abs(year - near) <= 1 for near in bases.years):
        return False
    numbers = {int(one) for one in re.findall(r"(?<!\d)\d{1,2}(?!\d)", words)}
    numbers |= {int(one) for one in _NTH.findall(words)}
    months = {_MONTHS[found["name"].lower()] for found in _MONTH.finditer(words)}
    if months and not month and not day:
        return False
    edges = _EDGE.search(words) is not None and day in (1, _last_day(year, month)) if month else False
    return (not month or month in (months or numbers)) and (not day or day in numbers or edges)


def _leads_to(day: dt.date, words: str, bases: _Bases) -> bool:
    """Whether words without a year lead to a day from one that the document names."""
    near = [abs((day - base).days) for base in bases.days]
    weekday = _WEEKDAY.search(words)
    if weekday and day.weekday() == _WEEKDAYS.index(weekday[1].lower()[:3]):
        return any(days <= 10 for days in near)
    holiday = next((each for name, each in _HOLIDAYS.items() if name in words.lower().replace("’", "'")), None)
    if holiday is not None:
        return holiday == (day.month, day.day) and any(abs(day.year - year) <= 1 for year in bases.years)
    if not _MONTH.search(words):
        if any(int(one) == day.day for one in _NTH.findall(words)):
            return any(days <= 45 for days in near)
        if _EDGE.search(words) and re.search(r"\b(?:month|week|year)\b", words, re.I):
            ends = {_last_day(day.year, day.month), 1} if "month" in words.lower() else {31, 1}
            return (day.day in ends or "week" in words.lower()) and any(days <= 366 for days in near)
    return False


def _is_reckoned(date: str, words: str, bases: _Bases) -> bool:
    """Whether words (``yesterday``, ``a month later``) come to a date, reckoned from one that the passage names."""
    later = _LATER.search(words)
    for base in bases.named:
        start = _day(base)
        if later is None:
            came_to = resolve_date(words, base)
            if came_to is not None and date in came_to:
                return True
        elif start is not None and _shifted(start, len(base), _count(later[1]), later[2].lower()) == date:
            return True
    return False


def _count(word: str) -> int:
    return int(word) if word.isdigit() else _COUNTS[word.lower()]


def _is_named_day(date: str, passage: str, bases: _Bases) -> bool:
    """Whether a passage names the day of a date without its year (``then``: on 14 April)."""
    day = _day(date) if len(date) == 10 else None
    if day is None or not any(abs(day.year - near) <= 1 for near in bases.years):
        return False
    return any(
        _MONTHS[found["name"].lower()] == day.month and str(day.day) in (found["before"], found["after"])
        for found in _MONTH.finditer(passage)
    )


def _last_day(year: int, month: int) -> int:
    return calendar.monthrange(year, month)[1]


def date_of(value: object) -> str | None:
    """``value``, if it is an ISO date of a day, month or year that exists."""
    if not isinstance(value, str) or not _ISO.fullmatch(value):
        return None
    return dates.iso_date(*map(int, value.split("-")))


def _agree(one: str, other: str) -> bool:
    """Whether two dates may be the same: one is the other, more precisely."""
    return one.startswith(other) or other.startswith(one)
