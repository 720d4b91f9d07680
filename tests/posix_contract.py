"""What a file system beneath the mount must do: one suite for each ``FileSystem``, on the interface and on a mount.

A way in is a ``Door``. To run the suite subclass ``PosixContract`` and give the fixture ``door``; it is used by one
test after the other, each in a directory of its own. Paths start at the file system's root, without a slash.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import pytest

from kgfs.filesystem import RENAME_EXCHANGE, RENAME_NOREPLACE, ROOT, XATTR_CREATE, XATTR_REPLACE, FileSystem, Stat

_libc = ctypes.CDLL(None, use_errno=True)
OWNER = (os.getuid(), os.getgid())
ODD_NAMES = [
    b"\xff\x80",
    b"a b",
    b"-n",
    b"\n",
    "é".encode(),
    b"@search",
    b"@kv",
    b"%2F",
    b"n" * 255,
    b"\xff" * 255,
    b"...",
]


def rename2(old: bytes, new: bytes, flags: int) -> None:
    """The system call, which Python has not."""
    if _libc.renameat2(-100, old, -100, new, flags) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


class Door(Protocol):
    """What is done to a file system; each raises ``OSError``. ``open`` gives a number for the next eight."""

    def listdir(self, path: bytes) -> list[bytes]: ...
    def lstat(self, path: bytes) -> Stat: ...
    def mkdir(self, path: bytes, mode: int = 0o755) -> None: ...
    def mknod(self, path: bytes, mode: int, rdev: int = 0) -> None: ...
    def symlink(self, target: bytes, path: bytes) -> None: ...
    def link(self, path: bytes, new: bytes) -> None: ...
    def rename(self, path: bytes, new: bytes, flags: int = 0) -> None: ...
    def unlink(self, path: bytes) -> None: ...
    def rmdir(self, path: bytes) -> None: ...
    def readlink(self, path: bytes) -> bytes: ...
    def chmod(self, path: bytes, mode: int) -> None: ...
    def chown(self, path: bytes, uid: int, gid: int) -> None: ...
    def utime(self, path: bytes, atime_ns: int, mtime_ns: int) -> None: ...
    def truncate(self, path: bytes, size: int) -> None: ...
    def getxattr(self, path: bytes, name: bytes) -> bytes: ...
    def setxattr(self, path: bytes, name: bytes, value: bytes, flags: int = 0) -> None: ...
    def listxattr(self, path: bytes) -> list[bytes]: ...
    def removexattr(self, path: bytes, name: bytes) -> None: ...
    def open(self, path: bytes, flags: int, mode: int = 0o644) -> int: ...
    def read(self, fd: int, offset: int, size: int) -> bytes: ...
    def write(self, fd: int, offset: int, data: bytes) -> int: ...
    def fstat(self, fd: int) -> Stat: ...
    def ftruncate(self, fd: int, size: int) -> None: ...
    def fsync(self, fd: int) -> None: ...
    def close(self, fd: int) -> None: ...


class InterfaceDoor:
    """The methods of a ``FileSystem``, as a caller uses them that holds what is open."""

    def __init__(self, file_system: FileSystem) -> None:
        self.file_system = file_system
        self._opened: dict[int, int] = {}

    def _at(self, path: bytes) -> int:
        here = ROOT
        for name in path.split(b"/") if path else ():
            here = self.file_system.lookup(here, name).ino
        return here

    def _above(self, path: bytes) -> tuple[int, bytes]:
        above, _, name = path.rpartition(b"/")
        return self._at(above), name

    def listdir(self, path: bytes) -> list[bytes]:
        return [entry.name for entry in self.file_system.list(self._at(path))]

    def lstat(self, path: bytes) -> Stat:
        return self.file_system.getattr(self._at(path))

    def mkdir(self, path: bytes, mode: int = 0o755) -> None:
        self.file_system.make(*self._above(path), stat.S_IFDIR | mode, 0, *OWNER)

    def mknod(self, path: bytes, mode: int, rdev: int = 0) -> None:
        self.file_system.make(*self._above(path), mode, rdev, *OWNER)

    def symlink(self, target: bytes, path: bytes) -> None:
        self.file_system.symlink(*self._above(path), target, *OWNER)

    def link(self, path: bytes, new: bytes) -> None:
        self.file_system.link(self._at(path), *self._above(new))

    def rename(self, path: bytes, new: bytes, flags: int = 0) -> None:
        self.file_system.rename(*self._above(path), *self._above(new), flags)

    def unlink(self, path: bytes) -> None:
        self.file_system.unlink(*self._above(path))

    def rmdir(self, path: bytes) -> None:
        self.file_system.rmdir(*self._above(path))

    def readlink(self, path: bytes) -> bytes:
        return self.file_system.readlink(self._at(path))

    def chmod(self, path: bytes, mode: int) -> None:
        self.file_system.setattr(self._at(path), mode=mode)

    def chown(self, path: bytes, uid: int, gid: int) -> None:
        self.file_system.setattr(self._at(path), uid=uid, gid=gid)

    def utime(self, path: bytes, atime_ns: int, mtime_ns: int) -> None:
        self.file_system.setattr(self._at(path), atime_ns=atime_ns, mtime_ns=mtime_ns)

    def truncate(self, path: bytes, size: int) -> None:
        self.file_system.setattr(self._at(path), size=size)

    def getxattr(self, path: bytes, name: bytes) -> bytes:
        return self.file_system.getxattr(self._at(path), name)

    def setxattr(self, path: bytes, name: bytes, value: bytes, flags: int = 0) -> None:
        self.file_system.setxattr(self._at(path), name, value, flags)

    def listxattr(self, path: bytes) -> list[bytes]:
        return list(self.file_system.listxattr(self._at(path)))

    def removexattr(self, path: bytes, name: bytes) -> None:
        self.file_system.removexattr(self._at(path), name)

    def open(self, path: bytes, flags: int, mode: int = 0o644) -> int:
        above, name = self._above(path)
        try:
            ino = self.file_system.lookup(above, name).ino
            if flags & os.O_EXCL:
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        except FileNotFoundError:
            if not flags & os.O_CREAT:
                raise
            ino = self.file_system.make(above, name, stat.S_IFREG | mode, 0, *OWNER).ino
        self.file_system.hold(ino)
        if flags & os.O_TRUNC:
            self.file_system.setattr(ino, size=0)
        fd = max(self._opened, default=0) + 1
        self._opened[fd] = ino
        return fd

    def read(self, fd: int, offset: int, size: int) -> bytes:
        return self.file_system.read(self._opened[fd], offset, size)

    def write(self, fd: int, offset: int, data: bytes) -> int:
        return self.file_system.write(self._opened[fd], offset, data)

    def fstat(self, fd: int) -> Stat:
        return self.file_system.getattr(self._opened[fd])

    def ftruncate(self, fd: int, size: int) -> None:
        self.file_system.setattr(self._opened[fd], size=size)

    def fsync(self, fd: int) -> None:
        self.file_system.sync(self._opened[fd])

    def close(self, fd: int) -> None:
        ino = self._opened.pop(fd)
        self.file_system.sync(ino)
        self.file_system.release(ino)


def _stat(found: os.stat_result) -> Stat:
    return Stat(
        found.st_ino, found.st_mode, found.st_nlink, found.st_uid, found.st_gid, found.st_rdev, found.st_size,
        found.st_blocks, found.st_atime_ns, found.st_mtime_ns, found.st_ctime_ns,
    )  # fmt: skip


class MountDoor:
    """System calls on a directory: of a mount, or of a disk to see what that does."""

    def __init__(self, root: Path) -> None:
        self._root = os.fsencode(root)

    def _at(self, path: bytes) -> bytes:
        return os.path.join(self._root, path) if path else self._root

    def listdir(self, path: bytes) -> list[bytes]:
        return os.listdir(self._at(path))

    def lstat(self, path: bytes) -> Stat:
        return _stat(os.lstat(self._at(path)))

    def mkdir(self, path: bytes, mode: int = 0o755) -> None:
        os.mkdir(self._at(path), mode)

    def mknod(self, path: bytes, mode: int, rdev: int = 0) -> None:
        os.mknod(self._at(path), mode, rdev)

    def symlink(self, target: bytes, path: bytes) -> None:
        os.symlink(target, self._at(path))

    def link(self, path: bytes, new: bytes) -> None:
        os.link(self._at(path), self._at(new), follow_symlinks=False)

    def rename(self, path: bytes, new: bytes, flags: int = 0) -> None:
        rename2(self._at(path), self._at(new), flags)

    def unlink(self, path: bytes) -> None:
        os.unlink(self._at(path))

    def rmdir(self, path: bytes) -> None:
        os.rmdir(self._at(path))

    def readlink(self, path: bytes) -> bytes:
        return os.readlink(self._at(path))

    def chmod(self, path: bytes, mode: int) -> None:
        os.chmod(self._at(path), mode)

    def chown(self, path: bytes, uid: int, gid: int) -> None:
        os.lchown(self._at(path), uid, gid)

    def utime(self, path: bytes, atime_ns: int, mtime_ns: int) -> None:
        os.utime(self._at(path), ns=(atime_ns, mtime_ns), follow_symlinks=False)

    def truncate(self, path: bytes, size: int) -> None:
        os.truncate(self._at(path), size)

    def getxattr(self, path: bytes, name: bytes) -> bytes:
        return os.getxattr(self._at(path), name, follow_symlinks=False)

    def setxattr(self, path: bytes, name: bytes, value: bytes, flags: int = 0) -> None:
        os.setxattr(self._at(path), name, value, flags, follow_symlinks=False)

    def listxattr(self, path: bytes) -> list[bytes]:
        return [os.fsencode(name) for name in os.listxattr(self._at(path), follow_symlinks=False)]

    def removexattr(self, path: bytes, name: bytes) -> None:
        os.removexattr(self._at(path), name, follow_symlinks=False)

    def open(self, path: bytes, flags: int, mode: int = 0o644) -> int:
        return os.open(self._at(path), flags, mode)

    def read(self, fd: int, offset: int, size: int) -> bytes:
        parts = b""
        while part := os.pread(fd, size - len(parts), offset + len(parts)):
            parts += part
        return parts

    def write(self, fd: int, offset: int, data: bytes) -> int:
        return os.pwrite(fd, data, offset)

    def fstat(self, fd: int) -> Stat:
        return _stat(os.fstat(fd))

    def ftruncate(self, fd: int, size: int) -> None:
        os.ftruncate(fd, size)

    def fsync(self, fd: int) -> None:
        os.fsync(fd)

    def close(self, fd: int) -> None:
        os.close(fd)


def fails(number: int, call: Callable[..., Any], *arguments: Any) -> None:
    with pytest.raises(OSError) as caught:
        call(*arguments)
    assert errno.errorcode[caught.value.errno] == errno.errorcode[number]


class Here:
    """A door with what tests do all the time, in a directory of its own."""

    def __init__(self, door: Door, name: bytes) -> None:
        self.door = door
        self.name = name
        door.mkdir(name)

    def __getattr__(self, method: str) -> Callable[..., Any]:
        call = getattr(self.door, method)

        def run(*arguments: Any) -> Any:
            places = 2 if method in ("rename", "link") else 1
            if method == "symlink":
                return call(arguments[0], self.at(arguments[1]))
            return call(*(self.at(each) if at < places else each for at, each in enumerate(arguments)))

        return run

    def at(self, path: bytes) -> bytes:
        return self.name + b"/" + path if path else self.name

    def put(self, path: bytes, body: bytes = b"", mode: int = 0o644) -> int:
        """Make a file that holds this; returns its inode."""
        fd = self.door.open(self.at(path), os.O_CREAT | os.O_TRUNC | os.O_RDWR, mode)
        try:
            if body:
                assert self.door.write(fd, 0, body) == len(body)
            return self.door.fstat(fd).ino
        finally:
            self.door.close(fd)

    def body(self, path: bytes) -> bytes:
        fd = self.door.open(self.at(path), os.O_RDONLY)
        try:
            return self.door.read(fd, 0, self.door.fstat(fd).size + 10)
        finally:
            self.door.close(fd)


class PosixContract:
    """The cases."""

    exact_blocks = True
    """Whether a hole counts nothing."""
    refuses: Mapping[str, int] = {}
    """What a file system cannot hold, of what is named in the cases, with the error that says so."""
    tick_ns = 1
    """What times are kept to."""
    counts_directories = True
    """Whether a directory has a link for each directory in it."""
    taken: Sequence[bytes] = ()
    """Names that lead to something in each directory, and are listed in none."""
    listed = 700
    """So many files have a listing that the kernel reads in several pieces."""

    def _is_refused(self, what: str, call: Callable[..., Any], *arguments: Any) -> bool:
        """Whether a file system cannot hold something; then it tells the caller."""
        if what in self.refuses:
            fails(self.refuses[what], call, *arguments)
        return what in self.refuses

    def _kept(self, *moments: int) -> tuple[int, ...]:
        return tuple(moment // self.tick_ns * self.tick_ns for moment in moments)

    @pytest.fixture(scope="class")
    @classmethod
    def door(cls) -> Door:
        raise NotImplementedError

    @pytest.fixture
    def here(self, door: Door, request: pytest.FixtureRequest) -> Iterator[Here]:
        yield Here(door, request.node.name.encode()[:200])

    # --- bodies -----------------------------------------------------------------------------------------------------

    def test_what_was_written_is_read(self, here: Here) -> None:
        ino = here.put(b"a", b"hello\n")
        assert here.body(b"a") == b"hello\n"
        found = here.lstat(b"a")
        assert (found.ino, found.size, found.nlink) == (ino, 6, 1)
        assert (stat.S_IFMT(found.mode), stat.S_IMODE(found.mode)) == (stat.S_IFREG, 0o644)
        assert (found.uid, found.gid) == OWNER
        fd = here.door.open(here.at(b"a"), os.O_RDWR)
        here.door.write(fd, 3, b"LONGER")
        assert here.door.read(fd, 0, 100) == b"helLONGER"
        assert here.door.read(fd, 9, 100) == b""
        here.door.fsync(fd)
        here.door.close(fd)
        assert here.put(b"a", b"x") == ino
        assert here.body(b"a") == b"x"
        assert here.listdir(b"") == [b"a"]

    def test_bodies_across_pieces(self, here: Here) -> None:
        body = bytes(range(256)) * 1031  # no multiple of a piece
        here.put(b"a", body)
        assert here.body(b"a") == body
        fd = here.door.open(here.at(b"a"), os.O_RDWR)
        patched = bytearray(body)
        for offset in (0, 1, 4095, 4096, 4097, 100_000, len(body) - 1, len(body)):
            patched[offset : offset + 5] = b"12345"
            here.door.write(fd, offset, b"12345")
            assert here.door.read(fd, max(offset - 3, 0), 20) == patched[max(offset - 3, 0) : max(offset - 3, 0) + 20]
        here.door.close(fd)
        assert here.body(b"a") == patched

    def test_holes_are_zeros_and_take_no_room(self, here: Here) -> None:
        far = 1 << 32
        fd = here.door.open(here.at(b"a"), os.O_CREAT | os.O_RDWR)
        if self._is_refused("more than a GiB", here.door.write, fd, far, b"end"):
            far = 1 << 21
        here.door.write(fd, far, b"end")
        assert here.door.fstat(fd).size == far + 3
        assert here.door.read(fd, far - 5, 10) == bytes(5) + b"end"
        assert here.door.read(fd, 12345, 7) == bytes(7)
        here.door.close(fd)
        if self.exact_blocks:
            assert 0 < here.lstat(b"a").blocks <= 256

    def test_cut_and_made_longer(self, here: Here) -> None:
        here.put(b"a", b"x" * 10_000)
        here.truncate(b"a", 5)
        assert here.body(b"a") == b"xxxxx"
        here.truncate(b"a", 9000)
        assert here.body(b"a") == b"xxxxx" + bytes(8995)
        fd = here.door.open(here.at(b"a"), os.O_RDWR)
        here.door.ftruncate(fd, 2)
        here.door.write(fd, 4, b"y")
        assert here.door.read(fd, 0, 10) == b"xx\0\0y"
        here.door.ftruncate(fd, 0)
        assert here.door.fstat(fd).size == 0
        here.door.close(fd)
        assert here.lstat(b"a").blocks == 0
        fails(errno.EISDIR, here.truncate, b"", 0)

    def test_a_file_without_a_name_lives_while_it_is_open(self, here: Here) -> None:
        here.put(b"a", b"before")
        fd = here.door.open(here.at(b"a"), os.O_RDWR)
        here.unlink(b"a")
        fails(errno.ENOENT, here.lstat, b"a")
        assert here.listdir(b"") == []
        assert here.door.fstat(fd).nlink == 0
        here.door.write(fd, 6, b" and after")
        other = here.put(b"a", b"another")
        assert here.door.read(fd, 0, 100) == b"before and after"
        assert here.door.fstat(fd).ino != other
        here.door.close(fd)
        assert here.body(b"a") == b"another"

    def test_a_file_that_was_replaced_lives_while_it_is_open(self, here: Here) -> None:
        here.put(b"a", b"old")
        here.put(b"b", b"new")
        fd = here.door.open(here.at(b"a"), os.O_RDONLY)
        here.rename(b"b", b"a")
        assert here.door.read(fd, 0, 10) == b"old"
        assert here.body(b"a") == b"new"
        here.door.close(fd)

    # --- links ------------------------------------------------------------------------------------------------------

    def test_hard_links(self, here: Here) -> None:
        ino = here.put(b"a", b"one")
        here.mkdir(b"d")
        if self._is_refused("hard links", here.link, b"a", b"d/b"):
            assert (here.listdir(b"d"), here.lstat(b"a").nlink) == ([], 1)
            return
        here.link(b"a", b"d/b")
        for path in (b"a", b"d/b"):
            assert (here.lstat(path).ino, here.lstat(path).nlink) == (ino, 2)
        fd = here.door.open(here.at(b"d/b"), os.O_RDWR)
        here.door.write(fd, 0, b"two")
        here.door.close(fd)
        here.chmod(b"d/b", 0o600)
        assert here.body(b"a") == b"two"
        assert stat.S_IMODE(here.lstat(b"a").mode) == 0o600
        fails(errno.EEXIST, here.link, b"a", b"d/b")
        fails(errno.EPERM, here.link, b"d", b"e")
        fails(errno.ENOENT, here.link, b"missing", b"e")
        here.unlink(b"a")
        assert (here.lstat(b"d/b").nlink, here.body(b"d/b")) == (1, b"two")
        here.symlink(b"nowhere", b"s")
        here.link(b"s", b"t")
        assert (here.readlink(b"t"), here.lstat(b"s").nlink) == (b"nowhere", 2)

    def test_links_between_two_names_of_one_file_are_renamed_to_nothing(self, here: Here) -> None:
        here.put(b"a", b"one")
        if self._is_refused("hard links", here.link, b"a", b"b"):
            return
        here.link(b"a", b"b")
        here.rename(b"a", b"b")
        assert sorted(here.listdir(b"")) == [b"a", b"b"]

    def test_symbolic_links_keep_their_text(self, here: Here) -> None:
        targets = [b"a", b"/etc/passwd", b"../../..", b"x/./y//z", b"\xff\x80", b" ", b"t" * 255, b"l/" * 2000]
        for number, target in enumerate(targets):
            name = b"l%d" % number
            here.symlink(target, name)
            assert here.readlink(name) == target
            found = here.lstat(name)
            assert (found.size, stat.S_IFMT(found.mode), found.nlink) == (len(target), stat.S_IFLNK, 1)
            assert (found.uid, found.gid) == OWNER
        fails(errno.EEXIST, here.symlink, b"other", b"l0")
        here.put(b"file")
        fails(errno.EINVAL, here.readlink, b"file")
        fails(errno.EINVAL, here.readlink, b"")
        here.utime(b"l0", 5_678, 7_890)
        assert (here.lstat(b"l0").atime_ns, here.lstat(b"l0").mtime_ns) == self._kept(5_678, 7_890)
        here.unlink(b"l0")
        fails(errno.ENOENT, here.readlink, b"l0")

    # --- kinds, modes, owners, times ---------------------------------------------------------------------------------

    def test_special_files(self, here: Here) -> None:
        kinds = {b"pipe": (stat.S_IFIFO, 0), b"socket": (stat.S_IFSOCK, 0), b"file": (stat.S_IFREG, 0)}
        if os.getuid() == 0:
            kinds |= {b"char": (stat.S_IFCHR, os.makedev(1, 3)), b"block": (stat.S_IFBLK, os.makedev(259, 70_000))}
        for name, (kind, device) in list(kinds.items()):
            if kind != stat.S_IFREG and self._is_refused("special files", here.mknod, name, kind | 0o640, device):
                del kinds[name]
                continue
            here.mknod(name, kind | 0o640, device)
            found = here.lstat(name)
            assert (stat.S_IFMT(found.mode), stat.S_IMODE(found.mode), found.rdev) == (kind, 0o640, device), name
            assert (found.size, found.nlink) == (0, 1)
            fails(errno.EEXIST, here.mknod, name, kind | 0o640, device)
        assert sorted(here.listdir(b"")) == sorted(kinds)
        if b"pipe" in kinds:
            here.rename(b"pipe", b"renamed")
            here.link(b"renamed", b"linked")
            assert stat.S_ISFIFO(here.lstat(b"linked").mode)
        for name in here.listdir(b""):
            here.unlink(name)

    def test_modes(self, here: Here) -> None:
        here.put(b"a", b"", 0o600)
        assert stat.S_IMODE(here.lstat(b"a").mode) == 0o600
        for mode in (0o000, 0o777, 0o4755, 0o1644, 0o400):
            here.chmod(b"a", mode)
            assert here.lstat(b"a").mode == stat.S_IFREG | mode
        here.mkdir(b"d", 0o700)
        assert here.lstat(b"d").mode == stat.S_IFDIR | 0o700
        here.chmod(b"d", 0o1777)
        assert here.lstat(b"d").mode == stat.S_IFDIR | 0o1777

    @pytest.mark.skipif(os.getuid() != 0, reason="only root gives files away")
    def test_owners(self, here: Here) -> None:
        here.put(b"a")
        if self._is_refused("owners", here.chown, b"a", 1234, 4321):
            here.chown(b"a", *OWNER)
            return
        here.chown(b"a", 1234, 4321)
        assert (here.lstat(b"a").uid, here.lstat(b"a").gid) == (1234, 4321)
        here.chown(b"a", 4_000_000_000, 1)
        assert here.lstat(b"a").uid == 4_000_000_000
        here.symlink(b"a", b"l")
        here.chown(b"l", 7, 8)
        assert (here.lstat(b"l").uid, here.lstat(b"a").gid) == (7, 1)
        here.mkdir(b"d")
        here.chown(b"d", 0, 55)
        here.chmod(b"d", 0o2775)
        here.put(b"d/file")
        here.mkdir(b"d/inner")
        here.symlink(b"x", b"d/link")
        assert [here.lstat(b"d/" + name).gid for name in (b"file", b"inner", b"link")] == [55, 55, 55]
        assert here.lstat(b"d/inner").mode & stat.S_ISGID

    def test_times_have_nanoseconds(self, here: Here) -> None:
        here.put(b"a")
        here.mkdir(b"d")
        for moment in (0, 1, 999_999_999, 1_234_567_890_123_456_789, -1, -1_000_000_001, 4_102_444_800_000_000_007):
            for path in (b"a", b"d"):
                here.utime(path, moment, moment + 1)
                assert (here.lstat(path).atime_ns, here.lstat(path).mtime_ns) == self._kept(moment, moment + 1)

    def test_what_changes_which_time(self, here: Here) -> None:
        here.put(b"a", b"x")
        here.mkdir(b"d")

        def changes(work: Callable[..., Any], *arguments: Any) -> dict[bytes, str]:
            """Which of a, d and the directory have another mtime (m) and ctime (c) afterwards."""
            for path in (b"a", b"d", b""):
                here.utime(path, 10, 10)
            before = {path: here.lstat(path) for path in (b"a", b"d", b"")}
            time.sleep(0.002)
            work(*arguments)
            after = {path: here.lstat(path) for path in before}
            return {
                path: "m" * (after[path].mtime_ns != old.mtime_ns) + "c" * (after[path].ctime_ns != old.ctime_ns)
                for path, old in before.items()
            }

        def write() -> None:
            fd = here.door.open(here.at(b"a"), os.O_RDWR)
            here.door.write(fd, 0, b"y")
            here.door.close(fd)

        assert changes(write) == {b"a": "mc", b"d": "", b"": ""}
        assert changes(here.truncate, b"a", 7) == {b"a": "mc", b"d": "", b"": ""}
        assert changes(here.chmod, b"a", 0o600) == {b"a": "c", b"d": "", b"": ""}
        if "hard links" not in self.refuses:
            assert changes(here.link, b"a", b"d/b") == {b"a": "c", b"d": "mc", b"": ""}
            assert changes(here.unlink, b"d/b") == {b"a": "c", b"d": "mc", b"": ""}
        assert changes(here.put, b"d/c") == {b"a": "", b"d": "mc", b"": ""}
        assert changes(here.rename, b"d/c", b"d/e") == {b"a": "", b"d": "mc", b"": ""}
        assert changes(here.symlink, b"x", b"l") == {b"a": "", b"d": "", b"": "mc"}
        assert changes(here.mkdir, b"e") == {b"a": "", b"d": "", b"": "mc"}
        assert changes(here.rmdir, b"e") == {b"a": "", b"d": "", b"": "mc"}
        assert changes(here.setxattr, b"a", b"user.x", b"1") == {b"a": "c", b"d": "", b"": ""}

    def test_link_counts_of_directories(self, here: Here) -> None:
        if not self.counts_directories:
            here.mkdir(b"a")
            assert here.lstat(b"").nlink == here.lstat(b"a").nlink == 1
            return
        assert here.lstat(b"").nlink == 2
        for name in (b"a", b"b", b"a/c", b"a/d"):
            here.mkdir(name)
        here.put(b"file")
        assert [here.lstat(path).nlink for path in (b"", b"a", b"b", b"a/c")] == [4, 4, 2, 2]
        here.rename(b"a/c", b"b/c")
        assert [here.lstat(path).nlink for path in (b"", b"a", b"b")] == [4, 3, 3]
        here.rmdir(b"a/d")
        here.rmdir(b"b/c")
        assert [here.lstat(path).nlink for path in (b"", b"a", b"b")] == [4, 2, 2]
        here.rename(b"a", b"b")
        assert here.lstat(b"").nlink == 3

    # --- names ------------------------------------------------------------------------------------------------------

    def test_names_of_any_bytes(self, here: Here) -> None:
        for name in self.taken:
            fails(errno.EEXIST, here.mkdir, name)
        odd = [name for name in ODD_NAMES if name not in self.taken]
        for name in odd:
            here.put(name, name)
        assert sorted(here.listdir(b"")) == sorted(odd)
        for name in odd:
            assert here.body(name) == name
            here.unlink(name)
        assert here.listdir(b"") == []
        long = b"n" * 256
        for call in (here.lstat, here.put, here.mkdir, here.unlink, here.rmdir):
            fails(errno.ENAMETOOLONG, call, long)
        here.put(b"a")
        fails(errno.ENAMETOOLONG, here.rename, b"a", long)
        fails(errno.ENAMETOOLONG, here.link, b"a", long)
        fails(errno.ENAMETOOLONG, here.symlink, b"a", long)

    def test_what_is_missing_or_in_the_way(self, here: Here) -> None:
        here.put(b"file")
        here.mkdir(b"d")
        here.put(b"d/x")
        for call in (here.lstat, here.unlink, here.rmdir, here.readlink, here.body, here.listdir):
            fails(errno.ENOENT, call, b"missing")
            fails(errno.ENOENT, call, b"missing/further")
            fails(errno.ENOTDIR, call, b"file/further")
        for call in (here.put, here.mkdir):
            fails(errno.ENOENT, call, b"missing/further")
            fails(errno.ENOTDIR, call, b"file/further")
        fails(errno.EEXIST, here.mkdir, b"file")
        fails(errno.EEXIST, here.mkdir, b"d")
        fails(errno.ENOTDIR, here.rmdir, b"file")
        fails(errno.ENOTEMPTY, here.rmdir, b"d")
        fails(errno.EISDIR, here.unlink, b"d")
        fails(errno.ENOTDIR, here.listdir, b"file")
        fails(errno.EEXIST, here.door.open, here.at(b"file"), os.O_CREAT | os.O_EXCL | os.O_RDWR)

    def test_renames(self, here: Here) -> None:
        here.put(b"a", b"a")
        here.mkdir(b"d")
        here.mkdir(b"e")
        here.rename(b"a", b"d/b")
        assert (here.listdir(b"d"), here.body(b"d/b")) == ([b"b"], b"a")
        fails(errno.ENOENT, here.rename, b"a", b"x")
        fails(errno.ENOTEMPTY, here.rename, b"e", b"d")
        fails(errno.EISDIR, here.rename, b"d/b", b"e")
        fails(errno.ENOTEMPTY, here.rename, b"d/b", b"d")
        here.put(b"f")
        fails(errno.ENOTDIR, here.rename, b"e", b"f")
        fails(errno.ENOENT, here.rename, b"f", b"missing/f")
        fails(errno.ENOTDIR, here.rename, b"f", b"d/b/f")
        here.rename(b"d", b"e")
        assert sorted(here.listdir(b"")) == [b"e", b"f"]
        here.mkdir(b"e/inner")
        fails(errno.EINVAL, here.rename, b"e", b"e/x")
        fails(errno.EINVAL, here.rename, b"e", b"e/inner/x")
        here.rename(b"f", b"f")
        here.rename(b"e/b", b"f")
        assert (here.body(b"f"), here.listdir(b"e")) == (b"a", [b"inner"])
        here.rename(b"e/inner", b"e/other")
        here.put(b"e/other/deep")
        here.rename(b"e", b"g")
        assert here.listdir(b"g/other") == [b"deep"]

    def test_rename_flags(self, here: Here) -> None:
        here.put(b"a", b"a")
        here.put(b"b", b"b")
        here.mkdir(b"d")
        here.put(b"d/x", b"x")
        fails(errno.EEXIST, here.rename, b"a", b"b", RENAME_NOREPLACE)
        here.rename(b"a", b"c", RENAME_NOREPLACE)
        if self._is_refused("exchange", here.rename, b"c", b"b", RENAME_EXCHANGE):
            assert (here.body(b"c"), here.body(b"b")) == (b"a", b"b")
            return
        here.rename(b"c", b"b", RENAME_EXCHANGE)
        assert (here.body(b"c"), here.body(b"b")) == (b"b", b"a")
        fails(errno.ENOENT, here.rename, b"c", b"missing", RENAME_EXCHANGE)
        here.mkdir(b"e")
        here.rename(b"c", b"d", RENAME_EXCHANGE)
        assert (here.body(b"d"), here.body(b"c/x")) == (b"b", b"x")
        here.rename(b"d", b"e/d")
        here.rename(b"e/d", b"c", RENAME_EXCHANGE)
        assert (here.body(b"c"), here.body(b"e/d/x")) == (b"b", b"x")
        assert [here.lstat(path).nlink for path in (b"", b"e")] == [3, 3]
        fails(errno.EINVAL, here.rename, b"e", b"e/d", RENAME_EXCHANGE)
        fails(errno.EINVAL, here.rename, b"c", b"b", RENAME_EXCHANGE | RENAME_NOREPLACE)

    def test_listings_are_whole(self, here: Here) -> None:
        names = {b"%d-" % number + b"n" * (number % 200) for number in range(self.listed)}
        for name in names:
            here.mknod(name, stat.S_IFREG | 0o644)
        listed = here.listdir(b"")
        assert len(listed) == len(names)
        assert set(listed) == names
        for name in listed[::2]:
            here.unlink(name)
        assert set(here.listdir(b"")) == set(listed[1::2])

    # --- extended attributes ----------------------------------------------------------------------------------------

    def test_extended_attributes(self, here: Here) -> None:
        here.put(b"a")
        here.mkdir(b"d")
        for path in (b"a", b"d"):
            assert here.listxattr(path) == []
            here.setxattr(path, b"user.one", b"1")
            here.setxattr(path, "user.é".encode(), b"\0\xff" * 1000)
            here.setxattr(path, b"user.empty", b"")
            assert here.getxattr(path, b"user.one") == b"1"
            assert here.getxattr(path, "user.é".encode()) == b"\0\xff" * 1000
            assert here.getxattr(path, b"user.empty") == b""
            assert sorted(here.listxattr(path)) == sorted([b"user.one", "user.é".encode(), b"user.empty"])
            fails(errno.EEXIST, here.setxattr, path, b"user.one", b"2", XATTR_CREATE)
            fails(errno.ENODATA, here.setxattr, path, b"user.two", b"2", XATTR_REPLACE)
            here.setxattr(path, b"user.one", b"2", XATTR_REPLACE)
            here.setxattr(path, b"user.three", b"3", XATTR_CREATE)
            assert here.getxattr(path, b"user.one") == b"2"
            here.removexattr(path, b"user.one")
            fails(errno.ENODATA, here.getxattr, path, b"user.one")
            fails(errno.ENODATA, here.removexattr, path, b"user.one")
        here.rename(b"a", b"b")
        assert here.getxattr(b"b", b"user.three") == b"3"
