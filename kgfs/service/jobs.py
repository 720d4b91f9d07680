"""The one thread on which long work runs, one job at a time, in the order in which it was asked for.

Used by the service. The asking thread waits and hands on progress: a client that reads slowly slows nobody but itself.
"""

from __future__ import annotations

import contextlib
import contextvars
import logging
import queue
import threading
import uuid
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import Any

import msgspec

from kgfs.errors import Cancelled, KgfsError
from kgfs.progress import Cancel, Never, Progress

log = logging.getLogger(__name__)

POLL_SECONDS = 0.1
KEPT = 100
"""How many ended jobs are remembered."""


class Job(msgspec.Struct, kw_only=True):
    """What is known of one piece of long work; its JSON form is what users see."""

    id: str
    command: str
    title: str
    state: str = "waiting"
    """``waiting``, ``running``, ``done``, ``failed``, ``cancelled``."""
    progress: dict[str, Any] = {}
    cost: dict[str, Any] = {}
    """What a language model took, by stage and document (``kgfs.llm.spending``); empty where none was asked."""
    started_at: str | None = None
    ended_at: str | None = None
    error: str | None = None


class _Ticket:
    def __init__(
        self,
        job: Job,
        work: Callable[[Progress, Cancel], Any],
        cancel: Cancel,
        *,
        attended: bool = False,
        heard: bool = False,
    ) -> None:
        self.attended = attended
        """Whether somebody waits for its end."""
        self.job = job
        self.work = work
        self.cancel = cancel
        self.context = contextvars.copy_context()
        """Who asked, and through which door."""
        self._heard = heard
        """Whether somebody reads ``news``."""
        self.news: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self.ended = threading.Event()
        self.result: Any = None
        self.failure: BaseException | None = None

    def report(self, progress: dict[str, Any]) -> None:
        if "cost" in progress:  # it may list thousands of documents, so it is shown with the job but not sent as news
            self.job.cost = progress["cost"]
            progress = {name: value for name, value in progress.items() if name != "cost"}
        self.job.progress = progress
        if self._heard:
            self.news.put(progress)


class Jobs:
    """The job thread: started by the first job, ended by ``close``. ``changed(job)`` is told on it."""

    def __init__(
        self,
        changed: Callable[[Job], None] | None = None,
        within: Callable[[], AbstractContextManager[object]] = contextlib.nullcontext,
    ) -> None:
        """Each job runs inside what ``within`` gives."""
        self._changed, self._within = changed, within
        self._queue: list[_Ticket] = []
        self._tickets: list[_Ticket] = []
        """Those that run or wait, and perhaps some that ended."""
        self._known: dict[str, Job] = {}
        self._lock = threading.Condition()
        self._thread: threading.Thread | None = None
        self._stopping = threading.Event()

    def run(
        self,
        command: str,
        title: str,
        work: Callable[[Progress, Cancel], Any],
        progress: Progress | None = None,
        cancel: Cancel | None = None,
    ) -> Any:
        """Do ``work(progress, cancel)`` on the job thread when its turn comes; wait for it and return its result.

        ``progress`` is called on the caller's thread. Whatever the work raises is raised here; ``Cancelled`` when
        ``cancel`` is set before its turn.
        """
        ticket = self._submit(command, title, work, cancel or Never(), attended=True, heard=progress is not None)
        told = ""
        while True:
            try:
                news = ticket.news.get(timeout=POLL_SECONDS)
            except queue.Empty:
                news = None
            if news is not None and progress is not None:
                progress(news)
            if ticket.job.state == "waiting" and not ticket.ended.is_set():
                told = self._wait_in_turn(ticket, told, progress)
            if ticket.ended.is_set() and ticket.news.empty():
                break
        if ticket.failure is not None:
            raise ticket.failure
        return ticket.result

    def start(self, command: str, title: str, work: Callable[[Progress, Cancel], Any], *, often: bool = False) -> Job:
        """The same in the background; nobody waits, and its end is in ``known``.

        ``often``: of those of its command that went well only this one is remembered.
        """
        if often:
            with self._lock:
                for job in list(self._known.values()):
                    if job.command == command and job.state == "done":
                        del self._known[job.id]
        return self._submit(command, title, work, Never()).job

    def known(self) -> list[Job]:
        """Jobs that wait, run, or ended not long ago; oldest first."""
        with self._lock:
            return list(self._known.values())

    def at_work(self) -> list[tuple[Job, bool]]:
        """The jobs that run or wait, and whether somebody waits for each of them to end."""
        with self._lock:
            return [(ticket.job, ticket.attended) for ticket in self._tickets if not ticket.ended.is_set()]

    @property
    def busy(self) -> bool:
        """Whether a job runs or waits."""
        return any(job.state in ("waiting", "running") for job in self.known())

    def close(self) -> None:
        """Cancel what runs at its next safe point, drop what waits, wait for the thread."""
        self._stopping.set()
        with self._lock:
            thread = self._thread
            self._lock.notify_all()
        if thread is not None:
            thread.join()

    def _submit(
        self,
        command: str,
        title: str,
        work: Callable[[Progress, Cancel], Any],
        cancel: Cancel,
        *,
        attended: bool = False,
        heard: bool = False,
    ) -> _Ticket:
        job = Job(id=f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{uuid.uuid4().hex[:6]}", command=command, title=title)
        ticket = _Ticket(job, work, _Either(cancel, self._stopping), attended=attended, heard=heard)
        with self._lock:
            if self._stopping.is_set():
                raise KgfsError("The store is being closed; run the command again.")
            self._known[job.id] = job
            while len(self._known) > KEPT and next(iter(self._known.values())).ended_at:
                del self._known[next(iter(self._known))]
            self._queue.append(ticket)
            self._tickets = [one for one in self._tickets if not one.ended.is_set()] + [ticket]
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="jobs", daemon=True)
                self._thread.start()
            self._lock.notify_all()
        return ticket

    def _wait_in_turn(self, ticket: _Ticket, told: str, progress: Progress | None) -> str:
        with self._lock:
            if ticket not in self._queue:
                return told
            running = next((job for job in self._known.values() if job.state == "running"), None)
            if ticket.cancel.is_set():
                self._queue.remove(ticket)
                self._end(ticket, Cancelled("Stopped before its turn; nothing was done."))
                return told
        if running is not None and running.id != told:
            if progress is not None:
                progress({"stage": "waiting", "message": f"waiting for `{running.title}` to end"})
            return running.id
        return told

    def _work(self) -> None:
        while True:
            with self._lock:
                while not self._queue and not self._stopping.is_set():
                    self._lock.wait()
                if not self._queue:
                    return
                ticket = self._queue.pop(0)
                if self._stopping.is_set():
                    self._end(ticket, Cancelled("Stopped before its turn; nothing was done."))
                    continue
                ticket.job.state = "running"
                ticket.job.started_at = _now()
            self._tell(ticket.job)
            failure: BaseException | None = None
            try:
                with self._within():
                    ticket.result = ticket.context.run(ticket.work, ticket.report, ticket.cancel)
            except BaseException as error:
                failure = error
                if not isinstance(error, KgfsError):
                    log.exception("job %s failed", ticket.job.title)
            self._end(ticket, failure)
            self._tell(ticket.job)

    def _end(self, ticket: _Ticket, failure: BaseException | None) -> None:
        job = ticket.job
        ticket.failure = failure
        if failure is None:
            job.state = "done"
        elif isinstance(failure, Cancelled):
            job.state = "cancelled"
        else:
            job.state, job.error = "failed", str(failure)
        job.ended_at = _now()
        ticket.ended.set()

    def _tell(self, job: Job) -> None:
        if self._changed is not None:
            try:
                self._changed(job)
            except KgfsError as error:
                log.warning("job %s could not be noted: %s", job.title, error.message)
            except Exception:
                log.exception("job %s could not be noted", job.title)


class _Either:
    def __init__(self, *cancels: Cancel) -> None:
        self._cancels = cancels

    def is_set(self) -> bool:
        return any(cancel.is_set() for cancel in self._cancels)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
