"""Sends a snapshot: objects first, then the manifest, then the one pointer that makes it the newest.

Used by the service, on the thread of ``kgfs publish``. A sender that is killed leaves objects that nobody names,
and the snapshot that was the newest is whole; what it sent already the next one need not send.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path

import msgspec

from kgfs.config import CATALOG
from kgfs.errors import Cancelled, ConflictError, NotFoundError, StoreError
from kgfs.progress import Cancel, Progress
from kgfs.published.bucket import Bucket, PublishedPointer
from kgfs.published.manifest import (
    CATALOG_PIECE,
    MOST_BYTES,
    PIECE,
    Manifest,
    Pointer,
    PublishedFile,
    decode_manifest,
    digest_of,
    encoded,
    manifest_name,
    object_name,
)

SENDERS = 8
"""Requests at once; a piece is 8 MiB at most."""


class Sent(msgspec.Struct, frozen=True, kw_only=True):
    """What came of it."""

    manifest: Manifest
    objects: int
    """How many were sent."""
    bytes: int
    new: bool
    """Whether it is another snapshot than the newest before."""


def send(
    bucket: Bucket,
    directory: Path,
    draft: Manifest,
    *,
    replace: bool,
    progress: Progress,
    cancel: Cancel,
    check: Callable[[], None] = lambda: None,
) -> Sent:
    """Publish the files of ``directory`` as what ``draft`` says, which has no files and no number yet. ``check`` is
    called before anything is sent.

    ``ConflictError`` where another graph, or a newer state of this one, is published there, unless ``replace``;
    ``ChangedError`` where somebody else published meanwhile.
    """
    seen, before = _newest(bucket, draft.schema)
    if seen is not None and not replace:
        _require_next(bucket, before, draft)
    if before is not None and _same(before, draft) and _is_whole(bucket, before):
        return Sent(manifest=before, objects=0, bytes=0, new=False)
    check()
    files = _measured(directory)
    number = 1 if seen is None else seen.pointer.number + 1
    manifest = msgspec.structs.replace(draft, number=number, files=files)
    objects, size = _send_missing(bucket, directory, files, progress, cancel)
    body = encoded(manifest)
    pointer = Pointer(number=number, manifest=digest_of(body))
    bucket.write(manifest_name(number, pointer.manifest), body)
    bucket.point(encoded(pointer), None if seen is None else seen.tag)
    return Sent(manifest=manifest, objects=objects, bytes=size, new=True)


def _newest(bucket: Bucket, schema: int) -> tuple[PublishedPointer | None, Manifest | None]:
    """What is published there; no manifest where that is damaged or gone: it is replaced."""
    try:
        seen = bucket.pointer()
    except NotFoundError:
        return None, None
    assert seen is not None
    try:
        body = bucket.read(manifest_name(seen.pointer.number, seen.pointer.manifest), MOST_BYTES)
        return seen, decode_manifest(body, seen.pointer, schema)
    except (NotFoundError, StoreError):
        return seen, None


def _require_next(bucket: Bucket, before: Manifest | None, draft: Manifest) -> None:
    if before is None:
        return
    if before.graph != draft.graph:
        raise ConflictError(
            f"Another graph is published at {bucket.address}; choose another place, or replace it with --replace."
        )
    if before.generation > draft.generation:
        raise ConflictError(
            f"A newer state of this graph is published at {bucket.address} (generation {before.generation}, and this"
            f" is {draft.generation}); replace it with --replace if you mean it."
        )


def _same(before: Manifest, draft: Manifest) -> bool:
    return bool(before.content) and (before.graph, before.content) == (draft.graph, draft.content)


def _is_whole(bucket: Bucket, manifest: Manifest) -> bool:
    """Whether all that a snapshot needs is there."""
    there = bucket.sizes("objects/")
    return all(
        there.get(object_name(digest)) == min(file.piece, file.size - number * file.piece)
        for file in manifest.files.values()
        for number, digest in enumerate(file.pieces)
    )


def _measured(directory: Path) -> dict[str, PublishedFile]:
    """Every file of a directory with its digests."""
    found = {}
    for path in sorted(path for path in directory.rglob("*") if path.is_file()):
        name = path.relative_to(directory).as_posix()
        size = CATALOG_PIECE if name == CATALOG else PIECE
        pieces = tuple(digest_of(piece) for piece in _pieces(path, size))
        found[name] = PublishedFile(size=path.stat().st_size, piece=size, pieces=pieces)
    return found


def _pieces(path: Path, size: int) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(size):
            yield piece


def _send_missing(
    bucket: Bucket, directory: Path, files: dict[str, PublishedFile], progress: Progress, cancel: Cancel
) -> tuple[int, int]:
    """Send what is not there, or is there cut short; how many objects and bytes that were."""
    there = bucket.sizes("objects/")
    wanted: dict[str, tuple[Path, int, int]] = {}
    for name, file in files.items():
        for number, digest in enumerate(file.pieces):
            size = min(file.piece, file.size - number * file.piece)
            if there.get(object_name(digest)) != size:
                wanted[digest] = (directory / name, number * file.piece, size)
    total, done = sum(size for _, _, size in wanted.values()), 0

    def put(digest: str, path: Path, at: int, size: int) -> int:
        with path.open("rb") as file:
            body = os.pread(file.fileno(), size, at)
        if digest_of(body) != digest:
            raise StoreError("The copy of the store changed while it was sent; publish again.")
        bucket.write(object_name(digest), body)
        return size

    with ThreadPoolExecutor(SENDERS, thread_name_prefix="send") as pool:
        waiting: set[Future[int]] = set()
        left = iter(wanted.items())
        try:
            while True:
                while len(waiting) < 2 * SENDERS and (one := next(left, None)) is not None:
                    waiting.add(pool.submit(put, one[0], *one[1]))
                if not waiting:
                    return len(wanted), total
                if cancel.is_set():
                    raise Cancelled("Stopped; what was sent is there, and the same command goes on.")
                ended, waiting = wait(waiting, timeout=0.5, return_when=FIRST_COMPLETED)
                done += sum(one.result() for one in ended)
                progress({"stage": "send", "done": done >> 20, "total": total >> 20, "unit": "MiB"})
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
