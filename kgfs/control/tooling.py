"""The request ``tool``: a call of one of the agent's tools, whose paths may be whatever a user calls a stored file.

Used by ``control.answers``, on the thread that answers. A PATH becomes drive and path here; what the tool answers, a
failure too, is the result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kgfs import paths
from kgfs.control.path_arguments import PathArgument, find, readings, walk
from kgfs.errors import KgfsError, NotADirectory, NotFoundError, UsageError
from kgfs.namespace.context_tree import encode_component, path_of, typed_path
from kgfs.service.tooling import reach
from kgfs.tools.calling import call
from kgfs.tools.outcome import failure

if TYPE_CHECKING:
    from kgfs.service import Service

_DRIVES = {"path": "drive", "src_path": "src_drive", "dst_path": "dst_drive"}
"""Parameter of a path to that of its drive."""


def answer(service: Service, name: str, arguments: dict[str, Any], places: dict[str, PathArgument]) -> dict[str, Any]:
    """What the tool answers. ``places`` are its paths as the user gave them."""
    try:
        for parameter, place in places.items():
            drive, path = stored_place(service, place)
            if place.text.endswith("/") and not path.endswith("/"):
                path += "/"  # to move something to a directory means into it
            if drive is not None:
                arguments |= {_DRIVES[parameter]: drive, parameter: path}
    except KgfsError as error:
        return failure(error, "A stored file is drive:/path; context_list_drives({}) lists the drives.")
    return call(reach(service), name, arguments, through="command")


def stored_place(service: Service, place: PathArgument) -> tuple[str | None, str]:
    """Drive and path of a PATH; nothing need be there. ``(None, "/")`` is ``context/`` itself, all drives.

    ``UsageError`` for a place of the tree that is no stored file, ``NotFoundError`` for what is no place of it.
    """
    text = place.text
    drives = _drives(service)
    if place.exact is None:
        if (ref := paths.parse_ref(text)) is not None:
            return ref.drive, typed_path(*ref)
        drive = text.removesuffix(":")
        if paths.is_drive(drive) and (text.endswith(":") or drive in drives.values()):
            return drive, "/"
        if paths.is_number(text):
            return "agent", text
    try:
        canonical = service.namespace.path(find(service, place).node)
    except (NotFoundError, NotADirectory):
        return _missing(service, place, drives)
    found = _in_context(canonical, drives)
    return found if found is not None else service.references.at_path(canonical, text)


def _drives(service: Service) -> dict[str, str]:
    """Name beneath ``context/`` to drive."""
    rows = service.database.fetch("SELECT DISTINCT drive FROM context_items")
    return {"".join(encode_component(drive)): drive for drive in {*service.writable, *(str(row[0]) for row in rows)}}


def _in_context(canonical: str, drives: dict[str, str]) -> tuple[str | None, str] | None:
    """Drive and path of a path from the root, where that is beneath ``context/``."""
    top, *names = canonical.rstrip("/").split("/")
    if top != "context":
        return None
    if not names:
        return None, "/"
    drive = drives.get(names[0])
    if drive is None:
        return None
    return drive, path_of(drive, names[1:]) if names[1:] else "/"


def _missing(service: Service, place: PathArgument, drives: dict[str, str]) -> tuple[str | None, str]:
    """Drive and path of a PATH that is not there: by the part of it that is."""
    namespace = service.namespace
    for start, path, _ in readings(service, place):
        names = [name for name in path.split("/") if name not in ("", ".")]
        for there in range(len(names), -1, -1):
            try:
                trail = walk(namespace, walk(namespace, [namespace.root], start), "/".join(names[:there]))
            except (NotFoundError, NotADirectory):
                continue
            above = namespace.path(trail[-1])
            if above.partition("/")[0] != "context":
                break
            whole = "/".join((above, *names[there:]))
            found = _in_context(whole, drives)
            if found is None or ".." in names[there:]:
                raise NotFoundError(f"{place.text}: no such path; `kgfs context list` lists the drives.")
            return found
    drive, colon, path = place.text.partition(":")
    if colon and paths.is_drive(drive) and (drive in drives.values() or "/" in path):
        raise UsageError(f"{place.text}: a path on a drive begins at its root; write {drive}:/{path.strip()}.")
    if "/" not in place.text.rstrip("/"):
        raise NotFoundError(
            f"{place.text}: no such item, reference or id; write agent:/{place.text} for a path on the drive agent."
        )
    if ".." in place.text.split("/"):
        raise UsageError(f"{place.text} leads out of the drives; write agent:/a.md for a path on the drive agent.")
    raise UsageError(
        f"{place.text} is not beneath context/; write notes/{place.text.lstrip('/')} or"
        f" agent:/{place.text.lstrip('/')}."
    )
