"""Large bodies on their way into the catalog: written block by block before the item that they belong to has its row.

Used by the text pass and by the drives. No transaction holds more than some blocks, so that memory stays small; an item
appears with its whole body, in the transaction that writes its row. What a killed process left is swept away by the
next run.
"""

from __future__ import annotations

import codecs
import weakref
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, wait

import msgspec
import xxhash

from kgfs.store.catalog.database import Cursor, Database
from kgfs.store.catalog.inserts import insert, take_ids

_under_way: set[int] = set()
"""Ids under which this process stages bodies: no sweep takes them."""
_given_up: weakref.WeakKeyDictionary[Database, set[int]] = weakref.WeakKeyDictionary()
"""Ids whose blocks could not be deleted: a disk that was too full to take the body takes no deletion either."""

RUN_BLOCKS = 8
"""Blocks that one transaction writes."""


class StagedBody(msgspec.Struct, frozen=True):
    """A body whose blocks are in the catalog already."""

    id: int
    """The item id that they stand under: that of no item yet."""
    size: int
    hash: str
    is_textual: bool


class BodyDigest:
    """What is told of a body that comes in blocks: its size, its hash, whether it is text."""

    def __init__(self) -> None:
        self._hash = xxhash.xxh3_128()
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._textual = True
        self.size = 0

    def update(self, block: bytes) -> None:
        self._hash.update(block)
        self.size += len(block)
        if self._textual:
            self._decode(block, final=False)

    def _decode(self, block: bytes, final: bool) -> None:
        try:
            self._decoder.decode(block, final)
        except UnicodeDecodeError:
            self._textual = False
        else:
            self._textual = b"\0" not in block

    def hash(self) -> str:
        """As ``kgfs.store.files.items.hash_body`` has it."""
        return self._hash.hexdigest()

    def is_textual(self) -> bool:
        """Whether all of it is UTF-8 without NUL; asked at the end."""
        if self._textual:
            self._decode(b"", final=True)
        return self._textual


def stage_body(database: Database, blocks: Iterable[bytes]) -> StagedBody:
    """Put a body that comes in blocks of ``items.BLOCK_BYTES`` into the catalog, some at a time (blocks; any thread but
    the writer's). What it raises leaves nothing behind."""
    staged_id = database.write(begin_staging)
    for left in list(_given_up.get(database, ())):
        release_staged(database, left)
    digest = BodyDigest()
    waiting: list[bytes] = []
    first = 0
    try:
        for block in blocks:
            digest.update(block)
            waiting.append(block)
            if len(waiting) == RUN_BLOCKS:
                _put(database, staged_id, first, waiting)
                first += len(waiting)
                waiting = []
        if waiting:
            _put(database, staged_id, first, waiting)
    except BaseException:
        wait([release_staged(database, staged_id)])
        raise
    return StagedBody(staged_id, digest.size, digest.hash(), digest.is_textual())


def _put(database: Database, staged_id: int, first: int, blocks: Sequence[bytes]) -> None:
    database.write(lambda cursor: put_blocks(cursor, staged_id, first, blocks))


def begin_staging(cursor: Cursor) -> int:
    """The id under which to put blocks."""
    (staged_id,) = take_ids(cursor, "item", 1)
    hold_staged(staged_id)
    return staged_id


def hold_staged(staged_id: int) -> None:
    """Keep the sweep from the blocks under an id that was chosen elsewhere; no item may ever have it."""
    _under_way.add(staged_id)


def release_staged(database: Database, staged_id: int) -> Future[None]:
    """Have the blocks deleted of a body that will not be kept (any thread): soon, or where the disk is too full,
    when the next body is staged."""

    def ended(done: Future[None]) -> None:
        # On the writer's thread, or on the caller's when it was done before.
        left = _given_up.setdefault(database, set())
        if done.exception() is None:
            left.discard(staged_id)
        else:
            left.add(staged_id)

    future = database.write_soon(lambda cursor: discard_staged(cursor, staged_id))
    future.add_done_callback(ended)
    return future


def put_blocks(cursor: Cursor, staged_id: int, first: int, blocks: Sequence[bytes]) -> None:
    """Add blocks from ordinal ``first`` on; all but the body's last are of ``items.BLOCK_BYTES``."""
    count = len(blocks)
    insert(
        cursor,
        "blocks",
        {"item_id": [staged_id] * count, "ordinal": list(range(first, first + count)), "data": list(blocks)},
    )


def give_blocks(cursor: Cursor, staged_id: int, item_id: int) -> None:
    """Make the blocks those of an item that has none."""
    _under_way.discard(staged_id)
    if staged_id != item_id:
        move_blocks(cursor, staged_id, item_id)


def move_blocks(cursor: Cursor, from_id: int, to_id: int) -> None:
    """Make the blocks of one id those of another, which has none."""
    cursor.execute("UPDATE blocks SET item_id = ? WHERE item_id = ?", [to_id, from_id])


def discard_staged(cursor: Cursor, staged_id: int) -> None:
    """Forget the blocks."""
    _under_way.discard(staged_id)
    cursor.execute("DELETE FROM blocks WHERE item_id = ?", [staged_id])


def under_way() -> list[int]:
    """The ids under which this process stages bodies now."""
    return sorted(_under_way)


def sweep_staged(cursor: Cursor) -> None:
    """Delete the blocks that belong to no item or version and that nobody in this process is staging."""
    cursor.execute(
        "DELETE FROM blocks WHERE item_id NOT IN (SELECT id FROM context_items UNION ALL SELECT id FROM item_versions"
        " UNION ALL SELECT unnest(?::BIGINT[]))",
        [under_way()],
    )
