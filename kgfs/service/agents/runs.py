"""What an agent that runs tells the store: that it began, what its files hold, what it called, that it ended.

Used by the control socket's requests, on the threads that answer. A store that is mounted read-only keeps nothing.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import msgspec

from kgfs.agentfs.agent_store import AgentStore
from kgfs.callers import Caller, caller
from kgfs.drives.gate import Gate
from kgfs.service.agents.auditing import Auditing


class RunPart(msgspec.Struct, frozen=True):
    """Something for a file of a run."""

    file: str
    data: bytes
    replace: bool = False
    """Instead of what the file has; else behind it."""


class RunCall(msgspec.Struct, frozen=True):
    """A call of a tool that ended."""

    name: str
    parameters: dict[str, Any]
    began: int
    ended: int
    """Nanoseconds since 1970."""
    result: Any = None
    error: str | None = None


def caller_of(run: str, session: str | None) -> Caller:
    """The caller, for the audit trail: the process that asks, as this run in this session."""
    return msgspec.structs.replace(caller.get(), command=f"agent {run}", session=session)


class Runs:
    """The runs of agents of one store."""

    def __init__(self, agent: AgentStore, gate: Gate, audit: Auditing) -> None:
        self._agent, self._gate, self._audit = agent, gate, audit

    def begin(self, question: str, session: str | None) -> str:
        """Begin a run; returns its name. ``MountedReadOnly``."""
        self._gate.require_open()
        self._agent.make()
        return self._agent.runs.begin(question, session)

    def write(self, run: str, parts: Sequence[RunPart]) -> None:
        """Write to files of a run. ``NotFoundError``, ``UsageError``, ``TooLarge``, ``MountedReadOnly``."""
        self._gate.require_open()
        for part in parts:
            write = self._agent.runs.replace if part.replace else self._agent.runs.append
            write(run, part.file, part.data)

    def called(self, run: str, session: str | None, call: RunCall) -> None:
        """Record a call of a tool that the run's own process answered."""
        self._audit.called(
            call.name, call.parameters, call.began, call.ended, call.error, call.result, caller_of(run, session)
        )

    def end(
        self, run: str, session: str | None, began: int, told: dict[str, Any], stop: str, dollars: float | None
    ) -> None:
        """The run ended for the reason ``stop``; ``told`` is what is recorded of it. ``NotFoundError``,
        ``MountedReadOnly``."""
        self._gate.require_open()
        self._agent.runs.end(run, stop, dollars)
        by = caller_of(run, session)
        outcome = {**told, "stop": stop}
        self._audit.called("agent", {"run": run}, began, time.time_ns(), None, outcome, by, dollars)
