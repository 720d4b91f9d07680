"""What drives hold: counts and sizes, what lies beneath a directory, and items near a path that is not there.

Used by the agent's tools, on any thread, with a cursor of ``Database.read``. A directory is a path that others lie
beneath, or a row of ``items.DIRECTORY``; ``/`` is the whole drive. Paths of directories have no slash at their end.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

import msgspec

from kgfs.store.catalog.database import Cursor
from kgfs.store.files.items import DIRECTORY

_FILE = f"mime_type IS DISTINCT FROM '{DIRECTORY}'"
_BENEATH = "drive = $drive AND starts_with(path, $prefix) AND path <> '/'"


class DriveCount(msgspec.Struct, frozen=True):
    """How much one drive holds."""

    drive: str
    files: int
    directories: int
    """Those that have a row of their own."""
    size: int
    """Bytes of all bodies."""


class Folder(NamedTuple):
    """What stands in one directory itself."""

    path: str
    """Beneath the directory that was asked for: ``""`` is that itself, ``a/b`` one in it."""
    files: int
    size: int
    """Bytes of these files."""


class FileHere(NamedTuple):
    """A file in a directory."""

    folder: str
    """As ``Folder.path``."""
    name: str
    size: int


class TextFile(NamedTuple):
    """A stored file that has a text."""

    id: int
    path: str
    ref: str
    size: int
    """Bytes of the text."""
    extracted: bool
    """Whether the text is that of its document, which was read from its body; else it is the body."""


class ItemDetails(msgspec.Struct, frozen=True):
    """What a row says beside ``items.Item``."""

    created_at: datetime
    updated_at: datetime
    indexed_at: datetime | None
    source_url: str | None
    document: str | None
    """The slug of its document, where one was made of it."""
    parsed_gen: int


def _prefix(path: str) -> str:
    return path.rstrip("/") + "/"


def drives(cursor: Cursor) -> list[DriveCount]:
    """Every drive that has rows, by name."""
    rows = cursor.execute(
        f"SELECT drive, count(*) FILTER ({_FILE}), count(*) FILTER (NOT {_FILE}),"
        " coalesce(sum(size), 0)::BIGINT FROM context_items GROUP BY drive ORDER BY drive"
    ).fetchall()
    return [DriveCount(*row) for row in rows]


def is_directory(cursor: Cursor, drive: str, path: str) -> bool:
    """Whether a path is a directory: it has a row as one, or something lies beneath it."""
    return bool(
        cursor.execute(
            f"SELECT 1 FROM context_items WHERE drive = $drive AND (starts_with(path, $prefix)"
            f" OR (path = $path AND NOT {_FILE})) LIMIT 1",
            {"drive": drive, "prefix": _prefix(path), "path": path},
        ).fetchall()
    )


_ROWS = (
    f"rows AS (SELECT substr(path, length($prefix) + 1) AS rest, size, {_FILE} AS is_file FROM context_items"
    f" WHERE {_BENEATH}),"
    " placed AS (SELECT CASE WHEN NOT is_file THEN rest WHEN contains(rest, '/')"
    " THEN regexp_replace(rest, '/[^/]*$', '') ELSE '' END AS folder,"
    " regexp_extract(rest, '[^/]*$') AS name, size, is_file FROM rows)"
)
"""What lies beneath a directory: a file by the directory in which it stands, a directory's row by its own path."""


def folders_beneath(cursor: Cursor, drive: str, path: str) -> list[Folder]:
    """The directories at and beneath a path that hold files or have a row; those between need not be among them."""
    rows = cursor.execute(
        f"WITH {_ROWS} SELECT folder, count(*) FILTER (is_file), coalesce(sum(size) FILTER (is_file), 0)::BIGINT"
        " FROM placed GROUP BY folder",
        {"drive": drive, "prefix": _prefix(path)},
    ).fetchall()
    return [Folder(*row) for row in rows]


def files_in(cursor: Cursor, drive: str, path: str, wanted: Sequence[str], each: int) -> list[FileHere]:
    """The files that stand in the ``wanted`` folders beneath a path, by name; at most ``each`` of one folder."""
    rows = cursor.execute(
        f"WITH {_ROWS} SELECT folder, name, size FROM placed"
        " WHERE is_file AND folder IN (SELECT unnest($wanted::VARCHAR[]))"
        " QUALIFY row_number() OVER (PARTITION BY folder ORDER BY name) <= $each ORDER BY folder, name",
        {"drive": drive, "prefix": _prefix(path), "wanted": list(wanted), "each": each},
    ).fetchall()
    return [FileHere(*row) for row in rows]


_READ = "i.parsed_gen >= i.want_gen"
"""Nobody wrote to it since it was read: its document is that of its body."""
_EXTRACTED = f"(d.text IS NOT NULL AND {_READ})"
_UNREADABLE = f"(d.id IS NULL AND (i.error IS NOT NULL OR coalesce(i.notes, '[]') <> '[]') AND {_READ})"
"""It was read and gave no document; a note says why."""
_WITH_DOCUMENTS = "context_items i LEFT JOIN documents d ON d.id = i.id"


def text_files(cursor: Cursor, drive: str | None, path: str) -> list[TextFile]:
    """The files that have a text at and beneath a path, or without a drive all of them."""
    rows = cursor.execute(
        f"SELECT i.id, i.path, i.ref, CASE WHEN {_EXTRACTED} THEN d.text_size ELSE i.size END, {_EXTRACTED}"
        f" FROM {_WITH_DOCUMENTS} WHERE ({_EXTRACTED} OR (i.is_textual AND NOT {_UNREADABLE}))"
        + ("" if drive is None else " AND i.drive = $drive AND (i.path = $path OR starts_with(i.path, $prefix))"),
        {} if drive is None else {"drive": drive, "path": path, "prefix": _prefix(path)},
    ).fetchall()
    return [TextFile(*row) for row in rows]


def extracted_text(cursor: Cursor, item_id: int) -> str | None:
    """The text that was read from a file's body; ``None`` where the body is the text, or there is none."""
    rows = cursor.execute(f"SELECT d.text FROM {_WITH_DOCUMENTS} WHERE i.id = ? AND {_EXTRACTED}", [item_id]).fetchall()
    return str(rows[0][0]) if rows else None


def unreadable_reason(cursor: Cursor, item_id: int) -> str | None:
    """Why no text could be read from a file's body, in a sentence; ``None`` where that is not so."""
    sql = f"SELECT i.error, coalesce(i.notes, '[]') FROM {_WITH_DOCUMENTS} WHERE i.id = ? AND {_UNREADABLE}"
    for error, notes in cursor.execute(sql, [item_id]).fetchall():
        return str(error or " ".join(msgspec.json.decode(notes, type=list[str])))
    return None


def near_paths(cursor: Cursor, drive: str, path: str, most: int) -> tuple[str, list[str]]:
    """The nearest directory above a path that has files in or beneath it, and the paths of some of these.

    Files that stand in it come first, then those whose names are likest to the one that was asked for.
    ``("/", [])`` where the drive has no file.
    """
    name = path.rpartition("/")[2].lower()[:255]
    above = path.rstrip("/").rpartition("/")[0]
    while True:
        rows = cursor.execute(
            "WITH rows AS (SELECT path, substr(path, length($prefix) + 1) AS rest FROM context_items"
            f" WHERE {_BENEATH} AND {_FILE})"
            " SELECT path FROM rows ORDER BY contains(rest, '/'),"
            " levenshtein(lower(regexp_extract(rest, '[^/]*$')), $name), path LIMIT $most",
            {"drive": drive, "prefix": above + "/", "name": name, "most": most},
        ).fetchall()
        if rows or not above:
            return above or "/", [str(row[0]) for row in rows]
        above = above.rpartition("/")[0]


def refs_elsewhere(cursor: Cursor, path: str, most: int) -> list[str]:
    """The refs of items that have this path on any drive."""
    rows = cursor.execute(
        f"SELECT ref FROM context_items WHERE path = ? AND {_FILE} ORDER BY ref LIMIT {int(most)}", [path]
    ).fetchall()
    return [str(row[0]) for row in rows]


def item_details(cursor: Cursor, item_id: int) -> ItemDetails | None:
    """More about one item; ``None`` where it is gone."""
    rows = cursor.execute(
        "SELECT created_at, updated_at, indexed_at, source_url,"
        " (SELECT slug FROM documents d WHERE d.id = i.id), parsed_gen FROM context_items i WHERE id = ?",
        [item_id],
    ).fetchall()
    return ItemDetails(*rows[0]) if rows else None


def of_document(cursor: Cursor, slug: str) -> int | None:
    """The item of a document."""
    rows = cursor.execute("SELECT id FROM documents WHERE slug = ?", [slug]).fetchall()
    return int(rows[0][0]) if rows else None
