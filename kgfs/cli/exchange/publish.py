"""``kgfs publish``: an immutable snapshot of the store for many readers, in a directory or an object store."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.exchange.export import megabytes, writable
from kgfs.cli.progress import following
from kgfs.cli.stores import chosen_store, session
from kgfs.control.client import LocalSession, RemoteSession
from kgfs.counting import counted
from kgfs.errors import UsageError
from kgfs.progress import Never

if TYPE_CHECKING:
    from kgfs.published.bucket import Bucket


@declare("publish", "Write a snapshot of the store that other machines mount.")
@click.argument("dest")
@click.option("--replace", is_flag=True, help="Replace another graph, or a newer state of this one, that is there.")
@click.option(
    "--keep", type=click.IntRange(min=1), metavar="N",
    help="Keep the N newest snapshots; remove older ones that were replaced more than a day ago.",
)  # fmt: skip
def command(invocation: Invocation, dest: str, replace: bool, keep: int | None) -> int:
    """Publish the store at DEST: a directory, s3://BUCKET/NAME, gs://BUCKET/NAME or az://CONTAINER/NAME.

    `kgfs mount DEST DIR` shows it on any machine, read-only, and follows what is published there next. Only what
    changed since the last time is sent. Readers see the snapshot before or this one, whole. Keys and servers come
    from your environment (AWS_ACCESS_KEY_ID, AWS_ENDPOINT_URL, GOOGLE_APPLICATION_CREDENTIALS …).
    """
    from kgfs.published.address import parse_address
    from kgfs.published.bucket import Bucket

    address = parse_address(dest)
    if address.directory is not None:
        _require_apart(writable(str(address.directory)), chosen_store(invocation))
    bucket = Bucket(address)
    with session(invocation) as store:
        return _publish(invocation, store, bucket, replace, keep)


def _require_apart(directory: Path, store: Path) -> None:
    """``UsageError`` where what is published would be in the store."""
    if directory.resolve().is_relative_to(store.resolve()):
        raise UsageError(f"{directory} is in the store; name a place outside of it.")
    if directory.exists() and not directory.is_dir():
        raise UsageError(f"{directory} is a file; name a directory.")
    directory.mkdir(parents=True, exist_ok=True)


def _publish(
    invocation: Invocation, store: RemoteSession | LocalSession, bucket: Bucket, replace: bool, keep: int | None
) -> int:
    from kgfs.published.pruning import prune
    from kgfs.published.sender import send
    from kgfs.service.publishing import snapshots

    with following(invocation, "publish") as shown:
        copy = Path(store.call("publish-copy", {"pid": os.getpid()}, shown)["directory"])
        try:
            draft = snapshots.seal(copy)
            sent = send(
                bucket, copy, draft, replace=replace, progress=shown.progress, cancel=Never(),
                check=lambda: snapshots.require_sound(copy, shown.progress, Never()),
            )  # fmt: skip
        finally:
            shutil.rmtree(copy, ignore_errors=True)
    manifest = sent.manifest
    pruned = None if keep is None else prune(bucket, keep, draft.schema)
    if invocation.json:
        invocation.emit(
            {
                "address": str(bucket.address), "snapshot": manifest.number, "new": sent.new, "objects": sent.objects,
                "bytes": sent.bytes, "size": manifest.size, "counts": manifest.counts, "removed": pruned,
            }
        )  # fmt: skip
    if sent.new:
        counts = manifest.counts
        invocation.say(
            f"Published snapshot {manifest.number}: {counted(counts['documents'], 'document')},"
            f" {counted(counts['entities'], 'entity', 'entities')}; sent {megabytes(sent.bytes)} of"
            f" {megabytes(manifest.size)}."
        )
    else:
        invocation.say(f"Nothing changed since snapshot {manifest.number} at {bucket.address}.")
    if pruned is not None and (pruned.snapshots or pruned.objects):
        invocation.say(
            f"Removed {counted(pruned.snapshots, 'older snapshot')} and {counted(pruned.objects, 'object')}"
            f" ({megabytes(pruned.bytes)}) that no other one needs."
        )
    if sent.new:
        invocation.say(f"Mount it: kgfs mount {bucket.address} DIR")
    return 0
