"""The request ``tool``: a call of one of the agent's tools, whose paths may be whatever a user calls a stored file.

Used by ``control.answers``, on the thread that answers. A PATH becomes drive and path here; what the tool answers, a
failure too, is the result.
"""

from __future__ import annotations

from typing import Any

from kgfs.control.path_arguments import PathArgument
from kgfs.control.stored_places import StoredPlaces
from kgfs.errors import KgfsError
from kgfs.tools.calling import call
from kgfs.tools.outcome import failure
from kgfs.tools.reach import Reach

_DRIVES = {"path": "drive", "src_path": "src_drive", "dst_path": "dst_drive"}
"""Parameter of a path to that of its drive."""


def answer(
    reach: Reach, stored: StoredPlaces, name: str, arguments: dict[str, Any], places: dict[str, PathArgument]
) -> dict[str, Any]:
    """What the tool returns. ``places`` are its paths as the user gave them."""
    try:
        for parameter, place in (_elsewhere(stored, name, arguments) | places).items():
            drive, path = stored.find(place)
            if place.text.endswith("/") and not path.endswith("/"):
                path += "/"  # to move something to a directory means into it
            if drive is not None:
                arguments |= {_DRIVES[parameter]: drive, parameter: path}
    except KgfsError as error:
        return failure(error, "A stored file is drive:/path; context_list_drives({}) lists the drives.")
    return call(reach, name, arguments, through="command")


def _elsewhere(stored: StoredPlaces, name: str, arguments: dict[str, Any]) -> dict[str, PathArgument]:
    """The paths of a tool of stored files that are paths of the tree: on the mount, below ``/kg``, in ``context/``."""
    if not name.startswith("context_"):
        return {}
    found = {}
    for parameter in _DRIVES.keys() & arguments.keys():
        text = arguments[parameter]
        if isinstance(text, str) and stored.in_tree(text):
            found[parameter] = PathArgument(text=text)
    return found
