"""How full a cache is and how often it helped, for those who watch the daemon."""

from __future__ import annotations

from typing import NamedTuple


class CacheUse(NamedTuple):
    """The numbers of one cache since the start."""

    bytes: int
    entries: int
    hits: int
    misses: int
