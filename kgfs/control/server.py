"""The serving end of the control socket: a Unix socket for its owner only, one request a connection.

Used by ``mountd`` and by a command that has the store open for long. One thread accepts, one thread a connection
answers (at most ``MAX_CONNECTIONS``). What a peer sends cannot hurt: a bad frame costs it its connection.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import socket
import stat
import struct
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kgfs.control import frames
from kgfs.errors import Cancelled, ConflictError, KgfsError, StoreError

MAX_CONNECTIONS = 64
REQUEST_SECONDS = 10.0
"""A peer that has not sent its request by then is hung up on."""

ITEM_BATCH = 256
_ITEM_SECONDS = 0.2

Handler = Callable[[frames.Request, frames.Reply], dict[str, Any]]

log = logging.getLogger(__name__)


class Server:
    """Serves ``handler`` at ``path`` from ``start`` to ``close``.

    ``handler(request, reply)`` runs on the connection's thread; what it returns is the result, a ``KgfsError`` that it
    raises is the answer, anything else is logged and answered as a failure.
    """

    def __init__(self, path: Path, handler: Handler) -> None:
        self._path = path
        self._handler = handler
        self._listener: socket.socket | None = None
        self._inode: tuple[int, int] | None = None
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._connections: dict[socket.socket, threading.Thread] = {}

    def start(self) -> None:
        """Bind and begin to accept.

        ``ConflictError`` when another process answers there, ``StoreError`` when the directory is not private.
        """
        require_private(self._path.parent)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        try:
            self._bind(listener)
            listener.listen(MAX_CONNECTIONS)
        except BaseException:
            listener.close()
            raise
        status = self._path.lstat()
        self._inode = (status.st_dev, status.st_ino)
        self._listener = listener
        self._thread = threading.Thread(target=self._accept, args=(listener,), name="control", daemon=True)
        self._thread.start()

    def close(self, drain_seconds: float = 0.0) -> None:
        """Stop accepting, give the open connections ``drain_seconds`` to end, hang up on the rest."""
        if self._listener is None:
            return
        with contextlib.suppress(OSError):
            status = self._path.lstat()
            if (status.st_dev, status.st_ino) == self._inode:  # not a successor's
                self._path.unlink()
        listener, self._listener = self._listener, None
        with contextlib.suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)  # wakes accept
        listener.close()
        if self._thread is not None:
            self._thread.join()
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

    def _bind(self, listener: socket.socket) -> None:
        with frames.short_address(self._path) as address:
            previous = os.umask(0o177)
            try:
                try:
                    listener.bind(address)
                except OSError as error:
                    if error.errno != errno.EADDRINUSE:
                        raise
                    if frames.answers(self._path):
                        raise ConflictError(
                            "Another daemon serves this store; see `kgfs status`, stop it with `kgfs umount`."
                        ) from None
                    self._path.unlink(missing_ok=True)  # left by a process that was killed
                    listener.bind(address)
            finally:
                os.umask(previous)
        self._path.chmod(0o600)

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError as error:
                if self._listener is None:
                    return
                log.warning("control socket: accept failed: %s", error)
                time.sleep(0.1)  # out of descriptors: others will end
                continue
            if peer_uid(connection) not in (os.getuid(), 0):
                connection.close()
                continue
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
            frames.send(connection, _error(KgfsError(f"{error.strerror or error}; see the log of the store.")))
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


def _error(error: KgfsError) -> frames.Answer:
    return frames.Answer(error={"kind": error.kind, "message": error.message})


def require_private(directory: Path) -> None:
    """``StoreError`` unless ``directory`` is ours and closed to others, so that nobody can put a socket there."""
    status = directory.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o077:
        raise StoreError(f"{directory} must be a directory that only you may enter; mend it with `chmod 700`.")


def peer_uid(connection: socket.socket) -> int:
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return int(struct.unpack("3i", credentials)[1])
