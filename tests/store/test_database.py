"""One writer, many readers, ids that never come again, and a disk that is full."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pytest

from kgfs.errors import NoSpaceError, StoreError
from kgfs.store.catalog.database import PASSED_BYTES, RESTING_MEMORY, Cursor, Database
from kgfs.store.catalog.inserts import ID_LIMIT, insert, take_ids
from kgfs.store.catalog.statements import LONGEST, run_prepared
from tests.new_stores import MAKE


@pytest.fixture(autouse=True)
def made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Catalogs are made as for users, not copied."""
    monkeypatch.setattr(Database, "_make", MAKE)


def test_a_write_is_whole_or_nothing(database: Database) -> None:
    def broken(cursor: Cursor) -> None:
        insert(cursor, "stale", {"kind": ["chunk"], "id": [1]})
        raise LookupError("no")

    with pytest.raises(LookupError):
        database.write(broken)
    assert database.fetch("SELECT * FROM stale") == []
    assert database.write(lambda cursor: insert(cursor, "stale", {"kind": ["chunk"], "id": [1]})) is None
    assert database.fetch("SELECT * FROM stale") == [("chunk", 1)]


def test_a_write_inside_a_write_is_a_mistake(database: Database) -> None:
    with pytest.raises(RuntimeError, match="inside a write"):
        database.write(lambda cursor: database.write(lambda inner: None))


def test_ids_never_come_again(database: Database) -> None:
    first = database.write(lambda cursor: take_ids(cursor, "chunk", 5))
    with pytest.raises(LookupError):
        database.write(lambda cursor: (take_ids(cursor, "chunk", 5), {}["no"]))
    second = database.write(lambda cursor: take_ids(cursor, "chunk", 1))
    assert (list(first), list(second)) == ([1, 2, 3, 4, 5], [6])
    with pytest.raises(StoreError, match="used up"):
        database.write(lambda cursor: take_ids(cursor, "chunk", ID_LIMIT))
    assert database.write(lambda cursor: take_ids(cursor, "page", ID_LIMIT))


def test_writers_of_many_threads_take_turns(database: Database) -> None:
    def take(_: int) -> list[int]:
        return list(database.write(lambda cursor: take_ids(cursor, "entity", 3)))

    with ThreadPoolExecutor(8) as pool:
        taken = [number for numbers in pool.map(take, range(40)) for number in numbers]
    assert sorted(taken) == list(range(1, 121))


def test_a_snapshot_sees_one_state(database: Database) -> None:
    with database.read(snapshot=True) as cursor:
        assert cursor.execute("SELECT count(*) FROM stale").fetchone() == (0,)
        database.write(lambda writing: insert(writing, "stale", {"kind": ["chunk"], "id": [1]}))
        assert cursor.execute("SELECT count(*) FROM stale").fetchone() == (0,)
        with pytest.raises(duckdb.Error, match="read-only"):
            cursor.execute("DELETE FROM stale")
    assert database.fetch("SELECT count(*) FROM stale") == [(1,)]


def test_sql_does_not_see_python_variables(database: Database) -> None:
    stolen = {"a": [1]}
    with pytest.raises(duckdb.CatalogException):
        database.fetch("SELECT * FROM stolen")
    assert stolen


def test_reading_goes_on_when_the_engine_gave_the_file_up(database: Database) -> None:
    database.write(lambda cursor: insert(cursor, "stale", {"kind": ["chunk"], "id": [7]}))
    database._invalidate()
    assert database.fetch("SELECT id FROM stale") == [(7,)]
    database.write(lambda cursor: insert(cursor, "stale", {"kind": ["chunk"], "id": [8]}))
    assert len(database.fetch("SELECT id FROM stale")) == 2


def test_no_write_begins_without_the_reserve(tmp_path: Path) -> None:
    with Database.open(tmp_path / "store", create=True) as opened:
        opened._reserve = 1 << 60
        with pytest.raises(NoSpaceError, match="kept in reserve"):
            opened.write(lambda cursor: None)
        assert opened.fetch("SELECT 1") == [(1,)]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 24 MiB."""
    place = tmp_path / "small"
    place.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(place)], capture_output=True, check=False
    )
    if made.returncode != 0:
        pytest.skip(f"mounting a small tmpfs is not allowed here: {made.stderr.decode().strip()}")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk_loses_no_row_that_was_acknowledged(small_disk: Path) -> None:
    store = small_disk / "store"
    kept = 0
    with Database.open(store, create=True, reserve=0) as opened:
        failures = 0
        for number in range(200):
            body = os.urandom(400_000)
            try:
                opened.write(
                    lambda cursor, n=number, b=body: cursor.execute("INSERT INTO blocks VALUES (?, 0, ?)", [n, b])
                )
            except NoSpaceError as error:
                assert "nothing was lost" in str(error)
                failures += 1
                if failures > 5:
                    break
            except StoreError:
                failures += 1
            else:
                kept += 1
        assert failures
        assert opened.fetch("SELECT count(*) >= ? FROM blocks", [kept]) == [(True,)]
        with pytest.raises(NoSpaceError):
            opened._reserve = 1 << 40
            opened.write(lambda cursor: None)
    assert kept > 5


def test_readers_and_a_writer_at_once(database: Database) -> None:
    done = threading.Event()
    wrong: list[object] = []

    def read() -> None:
        while not done.is_set():
            with database.read(snapshot=True) as cursor:
                one = cursor.execute("SELECT count(*) FROM stale").fetchone()
                two = cursor.execute("SELECT count(*) FROM stale").fetchone()
                if one != two or one is None or one[0] % 10:
                    wrong.append((one, two))

    threads = [threading.Thread(target=read) for _ in range(3)]
    for thread in threads:
        thread.start()
    for number in range(30):
        database.write(
            lambda cursor, n=number: insert(cursor, "stale", {"kind": ["chunk"] * 10, "id": list(range(n, n + 10))})
        )
    done.set()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_the_log_is_folded_in_while_the_store_is_open(tmp_path: Path) -> None:
    """No connection may keep a transaction open: beside one, changed rows stop every checkpoint, and the log grows."""
    store = tmp_path / "store"
    Database.open(store, create=True).close()
    with Database.open(store) as database:
        for number in range(12):
            database.write(lambda cursor: cursor.execute("UPDATE meta SET value = '1' WHERE key = 'generation'"))
            blocks = [os.urandom(1 << 20)] * 4
            columns = {"item_id": [number] * 4, "ordinal": list(range(4)), "data": blocks}
            database.write(lambda cursor, columns=columns: insert(cursor, "blocks", columns))  # type: ignore[misc]
            with database.read() as cursor:
                cursor.execute("SELECT * FROM range(100000)").fetchone()
        log = store / "catalog.duckdb.wal"
        assert not log.exists() or log.stat().st_size < 30 << 20
        with database.read() as cursor:
            cursor.execute("CHECKPOINT")


def test_a_checkpoint_does_not_write_again_what_is_stored(tmp_path: Path) -> None:
    with Database.open(tmp_path / "store", create=True) as database:
        before = _written()
        for number in range(15):
            blocks = [os.urandom(1 << 20)] * 8
            columns = {"item_id": [number] * 8, "ordinal": list(range(8)), "data": blocks}
            database.write(lambda cursor, columns=columns: insert(cursor, "blocks", columns))  # type: ignore[misc]
        assert _written() - before < 3.5 * 120 * (1 << 20)  # once to the log, once to its place


def _written() -> int:
    """Bytes that this process has had written to disks."""
    lines = Path("/proc/self/io").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("wchar")))


def test_the_engine_rests(tmp_path: Path) -> None:
    """It lets go of its cache, works as before and may use as much as before, with readers at work meanwhile."""
    block = os.urandom(1 << 20)
    with Database.open(tmp_path / "store", create=True, reserve=0) as database:
        for number in range(6):
            bodies = [block] * 32
            database.write(
                lambda cursor, number=number, bodies=bodies: insert(
                    cursor,
                    "blocks",
                    {"item_id": [1] * 32, "ordinal": list(range(number * 32, number * 32 + 32)), "data": bodies},
                )
            )
        limit = database.fetch("SELECT current_setting('memory_limit')")
        faults: list[BaseException] = []

        def read() -> None:
            try:
                for first in range(0, 192, 12):
                    rows = database.fetch("SELECT data FROM blocks WHERE ordinal BETWEEN $1 AND $2", [first, first + 3])
                    assert [row[0] for row in rows] == [block] * 4
            except BaseException as fault:
                faults.append(fault)

        readers = [threading.Thread(target=read) for _ in range(3)]
        for reader in readers:
            reader.start()
        while any(reader.is_alive() for reader in readers):
            database.rest()
            time.sleep(0.05)
        for reader in readers:
            reader.join()
        database.passed(PASSED_BYTES)  # somebody read much: it rests by itself
        database.write(lambda cursor: None)  # behind that
        assert faults == []
        used = database.fetch("SELECT sum(memory_usage_bytes) FROM duckdb_memory()")[0][0]
        size = (tmp_path / "store" / "catalog.duckdb").stat().st_size
        assert used <= RESTING_MEMORY + size // 10 + (16 << 20)
        assert database.fetch("SELECT current_setting('memory_limit')") == limit


def test_what_removes_may_use_the_reserve(tmp_path: Path) -> None:
    """And makes no checkpoint then, which could find no room; afterwards they are made as before."""
    setting = "SELECT current_setting('checkpoint_threshold')"
    with Database.open(tmp_path / "store", create=True, reserve=0) as database:
        usual = database.fetch(setting)
    with Database.open(tmp_path / "store", reserve=1 << 60) as database:
        with pytest.raises(NoSpaceError):
            database.write_soon(lambda cursor: None).result()
        during = database.write_soon(lambda cursor: cursor.execute(setting).fetchall(), freeing=True).result()
        assert during != usual and database.fetch(setting) == usual
        with pytest.raises(ZeroDivisionError):
            database.write_soon(lambda cursor: divmod(1, 0), freeing=True).result()
        assert database.fetch(setting) == usual


def test_a_statement_that_is_parsed_once_answers_as_one_that_is_not(tmp_path: Path) -> None:
    """Also where the catalog, the table's columns and the values are others the next time."""
    sql = "SELECT * FROM t WHERE i = ?"
    with duckdb.connect() as first:
        first.execute("CREATE TABLE t (i INTEGER)")
        first.execute("INSERT INTO t VALUES (1), (2)")
        assert run_prepared(first, sql, [1]).fetchall() == [(1,)]
        assert run_prepared(first, sql, ["2"]).fetchall() == [(2,)]
        first.execute("CREATE OR REPLACE TABLE t AS SELECT 3 AS i, 'x' AS j")
        assert run_prepared(first, sql, [3]).fetchall() == [(3, "x")]
    with duckdb.connect() as second:
        with pytest.raises(duckdb.CatalogException):
            run_prepared(second, sql, [1])
        second.execute("CREATE TABLE t (i VARCHAR)")
        assert run_prepared(second, "INSERT INTO t VALUES ('a'); SELECT * FROM t").fetchall() == [("a",)]
        assert run_prepared(second, "SELECT i || ? FROM t" + " " * LONGEST, ["!"]).fetchall() == [("a!",)]
        with pytest.raises(duckdb.ParserException):
            run_prepared(second, "SELEC 1")
