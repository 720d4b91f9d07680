"""The names in directories that were listed of late: while nothing changes there, they are not fetched again.

Used by ``directories``, on the loop's thread.
"""

from __future__ import annotations

from collections.abc import Sequence

from kgfs.filesystem import Entry

LISTINGS, LISTED = 64, 10_000
"""So many directories with so many names are remembered."""


class Listings:
    """Names by directory (the file system's number), with when it changed last (ctime)."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[int, Sequence[Entry]]] = {}
        """What was listed first goes first."""

    def __len__(self) -> int:
        return len(self._known)

    def of(self, ino: int, ctime: int) -> Sequence[Entry] | None:
        """The names in a directory that changed last at ``ctime``; ``None`` where they are not known."""
        known = self._known.get(ino)
        return known[1] if known is not None and known[0] == ctime else None

    def remember(self, ino: int, ctime: int, entries: Sequence[Entry]) -> None:
        """These are the names in a directory that changed last at ``ctime``."""
        self._known.pop(ino, None)
        if len(entries) <= LISTED:
            self._known[ino] = ctime, entries
            if len(self._known) > LISTINGS:
                del self._known[next(iter(self._known))]
