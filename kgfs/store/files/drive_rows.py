"""Context rows as files and directories that somebody writes: what each operation of a file system does to them.

Used by ``kgfs.drives``, on the store's writer thread, inside the transaction of one operation. The caller has found
out that the operation is allowed. Times are microseconds since 1970. What follows for documents and chunks is left to
the cascade: a body that is knowledge raises ``want_gen``, a row that goes leaves one in ``removed_items``.
"""

from __future__ import annotations

import mimetypes
import posixpath
from collections.abc import Sequence
from typing import Any

import msgspec

from kgfs.names import is_knowledge
from kgfs.store.catalog.database import Cursor
from kgfs.store.catalog.inserts import insert_rows
from kgfs.store.catalog.statements import run_prepared
from kgfs.store.files import history, staging
from kgfs.store.files.documents import IN
from kgfs.store.files.history import NewId
from kgfs.store.files.items import BLOCK_BYTES, DIRECTORY, FILELESS, GROUP, SYMLINK, hash_body, now, ref, text_of
from kgfs.store.files.staging import StagedBody

Body = bytes | StagedBody
"""At most 1 MiB as bytes; what is larger is staged."""


class NewAttributes(msgspec.Struct, kw_only=True, frozen=True):
    """What a writer may set beside the body; ``None`` leaves it as it is."""

    mode: int | None = None
    """Permission bits."""
    mtime_us: int | None = None
    atime_us: int | None = None
    xattrs: dict[str, str] | None = None
    """Name to base64."""


class WrittenBody(msgspec.Struct, frozen=True):
    """A body that was written."""

    item_id: int
    size: int
    hash: str
    is_textual: bool
    mime_type: str


def describe_body(path: str, body: Body) -> WrittenBody:
    """What a row says of a body; ``item_id`` is 0."""
    if isinstance(body, StagedBody):
        size, body_hash, textual = body.size, body.hash, body.is_textual
    else:
        size, body_hash, textual = len(body), hash_body(body), text_of(body) is not None
    guessed = mimetypes.guess_type(posixpath.basename(path))[0]
    return WrittenBody(
        0, size, body_hash, textual, guessed or ("text/plain" if textual else "application/octet-stream")
    )


def _body_columns(body: Body) -> dict[str, Any]:
    if isinstance(body, StagedBody):
        return {"content": None, "content_blob": None}
    text = text_of(body)
    return {"content": text, "content_blob": body if text is None else None}


def _attribute_columns(attributes: NewAttributes) -> dict[str, Any]:
    values: dict[str, Any] = {
        name: getattr(attributes, name)
        for name in ("mode", "mtime_us", "atime_us")
        if getattr(attributes, name) is not None
    }
    if attributes.xattrs is not None:
        values["xattrs"] = msgspec.json.encode(attributes.xattrs).decode() if attributes.xattrs else None
    return values


class NewFile(msgspec.Struct, frozen=True):
    """A file that is to get its row."""

    item_id: int
    """A free id, that of the staged body where it is one."""
    drive: str
    path: str
    body: Body
    attributes: NewAttributes


def create_file(
    cursor: Cursor, item_id: int, drive: str, path: str, body: Body, attributes: NewAttributes
) -> WrittenBody:
    """A new file. ``item_id`` is a free id (that of the staged body, where it is one).

    A file that is written where another was removed a moment ago takes its id over, and with it what need not be made
    again. The id it has is in the answer.
    """
    return create_files(cursor, [NewFile(item_id, drive, path, body, attributes)])[0]


def create_files(cursor: Cursor, files: Sequence[NewFile], *, none_left: bool = False) -> list[WrittenBody]:
    """``create_file`` for files at different places, in a few statements for all of them. ``none_left``: it is known
    that ``none_left(cursor)``."""
    knowledge = [] if none_left else [ref(file.drive, file.path) for file in files if is_knowledge(file.path)]
    left = _left(cursor, knowledge)
    written, rows = [], []
    for file in files:
        item_id, generation = left.get(ref(file.drive, file.path), (file.item_id, 0))
        what = msgspec.structs.replace(describe_body(file.path, file.body), item_id=item_id)
        written.append(what)
        rows.append(_new_row(file, what, generation + 1))
    insert_rows(cursor, "context_items", rows)
    for file, what in zip(files, written, strict=True):
        if isinstance(file.body, StagedBody):
            staging.give_blocks(cursor, file.body.id, what.item_id)
    return written


def none_left(cursor: Cursor) -> bool:
    """Whether no item that was removed has yet to go."""
    return not run_prepared(cursor, "SELECT 1 FROM removed_items LIMIT 1").fetchall()


def _left(cursor: Cursor, refs: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Id and generation of what was removed at these refs and has yet to go: the newest of each, which is taken out of
    ``removed_items``."""
    if not refs:
        return {}
    rows = run_prepared(
        cursor,
        f"SELECT ref, item_id, want_gen FROM removed_items WHERE ref IN ({', '.join('?' for _ in refs)})",
        refs,
    ).fetchall()
    found: dict[str, tuple[int, int]] = {}
    for reference, item_id, generation in rows:
        found[reference] = max(found.get(reference, (0, 0)), (int(item_id), int(generation)))
    for reference, (item_id, _) in found.items():
        cursor.execute("DELETE FROM removed_items WHERE ref = ? AND item_id = ?", [reference, item_id])
    return found


def _new_row(file: NewFile, written: WrittenBody, generation: int) -> dict[str, Any]:
    moment = now()
    done = 0 if is_knowledge(file.path) else generation
    return {
        "id": written.item_id, "group_id": GROUP, "drive": file.drive, "path": file.path,
        "ref": ref(file.drive, file.path), "title": posixpath.basename(file.path), "mime_type": written.mime_type,
        "is_textual": written.is_textual, "size": written.size, "hash": written.hash, "mode": 0o644, "mtime_us": None,
        "atime_us": None, "xattrs": None, "created_at": moment, "updated_at": moment, "want_gen": generation,
        "parsed_gen": done, "have_gen": done, "extracted_gen": done, "notes": "[]", **_body_columns(file.body),
        **_attribute_columns(file.attributes),
    }  # fmt: skip


def overwrite_file(
    cursor: Cursor,
    item_id: int,
    path: str,
    body: Body,
    attributes: NewAttributes,
    *,
    keep_version: bool,
    kept: int = history.VERSIONS_KEPT,
    new_id: NewId = history.one_id,
) -> WrittenBody:
    """Another body for a file; ``keep_version`` makes a version of the one before (only knowledge has versions), of
    which there are ``kept`` at most. The same body once more changes attributes only. ``NotFoundError`` where the file
    is gone."""
    held = history.held_items(cursor, item_id)[item_id]
    written = msgspec.structs.replace(describe_body(path, body), item_id=item_id)
    if (written.size, written.hash) == (held.size, held.hash):
        set_attributes(cursor, item_id, attributes)
        if isinstance(body, StagedBody):
            staging.discard_staged(cursor, body.id)
        return written
    knowledge = is_knowledge(path)
    if keep_version and knowledge:
        history.keep_version(cursor, item_id, held, kept=kept, new_id=new_id)
    elif held.apart:
        cursor.execute("DELETE FROM blocks WHERE item_id = ?", [item_id])
    values = {
        "mime_type": written.mime_type, "is_textual": written.is_textual, "size": written.size, "hash": written.hash,
        "updated_at": now(), "error": None, **_body_columns(body), **_attribute_columns(attributes),
    }  # fmt: skip
    _update(cursor, item_id, values, ", want_gen = want_gen + 1" if knowledge else "")
    if isinstance(body, StagedBody):
        staging.give_blocks(cursor, body.id, item_id)
    return written


def set_attributes(cursor: Cursor, item_id: int, attributes: NewAttributes) -> None:
    """chmod, utimens, extended attributes."""
    values = _attribute_columns(attributes)
    if values:
        _update(cursor, item_id, values)


def forget_time(cursor: Cursor, item_id: int) -> None:
    """The time of a directory is no longer the one that somebody set."""
    run_prepared(cursor, "UPDATE context_items SET mtime_us = NULL WHERE id = ?", [item_id])


def _update(cursor: Cursor, item_id: int, values: dict[str, Any], more: str = "") -> None:
    assignments = ", ".join(f"{name} = ?" for name in values)
    run_prepared(cursor, f"UPDATE context_items SET {assignments}{more} WHERE id = ?", [*values.values(), item_id])


def make_directory(cursor: Cursor, item_id: int, drive: str, path: str, attributes: NewAttributes) -> None:
    """A row for a directory; none may be there."""
    moment = now()
    row = {
        "id": item_id, "group_id": GROUP, "drive": drive, "path": path, "ref": ref(drive, path),
        "title": posixpath.basename(path), "mime_type": DIRECTORY, "is_textual": False, "size": 0, "mode": 0o755,
        "created_at": moment, "updated_at": moment, "want_gen": 0, "parsed_gen": 0, "have_gen": 0, "extracted_gen": 0,
        "notes": "[]", "mtime_us": None, "atime_us": None, "xattrs": None, **_attribute_columns(attributes),
    }  # fmt: skip
    insert_rows(cursor, "context_items", [row])


def make_link(cursor: Cursor, item_id: int, drive: str, path: str, target: bytes) -> None:
    """A row for a symbolic link; none may be there."""
    moment = now()
    row = {
        "id": item_id, "group_id": GROUP, "drive": drive, "path": path, "ref": ref(drive, path),
        "title": posixpath.basename(path), "mime_type": SYMLINK, "is_textual": False, "size": len(target),
        "hash": hash_body(target), "content": None, "content_blob": target, "mode": 0o777, "created_at": moment,
        "updated_at": moment, "want_gen": 1, "parsed_gen": 1, "have_gen": 1, "extracted_gen": 1, "notes": "[]",
        "mtime_us": None, "atime_us": None, "xattrs": None,
    }  # fmt: skip
    insert_rows(cursor, "context_items", [row])


def remove_items(
    cursor: Cursor,
    item_ids: Sequence[int],
    *,
    purge: bool = False,
    kept: int = history.VERSIONS_KEPT,
    new_id: NewId = history.one_id,
) -> None:
    """Delete files, links and directories. The body of a file that is knowledge becomes a version, of which there are
    ``kept`` at most; ``purge`` erases its history instead."""
    which, given_ids = with_ids(item_ids)
    rows = run_prepared(
        cursor,
        "SELECT id, path, want_gen, mime_type IN (?, ?), ref, size, hash, content IS NULL AND content_blob IS NULL"
        f" FROM context_items WHERE id {which}",
        [*FILELESS, given_ids],
    ).fetchall()
    files = [(row[0], row[1], row[2], history.HeldItem(*row[4:])) for row in rows if not row[3]]
    for item_id, path, _, held in files:
        if is_knowledge(path) and not purge:
            history.keep_version(cursor, item_id, held, kept=kept, new_id=new_id)
    if purge:
        history.purge_history(cursor, [held.ref for *_, held in files])
    for item_id, path, generation, held in files:
        if is_knowledge(path):
            _leave(cursor, item_id, held.ref, generation)
    delete_rows(cursor, [row[0] for row in rows], any(held.apart for *_, held in files))


def _leave(cursor: Cursor, item_id: int, reference: str, generation: int) -> None:
    """What was made of an item has yet to go."""
    run_prepared(cursor, "INSERT INTO removed_items VALUES (?, ?, ?, ?)", [item_id, reference, generation, now()])


def with_ids(item_ids: Sequence[int]) -> tuple[str, int | list[int]]:
    """For rows with these ids: what stands behind a column in SQL, and its parameter. Of one id, as mostly, an equation
    takes half the time of a list."""
    return ("= ?", item_ids[0]) if len(item_ids) == 1 else (IN, list(item_ids))


def delete_rows(cursor: Cursor, item_ids: Sequence[int], apart: bool) -> None:
    """Delete rows of items and nothing else. ``apart``: whether there may be blocks."""
    which, given_ids = with_ids(item_ids)
    tables = (("blocks", "item_id"),) if apart else ()
    for table, column in (*tables, ("source_items", "item_id"), ("context_items", "id")):
        run_prepared(cursor, f"DELETE FROM {table} WHERE {column} {which}", [given_ids])


def removed_items(cursor: Cursor, limit: int | None = None) -> list[tuple[int, str, int]]:
    """Items whose documents have yet to go: ``(item id, ref, generation)``, oldest first."""
    rows = cursor.execute(
        "SELECT item_id, ref, want_gen FROM removed_items ORDER BY removed_at, item_id"
        + ("" if limit is None else f" LIMIT {int(limit)}")
    ).fetchall()
    return [(int(item_id), str(reference), int(generation)) for item_id, reference, generation in rows]


__all__ = [
    "BLOCK_BYTES",
    "Body",
    "NewAttributes",
    "NewFile",
    "WrittenBody",
    "create_file",
    "create_files",
    "describe_body",
    "make_directory",
    "make_link",
    "overwrite_file",
    "remove_items",
    "removed_items",
    "set_attributes",
]  # fmt: skip
