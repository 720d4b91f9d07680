"""The overlay of a session: a file system over another one, the base, that keeps what is changed in a file of its own.

Used by ``mountd`` and by sessions, through ``kgfs.filesystem.FileSystem``, from any thread. The base is only read. What
is changed is copied up into the *delta*, a workspace in the session's file; what is removed is whited out there. What
an entry is, and copying up, is in ``overlay_tree``; here is what is done to entries. One lock guards names and
attributes; bytes are read and written without it.
"""

from __future__ import annotations

import errno
import stat
import threading
from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager

from kgfs.agentfs.database import AgentDatabase
from kgfs.agentfs.filesystem.inodes import now_ns
from kgfs.agentfs.filesystem.workspace import Workspace
from kgfs.agentfs.overlays.copy_up import copy_attributes, note_of
from kgfs.agentfs.overlays.overlay_notes import OverlayNotes, child_path
from kgfs.agentfs.overlays.overlay_tree import Node, NodeStat, OverlayTree
from kgfs.filesystem import (
    NOT_INTO_ITSELF,
    NOTHING_TO_EXCHANGE,
    RENAME_EXCHANGE,
    RENAME_NOREPLACE,
    ROOT,
    Entry,
    FileSystem,
    Space,
    Stat,
)


class _Leaving:
    """Releases a lock that was acquired before."""

    def __init__(self, lock: threading.RLock) -> None:
        self._lock = lock

    def __enter__(self) -> None:
        pass

    def __exit__(self, *raised: object) -> None:
        self._lock.release()


class Overlay:
    """A ``kgfs.filesystem.FileSystem`` over ``base``. ``close`` commits what is left."""

    def __init__(self, base: FileSystem, database: AgentDatabase) -> None:
        """``database`` is the session's file, which stays open as long as this and is closed by the caller."""
        self.base = base
        self.delta = Workspace(database)
        self.notes = OverlayNotes(self.delta, database)
        self._lock = threading.RLock()
        self._leaving = _Leaving(self._lock)
        self._tree = OverlayTree(base, self.delta, self.notes)
        if not self.notes.is_copy(ROOT):
            with self.delta.together():
                copy_attributes(base, ROOT, base.getattr(ROOT), self.delta, ROOT)
                self.notes.copied(ROOT, ROOT)

    def close(self) -> None:
        """Commit everything and end; every inode is unknown then. ``OSError`` where that failed."""
        with self._lock:
            self._tree.clear()
        self.delta.close()

    # Names

    def at_once(self, *inodes: int) -> AbstractContextManager[object] | None:
        """What is in the delta alone is quick, unless another thread holds the lock: it may be waiting for the base."""
        if self.delta.at_once() is None or not self._lock.acquire(blocking=False):
            return None
        if all(self._tree.is_own(ino) for ino in inodes):
            return self._leaving
        self._lock.release()
        return None

    def lookup(self, parent: int, name: bytes) -> Stat:
        """The entry of a directory."""
        with self._lock:
            return self._tree.shown(self._tree.require(self._tree.directory(parent), name))

    def settled(self, ino: int) -> bool:
        """What was made in the session: the base has no part in it."""
        return self._tree.is_own(ino)

    def list(self, ino: int) -> Sequence[Entry]:
        """All entries of a directory: those of the delta, and what it does not hide of the base."""
        with self._lock:
            directory = self._tree.directory(ino)
            beneath = {entry.name: entry for entry in self._tree.base_entries(directory)}
            entries = []
            if directory.delta:
                for entry in self.delta.list(directory.delta):
                    beneath.pop(entry.name, None)
                    node = self._tree.delta_node(directory, entry.name, entry.ino, entry.mode)
                    entries.append(Entry(entry.name, node.ino, entry.mode))
            for entry in beneath.values():
                node = self._tree.base_node(directory, entry.name, entry.ino, entry.mode)
                entries.append(Entry(entry.name, node.ino, entry.mode))
            return entries

    def make(self, parent: int, name: bytes, mode: int, rdev: int, uid: int, gid: int) -> Stat:
        """A new file, directory, FIFO, socket or device."""
        with self._lock:
            above = self._room(parent, name)
            with self.delta.together():
                made = self.delta.make(above.delta, name, mode, rdev, uid, gid)
                self.notes.clear(self._tree.path(above), name)
            return self._tree.shown(NodeStat(self._tree.delta_node(above, name, made.ino, made.mode), made))

    def symlink(self, parent: int, name: bytes, target: bytes, uid: int, gid: int) -> Stat:
        """A new symbolic link."""
        with self._lock:
            above = self._room(parent, name)
            with self.delta.together():
                made = self.delta.symlink(above.delta, name, target, uid, gid)
                self.notes.clear(self._tree.path(above), name)
            return self._tree.shown(NodeStat(self._tree.delta_node(above, name, made.ino, made.mode), made))

    def link(self, ino: int, new_parent: int, new_name: bytes) -> Stat:
        """One more name of an inode."""
        with self._lock:
            node = self._tree.node(ino)
            above = self._room(new_parent, new_name)
            if node.directory:
                raise OSError(errno.EPERM, "A directory has one name.")
            delta = self._tree.up(node)
            with self.delta.together():
                made = self.delta.link(delta, above.delta, new_name)
                self.notes.clear(self._tree.path(above), new_name)
            node.gone = False
            return self._tree.shown(NodeStat(node, made))

    def unlink(self, parent: int, name: bytes) -> None:
        """Remove a name of what is no directory."""
        with self._lock:
            above = self._tree.directory(parent)
            found = self._tree.require(above, name)
            if found.node.directory:
                raise OSError(errno.EISDIR, "It is a directory.")
            self._remove(above, name, found)

    def rmdir(self, parent: int, name: bytes) -> None:
        """Remove an empty directory."""
        with self._lock:
            above = self._tree.directory(parent)
            found = self._tree.require(above, name)
            self._tree.require_empty(found.node)
            self._remove(above, name, found)

    def rename(self, old_parent: int, old_name: bytes, new_parent: int, new_name: bytes, flags: int) -> None:
        """Rename as ``renameat2`` does; ``EXDEV`` for a directory that has a part in the base."""
        if flags not in (0, RENAME_NOREPLACE, RENAME_EXCHANGE):
            raise OSError(errno.EINVAL, "These flags are not known.")
        exchange = flags == RENAME_EXCHANGE
        with self._lock:
            source, target = self._tree.directory(old_parent), self._tree.directory(new_parent)
            moved = self._tree.require(source, old_name).node
            if target.gone:
                raise OSError(errno.ENOENT, "The directory was removed.")
            replaced = self._tree.find_entry(target, new_name)
            if replaced is not None and flags == RENAME_NOREPLACE:
                raise OSError(errno.EEXIST, "The name exists already.")
            if replaced is None and exchange:
                raise OSError(errno.ENOENT, NOTHING_TO_EXCHANGE)
            self._refuse_inside(moved, target)
            if replaced is not None:
                if exchange:
                    self._refuse_inside(replaced.node, source)
                if replaced.node is moved:
                    return
                if not exchange:
                    self._refuse_replacing(moved, source, replaced.node)
            for node in (moved, replaced.node if replaced is not None and exchange else None):
                if node is not None and self._tree.is_of_base(node):
                    raise OSError(errno.EXDEV, "A directory of the base cannot be renamed in a session; copy it.")
            beneath = self._tree.in_base(source, old_name) is not None
            self._tree.up(source)
            self._tree.up(target)
            self._tree.up(moved)
            if replaced is not None and exchange:
                self._tree.up(replaced.node)
            self._move(source, old_name, moved, target, new_name, replaced, flags, beneath)

    def tmpfile(self, mode: int, uid: int, gid: int) -> Stat:
        """A new file without a name, held once."""
        with self._lock:
            made = self.delta.tmpfile(mode, uid, gid)
            node = self._tree.unnamed(made.ino)
            return self._tree.shown(NodeStat(node, made))

    # Attributes

    def getattr(self, ino: int) -> Stat:
        """The attributes of an inode."""
        with self._lock:
            node = self._tree.node(ino)
            files, number = self._tree.side(node)
        return self._tree.shown(NodeStat(node, files.getattr(number)))

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
        """Change what is given. A file that is cut is copied up as far as it is kept."""
        with self._lock:
            node = self._tree.node(ino)
            if size is not None and (size < 0 or node.directory):
                raise OSError(errno.EISDIR if node.directory else errno.EINVAL, "A size is that of a file.")
            changed = self.delta.setattr(
                self._tree.up(node, limit=size),
                mode=mode,
                uid=uid,
                gid=gid,
                size=size,
                atime_ns=atime_ns,
                mtime_ns=mtime_ns,
            )
            return self._tree.shown(NodeStat(node, changed))

    def readlink(self, ino: int) -> bytes:
        """The target of a symbolic link."""
        files, number = self._side_of(ino)
        return files.readlink(number)

    def getxattr(self, ino: int, name: bytes) -> bytes:
        """An extended attribute."""
        files, number = self._side_of(ino)
        return files.getxattr(number, name)

    def listxattr(self, ino: int) -> Sequence[bytes]:
        """The names of the attributes."""
        files, number = self._side_of(ino)
        return files.listxattr(number)

    def setxattr(self, ino: int, name: bytes, value: bytes, flags: int = 0) -> None:
        """Set an extended attribute."""
        self.delta.setxattr(self._up_of(ino), name, value, flags)

    def removexattr(self, ino: int, name: bytes) -> None:
        """Remove an extended attribute."""
        self.delta.removexattr(self._up_of(ino), name)

    # Contents

    def hold(self, ino: int) -> None:
        """Keep an inode while it is open."""
        with self._lock:
            self._tree.hold(self._tree.node(ino))

    def release(self, ino: int) -> None:
        """Let go of what ``hold`` kept."""
        with self._lock:
            self._tree.release(ino)

    def read(self, ino: int, offset: int, size: int) -> bytes:
        """At most ``size`` bytes from ``offset`` on."""
        files, number = self._side_of(ino)
        return files.read(number, offset, size)

    def write(self, ino: int, offset: int, data: bytes) -> int:
        """Write all of ``data``."""
        return self.delta.write(self._up_of(ino), offset, data)

    def allocate(self, ino: int, mode: int, offset: int, length: int) -> None:
        """As ``fallocate``."""
        self.delta.allocate(self._up_of(ino), mode, offset, length)

    def seek_data(self, ino: int, offset: int) -> int:
        """The first offset from ``offset`` on at which there is data."""
        files, number = self._side_of(ino)
        return files.seek_data(number, offset)

    def seek_hole(self, ino: int, offset: int) -> int:
        """The first offset from ``offset`` on in a hole."""
        files, number = self._side_of(ino)
        return files.seek_hole(number, offset)

    def sync(self, ino: int | None = None) -> None:
        """Return when an inode, or everything, is durable in the session's file."""
        self.delta.sync(self._tree.delta_of(ino) if ino is not None else None)

    def statfs(self) -> Space:
        """The room on the disk that holds the session's file."""
        return self.delta.statfs()

    # What a session is compared by

    def is_changed(self, ino: int) -> bool:
        """Whether the delta has it: it was changed, or what is in it was."""
        with self._lock:
            return self._tree.node(ino).delta != 0

    def is_merged(self, ino: int) -> bool:
        """Whether it is a directory that shows what the base has there."""
        with self._lock:
            node = self._tree.node(ino)
            return node.directory and self._tree.base_of(node) != 0

    # What leaves a session

    def give_back(self, path: bytes, ours: Stat | None) -> bool:
        """Forget what the session has at a path, so that it shows what the base has there; a directory with nothing of
        its own in it.

        ``ours`` is what the caller saw there; none where it was removed. What changed since stays, and is compared with
        the base as that is now. What is open stays good. Returns whether it was forgotten.
        """
        parent, _, name = path.rpartition(b"/")
        with self._lock:
            above = self._tree.node(ROOT)
            for part in parent.split(b"/")[1:]:
                above = self._tree.require(above, part).node
            here = self._tree.path(above)
            there = self._tree.in_delta(above, name)
            one_name = ours is not None and ours.nlink == 1  # else ctime changes with the other names
            if _state(there, one_name) != _state(ours, one_name):
                under = self._tree.beneath(above, name)
                if under is not None:
                    target = self.base.readlink(under.ino) if stat.S_ISLNK(under.mode) else None
                    self.notes.saw(path, note_of(under, target))
                return False
            is_directory = there is not None and stat.S_ISDIR(there.mode)
            if there is not None and is_directory and (self.delta.list(there.ino) or self.notes.whiteouts(path)):
                return False
            with self.delta.together():
                if there is not None:
                    (self.delta.rmdir if is_directory else self.delta.unlink)(above.delta, name)
                    if is_directory or there.nlink <= 1:
                        self.notes.forget(there.ino)
                self.notes.clear(here, name)
                if there is None or is_directory:
                    self.notes.clear_beneath(path)
                self.notes.unsee(path)
            if there is not None:
                self._tree.go_back(above, name, there)
            return True

    def join(self, path: bytes, hidden: Collection[bytes]) -> None:
        """Have a directory that was made in the session show what the base has there by now, but the names that are
        ``hidden``. Nothing happens where the base has no directory."""
        parent, _, name = path.rpartition(b"/")
        with self._lock:
            above = self._tree.node(ROOT)
            for part in parent.split(b"/")[1:]:
                above = self._tree.require(above, part).node
            node, under = self._tree.require(above, name).node, self._tree.beneath(above, name)
            if not node.delta or self.notes.is_copy(node.delta) or under is None or not stat.S_ISDIR(under.mode):
                return
            with self.delta.together():
                self.notes.copied(node.delta, under.ino)
                for each in hidden:
                    self.notes.white_out(path, each)

    # What the methods above are made of

    def _side_of(self, ino: int) -> tuple[FileSystem, int]:
        with self._lock:
            return self._tree.side(self._tree.node(ino))

    def _up_of(self, ino: int) -> int:
        with self._lock:
            return self._tree.up(self._tree.node(ino))

    def _refuse_replacing(self, moved: Node, source: Node, replaced: Node) -> None:
        if moved.directory:
            self._tree.require_empty(replaced)
        elif replaced.directory:
            if _is_within(source, replaced):
                raise OSError(errno.ENOTEMPTY, "The directory is not empty.")  # Linux asks this before the types
            raise OSError(errno.EISDIR, "It is a directory.")

    def _refuse_inside(self, node: Node, directory: Node) -> None:
        """Refuse to move a directory into itself or beneath."""
        if node.directory and _is_within(directory, node):
            raise OSError(errno.EINVAL, NOT_INTO_ITSELF)

    def _room(self, parent: int, name: bytes) -> Node:
        """A directory in the delta for a new name, which is not there."""
        above = self._tree.directory(parent)
        if above.gone:
            raise OSError(errno.ENOENT, "The directory was removed.")
        if self._tree.find_entry(above, name) is not None:
            raise OSError(errno.EEXIST, "The name exists already.")
        self._tree.up(above)
        return above

    def _note_before(self, path: bytes, found: NodeStat) -> None:
        """Note what the base has, or that a copy loses its name, before that is removed or replaced."""
        node = found.node
        if not node.delta:
            target = self.base.readlink(node.base) if stat.S_ISLNK(found.stat.mode) else None
            self.notes.saw(path, note_of(found.stat, target))
        elif node.directory or found.stat.nlink <= 1:
            self.notes.forget(node.delta)

    def _remove(self, above: Node, name: bytes, found: NodeStat) -> None:
        """Take a name away: from the delta, and by a whiteout from the base."""
        beneath = self._tree.in_base(above, name) is not None
        self._tree.up(above)
        path = self._tree.path(above)
        with self.delta.together():
            if not found.node.delta:
                self.delta.setattr(above.delta, mtime_ns=now_ns())
            elif found.node.directory:
                self.delta.rmdir(above.delta, name)
            else:
                self.delta.unlink(above.delta, name)
            self._note_before(child_path(path, name), found)
            if beneath:
                self.notes.white_out(path, name)
        self._lost_name(above, name, found)

    def _lost_name(self, above: Node, name: bytes, found: NodeStat) -> None:
        if above.children.get(name) is found.node:
            del above.children[name]
        if found.node.directory or not found.node.delta or found.stat.nlink <= 1:
            self._tree.lose(found.node)

    def _move(
        self, source: Node, old_name: bytes, moved: Node, target: Node, new_name: bytes, replaced: NodeStat | None,
        flags: int, beneath: bool,
    ) -> None:  # fmt: skip
        """Rename what is in the delta; ``beneath``: the base has something at the old place."""
        old, new = self._tree.path(source), self._tree.path(target)
        exchange = flags == RENAME_EXCHANGE
        with self.delta.together():
            self.delta.rename(source.delta, old_name, target.delta, new_name, flags)
            if replaced is not None and not exchange:
                self._note_before(child_path(new, new_name), replaced)
            self.notes.clear(new, new_name)
            if moved.directory:
                self.notes.clear_beneath(child_path(new, new_name))
            if exchange and replaced is not None and replaced.node.directory:
                self.notes.clear_beneath(child_path(old, old_name))
            if beneath and not exchange:
                self.notes.white_out(old, old_name)
        if replaced is not None and exchange:
            replaced.node.parent, replaced.node.name = source, old_name
        elif replaced is not None:
            self._lost_name(target, new_name, replaced)
        moved.parent, moved.name = target, new_name


def _state(found: Stat | None, one_name: bool) -> tuple[int, ...] | None:
    """What tells whether something was changed since; of a directory, whether it is one."""
    if found is None:
        return None
    return (0,) if stat.S_ISDIR(found.mode) else (found.mode, found.size, found.mtime_ns, found.ctime_ns * one_name)


def _is_within(directory: Node, other: Node) -> bool:
    """Whether a directory is the other one or beneath it."""
    above: Node | None = directory
    while above is not None and above is not other:
        above = above.parent
    return above is other
