"""Who asks: the process whose request the present thread works on, and the door through which it came.

For the audit trail. Set where requests come in (the control socket, the mount, a command that is its own service), read
where something is recorded. Nothing of ours is imported.
"""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Iterator

import msgspec


class Caller(msgspec.Struct, frozen=True):
    """A process that asks."""

    pid: int | None = None
    command: str | None = None
    """What it runs: the name of a command of kgfs, or of a program."""
    session: str | None = None


NOBODY = Caller()

caller: contextvars.ContextVar[Caller] = contextvars.ContextVar("caller", default=NOBODY)

door: contextvars.ContextVar[str] = contextvars.ContextVar("door", default="library")
"""``mount``, ``command``, ``tool``, ``agent``, ``mcp``, ``library``."""


@contextlib.contextmanager
def through(name: str) -> Iterator[None]:
    """What the block changes comes through this door."""
    token = door.set(name)
    try:
        yield
    finally:
        door.reset(token)
