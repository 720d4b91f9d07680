"""Context rows that somebody gives another path: files, links and directories, also over what stands there.

Used by ``kgfs.drives``, as ``drive_rows``: inside the transaction of one operation that is allowed.
"""

from __future__ import annotations

import mimetypes
import posixpath
from collections.abc import Sequence
from typing import Any

from kgfs.names import is_knowledge
from kgfs.store.catalog import dirty_rows
from kgfs.store.catalog.database import Cursor
from kgfs.store.catalog.inserts import value_table
from kgfs.store.catalog.statements import run_prepared
from kgfs.store.files import history, staging
from kgfs.store.files.drive_rows import delete_rows, remove_items, with_ids
from kgfs.store.files.history import NewId
from kgfs.store.files.items import FILELESS, now, ref
from kgfs.store.files.sources import moved_links
from kgfs.store.files.staging import StagedBody


def move_link(cursor: Cursor, item_id: int, path: str, to_drive: str, to_path: str) -> None:
    """Another place for a link; nothing may be there."""
    _move_rows(cursor, [(item_id, path, to_path)], to_drive)


def move_file(
    cursor: Cursor,
    item_id: int,
    drive: str,
    path: str,
    to_drive: str,
    to_path: str,
    free_id: int,
    *,
    copy: StagedBody | None = None,
    kept: int = history.VERSIONS_KEPT,
    new_id: NewId = history.one_id,
) -> int:
    """Another place for a file; nothing may be there. Returns its id: ``free_id``, where its own stays behind.

    That is so for knowledge that gets a name which is none: an editor keeps the old file aside and writes a new one in
    its place, which then is what it was, and has what the file held as a version, of which there are ``kept`` at most.
    ``copy`` is a copy of a large body that is set aside so (``sets_aside``); it is used up.
    """
    if sets_aside(path, to_path):
        _set_aside(cursor, item_id, to_drive, to_path, free_id, copy, kept, new_id)
        return free_id
    _move_rows(cursor, [(item_id, path, to_path)], to_drive)
    history.move_history(cursor, ref(drive, path), ref(to_drive, to_path))
    return item_id


def sets_aside(path: str, to_path: str) -> bool:
    """Whether a file that is moved so leaves its id and its history behind, and what it holds is there twice then."""
    return is_knowledge(path) and not is_knowledge(to_path)


def _set_aside(
    cursor: Cursor,
    item_id: int,
    to_drive: str,
    to_path: str,
    free_id: int,
    copy: StagedBody | None,
    kept: int,
    new_id: NewId,
) -> None:
    held = history.held_items(cursor, item_id)[item_id]
    cursor.execute(
        "INSERT INTO context_items BY NAME SELECT * REPLACE (? AS id, ? AS drive, ? AS path, ? AS ref, ? AS title,"
        " want_gen AS have_gen, want_gen AS extracted_gen, want_gen AS parsed_gen, NULL AS identity,"
        " NULL AS source_id) FROM context_items WHERE id = ?",
        [free_id, to_drive, to_path, ref(to_drive, to_path), posixpath.basename(to_path), item_id],
    )
    # The body stays here as a version and goes along: the editor removes what it set aside once the new one is written.
    if copy is not None and held.apart and (copy.size, copy.hash) == (held.size, held.hash):
        staging.give_blocks(cursor, copy.id, free_id)
    else:
        if copy is not None:
            staging.discard_staged(cursor, copy.id)
        if held.apart:
            history.restore_blocks(cursor, item_id, free_id)
    history.keep_version(cursor, item_id, held, kept=kept, new_id=new_id)
    cursor.execute(
        "INSERT INTO removed_items SELECT id, ref, want_gen, ? FROM context_items WHERE id = ?", [now(), item_id]
    )
    delete_rows(cursor, [item_id], held.apart)


def replace_file(
    cursor: Cursor,
    item_id: int,
    over_id: int,
    drive: str,
    path: str,
    to_drive: str,
    to_path: str,
    *,
    copy: StagedBody | None = None,
    kept: int = history.VERSIONS_KEPT,
    new_id: NewId = history.one_id,
) -> int:
    """Move a file over another one; what that held becomes a version, of which there are ``kept`` at most. Returns the
    id of what stands there then.

    A temporary that is moved over a document becomes that document's next body. A document that is moved over
    another file stays what it is: what was made of it stays good. What is set aside over an older copy leaves its id
    behind, indexed or not. ``copy`` as for ``move_file``.
    """
    if sets_aside(path, to_path):
        remove_items(cursor, [over_id])
        _set_aside(cursor, item_id, to_drive, to_path, over_id, copy, kept, new_id)
        return over_id
    if not is_knowledge(path) or not _is_document(cursor, item_id):
        return _become(cursor, item_id, over_id, to_path, kept, new_id)
    remove_items(cursor, [over_id], kept=kept, new_id=new_id)
    _move_rows(cursor, [(item_id, path, to_path)], to_drive)
    history.move_history(cursor, ref(drive, path), ref(to_drive, to_path))
    return item_id


def _is_document(cursor: Cursor, item_id: int) -> bool:
    return bool(run_prepared(cursor, "SELECT 1 FROM documents WHERE id = ?", [item_id]).fetchall())


def _become(cursor: Cursor, item_id: int, over_id: int, to_path: str, kept: int, new_id: NewId) -> int:
    """What ``item_id`` holds becomes the body of ``over_id``; its own row goes."""
    knowledge = is_knowledge(to_path)
    held = history.held_items(cursor, item_id, over_id)
    if knowledge:
        history.keep_version(cursor, over_id, held[over_id], kept=kept, new_id=new_id)
    elif held[over_id].apart:
        cursor.execute("DELETE FROM blocks WHERE item_id = ?", [over_id])
    run_prepared(
        cursor,
        "UPDATE context_items SET mime_type = coalesce(?, o.mime_type), content = o.content,"
        " content_blob = o.content_blob, is_textual = o.is_textual, size = o.size, hash = o.hash, mode = o.mode,"
        " mtime_us = o.mtime_us, atime_us = o.atime_us, xattrs = o.xattrs, updated_at = o.updated_at, error = NULL,"
        f" want_gen = context_items.want_gen + {int(knowledge)}"
        " FROM (SELECT * FROM context_items WHERE id = ?) o WHERE context_items.id = ?",
        [mimetypes.guess_type(posixpath.basename(to_path))[0], item_id, over_id],
    )
    if held[item_id].apart:
        staging.move_blocks(cursor, item_id, over_id)
    delete_rows(cursor, [item_id], False)
    return over_id


def move_directory(cursor: Cursor, drive: str, path: str, to_drive: str, to_path: str) -> list[tuple[int, str]]:
    """Another place for a directory and all beneath it; returns the rows with their new paths."""
    rows = cursor.execute(
        "SELECT id, path FROM context_items WHERE drive = ? AND (path = ? OR starts_with(path, ?))",
        [drive, path, path + "/"],
    ).fetchall()
    moved = [(item_id, before, to_path + before[len(path) :]) for item_id, before in rows]
    if moved:
        _move_rows(cursor, moved, to_drive)
    cursor.execute(
        "UPDATE item_versions SET ref = ? || substr(ref, ?) WHERE starts_with(ref, ?)",
        [ref(to_drive, to_path), len(ref(drive, path)) + 1, ref(drive, path) + "/"],
    )
    return [(item_id, after) for item_id, _, after in moved]


def _move_rows(cursor: Cursor, moves: Sequence[tuple[int, str, str]], to_drive: str) -> None:
    """Give rows another path, ``(id, path, new path)``.

    What changes its being knowledge is the cascade's to read, and what has another name now: a title, a date and the
    format may come from that. Chunks keep their vectors all the same.
    """
    changes = [
        is_knowledge(before) != is_knowledge(after)
        or (is_knowledge(after) and posixpath.basename(before) != posixpath.basename(after))
        for _, before, after in moves
    ]
    if len(moves) == 1:  # planned in half the time of a table that is given
        ((item_id, _, path),) = moves
        _move(cursor, [to_drive, path, posixpath.basename(path), int(changes[0]), item_id])
    else:
        columns: dict[str, tuple[str, Sequence[Any]]] = {
            "id": ("BIGINT", [row[0] for row in moves]),
            "path": ("VARCHAR", [row[2] for row in moves]),
            "title": ("VARCHAR", [posixpath.basename(row[2]) for row in moves]),
            "more": ("BIGINT", [int(change) for change in changes]),
        }
        with value_table(cursor, "moved", columns):
            _move(cursor, [to_drive])
    which, given_ids = with_ids([row[0] for row in moves])
    known = {
        row[0] for row in run_prepared(cursor, f"SELECT id FROM documents WHERE id {which}", [given_ids]).fetchall()
    }
    if known:
        moved_links(cursor, {item_id: path for item_id, _, path in moves if item_id in known})
        dirty_rows.mark_dirty(cursor, "document", sorted(known))


def _move(cursor: Cursor, values: list[Any]) -> None:
    """The statement that moves one row (drive, path, title, whether it is another body, id) or, given the drive alone,
    those in the table ``moved``."""
    one = len(values) > 1
    path, title, more = ("$2", "$3", "$4") if one else ("moved.path", "moved.title", "moved.more")
    run_prepared(
        cursor,
        f"UPDATE context_items SET identity = coalesce(identity, context_items.ref), drive = $1, path = {path},"
        f" ref = $1 || ':' || {path},"
        " title = CASE WHEN context_items.title = regexp_extract(context_items.path, '[^/]*$')"
        f" THEN {title} ELSE context_items.title END,"
        f" want_gen = want_gen + CASE WHEN mime_type IN {FILELESS} THEN 0 ELSE {more} END"
        + (" WHERE id = $5" if one else " FROM moved WHERE context_items.id = moved.id"),
        values,
    )
