"""What a file's bytes are: ``Body`` (the bytes of one file) and ``View`` (how a kind of file comes to its bytes and
size).

Used by the segments and views of the table and by the namespace. ``size``, ``stamp``, ``key`` and ``peek`` run on the
event loop and touch nothing but memory; ``load`` and a blocking body's ``read`` run in a thread.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, ClassVar, Protocol

from kgfs.errors import KgfsError
from kgfs.namespace.node import NodeRef

if TYPE_CHECKING:
    from kgfs.namespace.pages import PageStore
    from kgfs.namespace.snapshot import Snapshot


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


class View(Protocol):
    """How one kind of file comes to its size and bytes. ``id`` and ``sub`` are of the file's own node."""

    lazy: ClassVar[bool]
    """Whether ``prepare`` must have run before the size is known."""
    volatile: ClassVar[bool]
    """Whether it changes without a new generation."""

    def size(self, s: Snapshot, node: NodeRef) -> int:
        """Bytes that a read returns in all."""

    def stamp(self, s: Snapshot, node: NodeRef) -> tuple[int, int]:
        """mtime and ctime in microseconds."""

    def key(self, s: Snapshot, node: NodeRef) -> Hashable:
        """Equal in two snapshots only where the bytes are equal."""

    def peek(self, store: PageStore, s: Snapshot, node: NodeRef) -> Body | None:
        """The body, if it is in memory."""

    def load(self, store: PageStore, s: Snapshot, node: NodeRef) -> Body:
        """The body, read with its neighbours. ``StaleSnapshotError`` where a commit was faster."""

    def ready(self, s: Snapshot, node: NodeRef) -> bool:
        """Whether the size is known."""

    def prepare(self, store: PageStore, s: Snapshot, node: NodeRef) -> None:
        """Make it known (blocks)."""
