"""What follows from writing, a moment later: documents, chunks, vectors and the graph of what somebody changed.

Used by the service of a daemon. ``poke`` is called after every commit that left something to do, on any thread (the
store's writer's, mostly); a thread of its own waits until it is quiet and starts the job. Nothing is remembered here:
what there is to do stands in the rows, so that a kill only delays it.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Protocol

log = logging.getLogger(__name__)

QUIET_SECONDS = 1.0
"""So long after the last change the job starts: an editor saves by several operations, ``cp -r`` writes many files."""
LATEST_SECONDS = 5.0
"""And so long after the first one at the latest."""
TOPICS_SECONDS = 10.0
"""So long it must have been quiet before topics are made again, which takes the whole graph however little changed."""
TOPICS_LATEST_SECONDS = 60.0
AGAIN_SECONDS = 60.0
"""After a job that failed (no worker, a full disk) it is tried again, if nobody writes before that."""
_LOOK_SECONDS = 0.05
_NEVER = float("inf")


class Ended(Protocol):
    """A job, as far as it matters here."""

    ended_at: str | None
    error: str | None


class Cascade:
    """Waits for quiet after changes and has them followed up, one job at a time."""

    def __init__(
        self, begin: Callable[[bool], Ended], behind: Callable[[], bool], noticed: Callable[[], None] = lambda: None
    ) -> None:
        """``begin(topics)`` starts the job, with or without what takes the whole graph; ``behind`` tells whether that
        waits; ``noticed`` is called on the thread when changes came, soon after the first."""
        self._begin, self._behind, self._noticed = begin, behind, noticed
        self.enabled = False
        """Whether to do anything at all: only where the process stays."""
        self.changes = 0
        """How often it was poked."""
        self._changed = threading.Condition()
        self._first: float | None = None
        self._last = 0.0
        self._new = False
        self._topics: float | None = None
        """Since when topics wait."""
        self._again = _NEVER
        self._thread: threading.Thread | None = None
        self._closed = False

    def poke(self) -> None:
        """Something was changed. Cheap, from any thread."""
        self.changes += 1
        if not self.enabled or self._closed:
            return
        with self._changed:
            self._last = time.monotonic()
            self._new = True
            if self._first is not None:
                return
            self._first = self._last
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="cascade", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    @property
    def pending(self) -> bool:
        """Whether changes came that no job was started for."""
        with self._changed:
            return self._first is not None

    def close(self) -> None:
        """Start nothing any more."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()

    # --- the thread --------------------------------------------------------------------------------------------------

    def _work(self) -> None:
        while (topics := self._turn()) is not None:
            try:
                job = self._begin(topics)
            except Exception as error:  # the service is being closed, or the engine is gone: the rows keep the work
                log.info("what was written waits: %s", error)
                self._failed()
                continue
            while job.ended_at is None:
                with self._changed:
                    if self._closed:
                        return
                    self._changed.wait(_LOOK_SECONDS)
                self._notice()
            if job.error is not None:
                self._failed()
            elif topics or not self._ask_behind():
                self._topics = None
            elif self._topics is None:
                self._topics = time.monotonic()

    def _failed(self) -> None:
        self._again = time.monotonic() + AGAIN_SECONDS

    def _ask_behind(self) -> bool:
        try:
            return self._behind()
        except Exception as error:
            log.info("whether topics wait is not known: %s", error)
            return False

    def _turn(self) -> bool | None:
        """Wait for the next job; whether it makes topics too, and ``None`` at the end."""
        while True:
            self._notice()
            with self._changed:
                if self._closed:
                    return None
                now = time.monotonic()
                due = self._due()
                if due <= now:
                    first, self._first, self._again = self._first, None, _NEVER
                    return first is None or self._topics_due() <= now
                self._changed.wait(None if due == _NEVER else due - now)

    def _due(self) -> float:
        due = min(self._again, self._topics_due())
        return due if self._first is None else min(due, self._last + QUIET_SECONDS, self._first + LATEST_SECONDS)

    def _topics_due(self) -> float:
        if self._topics is None:
            return _NEVER
        return min(max(self._last, self._topics) + TOPICS_SECONDS, self._topics + TOPICS_LATEST_SECONDS)

    def _notice(self) -> None:
        with self._changed:
            new, self._new = self._new, False
        if new:
            try:
                self._noticed()
            except Exception as error:
                log.info("the state could not be noted: %s", error)
