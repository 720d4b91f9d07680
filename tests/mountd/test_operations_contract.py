"""The contract suite on the mount's operations, called as pyfuse3 would, without a kernel."""

from __future__ import annotations

import os
import stat
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, TypeVar

import pyfuse3
import pytest
import trio

from mountd.guard import ErrorLog
from mountd.operations import Operations
from mountd.space import Space
from tests.contract import Contract, Stat
from tests.graph_builder import build
from tests.namespace.drivers import SubstringSearcher, opened

T = TypeVar("T")
KINDS = {stat.S_IFDIR: "d", stat.S_IFREG: "f", stat.S_IFLNK: "l"}
ROOM = 50
"""Entries that fit into one reply of a listing."""


class OperationsDriver:
    """Paths through ``lookup``; handles opened and released; listings in blocks."""

    def __init__(self, operations: Operations) -> None:
        self.operations = operations
        self.context = pyfuse3.RequestContext()
        self.listed: list[tuple[str, int]] = []
        self.room = 0

    def reply(self, token: object, name: bytes, attr: pyfuse3.EntryAttributes, offset: int) -> bool:
        """In the place of ``pyfuse3.readdir_reply``."""
        if not self.room:
            return False
        self.room -= 1
        self.listed.append((name.decode(), offset))
        return True

    def run(self, work: Callable[[], Awaitable[T]]) -> T:
        try:
            return trio.run(work)
        except pyfuse3.FUSEError as error:
            raise OSError(error.errno, os.strerror(error.errno)) from error

    async def inode(self, path: str) -> int:
        here = int(pyfuse3.ROOT_INODE)
        for name in path.split("/") if path else ():
            entry = await self.operations.lookup(here, name.encode(), self.context)
            if entry.st_ino == 0:
                raise pyfuse3.FUSEError(2)
            here = entry.st_ino
        return here

    def listdir(self, path: str) -> list[str]:
        async def work() -> list[str]:
            operations = self.operations
            handle = await operations.opendir(await self.inode(path), self.context)
            self.listed, last = [], -1
            while len(self.listed) > last:
                last, self.room = len(self.listed), ROOM
                await operations.readdir(handle, self.listed[-1][1] if self.listed else 0, None)
            await operations.releasedir(handle)
            names = [name for name, _ in self.listed]
            assert names[:2] == [".", ".."]
            return names[2:]

        return self.run(work)

    def lstat(self, path: str) -> Stat:
        async def work() -> Stat:
            entry = await self.operations.getattr(await self.inode(path), self.context)
            kind, mode = KINDS[stat.S_IFMT(entry.st_mode)], stat.S_IMODE(entry.st_mode)
            return Stat(kind, entry.st_size, entry.st_mtime_ns, mode, entry.st_nlink, entry.st_ino)

        return self.run(work)

    def read(self, path: str) -> bytes:
        async def work() -> bytes:
            operations = self.operations
            handle = (await operations.open(await self.inode(path), os.O_RDONLY, self.context)).fh
            data = b""
            while part := await operations.read(handle, len(data), 4096):
                data += part
            await operations.release(handle)
            return data

        return self.run(work)

    def readlink(self, path: str) -> str:
        async def work() -> str:
            return (await self.operations.readlink(await self.inode(path), self.context)).decode()

        return self.run(work)


class TestOperations(Contract):
    @pytest.fixture(scope="class")
    @classmethod
    def driver(cls, tmp_path_factory: Any) -> Iterator[OperationsDriver]:
        directory = tmp_path_factory.mktemp("operations")
        with build(directory / "store") as database, pytest.MonkeyPatch.context() as patch:
            namespace = opened(database, searcher=SubstringSearcher(database))
            log = ErrorLog(directory / "errors.jsonl")
            driver = OperationsDriver(Operations(namespace, log, deadline=10.0, space=Space(directory)))
            patch.setattr(pyfuse3, "readdir_reply", driver.reply)
            yield driver
            assert len(driver.operations.handles) == 0
            assert not log.path.exists()

    def test_every_reference_is_counted(self, driver: OperationsDriver) -> None:
        """What the kernel got in lookups and listings is what it will give back."""
        before = dict(driver.operations.kernel.counts)
        driver.listdir("entities/people")
        after = driver.operations.kernel.counts
        names = len(driver.listed) - 2
        # Two lookups on the way, one reference an entry.
        assert sum(after.values()) - sum(before.values()) == names + 2
        counts = list(after.items())
        trio.run(driver.operations.forget, counts)
        assert driver.operations.kernel.counts == {}
