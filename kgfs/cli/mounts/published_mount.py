"""What `kgfs mount` does for a published graph before its daemon starts: the newest snapshot becomes a store here.

Used by ``kgfs mount ADDRESS DIR``, in the command's own process, where progress can be shown.
"""

from __future__ import annotations

from pathlib import Path

from kgfs import mounts
from kgfs.cli.declaration import Invocation
from kgfs.cli.progress import following
from kgfs.cli.stores import short
from kgfs.errors import ConflictError, Unreachable, UsageError
from kgfs.published.address import Address, is_published, is_url, parse_address


def split(places: tuple[str, ...]) -> tuple[Address | None, str]:
    """The published graph, if one is named, and the mountpoint. ``UsageError`` for anything else."""
    if len(places) == 1:
        if is_url(places[0]) or is_published(Path(places[0]).expanduser()):
            raise UsageError(f"Name a directory to show it at, too: kgfs mount {places[0]} DIR.")
        return None, places[0]
    if len(places) != 2:
        raise UsageError("Name one directory, or a published graph and a directory: kgfs mount [PUBLISHED] DIR.")
    published, directory = places
    if not is_url(published) and not is_published(Path(published).expanduser()):
        raise UsageError(f"Nothing is published at {published}; `kgfs publish {published}` does it.")
    return parse_address(published), directory


def store_of(address: Address) -> Path:
    """The store that shows a published graph on this machine, whether it is there yet or not."""
    from kgfs.published.snapshot_cache import SnapshotCache  # here: most mounts are of stores

    return SnapshotCache(address).store


def fetch_newest(invocation: Invocation, address: Address) -> None:
    """Make the newest snapshot that store. Where nobody can be asked the one that was fetched before stays, if there is
    one; else ``Unreachable``."""
    from kgfs.published.bucket import Bucket
    from kgfs.published.snapshot_cache import SnapshotCache

    cache = SnapshotCache(address)
    if shown := mounts.mounts_of(cache.store):
        raise ConflictError(f"{address} is mounted at {short(shown[-1].mountpoint)}, where newer snapshots show up.")
    with cache.fetching():
        had = cache.shown()
        try:
            seen = Bucket(address, patience=60.0 if had is None else 5.0).pointer()
            assert seen is not None
            if had is None or had.manifest != seen.pointer.manifest:
                from kgfs.service.publishing import snapshots

                least = 0 if had is None or had.graph == "" else had.generation + 1
                with following(invocation, "mount") as progress:
                    fetched = snapshots.fetch(cache, Bucket(address), seen, least, progress.progress)
                snapshots.install(cache, fetched)
        except Unreachable as error:
            if had is None:
                raise
            invocation.warn(f"{error.message} Snapshot {had.number} of {had.published_at} is shown.")
