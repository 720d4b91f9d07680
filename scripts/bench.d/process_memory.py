"""Resident memory of a process and of what it started, for the benchmarks that mount."""

from __future__ import annotations

import os
from pathlib import Path


def resident(pid: int) -> int:
    """Resident bytes of a process."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def resident_below(parent: int) -> int:
    """Resident bytes of all processes that one started, and of those that they started. One that ends meanwhile counts
    nothing."""
    found, waiting = 0, [parent]
    while waiting:
        try:
            above = waiting.pop()
            children = [
                int(child)
                for task in Path(f"/proc/{above}/task").iterdir()
                for child in (task / "children").read_text().split()
            ]
            found += resident(above) if above != parent else 0
        except (FileNotFoundError, ProcessLookupError):
            continue
        waiting += children
    return found
