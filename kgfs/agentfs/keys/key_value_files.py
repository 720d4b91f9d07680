"""The key-value store as a file system: one file a key, whose bytes are the JSON value.

Used by ``mountd`` for ``@kv``, from any thread. What is written to an open file is gathered in memory; ``sync`` (every
close) stores it, durably and whole, or refuses it with ``EINVAL`` where it is no JSON, and then the value stays what it
was. Other processes may change values at any time, so nobody should keep an answer.
"""

from __future__ import annotations

import errno
import functools
import os
import stat
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypeVar

from kgfs.agentfs.database import AgentDatabase
from kgfs.agentfs.filesystem.stored import failure
from kgfs.agentfs.keys.key_names import Names, beginning_of, goes_on, key_of, names_of
from kgfs.agentfs.keys.key_values import VALUE_BYTES, KeyValues
from kgfs.errors import KgfsError, NotFoundError
from kgfs.filesystem import (
    NAME_MAX,
    NAME_TOO_LONG,
    NOTHING_TO_EXCHANGE,
    RENAME_EXCHANGE,
    RENAME_NOREPLACE,
    ROOT,
    Entry,
    Space,
    Stat,
)

SECOND = 1_000_000_000
LEFT, LEFT_BYTES = 64, 1 << 20
"""So many removed keys can still be opened by a program that found them before, if they are not larger."""
FILE, DIRECTORY = stat.S_IFREG | 0o644, stat.S_IFDIR | 0o755
Method = TypeVar("Method", bound=Callable[..., Any])


def _locked(method: Method) -> Method:
    """Under the lock, with our errors as errors of a file system."""

    @functools.wraps(method)
    def run(self: KeyValueFiles, *arguments: Any, **named: Any) -> Any:
        with self._lock:
            try:
                return method(self, *arguments, **named)
            except KgfsError as error:
                raise failure(error) from error

    return run  # type: ignore[return-value]


def _refuse(number: int, why: str) -> NoReturn:
    raise OSError(number, why)


class _Node:
    """A file or directory that somebody asked for."""

    __slots__ = ("body", "dirty", "held", "ino", "mtime", "names", "stored")

    def __init__(self, ino: int, names: Names) -> None:
        self.ino = ino
        self.names: Names | None = names
        """Where it is; none where it is gone."""
        self.held = 0
        self.stored = True
        """Whether it has a value; not yet, where it was just created."""
        self.body: bytearray | None = None
        """What is being written, or what was in it when it went."""
        self.dirty = False
        self.mtime = 0

    @property
    def key(self) -> str:
        if self.names is None:
            _refuse(errno.ENOENT, "This key is gone.")
        return key_of(self.names)


class KeyValueFiles:
    """A ``kgfs.filesystem.FileSystem`` over the keys of an open ``agent.db``."""

    def __init__(self, database: AgentDatabase) -> None:
        self._database = database
        self._values = KeyValues(database)
        self._lock = threading.RLock()
        self._owner = (os.getuid(), os.getgid())
        root = _Node(ROOT, ())
        self._last = ROOT
        self._left: deque[_Node] = deque()
        """What went last."""
        self._nodes: dict[int, _Node] = {ROOT: root}
        self._places: dict[Names, _Node] = {(): root}
        self._made: set[Names] = set()
        """Directories that somebody made for keys to come."""
        self._began = time.time_ns()

    # Names

    def _node(self, ino: int) -> _Node:
        node = self._nodes.get(ino)
        if node is None:
            _refuse(errno.ENOENT, "There is no such inode.")
        return node

    def _at(self, names: Names) -> _Node:
        """The node of a place, which has one number for as long as this lives."""
        node = self._places.get(names)
        if node is None:
            self._last += 1
            node = _Node(self._last, names)
            self._nodes[node.ino] = self._places[names] = node
        return node

    def _inside(self, parent: int, name: bytes) -> Names:
        """The names of an entry, which may not exist."""
        above = self._node(parent)
        if above.names is None:
            _refuse(errno.ENOENT, "This directory is gone.")
        if above.names and not goes_on(above.names[-1]):
            _refuse(errno.ENOTDIR, "This is a key.")
        if len(name) > NAME_MAX:
            _refuse(errno.ENAMETOOLONG, NAME_TOO_LONG)
        return (*above.names, name)

    def _exists(self, names: Names) -> bool:
        """Whether there is a key, or a directory."""
        node = self._places.get(names)
        if not names or (node is not None and not node.stored):
            return True
        if any(made[: len(names)] == names for made in self._made):
            return True
        try:
            if goes_on(names[-1]):
                return any(names_of(key)[: len(names)] == names for key in self._values.keys(beginning_of(names)))
            self._values.measure(key_of(names))
        except (ValueError, NotFoundError):
            return False
        return True

    def _find(self, parent: int, name: bytes) -> _Node:
        names = self._inside(parent, name)
        if not self._exists(names):
            _refuse(errno.ENOENT, "There is no such key.")
        return self._at(names)

    def _free(self, parent: int, name: bytes) -> Names:
        names = self._inside(parent, name)
        if self._exists(names):
            _refuse(errno.EEXIST, "There is such a key already.")
        return names

    @staticmethod
    def _is_directory(node: _Node) -> bool:
        return node.names is not None and (not node.names or goes_on(node.names[-1]))

    def _file(self, ino: int) -> _Node:
        node = self._node(ino)
        if self._is_directory(node):
            _refuse(errno.EISDIR, "This is a directory.")
        return node

    def _stat(self, node: _Node) -> Stat:
        if self._is_directory(node):
            return Stat(node.ino, DIRECTORY, 2, *self._owner, 0, 0, 0, self._began, self._began, self._began)
        if node.body is not None:
            size, mtime = len(node.body), node.mtime
        elif node.stored and node.names is not None:
            size, _, updated = self._values.measure(node.key)
            mtime = updated * SECOND
        else:
            size, mtime = 0, node.mtime
        links = 0 if node.names is None else 1
        return Stat(node.ino, FILE, links, *self._owner, 0, size, -(-size // 512), mtime, mtime, mtime)

    @_locked
    def at_once(self, *inodes: int) -> None:
        """Each look asks the database."""

    def lookup(self, parent: int, name: bytes) -> Stat:
        """A key, or a directory in which long keys go on."""
        return self._stat(self._find(parent, name))

    @_locked
    def getattr(self, ino: int) -> Stat:
        """The size of a value, and when it was updated."""
        return self._stat(self._node(ino))

    @_locked
    def settled(self, ino: int) -> bool:
        """Other programs set keys, too."""
        return False

    def list(self, ino: int) -> Sequence[Entry]:
        """The keys."""
        node = self._node(ino)
        if not self._is_directory(node):
            _refuse(errno.ENOTDIR, "This is a key.")
        here = node.names
        if here is None:
            return []
        found = {names_of(key)[: len(here) + 1] for key in self._values.keys(beginning_of(here))}
        found |= {names for names, each in self._places.items() if not each.stored} | self._made
        places = sorted(
            {names[: len(here) + 1] for names in found if len(names) > len(here) and names[: len(here)] == here}
        )
        return [Entry(names[-1], self._at(names).ino, DIRECTORY if goes_on(names[-1]) else FILE) for names in places]

    @_locked
    def make(self, parent: int, name: bytes, mode: int, rdev: int, uid: int, gid: int) -> Stat:
        """A key that has its value with the first close, or a directory for long keys."""
        names = self._free(parent, name)
        try:
            if stat.S_ISDIR(mode):
                beginning_of(names)
                self._made.add(names)
                return self._stat(self._at(names))
            if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
                _refuse(errno.EPERM, "Here are keys only.")
            key_of(names)
        except ValueError as error:
            _refuse(errno.EPERM if stat.S_ISDIR(mode) else errno.EINVAL, str(error))
        node = self._at(names)
        node.stored = False
        node.mtime = time.time_ns()
        return self._stat(node)

    @_locked
    def unlink(self, parent: int, name: bytes) -> None:
        """Delete a key."""
        node = self._find(parent, name)
        if self._is_directory(node):
            _refuse(errno.EISDIR, "This is a directory.")
        self._keep_body(node)
        if node.stored:
            self._values.delete(node.key)
        self._leave(node)

    def _keep_body(self, node: _Node) -> None:
        """Keep the bytes for programs that have the file open, and for one that has just found it and will open it."""
        if node.body is None and (node.held or self._stat(node).size <= LEFT_BYTES):
            self._load(node)

    def _leave(self, node: _Node) -> None:
        """A node has no place any more."""
        if node.names is not None:
            if self._places.get(node.names) is node:
                del self._places[node.names]
            # Directories stay until they are removed, as a program that removes a tree does.
            self._made |= {node.names[:depth] for depth in range(1, len(node.names))}
        node.names = None
        node.dirty = False
        self._left.append(node)
        while len(self._left) > LEFT:
            oldest = self._left.popleft()
            if not oldest.held:
                self._nodes.pop(oldest.ino, None)

    @_locked
    def rmdir(self, parent: int, name: bytes) -> None:
        """Remove a directory in which no key goes on."""
        node = self._find(parent, name)
        if not self._is_directory(node):
            _refuse(errno.ENOTDIR, "This is a key.")
        if self.list(node.ino):
            _refuse(errno.ENOTEMPTY, "Keys go on in it.")
        assert node.names is not None
        here = node.names
        self._leave(node)
        self._made.discard(here)

    @_locked
    def rename(self, old_parent: int, old_name: bytes, new_parent: int, new_name: bytes, flags: int) -> None:
        """Give a value another key, in one step."""
        if flags not in (0, RENAME_NOREPLACE, RENAME_EXCHANGE):
            _refuse(errno.EINVAL, "These flags are not known.")
        node, there = self._find(old_parent, old_name), self._inside(new_parent, new_name)
        if self._is_directory(node) or goes_on(new_name):
            _refuse(errno.EPERM, "What long keys begin with cannot be renamed.")
        try:
            to_key = key_of(there)
        except ValueError as error:
            _refuse(errno.EINVAL, str(error))
        known = self._exists(there)
        if known and flags == RENAME_NOREPLACE:
            _refuse(errno.EEXIST, "There is such a key already.")
        if not known and flags == RENAME_EXCHANGE:
            _refuse(errno.ENOENT, NOTHING_TO_EXCHANGE)
        here = node.names
        if here == there or here is None:
            return
        over = self._at(there) if known else None
        for each in (node, over):
            if each is not None and (each.dirty or not each.stored):
                self._store(each)
        if flags == RENAME_EXCHANGE:
            self._values.move(node.key, to_key, exchange=True)
        else:
            self._made |= {here[:depth] for depth in range(1, len(here))}
            if over is not None:
                self._keep_body(over)
            self._values.move(node.key, to_key)
            if over is not None:
                self._leave(over)
            over = None
        self._places.pop(here, None)
        for each, place in ((node, there), (over, here)):
            if each is not None:
                each.names = place
                self._places[place] = each

    @_locked
    def symlink(self, parent: int, name: bytes, target: bytes, uid: int, gid: int) -> Stat:
        """Refused."""
        _refuse(errno.EPERM, "Here are keys only.")

    @_locked
    def link(self, ino: int, new_parent: int, new_name: bytes) -> Stat:
        """Refused."""
        _refuse(errno.EPERM, "A value has one key.")

    @_locked
    def readlink(self, ino: int) -> bytes:
        """Refused."""
        _refuse(errno.EINVAL, "This is no link.")

    @_locked
    def tmpfile(self, mode: int, uid: int, gid: int) -> Stat:
        """Refused."""
        _refuse(errno.EOPNOTSUPP, "Here are keys only.")

    # Values

    @_locked
    def hold(self, ino: int) -> None:
        """Keep what is open."""
        self._node(ino).held += 1

    @_locked
    def release(self, ino: int) -> None:
        """What was not stored by the last close is dropped."""
        node = self._nodes.get(ino)
        if node is None or not node.held:
            return
        node.held -= 1
        if node.held:
            return
        if node.names is None:
            if node not in self._left:
                del self._nodes[ino]
            return
        if not node.stored:
            self._leave(node)
        node.body, node.dirty = None, False

    def _load(self, node: _Node) -> bytearray:
        if node.body is None:
            if node.stored and node.names is not None:
                found = self._values.get(node.key)
                node.body, node.mtime = bytearray(found.value.encode()), found.updated_at * SECOND
            else:
                node.body = bytearray()
        return node.body

    @_locked
    def read(self, ino: int, offset: int, size: int) -> bytes:
        """Bytes of the value."""
        node = self._file(ino)
        if node.body is not None:
            return bytes(node.body[offset : offset + size])
        if not node.stored or node.names is None:
            return b""
        return self._values.get(node.key).value.encode()[offset : offset + size]

    @_locked
    def write(self, ino: int, offset: int, data: bytes) -> int:
        """Gather what the next ``sync`` stores."""
        node = self._file(ino)
        if offset + len(data) > VALUE_BYTES:
            _refuse(errno.EFBIG, "A value has at most 64 MiB.")
        body = self._load(node)
        if offset > len(body):
            body.extend(bytes(offset - len(body)))
        body[offset : offset + len(data)] = data
        self._written(node)
        return len(data)

    def _written(self, node: _Node) -> None:
        node.dirty = node.names is not None
        node.mtime = time.time_ns()

    @_locked
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
        """Cut a value, or say when it was updated; modes are what they are."""
        node = self._node(ino)
        if (uid is not None and uid != self._owner[0]) or (gid is not None and gid != self._owner[1]):
            _refuse(errno.EPERM, "All keys belong to the user who mounted them.")
        if size is not None:
            self._cut(self._file(ino), size)
        if mtime_ns is not None and not self._is_directory(node):
            node.mtime = mtime_ns
            if node.names is not None and node.stored and not node.dirty:
                self._values.set_time(node.key, mtime_ns // SECOND)
        return self._stat(node)

    def _cut(self, node: _Node, size: int) -> None:
        if size > VALUE_BYTES:
            _refuse(errno.EFBIG, "A value has at most 64 MiB.")
        body = self._load(node)
        del body[size:]
        body.extend(bytes(size - len(body)))
        self._written(node)
        if not node.held:  # nobody will close it
            try:
                self._store(node)
            finally:
                node.body, node.dirty = None, False

    def _store(self, node: _Node) -> None:
        """``EINVAL`` where it is no JSON."""
        body = self._load(node)
        self._values.set(node.key, bytes(body))
        node.stored = True
        node.dirty = False

    @_locked
    def sync(self, ino: int | None = None) -> None:
        """Store what was written. What is empty was just opened, by a shell mostly, and waits for more."""
        nodes = list(self._nodes.values()) if ino is None else [self._node(ino)]
        for node in nodes:
            if node.dirty and node.body:
                self._store(node)

    @_locked
    def allocate(self, ino: int, mode: int, offset: int, length: int) -> None:
        """Refused."""
        _refuse(errno.EOPNOTSUPP, "A value has no holes.")

    @_locked
    def seek_data(self, ino: int, offset: int) -> int:
        """All is data."""
        return offset if offset < self._stat(self._file(ino)).size else _refuse(errno.ENXIO, "Behind the end.")

    @_locked
    def seek_hole(self, ino: int, offset: int) -> int:
        """The end."""
        size = self._stat(self._file(ino)).size
        return size if offset < size else _refuse(errno.ENXIO, "Behind the end.")

    # Extended attributes

    @_locked
    def getxattr(self, ino: int, name: bytes) -> bytes:
        """There are none."""
        _refuse(errno.ENODATA, "A key has no attributes.")

    @_locked
    def setxattr(self, ino: int, name: bytes, value: bytes, flags: int = 0) -> None:
        """Refused."""
        _refuse(errno.EOPNOTSUPP, "A key has no attributes.")

    @_locked
    def listxattr(self, ino: int) -> Sequence[bytes]:
        """There are none."""
        return []

    @_locked
    def removexattr(self, ino: int, name: bytes) -> None:
        """There are none."""
        _refuse(errno.ENODATA, "A key has no attributes.")

    @_locked
    def statfs(self) -> Space:
        """The room on the disk that holds the file."""
        found = os.statvfs(self._database.path.parent)
        return Space(found.f_frsize, found.f_blocks, found.f_bfree, found.f_bavail, found.f_files, found.f_ffree)
