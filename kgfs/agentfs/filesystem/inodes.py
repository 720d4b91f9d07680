"""An inode in memory: its attributes as they are now, and what of it is known without asking the database.

Used by the workspace, with its lock held. Times are nanoseconds since 1970; the tables have them as seconds, rounded
down, and nanoseconds from 0 to 999,999,999.
"""

from __future__ import annotations

import stat
import time

from kgfs.filesystem import Stat

SECOND = 1_000_000_000
SEEN_AGAIN = 24 * 3600 * SECOND
"""A reading is noted (atime) where none was since the last change, or for a day."""

_REALTIME_COARSE = 5
"""``CLOCK_REALTIME_COARSE`` of Linux, which Python does not name."""


def now_ns() -> int:
    """The time that is put on what changes: that of the kernel's last tick, as the kernel itself puts it on what is
    touched. With a finer clock a file that is touched right after it was made would become older."""
    return time.clock_gettime_ns(_REALTIME_COARSE)


class Inode:
    """One inode. The workspace changes it; ``changed`` says which layer has the last change that must be durable."""

    __slots__ = (
        "atime", "changed", "ctime", "directories", "entries", "gid", "held", "ino", "mode", "mtime", "nlink",
        "parent", "rdev", "size", "stamped", "stored", "target", "uid", "xattrs",
    )  # fmt: skip

    def __init__(
        self, ino: int, mode: int, nlink: int, uid: int, gid: int, rdev: int, size: int,
        atime: int, mtime: int, ctime: int, stored: int,
    ) -> None:  # fmt: skip
        self.ino = ino
        self.mode = mode
        self.nlink = nlink
        """The number of its names, of a directory too; the root has one."""
        self.uid = uid
        self.gid = gid
        self.rdev = rdev
        self.size = size
        self.atime = atime
        self.mtime = mtime
        self.ctime = ctime
        self.stored = stored
        """How many chunks it has; fewer than its size needs where there are holes."""
        self.entries = -1
        """Of a directory: how many entries it has; -1 where nobody counted yet."""
        self.directories = 0
        """How many of these are directories."""
        self.parent = 0
        """Of a directory: where it is, as far as that is known; else 0."""
        self.held = 0
        self.changed = 0
        self.stamped = ctime
        """What ctime was at the last change: each one has another, also within a tick."""
        self.target: bytes | None = None
        self.xattrs: dict[bytes, bytes] | None = None

    @property
    def is_directory(self) -> bool:
        return self.mode & 0o170000 == 0o040000

    @property
    def is_file(self) -> bool:
        return self.mode & 0o170000 == 0o100000

    def chunks(self, chunk_size: int) -> int:
        """How many chunks its size needs."""
        return -(-self.size // chunk_size)

    def attributes(self, chunk_size: int) -> Stat:
        """What ``stat`` shows."""
        nlink = self.nlink
        blocks = 0
        if self.is_directory:
            nlink = 2 + self.directories if nlink else 0
        elif self.stored:
            used = self.size if self.stored == self.chunks(chunk_size) else self.stored * chunk_size
            blocks = -(-used // 512)
        return Stat(
            self.ino, self.mode, nlink, self.uid, self.gid, self.rdev, self.size, blocks,
            self.atime, self.mtime, self.ctime, True,
        )  # fmt: skip

    def row(self) -> tuple[int, ...]:
        """The columns of ``fs_inode``, in the order of the layer's statement."""
        atime, mtime, ctime = divmod(self.atime, SECOND), divmod(self.mtime, SECOND), divmod(self.ctime, SECOND)
        return (
            self.ino, self.mode, self.nlink, self.uid, self.gid, self.size, atime[0], mtime[0], ctime[0], self.rdev,
            atime[1], mtime[1], ctime[1],
        )  # fmt: skip

    def was_read(self, now: int) -> bool:
        """Note that it was read; whether that changed it."""
        if self.atime > self.mtime and self.atime > self.ctime and now - self.atime < SEEN_AGAIN:
            return False
        if now <= self.atime:
            return False
        self.atime = now
        return True


_MOST_MODE = 0xFFFFFFFF
"""The largest mode that a system can tell, of 32 bits."""


def kind_is_known(mode: int) -> bool:
    """Whether the type in ``mode`` is one that an inode may have; a file of others may have any number there."""
    return 0 <= mode <= _MOST_MODE and stat.S_IFMT(mode) in (
        stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFSOCK,
    )  # fmt: skip
