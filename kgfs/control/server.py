"""The serving end of the control socket: a Unix socket for its owner only, one request a connection.

Used by ``mountd`` and by a command that has the store open for long. One thread accepts, one thread a connection
answers (at most ``MAX_CONNECTIONS``). What a peer sends cannot hurt: a bad frame costs it its connection.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import select
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kgfs.callers import Caller, caller
from kgfs.control import frames, sockets
from kgfs.errors import Cancelled, ConflictError, DiskReadOnly, KgfsError, NoSpaceError

MAX_CONNECTIONS = 64
REQUEST_SECONDS = 10.0
"""A peer that has not sent its request by then is hung up on."""

LOOK_SECONDS = 1.0
"""How often it is looked whether the socket is still where commands look for it."""
ITEM_BATCH = 256
_ITEM_SECONDS = 0.2

Handler = Callable[[frames.Request, frames.Reply], dict[str, Any]]

log = logging.getLogger(__name__)


class Server:
    """Serves ``handler`` on the control socket of ``store`` from ``start`` to ``close``.

    The caller has the store open all the while, so nobody else may serve it.
    ``handler(request, reply)`` runs on the connection's thread; what it returns is the result, a ``KgfsError`` that it
    raises is the answer, anything else is logged and answered as a failure.
    """

    def __init__(self, store: Path, handler: Handler) -> None:
        self._store = store
        self._handler = handler
        self._directory: sockets.Directory | None = None
        self._listener: socket.socket | None = None
        self._inode: tuple[int, int] | None = None
        """Of the socket's file, where it has one."""
        self._thread: threading.Thread | None = None
        self._closing = threading.Event()
        self._lock = threading.Lock()
        self._connections: dict[socket.socket, threading.Thread] = {}

    def start(self) -> None:
        """Listen and begin to accept. ``ConflictError`` when another process answers there.

        Where there is no way to listen now, that is logged and tried again: the store is there all the same.
        """
        try:
            self._directory = sockets.Directory(self._store)
            self._listener, self._inode = sockets.listen(self._directory, MAX_CONNECTIONS)
        except OSError as error:
            log.warning("control socket: commands cannot reach this process now: %s", error)
        except ConflictError:
            if self._directory is not None:
                self._directory.close()
            raise
        self._thread = threading.Thread(target=self._accept, name="control", daemon=True)
        self._thread.start()

    def close(self, drain_seconds: float = 0.0) -> None:
        """Stop accepting, give the open connections ``drain_seconds`` to end, hang up on the rest."""
        if self._thread is None:
            return
        self._closing.set()
        with self._lock:
            if self._listener is not None:
                with contextlib.suppress(OSError):
                    self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts
        self._thread.join()
        self._thread = None
        if self._directory is not None:
            with contextlib.suppress(OSError):
                if self._inode is not None and self._directory.socket() == self._inode:  # not a successor's
                    self._directory.remove()
            self._directory.close()
        if self._listener is not None:
            self._listener.close()
        deadline = time.monotonic() + drain_seconds
        while self.busy and time.monotonic() < deadline:
            time.sleep(0.02)
        with self._lock:
            rest = list(self._connections.items())
        for connection, _ in rest:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for _, thread in rest:
            thread.join(timeout=5.0)

    @property
    def busy(self) -> bool:
        """Whether a request is being answered."""
        with self._lock:
            return bool(self._connections)

    def _accept(self) -> None:
        looked = time.monotonic()
        while not self._closing.is_set():
            if time.monotonic() - looked > LOOK_SECONDS:
                self._keep()
                looked = time.monotonic()
            if self._listener is None:
                self._closing.wait(LOOK_SECONDS)
                continue
            # An accept with a timeout would not see that the socket is shut down, and would spin until the timeout.
            if not _ready(self._listener, LOOK_SECONDS) or self._closing.is_set():
                continue
            self._listener.setblocking(False)
            try:
                connection, _ = self._listener.accept()
            except BlockingIOError:
                continue  # the peer is gone
            except OSError as error:
                if not self._closing.is_set():
                    log.warning("control socket: accept failed: %s", error)
                    self._closing.wait(0.1)  # out of descriptors: others will end
                continue
            if sockets.is_trusted(connection):
                self._begin(connection)
            else:
                connection.close()

    def _keep(self) -> None:
        """Make the socket again where it vanished (a cleaner, a user) or something else stands in its place."""
        if self._directory is None or (self._listener is not None and self._inode is None):
            return
        if self._listener is not None and self._directory.socket() == self._inode:
            return
        try:
            listener, inode = sockets.listen(self._directory, MAX_CONNECTIONS)
        except (OSError, KgfsError) as error:
            log.debug("control socket: it cannot be made again now: %s", error)
            return
        with self._lock:
            before, self._listener, self._inode = self._listener, listener, inode
        if before is not None:
            log.info("control socket: it was gone and was made again")
            before.close()

    def _begin(self, connection: socket.socket) -> None:
        """Have a thread answer, if there are not too many."""
        thread = threading.Thread(target=self._serve, args=(connection,), name="control-request", daemon=True)
        with self._lock:
            full = len(self._connections) >= MAX_CONNECTIONS
            if not full:
                self._connections[connection] = thread
        if full:
            connection.settimeout(1.0)
            with contextlib.suppress(OSError):
                frames.send(connection, _error(ConflictError("The daemon is busy; try again in a moment.")))
            connection.close()
        else:
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            with connection:
                self._answer(connection)
        except OSError:
            pass  # the peer is gone
        finally:
            with self._lock:
                self._connections.pop(connection, None)

    def _answer(self, connection: socket.socket) -> None:
        reply = _SocketReply(connection)
        try:
            request = _read_request(connection)
            if request is None:
                return
            caller.set(Caller(sockets.peer_pid(connection), request.command))
            result = self._handler(request, reply)
            reply.flush()
            frames.send(connection, frames.Answer(result=result))
        except Cancelled as error:
            frames.send(connection, _error(error))
        except KgfsError as error:
            reply.flush()
            frames.send(connection, _error(error))
        except OSError as error:
            if frames.gone(connection):
                return
            log.exception("control socket: request failed")
            frames.send(connection, _error(_explained(error)))
        except Exception as error:
            log.exception("control socket: request failed")
            name = type(error).__name__
            frames.send(connection, _error(KgfsError(f"The daemon failed ({name}); its log in the store says where.")))


class _SocketReply:
    """Gathers items into frames; everything else goes out at once."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._items: list[Any] = []
        self._since = time.monotonic()
        self.cancel = _HungUp(connection)

    def progress(self, progress: dict[str, Any]) -> None:
        self.flush()
        frames.send(self._connection, frames.Answer(progress=progress))

    def item(self, item: Any) -> None:
        self._items.append(item)
        if len(self._items) >= ITEM_BATCH or time.monotonic() - self._since > _ITEM_SECONDS:
            self.flush()

    def data(self, data: bytes) -> None:
        self.flush()
        frames.send(self._connection, frames.Answer(data=data))

    def flush(self) -> None:
        self._since = time.monotonic()
        if self._items:
            items, self._items = self._items, []
            frames.send(self._connection, frames.Answer(items=items))


class _HungUp:
    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    def is_set(self) -> bool:
        return frames.gone(self._connection)


def _ready(listener: socket.socket, seconds: float) -> bool:
    """Whether a peer waits, or the socket has been shut down, within ``seconds``."""
    waiting = select.poll()
    waiting.register(listener, select.POLLIN)
    return bool(waiting.poll(seconds * 1000))


def _read_request(connection: socket.socket) -> frames.Request | None:
    connection.settimeout(REQUEST_SECONDS)
    try:
        body = frames.receive(connection)
    except TimeoutError:
        raise frames.FrameError("No request came in time.") from None
    except OSError:
        return None
    connection.settimeout(None)  # an answer may wait for a pager
    return None if body is None else frames.decode_request(body)


def _explained(error: OSError) -> KgfsError:
    """An error of the system as one of ours, with the file that it is about."""
    said = f"{error.strerror or error}: {error.filename}" if error.filename else f"{error.strerror or error}"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return NoSpaceError(f"{said}; free some space and try again, nothing was lost.")
    if error.errno == errno.EROFS:
        return DiskReadOnly(f"{said}; make it writable and try again, nothing was lost.")
    return KgfsError(f"{said}; see the log of the store.")


def _error(error: KgfsError) -> frames.Answer:
    return frames.Answer(error={"kind": error.kind, "message": error.message})
