"""The bracket behind somebody's name that opens a page: ``(c. 1210 – 1266)``, ``(12 March 1843, Ribe – 4 July 1901, Lund)``.

Used by ``leads`` for what the reader of dates of running text leaves, which begins in 1400: years since 100, and
places that no name of the sentence is. Pure. A half that is anything but a date and a place says nothing.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import datetime as dt
import re
from typing import NamedTuple

from kgfs.documents.dates import MONTH, MONTH_NAMES, iso_date

FIRST_YEAR = 100
LONGEST_LIFE = 110
SHORTEST_LIFE = 15
"""Years of a life of which no more than two years are told: fewer are those of a reign."""

_NAME = r"[A-Z][\w.'’-]*(?: (?:[A-Z][\w.'’-]*|of|upon|on|am|an|der|de|la|le|in)(?= |,|$)){0,4}"
_PLACE = rf"{_NAME}(?:, {_NAME}){{0,2}}"
_WHEN = (
    rf"(?P<about>(?:c\.|ca\.|circa|about|around) ?)?(?:(?P<d1>\d{{1,2}}) (?P<m1>(?i:{MONTH})) |(?P<m2>(?i:{MONTH})) (?P<d2>\d{{1,2}}), |(?P<m3>(?i:{MONTH})) )?"
    r"(?P<year>\d{3,4})(?: (?:AD|CE))?"
)
_HALF = re.compile(
    rf"(?:(?:on|in) )?{_WHEN}(?:(?:,| in| at) (?P<place>{_PLACE}))?|(?P<before>{_PLACE}), {_WHEN.replace('(?P<', '(?P<b_')}"
)
_BETWEEN = re.compile(r" ?[–—] ?| - ")
_BORN = re.compile(r"(?:born|b\.),? (?P<rest>.+)")
_DIED = re.compile(r"(?:died|d\.),? (?P<rest>.+)")
_MONTHS = {name.lower()[:3]: number for name, number in MONTH_NAMES.items()}


class Moment(NamedTuple):
    """When and where a life began or ended."""

    text: str
    date: str
    place: str
    """Empty where none is told."""
    bare: bool
    """Two years stand there, and no word and no day."""

    @property
    def year(self) -> int:
        return int(self.date[:4])


def life_dates(bracket: str) -> tuple[Moment | None, Moment | None]:
    """The birth and the death that a bracket tells; ``None`` for what it does not, or does not plausibly."""
    born = died = None
    for part in bracket.replace("\n", " ").split("; "):
        part = part.strip(" ;,")
        if (said := _BORN.fullmatch(part)) is not None:
            first, _, second = said["rest"].partition(", died ")
            born, died = _moment(first), died or _moment(second)
        elif (said := _DIED.fullmatch(part)) is not None:
            died = _moment(said["rest"])
        elif len(halves := _BETWEEN.split(part)) == 2 and born is None and died is None:
            one, two = (_moment(half.strip()) for half in halves)
            if one is not None and two is not None:
                born, died = one, two
    if born is not None and died is not None:
        least = SHORTEST_LIFE if born.bare and died.bare else 0
        if not least <= died.year - born.year <= LONGEST_LIFE:
            return None, None
    return born, died


def _moment(text: str) -> Moment | None:
    found = _HALF.fullmatch(text)
    if found is None:
        return None
    head = "b_" if found["before"] else ""
    year = int(found[f"{head}year"])
    if not FIRST_YEAR <= year <= dt.datetime.now(dt.UTC).year:
        return None
    named = found[f"{head}m1"] or found[f"{head}m2"] or found[f"{head}m3"]
    day = found[f"{head}d1"] or found[f"{head}d2"]
    date = iso_date(year, _MONTHS[named[:3].lower()] if named else None, int(day) if day else None)
    place = found["before"] or found["place"] or ""
    if date is None or (place and not place[0].isupper()):
        return None
    when = text[len(place) + 2 :] if head else text[: len(text) - len(place)].rstrip(", ")
    when = re.sub(r" (?:in|at)$|^(?:on|in) ", "", when)
    return Moment(when, date, place.partition(",")[0], not named and not place)
