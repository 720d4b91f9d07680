"""What ``@status`` shows, kept in memory so that the event loop never waits for it: health, coverage, jobs, errors.

Filled by the service (after commits, at each change of a job); read by the namespace on the event loop.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from kgfs.config import ERRORS
from kgfs.errors import KgfsError, QueryError, RefusedError
from kgfs.names import json_bytes
from kgfs.service.jobs import Job

REFUSALS = 100
"""Questions that could not be answered as written, of which the last ones are kept."""


class StatusCache:
    """The ``StatusSource`` of a service's namespace."""

    def __init__(self, store: Path, jobs: Callable[[], list[Job]]) -> None:
        self._errors_path = store / ERRORS
        self._jobs = jobs
        self._earlier: dict[str, Mapping[str, Any]] = {}
        self._lock = threading.Lock()
        self._state: dict[str, Any] = {}
        self.moment = 0
        """Raised with each change of the stored files."""
        self._known = 0
        """The moment of which the state speaks."""
        self._last_error = ""
        self._last_refused: KgfsError | None = None
        self._logged: tuple[tuple[int, int], bytes] = ((0, 0), b"")
        self.standing: Callable[[], list[dict[str, str]]] = list
        """What is wrong with files now and until it is mended: ``ref``, ``error`` and since when, ``time``."""
        self.published: Callable[[], Mapping[str, Any]] | None = None
        """Of a published graph: which snapshot is shown, and whether it is the newest
        (``service.publishing.following``)."""
        self.metrics: Callable[[], bytes] = bytes
        """The numbers for a monitor (``service.health.metrics``)."""
        self._refusals: deque[bytes] = deque(maxlen=REFUSALS)
        self._errors: tuple[object, bytes] = (None, b"")

    def remember(self, jobs: Iterable[Job]) -> None:
        """Show these jobs too, which processes before this one did."""
        self._earlier = {job.id: msgspec.to_builtins(job) for job in jobs}

    def disturb(self) -> None:
        """Stored files changed: whatever was complete is not known to be so any more. Cheap, from any thread."""
        with self._lock:
            self.moment += 1

    def update(self, moment: int, **state: Any) -> None:
        """Replace parts of what ``status.json`` says by what was read after ``moment``."""
        with self._lock:
            self._state = {**self._state, **state}
            self._known = moment

    def refused(self, error: KgfsError) -> None:
        """A request on the mount ended with this: what ``last_error.txt`` says."""
        if error is self._last_refused:
            return  # told by the query area, and again by the door
        self._last_refused, self._last_error = error, error.message
        if isinstance(error, QueryError | RefusedError):
            time = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
            line = {"time": time, "where": "query", "error": error.kind, "message": error.message}
            with self._lock:
                self._refusals.append(json_bytes(line) + b"\n")

    def status(self) -> Mapping[str, Any]:
        running = [job.id for job in self._jobs() if job.state in ("waiting", "running")]
        with self._lock:
            current = self._known == self.moment
            state = self._state
        if not current:
            state = {**state, "complete": False}
        published = {} if self.published is None else {"published": self.published()}
        return {**state, "jobs": running, **published}

    def errors(self) -> bytes:
        """The error log and the last questions that were refused, one object a line, oldest first."""
        with self._lock:
            refusals = list(self._refusals)
        refusals += [
            msgspec.json.encode(
                {"time": one["time"], "where": one["ref"], "error": "conflict", "message": one["error"]}
            )
            + b"\n"
            for one in self.standing()
        ]
        logged = self._log()
        key = (logged[0], refusals)
        if key != self._errors[0]:
            lines = [*logged[1].splitlines(keepends=True), *refusals]
            # Each begins with its time.
            self._errors = (key, b"".join(sorted(lines)) if refusals else logged[1])
        return self._errors[1]

    def _log(self) -> tuple[tuple[int, int], bytes]:
        """The bytes of the error log, read again when it has changed."""
        try:
            status = os.stat(self._errors_path)
            stamp = (status.st_mtime_ns, status.st_size)
            if stamp != self._logged[0]:
                self._logged = (stamp, self._errors_path.read_bytes())
        except OSError:
            return (0, 0), b""
        return self._logged

    def last_error(self) -> str:
        return self._last_error

    def jobs(self) -> Mapping[str, Mapping[str, Any]]:
        return {**self._earlier, **{job.id: msgspec.to_builtins(job) for job in self._jobs()}}
