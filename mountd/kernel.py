"""What the kernel knows of the tree, and how it is told to forget.

``Kernel`` notes what the kernel holds; it lives on the loop's thread. ``Invalidator`` is the one thread that calls
``invalidate_inode`` and ``invalidate_entry``: both may wait for a request that only the loop can answer, so neither
may run there, and only the synchronous form tells when the kernel is done.
"""

from __future__ import annotations

import errno
import logging
import os
import queue
import struct
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import NamedTuple

import pyfuse3

log = logging.getLogger(__name__)

_UNKNOWN = (errno.ENOENT, errno.ENOTDIR)
"""The kernel does not have the inode or the name: nothing to drop."""


ABSENT_SECONDS = 60
"""How long the kernel may answer "no such name" by itself; a name that appears earlier is invalidated."""
MAX_ABSENT = 65_536


class Orders(NamedTuple):
    """What the kernel shall drop, by inode number."""

    contents: Iterable[int] = ()
    """Inodes whose bytes, size or times may have changed."""
    attributes: Iterable[int] = ()
    """Inodes of which only size and times changed: directories and links."""
    names: Iterable[tuple[int, bytes]] = ()
    """Directory and name of entries that appeared, went, or stand for another inode now."""
    places: Iterable[tuple[int, bytes]] = ()
    """The same of entries that may have changed. A process in such a directory stays in it while it exists."""


_EXPIRE = struct.Struct("=IiQQII")
"""``fuse_out_header`` and ``fuse_notify_inval_entry_out`` of the kernel's ``fuse.h``."""
_NOTIFY_INVAL_ENTRY, _EXPIRE_ONLY = 3, 1


def expire_entry(descriptor: int, parent: int, name: bytes) -> None:
    """Have the kernel ask for a name again when it is used next, and keep it until then. ``OSError``.

    ``descriptor`` is that of the session. pyfuse3 does not know this notification. Linux before 6.2 drops the name: a
    process in that directory has no path until somebody looks it up again.
    """
    size = _EXPIRE.size + len(name) + 1
    os.write(descriptor, _EXPIRE.pack(size, _NOTIFY_INVAL_ENTRY, 0, parent, len(name), _EXPIRE_ONLY) + name + b"\0")


class Kernel:
    """What the kernel holds, by node."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.counts: dict[int, int] = {}
        """How many references each node has."""
        self._stored: set[int] = set()
        self._volatile: set[int] = set()
        self._absent: OrderedDict[tuple[int, str], float] = OrderedDict()
        """Directory and name to when the kernel has forgotten it; the oldest first."""
        self._clock = clock

    def count(self, node: int) -> None:
        """The kernel got this node in one more answer."""
        counts = self.counts
        counts[node] = counts.get(node, 0) + 1

    def forget(self, nodes: Iterable[tuple[int, int]]) -> list[int]:
        """The kernel dropped so many references of each; returns the nodes that it no longer knows."""
        dropped = []
        counts = self.counts
        for node, number in nodes:
            left = counts.get(node, 0) - number
            if left > 0:
                counts[node] = left
            elif counts.pop(node, None) is not None:
                dropped.append(node)
        self._stored.difference_update(dropped)
        self._volatile.difference_update(dropped)
        return dropped

    def absent(self, parent: int, name: str) -> bool:
        """Note a missing name of which the kernel is told; False when there are too many: then it must not be told."""
        names = self._absent
        now = self._clock()
        while names and next(iter(names.values())) <= now:
            names.popitem(last=False)
        if len(names) >= MAX_ABSENT:
            return False
        # A little longer than the kernel keeps it, which counts from when the answer arrives.
        names[parent, name] = now + ABSENT_SECONDS + 5
        names.move_to_end((parent, name))
        return True

    def made(self, parent: int, name: str) -> None:
        """The kernel made this name itself: it does not take it for missing any more, and must not be told to drop it
        (a directory that is dropped while a process is in it has no path any more)."""
        self._absent.pop((parent, name), None)

    def absent_names(self) -> list[tuple[int, str]]:
        """The names that the kernel may take for missing."""
        return list(self._absent)

    def is_stored(self, node: int) -> bool:
        """Whether the bytes were put into the page cache and not dropped by us since."""
        return node in self._stored

    def stored(self, node: int) -> None:
        """The bytes are in the page cache."""
        self._stored.add(node)

    def volatile(self, node: int) -> None:
        """A file was opened whose bytes may change by themselves."""
        self._volatile.add(node)

    def was_volatile(self, node: int) -> bool:
        """Whether the page cache may hold bytes of a time when the file was volatile."""
        return node in self._volatile

    def dropped(self, nodes: Iterable[int]) -> None:
        """The bytes were invalidated (any thread)."""
        self._stored.difference_update(nodes)


class Invalidator:
    """The thread that makes the kernel drop what changed; ``submit`` queues, in order."""

    def __init__(
        self,
        invalidate_inode: Callable[[int, bool], None] = pyfuse3.invalidate_inode,
        invalidate_entry: Callable[[int, bytes], None] = pyfuse3.invalidate_entry,
    ) -> None:
        self._inode = invalidate_inode
        self._entry = invalidate_entry
        self.expire_entry = invalidate_entry
        self._jobs: queue.SimpleQueue[tuple[Callable[[], Orders], threading.Event] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="invalidator", daemon=True)
        self._stopped = False
        self.faults = 0
        """Orders that failed for another reason than that the kernel did not know the thing."""

    def start(self) -> None:
        self._thread.start()

    def submit(self, orders: Callable[[], Orders]) -> threading.Event:
        """Have ``orders()`` computed and carried out on the thread; the event is set when the kernel has done it all.

        After :meth:`stop` nothing is carried out and the event is set at once.
        """
        done = threading.Event()
        if self._stopped:
            done.set()
        else:
            self._jobs.put((orders, done))
        return done

    def stop(self, seconds: float = 5.0) -> bool:
        """End the thread without carrying out what is queued; False if it hangs in the kernel."""
        self._stopped = True
        self._jobs.put(None)
        if self._thread.is_alive():
            self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            orders, done = job
            try:
                if not self._stopped:
                    self._carry_out(orders())
            except Exception:
                self.faults += 1
                log.exception("invalidation failed")
            finally:
                done.set()

    def _carry_out(self, orders: Orders) -> None:
        # Inodes first: a name that is looked up again afterwards brings attributes of the new snapshot with it.
        for inode in orders.contents:
            self._tell(self._inode, inode, False)
        for inode in orders.attributes:
            self._tell(self._inode, inode, True)
        for parent, name in orders.names:
            self._tell(self._entry, parent, name)
        for parent, name in orders.places:
            self._tell(self.expire_entry, parent, name)

    def _tell(self, order: Callable[..., None], *arguments: object) -> None:
        if self._stopped:
            return
        try:
            order(*arguments)
        except OSError as error:
            if error.errno not in _UNKNOWN:
                self.faults += 1
                log.warning("invalidation of %s failed: %s", arguments, error)
