"""Makes a new snapshot what everybody sees: in our replies at once, in the kernel's caches before it returns.

``publish`` is called from any thread but the loop's (the service's job thread after a commit). The swap runs on the
loop with no ``await``; the invalidation in the invalidator's thread.
"""

from __future__ import annotations

import functools
import logging
import threading
from typing import TYPE_CHECKING

import trio

from kgfs.errors import KgfsError
from kgfs.names import name_bytes
from mountd.kernel import Invalidator, Orders
from mountd.operations import Operations

if TYPE_CHECKING:
    from kgfs.drives.files_by_path import Touched
    from kgfs.namespace.snapshot import Snapshot

ACKNOWLEDGE_SECONDS = 30.0

log = logging.getLogger(__name__)


class Publisher:
    """Publication for one mount; one at a time, in the order of the generations."""

    def __init__(self, operations: Operations, invalidator: Invalidator) -> None:
        self._operations = operations
        self._invalidator = invalidator
        self._token: trio.lowlevel.TrioToken | None = None
        self._lock = threading.Lock()

    def attach(self) -> None:
        """Called on the loop before the first request: from now on there is a kernel to tell."""
        self._token = trio.lowlevel.current_trio_token()

    def detach(self) -> None:
        """The loop is about to end: from now on a snapshot is only adopted."""
        self._token = None

    def publish(self, snapshot: Snapshot) -> bool:
        """Adopt a snapshot and make the kernel drop what it changed.

        True when the kernel has dropped it all, or there is no kernel to tell; False when that took longer than 30
        seconds (it goes on). An older snapshot than the present one is ignored.
        """
        with self._lock:
            token = self._token
            if token is None:
                self._swap(snapshot)
                return True
            try:
                former = trio.from_thread.run_sync(self._swap, snapshot, trio_token=token)
            except trio.RunFinishedError:
                self._swap(snapshot)
                return True
            if former is None:
                return True
            done = self._invalidator.submit(functools.partial(self._orders, *former, snapshot))
        if done.wait(ACKNOWLEDGE_SECONDS):
            return True
        log.error("the kernel has not dropped what changed after %g seconds", ACKNOWLEDGE_SECONDS)
        return False

    def touched(self, touched: Touched) -> None:
        """Make the kernel drop what another writer than itself changed. Blocks; any thread but the loop's."""
        if self._token is None:
            return
        self._operations.kernel.dropped(touched.contents)
        orders = Orders(
            contents=touched.contents,
            attributes=touched.directories,
            names=[(node, name_bytes(name)) for node, name in touched.names],
        )
        if not self._invalidator.submit(lambda: orders).wait(ACKNOWLEDGE_SECONDS):
            log.error("the kernel has not dropped what was written after %g seconds", ACKNOWLEDGE_SECONDS)

    def lost(self, node: int, place: tuple[int, str] | None) -> None:
        """Make the kernel drop a file's bytes soon, and its name in a directory where it went (any thread)."""
        self._operations.kernel.dropped([node])
        names = [] if place is None else [(place[0], name_bytes(place[1]))]
        self._invalidator.submit(lambda: Orders(contents=[node], names=names))

    def _swap(self, snapshot: Snapshot) -> tuple[Snapshot, list[tuple[int, str]]] | None:
        """Adopt; returns the former snapshot and the names that were said to be missing, or ``None``: no change."""
        namespace = self._operations.namespace
        old = namespace.view
        if snapshot.generation < old.generation or snapshot is old:
            return None
        if not namespace.adopt(snapshot):
            return None
        self._operations.adopted()
        return old, self._operations.kernel.absent_names()

    def _orders(self, old: Snapshot, absent: list[tuple[int, str]], new: Snapshot) -> Orders:
        operations = self._operations
        namespace = operations.namespace
        known = list(operations.kernel.counts)
        try:
            nodes, entries = namespace.changed(old, new, known)
        except Exception as error:
            # Rather everything than something stale.
            log.exception("finding out what changed failed; the kernel drops all it has")
            operations.errors.note("publish", error)
            nodes, entries = known, [place for node in known for place in self._places(old, node)]
        operations.kernel.dropped(nodes)
        appeared = namespace.appeared(absent)
        return Orders(nodes, names=[(node, name_bytes(name)) for node, name in (*entries, *appeared)])

    def _places(self, old: Snapshot, node: int) -> list[tuple[int, str]]:
        """Where a node stood, if it did."""
        try:
            return [self._operations.namespace.parent_in(old, node)]
        except KgfsError:
            return []
