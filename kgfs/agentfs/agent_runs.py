"""The runs of agents: a row a run, and its files in pieces.

Used by the service for ``@agent`` and for the requests of a run, from any thread, in the process that has the store
open. A file grows by pieces (``append``) or is replaced as a whole (``replace``). Which runs and files there are is
kept in memory once somebody has asked, since the tree asks for names and sizes on an event loop; the process that has
the store open is the only one that changes them.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from kgfs.agentfs.database import AgentDatabase
from kgfs.agentfs.schema import columns
from kgfs.errors import NotFoundError, TooLarge, UsageError

FILES = ("transcript.md", "answer.md", "citations.jsonl", "cost.json", "messages.jsonl")
"""The files of a run, each empty until something is written."""
PIECE_BYTES = 1 << 20
"""A longer text is cut into pieces of this length."""
MOST_BYTES = 256 * 1024 * 1024
"""All files of a run hold no more."""
_WORDS = 6
_NAME_LENGTH = 60
_TIME_LENGTH = len("2026-11-24_091502")
_NOT_A_WORD = re.compile(r"[^\w]+", re.ASCII)


class RunFile(NamedTuple):
    """A file of a run at one moment."""

    run_id: int
    size: int
    changed_us: int
    """When it was last written, in microseconds since 1970; that of the run's beginning while it is empty."""
    version: int = 0
    """How often it was replaced."""


class AgentRuns:
    """The runs in an ``agent.db``."""

    def __init__(self, database: Callable[[], AgentDatabase | None]) -> None:
        """``database`` returns the open file, or none where there is none (then there are no runs)."""
        self._database = database
        self._lock = threading.Lock()
        self._known: dict[str, dict[str, RunFile]] | None = None

    # --- looking, from memory ---------------------------------------------------------------------------------------

    @property
    def ready(self) -> bool:
        """Whether names and sizes are in memory; else ``prepare``."""
        return self._known is not None

    def prepare(self) -> None:
        """Bring them into memory (blocks). ``KgfsError``."""
        with self._lock:
            self._load()

    def forget(self) -> None:
        """The file was changed otherwise: what is in memory is made anew at the next look."""
        with self._lock:
            self._known = None

    def names(self) -> Sequence[str]:
        """The names of the runs, earliest first; none before ``prepare``."""
        known = self._known
        return () if known is None else sorted(known)

    def find_file(self, run: str, file: str) -> RunFile | None:
        """A file as it is now; none where there is none, or before ``prepare``."""
        known = self._known
        return None if known is None else known.get(run, {}).get(file)

    def read(self, run_file: RunFile, file: str, offset: int, length: int) -> bytes:
        """Bytes of a file as far as it reached then (blocks)."""
        database = self._database()
        if database is None:
            return b""
        end = min(offset + length, run_file.size)
        with database.read() as connection:
            rows = connection.execute(
                "SELECT offset, data FROM agent_run_pieces WHERE run_id = ? AND file = ? AND offset < ?"
                " AND offset + length(data) > ? ORDER BY offset",
                (run_file.run_id, file, end, offset),
            ).fetchall()
        return b"".join(data[max(0, offset - start) : end - start] for start, data in rows)

    # --- writing ----------------------------------------------------------------------------------------------------

    def begin(self, question: str, session: str | None = None) -> str:
        """Begin a run; returns its name, which sorts by time and ends in words of the question."""
        now = time.time_ns() // 1000
        with self._lock:
            known = self._load()
            name = _new_name(question, now, known)
            with self._open().write() as connection:
                number = connection.execute(
                    "INSERT INTO agent_runs (name, question, session, started_us) VALUES (?, ?, ?, ?)",
                    (name, question, session, now),
                ).lastrowid
            assert number is not None
            self._known = {**known, name: dict.fromkeys(FILES, RunFile(number, 0, now))}
        return name

    def append(self, run: str, file: str, data: bytes) -> None:
        """Add to the end of a file, durably. ``NotFoundError``, ``TooLarge``."""
        self._write(run, file, data, replace=False)

    def replace(self, run: str, file: str, data: bytes) -> None:
        """Give a file other bytes, durably. ``NotFoundError``, ``TooLarge``."""
        self._write(run, file, data, replace=True)

    def end(self, run: str, stop: str, dollars: float | None) -> None:
        """The run has ended, for this reason. ``NotFoundError``."""
        with self._lock:
            number = self._file(run, FILES[0]).run_id
            with self._open().write() as connection:
                connection.execute(
                    "UPDATE agent_runs SET ended_us = ?, stop = ?, cost = ? WHERE id = ?",
                    (time.time_ns() // 1000, stop, dollars, number),
                )

    def _write(self, run: str, file: str, data: bytes, *, replace: bool) -> None:
        with self._lock:
            before = self._file(run, file)
            assert self._known is not None
            held = sum(one.size for name, one in self._known[run].items() if name != file or not replace)
            if held + len(data) > MOST_BYTES:
                raise TooLarge(f"The run {run} holds {held:,} bytes, and it may hold {MOST_BYTES:,}; begin another.")
            begin = 0 if replace else before.size
            pieces = [
                (before.run_id, file, begin + start, data[start : start + PIECE_BYTES])
                for start in range(0, len(data), PIECE_BYTES)
            ]
            with self._open().write() as connection:
                if replace:
                    connection.execute(
                        "DELETE FROM agent_run_pieces WHERE run_id = ? AND file = ?", (before.run_id, file)
                    )
                connection.executemany(
                    "INSERT INTO agent_run_pieces (run_id, file, offset, data) VALUES (?, ?, ?, ?)", pieces
                )
            changed = max(time.time_ns() // 1000, before.changed_us + 1)
            after = RunFile(before.run_id, begin + len(data), changed, before.version + replace)
            self._known = {**self._known, run: {**self._known[run], file: after}}

    def _file(self, run: str, file: str) -> RunFile:
        known = self._load()
        if run not in known:
            raise NotFoundError(f"There is no run {run!r}; `kgfs ls @agent` shows them.")
        if file not in FILES:
            raise UsageError(f"A run has no file {file!r}; it has {', '.join(FILES)}.")
        return known[run][file]

    def _open(self) -> AgentDatabase:
        database = self._database()
        if database is None:
            raise NotFoundError("The store has no agent.db.")
        return database

    def _load(self) -> dict[str, dict[str, RunFile]]:
        if self._known is None:
            database = self._database()
            self._known = {} if database is None else _loaded(database)
        return self._known


def _loaded(database: AgentDatabase) -> dict[str, dict[str, RunFile]]:
    with database.read() as connection:
        if not columns(connection, "agent_runs"):
            return {}  # a file that was never open to be written since there are runs
        runs = connection.execute("SELECT id, name, started_us, ended_us FROM agent_runs").fetchall()
        sizes = connection.execute(
            "SELECT run_id, file, max(offset + length(data)) FROM agent_run_pieces GROUP BY run_id, file"
        ).fetchall()
    held = {(number, file): size for number, file, size in sizes}
    return {
        name: {file: RunFile(number, held.get((number, file), 0), ended or started) for file in FILES}
        for number, name, started, ended in runs
    }


def _new_name(question: str, now_us: int, known: dict[str, dict[str, RunFile]]) -> str:
    """``2026-11-24_091502_which-labs-did``: later than all that are known, at least by a second."""
    when = datetime.fromtimestamp(now_us // 1_000_000, UTC)
    taken = {name[:_TIME_LENGTH] for name in known}
    while (stamp := when.strftime("%Y-%m-%d_%H%M%S")) <= max(taken, default=""):
        when += timedelta(seconds=1)
    words = [word for word in _NOT_A_WORD.split(question.lower()) if word][:_WORDS]
    return f"{stamp}_{'-'.join(words) or 'conversation'}"[:_NAME_LENGTH].rstrip("-_")
