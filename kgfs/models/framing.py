"""The wire between the daemon (or a command) and its worker: a length, then one msgpack value.

Used by ``kgfs.models.process`` (the parent's end) and ``kgfs.worker`` (the child's). A frame is four bytes of length,
big endian, and a map; arguments and results stay encoded (``msgspec.Raw``) until somebody knows their type. Pure but
for the socket calls; safe in any thread as long as one thread at a time reads and one at a time writes.
"""

from __future__ import annotations

import socket
import struct

import msgspec

from kgfs.errors import WorkerError

MAX_FRAME = 1 << 30
"""Longest frame that either end accepts, in bytes: a file's content crosses in one."""

_LENGTH = struct.Struct(">I")
_RUN = 1 << 20


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
    """What the child answers: a result, or an error."""

    id: int
    result: msgspec.Raw = msgspec.Raw(b"\xc0")
    error: Failure | None = None


def send(connection: socket.socket, message: Call | Reply) -> None:
    """Send one frame. ``OSError`` when the other end is gone, ``WorkerError`` for a frame that is too long."""
    body = msgspec.msgpack.encode(message)
    if len(body) > MAX_FRAME:
        raise WorkerError(f"A message of {len(body)} bytes is too long for the worker; leave this file out.")
    if len(body) <= _RUN:
        connection.sendall(_LENGTH.pack(len(body)) + body)
    else:
        connection.sendall(_LENGTH.pack(len(body)))
        connection.sendall(body)


def receive(connection: socket.socket) -> bytes | bytearray | None:
    """The next frame's bytes, or ``None`` where the other end closed between two frames.

    ``WorkerError`` for a frame that is too long or cut short. Memory grows with what arrives, not with what is claimed.
    """
    head = _exactly(connection, _LENGTH.size)
    if not head:
        return None
    if len(head) < _LENGTH.size:
        raise WorkerError("The worker's connection ended within a frame's length.")
    (length,) = _LENGTH.unpack(head)
    if length > MAX_FRAME:
        raise WorkerError(f"A frame of {length} bytes came from the worker's connection (at most {MAX_FRAME}).")
    body = _exactly(connection, length)
    if len(body) < length:
        raise WorkerError(f"The worker's connection ended {length - len(body)} bytes short of a frame.")
    return body


def _exactly(connection: socket.socket, length: int) -> bytes | bytearray:
    """``length`` bytes, or fewer where the other end closed."""
    data = bytearray()
    while len(data) < length:
        try:
            part = connection.recv(min(length - len(data), _RUN))
        except ConnectionResetError:
            break
        if not part:
            break
        data += part
    return data
