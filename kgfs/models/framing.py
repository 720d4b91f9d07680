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


def send(connection: socket.socket, message: Call | Reply) -> None:
    """Send one frame. ``OSError`` when the other end is gone, ``WorkerError`` for a frame that is too long."""
    _WIRE.send(connection, msgspec.msgpack.encode(message))


def receive(connection: socket.socket) -> bytes | bytearray | None:
    """The next frame's bytes, or ``None`` where the other end closed between two frames.

    ``WorkerError`` for a frame that is too long or cut short.
    """
    return _WIRE.receive(connection)
