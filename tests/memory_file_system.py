"""A ``FileSystem`` in memory: the simplest one that keeps every rule, for tests of what calls file systems.

Files are pages of 4,096 bytes, those that were never written are holes. One lock around everything. ``faults`` makes
calls fail and ``syncs`` counts what was asked to be durable.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

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

PAGE = 4096
Method = TypeVar("Method", bound=Callable[..., Any])


def fail(number: int) -> OSError:
    return OSError(number, os.strerror(number))


def locked(method: Method) -> Method:
    """Run under the lock, or fail as a test wishes."""
    name = method.__name__

    def run(self: MemoryFileSystem, *arguments: Any, **named: Any) -> Any:
        self.before(name)
        with self._lock:
            return method(self, *arguments, **named)

    return run  # type: ignore[return-value]


class Node:
    def __init__(self, ino: int, mode: int, uid: int, gid: int, rdev: int = 0) -> None:
        self.ino, self.mode, self.uid, self.gid, self.rdev = ino, mode, uid, gid, rdev
        self.nlink = 0
        self.held = 0
        self.size = 0
        self.pages: dict[int, bytearray] = {}
        self.names: dict[bytes, Node] = {}
        self.parent: Node = self
        self.target = b""
        self.xattrs: dict[bytes, bytes] = {}
        self.atime = self.mtime = self.ctime = time.time_ns()

    @property
    def is_directory(self) -> bool:
        return stat.S_ISDIR(self.mode)

    def changed(self, body: bool = False) -> None:
        self.ctime = time.time_ns()
        if body:
            self.mtime = self.ctime


class MemoryFileSystem:
    """See the module."""

    prompt = True
    lasting = True

    def __init__(self, uid: int | None = None, gid: int | None = None) -> None:
        self._lock = threading.RLock()
        self._next = ROOT
        self.nodes: dict[int, Node] = {}
        self.faults: dict[str, int] = {}
        """Method to the errno with which it fails."""
        self.before: Callable[[str], None] = self._fault
        self.syncs: list[int | None] = []
        root = self._new(
            stat.S_IFDIR | 0o755, os.getuid() if uid is None else uid, os.getgid() if gid is None else gid, 0
        )
        root.nlink = 2

    def _fault(self, name: str) -> None:
        if name in self.faults:
            raise fail(self.faults[name])

    def _new(self, mode: int, uid: int, gid: int, rdev: int) -> Node:
        node = self.nodes[self._next] = Node(self._next, mode, uid, gid, rdev)
        self._next += 1
        return node

    # --- finding ----------------------------------------------------------------------------------------------------

    def _node(self, ino: int) -> Node:
        if ino not in self.nodes:
            raise fail(errno.ENOENT)
        return self.nodes[ino]

    def _directory(self, ino: int) -> Node:
        node = self._node(ino)
        if not node.is_directory:
            raise fail(errno.ENOTDIR)
        return node

    def _child(self, parent: int, name: bytes) -> Node:
        if len(name) > 255:
            raise fail(errno.ENAMETOOLONG)
        found = self._directory(parent).names.get(name)
        if found is None:
            raise fail(errno.ENOENT)
        return found

    def _file(self, ino: int) -> Node:
        node = self._node(ino)
        if node.is_directory:
            raise fail(errno.EISDIR)
        if not stat.S_ISREG(node.mode):
            raise fail(errno.EINVAL)
        return node

    def _stat(self, node: Node) -> Stat:
        return Stat(
            node.ino, node.mode, node.nlink, node.uid, node.gid, node.rdev, node.size, len(node.pages) * PAGE // 512,
            node.atime, node.mtime, node.ctime, True,
        )  # fmt: skip

    def at_once(self, *inodes: int) -> contextlib.nullcontext[None] | None:
        return contextlib.nullcontext() if self.prompt else None

    def settled(self, ino: int) -> bool:
        return True

    @locked
    def lookup(self, parent: int, name: bytes) -> Stat:
        return self._stat(self._child(parent, name))

    @locked
    def getattr(self, ino: int) -> Stat:
        return self._stat(self._node(ino))

    @locked
    def list(self, ino: int) -> Sequence[Entry]:
        return [Entry(name, node.ino, node.mode) for name, node in self._directory(ino).names.items()]

    @locked
    def readlink(self, ino: int) -> bytes:
        node = self._node(ino)
        if not stat.S_ISLNK(node.mode):
            raise fail(errno.EINVAL)
        return node.target

    # --- names ------------------------------------------------------------------------------------------------------

    def _put(self, parent: Node, name: bytes, node: Node) -> None:
        parent.names[name] = node
        node.nlink += 1
        if node.is_directory:
            node.nlink = 2
            parent.nlink += 1
            node.parent = parent
        parent.changed(body=True)

    def _take(self, parent: Node, name: bytes) -> Node:
        node = parent.names.pop(name)
        node.nlink -= 1
        if node.is_directory:
            node.nlink = 0
            parent.nlink -= 1
        parent.changed(body=True)
        node.changed()
        return node

    def _drop(self, node: Node) -> None:
        if not node.nlink and not node.held:
            self.nodes.pop(node.ino, None)

    def _free_name(self, parent: int, name: bytes) -> Node:
        above = self._directory(parent)
        if len(name) > 255:
            raise fail(errno.ENAMETOOLONG)
        if name in above.names:
            raise fail(errno.EEXIST)
        if not above.nlink:
            raise fail(errno.ENOENT)
        return above

    @locked
    def make(self, parent: int, name: bytes, mode: int, rdev: int, uid: int, gid: int) -> Stat:
        above = self._free_name(parent, name)
        if not stat.S_IFMT(mode):
            mode |= stat.S_IFREG
        if above.mode & stat.S_ISGID:
            gid = above.gid
            mode |= stat.S_ISGID if stat.S_ISDIR(mode) else 0
        node = self._new(mode, uid, gid, rdev if stat.S_ISCHR(mode) or stat.S_ISBLK(mode) else 0)
        self._put(above, name, node)
        return self._stat(node)

    @locked
    def symlink(self, parent: int, name: bytes, target: bytes, uid: int, gid: int) -> Stat:
        above = self._free_name(parent, name)
        node = self._new(stat.S_IFLNK | 0o777, uid, above.gid if above.mode & stat.S_ISGID else gid, 0)
        node.target, node.size = target, len(target)
        self._put(above, name, node)
        return self._stat(node)

    @locked
    def link(self, ino: int, new_parent: int, new_name: bytes) -> Stat:
        node = self._node(ino)
        if node.is_directory:
            raise fail(errno.EPERM)
        self._put(self._free_name(new_parent, new_name), new_name, node)
        node.changed()
        return self._stat(node)

    @locked
    def unlink(self, parent: int, name: bytes) -> None:
        if self._child(parent, name).is_directory:
            raise fail(errno.EISDIR)
        self._drop(self._take(self._directory(parent), name))

    @locked
    def rmdir(self, parent: int, name: bytes) -> None:
        node = self._child(parent, name)
        if not node.is_directory:
            raise fail(errno.ENOTDIR)
        if node.names:
            raise fail(errno.ENOTEMPTY)
        self._drop(self._take(self._directory(parent), name))

    @locked
    def rename(self, old_parent: int, old_name: bytes, new_parent: int, new_name: bytes, flags: int) -> None:
        if flags & ~(RENAME_NOREPLACE | RENAME_EXCHANGE) or flags == RENAME_NOREPLACE | RENAME_EXCHANGE:
            raise fail(errno.EINVAL)
        node, here, there = self._child(old_parent, old_name), self._node(old_parent), self._directory(new_parent)
        if len(new_name) > 255:
            raise fail(errno.ENAMETOOLONG)
        over = there.names.get(new_name)
        if over is not None and flags & RENAME_NOREPLACE:
            raise fail(errno.EEXIST)
        self._refuse_into_itself(node, there)
        if flags & RENAME_EXCHANGE:
            if over is None:
                raise fail(errno.ENOENT)
            self._refuse_into_itself(over, here)
            self._take(here, old_name)
            if here is not there or old_name != new_name:
                self._take(there, new_name)
                self._put(here, old_name, over)
            self._put(there, new_name, node)
            return
        if over is node:
            return
        if over is not None:
            if over.is_directory and not node.is_directory:
                try:
                    self._refuse_into_itself(over, here)
                except OSError:
                    raise fail(errno.ENOTEMPTY) from None
                raise fail(errno.EISDIR)
            if node.is_directory and not over.is_directory:
                raise fail(errno.ENOTDIR)
            if over.names:
                raise fail(errno.ENOTEMPTY)
            self._take(there, new_name)
            self._drop(over)
        self._take(here, old_name)
        self._put(there, new_name, node)

    @staticmethod
    def _refuse_into_itself(node: Node, there: Node) -> None:
        above = there
        while True:
            if above is node:
                raise fail(errno.EINVAL)
            if above.parent is above:
                return
            above = above.parent

    @locked
    def tmpfile(self, mode: int, uid: int, gid: int) -> Stat:
        node = self._new(stat.S_IFREG | mode, uid, gid, 0)
        node.held = 1
        return self._stat(node)

    @locked
    def hold(self, ino: int) -> None:
        self._node(ino).held += 1

    @locked
    def release(self, ino: int) -> None:
        node = self._node(ino)
        node.held -= 1
        self._drop(node)

    # --- bodies -----------------------------------------------------------------------------------------------------

    @locked
    def read(self, ino: int, offset: int, size: int) -> bytes:
        node = self._file(ino)
        end = min(offset + size, node.size)
        parts = []
        while offset < end:
            page, start = divmod(offset, PAGE)
            count = min(PAGE - start, end - offset)
            parts.append(bytes(node.pages.get(page, bytes(PAGE))[start : start + count]))
            offset += count
        return b"".join(parts)

    @locked
    def write(self, ino: int, offset: int, data: bytes) -> int:
        node = self._file(ino)
        self._write(node, offset, data)
        node.size = max(node.size, offset + len(data))
        node.changed(body=True)
        return len(data)

    @staticmethod
    def _write(node: Node, offset: int, data: bytes) -> None:
        at = 0
        while at < len(data):
            page, start = divmod(offset + at, PAGE)
            count = min(PAGE - start, len(data) - at)
            node.pages.setdefault(page, bytearray(PAGE))[start : start + count] = data[at : at + count]
            at += count

    @locked
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
        node = self._node(ino)
        if size is not None:
            self._resize(self._file(ino), size)
        if mode is not None:
            node.mode = stat.S_IFMT(node.mode) | stat.S_IMODE(mode)
        node.uid = node.uid if uid is None else uid
        node.gid = node.gid if gid is None else gid
        node.changed(body=size is not None)
        node.atime = node.atime if atime_ns is None else atime_ns
        node.mtime = node.mtime if mtime_ns is None else mtime_ns
        return self._stat(node)

    @staticmethod
    def _resize(node: Node, size: int) -> None:
        if size < node.size:
            last, rest = divmod(size, PAGE)
            for page in [page for page in node.pages if page > last or (page == last and not rest)]:
                del node.pages[page]
            if last in node.pages:
                node.pages[last][rest:] = bytes(PAGE - rest)
        node.size = size

    @locked
    def allocate(self, ino: int, mode: int, offset: int, length: int) -> None:
        node = self._file(ino)
        if mode not in (0, KEEP_SIZE, PUNCH_HOLE | KEEP_SIZE, ZERO_RANGE, ZERO_RANGE | KEEP_SIZE):
            raise fail(errno.EOPNOTSUPP)
        end = offset + length
        if mode & (PUNCH_HOLE | ZERO_RANGE):
            for page in [page for page in node.pages if page * PAGE < end and (page + 1) * PAGE > offset]:
                start, stop = max(offset - page * PAGE, 0), min(end - page * PAGE, PAGE)
                node.pages[page][start:stop] = bytes(stop - start)
                if stop - start == PAGE:
                    del node.pages[page]
        if not mode & KEEP_SIZE:
            node.size = max(node.size, end)
        node.changed(body=True)

    @locked
    def seek_data(self, ino: int, offset: int) -> int:
        node = self._file(ino)
        for page in sorted(node.pages):
            if (page + 1) * PAGE > offset and page * PAGE < node.size:
                return max(page * PAGE, offset)
        raise fail(errno.ENXIO)

    @locked
    def seek_hole(self, ino: int, offset: int) -> int:
        node = self._file(ino)
        if offset >= node.size:
            raise fail(errno.ENXIO)
        while offset < node.size and offset // PAGE in node.pages:
            offset = (offset // PAGE + 1) * PAGE
        return min(offset, node.size)

    @locked
    def sync(self, ino: int | None = None) -> None:
        self.syncs.append(ino)

    # --- extended attributes ----------------------------------------------------------------------------------------

    @locked
    def getxattr(self, ino: int, name: bytes) -> bytes:
        found = self._node(ino).xattrs.get(name)
        if found is None:
            raise fail(errno.ENODATA)
        return found

    @locked
    def setxattr(self, ino: int, name: bytes, value: bytes, flags: int = 0) -> None:
        node = self._node(ino)
        if flags & XATTR_CREATE and name in node.xattrs:
            raise fail(errno.EEXIST)
        if flags & XATTR_REPLACE and name not in node.xattrs:
            raise fail(errno.ENODATA)
        node.xattrs[name] = value
        node.changed()

    @locked
    def listxattr(self, ino: int) -> Sequence[bytes]:
        return sorted(self._node(ino).xattrs)

    @locked
    def removexattr(self, ino: int, name: bytes) -> None:
        if self._node(ino).xattrs.pop(name, None) is None:
            raise fail(errno.ENODATA)
        self._node(ino).changed()

    @locked
    def statfs(self) -> Space:
        return Space(PAGE, 1 << 20, 1 << 19, 1 << 19, 1 << 20, 1 << 19)
