"""What a transaction touched: rows to render again (``stale``) and ids to take out of the search index (``removals``).

Used by whatever writes graph rows, inside its transaction; read and cleared by publishing and by the pipeline.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kgfs.store.catalog.database import Cursor
from kgfs.store.catalog.inserts import insert


def mark_dirty(cursor: Cursor, kind: str, row_ids: Iterable[int]) -> None:
    """Note that what the tree shows of these rows may have changed (``document chunk entity topic fact``)."""
    numbers = sorted(set(row_ids))
    insert(cursor, "stale", {"kind": [kind] * len(numbers), "id": numbers})


def mark_removed(cursor: Cursor, kind: str, row_ids: Iterable[int]) -> None:
    """Note that these rows are deleted: their pages and their place in the search index go too."""
    numbers = sorted(set(row_ids))
    insert(cursor, "removals", {"kind": [kind] * len(numbers), "id": numbers})
    mark_dirty(cursor, kind, numbers)


def pending_removals(cursor: Cursor) -> dict[str, list[int]]:
    """What the search index has yet to forget, by kind."""
    found: dict[str, list[int]] = {}
    for kind, row_id in cursor.execute("SELECT DISTINCT kind, id FROM removals ORDER BY kind, id").fetchall():
        found.setdefault(kind, []).append(row_id)
    return found


def confirm_removals(cursor: Cursor, kind: str, row_ids: Sequence[int]) -> None:
    """The search index has confirmed that these are gone."""
    cursor.execute("DELETE FROM removals WHERE kind = ? AND id IN (SELECT unnest(?::BIGINT[]))", [kind, list(row_ids)])
