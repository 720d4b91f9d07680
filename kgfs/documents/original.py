"""A file of the host as the bytes that it is: whole where it is small, block by block where it is not.

Used by the text pass, on the jobs thread, and by the parser process. Files change, shrink and vanish while they are
read, and file systems go away under them: what is read is told apart from what was there before.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

WHOLE_BYTES = 8 * 1024 * 1024
"""Larger files are read block by block."""
MAX_FILE_BYTES = 16 * 1024**3
"""Larger files are reported and left out."""
TRIES = 3
"""So often a file is read that changes meanwhile; then what was read last is taken, and that is reported."""


MOST_NS = 2**63 - 1
"""Rows have times as 64 bits of nanoseconds, 1677 to 2262; file systems have later ones, too."""


def modified_ns(status: os.stat_result) -> int:
    """When a file was written, as rows have it: what is beyond them is cut to their bounds."""
    return max(-MOST_NS, min(status.st_mtime_ns, MOST_NS))


def has_changed(status: os.stat_result, size: int, mtime_ns: int) -> bool:
    """Whether a file is no longer what it was; ``mtime_ns`` as of ``modified_ns``."""
    return status.st_size != size or modified_ns(status) != mtime_ns


class OpenFile:
    """One file, open. ``OSError`` from any method when it cannot be read, or does not lie ``within`` this folder."""

    def __init__(self, path: Path, within: Path | None = None) -> None:
        # A FIFO in a file's place would block for ever.
        self._descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            self.status = os.fstat(self._descriptor)
            """From before anything was read, so that a write meanwhile shows as a change the next time."""
            if not stat.S_ISREG(self.status.st_mode):
                raise OSError("It is no regular file any more")
            # What was opened, not what the path says by now: a link may have come into it since it was looked at.
            if within is not None and not Path(os.readlink(f"/proc/self/fd/{self._descriptor}")).is_relative_to(within):
                raise OSError(f"It is no file in {within} any more")
            if self.status.st_size > MAX_FILE_BYTES:
                raise OSError(f"It is larger than {MAX_FILE_BYTES >> 30} GiB")
        except BaseException:
            os.close(self._descriptor)
            raise

    @property
    def name(self) -> str:
        """A path of this very file while it is open here, for processes of the same user."""
        return f"/proc/{os.getpid()}/fd/{self._descriptor}"

    def __enter__(self) -> OpenFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        os.close(self._descriptor)

    def again(self) -> None:
        """Look at the file again before it is read once more."""
        self.status = os.fstat(self._descriptor)

    def is_steady(self) -> bool:
        """Whether the file is still what it was before it was read."""
        return not has_changed(os.fstat(self._descriptor), self.status.st_size, modified_ns(self.status))

    def whole(self, most: int) -> bytes:
        """All bytes. ``OSError`` where there are more than ``most`` by now."""
        body = self.part(0, most + 1)
        if len(body) > most:
            raise OSError("It grows while it is read")
        return body

    def part(self, offset: int, length: int) -> bytes:
        """``length`` bytes from ``offset``, fewer at the end."""
        parts = []
        while length > 0:
            data = os.pread(self._descriptor, min(length, WHOLE_BYTES), offset)
            if not data:
                break
            parts.append(data)
            offset, length = offset + len(data), length - len(data)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def blocks(self, length: int) -> Iterator[bytes]:
        """The bytes in blocks of ``length``, only the last one shorter, up to the size that was seen first."""
        offset = 0
        while offset < self.status.st_size:
            block = self.part(offset, min(length, self.status.st_size - offset))
            if not block:
                return
            yield block
            offset += len(block)
