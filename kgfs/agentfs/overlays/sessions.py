"""The sessions of a store: a folder with one file of the Agent Filesystem each.

Used by the service, in the process that has the store open, from any thread. A session is opened when it is first asked
for and stays open. One whose file cannot be used is an error of its own; the others go on.
"""

from __future__ import annotations

import contextlib
import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from kgfs.agentfs.database import AgentDatabase
from kgfs.agentfs.exchange.transfer import opened_copy
from kgfs.agentfs.overlays.overlay import Overlay
from kgfs.errors import ConflictError, ExistsError, NotFoundError, UsageError
from kgfs.filesystem import FileSystem
from kgfs.nearest import did_you_mean

SUFFIX = ".db"
_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}")
_BESIDE = ("", "-wal", "-shm")
"""What SQLite has beside a file."""


def is_session_name(name: str) -> bool:
    """Whether a session can be called so."""
    return _NAME.fullmatch(name) is not None


class SessionInfo(msgspec.Struct, frozen=True):
    """What a session says of itself."""

    name: str
    created_ns: int
    note: str
    forked_from: str
    bytes: int
    """The size of its file."""


class _Open:
    """A session that is open."""

    def __init__(self, path: Path, base: FileSystem) -> None:
        self.database = AgentDatabase(path, create=False)
        try:
            self.overlay = Overlay(base, self.database)
        except BaseException:
            self.database.close()
            raise

    def close(self) -> None:
        try:
            self.overlay.close()
        finally:
            self.database.close()


class Sessions:
    """All sessions of one folder, over one base."""

    def __init__(self, folder: Path, base: Callable[[], FileSystem]) -> None:
        """``base`` gives the file system beneath every session, when the first is opened."""
        self._folder = folder
        self._base = base
        self._lock = threading.RLock()
        self._open: dict[str, _Open] = {}

    def names(self) -> list[str]:
        """The names of all sessions, sorted."""
        try:
            found = os.listdir(self._folder)
        except FileNotFoundError:
            return []
        names = (name.removesuffix(SUFFIX) for name in found if name.endswith(SUFFIX))
        return sorted(name for name in names if _NAME.fullmatch(name))

    def new(self, name: str, note: str = "") -> Overlay:
        """Make an empty session and open it. ``UsageError`` for a name that cannot be; ``ExistsError``."""
        with self._lock:
            path = self._free(name)
            with self._whole(path) as beside, AgentDatabase(beside) as database:
                _describe(database, note, "")
            return self.overlay(name)

    def overlay(self, name: str) -> Overlay:
        """The file system of a session. ``NotFoundError``; ``StoreError`` and others of a file that cannot be used."""
        with self._lock:
            there = self._open.get(name)
            if there is None:
                there = self._open[name] = _Open(self._there(name), self._base())
            return there.overlay

    def info(self, name: str) -> SessionInfo:
        """What a session says of itself, also where it is not open."""
        path = self._there(name)
        with self._lock:
            there = self._open.get(name)
            if there is not None:
                return _info(name, there.database)
            with AgentDatabase(path, create=False, read_only=True) as database:
                return _info(name, database)

    def discard(self, name: str) -> None:
        """End a session and remove its file, with everything that was changed in it."""
        with self._lock:
            path = self._there(name)
            there = self._open.pop(name, None)
            try:
                if there is not None:
                    there.close()
            finally:
                for suffix in _BESIDE:
                    path.with_name(path.name + suffix).unlink(missing_ok=True)
                _sync(self._folder)

    def fork(self, name: str, new: str, note: str = "") -> Overlay:
        """Make a session that begins with all that was changed in another. Errors as of ``new`` and ``overlay``."""
        with self._lock:
            path = self._free(new)
            with self._whole(path) as beside:
                self._copy(name, beside)
                with AgentDatabase(beside, create=False) as database:
                    _describe(database, note, name)
            return self.overlay(new)

    def take(self, name: str, file: Path) -> list[str]:
        """Make a session of a file that ``snapshot`` wrote, perhaps elsewhere, and open it; what had to be mended in
        it, one sentence each. Errors as of ``new`` and of ``transfer.opened_copy``; of a file that is none nothing is
        left.
        """
        with self._lock:
            path = self._free(name)
            with opened_copy(file) as (database, mended), self._whole(path) as beside:
                database.copy(beside)
            try:
                self.overlay(name)
            except BaseException:
                self.discard(name)
                raise
        return mended.told

    def snapshot(self, name: str, to: Path) -> None:
        """Write a session's file, as it is at this moment, to a new file that any client of the format reads."""
        if os.path.lexists(to):
            raise ConflictError(f"{to} is there already; name another place.")
        with self._lock, self._whole(to) as beside:
            self._copy(name, beside)

    @contextlib.contextmanager
    def set_aside(self, name: str) -> Iterator[AgentDatabase]:
        """A session's file, to check or mend all of it. All changes are in the file, and nothing else changes it
        meanwhile. Errors as of ``overlay``."""
        with self._lock:
            there = self._open.get(name)
            if there is None:
                with AgentDatabase(self._there(name), create=False) as database:
                    yield database
                return
            try:
                with there.overlay.delta.set_aside():
                    yield there.database
            finally:
                there.overlay.notes.read_again()

    def close(self) -> None:
        """Commit what is left of all, and end. An ``OSError`` is raised when all are closed."""
        with self._lock, contextlib.ExitStack() as stack:
            for there in self._open.values():
                stack.callback(there.close)
            self._open.clear()

    def grafts(self) -> Mapping[bytes, FileSystem]:
        """The overlays by the names of directories; each is opened when it is asked for."""
        return _Grafts(self, self.names())

    # What the methods above are made of

    def _path(self, name: str) -> Path:
        if not _NAME.fullmatch(name):
            raise UsageError(
                f"{name!r} is no name of a session: letters, digits, `-`, `_` and `.`, at most 64, no `.` in front."
            )
        return self._folder / (name + SUFFIX)

    def _there(self, name: str) -> Path:
        path = self._path(name)
        if not path.exists():
            meant = did_you_mean(name, self.names(), "`kgfs session list` shows them all.")
            raise NotFoundError(f"There is no session {name}; {meant}")
        return path

    def _free(self, name: str) -> Path:
        path = self._path(name)
        if os.path.lexists(path):
            raise ExistsError(f"There is a session {name} already; choose another name, or discard it.")
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return path

    def _copy(self, name: str, to: Path) -> None:
        there = self._open.get(name)
        if there is not None:
            there.overlay.sync()
            there.database.copy(to)
            return
        with AgentDatabase(self._there(name), create=False, read_only=True) as database:
            database.copy(to)

    @contextlib.contextmanager
    def _whole(self, path: Path) -> Iterator[Path]:
        """A path beside one at which a file is to be whole or not at all."""
        beside = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            os.close(os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
            yield beside
            beside.rename(path)
            _sync(path.parent)
        finally:
            for suffix in _BESIDE:
                beside.with_name(beside.name + suffix).unlink(missing_ok=True)


class _Grafts(Mapping[bytes, FileSystem]):
    """Overlays that are opened when they are asked for."""

    def __init__(self, sessions: Sessions, names: Sequence[str]) -> None:
        self._sessions = sessions
        self._names = {name.encode(): name for name in names}

    def __getitem__(self, name: bytes) -> FileSystem:
        return self._sessions.overlay(self._names[name])

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _describe(database: AgentDatabase, note: str, forked_from: str) -> None:
    with database.write() as connection:
        connection.executemany(
            "INSERT OR REPLACE INTO session_info (key, value) VALUES (?, ?)",
            [("created_ns", str(time.time_ns())), ("note", note), ("forked_from", forked_from)],
        )


def _info(name: str, database: AgentDatabase) -> SessionInfo:
    found: dict[str, str] = {}
    with database.read() as connection:
        if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'session_info'").fetchone():
            found = dict(connection.execute("SELECT key, value FROM session_info"))
    created = found.get("created_ns", "")
    status = database.path.stat()
    return SessionInfo(
        name, int(created) if created.isdigit() else status.st_mtime_ns, found.get("note", ""),
        found.get("forked_from", ""), status.st_size,
    )  # fmt: skip


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
