"""Where spans of a document's text stand in its chunks.

Used by the readers of facts that read the text itself, not its sentences (records, meetings); pure.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from kgfs.model import Chunk


class ChunkPlaces:
    """The chunks of a document by their places in its text; characters."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = chunks
        self._starts: list[int] = []
        position = 0
        for chunk in chunks:
            self._starts.append(position)
            position += len(chunk.text)

    def find_chunk(self, start: int, end: int) -> tuple[Chunk, int, int] | None:
        """The chunk that holds a span whole, and the span in it; ``None`` where a chunk's end cuts it."""
        place = bisect_right(self._starts, start) - 1
        chunk, base = self._chunks[place], self._starts[place]
        return (chunk, start - base, end - base) if end - base <= len(chunk.text) and end > start else None
