"""A call as a line of JSON: what ``kgfs audit --json`` prints and the files of ``@audit`` hold.

Pure functions; used by the command and by ``call_files``.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec

from kgfs.agentfs.tool_calls import RecordedCall
from kgfs.names import json_bytes


def timestamp(seconds: float) -> str:
    """A time as it stands in JSON."""
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")


def day_of(call: RecordedCall) -> str | None:
    """The day on which a call began, in UTC; none for a time that no calendar has."""
    day = _time(call.started_at)
    return day[:10] if isinstance(day, str) else None


def call_fields(call: RecordedCall) -> dict[str, Any]:
    """What JSON says of a call; fields that say nothing are left out."""
    fields: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(call))
    fields["started_at"] = _time(call.started_at)
    fields["completed_at"] = _time(call.completed_at) if call.status != "pending" else None
    return fields


def call_line(call: RecordedCall) -> bytes:
    """The line of a call, with its end."""
    return json_bytes(call_fields(call)) + b"\n"


def _time(seconds: Any) -> Any:
    """A time, or what another program wrote where one should stand."""
    try:
        return timestamp(seconds)
    except (TypeError, ValueError, OverflowError, OSError):
        return seconds
