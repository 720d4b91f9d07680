"""What the passes of one run share: the store, the worker, and how to say how far they are and when to stop.

Used by the pipeline and its passes, on the jobs thread; ``report``, ``fail`` and ``stopping`` from all their threads.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeVar

import msgspec

from kgfs.calls import PipelineCalls
from kgfs.config import Config
from kgfs.errors import Cancelled, NoSpaceError, StoreError
from kgfs.llm.asking import Asker
from kgfs.llm.choice import within_reach
from kgfs.pipeline.pipeline_lock import PipelineLock
from kgfs.progress import STOPPED, Cancel, Progress
from kgfs.store.catalog.batches import commit_batch
from kgfs.store.catalog.database import Cursor, Database

log = logging.getLogger(__name__)

T = TypeVar("T")
R = TypeVar("R")

COMMIT_SECONDS = 0.3
"""``on_commit`` is called at most this often, and at the end of each pass."""
MOST_EXAMPLES = 50
"""Of what a language model said and a run did not take."""
COMMIT_SHARE = 4
"""Between two calls at least this many times the duration of the last one passes: publishing grows with the graph."""


class Failure(msgspec.Struct, frozen=True):
    """What could not be read or indexed, and why in one sentence."""

    path: str
    error: str


class DroppedFrom(msgspec.Struct, frozen=True, kw_only=True):
    """Something that a language model said of a document and that was not taken as it stood."""

    ref: str
    reason: str
    said: str


class Run:
    """One run of the pipeline."""

    def __init__(
        self,
        database: Database,
        worker: PipelineCalls,
        config: Config,
        on_commit: Callable[[], None] | None = None,
        progress: Progress | None = None,
        cancel: Cancel | None = None,
        pipeline_lock: PipelineLock | None = None,
        *,
        budget: float | None = None,
        bulk: bool = False,
    ) -> None:
        """``budget``: what a language model may cost, in US dollars; ``bulk``: whether it is asked in batches."""
        self.database = database
        self.worker = worker
        self.config = config
        self.failures: list[Failure] = []
        self.notes: list[Failure] = []
        """What was odd in documents that were read: parts left out, a guessed encoding."""
        self._on_commit = on_commit
        self._progress = progress
        self._cancel = cancel
        self._pipeline_lock = pipeline_lock
        self.budget = budget
        """US dollars that may be spent on the language model; ``None`` is any."""
        self._bulk = bulk
        self._asker: Asker | None = None
        self._committed = False
        self._next_commit = 0.0
        self._stopped = threading.Event()
        self._reporting = threading.Lock()
        self._reported: dict[str, Any] = {"stage": "extract", "done": 0, "total": 0}
        self.dropped: Counter[str] = Counter()
        """What a language model said and the text does not, by kind and reason."""
        self.dropped_examples: list[DroppedFrom] = []
        self.offline = 0
        """How many documents this run read without a language model."""
        self.embedded = 0
        """How many rows this run has embedded."""

    @property
    def at_once(self) -> int:
        """How many documents the worker reads at the same time to its best."""
        return self.worker.at_once

    def count_offline(self) -> None:
        """One more document was read without a language model."""
        with self._reporting:
            self.offline += 1

    def note_dropped(self, ref: str, dropped: Mapping[str, int], examples: Iterable[tuple[str, str]]) -> None:
        """Count what was not taken of what a language model said of a document, and keep some of it to be looked up."""
        self.dropped.update(dropped)
        room = MOST_EXAMPLES - len(self.dropped_examples)
        self.dropped_examples += [DroppedFrom(ref=ref, reason=reason, said=said) for reason, said in examples][:room]

    def report(self, stage: str, done: int, total: int, **more: Any) -> None:
        """Say how far a pass is."""
        if self._progress is not None:
            with self._reporting:
                self._reported = {"stage": stage, "done": done, "total": total, **more}
                self._progress(self._reported)

    @property
    def asker(self) -> Asker:
        """The object that asks the language model. ``UsageError`` for a budget where its price is not known."""
        with self._reporting:
            if self._asker is None:
                self._asker = Asker(
                    self.database,
                    self.worker,
                    self.config,
                    budget=self.budget,
                    bulk=self._bulk,
                    stopping=lambda: self.stopping,
                    tell=self._tell_cost,
                )
            return self._asker

    @property
    def left(self) -> float | None:
        """What the language model may still cost, in US dollars; ``None`` is any. ``UsageError`` as ``asker``."""
        bounded = self.budget is not None or (self.config.llm_budget_per_day > 0 and within_reach(self.config))
        return self.asker.spending.left if bounded else None

    def cost(self) -> dict[str, Any]:
        """What was spent on the language model (``Spending.shown``); empty where nobody asked it."""
        return self._asker.cost() if self._asker is not None and self._asker.spending.spent else {}

    def _tell_cost(self, cost: dict[str, Any]) -> None:
        if self._progress is not None:
            with self._reporting:
                self._progress({**self._reported, "cost": cost})

    def fail(self, path: str, error: str) -> None:
        """Note a failure that does not end the run."""
        log.warning("%s: %s", path, error)
        self.failures.append(Failure(path, error))

    @property
    def stopping(self) -> bool:
        """Whether what runs should come to its end, because the user wishes to stop or another pass failed."""
        return self._stopped.is_set() or (self._cancel is not None and self._cancel.is_set())

    def stop(self) -> None:
        """Have what runs in other threads come to its end."""
        self._stopped.set()

    def go_on(self) -> None:
        """A pass failed and has ended; what comes after it need not."""
        self._stopped.clear()

    def check(self) -> None:
        """``Cancelled`` if the user wishes to stop; only where everything done so far is committed.

        Gives way to texts that somebody has just written: documents may be others afterwards.
        """
        if self._cancel is not None and self._cancel.is_set():
            self.publish()
            raise Cancelled(STOPPED)
        if self._pipeline_lock is not None:
            self._pipeline_lock.pause()

    def aside(self) -> AbstractContextManager[None]:
        """A block that only waits for the worker, and does not mind that documents change meanwhile."""
        return contextlib.nullcontext() if self._pipeline_lock is None else self._pipeline_lock.aside()

    def commit_batch(
        self, rows: Sequence[T], write: Callable[[Cursor, Sequence[T]], R], failed: Callable[[T, Exception], T | None]
    ) -> Iterator[tuple[Sequence[T], R]]:
        """``kgfs.store.catalog.batches.commit_batch`` of what ``write`` does; a store that cannot be written ends the
        run."""

        def commit(some: Sequence[T]) -> R:
            return self.database.write(lambda cursor: write(cursor, some))

        return commit_batch(rows, commit, failed, fatal=(NoSpaceError, StoreError))

    def committed(self) -> None:
        """Rows were committed: publish them, unless that was a moment ago."""
        self._committed = True
        if time.monotonic() >= self._next_commit:
            self.publish()

    def publish(self) -> None:
        """Publish what was committed since the last time."""
        started = time.monotonic()
        if self._committed and self._on_commit is not None:
            self._on_commit()
        self._committed = False
        ended = time.monotonic()
        self._next_commit = ended + max(COMMIT_SECONDS, COMMIT_SHARE * (ended - started))
