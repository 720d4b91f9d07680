"""How fast a pass is and how long it will take: added to the progress that the pipeline reports.

Used by the service, on the job thread.
"""

from __future__ import annotations

import time
from typing import Any

from kgfs.progress import Progress

SETTLED_SECONDS = 2.0
"""A rate over less than this says nothing."""


class ProgressRate:
    """Hands progress on with ``rate`` (a second) of its pass, and ``seconds_left``.

    Passes go side by side and report by turns. Each has a rate of its own; the time is that until all of them are done,
    the longest: two times for one run would be read as a contradiction.
    """

    def __init__(self, report: Progress) -> None:
        self._report = report
        self._first: dict[str, tuple[float, int]] = {}
        self._ends: dict[str, float] = {}
        """When each pass will be done, as it looked at its last report."""

    def __call__(self, progress: dict[str, Any]) -> None:
        now, done = time.monotonic(), int(progress.get("done", 0))
        total = int(progress.get("total", done))
        stage = str(progress.get("stage"))
        since, first = self._first.get(stage, (now, 0))
        if done < first or not first:
            # From the end of the first step on: before it a model may have been loaded.
            since, first = self._first[stage] = now, done
            self._ends.pop(stage, None)
        seconds, advanced = now - since, done - first
        if done >= total:
            self._ends.pop(stage, None)
        if seconds >= SETTLED_SECONDS and advanced:
            rate = advanced / seconds
            if done < total:
                self._ends[stage] = now + (total - done) / rate
            progress = {**progress, "rate": round(rate, 2)}
        left = max(self._ends.values(), default=now) - now
        if left > 0:
            progress = {**progress, "seconds_left": round(left, 1)}
        self._report(progress)
