"""``kgfs backup``: a consistent copy of a store that is in use, as one stream of bytes.

Used by the service: ``StoreCopy`` is made on its jobs thread, where nothing writes to the search index meanwhile, so
that rows and index are of one generation; ``stream`` runs on the thread of the request, after that, and takes as long
as the reader does. Writers on the mount go on all the while.
"""

from __future__ import annotations

import errno
import os
import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from kgfs import __version__
from kgfs.agentfs.agent_store import AgentStore
from kgfs.agentfs.audit.recording import waits
from kgfs.agentfs.database import FILE as AGENT
from kgfs.agentfs.overlays.sessions import SUFFIX, Sessions
from kgfs.config import CATALOG, CONFIG, SESSIONS, VECTORS
from kgfs.errors import Cancelled, NoSpaceError, StoreError
from kgfs.exchange.archive import MANIFEST, PIECE, BackupManifest, BackupMember, member_hasher
from kgfs.progress import Cancel, Progress
from kgfs.store.catalog import copies, schema
from kgfs.store.catalog.database import Database

_PREFIX = ".backup-"
_HANDED_ON = ".publish-"
_LINKED = (".lance", ".idx")
"""Files of the index with these suffixes never change once they are written: they are linked, not copied."""
_LEVEL = 1
"""Of gzip: 430 MB, half of them random bytes, were packed in 5 s of a processor (80 MB/s) to 216 MB."""

_GZIP = 31
"""What zlib calls the format of gzip with the largest window."""

_live: set[Path] = set()


class StoreCopy:
    """The files of a store as they were at one moment, in a directory beside them; ``close`` removes it."""

    def __init__(
        self,
        database: Database,
        *,
        vectors: bool,
        agent: AgentStore | None = None,
        sessions: Sessions | None = None,
        directory: Path | None = None,
    ) -> None:
        """Make it, with ``agent.db`` and the sessions there are, in ``directory`` or one of its own. ``NoSpaceError``
        where there is no room for it."""
        store = database.path.parent
        _sweep(store)
        self.directory = directory or Path(tempfile.mkdtemp(prefix=_PREFIX, dir=store))
        _live.add(self.directory)
        try:
            self.manifest = BackupManifest(
                kgfs=__version__,
                schema=schema.migrations()[-1].number,
                created_at=datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
                vectors=vectors and (store / VECTORS).is_dir(),
            )
            self.manifest.counts = _counts(database)
            copies.copy_catalog(database, self.directory / CATALOG)
            if (store / CONFIG).exists():
                shutil.copyfile(store / CONFIG, self.directory / CONFIG)
            if agent is not None and waits(agent.path.parent):
                agent.recorder.settle()
            if agent is not None and agent.exists:
                agent.settle()
                agent.database.copy(self.directory / AGENT)
            if sessions is not None and sessions.names():
                (self.directory / SESSIONS).mkdir()
                for name in sessions.names():
                    sessions.snapshot(name, self.directory / SESSIONS / f"{name}{SUFFIX}")
            if self.manifest.vectors:
                _link_tree(store / VECTORS, self.directory / VECTORS)
        except OSError as error:
            self.close()
            kind = NoSpaceError if error.errno in (errno.ENOSPC, errno.EDQUOT) else StoreError
            raise kind(f"The store could not be copied ({error.strerror}); try again when that is mended.") from error
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Remove the copy."""
        shutil.rmtree(self.directory, ignore_errors=True)
        _live.discard(self.directory)

    def stream(self, progress: Progress, cancel: Cancel) -> Iterator[bytes]:
        """The backup's bytes. ``Cancelled`` when ``cancel`` is set in between."""
        packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
        for raw in self._tar(progress):
            if cancel.is_set():
                raise Cancelled("Stopped; no backup was made.")
            packed = packer.compress(raw)
            if packed:
                yield packed
        yield packer.flush()

    def _tar(self, progress: Progress) -> Iterator[bytes]:
        files = sorted(path for path in self.directory.rglob("*") if path.is_file())
        total = sum(path.stat().st_size for path in files)
        done, told = 0, -1
        for path in files:
            name = path.relative_to(self.directory).as_posix()
            size, digest = path.stat().st_size, member_hasher()
            yield _header(name, size)
            with path.open("rb") as file:
                while piece := file.read(PIECE):
                    digest.update(piece)
                    yield piece
                    done += len(piece)
                    if done >> 20 > told:
                        told = done >> 20
                        progress({"stage": "pack", "done": told, "total": total >> 20, "unit": "MiB"})
            yield bytes(-size % tarfile.BLOCKSIZE)
            self.manifest.files[name] = BackupMember(size=size, digest=digest.hexdigest())
        manifest = msgspec.json.format(msgspec.json.encode(self.manifest), indent=1)
        yield _header(MANIFEST, len(manifest)) + manifest + bytes(-len(manifest) % tarfile.BLOCKSIZE)
        yield bytes(2 * tarfile.BLOCKSIZE)


def store_copy_for(database: Database, pid: int) -> Path:
    """A copy without sessions and ``agent.db``, which belongs to the process ``pid``; what dead ones left goes."""
    store = database.path.parent
    for left in store.glob(f"{_HANDED_ON}*"):
        if not Path("/proc", left.name.removeprefix(_HANDED_ON)).exists():
            shutil.rmtree(left, ignore_errors=True)
    directory = store / f"{_HANDED_ON}{pid}"
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(mode=0o700)
    copy = StoreCopy(database, vectors=True, directory=directory)
    _live.discard(copy.directory)
    return copy.directory


def _header(name: str, size: int) -> bytes:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = size, 0o600
    return entry.tobuf(tarfile.PAX_FORMAT)


def _counts(database: Database) -> dict[str, int]:
    kinds = ("documents", "chunks", "entities", "facts", "topics")
    columns = ", ".join(f"(SELECT count(*) FROM {kind})" for kind in (*kinds, "context_items"))
    return dict(zip((*kinds, "items"), map(int, database.fetch(f"SELECT {columns}")[0]), strict=True))


def _link_tree(source: Path, to: Path) -> None:
    """A copy of the index's files. The worker may remove old versions of a table in between, which no table needs, or
    make a new one; what names a table's files is copied before these, so that it names none that is not copied."""
    for directory, below, names in os.walk(source):
        below.sort(key=lambda name: name != "_versions")
        here = to / Path(directory).relative_to(source)
        here.mkdir()
        for name in names:
            file = Path(directory, name)
            try:
                if file.suffix in _LINKED:
                    os.link(file, here / name)
                else:
                    shutil.copyfile(file, here / name)
            except FileNotFoundError:
                continue


def _sweep(store: Path) -> None:
    """Remove the copies that killed processes left."""
    for left in store.glob(f"{_PREFIX}*"):
        if left not in _live:
            shutil.rmtree(left, ignore_errors=True)
