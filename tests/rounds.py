"""How many rounds a test makes: a few in each run, many in ``scripts/test --long`` (which sets ``KGFS_LONG=1``).

A test that uses it has the marker ``long``, so that the long run finds it.
"""

from __future__ import annotations

import os
from typing import TypeVar

Number = TypeVar("Number", int, float)
LONG = os.environ.get("KGFS_LONG") == "1"


def rounds(few: Number, many: Number) -> Number:
    """The number for this run."""
    return many if LONG else few
