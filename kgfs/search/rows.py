"""What search reads of the catalog's rows: which are still there, which pass a filter, names, and texts to show.

``RowReader`` is what ``kgfs.search.searcher`` needs; ``CatalogRows`` answers it in SQL, a handful of statements a
search, on the caller's thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from kgfs.names import fact_type
from kgfs.search.fusion import EXACT, PREFIX, Ids
from kgfs.search.query import SearchRequest, first_day, last_day
from kgfs.store.database import Database

MAX_NAMES = 50
_LONGEST_NAME = 200


class Rows(NamedTuple):
    """Rows that are there, three arrays of one length."""

    ids: Ids
    """Ascending."""
    gens: Ids
    """Their ``want_gen``: an index row of another generation speaks of what the row no longer is."""
    documents: Ids
    """0 for what belongs to no single document."""


class Coverage(NamedTuple):
    """How many rows there are, and how many of them have their vectors."""

    rows: int
    indexed: int

    @property
    def percent(self) -> int:
        """Whole percent, rounded down: 100 only where nothing is missing."""
        return 100 * self.indexed // self.rows if self.rows else 100


class RowReader(Protocol):
    """What search needs to know of the rows."""

    def rows(self, kind: str, ids: Ids) -> Rows:
        """Those of ``ids`` that are there."""

    def allowed(self, kind: str, asked: SearchRequest) -> list[int]:
        """The ids of a kind that pass the request's filters."""

    def named(self, query: str, prefix: bool) -> dict[int, float]:
        """Entities with a name or alias that is the query (``EXACT``) or begins with it (``PREFIX``), best first."""

    def texts(self, kind: str, ids: Sequence[int]) -> dict[int, str]:
        """The text that a snippet is cut from."""

    def coverage(self, kinds: Sequence[str]) -> Coverage: ...


_TABLES = {"chunk": "chunks", "entity": "entities", "fact": "facts", "topic": "topics"}
_TEXTS = {
    "chunk": "text",
    "entity": "CASE WHEN description = '' OR description IS NULL THEN name || ' (' || type || ')'"
    " WHEN starts_with(description, name) THEN description ELSE name || ': ' || description END",
    "fact": "CASE WHEN quote = '' OR quote IS NULL THEN description ELSE quote END",
    "topic": "CASE WHEN definition = '' OR definition IS NULL THEN name ELSE name || ': ' || definition END",
}


class CatalogRows:
    """``RowReader`` over a store's catalog. May be used from any thread."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def rows(self, kind: str, ids: Ids) -> Rows:
        document = "document_id" if kind in ("chunk", "fact") else "0"
        found = self._of(kind, f"want_gen, {document}", ids.tolist())
        columns = np.array(found, np.int64).reshape(-1, 3)
        columns = columns[np.argsort(columns[:, 0])]
        return Rows(columns[:, 0], columns[:, 1], columns[:, 2])

    def texts(self, kind: str, ids: Sequence[int]) -> dict[int, str]:
        return {row: text or "" for row, text in self._of(kind, _TEXTS[kind], ids)}

    def _of(self, kind: str, columns: str, ids: Sequence[int]) -> list[tuple[Any, ...]]:
        if not ids:
            return []
        # As one text: a list of literals in the statement takes ten times as long to plan (27 ms for 2,000).
        numbers = f"[{','.join(str(int(number)) for number in ids)}]"
        wanted = "SELECT unnest(?::VARCHAR::BIGINT[])"
        return self._database.fetch(f"SELECT id, {columns} FROM {_TABLES[kind]} WHERE id IN ({wanted})", [numbers])

    def allowed(self, kind: str, asked: SearchRequest) -> list[int]:
        condition, values = _conditions(kind, asked)
        if condition is None:
            return []
        found = self._database.fetch(f"SELECT t.id FROM {_TABLES[kind]} t WHERE {condition} ORDER BY t.id", values)
        return [row for (row,) in found]

    def named(self, query: str, prefix: bool) -> dict[int, float]:
        name = query.strip().lower()
        if not name or len(name) > _LONGEST_NAME:
            return {}
        test = "starts_with(lower({0}), ?)" if prefix else "lower({0}) = ?"
        found = self._database.fetch(
            f"SELECT id, lower(name) = ? AS same, length(name) AS long FROM entities WHERE {test.format('name')}"
            " UNION ALL SELECT entity_id, lower(alias) = ?, length(alias) FROM entity_aliases"
            f" WHERE {test.format('alias')} ORDER BY same DESC, long, id LIMIT {MAX_NAMES}",
            [name, name, name, name],
        )
        best: dict[int, float] = {}
        for row, same, _ in found:
            best.setdefault(row, EXACT if same else PREFIX)
        return best

    def coverage(self, kinds: Sequence[str]) -> Coverage:
        parts = " UNION ALL ".join(
            f"SELECT count(*) AS n, count(*) FILTER (have_gen >= want_gen) AS have FROM {_TABLES[kind]}"
            for kind in kinds
        )
        rows, indexed = self._database.fetch(f"SELECT sum(n)::BIGINT, sum(have)::BIGINT FROM ({parts})")[0]
        return Coverage(rows, indexed)


def _conditions(kind: str, asked: SearchRequest) -> tuple[str | None, list[Any]]:
    """A request's filters as SQL over ``t``; ``None`` where no row of the kind can pass."""
    conditions: list[str] = []
    values: list[Any] = []
    if asked.type is not None:
        if kind not in ("entity", "fact"):
            return None, []
        conditions.append("lower(t.type) = ?")
        values.append((fact_type(asked.type) if kind == "fact" else asked.type).lower())
    placed, place_values = _origin(asked)
    dated, date_values = _dates(asked)
    if kind in ("fact", "chunk"):
        conditions += [part.format(document="t.document_id", date="t.date") for part in (placed, dated) if part]
    elif placed or dated:
        links = "entity_chunks" if kind == "entity" else "chunk_topics"
        parts = [part.format(document="c.document_id", date="c.date") for part in (placed, dated) if part]
        linked = f"SELECT l.{kind}_id FROM {links} l JOIN chunks c ON c.id = l.chunk_id"
        conditions.append(f"t.id IN ({linked} WHERE {' AND '.join(parts)})")
    return " AND ".join(conditions) or "true", values + place_values + date_values


def _origin(asked: SearchRequest) -> tuple[str, list[Any]]:
    if asked.origin is None:
        return "", []
    drive, colon, path = asked.origin.partition(":")
    if not colon or path in ("", "/"):
        return "{document} IN (SELECT id FROM context_items WHERE drive = ?)", [drive]
    ref = f"{drive}:{path.rstrip('/')}"
    return "{document} IN (SELECT id FROM context_items WHERE ref = ? OR starts_with(ref, ?))", [ref, ref + "/"]


def _dates(asked: SearchRequest) -> tuple[str, list[Any]]:
    """Compares days: a date that is only a month or a year is its first day."""
    parts = []
    values = []
    day = "left({date} || substr('0000-01-01', length({date}) + 1), 10)"
    if asked.date_from is not None:
        parts.append(f"{day} >= ?")
        values.append(first_day(asked.date_from))
    if asked.date_to is not None:
        parts.append(f"{day} <= ?")
        values.append(last_day(asked.date_to))
    return " AND ".join(parts), values
