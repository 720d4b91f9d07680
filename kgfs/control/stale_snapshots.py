"""Asks again where a commit overtook a reader, until the snapshot that follows the commit is shown.

Used by the code that answers requests for the tree, on the threads that answer.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from kgfs.namespace.bodies import StaleSnapshotError

T = TypeVar("T")

STALE_SNAPSHOT_SECONDS = 10.0
"""How long is waited for the publication of a commit that was quicker."""
_PAUSE_SECONDS = 0.05


def pause() -> None:
    """Give the publication some time."""
    time.sleep(_PAUSE_SECONDS)


def asked_again(question: Callable[[], T], before_the_next: Callable[[], object] = pause) -> T:
    """What a question gives, asked again while commits overtake it. ``StaleSnapshotError`` where that does not end."""
    deadline = time.monotonic() + STALE_SNAPSHOT_SECONDS
    while True:
        try:
            return question()
        except StaleSnapshotError:
            if time.monotonic() > deadline:
                raise
            before_the_next()
