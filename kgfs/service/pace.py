"""How fast a pass is and how long it will take: added to the progress that the pipeline reports.

Used by the service, on the job thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

SETTLED_SECONDS = 2.0
"""A rate over less than this says nothing."""


class Pace:
    """Hands progress on with ``rate`` (a second) and ``seconds_left``, per pass."""

    def __init__(self, report: Callable[[dict[str, Any]], None]) -> None:
        self._report = report
        self._stage = ""
        self._since = 0.0
        self._first = 0

    def __call__(self, progress: dict[str, Any]) -> None:
        now, done = time.monotonic(), int(progress.get("done", 0))
        if progress.get("stage") != self._stage or done < self._first or not self._first:
            # From the end of the first step on: before it a model may have been loaded.
            self._stage, self._since, self._first = str(progress.get("stage")), now, done
        seconds, advanced = now - self._since, done - self._first
        if seconds >= SETTLED_SECONDS and advanced:
            rate = advanced / seconds
            left = (int(progress.get("total", done)) - done) / rate
            progress = {**progress, "rate": round(rate, 2), "seconds_left": round(left, 1)}
        self._report(progress)
