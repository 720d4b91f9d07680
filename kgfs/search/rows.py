"""What search reads of the catalog's rows: which are still there, which pass a filter, names, and texts to show.

``RowReader`` is what ``kgfs.search.searcher`` needs; ``CatalogRows`` implements it in SQL, on the caller's thread. What
does not depend on the search (which rows there are, the graph of entities and chunks) is kept in memory until the
catalog is written to.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from kgfs import paths
from kgfs.model import KINDS
from kgfs.names import fact_type
from kgfs.search import graph
from kgfs.search.fusion import EXACT, PREFIX, Ids
from kgfs.search.graph import EntityGraph
from kgfs.search.hops import Passage
from kgfs.search.number_map import NumberMap
from kgfs.search.overtaken import Freshness
from kgfs.search.page_names import DAY, MONTHS, OF_MEETINGS, Hashes, PageNames
from kgfs.search.query import SearchRequest, requested_days
from kgfs.store.catalog.database import Database
from kgfs.store.tree import columns

T = TypeVar("T")

MAX_NAMES = 50
_LONGEST_NAME = 200


class RowArrays(NamedTuple):
    """Rows that are there, three arrays of one length."""

    ids: Ids
    """Ascending."""
    gens: NDArray[np.int32]
    """Their ``want_gen``: an index row of another generation speaks of what the row no longer is."""
    documents: NDArray[np.int32]
    """0 for what belongs to no single document."""

    def of(self, ids: Ids) -> RowArrays:
        """Those of ``ids`` (ascending) that are there."""
        if not len(self.ids):
            return self
        places = np.minimum(np.searchsorted(self.ids, ids), len(self.ids) - 1)
        places = places[self.ids[places] == ids]
        return RowArrays(self.ids[places], self.gens[places], self.documents[places])

    def without(self, ids: Ids) -> RowArrays:
        """All but ``ids``."""
        if not len(ids) or not len(self.ids):
            return self
        kept = ~np.isin(self.ids, ids)
        return RowArrays(self.ids[kept], self.gens[kept], self.documents[kept])


class Coverage(NamedTuple):
    """How many rows there are, and how many of them have their vectors."""

    rows: int
    indexed: int

    @property
    def percent(self) -> int:
        """Whole percent, rounded down: 100 only where nothing is missing."""
        return 100 * self.indexed // self.rows if self.rows else 100


class PresentRows(NamedTuple):
    """All rows of each kind, as of one moment, but those whose text stands no longer in its file."""

    rows: Mapping[str, RowArrays]
    covered: Mapping[str, Coverage]

    def coverage(self, kinds: Sequence[str]) -> Coverage:
        """Of some kinds together."""
        parts = [self.covered[kind] for kind in kinds]
        return Coverage(sum(part.rows for part in parts), sum(part.indexed for part in parts))

    def has(self, kind: str, row_id: int) -> bool:
        """Whether a row is there."""
        ids = self.rows[kind].ids
        place = int(np.searchsorted(ids, row_id))
        return place < len(ids) and int(ids[place]) == row_id


class RowReader(Protocol):
    """What search needs to know of the rows."""

    def present(self) -> PresentRows:
        """Which rows there are."""

    def allowed(self, kind: str, asked: SearchRequest) -> Ids:
        """The ids of a kind that pass the request's filters, ascending."""

    def named(self, query: str, prefix: bool) -> dict[int, float]:
        """Entities with a name or alias that is the query (``EXACT``) or begins with it (``PREFIX``), best first."""

    def mentioned(self, query: str) -> dict[int, float]:
        """Entities whose names stand in the query; those that share a name share 1."""

    def graph(self) -> tuple[EntityGraph, bool]:
        """Which chunks mention which entities; and whether that is as the rows are now, not as a moment ago."""

    def page_names(self) -> PageNames:
        """Which documents have which names, now or a moment ago."""

    def hashes(self, texts: Sequence[str]) -> Hashes:
        """Of texts, as ``PageNames`` has them."""

    def passages(self, chunks: Sequence[int]) -> dict[int, Passage]:
        """Chunks by id, with their documents' titles."""

    def passages_behind(self, facts: Sequence[int]) -> dict[int, int]:
        """The chunk that each of some facts was found in."""

    def pages_of(self, entities: Sequence[int]) -> dict[int, int]:
        """The document that is the page of each of some entities, where there is one."""

    def texts(self, wanted: Mapping[str, Sequence[int]]) -> dict[tuple[str, int], str]:
        """The texts that snippets are cut from, by kind and id, of rows by kind."""


_TABLES = {"chunk": "chunks", "entity": "entities", "fact": "facts", "topic": "topics"}
_TEXTS = {
    "chunk": "text",
    "entity": "CASE WHEN description = '' OR description IS NULL THEN name || ' (' || type || ')'"
    " WHEN starts_with(description, name) THEN description ELSE name || ': ' || description END",
    "fact": "CASE WHEN quote = '' OR quote IS NULL THEN description ELSE quote END",
    "topic": "CASE WHEN definition = '' OR definition IS NULL THEN name ELSE name || ': ' || definition END",
}


_GRAPH = (
    "SELECT l.entity_id::INTEGER AS entity, l.chunk_id::INTEGER AS chunk,"
    " coalesce(lower(d.title) = lower(e.name), false) AS about FROM entity_chunks l"
    " JOIN entities e ON e.id = l.entity_id LEFT JOIN documents d ON d.id = l.document_id ORDER BY entity, chunk"
)
_NAMES = (
    "SELECT hash(lower(name)) AS hash, id::INTEGER AS entity FROM entities"
    " UNION SELECT hash(lower(alias)), entity_id::INTEGER FROM entity_aliases ORDER BY hash, entity"
)
_WORDS = "trim(regexp_replace(lower({0}), '[^\\p{{L}}\\p{{N}}]+', ' ', 'g'))"
"""The words of a name in lower case, joined by spaces: as ``kgfs.search.page_names`` reads them in a text."""
_BARE = "regexp_replace({0}, '\\s*[(\\[][^()\\[\\]]*[)\\]]\\s*$', '')"
"""A title without what a bracket behind it says."""
_BESIDE_DAY = (
    f"trim(regexp_replace(regexp_replace(words, '{DAY}|\\b(?:{'|'.join(OF_MEETINGS)})\\b', '', 'g'), ' +', ' ', 'g'))"
)
_PARTS = [f"regexp_extract(words, '{DAY}', {part})" for part in range(6)]
_MONTH = f"coalesce(list_position({MONTHS}, nullif({_PARTS[1]}, '')), try_cast({_PARTS[4]} AS INTEGER))"
_NUMBER = f"coalesce(try_cast({_PARTS[2]} AS INTEGER), try_cast({_PARTS[5]} AS INTEGER))"
_OF_DAY = f"concat_ws(' ', {_BESIDE_DAY}, {_MONTH}, {_NUMBER})"
"""A title without its day and the words that all such titles have, and the day: as ``page_names`` reads a question."""
_PAGES = f"""
    WITH titled AS (
        SELECT id, title, {_BARE.format("title")} AS bare FROM documents WHERE title IS NOT NULL
    ), named AS (
        SELECT id, title AS name, 1.0 AS sure FROM titled
        UNION ALL SELECT id, bare, 0.9 FROM titled WHERE bare <> title
        UNION ALL SELECT id, regexp_extract(bare, '^([^,]+),[^,]+$', 1), 0.5 FROM titled WHERE contains(bare, ',')
        UNION ALL SELECT id, {_OF_DAY}, 2.0 FROM (
            SELECT id, {_WORDS.format("title")} AS words FROM titled
            UNION ALL SELECT c.document_id, {_WORDS.format("e.name")} FROM entities e
                JOIN entity_claims c ON c.entity_id = e.id WHERE e.type = 'Event' AND c.document_id IS NOT NULL
        ) WHERE regexp_matches(words, '{DAY}') AND {_BESIDE_DAY} <> ''
        UNION ALL SELECT t.id, a.alias, 0.8 FROM titled t JOIN entities e ON {_WORDS.format("e.name")}
            IN ({_WORDS.format("t.title")}, {_WORDS.format("t.bare")}) JOIN entity_aliases a ON a.entity_id = e.id
            WHERE e.declared_by = t.id
    ), words AS (SELECT id, {_WORDS.format("name")} AS name, sure FROM named)
    SELECT hash(name) AS hash, id::INTEGER AS document, max(sure)::FLOAT AS sure FROM words WHERE name <> ''
    GROUP BY name, id ORDER BY hash, document
"""
_FIRSTS = (
    "SELECT document_id AS key, arg_min(id, coalesce(ordinal, 0)) AS value FROM chunks WHERE document_id IS NOT NULL"
    " GROUP BY document_id ORDER BY key"
)
_PASSAGES_OF = (
    f"SELECT c.id, coalesce({columns.TITLE}, ''), c.text FROM chunks c LEFT JOIN documents d ON d.id = c.document_id"
    " WHERE c.id IN (SELECT unnest(?::VARCHAR::BIGINT[]))"
)
_BEHIND = "SELECT id AS key, chunk_id AS value FROM facts WHERE chunk_id IS NOT NULL ORDER BY id"
_PAGES_OF = (
    "SELECT e.id AS key, d.id AS value FROM entities e JOIN documents d ON d.id = e.declared_by AND"
    f" {_WORDS.format('e.name')} IN ({_WORDS.format('d.title')}, {_WORDS.format(_BARE.format('d.title'))}) ORDER BY key"
)
_PATIENCE = 20.0
"""0.3 s are spent on 500,000 mentions: while a large folder is added, a twentieth of the time at most."""
_HASHES = "SELECT hash(name) AS hash FROM (SELECT unnest(?::VARCHAR[]) AS name)"


class _Kept(Generic[T]):
    """What was read of the catalog, until that is written to."""

    def __init__(self, database: Database, read: Callable[[], T], patience: float = 0.0) -> None:
        """``patience``: after a write it is not read again before so many times as long went by as reading took."""
        self._database, self._read, self._patience = database, read, patience
        self._lock = threading.Lock()
        self._kept: tuple[int, T] | None = None
        self._until = 0.0

    def get(self) -> tuple[T, bool]:
        """What is kept, and whether it is as the rows are now."""
        with self._lock:
            commits = self._database.commits
            started = time.monotonic()
            if self._kept is None or (self._kept[0] != commits and started >= self._until):
                self._kept = commits, self._read()
                done = time.monotonic()
                self._until = done + self._patience * (done - started)
            return self._kept[1], self._kept[0] == commits


class _Mentions(NamedTuple):
    """Which entities are mentioned where, and by what names."""

    graph: EntityGraph
    hashes: NDArray[np.uint64]
    """Of names and aliases in lower case, ascending."""
    named: NDArray[np.int32]
    """The entity of each."""


class _Said(NamedTuple):
    """Where a passage says what a fact or an entity does."""

    passages: NumberMap
    """The chunk of each fact."""
    pages: NumberMap
    """The document that is an entity's page."""


class CatalogRows:
    """``RowReader`` over a store's catalog. May be used from any thread."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._freshness = Freshness(database)
        self._present = _Kept(database, self._read_present)
        self._mentions = _Kept(database, self._read_mentions, _PATIENCE)
        self._pages = _Kept(database, self._read_pages, _PATIENCE)
        self._said = _Kept(database, self._read_said, _PATIENCE)

    def present(self) -> PresentRows:
        return self._present.get()[0]

    def _read_present(self) -> PresentRows:
        parts = (
            f"SELECT {number}::TINYINT AS kind, id::INTEGER AS id, coalesce(want_gen, 0)::INTEGER AS gen,"
            f" coalesce({'document_id' if kind in ('chunk', 'fact') else '0'}, 0)::INTEGER AS document,"
            f" coalesce(have_gen >= want_gen, false) AS indexed FROM {_TABLES[kind]}"
            for number, kind in enumerate(KINDS)
        )
        found = self._database.fetch_columns(" UNION ALL ".join(parts))
        rows, covered = {}, {}
        for number, kind in enumerate(KINDS):
            chosen = np.flatnonzero(found["kind"] == number)
            chosen = chosen[np.argsort(found["id"][chosen])]
            rows[kind] = RowArrays(
                found["id"][chosen].astype(np.int64), found["gen"][chosen], found["document"][chosen]
            )
            covered[kind] = Coverage(len(chosen), int(found["indexed"][chosen].sum()))
        gone = self._freshness.overtaken()
        rows["chunk"], rows["fact"] = rows["chunk"].without(gone.chunks), rows["fact"].without(gone.facts)
        return PresentRows(rows, covered)

    def graph(self) -> tuple[EntityGraph, bool]:
        mentions, current = self._mentions.get()
        return mentions.graph, current

    def _read_mentions(self) -> _Mentions:
        found = self._database.fetch_columns(_GRAPH)
        names = self._database.fetch_columns(_NAMES)
        return _Mentions(EntityGraph(found["entity"], found["chunk"], found["about"]), names["hash"], names["entity"])

    def page_names(self) -> PageNames:
        return self._pages.get()[0]

    def _read_said(self) -> _Said:
        return _Said(self._map(_BEHIND), self._map(_PAGES_OF))

    def _map(self, sql: str) -> NumberMap:
        """Of a statement with two columns, ``key`` (ascending) and ``value``."""
        found = self._database.fetch_columns(sql)
        return NumberMap(found["key"], found["value"])

    def _read_pages(self) -> PageNames:
        found = self._database.fetch_columns(_PAGES)
        return PageNames(found["hash"], found["document"], found["sure"], self._map(_FIRSTS))

    def hashes(self, texts: Sequence[str]) -> Hashes:
        found: Hashes = self._database.fetch_columns(_HASHES, [list(texts)])["hash"]
        return found

    def passages(self, chunks: Sequence[int]) -> dict[int, Passage]:
        found = self._database.fetch(_PASSAGES_OF, [_numbers(chunks)])
        return {row: Passage(title, text or "") for row, title, text in found}

    def passages_behind(self, facts: Sequence[int]) -> dict[int, int]:
        behind = self._said.get()[0].passages
        return {fact: chunk for fact in facts if (chunk := behind.get(fact)) is not None}

    def pages_of(self, entities: Sequence[int]) -> dict[int, int]:
        pages = self._said.get()[0].pages
        return {entity: document for entity in entities if (document := pages.get(entity)) is not None}

    def mentioned(self, query: str) -> dict[int, float]:
        stretches = graph.query_stretches(query)
        _, known, entities = self._mentions.get()[0]
        if not stretches or not len(known):
            return {}
        hashes = self.hashes([name for _, _, name in stretches])
        begins, ends = np.searchsorted(known, hashes), np.searchsorted(known, hashes, side="right")
        found = [entities[begin:end].tolist() for begin, end in zip(begins, ends, strict=True)]
        return graph.named_entities(stretches, found)

    def texts(self, wanted: Mapping[str, Sequence[int]]) -> dict[tuple[str, int], str]:
        numbers = [_numbers(ids) for ids in wanted.values()]
        parts = (
            f"SELECT '{kind}', id, {_TEXTS[kind]} FROM {_TABLES[kind]}"
            " WHERE id IN (SELECT unnest(?::VARCHAR::BIGINT[]))"
            for kind in wanted
        )
        found = self._database.fetch(" UNION ALL ".join(parts), numbers) if wanted else []
        return {(kind, row): text or "" for kind, row, text in found}

    def allowed(self, kind: str, asked: SearchRequest) -> Ids:
        condition, values = _conditions(kind, asked)
        if condition is None:
            return np.empty(0, np.int64)
        sql = f"SELECT t.id::BIGINT AS id FROM {_TABLES[kind]} t WHERE {condition} ORDER BY t.id"
        found: Ids = self._database.fetch_columns(sql, values)["id"]
        return found

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


def _numbers(ids: Sequence[int]) -> str:
    """As one text: a list of literals in the statement takes ten times as long to plan (27 ms for 2,000)."""
    return f"[{','.join(str(int(number)) for number in ids)}]"


_CHUNK_DATE = f"coalesce({columns.day_column('c.date')}, {columns.day_column('d.date')})"
_PASSAGES = "JOIN chunks c ON c.id = l.chunk_id LEFT JOIN documents d ON d.id = c.document_id WHERE {chunk}"
_LINKED = {
    "chunk": "SELECT c.id FROM chunks c LEFT JOIN documents d ON d.id = c.document_id WHERE {chunk}",
    "fact": "SELECT f.id FROM facts f WHERE {fact}",
    "entity": f"SELECT l.entity_id FROM entity_chunks l {_PASSAGES}"
    " UNION ALL SELECT unnest([f.subject_id, f.object_id]) FROM facts f WHERE {fact}",
    "topic": f"SELECT l.topic_id FROM chunk_topics l {_PASSAGES}",
}
"""What is of a drive and dated within a span: the rows of a kind that have a passage or a fact that is both."""


def _conditions(kind: str, asked: SearchRequest) -> tuple[str | None, list[Any]]:
    """A request's filters as SQL over ``t``; ``None`` where no row of the kind can pass."""
    conditions: list[str] = []
    values: list[Any] = []
    if asked.type is not None:
        if kind not in ("entity", "fact"):
            return None, []
        conditions.append("lower(t.type) = ?")
        values.append((fact_type(asked.type) if kind == "fact" else asked.type).lower())
    origin, drive = _origin(asked)
    within, ends = _dates(asked)
    if origin or within:
        parts = [part for part in (origin, within) if part]
        of_chunk, of_fact = (
            " AND ".join(part.format(document=document, date=date) for part in parts)
            for document, date in (("c.document_id", _CHUNK_DATE), ("f.document_id", columns.day_column("f.date")))
        )
        conditions.append(f"t.id IN ({_LINKED[kind].format(chunk=of_chunk, fact=of_fact)})")
        values += (drive + ends) * (2 if kind == "entity" else 1)
    return " AND ".join(conditions) or "true", values


def _origin(asked: SearchRequest) -> tuple[str, list[Any]]:
    if asked.origin is None:
        return "", []
    place = paths.parse_ref(asked.origin)
    if place is None or place.path == "/":
        drive = asked.origin.removesuffix(":") if place is None else place.drive
        return "{document} IN (SELECT id FROM context_items WHERE drive = ?)", [drive]
    ref = f"{place.drive}:{place.path.rstrip('/')}"
    return "{document} IN (SELECT id FROM context_items WHERE ref = ? OR starts_with(ref, ?))", [ref, ref + "/"]


def _dates(asked: SearchRequest) -> tuple[str, list[Any]]:
    """Compares days: a date that is only a month or a year is its first day."""
    first, last = requested_days(asked)
    ends = [("{date} >= ?", first), ("{date} <= ?", last)]
    return " AND ".join(part for part, end in ends if end is not None), [end for _, end in ends if end is not None]
