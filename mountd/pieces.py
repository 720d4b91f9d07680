"""Large files in pieces: what is read of them is loaded a few megabytes at a time, and ahead of a sequential reader.

Used by ``operations`` on the loop's thread; the loading itself runs in trio's pool. One statement of the store costs
two milliseconds whatever it returns, and the kernel asks for 128 KiB to 1 MiB at a time.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING

import trio

from kgfs.errors import DeadlineExceeded
from mountd.guard import in_thread

if TYPE_CHECKING:
    from kgfs.namespace.bodies import Body

PIECE_BYTES = 4 * 1024 * 1024
AHEAD = 2
CACHE_BYTES = 32 * 1024 * 1024
"""For all files together."""

Key = tuple[int, Hashable, int]
"""Node, state (whatever tells one body of it from another), which piece."""

log = logging.getLogger(__name__)


class Pieces:
    """The pieces that were read last, least recently used dropped first, and those on their way."""

    def __init__(self, limiter: trio.CapacityLimiter) -> None:
        self.start_soon: Callable[..., None] | None = None
        """Starts a task that reads ahead; without it nothing is read ahead."""
        self._limiter = limiter
        self._pieces: OrderedDict[Key, bytes] = OrderedDict()
        self._coming: dict[Key, trio.Event] = {}

    async def read(self, node: int, state: Hashable, body: Body, offset: int, length: int, seconds: float) -> bytes:
        """The body's bytes, as ``Body.read``; raises what that raises, and ``DeadlineExceeded``."""
        end = min(offset + length, body.size)
        if offset >= end:
            return b""
        until = trio.current_time() + seconds
        first, last = offset // PIECE_BYTES, (end - 1) // PIECE_BYTES
        parts = [await self._piece((node, state, which), body, until) for which in range(first, last + 1)]
        if self._reads_on((node, state, last), offset):
            for further in range(1, AHEAD + 1):
                self._ahead((node, state, last + further), body, seconds)
        begin = offset - first * PIECE_BYTES
        if first == last:
            return parts[0][begin : begin + end - offset]
        return b"".join(parts)[begin : begin + end - offset]

    def _reads_on(self, key: Key, offset: int) -> bool:
        """Whether somebody seems to read from front to back: the piece before was read too, or more than the start."""
        node, state, which = key
        return offset > 0 if which == 0 else (node, state, which - 1) in self._pieces

    def _ahead(self, key: Key, body: Body, seconds: float) -> None:
        wanted = key[2] * PIECE_BYTES < body.size and key not in self._pieces and key not in self._coming
        if wanted and self.start_soon is not None:
            self._coming[key] = trio.Event()
            self.start_soon(self._load_ahead, key, body, seconds)

    async def _load_ahead(self, key: Key, body: Body, seconds: float) -> None:
        try:
            await self._load(key, body, seconds)
        except Exception as error:  # a real read will meet it again
            log.debug("reading ahead failed: %s", error)

    async def _piece(self, key: Key, body: Body, until: float) -> bytes:
        while True:
            piece = self._pieces.get(key)
            if piece is not None:
                self._pieces.move_to_end(key)
                return piece
            left = until - trio.current_time()
            if left <= 0:
                raise DeadlineExceeded("Not read in time; try again.")
            coming = self._coming.get(key)
            if coming is None:
                self._coming[key] = trio.Event()
                return await self._load(key, body, left)
            with trio.move_on_after(left):
                await coming.wait()

    async def _load(self, key: Key, body: Body, seconds: float) -> bytes:
        try:
            piece = await in_thread(seconds, self._limiter, body.read, key[2] * PIECE_BYTES, PIECE_BYTES)
        finally:
            self._coming.pop(key).set()
        self._pieces[key] = piece
        while len(self._pieces) * PIECE_BYTES > CACHE_BYTES:
            self._pieces.popitem(last=False)
        return piece
