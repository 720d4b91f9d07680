"""What lies beneath a part of the mount in which everything is allowed: one small interface of a file system.

``mountd`` passes the kernel's requests to it, on threads of its own; ``kgfs.agentfs``, the overlay of a session and the
rows' drives (``kgfs.drives.row_files``) implement it. Nothing of ours is imported, nothing here runs.

Rules for code that implements it and for code that calls it:

* Every method is synchronous and may be called from several threads at once. Each fails with an ``OSError`` whose
  ``errno`` is what the kernel is told; nothing else is raised on purpose.
* Inode numbers are positive and the file system's own; the root is ``ROOT``. A name is bytes without ``/`` and NUL,
  never empty, ``.`` or ``..``; one longer than 255 bytes is ``ENAMETOOLONG``.
* Whether a caller may do something is the kernel's decision (``default_permissions``), sticky directories included.
  Here belongs what the kernel leaves: a new entry of a directory with the set-group-ID bit gets the directory's group,
  and a new directory the bit, too. ``mode`` comes with the umask applied.
* A call that returned was done and every later call sees it, but it is *durable* only after ``sync``.
* An inode without a name lives while somebody holds it. ``hold`` and ``release`` count; the caller holds an inode at
  least while a file or a directory of it is open, so that what was unlinked can still be read and written.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

import msgspec

ROOT = 1
"""The inode number of the root directory."""

RENAME_NOREPLACE = 1
RENAME_EXCHANGE = 2

KEEP_SIZE = 0x01
PUNCH_HOLE = 0x02
ZERO_RANGE = 0x10

XATTR_CREATE = 1
XATTR_REPLACE = 2

NAME_MAX = 255
"""Bytes of the longest name."""

NAME_TOO_LONG = f"A name is at most {NAME_MAX} bytes long."
NOTHING_TO_EXCHANGE = "There is nothing to exchange it with."
NOT_INTO_ITSELF = "A directory cannot be moved into itself."
"""What the errors of several file systems say."""


class Stat(msgspec.Struct, frozen=True, gc=False):
    """The attributes of an inode, as they are at this moment."""

    ino: int
    mode: int
    """The type and the permissions."""
    nlink: int
    uid: int
    gid: int
    rdev: int
    """The device, as ``os.makedev`` makes it; 0 for what is no device."""
    size: int
    blocks: int
    """Units of 512 bytes that are stored, so a hole counts nothing."""
    atime_ns: int
    mtime_ns: int
    ctime_ns: int
    lasting: bool = False
    """Whether this, the bytes, and that the name leads to it stays true until something is changed through the file
    system's methods, so that it may be kept."""


class Entry(NamedTuple):
    """One entry of a directory."""

    name: bytes
    ino: int
    mode: int


class Space(msgspec.Struct, frozen=True, gc=False):
    """How much room there is, in blocks of ``block_size`` bytes."""

    block_size: int
    blocks: int
    free: int
    available: int
    """What a user without privileges may use of ``free``."""
    files: int
    """How many inodes there can be."""
    files_free: int


class FileSystem(Protocol):
    """A file system that the kernel can be shown. The module's docstring has the rules."""

    def at_once(self, *inodes: int) -> AbstractContextManager[object] | None:
        """What to enter while a call about these inodes is made that is answered from memory; ``None`` where it may
        have to wait. It returns at once, too, so an event loop may ask, and then make the call itself, which costs a
        quarter of asking a thread. Not for ``list``, ``sync``, and what moves large bodies."""

    def lookup(self, parent: int, name: bytes) -> Stat:
        """The entry of a directory. ``ENOENT``, ``ENOTDIR``, ``ENAMETOOLONG``."""

    def getattr(self, ino: int) -> Stat:
        """The attributes of an inode. ``ENOENT``."""

    def setattr(
        self,
        ino: int,
        *,
        mode: int | None = None,
        uid: int | None = None,
        gid: int | None = None,
        size: int | None = None,
        atime_ns: int | None = None,
        mtime_ns: int | None = None,
    ) -> Stat:
        """Change what is given, and ctime. A file's new ``size`` cuts it or makes a hole at its end, and sets mtime
        unless it is given. Only the permissions of ``mode`` count. ``ENOENT``, ``EISDIR``, ``EINVAL``, ``EFBIG``.
        """

    def settled(self, ino: int) -> bool:
        """Whether a directory's names change only through these methods, so that it may be kept which there are and
        which there are not. ``False`` for what is unknown."""

    def list(self, ino: int) -> Sequence[Entry]:
        """All entries of a directory but ``.`` and ``..``. ``ENOENT``, ``ENOTDIR``."""

    def readlink(self, ino: int) -> bytes:
        """The target of a symbolic link, as it was given. ``ENOENT``, ``EINVAL``."""

    def make(self, parent: int, name: bytes, mode: int, rdev: int, uid: int, gid: int) -> Stat:
        """A new file, directory, FIFO, socket or device, by the type in ``mode``; no type is a file.

        ``EEXIST``, ``ENOENT``, ``ENOTDIR``, ``ENAMETOOLONG``, ``EMLINK``, ``EINVAL``.
        """

    def symlink(self, parent: int, name: bytes, target: bytes, uid: int, gid: int) -> Stat:
        """A new symbolic link; the target is kept byte for byte. The errors of ``make``."""

    def link(self, ino: int, new_parent: int, new_name: bytes) -> Stat:
        """One more name of an inode, which may have none (``tmpfile``). As ``make``; ``EPERM`` for directories."""

    def rename(self, old_parent: int, old_name: bytes, new_parent: int, new_name: bytes, flags: int) -> None:
        """Rename as ``renameat2`` does. A target that was replaced loses its name as by ``unlink`` or ``rmdir``.

        ``ENOENT``, ``ENOTDIR``, ``EISDIR``, ``ENOTEMPTY``, ``EEXIST``, ``EINVAL`` (into itself, or an unknown flag).
        """

    def unlink(self, parent: int, name: bytes) -> None:
        """Remove a name of what is no directory. ``ENOENT``, ``EISDIR``."""

    def rmdir(self, parent: int, name: bytes) -> None:
        """Remove an empty directory. ``ENOENT``, ``ENOTDIR``, ``ENOTEMPTY``."""

    def tmpfile(self, mode: int, uid: int, gid: int) -> Stat:
        """A new file without a name, *held once* for the caller, who releases it."""

    def hold(self, ino: int) -> None:
        """Keep an inode while it is open, even when its last name goes. ``ENOENT``."""

    def release(self, ino: int) -> None:
        """Let go of what ``hold`` kept; what has no name and is held by nobody is removed."""

    def read(self, ino: int, offset: int, size: int) -> bytes:
        """At most ``size`` bytes, fewer only at the end of the file. ``ENOENT``, ``EISDIR``, ``EINVAL``."""

    def write(self, ino: int, offset: int, data: bytes) -> int:
        """Write all of ``data``; returns its length. ``ENOENT``, ``EISDIR``, ``EINVAL``, ``EFBIG``, ``ENOSPC``."""

    def allocate(self, ino: int, mode: int, offset: int, length: int) -> None:
        """As ``fallocate``: make larger, ``KEEP_SIZE``, ``PUNCH_HOLE``, ``ZERO_RANGE``; else ``EOPNOTSUPP``."""

    def seek_data(self, ino: int, offset: int) -> int:
        """The first offset from ``offset`` on at which there is data. ``ENXIO`` where there is none."""

    def seek_hole(self, ino: int, offset: int) -> int:
        """The first offset from ``offset`` on in a hole; the end of the file counts as one. ``ENXIO`` beyond it."""

    def sync(self, ino: int | None = None) -> None:
        """Return when everything that was done to an inode and its names, or to all, is durable.

        Many callers that wait at the same time share one commit. ``EIO``, ``ENOSPC``.
        """

    def getxattr(self, ino: int, name: bytes) -> bytes:
        """An extended attribute. ``ENODATA``, ``ENOENT``."""

    def setxattr(self, ino: int, name: bytes, value: bytes, flags: int = 0) -> None:
        """Set one. ``EEXIST`` (``XATTR_CREATE``), ``ENODATA`` (``XATTR_REPLACE``), ``ERANGE``, ``E2BIG``."""

    def listxattr(self, ino: int) -> Sequence[bytes]:
        """The names of the attributes."""

    def removexattr(self, ino: int, name: bytes) -> None:
        """Remove one. ``ENODATA``."""

    def statfs(self) -> Space:
        """How much room there is."""
