"""Open files and directories: what a handle number from the kernel stands for.

Used by ``operations`` on the loop's thread.
"""

from __future__ import annotations

import errno
import os
from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pyfuse3

if TYPE_CHECKING:
    from kgfs.namespace.bodies import Body
    from kgfs.namespace.namespace import Namespace
    from kgfs.namespace.tree_reader import Entry


class Handle:
    """An open file or directory."""

    __slots__ = (
        "at",
        "body",
        "edition",
        "entries",
        "flags",
        "flushed",
        "generation",
        "momentary",
        "node",
        "pid",
        "volatile",
    )

    def __init__(self, node: int) -> None:
        self.node = node
        self.generation = -1
        """The snapshot that ``body`` or ``entries`` belong to."""
        self.edition = 0
        """Of the directory, when ``entries`` were listed."""
        self.pid = 0
        """The thread that opened it."""
        self.flags = os.O_RDONLY
        """How a file was opened."""
        self.flushed = False
        """Whether a close of it committed something, and nothing was written through it since."""
        self.volatile = False
        """Whether the bytes may change within a generation."""
        self.momentary = False
        """Whether it serves what the file was when it was opened."""
        self.body: Body | None = None
        """What a file last served."""
        self.entries: Sequence[Entry] = ()
        self.at = (0, 0)
        """The offset that was listed last and the index after it in ``entries``."""

    def listing(self, namespace: Namespace, after: int) -> tuple[Sequence[Entry], int]:
        """The directory's entries as they are now, and the index of the first one behind an offset.

        Always those of now: naming one that is gone would put it back into the kernel's cache. Offsets are stable and
        rise through a listing, so it goes on at the right place even where the entry with that offset is gone.
        """
        edition = namespace.edition(self.node)
        if self.generation != namespace.view.generation or self.edition != edition:
            self.entries = namespace.entries(self.node)
            self.generation, self.edition = namespace.view.generation, edition
        elif self.at[0] == after:
            return self.entries, self.at[1]
        return self.entries, bisect_right(self.entries, after, key=_offset)


def _offset(entry: Entry) -> int:
    return entry[2]


class Handles:
    """The handles by number, and how many are open on each file."""

    def __init__(self) -> None:
        self._handles: dict[int, Handle] = {}
        self._next = 1
        self._open: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._handles)

    def open(self, node: int, *, counted: bool = True) -> int:
        """A new handle; ``counted`` ones make :meth:`is_open` true for the node."""
        number = self._next
        self._next = number + 1
        self._handles[number] = Handle(node)
        if counted:
            self._open[node] = self._open.get(node, 0) + 1
        return number

    def get(self, number: int) -> Handle:
        """The handle; ``EBADF`` if the kernel names one that is not open."""
        try:
            return self._handles[number]
        except KeyError:
            raise pyfuse3.FUSEError(errno.EBADF) from None

    def close(self, number: int, *, counted: bool = True) -> Handle | None:
        """Forget a handle and return it."""
        handle = self._handles.pop(number, None)
        if handle is None or not counted:
            return handle
        left = self._open.get(handle.node, 0) - 1
        if left > 0:
            self._open[handle.node] = left
        else:
            self._open.pop(handle.node, None)
        return handle

    def is_open(self, node: int) -> bool:
        """Whether a file handle is open on a node: then the kernel may be reading it."""
        return node in self._open
