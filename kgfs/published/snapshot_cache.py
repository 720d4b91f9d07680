"""What this machine has of a published graph: pieces, each verified by its digest, and what store they are shown as.

Used by the service when a snapshot is fetched. Pieces are a cache and may be removed at any time
(``$XDG_CACHE_HOME/kgfs/published``); the store stands in the data directory (``$XDG_DATA_HOME/kgfs-published``), since
sessions on it are the user's work.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import platformdirs

from kgfs.config import VECTORS
from kgfs.errors import ConflictError, NoSpaceError, NotFoundError, StoreError
from kgfs.model import prepared
from kgfs.progress import Progress
from kgfs.published.address import Address
from kgfs.published.bucket import Bucket, PublishedPointer
from kgfs.published.manifest import (
    MOST_BYTES,
    Manifest,
    PublishedFile,
    decode_manifest,
    digest_of,
    manifest_name,
    object_name,
)

SHOWN = "published.json"
"""The file of the store that says which snapshot it shows."""
FETCHERS = 8
_LEFT_FREE = 64 << 20
"""So many bytes are left free on the disk."""
_NEXT = ".next"
_LOCK = ".fetching"


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """Which snapshot a store shows."""

    url: str
    number: int
    manifest: str
    graph: str
    published_at: str
    generation: int
    """Of the store as it is shown here; never less than before."""


class SnapshotCache:
    """The pieces of one published graph and the store that is made of them."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self.pieces = Path(platformdirs.user_cache_dir("kgfs")) / "published" / address.key
        self.store = Path(platformdirs.user_data_dir("kgfs-published")) / address.key
        """The directory of the store."""
        self.next = self.store / _NEXT
        """Where the next snapshot is made."""

    def shown(self) -> Shown | None:
        """What the store shows; ``None`` where there is none, or it is not known whole."""
        try:
            found = msgspec.json.decode((self.store / SHOWN).read_bytes(), type=prepared(Shown))
        except (OSError, msgspec.DecodeError):
            return None
        return found if found.url == self.address.url else None

    def note_shown(self, shown: Shown) -> None:
        """Say what the store shows from now on."""
        beside = self.store / f"{SHOWN}.new"
        beside.write_bytes(msgspec.json.format(msgspec.json.encode(shown), indent=1) + b"\n")
        os.replace(beside, self.store / SHOWN)

    @contextlib.contextmanager
    def fetching(self) -> Iterator[None]:
        """One process at a time fetches a graph. ``ConflictError`` while another one does."""
        for directory in (self.store, self.pieces):
            directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        with (self.store / _LOCK).open("ab") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise ConflictError(
                    f"Another kgfs fetches {self.address} right now; try again when it is done."
                ) from error
            yield

    def manifest(self, bucket: Bucket, seen: PublishedPointer, schema: int) -> Manifest:
        """The manifest of the newest snapshot. Errors as of ``decode_manifest`` and ``Bucket``."""
        name = manifest_name(seen.pointer.number, seen.pointer.manifest)
        return decode_manifest(bucket.read(name, MOST_BYTES), seen.pointer, schema)

    def fetch(self, bucket: Bucket, manifest: Manifest, progress: Progress) -> Path:
        """Make the files of a snapshot in ``next``; only pieces that are not here cross the network.

        A piece that is not what its digest says is fetched once more. ``StoreError`` where it stays so or is gone,
        ``NoSpaceError`` where the disk has no room for the snapshot.
        """
        wanted = {
            digest: min(file.piece, file.size - number * file.piece)
            for file in manifest.files.values()
            for number, digest in enumerate(file.pieces)
        }
        missing = [digest for digest, size in wanted.items() if not self._has(digest, size)]
        self._require_space(sum(wanted[digest] for digest in missing), manifest)
        total, done = sum(wanted[digest] for digest in missing), 0
        try:
            with ThreadPoolExecutor(FETCHERS, thread_name_prefix="fetch") as pool:
                try:
                    for size in pool.map(lambda digest: self._fetched(bucket, digest, wanted[digest]), missing):
                        done += size
                        progress({"stage": "fetch", "done": done >> 20, "total": total >> 20, "unit": "MiB"})
                finally:
                    pool.shutdown(wait=True, cancel_futures=True)
            shutil.rmtree(self.next, ignore_errors=True)
            self.next.mkdir(mode=0o700)
            for name, file in manifest.files.items():
                self._assemble(bucket, file, self.next / name)
        except OSError as error:
            kind = NoSpaceError if error.errno in (errno.ENOSPC, errno.EDQUOT) else StoreError
            raise kind(
                f"The snapshot could not be written ({error.strerror}); mount again when that is mended."
            ) from error
        return self.next

    def tidy(self, manifest: Manifest) -> None:
        """Remove the pieces that this snapshot does not need."""
        needed = {digest for file in manifest.files.values() for digest in file.pieces}
        for path in self.pieces.glob("??/*"):
            if path.name not in needed:
                path.unlink(missing_ok=True)

    # --- pieces ------------------------------------------------------------------------------------------------------

    def _place(self, digest: str) -> Path:
        return self.pieces / digest[:2] / digest

    def _has(self, digest: str, size: int) -> bool:
        try:
            return self._place(digest).stat().st_size == size
        except FileNotFoundError:
            return False

    def _fetched(self, bucket: Bucket, digest: str, size: int) -> int:
        """Fetch a piece; its bytes."""
        name = object_name(digest)
        for last in (False, True):
            try:
                body = bucket.read(name, size)
            except NotFoundError as error:
                raise StoreError(
                    f"{name} of the newest snapshot is gone from {self.address}; `kgfs publish` sends it again."
                ) from error
            if len(body) == size and digest_of(body) == digest:
                break
            if last:
                raise StoreError(
                    f"{name} at {self.address} is not what its name says: it was torn or changed. `kgfs publish` after"
                    " removing it sends it again."
                )
        place = self._place(digest)
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, beside = tempfile.mkstemp(prefix=".", dir=place.parent)
        try:
            with open(descriptor, "wb") as file:
                file.write(body)
            os.replace(beside, place)
        except BaseException:
            os.unlink(beside)
            raise
        return size

    def _assemble(self, bucket: Bucket, file: PublishedFile, to: Path) -> None:
        """Write a file of its pieces. Files of the index are one piece mostly, and never change: they are linked."""
        to.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if len(file.pieces) == 1 and to.suffix == ".lance" and VECTORS in to.parts:
            self._verified(bucket, file.pieces[0], file.size)
            try:
                os.link(self._place(file.pieces[0]), to)
                return
            except OSError:  # the cache is on another disk
                pass
        with to.open("xb") as out:
            for number, digest in enumerate(file.pieces):
                out.write(self._verified(bucket, digest, min(file.piece, file.size - number * file.piece)))

    def _verified(self, bucket: Bucket, digest: str, size: int) -> bytes:
        """A piece as it is in the cache, fetched again where it is not what it was."""
        body = self._place(digest).read_bytes()
        if digest_of(body) != digest:
            self._place(digest).unlink()
            self._fetched(bucket, digest, size)
            body = self._place(digest).read_bytes()
        return body

    def _require_space(self, fetched: int, manifest: Manifest) -> None:
        for directory, needed in ((self.pieces, fetched), (self.store, manifest.size)):
            status = os.statvfs(directory)
            free = status.f_bavail * status.f_frsize
            if needed > free - _LEFT_FREE:
                raise NoSpaceError(
                    f"The snapshot needs {needed >> 20:,} MiB in {directory}, and {free >> 20:,} MiB are free there;"
                    " free some space and mount again."
                )
