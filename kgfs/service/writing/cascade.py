"""What follows from writing, a moment later: first documents and the keyword index, then vectors and the graph.

Used by the service of a daemon. ``poke`` is called after every commit that left something to do, on any thread (the
store's writer's, mostly); a thread of its own waits until it is quiet. It makes texts findable itself, beside a job
that runs (``kgfs.pipeline.pipeline_lock``), and has a job do the rest when it was quiet for longer. Nothing is
remembered here: what there is to do stands in the rows, so that a kill only delays it.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Protocol

log = logging.getLogger(__name__)

TEXT_SECONDS = 0.15
"""Texts are read this long after the last change: an editor saves by several operations."""
TEXT_LATEST_SECONDS = 0.5
"""Texts are read at the latest this long after the first change, unless there were more changes than ``FEW``."""
FEW = 100
"""More changes than this are a tree being copied, which needs the processors for itself."""
REST_SECONDS = 1.0
"""After texts were read there is a pause as long as the reading took, and at most this long."""
QUIET_SECONDS = 1.0
"""The job that extracts and embeds starts this long after the last change."""
LATEST_SECONDS = 5.0
"""The job starts at the latest this long after the first change; so does the reading of more than ``FEW`` texts."""
TOPICS_SECONDS = 10.0
"""Topics are made again after this long without a change: that takes the whole graph, however little changed."""
TOPICS_LATEST_SECONDS = 60.0
AGAIN_SECONDS = 60.0
"""After a job that failed (no worker, a full disk) it is tried again, if nobody writes before that."""
NOTICE_SECONDS = 0.5
"""The numbers of what waits are counted at most so often."""
_LOOK_SECONDS = 0.05
_NEVER = float("inf")


class Ended(Protocol):
    """A job, as far as it matters here."""

    ended_at: str | None
    error: str | None


class Follower(Protocol):
    """Does the work of the steps; every method but ``begin`` may block."""

    def index_texts(self, cancel: threading.Event) -> bool:
        """Read what was written and have it found; False where that has to wait for somebody's next step."""

    def begin(self, *, topics: bool) -> Ended | None:
        """Start the job that does the rest, with or without what takes the whole graph; ``None``: nothing to do."""

    def topics_wait(self) -> bool:
        """Whether what takes the whole graph waits."""

    def removals_wait(self) -> bool:
        """Whether the last job left something of files that were removed a moment ago."""

    def notice(self) -> None:
        """Changes came, a moment ago."""


class Cascade:
    """Waits for quiet after changes and has them followed up: texts at once, the rest by one job at a time."""

    def __init__(self, follower: Follower) -> None:
        self._follower = follower
        self.enabled = False
        """Whether to do anything at all: only where the process stays."""
        self.changes = 0
        """How often it was poked."""
        self._changed = threading.Condition()
        self._new = False
        self._noticed = -_NEVER
        self._last = 0.0
        self._first: float | None = None
        """When the first change came that no job was started for."""
        self._unread: float | None = None
        """When the first change came since texts were read,"""
        self._many = 0
        """and how many came since."""
        self._rest_until = 0.0
        """Texts are not read before."""
        self._job: Ended | None = None
        self._with_topics = False
        self._topics: float | None = None
        """Since when topics wait."""
        self._again = _NEVER
        self._thread: threading.Thread | None = None
        self._closed = threading.Event()

    def poke(self) -> None:
        """Something was changed. Cheap, from any thread."""
        self.changes += 1
        if not self.enabled or self._closed.is_set():
            return
        with self._changed:
            self._last = time.monotonic()
            self._new = True
            self._many += 1
            wake = self._unread is None
            self._unread = self._last if self._unread is None else self._unread
            self._first = self._last if self._first is None else self._first
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="cascade", daemon=True)
                self._thread.start()
            elif wake:
                self._changed.notify_all()

    @property
    def pending(self) -> bool:
        """Whether changes came that no job was started for."""
        with self._changed:
            return self._first is not None

    def close(self) -> None:
        """Start nothing any more, and stop what reads texts at its next safe point."""
        self._closed.set()
        with self._changed:
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()

    # --- the thread --------------------------------------------------------------------------------------------------

    def _work(self) -> None:
        while not self._closed.is_set():
            self._notice()
            if self._job is not None and self._job.ended_at is not None:
                self._ended(self._job)
            now = time.monotonic()
            if self._texts_due() <= now:
                self._read_texts()
            elif self._job is None and self._job_due() <= now:
                self._begin(topics=self._first is None or self._topics_due() <= now)
            else:
                self._wait(now)

    def _wait(self, now: float) -> None:
        with self._changed:
            if self._closed.is_set():
                return
            due = self._job_due() if self._job is None else now + _LOOK_SECONDS
            due = min(due, self._texts_due(), self._noticed + NOTICE_SECONDS if self._new else _NEVER)
            self._changed.wait(None if due == _NEVER else max(0.0, due - now))

    def _read_texts(self) -> None:
        with self._changed:
            unread, self._unread, self._many = self._unread, None, 0
        began = time.monotonic()
        try:
            done = self._follower.index_texts(self._closed)
        except Exception as error:  # the job says so where users look
            log.info("what was written is read later: %s", error)
            done = True
        if done:
            ended = time.monotonic()
            self._rest_until = ended + min(ended - began, REST_SECONDS)
            return
        with self._changed:
            self._unread = unread
        self._notice()

    def _begin(self, *, topics: bool) -> None:
        with self._changed:
            self._first, self._again = None, _NEVER
        self._with_topics = topics
        try:
            self._job = self._follower.begin(topics=topics)
        except Exception as error:  # the service is being closed, or the engine is gone: the rows keep the work
            log.info("what was written waits: %s", error)
            self._failed()
        else:
            if self._job is None and topics:
                self._topics = None

    def _ended(self, job: Ended) -> None:
        self._job = None
        if job.error is not None:
            self._failed()
            return
        if self._ask(self._follower.removals_wait):
            with self._changed:
                self._last = time.monotonic()
                self._first = self._last if self._first is None else self._first
        if self._with_topics or not self._ask(self._follower.topics_wait):
            self._topics = None
        elif self._topics is None:
            self._topics = time.monotonic()

    def _failed(self) -> None:
        self._again = time.monotonic() + AGAIN_SECONDS

    def _ask(self, question: Callable[[], bool]) -> bool:
        try:
            return question()
        except Exception as error:
            log.info("what waits is not known: %s", error)
            return False

    def _texts_due(self) -> float:
        if self._unread is None:
            return _NEVER
        latest = TEXT_LATEST_SECONDS if self._many <= FEW else LATEST_SECONDS
        return max(min(self._last + TEXT_SECONDS, self._unread + latest), self._rest_until)

    def _job_due(self) -> float:
        due = min(self._again, self._topics_due())
        return due if self._first is None else min(due, self._last + QUIET_SECONDS, self._first + LATEST_SECONDS)

    def _topics_due(self) -> float:
        if self._topics is None:
            return _NEVER
        return min(max(self._last, self._topics) + TOPICS_SECONDS, self._topics + TOPICS_LATEST_SECONDS)

    def _notice(self) -> None:
        now = time.monotonic()
        with self._changed:
            new = self._new and now >= self._noticed + NOTICE_SECONDS
            self._new = self._new and not new
        if new:
            self._noticed = now
            try:
                self._follower.notice()
            except Exception as error:
                log.info("the state could not be noted: %s", error)
