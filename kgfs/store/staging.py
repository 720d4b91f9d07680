"""Large bodies on their way into the catalog: written block by block before the item that they belong to has its row.

Used by the text pass. No transaction holds more than some blocks, so that memory stays small; an item appears with its
whole body, in the transaction that writes its row. What a killed process left is swept away by the next run.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kgfs.store.database import Cursor, ids, insert

_under_way: set[int] = set()
"""Ids under which this process stages bodies: no sweep takes them."""

RUN_BLOCKS = 8
"""Blocks that one transaction writes."""


class StagedBody(msgspec.Struct, frozen=True):
    """A body whose blocks are in the catalog already."""

    id: int
    """The item id that they stand under: that of no item yet."""
    size: int
    hash: str
    is_textual: bool


def begin(cursor: Cursor) -> int:
    """The id under which to put blocks."""
    (staged_id,) = ids(cursor, "item", 1)
    _under_way.add(staged_id)
    return staged_id


def put(cursor: Cursor, staged_id: int, first: int, blocks: Sequence[bytes]) -> None:
    """Add blocks from ordinal ``first`` on; all but the body's last are of ``items.BLOCK_BYTES``."""
    count = len(blocks)
    insert(
        cursor,
        "blocks",
        {"item_id": [staged_id] * count, "ordinal": list(range(first, first + count)), "data": list(blocks)},
    )


def give(cursor: Cursor, staged_id: int, item_id: int) -> None:
    """Make the blocks those of an item that has none."""
    _under_way.discard(staged_id)
    if staged_id != item_id:
        cursor.execute("UPDATE blocks SET item_id = ? WHERE item_id = ?", [item_id, staged_id])


def discard(cursor: Cursor, staged_id: int) -> None:
    """Forget the blocks."""
    _under_way.discard(staged_id)
    cursor.execute("DELETE FROM blocks WHERE item_id = ?", [staged_id])


def sweep(cursor: Cursor) -> None:
    """Delete the blocks that belong to no item or version and that nobody in this process is staging."""
    cursor.execute(
        "DELETE FROM blocks WHERE item_id NOT IN (SELECT id FROM context_items UNION ALL SELECT id FROM item_versions"
        " UNION ALL SELECT unnest(?::BIGINT[]))",
        [sorted(_under_way)],
    )
