"""Waiting for what another process or thread does."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")


def until(true: Callable[[], Found], seconds: float = 60.0) -> Found:
    """What ``true`` returns once that is true; fails when it is not in time."""
    deadline = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)
    return found
