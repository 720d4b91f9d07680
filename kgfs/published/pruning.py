"""Removes old snapshots from where they are published: their manifests, and the objects that only they need.

Used by ``kgfs publish`` after it published. Readers may still be fetching the snapshot before the newest, and
another publisher may have sent objects that no manifest names yet, so what is younger than ``GRACE`` stays. An object
that is removed and then needed is sent again by the next publication, which looks for objects that are missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import msgspec

from kgfs.errors import StoreError
from kgfs.published.bucket import Bucket
from kgfs.published.manifest import MOST_BYTES, Pointer, decode_manifest, manifest_of, object_name

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
    stored = bucket.objects("manifests/")
    manifests = {name: pointer for name in stored if (pointer := manifest_of(name)) is not None}
    newest = bucket.pointer()
    assert newest is not None
    numbers = sorted({one.number for one in manifests.values() if one.number <= newest.pointer.number})
    # A snapshot is old from the day on which the one behind it came.
    since = {
        number: min(stored[name].at for name, one in manifests.items() if one.number > number)
        for number in numbers[:-keep]
    }
    old = {name for name, one in manifests.items() if one.number in since and since[one.number] < before}
    needed = _needed(bucket, {name: one for name, one in manifests.items() if name not in old}, schema)
    gone = {
        name: found for name, found in bucket.objects("objects/").items() if name not in needed and found.at < before
    }
    # Manifests first: none is ever there without its objects.
    bucket.remove(sorted(old))
    bucket.remove(sorted(gone))
    return Pruned(snapshots=len(old), objects=len(gone), bytes=sum(found.size for found in gone.values()))


def _needed(bucket: Bucket, manifests: Mapping[str, Pointer], schema: int) -> set[str]:
    """The names of the objects that manifests name."""
    needed: set[str] = set()
    for name, pointer in manifests.items():
        try:
            manifest = decode_manifest(bucket.read(name, MOST_BYTES), pointer, schema)
        except StoreError as error:
            raise StoreError(
                f"{name} cannot be read, so nothing was removed; remove it if you need it no more."
            ) from error
        needed |= {object_name(digest) for file in manifest.files.values() for digest in file.pieces}
    return needed
