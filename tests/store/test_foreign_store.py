"""A store that somebody else made, opened: its catalog reaches no file, and nothing is written through its links."""

from __future__ import annotations

import contextlib
from pathlib import Path

import _duckdb as duckdb
import pytest

from kgfs.config import CATALOG, LOG, VECTORS
from kgfs.errors import StoreError
from kgfs.service.service import Service
from kgfs.store.catalog.database import Database


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """An empty store."""
    with Database.open(tmp_path / "store", create=True):
        pass
    return tmp_path / "store"


@pytest.mark.parametrize(
    "crafted",
    [
        "CREATE VIEW tags AS SELECT content FROM read_text('{secret}')",
        "CREATE MACRO tags() AS TABLE SELECT content FROM read_text('{secret}')",
        "CREATE MACRO told() AS (SELECT content FROM read_text('{secret}'))",
    ],
)
def test_the_catalog_of_a_store_reads_no_file_of_the_machine(store: Path, tmp_path: Path, crafted: str) -> None:
    (tmp_path / "secret").write_text("what only the user may read")
    with contextlib.closing(duckdb.connect(str(store / CATALOG))) as connection:
        connection.execute(crafted.format(secret=tmp_path / "secret"))
    asked = "SELECT told()" if "told()" in crafted else f"SELECT * FROM tags{'()' if 'TABLE' in crafted else ''}"
    with Database.open(store) as database:
        with pytest.raises(duckdb.PermissionException), database.read() as cursor:
            cursor.execute(asked).fetchall()
        for written in (f"COPY meta TO '{tmp_path}/out.csv'", f"ATTACH '{tmp_path}/out.duckdb' AS out"):
            with pytest.raises(duckdb.PermissionException):
                database.write(lambda cursor, written=written: cursor.execute(written))  # type: ignore[misc]
        with pytest.raises(duckdb.InvalidInputException):
            database.write(lambda cursor: cursor.execute("SET enable_external_access = true"))


@pytest.mark.parametrize(
    "place", [LOG, CATALOG, "worker.log", "errors.jsonl", "config.json", VECTORS, "vectors/x/data"]
)
def test_a_store_with_a_link_in_it_is_not_opened(store: Path, tmp_path: Path, place: str) -> None:
    (tmp_path / "precious").mkdir()
    link = store / place
    link.parent.mkdir(parents=True, exist_ok=True)
    if link.exists():
        link.rename(tmp_path / "precious" / link.name)
    link.symlink_to(tmp_path / "precious" / link.name)
    with pytest.raises(StoreError, match=rf"{link} is a link"):
        Service.open(store)


def test_a_store_may_be_a_link_itself(store: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(store)
    with Service.open(tmp_path / "link") as service:
        assert service.database.fetch("SELECT count(*) FROM meta")
