"""The tool that reads sources again.

Used through the registry, on the thread that calls a tool.
"""

from __future__ import annotations

from kgfs.errors import UsageError
from kgfs.tools.addresses import directory_address
from kgfs.tools.outcome import Hinted, Value, done
from kgfs.tools.parameters import AGENT, RefreshParameters
from kgfs.tools.reach import Reach


def refresh(reach: Reach, given: RefreshParameters) -> Value:
    """Read again what was added, all of it or one place: what became of each of the ``sources``."""
    places = None
    if given.drive is not None or given.path is not None:
        place = directory_address(given.drive or "disk", given.path or "/")
        if place.drive == AGENT:
            raise Hinted(
                UsageError(f"{place.ref} comes from nowhere else: what is on the drive agent was written here."),
                "Only what was added can be refreshed; call context_list_drives({}) to see the drives.",
            )
        places = [place]
    return done(**reach.refresh(places))
