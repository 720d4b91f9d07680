"""``kgfs export``: the rows of a store as a bundle, line by line, in little memory and as of one moment.

Used by the service, on the thread of the request: one read transaction, as long as the reader takes. Nothing waits
for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from kgfs import __version__
from kgfs.errors import Cancelled, StoreError
from kgfs.exchange.bundle import (
    COUNTERS,
    DERIVED,
    LOCAL,
    META,
    TABLES,
    BundleEnd,
    BundleHeader,
    BundleTable,
    ColumnTypes,
    bundle_digest,
    end_line,
    header_line,
    row_line,
)
from kgfs.progress import Cancel, Progress
from kgfs.store.catalog import schema
from kgfs.store.catalog.batches import id_batches
from kgfs.store.catalog.database import Cursor, Database
from kgfs.store.files.documents import IN

PIECE = 256 * 1024
"""Lines are handed on together, so many bytes at once."""
_RUN_ROWS = 500
_RUN_BYTES = 4 << 20
_RUN_BLOCKS = 4


def export_bundle(database: Database, progress: Progress, cancel: Cancel) -> Iterator[bytes]:
    """The bundle's bytes, in pieces. ``Cancelled`` when ``cancel`` is set in between."""
    with database.read(snapshot=True) as cursor:
        columns = column_types(cursor)
        total = sum(_count(cursor, table) for table in TABLES)
        seen, rows, done = bundle_digest(), dict[str, int](), 0
        waiting = [header_line(_header(columns))]
        size = len(waiting[0])
        for table in TABLES:
            rows[table.name] = 0
            for values in _rows(cursor, table, list(columns[table.name])):
                line = row_line(table.name, list(columns[table.name]), values)
                waiting.append(line)
                size += len(line)
                rows[table.name] += 1
                done += 1
                if size >= PIECE:
                    if cancel.is_set():
                        raise Cancelled("Stopped; nothing was exported.")
                    progress({"stage": "export", "done": done, "total": total, "unit": "rows"})
                    piece = b"".join(waiting)
                    seen.update(piece)
                    yield piece
                    waiting, size = [], 0
        piece = b"".join(waiting)
        seen.update(piece)
        yield piece
        yield end_line(BundleEnd(rows=rows, digest=seen.hexdigest()))
        progress({"stage": "export", "done": total, "total": total, "unit": "rows"})


def _header(columns: ColumnTypes) -> BundleHeader:
    return BundleHeader(
        kgfs=__version__,
        schema=schema.migrations()[-1].number,
        created_at=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        tables={table.name: columns[table.name] for table in TABLES},
    )


def column_types(cursor: Cursor) -> ColumnTypes:
    """The columns of every table of the catalog. ``StoreError`` where one is of no kind that a bundle knows."""
    found: ColumnTypes = {}
    for table, column, kind in cursor.execute(
        "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE database_name = current_database()"
        " AND NOT internal ORDER BY table_name, column_index"
    ).fetchall():
        found.setdefault(table, {})[column] = kind
    unknown = found.keys() - {table.name for table in TABLES} - DERIVED.keys() - LOCAL
    if unknown:
        raise StoreError(f"The store has tables that a bundle knows nothing of: {', '.join(sorted(unknown))}.")
    return found


def _among(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)


_WHERE = {
    "meta": f"key IN ({_among(META)})",
    "counters": f"name IN ({_among(COUNTERS)})",
    "blocks": "item_id IN (SELECT id FROM context_items UNION ALL SELECT id FROM item_versions)",
}
"""SQL: which rows of a table are bundled, where it is not all. Blocks without an owner are on their way."""


def _count(cursor: Cursor, table: BundleTable) -> int:
    ((count,),) = cursor.execute(f"SELECT count(*) FROM {table.name} WHERE {_WHERE.get(table.name, 'true')}").fetchall()
    return int(count)


def _rows(cursor: Cursor, table: BundleTable, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    select = f"SELECT {', '.join(columns)} FROM {table.name}"
    if table.name == "blocks":
        yield from _blocks(cursor, select)
    elif table.size:
        sizes = cursor.execute(f"SELECT id, coalesce({table.size}, 0) FROM {table.name} ORDER BY id").fetchall()
        for run in id_batches(sizes, rows_most=_RUN_ROWS, bytes_most=_RUN_BYTES):
            # The range lets whole row groups be skipped.
            yield from cursor.execute(
                f"{select} WHERE id BETWEEN ? AND ? AND id {IN} ORDER BY id", [run[0], run[-1], run]
            ).fetchall()
    else:
        cursor.execute(f"{select} WHERE {_WHERE.get(table.name, 'true')} ORDER BY {table.order}")
        while rows := cursor.fetchmany(_RUN_ROWS):
            yield from rows


def _blocks(cursor: Cursor, select: str) -> Iterator[tuple[Any, ...]]:
    owners = cursor.execute(
        f"SELECT item_id, count(*) FROM blocks WHERE {_WHERE['blocks']} GROUP BY item_id ORDER BY item_id"
    ).fetchall()
    for owner, count in owners:
        for first in range(0, count, _RUN_BLOCKS):
            yield from cursor.execute(
                f"{select} WHERE item_id = ? AND ordinal BETWEEN ? AND ? ORDER BY ordinal",
                [owner, first, first + _RUN_BLOCKS - 1],
            ).fetchall()
