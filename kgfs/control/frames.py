"""What is said on the control socket: a request and the frames (``kgfs.wire``) that answer it.

Used by ``control.server`` (a thread a connection) and ``control.client`` (the command's main thread). A frame is one
msgpack value. A connection carries one request; its answer is any number of ``progress``, ``items`` and ``data`` frames
and then one ``result`` or ``error``. The client hangs up to cancel.
"""

from __future__ import annotations

import select
import socket
from typing import Any, Protocol

import msgspec

from kgfs.errors import KgfsError
from kgfs.model import prepared
from kgfs.names import changed_texts, name_bytes, name_text
from kgfs.progress import Cancel
from kgfs.wire import Wire

MAX_FRAME = 16 * 1024 * 1024
"""Longest frame that either end accepts, in bytes."""


_BYTE_TEXT = 1
"""The msgpack extension for a text that is no UTF-8: its bytes."""


class FrameError(KgfsError):
    """The other end of the control socket does not speak the protocol; are both of one version?"""

    kind = "protocol"


def converted(given: Any, kind: Any, refusal: str = "The request lacks an argument, or has another") -> Any:
    """What a peer gave, as an instance of ``kind``; a ``FrameError`` that begins with ``refusal`` where it is none.

    Text may have bytes that are no UTF-8 where the kind has bytes: that raises ``UnicodeError``.
    """
    try:
        return msgspec.convert(given, prepared(kind))
    except (msgspec.ValidationError, UnicodeError) as error:
        raise FrameError(f"{refusal}: {error}.") from error


def argument(arguments: dict[str, Any], name: str, kind: Any, default: Any = None) -> Any:
    """An argument of a request, as what it must be. ``FrameError`` where it is missing or something else."""
    return converted(arguments.get(name, default), kind, f"The request lacks its argument {name!r}, or has another")


_WIRE = Wire("the control socket", MAX_FRAME, FrameError)


class Request(msgspec.Struct, forbid_unknown_fields=True):
    """What a command asks. Host paths are bytes (they need not be UTF-8)."""

    command: str
    arguments: dict[str, Any] = {}
    cwd: bytes = b"/"


class Answer(msgspec.Struct, omit_defaults=True):
    """One frame of an answer; exactly one field is set."""

    progress: dict[str, Any] | None = None
    items: list[Any] | None = None
    data: bytes | None = None
    result: dict[str, Any] | None = None
    error: dict[str, Any] | None = None


class Reply(Protocol):
    """Where the code that answers a request puts what it finds, in order."""

    @property
    def cancel(self) -> Cancel: ...
    def progress(self, progress: dict[str, Any]) -> None: ...
    def item(self, item: Any) -> None: ...
    def data(self, data: bytes) -> None: ...


def send(connection: socket.socket, message: msgspec.Struct) -> None:
    """Send one frame. ``OSError`` when the other end is gone, ``FrameError`` for a frame that is too long."""
    _WIRE.send(connection, _encoded(message))


def receive(connection: socket.socket) -> bytes | bytearray | None:
    """The next frame's bytes, or ``None`` where the other end closed between two frames.

    ``FrameError`` for a frame that is too long or cut short.
    """
    return _WIRE.receive(connection)


def _encoded(message: msgspec.Struct) -> bytes:
    try:
        return msgspec.msgpack.encode(message)
    except UnicodeEncodeError:  # paths of files are any bytes
        changed = changed_texts(
            msgspec.structs.asdict(message), lambda text: msgspec.msgpack.Ext(_BYTE_TEXT, name_bytes(text))
        )
        return msgspec.msgpack.encode(type(message)(**changed))


def _text(code: int, data: memoryview) -> str:
    if code != _BYTE_TEXT:
        raise msgspec.DecodeError(f"an extension {code} is not known")
    return name_text(bytes(data))


def decode_request(body: bytes | bytearray) -> Request:
    """``FrameError`` for anything that is no request."""
    try:
        return msgspec.msgpack.decode(body, type=prepared(Request), ext_hook=_text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise FrameError(f"That is no request: {error}.") from error


def decode_answer(body: bytes | bytearray) -> Answer:
    """``FrameError`` for anything that is no answer."""
    try:
        return msgspec.msgpack.decode(body, type=prepared(Answer), ext_hook=_text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise FrameError(f"That is no answer: {error}.") from error


def gone(connection: socket.socket) -> bool:
    """Whether the other end hung up (a client sends nothing after its request)."""
    try:
        # poll, not select: a daemon may have more than 1,024 descriptors.
        poll = select.poll()
        poll.register(connection, select.POLLIN | select.POLLHUP)
        if not poll.poll(0):
            return False
        return connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
    except BlockingIOError:
        return False
    except (OSError, ValueError):
        return True
