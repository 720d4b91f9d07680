"""The inodes and names of a workspace: what of them is in memory, and what one change does to them.

Used by the workspace, with its lock held. What was asked for stays in memory, and what is changed is noted in the new
layer (``layers``); what can be read again is forgotten when much is remembered.
"""

from __future__ import annotations

import contextlib
import errno
import stat
import time
from collections.abc import Sequence

from kgfs.agentfs.filesystem.commits import Commits
from kgfs.agentfs.filesystem.inodes import Inode, now_ns
from kgfs.agentfs.filesystem.known_names import KnownNames
from kgfs.agentfs.filesystem.layers import Layers
from kgfs.agentfs.filesystem.stored import StoredFiles
from kgfs.filesystem import NAME_MAX, NAME_TOO_LONG, NOT_INTO_ITSELF, ROOT, Entry, Stat

REMEMBERED = 200_000
"""Inodes, and names, that are kept in memory at most."""
AHEAD = 50_000
"""Inodes and names of a directory with at most so many entries stay in memory with its list."""


class InodeTable:
    """Inodes by their numbers, and names by directory."""

    def __init__(
        self, stored: StoredFiles, layers: Layers, commits: Commits, chunk_size: int, *, read_only: bool
    ) -> None:
        """Every change is noted in ``layers`` and wakes ``commits``."""
        self.known: dict[int, Inode] = {}
        """Those in memory."""
        self._stored = stored
        self._layers = layers
        self._commits = commits
        self._chunk_size = chunk_size
        self._read_only = read_only
        self._names = KnownNames()
        self._next = stored.last_ino() + 1

    def read_again(self) -> None:
        """Know what the tables say now; what is held stays held."""
        held = [inode for inode in self.known.values() if inode.held]
        self.known.clear()
        self._names.clear()
        self._stored.has_xattrs()
        self._next = max(self._next, self._stored.last_ino() + 1)
        for before in held:
            with contextlib.suppress(OSError):
                self.inode(before.ino).held = before.held

    def inode(self, ino: int) -> Inode:
        """An inode. ``ENOENT``."""
        inode = self.known.get(ino)
        if inode is not None:
            return inode
        inode = None if self._layers.is_deleted(ino) else self._stored.inode(ino)
        if inode is None:
            raise OSError(errno.ENOENT, "There is no such inode.")
        self.known[ino] = inode
        return inode

    def directory(self, ino: int, *, to_change: bool = False) -> Inode:
        """A directory; with ``to_change`` one that was not removed. ``ENOENT``, ``ENOTDIR``."""
        inode = self.inode(ino)
        if not inode.is_directory:
            raise OSError(errno.ENOTDIR, "It is no directory.")
        if to_change and not inode.nlink:
            raise OSError(errno.ENOENT, "The directory was removed.")
        return inode

    def require_file(self, inode: Inode) -> None:
        """Refuse what is no regular file."""
        if inode.is_directory:
            raise OSError(errno.EISDIR, "It is a directory.")
        if not inode.is_file:
            raise OSError(errno.EINVAL, "It is no regular file.")

    def require_empty(self, inode: Inode) -> None:
        """Refuse what is no directory, or has entries."""
        if not inode.is_directory:
            raise OSError(errno.ENOTDIR, "It is no directory.")
        self._count(inode)
        if inode.entries:
            raise OSError(errno.ENOTEMPTY, "The directory is not empty.")

    def find_inode(self, directory: Inode, name: bytes) -> int:
        """The inode of an entry; 0 where there is none."""
        if len(name) > NAME_MAX:
            raise OSError(errno.ENAMETOOLONG, NAME_TOO_LONG)
        ino = self._names.find_inode(directory.ino, name)
        if ino is None:
            ino = self._layers.name(directory.ino, name)
            if ino is None:
                ino = self._stored.entry(directory.ino, name)
            self._names.put(directory.ino, name, ino)
        return ino

    def require(self, directory: Inode, name: bytes) -> int:
        """The inode of an entry. ``ENOENT``."""
        ino = self.find_inode(directory, name)
        if not ino:
            raise OSError(errno.ENOENT, "There is no such entry.")
        return ino

    def require_name(self, name: bytes) -> None:
        """Refuse what cannot be a name."""
        if len(name) > NAME_MAX:
            raise OSError(errno.ENAMETOOLONG, NAME_TOO_LONG)
        if not is_name(name):
            raise OSError(errno.EINVAL, "This cannot be a name.")

    def refuse(self, directory: Inode, name: bytes) -> None:
        """Refuse a new name that cannot be, or is there."""
        self.require_name(name)
        if self.find_inode(directory, name):
            raise OSError(errno.EEXIST, "The name exists already.")
        self._commits.require_space()

    def entries(self, directory: Inode) -> Sequence[Entry]:
        """The entries of a directory; those with names that cannot be are left to ``kgfs fsck``."""
        names = self._names.all_of(directory.ino)
        known = self.known
        if names is not None and all(ino in known for ino in names.values()):
            return [Entry(name, ino, known[ino].mode) for name, ino in sorted(names.items())]
        entries = self._read_entries(directory)
        if len(entries) <= AHEAD:
            self._names.put_all(directory.ino, ((entry.name, entry.ino) for entry in entries))
        return entries

    def _read_entries(self, directory: Inode) -> Sequence[Entry]:
        ino = directory.ino
        self._count(directory)
        if directory.entries <= AHEAD:
            for inode in self._stored.inodes_of(ino):
                if inode.ino not in self.known and not self._layers.is_deleted(inode.ino):
                    if inode.is_directory:
                        inode.parent = ino
                    self.known[inode.ino] = inode
        known = self.known
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
                    merged[name] = Entry(name, child, self.inode(child).mode)
                else:
                    merged.pop(name, None)
            entries = [entry for _, entry in sorted(merged.items())]
        return entries

    def shown(self, inode: Inode) -> Stat:
        """What ``stat`` shows."""
        if inode.is_directory:
            self._count(inode)
        return inode.attributes(self._chunk_size)

    def saw(self, inode: Inode) -> None:
        """Note a reading, which nobody waits for."""
        if not self._read_only and inode.was_read(time.time_ns()):
            self._layers.new.inodes[inode.ino] = inode
            self._commits.wake()

    def changed(self, inode: Inode) -> None:
        """Note that an inode was changed."""
        layer = self._layers.new
        layer.inodes[inode.ino] = inode
        inode.changed = layer.number
        inode.ctime = inode.stamped = max(inode.ctime, inode.stamped + 1)
        self._commits.wake()

    def xattrs(self, inode: Inode) -> dict[bytes, bytes]:
        """The extended attributes of an inode."""
        if inode.xattrs is None:
            inode.xattrs = self._stored.xattrs(inode.ino)
        return inode.xattrs

    def xattrs_changed(self, inode: Inode) -> None:
        """Note that they were changed."""
        self._layers.new.xattrs.add(inode.ino)
        inode.ctime = now_ns()
        self.changed(inode)

    def new_inode(self, mode: int, rdev: int, uid: int, gid: int) -> Inode:
        """A new inode, without a name. ``ENOSPC``."""
        self._commits.require_space()
        now = now_ns()
        inode = Inode(self._next, mode, 1, uid, gid, rdev, 0, now, now, now, 0)
        self._next += 1
        inode.stamped = now - 1
        inode.entries = 0
        inode.xattrs = {}
        self.known[inode.ino] = inode
        if inode.is_directory:
            self._names.put_all(inode.ino, ())
        self._layers.new.created.add(inode.ino)
        self.changed(inode)
        return inode

    def add(self, parent: int, name: bytes, mode: int, rdev: int, uid: int, gid: int) -> Inode:
        """A new inode with a name."""
        directory = self.directory(parent, to_change=True)
        self.refuse(directory, name)
        if directory.mode & stat.S_ISGID:
            gid = directory.gid
            if stat.S_ISDIR(mode):
                mode |= stat.S_ISGID
        inode = self.new_inode(mode, rdev, uid, gid)
        self.enter(directory, name, inode)
        directory.mtime = directory.ctime = inode.mtime
        self.changed(directory)
        return inode

    def enter(self, directory: Inode, name: bytes, inode: Inode) -> None:
        """Put a name into a directory."""
        self._count(directory)
        directory.entries += 1
        if inode.is_directory:
            directory.directories += 1
            inode.parent = directory.ino
        self._set_name(directory, name, inode.ino)

    def leave(self, directory: Inode, name: bytes, inode: Inode) -> None:
        """Take a name out of a directory."""
        self._count(directory)
        directory.entries -= 1
        if inode.is_directory:
            directory.directories -= 1
        self._set_name(directory, name, 0)

    def stamp(self, directory: Inode) -> int:
        """Note that a directory's entries changed; returns when."""
        now = directory.mtime = directory.ctime = now_ns()
        self.changed(directory)
        return now

    def remove(self, directory: Inode, name: bytes, inode: Inode) -> None:
        """Take a name away, and the inode with its last one."""
        self.leave(directory, name, inode)
        inode.nlink -= 1
        inode.ctime = self.stamp(directory)
        self.changed(inode)
        if inode.nlink <= 0:
            inode.nlink = 0
            if inode.held:
                self._layers.new.unnamed.add(inode.ino)
                self._layers.new.named.discard(inode.ino)
            else:
                self.delete(inode)

    def delete(self, inode: Inode) -> None:
        """Remove an inode that has no name."""
        layer = self._layers.new
        ino = inode.ino
        self.known.pop(ino, None)
        self._names.forget(ino)
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
            self._commits.wake()

    def replace(self, inode: Inode, source: Inode, directory: Inode, name: bytes, old: Inode) -> None:
        """Make room for an inode that is renamed, from ``source``, to the name of another."""
        if inode.is_directory:
            self.require_empty(old)
        elif old.is_directory:
            if self._is_within(source, old):
                raise OSError(errno.ENOTEMPTY, "The directory is not empty.")  # Linux asks this before the types
            raise OSError(errno.EISDIR, "It is a directory.")
        self.remove(directory, name, old)

    def exchange(
        self, source: Inode, old_name: bytes, inode: Inode, target: Inode, new_name: bytes, other: Inode
    ) -> None:
        """Let two names change places."""
        if other.is_directory:
            self.refuse_inside(other, source)
        if inode is other:
            return
        self.leave(source, old_name, inode)
        self.leave(target, new_name, other)
        self.enter(target, new_name, inode)
        self.enter(source, old_name, other)
        self.stamp(source)
        inode.ctime = other.ctime = self.stamp(target)
        self.changed(inode)
        self.changed(other)

    def refuse_inside(self, inode: Inode, directory: Inode) -> None:
        """Refuse to move a directory into itself or beneath."""
        if inode.ino == ROOT:
            raise OSError(errno.EBUSY, "The root cannot be moved.")
        if self._is_within(directory, inode):
            raise OSError(errno.EINVAL, NOT_INTO_ITSELF)

    def _is_within(self, directory: Inode, other: Inode) -> bool:
        """Whether a directory is the other one or beneath it, which is not the root."""
        seen = 0
        ino = directory.ino
        while ino != ROOT:
            if ino == other.ino:
                return True
            above = self.inode(ino)
            if not above.parent:
                above.parent = self._stored.parent(ino)
            ino = above.parent
            seen += 1
            if not ino or seen > REMEMBERED:
                raise OSError(errno.EIO, "The directory is in a circle or nowhere; run kgfs fsck --repair.")
        return False

    def forget_unnamed(self) -> None:
        """Remove what was open without a name when the last process ended."""
        for ino in self._stored.unnamed():
            with contextlib.suppress(FileNotFoundError):
                self.delete(self.inode(ino))

    def shrink(self) -> None:
        """Forget what can be read again, when much is remembered."""
        if len(self._names) > REMEMBERED:
            self._names.clear()
        if len(self.known) > REMEMBERED:
            layers = self._layers.both()
            self.known = {
                ino: inode
                for ino, inode in self.known.items()
                if inode.held or any(ino in layer.inodes for layer in layers)
            }

    def _count(self, directory: Inode) -> None:
        """Know how many entries a directory has. What changes them knows it before, so the tables have it here."""
        if directory.entries < 0:
            directory.entries, directory.directories = self._stored.counts(directory.ino)

    def _set_name(self, directory: Inode, name: bytes, ino: int) -> None:
        names = self._layers.new.names.get(directory.ino)
        if names is None:
            names = self._layers.new.names[directory.ino] = {}
        names[name] = ino
        self._names.put(directory.ino, name, ino)


def is_name(name: bytes) -> bool:
    """Whether a directory may have an entry of this name."""
    return 0 < len(name) <= NAME_MAX and name not in (b".", b"..") and b"/" not in name and b"\0" not in name
