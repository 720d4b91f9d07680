"""One LanceDB table with its indexes, and the directory that such tables are in.

Used by ``kgfs.store.index.vectors`` only. A table's indexes are kept fresh while it is written; a damaged one is made
anew, empty, under a new identity, from which the service sees that its rows want indexing again.

Facts of the engine that shape this (LanceDB 0.40): full-text rows that ``optimize`` has not seen are searched by
scanning, 80 µs a chunk, so it runs after some hundred rows, not after fifty commits only.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import shutil
import threading
import time
import uuid
import warnings
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from kgfs.errors import NoSpaceError, StoreError
from kgfs.store.index import remote_catalogs  # noqa: F401  (before lancedb: it leaves a part of that out)

os.environ.setdefault("LANCEDB_LOG", "error")  # read when lancedb is imported
import lancedb
from lancedb.index import FTS, BTree

log = logging.getLogger(__name__)

T = TypeVar("T")

OPTIMIZE_ROWS = 400
OPTIMIZE_COMMITS = 50
OPTIMIZE_SHARE = 10
"""Not before a table grew by this part of itself: optimizing reads all of it, 25 µs a row."""
CACHE_BYTES = 128 * 1024 * 1024
"""What the engine may keep of indexes and of metadata, each: without a limit a large import takes hundreds of MB."""
KEEP_SECONDS = 30.0
"""Old versions of a table are removed after this: longer than any search takes. Each holds all that optimizing
rewrote, so an import leaves ten times the size of its index behind."""
REST = 10
"""A table is optimized beside writes that come now and then when none came for so many times what it took the last
time: 20,000 vectors that are made 50 at a time would be rewritten with each 50."""
LARGE_ROWS, LARGE_WAITS = 100_000, (5000, 200)
"""A table of vectors with so many rows is optimized beside writes that come now and then after these rows or commits:
the engine writes its approximate index anew, two minutes with 2 million rows, and compares 5,000 rows in 5 ms."""
END_SECONDS = 2.0
"""Old versions of a table are removed at the end of the process, too, where optimizing takes no longer."""
IDENTITIES = "identities.json"
_PASSING = re.compile(r"too many open files|no space left|disk quota|cannot allocate|out of memory", re.IGNORECASE)
_FULL = re.compile(r"no space left|disk quota", re.IGNORECASE)

_TERMS = FTS(
    base_tokenizer="whitespace",
    max_token_length=None,
    lower_case=False,
    stem=False,
    remove_stop_words=False,
    ascii_folding=False,
)


class IndexDirectory:
    """Where the tables are, and the identity of each: it changes when a table is made anew."""

    def __init__(self, path: Path) -> None:
        """Open the directory, or make it. ``StoreError`` where that cannot be."""
        self.path = path
        self._identities: dict[str, str] = {}
        self._rebuilt: list[str] = []
        self._lock = threading.Lock()
        _usable_directory(path)
        with explained("opened"):
            session = lancedb.Session(index_cache_size_bytes=CACHE_BYTES, metadata_cache_size_bytes=CACHE_BYTES)
            self.db: Any = lancedb.connect(str(path), read_consistency_interval=timedelta(0), session=session)
        with contextlib.suppress(OSError, msgspec.DecodeError):
            self._identities = msgspec.json.decode((path / IDENTITIES).read_bytes(), type=dict[str, str])

    def knows(self, name: str) -> bool:
        """Whether a table of this name was made here."""
        return name in self._identities

    def made(self, name: str, damaged: bool) -> None:
        """A table was made: give it an identity of its own."""
        with self._lock:
            self._identities[name] = uuid.uuid4().hex
            if damaged:
                self._rebuilt.append(name)
            target = self.path / IDENTITIES
            temporary = target.with_suffix(".new")
            temporary.write_bytes(msgspec.json.encode(self._identities))
            os.replace(temporary, target)

    def list_size(self, name: str, column: str) -> int | None:
        """The length of a table's lists in a column; ``None`` where there is no sound table."""
        if not (self.path / f"{name}.lance").exists():
            return None
        try:
            return int(self.db.open_table(name).schema.field(column).type.list_size)
        except Exception as error:
            if _PASSING.search(str(error)):
                raise _translated(error, f"opened ({name})") from error
            return None  # opening it as a table says more and rebuilds it

    def state(self) -> tuple[dict[str, str], list[str]]:
        """The identities of all tables, and which were damaged and made anew by this process."""
        with self._lock:
            return dict(self._identities), list(self._rebuilt)


class IndexTable:
    """One LanceDB table with its indexes: writes one at a time, indexes kept fresh, rebuilt when damaged."""

    def __init__(self, directory: IndexDirectory, name: str, schema: Any, full_text: tuple[str, ...]) -> None:
        """``full_text`` are the columns that are searched by their terms."""
        self.name, self.schema = name, schema
        self._directory = directory
        self._full_text = full_text
        self._lock = threading.RLock()
        self._rows = 0
        self._commits = 0
        self._written = 0.0
        self._took = 0.0
        """Seconds that it took to optimize the last time, in this process; 0 where that was not done."""
        self._held = 0
        self._left = time.monotonic()
        """When old versions were left behind that are still to be removed, perhaps by a process before; 0 for none."""
        self._table = self._open()
        self._optimized = self.count()
        """Rows when that was last done."""

    def put(self, data: Any) -> None:
        def merge(table: Any) -> None:
            table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all().execute(data)

        self._write(merge, data.num_rows)

    def delete(self, condition: str) -> None:
        self._write(lambda table: table.delete(condition), 0)

    def clear(self, schema: Any) -> None:
        """Drop all rows; from now on they have these columns."""
        with self._lock:
            self.schema = schema
            self._table = self._anew(damaged=False)
            self._rows = self._commits = self._optimized = 0

    def read(self, search: Callable[[Any], T]) -> T:
        table = self._table
        try:
            return search(table)
        except Exception as error:
            self._recover(table, error)
            with explained(f"searched ({self.name})"):
                return search(self._table)

    def count(self) -> int:
        with explained(f"read ({self.name})"):
            return int(self._table.count_rows())

    def settle(self) -> None:
        """``optimize`` if something was written and then nothing for a while, or old versions are to be removed."""
        now = time.monotonic()
        large = not self._full_text and self._optimized > LARGE_ROWS
        rows, commits = LARGE_WAITS if large else (32, 8)
        # Of a large one the next time removes the old versions, too.
        enough = self._rows >= rows or self._commits >= commits or (not large and 0 < self._left < now - KEEP_SECONDS)
        if enough and now - self._written > max(1.0, REST * self._took):
            with self._lock:
                self._optimize()

    @contextlib.contextmanager
    def held(self) -> Iterator[Any]:
        """Within this the table is written and searched, and not optimized: its files stay what another process reads.

        Gives the table.
        """
        with self._lock:  # what optimizes it now comes to its end
            self._held += 1
            table = self._table
        try:
            yield table
        finally:
            with self._lock:
                self._held -= 1

    def tidy(self) -> None:
        """Remove old versions that this process left, unless the table is written to."""
        if 0 < self._took < END_SECONDS and self._lock.acquire(blocking=False):
            try:
                self._optimize(keep=0.001)
            finally:
                self._lock.release()

    def _write(self, change: Callable[[Any], object], rows: int) -> None:
        with self._lock:
            table = self._table
            try:
                change(table)
            except Exception as error:
                self._recover(table, error)
                with explained(f"written ({self.name})"):
                    change(self._table)
            self._rows += rows
            self._commits += 1
            self._written = time.monotonic()
            share = self._optimized // OPTIMIZE_SHARE
            enough = self._commits * OPTIMIZE_ROWS // OPTIMIZE_COMMITS
            if max(self._rows, enough) >= max(OPTIMIZE_ROWS, share):
                self._optimize()

    def _optimize(self, keep: float = KEEP_SECONDS) -> None:
        if self._held:
            return
        started, wrote = time.monotonic(), self._commits > 0
        self._rows = self._commits = 0
        try:
            self._optimized = int(self._table.count_rows())
            self._table.optimize(cleanup_older_than=timedelta(seconds=keep))
            if wrote:
                self._took = time.monotonic() - started
            self._left = time.monotonic() if wrote else 0.0
        except Exception:
            # The rows are searched all the same, only slower; the next write tries again.
            log.warning("Optimizing %s failed.", self.name, exc_info=True)

    def _open(self) -> Any:
        db = self._directory.db
        path = self._directory.path / f"{self.name}.lance"
        if path.exists():
            try:
                table = db.open_table(self.name)
                if table.schema.equals(self.schema) and table.schema.metadata == self.schema.metadata:
                    _probe(table)
                    if not self._directory.knows(self.name):
                        self._directory.made(self.name, damaged=False)
                    return table
                log.info("%s has other columns, other terms or another dimension: rebuilt.", self.name)
            except Exception as error:
                if _PASSING.search(str(error)):
                    raise _translated(error, f"opened ({self.name})") from error
                log.warning("%s is damaged and is rebuilt: %s", self.name, error)
            return self._anew(damaged=True)
        return self._anew(damaged=self._directory.knows(self.name))

    def _anew(self, damaged: bool) -> Any:
        db = self._directory.db
        path = self._directory.path / f"{self.name}.lance"
        with explained(f"made ({self.name})"):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
            table = db.create_table(self.name, schema=self.schema)
            self._create_indexes(table)
        self._directory.made(self.name, damaged)
        return table

    def _create_indexes(self, table: Any) -> None:
        for column in self._full_text:
            table.create_index(column, config=_TERMS)
        for column in (name for name in ("id", "document_id", "digest") if name in self.schema.names):
            table.create_index(column, config=BTree())

    def _recover(self, table: Any, error: Exception) -> None:
        """After an error of the engine: rebuild what is damaged, or raise what it means."""
        if _PASSING.search(str(error)):
            raise _translated(error, f"used ({self.name})") from error
        with self._lock:
            if table is not self._table:
                return  # another thread has repaired it
            log.warning("%s failed: %s", self.name, error)
            try:
                _probe(table)
                self._create_indexes(table)
            except Exception as worse:
                if _PASSING.search(str(worse)):
                    raise _translated(worse, f"used ({self.name})") from worse
                log.warning("%s is damaged and is rebuilt: %s", self.name, worse)
                self._table = self._anew(damaged=True)


def _probe(table: Any) -> None:
    """Read one column of every row: fails where a file of the table is missing."""
    table.search().select(["id"]).limit(max(1, table.count_rows())).to_arrow()


def _usable_directory(directory: Path) -> None:
    try:
        if directory.exists() and not directory.is_dir():
            directory.unlink()
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"The search index {directory} cannot be made ({error.strerror}); fix that first.") from error


def _translated(error: Exception, what: str) -> StoreError | NoSpaceError:
    if _FULL.search(str(error)):
        return NoSpaceError("The disk that holds the store is full; free some space, nothing was lost.")
    reason = (str(error).strip() or type(error).__name__).splitlines()[0][:200]
    return StoreError(f"The search index cannot be {what}: {reason}; try again, or rebuild it with `kgfs reembed`.")


@contextlib.contextmanager
def explained(what: str) -> Iterator[None]:
    """An error of the engine as ours."""
    try:
        with warnings.catch_warnings():
            yield
    except (StoreError, NoSpaceError):
        raise
    except Exception as error:
        raise _translated(error, what) from error
