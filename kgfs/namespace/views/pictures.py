"""Files that are pictures: drawn by the worker when first asked for, kept for a generation.

Used by the table in ``tree``. A picture's size is known once it is drawn, so a listing that names it would wait for the
drawing, and fail where nothing can draw: no directory lists its pictures, all answer to their names. Runs on the event
loop except ``load`` and ``prepare``.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import ClassVar, Protocol

from kgfs.errors import NotFoundError
from kgfs.namespace.bodies import Body, BytesBody, StaleSnapshotError
from kgfs.namespace.node import NodeRef
from kgfs.namespace.pages import PageStore
from kgfs.namespace.route import Stamp
from kgfs.namespace.snapshot import Snapshot
from kgfs.picture_records import Picture

KEPT_BYTES = 8 << 20
"""How much of what was drawn stays in memory."""


class Drawing(Protocol):
    """What turns a picture into SVG (blocks). ``WorkerError``, ``DeadlineExceeded``."""

    def draw(self, picture: Picture) -> bytes: ...


class NoDrawing:
    """Where nothing draws."""

    def draw(self, picture: Picture) -> bytes:
        raise NotFoundError("Nothing draws pictures here; mount the store with `kgfs mount`.")


class DrawnPictures:
    """Pictures that were drawn, by what they are of; the oldest go first. For any thread."""

    def __init__(self, drawing: Drawing) -> None:
        self._drawing = drawing
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, bytes] = OrderedDict()
        self._size = 0

    def get(self, key: Hashable) -> bytes | None:
        """The picture, if it is there."""
        return self._kept.get(key)

    def draw(self, key: Hashable, collect: Callable[[], Picture]) -> bytes:
        """The picture, drawn if it is not there (blocks)."""
        kept = self._kept.get(key)
        if kept is not None:
            return kept
        drawn = self._drawing.draw(collect())
        with self._lock:
            if key not in self._kept:
                self._kept[key] = drawn
                self._size += len(drawn)
            while self._size > KEPT_BYTES and len(self._kept) > 1:
                self._size -= len(self._kept.popitem(last=False)[1])
        return drawn


class PictureFile:
    """A file that is a picture; ``collect`` makes what is drawn of a place."""

    lazy: ClassVar[bool] = True
    volatile: ClassVar[bool] = False

    def __init__(
        self,
        drawn: Callable[[], DrawnPictures],
        name: str,
        collect: Callable[[PageStore, Snapshot, NodeRef], Picture],
        stamp: Stamp,
    ) -> None:
        self._drawn, self._name, self._collect, self.stamp = drawn, name, collect, stamp

    def key(self, s: Snapshot, node: NodeRef) -> Hashable:
        return self._name, node, s.generation

    def _bytes(self, s: Snapshot, node: NodeRef) -> bytes:
        drawn = self._drawn().get(self.key(s, node))
        if drawn is None:
            raise StaleSnapshotError("This picture has yet to be drawn in this generation.")
        return drawn

    def size(self, s: Snapshot, node: NodeRef) -> int:
        return len(self._bytes(s, node))

    def ready(self, s: Snapshot, node: NodeRef) -> bool:
        return self._drawn().get(self.key(s, node)) is not None

    def prepare(self, store: PageStore, s: Snapshot, node: NodeRef) -> None:
        self._drawn().draw(self.key(s, node), lambda: self._collect(store, s, node))

    def peek(self, store: PageStore, s: Snapshot, node: NodeRef) -> Body | None:
        drawn = self._drawn().get(self.key(s, node))
        return None if drawn is None else BytesBody(drawn)

    def load(self, store: PageStore, s: Snapshot, node: NodeRef) -> Body:
        return BytesBody(self._drawn().draw(self.key(s, node), lambda: self._collect(store, s, node)))
