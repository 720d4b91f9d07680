"""The caller: the process whose request the present thread works on, for the audit trail.

Set where requests come in (the control socket, the mount, a command that is its own service), read where something is
recorded. Nothing of ours is imported.
"""

from __future__ import annotations

import contextvars

import msgspec


class Caller(msgspec.Struct, frozen=True):
    """A process that asks."""

    pid: int | None = None
    command: str | None = None
    """What it runs: the name of a command of kgfs, or of a program."""
    session: str | None = None


NOBODY = Caller()

caller: contextvars.ContextVar[Caller] = contextvars.ContextVar("caller", default=NOBODY)
