"""Publishing: render the pages of what is stale, write them, raise the generation; all in one transaction.

Called by whatever changed the graph, on its thread; the work runs on the store's writer thread. What it costs follows
from what is stale. A crash at any moment leaves the old generation with its stale set, so the next publish does it all.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

import msgspec

from kgfs.model import prepared
from kgfs.namespace.domains import PAGE_VIEWS
from kgfs.namespace.views.documents import render_chunks, render_documents
from kgfs.namespace.views.entities import render_entities
from kgfs.namespace.views.facts import render_facts
from kgfs.namespace.views.topics import render_topics
from kgfs.store.catalog.database import Cursor, Database
from kgfs.store.catalog.statements import WANTED, run_prepared
from kgfs.store.tree import pages as page_rows
from kgfs.store.tree.pages import RenderedPage

RENDERER = "7"
"""Raise it when a page of an unchanged row would look different: the next publish renders everything."""
BATCH = 2_000

Render = Callable[[Cursor, Sequence[int]], Iterator[RenderedPage]]
RENDERERS: dict[str, tuple[Render, tuple[str, ...], str]] = {
    "document": (render_documents, PAGE_VIEWS["documents"], "documents"),
    "chunk": (render_chunks, PAGE_VIEWS["chunks"], "chunks"),
    "fact": (render_facts, PAGE_VIEWS["facts"], "facts"),
    "entity": (render_entities, (*PAGE_VIEWS["entities"], "economic_data"), "entities"),
    "topic": (render_topics, PAGE_VIEWS["topics"], "topics"),
}
"""Kind to how its pages are rendered, their views, and the table of the kind."""


def publish(database: Database, *, anyway: bool = False) -> int:
    """Make the graph as it stands what the next snapshot shows; returns the generation. Cheap when nothing is stale.

    ``anyway`` makes it a new generation then too: stored files changed, and what was asked about them is asked again.
    """
    return database.write(lambda cursor: _publish(cursor, anyway))


def is_stale(cursor: Cursor) -> bool:
    """Whether there is something to publish: a start after a crash, or after an upgrade."""
    found = cursor.execute("SELECT 1 FROM stale LIMIT 1").fetchone()
    return found is not None or page_rows.read_meta(cursor, "renderer") != RENDERER


def _publish(cursor: Cursor, anyway: bool) -> int:
    before, _ = page_rows.generation(cursor)
    if page_rows.read_meta(cursor, "renderer") != RENDERER:
        stale = {kind: _all_ids(cursor, kind) for kind in RENDERERS}
    else:
        noted = page_rows.read_stale(cursor)
        if not any(noted.values()) and before and not anyway:
            return before  # (a source that came or went has no page, and yet is shown)
        stale = _follow(cursor, noted)
    for kind, (render, views, _) in RENDERERS.items():
        row_ids = stale.get(kind, [])
        first = len(row_ids) > BATCH and not page_rows.has_pages(cursor, views)
        for start in range(0, len(row_ids), BATCH):
            _render(cursor, render, views, row_ids[start : start + BATCH], first)
    page_rows.clear_stale(cursor)
    page_rows.write_meta(cursor, "renderer", RENDERER)
    page_rows.write_meta(cursor, "generation", str(before + 1))
    page_rows.write_meta(cursor, "published_us", str(time.time_ns() // 1000))
    return before + 1


def _all_ids(cursor: Cursor, kind: str) -> list[int]:
    """Every row of a kind, and every owner of a page of it, so that pages of rows that are gone go too."""
    _, views, table = RENDERERS[kind]
    rows = cursor.execute(
        f"SELECT id FROM {table} UNION SELECT owner_id FROM pages "
        "WHERE view IN (SELECT unnest($1::VARCHAR[])) ORDER BY 1",
        [list(views)],
    ).fetchall()
    return [row_id for (row_id,) in rows]


def _render(cursor: Cursor, render: Render, views: tuple[str, ...], row_ids: list[int], first: bool) -> None:
    """Replace the pages of a batch of rows; a page whose bytes are the same stays, so that nobody is told of it.

    ``first`` says that there are none yet, so that many need not be looked for.
    """
    old = {} if first else page_rows.existing_pages(cursor, views, row_ids)
    new = []
    for page in render(cursor, row_ids):
        key = (page.view, page.owner, page.name)
        known = old.get(key)
        if known is not None and known[1] == page.body:
            del old[key]
        else:
            new.append(page)
    page_rows.delete_pages(cursor, [page_id for page_id, _ in old.values()])
    # One view after the other: a walk over one kind of file then reads rows that lie together.
    page_rows.insert_pages(cursor, sorted(new, key=lambda page: views.index(page.view)))


# --- what follows from what is stale --------------------------------------------------------------------------------

_FOLLOWING: tuple[tuple[str, str, str], ...] = (
    ("document", "chunk", "SELECT c.id FROM chunks c JOIN wanted w ON w.id = document_id"),
    ("document", "fact", "SELECT f.id FROM facts f JOIN wanted w ON w.id = document_id"),
    ("document", "entity", "SELECT entity_id FROM entity_chunks JOIN wanted w ON w.id = document_id"),
    ("chunk", "document", "SELECT document_id FROM chunks JOIN wanted USING (id)"),
    ("chunk", "fact", "SELECT f.id FROM facts f JOIN wanted w ON w.id = chunk_id"),
    ("chunk", "entity", "SELECT entity_id FROM entity_chunks JOIN wanted w ON w.id = chunk_id"),
    ("chunk", "topic", "SELECT topic_id FROM chunk_topics JOIN wanted w ON w.id = chunk_id"),
    (
        "fact",
        "entity",
        "SELECT unnest([subject_id, object_id]) FROM facts JOIN wanted USING (id)",
    ),
    ("topic", "topic", "SELECT t.id FROM topics t JOIN wanted w ON w.id = parent_id"),
)
"""Kind that is stale, kind that is so too, and which rows of it. Each is followed once, in this order."""

_RENAMED: tuple[tuple[str, str], ...] = (
    ("fact", "SELECT f.id FROM facts f JOIN wanted w ON w.id = subject_id OR w.id = object_id"),
    (
        "entity",
        "SELECT b.entity_id FROM entity_chunks a JOIN wanted w ON w.id = a.entity_id "
        "JOIN entity_chunks b USING (chunk_id)",
    ),
    (
        "entity",
        "SELECT unnest([subject_id, object_id]) FROM facts f JOIN wanted w ON w.id = subject_id OR w.id = object_id",
    ),
    ("document", "SELECT document_id FROM entity_chunks JOIN wanted w ON w.id = entity_id"),
)
"""What shows an entity's name."""


def _follow(cursor: Cursor, stale: dict[str, list[int]]) -> dict[str, list[int]]:
    """The stale rows and those whose pages show something of them."""
    found = {kind: set(stale.get(kind, ())) for kind in RENDERERS}
    for kind, other, sql in _FOLLOWING:
        if stale.get(kind):
            found[other] |= _ids(cursor, sql, found[kind] if kind != "document" else set(stale[kind]))
    renamed = _renamed(cursor, sorted(found["entity"]))
    if renamed:
        for other, sql in _RENAMED:
            found[other] |= _ids(cursor, sql, renamed)
    return {kind: sorted(row_ids) for kind, row_ids in found.items()}


def _ids(cursor: Cursor, sql: str, row_ids: set[int]) -> set[int]:
    text = WANTED + sql
    rows = run_prepared(cursor, text, [sorted(row_ids)]).fetchall()
    return {row_id for (row_id,) in rows if row_id is not None}


def _renamed(cursor: Cursor, row_ids: list[int]) -> set[int]:
    """Those entities whose name, slug or type is another than when they were last rendered."""
    changed: set[int] = set()
    for start in range(0, len(row_ids), BATCH):
        batch = row_ids[start : start + BATCH]
        shown = {
            owner: msgspec.json.decode(body, type=prepared(_Shown))
            for (_, owner, _), (_, body) in page_rows.existing_pages(cursor, ["entity_metadata"], batch).items()
        }
        sql = (
            "WITH wanted AS (SELECT unnest($1::BIGINT[]) AS id) "
            "SELECT id, name, slug, type FROM entities JOIN wanted USING (id)"
        )
        for row_id, name, slug, kind in run_prepared(cursor, sql, [batch]).fetchall():
            before = shown.get(row_id)
            if before is not None and (before.name, before.slug, before.type) != (name, slug, kind):
                changed.add(row_id)
    return changed


class _Shown(msgspec.Struct):
    """What of an entity's metadata page other pages show too."""

    name: str
    slug: str
    type: str
