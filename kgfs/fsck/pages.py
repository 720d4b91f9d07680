"""Checks of pages: every row that is shown has its pages, they are as long as they say, and they are what the row
renders to.

Used by ``kgfs.fsck.run``. Where something waits to be published pages are behind, which is no damage: they are not
compared then. Nor are those of a document whose file was written or removed and has yet to be read: they say what its
file was.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from kgfs.fsck.findings import Check, Damage, Find
from kgfs.fsck.rebuilding import column, parse_again, suspect
from kgfs.namespace.domains import PAGE_VIEWS
from kgfs.namespace.publish import BATCH, RENDERERS, is_stale
from kgfs.store.catalog import dirty_rows
from kgfs.store.catalog.database import Cursor
from kgfs.store.files.changed_rows import UNPARSED
from kgfs.store.files.documents import IN
from kgfs.store.tree import pages as page_rows

_OWNERS = {"document": "id", "chunk": "document_id", "fact": "document_id"}
"""Kind to the column of its table that names the document that a row is made of."""
SAMPLE = 200
"""Rows of each kind whose pages are rendered again, where not all are."""

_KIND_OF = {view: kind for kind, (_, views, _) in RENDERERS.items() for view in views}


def _rows(cursor: Cursor) -> list[Damage]:
    """Pages of nothing, of no view, twice, or of another length than they say; and rows that lack one."""
    found = []
    known = ", ".join(f"'{view}'" for view in _KIND_OF)
    for row, view, owner in cursor.execute(
        f"SELECT rowid, view, owner_id FROM pages WHERE view NOT IN ({known}) ORDER BY rowid"
    ).fetchall():
        found.append(Damage(f"a page {view} of {owner}, which is no view", (row, None, None)))
    for row, view, owner in cursor.execute(
        "SELECT rowid, view, owner_id FROM pages QUALIFY size <> octet_length(body)"
        " OR row_number() OVER (PARTITION BY view, owner_id, name ORDER BY rowid) > 1"
        " OR row_number() OVER (PARTITION BY page_id ORDER BY rowid) > 1 ORDER BY rowid"
    ).fetchall():
        if view in _KIND_OF:
            found.append(Damage(f"{view} of {owner} has another length than it says, or is there twice",
                                (row, _KIND_OF[view], owner)))  # fmt: skip
    if is_stale(cursor):
        return found
    for kind, (_, views, table) in RENDERERS.items():
        for row, view, owner in cursor.execute(
            "SELECT rowid, view, owner_id FROM pages WHERE view IN (SELECT unnest(?::VARCHAR[]))"
            f" AND owner_id NOT IN (SELECT id FROM {table}) ORDER BY rowid",
            [list(views)],
        ).fetchall():
            found.append(Damage(f"{view} of {owner}, which is gone", (row, kind, owner)))
        for view in PAGE_VIEWS[table]:
            for owner in column(
                cursor,
                f"SELECT id FROM {table} WHERE id NOT IN (SELECT owner_id FROM pages WHERE view = ?) ORDER BY id",
                view,
            ):
                found.append(Damage(f"{kind} {owner} has no {view}", (None, kind, owner)))
    return found


def _render_again(cursor: Cursor, damages: Sequence[Damage]) -> None:
    cursor.execute(f"DELETE FROM pages WHERE rowid {IN}", [[d.key[0] for d in damages if d.key[0] is not None]])
    for kind in RENDERERS:
        dirty_rows.mark_dirty(cursor, kind, [damage.key[2] for damage in damages if damage.key[1] == kind])
    # A document of which only a page is left was lost, not removed.
    shown = [damage.key[2] for damage in damages if damage.key[1] == "document"]
    parse_again(cursor, set(shown) - set(column(cursor, f"SELECT id FROM documents WHERE id {IN}", shown)))


def _make_again(cursor: Cursor, damages: Sequence[Damage]) -> None:
    """Either the page is wrong or what it shows; the latter comes from a document, where it is of one."""
    _render_again(cursor, damages)
    for kind, owner in _OWNERS.items():
        numbers = [damage.key[2] for damage in damages if damage.key[1] == kind]
        suspect(cursor, column(cursor, f"SELECT {owner} FROM {RENDERERS[kind][2]} WHERE id {IN}", numbers))


def _contents(everything: bool) -> Find:
    def find_damages(cursor: Cursor) -> list[Damage]:
        if is_stale(cursor):
            return []
        found = []
        for kind, (render, views, table) in RENDERERS.items():
            numbers = column(cursor, f"SELECT id FROM {table} ORDER BY id")
            if not everything and len(numbers) > SAMPLE:
                numbers = [numbers[place * len(numbers) // SAMPLE] for place in range(SAMPLE)]
            for start in range(0, len(numbers), BATCH):
                run = numbers[start : start + BATCH]
                old = {key: body for key, (_, body) in page_rows.existing_pages(cursor, views, run).items()}
                wrong = set()
                for page in render(cursor, run):
                    if old.pop((page.view, page.owner, page.name), None) != page.body:
                        wrong.add((page.view, page.owner))
                wrong |= {(view, owner) for view, owner, _ in old}
                behind = _behind(cursor, kind, {owner for _, owner in wrong})
                wrong = {(view, owner) for view, owner in wrong if owner not in behind}
                found += [Damage(f"{view} of {kind} {owner}", (None, kind, owner)) for view, owner in sorted(wrong)]
        return found

    return find_damages


def _behind(cursor: Cursor, kind: str, row_ids: Collection[int]) -> set[int]:
    """Those of these rows whose document is of a file that waits to be read, or to go."""
    if kind not in _OWNERS or not row_ids:
        return set()
    waiting = f"SELECT id FROM context_items WHERE {UNPARSED} UNION ALL SELECT item_id FROM removed_items"
    behind = f"SELECT id FROM {RENDERERS[kind][2]} WHERE id {IN} AND {_OWNERS[kind]} IN ({waiting})"
    return set(column(cursor, behind, sorted(row_ids)))


def checks(everything: bool) -> tuple[Check, ...]:
    """The checks of pages; ``everything`` renders all rows again, not a sample of them."""
    return (
        Check(
            "pages",
            "Every row that is shown has all its pages, each once, as long as they say.",
            "The page is rendered again.",
            _rows,
            _render_again,
        ),
        Check(
            "what pages say",
            "A page is what its row renders to now.",
            "The row is rendered again, and the document that it was made from is read again.",
            _contents(everything),
            _make_again,
            quick=False,
        ),
    )
