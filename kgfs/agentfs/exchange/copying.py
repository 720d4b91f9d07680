"""Copying a tree from one file system to another, with everything that makes it what it is.

Used by import and export. Kept are types, permissions, owners, times, targets of links, several names of one file,
holes, extended attributes and special files.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import stat
from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec

from kgfs.agentfs.filesystem.inode_table import is_name
from kgfs.errors import Cancelled, ExistsError
from kgfs.filesystem import Entry, Stat
from kgfs.progress import Cancel

PIECE = 1 << 20
LINK_KEY = "__symlink"
"""Another client stores a link as a file with a JSON object of this one key."""
LINK_FILE_BYTES = 16 << 10
FILLED_BYTES = 256 << 20
"""A larger hole stays one where holes are to be filled."""


class CopySource(Protocol):
    """What is read of a file system; ``kgfs.filesystem`` says what each does."""

    def getattr(self, ino: int) -> Stat: ...
    def list(self, ino: int) -> Sequence[Entry]: ...
    def readlink(self, ino: int) -> bytes: ...
    def read(self, ino: int, offset: int, size: int) -> bytes: ...
    def seek_data(self, ino: int, offset: int) -> int: ...
    def seek_hole(self, ino: int, offset: int) -> int: ...
    def listxattr(self, ino: int) -> Sequence[bytes]: ...
    def getxattr(self, ino: int, name: bytes) -> bytes: ...


class CopyTarget(Protocol):
    """What is called of the other one."""

    def lookup(self, parent: int, name: bytes) -> Stat: ...
    def make(self, parent: int, name: bytes, mode: int, rdev: int, uid: int, gid: int) -> Stat: ...
    def symlink(self, parent: int, name: bytes, target: bytes, uid: int, gid: int) -> Stat: ...
    def link(self, ino: int, new_parent: int, new_name: bytes) -> Stat: ...
    def unlink(self, parent: int, name: bytes) -> None: ...
    def write(self, ino: int, offset: int, data: bytes) -> int: ...
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
    ) -> Stat: ...
    def setxattr(self, ino: int, name: bytes, value: bytes, flags: int = 0) -> None: ...


class Copied(msgspec.Struct):
    """What a copy came to."""

    files: int = 0
    directories: int = 0
    links: int = 0
    """Symbolic ones."""
    names: int = 0
    """Further names of files that were copied."""
    special: int = 0
    bytes: int = 0
    left_out: list[str] = []
    """What could not be copied and why, one sentence each."""


class Copy:
    """One copy of a tree."""

    def __init__(
        self,
        source: CopySource,
        target: CopyTarget,
        *,
        replace: bool = False,
        link_files: bool = False,
        fill: bool = False,
        cancel: Cancel | None = None,
        done: Callable[[], object] = lambda: None,
    ) -> None:
        """``replace``: files that are there are replaced, else ``ExistsError``. ``link_files``: a file that stands for
        a link becomes one. ``fill``: holes become zeros. ``done`` is called at the end."""
        self._source, self._target = source, target
        self._replace, self._link_files, self._fill = replace, link_files, fill
        self._cancel, self._done = cancel, done
        self._linked: dict[int, int] = {}
        self.copied = Copied()

    def contents(self, source: int, target: int) -> Copied:
        """Copy what is in one directory into another; what is in both is merged."""
        stack = [(source, target, b"")]
        finish: list[tuple[int, int]] = []
        while stack:
            from_directory, to_directory, path = stack.pop()
            for entry in self._source.list(from_directory):
                self._stop()
                place = path + b"/" + entry.name
                if not is_name(entry.name):
                    self._leave_out(place, "it has a name that cannot be")
                    continue
                try:
                    made = self.entry(entry, to_directory, place)
                except OSError as error:
                    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS):
                        raise
                    self._leave_out(place, error.strerror or str(error))
                    continue
                if stat.S_ISDIR(entry.mode):
                    stack.append((entry.ino, made, place))
                    finish.append((entry.ino, made))
        for from_directory, to_directory in reversed(finish):
            self.attributes(from_directory, to_directory)
        self._done()
        return self.copied

    def entry(self, entry: Entry, directory: int, place: bytes) -> int:
        """Copy one entry, of a directory nothing but itself; returns its inode in the target."""
        found = self._source.getattr(entry.ino)
        there = self._there(directory, entry.name)
        if stat.S_ISDIR(found.mode):
            if there is not None:
                if not stat.S_ISDIR(there.mode):
                    raise ExistsError(f"{_shown(place)} is there and is no directory; remove it first.")
                return there.ino
            made = self._target.make(directory, entry.name, stat.S_IFDIR | 0o700, 0, found.uid, found.gid)
            self.copied.directories += 1
            return made.ino
        if there is not None:
            if not self._replace or stat.S_ISDIR(there.mode):
                raise ExistsError(f"{_shown(place)} is there already; use --replace, or name another place.")
            self._target.unlink(directory, entry.name)
        if found.nlink > 1 and entry.ino in self._linked:
            self._target.link(self._linked[entry.ino], directory, entry.name)
            self.copied.names += 1
            return self._linked[entry.ino]
        ino = self._inode(entry, found, directory)
        if found.nlink > 1:
            self._linked[entry.ino] = ino
        return ino

    def _inode(self, entry: Entry, found: Stat, directory: int) -> int:
        target = self._source.readlink(entry.ino) if stat.S_ISLNK(found.mode) else self._target_of(entry.ino, found)
        if target is not None:
            made = self._target.symlink(directory, entry.name, target, found.uid, found.gid)
            self._target.setattr(
                made.ino, uid=found.uid, gid=found.gid, atime_ns=found.atime_ns, mtime_ns=found.mtime_ns
            )
            self.copied.links += 1
            return made.ino
        made = self._target.make(
            directory, entry.name, stat.S_IFMT(found.mode) | 0o600, found.rdev, found.uid, found.gid
        )
        if stat.S_ISREG(found.mode):
            self._bytes(entry.ino, made.ino, found.size)
            self.copied.files += 1
        else:
            self.copied.special += 1
        self.attributes(entry.ino, made.ino)
        return made.ino

    def _bytes(self, source: int, target: int, size: int) -> None:
        offset = 0
        while offset < size:
            self._stop()
            try:
                data = self._source.seek_data(source, offset)
                end = self._source.seek_hole(source, data)
            except OSError as error:
                if error.errno != errno.ENXIO:
                    raise
                data = end = size
            if self._fill and data - offset <= FILLED_BYTES:
                data = offset
            offset = data
            while offset < min(end, size):
                piece = self._source.read(source, offset, min(PIECE, end - offset))
                if not piece:
                    return
                self._target.write(target, offset, piece)
                offset += len(piece)
                self.copied.bytes += len(piece)
        self._target.setattr(target, size=size)

    def attributes(self, source: int, target: int) -> None:
        """Give an inode of the target what one of the source has beside its bytes."""
        found = self._source.getattr(source)
        if stat.S_ISREG(found.mode) or stat.S_ISDIR(found.mode):
            for name in self._source.listxattr(source):
                if name.startswith(b"user."):
                    with contextlib.suppress(OSError):
                        self._target.setxattr(target, name, self._source.getxattr(source, name))
        self._target.setattr(
            target, mode=stat.S_IMODE(found.mode), uid=found.uid, gid=found.gid,
            atime_ns=found.atime_ns, mtime_ns=found.mtime_ns,
        )  # fmt: skip

    def _target_of(self, ino: int, found: Stat) -> bytes | None:
        """The target of a file that stands for a link."""
        if not self._link_files or not stat.S_ISREG(found.mode) or not len(LINK_KEY) < found.size <= LINK_FILE_BYTES:
            return None
        try:
            value = json.loads(self._source.read(ino, 0, LINK_FILE_BYTES))
        except (ValueError, RecursionError):
            return None
        if not isinstance(value, dict) or value.keys() != {LINK_KEY} or not isinstance(value[LINK_KEY], str):
            return None
        target = value[LINK_KEY]
        return None if "\0" in target or not target else target.encode("utf-8", "surrogateescape")

    def _there(self, directory: int, name: bytes) -> Stat | None:
        try:
            return self._target.lookup(directory, name)
        except FileNotFoundError:
            return None

    def _leave_out(self, place: bytes, reason: str) -> None:
        self.copied.left_out.append(f"{_shown(place)}: {reason}")

    def _stop(self) -> None:
        if self._cancel is not None and self._cancel.is_set():
            self._done()
            raise Cancelled("Stopped; what was copied stays.")


def _shown(path: bytes) -> str:
    return os.fsdecode(path).encode("utf-8", "backslashreplace").decode()
