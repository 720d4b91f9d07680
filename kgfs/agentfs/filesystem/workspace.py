"""The workspace: the file system in the ``fs_*`` tables of ``agent.db``, with all that POSIX asks of one.

Used by ``mountd``, by import and export and by sessions, through ``kgfs.filesystem.FileSystem``, from any thread. Names
and attributes that were asked for stay in memory, and changes do until they are committed
(``kgfs.agentfs.filesystem.layers``), so most calls ask the database nothing. One lock guards all of it; a commit holds
it only while it takes the changes.
"""

from __future__ import annotations

import errno
import os
import stat
import threading
from collections.abc import Sequence
from contextlib import AbstractContextManager

from kgfs.agentfs.database import AgentDatabase
from kgfs.agentfs.filesystem.commits import Commits
from kgfs.agentfs.filesystem.contents import Contents
from kgfs.agentfs.filesystem.inode_table import InodeTable
from kgfs.agentfs.filesystem.inodes import Inode, kind_is_known, now_ns
from kgfs.agentfs.filesystem.layers import Layers
from kgfs.agentfs.filesystem.stored import StoredFiles
from kgfs.filesystem import (
    KEEP_SIZE,
    NAME_MAX,
    NOTHING_TO_EXCHANGE,
    PUNCH_HOLE,
    RENAME_EXCHANGE,
    RENAME_NOREPLACE,
    XATTR_CREATE,
    XATTR_REPLACE,
    ZERO_RANGE,
    Entry,
    Space,
    Stat,
)

TARGET_MAX = 4095
XATTR_MAX = 65536
LARGEST = (1 << 63) - 1
RESERVE_BYTES = 16 << 20
"""With less free space on the disk nothing is added."""
PERMISSIONS = 0o7777


class Workspace:
    """A ``kgfs.filesystem.FileSystem`` over an open ``agent.db``. ``close`` commits what is left."""

    def __init__(self, database: AgentDatabase, *, reserve: int = RESERVE_BYTES) -> None:
        """``reserve`` is how much free space the disk must keep. One process at a time may have one of a file."""
        self._database = database
        self._lock = threading.Lock()
        self._stored = StoredFiles(database)
        self._layers = Layers()
        self._contents = Contents(self._stored, self._layers, database.chunk_size)
        self._commits = Commits(database, self._layers, self._lock, reserve)
        self._table = InodeTable(
            self._stored, self._layers, self._commits, database.chunk_size, read_only=database.read_only
        )
        self._commits.ended = self._table.shrink
        self._closed = False
        with self._lock:
            self._table.forget_unnamed()

    def close(self) -> None:
        """Commit everything and end. ``OSError`` where that failed; inodes without a name go."""
        if self._closed:
            return
        with self._lock:
            for inode in [inode for inode in self._table.known.values() if inode.held and not inode.nlink]:
                inode.held = 0
                self._table.delete(inode)
        try:
            self.sync()
        finally:
            self._closed = True
            self._commits.close()

    # Names

    def at_once(self, *inodes: int) -> AbstractContextManager[object] | None:
        """Nearly everything is in memory, unless somebody else is at the tables (``set_aside``)."""
        return self._commits.at_once

    def lookup(self, parent: int, name: bytes) -> Stat:
        """The entry of a directory."""
        with self._lock:
            self._table.shrink()
            return self._table.shown(self._table.inode(self._table.require(self._table.directory(parent), name)))

    def settled(self, ino: int) -> bool:
        """Nobody else changes names."""
        return True

    def list(self, ino: int) -> Sequence[Entry]:
        """All entries of a directory, with their inodes ready in memory."""
        with self._lock:
            self._table.shrink()
            directory = self._table.directory(ino)
            self._table.saw(directory)
            return self._table.entries(directory)

    def make(self, parent: int, name: bytes, mode: int, rdev: int, uid: int, gid: int) -> Stat:
        """A new file, directory, FIFO, socket or device."""
        mode = mode & 0o177777 if stat.S_IFMT(mode) else mode & PERMISSIONS | stat.S_IFREG
        if not kind_is_known(mode) or stat.S_ISLNK(mode):
            raise OSError(errno.EINVAL, "This type of file cannot be made so.")
        with self._lock:
            inode = self._table.add(parent, name, mode, rdev, uid, gid)
            return self._table.shown(inode)

    def symlink(self, parent: int, name: bytes, target: bytes, uid: int, gid: int) -> Stat:
        """A new symbolic link."""
        if not target:
            raise OSError(errno.ENOENT, "A symbolic link needs a target.")
        if len(target) > TARGET_MAX:
            raise OSError(errno.ENAMETOOLONG, "The target of a symbolic link is at most 4,095 bytes long.")
        with self._lock:
            inode = self._table.add(parent, name, stat.S_IFLNK | 0o777, 0, uid, gid)
            inode.size = len(target)
            inode.target = target
            self._layers.new.targets[inode.ino] = target
            return self._table.shown(inode)

    def link(self, ino: int, new_parent: int, new_name: bytes) -> Stat:
        """One more name of an inode."""
        with self._lock:
            directory = self._table.directory(new_parent, to_change=True)
            inode = self._table.inode(ino)
            self._table.refuse(directory, new_name)
            if inode.is_directory:
                raise OSError(errno.EPERM, "A directory has one name.")
            if not inode.nlink:
                self._layers.new.unnamed.discard(ino)
                self._layers.new.named.add(ino)
            inode.nlink += 1
            self._table.enter(directory, new_name, inode)
            inode.ctime = self._table.stamp(directory)
            self._table.changed(inode)
            return self._table.shown(inode)

    def unlink(self, parent: int, name: bytes) -> None:
        """Remove a name of what is no directory."""
        with self._lock:
            directory = self._table.directory(parent)
            inode = self._table.inode(self._table.require(directory, name))
            if inode.is_directory:
                raise OSError(errno.EISDIR, "It is a directory.")
            self._table.remove(directory, name, inode)

    def rmdir(self, parent: int, name: bytes) -> None:
        """Remove an empty directory."""
        with self._lock:
            directory = self._table.directory(parent)
            inode = self._table.inode(self._table.require(directory, name))
            self._table.require_empty(inode)
            self._table.remove(directory, name, inode)

    def rename(self, old_parent: int, old_name: bytes, new_parent: int, new_name: bytes, flags: int) -> None:
        """Rename as ``renameat2`` does."""
        if flags not in (0, RENAME_NOREPLACE, RENAME_EXCHANGE):
            raise OSError(errno.EINVAL, "These flags are not known.")
        with self._lock:
            source = self._table.directory(old_parent)
            target = self._table.directory(new_parent, to_change=True)
            inode = self._table.inode(self._table.require(source, old_name))
            self._table.require_name(new_name)
            known = self._table.find_inode(target, new_name)
            if known and flags == RENAME_NOREPLACE:
                raise OSError(errno.EEXIST, "The name exists already.")
            if not known and flags == RENAME_EXCHANGE:
                raise OSError(errno.ENOENT, NOTHING_TO_EXCHANGE)
            if inode.is_directory:
                self._table.refuse_inside(inode, target)
            if flags == RENAME_EXCHANGE:
                self._table.exchange(source, old_name, inode, target, new_name, self._table.inode(known))
                return
            if known == inode.ino:
                return
            if known:
                self._table.replace(inode, source, target, new_name, self._table.inode(known))
            self._table.leave(source, old_name, inode)
            self._table.enter(target, new_name, inode)
            self._table.stamp(source)
            inode.ctime = self._table.stamp(target)
            self._table.changed(inode)

    def tmpfile(self, mode: int, uid: int, gid: int) -> Stat:
        """A new file without a name, held once."""
        with self._lock:
            inode = self._table.new_inode(stat.S_IFREG | mode & PERMISSIONS, 0, uid, gid)
            inode.nlink = 0
            inode.held = 1
            self._layers.new.unnamed.add(inode.ino)
            return self._table.shown(inode)

    # Attributes

    def getattr(self, ino: int) -> Stat:
        """The attributes of an inode."""
        with self._lock:
            return self._table.shown(self._table.inode(ino))

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
        """Change what is given."""
        with self._lock:
            inode = self._table.inode(ino)
            now = now_ns()
            if size is not None:
                self._table.require_file(inode)
                if not 0 <= size <= LARGEST:
                    raise OSError(errno.EINVAL if size < 0 else errno.EFBIG, "A file cannot have this size.")
                if size > inode.size:
                    self._commits.require_space()
                self._contents.resize(inode, size)
                inode.mtime = now
            if mode is not None:
                inode.mode = stat.S_IFMT(inode.mode) | mode & PERMISSIONS
            if uid is not None:
                inode.uid = uid
            if gid is not None:
                inode.gid = gid
            if atime_ns is not None:
                inode.atime = atime_ns
            if mtime_ns is not None:
                inode.mtime = mtime_ns
            inode.ctime = now
            self._table.changed(inode)
            return self._table.shown(inode)

    def readlink(self, ino: int) -> bytes:
        """The target of a symbolic link."""
        with self._lock:
            inode = self._table.inode(ino)
            if not stat.S_ISLNK(inode.mode):
                raise OSError(errno.EINVAL, "It is no symbolic link.")
            if inode.target is None:
                inode.target = self._stored.target(ino)
                if inode.target is None:
                    raise OSError(errno.EIO, f"Inode {ino} is a link without a target; run kgfs fsck --repair.")
            self._table.saw(inode)
            return inode.target

    def getxattr(self, ino: int, name: bytes) -> bytes:
        """An extended attribute."""
        with self._lock:
            value = self._table.xattrs(self._table.inode(ino)).get(name)
        if value is None:
            raise OSError(errno.ENODATA, "There is no such attribute.")
        return value

    def setxattr(self, ino: int, name: bytes, value: bytes, flags: int = 0) -> None:
        """Set an extended attribute."""
        if not 0 < len(name) <= NAME_MAX:
            raise OSError(errno.ERANGE, "The name of an attribute has 1 to 255 bytes.")
        if len(value) > XATTR_MAX:
            raise OSError(errno.E2BIG, "An attribute has at most 65,536 bytes.")
        if name.startswith(b"system."):
            raise OSError(errno.EOPNOTSUPP, "Access control lists are not supported.")
        with self._lock:
            inode = self._table.inode(ino)
            xattrs = self._table.xattrs(inode)
            if flags & XATTR_CREATE and name in xattrs:
                raise OSError(errno.EEXIST, "The attribute exists already.")
            if flags & XATTR_REPLACE and name not in xattrs:
                raise OSError(errno.ENODATA, "There is no such attribute.")
            self._commits.require_space()
            xattrs[name] = bytes(value)
            self._stored.has_xattrs()
            self._table.xattrs_changed(inode)

    def listxattr(self, ino: int) -> Sequence[bytes]:
        """The names of the attributes."""
        with self._lock:
            return sorted(self._table.xattrs(self._table.inode(ino)))

    def removexattr(self, ino: int, name: bytes) -> None:
        """Remove an extended attribute."""
        with self._lock:
            inode = self._table.inode(ino)
            if self._table.xattrs(inode).pop(name, None) is None:
                raise OSError(errno.ENODATA, "There is no such attribute.")
            self._table.xattrs_changed(inode)

    # Contents

    def hold(self, ino: int) -> None:
        """Keep an inode while it is open."""
        with self._lock:
            self._table.inode(ino).held += 1

    def release(self, ino: int) -> None:
        """Let go of what ``hold`` kept."""
        with self._lock:
            inode = self._table.known.get(ino)
            if inode is None or not inode.held:
                return
            inode.held -= 1
            if not inode.held and not inode.nlink:
                self._table.delete(inode)

    def read(self, ino: int, offset: int, size: int) -> bytes:
        """At most ``size`` bytes from ``offset`` on."""
        if offset < 0 or size < 0:
            raise OSError(errno.EINVAL, "A place in a file is not negative.")
        with self._lock:
            inode = self._table.inode(ino)
            self._table.require_file(inode)
            data = self._contents.read(inode, offset, size)
            if data:
                self._table.saw(inode)
            return data

    def write(self, ino: int, offset: int, data: bytes) -> int:
        """Write all of ``data``."""
        with self._lock:
            inode = self._table.inode(ino)
            self._table.require_file(inode)
            if offset < 0:
                raise OSError(errno.EINVAL, "A place in a file is not negative.")
            if offset + len(data) > LARGEST:
                raise OSError(errno.EFBIG, "A file cannot be so large.")
            if data:
                self._commits.require_space()
                self._contents.write(inode, offset, bytes(data))
                inode.mtime = inode.ctime = now_ns()
                self._table.changed(inode)
        if self._commits.crowded:
            self.sync()
        return len(data)

    def allocate(self, ino: int, mode: int, offset: int, length: int) -> None:
        """As ``fallocate``."""
        if mode not in (0, KEEP_SIZE, PUNCH_HOLE | KEEP_SIZE, ZERO_RANGE, ZERO_RANGE | KEEP_SIZE):
            raise OSError(errno.EOPNOTSUPP, "This kind of allocation is not supported.")
        if offset < 0 or length <= 0:
            raise OSError(errno.EINVAL, "A range has a place and a length.")
        end = offset + length
        if end > LARGEST:
            raise OSError(errno.EFBIG, "A file cannot be so large.")
        with self._lock:
            inode = self._table.inode(ino)
            self._table.require_file(inode)
            if mode & (PUNCH_HOLE | ZERO_RANGE):
                self._contents.clear(inode, offset, end)
            if not mode & KEEP_SIZE and end > inode.size:
                self._commits.require_space()
                self._contents.resize(inode, end)
            inode.mtime = inode.ctime = now_ns()
            self._table.changed(inode)

    def seek_data(self, ino: int, offset: int) -> int:
        """The first offset from ``offset`` on at which there is data."""
        with self._lock:
            inode = self._seekable(ino, offset)
            found = self._contents.next_data(inode, offset)
        if found is None:
            raise OSError(errno.ENXIO, "There is no data from here on.")
        return found

    def seek_hole(self, ino: int, offset: int) -> int:
        """The first offset from ``offset`` on in a hole."""
        with self._lock:
            return self._contents.next_hole(self._seekable(ino, offset), offset)

    def statfs(self) -> Space:
        """The room on the disk that holds the file."""
        found = os.statvfs(self._database.path.parent)
        return Space(
            found.f_frsize, found.f_blocks, found.f_bfree, found.f_bavail, found.f_files or 1 << 32,
            found.f_ffree or 1 << 31,
        )  # fmt: skip

    # Commits

    def sync(self, ino: int | None = None) -> None:
        """Return when an inode, or everything, is durable."""
        changed = None
        if ino is not None:
            with self._lock:
                inode = self._table.known.get(ino)
                changed = inode.changed if inode is not None else 0
        self._commits.sync(changed)

    def together(self) -> AbstractContextManager[None]:
        """What is done inside is in the file whole or not at all. Nothing inside may write bytes or sync."""
        return self._commits.together()

    def also(self, sql: str, parameters: tuple[object, ...]) -> None:
        """Execute a statement on another table when the changes made until now are committed, after them."""
        self._commits.also(sql, parameters)

    def set_aside(self) -> AbstractContextManager[None]:
        """Let somebody else change the tables: all is committed, all calls wait, and afterwards all is read anew."""
        return self._commits.set_aside(self._table.read_again)

    # What the methods above are made of; the lock is held

    def _seekable(self, ino: int, offset: int) -> Inode:
        inode = self._table.inode(ino)
        self._table.require_file(inode)
        if not 0 <= offset < inode.size:
            raise OSError(errno.ENXIO, "The place is behind the end of the file.")
        return inode
