"""When changes of the workspace come into the database: commits, the threads that wait for them, and free disk space.

Used by the workspace; its lock guards the layers, and is held only while a commit takes what it writes. A commit that
fails loses nothing: the layer stays in memory and is written by the next one.
"""

from __future__ import annotations

import contextlib
import errno
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

from kgfs.agentfs.database import AgentDatabase
from kgfs.agentfs.filesystem.layers import Layers
from kgfs.agentfs.filesystem.stored import failure
from kgfs.errors import KgfsError, NoSpaceError

LINGER_SECONDS = 0.05
"""How long changes may stay in memory when nobody waits for them."""
ASIDE_SECONDS = 0.02
"""How long a caller that was just told that a call is quick has for making it."""
RETRY_SECONDS = 1.0
"""How long a commit that failed is left before it is tried again."""
MANY, PLENTY_BYTES = 16, 1 << 30
"""After so many commits more are expected, and the log is extended for them where so much of the disk is free."""
GATHERED_BYTES = 16 << 20
"""With so many bytes of changes, the thread that writes commits them."""


class Commits:
    """The commits of one workspace. ``close`` ends the thread that makes those for which nobody waits."""

    def __init__(self, database: AgentDatabase, layers: Layers, lock: threading.Lock, reserve: int) -> None:
        """``lock`` is the workspace's; ``reserve`` is how much free space the disk must keep, in bytes."""
        self.reserve = reserve
        self.at_once: AbstractContextManager[object] | None = contextlib.nullcontext()
        """What the workspace says of calls; ``None`` while somebody else is at the tables."""
        self.ended: Callable[[], None] = lambda: None
        """Called after a commit, with the lock."""
        self._database = database
        self._layers = layers
        self._lock = lock
        self._committing = threading.Lock()
        self._whole = threading.RLock()
        self._failed: OSError | None = None
        self._full = False
        self._free = 0
        self._commits = 0
        self._closed = False
        self._wake = threading.Event()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._linger, name="kgfs-workspace", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread; nothing is committed any more."""
        self._closed = True
        self._ending.set()
        self._wake.set()
        self._thread.join()

    def wake(self) -> None:
        """Have what was changed committed soon."""
        if not self._wake.is_set():
            self._wake.set()

    @property
    def crowded(self) -> bool:
        """Whether so much was changed that a caller that writes more should commit first."""
        return self._layers.new.bytes > GATHERED_BYTES

    def sync(self, changed: int | None = None) -> None:
        """Return when the layer of this number, or all that was changed, is durable. ``OSError``."""
        if changed is None:
            with self._lock:
                changed = self._layers.new.number if not self._layers.new.empty else self._layers.new.number - 1
        while changed > self._layers.committed:
            with self._committing:
                if changed > self._layers.committed:
                    self._commit()

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """What is done inside is in the file whole or not at all. Nothing inside may write bytes or sync."""
        with self._whole:
            yield

    def also(self, sql: str, parameters: tuple[object, ...]) -> None:
        """Execute a statement on another table when the changes made until now are committed, after them."""
        with self._lock:
            self._layers.new.statements.append((sql, parameters))
            self._wake.set()

    @contextlib.contextmanager
    def set_aside(self, read_again: Callable[[], None]) -> Iterator[None]:
        """Let somebody else change the tables: all is committed, all calls wait, and ``read_again`` is called then."""
        before, self.at_once = self.at_once, None  # an event loop that must not wait asks on threads from now on
        time.sleep(ASIDE_SECONDS)
        try:
            with self._committing:
                while True:
                    with self._lock:
                        settled = self._layers.writing is None and self._layers.new.empty
                        if settled:
                            try:
                                yield
                            finally:
                                read_again()
                            return
                    self._commit()
        finally:
            self.at_once = before

    def require_space(self) -> None:
        """Refuse what adds to a disk that is full, or to changes that cannot be written."""
        if self._full:
            self._look_at_space()
            if self._full:
                raise OSError(errno.ENOSPC, "The disk that holds the store is full.")
        if self._failed is not None and self.crowded:
            raise OSError(self._failed.errno, self._failed.strerror)

    def _commit(self) -> None:
        """Write one layer; the caller holds ``_committing``."""
        with self._whole, self._lock:
            layer = self._layers.begin()
        if layer is None:
            return
        try:
            self._look_at_space()
            with self._database.write() as connection:
                layer.write(connection)
        except KgfsError as error:
            self._failed = failure(error)
            if isinstance(error, NoSpaceError):
                self._full = True
            raise self._failed from error
        with self._lock:
            self._layers.end()
            self._failed = None
            self.ended()
        self._commits += 1
        if self._commits == MANY and self._free > PLENTY_BYTES:
            with contextlib.suppress(OSError, KgfsError):  # then it grows as it is written
                self._database.extend_log()

    def _linger(self) -> None:
        """Commit, some time after they were made, changes that nobody waits for."""
        while not self._closed:
            self._wake.wait()
            self._wake.clear()
            if self._closed:
                return
            self._ending.wait(LINGER_SECONDS)
            try:
                self.sync()
            except OSError:
                # A caller that waits for it, or writes more, gets the error; the changes stay in memory.
                self._ending.wait(RETRY_SECONDS)
                self._wake.set()

    def _look_at_space(self) -> None:
        try:
            found = os.statvfs(self._database.path.parent)
        except OSError:
            return
        self._free = found.f_bavail * found.f_frsize
        self._full = self._free < self.reserve
