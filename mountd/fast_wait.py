"""A quicker wait for the kernel's next request than pyfuse3's own.

Used by the session before its loop starts. Runs on the loop's thread.

pyfuse3 waits through trio for every single request: a lock, an ``epoll`` and two task switches, some 30 µs, which is
more than most of our handlers cost. Under load the next request is usually there within a few microseconds. So the one
function ``pyfuse3._wait_fuse_readable`` is replaced by one that polls the descriptor a few times first and falls back
to the original when nothing came. Where that function is not what we know, nothing is replaced.
"""

from __future__ import annotations

import inspect
import os
import select
from collections.abc import Awaitable, Callable
from typing import Any

import pyfuse3
import trio

POLLS = 40
"""How often to look before sleeping: about as long as a client needs from an answer to its next request."""
IN_A_ROW = 64
"""Requests after which everything else on the loop gets its turn."""
SUPPORTED = "3.5."
_FUNCTION = "_wait_fuse_readable"

Wait = Callable[[], Awaitable[bool]]


def fuse_descriptors() -> set[int]:
    """This process's open descriptors of ``/dev/fuse``."""
    found = set()
    for name in os.listdir("/proc/self/fd"):
        try:
            if os.readlink(f"/proc/self/fd/{name}") == "/dev/fuse":
                found.add(int(name))
        except OSError:
            continue
    return found


def supported(module: Any = pyfuse3) -> bool:
    """Whether this pyfuse3 has the function that we replace, in the form that we know."""
    original = getattr(module, _FUNCTION, None)
    if original is None or not str(module.__version__).startswith(SUPPORTED):
        return False
    try:
        return not inspect.signature(original).parameters
    except (TypeError, ValueError):
        return False


def install(descriptor: int, module: Any = pyfuse3) -> Callable[[], None] | None:
    """Replace the wait of ``module`` for the session on ``descriptor``.

    Returns a function that undoes it, or ``None`` (and changes nothing) where this pyfuse3 is not supported.
    """
    if not supported(module):
        return None
    original: Wait = getattr(module, _FUNCTION)
    setattr(module, _FUNCTION, polling_wait(descriptor, original))

    def restore() -> None:
        setattr(module, _FUNCTION, original)

    return restore


def polling_wait(descriptor: int, fallback: Wait, polls: int = POLLS, in_a_row: int = IN_A_ROW) -> Wait:
    """The wait itself. It returns True only right after a poll saw a request, False when the fallback says to end.

    The poll after the fallback is not an optimisation: between the wake-up and now another worker may have taken the
    request, and reading without one blocks the whole loop.
    """
    poller = select.poll()
    poller.register(descriptor, select.POLLIN)
    poll = poller.poll
    looks = range(polls)
    taken = 0

    async def wait_fuse_readable() -> bool:
        nonlocal taken
        while True:
            if taken >= in_a_row:
                taken = 0
                await trio.lowlevel.checkpoint()
            for _ in looks:
                if poll(0):
                    taken += 1
                    return True
            taken = 0
            if not await fallback():
                return False
            if poll(0):
                return True

    return wait_fuse_readable
