"""Which files of a folder become documents: a walk in byte order of path that says what it leaves out and why.

Used by the pipeline, on the jobs thread of the process that owns the store. Reads directories and ignore files, never a
document. Names are arbitrary bytes: they are held as Python holds them (``surrogateescape``).

Symbolic links: one to a directory is never followed (so no loop can occur); one to a regular file is read as that file,
under the link's own name, where that lies in the walked folder and on its file system. A link that leads out of the
folder is left out: a folder may come from anybody, and would name any file of the user's. A path that is named on the
command line may itself be a link: the user said so.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec
import pathspec

from kgfs.documents.original import modified_ns
from kgfs.errors import NotFoundError, UsageError
from kgfs.mounts import our_mounts
from kgfs.names import is_debris

Reason = Literal[
    "hidden", "temporary", "ignored", "excluded", "special", "linked folder", "broken link", "link that leads out",
    "other file system", "mount", "store", "unreadable",
]  # fmt: skip
LEADS_OUT: Reason = "link that leads out"
MAX_IGNORE_BYTES = 1024 * 1024
"""An ignore file beyond this is not read: it is no ignore file."""


class WalkedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A regular file to read."""

    path: Path
    size: int
    mtime_ns: int
    mode: int
    """Permission bits."""
    within: Path | None = None
    """The folder, without links in its path, in which it must lie still when it is opened; ``None``: wherever it is."""


class SkippedPath(msgspec.Struct, frozen=True, kw_only=True):
    """A file or a folder that is left out, with all beneath it."""

    path: Path
    reason: Reason
    error: str = ""
    """For ``unreadable``: what the system said."""


class _Rules(msgspec.Struct, frozen=True):
    """One ignore file: the patterns that hold beneath ``base``."""

    base: bytes
    spec: pathspec.GitIgnoreSpec


def mounts_of_ours() -> frozenset[bytes]:
    """The mountpoints of kgfs, as absolute paths; none where there is no ``/proc``."""
    try:
        return frozenset(os.fsencode(mount.mountpoint) for mount in our_mounts())
    except OSError:
        return frozenset()


def walk_files(
    path: Path,
    *,
    exclude: Sequence[str] = (),
    hidden: bool = False,
    cross_device: bool = False,
    is_ours: Callable[[Path], bool] | None = None,
    only: Collection[Path] | None = None,
    entered: Callable[[Path], None] | None = None,
) -> Iterator[WalkedFile | SkippedPath]:
    """The files under ``path`` (or ``path`` itself, if it is a file) in byte order of their paths.

    ``exclude`` holds patterns as in an ignore file, read from ``path``; ``is_ours`` tells mounts of ours and stores
    besides the ones found here (``fuse.kgfs`` mounts, ``.kgfs`` directories). With ``only``, absolute paths, what
    neither is one of them nor lies beneath one is passed over in silence. ``entered`` is told each folder that was
    read. Raises ``NotFoundError`` when ``path`` does not exist and ``UsageError`` for a pattern that cannot be read;
    whatever else fails is a ``SkippedPath``.
    """
    root = Path(os.path.abspath(path))
    try:
        status = os.stat(root)
    except FileNotFoundError as error:
        raise NotFoundError(f"There is no file or folder {_shown(path)}; check the path.") from error
    except OSError as error:
        yield SkippedPath(path=root, reason="unreadable", error=error.strerror or str(error))
        return
    try:
        excluded = pathspec.GitIgnoreSpec.from_lines(exclude)
    except (ValueError, TypeError) as error:
        raise UsageError(f"--exclude cannot be read ({error}); write a pattern as in .gitignore.") from error
    if not stat.S_ISDIR(status.st_mode):
        yield _file(root, status, status.st_dev, cross_device=True)
        return
    wanted = None if only is None else _Wanted(root, only)
    walker = _Walker(root, excluded, hidden, None if cross_device else status.st_dev, is_ours, wanted, entered)
    yield from walker.directory(os.fsencode(root))


def _shown(path: Path) -> str:
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _file(
    path: Path, status: os.stat_result, device: int, *, cross_device: bool, within: Path | None = None
) -> WalkedFile | SkippedPath:
    if not stat.S_ISREG(status.st_mode):
        return SkippedPath(path=path, reason="special")
    if not cross_device and status.st_dev != device:
        return SkippedPath(path=path, reason="other file system")
    mode = stat.S_IMODE(status.st_mode)
    return WalkedFile(path=path, size=status.st_size, mtime_ns=modified_ns(status), mode=mode, within=within)


class _Wanted:
    """Which parts of a tree are walked."""

    def __init__(self, root: Path, only: Collection[Path]) -> None:
        top = os.fsencode(root)
        self._whole = {os.fsencode(path) for path in only}
        self._towards: set[bytes] = set()
        for path in self._whole:
            above = os.path.dirname(path)
            while len(above) >= len(top) and above not in self._towards:
                self._towards.add(above)
                above = os.path.dirname(above)

    def whole(self, path: bytes) -> bool:
        """Whether a path, beneath none that is walked whole, is one itself."""
        return path in self._whole

    def towards(self, path: bytes) -> bool:
        """Whether something beneath is wanted."""
        return path in self._towards


class _Walker:
    """One walk; iterative, so that no depth of folders overflows the stack."""

    def __init__(
        self,
        root: Path,
        excluded: pathspec.GitIgnoreSpec,
        hidden: bool,
        device: int | None,
        is_ours: Callable[[Path], bool] | None,
        wanted: _Wanted | None,
        entered: Callable[[Path], None] | None,
    ) -> None:
        self._root = os.fsencode(root)
        self._within = _path(os.path.realpath(self._root))
        self._excluded = excluded
        self._hidden = hidden
        self._device = device
        self._is_ours = is_ours
        self._wanted = wanted
        self._entered = entered
        self._mounts = mounts_of_ours()

    def directory(self, top: bytes) -> Iterator[WalkedFile | SkippedPath]:
        # Each item: a path, the rules that hold there, whether it is a directory, and whether all beneath is wanted.
        # Sorted as paths with "/" are.
        wanted = self._wanted
        stack: list[tuple[bytes, tuple[_Rules, ...], bool, bool]] = [
            (top, (), True, wanted is None or wanted.whole(top))
        ]
        while stack:
            path, rules, is_directory, whole = stack.pop()
            if not is_directory:
                found = self._leaf(path)
                if found is not None:
                    yield found
                continue
            refused = self._refuse(path)
            if refused is not None:
                yield refused
                continue
            try:
                with os.scandir(path) as scan:
                    entries = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in scan]
            except OSError as error:
                yield _unreadable(path, error)
                continue
            if self._entered is not None:
                self._entered(_path(path))
            if any(name == b".gitignore" for name, _ in entries):
                own = _read_rules(path)
                if isinstance(own, SkippedPath):
                    yield own
                elif own is not None:
                    rules = (*rules, own)
            # "a" before "a.txt" before "a/b": the order of whole paths, in which a folder sorts as "name/".
            entries.sort(key=lambda entry: entry[0] + b"/" if entry[1] else entry[0], reverse=True)
            below: list[tuple[bytes, tuple[_Rules, ...], bool, bool]] = []
            left_out: list[tuple[bytes, Reason]] = []
            for name, is_dir in entries:
                child = os.path.join(path, name)
                all_of_it = whole or (wanted is not None and wanted.whole(child))
                if not all_of_it and not (is_dir and wanted is not None and wanted.towards(child)):
                    continue
                reason = self._reason(child, name, is_dir, rules)
                if reason is None:
                    below.append((child, rules, is_dir, all_of_it))
                else:
                    left_out.append((child, reason))
            for child, reason in reversed(left_out):
                yield SkippedPath(path=_path(child), reason=reason)
            stack.extend(below)

    def _reason(self, path: bytes, name: bytes, is_dir: bool, rules: tuple[_Rules, ...]) -> Reason | None:
        if is_dir and name == b".kgfs":
            return "store"
        if name.startswith(b".") and (not self._hidden or name == b".git"):
            return "hidden"
        if not is_dir and is_debris(os.fsdecode(name)):
            return "temporary"
        if self._excluded.patterns and self._excluded.match_file(_relative(path, self._root, is_dir)):
            return "excluded"
        # The innermost ignore file that says anything decides, as git has it.
        for rule in reversed(rules):
            said = rule.spec.check_file(_relative(path, rule.base, is_dir)).include
            if said is not None:
                return "ignored" if said else None
        return None

    def _refuse(self, path: bytes) -> SkippedPath | None:
        if path in self._mounts:
            return SkippedPath(path=_path(path), reason="mount")
        try:
            # To tell a store it is looked into, which a folder that may not be entered refuses.
            if self._is_ours is not None and self._is_ours(_path(path)):
                return SkippedPath(path=_path(path), reason="store")
            status = os.lstat(path)
        except OSError as error:
            return _unreadable(path, error)
        if path != self._root and self._device is not None and status.st_dev != self._device:
            return SkippedPath(path=_path(path), reason="other file system")
        return None

    def _leaf(self, path: bytes) -> WalkedFile | SkippedPath | None:
        try:
            status = os.lstat(path)
            if stat.S_ISLNK(status.st_mode):
                try:
                    status = os.stat(path)
                except OSError:
                    return SkippedPath(path=_path(path), reason="broken link")
                if stat.S_ISDIR(status.st_mode):
                    return SkippedPath(path=_path(path), reason="linked folder")
                if not _path(os.path.realpath(path)).is_relative_to(self._within):
                    return SkippedPath(path=_path(path), reason=LEADS_OUT)
        except FileNotFoundError:
            return None  # It went while we walked: as if it had never been listed.
        except OSError as error:
            return _unreadable(path, error)
        device = status.st_dev if self._device is None else self._device
        found = _file(_path(path), status, device, cross_device=self._device is None, within=self._within)
        if isinstance(found, WalkedFile) and not os.access(path, os.R_OK):
            return SkippedPath(path=found.path, reason="unreadable", error=os.strerror(13))
        return found


def _path(path: bytes) -> Path:
    return Path(os.fsdecode(path))


def _relative(path: bytes, base: bytes, is_dir: bool) -> str:
    relative = os.fsdecode(path[len(base) :].lstrip(b"/"))
    return relative + "/" if is_dir else relative


def _unreadable(path: bytes, error: OSError) -> SkippedPath:
    return SkippedPath(path=_path(path), reason="unreadable", error=error.strerror or str(error))


def _read_rules(directory: bytes) -> _Rules | SkippedPath | None:
    """The patterns of a folder's ``.gitignore``; ``None`` where it is empty, no regular file, or too large."""
    path = os.path.join(directory, b".gitignore")
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return None
        with open(path, "rb") as file:
            data = file.read(MAX_IGNORE_BYTES + 1)
    except OSError as error:
        return _unreadable(path, error)
    if not data or len(data) > MAX_IGNORE_BYTES:
        return None
    lines = data.decode("utf-8", "surrogateescape").removeprefix("\ufeff").splitlines()
    try:
        return _Rules(directory, pathspec.GitIgnoreSpec.from_lines(lines))
    except (ValueError, TypeError):
        # git too passes over a pattern that it cannot read
        return _Rules(directory, pathspec.GitIgnoreSpec.from_lines(line for line in lines if _is_pattern(line)))


def _is_pattern(line: str) -> bool:
    try:
        pathspec.GitIgnoreSpec.from_lines([line])
    except (ValueError, TypeError):
        return False
    return True
