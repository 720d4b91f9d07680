"""What can still be read of a catalog in whose file bits changed, as a fresh catalog.

Used by ``kgfs fsck`` (``catalog_damage``, ``salvage_catalog``). The engine refuses every block whose checksum is wrong,
and with it all rows that have a part there, though mostly one value changed. So the work is done on a copy, by a
process of its own (``python -m kgfs.store.catalog.salvage``; damaged data may crash the engine): in the copy the
checksum becomes that of the bytes that are there, and all rows go into a new catalog. What a changed bit was in is then
found by what rows say of themselves: the hash of a body, the quote of a fact. The damaged file itself is not written
to.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import _duckdb as duckdb

from kgfs import interpreter
from kgfs.errors import DamagedCatalog, NoSpaceError, StoreError
from kgfs.store.catalog import schema
from kgfs.store.catalog.change_log import log_of
from kgfs.store.catalog.database import Database
from kgfs.store.catalog.engine_errors import is_damage

_MOST_BLOCKS = 4_096
_WRONG = re.compile(r"computed checksum (\d+) does not match stored checksum (\d+) in block at location (\d+)")
_TABLES = "SELECT table_name FROM duckdb_tables() WHERE database_name = {name} ORDER BY table_name"

_KEYS = (
    "SELECT constraint_column_names FROM duckdb_constraints() WHERE database_name = current_database()"
    " AND table_name = ? AND constraint_type IN ('PRIMARY KEY', 'UNIQUE')"
)


def catalog_damage(database: Database) -> str | None:
    """What the engine says where it cannot read all of an open catalog; ``None`` where it can."""
    with database.read() as cursor:
        tables = [row[0] for row in cursor.execute(_TABLES.format(name="current_database()")).fetchall()]
        for table in tables:
            try:
                cursor.execute(f"SELECT bit_xor(hash(t)) FROM {table} t").fetchall()
            except duckdb.Error as error:
                if not is_damage(error):
                    raise
                return str(error).splitlines()[0]
    return None


@contextlib.contextmanager
def past_damage() -> Iterator[None]:
    """What is done inside ends quietly where the engine cannot read the catalog; any other error is raised."""
    with contextlib.suppress(DamagedCatalog):
        try:
            yield
        except duckdb.Error as error:
            if not is_damage(error):
                raise


def salvage_catalog(catalog: Path, to: Path) -> None:
    """Write what can be read of a catalog that nobody writes to, as a new one at ``to``.

    ``StoreError`` where nothing can be saved, ``NoSpaceError`` where the disk has no room for two more copies.
    """
    status = os.statvfs(to.parent)
    if status.f_bavail * status.f_frsize < 3 * catalog.stat().st_size:
        raise NoSpaceError(f"To save what can be read of {catalog} takes three times its size; free some space.")
    done = subprocess.run(
        interpreter.program("kgfs.store.catalog.salvage", catalog, to),
        stdin=subprocess.DEVNULL, capture_output=True, check=False,
    )  # fmt: skip
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise StoreError(
            f"What can be read of {catalog} could not be saved ({said[-1] if said else done.returncode});"
            " restore a backup."
        )


def _read_whole(path: Path) -> None:
    """Raises the engine's error for the first block that it refuses."""
    with contextlib.closing(duckdb.connect(os.fspath(path))) as connection:
        for (table,) in connection.execute(_TABLES.format(name="current_database()")).fetchall():
            connection.execute(f"SELECT bit_xor(hash(t)) FROM {table} t").fetchall()


def _accept_blocks(path: Path) -> None:
    """Give each block that is refused the checksum of the bytes that it has."""
    for _ in range(_MOST_BLOCKS):
        try:
            _read_whole(path)
            return
        except duckdb.Error as error:
            found = _WRONG.search(str(error))
            if found is None:
                raise
            with path.open("r+b") as file:
                file.seek(int(found[3]))
                if file.read(8) != int(found[2]).to_bytes(8, "little"):
                    raise
                file.seek(int(found[3]))
                file.write(int(found[1]).to_bytes(8, "little"))
    raise RuntimeError(f"more than {_MOST_BLOCKS:,} blocks of it are damaged")


def _copy_rows(old: Path, new: Path) -> None:
    with contextlib.closing(duckdb.connect(os.fspath(new))) as connection:
        schema.migrate(connection)
        connection.execute(f"ATTACH '{str(old).replace(chr(39), chr(39) * 2)}' AS old (READ_ONLY)")
        tables = {row[0] for row in connection.execute(_TABLES.format(name="'old'")).fetchall()}
        for (table,) in connection.execute(_TABLES.format(name="current_database()")).fetchall():
            if table not in tables:
                continue
            connection.execute(f"DELETE FROM {table}")
            taken = f"INSERT INTO {table} BY NAME SELECT * FROM old.{table}"
            try:
                connection.execute(f"{taken} ORDER BY rowid")
            except duckdb.ConstraintException:  # a changed bit made another row's key of one: the first has it
                keys = connection.execute(_KEYS, [table]).fetchall()
                first = (f"row_number() OVER (PARTITION BY {', '.join(key)} ORDER BY rowid) = 1" for (key,) in keys)
                connection.execute(f"{taken} QUALIFY {' AND '.join(first)} ORDER BY rowid")
        connection.execute("DETACH old")
        connection.execute("CHECKPOINT")


def main(catalog: Path, to: Path) -> None:
    copy = to.with_name(f"{to.name}.copy")
    try:
        shutil.copyfile(catalog, copy)
        with contextlib.suppress(FileNotFoundError):
            shutil.copyfile(log_of(catalog), log_of(copy))
        _accept_blocks(copy)
        _copy_rows(copy, to)
    finally:
        for left in (copy, log_of(copy)):
            left.unlink(missing_ok=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
