"""What ``df`` shows of the mount: the bytes of the store, and what is free on its disk.

Used by ``operations`` (``statfs``); runs in a thread, because it walks the store's directory.
"""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

from pyfuse3 import StatvfsData

NAME_MAX = 255
_BLOCK = 4096
_KEEP_SECONDS = 10.0


class Space:
    """The store's size on disk, measured again at most every ten seconds."""

    def __init__(self, store: Path) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._used = 0
        self._measured = -_KEEP_SECONDS

    def used_bytes(self) -> int:
        """Bytes that the store's files take on disk."""
        with self._lock:
            if time.monotonic() - self._measured >= _KEEP_SECONDS:
                self._used = _disk_bytes(self._store)
                self._measured = time.monotonic()
            return self._used

    def statvfs(self) -> StatvfsData:
        """For ``statfs``: total = the store's bytes + what is free on its disk."""
        disk = os.statvfs(self._store)
        used = self.used_bytes() // _BLOCK
        answer = StatvfsData()
        answer.f_bsize = answer.f_frsize = _BLOCK
        answer.f_bfree = disk.f_bfree * disk.f_frsize // _BLOCK
        answer.f_bavail = disk.f_bavail * disk.f_frsize // _BLOCK
        answer.f_blocks = used + answer.f_bfree
        # Inode numbers are computed, none can run out: 0 makes `df -i` show "-".
        answer.f_files = answer.f_ffree = answer.f_favail = 0
        answer.f_namemax = NAME_MAX
        return answer


def _disk_bytes(directory: Path) -> int:
    total = 0
    for folder, _, files in os.walk(directory):
        for name in files:
            try:
                total += os.lstat(os.path.join(folder, name)).st_blocks * 512
            except OSError:
                continue  # went while we looked
    return total
