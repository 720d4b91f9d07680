"""Open files and directories of submounts: what a handle number from the kernel stands for.

Used by ``router`` and by the handlers here, on the loop's thread.
"""

from __future__ import annotations

import errno
import itertools
from collections.abc import Sequence

from pyfuse3 import FUSEError

from kgfs.filesystem import Entry
from mountd.submounts.inode_numbers import SUBMOUNTS


class Opened:
    """An open file or directory of a submount."""

    __slots__ = ("dirty", "entries", "ino", "inode", "pid", "written")

    def __init__(self, inode: int, ino: int, pid: int = 0) -> None:
        self.inode = inode
        """What the kernel calls it."""
        self.ino = ino
        """The file system's number."""
        self.pid = pid
        """The thread that opened it."""
        self.written = 0
        """Bytes that were written through it and are not told as a change yet."""
        self.dirty = False
        """Whether something was written through it that was not synced since."""
        self.entries: Sequence[Entry] = ()
        """Of a directory, as they were when its listing began."""


class OpenHandles:
    """What is open on all submounts of a mount, by handle."""

    def __init__(self) -> None:
        self._numbers = itertools.count(SUBMOUNTS)
        self._opened: dict[int, Opened] = {}
        self.get = self._opened.get
        self._of: dict[int, int] = {}
        """How many handles each inode has."""

    def __len__(self) -> int:
        return len(self._opened)

    def open(self, opened: Opened) -> int:
        """The number of a new handle."""
        number = next(self._numbers)
        self._opened[number] = opened
        self._of[opened.inode] = self._of.get(opened.inode, 0) + 1
        return number

    def are_of(self, inode: int) -> bool:
        """Whether an inode, by the kernel's number, is open."""
        return inode in self._of

    def close(self, number: int) -> Opened:
        """Forget a handle and return it; ``EBADF`` for one that is not open."""
        opened = self[number]
        del self._opened[number]
        left = self._of[opened.inode] - 1
        if left:
            self._of[opened.inode] = left
        else:
            del self._of[opened.inode]
        return opened

    def __getitem__(self, number: int) -> Opened:
        try:
            return self._opened[number]
        except KeyError:
            raise FUSEError(errno.EBADF) from None
