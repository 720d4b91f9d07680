"""The request ``tool``: a call of one of the agent's tools, whose paths may be whatever a user calls a stored file.

Used by ``control.answers``, on the thread that answers. A PATH becomes drive and path here; what the tool answers, a
failure too, is the result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kgfs.control.frames import Reply
from kgfs.control.path_arguments import PathArgument
from kgfs.control.stored_places import StoredPlaces
from kgfs.errors import KgfsError
from kgfs.progress import Cancel
from kgfs.tools.calling import call
from kgfs.tools.outcome import failure
from kgfs.tools.reach import Reach, TreeAnswer


class Enough(Exception):
    """Raised in a question when as much came as was wanted."""


class Collected:
    """A reply that keeps what comes, up to a number of items or bytes."""

    def __init__(self, cancel: Cancel, most: int) -> None:
        self.cancel, self._most = cancel, most
        self.items: list[Any] = []
        self.parts: list[bytes] = []
        self._size = 0

    def progress(self, progress: dict[str, Any]) -> None:
        """What takes long says how far it is; nobody looks."""

    def item(self, item: Any) -> None:
        if len(self.items) >= self._most:
            raise Enough
        self.items.append(item)

    def data(self, data: bytes) -> None:
        if self._size >= self._most:
            raise Enough
        self.parts.append(data[: self._most - self._size])
        self._size += len(self.parts[-1])
        if len(data) > len(self.parts[-1]):
            raise Enough


def collect(ask: Callable[[Reply], dict[str, Any]], cancel: Cancel, most: int) -> TreeAnswer:
    """Returns the answer to a request, at most so many items or bytes of it."""
    reply = Collected(cancel, most)
    try:
        result, cut = ask(reply), False
    except Enough:
        result, cut = {}, True
    return TreeAnswer(result, reply.items, b"".join(reply.parts), cut)


_DRIVES = {"path": "drive", "src_path": "src_drive", "dst_path": "dst_drive"}
"""Parameter of a path to that of its drive."""


def answer(
    reach: Reach,
    stored: StoredPlaces,
    name: str,
    arguments: dict[str, Any],
    places: dict[str, PathArgument],
    door: str = "command",
) -> dict[str, Any]:
    """What the tool returns. ``places`` are its paths as the user gave them; ``door`` says what calls."""
    try:
        for parameter, place in (_in_tree(stored, name, arguments) | places).items():
            drive, path = stored.find_drive_path(place)
            if place.text.endswith("/") and not path.endswith("/"):
                path += "/"  # to move something to a directory means into it
            if drive is not None:
                arguments |= {_DRIVES[parameter]: drive, parameter: path}
    except KgfsError as error:
        return failure(error, "A stored file is drive:/path; context_list_drives({}) lists the drives.")
    return call(reach, name, arguments, door=door)


def _in_tree(stored: StoredPlaces, name: str, arguments: dict[str, Any]) -> dict[str, PathArgument]:
    """The paths of a tool of stored files that can only be paths of the tree: on the mount, below ``/kg``."""
    if not name.startswith(("context_", "search_")):
        return {}
    texts = {parameter: arguments[parameter] for parameter in _DRIVES.keys() & arguments.keys()}
    return {
        parameter: PathArgument(text=text)
        for parameter, text in texts.items()
        if isinstance(text, str) and stored.in_tree(text)
    }
