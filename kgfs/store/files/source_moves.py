"""Sources that stand at another place now: their rows get the new paths and stay what they are.

Used by ``kgfs.pipeline.relocation``; writes on the store's writer thread. Functions take a cursor of ``Database.write``
or ``Database.read``.
"""

from __future__ import annotations

import posixpath
from typing import NamedTuple

from kgfs.names import is_knowledge
from kgfs.store.catalog import dirty_rows
from kgfs.store.catalog.database import Cursor
from kgfs.store.files import history, sources
from kgfs.store.files.documents import IN
from kgfs.store.files.items import DIRECTORY, ref
from kgfs.store.files.sources import Source

_BENEATH = "drive = $drive AND (path = $path OR starts_with(path, $prefix))"


class OccupiedRow(NamedTuple):
    """A row that stands where another one is moved to."""

    item_id: int
    ref: str
    readable: bool
    """Whether it says nothing that its file does not say: it was read from there and not edited since."""
    moving: bool
    """Whether it is one of those that are moved."""


def moved_path(path: str, old: str, new: str) -> str:
    """Where a path at or beneath ``old`` is once that is ``new``."""
    return (new.rstrip("/") + path[len(old.rstrip("/")) :]) or "/"


def sources_beneath(cursor: Cursor, drive: str, path: str) -> list[Source]:
    """The sources at or beneath a path, in order of name."""
    above = path.rstrip("/") + "/"
    return [
        one
        for one in sources.sources(cursor)
        if one.drive == drive and (one.path == path or one.path.startswith(above))
    ]


def occupied_rows(cursor: Cursor, drive: str, path: str, to_path: str) -> list[OccupiedRow]:
    """The rows that stand where those at and beneath ``path`` are moved to."""
    rows = cursor.execute(
        f"WITH moving AS (SELECT id, mime_type, $to || substr(path, $cut) AS place FROM context_items WHERE {_BENEATH})"
        " SELECT n.id, n.ref, (n.mime_type = $directory) = (m.mime_type = $directory)"
        " AND (n.mime_type = $directory OR coalesce(n.source_hash = n.hash, false)),"
        " n.id IN (SELECT id FROM moving)"
        " FROM moving m JOIN context_items n ON n.ref = $drive || ':' || m.place ORDER BY n.ref",
        _places(drive, path, to_path) | {"directory": DIRECTORY},
    ).fetchall()
    return [OccupiedRow(*row) for row in rows]


def _places(drive: str, path: str, to_path: str) -> dict[str, object]:
    base = path.rstrip("/")
    return {"drive": drive, "path": path, "prefix": base + "/", "to": to_path.rstrip("/"), "cut": len(base) + 1}


def move_rows(cursor: Cursor, drive: str, path: str, to_path: str) -> list[int]:
    """Give all rows at and beneath a path, with their histories, and the sources there the place ``to_path``; returns
    the items. There may be no ``occupied_rows``.

    A source that stands there already is taken in. What moved out of a source around the old place is no longer of it.
    """
    places = _places(drive, path, to_path)
    here = {
        name: places[name] for name in ("drive", "path", "prefix")
    }  # the engine takes no parameter that is not used
    for source in sources_beneath(cursor, drive, path):
        _take_in(cursor, source, moved_path(source.path, path, to_path))
    rows = cursor.execute(f"SELECT id, path FROM context_items WHERE {_BENEATH}", here).fetchall()
    moved = {int(number): str(before) for number, before in rows}
    cursor.execute(
        "UPDATE context_items SET identity = coalesce(identity, ref), path = $to || substr(path, $cut),"
        f" ref = drive || ':' || $to || substr(path, $cut) WHERE {_BENEATH}",
        places,
    )
    versions = cursor.execute(
        "SELECT DISTINCT ref FROM item_versions WHERE ref = $ref OR starts_with(ref, $ref || '/')",
        {"ref": ref(drive, path.rstrip("/"))},
    ).fetchall()
    for (reference,) in versions:
        before = reference.removeprefix(f"{drive}:")
        history.move_history(cursor, reference, ref(drive, moved_path(before, path, to_path)))
    _rename(cursor, drive, path, to_path)
    numbers = sorted(moved)
    sources.moved_links(cursor, {number: moved_path(moved[number], path, to_path) for number in numbers})
    dirty_rows.mark_dirty(cursor, "document", numbers)
    _leave(cursor, numbers)
    return numbers


def _take_in(cursor: Cursor, source: Source, to_path: str) -> None:
    """A source stands at another path; one that stands there gives its items to it."""
    other = sources.source_at(cursor, source.drive, to_path)
    if other is not None and other.id != source.id:
        cursor.execute(
            "INSERT INTO source_items SELECT $1, item_id FROM source_items WHERE source_id = $2"
            " AND item_id NOT IN (SELECT item_id FROM source_items WHERE source_id = $1)",
            [source.id, other.id],
        )
        cursor.execute("UPDATE context_items SET source_id = ? WHERE source_id = ?", [source.id, other.id])
        sources.delete_sources(cursor, [other.id])
    cursor.execute("UPDATE sources SET path = ? WHERE id = ?", [to_path, source.id])
    dirty_rows.mark_dirty(cursor, "source", [source.id])


def _rename(cursor: Cursor, drive: str, path: str, to_path: str) -> None:
    """A source that is a file may have another name now, which can say another title and date: it is read again."""
    name = posixpath.basename(to_path)
    if posixpath.basename(path) == name:
        return
    cursor.execute(
        "UPDATE context_items SET title = CASE WHEN title = ? THEN ? ELSE title END, want_gen = want_gen + ?"
        " WHERE drive = ? AND path = ? AND mime_type IS DISTINCT FROM ?",
        [posixpath.basename(path), name, int(is_knowledge(to_path)), drive, to_path, DIRECTORY],
    )


def _leave(cursor: Cursor, item_ids: list[int]) -> None:
    """Items that no longer lie in a source are not of it."""
    inside = "i.drive = s.drive AND (i.path = s.path OR starts_with(i.path, rtrim(s.path, '/') || '/'))"
    cursor.execute(
        f"DELETE FROM source_items USING context_items i, sources s WHERE i.id {IN} AND source_items.item_id = i.id"
        f" AND source_items.source_id = s.id AND NOT ({inside})",
        [item_ids],
    )
    cursor.execute(
        "UPDATE context_items SET source_id = (SELECT min(m.source_id) FROM source_items m WHERE m.item_id = id)"
        f" WHERE id {IN} AND source_id IN (SELECT s.id FROM sources s, context_items i WHERE i.id = context_items.id"
        f" AND NOT ({inside}))",
        [item_ids],
    )
