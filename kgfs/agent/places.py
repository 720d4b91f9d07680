"""Files as the sandbox sees them, opened from outside it: the ground on which all file tools stand.

Used by the file tools and the editor. Errors are ``KgfsError`` or ``Hinted`` with the next step; no pipe, no device and
no link of ``/proc`` is ever opened.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from typing import NamedTuple

from kgfs.agent.opening import found, kind_of, location_of, open_beneath, opened_again
from kgfs.agent.roots import Roots
from kgfs.agent.shell import Shell
from kgfs.errors import (
    BadName,
    IsADirectory,
    KgfsError,
    NoSpaceError,
    NotADirectory,
    NotFoundError,
    NotPermitted,
    ReadOnlyError,
    RefusedError,
    TooLarge,
)  # fmt: skip
from kgfs.nearest import nearest
from kgfs.tools.outcome import BadArguments, Hinted

_READ_ONLY = (errno.EROFS, errno.EPERM, errno.EACCES)
_FULL = (errno.ENOSPC, errno.EDQUOT)
_ASK_WHY = "Read @status/last_error.txt, which says what is wrong with a query path."
_LOOKED_THROUGH = 5_000
"""Names of a directory in which one is looked for that is like a missing one."""


class PathTarget(NamedTuple):
    """What a path names."""

    file: int
    """A descriptor that can only name the place. The caller that looked closes it."""
    location: str
    """Without links."""
    status: os.stat_result

    @property
    def kind(self) -> str:
        return kind_of(self.status.st_mode)


class Places:
    """Looks paths up and opens them."""

    def __init__(self, roots: Roots, shell: Shell) -> None:
        self.roots = roots
        self.shell = shell

    @contextlib.contextmanager
    def at(self, path: str) -> Iterator[PathTarget]:
        """What a path names; ``NotFoundError`` with what is near it."""
        with self.translated(path), self.shell.root() as root, found(root, self._spelled(path)) as file:
            status = os.fstat(file)
            # What has no name any more, as some files that the sandbox is given, is where it was asked for.
            yield PathTarget(file, location_of(file) if status.st_nlink else self._spelled(path), status)

    @contextlib.contextmanager
    def file(self, path: str, flags: int = os.O_RDONLY) -> Iterator[tuple[int, PathTarget]]:
        """An opened file and what it is. ``IsADirectory`` and ``NotPermitted`` where it is no plain file."""
        with self.at(path) as one:
            self.require_file(path, one)
            opened = opened_again(one.file, flags)
            try:
                yield opened, one
            finally:
                os.close(opened)

    @contextlib.contextmanager
    def directory(self, path: str, *, make: bool = False) -> Iterator[int]:
        """An opened directory; with ``make`` it and its parents are made where they are not there."""
        with self.translated(path), self.shell.root() as root:
            opened = _directory(root, self._spelled(path), make)
            try:
                yield opened
            finally:
                os.close(opened)

    @contextlib.contextmanager
    def new_file(self, path: str) -> Iterator[int]:
        """A file that is made now, with its parents, and is gone again where writing it fails.

        ``FileExistsError`` where the path names something, a link that leads nowhere too.
        """
        spelled = self._spelled(path)
        parent, _, name = spelled.rpartition("/")
        if name in ("", ".", ".."):
            raise IsADirectory(f"{path} names a directory; name a file in it.")
        with self.directory(parent or "/", make=True) as above, self.translated(path):
            opened = os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o666, dir_fd=above)
            try:
                yield opened
            except BaseException:
                with contextlib.suppress(OSError):
                    os.unlink(name, dir_fd=above)
                raise
            finally:
                os.close(opened)

    @staticmethod
    def require_file(path: str, one: PathTarget) -> None:
        """Raise where it is no plain file."""
        if one.kind == "directory":
            raise Hinted(IsADirectory(f"{path} is a directory."), "Use ls to list it, or name a file in it.")
        if one.kind != "file":
            raise Hinted(NotPermitted(f"{path} is a {one.kind}, not a file."), "Only plain files are read and written.")

    @contextlib.contextmanager
    def translated(self, path: str) -> Iterator[None]:
        """Turn ``OSError`` into an error that says what to do."""
        try:
            yield
        except FileExistsError:
            raise
        except OSError as error:
            raise self._hinted(path, error) from error

    def _spelled(self, path: str) -> str:
        try:
            size = len(os.fsencode(path))
            path.encode()
        except UnicodeEncodeError:
            raise BadArguments(
                f"{path!r} is no path; names that are not UTF-8 can only be reached by execute."
            ) from None
        if not path or "\0" in path:
            raise BadArguments("A path has at least one character and no NUL.")
        if size > 4000:
            raise BadName("The path is longer than 4,000 bytes; use a shorter one.")
        return self.roots.absolute(path)

    def _hinted(self, path: str, error: OSError) -> KgfsError | Hinted:
        number = error.errno or errno.EIO
        why = os.strerror(number)
        if number == errno.ENOENT:
            return Hinted(NotFoundError(f"There is no {path}."), self._near(path))
        if number == errno.ENOTDIR:
            return Hinted(NotADirectory(f"A part of {path} is no directory."), self._near(path))
        if number in _READ_ONLY and number != errno.EACCES:
            return Hinted(ReadOnlyError(f"{path} cannot be changed."), self.roots.where_to_write())
        if number == errno.EACCES:
            return Hinted(RefusedError(f"{path} may not be opened so."), self.roots.where_to_write())
        if number == errno.ELOOP:
            return Hinted(
                RefusedError(f"{path} leads through links that are not followed."), "Name the file itself."
            )  # fmt: skip
        if number in _FULL:
            return NoSpaceError(f"{path} cannot be written: {why}.")
        if number == errno.EFBIG:
            return TooLarge(f"{path} would be too large.")
        if number == errno.ENAMETOOLONG:
            return BadName("A name in the path is longer than 255 bytes; use a shorter one.")
        if number == errno.EINVAL:
            return Hinted(BadName(f"{path} takes no such name or content."), self._invalid(path))
        return KgfsError(f"{path} cannot be used: {why}.")

    @staticmethod
    def _invalid(path: str) -> str:
        return "A file under @kv/ holds one JSON value." if "@kv/" in path or "@" not in path else _ASK_WHY

    def _near(self, path: str) -> str:
        """What is there instead: names that are alike, and where the shell is, should that be meant."""
        if not path.startswith("/") and self.shell.directory != self.roots.place:
            said = f"Paths are relative to {self.roots.place}; the shell is in {self.shell.directory}."
            return f"{said} Name it as {self.roots.shown(f'{self.shell.directory}/{path}')} if it lies there."
        if "@" in path:
            return _ASK_WHY
        above, _, name = self.roots.absolute(path).rstrip("/").rpartition("/")
        with contextlib.suppress(KgfsError, OSError), self.shell.root() as root:
            opened = open_beneath(root, above or "/", os.O_RDONLY | os.O_DIRECTORY)
            try:
                with os.scandir(opened) as entries:
                    names = [entry.name for entry, _ in zip(entries, range(_LOOKED_THROUGH), strict=False)]
            finally:
                os.close(opened)
            alike = nearest(name, names, 5)
            if alike:
                return f"Alike there: {', '.join(self.roots.shown(f'{above}/{one}') for one in alike)}."
            return f"Use ls to see what is in {self.roots.shown(above)}."
        return "Use ls on a directory above it, or glob, to find it."


def _directory(root: int, path: str, make: bool) -> int:
    try:
        return open_beneath(root, path, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        above, _, name = path.rstrip("/").rpartition("/")
        if not make or name in ("", ".", ".."):
            raise
    parent = _directory(root, above or "/", make)
    try:
        with contextlib.suppress(FileExistsError):
            os.mkdir(name, dir_fd=parent)
    finally:
        os.close(parent)
    return open_beneath(root, path, os.O_RDONLY | os.O_DIRECTORY)
