"""The search index: full text (BM25) and vectors of chunks, entities, facts and topics, in LanceDB.

Used by the worker process (``kgfs.worker``), in the threads of its lanes: reads go on
beside one write a table. Everything here is derived from the catalog and may be lost: a damaged table is rebuilt,
empty, under a new identity, from which the service sees that its rows want indexing again.

Each kind has two tables, ``<kind>_text`` and ``<kind>_vectors``, rather than one with a vector that may be null: the
keyword index is whole before the first vector is made, and writing a vector does not rewrite (and un-index) its text.

Facts of the engine that shape this (LanceDB 0.40; more in ``index_table``): a raw query string with
quotes raises, ``MatchQuery`` does not; a flat scan of 5,000 vectors takes 10 ms, in memory (``vector_cache``) one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import xxhash

from kgfs.index_records import INDEX_TERMS, IdFilter, IndexedRows, IndexRow, IndexState, Ranking
from kgfs.model import KINDS
from kgfs.store.index import two_columns, vector_index
from kgfs.store.index.index_filter import best_that_pass
from kgfs.store.index.index_table import IndexDirectory, IndexTable
from kgfs.store.index.terms import analyse, query_terms
from kgfs.store.index.vector_cache import COLUMNS, MAX_ROWS, VectorCache

# After ``index_table``, which leaves a part of lancedb out.
# isort: split
from lancedb.query import BooleanQuery, MatchQuery, Occur

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TITLE_BOOST = 0.1
"""What a match in the title adds to that in the whole text. Measured (``scripts/bench.d/retrieval.py``): with 0, .1, .3
BM25 alone has nDCG@10 .383, .394, .396 on cranfield and .410, .412, .408 on cisi, where it was chosen; with 0 and .1 it
has .801 and .812 on hotpotqa's paragraphs, which had no part in that."""
QUERY_WORDS = 400
QUERY_TERMS = 2 * QUERY_WORDS
"""A keyword query is cut here; far longer ones cost seconds and find nothing else."""
QUESTION_WORDS = frozenset(
    "what what's which who whom whose when where why how happen happens happened tell explain describe show find list"
    " give please did does do has have had been".split()
)
"""Words that make a query a question; the engine's own list leaves most of them in."""
_DELETE_RUN = 5000
_LAST_KIND = "chunk"
"""The kind whose vectors are dropped last: as long as it has them, a change that was cut short is seen."""


def asked_words(query: str) -> list[str]:
    """The words of a query without those that only make it a question, unless nothing else is left.

    ``what happened to wages`` asks for wages: ``happen`` is rare in most texts, so BM25 would find little else.
    """
    words = query.replace("\0", " ").split()
    return [word for word in words if word.strip("?!.,;:'\"").lower() not in QUESTION_WORDS] or words


class VectorStore:
    """The index in one directory.

    Rows are put by id, so that putting or removing twice is the same as once. ``StoreError`` where the engine fails
    and rebuilding the table does not help, ``NoSpaceError`` when the disk is full.
    """

    def __init__(self, directory: Path, dimension: int, index_rows: int = vector_index.INDEX_ROWS) -> None:
        """Open the index, or make it. ``dimension``: of the vectors, where there are none yet; 0 if it is not known.
        ``index_rows``: a table of vectors with more rows gets an approximate index (``make_indexes``)."""
        self._directory = IndexDirectory(directory)
        self._index_rows = index_rows
        self._models: dict[str, frozenset[str]] = {}
        self._parts: dict[str, tuple[Any, int, int]] = {}
        self._looked_at: dict[str, tuple[Any, int]] = {}
        self._caches: dict[str, tuple[Any, VectorCache]] = {}
        self._held: dict[str, frozenset[str]] = {}
        self._texts = {kind: IndexTable(self._directory, f"{kind}_text", _TEXT, ("title", "text")) for kind in KINDS}
        self.dimension = self._directory.list_size(f"{_LAST_KIND}_vectors", "vector") or max(1, dimension)
        """That of the vectors that are here, whatever the settings say by now: none are dropped unasked."""
        self._vectors = {kind: self._vector_table(kind) for kind in KINDS}

    def _vector_table(self, kind: str) -> IndexTable:
        schema = _VECTOR.append(pa.field("vector", pa.list_(pa.float32(), self.dimension)))
        return IndexTable(self._directory, f"{kind}_vectors", schema, ())

    def clear_vectors(self, dimension: int) -> None:
        """Drop all vectors, which from now on have ``dimension`` dimensions. The tables get new identities."""
        self.dimension = dimension
        for kind in sorted(KINDS, key=lambda kind: kind == _LAST_KIND):
            self._caches.pop(kind, None)
            self._models.pop(kind, None)
            self._vectors[kind].clear(_VECTOR.append(pa.field("vector", pa.list_(pa.float32(), dimension))))

    def model_ids(self) -> set[str]:
        """The models whose vectors are here."""
        return set().union(*(table.read(_model_ids) for table in self._vectors.values()))

    def _models_of(self, kind: str) -> frozenset[str]:
        """The models whose vectors a kind has, or had since this index was opened."""
        if kind not in self._models:
            self._models.setdefault(kind, self._vectors[kind].read(_model_ids))
        return self._models[kind]

    def put_texts(self, kind: str, rows: Sequence[IndexRow]) -> None:
        """Make the rows' texts searchable, in place of what stood under their ids. Searchable when this returns.

        The column ``text`` holds the terms of title and text, since BM25 over the two together finds more than over the
        text alone (cranfield nDCG@10 .383 against .338); those of the title stand again in a column of their own.
        """
        rows = list({row.id: row for row in rows}.values())
        if rows:
            data: dict[str, Any] = {name: [getattr(row, name) for row in rows] for name in ("id", "document_id", "gen")}
            analysed = [analyse(row.title, row.text) for row in rows]
            data |= {name: [getattr(one, name) for one in analysed] for name in ("title", "text", "languages")}
            self._held[kind] = self._languages(kind).union(*(one.languages.split() for one in analysed))
            self._texts[kind].put(pa.table(data, schema=_TEXT))

    def _languages(self, kind: str) -> frozenset[str]:
        """The languages beside English that the texts of a kind are in, or were in since this index was opened."""

        def read(table: Any) -> frozenset[str]:
            rows = table.search().where("languages <> ''").select(["languages"]).limit(max(1, table.count_rows()))
            return frozenset(" ".join(rows.to_arrow()["languages"].unique().to_pylist()).split())

        if kind not in self._held:
            self._held.setdefault(kind, self._texts[kind].read(read))
        return self._held[kind]

    def put_vectors(self, kind: str, rows: Sequence[IndexRow], vectors: NDArray[np.float32], model_id: str) -> None:
        """Put the rows' vectors, shape (rows, dimension), made by model ``model_id`` of ``embedded_text``."""
        if vectors.shape != (len(rows), self.dimension):
            raise ValueError(f"{vectors.shape} is not the shape of {len(rows)} vectors of {self.dimension}")
        last = {row.id: number for number, row in enumerate(rows)}
        if not last:
            return
        kept = [rows[number] for number in last.values()]
        data: dict[str, Any] = {name: [getattr(row, name) for row in kept] for name in ("id", "document_id", "gen")}
        data["model_id"] = [model_id] * len(kept)
        self._models[kind] = self._models_of(kind) | {model_id}
        data["digest"] = [text_digest(embedded_text(row)) for row in kept]
        flat = pa.array(vectors[list(last.values())].ravel(), pa.float32())
        data["vector"] = pa.FixedSizeListArray.from_arrays(flat, self.dimension)
        self._vectors[kind].put(pa.table(data, schema=self._vectors[kind].schema))

    def known_vectors(self, kind: str, digests: Sequence[int], model_id: str) -> dict[int, NDArray[np.float32]]:
        """The vectors that ``model_id`` has made of texts with these digests (``text_digest``), whichever row's."""
        quoted = model_id.replace("'", "''")
        condition = f"model_id = '{quoted}' AND digest IN ({_numbers(digests)})"

        def search(table: Any) -> dict[int, NDArray[np.float32]]:
            # As many as there may be: without a limit the engine gives ten.
            rows = table.search().where(condition).select(["digest", "vector"]).limit(max(1, table.count_rows()))
            found = rows.to_arrow()
            flat = found["vector"].combine_chunks().flatten().to_numpy().reshape(-1, self.dimension)
            return dict(zip(found["digest"].to_pylist(), flat, strict=True))

        return self._vectors[kind].read(search) if digests else {}

    def remove(self, kind: str, ids: Sequence[int]) -> None:
        """Remove texts and vectors of these ids; unknown ids are nothing."""
        for start in range(0, len(ids), _DELETE_RUN):
            condition = f"id IN ({_numbers(ids[start : start + _DELETE_RUN])})"
            self._texts[kind].delete(condition)
            self._vectors[kind].delete(condition)

    def keyword(self, kind: str, query: str, limit: int, where: IdFilter | None = None) -> Ranking:
        """The rows whose texts match ``query`` best by BM25. Any text is a query: nothing in it is an operator."""
        terms = query_terms(" ".join(asked_words(query)[:QUERY_WORDS]), self._languages(kind))
        words = " ".join(terms[:QUERY_TERMS])
        wanted_ids = _wanted(where)
        if not words or (wanted_ids is not None and not len(wanted_ids)):
            return Ranking()
        # A pydantic dataclass whose defaults the type checker does not see.
        match: Callable[..., Any] = MatchQuery
        asked = {"text": match(words, "text"), "title": match(words, "title", boost=TITLE_BOOST)}
        together = BooleanQuery([(Occur.SHOULD, one) for one in asked.values()])

        def search(table: Any) -> Ranking:
            large = table.count_rows() > two_columns.LARGE_ROWS

            def ask(condition: str, depth: int) -> Any:
                if not large or depth > two_columns.MOST_ROWS:
                    return _limited(table.search(together), "_score", depth, condition)

                def one(column: str, ids: Sequence[int]) -> Any:
                    only = f"id IN ({_numbers(ids)})" if ids else ""
                    both = " AND ".join(f"({part})" for part in (condition, only) if part)
                    return _limited(table.search(asked[column]), "_score", depth, both)

                return two_columns.best_of_both(one, ("text", "title"), depth)

            found = best_that_pass(ask, wanted_ids, limit, table.count_rows)
            return _ranking(found, found["_score"].to_numpy().astype("float64"))

        return self._texts[kind].read(search)

    def nearest(
        self, kind: str, vector: NDArray[np.float32], model_id: str, limit: int, where: IdFilter | None = None
    ) -> Ranking:
        """The rows whose vectors, made by the same model, are nearest to ``vector`` by cosine."""
        wanted = _wanted(where)
        if wanted is not None and not len(wanted):
            return Ranking()
        # Of one model they are nearly always all: a condition that holds of each row is found out row by row.
        only = self._models_of(kind) == {model_id}
        ours = "" if only else "model_id = '{}'".format(model_id.replace("'", "''"))

        def search(table: Any) -> Ranking:
            cached = self._cached(kind, table)
            if cached is not None:
                ids, gens, scores = cached.nearest(vector, model_id, limit, wanted)
                return Ranking(ids=ids, gens=gens, scores=scores)
            parts = self._parts_of(kind, table) if only else 0
            rows = table.count_rows() if parts else 0

            def ask(condition: str, depth: int) -> Any:
                query = table.search(vector, vector_column_name="vector").distance_type(vector_index.METRIC)
                passing = len(wanted) if wanted is not None and condition else rows
                query = vector_index.asked_through(query, parts, depth, passing, condition)
                return _limited(query, "_distance", depth, " AND ".join(f"({one})" for one in (ours, condition) if one))

            found = best_that_pass(ask, wanted, limit, table.count_rows)
            return _ranking(found, 1.0 - found["_distance"].to_numpy().astype("float64"))

        return self._vectors[kind].read(search)

    def _parts_of(self, kind: str, table: Any) -> int:
        """Into how many parts a table's approximate index divides its vectors; 0 where there is none."""
        version = table.version
        seen = self._parts.get(kind)
        if seen is None or seen[0] is not table or seen[1] != version:
            parts = max(vector_index.parts_by_name(table).values(), default=0)
            self._parts[kind] = seen = (table, version, parts)
        return seen[2]

    def make_indexes(self) -> list[str]:
        """Make the approximate indexes of vectors that are due; returns of which kinds, when they are there.

        May take minutes, in processes of their own; searches and writes go on. ``StoreError`` where one failed.
        """
        made = []
        for kind, vectors in self._vectors.items():
            with vectors.held() as table:
                version = table.version
                if self._looked_at.get(kind) == (table, version):
                    continue
                if vector_index.is_due(table, self._index_rows):
                    vector_index.make_index(self._directory.path, vectors.name)
                    made.append(kind)
                self._looked_at[kind] = (table, version)
        return made

    def vectors(self, kind: str, ids: Sequence[int], model_id: str) -> dict[int, NDArray[np.float32]]:
        """The vectors, made by ``model_id``, of the rows with these ids; those that have none are left out."""
        quoted = model_id.replace("'", "''")
        found: dict[int, NDArray[np.float32]] = {}
        for start in range(0, len(ids), _DELETE_RUN):
            condition = f"model_id = '{quoted}' AND id IN ({_numbers(ids[start : start + _DELETE_RUN])})"

            def read(table: Any, condition: str = condition) -> Any:
                wanted = table.search().where(condition).select(["id", "vector"])
                return wanted.limit(_DELETE_RUN).to_arrow()

            rows = self._vectors[kind].read(read)
            flat = rows["vector"].combine_chunks().flatten().to_numpy().reshape(-1, self.dimension)
            found |= dict(zip(rows["id"].to_pylist(), flat, strict=True))
        return found

    def _cached(self, kind: str, table: Any) -> VectorCache | None:
        """A small table's vectors, read again whenever the table was written to; ``None`` for a large one."""
        cached = self._caches.get(kind)
        version = table.version
        if cached is None or cached[0] is not table or cached[1].version != version:
            # Read after its version: where a write came between, the version tells that it is too old, not too new.
            self._caches.pop(kind, None)  # first: two of a large table would take much memory
            rows = table.count_rows()
            if rows > MAX_ROWS[kind]:
                return None
            found = table.search().select(list(COLUMNS)).limit(max(1, rows)).to_batches()
            cached = self._caches[kind] = (table, VectorCache(version, found, rows, self.dimension))
        return cached[1]

    def listed(self, kind: str, part: str, first: int, limit: int) -> IndexedRows:
        """The rows of the table ``part`` (``text`` or ``vector``) of a kind from id ``first`` on, ``limit`` at most."""
        import numpy as np

        def read(table: Any) -> IndexedRows:
            def column(names: list[str], condition: str) -> Any:
                wanted = table.search().where(condition).select(names)
                return wanted.limit(max(1, table.count_rows())).to_arrow()

            numbers = np.sort(column(["id"], f"id >= {int(first)}")["id"].to_numpy())[:limit]
            if not len(numbers):
                return IndexedRows()
            found = column(["id", "gen", "document_id"], f"id >= {int(first)} AND id <= {int(numbers[-1])}")
            order = np.argsort(found["id"].to_numpy(), kind="stable")
            ids, gens, documents = (
                found[name].to_numpy()[order].astype(np.int64).tobytes() for name in ("id", "gen", "document_id")
            )
            return IndexedRows(ids=ids, gens=gens, documents=documents)

        return (self._texts if part == "text" else self._vectors)[kind].read(read)

    def optimize(self) -> None:
        """Fold what was written since the last time into the indexes, where there is enough of it to slow searches."""
        for table in (*self._texts.values(), *self._vectors.values()):
            table.settle()

    def tidy(self) -> None:
        """Remove what no search needs when none comes any more: at the end of the process that has the store."""
        for table in (*self._texts.values(), *self._vectors.values()):
            table.tidy()

    def state(self) -> IndexState:
        identities, rebuilt = self._directory.state()
        return IndexState(
            identities=identities,
            texts={kind: table.count() for kind, table in self._texts.items()},
            vectors={kind: table.count() for kind, table in self._vectors.items()},
            rebuilt=rebuilt,
        )


_TEXT = pa.schema(
    [
        pa.field("id", pa.int64(), nullable=False),
        pa.field("document_id", pa.int64(), nullable=False),
        pa.field("gen", pa.int64(), nullable=False),
        pa.field("title", pa.string()),
        pa.field("text", pa.string()),
        pa.field("languages", pa.string()),
    ],
    metadata={"terms": INDEX_TERMS},
)
"""``title`` and ``text`` hold terms (``kgfs.store.index.terms``)."""
_VECTOR = pa.schema(
    [
        pa.field("id", pa.int64(), nullable=False),
        pa.field("document_id", pa.int64(), nullable=False),
        pa.field("gen", pa.int64(), nullable=False),
        pa.field("model_id", pa.string(), nullable=False),
        pa.field("digest", pa.int64(), nullable=False),
    ]
)


def _model_ids(table: Any) -> frozenset[str]:
    rows = table.search().select(["model_id"]).limit(max(1, table.count_rows())).to_arrow()
    return frozenset(rows["model_id"].unique().to_pylist())


def embedded_text(row: IndexRow) -> str:
    """What the model is given of a row."""
    return row.embedded or f"{row.title}\n{row.text}"


def text_digest(text: str) -> int:
    """By what a text that was embedded before is known, a signed 64-bit number."""
    return xxhash.xxh3_64_intdigest(text.encode("utf-8", "surrogatepass")) - (1 << 63)


def _limited(query: Any, score: str, limit: int, condition: str) -> Any:
    query = query.select(["id", "gen", score]).limit(limit)
    if condition:
        query = query.where(condition, prefilter=True)
    return query.to_arrow()


def _ranking(found: Any, scores: NDArray[np.float64]) -> Ranking:
    """Best first; equal scores by id, so that the same rows always come in the same order."""
    import numpy as np

    ids, gens = found["id"].to_numpy(), found["gen"].to_numpy()
    order = np.lexsort((ids, -scores))
    return Ranking(ids=ids[order].tolist(), gens=gens[order].tolist(), scores=scores[order].tolist())


def _wanted(where: IdFilter | None) -> NDArray[np.int64] | None:
    """The ids that a filter lets through, ascending; ``None`` for all."""
    import numpy as np

    return None if where is None or where.ids is None else np.frombuffer(where.ids, np.int64)


def _numbers(ids: Iterable[int]) -> str:
    return ",".join(str(int(number)) for number in ids)
