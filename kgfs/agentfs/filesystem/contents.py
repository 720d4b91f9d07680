"""The bytes of files as chunks: reading, writing, cutting and holes.

Used by the workspace, with its lock held. A chunk is ``chunk_size`` bytes, the last one of a file as long as the file
needs it; one that is not there is a hole and reads as zeros. A chunk of another client that is too short reads as if
zeros followed.
"""

from __future__ import annotations

from collections.abc import Iterable

from kgfs.agentfs.filesystem.inodes import Inode
from kgfs.agentfs.filesystem.layers import Changes, Layers
from kgfs.agentfs.filesystem.stored import StoredFiles

_NONE = bytearray()
"""Stands for "nothing is known here" where none is a hole."""


class Contents:
    """Chunks of all files."""

    def __init__(self, stored: StoredFiles, layers: Layers, chunk_size: int) -> None:
        self._stored = stored
        self._layers = layers
        self._size = chunk_size

    def read(self, inode: Inode, offset: int, size: int) -> bytes:
        """The bytes from ``offset`` on, at most ``size``, up to the end of the file."""
        size = min(size, inode.size - offset)
        if size <= 0:
            return b""
        if not inode.stored:
            return bytes(size)
        first, skip = divmod(offset, self._size)
        last = (offset + size - 1) // self._size
        found = self._chunks(inode.ino, first, last)
        if len(found) == last - first + 1 and all(len(chunk) == self._size for chunk in found[:-1]):
            data: bytes | bytearray = bytes(found[0]) if len(found) == 1 else b"".join(found)
        else:
            filled = bytearray((last - first + 1) * self._size)
            for index, chunk in zip(self._indexes(inode.ino, first, last), found, strict=True):
                begin = (index - first) * self._size
                filled[begin : begin + min(len(chunk), self._size)] = chunk[: self._size]
            data = filled
        if len(data) < skip + size:
            data = bytes(data).ljust(skip + size, b"\0")
        return bytes(data[skip : skip + size]) if skip or len(data) != size else bytes(data)

    def write(self, inode: Inode, offset: int, data: bytes) -> None:
        """Put bytes at a place; the file grows where they end behind it."""
        if not data:
            return
        end = offset + len(data)
        old_size = inode.size
        if end > old_size:
            self._pad_end(inode, end, offset)
            inode.size = end
        changes = self._changes(inode.ino)
        chunk_size = self._size
        dense = inode.stored == -(-old_size // chunk_size)
        known = old_size if dense else 0
        index, skip = divmod(offset, chunk_size)
        place = 0
        while place < len(data):
            piece = data[place : place + chunk_size - skip]
            place += len(piece)
            present = changes.chunks.get(index) is not None or (
                index * chunk_size < known if dense else self.present(inode.ino, index)
            )
            if not present:
                inode.stored += 1
            length = min(chunk_size, inode.size - index * chunk_size)
            if len(piece) == length:
                changes.chunks[index] = piece
            else:
                chunk = self._own(inode.ino, changes, index, present)
                if len(chunk) < length:
                    chunk.extend(bytes(length - len(chunk)))
                chunk[skip : skip + len(piece)] = piece
            index += 1
            skip = 0
        self._layers.new.bytes += len(data)

    def resize(self, inode: Inode, size: int) -> None:
        """Cut a file, or let it end with a hole."""
        if size >= inode.size:
            self._pad_end(inode, size, size)
            inode.size = size
            return
        keep = -(-size // self._size)
        if inode.stored:
            if inode.stored == inode.chunks(self._size):
                inode.stored = keep
            else:
                inode.stored = len(self._indexes(inode.ino, 0, keep - 1)) if keep else 0
            changes = self._changes(inode.ino)
            for index in [index for index in changes.chunks if index >= keep]:
                del changes.chunks[index]
            changes.cut = keep if changes.cut is None else min(changes.cut, keep)
            tail = size % self._size
            if tail and self.present(inode.ino, keep - 1):
                del self._own(inode.ino, changes, keep - 1, True)[tail:]
        inode.size = size

    def clear(self, inode: Inode, offset: int, end: int) -> None:
        """Make a range of bytes zeros, whole chunks of it a hole; the size stays."""
        end = min(end, inode.size)
        if offset >= end or not inode.stored:
            return
        changes = self._changes(inode.ino)
        first, last = offset // self._size, (end - 1) // self._size
        for index in self._indexes(inode.ino, first, last):
            begin = index * self._size
            whole = min(self._size, inode.size - begin)
            low, high = max(offset - begin, 0), min(end - begin, whole)
            if low == 0 and high == whole:
                changes.chunks[index] = None
                inode.stored -= 1
            else:
                chunk = self._own(inode.ino, changes, index, True)
                chunk[low:high] = bytes(high - low)

    def present(self, ino: int, index: int) -> bool:
        """Whether a chunk is there."""
        for layer in self._layers.both():
            changes = layer.data.get(ino)
            if changes is not None:
                chunk = changes.chunks.get(index, _NONE)
                if chunk is not _NONE:
                    return chunk is not None
                if changes.cut is not None and index >= changes.cut:
                    return False
        return bool(self._stored.chunk_indexes(ino, index, index))

    def next_data(self, inode: Inode, offset: int) -> int | None:
        """The first place from ``offset`` on that is in no hole."""
        if inode.stored == inode.chunks(self._size):
            return offset
        last = inode.chunks(self._size) - 1
        found = self._indexes(inode.ino, offset // self._size, last)
        return max(offset, found[0] * self._size) if found else None

    def next_hole(self, inode: Inode, offset: int) -> int:
        """The first place from ``offset`` on that is in a hole, the end of the file at last."""
        if inode.stored == inode.chunks(self._size):
            return inode.size
        index = offset // self._size
        for found in self._indexes(inode.ino, index, inode.chunks(self._size) - 1):
            if found != index:
                break
            index += 1
        return min(max(offset, index * self._size), inode.size)

    def _changes(self, ino: int) -> Changes:
        changes = self._layers.new.data.get(ino)
        if changes is None:
            changes = self._layers.new.data[ino] = Changes(0 if ino in self._layers.new.created else None)
        return changes

    def _own(self, ino: int, changes: Changes, index: int, present: bool) -> bytearray:
        """A chunk of the new layer that may be changed in place."""
        chunk = changes.chunks.get(index)
        if not isinstance(chunk, bytearray):
            if chunk is None:
                below = self._chunks(ino, index, index) if present else []
                chunk = below[0] if below else b""
                self._layers.new.bytes += self._size
            chunk = changes.chunks[index] = bytearray(chunk[: self._size])
        return chunk

    def _pad_end(self, inode: Inode, new_size: int, from_offset: int) -> None:
        """Fill the last chunk with zeros when the file grows behind it, since only the last one may be short."""
        tail = inode.size % self._size
        index = inode.size // self._size
        if not tail or new_size <= inode.size or (from_offset // self._size <= index and from_offset < new_size):
            return
        if self.present(inode.ino, index):
            chunk = self._own(inode.ino, self._changes(inode.ino), index, True)
            length = min(self._size, new_size - index * self._size)
            chunk.extend(bytes(max(length - len(chunk), 0)))

    def _merged(self, ino: int, first: int, last: int) -> dict[int, bytes | bytearray]:
        """The chunks of a range that has changes."""
        merged: dict[int, bytes | bytearray] = {}
        layers = [changes for layer in self._layers.both() if (changes := layer.data.get(ino)) is not None]
        ends = [changes.cut for changes in layers if changes.cut is not None]
        end = min([last, *(cut - 1 for cut in ends)])
        if end >= first:
            merged.update(self._stored.chunks(ino, first, end))
        for changes in reversed(layers):
            if changes.cut is not None:
                for index in [index for index in merged if index >= changes.cut]:
                    del merged[index]
            for index in _within(changes.chunks, first, last):
                chunk = changes.chunks[index]
                if chunk is None:
                    merged.pop(index, None)
                else:
                    merged[index] = chunk
        return dict(sorted(merged.items()))

    def _is_changed(self, ino: int) -> bool:
        return any(ino in layer.data for layer in self._layers.both())

    def _chunks(self, ino: int, first: int, last: int) -> list[bytes | bytearray]:
        """The chunks of a range that are there, in order."""
        if self._is_changed(ino):
            return list(self._merged(ino, first, last).values())
        return [chunk for _, chunk in self._stored.chunks(ino, first, last)]

    def _indexes(self, ino: int, first: int, last: int) -> list[int]:
        """Which chunks of a range are there, in order."""
        if self._is_changed(ino):
            return list(self._merged(ino, first, last))
        return sorted(self._stored.chunk_indexes(ino, first, last))


def _within(chunks: dict[int, bytes | bytearray | None], first: int, last: int) -> Iterable[int]:
    if last - first + 1 < len(chunks):
        return [index for index in range(first, last + 1) if index in chunks]
    return [index for index in chunks if first <= index <= last]
