"""File systems in the root directory of another one: the workspace in the tree, each session in the directory of all.

Used by ``mountd`` and by sessions, through ``kgfs.filesystem.FileSystem``. Each inode gets a small number of its own,
which stays the same while its file system is there. Nothing is linked or renamed from one into another (``EXDEV``), and
the root of a grafted one can neither be removed nor renamed (``EBUSY``).
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import NoReturn

import msgspec

from kgfs.agentfs.filesystem.stored import failure
from kgfs.errors import KgfsError
from kgfs.filesystem import NAME_MAX, NAME_TOO_LONG, ROOT, Entry, FileSystem, Space, Stat

Place = tuple[FileSystem, int]


class Grafted:
    """A ``kgfs.filesystem.FileSystem``: ``base`` with others in its root, under the names that ``grafts`` has now.

    The mapping may open a file system when it is asked for one; what it raises is what the look-up fails with.
    """

    def __init__(self, base: FileSystem, grafts: Callable[[], Mapping[bytes, FileSystem]]) -> None:
        self._base = base
        self._grafts = grafts
        self._lock = threading.Lock()
        self._places: dict[int, Place] = {ROOT: (base, ROOT)}
        self._numbers: dict[FileSystem, dict[int, int]] = {base: {ROOT: ROOT}}
        self._roots: dict[bytes, int] = {}
        """The numbers of grafted roots, which are known before the file system is opened."""
        self._names: dict[int, bytes] = {}
        self._bound: dict[bytes, FileSystem] = {}
        """The file systems that were asked for."""
        self._next = ROOT + 1

    # Names

    def at_once(self, *inodes: int) -> AbstractContextManager[object] | None:
        """What the file system says that all of them are of; a root may have to be opened first."""
        with self._lock:
            places = [self._places.get(ino) for ino in inodes if ino not in self._names and ino != ROOT]
        found = [place for place in places if place is not None]
        files = {place[0] for place in found}
        if len(found) < len(inodes) or len(files) != 1:
            return None
        return files.pop().at_once(*(number for _, number in found))

    def lookup(self, parent: int, name: bytes) -> Stat:
        """The entry of a directory."""
        if parent == ROOT and name in self._current():
            number = self._root_number(name)
            files, ino = self._graft(name)
            return _numbered(files.getattr(ino), number)
        files, ino = self._place(parent)
        return self._shown(files, files.lookup(ino, name))

    def settled(self, ino: int) -> bool:
        """What the file system says; of the root, what the base says. So code that grafts others must itself tell those
        that keep answers."""
        try:
            files, number = self._place(ino)
        except OSError:
            return False
        return files.settled(number)

    def list(self, ino: int) -> Sequence[Entry]:
        """All entries; those of the root with the grafted ones, which need not be opened for it."""
        files, beneath = self._place(ino)
        entries = files.list(beneath)
        grafts = self._current() if ino == ROOT else {}
        with self._lock:
            found = [
                Entry(name, self._number(files, child), mode) for name, child, mode in entries if name not in grafts
            ]
        found += [Entry(name, self._root_number(name), stat.S_IFDIR | 0o755) for name in grafts]
        return found

    def make(self, parent: int, name: bytes, mode: int, rdev: int, uid: int, gid: int) -> Stat:
        """A new file, directory, FIFO, socket or device."""
        files, ino = self._to_enter(parent, name)
        return self._shown(files, files.make(ino, name, mode, rdev, uid, gid))

    def symlink(self, parent: int, name: bytes, target: bytes, uid: int, gid: int) -> Stat:
        """A new symbolic link."""
        files, ino = self._to_enter(parent, name)
        return self._shown(files, files.symlink(ino, name, target, uid, gid))

    def link(self, ino: int, new_parent: int, new_name: bytes) -> Stat:
        """One more name of an inode."""
        files, number = self._place(ino)
        target, directory = self._to_enter(new_parent, new_name)
        if target is not files:
            raise OSError(errno.EXDEV, "A link cannot lead into another file system.")
        return self._shown(files, files.link(number, directory, new_name))

    def rename(self, old_parent: int, old_name: bytes, new_parent: int, new_name: bytes, flags: int) -> None:
        """Rename as ``renameat2`` does."""
        self._refuse_graft(old_parent, old_name)
        self._refuse_graft(new_parent, new_name)
        files, source = self._place(old_parent)
        target, directory = self._place(new_parent)
        if target is not files:
            files.lookup(source, old_name)
            raise OSError(errno.EXDEV, "Nothing is renamed into another file system; copy it.")
        files.rename(source, old_name, directory, new_name, flags)

    def unlink(self, parent: int, name: bytes) -> None:
        """Remove a name of what is no directory."""
        if parent == ROOT and name in self._current():
            raise OSError(errno.EISDIR, "It is a directory.")
        files, ino = self._place(parent)
        files.unlink(ino, name)

    def rmdir(self, parent: int, name: bytes) -> None:
        """Remove an empty directory."""
        self._refuse_graft(parent, name)
        files, ino = self._place(parent)
        files.rmdir(ino, name)

    def tmpfile(self, mode: int, uid: int, gid: int) -> Stat:
        """A new file without a name, in the base: only there it can get one."""
        return self._shown(self._base, self._base.tmpfile(mode, uid, gid))

    # What is passed on

    def getattr(self, ino: int) -> Stat:
        """The attributes of an inode."""
        files, number = self._place(ino)
        found = _numbered(files.getattr(number), ino)
        if ino == ROOT and found.nlink > 1:
            found = msgspec.structs.replace(found, nlink=found.nlink + len(self._current()))
        return found

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
        """Change what is given."""
        files, number = self._place(ino)
        return self._shown(
            files,
            files.setattr(number, mode=mode, uid=uid, gid=gid, size=size, atime_ns=atime_ns, mtime_ns=mtime_ns),
        )

    def readlink(self, ino: int) -> bytes:
        """The target of a symbolic link."""
        files, number = self._place(ino)
        return files.readlink(number)

    def hold(self, ino: int) -> None:
        """Keep an inode while it is open."""
        files, number = self._place(ino)
        files.hold(number)

    def release(self, ino: int) -> None:
        """Let go of what ``hold`` kept; nothing where its file system is gone."""
        with self._lock:
            place = self._places.get(ino)
        if place is not None:
            place[0].release(place[1])

    def read(self, ino: int, offset: int, size: int) -> bytes:
        """At most ``size`` bytes from ``offset`` on."""
        files, number = self._place(ino)
        return files.read(number, offset, size)

    def write(self, ino: int, offset: int, data: bytes) -> int:
        """Write all of ``data``."""
        files, number = self._place(ino)
        return files.write(number, offset, data)

    def allocate(self, ino: int, mode: int, offset: int, length: int) -> None:
        """As ``fallocate``."""
        files, number = self._place(ino)
        files.allocate(number, mode, offset, length)

    def seek_data(self, ino: int, offset: int) -> int:
        """The first offset from ``offset`` on at which there is data."""
        files, number = self._place(ino)
        return files.seek_data(number, offset)

    def seek_hole(self, ino: int, offset: int) -> int:
        """The first offset from ``offset`` on in a hole."""
        files, number = self._place(ino)
        return files.seek_hole(number, offset)

    def sync(self, ino: int | None = None) -> None:
        """Return when an inode, or all of every file system that was asked for, is durable."""
        if ino is not None:
            files, number = self._place(ino)
            files.sync(number)
            return
        self._current()
        with self._lock:
            every = [self._base, *self._bound.values()]
        for files in every:
            files.sync()

    def getxattr(self, ino: int, name: bytes) -> bytes:
        """An extended attribute."""
        files, number = self._place(ino)
        return files.getxattr(number, name)

    def setxattr(self, ino: int, name: bytes, value: bytes, flags: int = 0) -> None:
        """Set an extended attribute."""
        files, number = self._place(ino)
        files.setxattr(number, name, value, flags)

    def listxattr(self, ino: int) -> Sequence[bytes]:
        """The names of the attributes."""
        files, number = self._place(ino)
        return files.listxattr(number)

    def removexattr(self, ino: int, name: bytes) -> None:
        """Remove an extended attribute."""
        files, number = self._place(ino)
        files.removexattr(number, name)

    def statfs(self) -> Space:
        """The room that the base has."""
        return self._base.statfs()

    # What the methods above are made of

    def _current(self) -> Mapping[bytes, FileSystem]:
        """The grafts there are now; those that went are forgotten, with all of their inodes."""
        grafts = self._grafts()
        with self._lock:
            for name in [name for name in self._roots if name not in grafts]:
                self._names.pop(self._roots.pop(name))
                self._unbind(name)
        return grafts

    def _graft(self, name: bytes) -> Place:
        try:
            files = self._grafts()[name]
        except KeyError:
            raise OSError(errno.ENOENT, "It is not there any more.") from None
        except KgfsError as error:
            raise failure(error) from error
        with self._lock:
            if self._bound.get(name) is not files:
                self._unbind(name)
                number = self._roots.get(name)
                if number is not None:
                    self._bound[name] = files
                    self._places[number] = (files, ROOT)
                    self._numbers.setdefault(files, {})[ROOT] = number
        return files, ROOT

    def _unbind(self, name: bytes) -> None:
        """Forget what was grafted under a name. The lock is held."""
        files = self._bound.pop(name, None)
        if files is not None and files not in self._bound.values():
            for number in self._numbers.pop(files, {}).values():
                self._places.pop(number, None)

    def _root_number(self, name: bytes) -> int:
        with self._lock:
            number = self._roots.get(name)
            if number is None:
                number = self._roots[name] = self._next
                self._names[number] = name
                self._next += 1
            return number

    def _place(self, ino: int) -> Place:
        """The file system and its own number of an inode. ``ENOENT``."""
        with self._lock:
            name = self._names.get(ino)
            place = self._places.get(ino)
        if name is not None:
            return self._graft(name)
        if place is None:
            raise OSError(errno.ENOENT, "There is no such inode.")
        return place

    def _number(self, files: FileSystem, ino: int) -> int:
        """The number of an inode of a file system. The lock is held."""
        numbers = self._numbers.get(files)
        if numbers is None:
            raise OSError(errno.ENOENT, "Its file system is not there any more.")
        number = numbers.get(ino)
        if number is None:
            number = numbers[ino] = self._next
            self._places[number] = (files, ino)
            self._next += 1
        return number

    def _shown(self, files: FileSystem, found: Stat) -> Stat:
        with self._lock:
            number = self._number(files, found.ino)
        return _numbered(found, number)

    def _to_enter(self, parent: int, name: bytes) -> Place:
        if parent == ROOT and name in self._current():
            raise OSError(errno.EEXIST, "The name exists already.")
        return self._place(parent)

    def _refuse_graft(self, parent: int, name: bytes) -> None:
        if parent == ROOT and name in self._current():
            raise OSError(errno.EBUSY, "It is the root of a file system.")


def _numbered(found: Stat, number: int) -> Stat:
    return Stat(
        number, found.mode, found.nlink, found.uid, found.gid, found.rdev, found.size, found.blocks,
        found.atime_ns, found.mtime_ns, found.ctime_ns, found.lasting,
    )  # fmt: skip


class EmptyDirectory:
    """A ``kgfs.filesystem.FileSystem`` of one directory that stays empty: what others are grafted into."""

    def __init__(self, space: Callable[[], Space], mode: int = 0o555) -> None:
        """``space`` says how much room there is where the grafted file systems are."""
        self._space = space
        now = time.time_ns()
        self._root = Stat(ROOT, stat.S_IFDIR | mode, 2, os.getuid(), os.getgid(), 0, 0, 0, now, now, now, True)

    def at_once(self, *inodes: int) -> AbstractContextManager[object]:
        """It never waits."""
        return contextlib.nullcontext()

    def lookup(self, parent: int, name: bytes) -> Stat:
        """``ENOENT``."""
        self._require(parent)
        if len(name) > NAME_MAX:
            raise OSError(errno.ENAMETOOLONG, NAME_TOO_LONG)
        raise OSError(errno.ENOENT, "There is no such entry.")

    def getattr(self, ino: int) -> Stat:
        """The attributes of the directory."""
        self._require(ino)
        return self._root

    def settled(self, ino: int) -> bool:
        """It stays empty."""
        return True

    def list(self, ino: int) -> Sequence[Entry]:
        """Nothing."""
        self._require(ino)
        return ()

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
        """``EROFS``."""
        self._refuse(ino)

    def make(self, parent: int, name: bytes, mode: int, rdev: int, uid: int, gid: int) -> Stat:
        """``EROFS``."""
        self._refuse(parent)

    def symlink(self, parent: int, name: bytes, target: bytes, uid: int, gid: int) -> Stat:
        """``EROFS``."""
        self._refuse(parent)

    def link(self, ino: int, new_parent: int, new_name: bytes) -> Stat:
        """``EROFS``."""
        self._refuse(new_parent)

    def rename(self, old_parent: int, old_name: bytes, new_parent: int, new_name: bytes, flags: int) -> None:
        """``ENOENT``."""
        self.lookup(old_parent, old_name)

    def unlink(self, parent: int, name: bytes) -> None:
        """``ENOENT``."""
        self.lookup(parent, name)

    def rmdir(self, parent: int, name: bytes) -> None:
        """``ENOENT``."""
        self.lookup(parent, name)

    def tmpfile(self, mode: int, uid: int, gid: int) -> Stat:
        """``EOPNOTSUPP``: programs make a file with a name then."""
        raise OSError(errno.EOPNOTSUPP, "Files without a name cannot be made here.")

    def hold(self, ino: int) -> None:
        """The directory is always there."""
        self._require(ino)

    def release(self, ino: int) -> None:
        """Nothing is to be done."""

    def readlink(self, ino: int) -> bytes:
        """``EINVAL``."""
        self._require(ino)
        raise OSError(errno.EINVAL, "It is no symbolic link.")

    def read(self, ino: int, offset: int, size: int) -> bytes:
        """``EISDIR``."""
        self._no_file(ino)

    def write(self, ino: int, offset: int, data: bytes) -> int:
        """``EISDIR``."""
        self._no_file(ino)

    def allocate(self, ino: int, mode: int, offset: int, length: int) -> None:
        """``EISDIR``."""
        self._no_file(ino)

    def seek_data(self, ino: int, offset: int) -> int:
        """``EISDIR``."""
        self._no_file(ino)

    def seek_hole(self, ino: int, offset: int) -> int:
        """``EISDIR``."""
        self._no_file(ino)

    def sync(self, ino: int | None = None) -> None:
        """Nothing changes."""

    def getxattr(self, ino: int, name: bytes) -> bytes:
        """``ENODATA``."""
        self._require(ino)
        raise OSError(errno.ENODATA, "There is no such attribute.")

    def setxattr(self, ino: int, name: bytes, value: bytes, flags: int = 0) -> None:
        """``EROFS``."""
        self._refuse(ino)

    def listxattr(self, ino: int) -> Sequence[bytes]:
        """None."""
        self._require(ino)
        return ()

    def removexattr(self, ino: int, name: bytes) -> None:
        """``EROFS``."""
        self._refuse(ino)

    def statfs(self) -> Space:
        """The room that there is for what is grafted."""
        return self._space()

    @staticmethod
    def _require(ino: int) -> None:
        if ino != ROOT:
            raise OSError(errno.ENOENT, "There is no such inode.")

    def _refuse(self, ino: int) -> NoReturn:
        self._require(ino)
        raise OSError(errno.EROFS, "Nothing can be changed here; work in one of the directories.")

    def _no_file(self, ino: int) -> NoReturn:
        self._require(ino)
        raise OSError(errno.EISDIR, "It is a directory.")
