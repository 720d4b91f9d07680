"""File systems in the root of another one: the contract in each, and the borders between them."""

from __future__ import annotations

import errno
import stat
from collections.abc import Iterator, Mapping

import pytest

from kgfs.agentfs.filesystem.grafts import EmptyDirectory, Grafted
from kgfs.errors import StoreError
from kgfs.filesystem import RENAME_EXCHANGE, ROOT, FileSystem, Space
from tests.agentfs.session_sides import DIRECTORY, at, body, names, put
from tests.memory_file_system import MemoryFileSystem
from tests.posix_contract import InterfaceDoor, PosixContract, fails

ROOM = Space(4096, 100, 50, 40, 30, 20)


class Both:
    """A base with two grafts."""

    def __init__(self) -> None:
        self.base, self.one, self.two = MemoryFileSystem(), MemoryFileSystem(), MemoryFileSystem()
        self.grafts: dict[bytes, FileSystem] = {b"one": self.one, b"two": self.two}
        self.files = Grafted(self.base, lambda: self.grafts)
        put(self.base, b"docs/file", b"base")
        put(self.one, b"docs/file", b"one")


@pytest.fixture
def both() -> Both:
    return Both()


class GraftDoor(InterfaceDoor):
    """Everything happens in the graft ``one``."""

    def _at(self, path: bytes) -> int:
        return super()._at(b"one/" + path if path else b"one")

    def _above(self, path: bytes) -> tuple[int, bytes]:
        above, _, name = path.rpartition(b"/")
        return self._at(above), name


class TestInTheBase(PosixContract):
    @pytest.fixture(scope="class")
    @classmethod
    def door(cls) -> Iterator[InterfaceDoor]:
        yield InterfaceDoor(Both().files)


class TestInAGraft(PosixContract):
    @pytest.fixture(scope="class")
    @classmethod
    def door(cls) -> Iterator[InterfaceDoor]:
        yield GraftDoor(Both().files)


def test_the_root_has_all(both: Both) -> None:
    files = both.files
    assert names(files) == {b"docs", b"one", b"two"} and names(files, b"one") == {b"docs"}
    assert (body(files, b"docs/file"), body(files, b"one/docs/file")) == (b"base", b"one")
    listed = {entry.name: (entry.ino, stat.S_ISDIR(entry.mode)) for entry in files.list(ROOT)}
    assert listed == {name: (at(files, name), True) for name in listed}
    assert files.getattr(ROOT).nlink == 3 + 2
    both.base.make(ROOT, b"one", DIRECTORY, 0, 0, 0)
    put(both.base, b"one/hidden", b"")
    assert names(files, b"one") == {b"docs"} and len(files.list(ROOT)) == 3


def test_numbers_stay(both: Both) -> None:
    files = both.files
    seen = {path: at(files, path) for path in (b"", b"docs", b"docs/file", b"one", b"one/docs", b"one/docs/file")}
    assert len(set(seen.values())) == len(seen) and max(seen.values()) < 100
    files.rename(at(files, b"one/docs"), b"file", at(files, b"one"), b"moved", 0)
    assert at(files, b"one/moved") == seen[b"one/docs/file"]
    del seen[b"one/docs/file"]
    assert {path: at(files, path) for path in seen} == seen
    far = both.base.nodes.pop(at(both.base, b"docs/file"))
    far.ino = (1 << 64) - 1
    both.base.nodes[far.ino] = far
    assert at(files, b"docs/file") < 100 and body(files, b"docs/file") == b"base"


def test_nothing_crosses_a_border(both: Both) -> None:
    files = both.files
    docs, one, two = at(files, b"docs"), at(files, b"one"), at(files, b"two")
    fails(errno.EXDEV, files.rename, docs, b"file", one, b"file", 0)
    fails(errno.EXDEV, files.rename, at(files, b"one/docs"), b"file", two, b"file", 0)
    fails(errno.EXDEV, files.link, at(files, b"docs/file"), one, b"file")
    fails(errno.ENOENT, files.rename, docs, b"missing", one, b"file", 0)
    assert (names(files, b"one"), names(files, b"two"), names(files, b"docs")) == ({b"docs"}, set(), {b"file"})


def test_the_root_of_a_graft_is_left_alone(both: Both) -> None:
    files = both.files
    fails(errno.EBUSY, files.rmdir, ROOT, b"two")
    fails(errno.EBUSY, files.rename, ROOT, b"two", ROOT, b"three", 0)
    fails(errno.EBUSY, files.rename, ROOT, b"docs", ROOT, b"two", RENAME_EXCHANGE)
    fails(errno.EISDIR, files.unlink, ROOT, b"two")
    fails(errno.EEXIST, files.make, ROOT, b"two", DIRECTORY, 0, 0, 0)
    fails(errno.EEXIST, files.symlink, ROOT, b"two", b"x", 0, 0)
    fails(errno.EEXIST, files.link, at(files, b"docs/file"), ROOT, b"two")
    assert names(files) == {b"docs", b"one", b"two"}


def test_a_graft_that_went_is_forgotten(both: Both) -> None:
    files = both.files
    one, file = at(files, b"one"), at(files, b"one/docs/file")
    files.hold(file)
    del both.grafts[b"one"]
    assert names(files) == {b"docs", b"two"}
    for ino in (one, file):
        fails(errno.ENOENT, files.getattr, ino)
    files.release(file)
    fails(errno.ENOENT, at, files, b"one")
    both.grafts[b"one"] = MemoryFileSystem()
    assert names(files, b"one") == set() and at(files, b"one") not in (one, file)


def test_a_graft_that_became_another_has_other_files(both: Both) -> None:
    files = both.files
    one, file = at(files, b"one"), at(files, b"one/docs/file")
    both.grafts[b"one"] = other = MemoryFileSystem()
    put(other, b"new", b"new")
    assert (names(files, b"one"), at(files, b"one")) == ({b"new"}, one)
    fails(errno.ENOENT, files.getattr, file)
    assert both.one.syncs == []
    files.sync()
    assert (other.syncs, both.base.syncs, both.one.syncs) == ([None], [None], [])
    files.sync(at(files, b"one/new"))
    assert other.syncs == [None, at(other, b"new")]


class Lazy(Mapping[bytes, FileSystem]):
    """Two file systems, one of which cannot be opened."""

    def __init__(self) -> None:
        self.asked: list[bytes] = []
        self.good = MemoryFileSystem()

    def __getitem__(self, name: bytes) -> FileSystem:
        self.asked.append(name)
        if name == b"bad":
            raise StoreError("It is damaged.")
        return self.good

    def __contains__(self, name: object) -> bool:
        return name in (b"good", b"bad")

    def __iter__(self) -> Iterator[bytes]:
        return iter((b"good", b"bad"))

    def __len__(self) -> int:
        return 2


def test_a_listing_opens_nothing_and_one_failure_hurts_nobody_else() -> None:
    lazy = Lazy()
    files = Grafted(EmptyDirectory(lambda: ROOM), lambda: lazy)
    assert names(files) == {b"good", b"bad"} and lazy.asked == []
    assert names(files, b"good") == set()
    fails(errno.EIO, at, files, b"bad")
    put(files, b"good/file", b"x")
    assert body(files, b"good/file") == b"x"


def test_an_empty_directory_takes_nothing() -> None:
    lazy = Lazy()
    files = Grafted(EmptyDirectory(lambda: ROOM), lambda: lazy)
    fails(errno.EROFS, files.make, ROOT, b"x", stat.S_IFREG | 0o644, 0, 0, 0)
    fails(errno.EROFS, files.symlink, ROOT, b"x", b"y", 0, 0)
    fails(errno.EROFS, files.link, ROOT, ROOT, b"x")
    fails(errno.EROFS, files.setattr, ROOT)
    fails(errno.EROFS, files.setxattr, ROOT, b"user.x", b"")
    fails(errno.EROFS, files.removexattr, ROOT, b"user.x")
    fails(errno.EOPNOTSUPP, files.tmpfile, 0o600, 0, 0)
    for call in (files.unlink, files.rmdir, files.lookup):
        fails(errno.ENOENT, call, ROOT, b"x")
        fails(errno.ENAMETOOLONG, call, ROOT, b"x" * 256)
    fails(errno.ENOENT, files.rename, ROOT, b"x", ROOT, b"y", 0)
    fails(errno.EISDIR, files.read, ROOT, 0, 1)
    fails(errno.EINVAL, files.readlink, ROOT)
    fails(errno.ENODATA, files.getxattr, ROOT, b"user.x")
    assert (files.listxattr(ROOT), files.statfs(), files.getattr(ROOT).mode) == ((), ROOM, stat.S_IFDIR | 0o555)
    files.hold(ROOT)
    files.release(ROOT)
