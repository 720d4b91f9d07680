"""``kgfs restore``: a backup becomes a store, whole or not at all.

Used by the command itself, on its main thread: where there is no store there is no daemon. Everything is written beside
its place, checked against the manifest, opened once, and then moved there by one rename.
"""

from __future__ import annotations

import contextlib
import errno
import gzip
import os
import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO

import msgspec

from kgfs.agentfs.database import FILE as AGENT
from kgfs.agentfs.database import AgentDatabase
from kgfs.agentfs.overlays.sessions import SUFFIX, is_session_name
from kgfs.config import CATALOG, CONFIG, SESSIONS, VECTORS, is_store
from kgfs.errors import ConflictError, NoSpaceError, NotFoundError, StoreError, UsageError
from kgfs.exchange.archive import MANIFEST, PIECE, VERSION, BackupManifest, BackupMember, member_hasher
from kgfs.model import prepared
from kgfs.progress import Progress
from kgfs.store.catalog import schema
from kgfs.store.catalog.database import Database
from kgfs.store.files import staging

_MAX_MANIFEST = 64 << 20
_MAX_FILES = 200_000
_MAX_HEADER = 1 << 20
_LEFT_FREE = 64 << 20
"""A restore leaves so many bytes free on the disk."""


def restore_backup(file: Path, store: Path, progress: Progress = lambda progress: None) -> BackupManifest:
    """Make ``store`` what it was when the backup ``file`` was made; returns its manifest.

    ``ConflictError`` where something is at ``store``, ``NotFoundError`` without ``file``, ``UsageError`` where that is
    no backup, ``StoreError`` where it is damaged, cut short or of a newer version, ``NoSpaceError`` on a full disk.
    """
    require_free(store)
    if file.is_dir():
        raise UsageError(f"{file} is a directory; name the file that `kgfs backup` wrote.")
    if not file.is_file():
        raise NotFoundError(f"{file}: no such file.")
    made_parents = _make_parents(store.parent)
    try:
        place = Path(tempfile.mkdtemp(prefix=f".{store.name}.restoring-", dir=store.parent))
    except OSError as error:
        raise StoreError(f"{store} cannot be made ({error.strerror}); choose another place with --store.") from error
    try:
        manifest = _unpacked(file, place, progress)
        with Database.open(place) as database:  # the log comes into the catalog, and it is known to open
            database.write(
                staging.sweep_staged
            )  # the blocks of bodies that were being written when the backup was made
        for file_of_agents in ((place / AGENT), *(place / SESSIONS).glob(f"*{SUFFIX}")):
            if file_of_agents.exists():
                AgentDatabase(file_of_agents).close()
        with contextlib.suppress(FileNotFoundError):
            store.rmdir()  # an empty directory
        os.rename(place, store)
    except OSError as error:
        kind = NoSpaceError if error.errno in (errno.ENOSPC, errno.EDQUOT) else StoreError
        raise kind(
            f"The backup could not be unpacked to {store} ({error.strerror}); try again when that is mended."
        ) from error
    finally:
        shutil.rmtree(place, ignore_errors=True)
        if not store.exists():
            for parent in made_parents:
                with contextlib.suppress(OSError):
                    parent.rmdir()
    return manifest


def require_free(store: Path) -> None:
    """``ConflictError`` unless nothing, or an empty directory, is at ``store``."""
    if is_store(store):
        raise ConflictError(f"There is a store at {store}; name another place with --store DIR, or move it away.")
    if store.is_symlink() or (store.exists() and not (store.is_dir() and not any(store.iterdir()))):
        raise ConflictError(f"{store} is there and is not empty; name another place with --store DIR.")


def _make_parents(directory: Path) -> list[Path]:
    """Make a directory; those that were missing, innermost first."""
    missing = [one for one in (directory, *directory.parents) if not one.exists()]
    try:
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise StoreError(f"{directory} cannot be made ({error.strerror}); choose another place.") from error
    return missing


def _unpacked(file: Path, place: Path, progress: Progress) -> BackupManifest:
    """Unpack and check."""
    found: dict[str, BackupMember] = {}
    begun = False
    manifest: BackupManifest | None = None
    size = file.stat().st_size
    told = -1
    try:
        with file.open("rb") as raw:
            for name, size_there, body in _members(raw):
                if raw.tell() >> 20 > told:
                    told = raw.tell() >> 20
                    progress({"stage": "unpack", "done": told, "total": size >> 20, "unit": "MiB"})
                if name == MANIFEST:
                    manifest = _manifest(body.read(_MAX_MANIFEST))
                elif not _expected(name):
                    raise UsageError(f"{file} is not a backup of kgfs: it holds {name!r}.")
                elif len(found) >= _MAX_FILES:
                    raise StoreError(f"{file} holds more than {_MAX_FILES:,} files, which no backup does; use another.")
                else:
                    begun = True
                    _require_space(place, size_there, file)
                    found[name] = _write(body, place / name)
            progress({"stage": "unpack", "done": size >> 20, "total": size >> 20, "unit": "MiB"})
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile) as error:
        if not begun:
            raise UsageError(f"{file} is not a backup of kgfs ({error}); `kgfs backup FILE` makes one.") from error
        raise StoreError(f"{file} is damaged or was cut short ({error}); use another backup.") from error
    if manifest is None:
        if not begun:
            raise UsageError(f"{file} is not a backup of kgfs; `kgfs backup FILE` makes one.")
        raise StoreError(f"{file} was cut short: its manifest is missing; use another backup.")
    if found != manifest.files or CATALOG not in found:
        wrong = sorted(
            name for name in found.keys() | manifest.files.keys() if found.get(name) != manifest.files.get(name)
        )
        raise StoreError(f"{file} is damaged ({', '.join(wrong[:3]) or CATALOG}); use another backup.")
    return manifest


class _Entry(tarfile.TarInfo):
    """An entry whose names are read into memory only where they are as long as names are."""

    def _proc_member(self, tar: tarfile.TarFile) -> tarfile.TarInfo:
        if self.type not in (*tarfile.REGULAR_TYPES, *_NO_BODY) and self.size > _MAX_HEADER:
            raise tarfile.ReadError("a header of it is too long")
        return super()._proc_member(tar)  # type: ignore[misc,no-any-return]


_NO_BODY = (tarfile.LNKTYPE, tarfile.SYMTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE)


def _require_space(place: Path, size: int, file: Path) -> None:
    status = os.statvfs(place)
    if size > status.f_bavail * status.f_frsize - _LEFT_FREE:
        raise NoSpaceError(
            f"{file} says that it holds a file of {size:,} bytes, for which the disk has no room; nothing was restored."
        )


def _members(raw: IO[bytes]) -> Iterator[tuple[str, int, IO[bytes]]]:
    """Name, bytes as the archive claims them and body of each file. ``UsageError`` for what is no file."""
    with (
        gzip.GzipFile(fileobj=raw, mode="rb") as packed,
        tarfile.open(fileobj=packed, mode="r|", tarinfo=_Entry) as tar,
    ):
        for entry in tar:
            body = tar.extractfile(entry) if entry.isreg() else None
            if body is None:
                raise UsageError(f"That is not a backup of kgfs: {entry.name!r} in it is not a file.")
            yield entry.name, entry.size, body
        while packed.read(PIECE):  # to its end, where the checksum of all of it stands
            pass


def _expected(name: str) -> bool:
    """Whether a backup may hold a file of this name: nothing is ever written elsewhere."""
    path = PurePosixPath(name)
    if path.as_posix() != name or path.is_absolute() or ".." in path.parts:
        return False
    if path.parts[0] == SESSIONS:
        return len(path.parts) == 2 and path.suffix == SUFFIX and is_session_name(path.stem)
    return name in (CATALOG, f"{CATALOG}.wal", CONFIG, AGENT) or (path.parts[0] == VECTORS and len(path.parts) > 1)


def _write(body: IO[bytes], to: Path) -> BackupMember:
    to.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    digest, size = member_hasher(), 0
    with to.open("xb") as file:
        while piece := body.read(PIECE):
            digest.update(piece)
            size += len(piece)
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())
    return BackupMember(size=size, digest=digest.hexdigest())


def _manifest(body: bytes) -> BackupManifest:
    try:
        found: BackupManifest = msgspec.json.decode(body, type=prepared(BackupManifest))
    except msgspec.DecodeError as error:
        raise StoreError(f"The backup's manifest cannot be read ({error}); use another backup.") from error
    newest = schema.migrations()[-1].number
    if found.kgfs_backup > VERSION or found.schema > newest:
        raise StoreError(f"The backup was made by a newer kgfs ({found.kgfs}); upgrade kgfs to restore it.")
    return found
