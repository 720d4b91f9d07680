"""Context rows: the stored files that everything else is made from, and their bodies.

Used by the pipeline (writes, on the store's writer thread) and the namespace (reads, on any thread). Functions take a
cursor of ``Database.write`` or ``Database.read``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from operator import itemgetter
from typing import Any

import msgspec
import xxhash

from kgfs.model import prepared
from kgfs.store.catalog.database import Cursor
from kgfs.store.catalog.inserts import insert, insert_rows, take_ids, value_table
from kgfs.store.catalog.statements import run_prepared
from kgfs.store.files import staging
from kgfs.store.files.staging import StagedBody

GROUP = 1
"""The one graph of a store, for now."""

BLOCK_BYTES = 1024 * 1024
"""Bodies above this lie in blocks of this size (design, section 2.4)."""

DIRECTORY = "inode/directory"
"""The media type of a row that is a directory: it has no body, and no generation of it is indexed."""

SYMLINK = "inode/symlink"
"""The media type of a row that is a symbolic link: its body is the target, byte for byte, and it is never read as a
document."""
FILELESS = (DIRECTORY, SYMLINK)
"""Rows that hold no file."""

_ESCAPE_LIKE = re.compile("%(?=25|[89A-Fa-f][0-9A-Fa-f])")
_ESCAPE = re.compile("%(25|[89A-Fa-f][0-9A-Fa-f])")


class NewItem(msgspec.Struct, kw_only=True):
    """A file as it is about to be stored."""

    drive: str
    path: str
    body: bytes = b""
    staged: StagedBody | None = None
    """In place of ``body``: one whose blocks are in the catalog already."""
    title: str = ""
    mime_type: str = "application/octet-stream"
    mode: int = 0o644
    source_id: int | None = None
    source_mtime_ns: int | None = None
    source_read_ns: int | None = None
    """When the body was read, in nanoseconds since 1970: before it was, so that a write meanwhile is later."""
    source_url: str | None = None
    error: str | None = None
    notes: list[str] = []


class KnownFile(msgspec.Struct, frozen=True):
    """What tells whether a file has changed since it was stored."""

    id: int
    path: str
    size: int
    mtime_ns: int | None
    hash: str
    error: str | None
    source_hash: str | None = None
    """Of the bytes that were read; ``None`` in a row that no file was read for."""
    read_ns: int | None = None

    @property
    def edited(self) -> bool:
        """Whether the row was changed here since its file was read."""
        return self.source_hash is not None and self.source_hash != self.hash

    @property
    def made_here(self) -> bool:
        """Whether no file was ever read for the row."""
        return self.source_hash is None and self.mtime_ns is None

    @property
    def racy(self) -> bool:
        """Whether the file may have been written again, after it was read, within one tick of its clock."""
        if self.read_ns is None or self.mtime_ns is None:
            return False
        # Whole seconds come from file systems that keep no more (FAT has two of them).
        tick = 2_000_000_000 if self.mtime_ns % 1_000_000_000 == 0 else 50_000_000
        return self.read_ns - self.mtime_ns < tick


KNOWN_FIELDS = "id, path, size, source_mtime_ns, hash, error, source_hash, source_read_ns"
"""SQL: the columns of a ``KnownFile``."""


class Item(msgspec.Struct, kw_only=True):
    """A context row without its body."""

    id: int
    drive: str
    path: str
    ref: str
    title: str
    mime_type: str
    is_textual: bool
    size: int
    hash: str
    """Empty for a directory."""
    mode: int
    source_mtime_ns: int | None
    want_gen: int
    have_gen: int
    extracted_gen: int
    error: str | None


_ITEM_FIELDS = (
    "id, drive, path, ref, title, mime_type, is_textual, size, coalesce(hash, ''), mode, source_mtime_ns, want_gen,"
    " have_gen, extracted_gen, error"
)


def now() -> datetime:
    """The present in UTC, as the TIMESTAMP columns hold it."""
    return datetime.now(UTC).replace(tzinfo=None)


def row_path(path: str | os.PathLike[str]) -> str:
    """The path of a file of the host as a row has it: text, one to one with the file's bytes.

    Bytes that are not UTF-8 become ``%XX``; a ``%`` stays itself except where it would then read as such an escape.
    """
    text = os.fspath(path)
    if "%" in text:
        text = _ESCAPE_LIKE.sub("%25", text)
    try:
        text.encode("utf-8")
        return text
    except UnicodeEncodeError:  # bytes that are no UTF-8, as Python holds them
        pass
    return "".join(f"%{ord(char) - 0xDC00:02X}" if 0xDC80 <= ord(char) <= 0xDCFF else char for char in text)


def host_path(path: str) -> str:
    """The file of the host that a row's path came from: the inverse of ``row_path``."""
    raw = _ESCAPE.sub(lambda match: "%" if match[1] == "25" else chr(0xDC00 + int(match[1], 16)), path)
    return os.fsdecode(os.fsencode(raw))


def ref(drive: str, path: str) -> str:
    """The unique key and display form of an item: ``disk:/home/ann/notes.md``."""
    return f"{drive}:{path}"


def hash_body(body: bytes) -> str:
    """The hash that tells whether a body changed."""
    return xxhash.xxh3_128_hexdigest(body)


# --- writing -------------------------------------------------------------------------------------------------------


def put_item(cursor: Cursor, item: NewItem) -> int:
    """Insert or replace the row of ``(drive, path)`` with its body; its ``want_gen`` rises. Returns its id."""
    return put_items(cursor, [item])[0]


def put_items(cursor: Cursor, given_items: Sequence[NewItem]) -> list[int]:
    """Insert or replace rows with their bodies, each of another path; new ones all at once. Returns their ids."""
    refs = [ref(item.drive, item.path) for item in given_items]
    rows = cursor.execute(
        "SELECT ref, id FROM context_items WHERE ref IN (SELECT unnest(?::VARCHAR[]))"
        if len(refs) > 1
        else "SELECT ref, id FROM context_items WHERE ref = ?",
        [refs if len(refs) > 1 else refs[0]],
    ).fetchall()
    known = dict(rows)
    free = iter(
        take_ids(
            cursor,
            "item",
            sum(name not in known and not item.staged for name, item in zip(refs, given_items, strict=True)),
        )
    )
    found: list[int] = []
    new: list[dict[str, Any]] = []
    blocks: dict[str, list[Any]] = {"item_id": [], "ordinal": [], "data": []}
    for reference, item in zip(refs, given_items, strict=True):
        values = _values(item)
        if reference in known:
            item_id = int(known[reference])
            assignments = ", ".join(f"{name} = ?" for name in values)
            cursor.execute(
                f"UPDATE context_items SET {assignments}, want_gen = want_gen + 1, parsed_gen = want_gen + 1,"
                " mtime_us = NULL WHERE id = ?",
                [*values.values(), item_id],
            )
            cursor.execute("DELETE FROM blocks WHERE item_id = ?", [item_id])
        else:
            item_id = item.staged.id if item.staged is not None else next(free)
            row = {"id": item_id, "group_id": GROUP, "drive": item.drive, "path": item.path, "ref": reference}
            state = {"want_gen": 1, "parsed_gen": 1, "have_gen": 0, "extracted_gen": 0}
            new.append({**row, **values, **state, "created_at": values["updated_at"]})
        found.append(item_id)
        if item.staged is not None:
            staging.give_blocks(cursor, item.staged.id, item_id)
        elif len(item.body) > BLOCK_BYTES:
            parts = [item.body[start : start + BLOCK_BYTES] for start in range(0, len(item.body), BLOCK_BYTES)]
            blocks["item_id"] += [item_id] * len(parts)
            blocks["ordinal"] += range(len(parts))
            blocks["data"] += parts
    insert_rows(cursor, "context_items", new)
    insert(cursor, "blocks", blocks)
    return found


def _values(item: NewItem) -> dict[str, Any]:
    """The columns that a new body sets."""
    staged = item.staged
    text = text_of(item.body) if staged is None else None
    inline = staged is None and len(item.body) <= BLOCK_BYTES
    body_hash = staged.hash if staged is not None else hash_body(item.body)
    return {
        "title": item.title,
        "mime_type": item.mime_type,
        "content": text if inline else None,
        "content_blob": item.body if inline and text is None else None,
        "is_textual": staged.is_textual if staged is not None else text is not None,
        "size": staged.size if staged is not None else len(item.body),
        "hash": body_hash,
        "source_hash": None if item.source_mtime_ns is None else body_hash,
        "mode": item.mode,
        "source_url": item.source_url,
        "source_id": item.source_id,
        "source_mtime_ns": item.source_mtime_ns,
        "source_read_ns": item.source_read_ns,
        "updated_at": now(),
        "error": item.error,
        "notes": msgspec.json.encode(item.notes).decode(),
    }


def touch_item(cursor: Cursor, item_id: int, mtime_ns: int, mode: int, read_ns: int | None = None) -> None:
    """Note that a file was written again with the same bytes."""
    cursor.execute(
        "UPDATE context_items SET source_mtime_ns = ?, mode = ?, source_read_ns = ? WHERE id = ?",
        [mtime_ns, mode, read_ns, item_id],
    )


def delete_items(cursor: Cursor, item_ids: Sequence[int]) -> None:
    """Delete the rows and their bodies. What was made of them goes first: ``kgfs.graph.resolution.remove_items``."""
    cursor.execute("DELETE FROM blocks WHERE item_id IN (SELECT unnest(?::BIGINT[]))", [list(item_ids)])
    cursor.execute("DELETE FROM source_items WHERE item_id IN (SELECT unnest(?::BIGINT[]))", [list(item_ids)])
    cursor.execute("DELETE FROM context_items WHERE id IN (SELECT unnest(?::BIGINT[]))", [list(item_ids)])


def identities(cursor: Cursor, item_ids: Sequence[int]) -> dict[int, str]:
    """Item to the ref that ids are made from: its first one, so that a file that moves keeps the ids of its facts.

    Where another item that moved away has that ref for its identity, a new file in its old place gets one of its own.
    """
    rows = cursor.execute(
        "WITH wanted AS (SELECT id, ref, identity FROM context_items WHERE id IN (SELECT unnest(?::BIGINT[])))"
        " SELECT w.id, coalesce(w.identity, w.ref), w.identity IS NULL AND EXISTS"
        " (SELECT 1 FROM context_items o WHERE o.identity = w.ref) FROM wanted w",
        [list(item_ids)],
    ).fetchall()
    found = {number: identity for number, identity, _ in rows}
    clashing = {number: f"{identity}\x1f{number}" for number, identity, taken in rows if taken}
    if clashing:
        columns = {"id": ("BIGINT", list(clashing)), "identity": ("VARCHAR", list(clashing.values()))}
        with value_table(cursor, "named", columns):
            cursor.execute(
                "UPDATE context_items SET identity = named.identity FROM named WHERE context_items.id = named.id"
            )
    return found | clashing


def text_of(body: bytes) -> str | None:
    """The body as text; ``None`` where it is not UTF-8 or holds NUL, which no tool takes for text."""
    if b"\0" in body:
        return None
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return None


# --- reading -------------------------------------------------------------------------------------------------------


def read_item(
    cursor: Cursor, item_id: int, offset: int = 0, length: int | None = None, *, table: str = "context_items"
) -> bytes | None:
    """The body's bytes from ``offset``, at most ``length``; ``None`` where there is no such item.

    ``table`` may be another that holds bodies with the same columns (``item_versions``).
    """
    row = run_prepared(cursor, f"SELECT size, content, content_blob FROM {table} WHERE id = ?", [item_id]).fetchone()
    if row is None:
        return None
    size, text, blob = row
    end = size if length is None else min(size, offset + length)
    if offset >= end:
        return b""
    if text is not None:
        return bytes(text.encode("utf-8")[offset:end])
    if blob is not None:
        return bytes(blob[offset:end])
    first, last = offset // BLOCK_BYTES, (end - 1) // BLOCK_BYTES
    # Sorted here: the engine would copy the bodies once more for it, at half the speed.
    sql = "SELECT ordinal, data FROM blocks WHERE item_id = ? AND ordinal BETWEEN ? AND ?"
    blocks = run_prepared(cursor, sql, [item_id, first, last]).fetchall()
    blocks.sort(key=itemgetter(0))
    skipped = first * BLOCK_BYTES
    return b"".join([data for _, data in blocks])[offset - skipped : end - skipped]


def read_items(cursor: Cursor, item_ids: Sequence[int]) -> dict[int, bytes]:
    """Whole bodies by id, of those that still exist and do not lie in blocks."""
    rows = cursor.execute(
        "SELECT id, content, content_blob FROM context_items WHERE id BETWEEN $1 AND $2"
        " AND id IN (SELECT unnest($3::BIGINT[])) AND (content IS NOT NULL OR content_blob IS NOT NULL)",
        [min(item_ids), max(item_ids), list(item_ids)],
    ).fetchall()
    return {row_id: bytes(blob) if text is None else text.encode() for row_id, text, blob in rows}


def find_item(cursor: Cursor, reference: str) -> Item | None:
    """The item of a ref, or ``None``."""
    row = cursor.execute(f"SELECT {_ITEM_FIELDS} FROM context_items WHERE ref = ?", [reference]).fetchone()
    return _item(row) if row else None


def items_by_id(cursor: Cursor, item_ids: Sequence[int]) -> dict[int, Item]:
    """Items by id; unknown ids are left out."""
    rows = cursor.execute(
        f"SELECT {_ITEM_FIELDS} FROM context_items WHERE id IN (SELECT unnest(?::BIGINT[]))", [list(item_ids)]
    ).fetchall()
    return {row[0]: _item(row) for row in rows}


def _item(row: tuple[object, ...]) -> Item:
    return msgspec.convert(dict(zip(Item.__struct_fields__, row, strict=True)), prepared(Item))


def items_beneath(cursor: Cursor, drive: str, path: str) -> list[Item]:
    """The item at ``path`` and all beneath it, in order of path."""
    prefix = path.rstrip("/") + "/"
    rows = cursor.execute(
        f"SELECT {_ITEM_FIELDS} FROM context_items WHERE drive = ? AND (path = ? OR starts_with(path, ?))"
        " ORDER BY path",
        [drive, path, prefix],
    ).fetchall()
    return [_item(row) for row in rows]


def known_files(cursor: Cursor, drive: str, path: str) -> dict[str, KnownFile]:
    """Path to what is known of it, for ``path`` and all beneath it."""
    prefix = path.rstrip("/") + "/"
    rows = cursor.execute(
        f"SELECT {KNOWN_FIELDS} FROM context_items WHERE drive = ? AND (path = ? OR starts_with(path, ?))"
        " AND mime_type IS DISTINCT FROM ? AND mime_type IS DISTINCT FROM ?",
        [drive, path, prefix, *FILELESS],
    ).fetchall()
    return {row[1]: KnownFile(*row) for row in rows}
