"""Rows of the tables ``pages`` (rendered texts) and ``stale`` (what must be rendered again).

Used by ``kgfs.namespace.publish`` (which renders and writes; ``kgfs.store.catalog.dirty_rows`` notes what is stale) and
by ``kgfs.namespace.pages`` (which reads bodies). Writing functions run on the writer thread, inside a transaction of
the caller's; a page row is never changed: a new rendering is a new ``page_id``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kgfs.store.catalog.database import Cursor
from kgfs.store.catalog.inserts import insert, take_ids
from kgfs.store.catalog.statements import WANTED, run_prepared

KINDS = ("document", "chunk", "entity", "fact", "topic")
"""What can be stale; ids are row ids, of rows that may be gone by now."""


class RenderedPage(NamedTuple):
    """One rendered text of an owner; ``name`` tells pages of one view and owner apart (an indicator), else empty."""

    view: str
    owner: int
    name: str
    body: bytes


def read_stale(cursor: Cursor) -> dict[str, list[int]]:
    """The stale ids of each kind, sorted, each once."""
    found: dict[str, list[int]] = {kind: [] for kind in KINDS}
    for kind, row_id in cursor.execute("SELECT DISTINCT kind, id FROM stale ORDER BY ALL").fetchall():
        found.setdefault(kind, []).append(row_id)
    return found


def any_stale(cursor: Cursor) -> bool:
    """Whether something waits to be rendered."""
    return cursor.execute("SELECT 1 FROM stale LIMIT 1").fetchone() is not None


def clear_stale(cursor: Cursor) -> None:
    cursor.execute("DELETE FROM stale")


Key = tuple[str, int, str]
"""View, owner and name of a page."""


def existing_pages(cursor: Cursor, views: Sequence[str], owners: Sequence[int]) -> dict[Key, tuple[int, bytes]]:
    """The pages that these owners have in these views, as ``(page_id, body)``."""
    if not owners:
        return {}
    rows = run_prepared(
        cursor,
        WANTED + "SELECT view, owner_id, name, page_id, body FROM pages JOIN wanted ON wanted.id = owner_id"
        " WHERE view IN (SELECT unnest($2::VARCHAR[]))",
        [list(owners), list(views)],
    ).fetchall()
    return {(view, owner, name): (page_id, body) for view, owner, name, page_id, body in rows}


def has_pages(cursor: Cursor, views: Sequence[str]) -> bool:
    """Whether anything was ever rendered in these views."""
    sql = "SELECT 1 FROM pages WHERE view IN (SELECT unnest($1::VARCHAR[])) LIMIT 1"
    return run_prepared(cursor, sql, [list(views)]).fetchone() is not None


def insert_pages(cursor: Cursor, pages: Sequence[RenderedPage]) -> None:
    """Write new pages under new ids, in the order given (a walk reads them in that order)."""
    if not pages:
        return
    insert(
        cursor,
        "pages",
        {
            "page_id": take_ids(cursor, "page", len(pages)),
            "view": [page.view for page in pages],
            "owner_id": [page.owner for page in pages],
            "name": [page.name for page in pages],
            "size": [len(page.body) for page in pages],
            "body": [page.body for page in pages],
        },
    )


def delete_pages(cursor: Cursor, page_ids: Sequence[int]) -> None:
    if page_ids:
        run_prepared(cursor, "DELETE FROM pages WHERE page_id IN (SELECT unnest($1::BIGINT[]))", [list(page_ids)])


def read_bodies(cursor: Cursor, page_ids: Sequence[int]) -> dict[int, bytes]:
    """The bodies of those pages that still exist; one statement whatever their number."""
    if len(page_ids) == 1:
        cursor.execute("SELECT page_id, body FROM pages WHERE page_id = $1", [page_ids[0]])
    else:
        # The range lets whole row groups be skipped.
        cursor.execute(
            "SELECT page_id, body FROM pages WHERE page_id BETWEEN $1 AND $2 "
            "AND page_id IN (SELECT unnest($3::BIGINT[]))",
            [min(page_ids), max(page_ids), list(page_ids)],
        )
    return dict(cursor.fetchall())


def generation(cursor: Cursor) -> tuple[int, int]:
    """The published generation and when it was published, in microseconds since 1970; 0 and 0 in a new store."""
    sql = "SELECT key, value FROM meta WHERE key IN ('generation', 'published_us')"
    rows = dict(run_prepared(cursor, sql).fetchall())
    return int(rows.get("generation") or 0), int(rows.get("published_us") or 0)


def read_meta(cursor: Cursor, key: str) -> str | None:
    row = run_prepared(cursor, "SELECT value FROM meta WHERE key = $1", [key]).fetchone()
    return None if row is None else row[0]


def write_meta(cursor: Cursor, key: str, value: str) -> None:
    run_prepared(
        cursor, "INSERT INTO meta VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value", [key, value]
    )
