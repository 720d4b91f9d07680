"""The workspace: the file system in the ``fs_*`` tables of ``agent.db``, with all that POSIX asks of one.

Used by ``mountd``, by import and export and by sessions, through ``kgfs.filesystem.FileSystem``, from any thread. Names
and attributes that were asked for stay in memory, and changes do until they are committed (``kgfs.agentfs.layers``), so
most calls ask the database nothing. One lock guards all of it; a commit holds it only while it takes the changes.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager

from kgfs.agentfs.contents import Contents
from kgfs.agentfs.database import AgentDatabase
from kgfs.agentfs.inodes import Inode, kind_is_known
from kgfs.agentfs.layers import Layers
from kgfs.agentfs.stored import StoredFiles, failure
from kgfs.errors import KgfsError, NoSpaceError
from kgfs.filesystem import (
    KEEP_SIZE,
    PUNCH_HOLE,
    RENAME_EXCHANGE,
    RENAME_NOREPLACE,
    ROOT,
    XATTR_CREATE,
    XATTR_REPLACE,
    ZERO_RANGE,
    Entry,
    Space,
    Stat,
)

NAME_MAX = 255
TARGET_MAX = 4095
XATTR_MAX = 65536
LARGEST = (1 << 63) - 1
LINGER_SECONDS = 0.05
"""How long changes may stay in memory when nobody waits for them."""
ASIDE_SECONDS = 0.02
"""So long whoever was just told that a call is quick has for making it."""
RETRY_SECONDS = 1.0
"""How long a commit that failed is left before it is tried again."""
GATHERED_BYTES = 16 << 20
"""With so many bytes of changes the one who writes commits them."""
RESERVE_BYTES = 16 << 20
"""With less free space on the disk nothing is added."""
REMEMBERED = 200_000
"""Inodes, and names, that are kept in memory at most."""
AHEAD = 50_000
"""The inodes of a directory with at most so many entries come with its list."""
PERMISSIONS = 0o7777


class Workspace:
    """A ``kgfs.filesystem.FileSystem`` over an open ``agent.db``. ``close`` commits what is left."""

    def __init__(self, database: AgentDatabase, *, reserve: int = RESERVE_BYTES) -> None:
        """``reserve`` is how much free space the disk must keep. One process at a time may have one of a file."""
        self._database = database
        self._reserve = reserve
        self._lock = threading.Lock()
        self._commits = threading.Lock()
        self._whole = threading.RLock()
        self._stored = StoredFiles(database)
        self._layers = Layers()
        self._contents = Contents(self._stored, self._layers, database.chunk_size)
        self._chunk_size = database.chunk_size
        self._inodes: dict[int, Inode] = {}
        self._names: dict[tuple[int, bytes], int] = {}
        self._next = self._stored.last_ino() + 1
        self._failed: OSError | None = None
        self._full = False
        self._closed = False
        self._at_once: AbstractContextManager[object] | None = contextlib.nullcontext()
        self._wake = threading.Event()
        self._ending = threading.Event()
        self._forget_unnamed()
        self._thread = threading.Thread(target=self._linger, name="kgfs-workspace", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Commit everything and end. ``OSError`` where that failed; inodes without a name go."""
        if self._closed:
            return
        with self._lock:
            for inode in [inode for inode in self._inodes.values() if inode.held and not inode.nlink]:
                inode.held = 0
                self._delete(inode)
        try:
            self.sync()
        finally:
            self._closed = True
            self._ending.set()
            self._wake.set()
            self._thread.join()

    # Names

    def at_once(self, *inodes: int) -> AbstractContextManager[object] | None:
        """Nearly everything is in memory, unless somebody else is at the tables (``set_aside``)."""
        return self._at_once

    def lookup(self, parent: int, name: bytes) -> Stat:
        """The entry of a directory."""
        with self._lock:
            self._shrink()
            return self._shown(self._inode(self._require(self._directory(parent), name)))

    def settled(self, ino: int) -> bool:
        """Nobody else changes names."""
        return True

    def list(self, ino: int) -> Sequence[Entry]:
        """All entries of a directory, with their inodes ready in memory."""
        with self._lock:
            self._shrink()
            directory = self._directory(ino)
            self._saw(directory)
            return self._entries(directory)

    def make(self, parent: int, name: bytes, mode: int, rdev: int, uid: int, gid: int) -> Stat:
        """A new file, directory, FIFO, socket or device."""
        mode = mode & 0o177777 if stat.S_IFMT(mode) else mode & PERMISSIONS | stat.S_IFREG
        if not kind_is_known(mode) or stat.S_ISLNK(mode):
            raise OSError(errno.EINVAL, "This type of file cannot be made so.")
        with self._lock:
            inode = self._add(parent, name, mode, rdev, uid, gid)
            return inode.attributes(self._chunk_size)

    def symlink(self, parent: int, name: bytes, target: bytes, uid: int, gid: int) -> Stat:
        """A new symbolic link."""
        if not target:
            raise OSError(errno.ENOENT, "A symbolic link needs a target.")
        if len(target) > TARGET_MAX:
            raise OSError(errno.ENAMETOOLONG, "The target of a symbolic link is at most 4,095 bytes long.")
        with self._lock:
            inode = self._add(parent, name, stat.S_IFLNK | 0o777, 0, uid, gid)
            inode.size = len(target)
            inode.target = target
            self._layers.new.targets[inode.ino] = target
            return inode.attributes(self._chunk_size)

    def link(self, ino: int, new_parent: int, new_name: bytes) -> Stat:
        """One more name of an inode."""
        with self._lock:
            directory = self._directory(new_parent, to_change=True)
            inode = self._inode(ino)
            self._refuse(directory, new_name)
            if inode.is_directory:
                raise OSError(errno.EPERM, "A directory has one name.")
            if not inode.nlink:
                self._layers.new.unnamed.discard(ino)
                self._layers.new.named.add(ino)
            inode.nlink += 1
            self._enter(directory, new_name, inode)
            inode.ctime = self._stamp(directory)
            self._changed(inode)
            return inode.attributes(self._chunk_size)

    def unlink(self, parent: int, name: bytes) -> None:
        """Remove a name of what is no directory."""
        with self._lock:
            directory = self._directory(parent)
            inode = self._inode(self._require(directory, name))
            if inode.is_directory:
                raise OSError(errno.EISDIR, "It is a directory.")
            self._remove(directory, name, inode)

    def rmdir(self, parent: int, name: bytes) -> None:
        """Remove an empty directory."""
        with self._lock:
            directory = self._directory(parent)
            inode = self._inode(self._require(directory, name))
            self._require_empty(inode)
            self._remove(directory, name, inode)

    def rename(self, old_parent: int, old_name: bytes, new_parent: int, new_name: bytes, flags: int) -> None:
        """Rename as ``renameat2`` does."""
        if flags not in (0, RENAME_NOREPLACE, RENAME_EXCHANGE):
            raise OSError(errno.EINVAL, "These flags are not known.")
        with self._lock:
            source = self._directory(old_parent)
            target = self._directory(new_parent, to_change=True)
            inode = self._inode(self._require(source, old_name))
            self._require_name(new_name)
            known = self._find(target, new_name)
            if known and flags == RENAME_NOREPLACE:
                raise OSError(errno.EEXIST, "The name exists already.")
            if not known and flags == RENAME_EXCHANGE:
                raise OSError(errno.ENOENT, "There is nothing to exchange it with.")
            if inode.is_directory:
                self._refuse_inside(inode, target)
            if flags == RENAME_EXCHANGE:
                self._exchange(source, old_name, inode, target, new_name, self._inode(known))
                return
            if known == inode.ino:
                return
            if known:
                self._replace(inode, target, new_name, self._inode(known))
            self._leave(source, old_name, inode)
            self._enter(target, new_name, inode)
            self._stamp(source)
            inode.ctime = self._stamp(target)
            self._changed(inode)

    def tmpfile(self, mode: int, uid: int, gid: int) -> Stat:
        """A new file without a name, held once."""
        with self._lock:
            inode = self._new_inode(stat.S_IFREG | mode & PERMISSIONS, 0, uid, gid)
            inode.nlink = 0
            inode.held = 1
            self._layers.new.unnamed.add(inode.ino)
            return inode.attributes(self._chunk_size)

    # Attributes

    def getattr(self, ino: int) -> Stat:
        """The attributes of an inode."""
        with self._lock:
            return self._shown(self._inode(ino))

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
            inode = self._inode(ino)
            now = time.time_ns()
            if size is not None:
                self._require_file(inode)
                if not 0 <= size <= LARGEST:
                    raise OSError(errno.EINVAL if size < 0 else errno.EFBIG, "A file cannot have this size.")
                if size > inode.size:
                    self._require_space()
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
            self._changed(inode)
            return self._shown(inode)

    def readlink(self, ino: int) -> bytes:
        """The target of a symbolic link."""
        with self._lock:
            inode = self._inode(ino)
            if not stat.S_ISLNK(inode.mode):
                raise OSError(errno.EINVAL, "It is no symbolic link.")
            if inode.target is None:
                inode.target = self._stored.target(ino)
                if inode.target is None:
                    raise OSError(errno.EIO, f"Inode {ino} is a link without a target; run kgfs fsck --repair.")
            self._saw(inode)
            return inode.target

    def getxattr(self, ino: int, name: bytes) -> bytes:
        """An extended attribute."""
        with self._lock:
            value = self._xattrs(self._inode(ino)).get(name)
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
            inode = self._inode(ino)
            xattrs = self._xattrs(inode)
            if flags & XATTR_CREATE and name in xattrs:
                raise OSError(errno.EEXIST, "The attribute exists already.")
            if flags & XATTR_REPLACE and name not in xattrs:
                raise OSError(errno.ENODATA, "There is no such attribute.")
            self._require_space()
            xattrs[name] = bytes(value)
            self._stored.has_xattrs()
            self._xattrs_changed(inode)

    def listxattr(self, ino: int) -> Sequence[bytes]:
        """The names of the attributes."""
        with self._lock:
            return sorted(self._xattrs(self._inode(ino)))

    def removexattr(self, ino: int, name: bytes) -> None:
        """Remove an extended attribute."""
        with self._lock:
            inode = self._inode(ino)
            if self._xattrs(inode).pop(name, None) is None:
                raise OSError(errno.ENODATA, "There is no such attribute.")
            self._xattrs_changed(inode)

    # Contents

    def hold(self, ino: int) -> None:
        """Keep an inode while it is open."""
        with self._lock:
            self._inode(ino).held += 1

    def release(self, ino: int) -> None:
        """Let go of what ``hold`` kept."""
        with self._lock:
            inode = self._inodes.get(ino)
            if inode is None or not inode.held:
                return
            inode.held -= 1
            if not inode.held and not inode.nlink:
                self._delete(inode)

    def read(self, ino: int, offset: int, size: int) -> bytes:
        """At most ``size`` bytes from ``offset`` on."""
        if offset < 0 or size < 0:
            raise OSError(errno.EINVAL, "A place in a file is not negative.")
        with self._lock:
            inode = self._inode(ino)
            self._require_file(inode)
            data = self._contents.read(inode, offset, size)
            if data:
                self._saw(inode)
            return data

    def write(self, ino: int, offset: int, data: bytes) -> int:
        """Write all of ``data``."""
        with self._lock:
            inode = self._inode(ino)
            self._require_file(inode)
            if offset < 0:
                raise OSError(errno.EINVAL, "A place in a file is not negative.")
            if offset + len(data) > LARGEST:
                raise OSError(errno.EFBIG, "A file cannot be so large.")
            if data:
                self._require_space()
                self._contents.write(inode, offset, bytes(data))
                inode.mtime = inode.ctime = time.time_ns()
                self._changed(inode)
            crowded = self._layers.new.bytes > GATHERED_BYTES
        if crowded:
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
            inode = self._inode(ino)
            self._require_file(inode)
            if mode & (PUNCH_HOLE | ZERO_RANGE):
                self._contents.clear(inode, offset, end)
            if not mode & KEEP_SIZE and end > inode.size:
                self._require_space()
                self._contents.resize(inode, end)
            inode.mtime = inode.ctime = time.time_ns()
            self._changed(inode)

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
        with self._lock:
            if ino is None:
                wanted = self._layers.new.number if not self._layers.new.empty else self._layers.new.number - 1
            else:
                inode = self._inodes.get(ino)
                wanted = inode.changed if inode is not None else 0
        while wanted > self._layers.committed:
            with self._commits:
                if wanted > self._layers.committed:
                    self._commit()

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """What is done inside is in the file whole or not at all. Nothing inside may write bytes or sync."""
        with self._whole:
            yield

    def also(self, sql: str, parameters: tuple[object, ...]) -> None:
        """Execute a statement on another table when the changes made until now are committed, after them."""
        with self._lock:
            self._layers.new.statements.append((sql, parameters))
            self._wake.set()

    @contextlib.contextmanager
    def set_aside(self) -> Iterator[None]:
        """Let somebody else change the tables: all is committed, all calls wait, and afterwards all is read anew."""
        before, self._at_once = self._at_once, None  # an event loop that must not wait asks on threads from now on
        time.sleep(ASIDE_SECONDS)
        try:
            with self._commits:
                while True:
                    with self._lock:
                        settled = self._layers.writing is None and self._layers.new.empty
                        if settled:
                            try:
                                yield
                            finally:
                                self._read_again()
                            return
                    self._commit()
        finally:
            self._at_once = before

    def _read_again(self) -> None:
        held = [inode for inode in self._inodes.values() if inode.held]
        self._inodes.clear()
        self._names.clear()
        self._stored.has_xattrs()
        self._next = max(self._next, self._stored.last_ino() + 1)
        for before in held:
            with contextlib.suppress(OSError):
                self._inode(before.ino).held = before.held

    def _commit(self) -> None:
        """Write one layer; the caller holds ``_commits``."""
        with self._whole, self._lock:
            layer = self._layers.begin()
        if layer is None:
            return
        try:
            self._look_at_space()
            with self._database.write() as connection:
                layer.write(connection)
        except KgfsError as error:
            self._failed = failure(error)
            if isinstance(error, NoSpaceError):
                self._full = True
            raise self._failed from error
        with self._lock:
            self._layers.end()
            self._failed = None
            self._shrink()

    def _linger(self) -> None:
        """Commit, some time after they were made, changes that nobody waits for."""
        while not self._closed:
            self._wake.wait()
            self._wake.clear()
            if self._closed:
                return
            self._ending.wait(LINGER_SECONDS)
            try:
                self.sync()
            except OSError:
                # Whoever waits for it, or writes more, is told; what was changed stays in memory.
                self._ending.wait(RETRY_SECONDS)
                self._wake.set()

    def _look_at_space(self) -> None:
        try:
            found = os.statvfs(self._database.path.parent)
        except OSError:
            return
        self._full = found.f_bavail * found.f_frsize < self._reserve

    def _require_space(self) -> None:
        """Refuse what adds to a disk that is full, or to changes that cannot be written."""
        if self._full:
            self._look_at_space()
            if self._full:
                raise OSError(errno.ENOSPC, "The disk that holds the store is full.")
        if self._failed is not None and self._layers.new.bytes > GATHERED_BYTES:
            raise OSError(self._failed.errno, self._failed.strerror)

    # What the methods above are made of; the lock is held

    def _inode(self, ino: int) -> Inode:
        inode = self._inodes.get(ino)
        if inode is not None:
            return inode
        inode = None if self._layers.is_deleted(ino) else self._stored.inode(ino)
        if inode is None:
            raise OSError(errno.ENOENT, "There is no such inode.")
        self._inodes[ino] = inode
        return inode

    def _directory(self, ino: int, *, to_change: bool = False) -> Inode:
        inode = self._inode(ino)
        if not inode.is_directory:
            raise OSError(errno.ENOTDIR, "It is no directory.")
        if to_change and not inode.nlink:
            raise OSError(errno.ENOENT, "The directory was removed.")
        return inode

    def _require_file(self, inode: Inode) -> None:
        if inode.is_directory:
            raise OSError(errno.EISDIR, "It is a directory.")
        if not inode.is_file:
            raise OSError(errno.EINVAL, "It is no regular file.")

    def _require_empty(self, inode: Inode) -> None:
        if not inode.is_directory:
            raise OSError(errno.ENOTDIR, "It is no directory.")
        self._count(inode)
        if inode.entries:
            raise OSError(errno.ENOTEMPTY, "The directory is not empty.")

    def _seekable(self, ino: int, offset: int) -> Inode:
        inode = self._inode(ino)
        self._require_file(inode)
        if not 0 <= offset < inode.size:
            raise OSError(errno.ENXIO, "The place is behind the end of the file.")
        return inode

    def _find(self, directory: Inode, name: bytes) -> int:
        """The inode of an entry; 0 where there is none."""
        if len(name) > NAME_MAX:
            raise OSError(errno.ENAMETOOLONG, "A name is at most 255 bytes long.")
        key = (directory.ino, name)
        ino = self._names.get(key)
        if ino is None:
            ino = self._layers.name(directory.ino, name)
            if ino is None:
                ino = self._stored.entry(directory.ino, name)
            self._names[key] = ino
        return ino

    def _require(self, directory: Inode, name: bytes) -> int:
        ino = self._find(directory, name)
        if not ino:
            raise OSError(errno.ENOENT, "There is no such entry.")
        return ino

    def _require_name(self, name: bytes) -> None:
        if len(name) > NAME_MAX:
            raise OSError(errno.ENAMETOOLONG, "A name is at most 255 bytes long.")
        if not is_name(name):
            raise OSError(errno.EINVAL, "This cannot be a name.")

    def _refuse(self, directory: Inode, name: bytes) -> None:
        """Refuse a new name that cannot be, or is there."""
        self._require_name(name)
        if self._find(directory, name):
            raise OSError(errno.EEXIST, "The name exists already.")
        self._require_space()

    def _entries(self, directory: Inode) -> Sequence[Entry]:
        """The entries of a directory; those with names that cannot be are left to ``kgfs fsck``."""
        ino = directory.ino
        self._count(directory)
        if directory.entries <= AHEAD:
            for inode in self._stored.inodes_of(ino):
                if inode.ino not in self._inodes and not self._layers.is_deleted(inode.ino):
                    if inode.is_directory:
                        inode.parent = ino
                    self._inodes[inode.ino] = inode
        known = self._inodes
        entries = [
            Entry(name, child, known[child].mode if child in known else mode)
            for name, child, mode in self._stored.entries(ino)
            if is_name(name)
        ]
        changed = [layer.names[ino] for layer in self._layers.both() if ino in layer.names]
        if changed:
            merged = {entry.name: entry for entry in entries}
            latest: dict[bytes, int] = {}
            for names in reversed(changed):
                latest |= names  # what one layer named may be gone by the next
            for name, child in latest.items():
                if child:
                    merged[name] = Entry(name, child, self._inode(child).mode)
                else:
                    merged.pop(name, None)
            entries = [entry for _, entry in sorted(merged.items())]
        return entries

    def _count(self, directory: Inode) -> None:
        """Know how many entries a directory has. What changes them knows it before, so the tables have it here."""
        if directory.entries < 0:
            directory.entries, directory.directories = self._stored.counts(directory.ino)

    def _shown(self, inode: Inode) -> Stat:
        if inode.is_directory:
            self._count(inode)
        return inode.attributes(self._chunk_size)

    def _saw(self, inode: Inode) -> None:
        """Note a reading, which nobody waits for."""
        if not self._database.read_only and inode.was_read(time.time_ns()):
            self._layers.new.inodes[inode.ino] = inode
            self._wake.set()

    def _changed(self, inode: Inode) -> None:
        layer = self._layers.new
        layer.inodes[inode.ino] = inode
        inode.changed = layer.number
        if not self._wake.is_set():
            self._wake.set()

    def _xattrs(self, inode: Inode) -> dict[bytes, bytes]:
        if inode.xattrs is None:
            inode.xattrs = self._stored.xattrs(inode.ino)
        return inode.xattrs

    def _xattrs_changed(self, inode: Inode) -> None:
        self._layers.new.xattrs.add(inode.ino)
        inode.ctime = time.time_ns()
        self._changed(inode)

    def _new_inode(self, mode: int, rdev: int, uid: int, gid: int) -> Inode:
        self._require_space()
        now = time.time_ns()
        inode = Inode(self._next, mode, 1, uid, gid, rdev, 0, now, now, now, 0)
        self._next += 1
        inode.entries = 0
        inode.xattrs = {}
        self._inodes[inode.ino] = inode
        self._layers.new.created.add(inode.ino)
        self._changed(inode)
        return inode

    def _add(self, parent: int, name: bytes, mode: int, rdev: int, uid: int, gid: int) -> Inode:
        directory = self._directory(parent, to_change=True)
        self._refuse(directory, name)
        if directory.mode & stat.S_ISGID:
            gid = directory.gid
            if stat.S_ISDIR(mode):
                mode |= stat.S_ISGID
        inode = self._new_inode(mode, rdev, uid, gid)
        self._enter(directory, name, inode)
        directory.mtime = directory.ctime = inode.ctime
        self._changed(directory)
        return inode

    def _enter(self, directory: Inode, name: bytes, inode: Inode) -> None:
        """Put a name into a directory."""
        self._count(directory)
        directory.entries += 1
        if inode.is_directory:
            directory.directories += 1
            inode.parent = directory.ino
        self._set_name(directory, name, inode.ino)

    def _leave(self, directory: Inode, name: bytes, inode: Inode) -> None:
        """Take a name out of a directory."""
        self._count(directory)
        directory.entries -= 1
        if inode.is_directory:
            directory.directories -= 1
        self._set_name(directory, name, 0)

    def _set_name(self, directory: Inode, name: bytes, ino: int) -> None:
        names = self._layers.new.names.get(directory.ino)
        if names is None:
            names = self._layers.new.names[directory.ino] = {}
        names[name] = ino
        self._names[directory.ino, name] = ino

    def _stamp(self, directory: Inode) -> int:
        """Note that a directory's entries changed; returns when."""
        now = directory.mtime = directory.ctime = time.time_ns()
        self._changed(directory)
        return now

    def _remove(self, directory: Inode, name: bytes, inode: Inode) -> None:
        """Take a name away, and the inode with its last one."""
        self._leave(directory, name, inode)
        inode.nlink -= 1
        inode.ctime = self._stamp(directory)
        self._changed(inode)
        if inode.nlink <= 0:
            inode.nlink = 0
            if inode.held:
                self._layers.new.unnamed.add(inode.ino)
                self._layers.new.named.discard(inode.ino)
            else:
                self._delete(inode)

    def _delete(self, inode: Inode) -> None:
        """Remove an inode that has no name."""
        layer = self._layers.new
        ino = inode.ino
        self._inodes.pop(ino, None)
        layer.inodes.pop(ino, None)
        layer.data.pop(ino, None)
        layer.targets.pop(ino, None)
        layer.xattrs.discard(ino)
        layer.unnamed.discard(ino)
        layer.named.discard(ino)
        if ino in layer.created:
            layer.created.discard(ino)
            layer.names.pop(ino, None)
        else:
            layer.deleted.add(ino)
            self._wake.set()

    def _replace(self, inode: Inode, directory: Inode, name: bytes, old: Inode) -> None:
        """Make room for an inode that is renamed to the name of another."""
        if inode.is_directory:
            self._require_empty(old)
        elif old.is_directory:
            raise OSError(errno.EISDIR, "It is a directory.")
        self._remove(directory, name, old)

    def _exchange(
        self, source: Inode, old_name: bytes, inode: Inode, target: Inode, new_name: bytes, other: Inode
    ) -> None:
        if other.is_directory:
            self._refuse_inside(other, source)
        if inode is other:
            return
        self._leave(source, old_name, inode)
        self._leave(target, new_name, other)
        self._enter(target, new_name, inode)
        self._enter(source, old_name, other)
        self._stamp(source)
        inode.ctime = other.ctime = self._stamp(target)
        self._changed(inode)
        self._changed(other)

    def _refuse_inside(self, inode: Inode, directory: Inode) -> None:
        """Refuse to move a directory into itself or beneath."""
        seen = 0
        ino = directory.ino
        while ino != ROOT:
            if ino == inode.ino:
                raise OSError(errno.EINVAL, "A directory cannot be moved into itself.")
            above = self._inode(ino)
            if not above.parent:
                above.parent = self._stored.parent(ino)
            ino = above.parent
            seen += 1
            if not ino or seen > REMEMBERED:
                raise OSError(errno.EIO, "The directory is in a circle or nowhere; run kgfs fsck --repair.")
        if inode.ino == ROOT:
            raise OSError(errno.EBUSY, "The root cannot be moved.")

    def _forget_unnamed(self) -> None:
        """Remove what was open without a name when the last process ended."""
        with self._lock:
            for ino in self._stored.unnamed():
                with contextlib.suppress(FileNotFoundError):
                    self._delete(self._inode(ino))

    def _shrink(self) -> None:
        """Forget what can be read again, when much is remembered."""
        if len(self._names) > REMEMBERED:
            self._names.clear()
        if len(self._inodes) > REMEMBERED:
            layers = self._layers.both()
            self._inodes = {
                ino: inode
                for ino, inode in self._inodes.items()
                if inode.held or any(ino in layer.inodes for layer in layers)
            }


def is_name(name: bytes) -> bool:
    """Whether a directory may have an entry of this name."""
    return 0 < len(name) <= NAME_MAX and name not in (b".", b"..") and b"/" not in name and b"\0" not in name
