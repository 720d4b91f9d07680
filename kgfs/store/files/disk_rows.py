"""What a drive's files on the disk have yet to hear of their rows: bodies that were written here, names that went.

Used by the service's writing back, on its own thread and on the store's writer thread. What is to be written stands in
the items themselves: a body whose hash is not that of the file. What went is noted in the transaction that took it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar

import msgspec

from kgfs.model import prepared
from kgfs.store.catalog.database import Cursor
from kgfs.store.catalog.inserts import value_table
from kgfs.store.files import sources
from kgfs.store.files.documents import IN
from kgfs.store.files.items import DIRECTORY, FILELESS, hash_body

T = TypeVar("T")

DRIVE = "disk"
_NOTED = "write_back_gone:"
"""How the keys in ``meta`` begin that have a path behind."""


class UnwrittenRow(NamedTuple):
    """A row whose body its file does not have."""

    id: int
    path: str
    ref: str
    size: int
    hash: str
    source_hash: str | None
    """Of what the file held when it was last known; ``None`` for one that was made here."""
    mode: int


class LeftFile(msgspec.Struct, frozen=True):
    """What a file held whose row went or has another name now."""

    hash: str
    noted: float
    """Seconds since 1970."""


# --- what is to be written -----------------------------------------------------------------------------------------


def unwritten_rows(cursor: Cursor) -> list[UnwrittenRow]:
    """The files that were written here since their files were read or written, in order of path."""
    rows = cursor.execute(
        "SELECT id, path, ref, size, hash, source_hash, mode FROM context_items"
        " WHERE drive = ? AND mime_type IS DISTINCT FROM ? AND mime_type IS DISTINCT FROM ?"
        " AND (source_hash <> hash OR (source_hash IS NULL AND source_mtime_ns IS NULL)) ORDER BY path",
        [DRIVE, *FILELESS],
    ).fetchall()
    return [UnwrittenRow(*row) for row in rows]


def note_written(cursor: Cursor, row: UnwrittenRow, mtime_ns: int, mode: int, read_ns: int, source_id: int) -> None:
    """The file has what the row held when ``unwritten_rows`` read it. Where the row went meanwhile, or has another
    name, the file has yet to follow."""
    cursor.execute(
        "UPDATE context_items SET source_hash = ?, source_mtime_ns = ?, mode = ?, source_read_ns = ?,"
        " source_id = coalesce(source_id, ?) WHERE id = ? AND ref = ?",
        [row.hash, mtime_ns, mode, read_ns, source_id, row.id, row.ref],
    )
    if cursor.execute("SELECT 1 FROM context_items WHERE id = ? AND ref = ?", [row.id, row.ref]).fetchall():
        sources.note_members(cursor, source_id, DRIVE, [row.path])
    else:
        _note_gone(cursor, {row.path: row.hash})


# --- what went -----------------------------------------------------------------------------------------------------


def left_files(cursor: Cursor) -> dict[str, LeftFile]:
    """Path to what its file held, of the rows that went or were moved and whose files have yet to follow."""
    rows = cursor.execute("SELECT key, value FROM meta WHERE starts_with(key, ?) ORDER BY key", [_NOTED]).fetchall()
    return {key.removeprefix(_NOTED): msgspec.json.decode(value, type=prepared(LeftFile)) for key, value in rows}


def _note_gone(cursor: Cursor, held: Mapping[str, str]) -> None:
    """These files held this when their rows went."""
    moment = time.time()
    with value_table(cursor, "noted", _notes({path: LeftFile(body_hash, moment) for path, body_hash in held.items()})):
        cursor.execute("INSERT OR REPLACE INTO meta SELECT key, value FROM noted")


def forget_left(cursor: Cursor, files: Mapping[str, LeftFile]) -> None:
    """These files followed, or will not; what was noted since is not forgotten."""
    with value_table(cursor, "followed", _notes(files)):
        cursor.execute("DELETE FROM meta WHERE (key, value) IN (SELECT (key, value) FROM followed)")


def _notes(files: Mapping[str, LeftFile]) -> dict[str, tuple[str, Sequence[str]]]:
    return {
        "key": ("VARCHAR", [f"{_NOTED}{path}" for path in files]),
        "value": ("VARCHAR", [msgspec.json.encode(one).decode() for one in files.values()]),
    }


def has_row(cursor: Cursor, path: str) -> bool:
    """Whether a file has this path now."""
    rows = cursor.execute(
        "SELECT 1 FROM context_items WHERE ref = ? AND mime_type IS DISTINCT FROM ?", [f"{DRIVE}:{path}", DIRECTORY]
    ).fetchall()
    return bool(rows)


def is_kept(cursor: Cursor, body_hash: str) -> bool:
    """Whether the store has this body, as a file or as a version of one. Of nothing there are no versions."""
    if body_hash == hash_body(b""):
        return True
    sql = "SELECT 1 FROM context_items WHERE hash = $1 UNION ALL SELECT 1 FROM item_versions WHERE hash = $1 LIMIT 1"
    return bool(cursor.execute(sql, [body_hash]).fetchall())


def noting(refs: Sequence[str], work: Callable[[Cursor], T]) -> Callable[[Cursor], T]:
    """``work``, which removes or moves what is at these refs, and in the same transaction a note of each file whose row
    went: what it held. A row that has another path now is one that was made here."""
    places = [ref.removeprefix(f"{DRIVE}:") for ref in refs if ref.startswith(f"{DRIVE}:")]

    def noted(cursor: Cursor) -> T:
        before = {row[0]: row for place in places for row in _read_at(cursor, place)}
        result = work(cursor)
        after = {row[0]: row for place in places for row in _read_at(cursor, place)}
        rows = cursor.execute(
            f"SELECT id, drive, path FROM context_items WHERE id {IN}", [[row[1] for row in before.values()]]
        ).fetchall()
        now = {number: (drive, path) for number, drive, path in rows}
        left = {path: row for path, row in before.items() if now.get(row[1]) != (DRIVE, path)}
        # A row that says of another file what it holds: one that has this name now, or what was set aside.
        others = {row[1] for row in left.values() if row[1] in now}
        others |= {row[1] for path, row in after.items() if path not in before or before[path][1] != row[1]}
        if others:
            cursor.execute(
                "UPDATE context_items SET source_hash = NULL, mtime_us = coalesce(mtime_us, source_mtime_ns // 1000),"
                f" source_mtime_ns = NULL, source_read_ns = NULL WHERE id {IN}",
                [sorted(others)],
            )
        if left:
            _note_gone(cursor, {path: row[2] for path, row in left.items()})
        return result

    return noted


def _read_at(cursor: Cursor, path: str) -> list[tuple[str, int, str]]:
    """Path, id and what the file held, of the files at and beneath a path that came from the disk."""
    return cursor.execute(
        "SELECT path, id, source_hash FROM context_items WHERE drive = $1 AND source_hash IS NOT NULL"
        " AND mime_type IS DISTINCT FROM $2 AND (path = $3 OR starts_with(path, $3 || '/'))",
        [DRIVE, DIRECTORY, path],
    ).fetchall()


__all__ = [
    "DRIVE",
    "LeftFile",
    "UnwrittenRow",
    "forget_left",
    "has_row",
    "is_kept",
    "left_files",
    "note_written",
    "noting",
    "unwritten_rows",
]  # fmt: skip
