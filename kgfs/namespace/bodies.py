"""What a file's bytes are: ``Body``, the bytes of one file at one moment.

Used by the views of the table (``route.View``) and by the namespace. A blocking body's ``read`` runs in a thread.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from kgfs.errors import KgfsError

CHANGED = "The graph changed while this was read; read it again."
"""What ``StaleSnapshotError`` says of pages."""


class StaleSnapshotError(KgfsError):
    """What was to be read was replaced meanwhile; ask again with the newest snapshot."""

    kind = "overtaken"


class Body(Protocol):
    """The bytes of one file at one moment."""

    size: int
    blocking: bool

    def read(self, offset: int, length: int) -> bytes:
        """Up to ``length`` bytes from ``offset``; fewer only at the end. Blocks only where ``blocking`` says so."""


class BytesBody:
    """A body that is in memory."""

    __slots__ = ("data", "size")
    blocking = False

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.size = len(data)

    def read(self, offset: int, length: int) -> bytes:
        return self.data[offset : offset + length]


class BlockBody:
    """A body too large to hold, read piece by piece."""

    __slots__ = ("_read", "size")
    blocking = True

    def __init__(self, size: int, read: Callable[[int, int], bytes]) -> None:
        self.size = size
        self._read = read

    def read(self, offset: int, length: int) -> bytes:
        if offset >= self.size or length <= 0:
            return b""
        return self._read(offset, min(length, self.size - offset))


class GrowingBody(BlockBody):
    """The body of a file to which something is added within a generation, as far as it reached. The reader keeps what
    it read, so nothing else need keep pieces of it. The last piece would soon be too short."""

    __slots__ = ()
