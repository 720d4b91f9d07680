"""A listing that is longer than a reply, of a real tree, while other snapshots are adopted."""

from __future__ import annotations

import gc
import random
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyfuse3
import pytest
import trio

from kgfs.namespace import tree_reader
from kgfs.namespace.namespace import Namespace
from kgfs.namespace.publish import publish
from kgfs.store.catalog.database import Database
from mountd.guard import ErrorLog
from mountd.operations import Operations
from mountd.space import Space
from tests.graph_builder import build, touch
from tests.namespace.drivers import opened

ROOM = 7
"""Entries that a reply holds."""
LISTED = ("entities/by_name", "facts/by_type/ACQUIRED", "chunks/by_date/undated", "documents")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with build(tmp_path / "store", entities=60, documents=40) as made:
        yield made


class Lister:
    """Reads a directory as the kernel does: with replies of ``ROOM`` entries, behind offsets."""

    def __init__(self, operations: Operations, monkeypatch: pytest.MonkeyPatch) -> None:
        self.operations = operations
        self.replied: list[tuple[str, int]] = []
        monkeypatch.setattr(pyfuse3, "readdir_reply", self._reply)

    def _reply(self, token: object, name: bytes, attr: Any, offset: int) -> bool:
        if len(self.replied) == ROOM:
            return False
        self.replied.append((name.decode(), offset))
        return True

    async def read(self, handle: int, after: int) -> list[tuple[str, int]]:
        self.replied = []
        await self.operations.readdir(handle, after, None)
        return self.replied


def names(namespace: Namespace, path: str) -> list[str]:
    return [entry.name for entry in namespace.entries(namespace.resolve(path))]


def publish_change(database: Database, operations: Operations, seed: int) -> None:
    """As the publisher shows it."""
    touch(database, seed)
    publish(database)
    operations.namespace.adopt(operations.namespace.load_snapshot())
    operations.adopted()


@pytest.fixture
def namespace(database: Database, monkeypatch: pytest.MonkeyPatch) -> Namespace:
    monkeypatch.setattr(tree_reader, "BATCH", 5)
    return opened(database)


@pytest.fixture
def operations(namespace: Namespace, tmp_path: Path) -> Operations:
    return Operations(namespace, ErrorLog(tmp_path / "errors"), deadline=10.0, space=Space(tmp_path))


@pytest.mark.parametrize("path", LISTED)
def test_it_can_be_wound_to_any_place(
    path: str, namespace: Namespace, operations: Operations, context: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    lister = Lister(operations, monkeypatch)

    async def work() -> None:
        handle = await operations.opendir(namespace.resolve(path), context)
        whole: list[tuple[str, int]] = []
        while found := await lister.read(handle, whole[-1][1] if whole else 0):
            whole += found
        assert [name for name, _ in whole] == [".", "..", *names(namespace, path)]
        dice = random.Random(1)
        for _ in range(30):  # as seekdir does; 0 is rewinddir
            place = dice.randrange(-1, len(whole))
            after = whole[place][1] if place >= 0 else 0
            assert await lister.read(handle, after) == whole[place + 1 : place + 1 + ROOM]

    trio.run(work)


@pytest.mark.parametrize("path", LISTED)
@pytest.mark.parametrize("seed", range(3))
def test_it_goes_on_over_publications(
    path: str,
    seed: int,
    database: Database,
    namespace: Namespace,
    operations: Operations,
    context: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No name twice, none that is gone, and each that is there all the while."""
    lister = Lister(operations, monkeypatch)

    async def work() -> None:
        handle = await operations.opendir(namespace.resolve(path), context)
        stayed = set(names(namespace, path))
        seen: list[str] = []
        after, replies = 0, 0
        while found := await lister.read(handle, after):
            assert {name for name, _ in found} <= {".", "..", *names(namespace, path)}
            seen += [name for name, _ in found]
            after, replies = found[-1][1], replies + 1
            if replies % 2:
                publish_change(database, operations, seed + replies)
                stayed &= set(names(namespace, path))
        assert replies > 3
        assert len(seen) == len(set(seen))
        assert stayed <= set(seen)

    trio.run(work)


def test_an_open_directory_holds_no_former_snapshot(
    database: Database, namespace: Namespace, operations: Operations, context: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    lister = Lister(operations, monkeypatch)

    async def work() -> None:
        handle = await operations.opendir(namespace.resolve("entities/by_name"), context)
        await lister.read(handle, 0)
        former = weakref.ref(namespace.view)
        publish_change(database, operations, 6)
        gc.collect()
        assert former() is None

    trio.run(work)
