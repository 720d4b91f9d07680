"""Copying one file of a base into a session's delta, and knowing later whether the base's bytes changed.

Used by the overlay and by what compares a session with its base.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import stat
from collections.abc import Iterator

from kgfs.agentfs.overlays.overlay_notes import BaseNote
from kgfs.filesystem import FileSystem, Stat

PIECE = 256 << 10
BODY_BYTES = 1 << 20
"""A file of the base with at most so many bytes is kept whole when it is changed, to show it beside the others."""


def pieces(files: FileSystem, ino: int) -> Iterator[tuple[int, bytes]]:
    """The bytes of a file as far as they are stored, in pieces at multiples of ``PIECE``; at last its end and nothing.

    A file that says no size ends where reading ends.
    """
    offset = 0
    while True:
        try:
            offset = max(offset, files.seek_data(ino, offset) // PIECE * PIECE)
        except OSError as error:
            size = files.getattr(ino).size if error.errno == errno.ENXIO else 0
            if size > offset:
                yield size, b""
                return
        piece = files.read(ino, offset, PIECE)
        if piece:
            yield offset, piece
            offset += len(piece)
        if len(piece) < PIECE:
            yield offset, b""
            return


class Digest:
    """A hash of a file's bytes that holes and zeros do not change."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()

    def add(self, offset: int, piece: bytes) -> None:
        """The next piece. Pieces of zeros count nothing."""
        if piece.count(0) != len(piece):
            self._hash.update(offset.to_bytes(8) + len(piece).to_bytes(4) + piece)

    def end(self, size: int) -> bytes:
        """The digest of a file of this size."""
        self._hash.update(size.to_bytes(8))
        return self._hash.digest()


def digest(files: FileSystem, ino: int) -> bytes:
    """The digest of a file's bytes, which are all read."""
    made = Digest()
    end = 0
    for offset, piece in pieces(files, ino):
        made.add(offset, piece)
        end = offset
    return made.end(end)


def copy_body(
    base: FileSystem, source: int, found: Stat, delta: FileSystem, target: int, limit: int | None
) -> BaseNote:
    """Copy a file's bytes, the first ``limit`` of them, into an empty one of the delta; returns what was read."""
    made = Digest()
    end = 0
    body: bytearray | None = bytearray()
    whole = limit is None or found.size <= max(limit, BODY_BYTES)
    for offset, piece in pieces(base, source):
        if limit is not None and offset >= limit and not whole:
            end = limit
            break
        made.add(offset, piece)
        end = offset + len(piece)
        if body is not None:
            if end <= BODY_BYTES:
                body.extend(bytes(offset - len(body)) + piece)
            else:
                body = None
        kept = piece if limit is None else piece[: max(limit - offset, 0)]
        if kept:
            delta.write(target, offset, kept)
    size = end if limit is None else min(end, limit)
    if delta.getattr(target).size != size:
        delta.setattr(target, size=size)
    if not whole:
        return note_of(found)
    return BaseNote(
        found.mode, end, found.mtime_ns, found.ctime_ns, made.end(end), bytes(body) if body is not None else None
    )


def note_of(found: Stat, target: bytes | None = None) -> BaseNote:
    """What is noted of something whose bytes nobody read."""
    return BaseNote(found.mode, found.size, found.mtime_ns, found.ctime_ns, None, target)


def copy_attributes(base: FileSystem, source: int, found: Stat, delta: FileSystem, target: int) -> None:
    """Give a copy the attributes of its origin; extended ones as far as the delta takes them."""
    with contextlib.suppress(OSError):
        for name in base.listxattr(source):
            with contextlib.suppress(OSError):
                delta.setxattr(target, name, base.getxattr(source, name))
    delta.setattr(
        target, mode=None if stat.S_ISLNK(found.mode) else stat.S_IMODE(found.mode), uid=found.uid, gid=found.gid,
        atime_ns=found.atime_ns, mtime_ns=found.mtime_ns,
    )  # fmt: skip


def is_absent(error: OSError) -> bool:
    """Whether an error of a look-up in the base says that there is no such entry, or cannot be one of this name."""
    return error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.EINVAL, errno.EILSEQ)
