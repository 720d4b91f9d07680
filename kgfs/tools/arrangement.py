"""Tools that change where items are: delete, copy, move, new directories.

Used through the registry, on the thread that calls a tool. Everything goes through the drives and their gate.
"""

from __future__ import annotations

from kgfs.errors import ConflictError, ExistsError, IsADirectory, NotEmpty
from kgfs.store.files import drive_contents
from kgfs.tools.addresses import Address, address, directory_address, lookup, not_found
from kgfs.tools.discovery import snapshot
from kgfs.tools.outcome import Hinted, Value, call_text, done
from kgfs.tools.parameters import CreateDirectoryParameters, DeleteParameters, TransferParameters
from kgfs.tools.reach import Reach


def delete(reach: Reach, given: DeleteParameters) -> Value:
    """Remove an item, or with ``recursive`` a directory: how many files were ``deleted``."""
    place = _present(reach, given.drive, given.path)
    try:
        deleted = reach.files_by_path().remove(place.drive, place.path, recursive=given.recursive)
    except (IsADirectory, ConflictError) as error:  # a directory, and it holds something
        again = call_text("context_delete", drive=place.drive, path=place.path, recursive=True)
        if given.recursive:
            raise Hinted(
                NotEmpty(f"Somebody writes in {place.ref} at the same time; what they wrote is still there."),
                f"Call {again} again.",
            ) from error
        raise Hinted(
            IsADirectory(f"{place.ref} is a directory; nothing was deleted."),
            f"Call {again} to delete it with all beneath it.",
        ) from error
    return done(ref=place.ref, deleted=deleted)


def copy(reach: Reach, given: TransferParameters) -> Value:
    """Another item, or directory, with the same content: ``source`` and ``ref`` with ``tree`` around that."""
    source, to = _transfer(reach, given)
    try:
        reach.files_by_path().copy(source.drive, source.path, to.drive, to.path, overwrite=given.overwrite)
    except ConflictError as error:
        raise _taken(to, error) from error
    return done(source=source.ref, ref=to.ref, tree=snapshot(reach, to.drive, to.path))


def move(reach: Reach, given: TransferParameters) -> Value:
    """Another place, on any drive, for an item or a directory: ``source`` and ``ref`` with ``tree`` around that."""
    source, to = _transfer(reach, given)
    try:
        reach.files_by_path().move(source.drive, source.path, to.drive, to.path, overwrite=given.overwrite)
    except NotEmpty as error:
        raise Hinted(
            NotEmpty(f"{to.ref} is a directory that holds something; nothing was changed."),
            f"Take another path, or call {call_text('context_delete', drive=to.drive, path=to.path, recursive=True)}"
            " first.",
        ) from error
    except ConflictError as error:
        raise _taken(to, error) from error
    return done(source=source.ref, ref=to.ref, tree=snapshot(reach, to.drive, to.path))


def create_dir(reach: Reach, given: CreateDirectoryParameters) -> Value:
    """A directory, with those above it: whether it was ``created`` or there already."""
    place = directory_address(given.drive, given.path)
    try:
        created = reach.files_by_path().make_directory(place.drive, place.path)
    except ConflictError as error:
        raise Hinted(
            ExistsError(f"There is a file at {place.ref}; nothing was changed."),
            f"Take another path; {call_text('context_info', drive=place.drive, path=place.path)} says what it is.",
        ) from error
    return done(ref=place.ref, created=created)


def _transfer(reach: Reach, given: TransferParameters) -> tuple[Address, Address]:
    source = _present(reach, given.src_drive, given.src_path)
    to = address(given.dst_drive, given.dst_path)
    if len(to.path) > 1 and to.path.endswith("/"):  # as with cp: into that directory, under its own name
        to = Address(to.drive, to.path.rstrip("/") + "/" + source.path.rpartition("/")[2])
    return source, to


def _taken(place: Address, error: ConflictError) -> Hinted:
    return Hinted(
        ExistsError(error.message),
        f"Pass overwrite:true to replace it, or take another path;"
        f" {call_text('context_info', drive=place.drive, path=place.path)} says what it is.",
    )


def _present(reach: Reach, drive: str, path: str) -> Address:
    """The item or directory that is meant. ``NotFoundError`` with what is near."""
    with reach.database.read(snapshot=True) as cursor:
        item = lookup(cursor, drive, path)
        if item is not None:
            return Address(item.drive, item.path)
        place = directory_address(drive, path)
        if not drive_contents.is_directory(cursor, *place):
            raise not_found(cursor, place)
        return place
