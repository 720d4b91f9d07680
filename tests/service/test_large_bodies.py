"""Large bodies that are copied, restored, set aside, changed: in pieces, whole, and of one state."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kgfs.drives.draft import Draft
from kgfs.errors import NoSpaceError, StoreError
from kgfs.service.service import Service
from kgfs.store.catalog.database import Cursor, Database
from kgfs.store.files import bodies, drive_rows, items, staging

PIECE = bodies.PIECE_BYTES
BODY = bytes(range(256)) * (2 * PIECE // 256) + b"the end"
OTHER = BODY[::-1]


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    opened = Service.open(tmp_path / "store", create=True)
    try:
        opened.files_by_path.put("agent", "/a.bin", BODY)
        yield opened
    finally:
        opened.close()


def held(service: Service, path: str) -> bytes | None:
    with service.database.read(snapshot=True) as cursor:
        item = items.find_item(cursor, f"agent:{path}")
        return None if item is None else items.read_item(cursor, item.id)


def blocks_of_nothing(service: Service) -> list[tuple[object, ...]]:
    return service.database.fetch(
        "SELECT DISTINCT item_id FROM blocks WHERE item_id NOT IN"
        " (SELECT id FROM context_items UNION ALL SELECT id FROM item_versions)"
    )


@pytest.mark.parametrize("lost", ["ordinal > 15", "ordinal = 3", "true"])
def test_a_body_that_lacks_blocks_is_not_copied_cut_off(service: Service, lost: str) -> None:
    service.database.write(lambda cursor: cursor.execute(f"DELETE FROM blocks WHERE {lost}"))
    with pytest.raises(StoreError, match="kgfs fsck"):
        service.files_by_path.copy("agent", "/a.bin", "agent", "/b.bin")
    assert held(service, "/b.bin") is None


class Watched:
    """What is handed over at once, whether this thread reads meanwhile, and how much the engine was told of."""

    def __init__(self, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
        self.parts: list[int] = []
        self.reading = 0
        self.readers: set[int] = set()
        self.passed = 0
        write, put, passed, read = Draft.write, staging.put_blocks, Database.passed, Database.read
        here = threading.get_ident()

        @contextlib.contextmanager
        def reading(database: Database, *, snapshot: bool = False) -> Iterator[Cursor]:
            mine = threading.get_ident() == here  # the cascade may read, too
            self.reading += mine
            try:
                with read(database, snapshot=snapshot) as cursor:
                    yield cursor
            finally:
                self.reading -= mine

        def written(draft: Draft, offset: int, data: bytes) -> int:
            self.parts.append(len(data))
            self.readers.add(self.reading)
            return write(draft, offset, data)

        def staged(cursor: Cursor, staged_id: int, first: int, blocks: list[bytes]) -> None:
            self.parts.append(sum(map(len, blocks)))
            self.readers.add(self.reading)
            put(cursor, staged_id, first, blocks)

        def told(database: Database, count: int) -> None:
            self.passed += count
            passed(database, count)

        monkeypatch.setattr(Draft, "write", written)
        monkeypatch.setattr(staging, "put_blocks", staged)
        monkeypatch.setattr(Database, "passed", told)
        monkeypatch.setattr(Database, "read", reading)


def copied(service: Service) -> dict[str, bytes | None]:
    service.files_by_path.copy("agent", "/a.bin", "agent", "/b.bin")
    return {"/a.bin": BODY, "/b.bin": BODY}


def restored(service: Service) -> dict[str, bytes | None]:
    service.files_by_path.restore("agent", "/a.bin", 1)
    return {"/a.bin": BODY}


def set_aside(service: Service) -> dict[str, bytes | None]:
    service.files_by_path.move("agent", "/a.bin", "agent", "/a.bin~")
    return {"/a.bin": None, "/a.bin~": BODY}


def lengthened(service: Service) -> dict[str, bytes | None]:
    inode = service.drives.context.tree.find_stored("agent", "/a.bin")
    assert isinstance(inode, int)
    open_files = service.drives.open_files
    open_files.open(inode, writing=True)
    open_files.load(inode)
    open_files.write(inode, len(BODY), b"!")
    open_files.commit(inode, closing=True).result()
    open_files.release(inode, writing=True)
    return {"/a.bin": BODY + b"!"}


def removed_while_open(service: Service) -> dict[str, bytes | None]:
    inode = service.drives.context.tree.find_stored("agent", "/a.bin")
    assert isinstance(inode, int)
    open_files = service.drives.open_files
    open_files.open(inode, writing=False)
    service.files_by_path.remove("agent", "/a.bin")
    draft = open_files.drafts[inode]
    assert draft.read(0, len(BODY) + 1) == BODY
    open_files.release(inode, writing=False)
    return {"/a.bin": None}


@pytest.mark.slow
@pytest.mark.parametrize("operation", [copied, restored, set_aside, lengthened, removed_while_open])
def test_in_pieces(
    operation: Callable[[Service], dict[str, bytes | None]], service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While somebody reads, the engine lets nothing go: between two pieces nobody does, and it is told of each."""
    if operation is restored:
        service.files_by_path.put("agent", "/a.bin", OTHER)
    watched = Watched(service, monkeypatch)
    expected = operation(service)
    assert max(watched.parts) <= PIECE and watched.readers == {0}
    assert watched.passed == len(BODY)
    monkeypatch.undo()
    assert {path: held(service, path) for path in expected} == expected
    assert blocks_of_nothing(service) == []


@pytest.mark.slow
@pytest.mark.parametrize("operation", [copied, set_aside])
def test_a_body_that_is_written_meanwhile(
    operation: Callable[[Service], object], service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What comes out is its new state, and no part of the old one."""
    passed, turns = Database.passed, [1]

    def disturbed(database: Database, count: int) -> None:
        passed(database, count)
        if turns and turns.pop():
            service.files_by_path.put("agent", "/a.bin", OTHER)

    monkeypatch.setattr(Database, "passed", disturbed)
    operation(service)
    assert held(service, "/b.bin" if operation is copied else "/a.bin~") == OTHER
    assert not turns and blocks_of_nothing(service) == []


def test_a_commit_that_fails_ends(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks that it had put into the store go after it."""

    def full(*_: object, **__: object) -> None:
        raise NoSpaceError("The disk is full.")

    monkeypatch.setattr(drive_rows, "overwrite_file", full)
    errors: list[BaseException] = []

    def write() -> None:
        try:
            service.files_by_path.put("agent", "/a.bin", OTHER)
        except NoSpaceError as error:
            errors.append(error)

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    thread.join(30)
    assert errors and held(service, "/a.bin") == BODY
    service.database.write(lambda cursor: None)
    assert blocks_of_nothing(service) == []
