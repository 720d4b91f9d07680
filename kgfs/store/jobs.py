"""Jobs as rows: what ran, how far it came, how it ended; shown as ``@status/jobs/<id>.json``.

Used by the service on its job thread.
"""

from __future__ import annotations

from typing import Any

import msgspec

from kgfs.store.database import Cursor
from kgfs.store.items import now

ENDED = frozenset({"done", "partly", "failed", "cancelled"})
KEPT = 200


def note(
    cursor: Cursor, job_id: str, command: str, arguments: dict[str, Any], state: str, progress: dict[str, Any]
) -> None:
    """Insert or update a job's row; a state in ``ENDED`` ends it. The oldest rows beyond ``KEPT`` go."""
    ended = now() if state in ENDED else None
    encoded = msgspec.json.encode(progress).decode()
    if cursor.execute("SELECT 1 FROM jobs WHERE id = ?", [job_id]).fetchone():
        cursor.execute(
            "UPDATE jobs SET state = ?, progress = ?, ended_at = ? WHERE id = ?", [state, encoded, ended, job_id]
        )
        return
    cursor.execute(
        "INSERT INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?)",
        [job_id, command, msgspec.json.encode(arguments).decode(), state, encoded, now(), ended],
    )
    cursor.execute(
        "DELETE FROM jobs WHERE id NOT IN (SELECT id FROM jobs ORDER BY started_at DESC, id DESC LIMIT ?)", [KEPT]
    )


def interrupted(cursor: Cursor) -> None:
    """After a start: whatever still stands as running was ended by a kill."""
    cursor.execute("UPDATE jobs SET state = 'cancelled', ended_at = ? WHERE ended_at IS NULL", [now()])


def all_jobs(cursor: Cursor) -> list[dict[str, Any]]:
    """Every job, oldest first, as its JSON form."""
    rows = cursor.execute(
        "SELECT id, command, arguments, state, progress, started_at, ended_at FROM jobs ORDER BY started_at, id"
    ).fetchall()
    return [
        {
            "id": row[0],
            "command": row[1],
            "arguments": msgspec.json.decode(row[2]),
            "state": row[3],
            "progress": msgspec.json.decode(row[4]),
            "started_at": row[5].isoformat(timespec="milliseconds") + "Z",
            "ended_at": row[6].isoformat(timespec="milliseconds") + "Z" if row[6] else None,
        }
        for row in rows
    ]
