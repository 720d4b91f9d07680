"""What the daemon (or a command) and its worker say to each other: frames (``kgfs.wire``) of one msgpack map each.

Used by ``kgfs.models.process`` (the parent's end), ``kgfs.worker`` (the child's), and in the same way by the processes
that the worker starts. Arguments and results stay encoded (``msgspec.Raw``) until somebody knows their type.
"""

from __future__ import annotations

import socket

import msgspec

from kgfs.errors import WorkerError
from kgfs.wire import Wire

MAX_FRAME = 1 << 30
"""Longest frame that either end accepts, in bytes."""
SHARED = "gazetteer"
"""The argument that many calls have, and that grows with the store: it goes to each process once."""
_AS_BEFORE = msgspec.Raw(msgspec.msgpack.encode(None))
"""What stands for it in the calls after that."""

_WIRE = Wire("the worker's connection", MAX_FRAME, WorkerError)


class Call(msgspec.Struct):
    """What the parent asks. ``arguments`` are encoded one by one, each by the type of the parameter it is for."""

    id: int
    call: str
    arguments: dict[str, msgspec.Raw]


class Failure(msgspec.Struct):
    """An error as it crosses: ``kind`` names the class (``kgfs.errors.from_kind``)."""

    kind: str
    message: str


class Reply(msgspec.Struct):
    """The child's reply: a result or an error."""

    id: int
    result: msgspec.Raw = msgspec.Raw(b"\xc0")
    error: Failure | None = None


class SharedArgument:
    """``SHARED`` as one end of a connection knows it. Both ends see the calls in one order."""

    def __init__(self) -> None:
        self._last: msgspec.Raw | None = None

    def send(self, connection: socket.socket, message: Call) -> None:
        """As ``send``, without the argument where the call before it had the same. One call at a time."""
        given = message.arguments.get(SHARED)
        if given is not None and (given is self._last or given == self._last):
            message = Call(message.id, message.call, message.arguments | {SHARED: _AS_BEFORE})
        send(connection, message)
        if given is not None:
            self._last = given

    def completed(self, message: Call) -> Call:
        """The call that came in, with its argument."""
        given = message.arguments.get(SHARED)
        if given == _AS_BEFORE and self._last is not None:
            message.arguments[SHARED] = self._last
        elif given is not None:
            self._last = given.copy()  # not a part of its frame
        return message


def send(connection: socket.socket, message: Call | Reply) -> None:
    """Send one frame. ``OSError`` when the other end is gone, ``WorkerError`` for a frame that is too long."""
    _WIRE.send(connection, msgspec.msgpack.encode(message))


def receive(connection: socket.socket) -> bytes | bytearray | None:
    """The next frame's bytes, or ``None`` where the other end closed between two frames.

    ``WorkerError`` for a frame that is too long or cut short.
    """
    return _WIRE.receive(connection)
