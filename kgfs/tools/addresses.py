"""From what a tool is given (drive and path, ``drive:/path``, an id) to an item or a directory.

Used by the tools, on the thread that calls them.
"""

from __future__ import annotations

from typing import NamedTuple

from kgfs import paths
from kgfs.errors import IsADirectory, NotFoundError, UsageError
from kgfs.store.catalog.database import Cursor
from kgfs.store.files import drive_contents, items
from kgfs.store.files.items import DIRECTORY, Item
from kgfs.tools.nearby import hint_near
from kgfs.tools.outcome import Hinted, call_text


class Address(NamedTuple):
    """A place of a drive; nothing need be there."""

    drive: str
    path: str

    @property
    def ref(self) -> str:
        return items.ref(self.drive, self.path)


def address(drive: str, path: str) -> Address:
    """The place that a drive and a path mean; a ``drive:/path`` wins over the drive. ``UsageError``."""
    if (ref := paths.parse_ref(path)) is not None:
        drive, path = ref
    if not paths.is_drive(drive):
        raise UsageError(f"{drive!r} is not a drive; a drive has a name such as agent, disk or url.")
    if "\0" in path:
        raise UsageError("The path holds a NUL byte; no path does.")
    if not path.startswith("/"):
        path = "/" + path
    return Address(drive, path)


def directory_address(drive: str, path: str) -> Address:
    """The same for a directory: a slash at the end means nothing."""
    found = address(drive, path)
    return Address(found.drive, found.path.rstrip("/") or "/")


def lookup(cursor: Cursor, drive: str, path: str) -> Item | None:
    """The row at a place; else, for a bare word, the item of this id or the item of this document."""
    place = address(drive, path)
    found = items.find_item(cursor, place.ref)
    if found is None and len(place.path) > 1 and place.path.endswith("/"):
        found = items.find_item(cursor, items.ref(place.drive, place.path.rstrip("/")))
        if found is not None and found.mime_type != DIRECTORY:
            found = None
    if found is None and "/" not in path:
        number = paths.item_id(path)
        if number is None:
            number = drive_contents.of_document(cursor, path)
        if number is not None:
            found = items.items_by_id(cursor, [number]).get(number)
    return found


def require_file(cursor: Cursor, drive: str, path: str) -> Item:
    """The item at a place. ``NotFoundError`` with what is near, ``IsADirectory``."""
    found = lookup(cursor, drive, path)
    if found is not None and found.mime_type != DIRECTORY:
        return found
    place = directory_address(drive, path) if found is None else Address(found.drive, found.path)
    if found is not None or drive_contents.is_directory(cursor, *place):
        raise Hinted(
            IsADirectory(f"{place.ref} is a directory."),
            f"Call {call_text('context_tree', drive=place.drive, path=place.path)} to see what it holds.",
        )
    raise not_found(cursor, address(drive, path))


def not_found(cursor: Cursor, place: Address) -> Hinted:
    """The error of a place where nothing is, with what is near it."""
    return Hinted(NotFoundError(f"No context item at {place.ref}"), hint_near(cursor, place.drive, place.path))
