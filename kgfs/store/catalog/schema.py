"""The schema's version and its numbered migrations (``migrations/NNNN_name.sql``), each in a transaction of its own.

Used by ``Database.open``, on the thread that opens.
"""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from importlib.resources import files
from typing import NamedTuple

import _duckdb as duckdb

from kgfs.errors import StoreError


class Migration(NamedTuple):
    """One step of the schema."""

    number: int
    name: str
    sql: str


def migrations() -> list[Migration]:
    """All migrations in order of number."""
    found = []
    for entry in files("kgfs.store.catalog").joinpath("migrations").iterdir():
        if entry.name.endswith(".sql"):
            found.append(Migration(int(entry.name.split("_", 1)[0]), entry.name, entry.read_text(encoding="utf-8")))
    return sorted(found)


def schema_version(connection: duckdb.DuckDBPyConnection) -> int:
    """The schema version of an open catalog; 0 where it is empty. ``StoreError`` where it is no catalog of ours."""
    try:  # first, for the list of tables takes ten times as long
        # All rows, though there is one: a result that is not read to its end keeps its transaction open for as long as
        # the connection lives, and while it is, no checkpoint can be made once a row was changed.
        rows = connection.execute("SELECT value FROM meta WHERE key = 'schema_version'").fetchall()
    except duckdb.CatalogException:
        if connection.execute("SELECT 1 FROM duckdb_tables() WHERE database_name = current_database()").fetchall():
            raise StoreError(
                "The catalog is a DuckDB database, but not one of kgfs; move it away or choose another --store."
            ) from None
        return 0
    return int(rows[0][0]) if rows else 0


def migrate(connection: duckdb.DuckDBPyConnection, steps: list[Migration] | None = None) -> int:
    """Bring an open catalog to this program's version and return that. ``StoreError`` when the catalog is newer."""
    steps = migrations() if steps is None else steps
    have, newest = schema_version(connection), steps[-1].number
    if have > newest:
        raise StoreError(
            f"The store was written by a newer kgfs (schema {have}, this program knows {newest});"
            " upgrade kgfs to open it."
        )
    for step in steps:
        if step.number <= have:
            continue
        connection.execute("BEGIN")
        try:
            connection.execute(step.sql)
            if step.number == 1:
                now = datetime.now(UTC).isoformat(timespec="seconds")
                connection.execute(
                    "INSERT INTO meta VALUES ('store_id', ?), ('created_at', ?), ('generation', '0')",
                    [uuid.uuid4().hex, now],
                )
            connection.execute("INSERT OR REPLACE INTO meta VALUES ('schema_version', ?)", [str(step.number)])
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise
    return newest
