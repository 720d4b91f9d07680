"""A call as a line of JSON: what ``kgfs audit --json`` prints and the files of ``@audit`` hold.

Pure functions; used by the command and by ``call_files``, where microseconds count.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import msgspec

from kgfs.agentfs.audit.tool_calls import RecordedCall
from kgfs.names import json_bytes

_MOMENTS = 1024


class _Line(msgspec.Struct, omit_defaults=True, gc=False):
    """The fields of a line, in their order."""

    id: int
    name: str
    status: str
    started_at: Any
    completed_at: Any
    duration_ms: int
    started_ns: Any = None
    elapsed_us: Any = None
    parameters: Any = msgspec.UNSET
    result: Any = msgspec.UNSET
    error: str | None = None
    pid: int | None = None
    command: str | None = None
    session: str | None = None
    cost: float | None = None


def timestamp(seconds: float) -> str:
    """A time as it stands in JSON."""
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")


def day_of(call: RecordedCall) -> str | None:
    """The day on which a call began, in UTC; none for a time that no calendar has."""
    day = _time(call.started_at)
    return day[:10] if isinstance(day, str) else None


def call_line(call: RecordedCall) -> bytes:
    """The line of a call, with its end."""
    line = _Line(
        call.id, call.name, call.status, _time(call.started_at),
        _time(call.completed_at) if call.status != "pending" else None, call.duration_ms, call.started_ns,
        call.elapsed_us, _value(call.parameters), _value(call.result), call.error, call.pid, call.command, call.session,
        call.cost,
    )  # fmt: skip
    try:
        return msgspec.json.encode(line) + b"\n"
    except UnicodeEncodeError:  # a name of another program's
        return json_bytes(msgspec.to_builtins(line)) + b"\n"


def call_fields(call: RecordedCall) -> dict[str, Any]:
    """What a line says of a call."""
    fields: dict[str, Any] = msgspec.json.decode(call_line(call))
    return fields


def _value(raw: msgspec.Raw | None) -> Any:
    return msgspec.UNSET if raw is None else msgspec.json.decode(raw)


@lru_cache(_MOMENTS)
def _time(seconds: Any) -> Any:
    """A time, or what another program wrote where one should stand."""
    try:
        return timestamp(seconds)
    except (TypeError, ValueError, OverflowError, OSError):
        return seconds
