"""The schema says what everything is; migrations are whole or not at all."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from kgfs.config import CATALOG
from kgfs.errors import NotFoundError, StoreError, StoreLocked
from kgfs.store.catalog import schema
from kgfs.store.catalog.database import Database
from tests.new_stores import MAKE


@pytest.fixture(autouse=True)
def made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Catalogs are made as for users, not copied."""
    monkeypatch.setattr(Database, "_make", MAKE)


def test_every_table_and_column_has_a_comment(database: Database) -> None:
    tables = database.fetch("SELECT table_name, comment FROM duckdb_tables()")
    columns = database.fetch(
        "SELECT table_name || '.' || column_name, comment FROM duckdb_columns() WHERE NOT internal"
    )
    assert len(tables) > 20
    assert len(columns) > 150
    assert [name for name, comment in [*tables, *columns] if not (comment or "").strip()] == []


def test_numbers_of_migrations_have_no_gap() -> None:
    assert [step.number for step in schema.migrations()] == list(range(1, len(schema.migrations()) + 1))


def test_opening_again_changes_nothing(tmp_path: Path) -> None:
    with Database.open(tmp_path, create=True) as first:
        before = first.fetch("SELECT * FROM meta ORDER BY key")
    with Database.open(tmp_path) as second:
        assert second.fetch("SELECT * FROM meta ORDER BY key") == before


def test_a_migration_that_fails_leaves_the_schema_as_it_was() -> None:
    connection = duckdb.connect(":memory:")
    schema.migrate(connection)
    steps = [
        *schema.migrations(),
        schema.Migration(999, "999_bad.sql", "CREATE TABLE extra (a INTEGER); SELECT nothing;"),
    ]
    with pytest.raises(duckdb.Error):
        schema.migrate(connection, steps)
    assert schema.schema_version(connection) == schema.migrations()[-1].number
    assert connection.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'extra'").fetchone() == (0,)


def test_a_newer_store_is_refused(tmp_path: Path) -> None:
    with Database.open(tmp_path, create=True) as opened:
        opened.write(lambda cursor: cursor.execute("UPDATE meta SET value = '99' WHERE key = 'schema_version'"))
    with pytest.raises(StoreError, match=r"newer kgfs .*upgrade kgfs"):
        Database.open(tmp_path)


def test_a_missing_store_is_refused_or_made(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="kgfs init"):
        Database.open(tmp_path / "none")
    assert not (tmp_path / "none").exists()
    Database.open(tmp_path / "none", create=True).close()
    assert [path.name for path in (tmp_path / "none").iterdir()] == [CATALOG]


@pytest.mark.parametrize("damage", ["garbage", "empty", "half", "other database"])
def test_a_damaged_catalog_is_one_sentence(tmp_path: Path, damage: str) -> None:
    catalog = tmp_path / CATALOG
    if damage == "other database":
        with duckdb.connect(str(catalog)) as other:
            other.execute("CREATE TABLE mine (a INTEGER)")
    else:
        Database.open(tmp_path, create=True).close()
        data = catalog.read_bytes()
        catalog.write_bytes({"garbage": b"x" * 5000, "empty": b"", "half": data[: len(data) // 2]}[damage])
    with pytest.raises(StoreError) as caught:
        Database.open(tmp_path)
    assert "move it away" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_one_process_has_the_store(tmp_path: Path) -> None:
    program = (
        "import sys, pathlib; from kgfs.store.catalog.database import Database; from kgfs.errors import KgfsError\n"
        "try: Database.open(pathlib.Path(sys.argv[1]))\nexcept KgfsError as error: print(type(error).__name__, error)"
    )
    with Database.open(tmp_path, create=True):
        other = subprocess.run(
            [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True
        )
        assert "StoreLocked" in other.stdout
        assert "is open in process" in other.stdout
        with pytest.raises(StoreLocked, match="This process"):
            Database.open(tmp_path)
    Database.open(tmp_path).close()
