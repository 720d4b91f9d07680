"""A whole committed body, some blocks at a time: what is copied, restored, set aside, or loaded to be changed.

Used by the drives, on any thread but the writer's. When a large body is read in one read, the engine keeps all of it
until that read ends. Here each piece is a read of its own, so that the engine rests in between (``Database.passed``).
"""

from __future__ import annotations

from collections.abc import Iterator

from kgfs.errors import ChangedError, NotFoundError, StoreError
from kgfs.store.catalog.database import Cursor, Database
from kgfs.store.catalog.statements import run_prepared
from kgfs.store.files import items
from kgfs.store.files.items import BLOCK_BYTES

PIECE_BYTES = 8 * BLOCK_BYTES
ITEMS, VERSIONS = "context_items", "item_versions"
_GONE = "It went while it was read; nothing was written."


def body_pieces(database: Database, row_id: int, table: str = ITEMS) -> Iterator[bytes]:
    """The bytes of one state of a row of ``ITEMS`` or ``VERSIONS``, at most ``PIECE_BYTES`` at a time; an empty body
    has no piece. ``ChangedError`` where another body came meanwhile, ``NotFoundError`` where it went, ``StoreError``
    where blocks of it are missing."""
    offset, size = 0, None
    body_hash: str | None = None
    while size is None or offset < size:
        with database.read(snapshot=True) as cursor:
            row = run_prepared(cursor, f"SELECT size, hash FROM {table} WHERE id = ?", [row_id]).fetchone()
            part = items.read_item(cursor, row_id, offset, PIECE_BYTES, table=table)
        if row is None or part is None:
            raise NotFoundError(_GONE)
        if size is None:
            size, body_hash = row
        elif (size, body_hash) != row:
            raise ChangedError("Somebody writes to it; nothing was changed.")
        if len(part) != min(PIECE_BYTES, size - offset):
            raise StoreError("Its body is damaged; `kgfs fsck` says more, nothing was changed.")
        if part:
            yield part
        offset += len(part)
        database.passed(len(part))


def body_pieces_in(cursor: Cursor, row_id: int, table: str = ITEMS) -> Iterator[bytes]:
    """The same in one read, or inside of a transaction: whatever is written meanwhile, it comes to an end."""
    offset = 0
    while part := items.read_item(cursor, row_id, offset, PIECE_BYTES, table=table):
        yield part
        offset += len(part)
    if part is None:
        raise NotFoundError(_GONE)
