"""A snapshot of a store: made to be published, and made a store again.

Used by ``kgfs publish`` and ``kgfs mount`` in their own process, and by ``kgfs.service.publishing.snapshot_fetch`` for
a daemon. A catalog that was fetched is somebody else's data: it is checked as a bundle is (``service.trial``) before it
is shown, and a store is checked in the same way before it is sent.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from kgfs import __version__
from kgfs.config import CATALOG, CONFIG, VECTORS, Config, stated_settings, whose
from kgfs.errors import Cancelled, KgfsError, NoSpaceError, StoreError
from kgfs.fsck.run import Fsck
from kgfs.namespace.namespace import Namespace
from kgfs.namespace.publish import is_stale, publish
from kgfs.progress import Cancel, Never, Progress
from kgfs.published.bucket import Bucket, PublishedPointer
from kgfs.published.manifest import Manifest
from kgfs.published.snapshot_cache import Shown, SnapshotCache
from kgfs.service.health import state
from kgfs.store.catalog import copies, schema
from kgfs.store.catalog.database import Database
from kgfs.store.tree import pages

_PACKAGED = "packaged:"


def seal(directory: Path) -> Manifest:
    """Make a copy of a store (``StoreCopy``) what can be published, and say what it is; it has no files and number yet.

    Of its settings those stay that are each store's to say, and the model, where every kgfs has it: no name of a server
    or of a folder goes out.
    """
    named = {name: value for name, value in stated_settings(directory).items() if _goes_out(name, value)}
    (directory / CONFIG).write_bytes(msgspec.json.format(msgspec.json.encode(named), indent=2) + b"\n")
    with Database.open(directory) as database:
        database.write(lambda cursor: cursor.execute("DELETE FROM jobs"))  # what was run here, with its paths
        with database.read() as cursor:
            generation, _ = pages.generation(cursor)
            graph = pages.read_meta(cursor, "store_id") or ""
            content = copies.fingerprint(cursor)
        counts = state.counts(database)
    return Manifest(
        kgfs=__version__, schema=schema.migrations()[-1].number, graph=graph, number=0, generation=generation,
        published_at=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"), counts=counts,
        content=content,
    )  # fmt: skip


def require_sound(directory: Path, progress: Progress, cancel: Cancel) -> None:
    """``StoreError`` where a reader would refuse a sealed copy."""
    with Database.open(directory) as database:
        if damage := _damage(database, progress, cancel):
            raise StoreError(f"The store is damaged ({damage}); repair it with `kgfs fsck --repair` and publish again.")


def _goes_out(name: str, value: object) -> bool:
    return whose()[name] == "store" or (name == "embedding_model" and str(value).startswith(_PACKAGED))


def fetch(cache: SnapshotCache, bucket: Bucket, seen: PublishedPointer, least: int, progress: Progress) -> Shown:
    """Make the snapshot that ``seen`` names in ``cache.next``, checked, ready to be shown as a generation of at least
    ``least``. Errors as of ``SnapshotCache.fetch``; ``StoreError`` where its rows cannot be."""
    manifest = cache.manifest(bucket, seen, schema.migrations()[-1].number)
    directory = cache.fetch(bucket, manifest, progress)
    try:
        generation = _made_showable(directory, manifest, least, progress)
    except BaseException:
        shutil.rmtree(directory, ignore_errors=True)
        raise
    cache.tidy(manifest)
    return Shown(
        url=cache.address.url, number=manifest.number, manifest=seen.pointer.manifest, graph=manifest.graph,
        published_at=manifest.published_at, generation=generation,
    )  # fmt: skip


def _made_showable(directory: Path, manifest: Manifest, least: int, progress: Progress) -> int:
    """Check a catalog and give it the number of its generation, which is returned."""

    def number(generation: int) -> int:
        wanted = max(generation, least)
        if wanted != generation:
            database.write(lambda cursor: pages.write_meta(cursor, "generation", str(wanted)))
        return wanted

    with Database.open(directory) as database:
        if damage := _damage(database, progress, Never()):
            raise StoreError(
                f"Snapshot {manifest.number} is damaged or was made up ({damage}); it is not shown. Have it published"
                " again."
            )
        with database.read() as cursor:
            generation, _ = pages.generation(cursor)
            graph = pages.read_meta(cursor, "store_id")
        if graph != manifest.graph:
            raise StoreError(f"Snapshot {manifest.number} holds another graph than it says; it is not shown.")
        return number(generation)


def _damage(database: Database, progress: Progress, cancel: Cancel) -> str:
    """The first thing that is wrong with the rows of a store or keeps them from being shown; empty where nothing is.

    What other rows of an older kgfs look like now is rendered by this, too.
    """
    try:
        for check, damage in Fsck(database, Config(), progress=progress, cancel=cancel).damages():
            return f"{check.name}: {damage.text}"
        with database.read() as cursor:
            stale = is_stale(cursor)
        if stale:
            publish(database)
        Namespace(database).load_snapshot()
    except (KgfsError, Cancelled, NoSpaceError):
        raise
    except Exception as error:
        return (str(error) or type(error).__name__).splitlines()[0][:200]
    return ""


def install(cache: SnapshotCache, shown: Shown) -> None:
    """Make the fetched snapshot the store, which nobody has open. Sessions and logs stay."""
    swap_index(cache)
    for end in (".wal", ""):
        with contextlib.suppress(FileNotFoundError):
            (cache.store / f"{CATALOG}{end}").unlink()
    os.replace(cache.next / CATALOG, cache.store / CATALOG)
    finish(cache, shown)


def swap_index(cache: SnapshotCache) -> None:
    """Put the index of the fetched snapshot in the place of the one before. No worker runs meanwhile."""
    aside = cache.store / f"{VECTORS}.old"
    shutil.rmtree(aside, ignore_errors=True)
    with contextlib.suppress(FileNotFoundError):
        os.replace(cache.store / VECTORS, aside)
    with contextlib.suppress(FileNotFoundError):
        os.replace(cache.next / VECTORS, cache.store / VECTORS)
    shutil.rmtree(aside, ignore_errors=True)


def finish(cache: SnapshotCache, shown: Shown) -> None:
    """The catalog is in its place: take the settings over, and say what is shown."""
    with contextlib.suppress(FileNotFoundError):
        os.replace(cache.next / CONFIG, cache.store / CONFIG)
    shutil.rmtree(cache.next, ignore_errors=True)
    cache.note_shown(shown)
