"""The requests about what files held before: ``history``, ``diff`` and ``restore``.

Used by ``control.answers``, on the thread that answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from kgfs.control.frames import FrameError, Reply, converted
from kgfs.control.path_arguments import PathArgument
from kgfs.control.stored_places import StoredPlaces

if TYPE_CHECKING:
    from kgfs.service.versions import Versions

PIECE = 1 << 20


class Asked(msgspec.Struct):
    """The arguments of these requests."""

    place: PathArgument
    number: int | None = None
    other: int | None = None


def _asked(stored: StoredPlaces, arguments: dict[str, Any]) -> tuple[str, str, Asked]:
    """Drive and path that are meant, which need not be there, and the numbers."""
    asked: Asked = converted(arguments, Asked)
    drive, path = stored.on_one_drive(asked.place)
    return drive, path, asked


def history(versions: Versions, stored: StoredPlaces, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    """One item a version."""
    drive, path, _ = _asked(stored, arguments)
    found = versions.listed(drive, path)
    for version in found:
        reply.item(version)
    return {"ref": f"{drive}:{path}", "versions": len(found)}


def diff(versions: Versions, stored: StoredPlaces, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    """The unified diff as data."""
    drive, path, asked = _asked(stored, arguments)
    answer, text = versions.compared(drive, path, asked.number, asked.other)
    for start in range(0, len(text), PIECE):
        reply.data(text[start : start + PIECE])
    return answer


def restore(versions: Versions, stored: StoredPlaces, arguments: dict[str, Any]) -> dict[str, Any]:
    """What was written back."""
    drive, path, asked = _asked(stored, arguments)
    if asked.number is None:
        raise FrameError("The request lacks the number of a version.")
    return versions.restored(drive, path, asked.number)
