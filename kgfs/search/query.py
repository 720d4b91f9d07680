"""Request and answer of a search, and the options before a query.

Used by the query areas (``@search``), the commands and ``kgfs.search.searcher``. Pure.
"""

from __future__ import annotations

import calendar
import datetime as dt
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from kgfs.errors import QueryError
from kgfs.model import KINDS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ids = NDArray[np.int64]

AREAS: dict[str, tuple[tuple[str, ...], bool]] = {
    "semantic": (KINDS, True),
    "keyword": (KINDS, False),
    "entities": (("entity",), True),
    "facts": (("fact",), True),
    "chunks": (("chunk",), True),
    "topics": (("topic",), True),
}
"""The kinds of search a user names (``@search/<kind>``, ``--kind``): what is searched, and whether by vectors too."""

MAX_LIMIT = 1000
"""As deep as the legs go."""

_DATE = re.compile(r"\d{4}(-\d\d(-\d\d)?)?", re.ASCII)
_EPOCH = dt.date(1970, 1, 1).toordinal()
_WORD = re.compile(r"\w")
_UNSEEN = re.compile("[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
"""Signs that nobody sees and that come along when a text is copied."""


class SearchRequest(msgspec.Struct, frozen=True, kw_only=True):
    """One search. Equal requests in one generation have equal answers (once the model is loaded)."""

    query: str
    kinds: tuple[str, ...] = KINDS
    hybrid: bool = True
    """By vectors too, not by keyword alone."""
    limit: int = 20
    offset: int = 0
    origin: str | None = None
    """Only what comes from this drive (``disk``) or from below this path on it (``disk:/home/ann/notes``)."""
    date_from: str | None = None
    date_to: str | None = None
    """ISO dates, both inclusive: ``2019-10`` as an end is its last day."""
    type: str | None = None
    """Only entities or facts of this type; case does not matter."""
    within: Mapping[str, Ids | None] | None = None
    """Only these rows: for each kind its row ids, ascending, or ``None`` for all of them; a kind that is not named has
    none. ``kgfs.namespace.scope`` makes it of a directory. Requests that have it cannot be compared (arrays)."""

    @property
    def filtered(self) -> bool:
        """Whether a filter is asked for that only the catalog's rows can answer."""
        return any(value is not None for value in (self.origin, self.date_from, self.date_to, self.type))


class LegRank(msgspec.Struct, frozen=True):
    """A hit's place in one leg: rank from 1 (among rows that are still there), and the leg's own score."""

    rank: int
    score: float


class SearchHit(msgspec.Struct, kw_only=True):
    """One row that was found."""

    kind: str
    id: int
    score: float
    """0 to 1, falls with rank; ``kgfs.search.fusion`` says what it means."""
    legs: dict[str, LegRank]
    """``vector`` (cosine), ``bm25``, ``graph`` (a probability), and ``name`` for an entity found by its name (1 exact,
    0.5 its beginning)."""
    snippet: str
    """One line, at most 240 characters."""
    more: int = 0
    """How many further hits of the same document were left out of a search over several kinds."""


class SearchAnswer(msgspec.Struct, kw_only=True):
    """What a search found, best first, and what took part: ``hybrid``, ``keyword, model loading`` …"""

    hits: list[SearchHit]
    backed: float = 1.0
    """By what the scores were multiplied (``kgfs.search.support``): ``LEAST`` where nothing speaks for the hits but
    that they are the nearest."""
    mode: str
    milliseconds: float
    settled: bool = True
    """False where the same rows may soon be answered better: the model loads, or vectors are late or not all there."""


OPTIONS = {
    "limit": "limit",
    "offset": "offset",
    "origin": "origin",
    "from": "date_from",
    "to": "date_to",
    "type": "type",
}
"""What may stand before a query, ``limit=100``: option to field."""


def search_request(area: str, query: str, options: dict[str, str] | None = None) -> SearchRequest:
    """The search that an area, a query and options in their text form mean; ``QueryError`` says what is wrong."""
    if area not in AREAS:
        raise QueryError(f"There is no search {area!r}; there is {', '.join(AREAS)}.")
    kinds, hybrid = AREAS[area]
    fields: dict[str, Any] = {}
    for name, text in (options or {}).items():
        if name not in OPTIONS:
            raise QueryError(f"There is no option {name!r}; there is {', '.join(OPTIONS)}.")
        fields[OPTIONS[name]] = _number(name, text) if name in ("limit", "offset") else _written(text)
    made = SearchRequest(query=query, kinds=kinds, hybrid=hybrid, **fields)
    check_request(made)
    return made


def is_option(component: str) -> bool:
    """Whether a path component before the query is an option, ``limit=100``."""
    name, equals, _ = component.partition("=")
    return bool(equals) and name in OPTIONS


def check_request(asked: SearchRequest) -> str:
    """The query as it is searched; ``QueryError`` says what is wrong with the request."""
    query = " ".join(_UNSEEN.sub("", _written(asked.query)).split())
    require_word(query)
    unknown = set(asked.kinds) - set(KINDS)
    if unknown or not asked.kinds:
        raise QueryError(
            f"There is nothing of kind {', '.join(sorted(unknown)) or 'none'}; there is {', '.join(KINDS)}."
        )
    if not 1 <= asked.limit <= MAX_LIMIT:
        raise QueryError(f"limit={asked.limit} is out of range; it goes from 1 to {MAX_LIMIT}.")
    if not 0 <= asked.offset <= MAX_LIMIT:
        raise QueryError(f"offset={asked.offset} is out of range; it goes from 0 to {MAX_LIMIT}.")
    requested_days(asked)
    return query


def requested_days(asked: SearchRequest) -> tuple[int | None, int | None]:
    """The first and the last day that a request asks for, counted from 1970; ``None`` where it has no such end."""
    first = None if asked.date_from is None else days_of(asked.date_from, "from=")[0]
    last = None if asked.date_to is None else days_of(asked.date_to, "to=")[1]
    return first, last


def days_of(date: str, option: str) -> tuple[int, int]:
    """The first and the last day of a year, a month or a day, counted from 1970.

    ``QueryError`` for what the calendar does not have, which names ``option``, ``from=``.
    """
    parts = [int(part) for part in date.split("-")] if _DATE.fullmatch(date) else []
    try:
        year, month, day = (*parts, 1, 1)[:3]
        first = dt.date(year, month, day)
        month = month if len(parts) > 1 else 12
        last = dt.date(year, month, day if len(parts) > 2 else calendar.monthrange(year, month)[1])
    except ValueError:
        raise QueryError(f"{option}{date} is no date; write 2019, 2019-10 or 2019-10-30.") from None
    return first.toordinal() - _EPOCH, last.toordinal() - _EPOCH


def _written(text: str) -> str:
    """Text that every engine takes: bytes of a path that are no UTF-8 become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _number(name: str, text: str) -> int:
    if not re.fullmatch("[0-9]{1,6}", text):
        raise QueryError(f"{name}={text} is no number; write {name}=20.")
    return int(text)


def require_word(query: str) -> None:
    """``QueryError`` without a letter or a digit, or a sign that is no punctuation (an emoji is a query)."""
    if not _WORD.search(query.replace("_", " ")) and not any(ord(char) > 0x2BFF for char in query):
        raise QueryError("The query has no word in it; write what to look for.")
