"""How much a command may use, and the limits of the kernel that hold each of its processes to it.

Used by ``kgfs run``. The program ``prlimit`` sets them where the command runs: the number of processes is counted in
the namespace of users in which the limit is set.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Sequence

import msgspec

from kgfs.errors import KgfsError

PROGRAM = "prlimit"
FILE_BYTES = 1 << 30
"""No file may grow longer."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What a command may use in all, memory also each of its processes."""

    memory_bytes: int
    processes: int
    output_bytes: int
    seconds: float


def limiting(limits: Limits, others: int = 0) -> Sequence[str]:
    """The words that start a command with these limits; ``others`` are processes that are counted and not its own.

    Processor time has none of its own: it is counted for all threads together, and the time that passes bounds it.
    """
    if shutil.which(PROGRAM) is None:
        raise KgfsError(f"There is no {PROGRAM} in PATH; install the package util-linux.")
    values = {
        "as": limits.memory_bytes,
        "fsize": FILE_BYTES,
        "nproc": limits.processes + others,
        "core": 0,
    }
    return [PROGRAM, *(f"--{name}={value}:{value}" for name, value in values.items()), "--"]


def processes_of_user() -> int:
    """How many processes and threads this user has: outside a namespace the kernel counts them all together."""
    user, count = os.getuid(), 0
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError):
                if os.stat(f"/proc/{name}").st_uid == user:
                    count += len(os.listdir(f"/proc/{name}/task"))
    return count
