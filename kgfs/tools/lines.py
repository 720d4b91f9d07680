"""Lines of texts (``kgfs.tools.texts``), read piece by piece.

Used by ``kgfs.tools.files`` and ``discovery``, on the thread that calls a tool. A line ends with ``\\n``; the last
one may have no end.
"""

from __future__ import annotations

from typing import NamedTuple

from kgfs.store.files.items import BLOCK_BYTES
from kgfs.tools.texts import Text

MOST_BYTES = BLOCK_BYTES
"""Text that one answer holds."""
COUNTED_BYTES = 16 * BLOCK_BYTES
"""The lines of a larger text are counted only on request."""


class Lines(NamedTuple):
    """Some lines of a text."""

    content: str
    number: int
    """How many lines these are."""
    total: int | None
    """How many the text has; ``None`` where counting would mean to read a large one to its end."""
    more: bool
    """Whether lines follow that were asked for: the answer would have been too long."""
    cut: bool
    """Whether the last line is only its beginning: it alone is longer than an answer."""


class LineCount(NamedTuple):
    """How many lines a text has."""

    newlines: int
    lines: int
    """One more where the last line has no end."""


def count_lines(text: Text) -> LineCount:
    """The lines of a text, read to its end."""
    newlines, last = 0, b"\n"
    for piece in text.pieces():
        newlines += piece.count(b"\n")
        last = piece[-1:]
    return LineCount(newlines, newlines + (last != b"\n"))


def read_lines(text: Text, offset: int, limit: int | None, most: int = MOST_BYTES) -> Lines:
    """At most ``limit`` lines from line ``offset`` (from 1) on, and at most ``most`` bytes."""
    counting = text.size <= COUNTED_BYTES
    before, wanted = offset - 1, limit
    taken = bytearray()
    taking = True
    newlines, last = 0, b"\n"
    for piece in text.pieces():
        start = 0
        if before:
            found = min(piece.count(b"\n"), before)
            before -= found
            start = len(piece) if before else _after(piece, found)
        if start < len(piece) and taking:
            end = len(piece)
            if wanted is not None:
                found = min(piece.count(b"\n", start), wanted)
                wanted -= found
                if not wanted:
                    end = _after(piece, found, start)
                    taking = False
            taken += piece[start:end]
            taking = taking and len(taken) <= most
        newlines += piece.count(b"\n")
        last = piece[-1:]
        if not taking and not counting:
            break
    else:
        counting = True  # read to its end anyway
    return _shown(taken, most, newlines + (last != b"\n") if counting else None)


def _shown(taken: bytearray, most: int, total: int | None) -> Lines:
    more = len(taken) > most
    cut = False
    if more:
        end = taken.rfind(b"\n", 0, most) + 1
        cut = not end
        if cut:
            end = most
            while end and taken[end] & 0xC0 == 0x80:  # inside a character
                end -= 1
        del taken[end:]
    count = taken.count(b"\n") + (bool(taken) and not taken.endswith(b"\n"))
    return Lines(taken.decode("utf-8", "replace"), count, total, more, cut)


def _after(piece: bytes, newlines: int, start: int = 0) -> int:
    """The place behind so many line ends."""
    for _ in range(newlines):
        start = piece.index(b"\n", start) + 1
    return start
