"""Which files that are new are files that vanished, under another name: known by the hash of what is in them.

Used by refreshing, on the jobs thread. Reads new files whose size is that of a vanished one.
"""

from __future__ import annotations

import os
import stat
import time
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import xxhash

from kgfs.documents.original import modified_ns
from kgfs.sources.walking import WalkedFile
from kgfs.store.files import items
from kgfs.store.files.items import KnownFile

_STEP = 1024 * 1024


class HashedFile(NamedTuple):
    """A file's bytes as a hash, with what the system said of it before it was read."""

    hash: str
    size: int
    mtime_ns: int
    mode: int
    read_ns: int


class MovedFile(NamedTuple):
    """A row and the file that it is now."""

    row: KnownFile
    file: WalkedFile
    reading: HashedFile


def read_hash(path: Path) -> HashedFile:
    """The hash of a regular file, by which rows know what was read. ``OSError`` where it cannot be read."""
    read_ns = time.time_ns()
    # A FIFO in a file's place would block for ever.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb", buffering=0) as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(f"{path} is no regular file any more")
        state = xxhash.xxh3_128()
        while part := file.read(_STEP):
            state.update(part)
    return HashedFile(state.hexdigest(), status.st_size, modified_ns(status), stat.S_IMODE(status.st_mode), read_ns)


def find_moves(vanished: Sequence[KnownFile], new: Sequence[WalkedFile]) -> list[MovedFile]:
    """Pair vanished rows with new files of the same content, each at most once, in order of the new path.

    Where several hold the same, those whose paths end alike belong together. Empty files are alike by name only.
    """
    if not vanished or not new:
        return []
    sizes = {row.size for row in vanished}
    # The size of a row that was edited here is not the one of what was read.
    any_size = any(row.edited for row in vanished)
    readings: dict[Path, HashedFile] = {}
    fresh: defaultdict[str, list[WalkedFile]] = defaultdict(list)
    for file in new:
        if any_size or file.size in sizes:
            try:
                reading = read_hash(file.path)
            except OSError:
                continue  # reading it as a document will say so
            readings[file.path] = reading
            fresh[reading.hash].append(file)
    gone: defaultdict[str, list[KnownFile]] = defaultdict(list)
    for row in vanished:
        gone[row.source_hash or row.hash].append(row)
    found = []
    for content in fresh.keys() & gone.keys():
        found += [MovedFile(row, file, readings[file.path]) for row, file in _paired(gone[content], fresh[content])]
    return sorted(found, key=lambda moved: os.fsencode(moved.file.path))


def _paired(rows: Sequence[KnownFile], files: Sequence[WalkedFile]) -> list[tuple[KnownFile, WalkedFile]]:
    pairs: list[tuple[KnownFile, WalkedFile]] = []
    left = sorted(rows, key=lambda row: row.path)
    waiting = sorted(files, key=lambda file: os.fsencode(file.path))
    alike: list[Callable[[PurePosixPath], object]] = [lambda path: path.parts[-2:], lambda path: path.name]
    if any(file.size for file in files):
        alike += [lambda path: path.parent, lambda path: path.suffix, lambda path: None]
    for key in alike:
        queues: defaultdict[object, deque[KnownFile]] = defaultdict(deque)
        for row in left:
            queues[key(PurePosixPath(row.path))].append(row)
        rest = []
        for file in waiting:
            queue = queues.get(key(PurePosixPath(items.row_path(file.path))))
            if queue:
                pairs.append((queue.popleft(), file))
            else:
                rest.append(file)
        taken = {row.id for row, _ in pairs}
        left, waiting = [row for row in left if row.id not in taken], rest
    return pairs
