"""Loader processes as the worker sees them: one page at a time each, replaced when it dies or grew large.

Used by ``kgfs.worker`` on the threads of its lane ``load``; the other end is ``kgfs.sources.web.loader_child``.
"""

from __future__ import annotations

import threading

from kgfs.child import Helper
from kgfs.config import Config
from kgfs.errors import DeadlineExceeded, WorkerError
from kgfs.model import Loaded, LoadRequest

SECONDS = 330.0
"""One page takes no longer, whatever the agent and HTTP do: they have shorter deadlines of their own."""
KEPT_BYTES = 300 * 1024 * 1024
"""A loader that has grown larger than this gives its memory back by ending."""


class Loaders:
    """As many loader processes as there are pages loaded at once; each is started when it is first needed."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._idle: list[Helper] = []
        self._lock = threading.Lock()

    def load(self, request: LoadRequest) -> Loaded:
        """Load a page; a loader that breaks down on it is a failure of this page."""
        with self._lock:
            loader = self._idle.pop() if self._idle else None
        if loader is None or not loader.is_running():
            loader = Helper("kgfs.sources.web.loader_child", self._config, SECONDS, "", limited=True)
        try:
            found: Loaded = loader.call(Loaded, request=request)
        except (WorkerError, DeadlineExceeded) as error:
            loader.end()
            return Loaded(state="failed", url=request.url, reason=f"{request.url} could not be loaded ({error}).")
        except BaseException:
            loader.end()
            raise
        held = loader.memory()
        if held is None or held > KEPT_BYTES:
            loader.end()
        else:
            with self._lock:
                self._idle.append(loader)
        return found

    def idle(self) -> list[int]:
        """The processes that wait for a page."""
        with self._lock:
            return [loader.pid for loader in self._idle]

    def close(self) -> None:
        """End the processes that wait; those at work end when they are done."""
        with self._lock:
            idle, self._idle = self._idle, []
        for loader in idle:
            loader.end()
