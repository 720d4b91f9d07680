"""The catalog's file: opening, the one writer thread, readers' cursors, and what a full disk does to them.

Used by the service (which opens it), by the pipeline (writes) and by the namespace (reads). ``Database`` may be used
from any thread: writes are queued to one thread of its own, reads run on the caller's.
"""

from __future__ import annotations

import contextlib
import os
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

# Without the package around the engine, which takes longer to import than it does.
import _duckdb as duckdb

from kgfs.config import CATALOG
from kgfs.errors import KgfsError, NoSpaceError, NotFoundError, StoreError, StoreLocked
from kgfs.store.catalog import change_log, schema
from kgfs.store.catalog.engine_errors import (
    damaged,
    explained,
    is_damage,
    is_invalid,
    is_of_disk,
    os_explained,
    require_free,
)
from kgfs.store.catalog.shared_writes import SharedWork, SharedWrites, results
from kgfs.store.catalog.statements import run_prepared

T = TypeVar("T")
Cursor = duckdb.DuckDBPyConnection
"""A cursor of the catalog: ``execute(sql, parameters).fetchall()``."""

RESERVE_BYTES = 32 * 1024 * 1024
"""No write is begun with less free space, but for what removes or moves: a checkpoint needs room."""

MEMORY = 1 << 30
"""Bytes that the engine may use."""
RESTING_MEMORY = 120 << 20
"""What it keeps of that when it is told to rest; a tenth of the catalog is added."""
PASSED_BYTES = 32 << 20
"""After so many bytes of bodies it is told to rest."""
REPLACE_SECONDS = 2.0
"""How long readers of a catalog that is replaced by another are waited for."""
PATIENCE_SECONDS = 0.02
"""How long readers may take to end before a rest is left for another time; no reader begins meanwhile."""

_open_here: weakref.WeakValueDictionary[str, Database] = weakref.WeakValueDictionary()
_open_guard = threading.RLock()


class Database:
    """An open catalog. One process may have it, and in it one ``Database``; ``close`` gives it free."""

    def __init__(self, path: Path, *, memory: int, threads: int, reserve: int) -> None:
        self.path = path
        self._settings: dict[str, Any] = {
            "memory_limit": f"{memory}B",
            "threads": threads,
            # A checkpoint merges small row groups and for that reads and writes them whole. Blocks of 1 MiB never fill
            # one, so each checkpoint would rewrite every large body: 1 GB took 260 s and 1.2 GB of memory, not 6 and
            # 0.2. Other tables gain nothing by it: they grow by some row groups for every 16 MiB of log.
            "max_vacuum_tasks": 0,
            # SQL never names a Python variable, and nothing is fetched from the network.
            "python_enable_replacements": False,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        }
        self._reserve = reserve
        self._guard = threading.RLock()
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._cursors: weakref.WeakSet[duckdb.DuckDBPyConnection] = weakref.WeakSet()
        self._closed = False
        self.at_close: list[Callable[[], None]] = []
        """What goes when this is closed: files made of it."""
        self._gate = threading.Condition()
        self._reading = 0
        """Readers at work; changed with the gate held, which also keeps them out while the engine rests."""
        self._resting = False
        """Whether readers wait before they begin."""
        self._passed = 0
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="kgfs-writer")
        self._writer_thread: int | None = None
        self._shared = SharedWrites()
        self.commits = 0
        """How many transactions were committed since it was opened. What is read *after* looking at this number is at
        least as new as it."""
        self.replaced = 0
        """How often another catalog was put in the place of this one. What was read before that no longer holds."""

    # --- opening ---------------------------------------------------------------------------------------------------

    @classmethod
    def open(
        cls,
        store: Path,
        *,
        create: bool = False,
        memory: int = MEMORY,
        threads: int = 2,
        reserve: int = RESERVE_BYTES,
    ) -> Database:
        """The catalog in the directory ``store``, brought to this program's schema.

        ``memory`` is how many bytes the engine may use.

        ``create`` makes directory and catalog where they are missing. ``NotFoundError`` without one, ``StoreLocked``
        while another process (or another ``Database`` of this one) has it, ``StoreError`` where it is damaged or newer
        than this program, ``NoSpaceError`` where the disk is full.
        """
        path = store / CATALOG
        key = os.path.realpath(path)
        with _open_guard:
            if key in _open_here:
                raise StoreLocked(f"This process has the store {store} open already; close it first.")
            database = cls(path, memory=memory, threads=threads, reserve=reserve)
            if not path.exists():
                if not create:
                    raise NotFoundError(f"There is no store at {store}; make one with `kgfs init` or `kgfs add PATH`.")
                database._create(store)
            try:
                connection = database._connect()
                schema.migrate(connection)
            except KgfsError:
                database.close()
                raise
            except duckdb.Error as error:
                database.close()
                raise explained(error, path) from error
            _open_here[key] = database
            return database

    def _create(self, store: Path) -> None:
        """A catalog appears whole or not at all: it is made beside its place and then linked there."""
        temporary = self.path.with_name(f"{self.path.name}.{os.getpid()}.new")
        try:
            store.mkdir(parents=True, exist_ok=True, mode=0o700)
            require_free(store, self._reserve)
            self._make(temporary)
            with contextlib.suppress(FileExistsError):  # another process was faster: its catalog is as good
                os.link(temporary, self.path)
        except OSError as error:
            raise os_explained(error, store) from error
        except duckdb.Error as error:
            raise explained(error, self.path) from error
        finally:
            for left in (temporary, Path(f"{temporary}.wal")):
                with contextlib.suppress(OSError):
                    left.unlink()

    def _make(self, path: Path) -> None:
        with contextlib.closing(duckdb.connect(os.fspath(path), config=self._settings)) as connection:
            schema.migrate(connection)

    def _connect(self) -> duckdb.DuckDBPyConnection:
        with self._guard:
            if self._closed:
                raise StoreError(f"The store {self.path.parent} is closed.")
            if self._connection is None:
                if not self.path.exists():
                    raise StoreError(f"The catalog {self.path} is gone; restore it, or add the sources to a new store.")
                change_log.require_whole(self.path)
                try:
                    self._connection = duckdb.connect(os.fspath(self.path), config=self._settings)
                    _shut_in(self._connection, self.path.parent)
                except duckdb.Error as error:
                    raise explained(error, self.path) from error
            return self._connection

    def _cursor(self) -> Cursor:
        with self._guard:
            cursor = self._connect().cursor()
            self._cursors.add(cursor)
            return cursor

    def _invalidate(self) -> None:
        """Let go of an object that the engine gave up (a full disk at a checkpoint does that); the next use reopens.

        The engine shares one instance among all connections to a file, so every cursor must go first.
        """
        with self._guard:
            for cursor in list(self._cursors):
                with contextlib.suppress(duckdb.Error):
                    cursor.close()
            self._cursors.clear()
            if self._connection is not None:
                with contextlib.suppress(duckdb.Error):
                    self._connection.close()
                self._connection = None

    def close(self) -> None:
        """Finish the writes that are queued, checkpoint, and let other processes have the file."""
        self._writer.shutdown(wait=True)
        with self._guard:
            self._closed = True
            self._invalidate()
        while self.at_close:
            self.at_close.pop()()
        with _open_guard:
            key = os.path.realpath(self.path)
            if _open_here.get(key) is self:
                del _open_here[key]

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- writing ---------------------------------------------------------------------------------------------------

    def write(self, work: Callable[[Cursor], T]) -> T:
        """Run ``work(cursor)`` in one transaction on the writer thread, wait for its commit, return its result.

        Whatever ``work`` raises rolls back and is raised here. ``NoSpaceError`` when the disk is full (before anything
        is done, or when the commit fails). Not from inside ``work``: its cursor is the transaction.
        """
        if threading.get_ident() == self._writer_thread:
            raise RuntimeError("A write inside a write; use the cursor of the outer one.")
        return self._writer.submit(self._transaction, work).result()

    def share(
        self,
        work: Callable[[Cursor], T],
        then: Callable[[T], object] | None = None,
        together: Callable[[Cursor, list[T]], list[T]] | None = None,
    ) -> T:
        """``write`` for short works of which many come at once: those that wait share one transaction.

        ``together`` is what one statement can do for many of them: it is called at the end of the transaction with the
        results of all works that name this same function, and returns their results. ``then`` is called with the result
        after the commit, before any later transaction begins. Works that share one must not depend on each other; where
        one raises, each is done in a transaction of its own.
        """
        return self.share_soon(work, then, together).result()

    def share_soon(
        self,
        work: Callable[[Cursor], T],
        then: Callable[[T], object] | None = None,
        together: Callable[[Cursor, list[T]], list[T]] | None = None,
    ) -> Future[T]:
        """``share`` without waiting."""
        if threading.get_ident() == self._writer_thread:
            raise RuntimeError("A write inside a write; use the cursor of the outer one.")
        one = SharedWork(work, then, together)
        self._shared.add(one)
        self._writer.submit(self._shared.commit, self._transaction)
        return one.future

    def _alone(self, one: SharedWork, freeing: bool = False) -> None:
        try:
            (result,) = self._transaction(lambda cursor: results(cursor, [one]), freeing)
        except BaseException as error:
            one.failed(error)
        else:
            one.committed(result)

    def write_soon(
        self, work: Callable[[Cursor], T], then: Callable[[T], object] | None = None, *, freeing: bool = False
    ) -> Future[T]:
        """``write`` without waiting, and ``then(result)`` after the commit and before any later transaction begins.

        ``freeing`` may use the reserve: what somebody does to have space again. On the writer's thread, too: it comes
        after what is being done.
        """
        one = SharedWork(work, then)
        self._writer.submit(self._alone, one, freeing)
        return one.future

    def require_space(self) -> None:
        """``NoSpaceError`` where the disk is so full that nothing would be written."""
        require_free(self.path.parent, self._reserve)

    def _transaction(self, work: Callable[[Cursor], T], freeing: bool = False) -> T:
        self._writer_thread = threading.get_ident()
        in_reserve = False
        try:
            self.require_space()
        except NoSpaceError:
            if not freeing:
                raise
            in_reserve = True
        cursor = self._cursor()
        try:
            if in_reserve:  # the log grows a little; a checkpoint that finds no room would cost the open catalog
                cursor.execute("SET checkpoint_threshold = '1TB'")
            cursor.begin()
            result = work(cursor)
            cursor.commit()
            self.commits += 1
            return result
        except BaseException as error:
            with contextlib.suppress(duckdb.Error):
                cursor.rollback()
            if isinstance(error, duckdb.Error):
                self._explain(error)
            raise
        finally:
            with contextlib.suppress(duckdb.Error):
                if in_reserve:
                    cursor.execute("RESET checkpoint_threshold")
                cursor.close()

    def between_writes(self, work: Callable[[Cursor], T]) -> T:
        """Run ``work(cursor)`` on the writer's thread outside of any transaction: nothing is committed meanwhile."""

        def alone() -> T:
            with contextlib.closing(self._cursor()) as cursor:
                return work(cursor)

        return self._writer.submit(alone).result()

    def replace(self, make: Callable[[], Path], aside: Path) -> None:
        """Put the catalog that ``make`` returns in the place of this one, whose file becomes ``aside``. Nothing is
        written meanwhile. Readers are waited for, and no other begins; one that takes long starts again."""

        def swap() -> None:
            made = make()
            with self._gate:
                self._resting = True
                try:
                    self._gate.wait_for(lambda: not self._reading, REPLACE_SECONDS)
                    put(made)
                finally:
                    self._resting = False
                    self._gate.notify_all()

        def put(made: Path) -> None:
            self._invalidate()
            for end in ("", ".wal"):
                with contextlib.suppress(FileNotFoundError):
                    os.replace(f"{self.path}{end}", f"{aside}{end}")
            os.replace(made, self.path)
            self.commits += 1
            self.replaced += 1

        self._writer.submit(swap).result()

    def rest(self) -> None:
        """Have the engine let go of what it keeps as a cache, down to ``RESTING_MEMORY`` (measured: it never does by
        itself, and the daemon would grow to ``MEMORY`` within minutes of searches). Waits for the writes before it,
        and does nothing while somebody reads for long.
        """
        self._writer.submit(self._rest).result()

    def passed(self, count: int) -> None:
        """Count bytes of bodies that were read. The engine would cache them all, although callers have a cache of
        their own. So after every ``PASSED_BYTES`` the engine rests: without waiting for that, or inside a
        transaction at once."""
        with self._gate:
            self._passed += count
            if self._passed < PASSED_BYTES:
                return
            self._passed = 0
        if threading.get_ident() == self._writer_thread:
            self._rest()
            return
        with contextlib.suppress(RuntimeError):  # it was closed
            self._writer.submit(self._rest)

    def _rest(self) -> None:
        # On the writer's thread and without readers: nobody is to meet the limit.
        with self._gate:
            self._resting = True
            try:
                if self._gate.wait_for(lambda: not self._reading, PATIENCE_SECONDS):
                    self._let_go()
            finally:
                self._resting = False
                self._gate.notify_all()

    def _let_go(self) -> None:
        size = self.path.stat().st_size if self.path.exists() else 0
        cursor = self._cursor()
        try:
            least = min(RESTING_MEMORY + size // 10, MEMORY)
            with contextlib.suppress(duckdb.Error):  # what is in use cannot be let go
                cursor.execute(f"SET memory_limit = '{least}B'")
            cursor.execute(f"SET memory_limit = '{self._settings['memory_limit']}'")
        finally:
            cursor.close()

    # --- reading ---------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def read(self, *, snapshot: bool = False) -> Iterator[Cursor]:
        """A cursor for this block; ``snapshot=True`` makes all its statements see one state.

        ``StoreError`` when the engine gave the file up meanwhile; the next call has it open again.
        """
        with self._gate:
            self._gate.wait_for(lambda: not self._resting)
            self._reading += 1
        try:
            with self._reader(snapshot) as cursor:
                yield cursor
        finally:
            with self._gate:
                self._reading -= 1
                if not self._reading:
                    self._gate.notify_all()

    def _explain(self, error: duckdb.Error) -> None:
        """Raise what an error of the engine means to the user; return where it is a fault of the statement."""
        if is_invalid(error):
            self._invalidate()
        if is_of_disk(error) or is_invalid(error):
            raise explained(error, self.path) from error
        if is_damage(error):
            raise damaged(error, self.path) from error

    @contextlib.contextmanager
    def _reader(self, snapshot: bool) -> Iterator[Cursor]:
        cursor = self._cursor()
        try:
            if snapshot:
                run_prepared(cursor, "BEGIN TRANSACTION READ ONLY")
            yield cursor
        except duckdb.Error as error:
            self._explain(error)
            raise
        finally:
            with contextlib.suppress(duckdb.Error):
                if snapshot:
                    cursor.rollback()
            with contextlib.suppress(duckdb.Error):
                cursor.close()

    def fetch(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of one SELECT; asked once more where the engine had to be opened again in between."""
        return self._fetched(sql, parameters, lambda cursor: cursor.fetchall())

    def fetch_columns(self, sql: str, parameters: Sequence[Any] = ()) -> dict[str, Any]:
        """The same as numpy arrays, one a column (masked where it holds NULLs)."""
        return self._fetched(sql, parameters, lambda cursor: cursor.fetchnumpy())

    def _fetched(self, sql: str, parameters: Sequence[Any], take: Callable[[Cursor], T]) -> T:
        for last in (False, True):
            try:
                with self.read() as cursor:
                    return take(run_prepared(cursor, sql, parameters))
            except (StoreError, NoSpaceError, duckdb.ConnectionException):
                if last or self._closed:
                    raise
        raise AssertionError("unreachable")


def _shut_in(connection: duckdb.DuckDBPyConnection, store: Path) -> None:
    """Let the engine reach no file outside the store, for good: a catalog that somebody else made may hold views and
    macros in the place of tables and functions."""
    quoted = os.fspath(store.absolute()).replace("'", "''")
    connection.execute(f"SET allowed_directories = ['{quoted}']")
    connection.execute("SET enable_external_access = false")
