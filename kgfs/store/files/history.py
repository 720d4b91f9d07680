"""Versions of stored files: what a write or a removal replaced.

Used by the drives, on the store's writer thread (``keep_version``, ``prune_versions``, ``move_history``,
``purge_history``) and by readers, with a cursor. A version belongs to a ref, not to an item: the history of a
path survives a removal (design, section 2.4).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import NamedTuple

import msgspec

from kgfs.errors import NotFoundError
from kgfs.store.catalog.database import Cursor
from kgfs.store.catalog.inserts import take_ids
from kgfs.store.catalog.statements import run_prepared
from kgfs.store.files.documents import IN
from kgfs.store.files.items import now, read_item
from kgfs.store.files.staging import RUN_BLOCKS, move_blocks

VERSIONS_KEPT = 20
DAYS_KEPT = 30

NewId = Callable[[Cursor], int]
"""Gives an id of the counter ``item`` that nothing has, inside a transaction."""


def one_id(cursor: Cursor) -> int:
    """A ``NewId`` that asks the store; the drives have some at hand, which saves a statement."""
    return take_ids(cursor, "item", 1)[0]


class HeldItem(NamedTuple):
    """What an item holds now, without the body."""

    ref: str
    size: int
    hash: str | None
    apart: bool
    """Whether the body lies in blocks (or there is none, as of a directory)."""


def held_items(cursor: Cursor, *item_ids: int) -> dict[int, HeldItem]:
    """What these items hold, few of them; ``NotFoundError`` where one is gone."""
    which = "= ?" if len(item_ids) == 1 else f"IN ({', '.join('?' for _ in item_ids)})"
    rows = run_prepared(
        cursor,
        "SELECT id, ref, size, hash, content IS NULL AND content_blob IS NULL FROM context_items WHERE id " + which,
        item_ids,
    ).fetchall()
    if len(rows) < len(item_ids):
        raise NotFoundError("This file is gone.")
    return {row[0]: HeldItem(*row[1:]) for row in rows}


class Version(msgspec.Struct, frozen=True, kw_only=True):
    """A version without its body."""

    id: int
    ref: str
    number: int
    item_id: int
    mime_type: str | None
    is_textual: bool
    size: int
    hash: str
    mode: int
    mtime_us: int
    """When this content had been written."""
    replaced_us: int
    """When something else took its place."""


_FIELDS = "id, ref, number, item_id, mime_type, is_textual, size, hash, mode, mtime_us, epoch_us(replaced_at)"


def keep_version(
    cursor: Cursor, item_id: int, of: HeldItem | None = None, *, kept: int = VERSIONS_KEPT, new_id: NewId = one_id
) -> int:
    """Make what an item holds now a version of its ref; beyond ``kept`` the oldest go. Returns its number. ``of`` is
    what ``held_items`` says of the item, where that was asked already.

    A body in blocks is handed over, not copied: the item has none after this, and must be given another or go. Nothing
    is no version (0 is returned): a shell that redirects into a file empties it for a moment.
    """
    # Some small statements: each of these in one would be planned for longer than all of them take.
    of = of or held_items(cursor, item_id)[item_id]
    if of.size == 0:
        return 0
    others = run_prepared(cursor, "SELECT number, id FROM item_versions WHERE ref = ?", [of.ref]).fetchall()
    number = 1 + max((int(row[0]) for row in others), default=0)
    version_id = new_id(cursor)
    run_prepared(
        cursor,
        "INSERT INTO item_versions SELECT ?, ref, ?, id, mime_type, content, content_blob, is_textual, size, hash,"
        " mode, coalesce(mtime_us, source_mtime_ns // 1000, epoch_us(updated_at)), ? FROM context_items WHERE id = ?",
        [version_id, number, now(), item_id],
    )
    if of.apart:
        move_blocks(cursor, item_id, version_id)
    _delete(cursor, [row[1] for row in sorted([*others, (number, version_id)], reverse=True)[kept:]])
    return number


def prune_versions(cursor: Cursor, *, days: float = DAYS_KEPT) -> int:
    """Delete the versions that were replaced longer ago; returns how many."""
    old = cursor.execute(
        "SELECT id FROM item_versions WHERE replaced_at < ?", [now() - timedelta(days=days)]
    ).fetchall()
    _delete(cursor, [row[0] for row in old])
    return len(old)


def move_history(cursor: Cursor, ref: str, to: str) -> None:
    """The file at ``ref`` is at ``to`` now, and its history with it, behind what had been there."""
    rows = run_prepared(cursor, "SELECT ref, number FROM item_versions WHERE ref = ? OR ref = ?", [ref, to]).fetchall()
    highest: dict[str, int] = {}
    for found, number in rows:
        highest[found] = max(highest.get(found, 0), number)
    if ref in highest:
        cursor.execute(
            "UPDATE item_versions SET ref = ?, number = number + ? WHERE ref = ?", [to, highest.get(to, 0), ref]
        )


def purge_history(cursor: Cursor, refs: Sequence[str]) -> int:
    """Erase the history of these refs for good; returns how many versions there were."""
    rows = cursor.execute(
        "SELECT id FROM item_versions WHERE ref IN (SELECT unnest(?::VARCHAR[]))", [list(refs)]
    ).fetchall()
    _delete(cursor, [row[0] for row in rows])
    return len(rows)


def _delete(cursor: Cursor, version_ids: list[int]) -> None:
    if not version_ids:
        return
    cursor.execute(f"DELETE FROM blocks WHERE item_id {IN}", [version_ids])
    cursor.execute(f"DELETE FROM item_versions WHERE id {IN}", [version_ids])


def versions(cursor: Cursor, ref: str) -> list[Version]:
    """The versions of a ref, oldest first."""
    rows = cursor.execute(f"SELECT {_FIELDS} FROM item_versions WHERE ref = ? ORDER BY number", [ref]).fetchall()
    return [_version(row) for row in rows]


def drives_with_versions(cursor: Cursor) -> list[str]:
    """The drives that have versions."""
    rows = cursor.execute("SELECT DISTINCT split_part(ref, ':', 1) FROM item_versions ORDER BY 1").fetchall()
    return [row[0] for row in rows]


def refs_with_versions(cursor: Cursor, ref_prefix: str) -> list[str]:
    """The refs that begin so and have versions, sorted."""
    rows = cursor.execute(
        "SELECT DISTINCT ref FROM item_versions WHERE starts_with(ref, ?) ORDER BY ref", [ref_prefix]
    ).fetchall()
    return [row[0] for row in rows]


def versions_beneath(cursor: Cursor, ref_prefix: str) -> list[Version]:
    """The versions of all refs that begin so, in order of ref and number."""
    rows = cursor.execute(
        f"SELECT {_FIELDS} FROM item_versions WHERE starts_with(ref, ?) ORDER BY ref, number", [ref_prefix]
    ).fetchall()
    return [_version(row) for row in rows]


def _version(row: tuple[object, ...]) -> Version:
    return Version(**dict(zip(Version.__struct_fields__, row, strict=True)))  # type: ignore[arg-type]


def read_version(cursor: Cursor, version_id: int, offset: int = 0, length: int | None = None) -> bytes | None:
    """The bytes of a version, as ``items.read_item``."""
    return read_item(cursor, version_id, offset, length, table="item_versions")


def restore_blocks(cursor: Cursor, version_id: int, item_id: int) -> None:
    """Copy the blocks of a version to an item that has none; some at a time, since the engine puts all that one
    statement copies into one vector, and sorts another."""
    (row,) = cursor.execute("SELECT coalesce(max(ordinal), -1) FROM blocks WHERE item_id = ?", [version_id]).fetchall()
    for first in range(0, int(row[0]) + 1, RUN_BLOCKS):
        cursor.execute(
            "INSERT INTO blocks SELECT ?, ordinal, data FROM blocks WHERE item_id = ? AND ordinal BETWEEN ? AND ?",
            [item_id, version_id, first, first + RUN_BLOCKS - 1],
        )
