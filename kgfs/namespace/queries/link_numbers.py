"""Numbers for where links of answers lead, so that an inode never comes to mean something else.

Used by ``query_cache``, which keeps for each query the numbers that its answers had. All queries share one table: a
place has the same number in each of them, as long as one of them had it in an answer and is known. For any thread.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence

import numpy as np

from kgfs.namespace.relations import Ints

NO_NUMBERS: Ints = np.empty(0, np.int32)


class LinkNumbers:
    """Paths to numbers, from 1. A number is never given to another path."""

    def __init__(self, spare: int) -> None:
        """``spare``: so many paths that nobody may know any more are kept before they are looked for."""
        self._numbers: dict[str, int] = {}
        self._next = 1
        self._spare = self._room = spare
        self.lock = threading.Lock()
        """Held while numbers are given out and noted by their users."""

    def __len__(self) -> int:
        return len(self._numbers)

    def of(self, paths: Sequence[str]) -> Ints:
        """The numbers of some paths; new ones are given out. Hold ``lock``."""
        numbers = self._numbers
        for path in paths:
            if path not in numbers:
                numbers[path] = self._next
                self._next += 1
        return np.fromiter((numbers[path] for path in paths), np.int32, len(paths))

    @property
    def crowded(self) -> bool:
        """Whether it is time to ``keep`` what is known only."""
        return len(self._numbers) > self._room

    def keep(self, known: Iterable[Ints]) -> None:
        """Forget the numbers that are not among these. Hold ``lock``."""
        wanted = set(np.unique(np.concatenate([NO_NUMBERS, *known])).tolist())
        self._numbers = {path: number for path, number in self._numbers.items() if number in wanted}
        self._room = 2 * len(self._numbers) + self._spare
