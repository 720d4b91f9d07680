"""Row ids by row ids, eight bytes a pair: a dictionary of half a million takes a hundred.

Used by ``kgfs.search.rows`` for what it keeps in memory. Pure.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class NumberMap:
    """Immutable; for any thread."""

    def __init__(self, keys: NDArray[Any], values: NDArray[Any]) -> None:
        """Arrays of one length; keys, each once, ascending."""
        self._keys, self._values = keys.astype(np.int32), values.astype(np.int32)

    def __len__(self) -> int:
        return len(self._keys)

    def get(self, key: int) -> int | None:
        """The value of a key, if it is there."""
        place = int(np.searchsorted(self._keys, key))
        if place == len(self._keys) or int(self._keys[place]) != key:
            return None
        return int(self._values[place])
