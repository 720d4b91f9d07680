"""How many rounds a test makes: a few in each run, many in ``scripts/test --long`` (which sets ``KGFS_LONG=1``).

A test that uses it has the marker ``long``, so that the long run finds it. Where ``KGFS_LONG_SECONDS`` is set, none of
them begins later than so many seconds after the start of the run.
"""

from __future__ import annotations

import os
import time
from typing import TypeVar

Number = TypeVar("Number", int, float)
LONG = os.environ.get("KGFS_LONG") == "1"
SECONDS = os.environ.get("KGFS_LONG_SECONDS")
_STARTED = time.monotonic()


def rounds(few: Number, many: Number) -> Number:
    """The number for this run."""
    return many if LONG else few


def no_time_left() -> bool:
    """Whether a test of many rounds may not begin any more."""
    return LONG and SECONDS is not None and time.monotonic() - _STARTED > int(SECONDS)
