"""Sockets that listen on this machine.

Used by the servers that speak HTTP.
"""

from __future__ import annotations

import socket

from kgfs.errors import ConflictError


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens there; port 0 is a free one. ``ConflictError`` where the port is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
        found.listen(128)
    except OSError as error:
        found.close()
        raise ConflictError(f"Port {port} of {host} cannot be used ({error.strerror}); choose another.") from error
    return found
