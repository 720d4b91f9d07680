"""``kgfs import BUNDLE``: the rows of a bundle become a store's, all of them or none.

Used by the service, on its jobs thread; the transaction runs on the store's writer thread. Into a store that never held
anything, rows come as they are, with their ids: the tree is the same, byte by byte. Into any other, ``merging`` brings
stored files in by their refs. Bodies in blocks come first, in transactions of their own under ids that no item has yet
(``kgfs.store.files.staging``); one more transaction does all the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import msgspec

from kgfs.errors import Cancelled, ConflictError, NoSpaceError, StoreError
from kgfs.exchange.bundle import COUNTERS, DERIVED, TABLES, Bundle, BundleRow
from kgfs.exchange.exporting import column_types
from kgfs.progress import Cancel, Progress
from kgfs.store import indexing
from kgfs.store.catalog import dirty_rows
from kgfs.store.catalog.database import Cursor, Database
from kgfs.store.catalog.inserts import insert, take_ids
from kgfs.store.files import staging
from kgfs.store.tree import pages

_RUN_ROWS = 2_000
_RUN_BYTES = 8 << 20
REPORTED_ROWS = 500
_OF_THE_MACHINE = frozenset({"IOException", "OutOfMemoryException", "InterruptException", "FatalException"})
"""Errors of the engine that say nothing of a row."""


class ImportSummary(msgspec.Struct, kw_only=True):
    """What an import did."""

    added: int = 0
    """Stored files that are new."""
    updated: int = 0
    skipped: dict[str, int] = {}
    """How many were left out, by reason."""
    failed: list[dict[str, str]] = []
    unread: int = 0
    warnings: list[str] = []
    counts: dict[str, int] = {}
    seconds: float = 0.0


class BundleReader:
    """The rows of a bundle on their way, with progress; ``Cancelled`` when ``cancel`` is set in between."""

    def __init__(self, bundle: Bundle, progress: Progress, cancel: Cancel) -> None:
        self.bundle = bundle
        self._progress = progress
        self._cancel = cancel

    def rows(self, *only: str) -> Iterator[BundleRow]:
        """As ``Bundle.rows``."""
        total = sum(self.bundle.end.rows.get(name, 0) for name in only) if only else self.bundle.total
        done = 0
        for done, row in enumerate(self.bundle.rows(*only), 1):
            if done % REPORTED_ROWS == 0:
                self._check()
                self._progress({"stage": "import", "done": done, "total": total, "unit": "rows"})
            yield row
        self._check()
        self._progress({"stage": "import", "done": done, "total": done, "unit": "rows"})

    def _check(self) -> None:
        if self._cancel.is_set():
            raise Cancelled("Stopped; nothing was imported.")


def is_untouched(cursor: Cursor) -> bool:
    """Whether a store never held anything: no id was given out, so those of a bundle are free."""
    given = cursor.execute(
        "SELECT 1 FROM counters WHERE next > 1 AND name IN (SELECT unnest(?::VARCHAR[]))", [list(COUNTERS)]
    ).fetchall()
    return not given and all(not cursor.execute(f"SELECT 1 FROM {name} LIMIT 1").fetchall() for name in _EMPTY)


ROWS = [table.name for table in TABLES if table.name != "blocks"]
"""The tables whose rows one transaction takes."""
_EMPTY = [table.name for table in TABLES if table.name not in ("meta", "counters", "blocks")]


def row_runs(rows: Iterable[BundleRow]) -> Iterator[tuple[str, list[BundleRow]]]:
    """Rows of one table that are inserted at once."""
    run: list[BundleRow] = []
    size = 0
    for row in rows:
        if run and (row.table != run[0].table or len(run) == _RUN_ROWS or size + row.size > _RUN_BYTES):
            yield run[0].table, run
            run, size = [], 0
        run.append(row)
        size += row.size
    if run:
        yield run[0].table, run


def insert_bundle_rows(cursor: Cursor, table: str, rows: Sequence[dict[str, Any]]) -> None:
    """Insert rows; a column that some of them lack is NULL there, one that all lack has its default."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    insert(cursor, table, {name: [row.get(name) for row in rows] for name in names})


def require_columns(cursor: Cursor, bundle: Bundle) -> None:
    """``StoreError`` where a bundle has columns that this store has not."""
    known = column_types(cursor)
    for table, columns in bundle.header.tables.items():
        unknown = columns.keys() - known[table].keys()
        if unknown:
            raise StoreError(
                f"{bundle.path} has columns that this kgfs does not know ({table}: {', '.join(sorted(unknown))});"
                " upgrade it to import them."
            )
        for name, kind in columns.items():
            if kind != known[table][name]:
                raise bundle.refused(f"{table}.{name} is of type {known[table][name]}, not {kind[:40]}", 1)


def import_whole(database: Database, bundle: Bundle, progress: Progress, cancel: Cancel) -> ImportSummary:
    """Bring a bundle into a store that is untouched. ``ConflictError`` where somebody writes there meanwhile."""
    with database.read() as cursor:
        require_columns(cursor, bundle)
    reading = BundleReader(bundle, progress, cancel)
    # Under an id that nothing ever has: none is given out where the import ends before its time.
    with staged_bodies(database, reading, lambda owner: -owner) as bodies:
        database.write(lambda cursor: _fill(cursor, reading, bodies))
    return ImportSummary(added=bundle.end.rows.get("context_items", 0))


def _fill(cursor: Cursor, reading: BundleReader, bodies: StagedBlocks) -> None:
    if not is_untouched(cursor):
        raise ConflictError(
            "Something was written to the store meanwhile; nothing was imported, run the command again."
        )
    for table, rows in row_runs(reading.rows(*ROWS)):
        try:
            for run in [[row] for row in rows] if table in ("counters", "meta") else [rows]:
                _take(cursor, table, run)
        except (Cancelled, NoSpaceError):
            raise
        except Exception as error:
            if type(error).__name__ in _OF_THE_MACHINE:
                raise
            line = reading.bundle.repeated(table) or run[0].line
            raise reading.bundle.refused(f"a row of {table} cannot be ({_first_line(error)})", line) from error
    for owner, staged in bodies.staged.items():
        staging.give_blocks(cursor, staged, owner)
    for statement in DERIVED.values():
        cursor.execute(statement)
    for kind in indexing.TABLES:
        indexing.forget_vectors(cursor, kind, texts=True)
    pages.write_meta(cursor, "renderer", "")  # every page is rendered
    dirty_rows.mark_dirty(cursor, "source", [0])


def _take(cursor: Cursor, table: str, rows: Sequence[BundleRow]) -> None:
    if table == "counters":
        for row in rows:
            take_ids(cursor, row.values["name"], row.values["next"] - 1)
    elif table == "meta":
        for row in rows:
            pages.write_meta(cursor, row.values["key"], row.values["value"])
    else:
        insert_bundle_rows(cursor, table, [row.values for row in rows])


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]


class StagedBlocks:
    """Bodies in blocks that were put into the catalog under ids that no item has yet."""

    def __init__(self, database: Database, place: Callable[[int], int | None]) -> None:
        self._database = database
        self._place = place
        self.staged: dict[int, int] = {}
        """Item or version in the bundle to the id under which its blocks are."""

    def take(self, owner: int, first: int, blocks: Sequence[bytes]) -> None:
        """Put some blocks of one body, if they are wanted."""
        if owner not in self.staged:
            chosen = self._place(owner)
            if chosen is None:
                return
            staging.hold_staged(chosen)
            self.staged[owner] = chosen
        staged = self.staged[owner]
        self._database.write(lambda cursor: staging.put_blocks(cursor, staged, first, blocks))


class staged_bodies:
    """A block at whose end no body is left that belongs to nothing: ``with staged_bodies(…) as bodies``."""

    def __init__(self, database: Database, reading: BundleReader, place: Callable[[int], int | None]) -> None:
        """``place`` says under which id the body of an item or version of the bundle is put; ``None`` for nowhere."""
        self._database = database
        self._reading = reading
        self._bodies = StagedBlocks(database, place)

    def __enter__(self) -> StagedBlocks:
        try:
            for owner, first, blocks in _block_runs(self._reading):
                self._bodies.take(owner, first, blocks)
        except BaseException:
            self._give_up()
            raise
        return self._bodies

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self._give_up()

    def _give_up(self) -> None:
        for staged in self._bodies.staged.values():
            staging.release_staged(self._database, staged)


def _block_runs(reading: BundleReader) -> Iterator[tuple[int, int, list[bytes]]]:
    """Owner, first ordinal and some blocks that follow each other."""
    if not reading.bundle.end.rows.get("blocks"):
        return
    owner, first, blocks = -1, 0, list[bytes]()
    for row in reading.rows("blocks"):
        item, ordinal = row.values["item_id"], row.values["ordinal"]
        if blocks and (item != owner or len(blocks) == staging.RUN_BLOCKS):
            yield owner, first, blocks
            blocks = []
        if not blocks:
            owner, first = item, ordinal
        blocks.append(row.values["data"])
    if blocks:
        yield owner, first, blocks
