"""What a file held before, as files: the bytes of a version, its size and times.

Used by the table in ``tree``. Runs on the event loop except ``load`` and ``prepare``.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar

from kgfs.errors import NotFoundError
from kgfs.namespace.bodies import BlockBody, Body, BytesBody
from kgfs.namespace.node import NodeRef
from kgfs.namespace.pages import WHOLE_BYTES, PageStore
from kgfs.namespace.runtime import Runtime
from kgfs.namespace.snapshot import Snapshot
from kgfs.store.files import history


def is_passing(s: Snapshot, node: NodeRef) -> bool:
    """What a number leads to may be another version, or none, after any write: the kernel is to ask each time."""
    return True


class VersionBytes:
    """One version of a file; by its row id these bytes never change."""

    lazy: ClassVar[bool] = True
    volatile: ClassVar[bool] = False

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    def mode(self, s: Snapshot, node: NodeRef) -> int:
        """The permission bits that the file had."""
        return self._runtime.histories.version(node.id, node.sub).mode & 0o7777

    def size(self, s: Snapshot, node: NodeRef) -> int:
        return self._runtime.histories.version(node.id, node.sub).size

    def stamp(self, s: Snapshot, node: NodeRef) -> tuple[int, int]:
        version = self._runtime.histories.version(node.id, node.sub)
        return version.mtime_us, version.replaced_us

    def key(self, s: Snapshot, node: NodeRef) -> Hashable:
        return "version", node.sub

    def peek(self, store: PageStore, s: Snapshot, node: NodeRef) -> Body | None:
        size = self.size(s, node)
        if size > WHOLE_BYTES:
            return _in_pieces(store, node.sub, size)
        text = store.cache.get(("version", node.sub))
        return None if text is None else BytesBody(text)

    def load(self, store: PageStore, s: Snapshot, node: NodeRef) -> Body:
        self.prepare(store, s, node)
        size = self.size(s, node)
        if size > WHOLE_BYTES:
            return _in_pieces(store, node.sub, size)
        body = BytesBody(_part(store, node.sub, 0, size))
        store.cache.put({("version", node.sub): body.data})
        return body

    def ready(self, s: Snapshot, node: NodeRef) -> bool:
        return self._runtime.histories.known(node.id)

    def prepare(self, store: PageStore, s: Snapshot, node: NodeRef) -> None:
        if not self.ready(s, node):
            self._runtime.histories.prepare(s, self._runtime.queries.get(node.id))


class Listing(VersionBytes):
    """What a directory of ``@history`` waits for before its names are known."""

    def ready(self, s: Snapshot, node: NodeRef) -> bool:
        return self._runtime.histories.ready(node.id)


def _in_pieces(store: PageStore, version_id: int, size: int) -> Body:
    return BlockBody(size, lambda offset, length: _part(store, version_id, offset, length))


def _part(store: PageStore, version_id: int, offset: int, length: int) -> bytes:
    with store.database.read(snapshot=True) as cursor:
        part = history.read_version(cursor, version_id, offset, length)
    if part is None or len(part) != length:
        raise NotFoundError("This version is kept no longer.")
    store.database.passed(length)
    return part
