"""Which resources clients watch, and which of the clients are told when one changes.

Used by the server's handlers on its event loop. A store is asked for the state of what is watched each second: of a
file, its size and dates. So a note, a new generation of the graph and a removed document are all noticed.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any

import anyio
import anyio.to_thread

from kgfs.errors import KgfsError, TooLarge
from kgfs.mcp.resources import Tree

SECONDS = 1.0
MOST = 1000
"""Resources that are watched at once."""

log = logging.getLogger(__name__)


class Watching:
    """The resources that are watched."""

    def __init__(self, tree: Tree, changed: Callable[[str], Awaitable[None]], threads: anyio.CapacityLimiter) -> None:
        """``changed`` is told of the URI of each resource that changed. The store is asked on one of ``threads``."""
        self._tree, self._changed, self._threads = tree, changed, threads
        self._watched: Counter[str] = Counter()
        self._states: dict[str, Any] = {}

    async def add(self, uris: Sequence[str]) -> None:
        """Watch, once more each, from the state that they have now. ``TooLarge`` where too many are watched."""
        new = {uri for uri in uris if uri not in self._watched}
        if len(self._watched) + len(new) > MOST:
            raise TooLarge(f"{MOST:,} resources are watched already; unsubscribe from some.")
        self._watched.update(uris)
        for uri in new:
            await self._look(uri)

    def remove(self, uris: Iterable[str]) -> None:
        """Watch once less each."""
        for uri in uris:
            if self._watched[uri] <= 1:
                del self._watched[uri]
                self._states.pop(uri, None)
            else:
                self._watched[uri] -= 1

    async def run(self) -> None:
        """Look, until it is cancelled."""
        while True:
            for uri in list(self._watched):
                await self._look(uri)
            await anyio.sleep(SECONDS)

    async def _look(self, uri: str) -> None:
        try:
            state = await anyio.to_thread.run_sync(self._tree.state, uri, abandon_on_cancel=True, limiter=self._threads)
        except KgfsError as error:
            log.info("%s cannot be looked at now: %s", uri, error)
            return
        before = self._states.get(uri, state)
        self._states[uri] = state
        if state != before and uri in self._watched:
            await self._changed(uri)
