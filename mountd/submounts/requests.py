"""What the handlers of all requests for a submount share: its parts, and how an answer of the file system is put.

Used by ``directories``, ``files`` and ``submount``, on the loop's thread.
"""

from __future__ import annotations

import stat
from collections.abc import Callable

from pyfuse3 import EntryAttributes

from kgfs.filesystem import FileSystem, Stat
from kgfs.names import name_text
from mountd.changes import Changes
from mountd.guard import ErrorLog, Guarded
from mountd.kernel import Kernel, Orders
from mountd.submounts.calls import Calls
from mountd.submounts.inode_numbers import InodeNumbers
from mountd.submounts.listings import Listings
from mountd.submounts.open_handles import OpenHandles
from mountd.submounts.places import Places

CACHE_SECONDS = 3600


class Requests(Guarded):
    """One file system at one directory of the tree."""

    def __init__(
        self,
        name: str,
        file_system: FileSystem,
        number: int,
        root: int,
        handles: OpenHandles,
        errors: ErrorLog,
        *,
        read_only: bool = False,
        changes: Changes | None = None,
        areas: bool = False,
    ) -> None:
        """``number`` tells this one from the others of the mount; ``root`` is the node of the directory. ``changes`` is
        told of all that is changed; with ``areas`` each directory in the root is an area of its own there."""
        self.name = name
        self.file_system = file_system
        self.numbers = InodeNumbers(number, root)
        self.errors = errors
        self.mounted = False
        """Whether there is a kernel to put bytes into."""
        self.tell: Callable[[Orders], None] = lambda orders: None
        """Has the kernel drop things; returns when that is done."""
        self.kernel = Kernel()
        self.handles = handles
        self.read_only = read_only
        self.calls = Calls(name, file_system, read_only=read_only)
        self.places = Places(name, self.numbers, areas=areas)
        self.listings = Listings()
        self.changes = changes
        self.kept = False
        """Whether the kernel was told anything that it may keep."""
        self.edits = 0
        """Raised when a body begins to change, and when it has changed."""

    def entry(self, found: Stat) -> EntryAttributes:
        """The attributes of an inode as the kernel wants them."""
        entry = EntryAttributes()
        self.fill(entry, found)
        return entry

    def fill(self, entry: EntryAttributes, found: Stat) -> None:
        """Put the attributes of an inode into ``entry``."""
        entry.st_ino = self.numbers.kernels(found.ino)
        entry.st_mode = found.mode
        entry.st_nlink = found.nlink
        entry.st_uid = found.uid
        entry.st_gid = found.gid
        entry.st_rdev = found.rdev
        entry.st_size = found.size
        entry.st_blocks = found.blocks
        entry.st_atime_ns = found.atime_ns
        entry.st_mtime_ns = found.mtime_ns
        entry.st_ctime_ns = found.ctime_ns
        entry.attr_timeout = entry.entry_timeout = CACHE_SECONDS if found.lasting else 0
        self.kept = self.kept or found.lasting

    def made(self, operation: str, parent: int, name: bytes, found: Stat, pid: int) -> EntryAttributes:
        """The entry of a name that was made, counted as looked up."""
        self.kernel.made(parent, name_text(name))
        entry = self.counted(parent, name, found)
        self.tell_change(operation, pid, parent, name)
        return entry

    def counted(self, parent: int, name: bytes, found: Stat) -> EntryAttributes:
        """The entry of a name, counted as looked up."""
        entry = self.entry(found)
        self.kernel.count(entry.st_ino)
        self.places.note(entry.st_ino, parent, name, stat.S_ISDIR(found.mode))
        return entry

    def path(self, inode: int) -> str:
        """Where an inode stands in the tree of the mount, as far as that is known."""
        return self.places.path_of(inode)

    def tell_change(self, operation: str, pid: int, parent: int, name: bytes, size: int = 0) -> None:
        """Tell the audit trail that a name, or what it leads to, was changed."""
        if self.changes is not None:
            places = self.places
            self.changes.note(places.area(parent, name), operation, pid, places.path, parent, name, size)

    def tell_changed(self, operation: str, pid: int, inode: int, size: int = 0) -> None:
        """The same, of an inode."""
        if self.changes is not None:
            self.tell_change(operation, pid, *self.places.of(inode), size)
