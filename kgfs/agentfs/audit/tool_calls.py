"""The audit trail: one row of ``tool_calls`` for each call, inserted when it is over and never changed; old ones may be
moved into ``tool_calls_archive``.

Used by ``kgfs audit`` and the files of ``@audit``, and by the recorder, from any thread. The specification counts in
whole seconds; the side table ``tool_call_details`` has the exact times, and who called. A row that another client
began and did not end has the status ``pending``.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Literal

import msgspec

from kgfs.agentfs.database import AgentDatabase
from kgfs.agentfs.filesystem.inodes import SECOND
from kgfs.agentfs.schema import columns
from kgfs.agentfs.statements import execute_rows
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
    started_ns: int | None = None
    """Exact, where it is known; nanoseconds since 1970."""
    elapsed_us: int | None = None
    """As exact."""
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

    def record(self, calls: Sequence[Call]) -> Sequence[int]:
        """Insert calls, durably; returns their ids. ``UsageError`` where one breaks a rule; then none is inserted."""
        with self._database.write() as connection:
            return insert_calls(connection, calls)

    def list(
        self,
        *,
        name: str | None = None,
        status: str | None = None,
        since: int | None = None,
        session: str | None = None,
        limit: int | None = None,
        archived: bool = False,
    ) -> Iterator[RecordedCall]:
        """Calls, latest first, that have all that is asked for; ``since`` is in seconds since 1970. With ``archived``
        those that were moved into the archive."""
        conditions = {
            "t.name = ?": name, "t.status = ?": status, "t.started_at >= ?": since, "d.session = ?": session,
        }  # fmt: skip
        given = {condition: value for condition, value in conditions.items() if value is not None}
        select = _SELECT_ARCHIVED if archived else _SELECT
        sql = select + (" WHERE " + " AND ".join(given) if given else "") + " ORDER BY t.started_at DESC, t.id DESC"
        parameters = [*given.values()]
        if limit is not None:
            sql += " LIMIT ?"
            parameters.append(limit)
        with self._database.read() as connection:
            if archived and not columns(connection, ARCHIVE):
                return  # a file that was never open to be written since there are archives
            for row in connection.execute(sql, parameters):
                yield _recorded(row)

    def after(self, call_id: int, limit: int) -> Sequence[RecordedCall]:
        """The next calls behind one, in their order, pending ones included."""
        with self._database.read() as connection:
            rows = connection.execute(f"{_SELECT} WHERE t.id > ? ORDER BY t.id LIMIT ?", (call_id, limit)).fetchall()
        return [_recorded(row) for row in rows]

    def between(
        self, first: int, last: int, *, name: str | None = None, day: str | None = None
    ) -> Iterator[RecordedCall]:
        """The calls from one to another in their order; ``name`` and ``day`` (of its beginning, in UTC) choose some."""
        sql, parameters = f"{_SELECT} WHERE t.id BETWEEN ? AND ?", [first, last]
        given: list[Any] = [*parameters]
        if name is not None:
            sql += " AND t.name = ?"
            given.append(name)
        if day is not None:
            # Without the index on times: the calls of a day stand together.
            begin = int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp())
            sql += " AND +t.started_at >= ? AND +t.started_at < ?"
            given += [begin, begin + DAY_SECONDS]
        with self._database.read() as connection:
            rows = connection.execute(f"{sql} ORDER BY t.id", given).fetchall()
        return map(_recorded, rows)

    def count_pending(self, calls: Sequence[int]) -> int:
        """How many of these calls have not ended."""
        marks = ",".join("?" * len(calls))
        with self._database.read() as connection:
            (count,) = connection.execute(
                f"SELECT count(*) FROM tool_calls WHERE id IN ({marks}) AND status = 'pending'", calls
            ).fetchone()
        return int(count)

    def archive(self, before: int) -> int:
        """Move the calls that ended and began before a moment (seconds since 1970) into the archive, with their
        details, some thousand a transaction; returns how many. A call is always in one of the two."""
        moved = 0
        while True:
            with self._database.write() as connection:
                rows = connection.execute(
                    "SELECT id FROM tool_calls WHERE started_at < ? AND status != 'pending' ORDER BY id LIMIT ?",
                    (before, ARCHIVE_ROWS),
                ).fetchall()
                marks = ",".join("?" * len(rows))
                numbers = [number for (number,) in rows]
                connection.execute(f"{_ARCHIVE} WHERE t.id IN ({marks})", numbers)
                connection.execute(f"DELETE FROM tool_call_details WHERE call_id IN ({marks})", numbers)
                connection.execute(f"DELETE FROM tool_calls WHERE id IN ({marks})", numbers)
            moved += len(rows)
            if len(rows) < ARCHIVE_ROWS:
                return moved

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


ARCHIVE = "tool_calls_archive"
ARCHIVE_ROWS = 2_000
DAY_SECONDS = 86_400

_CALL = "t.id, t.name, t.status, t.started_at, t.completed_at, t.duration_ms"
_DETAILS = "d.started_ns, d.elapsed_us, t.parameters, t.result, t.error, d.pid, d.command, d.session, d.cost"
_FROM = "FROM tool_calls t LEFT JOIN tool_call_details d ON d.call_id = t.id"
_SELECT = f"SELECT {_CALL}, {_DETAILS} {_FROM}"
_SELECT_ARCHIVED = f"SELECT {_CALL}, {_DETAILS} FROM {ARCHIVE} t JOIN {ARCHIVE} d ON d.id = t.id"
_ARCHIVE = (
    f"INSERT INTO {ARCHIVE} (id, name, status, started_at, completed_at, duration_ms, started_ns, elapsed_us,"
    f" parameters, result, error, pid, command, session, cost) SELECT {_CALL}, {_DETAILS} {_FROM}"
)


def insert_calls(connection: sqlite3.Connection, calls: Sequence[Call]) -> Sequence[int]:
    """Insert calls inside the caller's transaction; returns their ids. ``UsageError`` for one that breaks a rule."""
    (last,) = connection.execute(
        "SELECT max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'tool_calls'), 0),"
        " coalesce((SELECT max(id) FROM tool_calls), 0))"
    ).fetchone()
    numbers = range(last + 1, last + 1 + len(calls))
    execute_rows(connection, _INSERT, [_row(number, call) for number, call in zip(numbers, calls, strict=True)])
    details = [
        (
            number, call.started_ns, max(call.ended_ns - call.started_ns, 0) // 1000, call.pid, call.command,
            call.session, call.cost,
        )
        for number, call in zip(numbers, calls, strict=True)
    ]  # fmt: skip
    execute_rows(connection, _INSERT_DETAILS, details)
    return numbers


_INSERT = (
    "INSERT INTO tool_calls (id, name, parameters, result, error, status, started_at, completed_at, duration_ms)"
    " VALUES ",
    "(?,?,?,?,?,?,?,?,?)",
    "",
)
_INSERT_DETAILS = (
    "INSERT OR REPLACE INTO tool_call_details (call_id, started_ns, elapsed_us, pid, command, session, cost) VALUES ",
    "(?,?,?,?,?,?,?)",
    "",
)


def _row(number: int, call: Call) -> Sequence[Any]:
    if not call.name:
        raise UsageError("A call needs a name.")
    if call.error is not None and call.result is not None:
        raise UsageError("A call has a result or an error, not both.")
    started, ended = call.started_ns // SECOND, max(call.ended_ns, call.started_ns) // SECOND
    parameters = None if call.parameters is None else _json(call.parameters)
    result = None if call.error is not None else _json(call.result)
    return (
        number, call.name, parameters, result, call.error, "success" if call.error is None else "error",
        started, ended, (ended - started) * 1000,
    )  # fmt: skip


def _json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"Parameters and results of a call are JSON: {error}.") from None


def _raw(text: str | None) -> msgspec.Raw | None:
    """A stored value as it stands in a line of JSON; what another client wrote otherwise is a string."""
    if text is None:
        return None
    text = text if isinstance(text, str) else str(text)
    value = text.encode(errors="replace")
    try:
        msgspec.json.decode(value)
    except (msgspec.MsgspecError, RecursionError):
        value = json.dumps(text).encode()
    return msgspec.Raw(value)


def _recorded(row: tuple[Any, ...]) -> RecordedCall:
    (number, name, status, started, completed, duration, started_ns, elapsed, parameters, result, error, *rest) = row
    pid, command, session, cost = rest
    return RecordedCall(
        id=number, name=name, status=status, started_at=started, completed_at=completed or 0,
        duration_ms=duration or 0, started_ns=started_ns, elapsed_us=elapsed,
        parameters=_raw(parameters), result=_raw(result), error=error, pid=pid, command=command,
        session=session, cost=cost,
    )  # fmt: skip
