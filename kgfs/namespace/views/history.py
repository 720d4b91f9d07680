"""What a file held before, as files: the bytes of a version, its size and times.

Used by the table in ``tree``. Runs on the event loop except ``load`` and ``prepare``.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar

from kgfs.errors import NotFoundError
from kgfs.namespace.bodies import BlockBody, Body, BytesBody
from kgfs.namespace.pages import WHOLE_BYTES, PageStore
from kgfs.namespace.snapshot import Snapshot
from kgfs.store import history


def mode(s: Snapshot, a: int, b: int) -> int:
    """The permission bits that the file had."""
    return s.host.histories.version(a, b).mode & 0o7777


def is_passing(s: Snapshot, a: int, b: int) -> bool:
    """What a number leads to may be another version, or none, after any write: the kernel is to ask each time."""
    return True


class VersionBytes:
    """One version of a file; by its row id these bytes never change."""

    lazy: ClassVar[bool] = True
    volatile: ClassVar[bool] = False

    def size(self, s: Snapshot, a: int, b: int) -> int:
        return s.host.histories.version(a, b).size

    def stamp(self, s: Snapshot, a: int, b: int) -> tuple[int, int]:
        version = s.host.histories.version(a, b)
        return version.mtime_us, version.replaced_us

    def key(self, s: Snapshot, a: int, b: int) -> Hashable:
        return "version", b

    def peek(self, store: PageStore, s: Snapshot, a: int, b: int) -> Body | None:
        size = self.size(s, a, b)
        if size > WHOLE_BYTES:
            return _in_pieces(store, b, size)
        text = store.cache.get(("version", b))
        return None if text is None else BytesBody(text)

    def load(self, store: PageStore, s: Snapshot, a: int, b: int) -> Body:
        self.prepare(store, s, a, b)
        size = self.size(s, a, b)
        if size > WHOLE_BYTES:
            return _in_pieces(store, b, size)
        body = BytesBody(_part(store, b, 0, size))
        store.cache.put({("version", b): body.data})
        return body

    def ready(self, s: Snapshot, a: int, b: int) -> bool:
        return s.host.histories.known(a)

    def prepare(self, store: PageStore, s: Snapshot, a: int, b: int) -> None:
        if not self.ready(s, a, b):
            s.host.histories.prepare(s, a)


class Listing(VersionBytes):
    """What a directory of ``@history`` waits for before its names are known."""

    def ready(self, s: Snapshot, a: int, b: int) -> bool:
        return s.host.histories.ready(a)


LISTING = Listing()


def _in_pieces(store: PageStore, version_id: int, size: int) -> Body:
    return BlockBody(size, lambda offset, length: _part(store, version_id, offset, length))


def _part(store: PageStore, version_id: int, offset: int, length: int) -> bytes:
    with store.database.read(snapshot=True) as cursor:
        part = history.read_version(cursor, version_id, offset, length)
    if part is None or len(part) != length:
        raise NotFoundError("This version is kept no longer.")
    store.database.passed(length)
    return part
