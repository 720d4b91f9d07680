"""What programs change in the file systems beneath the tree, gathered for the audit trail.

Used by ``submount`` and ``session``, on the loop's thread. A record for each of the thousands of files that a program
unpacks would cost more than making them, and say little: so one record has what a process did in a file system until it
paused, or in half a second, in numbers, with the first paths.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import msgspec

from kgfs.callers import Caller
from mountd.requesters import Requesters

Record = Callable[[str, dict[str, Any], int, int, Caller], None]
"""Takes a call that ended: name, parameters, when it began and ended (nanoseconds since 1970), and its process."""

GATHER_SECONDS = 0.5
"""What a process does is gathered for so long at most …"""
IDLE_SECONDS = 0.1
"""… and no longer when it did nothing for so long: little is lost when the daemon is killed."""
PATHS = 20


class _Gathered:
    """What one process did."""

    __slots__ = ("began_ns", "by", "bytes", "ended_ns", "operations", "paths")

    def __init__(self, by: Caller) -> None:
        self.by = by
        self.began_ns = self.ended_ns = time.time_ns()
        self.operations: dict[str, int] = {}
        self.bytes = 0
        self.paths: dict[str, None] = {}


class Changes:
    """The changes that have yet to be recorded. ``flush`` is called from time to time, and at the end."""

    def __init__(self, record: Record, requesters: Requesters) -> None:
        self._record, self._requesters = record, requesters
        self._gathered: dict[tuple[str, int], _Gathered] = {}

    def note(
        self, area: str, operation: str, pid: int, path: Callable[[int, bytes], str], parent: int, name: bytes,
        size: int = 0,
    ) -> None:  # fmt: skip
        """Something was changed in an area: a file system, or one session after a slash. ``path`` is called with
        ``parent`` and ``name`` if the path is kept."""
        gathered = self._gathered.get((area, pid))
        if gathered is None:
            gathered = self._gathered[area, pid] = _Gathered(self._requesters.of(pid))
        gathered.ended_ns = time.time_ns()
        operations = gathered.operations
        operations[operation] = operations.get(operation, 0) + 1
        gathered.bytes += size
        if len(gathered.paths) < PATHS:
            gathered.paths[path(parent, name)] = None

    def flush(self, *, ending: bool = False) -> None:
        """Record what was gathered long enough, and what processes that pause did; with ``ending``, everything."""
        if not self._gathered:
            return
        now = time.time_ns()
        began, ended = now - int(GATHER_SECONDS * 1e9), now - int(IDLE_SECONDS * 1e9)
        for key, gathered in list(self._gathered.items()):
            if not ending and began < gathered.began_ns <= now and ended < gathered.ended_ns:
                continue
            del self._gathered[key]
            parameters: dict[str, Any] = {"operations": gathered.operations, "paths": list(gathered.paths)}
            if gathered.bytes:
                parameters["bytes"] = gathered.bytes
            kind, _, session = key[0].partition("/")
            by = msgspec.structs.replace(gathered.by, session=session or gathered.by.session)
            self._record(f"{kind.removeprefix('@')}_changes", parameters, gathered.began_ns, gathered.ended_ns, by)
