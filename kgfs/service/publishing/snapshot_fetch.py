"""A program that fetches the newest snapshot of a published graph and checks it, for a daemon that goes on meanwhile.

Started by ``kgfs.service.publishing.following``: the engine that opens somebody else's catalog, and the memory that the
check takes, are its own. It prints one line of JSON: what it fetched (``Shown``), or ``{"error": {"kind": …, "message":
…}}``.
"""

from __future__ import annotations

import sys

import msgspec

from kgfs.errors import KgfsError
from kgfs.published.address import parse_address
from kgfs.published.bucket import Bucket
from kgfs.published.snapshot_cache import SnapshotCache
from kgfs.service.publishing import snapshots


def main(arguments: list[str]) -> int:
    """``ADDRESS GENERATION``: what is shown by now, which the fetched snapshot is to follow."""
    url, generation = arguments
    try:
        address = parse_address(url)
        cache, bucket = SnapshotCache(address), Bucket(address)
        with cache.fetching():
            seen = bucket.pointer()
            assert seen is not None
            shown = snapshots.fetch(cache, bucket, seen, int(generation), lambda progress: None)
    except KgfsError as error:
        print(msgspec.json.encode({"error": {"kind": error.kind, "message": error.message}}).decode())
        return 1
    print(msgspec.json.encode(shown).decode())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
