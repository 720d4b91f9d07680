"""The body of a file that somebody is writing, before it is committed.

Used by the drives: written and read on the event loop, read where it is committed, in any thread. Up to 1 MiB is held
in memory, beyond that in an unlinked file beside the store: nothing of it outlives the process, and no file is held
twice. A hole reads as zeros.
"""

from __future__ import annotations

import errno
import os
import resource
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import xxhash

from kgfs.errors import TooLarge
from kgfs.store.files.items import BLOCK_BYTES, hash_body

MAX_FILE_BYTES = 1 << 30
"""The largest file that can be written."""

RESERVED_DESCRIPTORS = 96
"""How many open files are left to the rest of the process: drafts are the only ones whose number users decide."""


class Draft:
    """A body that changes; a ``Body`` of the namespace. ``OSError`` where the disk beside the store is full."""

    blocking = False

    def __init__(self, directory: Path, body: bytes = b"") -> None:
        self._directory = directory
        self._lock = threading.Lock()
        self._bytes: bytearray | None = bytearray(body)
        self._file: IO[bytes] | None = None
        self.size = len(body)
        self.edition = 0
        """Raised by each change."""

    def read(self, offset: int, length: int) -> bytes:
        """Up to ``length`` bytes from ``offset``."""
        with self._lock:
            if self._bytes is not None:
                return bytes(self._bytes[offset : offset + length])
            assert self._file is not None
            return os.pread(self._file.fileno(), max(0, min(length, self.size - offset)), offset)

    def write(self, offset: int, data: bytes) -> int:
        """Put bytes there; what lies between the end and ``offset`` is zeros. ``TooLarge`` beyond 1 GiB."""
        end = offset + len(data)
        with self._lock:
            self._require(end)
            if self._bytes is not None and end > BLOCK_BYTES:
                self._spill()
            if self._bytes is not None:
                if offset > len(self._bytes):
                    self._bytes += bytes(offset - len(self._bytes))
                self._bytes[offset:end] = data
            else:
                assert self._file is not None
                written = 0
                while written < len(data):
                    written += os.pwrite(self._file.fileno(), data[written:], offset + written)
            self.size = max(self.size, end)
            self.edition += 1
        return len(data)

    def truncate(self, size: int) -> None:
        """Cut it there, or extend it with zeros."""
        with self._lock:
            self._require(size)
            if self._bytes is not None and size > BLOCK_BYTES:
                self._spill()
            if self._bytes is not None:
                if size < len(self._bytes):
                    del self._bytes[size:]
                else:
                    self._bytes += bytes(size - len(self._bytes))
            else:
                assert self._file is not None
                os.ftruncate(self._file.fileno(), size)
            self.size = size
            self.edition += 1

    def become(self, new: Draft, instead_of: str | None = None) -> bool:
        """Take over the body of another draft, which is at its end then. With ``instead_of`` only over a body of this
        hash (``items.hash_body``): False where there is another, and nothing changed. Nobody writes in between."""
        with self._lock:
            if instead_of is not None and self._digest() != instead_of:
                return False
            if self._file is not None:
                self._file.close()
            self._bytes, self._file, self.size = new._bytes, new._file, new.size
            new._bytes, new._file, new.size = bytearray(), None, 0
            self.edition += 1
        return True

    def _digest(self) -> str:
        if self._bytes is not None:
            return hash_body(bytes(self._bytes))
        assert self._file is not None
        found = xxhash.xxh3_128()
        for offset in range(0, self.size, BLOCK_BYTES):
            found.update(os.pread(self._file.fileno(), min(BLOCK_BYTES, self.size - offset), offset))
        return found.hexdigest()

    @staticmethod
    def _require(size: int) -> None:
        if size > MAX_FILE_BYTES:
            raise TooLarge("A file here may have up to 1 GiB; write it in parts, or keep it elsewhere.")

    def _spill(self) -> None:
        assert self._bytes is not None
        _require_descriptor()
        file = tempfile.TemporaryFile(dir=self._directory, prefix="draft-", buffering=0)  # noqa: SIM115
        try:
            view = memoryview(self._bytes)
            while view:
                view = view[file.write(view) :]
            view.release()
        except BaseException:
            file.close()
            raise
        self._file, self._bytes = file, None

    def whole(self) -> tuple[bytes | None, int]:
        """The body, where it is small, and the edition that it is of; one that was cut is small in its file too."""
        with self._lock:
            if self._bytes is not None:
                return bytes(self._bytes), self.edition
            if self._file is None or self.size > BLOCK_BYTES:
                return None, self.edition
            return os.pread(self._file.fileno(), self.size, 0), self.edition

    def parts(self) -> Iterator[bytes]:
        """The body of one in a file, in blocks of 1 MiB, as it is while it is read."""
        offset = 0
        while part := self.read(offset, BLOCK_BYTES):
            if len(part) < BLOCK_BYTES and offset + len(part) < self.size:
                part = part.ljust(min(BLOCK_BYTES, self.size - offset), b"\0")  # cut meanwhile
            yield part
            offset += len(part)

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            if self._file is not None:
                self._file.close()
                self._file, self._bytes = None, bytearray()


def _require_descriptor() -> None:
    """``OSError`` (``EMFILE``) where one more open file would leave the daemon too few to answer anybody."""
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most != resource.RLIM_INFINITY and len(os.listdir("/proc/self/fd")) + RESERVED_DESCRIPTORS > most:
        raise OSError(errno.EMFILE, "Too many large files are being written at once; close some")
