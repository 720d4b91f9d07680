"""Works that share a transaction: each has its own result and its own error, and what one statement can do is done
once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path

import pytest

from kgfs.errors import NoSpaceError
from kgfs.store.catalog.database import Cursor, Database
from kgfs.store.catalog.inserts import FEW_ROWS, SOME_ROWS, insert_rows, take_ids
from kgfs.store.catalog.shared_writes import GATHER_SECONDS, SHARED_WORKS
from kgfs.store.files import drive_rows
from kgfs.store.files.drive_rows import NewAttributes, NewFile
from tests.new_stores import new_store


@contextmanager
def held(database: Database) -> Iterator[None]:
    """The writer is busy in this block, so that what is asked for meanwhile waits together."""
    began, go_on = threading.Event(), threading.Event()
    busy = database.write_soon(lambda cursor: (began.set(), go_on.wait(30)))
    assert began.wait(30)
    try:
        yield
    finally:
        go_on.set()
        busy.result()


def putting(number: int) -> Callable[[Cursor], int]:
    def work(cursor: Cursor) -> int:
        cursor.execute("INSERT INTO stale VALUES ('chunk', ?)", [number])
        return number

    return work


def numbers(database: Database) -> list[int]:
    return [row[0] for row in database.fetch("SELECT id FROM stale ORDER BY id")]


def test_each_has_its_result_and_one_transaction_has_them_all(database: Database) -> None:
    before = database.commits
    with held(database):
        futures = [database.share_soon(putting(number)) for number in range(10)]
    assert [future.result() for future in futures] == list(range(10))
    assert database.commits - before == 2  # the one that kept the writer busy, and theirs
    assert numbers(database) == list(range(10))


def test_more_than_a_transaction_takes_are_done_in_several(database: Database) -> None:
    with held(database):
        futures = [database.share_soon(putting(number)) for number in range(2 * SHARED_WORKS + 1)]
    assert [future.result() for future in futures] == list(range(2 * SHARED_WORKS + 1))
    assert numbers(database) == list(range(2 * SHARED_WORKS + 1))


def test_what_one_raises_is_its_own(database: Database) -> None:
    def broken(cursor: Cursor) -> int:
        cursor.execute("INSERT INTO stale VALUES ('chunk', 100)")
        raise LookupError("mine")

    seen: list[int] = []
    with held(database):
        first = database.share_soon(putting(1), seen.append)
        second = database.share_soon(broken, seen.append)
        third = database.share_soon(putting(3), seen.append)
    assert (first.result(), third.result()) == (1, 3)
    with pytest.raises(LookupError, match="mine"):
        second.result()
    assert numbers(database) == [1, 3]
    assert seen == [1, 3]


def test_what_follows_comes_in_order_after_the_commit_and_before_the_next(database: Database) -> None:
    seen: list[object] = []

    def follow(number: int) -> None:
        seen.append((number, numbers(database)))

    with held(database):
        futures: list[Future[int]] = [database.share_soon(putting(number), follow) for number in (1, 2)]
        futures.append(database.write_soon(lambda cursor: seen.append("later") or 0))  # type: ignore[func-returns-value]
    for future in futures:
        future.result()
    assert seen == [(1, [1, 2]), (2, [1, 2]), "later"]


def test_an_error_in_what_follows_is_that_works_alone(database: Database) -> None:
    def follow(number: int) -> None:
        if number == 1:
            raise LookupError("after")

    with held(database):
        first, second = (database.share_soon(putting(number), follow) for number in (1, 2))
    with pytest.raises(LookupError, match="after"):
        first.result()
    assert second.result() == 2
    assert numbers(database) == [1, 2]


def test_a_full_disk_is_said_to_each(database: Database) -> None:
    with held(database):
        futures = [database.share_soon(putting(number)) for number in range(3)]
        reserve, database._reserve = database._reserve, 1 << 60
    for future in futures:
        with pytest.raises(NoSpaceError):
            future.result()
    database._reserve = reserve
    assert numbers(database) == []
    assert database.share(putting(7)) == 7
    assert numbers(database) == [7]


def test_a_lone_writer_waits_for_nobody(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others are waited for only after several came together, and then once."""
    waited: list[float | None] = []
    wait_for = database._shared._came.wait_for

    def noted(predicate: Callable[[], bool], timeout: float | None = None) -> bool:
        waited.append(timeout)
        return wait_for(predicate, timeout)

    monkeypatch.setattr(database._shared._came, "wait_for", noted)
    for number in range(5):
        database.share(putting(number))
    assert waited == []
    with held(database):
        futures = [database.share_soon(putting(number)) for number in (10, 11, 12)]
    for future in futures:
        future.result()
    for number in range(20, 25):
        database.share(putting(number))
    assert waited == [GATHER_SECONDS]


def test_what_can_be_done_together_is_done_once_for_each_kind(database: Database) -> None:
    calls: list[tuple[str, list[int]]] = []

    def tenfold(cursor: Cursor, given: list[int]) -> list[int]:
        calls.append(("tenfold", given))
        return [number * 10 for number in given]

    def negative(cursor: Cursor, given: list[int]) -> list[int]:
        calls.append(("negative", given))
        return [-number for number in given]

    seen: list[int] = []
    with held(database):
        futures = [
            database.share_soon(putting(1), seen.append, tenfold),
            database.share_soon(putting(2), seen.append, negative),
            database.share_soon(putting(3), seen.append),
            database.share_soon(putting(4), seen.append, tenfold),
        ]
    assert [future.result() for future in futures] == [10, -2, 3, 40] == seen
    assert calls == [("tenfold", [1, 4]), ("negative", [2])]
    assert database.share(putting(5), None, tenfold) == 50


def test_where_they_fail_together_each_is_done_alone(database: Database) -> None:
    def no_twos(cursor: Cursor, given: list[int]) -> list[int]:
        if 2 in given:
            raise LookupError("a two")
        return given

    with held(database):
        futures = [database.share_soon(putting(number), None, no_twos) for number in (1, 2, 3)]
    assert (futures[0].result(), futures[2].result()) == (1, 3)
    with pytest.raises(LookupError, match="a two"):
        futures[1].result()
    assert numbers(database) == [1, 3]


@pytest.mark.parametrize("count", [1, FEW_ROWS, FEW_ROWS + 1, SOME_ROWS + 1])
def test_files_are_created_together_as_one_by_one(database: Database, count: int) -> None:
    """Whatever way their rows are inserted in; one takes the place of a file that was removed a moment ago."""
    bodies = [b"", "Größe ''\n".encode(), b"\xff\0binary", b"plain"]
    attributes = [NewAttributes(), NewAttributes(mode=0o600, mtime_us=5, atime_us=6, xattrs={"user.a": "eA=="})]

    def files(drive: str, free: range) -> list[NewFile]:
        return [
            NewFile(item, drive, f"/{number}{'.md' if number % 3 else '~'}", bodies[number % 4], attributes[number % 2])
            for number, item in enumerate(free)
        ]

    def both(cursor: Cursor) -> tuple[list[drive_rows.WrittenBody], list[drive_rows.WrittenBody]]:
        for drive in ("one", "two"):
            (gone,) = take_ids(cursor, "item", 1)
            drive_rows.create_file(cursor, gone, drive, "/1.md", b"before", NewAttributes())
            drive_rows.remove_items(cursor, [gone])
        single = [
            drive_rows.create_file(cursor, one.item_id, one.drive, one.path, one.body, one.attributes)
            for one in files("one", take_ids(cursor, "item", count))
        ]
        return single, drive_rows.create_files(cursor, files("two", take_ids(cursor, "item", count)))

    single, together = database.write(both)
    assert [(one.size, one.hash, one.mime_type) for one in single] == [
        (one.size, one.hash, one.mime_type) for one in together
    ]
    columns = "* EXCLUDE (id, drive, ref, created_at, updated_at)"
    one, two = (
        database.fetch(f"SELECT {columns} FROM context_items WHERE drive = ? ORDER BY path", [drive])
        for drive in ("one", "two")
    )
    assert one == two
    assert len(one) == count
    left = database.fetch("SELECT count(*) FROM removed_items")
    assert left == [(2 if count == 1 else 0,)]


def test_no_rows_are_no_statement(database: Database) -> None:
    database.write(lambda cursor: insert_rows(cursor, "stale", []))
    assert numbers(database) == []


def test_files_that_are_written_at_once_are_all_there(tmp_path: Path) -> None:
    with new_store(tmp_path / "store") as database:
        free = list(database.write(lambda cursor: take_ids(cursor, "item", 40)))
        with held(database):
            futures = [
                database.share_soon(
                    lambda cursor, item=item: NewFile(item, "agent", f"/{item}.md", b"%d" % item, NewAttributes()),
                    None,
                    drive_rows.create_files,
                )
                for item in free
            ]
        assert [future.result().item_id for future in futures] == free
    with Database.open(tmp_path / "store") as database:
        assert database.fetch("SELECT id, content FROM context_items ORDER BY id") == [
            (item, str(item)) for item in free
        ]
