"""``agent.db`` as a file: opening and creating it, one transaction at a time, readers, and what SQLite's errors mean.

Used by the workspace, the key-value store and the audit trail, from any thread. SQLite lets several processes have the
file open; within this process one lock keeps writers apart, so that none polls for another. A transaction that
``write`` ended is durable: the log is synced before it returns.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from urllib.parse import quote

from kgfs.agentfs import log_check, schema
from kgfs.errors import (
    ConflictError,
    DiskReadOnly,
    KgfsError,
    NoSpaceError,
    NotFoundError,
    ReadOnlyError,
    StoreError,
    StoreLocked,
)

FILE = "agent.db"
"""Its name in a store."""
BUSY_SECONDS = 10.0
"""How long a transaction waits for one of another process."""
LOG_PAGES = 4096
"""After so many pages of the log they are moved into the file: 16 MiB."""
CACHE_KIB = 16 * 1024
_LOG_BYTES = 32 + LOG_PAGES * (24 + 4096)
"""As long it becomes: its header, and each page with its own."""
_SPACE = ("page_count", "freelist_count", "page_size")
MUCH_FREE_BYTES = 64 << 20
"""So much free space in a file is worth the time of giving it back."""
MAGIC = b"SQLite format 3\x00"

_OURS = {"fs_config", "fs_inode", "kv_store", "tool_calls"}


class AgentDatabase:
    """An open ``agent.db``. ``close`` ends all of its connections."""

    def __init__(
        self, path: Path, *, create: bool = True, read_only: bool = False, chunk_size: int = schema.CHUNK_SIZE,
        patience: float = BUSY_SECONDS,
    ) -> None:  # fmt: skip
        """Open it; with ``create`` make it, or what is missing of it.

        ``NotFoundError`` where it is missing, ``StoreLocked`` where another program keeps it locked, ``ReadOnlyError``
        where it may not be written, ``StoreError`` where it is damaged, newer, or something else, ``DamagedLog`` where
        its log is.
        """
        self.path = path
        self.read_only = read_only
        self._patience = patience
        self._lock = threading.Lock()
        self._free: list[sqlite3.Connection] = []
        self._all: list[sqlite3.Connection] = []
        self._guard = threading.Lock()
        self._closed = False
        present = _look(path, create=create, read_only=read_only)
        if present:
            log_check.require_whole(path)
        try:
            with explained(path):
                self._writer = self._connect()
                if not read_only:
                    self._prepare(present, chunk_size)
                else:
                    _require_ours(self._writer)
                self.chunk_size = _chunk_size(self._writer)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> AgentDatabase:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End all connections. The last process that closes the file leaves it without a log beside it."""
        with self._lock, self._guard:
            self._closed = True
            for connection in self._all:
                with contextlib.suppress(sqlite3.Error):
                    connection.close()
            self._all.clear()
            self._free.clear()

    @contextlib.contextmanager
    def write(self, *, durable: bool = True) -> Iterator[sqlite3.Connection]:
        """One transaction that writes. An exception undoes it; SQLite's become ours.

        It is durable when it ends; without ``durable``, with the next one that is, or a checkpoint.
        """
        if self.read_only:
            raise ReadOnlyError(f"{self.path} was opened only to be read.")
        with self._lock, explained(self.path):
            if self._closed:
                raise StoreError(f"{self.path} is closed.")
            connection = self._writer
            if not durable:
                connection.execute("PRAGMA synchronous = NORMAL")
            try:
                connection.execute("BEGIN IMMEDIATE")
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    with contextlib.suppress(sqlite3.Error):
                        connection.execute("ROLLBACK")
                raise
            finally:
                if not durable:
                    connection.execute("PRAGMA synchronous = FULL")

    def extend_log(self) -> None:
        """Give the log the length that it will have, in zeros: while a file grows, each sync of it waits for the disk
        file system's journal, too. ``OSError`` where the disk is full, ``KgfsError``.

        SQLite ends reading a log at the first page whose number is 0 (https://sqlite.org/walformat.html).
        """
        # In a transaction, so that nobody adds to it meanwhile.
        with self.write(durable=False), open(f"{self.path}-wal", "r+b") as log:
            missing = _LOG_BYTES - log.seek(0, os.SEEK_END)
            while missing > 0:
                missing -= log.write(bytes(min(missing, 1 << 20)))
            log.flush()
            os.fsync(log.fileno())

    @contextlib.contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """One transaction that reads: all statements in it see the same state."""
        with explained(self.path):
            connection = self._take()
            try:
                connection.execute("BEGIN")
                yield connection
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                self._give(connection)

    def copy(self, to: Path) -> None:
        """Write all of it, as it is at one moment, into a new file; writers go on meanwhile."""
        with explained(self.path), self.read() as connection:
            made = sqlite3.connect(to, isolation_level=None)
            try:
                connection.execute("SELECT 1 FROM fs_config").fetchone()
                connection.backup(made, pages=4096)
            finally:
                made.close()

    def connect(self) -> sqlite3.Connection:
        """A connection of the caller's own, without a transaction; ``close`` ends it too."""
        with explained(self.path):
            return self._connect()

    def _take(self) -> sqlite3.Connection:
        with self._guard:
            if self._closed:
                raise StoreError(f"{self.path} is closed.")
            if self._free:
                return self._free.pop()
        return self._connect()

    def _give(self, connection: sqlite3.Connection) -> None:
        with self._guard:
            if not self._closed:
                self._free.append(connection)

    def _connect(self) -> sqlite3.Connection:
        uri = f"file:{quote(str(self.path.absolute()))}?mode={'ro' if self.read_only else 'rw'}"
        connection = sqlite3.connect(
            uri, uri=True, timeout=self._patience, isolation_level=None, check_same_thread=False, cached_statements=256
        )
        with self._guard:
            self._all.append(connection)
        connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")
        connection.execute("PRAGMA trusted_schema = OFF")
        return connection

    def _prepare(self, present: bool, chunk_size: int) -> None:
        """Make a new file's schema, or what one of another client lacks."""
        connection = self._writer
        if present:
            _require_ours(connection)
        (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
        if mode != "wal":
            raise StoreError(f"{self.path} cannot have a write-ahead log (its file system has no shared memory).")
        connection.execute(f"PRAGMA journal_size_limit = {LOG_PAGES * 4096 * 2}")
        if present:
            _give_space_back(connection)
        connection.execute("BEGIN IMMEDIATE")
        try:
            schema.create(connection, chunk_size)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


def _look(path: Path, *, create: bool, read_only: bool) -> bool:
    """Whether the file is there and has something in it; makes an empty one that only its owner may read."""
    try:
        with path.open("rb") as file:
            head = file.read(len(MAGIC))
    except FileNotFoundError:
        if not create or read_only:
            raise NotFoundError(f"There is no {path}.") from None
        try:
            os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))
        except OSError as error:
            raise _os_explained(path, error) from error
        return False
    except OSError as error:
        raise _os_explained(path, error) from error
    if head and head != MAGIC:
        raise StoreError(f"{path} is no SQLite file; move it away, or restore it from a backup.")
    if not read_only and not os.access(path, os.W_OK, effective_ids=True):
        raise ReadOnlyError(f"{path} cannot be written; change its permissions.")
    if not head and (read_only or not create):
        raise StoreError(f"{path} is empty.")
    return bool(head)


def _give_space_back(connection: sqlite3.Connection) -> None:
    """Make a file smaller of which most is free, since what was in it was removed; not where somebody else has it open,
    or the disk has no room for a copy of what is left.
    """
    pages, free, size = (connection.execute(f"PRAGMA {what}").fetchone()[0] for what in _SPACE)
    if free * size >= MUCH_FREE_BYTES and 2 * free > pages:
        with contextlib.suppress(sqlite3.Error):
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _require_ours(connection: sqlite3.Connection) -> None:
    """Refuse a database of another program, and one of a newer version."""
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if tables and not tables & _OURS:
        raise StoreError("It is a database of another program; move it away.")
    schema.version_of(connection)


def _chunk_size(connection: sqlite3.Connection) -> int:
    """The size of chunks. ``StoreError`` where it is no number that can be one."""
    row = None
    if schema.columns(connection, "fs_config"):
        row = connection.execute(schema.CHUNK_SIZE_ROW).fetchone()
    if row is None:
        return schema.CHUNK_SIZE
    text = str(row[0])
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 1 << 26:
        raise StoreError(f"Its chunk_size is {text!r}, which cannot be one.")
    return int(text)


def _os_explained(path: Path, error: OSError) -> KgfsError:
    if isinstance(error, PermissionError):
        return ReadOnlyError(f"{path} cannot be opened: permission denied.")
    return StoreError(f"{path} cannot be opened: {error.strerror}.")


@contextlib.contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what SQLite raises into errors of ours that name the file and the next step."""
    try:
        yield
    except sqlite3.Error as error:
        raise translated(path, error) from error
    except UnicodeDecodeError as error:  # a message of SQLite that has a damaged name in it
        raise _SAYS[sqlite3.SQLITE_CORRUPT](path) from error
    except StoreError as error:
        if error.message.startswith("It"):
            raise StoreError(f"{path}: {error.message}") from error
        raise


def translated(path: Path, error: sqlite3.Error) -> KgfsError:
    """The error of ours for one of SQLite's."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
        why = _refusal(path)
        if why is not None:
            return why
    says = _SAYS.get(code)
    if says is None:
        return StoreError(f"{path} failed: {error}.")
    return says(path)


def _refusal(path: Path) -> KgfsError | None:
    """The error that a write meets on this disk, or none. SQLite does not tell its errors apart."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CLOEXEC))
        space = os.statvfs(path)
    except OSError as error:
        if error.errno == errno.EROFS:
            return DiskReadOnly(f"{path} is on a file system that is read-only; nothing was written.")
        return None
    if not space.f_bavail:
        return _SAYS[sqlite3.SQLITE_FULL](path)
    return None


_SAYS: dict[int, Callable[[Path], KgfsError]] = {
    sqlite3.SQLITE_BUSY: lambda path: StoreLocked(
        f"{path} is locked by another program; end that program, or work on a copy (kgfs workspace export)."
    ),
    sqlite3.SQLITE_LOCKED: lambda path: ConflictError(f"{path} is in use; try again."),
    sqlite3.SQLITE_FULL: lambda path: NoSpaceError(f"The disk of {path} is full; free some space, nothing was lost."),
    sqlite3.SQLITE_READONLY: lambda path: ReadOnlyError(f"{path} cannot be written; change its permissions."),
    sqlite3.SQLITE_CORRUPT: lambda path: StoreError(f"{path} is damaged; restore it from a backup (kgfs restore)."),
    sqlite3.SQLITE_NOTADB: lambda path: StoreError(f"{path} is no SQLite file; restore it from a backup."),
    sqlite3.SQLITE_CANTOPEN: lambda path: StoreError(
        f"{path} cannot be opened; look at its permissions and its folder's."
    ),
    sqlite3.SQLITE_IOERR: lambda path: StoreError(
        f"The disk of {path} fails (input/output error); nothing of this was written. Look at the disk, then run"
        " `kgfs fsck`."
    ),
    sqlite3.SQLITE_TOOBIG: lambda path: KgfsError(f"{path}: one value would be larger than SQLite allows (1 GB)."),
}
