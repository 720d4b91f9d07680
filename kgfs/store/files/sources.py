"""Sources: the folders and files that were added, which items came from which, and what a refresh does to their rows.

Used by the pipeline and by refreshing (writes, on the store's writer thread), and by the service (reads, on any
thread). Functions take a cursor of ``Database.write`` or ``Database.read``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import msgspec

from kgfs.names import slug, slug_key, unique_slug
from kgfs.store.catalog import dirty_rows
from kgfs.store.catalog.database import Cursor
from kgfs.store.catalog.inserts import take_ids, value_table
from kgfs.store.files.documents import IN, link_key
from kgfs.store.files.items import GROUP, KNOWN_FIELDS, KnownFile, now, ref


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """One folder or file that was added."""

    id: int
    name: str
    drive: str
    path: str
    options: dict[str, Any]
    root: str | None

    def covers(self, path: str) -> bool:
        """Whether a path of its drive is its own or lies beneath."""
        return path == self.path or path.startswith(self.path.rstrip("/") + "/")


class ItemMove(msgspec.Struct, frozen=True, kw_only=True):
    """An item's file was found at another path."""

    item_id: int
    path: str
    """The new one, as a row has it."""
    mtime_ns: int
    mode: int
    read_ns: int


def put_source(cursor: Cursor, drive: str, path: str, name: str | None, options: dict[str, object]) -> int:
    """The source of ``(drive, path)``, made where there is none: named ``name``, else after its folder, made unique."""
    row = cursor.execute("SELECT id, name FROM sources WHERE drive = ? AND path = ?", [drive, path]).fetchone()
    encoded = msgspec.json.encode(options).decode()
    if row and (name is None or slug(name) == row[1]):
        cursor.execute("UPDATE sources SET refreshed_at = ?, options = ? WHERE id = ?", [now(), encoded, row[0]])
        return int(row[0])
    others = cursor.execute("SELECT name FROM sources WHERE drive <> ? OR path <> ?", [drive, path]).fetchall()
    taken = {slug_key(other[0]) for other in others}
    unique = unique_slug(slug(name or path.rstrip("/").rsplit("/", 1)[-1], "source"), taken.__contains__)
    if row:
        source_id = int(row[0])
        cursor.execute(
            "UPDATE sources SET name = ?, refreshed_at = ?, options = ? WHERE id = ?",
            [unique, now(), encoded, source_id],
        )
    else:
        source_id = take_ids(cursor, "source", 1)[0]
        cursor.execute(
            "INSERT INTO sources BY NAME SELECT ? AS id, ? AS group_id, ? AS name, ? AS drive, ? AS path,"
            " ? AS added_at, ? AS refreshed_at, ? AS options",
            [source_id, GROUP, unique, drive, path, now(), now(), encoded],
        )
    dirty_rows.mark_dirty(cursor, "source", [source_id])
    return source_id


def source_by_id(cursor: Cursor, source_id: int) -> Source:
    """One of them. ``KeyError`` where it is gone."""
    return {source.id: source for source in sources(cursor)}[source_id]


def source_at(cursor: Cursor, drive: str, path: str) -> Source | None:
    """The source whose path this is."""
    return next((one for one in sources(cursor) if (one.drive, one.path) == (drive, path)), None)


def sources(cursor: Cursor) -> list[Source]:
    """All of them, in order of name."""
    rows = cursor.execute("SELECT id, name, drive, path, options, root FROM sources ORDER BY name").fetchall()
    return [
        Source(
            id=number, name=name, drive=drive, path=path, options=msgspec.json.decode(options or "{}"), root=root
        )
        for number, name, drive, path, options, root in rows
    ]  # fmt: skip


def note_root(cursor: Cursor, source_id: int, root: str) -> None:
    """Note what stands at a source's path, and that it was looked through now."""
    cursor.execute("UPDATE sources SET root = ?, refreshed_at = ? WHERE id = ?", [root, now(), source_id])


# --- which items are whose -----------------------------------------------------------------------------------------


def note_members(cursor: Cursor, source_id: int, drive: str, paths: Collection[str]) -> None:
    """The items at these paths were found in a source."""
    if not paths:
        return
    with value_table(cursor, "found", {"ref": ("VARCHAR", [ref(drive, path) for path in paths])}):
        cursor.execute(
            "INSERT INTO source_items SELECT ?, i.id FROM context_items i JOIN found USING (ref)"
            " WHERE i.id NOT IN (SELECT item_id FROM source_items WHERE source_id = ?)",
            [source_id, source_id],
        )


def members(cursor: Cursor, source_id: int) -> dict[str, KnownFile]:
    """Path to what is known of it, for the items of a source."""
    rows = cursor.execute(
        f"SELECT {KNOWN_FIELDS} FROM context_items WHERE source_id = ?"
        " OR id IN (SELECT item_id FROM source_items WHERE source_id = ?)",
        [source_id, source_id],
    ).fetchall()
    return {row[1]: KnownFile(*row) for row in rows}


def count_members(cursor: Cursor, source_id: int) -> int:
    """How many items a source has."""
    (row,) = cursor.execute(
        "SELECT count(*) FROM context_items WHERE source_id = ?"
        " OR id IN (SELECT item_id FROM source_items WHERE source_id = ?)",
        [source_id, source_id],
    ).fetchall()
    return int(row[0])


def paths_of_items(cursor: Cursor, item_ids: Sequence[int]) -> list[str]:
    """The paths of items, sorted."""
    rows = cursor.execute(f"SELECT path FROM context_items WHERE id {IN} ORDER BY path", [list(item_ids)]).fetchall()
    return [row[0] for row in rows]


def only_of(cursor: Cursor, source_id: int) -> tuple[list[int], int]:
    """The items that came from a source and no other, in order of ref; and how many came from another too."""
    rows = cursor.execute(
        "SELECT i.id, i.id IN (SELECT item_id FROM source_items o JOIN sources s ON s.id = o.source_id"
        " WHERE o.source_id <> $1) FROM context_items i"
        " WHERE i.source_id = $1 OR i.id IN (SELECT item_id FROM source_items WHERE source_id = $1) ORDER BY i.ref",
        [source_id],
    ).fetchall()
    return [number for number, shared in rows if not shared], sum(shared for _, shared in rows)


def times_beside(cursor: Cursor, item_id: int) -> list[int]:
    """When the files of an item's sources were written, as their file systems said; nanoseconds since 1970."""
    rows = cursor.execute(
        "SELECT source_mtime_ns FROM context_items WHERE source_mtime_ns IS NOT NULL AND id IN (SELECT item_id"
        " FROM source_items WHERE source_id IN (SELECT source_id FROM source_items WHERE item_id = ?))",
        [item_id],
    ).fetchall()
    return [int(moment) for (moment,) in rows]


def delete_sources(cursor: Cursor, source_ids: Sequence[int]) -> None:
    """Delete sources; items that are left of them belong to the others that have them."""
    numbers = list(source_ids)
    cursor.execute(f"DELETE FROM source_items WHERE source_id {IN}", [numbers])
    cursor.execute(
        "UPDATE context_items SET source_id = (SELECT min(m.source_id) FROM source_items m WHERE m.item_id = id)"
        f" WHERE source_id {IN}",
        [numbers],
    )
    cursor.execute(f"DELETE FROM sources WHERE id {IN}", [numbers])
    dirty_rows.mark_dirty(cursor, "source", numbers)


def of_items(cursor: Cursor, item_ids: Sequence[int]) -> list[int]:
    """The sources that have any of these items."""
    rows = cursor.execute(
        f"SELECT source_id FROM source_items WHERE item_id {IN}"
        f" UNION SELECT source_id FROM context_items WHERE source_id IS NOT NULL AND id {IN}",
        [list(item_ids), list(item_ids)],
    ).fetchall()
    return sorted(row[0] for row in rows)


def empty_sources(cursor: Cursor, source_ids: Sequence[int]) -> list[int]:
    """Those of these sources that have no item (any more)."""
    rows = cursor.execute(
        f"SELECT id FROM sources s WHERE id {IN}"
        " AND NOT EXISTS (SELECT 1 FROM source_items m WHERE m.source_id = s.id)"
        " AND NOT EXISTS (SELECT 1 FROM context_items i WHERE i.source_id = s.id)",
        [list(source_ids)],
    ).fetchall()
    return [row[0] for row in rows]


# --- moved files ---------------------------------------------------------------------------------------------------


def move_items(cursor: Cursor, drive: str, moves: Sequence[ItemMove]) -> None:
    """Give items other paths; documents, chunks and facts keep their ids. No other item may stand at these paths.

    What follows from a path is brought along: where relative links lead (``documents.resolve_links`` comes after).
    """
    columns: dict[str, tuple[str, Sequence[Any]]] = {
        "id": ("BIGINT", [move.item_id for move in moves]),
        "path": ("VARCHAR", [move.path for move in moves]),
        "ref": ("VARCHAR", [ref(drive, move.path) for move in moves]),
        "mtime": ("BIGINT", [move.mtime_ns for move in moves]),
        "mode": ("INTEGER", [move.mode for move in moves]),
        "read": ("BIGINT", [move.read_ns for move in moves]),
    }
    with value_table(cursor, "moved", columns):
        cursor.execute(
            "UPDATE context_items SET identity = coalesce(identity, context_items.ref), path = moved.path,"
            " ref = moved.ref, source_mtime_ns = moved.mtime, mode = moved.mode, source_read_ns = moved.read"
            " FROM moved WHERE context_items.id = moved.id"
        )
    numbers = [move.item_id for move in moves]
    moved_links(cursor, {move.item_id: move.path for move in moves})
    dirty_rows.mark_dirty(cursor, "document", numbers)


def moved_links(cursor: Cursor, paths: Mapping[int, str]) -> None:
    """Where the relative links of these items lead now, ``{item: its new path}``; ``documents.resolve_links`` comes
    after."""
    links = cursor.execute(
        f"SELECT rowid, document_id, kind, target FROM document_links WHERE kind = 'path' AND document_id {IN}",
        [list(paths)],
    ).fetchall()
    if not links:
        return
    columns: dict[str, tuple[str, Sequence[Any]]] = {
        "number": ("BIGINT", [row[0] for row in links]),
        "key": ("VARCHAR", [link_key(kind, target, paths[document]) for _, document, kind, target in links]),
    }
    with value_table(cursor, "relinked", columns):
        cursor.execute(
            "UPDATE document_links SET target_key = relinked.key FROM relinked"
            " WHERE document_links.rowid = relinked.number"
        )


def note_chunk_hashes(cursor: Cursor, hashes: Mapping[int, str]) -> None:
    """By what text chunks are known to be unchanged, ``{id: hash}``; their vectors stay."""
    columns: dict[str, tuple[str, Sequence[Any]]] = {
        "id": ("BIGINT", list(hashes)),
        "hash": ("VARCHAR", list(hashes.values())),
    }
    with value_table(cursor, "rehashed", columns):
        cursor.execute("UPDATE chunks SET hash = rehashed.hash FROM rehashed WHERE chunks.id = rehashed.id")


def settle_conflicts(cursor: Cursor, item_ids: Sequence[int]) -> None:
    """What these rows hold is what their files hold now, though it was edited here: no conflict any more."""
    cursor.execute(f"UPDATE context_items SET source_hash = hash WHERE id {IN}", [list(item_ids)])


def note_checked(cursor: Cursor, checked: Sequence[tuple[int, int, int, int]]) -> None:
    """Files that were read again and hold the same bytes: ``(item, mtime_ns, mode, read_ns)`` of each."""
    columns: dict[str, tuple[str, Sequence[Any]]] = {
        name: (kind, [row[place] for row in checked])
        for place, (name, kind) in enumerate(
            (("id", "BIGINT"), ("mtime", "BIGINT"), ("mode", "INTEGER"), ("read", "BIGINT"))
        )
    }
    with value_table(cursor, "checked", columns):
        cursor.execute(
            "UPDATE context_items SET source_mtime_ns = checked.mtime, mode = checked.mode,"
            " source_read_ns = checked.read FROM checked WHERE context_items.id = checked.id"
        )
