"""Removes old snapshots from where they are published: their manifests, and the objects that only they need.

Used by ``kgfs publish`` after it published. Readers may still be fetching the snapshot before the newest, and
another publisher may have sent objects that no manifest names yet, so what is younger than ``GRACE`` stays. An object
that goes although somebody comes to need it is sent again by the next publication, which looks at what is there.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

import msgspec

from kgfs.errors import StoreError
from kgfs.published.bucket import Bucket
from kgfs.published.manifest import MOST_BYTES, decode_manifest, manifest_of, object_name

GRACE = timedelta(days=1)
"""How long a snapshot stays that is no longer among the newest, and an object that no snapshot names."""


class Pruned(msgspec.Struct, frozen=True, kw_only=True):
    """What was removed."""

    snapshots: int
    objects: int
    bytes: int
    """Of the objects."""


def prune(bucket: Bucket, keep: int, schema: int, *, grace: timedelta = GRACE) -> Pruned:
    """Remove what only snapshots need that are not among the ``keep`` newest.

    ``schema`` is the newest that this kgfs reads. Errors as of ``Bucket``; ``StoreError``, and nothing is removed,
    where a manifest that is kept cannot be read: it would not be known what it needs.
    """
    if keep < 1:
        raise ValueError("the newest snapshot is always kept")
    before = datetime.now(UTC) - grace
    manifests = sorted(
        (pointer.number, name, stored)
        for name, stored in bucket.objects("manifests/").items()
        if (pointer := manifest_of(name)) is not None
    )
    newest = bucket.pointer()
    assert newest is not None
    numbers = sorted({number for number, _, _ in manifests if number <= newest.pointer.number}, reverse=True)
    first_kept = numbers[:keep][-1] if numbers else 0
    # A snapshot is old from the day on which the one behind it came.
    since = {number: min(stored.at for other, _, stored in manifests if other > number) for number in numbers[1:]}
    old = {name for number, name, _ in manifests if number < first_kept and since[number] < before}
    needed = _needed(bucket, (name for _, name, _ in manifests if name not in old), schema)
    gone = {
        name: stored for name, stored in bucket.objects("objects/").items() if name not in needed and stored.at < before
    }
    # Manifests first: none is ever there without its objects.
    bucket.remove(sorted(old))
    bucket.remove(sorted(gone))
    return Pruned(snapshots=len(old), objects=len(gone), bytes=sum(stored.size for stored in gone.values()))


def _needed(bucket: Bucket, manifests: Iterable[str], schema: int) -> set[str]:
    """The names of the objects that manifests name."""
    needed: set[str] = set()
    for name in manifests:
        pointer = manifest_of(name)
        assert pointer is not None
        try:
            manifest = decode_manifest(bucket.read(name, MOST_BYTES), pointer, schema)
        except StoreError as error:
            raise StoreError(
                f"{name} cannot be read, so nothing was removed; remove it if you need it no more."
            ) from error
        needed |= {object_name(digest) for file in manifest.files.values() for digest in file.pieces}
    return needed
