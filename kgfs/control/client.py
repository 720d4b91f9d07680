"""How a command reaches a store: the process that has it open, over its socket, or a service of the command's own.

Used by ``kgfs.cli`` on its main thread. Both kinds of session answer by the same code (``control.answers``); which one
it is makes no difference to what a command prints. No engine is imported unless the store is opened here.
"""

from __future__ import annotations

import contextlib
import functools
import os
import select
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Protocol

from kgfs import mounts
from kgfs.config import SOCKET, is_store, require_store
from kgfs.control import frames, sockets
from kgfs.errors import ConflictError, KgfsError, StoreLocked, from_kind
from kgfs.progress import Progress

if TYPE_CHECKING:
    from kgfs.service.service import Service

PATIENCE_SECONDS = 10.0
"""How long a command waits for another that has the store open and answers on no socket (it starts or ends)."""
MOUNTED_SECONDS = 5.0
"""How long a command waits for the daemon of a mount, which makes a socket that is gone again within a second."""

LOOK_SECONDS = 1.0
"""How often it is looked whether the process that owes an answer can give one."""


class Receiver(Protocol):
    """What a command does with the parts of an answer, in order."""

    def progress(self, progress: dict[str, Any]) -> None: ...
    def item(self, item: Any) -> None: ...
    def data(self, data: bytes) -> None: ...


class Discard:
    """A receiver for commands whose answer is its result alone; a base for those that want one part."""

    def progress(self, progress: dict[str, Any]) -> None:
        pass

    def item(self, item: Any) -> None:
        pass

    def data(self, data: bytes) -> None:
        pass


class Gathered(Discard):
    """A receiver that keeps what comes."""

    def __init__(self) -> None:
        self.bytes = bytearray()
        self.items: list[Any] = []

    def item(self, item: Any) -> None:
        self.items.append(item)

    def data(self, data: bytes) -> None:
        self.bytes += data


class Session(Protocol):
    """A store that can be asked."""

    store: Path
    remote: bool

    def call(self, command: str, arguments: dict[str, Any], receiver: Receiver | None = None) -> dict[str, Any]: ...


class DaemonEnded(KgfsError):
    """The process that was asked ended before it had answered. What it had done by then stays."""


class RemoteSession:
    """Asks the process that serves a store's socket; ``call`` may raise any ``KgfsError`` that happened there."""

    remote = True
    interrupted = False
    """A Ctrl-C raises at once: nothing is asked to stop at a safe point."""

    def __init__(self, store: Path, connection: socket.socket) -> None:
        self.store = store
        self._connection: socket.socket | None = connection

    def call(self, command: str, arguments: dict[str, Any], receiver: Receiver | None = None) -> dict[str, Any]:
        """Send one request and hand its parts to ``receiver``. An exception in between hangs up, which cancels."""
        receiver = receiver or Discard()
        connection, self._connection = self._connection, None
        if connection is None:
            connection = sockets.connect(self.store)
            if connection is None:
                raise DaemonEnded("The daemon ended; run the command again.")
        with connection:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # refused unread: the answer says why
                frames.send(connection, frames.Request(command, arguments, _cwd()))
            while True:
                try:
                    _wait(connection, self.store)
                    body = frames.receive(connection)
                except ConnectionResetError:
                    body = None
                if body is None:
                    raise DaemonEnded("The daemon ended before it had answered; run the command again.")
                answer = frames.decode_answer(body)
                if answer.progress is not None:
                    receiver.progress(answer.progress)
                elif answer.items is not None:
                    for item in answer.items:
                        receiver.item(item)
                elif answer.data is not None:
                    receiver.data(answer.data)
                elif answer.error is not None:
                    raise from_kind(str(answer.error.get("kind")), str(answer.error.get("message")))
                else:
                    return answer.result or {}

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()


def _wait(connection: socket.socket, store: Path) -> None:
    """Wait for the next part of an answer. ``ConflictError`` where the process that owes it stands still: somebody
    stopped it (Ctrl-Z, ``kill -STOP``), and nobody would ever answer."""
    arrives = select.poll()
    arrives.register(connection, select.POLLIN)
    stopped = 0
    while not arrives.poll(LOOK_SECONDS * 1000):
        pid = sockets.peer_pid(connection)
        stopped = stopped + 1 if _is_stopped(pid) else 0
        if stopped > 1:
            raise ConflictError(
                f"Process {pid}, which has the store {store} open, is stopped; let it go on (kill -CONT {pid}), or end"
                f" it (kill -KILL {pid})."
            )


def _is_stopped(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return False
    return state == "T"


class LocalSession:
    """Answers from a service in this process. While a job runs it serves the socket, so that others can ask too."""

    remote = False
    interrupted = False
    """Whether Ctrl-C came behind the last safe point of the last job, which ended as if nothing had come.

    What would go on has to end."""

    def __init__(
        self,
        store: Path,
        handler: Callable[[frames.Request, frames.Reply], dict[str, Any]],
        end: Callable[[], None],
    ) -> None:
        """``handler`` answers a request; ``end`` closes what it answers from."""
        self.store = store
        self._handler, self._end = handler, end

    def call(self, command: str, arguments: dict[str, Any], receiver: Receiver | None = None) -> dict[str, Any]:
        from kgfs.control import answers

        cancel = threading.Event()
        reply = _LocalReply(receiver or Discard(), cancel)
        request = frames.Request(command, arguments, _cwd())
        if command not in answers.JOBS:
            return self._handler(request, reply)
        with _interrupts(cancel), self._serving(cancel):
            result = self._handler(request, reply)
        self.interrupted = cancel.is_set()
        return result

    @contextlib.contextmanager
    def _serving(self, cancel: threading.Event) -> Iterator[None]:
        from kgfs.control.server import Server

        server = Server(self.store, self._handler)
        server.start()
        try:
            yield
        finally:
            # A client that asked meanwhile gets an answer, unless the user wants to end.
            server.close(drain_seconds=0.0 if cancel.is_set() else 3600.0)

    def close(self) -> None:
        self._end()


class _LocalReply:
    def __init__(self, receiver: Receiver, cancel: threading.Event) -> None:
        self.cancel = cancel
        self.progress: Progress = receiver.progress
        self.item: Callable[[Any], None] = receiver.item
        self.data: Callable[[bytes], None] = receiver.data


@contextlib.contextmanager
def open_session(
    store: Path,
    *,
    create: bool = False,
    waiting: Callable[[str], None] | None = None,
    patience: float = PATIENCE_SECONDS,
) -> Iterator[RemoteSession | LocalSession]:
    """A session with ``store``, closed at the end.

    ``create`` makes a store where there is none, else that is ``NotFoundError``. A store that another process has open
    without serving it is waited for, ``patience`` seconds (``waiting`` is told), and then is ``StoreLocked``.
    """
    began = time.monotonic()
    told = False
    while True:
        connection = sockets.connect(store)
        if connection is not None:
            remote = RemoteSession(store, connection)
            try:
                yield remote
            finally:
                remote.close()
            return
        if not (create or is_store(store)):
            require_store(store)
        try:
            service = _open_service(store, create)
            break
        except StoreLocked as error:
            mounted = mounts.mounts_of(store)
            if time.monotonic() - began > (MOUNTED_SECONDS if mounted else patience):
                if mounted:
                    raise _out_of_reach(store, mounted[-1].mountpoint) from error
                raise
            if waiting is not None and not told and not mounted:
                waiting(error.message)
                told = True
            time.sleep(0.1)
    from kgfs.control import answers

    local = LocalSession(store, functools.partial(answers.answer, service), service.close)
    try:
        yield local
    finally:
        local.close()


def _out_of_reach(store: Path, mountpoint: Path) -> StoreLocked:
    return StoreLocked(
        f"The store {store} is mounted at {mountpoint}, but the daemon that has it does not answer on its socket"
        f" {store / SOCKET}; read it at {mountpoint}, or run `kgfs umount {mountpoint}` and then this again."
    )


def _open_service(store: Path, create: bool) -> Service:
    from kgfs.service.service import Service

    return Service.open(store, create=create)


def _cwd() -> bytes:
    try:
        return os.getcwdb()
    except FileNotFoundError:
        return b"/"


@contextlib.contextmanager
def _interrupts(cancel: threading.Event) -> Iterator[None]:
    """Ctrl-C asks the work to stop at its next safe point; a second one stops at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        if cancel.is_set():
            raise KeyboardInterrupt
        cancel.set()

    previous = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)
