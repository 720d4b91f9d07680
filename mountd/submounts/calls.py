"""Where a call of a file system runs: on the loop, or on a thread.

Used by the handlers here, on the loop's thread. Calls run on threads (``lane``); small ones of a file system that
answers from memory run on the loop itself, for as long as they prove to be quick and none is under way on a thread: a
``stat`` then takes 20 µs instead of 160.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

from kgfs.errors import ReadOnlyError
from kgfs.filesystem import FileSystem
from mountd.lane import Lane

T = TypeVar("T")

CALL_SECONDS = 60.0
"""How long a call may take: as a commit of the store."""
THREADS, SYNC_THREADS = 4, 2
"""For calls, and for those that wait for the disk: while one commits, the next takes all that was asked since."""
SMALL_BYTES = 64 * 1024
"""How much one call on the loop moves at most."""
SLOW_SECONDS = 0.01
"""A call on the loop that took longer leads the next ones to threads …"""
SLOW_REST = 10
"""… for so many times as long, so slow ones take a tenth of the loop's time at most. Not longer: on a busy machine a
call is slow at times because the loop did not run, and a thread needs ten times the processor time for it."""
WRITTEN_BYTES, WRITTEN_SECONDS = 4 * 1024 * 1024, 0.1
"""So much is written on the loop in so long: with more the file system may have to wait for its disk."""


class Calls:
    """The calls of one file system."""

    def __init__(self, name: str, file_system: FileSystem, *, read_only: bool) -> None:
        """``name`` is that of the threads. With ``read_only`` nothing may be changed."""
        self._file_system = file_system
        self._read_only = read_only
        self._threads = Lane(f"{name}-call", THREADS)
        self._syncs = Lane(f"{name}-sync", SYNC_THREADS, gather=True)
        self._slow_until = 0.0
        self._written = 0
        """Bytes that were written on the loop until ``_written_until``."""
        self._written_until = 0.0

    async def small(self, function: Callable[..., T], ino: int, *arguments: Any, other: int | None = None) -> T:
        """A small call about an inode (and ``other``): on the loop, where that promises to be quick."""
        began = time.monotonic()
        if self._threads.busy or began < self._slow_until:
            return await self.long(function, ino, *arguments)
        at_once = self._file_system.at_once(ino) if other is None else self._file_system.at_once(ino, other)
        if at_once is None:
            return await self.long(function, ino, *arguments)
        try:
            with at_once:
                return function(ino, *arguments)
        finally:
            ended = time.monotonic()
            if ended - began > SLOW_SECONDS:
                self._slow_until = ended + (ended - began) * SLOW_REST

    async def long(self, function: Callable[..., T], *arguments: Any) -> T:
        """A call that may take its time."""
        return await self._threads.call(CALL_SECONDS, function, *arguments)

    async def change(self, function: Callable[..., T], ino: int, *arguments: Any, other: int | None = None) -> T:
        """A small call that changes something; ``EROFS`` where nothing may be changed."""
        self.require_writable()
        return await self.small(function, ino, *arguments, other=other)

    async def read(self, ino: int, offset: int, size: int) -> bytes:
        """Bytes of a file."""
        call = self.small if size <= SMALL_BYTES else self.long
        return await call(self._file_system.read, ino, offset, size)

    async def write(self, ino: int, offset: int, data: bytes) -> int:
        """Write; returns how much."""
        call = self.small if self._may_write(len(data)) else self.long
        return await call(self._file_system.write, ino, offset, data)

    def _may_write(self, size: int) -> bool:
        """Whether so many bytes are written on the loop."""
        if size > SMALL_BYTES:
            return False
        now = time.monotonic()
        if now >= self._written_until:
            self._written, self._written_until = 0, now + WRITTEN_SECONDS
        self._written += size
        return self._written <= WRITTEN_BYTES

    def require_writable(self) -> None:
        """``EROFS`` where nothing may be changed."""
        if self._read_only:
            raise ReadOnlyError("The store is mounted read-only; mount it without --read-only to change something.")

    async def sync(self, ino: int) -> None:
        """Have what was changed durable."""
        await self._syncs.call(CALL_SECONDS, self._file_system.sync, ino)

    def close(self) -> None:
        """End the threads."""
        self._threads.close()
        self._syncs.close()
