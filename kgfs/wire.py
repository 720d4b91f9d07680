"""Frames on a stream socket: four bytes of length, big endian, and so many bytes.

Used by the two protocols that are made of them: ``kgfs.models.framing`` (daemon and worker) and ``kgfs.control.frames``
(command and daemon). Pure but for the socket calls; safe in any thread as long as one at a time reads and one writes.
"""

from __future__ import annotations

import socket
import struct

from kgfs.errors import KgfsError

_LENGTH = struct.Struct(">I")
_RUN = 1 << 20


class Wire:
    """One protocol's way with frames: none is longer than ``most`` bytes, and what is wrong is an ``error``.

    ``name`` is what messages call the connection (``the control socket``).
    """

    def __init__(self, name: str, most: int, error: type[KgfsError]) -> None:
        self._name = name
        self._most = most
        self._error = error

    def send(self, connection: socket.socket, body: bytes) -> None:
        """Send one frame. ``OSError`` when the other end is gone, the protocol's error for one that is too long."""
        if len(body) > self._most:
            raise self._error(f"A message of {len(body)} bytes is too long for {self._name} (at most {self._most}).")
        if len(body) <= _RUN:
            connection.sendall(_LENGTH.pack(len(body)) + body)
        else:
            connection.sendall(_LENGTH.pack(len(body)))
            connection.sendall(body)

    def receive(self, connection: socket.socket) -> bytes | bytearray | None:
        """The next frame's bytes, or ``None`` where the other end closed between two frames.

        The protocol's error for a frame that is too long or cut short. Memory grows with what arrives, not with what
        is claimed.
        """
        head = _exactly(connection, _LENGTH.size)
        if not head:
            return None
        if len(head) < _LENGTH.size:
            raise self._error(f"The connection ended within a frame's length on {self._name}.")
        (length,) = _LENGTH.unpack(head)
        if length > self._most:
            raise self._error(f"A frame of {length} bytes came on {self._name} (at most {self._most}).")
        body = _exactly(connection, length)
        if len(body) < length:
            raise self._error(f"The connection ended {length - len(body)} bytes short of a frame on {self._name}.")
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
