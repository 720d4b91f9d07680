"""How the daemon's C allocator treats large blocks.

Used by ``__main__`` before anything else is imported. By default glibc gives every block of a megabyte back to the
kernel when it is freed and asks for it again a moment later, page by page: reading a large file out of the store ran
at 0.8 GB/s instead of 1.7. And it makes an arena a thread, of which each keeps what it freed: after ten minutes of
searches by many threads that was 200 MB.
"""

from __future__ import annotations

import contextlib
import ctypes

# The numbers are those of malloc.h.
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
KEPT_BYTES = 32 * 1024 * 1024
"""Freed memory at the end of the heap that is kept for the next block."""
MAPPED_BYTES = 16 * 1024 * 1024
"""Blocks from this size on are mapped each by itself."""
ARENAS = 2


def settle() -> None:
    """Keep blocks of some megabytes for the next one; does nothing where the C library is not glibc."""
    with contextlib.suppress(AttributeError, OSError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_MMAP_THRESHOLD, MAPPED_BYTES)
        mallopt(_TRIM_THRESHOLD, KEPT_BYTES)
        mallopt(_ARENA_MAX, ARENAS)
