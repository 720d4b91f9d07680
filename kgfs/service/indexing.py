"""What is to be done with what was written, added and removed: by the cascade, by a job, or while somebody waits.

Used by the service. Nothing is remembered here: the work stands in the rows.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from kgfs.errors import Cancelled, DeadlineExceeded, KgfsError
from kgfs.pipeline.pipeline_lock import PipelineLock
from kgfs.progress import Cancel, Progress
from kgfs.service.components import Components
from kgfs.service.health import state
from kgfs.service.jobs import Job, Jobs
from kgfs.service.pipelines import Pipelines
from kgfs.service.publication import Publication
from kgfs.store.files import changed_rows, history

RESUME = "resume"
RESUME_TITLE = "go on with what was interrupted"
INDEX_TITLE = "index what was written"
WAIT_POLL_SECONDS = 0.2
TURN_SECONDS = 0.05
"""How long the cascade waits for its turn before it looks what else there is."""


class Indexing:
    """The indexing of one store; the ``Follower`` of its cascade."""

    def __init__(
        self,
        components: Components,
        jobs: Jobs,
        pipeline_lock: PipelineLock,
        publication: Publication,
        pipelines: Pipelines,
    ) -> None:
        self._components, self._database = components, components.database
        self._jobs, self._pipeline_lock, self._publication, self._pipelines = (
            jobs,
            pipeline_lock,
            publication,
            pipelines,
        )

        self.still = False
        """Whether nothing is ever done here: what is shown was made elsewhere, and comes from there when it is done."""

    @property
    def _unfinished(self) -> bool:
        return not self.still and (self._publication.unfinished or state.links_wait(self._database))

    # --- for the cascade ---------------------------------------------------------------------------------------------

    def index_texts(self, cancel: threading.Event) -> bool:
        """Read what was written and have it found by its words; False where the job that runs does not give way now."""
        with self._pipeline_lock.between(TURN_SECONDS) as ours:
            if ours and state.texts_wait(self._database):
                try:
                    self._pipelines.pipeline(lambda progress: None, cancel).texts()
                finally:
                    self._publication.refresh()
        return ours

    def begin(self, *, topics: bool) -> Job | None:
        """Start the job that does what waits, ``topics`` too; ``None`` where nothing does."""
        if not self._unfinished:
            return None
        return self._jobs.start(state.INDEX, INDEX_TITLE, self._work(topics=topics, leave_recent=True), often=True)

    def removals_wait(self) -> bool:
        """Whether files were removed so short a time ago that what was made of them was left."""
        with self._database.read() as cursor:
            return changed_rows.count_waiting(cursor).removed > 0

    def topics_wait(self) -> bool:
        """Whether what documents say of topics changed since these were made."""
        return state.topics_wait(self._database)

    def notice(self) -> None:
        """Have ``@status`` count what waits."""
        self._publication.refresh()

    # --- for others --------------------------------------------------------------------------------------------------

    def resume(self) -> None:
        """Go on in the background with what a run left, if none runs."""
        if self._unfinished and not self._jobs.busy:
            self._start()

    def settle(self, progress: Progress, cancel: Cancel) -> None:
        """Do what waits, and wait for it. ``KgfsError`` with the reason when some of it cannot be done now."""
        if self._unfinished:
            self._jobs.run(state.INDEX, INDEX_TITLE, self._work(), progress, cancel)

    def failure(self) -> list[dict[str, str]]:
        """Why what waits was not done, where it was tried last and failed: ``time`` and ``error``."""
        tried = [job for job in self._jobs.known() if job.command in (state.INDEX, RESUME) and job.ended_at]
        last = max(tried, key=lambda job: job.ended_at or "", default=None)
        if last is None or last.error is None:
            return []
        return [{"time": last.ended_at or "", "error": f"{last.title}: {last.error}"}]

    def wait(
        self, timeout: float | None, progress: Progress, cancel: Cancel, changes: Callable[[], int]
    ) -> dict[str, Any]:
        """Wait until every job has ended and everything is indexed, going on with what was interrupted.

        ``changes`` counts what was written. ``DeadlineExceeded`` after ``timeout`` seconds: a daemon goes on by itself,
        a command has stopped safely. ``KgfsError`` with the reason when something cannot be done.
        """
        if self.still:
            return self._complete()
        deadline = None if timeout is None else time.monotonic() + timeout
        job = None
        before = 0
        while True:
            if job is None and not self._jobs.busy:
                if not self._publication.unfinished:
                    return self._complete()
                before = changes()
                job = self._start()
            current = job or next((one for one in self._jobs.known() if one.state == "running"), None)
            if current is not None and current.progress:
                progress(current.progress)
            if job is not None and job.ended_at is not None:
                if job.error is not None:
                    raise KgfsError(job.error)
                if not self._publication.unfinished:
                    return self._complete()
                if changes() == before:
                    raise KgfsError("Part of the work cannot be done now; `kgfs status --errors` says more.")
                job = None  # somebody wrote meanwhile
            if deadline is not None and time.monotonic() >= deadline:
                raise DeadlineExceeded(f"Not complete after {timeout:g} s; `kgfs status` says how far it is.")
            if cancel.is_set():
                raise Cancelled("Stopped waiting; `kgfs wait` goes on.")
            time.sleep(WAIT_POLL_SECONDS)

    def _complete(self) -> dict[str, Any]:
        self._publication.refresh()
        return {"index": state.coverage(self._database), "waiting": state.waiting(self._database)}

    def reconcile(self) -> None:
        """Let everything be indexed again that the index has lost, or has by another model."""
        found = self._components.worker.index_state().identities
        state.reconcile_index(self._database, found)

    def _start(self) -> Job:
        return self._jobs.start(RESUME, RESUME_TITLE, self._work())

    def _work(self, *, topics: bool = True, leave_recent: bool = False) -> Callable[[Progress, Cancel], None]:
        def work(progress: Progress, cancel: Cancel) -> None:
            self._database.write(
                lambda cursor: history.prune_versions(cursor, days=self._components.config.history_days)
            )
            self.reconcile()
            try:
                warnings = self._pipelines.pipeline(progress, cancel).resume(topics=topics, leave_recent=leave_recent)
            finally:
                self._publication.refresh()
            if warnings:
                raise KgfsError(" ".join(warnings))

        return work
