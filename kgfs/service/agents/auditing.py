"""What goes into the audit trail: mutations that pass the gate, calls of tools, queries, and what a mount tells.

Used by the service's parts on whatever thread did the work; recording costs some microseconds
(``kgfs.agentfs.audit.recording``). A store that is mounted read-only records nothing, since nothing may change it.
"""

from __future__ import annotations

import time
from typing import Any

import msgspec

from kgfs.agentfs.audit.recording import Recorder
from kgfs.agentfs.audit.tool_calls import Call
from kgfs.callers import Caller, caller
from kgfs.drives.gate import Gate, Passed

REFS = 20
"""Of a mutation of more stored files so many are named."""


class Auditing:
    """The recorder of one store, told what happens there."""

    def __init__(self, recorder: Recorder, gate: Gate) -> None:
        self._recorder = recorder
        self._gate = gate
        gate.listeners.append(self._passed)

    def asked(
        self, name: str, parameters: dict[str, Any], began_ns: int, error: str | None = None, result: Any = None
    ) -> None:
        """A query or a tool was called and ended now; ``error`` is why it failed."""
        self._record(name, parameters, began_ns, time.time_ns(), error, result, caller.get())

    def record(self, name: str, parameters: dict[str, Any], began_ns: int, ended_ns: int, by: Caller) -> None:
        """Somebody did something that passes no gate, and it succeeded."""
        self._record(name, parameters, began_ns, ended_ns, None, None, by)

    def ran(self, parameters: dict[str, Any], began_ns: int, outcome: dict[str, Any], session: str | None) -> None:
        """A command of ``kgfs run`` ended now; one that failed or was ended has an error, and no result."""
        error = None
        if outcome["exit_status"] != 0:
            error = f"exit status {outcome['exit_status']} ({outcome['ended']})"
        by = msgspec.structs.replace(caller.get(), command="run", session=session)
        self._record("run", parameters, began_ns, time.time_ns(), error, outcome, by)

    def called(
        self, name: str, parameters: dict[str, Any], began_ns: int, ended_ns: int, error: str | None, result: Any,
        by: Caller, dollars: float | None = None,
    ) -> None:  # fmt: skip
        """An agent of ours called something, or ended itself; what it cost, in dollars, where that is known."""
        self._record(name, parameters, began_ns, ended_ns, error, result, by, dollars)

    def _passed(self, passed: Passed) -> None:
        mutation = passed.mutation
        parameters: dict[str, Any] = {"refs": list(mutation.refs[:REFS]), "door": mutation.door}
        if len(mutation.refs) > REFS:
            parameters["count"] = len(mutation.refs)
        if mutation.details:
            parameters["details"] = mutation.details
        began = int(passed.began * 1_000_000_000)
        ended = began + int(passed.seconds * 1_000_000_000)
        self._record(mutation.operation, parameters, began, ended, passed.error, None, passed.caller)

    def _record(
        self, name: str, parameters: dict[str, Any], began: int, ended: int, error: str | None, result: Any, by: Caller,
        dollars: float | None = None,
    ) -> None:  # fmt: skip
        if self._gate.shut:
            return
        self._recorder.record(
            Call(
                name=name, parameters=parameters, result=None if error is not None else result, error=error,
                started_ns=began, ended_ns=ended, pid=by.pid, command=by.command, session=by.session,
                cost=dollars,
            )
        )  # fmt: skip
