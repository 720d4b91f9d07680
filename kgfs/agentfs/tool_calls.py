"""The audit trail: one row of ``tool_calls`` for each call, inserted when it is over and never changed.

Used by ``kgfs audit`` and the files of ``@audit``, and by the recorder, from any thread. The specification counts in
whole seconds; the side table ``tool_call_details`` has the exact times, and who called. A row that another client
began and did not end has the status ``pending``.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any, Literal

import msgspec

from kgfs.agentfs.database import AgentDatabase
from kgfs.agentfs.inodes import SECOND
from kgfs.errors import UsageError

Status = Literal["pending", "success", "error"]
STATUSES: tuple[Status, ...] = ("success", "error", "pending")


class Call(msgspec.Struct, kw_only=True, frozen=True):
    """A call that is over."""

    name: str
    parameters: Any = None
    """What JSON can say; none where it has none."""
    result: Any = None
    error: str | None = None
    """Why it failed; then there is no result."""
    started_ns: int
    ended_ns: int
    """Nanoseconds since 1970."""
    pid: int | None = None
    command: str | None = None
    session: str | None = None
    cost: float | None = None
    """US dollars."""


class RecordedCall(msgspec.Struct, kw_only=True, frozen=True, omit_defaults=True):
    """A row, with what the side table says of it."""

    id: int
    name: str
    status: str
    started_at: int
    """Seconds since 1970."""
    completed_at: int
    duration_ms: int
    """Of whole seconds, as the specification wants it."""
    elapsed_us: int | None = None
    """Exact, where it is known."""
    parameters: msgspec.Raw | None = None
    result: msgspec.Raw | None = None
    error: str | None = None
    pid: int | None = None
    command: str | None = None
    session: str | None = None
    cost: float | None = None


class ToolStats(msgspec.Struct, frozen=True):
    """The calls of one name; those that are pending do not count."""

    name: str
    total_calls: int
    successful: int
    failed: int
    avg_duration_ms: float


class ToolCalls:
    """The calls of an open ``agent.db``."""

    def __init__(self, database: AgentDatabase) -> None:
        self._database = database

    def record(self, calls: Iterable[Call]) -> list[int]:
        """Insert calls, durably; returns their ids. ``UsageError`` where one breaks a rule; then none is inserted."""
        with self._database.write() as connection:
            return [insert(connection, call) for call in calls]

    def list(
        self,
        *,
        name: str | None = None,
        status: str | None = None,
        since: int | None = None,
        session: str | None = None,
        limit: int | None = None,
    ) -> Iterator[RecordedCall]:
        """Calls, latest first, that have all that is asked for; ``since`` is in seconds since 1970."""
        conditions = {
            "t.name = ?": name, "t.status = ?": status, "t.started_at >= ?": since, "d.session = ?": session,
        }  # fmt: skip
        given = {condition: value for condition, value in conditions.items() if value is not None}
        sql = _SELECT + (" WHERE " + " AND ".join(given) if given else "") + " ORDER BY t.started_at DESC, t.id DESC"
        parameters = [*given.values()]
        if limit is not None:
            sql += " LIMIT ?"
            parameters.append(limit)
        with self._database.read() as connection:
            for row in connection.execute(sql, parameters):
                yield _recorded(row)

    def stats(self) -> tuple[ToolStats, ...]:
        """Numbers and durations by name, most calls first. A duration is the exact one where that is known."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT name, count(*), sum(error IS NULL), sum(error IS NOT NULL),"
                " avg(coalesce(elapsed_us / 1000.0, duration_ms))"
                " FROM tool_calls LEFT JOIN tool_call_details ON call_id = id WHERE status != 'pending'"
                " GROUP BY name ORDER BY count(*) DESC, name"
            ).fetchall()
        return tuple(ToolStats(*row) for row in rows)


_SELECT = (
    "SELECT t.id, t.name, t.status, t.started_at, t.completed_at, t.duration_ms, d.elapsed_us, t.parameters, t.result,"
    " t.error, d.pid, d.command, d.session, d.cost FROM tool_calls t LEFT JOIN tool_call_details d ON d.call_id = t.id"
)


def insert(connection: sqlite3.Connection, call: Call) -> int:
    """Insert one call inside the caller's transaction; returns its id."""
    if not call.name:
        raise UsageError("A call needs a name.")
    if call.error is not None and call.result is not None:
        raise UsageError("A call has a result or an error, not both.")
    started, ended = call.started_ns // SECOND, max(call.ended_ns, call.started_ns) // SECOND
    parameters = None if call.parameters is None else _json(call.parameters)
    result = None if call.error is not None else _json(call.result)
    (number,) = connection.execute(
        "INSERT INTO tool_calls (name, parameters, result, error, status, started_at, completed_at, duration_ms)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
        (
            call.name, parameters, result, call.error, "success" if call.error is None else "error",
            started, ended, (ended - started) * 1000,
        ),
    ).fetchone()  # fmt: skip
    connection.execute(
        "INSERT OR REPLACE INTO tool_call_details (call_id, started_ns, elapsed_us, pid, command, session, cost)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            number, call.started_ns, max(call.ended_ns - call.started_ns, 0) // 1000, call.pid, call.command,
            call.session, call.cost,
        ),
    )  # fmt: skip
    return int(number)


def _json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"Parameters and results of a call are JSON: {error}.") from None


def _raw(text: str | None) -> msgspec.Raw | None:
    """A stored value as it stands in a line of JSON; what another client wrote otherwise is a string."""
    if text is None:
        return None
    try:
        json.loads(text)
    except ValueError:
        text = json.dumps(text)
    return msgspec.Raw(text.encode(errors="replace"))


def _recorded(row: tuple[Any, ...]) -> RecordedCall:
    (number, name, status, started, completed, duration, elapsed, parameters, result, error, *rest) = row
    pid, command, session, cost = rest
    return RecordedCall(
        id=number, name=name, status=status, started_at=started, completed_at=completed or 0,
        duration_ms=duration or 0, elapsed_us=elapsed, parameters=_raw(parameters), result=_raw(result), error=error,
        pid=pid, command=command, session=session, cost=cost,
    )  # fmt: skip
