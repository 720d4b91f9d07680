"""``agent.db`` for commands that read it: SQLite lets this process have it beside a daemon.

Used by ``kgfs kv``, ``kgfs workspace`` and ``kgfs audit``. What changes it goes through the process that has the store.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

from kgfs.agentfs.database import FILE, AgentDatabase
from kgfs.cli.declaration import Invocation
from kgfs.cli.stores import chosen_store
from kgfs.config import is_store
from kgfs.errors import NotFoundError, UsageError
from kgfs.trust import refuse_links

_AGO = re.compile(r"(\d+)([smhdw])")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}


def store_of(invocation: Invocation) -> Path:
    """The store that the command means. ``NotFoundError`` where there is none."""
    store = chosen_store(invocation)
    if not is_store(store):
        raise NotFoundError(f"There is no store at {store}; `kgfs init` makes one.")
    refuse_links(store)
    return store


def read_agent(invocation: Invocation) -> AgentDatabase | None:
    """The file, open only to be read; none where the store has none yet, and so nothing is in it."""
    path = store_of(invocation) / FILE
    return AgentDatabase(path, create=False, read_only=True) if path.exists() else None


def since(text: str, now: float) -> int:
    """The time that an option names, in seconds since 1970: ``2026-10-30``, a date with a time, or ``2h`` ago."""
    if match := _AGO.fullmatch(text):
        return int(now) - int(match[1]) * _SECONDS[match[2]]
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{text!r} is no time; write 2026-10-30, 2026-10-30T12:00 or 2h.") from None
    return int((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp())
