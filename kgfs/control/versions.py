"""The requests about what files held before: ``history``, ``diff`` and ``restore``.

Used by ``control.answers``, on the thread that answers; the last two by its ``rm``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from kgfs.control.frames import FrameError, Reply
from kgfs.control.path_arguments import PathArgument
from kgfs.errors import NotFoundError, UsageError
from kgfs.model import prepared

if TYPE_CHECKING:
    from kgfs.service import Service

PIECE = 1 << 20


class Asked(msgspec.Struct):
    """The arguments of these requests."""

    place: PathArgument
    number: int | None = None
    other: int | None = None


def _asked(service: Service, arguments: dict[str, Any]) -> tuple[str, str, Asked]:
    """Drive and path that are meant, which need not be there, and the numbers."""
    from kgfs.control.tooling import stored_place

    try:
        asked: Asked = msgspec.convert(arguments, prepared(Asked))
    except msgspec.ValidationError as error:
        raise FrameError(f"The request lacks an argument, or has another: {error}.") from error
    drive, path = stored_place(service, asked.place)
    if drive is None:
        raise UsageError(f"{asked.place.text} is every drive; name a file or a directory of one: agent:/notes.")
    return drive, path, asked


def history(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    """One item a version."""
    from kgfs.service import versions

    drive, path, _ = _asked(service, arguments)
    found = versions.listed(service, drive, path)
    for version in found:
        reply.item(version)
    return {"ref": f"{drive}:{path}", "versions": len(found)}


def diff(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    """The unified diff as data."""
    from kgfs.service import versions

    drive, path, asked = _asked(service, arguments)
    answer, text = versions.compared(service, drive, path, asked.number, asked.other)
    for start in range(0, len(text), PIECE):
        reply.data(text[start : start + PIECE])
    return answer


def restore(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    """What was written back."""
    from kgfs.service import versions

    drive, path, asked = _asked(service, arguments)
    if asked.number is None:
        raise FrameError("The request lacks the number of a version.")
    return versions.restored(service, drive, path, asked.number)


def remove_written(service: Service, drive: str, path: str, recursive: bool, purge: bool) -> int:
    """Remove what was written here, for ``rm``; answers how many files went. With ``purge`` none need be left."""
    from kgfs.service import versions

    try:
        return service.files_by_path.remove(drive, path, recursive=recursive, purge=purge)
    except NotFoundError:
        if purge and versions.known(service, drive, path, recursive):
            return 0
        raise


def erase(service: Service, drive: str, path: str, recursive: bool) -> int:
    """Erase what files held before, for ``rm --purge``; answers how many versions went."""
    from kgfs.service import versions

    return versions.purged(service, drive, path, recursive)


def answers_left(service: Service) -> bool:
    """Whether there are answers of language models about documents that are gone."""
    from kgfs.service import versions

    return versions.answers_left(service)


def erase_answers(service: Service) -> int:
    """Erase what language models answered about documents that are gone, for ``rm --purge``; answers how many went."""
    from kgfs.service import versions

    return versions.answers_purged(service)
