"""The graph as numpy columns: what the namespace keeps in memory so that no file operation needs SQL.

Used by ``kgfs.namespace.loading``, on the thread that loads a snapshot (never the event loop). Each query is one
statement over one table; run them all in one read transaction, so that the columns fit each other. A table with a key
can be read in part: the rows of some *blocks*, each of ``1 << BLOCK_BITS`` keys. ``block_sums`` tells in a small part
of the time that reading takes which blocks hold other rows than before. Times are microseconds since 1970 in UTC, -1
stands for "none" in columns of ids and months.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgfs.model import STATUSES
from kgfs.store.catalog.database import Cursor
from kgfs.store.catalog.statements import run_prepared
from kgfs.store.files.items import DIRECTORY, SYMLINK

Table = dict[str, NDArray[Any]]

BLOCK_BITS = 11
"""A vector of the engine has as many rows."""
FEW_RANGES = 8
"""Up to so many ranges of keys are read one by one; of more the engine looks at all rows between the outermost."""

ROWS_A_TURN = 5_000

_LIMIT = 9_223_372_036_854_775
"""Microseconds whose nanoseconds still fit 64 bits: dates before 1678 and after 2261 are cut there."""


def _moment(column: str) -> str:
    """SQL: an ISO date as a timestamp; no time is 12:00, a month its first day, a year 1 January (design, 2.2)."""
    return (
        f"CASE length({column}) WHEN 4 THEN try_cast({column} || '-01-01 12:00:00' AS TIMESTAMP)"
        f" WHEN 7 THEN try_cast({column} || '-01 12:00:00' AS TIMESTAMP)"
        f" WHEN 10 THEN try_cast({column} || ' 12:00:00' AS TIMESTAMP) ELSE try_cast({column} AS TIMESTAMP) END"
    )


def day_column(column: str) -> str:
    """SQL: the day of an ISO date, counted from 1970; NULL where there is no date."""
    return f"datediff('day', DATE '1970-01-01', ({_moment(column)})::DATE)"


TITLE = "CASE WHEN lower(coalesce(d.title, '')) IN ('', 'index', '_index', 'readme') THEN d.slug ELSE d.title END"
"""SQL: what a document ``d`` is called to readers: where it has its file's name and that stands for its folder, what
its directory is called (``document_names``)."""


def _us(moment: str) -> str:
    return f"least(greatest(epoch_us({moment}), -{_LIMIT}), {_LIMIT})"


def _dated(column: str) -> str:
    """SQL: ``dated`` (microseconds), ``day`` and ``month`` (year * 12 + month - 1, -1 where there is no date).

    ``dated`` is cut where file systems end; ``day`` is not.
    """
    moment = _moment(column)
    return (
        f"coalesce({_us(moment)}, 0)::BIGINT AS dated, coalesce({day_column(column)}, 0)::INTEGER AS day, "
        f"coalesce(year({moment}) * 12 + month({moment}) - 1, -1)::INTEGER AS month"
    )


_CTIME = "coalesce(epoch_us({}), 0)::BIGINT AS ctime"


def _spelled(name: str) -> str:
    """SQL: what names of one thing have in common, as far as one statement can say: ``pep-0703`` is ``PEP 703``."""
    return f"regexp_replace(lower({name}), '[\\s_-]+0*', ' ', 'g')"


_NAMED = f"SELECT entity_id, document_id, {_spelled('name')} AS name FROM entity_claims WHERE entity_id IS NOT NULL"
_SUBJECTS = " UNION ALL ".join(
    f"SELECT d.id AS document_id, {_spelled(name)} AS name FROM documents d JOIN context_items i USING (id)"
    for name in (
        "d.title",
        r"CASE WHEN d.title LIKE '%)' THEN regexp_replace(d.title, '\s+[(][^()]*[)]$', '') END",
        "CASE WHEN d.title LIKE 'The %' THEN regexp_replace(d.title, '^The ', '') END",
        r"nullif(regexp_extract(d.title, '^[A-Z/]{1,10}[ -]?[0-9][0-9.-]*\b'), '')",
        r"regexp_replace(regexp_extract(i.path, '[^/]*$'), '[.][^.]*$', '')",
        "CASE WHEN d.front_matter <> '{}' THEN json_extract_string(d.front_matter, '$.name') END",
    )
)


class TableQuery(NamedTuple):
    """How a table is read, whole or in part."""

    columns: str
    source: str
    key: str
    """The column by which rows are in blocks, and in the order of which they are read."""
    sums: str
    """All that ``columns`` depends on, but for what a row keeps for ever, for the sum of a block."""
    where: str = "true"
    typed: str = ""
    """The column of a type, which is read as a number (``codes`` of ``read_rows``) under the name ``kind``."""


QUERIES: dict[str, TableQuery] = {
    "items": TableQuery(
        "id, drive, path, coalesce(size, 0)::BIGINT AS size, coalesce(mode, 420)::INTEGER AS mode, "
        "coalesce(mtime_us, source_mtime_ns // 1000, epoch_us(updated_at), 0)::BIGINT AS mtime, "
        "coalesce(epoch_us(updated_at), 0)::BIGINT AS ctime, coalesce(is_textual, false)::TINYINT AS textual",
        "context_items",
        "id",
        "id, drive, path, size, mode, mtime_us, source_mtime_ns, updated_at, is_textual",
        f"mime_type IS DISTINCT FROM '{DIRECTORY}'",
    ),
    "documents": TableQuery(
        f"id, slug, strlen(slug)::INTEGER AS slug_bytes, {_dated('date')}, {_CTIME.format('changed_at')}, "
        "coalesce(text_size, 0)::BIGINT AS size, coalesce(text_is_content, false)::TINYINT AS content, "
        "(text IS NOT NULL)::TINYINT AS stored",
        "documents",
        "id",
        "id, slug, date, changed_at, text_size, text_is_content, text IS NOT NULL, title, front_matter",
    ),
    "chunks": TableQuery(
        f"id, document_id::INTEGER AS document, ordinal, coalesce(size, 0)::INTEGER AS size, {_dated('date')}, "
        f"{_CTIME.format('changed_at')}, coalesce(tokens, 0)::INTEGER AS tokens, "
        "coalesce(have_gen >= want_gen, false)::TINYINT AS indexed",
        "chunks",
        "id",
        "id, document_id, ordinal, size, date, changed_at, tokens, have_gen >= want_gen",
    ),
    "entities": TableQuery(
        f"id, slug, strlen(slug)::INTEGER AS slug_bytes, {_CTIME.format('changed_at')}",
        "entities",
        "id",
        "id, slug, type, changed_at",
        typed="type",
    ),
    "facts": TableQuery(
        "id, ('0x' || substr(fact_id, 3))::UBIGINT AS hash, coalesce(subject_id, -1)::INTEGER AS subject, "
        "coalesce(object_id, -1)::INTEGER AS object, coalesce(chunk_id, -1)::INTEGER AS chunk, "
        f"{_dated('date')}, {_CTIME.format('changed_at')}, "
        f"coalesce(list_position({list(STATUSES)}, status), 1)::TINYINT - 1 AS status, "
        "coalesce(conflict_id, -1)::INTEGER AS conflict",
        "facts",
        "id",
        # Without its ``fact_id``, a text that takes as long as all the others: a row has the same one for ever.
        "id, type, subject_id, object_id, chunk_id, date, changed_at, status, conflict_id",
        "type IS NOT NULL",
        typed="type",
    ),
    "topics": TableQuery(
        "id, slug, strlen(slug)::INTEGER AS slug_bytes, name, coalesce(parent_id, -1)::INTEGER AS parent, "
        f"{_CTIME.format('changed_at')}",
        "topics",
        "id",
        "id, slug, name, parent_id, changed_at",
    ),
    "aliases": TableQuery(
        "entity_id AS id, slug", "entity_aliases", "entity_id", "entity_id, slug", "slug IS NOT NULL"
    ),
    "entity_chunks": TableQuery(
        "chunk_id AS id, entity_id AS other", "entity_chunks", "chunk_id", "chunk_id, entity_id"
    ),
    "chunk_topics": TableQuery("chunk_id AS id, topic_id AS other", "chunk_topics", "chunk_id", "chunk_id, topic_id"),
    "fact_topics": TableQuery("fact_id AS id, topic_id AS other", "fact_topics", "fact_id", "fact_id, topic_id"),
    "document_links": TableQuery(
        "document_id AS id, target_id AS other",
        "document_links",
        "document_id",
        "document_id, target_id",
        "target_id IS NOT NULL AND target_id <> document_id",
    ),
    # The page of an entity is a document of which it is the subject: its title, its file or its front matter names it.
    "entity_pages": TableQuery(
        "c.document_id AS id, c.entity_id AS other",
        f"({_NAMED}) c JOIN ({_SUBJECTS}) s ON s.document_id = c.document_id AND s.name = c.name",
        "c.document_id",
        "",
    ),
    "entity_claims": TableQuery(
        "", "entity_claims", "document_id", "entity_id, document_id, name", "entity_id IS NOT NULL"
    ),
}
"""Tables that can be read in part. Of ``entity_pages`` no sums can be had: it follows from three others."""

WHOLE: dict[str, str] = {
    "directories": "SELECT id, drive, path, coalesce(mode, 493)::INTEGER AS mode, coalesce(mtime_us, -1) AS mtime, "
    "coalesce(epoch_us(updated_at), 0)::BIGINT AS ctime, coalesce(atime_us, -1) AS atime, "
    f"coalesce(xattrs, '') AS xattrs FROM context_items WHERE mime_type = '{DIRECTORY}' ORDER BY path",
    "attributes": "SELECT id, coalesce(atime_us, -1) AS atime, coalesce(xattrs, '') AS xattrs FROM context_items "
    f"WHERE (atime_us IS NOT NULL OR xattrs IS NOT NULL) AND mime_type IS DISTINCT FROM '{DIRECTORY}' ORDER BY id",
    "links": f"SELECT id, content_blob AS target FROM context_items WHERE mime_type = '{SYMLINK}' ORDER BY id",
    "sources": "SELECT id, name, drive, path FROM sources ORDER BY id",
    "former_names": "SELECT kind, directory, slug, target_id FROM former_names ORDER BY ALL",
}
"""Tables that have few rows."""

PAIRS_FROM: dict[str, tuple[str, ...]] = {"entity_pages": ("entity_claims", "documents", "items")}
"""A table without sums to those of which it is made, which have the same blocks."""

Range = tuple[int, int]
"""First and last key."""


class Blocks(NamedTuple):
    """What the blocks of a table hold, by the number of the block."""

    numbers: NDArray[Any]
    rows: NDArray[Any]
    sums: NDArray[Any]

    def without(self, keys: NDArray[Any]) -> Blocks:
        """The same, but that the blocks of these keys are not known: they will differ from whatever they hold then."""
        if not len(keys):
            return self
        kept = ~np.isin(self.numbers, np.asarray(keys) >> BLOCK_BITS)
        return Blocks(self.numbers[kept], self.rows[kept], self.sums[kept])


def block_sums(cursor: Cursor, name: str) -> Blocks:
    """The blocks of a table as they are now."""
    query = QUERIES[name]
    found = _fetch(
        cursor,
        # By a division: the engine knows the limits of its result, and so groups in an array.
        f"SELECT ({query.key} // {1 << BLOCK_BITS})::INTEGER AS block, count(*) AS rows, "
        f"(sum(hash({query.sums})) % 9223372036854775783)::BIGINT AS total FROM {query.source} "
        f"WHERE {query.where} AND {query.key} IS NOT NULL GROUP BY ALL ORDER BY block",
    )
    return Blocks(found["block"], found["rows"], found["total"])


def changed_ranges(before: Blocks, now: Blocks) -> list[Range]:
    """The keys of blocks that hold other rows than before, as ranges in order."""
    numbers = np.union1d(before.numbers, now.numbers)
    was, rows = np.full(len(numbers), -1, np.int64), np.full(len(numbers), -1, np.int64)
    sum_was, sum_now = np.zeros(len(numbers), np.int64), np.zeros(len(numbers), np.int64)
    for blocks, counts, sums in ((before, was, sum_was), (now, rows, sum_now)):
        places = np.searchsorted(numbers, blocks.numbers)
        counts[places], sums[places] = blocks.rows, blocks.sums
    return _ranges(numbers[(was != rows) | (sum_was != sum_now)].tolist())


def _ranges(blocks: Iterable[int]) -> list[Range]:
    found: list[Range] = []
    for block in blocks:
        first, last = block << BLOCK_BITS, (block + 1 << BLOCK_BITS) - 1
        if found and found[-1][1] == first - 1:
            found[-1] = (found[-1][0], last)
        else:
            found.append((first, last))
    return found


def all_ranges(*parts: Sequence[Range]) -> list[Range]:
    """Ranges of blocks joined: each key that is in any of them."""
    blocks: set[int] = set()
    for first, last in itertools.chain(*parts):
        blocks.update(range(first >> BLOCK_BITS, (last >> BLOCK_BITS) + 1))
    return _ranges(sorted(blocks))


def read_types(cursor: Cursor, name: str, ranges: Sequence[Range] | None = None) -> list[str]:
    """The types that the rows of a table have."""
    query = QUERIES[name]
    rows = cursor.execute(
        f"SELECT DISTINCT coalesce({query.typed}, '') FROM {query.source} WHERE {_within(query, ranges)} ORDER BY 1"
    ).fetchall()
    return [kind for (kind,) in rows]


def read_rows(
    cursor: Cursor, name: str, ranges: Sequence[Range] | None = None, codes: Mapping[str, int] | None = None
) -> Table:
    """The rows of a table, or of these ranges of keys, in the order of the key.

    ``codes`` are the numbers of all types that the rows have.
    """
    query = QUERIES[name]
    if ranges is not None and 1 < len(ranges) <= FEW_RANGES:
        parts = [read_rows(cursor, name, [one], codes) for one in ranges]
        return {column: np.concatenate([part[column] for part in parts]) for column in parts[0]}
    columns, source = query.columns, query.source
    parameters: list[Any] = []
    if query.typed:
        kinds = dict(codes or {})
        columns += ", kinds.code AS kind"
        source += (
            " JOIN (SELECT unnest($1::VARCHAR[]) AS name, unnest($2::INTEGER[]) AS code) kinds "
            f"ON kinds.name = coalesce({query.typed}, '')"
        )
        parameters = [list(kinds), list(kinds.values())]
    sql = f"SELECT {columns} FROM {source} WHERE {_within(query, ranges)}"
    return _in_order(_fetch(cursor, sql, parameters, often=not ranges), "id")


def _within(query: TableQuery, ranges: Sequence[Range] | None) -> str:
    """SQL: the condition on rows of these ranges."""
    if ranges is None:
        return query.where
    if not ranges:
        return "false"
    first, last = ranges[0][0], ranges[-1][1]
    text = f"{query.where} AND {query.key} BETWEEN {first} AND {last}"  # lets whole row groups be skipped
    if len(ranges) > 1:
        text += " AND (" + " OR ".join(f"{query.key} BETWEEN {low} AND {high}" for low, high in ranges) + ")"
    return text


def read_whole(cursor: Cursor, name: str) -> Table:
    """A table of ``WHOLE``."""
    return _fetch(cursor, WHOLE[name])


def fetch_in_turns(cursor: Cursor, sql: str) -> list[tuple[Any, ...]]:
    """All rows of a statement that may have very many, for lists that are rendered. Other threads have their turn in
    between: the engine keeps the interpreter to itself while it makes rows."""
    cursor.execute(sql)
    rows: list[tuple[Any, ...]] = []
    while part := cursor.fetchmany(ROWS_A_TURN):
        rows += part
    return rows


class PageTotals(NamedTuple):
    """What all pages come to: a page is never changed, so where these are the same no page came or went."""

    number: int
    total: int
    """The sum of their ids."""
    last: int
    """The greatest id."""


def page_totals(cursor: Cursor) -> PageTotals:
    """What the pages come to now."""
    row = cursor.execute("SELECT count(*), coalesce(sum(page_id), 0), coalesce(max(page_id), 0) FROM pages").fetchone()
    assert row is not None
    return PageTotals(*map(int, row))


def pages_since(cursor: Cursor, last: int) -> Table:
    """The pages with a greater id, with their ``view`` and ``name``; the newest last."""
    return _fetch(
        cursor,
        "SELECT page_id, view, owner_id, name, size FROM pages WHERE page_id > $1 ORDER BY page_id",
        [last],
    )


def pages_of(cursor: Cursor, views: Sequence[str], owners: Sequence[int]) -> Table:
    """The pages of these views that these rows have."""
    return _fetch(
        cursor,
        "SELECT page_id, view, owner_id, size FROM pages WHERE view IN (SELECT unnest($1::VARCHAR[])) "
        "AND owner_id IN (SELECT unnest($2::BIGINT[])) ORDER BY page_id",
        [list(views), list(owners)],
    )


def read_pages(cursor: Cursor, view: str) -> Table:
    """``page_id``, ``owner_id``, ``size`` (and ``name`` where a page has one) of all pages of a view."""
    named = "name, " if view == "economic_data" else ""
    found = _fetch(cursor, f"SELECT page_id, owner_id, {named}size FROM pages WHERE view = $1", [view])
    return _in_order(found, "page_id")


def _in_order(table: Table, key: str) -> Table:
    """The rows in the order of a column. Most stand so in the store already, which is told in a small part of the time
    that sorting there takes."""
    keys = table[key]
    if not len(keys) or bool((keys[1:] >= keys[:-1]).all()):
        return table
    order = np.argsort(keys, kind="stable")
    return {name: column[order] for name, column in table.items()}


def _fetch(cursor: Cursor, sql: str, parameters: Sequence[Any] = (), *, often: bool = True) -> Table:
    """``often``: the text is the same each time."""
    found = run_prepared(cursor, sql, parameters) if often else cursor.execute(sql, list(parameters))
    columns = found.fetchnumpy()
    # A column with NULLs is masked. Naming its class here would import numpy.ma where there is none.
    return {
        name: np.asarray(column.filled("") if hasattr(column, "filled") else column) for name, column in columns.items()
    }
