"""A directory of the host as a file system: as much of ``kgfs.filesystem.FileSystem`` as copying needs.

Used by import and export. Nothing is followed: every path is opened by its parent's descriptor, and a link is a link.
An inode is known by device and number, so files with several names are seen as that.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator, Sequence

from kgfs.filesystem import ROOT, XATTR_CREATE, Entry, Stat

_FLAGS = os.O_NOFOLLOW | os.O_CLOEXEC


class HostFiles:
    """One directory of the host. Not for several threads."""

    def __init__(self, root: bytes) -> None:
        """``OSError`` where it is no directory."""
        self._root = root
        found = os.lstat(root)
        if not stat.S_ISDIR(found.st_mode):
            raise NotADirectoryError(errno.ENOTDIR, "It is no directory", os.fsdecode(root))
        self._paths: dict[int, tuple[int, bytes]] = {}
        """Number to the parent's number and the name."""
        self._numbers: dict[tuple[int, int], int] = {(found.st_dev, found.st_ino): ROOT}
        self._open: tuple[int, int] = (0, -1)
        """The directory that was used last, since the next call is likely for it: its number and descriptor."""

    def close(self) -> None:
        if self._open[1] >= 0:
            os.close(self._open[1])
            self._open = (0, -1)

    def getattr(self, ino: int) -> Stat:
        with self._parent(ino) as (parent, name):
            return self._stat(ino, os.stat(name, dir_fd=parent, follow_symlinks=False))

    def list(self, ino: int) -> Sequence[Entry]:
        directory = self._directory(ino)
        entries = []
        for name in sorted(os.fsencode(name) for name in os.listdir(directory)):
            found = os.stat(name, dir_fd=directory, follow_symlinks=False)
            entries.append(Entry(name, self._number(found, ino, name), found.st_mode))
        return entries

    def lookup(self, parent: int, name: bytes) -> Stat:
        found = os.stat(name, dir_fd=self._directory(parent), follow_symlinks=False)
        return self._stat(self._number(found, parent, name), found)

    def readlink(self, ino: int) -> bytes:
        with self._parent(ino) as (parent, name):
            return os.fsencode(os.readlink(name, dir_fd=parent))

    def read(self, ino: int, offset: int, size: int) -> bytes:
        with self._file(ino, os.O_RDONLY) as descriptor:
            return os.pread(descriptor, size, offset)

    def seek_data(self, ino: int, offset: int) -> int:
        with self._file(ino, os.O_RDONLY) as descriptor:
            return os.lseek(descriptor, offset, os.SEEK_DATA)

    def seek_hole(self, ino: int, offset: int) -> int:
        with self._file(ino, os.O_RDONLY) as descriptor:
            return os.lseek(descriptor, offset, os.SEEK_HOLE)

    def listxattr(self, ino: int) -> Sequence[bytes]:
        with self._file(ino, os.O_RDONLY) as descriptor:
            try:
                return [os.fsencode(name) for name in os.listxattr(descriptor)]
            except OSError:
                return []

    def getxattr(self, ino: int, name: bytes) -> bytes:
        with self._file(ino, os.O_RDONLY) as descriptor:
            return os.getxattr(descriptor, name)

    def make(self, parent: int, name: bytes, mode: int, rdev: int, uid: int, gid: int) -> Stat:
        """The owner is the user who runs this; ``setattr`` gives the file to others."""
        directory = self._directory(parent)
        if stat.S_ISDIR(mode):
            os.mkdir(name, 0o700, dir_fd=directory)
        elif stat.S_ISREG(mode):
            os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY | _FLAGS, 0o600, dir_fd=directory))
        else:
            os.mknod(name, stat.S_IFMT(mode) | 0o600, rdev, dir_fd=directory)
        return self.lookup(parent, name)

    def symlink(self, parent: int, name: bytes, target: bytes, uid: int, gid: int) -> Stat:
        os.symlink(target, name, dir_fd=self._directory(parent))
        return self.lookup(parent, name)

    def link(self, ino: int, new_parent: int, new_name: bytes) -> Stat:
        with self._parent(ino) as (parent, name):
            source = os.dup(parent)  # the next directory takes the place of this one
        try:
            target = self._directory(new_parent)
            os.link(name, new_name, src_dir_fd=source, dst_dir_fd=target, follow_symlinks=False)
        finally:
            os.close(source)
        return self.lookup(new_parent, new_name)

    def unlink(self, parent: int, name: bytes) -> None:
        os.unlink(name, dir_fd=self._directory(parent))

    def write(self, ino: int, offset: int, data: bytes) -> int:
        with self._file(ino, os.O_WRONLY) as descriptor:
            done = 0
            while done < len(data):
                done += os.pwrite(descriptor, data[done:], offset + done)
            return done

    def setattr(
        self,
        ino: int,
        *,
        mode: int | None = None,
        uid: int | None = None,
        gid: int | None = None,
        size: int | None = None,
        atime_ns: int | None = None,
        mtime_ns: int | None = None,
    ) -> Stat:
        """What only root may change of an owner stays where this is not root."""
        with self._parent(ino) as (parent, name):
            if size is not None:
                with self._file(ino, os.O_WRONLY) as descriptor:
                    os.ftruncate(descriptor, size)
            if uid is not None and gid is not None:
                with contextlib.suppress(PermissionError):
                    os.chown(name, uid, gid, dir_fd=parent, follow_symlinks=False)
            found = os.stat(name, dir_fd=parent, follow_symlinks=False)
            if mode is not None and not stat.S_ISLNK(found.st_mode):
                os.chmod(name, mode & 0o7777, dir_fd=parent)
            if atime_ns is not None and mtime_ns is not None:
                os.utime(name, ns=(atime_ns, mtime_ns), dir_fd=parent, follow_symlinks=False)
            return self._stat(ino, os.stat(name, dir_fd=parent, follow_symlinks=False))

    def setxattr(self, ino: int, name: bytes, value: bytes, flags: int = 0) -> None:
        with self._file(ino, os.O_RDONLY) as descriptor:
            os.setxattr(descriptor, name, value, flags & XATTR_CREATE)

    def _number(self, found: os.stat_result, parent: int, name: bytes) -> int:
        key = (found.st_dev, found.st_ino)
        number = self._numbers.setdefault(key, len(self._numbers) + 1)
        if number != ROOT:
            self._paths[number] = (parent, name)
        return number

    def _stat(self, ino: int, found: os.stat_result) -> Stat:
        return Stat(
            ino, found.st_mode, found.st_nlink, found.st_uid, found.st_gid, found.st_rdev, found.st_size,
            found.st_blocks, found.st_atime_ns, found.st_mtime_ns, found.st_ctime_ns,
        )  # fmt: skip

    def _directory(self, ino: int) -> int:
        """A descriptor of a directory, until the next one is asked for."""
        if self._open[0] == ino:
            return self._open[1]
        names: list[bytes] = []
        at = ino
        while at != ROOT:
            at, name = self._paths[at]
            names.append(name)
        descriptor = os.open(self._root, os.O_RDONLY | os.O_DIRECTORY | _FLAGS)
        for name in reversed(names):
            try:
                inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | _FLAGS, dir_fd=descriptor)
            finally:
                os.close(descriptor)
            descriptor = inner
        self.close()
        self._open = (ino, descriptor)
        return descriptor

    @contextlib.contextmanager
    def _parent(self, ino: int) -> Iterator[tuple[int, bytes]]:
        if ino == ROOT:
            yield self._directory(ROOT), b"."
        else:
            parent, name = self._paths[ino]
            yield self._directory(parent), name

    @contextlib.contextmanager
    def _file(self, ino: int, flags: int) -> Iterator[int]:
        with self._parent(ino) as (parent, name):
            descriptor = os.open(name, flags | _FLAGS | os.O_NONBLOCK, dir_fd=parent)
        try:
            yield descriptor
        finally:
            os.close(descriptor)
