"""The control socket of a store: where it is, and who may be at its ends.

Used by ``control.server`` and ``control.client``. It stands in the store itself, so it is where the store is, for
those who may open the store, and as private. Everything goes through a descriptor of the store's directory: what was
looked at is what is used, however long the path is. Where the directory can hold no socket that could be trusted (its
file system has none, nothing may be written there, it is not ours), the kernel keeps the name (an abstract address).
Either way the credentials of the process at the other end decide.
"""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import stat
import struct
from collections.abc import Iterator
from pathlib import Path

from kgfs.config import SOCKET
from kgfs.errors import ConflictError, StoreError

_PEER = struct.Struct("3i")
"""The kernel's ``struct ucred``: process, user, group."""
_SECONDS = 2.0


class Directory:
    """A store's directory, held open. ``OSError`` where there is none."""

    def __init__(self, store: Path) -> None:
        self.store = store
        self._descriptor = os.open(store, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)

    def close(self) -> None:
        os.close(self._descriptor)

    def __enter__(self) -> Directory:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def address(self) -> str:
        """That of the socket in the directory, short enough for the kernel (108 bytes)."""
        return f"/proc/self/fd/{self._descriptor}/{SOCKET}"

    @property
    def abstract(self) -> str:
        """The address where the directory can hold no socket. No other directory has it while this one is open."""
        found = os.fstat(self._descriptor)
        return f"\0kgfs/{found.st_dev:x}/{found.st_ino:x}"

    def private(self) -> bool:
        """Whether nobody but us and root decides what stands in it, or those of its group whom its owner lets."""
        found = os.fstat(self._descriptor)
        return found.st_uid in _trusted() and not found.st_mode & stat.S_IWOTH

    def socket(self) -> tuple[int, int] | None:
        """Device and inode of the socket that stands in it, a link is none; ``None`` without one."""
        try:
            found = os.stat(SOCKET, dir_fd=self._descriptor, follow_symlinks=False)
        except OSError:
            return None
        return (found.st_dev, found.st_ino) if stat.S_ISSOCK(found.st_mode) else None

    def remove(self) -> None:
        """Remove what stands in the socket's place; ``OSError``."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(SOCKET, dir_fd=self._descriptor)


def connect(store: Path) -> socket.socket | None:
    """A connection to the process that serves ``store``, or ``None`` where there is none.

    ``StoreError`` where a process of another user serves it: it is told nothing.
    """
    try:
        directory = Directory(store)
    except OSError:
        return None
    with directory:
        if not directory.private() or directory.socket() is None:
            return _kept_by_the_kernel(directory)
        with _closed_on_error() as connection:
            try:
                connection.connect(directory.address)
            except (ConnectionRefusedError, FileNotFoundError):  # left by a process that was killed, or just gone
                connection.close()
                return _kept_by_the_kernel(directory)
            except PermissionError as error:
                raise _foreign(store, None) from error
            if not is_trusted(connection):
                raise _foreign(store, peer_user(connection))
            return connection


def _kept_by_the_kernel(directory: Directory) -> socket.socket | None:
    """A connection to the abstract address. Anybody can take that, so what is not ours counts as nobody."""
    with _closed_on_error() as connection:
        connection.setblocking(False)  # a stranger who accepts nothing must not hold us up
        try:
            connection.connect(directory.abstract)
            if is_trusted(connection):
                connection.setblocking(True)
                return connection
        except OSError:
            pass
        connection.close()
        return None


def _foreign(store: Path, user: int | None) -> StoreError:
    who = "another user" if user is None else f"another user ({user})"
    return StoreError(
        f"The store {store} is served by a process of {who}, which was told nothing; run the command as that user, or"
        f" remove {store / SOCKET} if nobody should be serving it."
    )


def listen(directory: Directory, backlog: int) -> tuple[socket.socket, tuple[int, int] | None]:
    """A socket that listens for a store, and device and inode of its file; ``None`` where the kernel keeps the name.

    The caller has the store open, which one process may, so what else stands there was left by one that was killed.
    ``ConflictError`` where somebody answers nevertheless, ``OSError`` where there is no way to listen.
    """
    if directory.private():
        with contextlib.suppress(OSError), _closed_on_error() as listener:
            os.fchmod(listener.fileno(), 0o600)  # the file gets these; no umask is changed under other threads
            try:
                listener.bind(directory.address)
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise
                _refuse_taken(directory)
                directory.remove()
                listener.bind(directory.address)
            listener.listen(backlog)
            return listener, directory.socket()
    with _closed_on_error() as listener:
        listener.bind(directory.abstract)
        listener.listen(backlog)
        return listener, None


def _refuse_taken(directory: Directory) -> None:
    """``ConflictError`` where a process that we trust answers in the directory."""
    if directory.socket() is None:
        return
    with _new() as probe:
        probe.settimeout(_SECONDS)
        try:
            probe.connect(directory.address)
            if not is_trusted(probe):
                return
        except (TimeoutError, BlockingIOError):
            pass  # it has more to do than it can
        except OSError:
            return
    raise ConflictError("Another daemon serves this store; see `kgfs status`, stop it with `kgfs umount`.")


def peer_user(connection: socket.socket) -> int:
    """The user of the process at the other end, as the kernel noted it when that connected or began to listen."""
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)
    return int(_PEER.unpack(credentials)[1])


def peer_pid(connection: socket.socket) -> int:
    """The process at the other end."""
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)
    return int(_PEER.unpack(credentials)[0])


def is_trusted(connection: socket.socket) -> bool:
    """Whether the process at the other end is ours or root's."""
    return peer_user(connection) in _trusted()


def _trusted() -> tuple[int, int]:
    return os.geteuid(), 0


def _new() -> socket.socket:
    return socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)


@contextlib.contextmanager
def _closed_on_error() -> Iterator[socket.socket]:
    """A new socket, which is closed if the block raises."""
    made = _new()
    try:
        yield made
    except BaseException:
        made.close()
        raise
