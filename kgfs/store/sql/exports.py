"""The views of a catalog as a DuckDB file of its own, made for a generation: all that the SQL process can open.

Used by ``kgfs.namespace.queries.sql``, in the thread of the query. A question must not run in the catalog's engine: its
limits (memory, threads, access to files) are settings of the whole engine, a fault in it would invalidate the catalog,
and some functions cannot be interrupted. So the rows go into a file, and a process asks that
(``kgfs.store.sql.sql_process``). A file has the views that its first statement names, and the next one, if that is not
enough, has all: everything in one file is of one moment.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import _duckdb as duckdb

from kgfs.errors import DeadlineExceeded, NoSpaceError
from kgfs.store.catalog.database import Cursor, Database
from kgfs.store.files import items
from kgfs.store.sql.views import VIEWS

DIRECTORY = "sql"
"""Beneath the store; what is left there by a process that was killed goes at the next export."""
SPARE_BYTES = 64 * 1024 * 1024
"""An export leaves so much space on the disk: where it is full, the catalog itself is in danger."""
_ROW_BYTES = 400

_MAKE = {
    "entity_directories": "CREATE TEMP TABLE entity_directories (type VARCHAR, directory VARCHAR)",
    "fact_directories": "CREATE TEMP TABLE fact_directories (type VARCHAR, directory VARCHAR)",
    "item_paths": "CREATE TEMP TABLE item_paths (id BIGINT, path VARCHAR)",
}


class NamingRules(NamedTuple):
    """The naming rules that SQL does not know: directories of types, the path of a stored file (``None``: none)."""

    entity_directory: Callable[[str], str]
    fact_directory: Callable[[str], str]
    item_path: Callable[[int], str | None]


class _File:
    """One export and how many read it; it goes when it is replaced and nobody does."""

    def __init__(self, path: Path, generation: int, views: frozenset[str]) -> None:
        self.path, self.generation, self.views = path, generation, views
        self.readers = 0
        self.replaced = False


class Exports:
    """The exports of one catalog, at most one that is current. For any thread."""

    def __init__(self, database: Database) -> None:
        self._database = weakref.proxy(database)
        self._directory = database.path.parent / DIRECTORY
        self._making = threading.Lock()
        self._lock = threading.Lock()
        self._current: _File | None = None
        self._number = 0
        shutil.rmtree(self._directory, ignore_errors=True)
        database.at_close.append(lambda: shutil.rmtree(self._directory, ignore_errors=True))

    @contextlib.contextmanager
    def file(self, generation: int, views: frozenset[str], places: NamingRules, deadline: float) -> Iterator[Path]:
        """A file with at least these views, made in this generation, which stays for this block.

        ``deadline`` (``time.monotonic``) is when it must be there; ``DeadlineExceeded`` where it is not.
        ``NoSpaceError`` where the disk has no room for it.
        """
        chosen = self._take(generation, views)
        if chosen is None:
            if not self._making.acquire(timeout=max(0.0, deadline - time.monotonic())):
                raise _late()
            try:
                chosen = self._take(generation, views) or self._replace(generation, views, places, deadline)
            finally:
                self._making.release()
        try:
            yield chosen.path
        finally:
            with self._lock:
                chosen.readers -= 1
                self._drop(chosen)

    def _take(self, generation: int, views: frozenset[str]) -> _File | None:
        with self._lock:
            current = self._current
            if current is None or current.generation != generation or not views <= current.views:
                return None
            current.readers += 1
            return current

    def _replace(self, generation: int, views: frozenset[str], places: NamingRules, deadline: float) -> _File:
        """A new current file, with what this generation was asked for before too; taken by the caller."""
        before = self._current
        if before is not None and before.generation == generation:
            views = frozenset(VIEWS)  # more and more are asked for: not again and again
        self._number += 1
        path = self._directory / f"{os.getpid()}-{self._number}.duckdb"
        self._directory.mkdir(mode=0o700, exist_ok=True)
        made = _File(path, generation, views)
        try:
            self._export(path, views, places, deadline)
        except BaseException:
            _unlink(path)
            raise
        with self._lock:
            self._current = made
            made.readers = 1
            if before is not None:
                before.replaced = True
                self._drop(before)
        return made

    def _drop(self, file: _File) -> None:
        if file.replaced and not file.readers:
            _unlink(file.path)

    def _export(self, path: Path, views: frozenset[str], places: NamingRules, deadline: float) -> None:
        name = f"export_{self._number}"
        with self._database.read() as cursor:
            left = deadline - time.monotonic()
            interrupt = threading.Timer(max(0.0, left), cursor.interrupt)
            interrupt.start()
            try:
                _require_space(cursor, path.parent, views)
                cursor.execute(f"ATTACH '{str(path).replace(chr(39), chr(39) * 2)}' AS {name}")
                try:
                    cursor.execute("BEGIN")
                    _make_places(cursor, views, places)
                    for view in sorted(views):
                        cursor.execute(f"CREATE TABLE {name}.main.{view} AS {VIEWS[view].statement}")
                    cursor.execute("COMMIT")
                except BaseException:
                    with contextlib.suppress(duckdb.Error):
                        cursor.execute("ROLLBACK")
                    raise
                finally:
                    cursor.execute(f"DETACH {name}")  # writes the file to its end
            except duckdb.InterruptException as error:
                raise _late() from error
            except duckdb.Error as error:
                if "No space left" in str(error):
                    raise _no_space(path.parent) from error
                raise
            finally:
                interrupt.cancel()


def _make_places(cursor: Cursor, views: frozenset[str], places: NamingRules) -> None:
    """The tables that the views' statements need beside the catalog's."""
    for statement in _MAKE.values():
        cursor.execute(statement)
    for view, directory in (("entities", places.entity_directory), ("facts", places.fact_directory)):
        if view in views:
            types = [row[0] for row in cursor.execute(f"SELECT DISTINCT type FROM {view} ORDER BY type").fetchall()]
            table = "entity_directories" if view == "entities" else "fact_directories"
            _fill(cursor, table, "VARCHAR", types, [directory(kind) for kind in types])
    if any("item_paths" in VIEWS[view].statement for view in views):
        files = f"SELECT id FROM context_items WHERE mime_type IS DISTINCT FROM '{items.DIRECTORY}' ORDER BY id"
        ids = [row[0] for row in cursor.execute(files).fetchall()]
        _fill(cursor, "item_paths", "BIGINT", ids, [places.item_path(row_id) for row_id in ids])


def _fill(cursor: Cursor, table: str, key: str, keys: list[object], values: list[object]) -> None:
    cursor.execute(f"INSERT INTO {table} SELECT unnest($1::{key}[]), unnest($2::VARCHAR[])", [keys, values])


def _require_space(cursor: Cursor, directory: Path, views: frozenset[str]) -> None:
    wanted = SPARE_BYTES
    for view in views:
        rows, size = cursor.execute(
            f"SELECT count(*), {'coalesce(sum(size), 0)' if view == 'chunks' else 0}::BIGINT FROM {view}"
        ).fetchall()[0]
        wanted += rows * _ROW_BYTES + size
    status = os.statvfs(directory)
    if status.f_bavail * status.f_frsize < wanted:
        raise _no_space(directory)


def _no_space(directory: Path) -> NoSpaceError:
    return NoSpaceError(f"There is no room for the views of a query in {directory}; free some space and ask again.")


def _late() -> DeadlineExceeded:
    return DeadlineExceeded("The views of this graph were not ready in time; ask again in a moment.")


def _unlink(path: Path) -> None:
    for left in (path, path.with_name(path.name + ".wal")):
        with contextlib.suppress(OSError):
            left.unlink()


_known: weakref.WeakKeyDictionary[Database, Exports] = weakref.WeakKeyDictionary()
_guard = threading.Lock()


def exports_of(database: Database) -> Exports:
    """The exports of an open catalog."""
    with _guard:
        found = _known.get(database)
        if found is None:
            found = _known[database] = Exports(database)
        return found
