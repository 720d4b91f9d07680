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
from kgfs.drives.row_files import RowFiles
from kgfs.errors import KgfsError
from kgfs.filesystem import RENAME_NOREPLACE, ROOT, FileSystem, Stat
from kgfs.namespace.context_names import AGENT_DRIVE
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


class FileSystemSide:
    """A directory of a ``FileSystem``, called as a kernel calls it."""

    def __init__(self, files: FileSystem, top: str) -> None:
        """``top`` is the path of the directory in which it all happens."""
        self.files = files
        self.top = top
        self._fds: dict[int, tuple[int, int]] = {}
        """Inode, and flags; of a directory no inode."""
        self._position: dict[int, int] = {}
        self._next = 10

    def _find(self, path: str) -> Stat:
        found = self.files.getattr(ROOT)
        for name in (f"{self.top}/{path}" if path else self.top).split("/"):
            if not stat.S_ISDIR(found.mode):
                raise OSError(errno.ENOTDIR, path)
            found = self.files.lookup(found.ino, os.fsencode(name))
        return found

    def _above(self, path: str) -> tuple[int, bytes]:
        above, _, name = path.rpartition("/")
        found = self._find(above)
        if not stat.S_ISDIR(found.mode):
            raise OSError(errno.ENOTDIR, path)
        return found.ino, os.fsencode(name)

    def _made(self, above: int, name: bytes) -> int:
        """A new file, held."""
        ino = self.files.make(above, name, stat.S_IFREG | 0o644, 0, os.getuid(), os.getgid()).ino
        self.files.hold(ino)
        return ino

    def open(self, path: str, flags: int) -> int:
        above, name = self._above(path)
        writing = flags & os.O_ACCMODE != os.O_RDONLY
        try:
            found = self.files.lookup(above, name)
        except FileNotFoundError:
            if not flags & os.O_CREAT:
                raise
            ino = self._made(above, name)
        else:
            if flags & os.O_EXCL:
                raise OSError(errno.EEXIST, path)
            ino = 0 if stat.S_ISDIR(found.mode) else found.ino
            if not ino and (writing or flags & os.O_CREAT):
                raise OSError(errno.EISDIR, path)
            if ino:
                self.files.hold(ino)
            if flags & os.O_TRUNC:
                self.files.setattr(ino, size=0)
        self._next += 1
        self._fds[self._next] = ino, flags
        return self._next

    def _file(self, fd: int, *, writing: bool | None = None) -> int:
        ino, flags = self._fds[fd]
        mode = flags & os.O_ACCMODE
        if (writing is True and mode == os.O_RDONLY) or (writing is False and mode == os.O_WRONLY):
            raise OSError(errno.EBADF, "not open for that")
        if not ino:
            raise OSError(errno.EISDIR, "a directory")
        return ino

    def close(self, fd: int) -> None:
        ino, flags = self._fds.pop(fd)
        self._position.pop(fd, None)
        if ino:
            if flags & os.O_ACCMODE != os.O_RDONLY:
                self.files.sync(ino)
            self.files.release(ino)

    def pwrite(self, fd: int, data: bytes, offset: int) -> int:
        ino = self._file(fd, writing=True)
        if self._fds[fd][1] & os.O_APPEND:
            offset = self.files.getattr(ino).size
        return self.files.write(ino, offset, data) if data else 0

    def append(self, fd: int, data: bytes) -> int:
        ino = self._file(fd, writing=True)
        at = self.files.getattr(ino).size if self._fds[fd][1] & os.O_APPEND else self._position.get(fd, 0)
        written = self.pwrite(fd, data, at)
        if data:
            self._position[fd] = at + written
        return written

    def pread(self, fd: int, length: int, offset: int) -> bytes:
        return self.files.read(self._file(fd, writing=False), offset, length)

    def ftruncate(self, fd: int, size: int) -> None:
        if self._fds[fd][1] & os.O_ACCMODE == os.O_RDONLY:
            raise OSError(errno.EINVAL, "not open for writing")
        self.files.setattr(self._file(fd), size=size)

    def fsync(self, fd: int) -> None:
        ino, _ = self._fds[fd]
        if ino:
            self.files.sync(ino)

    def fstat(self, fd: int) -> tuple[Any, ...]:
        found = self.files.getattr(self._fds[fd][0])
        return "f", stat.S_IMODE(found.mode), found.size

    def truncate(self, path: str, size: int) -> None:
        self.files.setattr(self._find(path).ino, size=size)

    def unlink(self, path: str) -> None:
        self.files.unlink(*self._above(path))

    def mkdir(self, path: str) -> None:
        self.files.make(*self._above(path), stat.S_IFDIR | 0o755, 0, os.getuid(), os.getgid())

    def rmdir(self, path: str) -> None:
        self.files.rmdir(*self._above(path))

    def rename(self, path: str, to: str) -> None:
        self._rename(path, to, 0)

    def rename_new(self, path: str, to: str) -> None:
        self._rename(path, to, RENAME_NOREPLACE)

    def _rename(self, path: str, to: str, flags: int) -> None:
        here, there = self._above(path), self._above(to)
        if path.startswith(to + "/"):  # the kernel answers this without asking
            self._find(path)
            raise OSError(errno.EEXIST if flags else errno.ENOTEMPTY, to)
        self.files.rename(*here, *there, flags)

    def fchmod(self, fd: int, mode: int) -> None:
        self.files.setattr(self._file(fd), mode=mode)

    def setxattr(self, path: str, key: str, value: bytes) -> None:
        _require_length(key)
        self.files.setxattr(self._find(path).ino, os.fsencode(key), value)

    def fsetxattr(self, fd: int, key: str, value: bytes) -> None:
        ino = self._file(fd)
        _require_length(key)
        self.files.setxattr(ino, os.fsencode(key), value)

    def removexattr(self, path: str, key: str) -> None:
        _require_length(key)
        self.files.removexattr(self._find(path).ino, os.fsencode(key))

    def xattrs(self, path: str) -> dict[str, bytes]:
        return self._xattrs(self._find(path).ino)

    def fxattrs(self, fd: int) -> dict[str, bytes]:
        return self._xattrs(self._fds[fd][0])

    def _xattrs(self, ino: int) -> dict[str, bytes]:
        names = [name for name in self.files.listxattr(ino) if not name.startswith(b"user.kg.")]
        return {os.fsdecode(name): self.files.getxattr(ino, name) for name in sorted(names)}

    def chmod(self, path: str, mode: int) -> None:
        self.files.setattr(self._find(path).ino, mode=mode)

    def utime(self, path: str, us: int) -> None:
        self.files.setattr(self._find(path).ino, atime_ns=us * 1000, mtime_ns=us * 1000)

    def stat(self, path: str) -> tuple[Any, ...]:
        found = self._find(path)
        if stat.S_ISDIR(found.mode):
            return "d", stat.S_IMODE(found.mode), _set_time(found.mtime_ns // 1000)
        return "f", stat.S_IMODE(found.mode), found.size

    def listdir(self, path: str) -> list[str]:
        return sorted(os.fsdecode(entry.name) for entry in self.files.list(self._find(path).ino))

    def read(self, path: str) -> bytes:
        return self.files.read(self._find(path).ino, 0, 1 << 24)


class DrivesSide(FileSystemSide):
    """A directory of the drive ``agent``; what is created has no row before it is closed, as on a mount."""

    def __init__(self, drives: Drives, top: str) -> None:
        super().__init__(RowFiles(drives), f"context/{AGENT_DRIVE}/{top}")
        self._drives = drives

    def _made(self, above: int, name: bytes) -> int:
        namespace, open_files = self._drives.context.namespace, self._drives.open_files
        directory = namespace.directory(above)
        if directory is None:
            raise OSError(errno.ENOENT, os.fsdecode(name))
        try:
            stored = open_files.create(directory, os.fsdecode(name), 0o644)
        except KgfsError as error:
            raise OSError(error.errno, error.message) from error
        self.files.hold(namespace.node_of(stored))
        open_files.release(stored, writing=True)
        return namespace.node_of(stored)


def _require_length(key: str) -> None:
    """The kernel looks at this before it walks the path."""
    if len(os.fsencode(key)) > 255:
        raise OSError(errno.ERANGE, key)


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
