"""Files that are made when somebody asks, and kept for a generation: pictures, pages of the website.

Used by the views of both. A file's size is known once it was made. Runs on the event loop except ``load`` and
``prepare``.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import ClassVar

from kgfs.namespace.bodies import Body, BytesBody, StaleSnapshotError
from kgfs.namespace.node import NodeRef
from kgfs.namespace.pages import PageStore
from kgfs.namespace.route import Stamp
from kgfs.namespace.snapshot import Snapshot

KEPT_BYTES = 8 << 20
"""How much of what was made stays in memory, of each kind."""


class MadeFiles:
    """What was made, by what it is of; the oldest go first. For any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, bytes] = OrderedDict()
        self._size = 0

    def get(self, key: Hashable) -> bytes | None:
        """The file, if it is there."""
        return self._kept.get(key)

    def make(self, key: Hashable, make: Callable[[], bytes]) -> bytes:
        """The file, made if it is not there (blocks)."""
        kept = self._kept.get(key)
        if kept is not None:
            return kept
        made = make()
        with self._lock:
            if key not in self._kept:
                self._kept[key] = made
                self._size += len(made)
            while self._size > KEPT_BYTES and len(self._kept) > 1:
                self._size -= len(self._kept.popitem(last=False)[1])
        return made


class MadeFile:
    """A file that is made when somebody asks."""

    lazy: ClassVar[bool] = True
    volatile: ClassVar[bool] = False

    def __init__(
        self,
        made: Callable[[], MadeFiles],
        name: str,
        make: Callable[[PageStore, Snapshot, NodeRef], bytes],
        stamp: Stamp,
    ) -> None:
        """``name`` tells the kinds of files apart."""
        self._made, self._name, self._make, self.stamp = made, name, make, stamp

    def key(self, s: Snapshot, node: NodeRef) -> Hashable:
        return self._name, node, s.generation

    def _bytes(self, s: Snapshot, node: NodeRef) -> bytes:
        made = self._made().get(self.key(s, node))
        if made is None:
            raise StaleSnapshotError("This file has yet to be made in this generation.")
        return made

    def size(self, s: Snapshot, node: NodeRef) -> int:
        return len(self._bytes(s, node))

    def ready(self, s: Snapshot, node: NodeRef) -> bool:
        return self._made().get(self.key(s, node)) is not None

    def prepare(self, store: PageStore, s: Snapshot, node: NodeRef) -> None:
        self._whole(store, s, node)

    def peek(self, store: PageStore, s: Snapshot, node: NodeRef) -> Body | None:
        made = self._made().get(self.key(s, node))
        return None if made is None else BytesBody(made)

    def load(self, store: PageStore, s: Snapshot, node: NodeRef) -> Body:
        return BytesBody(self._whole(store, s, node))

    def _whole(self, store: PageStore, s: Snapshot, node: NodeRef) -> bytes:
        return self._made().make(self.key(s, node), lambda: self._make(store, s, node))
