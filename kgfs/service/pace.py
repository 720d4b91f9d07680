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
    """Hands progress on with ``rate`` (a second) and ``seconds_left``, per pass; passes may report by turns."""

    def __init__(self, report: Callable[[dict[str, Any]], None]) -> None:
        self._report = report
        self._first: dict[str, tuple[float, int]] = {}

    def __call__(self, progress: dict[str, Any]) -> None:
        now, done = time.monotonic(), int(progress.get("done", 0))
        stage = str(progress.get("stage"))
        since, first = self._first.get(stage, (now, 0))
        if done < first or not first:
            # From the end of the first step on: before it a model may have been loaded.
            since, first = self._first[stage] = now, done
        seconds, advanced = now - since, done - first
        if seconds >= SETTLED_SECONDS and advanced:
            rate = advanced / seconds
            left = (int(progress.get("total", done)) - done) / rate
            progress = {**progress, "rate": round(rate, 2), "seconds_left": round(left, 1)}
        self._report(progress)
