"""Random operations of a file system on two sides at once: results, errnos, contents, sizes and listings must agree.

Used with a real mount beside a tmpfs directory, and with the drives without a kernel beside the same. A *side* has the
functions of ``Side``; paths are relative, components joined by ``/``. Files stay open while others do what they like,
and another snapshot may be shown between any two steps.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import stat
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from hypothesis import Phase
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from kgfs.drives.files import Drives
from kgfs.errors import KgfsError
from kgfs.namespace.context_tree import AGENT_DRIVE, Directory
from kgfs.namespace.xattrs import decoded, encoded
from kgfs.store.drive_rows import NewAttributes
from tests.rounds import rounds

EXAMPLES = int(os.environ.get("KGFS_MODEL_EXAMPLES", rounds(8, 60)))
"""How many runs of some 40 steps each; for other ones each time, ``KGFS_HYPOTHESIS=random``."""
PHASES = (Phase.explicit, Phase.reuse, Phase.generate)
"""Nothing is shrunk: what one example leaves in the store another one may stumble over."""
NAMES = [
    "a",
    "b.md",
    "c",
    ".hid",
    "x.tmp",
    "b.md~",
    "é",
    "50%.md",
    "a%20b",
    "@odd",
    "_self",
    "\udcff\udc80.md",
    "n" * 255,
    "n" * 256,
]
LITERAL = st.lists(st.sampled_from([*NAMES, "a", "b.md", "c", "a", "c"]), min_size=1, max_size=3).map("/".join)
PATHS = st.tuples(st.integers(0, 3), LITERAL, st.integers(0, 99)).map(lambda drawn: drawn[2] if drawn[0] else drawn[1])
"""Which of the paths that there are, one in four times any: of random ones most lead nowhere."""
Choice = str | int
OPEN = st.sampled_from(
    [
        os.O_RDONLY, os.O_RDWR, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, os.O_RDWR | os.O_CREAT,
        os.O_RDWR | os.O_CREAT | os.O_EXCL, os.O_WRONLY | os.O_APPEND | os.O_CREAT, os.O_RDWR | os.O_TRUNC,
    ]
)  # fmt: skip
OFFSETS = st.sampled_from([0, 0, 1, 3, 100, 5000, 1024 * 1024 - 2, 1024 * 1024 + 5])
DATA = st.one_of(
    st.binary(max_size=40), st.sampled_from([b"# Title\n\nSome words.\n", b"x" * 70_000, b"\0\xff" * 9, b""])
)
MODES = st.sampled_from([0o600, 0o644, 0o755, 0o400])
TIMES = st.sampled_from([0, 1_000_000_000_123_456, 1_700_000_000_000_000, 4_005_006])
"""Microseconds, which is what is kept."""
KEYS = st.sampled_from(
    ["user.a", "user.b", "user.\udcff", "user.é", "other.a", "user." + "n" * 250, "user." + "n" * 251]
)
VALUES = st.sampled_from([b"", b"text", b"\0\xff" * 40])
NOREPLACE, EXCHANGE = 1, 2
"""Flags of ``renameat2``."""
FOREVER = 1_000_000


class Side(Protocol):
    """What is done on a side; each raises ``OSError``."""

    def open(self, path: str, flags: int) -> int: ...
    def close(self, fd: int) -> None: ...
    def pwrite(self, fd: int, data: bytes, offset: int) -> int: ...
    def append(self, fd: int, data: bytes) -> int: ...
    def pread(self, fd: int, length: int, offset: int) -> bytes: ...
    def ftruncate(self, fd: int, size: int) -> None: ...
    def fsync(self, fd: int) -> None: ...
    def fstat(self, fd: int) -> tuple[Any, ...]: ...
    def truncate(self, path: str, size: int) -> None: ...
    def unlink(self, path: str) -> None: ...
    def mkdir(self, path: str) -> None: ...
    def rmdir(self, path: str) -> None: ...
    def rename(self, path: str, to: str) -> None: ...
    def rename_new(self, path: str, to: str) -> None: ...
    def fchmod(self, fd: int, mode: int) -> None: ...
    def setxattr(self, path: str, key: str, value: bytes) -> None: ...
    def fsetxattr(self, fd: int, key: str, value: bytes) -> None: ...
    def removexattr(self, path: str, key: str) -> None: ...
    def xattrs(self, path: str) -> dict[str, bytes]: ...
    def fxattrs(self, fd: int) -> dict[str, bytes]: ...
    def chmod(self, path: str, mode: int) -> None: ...
    def utime(self, path: str, us: int) -> None: ...
    def stat(self, path: str) -> tuple[Any, ...]: ...
    def listdir(self, path: str) -> list[str]: ...
    def read(self, path: str) -> bytes: ...


class OsSide:
    """A directory of the host, or on a mount."""

    def __init__(self, root: Path) -> None:
        self.root = os.fspath(root)

    def _at(self, path: str) -> str:
        return f"{self.root}/{path}" if path else self.root

    def open(self, path: str, flags: int) -> int:
        return os.open(self._at(path), flags | os.O_CLOEXEC, 0o644)

    def close(self, fd: int) -> None:
        os.close(fd)

    def pwrite(self, fd: int, data: bytes, offset: int) -> int:
        return os.pwrite(fd, data, offset)

    def append(self, fd: int, data: bytes) -> int:
        return os.write(fd, data)

    def pread(self, fd: int, length: int, offset: int) -> bytes:
        return os.pread(fd, length, offset)

    def ftruncate(self, fd: int, size: int) -> None:
        os.ftruncate(fd, size)

    def fsync(self, fd: int) -> None:
        os.fsync(fd)

    def fstat(self, fd: int) -> tuple[Any, ...]:
        return _shown(os.fstat(fd))

    def truncate(self, path: str, size: int) -> None:
        os.truncate(self._at(path), size)

    def unlink(self, path: str) -> None:
        os.unlink(self._at(path))

    def mkdir(self, path: str) -> None:
        os.mkdir(self._at(path))

    def rmdir(self, path: str) -> None:
        os.rmdir(self._at(path))

    def rename(self, path: str, to: str) -> None:
        os.rename(self._at(path), self._at(to))

    def rename_new(self, path: str, to: str) -> None:
        rename2(self._at(path), self._at(to), NOREPLACE)

    def fchmod(self, fd: int, mode: int) -> None:
        os.fchmod(fd, mode)

    def setxattr(self, path: str, key: str, value: bytes) -> None:
        os.setxattr(self._at(path), key, value)

    def fsetxattr(self, fd: int, key: str, value: bytes) -> None:
        os.setxattr(fd, key, value)

    def removexattr(self, path: str, key: str) -> None:
        os.removexattr(self._at(path), key)

    def xattrs(self, path: str) -> dict[str, bytes]:
        return _xattrs(self._at(path))

    def fxattrs(self, fd: int) -> dict[str, bytes]:
        return _xattrs(fd)

    def chmod(self, path: str, mode: int) -> None:
        os.chmod(self._at(path), mode)

    def utime(self, path: str, us: int) -> None:
        os.utime(self._at(path), ns=(us * 1000, us * 1000))

    def stat(self, path: str) -> tuple[Any, ...]:
        return _shown(os.stat(self._at(path)))

    def listdir(self, path: str) -> list[str]:
        return sorted(os.listdir(self._at(path)))

    def read(self, path: str) -> bytes:
        with open(self._at(path), "rb") as file:
            return file.read()


_libc = ctypes.CDLL(None, use_errno=True)


def rename2(path: str, to: str, flags: int) -> None:
    """``renameat2``, which Python does not have."""
    at_cwd = -100
    if _libc.renameat2(at_cwd, os.fsencode(path), at_cwd, os.fsencode(to), flags) != 0:
        raise OSError(ctypes.get_errno(), path)


def _xattrs(where: str | int) -> dict[str, bytes]:
    """What somebody set: not what the graph says, nor what the system adds."""
    names = [name for name in os.listxattr(where) if name.startswith("user.") and not name.startswith("user.kg.")]
    return {name: os.getxattr(where, name) for name in sorted(names)}


def _shown(found: os.stat_result) -> tuple[Any, ...]:
    if stat.S_ISDIR(found.st_mode):
        return "d", stat.S_IMODE(found.st_mode), _set_time(found.st_mtime_ns // 1000)
    return "f", stat.S_IMODE(found.st_mode), found.st_size


def _set_time(us: int) -> int | None:
    """The time of a directory, where it is one that somebody set (all of ``TIMES`` are long over)."""
    return us if us <= 1_700_000_000_000_000 else None


class DrivesSide:
    """The drive ``agent`` through ``kgfs.drives``, as the mount's handlers use it."""

    def __init__(self, drives: Drives, top: str) -> None:
        """``top`` is the name of the directory on the drive in which it all happens."""
        self.drives = drives
        self.top = top
        self._fds: dict[int, tuple[int, int]] = {}
        self._position: dict[int, int] = {}
        self._next = 10

    def _root(self) -> Directory:
        return self.drives.context.tree.drives[AGENT_DRIVE].directories[self.top]

    def _walk(self, path: str, *, checked: bool = True) -> tuple[Directory, str]:
        here = self._root()
        *above, name = path.split("/")
        for each in above:
            if len(os.fsencode(each)) > 255:
                raise OSError(errno.ENAMETOOLONG, each)
            inner = here.directories.get(each)
            if inner is None:
                raise OSError(errno.ENOTDIR if each in here.files else errno.ENOENT, path)
            here = inner
        if checked and len(os.fsencode(name)) > 255:
            raise OSError(errno.ENAMETOOLONG, name)
        return here, name

    def _do(self, work: Callable[[], Any]) -> Any:
        try:
            return work()
        except KgfsError as error:
            raise OSError(error.errno, str(error)) from error

    def _inode(self, path: str) -> int:
        here, name = self._walk(path)
        inode = here.files.get(name)
        if inode is None:
            raise OSError(errno.EISDIR if name in here.directories else errno.ENOENT, path)
        return inode

    def _ready(self, inode: int, *, empty: bool = False) -> None:
        while self.drives.open_files.needs_load(inode):
            self.drives.open_files.load(inode, empty=empty)

    def open(self, path: str, flags: int) -> int:
        return self._do(lambda: self._open(path, flags))  # type: ignore[no-any-return]

    def _open(self, path: str, flags: int) -> int:
        open_files = self.drives.open_files
        here, name = self._walk(path)
        writing = flags & os.O_ACCMODE != os.O_RDONLY
        if name in here.files:
            if flags & os.O_EXCL:
                raise OSError(errno.EEXIST, path)
            inode = here.files[name]
            open_files.open(inode, writing=writing)
            if flags & os.O_TRUNC:
                self._ready(inode, empty=True)
                open_files.truncate(inode, 0)
        elif name in here.directories:
            if flags & os.O_EXCL:
                raise OSError(errno.EEXIST, path)
            if writing or flags & os.O_CREAT:
                raise OSError(errno.EISDIR, path)
            inode = -1
        elif flags & os.O_CREAT:
            inode = open_files.create(here, name, 0o644)
        else:
            raise OSError(errno.ENOENT, path)
        self._next += 1
        self._fds[self._next] = inode, flags
        return self._next

    def _file(self, fd: int, *, writing: bool | None = None) -> int:
        inode, flags = self._fds[fd]
        mode = flags & os.O_ACCMODE
        if (writing is True and mode == os.O_RDONLY) or (writing is False and mode == os.O_WRONLY):
            raise OSError(errno.EBADF, "not open for that")
        if inode < 0:
            raise OSError(errno.EISDIR, "a directory")
        return inode

    def close(self, fd: int) -> None:
        inode, flags = self._fds.pop(fd)
        self._position.pop(fd, None)
        if inode < 0:
            return
        writing = flags & os.O_ACCMODE != os.O_RDONLY
        if writing:
            self._do(self.drives.open_files.commit(inode, closing=True).result)
        ended = self.drives.open_files.release(inode, writing=writing)
        if ended is not None:
            ended.result()

    def pwrite(self, fd: int, data: bytes, offset: int) -> int:
        inode = self._file(fd, writing=True)
        if self._fds[fd][1] & os.O_APPEND:
            offset = self.drives.context.file(inode).size
        if not data:
            return 0
        self._do(lambda: self._ready(inode))
        return self._do(lambda: self.drives.open_files.write(inode, offset, data))  # type: ignore[no-any-return]

    def append(self, fd: int, data: bytes) -> int:
        inode = self._file(fd, writing=True)
        at = self.drives.context.file(inode).size if self._fds[fd][1] & os.O_APPEND else self._position.get(fd, 0)
        written = self.pwrite(fd, data, at)
        if data:
            self._position[fd] = at + written
        return written

    def _body(self, inode: int) -> Any:
        namespace = self.drives.context.namespace
        node = namespace.node_of(inode)
        return namespace.peek(node) or namespace.load(node)

    def pread(self, fd: int, length: int, offset: int) -> bytes:
        inode = self._file(fd, writing=False)
        return self._do(lambda: self._body(inode).read(offset, length))  # type: ignore[no-any-return]

    def ftruncate(self, fd: int, size: int) -> None:
        if self._fds[fd][1] & os.O_ACCMODE == os.O_RDONLY:
            raise OSError(errno.EINVAL, "not open for writing")
        inode = self._file(fd)
        self._do(lambda: self._ready(inode))
        self._do(lambda: self.drives.open_files.truncate(inode, size))

    def fsync(self, fd: int) -> None:
        inode = self._fds[fd][0]
        if inode >= 0:
            self._do(self.drives.open_files.commit(inode, closing=False).result)

    def fstat(self, fd: int) -> tuple[Any, ...]:
        inode, _ = self._fds[fd]
        file = self.drives.context.file(inode)
        return "f", file.mode, file.size

    def truncate(self, path: str, size: int) -> None:
        def work() -> None:
            inode = self._inode(path)
            self.drives.open_files.open(inode, writing=True)
            try:
                self._ready(inode, empty=size == 0)
                self.drives.open_files.truncate(inode, size)
                self.drives.open_files.commit(inode, closing=True).result()
            finally:
                self.drives.open_files.release(inode, writing=True)

        self._do(work)

    def unlink(self, path: str) -> None:
        self._do(lambda: self.drives.namespace_ops.remove_file(*self._walk(path)).result())

    def mkdir(self, path: str) -> None:
        self._do(lambda: self.drives.namespace_ops.make_directory(*self._walk(path), 0o755).result())

    def rmdir(self, path: str) -> None:
        self._do(lambda: self.drives.namespace_ops.remove_directory(*self._walk(path)).result())

    def rename(self, path: str, to: str) -> None:
        self._rename(path, to, replace=True)

    def rename_new(self, path: str, to: str) -> None:
        self._rename(path, to, replace=False)

    def _rename(self, path: str, to: str, *, replace: bool) -> None:
        for each in (path, to):  # first the directories of both, as the kernel does it
            self._walk(each, checked=False)
        here, name = self._walk(path)
        there, to_name = self._walk(to)
        if name not in here.files and name not in here.directories:
            raise OSError(errno.ENOENT, path)
        if path.startswith(to + "/"):  # the kernel answers this without asking us
            raise OSError(errno.ENOTEMPTY if replace else errno.EEXIST, to)
        self._do(lambda: self.drives.namespace_ops.rename(here, name, there, to_name, replace=replace).result())

    def fchmod(self, fd: int, mode: int) -> None:
        self._do(self.drives.namespace_ops.set_file(self._file(fd), NewAttributes(mode=mode)).result)

    def _node(self, path: str) -> Any:
        here, name = self._walk(path)
        stored = here.files.get(name, here.directories.get(name))
        if stored is None:
            raise OSError(errno.ENOENT, path)
        return self.drives.context.namespace.node_of(stored)

    def setxattr(self, path: str, key: str, value: bytes) -> None:
        _require_length(key)
        values = self.drives.context.namespace.own_xattrs(self._node(path))
        _require_user(key)
        self._set(path, NewAttributes(xattrs=encoded({**values, key: value})))

    def fsetxattr(self, fd: int, key: str, value: bytes) -> None:
        inode = self._file(fd)
        _require_length(key)
        _require_user(key)
        given = {**self.drives.context.file(inode).xattrs, **encoded({key: value})}
        self._do(self.drives.namespace_ops.set_file(inode, NewAttributes(xattrs=given)).result)

    def removexattr(self, path: str, key: str) -> None:
        _require_length(key)
        node = self._node(path)
        _require_user(key)
        values = self.drives.context.namespace.own_xattrs(node)
        if values.pop(key, None) is None:
            raise OSError(errno.ENODATA, key)
        self._set(path, NewAttributes(xattrs=encoded(values)))

    def xattrs(self, path: str) -> dict[str, bytes]:
        return dict(sorted(self.drives.context.namespace.own_xattrs(self._node(path)).items()))

    def fxattrs(self, fd: int) -> dict[str, bytes]:
        inode, _ = self._fds[fd]
        return dict(sorted(decoded(self.drives.context.file(inode).xattrs).items()))

    def _set(self, path: str, attributes: NewAttributes) -> None:
        here, name = self._walk(path)
        if name in here.files:
            self._do(self.drives.namespace_ops.set_file(here.files[name], attributes).result)
        elif name in here.directories:
            self._do(self.drives.namespace_ops.set_directory(here.directories[name], attributes).result)
        else:
            raise OSError(errno.ENOENT, path)

    def chmod(self, path: str, mode: int) -> None:
        self._set(path, NewAttributes(mode=mode))

    def utime(self, path: str, us: int) -> None:
        self._set(path, NewAttributes(mtime_us=us, atime_us=us))

    def stat(self, path: str) -> tuple[Any, ...]:
        if not path:
            return "d", 0o755, None
        here, name = self._walk(path)
        namespace = self.drives.context.namespace
        stored = here.files.get(name, here.directories.get(name))
        if stored is None:
            raise OSError(errno.ENOENT, path)
        attr = namespace.attr(namespace.node_of(stored))
        if attr.kind == "d":
            return "d", attr.mode, _set_time(attr.mtime_ns // 1000)
        return "f", attr.mode, attr.size

    def listdir(self, path: str) -> list[str]:
        here: Directory | None = self._root()
        if path:
            above, name = self._walk(path)
            here = above.directories.get(name)
            if here is None:
                raise OSError(errno.ENOTDIR if name in above.files else errno.ENOENT, path)
        namespace = self.drives.context.namespace
        assert here is not None
        return sorted(entry.name for entry in namespace.entries(namespace.node_of(here)))

    def read(self, path: str) -> bytes:
        def work() -> bytes:
            body = self._body(self._inode(path))
            return bytes(body.read(0, body.size + 1))

        return self._do(work)  # type: ignore[no-any-return]


def _require_length(key: str) -> None:
    """The kernel looks at this before it walks the path."""
    if len(os.fsencode(key)) > 255:
        raise OSError(errno.ERANGE, key)


def _require_user(key: str) -> None:
    if not key.startswith("user."):
        raise OSError(errno.EOPNOTSUPP, key)


def outcome(work: Callable[[], Any]) -> tuple[str, Any]:
    """What an operation answered: its value, or its errno by name."""
    try:
        return "value", work()
    except OSError as error:
        return "errno", errno.errorcode.get(error.errno or 0, error.errno)


def _read(side: Side, path: str) -> bytes:
    return side.read(path)


def _own(side: Side, path: str) -> dict[str, bytes]:
    return side.xattrs(path)


class TwoSides(RuleBasedStateMachine):
    """Both sides; a subclass makes them in ``sides`` and may say how to bring up a newer snapshot."""

    ours: Side
    theirs: Side

    def __init__(self) -> None:
        super().__init__()
        self.fds: list[tuple[int, int]] = []
        self.times: set[str] = set()
        self.steps = 0
        self.every = FOREVER
        self.begin()

    @initialize(every=st.sampled_from([1, 2, 3, 5, FOREVER]))
    def published(self, every: int) -> None:
        """How many steps lie between two snapshots, beside those that a step asks for. They begin with some files, all
        kept and some open: out of nothing, most steps would find nothing to do."""
        self.every = every
        for name in ("a", "é", "é/a"):
            self.mkdir(name)
        kept = {"b.md": os.O_RDWR, "c": os.O_WRONLY | os.O_APPEND, "a/b.md": os.O_RDWR, "é/x.tmp": os.O_RDONLY}
        for name, flags in kept.items():
            self.hold(name, b"first line\n", flags)

    def begin(self) -> None:
        raise NotImplementedError

    def newer(self) -> None:
        """Another snapshot is shown."""

    def again(self) -> None:
        """The store is closed and opened."""

    def at(self, choice: Choice) -> str:
        """The path that was chosen."""
        if isinstance(choice, str):
            return choice
        found = [""]
        for above in found:
            if self.theirs.stat(above)[0] == "d":
                found += [f"{above}/{name}" if above else name for name in self.theirs.listdir(above)]
        return found[1 + choice % (len(found) - 1)] if len(found) > 1 else "a"

    def between(self) -> None:
        """Called after each step."""
        self.steps += 1
        if self.steps % self.every == 0:
            self.newer()

    def both(self, work: Callable[[Side], Any]) -> tuple[str, Any]:
        expected = outcome(lambda: work(self.theirs))
        found = outcome(lambda: work(self.ours))
        assert found == expected, f"{str(found)[:100]} {str(expected)[:100]}"
        return found

    def shown(self, path: str) -> tuple[str, Any]:
        """``stat`` on both sides. A directory whose time nobody set has here that of its newest member."""
        expected = outcome(lambda: self.theirs.stat(path))
        found = outcome(lambda: self.ours.stat(path))
        if expected[0] == found[0] == "value" and expected[1][0] == "d" and expected[1][2] is None:
            found = "value", (*found[1][:2], None)
        assert found == expected, path
        return found

    @rule(path=PATHS, flags=OPEN)
    def open(self, path: Choice, flags: int) -> None:
        path = self.at(path)
        expected = outcome(lambda: self.theirs.open(path, flags))
        found = outcome(lambda: self.ours.open(path, flags))
        if expected[0] == "value":
            assert found[0] == "value", (path, flags, found)
            self.fds.append((found[1], expected[1]))
        else:
            assert found == expected, (path, flags)

    @rule(choice=PATHS, data=DATA, flags=st.sampled_from([os.O_RDWR, os.O_WRONLY | os.O_APPEND]))
    def hold(self, choice: Choice, data: bytes, flags: int) -> None:
        """A file with all of it kept, that stays open."""
        path = self.at(choice)
        before = len(self.fds)
        self.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        if len(self.fds) > before:
            self.pwrite(before, data, 0)
            self.close(before)
            self.open(path, flags)

    def each(self, which: int, work: Callable[[Side, int], Any]) -> None:
        if not self.fds:  # no precondition: what is drawn must not depend on what a system did
            return
        ours, theirs = self.fds[which % len(self.fds)]
        expected = outcome(lambda: work(self.theirs, theirs))
        assert outcome(lambda: work(self.ours, ours)) == expected
        if self._is_file(which):
            assert self.ours.fstat(ours) == self.theirs.fstat(theirs)

    def _is_file(self, which: int) -> bool:
        return bool(self.fds and self.theirs.fstat(self.fds[which % len(self.fds)][1])[0] == "f")

    @rule(which=st.integers(0, 9), data=DATA, offset=OFFSETS)
    def pwrite(self, which: int, data: bytes, offset: int) -> None:
        self.each(which, lambda side, fd: side.pwrite(fd, data, offset))

    @rule(which=st.integers(0, 9), length=st.sampled_from([1, 10, 100_000]), offset=OFFSETS)
    def pread(self, which: int, length: int, offset: int) -> None:
        self.each(which, lambda side, fd: side.pread(fd, length, offset))

    @rule(which=st.integers(0, 9), size=OFFSETS)
    def ftruncate(self, which: int, size: int) -> None:
        self.each(which, lambda side, fd: side.ftruncate(fd, size))

    @rule(which=st.integers(0, 9))
    def fsync(self, which: int) -> None:
        self.each(which, lambda side, fd: side.fsync(fd))

    @rule(which=st.integers(0, 9))
    def close(self, which: int) -> None:
        if not self.fds:
            return
        ours, theirs = self.fds.pop(which % len(self.fds))
        self.theirs.close(theirs)
        self.ours.close(ours)

    @rule(path=PATHS, size=OFFSETS)
    def truncate(self, path: Choice, size: int) -> None:
        path = self.at(path)
        self.both(lambda side: side.truncate(path, size))

    @rule(path=PATHS)
    def unlink(self, path: Choice) -> None:
        path = self.at(path)
        self.both(lambda side: side.unlink(path))

    @rule(path=PATHS)
    def mkdir(self, path: Choice) -> None:
        path = self.at(path)
        self.both(lambda side: side.mkdir(path))

    @rule(path=PATHS)
    def rmdir(self, path: Choice) -> None:
        path = self.at(path)
        self.both(lambda side: side.rmdir(path))

    @rule(path=PATHS, to=PATHS)
    def rename(self, path: Choice, to: Choice) -> None:
        path, to = self.at(path), self.at(to)
        self.both(lambda side: side.rename(path, to))

    @rule(path=PATHS, mode=MODES)
    def chmod(self, path: Choice, mode: int) -> None:
        path = self.at(path)
        self.both(lambda side: side.chmod(path, mode))

    @rule(which=st.integers(0, 9), data=DATA)
    def append(self, which: int, data: bytes) -> None:
        self.each(which, lambda side, fd: side.append(fd, data))

    @rule(which=st.integers(0, 9), mode=MODES)
    def fchmod(self, which: int, mode: int) -> None:
        if self._is_file(which):
            self.each(which, lambda side, fd: side.fchmod(fd, mode))

    @rule(which=st.integers(0, 9), key=KEYS, value=VALUES)
    def fsetxattr(self, which: int, key: str, value: bytes) -> None:
        if self._is_file(which):
            self.each(which, lambda side, fd: side.fsetxattr(fd, key, value))
            self.each(which, lambda side, fd: side.fxattrs(fd))

    @rule(path=PATHS, key=KEYS, value=VALUES)
    def setxattr(self, path: Choice, key: str, value: bytes) -> None:
        path = self.at(path)
        self.both(lambda side: side.setxattr(path, key, value))
        self.both(lambda side: side.xattrs(path))

    @rule(path=PATHS, key=KEYS)
    def removexattr(self, path: Choice, key: str) -> None:
        path = self.at(path)
        self.both(lambda side: side.removexattr(path, key))
        self.both(lambda side: side.xattrs(path))

    @rule(path=PATHS, to=PATHS)
    def rename_new(self, path: Choice, to: Choice) -> None:
        path, to = self.at(path), self.at(to)
        self.both(lambda side: side.rename_new(path, to))

    @rule(path=PATHS, us=TIMES)
    def utime(self, path: Choice, us: int) -> None:
        path = self.at(path)
        self.both(lambda side: side.utime(path, us))

    @rule(path=PATHS)
    def look(self, path: Choice) -> None:
        path = self.at(path)
        self.shown(path)
        self.both(lambda side: side.listdir(path))

    @rule(path=PATHS)
    def read(self, path: Choice) -> None:
        path = self.at(path)
        self.both(lambda side: side.read(path))

    @rule()
    def publish(self) -> None:
        self.newer()

    @invariant()
    def listed(self) -> None:
        self.both(lambda side: side.listdir(""))
        self.between()

    def compare(self) -> None:
        """Everything beneath, on both sides."""
        waiting = [""]
        for path in waiting:
            waiting += self._compare(path)

    def _compare(self, path: str) -> list[str]:
        """One directory; answers those in it."""
        _, names = self.both(lambda side: side.listdir(path))
        below = [f"{path}/{name}" if path else name for name in names]
        kinds = [self.shown(each) for each in below]
        assert all(kind == "value" for kind, _ in kinds)
        directories = [each for each, (_, shown) in zip(below, kinds, strict=True) if shown[0] == "d"]
        for each in below:
            self.both(partial(_own, path=each))
            if each not in directories:
                assert self.both(partial(_read, path=each))[0] == "value"
        return directories

    def close_all(self) -> None:
        while self.fds:
            ours, theirs = self.fds.pop()
            with contextlib.suppress(OSError):
                self.theirs.close(theirs)
            self.ours.close(ours)

    def teardown(self) -> None:
        try:
            self.compare()
            self.close_all()
            self.compare()
            self.newer()
            self.compare()
            if self.reopens():
                self.again()
                self.compare()
        finally:
            self.end()

    def reopens(self) -> bool:
        """Whether this example ends with the store closed and opened."""
        return True

    def end(self) -> None:
        """Clear away what ``begin`` made."""
