"""Many rows at once into tables and statements, and new ids.

Used by all that writes rows, on the store's writer thread, inside a transaction.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

# Without the package around the engine, which takes longer to import than it does; ``value_table`` needs that too.
import _duckdb as duckdb

from kgfs.errors import StoreError
from kgfs.store.catalog.database import Cursor
from kgfs.store.catalog.statements import run_prepared

ID_LIMIT = 1 << 27
"""Ids stay below, so that an inode number holds two of them."""

_UNBOUNDED = frozenset({"page", "job"})
_ARROW = {
    "BIGINT": "int64", "INTEGER": "int32", "DOUBLE": "float64", "VARCHAR": "string", "BLOB": "binary",
    "BOOLEAN": "bool", "TIMESTAMP": "timestamp[us]",
}  # fmt: skip
FEW_ROWS = 4
"""Up to this many rows are inserted as plain values, which the engine plans value by value."""
SOME_ROWS = 256
"""Up to this many rows are inserted as lists; more by Arrow, which takes several milliseconds to begin."""

_types: dict[str, dict[str, str]] = {}


def insert(cursor: Cursor, table: str, columns: Mapping[str, Sequence[Any]]) -> None:
    """Insert rows given as columns (equally long lists of Python values), by Arrow: far faster than one by one."""
    if not any(len(values) for values in columns.values()):
        return
    types = _column_types(cursor, table)
    with value_table(cursor, "given_rows", {name: (types[name], values) for name, values in columns.items()}):
        cursor.execute(f"INSERT INTO {table} BY NAME SELECT * FROM given_rows")


def insert_rows(cursor: Cursor, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows of the same columns in the way that is fastest for so many of them."""
    if not rows:
        return
    names = list(rows[0])
    columns = {name: [row[name] for row in rows] for name in names}
    if len(rows) > SOME_ROWS:
        insert(cursor, table, columns)
        return
    into = f"INSERT INTO {table} ({', '.join(names)})"
    if len(rows) > FEW_ROWS:
        types = _column_types(cursor, table)
        run_prepared(
            cursor,
            f"{into} SELECT {', '.join(f'unnest(?::{types[name]}[])' for name in names)}",
            list(columns.values()),
        )
    else:
        marks = f"({', '.join('?' for _ in names)})"
        values = [row[name] for row in rows for name in names]
        run_prepared(cursor, f"{into} VALUES {', '.join(marks for _ in rows)}", values)


def _column_types(cursor: Cursor, table: str) -> dict[str, str]:
    """Column name to type of a table; the schema is the same in every catalog that this program has open."""
    if table not in _types:
        rows = cursor.execute(
            "SELECT column_name, data_type FROM duckdb_columns() WHERE database_name = current_database()"
            " AND table_name = ?",
            [table],
        ).fetchall()
        _types[table] = dict(rows)
    return _types[table]


@contextlib.contextmanager
def value_table(cursor: Cursor, name: str, columns: Mapping[str, tuple[str, Sequence[Any]]]) -> Iterator[None]:
    """A table of Python values, ``{column: (SQL type, values)}``, under ``name`` in the SQL of this block."""
    import duckdb as package  # noqa: F401  # it teaches the engine to read what Arrow holds
    import pyarrow as pa  # here: most commands only read

    table = pa.table({column: pa.array(values, _ARROW[kind]) for column, (kind, values) in columns.items()})
    cursor.register(name, table)
    try:
        yield
    finally:
        with contextlib.suppress(duckdb.Error):
            cursor.unregister(name)


def take_ids(cursor: Cursor, counter: str, count: int) -> range:
    """``count`` new ids, inside a write transaction. None is given out twice; ``StoreError`` when they are used up."""
    if not count:
        return range(0)
    row = run_prepared(
        cursor, "UPDATE counters SET next = next + ? WHERE name = ? RETURNING next", [count, counter]
    ).fetchone()
    if row is None:
        cursor.execute("INSERT INTO counters VALUES (?, ?)", [counter, 1 + count])
    first = int(row[0]) - count if row else 1
    if first + count > ID_LIMIT and counter not in _UNBOUNDED:
        raise StoreError(
            f"This store has used up its {ID_LIMIT:,} ids for a {counter}; add the sources to a new store."
        )
    return range(first, first + count)
