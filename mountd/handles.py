"""Open files and directories: what a handle number from the kernel stands for.

Used by ``operations`` on the loop's thread.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence
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
        "rest",
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
        """The batch of the listing that is being shown."""
        self.rest: Iterator[Sequence[Entry]] | None = None
        """The batches behind it."""
        self.at = (0, 0)
        """The offset that was listed last and the index after it in ``entries``."""

    def listing(self, namespace: Namespace, after: int) -> tuple[Sequence[Entry], int]:
        """A batch of the directory's entries as they are now, and the index of the first one behind an offset; no
        entries at the end.

        Always those of now: naming one that is gone would put it back into the kernel's cache. Offsets are stable and
        rise through a listing, so it goes on at the right place even where the entry with that offset is gone.
        """
        edition = namespace.edition(self.node)
        state = (namespace.view.generation, edition)
        if self.rest is None or (self.generation, self.edition) != state or self.at[0] != after:
            self.drop_listing()
            self.rest = namespace.batches(self.node, after)
            self.generation, self.edition = state
            self.at = (after, 0)
        if self.at[1] == len(self.entries):
            rest, self.rest = self.rest, None  # one that fails is at its end: then begin anew the next time
            self.entries = next(rest, ())
            self.rest, self.at = rest, (after, 0)
        return self.entries, self.at[1]

    def drop_listing(self) -> None:
        """Begin anew at the next look: what was listed may be old, and holds its snapshot."""
        self.rest = None
        self.entries = ()


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

    def drop_listings(self) -> None:
        """Another snapshot is shown: let go of the former one."""
        for handle in list(self._handles.values()):
            handle.drop_listing()

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
