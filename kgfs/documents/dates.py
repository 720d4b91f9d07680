"""Dates with their precision, from front matter, file names, titles, modification times and running text.

Used by formats and extraction, in the worker process; pure. A date is an ISO string whose length is its precision
(``2019-10-30``, ``2019-10``, ``2019``; longer: a time, RFC 3339 in UTC).
"""

from __future__ import annotations

import datetime as dt
import re
from functools import lru_cache
from typing import Any, NamedTuple

_NAMES = (
    "january february march april may june july august september october november december".split()
)  # fmt: skip
_MONTHS = {name: number for number, name in enumerate(_NAMES, 1)}
_MONTHS |= {name[:3]: number for name, number in _MONTHS.items()} | {"sept": 9}
MONTH = "(?:" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + ")"
"""A pattern for a month in small letters, whole or short: *september*, *sept*, *sep*."""
_YEAR = r"(?:1[4-9]|20|21)\d\d"
MONTH_NAMES = {name.capitalize(): number for number, name in enumerate(_NAMES, 1)}
"""The English names of months with their numbers."""

_ISO = re.compile(rf"({_YEAR})-(\d\d)(?:-(\d\d))?(?![\d-])")
_IN_NAME = (
    re.compile(rf"(?<!\d)({_YEAR})[-_. ](\d\d)[-_. ](\d\d)(?!\d)"),
    re.compile(rf"(?<!\d)({_YEAR})(\d\d)(\d\d)(?!\d)"),
    re.compile(rf"(?<!\d)({_YEAR})[-_. ](\d\d)(?!\d)"),
)
_TITLE_MONTH = re.compile(rf"\b(?:(\d{{1,2}})\s+)?({MONTH})\.?(?:\s+(\d{{1,2}}),?)?,?\s+(?:of\s+)?({_YEAR})\b", re.I)
_TEXT = re.compile(
    rf"(?P<iso>(?<![\d-]){_YEAR}-\d\d(?:-\d\d)?(?![\d-]))"
    rf"|\b(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<m1>{MONTH})\.?,?\s+(?P<y1>{_YEAR})\b"
    rf"|\b(?P<m2>{MONTH})\.?\s+(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y2>{_YEAR})\b"
    rf"|\b(?P<m3>{MONTH})\.?,?\s+(?:of\s+)?(?P<y3>{_YEAR})\b"
    rf"|(?<![\w$€£¥.,-])(?P<y4>{_YEAR})(?![\w-]|[.,]\d|\s*(?:percent|per cent|%|million|billion|people|jobs|workers))",
    re.I,
)
_WEEKDAY = "(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?"
_WEEKDAY_BEFORE = re.compile(rf"\b{_WEEKDAY}\b\.?,?$", re.I)
_WEEKDAY_AFTER = re.compile(rf"^[(,]?\s*{_WEEKDAY}\b\.?\)?", re.I)
_APART = (":", "–", "—", "-", "|", "·")
_APART_BEHIND = (*_APART, "(", "[")
_OF_ENTRIES = re.compile(
    r"\W*(?:(?:meetings?|minutes|notes|calls?|agenda|sync|session|weekly|biweekly|bi-weekly|monthly|quarterly|regular|special|"
    r"public|private|held|entry|log|status|update|report|release|released|the|of|for|from|on)\b\W*)*",
    re.I,
)
"""Words beside the date of an entry that say of no event: *Minutes of 4 June 2024*, *May 2, 2022 public meeting*."""
_KEYS = (
    "date", "published", "publish_date", "pubdate", "pub_date", "created", "created_at", "ms.date", "lastmod",
    "last_modified", "updated", "modified",
)  # fmt: skip


class DateSpan(NamedTuple):
    """A date that stands in a text at ``text[start:end]``."""

    start: int
    end: int
    date: str


def iso_date(year: int, month: int | None = None, day: int | None = None) -> str | None:
    """The ISO string of a date that exists, else ``None``."""
    try:
        dt.date(year, month or 1, day or 1)
    except ValueError:
        return None
    if month is None:
        return f"{year:04d}"
    return f"{year:04d}-{month:02d}" if day is None else f"{year:04d}-{month:02d}-{day:02d}"


def from_value(value: object) -> str | None:
    """The date that a front matter value states, or ``None``.

    Takes what YAML yields (dates, times, years as numbers) and text: ISO, ``12/08/2025`` (month first unless that
    cannot be), ``October 2019``, ``14 January 2021``. A time keeps its precision only when it states one.
    """
    if isinstance(value, dt.datetime):
        if value.tzinfo is not None:
            value = value.astimezone(dt.UTC).replace(tzinfo=None)
        if value.time() == dt.time(0):
            return value.date().isoformat()
        return value.replace(microsecond=0).isoformat() + "Z"
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return iso_date(value) if 1400 <= value <= 2199 else None
    if not isinstance(value, str):
        return None
    text = value.strip()
    if re.fullmatch(_YEAR, text):
        return text
    if re.match(rf"{_YEAR}-\d\d-\d\d[T ]\d", text):
        try:
            return from_value(dt.datetime.fromisoformat(text))
        except ValueError:
            text = text[:10]
    numeric = re.fullmatch(r"(\d{1,2})[/.](\d{1,2})[/.](\d{4})", text)
    if numeric:
        first, second, year = map(int, numeric.groups())
        swapped = "." in text or first > 12
        return iso_date(year, second, first) if swapped else iso_date(year, first, second)
    slashed = re.fullmatch(r"(\d{4})[/.](\d{1,2})(?:[/.](\d{1,2}))?", text)
    if slashed:
        return iso_date(int(slashed[1]), int(slashed[2]), int(slashed[3]) if slashed[3] else None)
    found = find_dates(text)
    return found[0].date if found else None


def from_front_matter(attributes: dict[str, Any]) -> str | None:
    """The document's date from its front matter: the first of the usual keys that states one."""
    lowered = {str(key).lower(): value for key, value in attributes.items()}
    for key in _KEYS:
        date = from_value(lowered.get(key))
        if date is not None:
            return date
    return None


def from_name(stem: str) -> str | None:
    """A date in a file's name: ``2019-10-30``, ``20191030``, ``beigebook_2019_10``; a bare year does not count."""
    for pattern in _IN_NAME:
        for found in pattern.finditer(stem):
            date = iso_date(*(int(part) for part in found.groups()))
            if date is not None:
                return date
    return None


_DATED_FOLDER = re.compile(
    rf"({_YEAR})[-_.]?(\d\d)[-_.]?(\d\d)(?!\d)(?!.*(?:archive|backup|copy|dump|export|restore|snapshot))", re.I
)
"""A folder of a day; that of a backup says when it was made."""
_DAY_IN_NAME = re.compile(r"(?<!\d)(\d\d)[-_.](\d\d)(?!\d|[-_.]\d)")


def from_path(path: str) -> str | None:
    """A date in a file's name, or else in its folders': ``minutes/2024/tsc-03-24.md``, ``2024/03/24.md``,
    ``2024-03-24/notes.md``. Three folders are looked at."""
    *folders, name = path.split("/")[-4:]
    stem = name.rpartition(".")[0] or name
    if (found := from_name(stem)) is not None:
        return found
    for folder in reversed(folders):
        day = _DATED_FOLDER.match(folder)
        if day is not None and (found := iso_date(*map(int, day.groups()))) is not None:
            return found
    year = next((folder for folder in reversed(folders) if re.fullmatch(_YEAR, folder)), None)
    if year is None:
        return None
    if (within := _DAY_IN_NAME.search(stem)) is not None:
        return iso_date(int(year), int(within[1]), int(within[2]))
    month = folders[-1] if len(folders) > 1 and folders[-2] == year and re.fullmatch(r"\d\d", folders[-1]) else ""
    own = re.match(r"\d\d(?!\d)", stem)
    return iso_date(int(year), int(month), int(own[0])) if month and own else None


def from_title(title: str) -> str | None:
    """A month or a day that a title states: ``Beige Book: October 2019``; two different ones state none."""
    found = {
        date
        for match in _TITLE_MONTH.finditer(title)
        if (date := iso_date(int(match[4]), _MONTHS[match[2].lower()], int(match[1] or match[3] or 0) or None))
    }
    return found.pop() if len(found) == 1 else None


@lru_cache(4096)
def from_heading(title: str) -> str | None:
    """The day or month whose entry a heading opens: ``2023-07-10``, ``Tuesday, 4 June 2024``, ``[1.2.0] - 2023-07-10``,
    ``May 2, 2022 [Public Meeting] (recording)``.

    What else stands in it is set apart by a sign, says that it is an entry (``Minutes of …``), or the date is ISO:
    ``Attack of 11 September 2001`` dates nothing.
    """
    found = [span for span in find_dates(title) if len(span.date) >= len("2023-07")]
    if len(found) != 1:
        return None
    (span,) = found
    before, after = title[: span.start].strip(), title[span.end :].strip()
    before = _WEEKDAY_BEFORE.sub("", before).strip()
    after = _WEEKDAY_AFTER.sub("", after).strip()
    if not re.search(r"\w", before + after):
        return span.date
    if len(span.date) < len("2023-07-10") or (re.search(r"\w", before) and re.search(r"\w", after)):
        return None
    apart = before.endswith(_APART) if before else after.startswith(_APART_BEHIND)
    iso = title[span.start].isdigit() and title[span.start + 4 : span.start + 5] == "-"
    return span.date if apart or iso or _OF_ENTRIES.fullmatch(before + after) else None


def from_mtime(mtime_ns: int) -> str | None:
    """The day of a modification time in UTC; ``None`` where no calendar has it."""
    try:
        moment = dt.datetime.fromtimestamp(mtime_ns // 1_000_000_000, dt.UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return moment.date().isoformat()


def find_dates(text: str) -> list[DateSpan]:
    """The dates that ``text`` states, in order. A bare year counts when it stands like one, not as an amount."""
    spans = []
    for match in _TEXT.finditer(text):
        date: str | None
        if iso := match["iso"]:
            parts = _ISO.match(iso)
            date = iso_date(*(int(part) for part in parts.groups() if part)) if parts else None
        elif match["y1"]:
            date = iso_date(int(match["y1"]), _MONTHS[match["m1"].lower()], int(match["d1"]))
        elif match["y2"]:
            date = iso_date(int(match["y2"]), _MONTHS[match["m2"].lower()], int(match["d2"]))
        elif match["y3"]:
            date = iso_date(int(match["y3"]), _MONTHS[match["m3"].lower()])
        else:
            date = match["y4"]
        if date is not None:
            spans.append(DateSpan(match.start(), match.end(), date))
    return spans
