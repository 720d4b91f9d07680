"""Tools that say what there is: drives, trees, sizes, what an item is, whether it is there.

Used through the registry, on the thread that calls a tool.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from kgfs.errors import NotADirectory
from kgfs.store.catalog.database import Cursor
from kgfs.store.files import drive_contents
from kgfs.store.files.items import DIRECTORY, SYMLINK, Item
from kgfs.tools import lines
from kgfs.tools.addresses import Address, directory_address, lookup, not_found
from kgfs.tools.outcome import Hinted, Value, call_text, done
from kgfs.tools.outline import outline, summed
from kgfs.tools.parameters import AGENT, ItemParameters, NoParameters, SizeParameters, TreeParameters
from kgfs.tools.reach import Reach
from kgfs.tools.sizes import size_text
from kgfs.tools.texts import text_of

SNAPSHOT_ENTRIES = 50


def list_drives(reach: Reach, given: NoParameters) -> Value:
    """``drives``: ``drive, count, directories, size, writable`` of each that has content, and of ``agent``.

    Another one that may be written (``mount --writable``) is there when something was added to it.
    """
    with reach.database.read() as cursor:
        counts = {each.drive: each for each in drive_contents.drives(cursor)}
    drives: list[Value] = []
    for drive in sorted({*counts, AGENT}):
        one = counts.get(drive) or drive_contents.DriveCount(drive, 0, 0, 0)
        drives.append(
            {
                "drive": drive,
                "count": one.files,
                "directories": one.directories,
                "size": one.size,
                "writable": reach.may_write(drive),
            }
        )
    if any(each["count"] for each in drives):
        return done(drives=drives)
    return done(drives=drives, hint="Nothing is stored yet. The user can run `kgfs add PATH` to add documents.")


def tree(reach: Reach, given: TreeParameters) -> Value:
    """``tree`` as text; ``directories``, ``files``, ``size`` of all beneath it; whether it is ``truncated``."""
    if given.drive is None and given.path == "/":
        listed = list_drives(reach, NoParameters())
        text = "\n".join(f"{each['drive']}:/  {each['count']:,}" for each in listed["drives"])
        return {**listed, "tree": text}
    with reach.database.read(snapshot=True) as cursor:
        place = _directory(reach, cursor, given.drive or AGENT, given.path)
        top = summed(cursor, *place)
        drawn = outline(cursor, place.drive, place.path, top, given.max_depth, given.max_entries)
    return done(
        ref=place.ref,
        tree=drawn.text,
        files=top.files,
        directories=top.directories,
        size=top.size,
        shown=drawn.shown,
        truncated=drawn.truncated,
    )


def snapshot(reach: Reach, drive: str, path: str) -> str:
    """A small tree around a place that was just written: of the drive, or where that is large of its directory."""
    with reach.database.read(snapshot=True) as cursor:
        drawn = outline(cursor, drive, "/", summed(cursor, drive, "/"), 10, SNAPSHOT_ENTRIES)
        above = path.rpartition("/")[0]
        if drawn.truncated and above:
            drawn = outline(cursor, drive, above, summed(cursor, drive, above), 2, SNAPSHOT_ENTRIES)
    return drawn.text


def dir_size(reach: Reach, given: SizeParameters) -> Value:
    """``bytes``, ``formatted``, ``files`` and ``directories`` of a directory, or of one item."""
    with reach.database.read(snapshot=True) as cursor:
        place = directory_address(given.drive, given.path)
        if not _is_directory(reach, cursor, place):
            item = lookup(cursor, given.drive, given.path)
            if item is None:
                raise not_found(cursor, place)
            return done(ref=item.ref, bytes=item.size, formatted=size_text(item.size), files=1, directories=0)
        top = summed(cursor, *place)
    size, files, directories = top.size, top.files, top.directories
    if not given.recursive:
        size, files, directories = top.own_size, top.own_files, len(top.folders)
    return done(ref=place.ref, bytes=size, formatted=size_text(size), files=files, directories=directories)


def exists(reach: Reach, given: ItemParameters) -> Value:
    """``exists``; where so its ``ref``, ``id`` and whether it is a ``file``, a ``link`` or a ``directory``."""
    with reach.database.read(snapshot=True) as cursor:
        item = lookup(cursor, given.drive, given.path)
        if item is not None:
            kind = {DIRECTORY: "directory", SYMLINK: "link"}.get(item.mime_type or "", "file")
            return done(exists=True, kind=kind, ref=item.ref, id=str(item.id))
        place = directory_address(given.drive, given.path)
        there = _is_directory(reach, cursor, place)
    return done(exists=True, kind="directory", ref=place.ref) if there else done(exists=False, ref=place.ref)


def info(reach: Reach, given: ItemParameters) -> Value:
    """``file``: what is known of an item; for a directory what lies in it."""
    with reach.database.read(snapshot=True) as cursor:
        item = lookup(cursor, given.drive, given.path)
        if item is not None and item.mime_type != DIRECTORY:
            return done(file=_described(reach, cursor, item))
        place = directory_address(given.drive, given.path) if item is None else Address(item.drive, item.path)
        if not _is_directory(reach, cursor, place):
            raise not_found(cursor, place)
        top = summed(cursor, *place)
        described: dict[str, Any] = {} if item is None else {"id": str(item.id)}
    described |= {
        "ref": place.ref, "drive": place.drive, "path": place.path, "mime_type": DIRECTORY, "is_directory": True,
        "files": top.files, "directories": top.directories, "size": top.size,
        "writable": reach.may_write(place.drive),
    }  # fmt: skip
    return done(file=described)


def _described(reach: Reach, cursor: Cursor, item: Item) -> dict[str, Any]:
    more = drive_contents.item_details(cursor, item.id)
    text = text_of(cursor, item)
    counted = None if text is None or text.size > lines.COUNTED_BYTES else lines.count_lines(text).lines
    described: dict[str, Any] = {
        "id": str(item.id),
        "ref": item.ref,
        "drive": item.drive,
        "path": item.path,
        "title": item.title,
        "mime_type": item.mime_type,
        "is_textual": item.is_textual,
        "is_directory": False,
        "size": item.size,
        "lines": counted,
        "hash": item.hash,
        "writable": reach.may_write(item.drive),
        "error": item.error,
    }
    if more is not None:
        described |= {
            "document": more.document,
            "source_url": more.source_url,
            "created_at": _time(more.created_at),
            "updated_at": _time(more.updated_at),
            "indexed_at": _time(more.indexed_at),
            "is_indexed": more.parsed_gen >= item.want_gen and item.have_gen >= item.want_gen,
        }
    return described


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat(timespec="seconds") + "Z"


def _is_directory(reach: Reach, cursor: Cursor, place: Address) -> bool:
    if place.path == "/" and place.drive in reach.writable:
        return True  # it can be written, though nothing is in it yet
    return drive_contents.is_directory(cursor, *place)


def _directory(reach: Reach, cursor: Cursor, drive: str, path: str) -> Address:
    """The directory at a place. ``NotFoundError`` with what is near, ``NotADirectory``."""
    place = directory_address(drive, path)
    if _is_directory(reach, cursor, place):
        return place
    item = lookup(cursor, drive, path)
    if item is None:
        raise not_found(cursor, place)
    if item.mime_type != DIRECTORY:
        raise Hinted(
            NotADirectory(f"{item.ref} is a file, no directory."),
            f"Call {call_text('context_read', drive=item.drive, path=item.path)} to read it.",
        )
    return Address(item.drive, item.path)
