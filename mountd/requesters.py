"""Which process makes a request: its number and what it runs, for the audit trail.

Used on the loop's thread. The kernel says which thread asks; the process and its program are in ``/proc``, which costs
some 30 µs, so an answer stands for a second.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from kgfs.callers import NOBODY, Caller

KNOWN_SECONDS = 1.0
KNOWN = 256


class Requesters:
    """The processes that asked of late."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[float, Caller]] = {}

    def of(self, pid: int) -> Caller:
        """The process of a thread; nobody for 0, which is what the kernel says of one that we cannot see."""
        if pid <= 0:
            return NOBODY
        now = time.monotonic()
        known = self._known.get(pid)
        if known is not None and now < known[0]:
            return known[1]
        if len(self._known) >= KNOWN:
            self._known.clear()
        found = _look(pid)
        self._known[pid] = (now + KNOWN_SECONDS, found)
        return found


def _look(pid: int) -> Caller:
    try:
        with open(f"/proc/{pid}/status", "rb") as file:
            text = file.read(512).decode(errors="replace")
        fields = dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)
        process = int(fields["Tgid"])
        command = fields["Name"] if process == pid else Path(f"/proc/{process}/comm").read_text(errors="replace")
    except (OSError, KeyError, ValueError):
        return Caller(pid)  # it has ended
    return Caller(process, os.path.basename(command.strip()) or None)
