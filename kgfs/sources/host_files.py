"""Writing to the files of a source: whole or not at all, within the source's folder only, and only over what is known.

Used by the service's writing back, on a thread of its own. Names are looked up one by one beneath a descriptor of the
folder, and no link is followed, so nothing that moves meanwhile leads out of it.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

import xxhash

from kgfs.documents.original import modified_ns
from kgfs.sources.source_roots import SourceRoot

_STEP = 1024 * 1024
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
FOLDER_MODE = 0o755


class NotWritten(Exception):
    """The file stays as it is; why, in the words of a sentence."""


class FileChanged(NotWritten):
    """The file holds something that nobody here has seen."""


class WriteOvertaken(NotWritten):
    """What was to be written is something else by now."""


@contextlib.contextmanager
def open_folder(root: Path, noted: SourceRoot | None, path: Path, *, make: bool = False) -> Iterator[tuple[int, str]]:
    """The folder in which ``path``, at or beneath a source's ``root``, stands, as a descriptor; and its name there.

    ``make`` makes folders that are missing. ``NotWritten`` where the source's folder is not the one that was read
    (``noted``), or a link is on the way; ``FileNotFoundError`` where a folder is missing.
    """
    if noted is None:
        raise NotWritten("its source was not looked through yet; refresh it")
    inside = path.relative_to(root).parts if noted.directory else (path.name,)
    if ".." in inside:
        raise NotWritten("its path leads out of its source")
    descriptor = os.open(root if noted.directory else root.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        status = os.fstat(descriptor)
        if noted.directory and (status.st_dev, status.st_ino) != (noted.device, noted.inode):
            raise NotWritten(f"{root} is not the folder that was read; refresh it")
        for name in inside[:-1]:
            try:
                below = _entered(descriptor, name, make=make)
            except FileNotFoundError:
                raise
            except OSError as error:
                raise NotWritten(f"{name} on its way is no folder ({error.strerror})") from error
            os.close(descriptor)
            descriptor = below
        if not noted.mounts and os.fstat(descriptor).st_dev != status.st_dev:
            raise NotWritten("it lies on another file system than its source")
        yield descriptor, inside[-1]
    finally:
        os.close(descriptor)


def _entered(descriptor: int, name: str, *, make: bool) -> int:
    try:
        return os.open(name, _DIRECTORY, dir_fd=descriptor)
    except FileNotFoundError:
        if not make:
            raise
    with contextlib.suppress(FileExistsError):
        os.mkdir(name, FOLDER_MODE, dir_fd=descriptor)
    return os.open(name, _DIRECTORY, dir_fd=descriptor)


def look_at_file(folder: int, name: str) -> tuple[os.stat_result, str] | None:
    """What stands at a name, with the hash of its bytes; ``None`` where nothing does. ``NotWritten`` for what is no
    plain file with one name, ``FileChanged`` where it changes meanwhile."""
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(status.st_mode):
        raise NotWritten("its file is a link")
    if not stat.S_ISREG(status.st_mode):
        raise NotWritten("the path on the disk is not a regular file")
    if status.st_nlink > 1:
        raise NotWritten("its file has several names (hard links), which a write would separate")
    descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    with open(descriptor, "rb", buffering=0) as file:
        state = xxhash.xxh3_128()
        while part := file.read(_STEP):
            state.update(part)
        if _stamp(os.fstat(descriptor)) != _stamp(status):
            raise FileChanged("its file is being written")
    return status, state.hexdigest()


def _stamp(status: os.stat_result) -> tuple[int, ...]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_mode


def put_file(
    folder: int,
    name: str,
    parts: Iterable[bytes],
    body_hash: str,
    *,
    over: os.stat_result | None,
    mode: int,
    temporary: str,
) -> os.stat_result:
    """Write a file beside, have it on the disk, and give it the name; returns what it is then.

    ``over`` is what ``look_at_file`` saw there, whose owner and mode stay; ``None`` for a new file of this ``mode``.
    ``FileChanged`` where something else is there by now, ``WriteOvertaken`` where ``parts`` are not the body of this
    hash, ``NotWritten`` where its owner cannot be kept.
    """
    with contextlib.suppress(FileNotFoundError):  # of a process that was killed
        os.unlink(temporary, dir_fd=folder)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(temporary, flags, 0o600, dir_fd=folder)
    try:
        with open(descriptor, "wb", buffering=0) as file:
            state = xxhash.xxh3_128()
            for part in parts:
                state.update(part)
                view = memoryview(part)
                while view:
                    view = view[file.write(view) :]
            if state.hexdigest() != body_hash:
                raise WriteOvertaken("somebody writes to it here")
            if over is not None:
                _keep_owner(descriptor, over)
                _keep_attributes(folder, name, descriptor)
            # What is written loses the right to run as its owner, as with every write.
            os.fchmod(descriptor, (mode if over is None else over.st_mode) & 0o1777)
            os.fsync(descriptor)
            status = os.fstat(descriptor)
        if over is None:
            try:
                os.link(temporary, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
            except FileExistsError as error:
                raise FileChanged("a file of this name has come to the disk") from error
            os.unlink(temporary, dir_fd=folder)
        else:
            _require_same(folder, name, over)
            os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise
    os.fsync(folder)
    return status


def _keep_owner(descriptor: int, over: os.stat_result) -> None:
    mine = os.fstat(descriptor)
    if (mine.st_uid, mine.st_gid) != (over.st_uid, over.st_gid):
        try:
            os.fchown(descriptor, over.st_uid, over.st_gid)
        except PermissionError as error:
            raise NotWritten("its file is another user's") from error


def _keep_attributes(folder: int, name: str, descriptor: int) -> None:
    """Extended attributes, access control lists among them, as far as the file system has them."""
    before = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    try:
        with contextlib.suppress(OSError):
            for attribute in os.listxattr(before):
                if attribute.startswith("user.") or attribute == "system.posix_acl_access":
                    os.setxattr(descriptor, attribute, os.getxattr(before, attribute))
    finally:
        os.close(before)


def _require_same(folder: int, name: str, seen: os.stat_result) -> None:
    try:
        now = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError as error:
        raise FileChanged("its file went on the disk") from error
    if _stamp(now) != _stamp(seen):
        raise FileChanged("its file changed on the disk")


def remove_file(folder: int, name: str, seen: os.stat_result) -> None:
    """Remove a file that is still what ``look_at_file`` saw. ``FileChanged``."""
    _require_same(folder, name, seen)
    os.unlink(name, dir_fd=folder)
    os.fsync(folder)


def time_of(status: os.stat_result) -> int:
    """When a file was written, as rows have it."""
    return modified_ns(status)
