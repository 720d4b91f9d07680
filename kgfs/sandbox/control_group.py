"""A control group for all processes of a command: it bounds their number for root too, and their memory together.

Used by ``kgfs.sandbox.starting``. Such a group can be made by root on most machines, and by a user where the system
grants a part of the tree. In the old tree (version 1) only the number is bounded, in the new one memory too where it
is given on.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path

from kgfs import mounts

OWN_GROUPS = Path("/proc/self/cgroup")
_NEW, _OLD = "cgroup2", "cgroup"
_PIDS, _MEMORY = "pids", "memory"
_PREFIX = "kgfs-run-"
"""Its name goes on with a number and the process that made it."""
_NUMBERS = count()
_JOINING = 'echo 0 > "$0" && exec "$@"'
_ENDING_SECONDS = 10.0


class ControlGroup:
    """A group that was made for one command."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def joining(self) -> Sequence[str]:
        """The words that start a command in it."""
        return ["sh", "-c", _JOINING, str(self._folder / "cgroup.procs")]

    def killed_for_memory(self) -> bool:
        """Whether the kernel ended a process of it because all together had too much memory."""
        try:
            events = dict(line.split() for line in (self._folder / "memory.events").read_text().splitlines())
        except (OSError, ValueError):
            return False
        return events.get("oom_kill", "0") != "0"

    def remove(self) -> None:
        """End every process in it, and remove it."""
        until = time.monotonic() + _ENDING_SECONDS
        while time.monotonic() < until:
            try:
                self._folder.rmdir()
                return
            except FileNotFoundError:
                return
            except OSError:  # somebody is still in it
                for pid in (self._folder / "cgroup.procs").read_text().split():
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(int(pid), signal.SIGKILL)
                time.sleep(0.01)


def new_group(processes: int, memory_bytes: int) -> ControlGroup | None:
    """A group with these limits; none where this user can make none."""
    for place in _places():
        folder = place / f"{_PREFIX}{next(_NUMBERS)}-{os.getpid()}"
        _sweep(place)
        try:
            folder.mkdir()
        except OSError:
            continue
        try:
            _set(folder / "pids.max", processes)
            if (folder / "memory.max").exists():
                _set(folder / "memory.max", memory_bytes)
                with contextlib.suppress(OSError):  # a kernel without swapping has no such file
                    _set(folder / "memory.swap.max", 0)
            (folder / "cgroup.procs").read_text()
        except OSError:
            with contextlib.suppress(OSError):
                folder.rmdir()
            continue
        return ControlGroup(folder)
    return None


def _set(file: Path, value: int) -> None:
    """Write to a file that the kernel made; one that is not there is not made."""
    with file.open("r+b", buffering=0) as opened:
        opened.write(str(value).encode())


def _sweep(place: Path) -> None:
    """Remove groups whose maker was killed before it could; one in which somebody is stays."""
    for left in place.glob(f"{_PREFIX}*"):
        if not os.path.exists(f"/proc/{left.name.rpartition('-')[2]}"):
            with contextlib.suppress(OSError):
                left.rmdir()


def _places() -> Iterator[Path]:
    """Directories in which a group would be counted: from the one of this process upward."""
    try:
        lines = OWN_GROUPS.read_text().splitlines()
    except OSError:
        return
    own = {
        controller: path for _, names, path in (line.split(":", 2) for line in lines) for controller in names.split(",")
    }
    for mount in mounts.all_mounts():
        if mount.type == _NEW and "" in own:
            place = mount.mountpoint / own[""].lstrip("/")
            for folder in (place, *place.parents):
                if not folder.is_relative_to(mount.mountpoint):
                    break
                with contextlib.suppress(OSError):
                    if {_PIDS, _MEMORY} <= set((folder / "cgroup.subtree_control").read_text().split()):
                        yield folder
        elif mount.type == _OLD and _PIDS in mount.options and _PIDS in own:
            yield mount.mountpoint / own[_PIDS].lstrip("/")
