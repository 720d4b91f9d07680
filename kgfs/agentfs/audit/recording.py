"""The recorder of the audit trail: a call is appended to a spool at once, and goes into the table a moment later.

Used by the service, from any thread. Appending costs some microseconds and survives the end of the process, so nothing
that was acknowledged is missing from the trail; the table is filled by a thread of its own, many calls a transaction.
A row of ``tool_call_spool`` says, in the same transaction, how far the spool was taken, so no call is inserted twice.
One process at a time records into a store: the one that has it open.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from kgfs.agentfs.audit.redaction import redacted
from kgfs.agentfs.audit.tool_calls import Call, insert_calls
from kgfs.agentfs.database import AgentDatabase
from kgfs.errors import KgfsError, ReadOnlyError

log = logging.getLogger(__name__)

PREFIX = "audit-"
SUFFIX = ".spool"
LINGER_SECONDS = 0.5
RETRY_SECONDS = 5.0
SPOOL_BYTES = 4 << 20
"""A spool that was taken and is longer is replaced by a new one."""
BATCH_BYTES = 1 << 20
ERROR_LETTERS = 500


class Recorder:
    """Records calls of one store."""

    def __init__(self, folder: Path, database: Callable[[], AgentDatabase]) -> None:
        """``folder`` holds the spool, ``database`` opens the file when calls go into it."""
        self._folder = folder
        self._database = database
        self._lock = threading.Lock()
        self._taking = threading.Lock()
        self._spool = -1
        self._path: Path | None = None
        self._written = 0
        self._broken = False
        self._wake = threading.Event()
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None
        self.on_taken: Callable[[], None] = lambda: None
        """Called in the thread when the table may have more calls. ``KgfsError`` is passed over."""

    def start(self) -> None:
        """From now on a thread fills the table; without one, ``settle`` does."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="kgfs-audit", daemon=True)
            self._thread.start()
            self._wake.set()

    def record(self, call: Call) -> None:
        """Record a call. It never raises: a trail that cannot be written must not keep anybody from working."""
        try:
            line = _encode(call)
            with self._lock:
                if self._spool < 0:
                    self._open()
                done = os.write(self._spool, line)
                self._written += done
                if done < len(line):  # the disk is full: what comes later begins a line of its own
                    self._written += os.write(self._spool, b"\n")
        except OSError as error:
            if not self._broken:
                self._broken = True
                log.warning("the audit trail cannot be written: %s", error)
            return
        except (TypeError, ValueError, RecursionError, msgspec.MsgspecError):
            if not self._broken:
                self._broken = True
                log.exception("the audit trail cannot be written")
            return
        self._broken = False
        if not self._wake.is_set():
            self._wake.set()

    def poke(self) -> None:
        """Have the thread look soon, ``on_taken`` included."""
        self._wake.set()

    def settle(self) -> None:
        """Bring everything that was recorded into the table. ``KgfsError``."""
        with self._taking:
            for path in sorted(self._spools()):
                self._take(path)

    def close(self) -> None:
        """End; with a thread, the table is complete then."""
        self._ending.set()
        self._wake.set()
        if self._thread is not None:
            self._thread.join()
        with self._lock:
            if self._spool >= 0:
                os.close(self._spool)
                self._spool = -1
        if self._thread is not None:
            with contextlib.suppress(KgfsError, OSError):
                self.settle()

    def _run(self) -> None:
        while not self._ending.is_set():
            self._wake.wait()
            self._ending.wait(LINGER_SECONDS)
            self._wake.clear()
            try:
                with contextlib.suppress(ReadOnlyError):  # the next process that may write brings it in
                    self.settle()
                self.on_taken()
            except (KgfsError, OSError) as error:
                log.warning("The audit trail waits: %s", error)
                self._ending.wait(RETRY_SECONDS)
                self._wake.set()

    def _spools(self) -> Sequence[Path]:
        return spools(self._folder)

    def _open(self) -> None:
        """Go on with the spool that is there, at its end, or begin one."""
        found = sorted(self._spools())
        self._path = found[-1] if found else self._folder / f"{PREFIX}{time.time_ns():020d}{SUFFIX}"
        self._spool = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        self._written = os.fstat(self._spool).st_size
        if self._written and os.pread(self._spool, 1, self._written - 1) != b"\n":
            # A kill cut this line short, so its writer was never told that it is kept.
            self._written += os.write(self._spool, b"\n")

    def _take(self, path: Path) -> None:
        """Bring a spool into the table, and remove it when it is long or nobody writes to it."""
        with path.open("rb") as file:
            database = self._database()
            with database.read() as connection:
                row = connection.execute("SELECT name, taken FROM tool_call_spool WHERE id = 1").fetchone()
            taken = int(row[1]) if row is not None and row[0] == path.name else 0
            file.seek(taken)
            while lines := file.readlines(BATCH_BYTES):
                if not lines[-1].endswith(b"\n"):
                    lines.pop()
                    if not lines:
                        break
                taken += sum(map(len, lines))
                calls = [call for line in lines if (call := _decode(line)) is not None]
                # The spool still has them: only what is removed below must be safe in the table.
                lasting = path == self._path and self._spool >= 0 and taken < SPOOL_BYTES
                with database.write(durable=not lasting) as writer:
                    insert_calls(writer, calls)
                    _note(writer, path.name, taken)
        with self._lock:
            ours = path == self._path and self._spool >= 0
            if ours and (self._written > taken or taken < SPOOL_BYTES):
                return
            if ours:
                os.close(self._spool)
                self._spool = -1
            path.unlink(missing_ok=True)


def spools(folder: Path) -> Sequence[Path]:
    """The spools of a store."""
    return list(folder.glob(f"{PREFIX}*{SUFFIX}"))


def waits(folder: Path) -> bool:
    """Whether a store has calls that may not be in the table yet."""
    return bool(spools(folder))


def _note(connection: sqlite3.Connection, name: str, taken: int) -> None:
    connection.execute("INSERT OR REPLACE INTO tool_call_spool (id, name, taken) VALUES (1, ?, ?)", (name, taken))


def _encode(call: Call) -> bytes:
    error = call.error if call.error is None else str(redacted(call.error[:ERROR_LETTERS]))
    kept = msgspec.structs.replace(
        call, parameters=redacted(call.parameters), result=redacted(call.result), error=error
    )
    return msgspec.json.encode(kept) + b"\n"


def _decode(line: bytes) -> Call | None:
    """A line of the spool; none for one that a kill cut short."""
    try:
        call = msgspec.json.decode(line, type=Call)
    except msgspec.MsgspecError:
        return None
    return call if call.name and (call.error is None or call.result is None) else None
