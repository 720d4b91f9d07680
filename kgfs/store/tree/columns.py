"""The graph as numpy columns: what the namespace keeps in memory so that no file operation needs SQL.

Used by ``kgfs.namespace.snapshot``, on the thread that loads a snapshot (never the event loop). Each query is one
statement over one table, ordered by id where order matters; run them all in one read transaction, so that the columns
fit each other. Times are microseconds since 1970 in UTC, -1 stands for "none" in columns of ids and months.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kgfs.model import STATUSES
from kgfs.store.catalog.database import Cursor
from kgfs.store.files.items import DIRECTORY, SYMLINK

Table = dict[str, NDArray[Any]]

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
        r"regexp_replace(d.title, '\s+[(][^()]*[)]$', '')",
        "regexp_replace(d.title, '^The ', '')",
        r"regexp_extract(d.title, '^[A-Z/]{1,10}[ -]?[0-9][0-9.-]*\b')",
        r"regexp_replace(regexp_extract(i.path, '[^/]*$'), '[.][^.]*$', '')",
        "CASE WHEN d.front_matter <> '{}' THEN json_extract_string(d.front_matter, '$.name') END",
    )
)

QUERIES: dict[str, str] = {
    "items": "SELECT id, drive, path, coalesce(size, 0)::BIGINT AS size, coalesce(mode, 420)::INTEGER AS mode, "
    "coalesce(mtime_us, source_mtime_ns // 1000, epoch_us(updated_at), 0)::BIGINT AS mtime, "
    "coalesce(epoch_us(updated_at), 0)::BIGINT AS ctime, coalesce(is_textual, false) AS textual "
    f"FROM context_items WHERE mime_type IS DISTINCT FROM '{DIRECTORY}' ORDER BY id",
    "directories": "SELECT id, drive, path, coalesce(mode, 493)::INTEGER AS mode, coalesce(mtime_us, -1) AS mtime, "
    "coalesce(epoch_us(updated_at), 0)::BIGINT AS ctime, coalesce(atime_us, -1) AS atime, "
    f"coalesce(xattrs, '') AS xattrs FROM context_items WHERE mime_type = '{DIRECTORY}' ORDER BY path",
    "attributes": "SELECT id, coalesce(atime_us, -1) AS atime, coalesce(xattrs, '') AS xattrs FROM context_items "
    f"WHERE (atime_us IS NOT NULL OR xattrs IS NOT NULL) AND mime_type IS DISTINCT FROM '{DIRECTORY}' ORDER BY id",
    "links": f"SELECT id, content_blob AS target FROM context_items WHERE mime_type = '{SYMLINK}' ORDER BY id",
    "sources": "SELECT id, name, drive, path FROM sources ORDER BY id",
    "documents": f"SELECT d.id, d.slug, {_dated('d.date')}, "
    "coalesce(i.mtime_us, i.source_mtime_ns // 1000, epoch_us(i.updated_at), 0)::BIGINT AS source_mtime, "
    f"{_CTIME.format('d.changed_at')}, coalesce(d.text_size, 0)::BIGINT AS size, "
    "coalesce(d.text_is_content, false) AND i.id IS NOT NULL AS linked, d.text IS NOT NULL AS stored "
    "FROM documents d LEFT JOIN context_items i ON i.id = d.id ORDER BY d.id",
    "chunks": f"SELECT id, document_id, ordinal, coalesce(size, 0)::INTEGER AS size, {_dated('date')}, "
    f"{_CTIME.format('changed_at')}, coalesce(tokens, 0)::INTEGER AS tokens, "
    "coalesce(have_gen >= want_gen, false) AS indexed FROM chunks ORDER BY id",
    "entities": f"SELECT id, slug, type, {_CTIME.format('changed_at')} FROM entities ORDER BY id",
    "aliases": "SELECT DISTINCT entity_id, slug FROM entity_aliases WHERE slug IS NOT NULL ORDER BY ALL",
    "former_names": "SELECT kind, directory, slug, target_id FROM former_names ORDER BY ALL",
    "entity_chunks": "SELECT entity_id, chunk_id FROM entity_chunks",
    "fact_types": "SELECT DISTINCT type FROM facts ORDER BY type",
    "facts": "WITH types AS (SELECT type, row_number() OVER (ORDER BY type) - 1 AS code "
    "FROM (SELECT DISTINCT type FROM facts)) "
    "SELECT id, ('0x' || substr(fact_id, 3))::UBIGINT AS hash, code::INTEGER AS type, subject_id, "
    "coalesce(object_id, -1)::BIGINT AS object_id, coalesce(document_id, -1)::BIGINT AS document_id, "
    f"coalesce(chunk_id, -1)::BIGINT AS chunk_id, {_dated('date')}, {_CTIME.format('changed_at')}, "
    f"coalesce(list_position({list(STATUSES)}, status), 1)::TINYINT - 1 AS status, "
    "coalesce(conflict_id, -1)::BIGINT AS conflict_id FROM facts JOIN types USING (type) ORDER BY id",
    "topics": "SELECT id, slug, name, coalesce(parent_id, -1)::BIGINT AS parent_id, "
    f"{_CTIME.format('changed_at')} FROM topics ORDER BY id",
    "chunk_topics": "SELECT chunk_id, topic_id FROM chunk_topics",
    "fact_topics": "SELECT fact_id, topic_id FROM fact_topics",
    "document_links": "SELECT DISTINCT document_id, target_id FROM document_links "
    "WHERE target_id IS NOT NULL AND target_id <> document_id",
    # The page of an entity is a document of which it is the subject: its title, its file or its front matter names it.
    "entity_pages": f"SELECT DISTINCT c.entity_id, c.document_id FROM ({_NAMED}) c JOIN ({_SUBJECTS}) s "
    "ON s.document_id = c.document_id AND s.name = c.name",
}


_NAMING = "SELECT DISTINCT document_id FROM entity_claims WHERE entity_id IS NOT NULL"
MARKS: dict[str, tuple[str, ...]] = {
    "facts": (
        "hash(id, fact_id, type, subject_id, object_id, chunk_id, date, changed_at, status, conflict_id)) FROM facts",
    ),
    "entity_chunks": ("hash(entity_id, chunk_id)) FROM entity_chunks",),
    "chunk_topics": ("hash(chunk_id, topic_id)) FROM chunk_topics",),
    "fact_topics": ("hash(fact_id, topic_id)) FROM fact_topics",),
    "document_links": ("hash(document_id, target_id)) FROM document_links",),
    "entity_pages": (
        "hash(entity_id, document_id, name)) FROM entity_claims",
        f"hash(id, title, front_matter)) FROM documents WHERE id IN ({_NAMING})",
        f"hash(id, path)) FROM context_items WHERE id IN ({_NAMING})",
    ),
}
"""Of tables that are long to read: what their rows come to, all that the query of each depends on. SQL."""

Mark = tuple[int, ...]


class Columns:
    """The tables of ``QUERIES`` as columns, each read when it is first asked for. The cursor should be in one read
    transaction."""

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._read: dict[str, Table] = {}
        self._marks: dict[str, Mark] = {}

    def __getitem__(self, name: str) -> Table:
        table = self._read.get(name)
        if table is None:
            table = self._read[name] = _fetch(self._cursor, QUERIES[name])
        return table

    def mark(self, name: str) -> Mark:
        """Numbers that differ where any row of a table of ``MARKS`` does, in a small part of the time that it is read
        in."""
        mark = self._marks.get(name)
        if mark is None:
            rows = [self._cursor.execute(f"SELECT count(*), sum({sql}").fetchone() for sql in MARKS[name]]
            mark = self._marks[name] = tuple(int(number or 0) for row in rows for number in row or ())
        return mark


def read_pages(cursor: Cursor, view: str) -> Table:
    """``page_id``, ``owner_id``, ``size`` (and ``name`` where a page has one) of all pages of a view."""
    named = "name, " if view == "economic_data" else ""
    return _fetch(cursor, f"SELECT page_id, owner_id, {named}size FROM pages WHERE view = $1 ORDER BY page_id", [view])


def _fetch(cursor: Cursor, sql: str, parameters: list[Any] | None = None) -> Table:
    columns = cursor.execute(sql, parameters or []).fetchnumpy()
    # A column with NULLs is masked. Naming its class here would import numpy.ma where there is none.
    return {
        name: np.asarray(column.filled("") if hasattr(column, "filled") else column) for name, column in columns.items()
    }
