"""How a server asks a store: the process that has it open, or, where there is none, this one for a while.

Used by the handlers of the MCP server and of the website, on threads. Each question looks for the store's socket first,
so the server works beside a mount, without one, and when a daemon comes or goes. What is opened here is served on the
socket too, so that commands can ask meanwhile, and let go when nobody has asked for ``IDLE_SECONDS``, so that it can be
mounted.
"""

from __future__ import annotations

import contextlib
import functools
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kgfs.config import require_store
from kgfs.control import sockets
from kgfs.control.client import DaemonEnded, Receiver, RemoteSession
from kgfs.errors import Cancelled, StoreLocked

IDLE_SECONDS = 20.0
PATIENCE_SECONDS = 10.0
_LOOK_SECONDS = 2.0
_TRIES = 2


class Stop:
    """Ends a question from another thread. The process that answers it sees that nobody waits any more."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._connection: socket.socket | None = None
        self.stopped = False

    def stop(self) -> None:
        """End it, now or as soon as it is asked."""
        with self._lock:
            self.stopped = True
            if self._connection is not None:
                with contextlib.suppress(OSError):  # it is answered already
                    self._connection.shutdown(socket.SHUT_RDWR)

    def watch(self, connection: socket.socket) -> None:
        """This is where the answer comes. ``Cancelled`` where it was ended before."""
        with self._lock:
            if self.stopped:
                connection.close()
                raise Cancelled("Stopped.")
            self._connection = connection


class StoreAsking:
    """Asks one store. For any thread."""

    def __init__(self, store: Path) -> None:
        """``NotFoundError`` where there is no store."""
        require_store(store)
        self.store = store
        self._lock = threading.Lock()
        self._release: Callable[[], None] | None = None
        self._asked = time.monotonic()
        self._busy = 0
        self._ended = threading.Event()
        threading.Thread(target=self._watch, name="store", daemon=True).start()

    def call(
        self,
        command: str,
        arguments: dict[str, Any],
        receiver: Receiver | None = None,
        stop: Stop | None = None,
    ) -> dict[str, Any]:
        """One request, as ``control.client.Session`` has it; ``stop`` ends it. ``KgfsError``."""
        stop = stop or Stop()
        with self._lock:
            self._busy += 1
        try:
            for left in reversed(range(_TRIES)):
                try:
                    return self._session(stop).call(command, arguments, receiver)
                except DaemonEnded as error:
                    if stop.stopped:
                        raise Cancelled("Stopped.") from error
                    if not left:
                        raise
            raise AssertionError("unreachable")
        finally:
            with self._lock:
                self._busy -= 1
                self._asked = time.monotonic()

    def close(self) -> None:
        """Let go of the store."""
        self._ended.set()
        with self._lock:
            self._let_go()

    def _session(self, stop: Stop) -> RemoteSession:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            connection = sockets.connect(self.store)
            if connection is not None:
                stop.watch(connection)
                return RemoteSession(self.store, connection)
            try:
                with self._lock:
                    if self._release is None:
                        self._release = _serve(self.store)
            except StoreLocked:
                if stop.stopped or time.monotonic() > deadline:
                    raise
                time.sleep(0.1)

    def _watch(self) -> None:
        while not self._ended.wait(_LOOK_SECONDS):
            with self._lock:
                if not self._busy and time.monotonic() - self._asked > IDLE_SECONDS:
                    self._let_go()

    def _let_go(self) -> None:
        release, self._release = self._release, None
        if release is not None:
            release()


def _serve(store: Path) -> Callable[[], None]:
    """Open a store and serve its socket; returns what ends that. ``StoreLocked``."""
    from kgfs.control import answers
    from kgfs.control.server import Server
    from kgfs.service.service import Service

    with contextlib.ExitStack() as opened:
        service = Service.open(store)
        opened.callback(service.close)
        service.daemon = True  # what is written here is indexed without being asked for
        server = Server(store, functools.partial(answers.answer, service))
        server.start()
        opened.callback(server.close)
        return opened.pop_all().close
