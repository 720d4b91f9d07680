"""Opens paths as a process in the sandbox would, from outside it: beneath a directory that stands for ``/``.

Used by the file tools. The kernel resolves the whole path in one call, so no link, no ``..`` and no program that
changes the tree meanwhile leads out of that directory. The mounts in it decide what may be written.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import stat
import struct
from collections.abc import Iterator

_LIBC = ctypes.CDLL(None, use_errno=True)
_OPENAT2 = 437
"""Its number on x86, ARM, RISC-V, POWER and s390 alike."""
_NO_MAGIC_LINKS, _IN_ROOT = 0x02, 0x10
_TRIES = 100
"""The kernel gives up where something is renamed while it resolves ``..``."""

Root = int
"""A descriptor of the directory that stands for ``/``."""


def open_beneath(root: Root, path: str, flags: int, mode: int = 0) -> int:
    """A descriptor of a path; absolute paths and links start at ``root`` too. ``OSError`` as ``open`` raises it.

    Magic links of ``/proc`` are ``ELOOP``. A kernel before Linux 5.6 is ``ENOSYS``.
    """
    text = os.fsencode(path)
    if b"\0" in text:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), path)
    how = struct.pack("QQQ", flags | os.O_CLOEXEC, mode, _NO_MAGIC_LINKS | _IN_ROOT)
    for _ in range(_TRIES):
        opened: int = _LIBC.syscall(ctypes.c_long(_OPENAT2), root, text, how, ctypes.c_size_t(len(how)))
        if opened >= 0:
            return opened
        if ctypes.get_errno() not in (errno.EAGAIN, errno.EINTR):
            break
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), path)


@contextlib.contextmanager
def found(root: Root, path: str) -> Iterator[int]:
    """What a path names, whatever it is: a descriptor that opens nothing, so that no device or pipe is touched."""
    opened = open_beneath(root, path, os.O_PATH)
    try:
        yield opened
    finally:
        os.close(opened)


def opened_again(file: int, flags: int) -> int:
    """Open what a descriptor of :func:`found` names; nothing can have been put in its place."""
    return os.open(f"/proc/self/fd/{file}", flags | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK)


def location_of(file: int) -> str:
    """The path of an opened file in the tree of the sandbox, without links."""
    return os.readlink(f"/proc/self/fd/{file}")


def kind_of(mode: int) -> str:
    """What a file is, as tools and messages name it."""
    kinds = {
        stat.S_IFREG: "file", stat.S_IFDIR: "directory", stat.S_IFLNK: "link", stat.S_IFIFO: "pipe",
        stat.S_IFSOCK: "socket", stat.S_IFCHR: "device", stat.S_IFBLK: "device",
    }  # fmt: skip
    return kinds.get(stat.S_IFMT(mode), "unknown")
