"""What an export writes on the host: one file that appears whole or not at all, or the tree as ordinary files.

Used by the commands ``export`` and ``backup``, as receivers of what the side that has the store open hands on, on the
main thread.
"""

from __future__ import annotations

import contextlib
import errno
import gzip
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from kgfs.errors import ConflictError, KgfsError, NoSpaceError, NotFoundError

GZIP_SUFFIX = ".gz"


def explain_error(error: OSError, path: Path) -> KgfsError:
    """What an error of the system means to the user."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return NoSpaceError(f"The disk is too full for {path}; free some space and try again, nothing is left of it.")
    return KgfsError(f"{path} cannot be written ({error.strerror}); choose another place.")


@contextmanager
def whole_file(path: Path, *, force: bool, pack: bool = False) -> Iterator[IO[bytes]]:
    """A file to write to, which is ``path`` once the block has ended well; ``pack`` compresses it.

    ``ConflictError`` where something is there, unless ``force``; ``NotFoundError`` without its directory,
    ``NoSpaceError`` on a full disk. Nobody but its owner may read it.
    """
    if path.name == "-":
        raise ConflictError("A file is written whole or not at all, which standard output cannot be; name a file.")
    if path.is_dir():
        raise ConflictError(f"{path} is a directory; name a file.")
    if path.exists() and not path.is_file():
        raise ConflictError(f"{path} is a device or a pipe, which would be replaced; name a file.")
    if os.path.lexists(path) and not force:
        raise ConflictError(f"{path} is there already; --force replaces it.")
    if not path.parent.is_dir():
        raise NotFoundError(f"There is no directory {path.parent}; make it, or name another file.")
    temporary: str | None = None
    try:
        descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with open(descriptor, "wb") as file:
            if pack:
                with gzip.GzipFile(filename="", fileobj=file, mode="wb", compresslevel=1, mtime=0) as packed:
                    yield packed  # type: ignore[misc]
            else:
                yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
        temporary = None
    except OSError as error:
        raise explain_error(error, path) from error
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


class TreeWriter:
    """Writes what ``export-tree`` hands on beneath a directory: links as they are, times kept.

    What is in the way is replaced, other files stay. ``finish`` at the end; ``OSError`` where something cannot be
    written.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._file: IO[bytes] | None = None
        self._path = root
        self._mtime_ns = 0
        self._directories: list[tuple[Path, int]] = []
        self.paths = 0

    def item(self, item: Any) -> None:
        """The next path; what data comes then is its."""
        self._end()
        parts = str(item["path"]).split("/")
        if any(part in ("", ".", "..") for part in parts):
            raise KgfsError(f"{item['path']!r} is not a path below {self._root}; nothing more was written.")
        self._path, self._mtime_ns = self._root.joinpath(*parts), int(item["mtime_ns"])
        self.paths += 1
        if item["kind"] == "directory":
            if not self._is_directory():
                self._clear()
                self._path.mkdir()
            self._directories.append((self._path, self._mtime_ns))
        elif item["kind"] == "link":
            self._clear()
            os.symlink(item["target"], self._path)
            os.utime(self._path, ns=(self._mtime_ns, self._mtime_ns), follow_symlinks=False)
        else:
            self._clear()
            self._file = self._path.open("xb")
            os.fchmod(self._file.fileno(), int(item["mode"]) & 0o777 | stat.S_IRUSR | stat.S_IWUSR)

    def data(self, data: bytes) -> None:
        """Bytes of the file that came last."""
        if self._file is not None:
            self._file.write(data)

    def finish(self) -> None:
        """Give directories their times: writing into them changed these."""
        self._end()
        for path, mtime_ns in reversed(self._directories):
            os.utime(path, ns=(mtime_ns, mtime_ns))

    def close(self) -> None:
        """Let go of the file that was being written."""
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.close()
            self._file = None

    def _end(self) -> None:
        if self._file is not None:
            file, self._file = self._file, None
            file.close()
            os.utime(self._path, ns=(self._mtime_ns, self._mtime_ns))

    def _is_directory(self) -> bool:
        return self._path.is_dir() and not self._path.is_symlink()

    def _clear(self) -> None:
        if self._is_directory():
            shutil.rmtree(self._path)
        else:
            self._path.unlink(missing_ok=True)


def require_directory(path: Path, *, force: bool) -> None:
    """Make a directory for a tree. ``ConflictError`` where it holds something, unless ``force``."""
    if path.exists() and not path.is_dir():
        raise ConflictError(f"{path} is a file; name a directory.")
    if path.is_dir() and not force and any(path.iterdir()):
        raise ConflictError(f"{path} is not empty; --force writes into it and replaces what is in the way.")
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise explain_error(error, path) from error
