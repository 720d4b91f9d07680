"""The tree as a ``kgfs.filesystem.FileSystem`` that can only be read: what the overlay of a session stands on.

Used by sessions, from any thread but the event loop: looking into a query runs it, and bytes may come from the store.
Inode numbers are the nodes of the namespace. Other file systems that a mount shows in directories of the tree are not
part of it: their names are missing here.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NoReturn, TypeVar

from kgfs.errors import DeadlineExceeded, IsADirectory, KgfsError, NotADirectory, NotFoundError, UnknownWord
from kgfs.filesystem import Entry, Space, Stat
from kgfs.names import name_bytes, name_text
from kgfs.namespace.bodies import Body, StaleSnapshotError
from kgfs.namespace.namespace import Namespace
from kgfs.namespace.node import Node
from kgfs.namespace.route import Submounted
from kgfs.namespace.tree_reader import Attr

T = TypeVar("T")

NAME_MAX = 255
DEADLINE_SECONDS = 30.0
"""How long an answer may take, with what must be read or asked for it."""
RELOAD_SECONDS = 1.0
"""How long a read that a commit overtook waits for the publication that must be under way."""
PAUSE_SECONDS = 0.005
_PLAIN = (NotFoundError, NotADirectory, IsADirectory)
"""What every tool runs into all the time."""
_KIND_BITS = {"d": stat.S_IFDIR, "f": stat.S_IFREG, "l": stat.S_IFLNK}
_BLOCK = 4096


class _Held:
    """What readers have open."""

    __slots__ = ("attributes", "body", "count", "momentary")

    def __init__(self, attributes: Stat, momentary: bool) -> None:
        self.count = 0
        self.attributes = attributes
        """As they were when it was last looked at: it may go while it is open."""
        self.momentary = momentary
        self.body: Body | None = None
        """What was last read of it."""


class TreeFiles:
    """A ``kgfs.filesystem.FileSystem`` over a namespace; whatever would change something is ``EROFS``."""

    def __init__(
        self,
        namespace: Namespace,
        store: Path,
        *,
        reload: Callable[[], object] = lambda: None,
        refused: Callable[[KgfsError], None] = lambda error: None,
    ) -> None:
        """``store`` is the directory whose disk ``statfs`` speaks of. ``reload`` shows the newest snapshot, where
        nobody else does after a commit; ``refused`` is told of errors that have a sentence for the user.
        """
        self._namespace, self._store = namespace, store
        self._reload, self._refused = reload, refused
        self._owner = (os.getuid(), os.getgid())
        self._lock = threading.Lock()
        self._held: dict[Node, _Held] = {}

    # --- looking ----------------------------------------------------------------------------------------------------

    def at_once(self, *inodes: int) -> None:
        """Any look may have to wait for a query, or a publication."""

    def lookup(self, parent: int, name: bytes) -> Stat:
        """The entry of a directory."""
        text = name_text(name)
        namespace = self._namespace

        def look() -> Stat:
            if len(name) > NAME_MAX and (name[:1] != b"@" and namespace.is_directory_of_files(parent)):
                raise OSError(errno.ENAMETOOLONG, f"A name has at most {NAME_MAX} bytes.")
            if namespace.pending(parent, text):
                namespace.prepare(parent, text)
            node = namespace.lookup(parent, text)
            if self._is_other(node):
                raise NotFoundError(f"There is no {text!r} here.")
            return self._stat(node, namespace.attr(node))

        return self._answer(look)

    def _is_other(self, node: Node) -> bool:
        """Whether a mount shows another file system there."""
        return isinstance(self._namespace.row(node).node_type, Submounted)

    def getattr(self, ino: int) -> Stat:
        """The attributes of an inode."""
        held = self._held.get(ino)
        try:
            found = self._answer(lambda: self._attributes(ino))
        except FileNotFoundError:
            if held is None:
                raise
            return held.attributes  # it went while it was open
        if held is not None:
            if held.momentary and held.body is not None:
                found = _sized(found, held.body.size)
            held.attributes = found
        return found

    def _attributes(self, ino: int) -> Stat:
        namespace = self._namespace
        try:
            attr = namespace.attr(ino)
        except StaleSnapshotError:  # it has yet to be rendered in this generation; a directory never needs it
            namespace.prepare(ino)
            attr = namespace.attr(ino)
        return self._stat(ino, attr)

    def _stat(self, node: Node, attr: Attr) -> Stat:
        mtime = attr.mtime_ns
        return Stat(
            ino=node,
            mode=_KIND_BITS[attr.kind] | attr.mode,
            nlink=attr.nlink,
            uid=self._owner[0],
            gid=self._owner[1],
            rdev=0,
            size=attr.size,
            blocks=(attr.size + 511) >> 9 if attr.kind == "f" else 0,
            atime_ns=mtime if attr.atime_ns is None else attr.atime_ns,
            mtime_ns=mtime,
            ctime_ns=attr.ctime_ns,
        )

    def settled(self, ino: int) -> bool:
        """Publications change names."""
        return False

    def list(self, ino: int) -> Sequence[Entry]:
        """All entries of a directory but those that are other file systems."""
        namespace = self._namespace

        def listing() -> Sequence[Entry]:
            if namespace.pending(ino):
                namespace.prepare(ino)
            entries = namespace.entries(ino)
            if ino == namespace.root:
                entries = [entry for entry in entries if not self._is_other(entry.node)]
            kind = namespace.kind
            return [Entry(name_bytes(name), node, _KIND_BITS[kind(node)]) for name, node, _ in entries]

        return self._answer(listing)

    def readlink(self, ino: int) -> bytes:
        """The target of a symbolic link."""
        namespace = self._namespace

        def target() -> bytes:
            try:
                return name_bytes(namespace.target(ino))
            except StaleSnapshotError:  # a link of an answer that has yet to be given in this generation
                namespace.prepare(ino)
                return name_bytes(namespace.target(ino))

        return self._answer(target)

    def getxattr(self, ino: int, name: bytes) -> bytes:
        """An extended attribute."""
        value = self._answer(lambda: self._namespace.xattrs(ino)).get(name_text(name))
        if value is None:
            raise OSError(errno.ENODATA, "There is no such attribute.")
        return bytes(value)

    def listxattr(self, ino: int) -> Sequence[bytes]:
        """The names of the attributes."""
        return [name_bytes(name) for name in self._answer(lambda: self._namespace.xattrs(ino))]

    def statfs(self) -> Space:
        """The disk that the store is on."""
        disk = os.statvfs(self._store)
        return Space(
            block_size=_BLOCK,
            blocks=disk.f_blocks * disk.f_frsize // _BLOCK,
            free=disk.f_bfree * disk.f_frsize // _BLOCK,
            available=disk.f_bavail * disk.f_frsize // _BLOCK,
            files=0,
            files_free=0,
        )

    # --- bytes ------------------------------------------------------------------------------------------------------

    def hold(self, ino: int) -> None:
        """Keep what is open: a query's answer stays as it is, and what goes can be read to its end."""
        attributes = self._answer(lambda: self._attributes(ino))
        momentary = stat.S_ISREG(attributes.mode) and self._namespace.is_momentary(ino)
        body = self._answer(lambda: self._body(ino)) if momentary else None
        with self._lock:
            held = self._held.setdefault(ino, _Held(attributes, momentary))
            held.count += 1
            if held.body is None:
                held.body = body
        self._namespace.hold(ino)

    def release(self, ino: int) -> None:
        """Let go of what ``hold`` kept."""
        with self._lock:
            held = self._held.get(ino)
            if held is None:
                return
            held.count -= 1
            if not held.count:
                del self._held[ino]
        self._namespace.let_go(ino)

    def read(self, ino: int, offset: int, size: int) -> bytes:
        """At most ``size`` bytes."""
        if offset < 0 or size < 0:
            raise OSError(errno.EINVAL, "Offset and size are not negative.")
        held = self._held.get(ino)
        if held is not None and held.momentary and held.body is not None:
            return self._of_the_moment(ino, held, offset, size)

        def read() -> bytes:
            body = self._body(ino)
            data = body.read(offset, size)
            if held is not None:
                held.body = body
            return bytes(data)

        try:
            return self._answer(read)
        except FileNotFoundError:
            if held is None or held.body is None:
                raise
            return bytes(held.body.read(offset, size))  # removed while open: its reader may finish

    def _body(self, ino: int) -> Body:
        if self._namespace.kind(ino) == "l":
            raise OSError(errno.EINVAL, "It is a link; read what it leads to.")
        return self._namespace.peek(ino) or self._namespace.load(ino)

    def _of_the_moment(self, ino: int, held: _Held, offset: int, size: int) -> bytes:
        """Of a file that is made anew at each look: its text at opening, whole; and once that was read, what has been
        put behind it."""
        body = held.body
        assert body is not None
        if offset >= body.size:
            now = self._answer(lambda: self._body(ino))
            if now.size > body.size and now.read(0, body.size) == body.read(0, body.size):
                held.body = body = now
        return bytes(body.read(offset, size))

    def seek_data(self, ino: int, offset: int) -> int:
        """All of a file is data."""
        if not 0 <= offset < self._file_size(ino):
            raise OSError(errno.ENXIO, "There is nothing from there on.")
        return offset

    def seek_hole(self, ino: int, offset: int) -> int:
        """The end of the file."""
        size = self._file_size(ino)
        if not 0 <= offset < size:
            raise OSError(errno.ENXIO, "There is nothing from there on.")
        return size

    def _file_size(self, ino: int) -> int:
        found = self.getattr(ino)
        if stat.S_ISDIR(found.mode):
            raise OSError(errno.EISDIR, "It is a directory.")
        if not stat.S_ISREG(found.mode):
            raise OSError(errno.EINVAL, "It is no file.")
        return found.size

    # --- answers ----------------------------------------------------------------------------------------------------

    def _answer(self, question: Callable[[], T]) -> T:
        """What ``question`` returns, asked again while commits overtake it."""
        generation, since, reloaded = self._namespace.view.generation, time.monotonic(), False
        until = since + DEADLINE_SECONDS
        with self._errors():
            while True:
                try:
                    return question()
                except StaleSnapshotError as error:
                    now = time.monotonic()
                    if now > until:
                        raise DeadlineExceeded("No answer in time; try again.") from None
                    if generation != self._namespace.view.generation:
                        generation, since, reloaded = self._namespace.view.generation, now, False
                    elif now > since + RELOAD_SECONDS:
                        if reloaded:  # there is nothing newer: it is the number that is too old
                            raise OSError(errno.ESTALE, "Look it up again.") from error
                        self._reload()
                        since, reloaded = now, True
                    time.sleep(PAUSE_SECONDS)

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        """Our errors become those of a file system."""
        try:
            yield
        except KgfsError as error:
            if isinstance(error, UnknownWord) or not isinstance(error, _PLAIN):
                self._refused(error)
            raise OSError(error.errno, error.message) from error
        except LookupError as error:  # the tables of a snapshot are asked by numbers that they gave out
            raise OSError(errno.ENOENT, "There is no such inode.") from error

    # --- what is refused --------------------------------------------------------------------------------------------

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
        """``EROFS``."""
        _refuse()

    def make(self, parent: int, name: bytes, mode: int, rdev: int, uid: int, gid: int) -> Stat:
        """``EROFS``."""
        _refuse()

    def symlink(self, parent: int, name: bytes, target: bytes, uid: int, gid: int) -> Stat:
        """``EROFS``."""
        _refuse()

    def link(self, ino: int, new_parent: int, new_name: bytes) -> Stat:
        """``EROFS``."""
        _refuse()

    def rename(self, old_parent: int, old_name: bytes, new_parent: int, new_name: bytes, flags: int) -> None:
        """``EROFS``."""
        _refuse()

    def unlink(self, parent: int, name: bytes) -> None:
        """``EROFS``."""
        _refuse()

    def rmdir(self, parent: int, name: bytes) -> None:
        """``EROFS``."""
        _refuse()

    def tmpfile(self, mode: int, uid: int, gid: int) -> Stat:
        """``EROFS``."""
        _refuse()

    def write(self, ino: int, offset: int, data: bytes) -> int:
        """``EROFS``."""
        _refuse()

    def allocate(self, ino: int, mode: int, offset: int, length: int) -> None:
        """``EROFS``."""
        _refuse()

    def setxattr(self, ino: int, name: bytes, value: bytes, flags: int = 0) -> None:
        """``EROFS``."""
        _refuse()

    def removexattr(self, ino: int, name: bytes) -> None:
        """``EROFS``."""
        _refuse()

    def sync(self, ino: int | None = None) -> None:
        """Nothing is changed here, so all is durable."""


def _sized(found: Stat, size: int) -> Stat:
    return Stat(
        found.ino, found.mode, found.nlink, found.uid, found.gid, found.rdev, size, (size + 511) >> 9,
        found.atime_ns, found.mtime_ns, found.ctime_ns,
    )  # fmt: skip


def _refuse() -> NoReturn:
    raise OSError(errno.EROFS, "The tree can only be read here.")
