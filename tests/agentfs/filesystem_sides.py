"""A file system of ``kgfs.filesystem`` and a directory of the host behind the same functions, to compare them.

A *side* takes paths as tuples of names from its root. Neither follows links: a link is an end of a path. What fails
raises ``OSError``.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from kgfs.filesystem import RENAME_EXCHANGE, FileSystem, Stat

Names = tuple[bytes, ...]
_libc = ctypes.CDLL(None, use_errno=True)


class Seen(NamedTuple):
    """What is compared of an inode."""

    mode: int
    nlink: int
    uid: int
    gid: int
    rdev: int
    size: int
    """Of a file or a link; 0 of anything else."""
    content: bytes
    xattrs: tuple[tuple[bytes, bytes], ...]
    same: Names
    """The first path of this inode."""


class Times(NamedTuple):
    ino: int
    mtime_ns: int
    ctime_ns: int


class Library:
    """A file system, called as ``mountd`` calls it."""

    def __init__(self, files: FileSystem) -> None:
        self.files = files
        self.open: dict[int, int] = {}

    def find_stat(self, path: Names) -> Stat:
        found = self.files.getattr(1)
        for name in path:
            found = self.files.lookup(found.ino, name)
        return found

    def parent(self, path: Names) -> tuple[int, bytes]:
        found = self.find_stat(path[:-1])
        if not stat.S_ISDIR(found.mode):
            raise OSError(errno.ENOTDIR, "as the kernel")
        return found.ino, path[-1]

    def make(self, path: Names, mode: int, rdev: int) -> None:
        self.files.make(*self.parent(path), mode, rdev, 0, 0)

    def symlink(self, path: Names, target: bytes) -> None:
        self.files.symlink(*self.parent(path), target, 0, 0)

    def link(self, path: Names, new: Names) -> None:
        ino = self.find_stat(path).ino
        self.files.link(ino, *self.parent(new))

    def unlink(self, path: Names) -> None:
        self.files.unlink(*self.parent(path))

    def rmdir(self, path: Names) -> None:
        self.files.rmdir(*self.parent(path))

    def rename(self, old: Names, new: Names, flags: int) -> None:
        source = self.parent(old)
        self.files.rename(*source, *self.parent(new), flags)

    def write(self, path: Names, offset: int, data: bytes) -> None:
        self.files.write(self._file(path), offset, data)

    def truncate(self, path: Names, size: int) -> None:
        self.files.setattr(self._file(path), size=size)

    def allocate(self, path: Names, mode: int, offset: int, length: int) -> None:
        self.files.allocate(self._file(path), mode, offset, length)

    def chmod(self, path: Names, mode: int) -> None:
        found = self.find_stat(path)
        if stat.S_ISLNK(found.mode):
            raise OSError(errno.EOPNOTSUPP, "as the kernel")
        self.files.setattr(found.ino, mode=mode)

    def chown(self, path: Names, uid: int, gid: int) -> None:
        self.files.setattr(self.find_stat(path).ino, uid=uid, gid=gid)

    def utime(self, path: Names, atime_ns: int, mtime_ns: int) -> None:
        self.files.setattr(self.find_stat(path).ino, atime_ns=atime_ns, mtime_ns=mtime_ns)

    def setxattr(self, path: Names, name: bytes, value: bytes, flags: int) -> None:
        self.files.setxattr(self._file(path), name, value, flags)

    def removexattr(self, path: Names, name: bytes) -> None:
        self.files.removexattr(self._file(path), name)

    def hold(self, key: int, path: Names) -> None:
        ino = self._file(path)
        self.files.hold(ino)
        self.open[key] = ino

    def write_held(self, key: int, data: bytes) -> bytes:
        ino = self.open[key]
        self.files.write(ino, 1, data)
        return self.files.read(ino, 0, 1 << 20)

    def release(self, key: int) -> None:
        self.files.release(self.open.pop(key))

    def _file(self, path: Names) -> int:
        found = self.find_stat(path)
        if not stat.S_ISREG(found.mode):
            raise OSError(errno.EBADF, "only files here")
        return found.ino

    def tree(self) -> dict[Names, tuple[Seen, Times]]:
        tree: dict[Names, tuple[Seen, Times]] = {}
        first: dict[int, Names] = {}

        def walk(path: Names, found: Stat) -> None:
            same = first.setdefault(found.ino, path)
            content = b""
            if stat.S_ISREG(found.mode):
                content = self.files.read(found.ino, 0, 1 << 24)
                assert len(content) == found.size
            elif stat.S_ISLNK(found.mode):
                content = self.files.readlink(found.ino)
                assert len(content) == found.size
            xattrs = tuple((name, self.files.getxattr(found.ino, name)) for name in self.files.listxattr(found.ino))
            tree[path] = (
                Seen(
                    found.mode, found.nlink, found.uid, found.gid, found.rdev,
                    0 if stat.S_ISDIR(found.mode) else found.size, content, xattrs, same,
                ),
                Times(found.ino, found.mtime_ns, found.ctime_ns),
            )  # fmt: skip
            if stat.S_ISDIR(found.mode):
                for name, ino, mode in self.files.list(found.ino):
                    child = self.files.lookup(found.ino, name)
                    assert (child.ino, child.mode) == (ino, mode)
                    walk((*path, name), child)

        walk((), self.files.getattr(1))
        return tree


def _checked(result: int) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


class Host:
    """A directory of the host's kernel."""

    def __init__(self, root: Path) -> None:
        self.root = os.fsencode(root)
        self.open: dict[int, int] = {}

    def at(self, path: Names) -> bytes:
        for end in range(1, len(path)):
            if not stat.S_ISDIR(os.lstat(b"/".join([self.root, *path[:end]])).st_mode):
                raise OSError(errno.ENOTDIR, "links are not followed")
        return b"/".join([self.root, *path])

    def make(self, path: Names, mode: int, rdev: int) -> None:
        if stat.S_ISDIR(mode):
            os.mkdir(self.at(path), mode & 0o7777)
            os.chmod(self.at(path), os.lstat(self.at(path)).st_mode & 0o2000 | mode & 0o7777)
        else:
            os.mknod(self.at(path), mode, rdev)

    def symlink(self, path: Names, target: bytes) -> None:
        os.symlink(target, self.at(path))

    def link(self, path: Names, new: Names) -> None:
        os.lstat(self.at(path))
        os.link(self.at(path), self.at(new), follow_symlinks=False)

    def unlink(self, path: Names) -> None:
        os.unlink(self.at(path))

    def rmdir(self, path: Names) -> None:
        os.rmdir(self.at(path))

    def rename(self, old: Names, new: Names, flags: int) -> None:
        _checked(_libc.renameat2(-100, self.at(old), -100, self.at(new), flags))

    @contextlib.contextmanager
    def _opened(self, path: Names):
        if not stat.S_ISREG(os.lstat(self.at(path)).st_mode):
            raise OSError(errno.EBADF, "only files here")
        descriptor = os.open(self.at(path), os.O_RDWR | os.O_NOFOLLOW)
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def write(self, path: Names, offset: int, data: bytes) -> None:
        with self._opened(path) as descriptor:
            os.pwrite(descriptor, data, offset)

    def truncate(self, path: Names, size: int) -> None:
        with self._opened(path) as descriptor:
            os.ftruncate(descriptor, size)

    def allocate(self, path: Names, mode: int, offset: int, length: int) -> None:
        with self._opened(path) as descriptor:
            _checked(_libc.fallocate(descriptor, mode, ctypes.c_long(offset), ctypes.c_long(length)))

    def chmod(self, path: Names, mode: int) -> None:
        if stat.S_ISLNK(os.lstat(self.at(path)).st_mode):
            raise OSError(errno.EOPNOTSUPP, "as the kernel")
        os.chmod(self.at(path), mode)

    def chown(self, path: Names, uid: int, gid: int) -> None:
        os.chown(self.at(path), uid, gid, follow_symlinks=False)

    def utime(self, path: Names, atime_ns: int, mtime_ns: int) -> None:
        os.utime(self.at(path), ns=(atime_ns, mtime_ns), follow_symlinks=False)

    def setxattr(self, path: Names, name: bytes, value: bytes, flags: int) -> None:
        with self._opened(path) as descriptor:
            os.setxattr(descriptor, name, value, flags)

    def removexattr(self, path: Names, name: bytes) -> None:
        with self._opened(path) as descriptor:
            os.removexattr(descriptor, name)

    def hold(self, key: int, path: Names) -> None:
        with self._opened(path) as descriptor:
            self.open[key] = os.dup(descriptor)

    def write_held(self, key: int, data: bytes) -> bytes:
        os.pwrite(self.open[key], data, 1)
        return os.pread(self.open[key], 1 << 20, 0)

    def release(self, key: int) -> None:
        os.close(self.open.pop(key))

    def tree(self) -> dict[Names, tuple[Seen, Times]]:
        tree: dict[Names, tuple[Seen, Times]] = {}
        first: dict[int, Names] = {}

        def walk(path: Names) -> None:
            place = b"/".join([self.root, *path])
            found = os.lstat(place)
            same = first.setdefault(found.st_ino, path)
            content = b""
            xattrs: tuple[tuple[bytes, bytes], ...] = ()
            if stat.S_ISREG(found.st_mode):
                content = Path(os.fsdecode(place)).read_bytes()
            elif stat.S_ISLNK(found.st_mode):
                content = os.readlink(place)
            if stat.S_ISREG(found.st_mode):
                names = sorted(os.fsencode(name) for name in os.listxattr(place))
                xattrs = tuple((name, os.getxattr(place, name)) for name in names)
            tree[path] = (
                Seen(
                    found.st_mode, found.st_nlink, found.st_uid, found.st_gid, found.st_rdev,
                    0 if stat.S_ISDIR(found.st_mode) else found.st_size, content, xattrs, same,
                ),
                Times(found.st_ino, found.st_mtime_ns, found.st_ctime_ns),
            )  # fmt: skip
            if stat.S_ISDIR(found.st_mode):
                for name in sorted(os.listdir(place)):
                    walk((*path, name))

        walk(())
        return tree


Side = Library | Host


def outcome(work: Callable[[], object]) -> object:
    """What a step returned, or the name of its errno."""
    try:
        return work()
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, error.errno)


def changes(before: dict[Names, tuple[Seen, Times]], after: dict[Names, tuple[Seen, Times]]) -> dict[Names, str]:
    """Of each path of the same inode before and after, by the first path after: which of its times changed."""
    times = {seen[1].ino: seen[1] for seen in before.values()}
    found: dict[Names, str] = {}
    for path, (_, now) in after.items():
        then = times.get(now.ino)
        if then is not None:
            words = ("m" if then.mtime_ns != now.mtime_ns else "") + ("c" if then.ctime_ns != now.ctime_ns else "")
            if words:
                found[path] = words
    return found


__all__ = ["RENAME_EXCHANGE", "Host", "Library", "Names", "changes", "outcome"]
