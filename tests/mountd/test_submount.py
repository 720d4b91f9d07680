"""A file system beneath the mount's operations, called as pyfuse3 would, without a kernel."""

from __future__ import annotations

import errno
import os
import stat
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pyfuse3
import pytest
import trio

from kgfs.filesystem import RENAME_EXCHANGE, Stat
from kgfs.namespace.runtime import Runtime
from kgfs.namespace.tree import rows
from mountd.guard import ErrorLog
from mountd.kernel import Orders
from mountd.operations import Operations
from mountd.router import Router
from mountd.space import Space
from mountd.submounts.inode_numbers import FIRST_ROW, SUBMOUNTS
from mountd.submounts.open_handles import OpenHandles
from mountd.submounts.submount import Submount
from tests.memory_file_system import MemoryFileSystem
from tests.mountd.planted import ROOT, PlantedNamespace
from tests.posix_contract import InterfaceDoor, PosixContract, fails

TREE: dict[str, bytes | str | None] = {"AGENTS.md": b"guide\n", "workspace": None, "@kv": None}
ROOM = 40
"""Entries that fit into one reply of a listing."""


class Fields:
    """In the place of ``pyfuse3.SetattrFields``, which only pyfuse3 can fill."""

    update_atime = update_mtime = update_ctime = update_mode = update_uid = update_gid = update_size = False

    def __init__(self, *given: str) -> None:
        for name in given:
            setattr(self, f"update_{name}", True)


class Loop:
    """A trio loop on a thread of its own."""

    def __init__(self) -> None:
        ready = threading.Event()
        self._ending = trio.Event()

        async def main() -> None:
            self.token = trio.lowlevel.current_trio_token()
            ready.set()
            await self._ending.wait()

        self._thread = threading.Thread(target=trio.run, args=(main,), daemon=True)
        self._thread.start()
        ready.wait()

    def run(self, work: Callable[..., Awaitable[Any]], *arguments: Any) -> Any:
        try:
            return trio.from_thread.run(work, *arguments, trio_token=self.token)
        except pyfuse3.FUSEError as error:
            raise OSError(error.errno, os.strerror(error.errno)) from error

    def end(self) -> None:
        trio.from_thread.run_sync(self._ending.set, trio_token=self.token)
        self._thread.join(10)


class RouterDoor:
    """Paths through ``lookup``, from the root of the mount; handles opened and closed; listings in blocks."""

    def __init__(self, router: Router, loop: Loop, top: bytes) -> None:
        self.router, self.loop, self.top = router, loop, top
        self.context = pyfuse3.RequestContext()
        self.listed: list[tuple[bytes, int]] = []
        self.inodes: list[int] = []
        self.room = 0
        self.fds: dict[int, int] = {}
        """Handle to inode."""

    def reply(self, token: object, name: bytes, attr: pyfuse3.EntryAttributes, offset: int) -> bool:
        """In the place of ``pyfuse3.readdir_reply``."""
        if not self.room:
            return False
        self.room -= 1
        self.listed.append((name, offset))
        self.inodes.append(attr.st_ino)
        return True

    def _at(self, path: bytes) -> int:
        here = int(pyfuse3.ROOT_INODE)
        for name in (self.top + b"/" + path).rstrip(b"/").split(b"/"):
            if here != pyfuse3.ROOT_INODE:
                entry = self.loop.run(self.router.getattr, here, self.context)
                if not stat.S_ISDIR(entry.st_mode):
                    raise NotADirectoryError(errno.ENOTDIR, path)
            here = self.loop.run(self.router.lookup, here, name, self.context).st_ino
            if here == 0:
                raise FileNotFoundError(errno.ENOENT, path)
        return here

    def _above(self, path: bytes) -> tuple[int, bytes]:
        above, _, name = path.rpartition(b"/")
        return self._at(above), name

    @staticmethod
    def _stat(entry: pyfuse3.EntryAttributes) -> Stat:
        return Stat(
            entry.st_ino, entry.st_mode, entry.st_nlink, entry.st_uid, entry.st_gid, entry.st_rdev, entry.st_size,
            entry.st_blocks, entry.st_atime_ns, entry.st_mtime_ns, entry.st_ctime_ns,
        )  # fmt: skip

    def listdir(self, path: bytes) -> list[bytes]:
        inode = self._at(path)
        handle = self.loop.run(self.router.opendir, inode, self.context)
        try:
            self.listed, self.inodes, last = [], [], -1
            while len(self.listed) > last:
                last, self.room = len(self.listed), ROOM
                self.loop.run(self.router.readdir, handle, self.listed[-1][1] if self.listed else 0, None)
        finally:
            self.loop.run(self.router.releasedir, handle)
        assert [name for name, _ in self.listed[:2]] == [b".", b".."]
        assert self.inodes[0] == inode
        return [name for name, _ in self.listed[2:]]

    def lstat(self, path: bytes) -> Stat:
        return self._stat(self.loop.run(self.router.getattr, self._at(path), self.context))

    def mkdir(self, path: bytes, mode: int = 0o755) -> None:
        self.loop.run(self.router.mkdir, *self._above(path), mode, self.context)

    def mknod(self, path: bytes, mode: int, rdev: int = 0) -> None:
        self.loop.run(self.router.mknod, *self._above(path), mode, rdev, self.context)

    def symlink(self, target: bytes, path: bytes) -> None:
        self.loop.run(self.router.symlink, *self._above(path), target, self.context)

    def link(self, path: bytes, new: bytes) -> None:
        self.loop.run(self.router.link, self._at(path), *self._above(new), self.context)

    def rename(self, path: bytes, new: bytes, flags: int = 0) -> None:
        self.loop.run(self.router.rename, *self._above(path), *self._above(new), flags, self.context)

    def unlink(self, path: bytes) -> None:
        self.loop.run(self.router.unlink, *self._above(path), self.context)

    def rmdir(self, path: bytes) -> None:
        self.loop.run(self.router.rmdir, *self._above(path), self.context)

    def readlink(self, path: bytes) -> bytes:
        return bytes(self.loop.run(self.router.readlink, self._at(path), self.context))

    def _set(self, inode: int, fh: int | None = None, **values: int) -> None:
        attr = pyfuse3.EntryAttributes()
        for name, value in values.items():
            setattr(attr, {"atime": "st_atime_ns", "mtime": "st_mtime_ns"}.get(name, f"st_{name}"), value)
        self.loop.run(self.router.setattr, inode, attr, Fields(*values), fh, self.context)

    def chmod(self, path: bytes, mode: int) -> None:
        self._set(self._at(path), mode=mode)

    def chown(self, path: bytes, uid: int, gid: int) -> None:
        self._set(self._at(path), uid=uid, gid=gid)

    def utime(self, path: bytes, atime_ns: int, mtime_ns: int) -> None:
        self._set(self._at(path), atime=atime_ns, mtime=mtime_ns)

    def truncate(self, path: bytes, size: int) -> None:
        self._set(self._at(path), size=size)

    def getxattr(self, path: bytes, name: bytes) -> bytes:
        return bytes(self.loop.run(self.router.getxattr, self._at(path), name, self.context))

    def setxattr(self, path: bytes, name: bytes, value: bytes, flags: int = 0) -> None:
        inode = self._at(path)
        if flags:  # as pyfuse3 does
            names = self.loop.run(self.router.listxattr, inode, self.context)
            if (name in names) != (flags == os.XATTR_REPLACE):
                raise OSError(errno.ENODATA if flags == os.XATTR_REPLACE else errno.EEXIST, name)
        self.loop.run(self.router.setxattr, inode, name, value, self.context)

    def listxattr(self, path: bytes) -> list[bytes]:
        return list(self.loop.run(self.router.listxattr, self._at(path), self.context))

    def removexattr(self, path: bytes, name: bytes) -> None:
        self.loop.run(self.router.removexattr, self._at(path), name, self.context)

    def open(self, path: bytes, flags: int, mode: int = 0o644) -> int:
        try:
            inode = self._at(path)
        except FileNotFoundError:
            if not flags & os.O_CREAT:
                raise
            above, name = self._above(path)
            opened, entry = self.loop.run(self.router.create, above, name, stat.S_IFREG | mode, flags, self.context)
            self.fds[opened.fh] = entry.st_ino
            return int(opened.fh)
        if flags & os.O_EXCL:
            raise FileExistsError(errno.EEXIST, path)
        opened = self.loop.run(self.router.open, inode, flags, self.context)
        self.fds[opened.fh] = inode
        return int(opened.fh)

    def read(self, fd: int, offset: int, size: int) -> bytes:
        return bytes(self.loop.run(self.router.read, fd, offset, size))

    def write(self, fd: int, offset: int, data: bytes) -> int:
        return int(self.loop.run(self.router.write, fd, offset, data))

    def fstat(self, fd: int) -> Stat:
        return self._stat(self.loop.run(self.router.getattr, self.fds[fd], self.context))

    def ftruncate(self, fd: int, size: int) -> None:
        self._set(self.fds[fd], fd, size=size)

    def fsync(self, fd: int) -> None:
        self.loop.run(self.router.fsync, fd, False)

    def close(self, fd: int) -> None:
        self.loop.run(self.router.flush, fd)
        self.loop.run(self.router.release, fd)
        del self.fds[fd]


class Mounted:
    """A planted tree with two file systems in memory."""

    def __init__(self, directory: Path, *, read_only: bool = False, prompt: bool = True) -> None:
        self.loop = Loop()
        self.log = ErrorLog(directory / "errors.jsonl")
        namespace = PlantedNamespace(TREE)
        self.tree = Operations(namespace, self.log, deadline=1.0, space=Space(directory))
        self.handles = OpenHandles()
        self.file_systems = {name: MemoryFileSystem(0, 0) for name in ("workspace", "@kv")}
        for each in self.file_systems.values():
            each.prompt = prompt
        self.submounts = {
            name: Submount(name, each, number, namespace.at(name), self.handles, self.log, read_only=read_only)
            for number, (name, each) in enumerate(self.file_systems.items())
        }
        self.router = Router(self.tree, self.submounts.values(), self.handles)
        self.door = RouterDoor(self.router, self.loop, b"workspace")

    def end(self) -> None:
        for submount in self.submounts.values():
            submount.close()
        self.loop.end()


@pytest.fixture
def mounted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Mounted]:
    made = Mounted(tmp_path)
    monkeypatch.setattr(pyfuse3, "readdir_reply", made.door.reply)
    yield made
    made.end()
    assert not made.log.path.exists()


class TestInterface(PosixContract):
    """That the one in memory keeps the rules itself."""

    @pytest.fixture(scope="class")
    @classmethod
    def door(cls) -> InterfaceDoor:
        return InterfaceDoor(MemoryFileSystem())


class TestRouter(PosixContract):
    prompt = True

    @pytest.fixture(scope="class")
    @classmethod
    def door(cls, tmp_path_factory: Any) -> Iterator[RouterDoor]:
        made = Mounted(tmp_path_factory.mktemp("submount"), prompt=cls.prompt)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(pyfuse3, "readdir_reply", made.door.reply)
            yield made.door
        assert len(made.handles) == len(made.tree.handles) == 0
        # What nobody holds and has no name is gone.
        nodes = made.file_systems["workspace"].nodes.values()
        assert [node.ino for node in nodes if node.held or not node.nlink] == []
        made.end()
        assert not made.log.path.exists()


class TestThreads(TestRouter):
    """Where each call is made on a thread."""

    prompt = False


def test_the_rows_of_the_tree_have_numbers_of_their_own() -> None:
    assert len(rows(Runtime())) <= FIRST_ROW < 1 << 9, "row << 54 must fit 63 bits"


def test_the_tree_is_where_it_was_and_nothing_goes_across(mounted: Mounted) -> None:
    door, other = mounted.door, RouterDoor(mounted.router, mounted.loop, b"@kv")
    door.mkdir(b"d")
    other.mkdir(b"d")
    assert door.lstat(b"d").ino >= SUBMOUNTS
    assert door.lstat(b"d").ino != other.lstat(b"d").ino
    namespace = mounted.tree.namespace
    assert (door.lstat(b"").ino, other.lstat(b"").ino) == (namespace.at("workspace"), namespace.at("@kv"))
    run, context, root = mounted.loop.run, door.context, ROOT
    assert run(mounted.router.lookup, root, b"AGENTS.md", context).st_ino == namespace.at("AGENTS.md")
    door.mknod(b"f", stat.S_IFREG | 0o644)
    here, there = door.lstat(b"").ino, other.lstat(b"").ino
    fails(errno.EXDEV, run, mounted.router.rename, here, b"f", there, b"f", 0, context)
    fails(errno.EXDEV, run, mounted.router.rename, here, b"f", root, b"f", 0, context)
    fails(errno.EXDEV, run, mounted.router.rename, root, b"AGENTS.md", here, b"g", 0, context)
    fails(errno.EXDEV, run, mounted.router.rename, root, b"AGENTS.md", here, b"f", RENAME_EXCHANGE, context)
    fails(errno.EXDEV, run, mounted.router.link, door.lstat(b"f").ino, there, b"f", context)
    fails(errno.EXDEV, run, mounted.router.link, namespace.at("AGENTS.md"), here, b"g", context)
    fails(errno.EROFS, run, mounted.router.mkdir, root, b"new", 0o755, context)
    for number in (SUBMOUNTS - 1, SUBMOUNTS | 12345, (500 << 54) + 1, (1 << 64) - 1):
        fails(errno.ENOENT, run, mounted.router.getattr, number, context)
        fails(errno.EBADF, run, mounted.router.read, number, 0, 1)


def test_only_user_attributes_are_asked_for_below(mounted: Mounted) -> None:
    mounted.door.mkdir(b"d")
    for name in (b"security.capability", b"system.posix_acl_access", b"other.x"):
        fails(errno.EOPNOTSUPP, mounted.door.getxattr, b"d", name)
        fails(errno.EOPNOTSUPP, mounted.door.setxattr, b"d", name, b"x")
        fails(errno.EOPNOTSUPP, mounted.door.removexattr, b"d", name)
    mounted.door.setxattr(b"d", b"trusted.x", b"1")
    assert mounted.door.getxattr(b"d", b"trusted.x") == b"1"


def test_a_close_is_durable_where_something_was_written(mounted: Mounted) -> None:
    door, below = mounted.door, mounted.file_systems["workspace"]
    fd = door.open(b"a", os.O_CREAT | os.O_RDWR)
    ino = door.lstat(b"a").ino & 0xFFFF
    run, router = mounted.loop.run, mounted.router
    run(router.flush, fd)
    assert below.syncs == [ino]  # its name
    door.write(fd, 0, b"x")
    run(router.flush, fd)
    run(router.flush, fd)
    assert below.syncs == [ino] * 2
    door.fsync(fd)
    assert below.syncs == [ino] * 3
    door.write(fd, 0, b"y")
    door.close(fd)
    assert below.syncs == [ino] * 4
    fd = door.open(b"a", os.O_RDONLY)
    door.read(fd, 0, 1)
    door.close(fd)
    assert below.syncs == [ino] * 4
    fd = door.open(b"a", os.O_WRONLY | os.O_TRUNC)
    door.close(fd)
    assert below.syncs == [ino] * 5
    # One that cannot be kept says so, and is tried again.
    fd = door.open(b"a", os.O_WRONLY)
    door.write(fd, 0, b"z")
    below.faults["sync"] = errno.ENOSPC
    fails(errno.ENOSPC, run, router.flush, fd)
    fails(errno.ENOSPC, run, router.fsync, fd, False)
    below.faults.clear()
    door.close(fd)
    assert below.syncs == [ino] * 6
    handle = run(router.opendir, door.lstat(b"").ino, door.context)
    run(router.fsyncdir, handle, False)
    run(router.releasedir, handle)
    assert below.syncs == [*[ino] * 6, 1]


def test_every_reference_is_counted_and_given_back(mounted: Mounted) -> None:
    door, kernel = mounted.door, mounted.submounts["workspace"].kernel
    door.mkdir(b"d")
    for number in range(100):
        door.mknod(b"d/%d" % number, stat.S_IFREG | 0o644)
    mounted.loop.run(mounted.router.forget, list(kernel.counts.items()))
    assert kernel.counts == {}
    names = door.listdir(b"d")
    assert len(names) == 100
    assert sum(kernel.counts.values()) == 101
    roots = [(mounted.tree.namespace.at("workspace"), 1)]
    before = mounted.tree.kernel.counts[roots[0][0]]
    mounted.loop.run(mounted.router.forget, [*kernel.counts.items(), *roots])
    assert (kernel.counts, mounted.tree.kernel.counts[roots[0][0]]) == ({}, before - 1)


def test_a_listing_names_nothing_that_went_meanwhile(mounted: Mounted) -> None:
    door = mounted.door
    for number in range(200):
        door.mknod(b"%03d" % number, stat.S_IFREG | 0o644)
    handle = mounted.loop.run(mounted.router.opendir, door.lstat(b"").ino, door.context)
    door.listed, door.inodes, door.room = [], [], 50
    mounted.loop.run(mounted.router.readdir, handle, 0, None)
    door.unlink(b"100")
    door.rename(b"101", b"102")
    replaced = door.lstat(b"102").ino
    while door.room == 0:
        door.room = 50
        mounted.loop.run(mounted.router.readdir, handle, door.listed[-1][1], None)
    names = [name for name, _ in door.listed]
    assert len(names) == len(set(names)) == 200
    assert b"100" not in names
    assert b"101" not in names
    assert door.inodes[names.index(b"102")] == replaced
    mounted.loop.run(mounted.router.releasedir, handle)


def test_a_listing_is_made_again_when_something_changed(mounted: Mounted) -> None:
    door, below = mounted.door, mounted.file_systems["workspace"]
    listed = 0

    def before(name: str) -> None:
        nonlocal listed
        listed += name == "list"

    below.before = before
    door.mkdir(b"d")
    door.mknod(b"d/a", stat.S_IFREG | 0o644)
    assert (door.listdir(b"d"), door.listdir(b"d"), listed) == ([b"a"], [b"a"], 1)
    door.mknod(b"d/b", stat.S_IFREG | 0o644)
    assert (door.listdir(b"d"), door.listdir(b"d"), listed) == ([b"a", b"b"], [b"a", b"b"], 2)
    below.unlink(below.lookup(1, b"d").ino, b"a")  # past the mount
    door.utime(b"d", 5, 5)
    assert (door.listdir(b"d"), listed) == ([b"b"], 3)
    door.rename(b"d/b", b"d/c")
    assert (door.listdir(b"d"), listed) == ([b"c"], 4)
    for number in range(100):
        door.mkdir(b"%d" % number)
        assert door.listdir(b"%d" % number) == []
    assert len(mounted.submounts["workspace"].listings) <= 64


def test_faults_are_their_errno_and_what_is_unexpected_is_noted(mounted: Mounted) -> None:
    door, below = mounted.door, mounted.file_systems["workspace"]
    for number in (errno.EIO, errno.ENOSPC, errno.EROFS, errno.EDQUOT):
        below.faults["lookup"] = number
        fails(number, mounted.loop.run, mounted.router.lookup, door.lstat(b"").ino, b"x", door.context)
    below.faults.clear()

    def before(name: str) -> None:
        if name == "make":
            raise ValueError("planted")

    below.before = before
    fails(errno.EIO, door.mkdir, b"d")
    assert "planted" in mounted.log.path.read_text()
    mounted.log.path.unlink()


def test_a_call_that_hangs_holds_up_no_other(mounted: Mounted, monkeypatch: pytest.MonkeyPatch) -> None:
    door, below = mounted.door, mounted.file_systems["workspace"]
    door.mkdir(b"d")
    below.prompt = False
    monkeypatch.setattr("mountd.submounts.calls.CALL_SECONDS", 0.3)
    hanging = threading.Event()
    below.before = lambda name: hanging.wait() if name == "readlink" else None
    inode = door.lstat(b"d").ino
    fails(errno.ETIMEDOUT, mounted.loop.run, mounted.router.readlink, inode, door.context)
    assert stat.S_ISDIR(door.lstat(b"d").mode)
    hanging.set()


def test_calls_are_made_on_the_loop_while_they_are_quick(mounted: Mounted) -> None:
    door, below = mounted.door, mounted.file_systems["workspace"]
    where: list[tuple[str, bool]] = []

    def before(name: str) -> None:
        where.append((name, "workspace" in threading.current_thread().name))
        if name == "readlink":
            time.sleep(0.03)

    below.before = before
    door.symlink(b"x", b"l")
    fd = door.open(b"f", os.O_CREAT | os.O_RDWR)
    for size in (1000, 64 << 10, (64 << 10) + 1):
        where.clear()
        door.write(fd, 0, b"x" * size)
        door.read(fd, 0, size)
        assert where == [("write", size > 64 << 10), ("read", size > 64 << 10)]
    door.listdir(b"")
    assert ("list", True) in where
    assert ("lookup", True) not in where
    where.clear()
    time.sleep(0.11)
    for _ in range(70):
        door.write(fd, 0, b"x" * (64 << 10))
    assert 60 <= where.count(("write", False)) <= 69
    door.close(fd)
    where.clear()
    door.readlink(b"l")
    assert ("readlink", False) in where
    where.clear()
    door.lstat(b"l")
    assert set(where) == {("lookup", True), ("getattr", True)}
    until = time.monotonic() + 10
    while set(where) != {("lookup", False), ("getattr", False)}:
        assert time.monotonic() < until
        time.sleep(0.05)
        where.clear()
        door.lstat(b"l")


def test_read_only(tmp_path: Path) -> None:
    made = Mounted(tmp_path, read_only=True)
    door = made.door
    try:
        below = InterfaceDoor(made.file_systems["workspace"])
        below.mkdir(b"d")
        below.mknod(b"f", stat.S_IFREG | 0o644)
        works: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
            (door.mkdir, (b"x",)), (door.mknod, (b"x", stat.S_IFIFO | 0o644)), (door.symlink, (b"t", b"x")),
            (door.link, (b"f", b"x")), (door.rename, (b"f", b"x")), (door.unlink, (b"f",)), (door.rmdir, (b"d",)),
            (door.chmod, (b"f", 0o600)), (door.truncate, (b"f", 1)), (door.setxattr, (b"f", b"user.x", b"1")),
            (door.removexattr, (b"f", b"user.x")), (door.open, (b"x", os.O_CREAT | os.O_RDWR)),
            (door.open, (b"f", os.O_RDWR)), (door.open, (b"f", os.O_WRONLY | os.O_TRUNC)),
        ]  # fmt: skip
        for work, arguments in works:
            fails(errno.EROFS, work, *arguments)
        door.close(door.open(b"f", os.O_RDONLY))
        assert sorted(below.listdir(b"")) == [b"d", b"f"]
        assert made.file_systems["workspace"].syncs == []
    finally:
        made.end()
    assert made.file_systems["workspace"].syncs == []


def test_what_a_command_changed_is_told_to_the_kernel(mounted: Mounted) -> None:
    told: list[Orders] = []
    submount = mounted.submounts["workspace"]
    submount.tell = told.append
    submount.changed([5], [(1, b"a"), (7, b"b")])
    root, base = submount.numbers.root, submount.numbers.row << 54
    assert told == [Orders([base | 5], [root, base | 7], [(root, b"a"), (base | 7, b"b")])]
