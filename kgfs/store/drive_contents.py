"""What drives hold: counts and sizes, what lies beneath a directory, and items near a path that is not there.

Used by the agent's tools, on any thread, with a cursor of ``Database.read``. A directory is a path that others lie
beneath, or a row of ``items.DIRECTORY``; ``/`` is the whole drive. Paths of directories have no slash at their end.
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

import msgspec

from kgfs.store.database import Cursor
from kgfs.store.items import DIRECTORY

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


class Sum(msgspec.Struct, frozen=True):
    """How much lies beneath a directory."""

    files: int
    directories: int
    """Those with a row of their own and those that follow from the paths of files."""
    size: int


class Child(msgspec.Struct, frozen=True):
    """One name in a directory."""

    path: str
    is_file: bool
    is_directory: bool
    """Both where the path of one item goes on in that of another."""
    size: int
    """Bytes of the file itself."""
    files: int
    """Files beneath it."""
    siblings: int
    """Names in the directory in which it stands."""


class TextFile(NamedTuple):
    """A stored text."""

    id: int
    path: str
    ref: str
    size: int


class Details(msgspec.Struct, frozen=True):
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


def total(cursor: Cursor, drive: str, path: str, *, recursive: bool = True) -> Sum:
    """What lies beneath a directory; with ``recursive=False`` only what stands in it."""
    prefix = _prefix(path)
    given = {"drive": drive, "prefix": prefix}
    within = "" if recursive else " AND NOT contains(substr(path, length($prefix) + 1), '/')"
    ((files, size),) = cursor.execute(
        f"SELECT count(*) FILTER ({_FILE}), coalesce(sum(size), 0)::BIGINT FROM context_items WHERE {_BENEATH}{within}",
        given,
    ).fetchall()
    deeper = "range(1, len(parts) + (NOT is_file)::INTEGER)" if recursive else "[1]"
    ((directories,),) = cursor.execute(
        "WITH rows AS (SELECT string_split(substr(path, length($prefix) + 1), '/') AS parts,"
        f" {_FILE} AS is_file FROM context_items WHERE {_BENEATH}),"
        f" above AS (SELECT DISTINCT parts, unnest({deeper}) AS depth FROM rows"
        " WHERE len(parts) > 1 OR NOT is_file)"
        " SELECT count(DISTINCT array_to_string(parts[:depth], '/')) FROM above",
        given,
    ).fetchall()
    return Sum(files, directories, size)


def children(cursor: Cursor, drive: str, path: str, level: int, each: int, most: int) -> list[Child]:
    """The names ``level`` components beneath a directory, by path; at most ``each`` of one directory, ``most`` in all.

    Of each directory the names come in order, so that what is left out is its end.
    """
    rows = cursor.execute(
        "WITH rows AS (SELECT string_split(substr(path, length($prefix) + 1), '/') AS parts, size,"
        f" {_FILE} AS is_file FROM context_items WHERE {_BENEATH}),"
        " names AS (SELECT parts[:$level] AS head, bool_or(is_file AND len(parts) = $level) AS is_file,"
        " bool_or(len(parts) > $level OR NOT is_file) AS is_directory,"
        " coalesce(sum(size) FILTER (is_file AND len(parts) = $level), 0)::BIGINT AS size,"
        " count(*) FILTER (is_file AND len(parts) > $level) AS files"
        " FROM rows WHERE len(parts) >= $level GROUP BY head)"
        " SELECT $prefix || array_to_string(head, '/') AS path, is_file, is_directory, size, files,"
        " count(*) OVER (PARTITION BY head[:$level - 1]) AS siblings FROM names"
        " QUALIFY row_number() OVER (PARTITION BY head[:$level - 1] ORDER BY head) <= $each"
        " ORDER BY head LIMIT $most",
        {"drive": drive, "prefix": _prefix(path), "level": level, "each": each, "most": most},
    ).fetchall()
    return [Child(*row) for row in rows]


def texts(cursor: Cursor, drive: str | None, path: str) -> list[TextFile]:
    """The files that are text at and beneath a path, or without a drive all of them."""
    rows = cursor.execute(
        "SELECT id, path, ref, size FROM context_items WHERE is_textual"
        + ("" if drive is None else " AND drive = $drive AND (path = $path OR starts_with(path, $prefix))"),
        {} if drive is None else {"drive": drive, "path": path, "prefix": _prefix(path)},
    ).fetchall()
    return [TextFile(*row) for row in rows]


def near(cursor: Cursor, drive: str, path: str, most: int) -> tuple[str, list[str]]:
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


def elsewhere(cursor: Cursor, path: str, most: int) -> list[str]:
    """The refs of items that have this path on any drive."""
    rows = cursor.execute(
        f"SELECT ref FROM context_items WHERE path = ? AND {_FILE} ORDER BY ref LIMIT {int(most)}", [path]
    ).fetchall()
    return [str(row[0]) for row in rows]


def details(cursor: Cursor, item_id: int) -> Details | None:
    """More about one item; ``None`` where it is gone."""
    rows = cursor.execute(
        "SELECT created_at, updated_at, indexed_at, source_url,"
        " (SELECT slug FROM documents d WHERE d.id = i.id), parsed_gen FROM context_items i WHERE id = ?",
        [item_id],
    ).fetchall()
    return Details(*rows[0]) if rows else None


def of_document(cursor: Cursor, slug: str) -> int | None:
    """The item of a document."""
    rows = cursor.execute("SELECT id FROM documents WHERE slug = ?", [slug]).fetchall()
    return int(rows[0][0]) if rows else None
