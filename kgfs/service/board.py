"""What ``@status`` shows, kept in memory so that the event loop never waits for it: health, coverage, jobs, errors.

Filled by the service (after commits, at each change of a job); read by the namespace on the event loop.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from kgfs.config import ERRORS
from kgfs.errors import KgfsError
from kgfs.service.jobs import Job


class Board:
    """The ``StatusSource`` of a service's namespace."""

    def __init__(self, store: Path, jobs: Callable[[], list[Job]]) -> None:
        self._errors_path = store / ERRORS
        self._jobs = jobs
        self._lock = threading.Lock()
        self._state: dict[str, Any] = {}
        self._last_error = ""
        self._errors: tuple[tuple[int, int], bytes] = ((0, 0), b"")

    def update(self, **state: Any) -> None:
        """Replace parts of what ``status.json`` says."""
        with self._lock:
            self._state = {**self._state, **state}

    def refused(self, error: KgfsError) -> None:
        """A request on the mount ended with this: what ``last_error.txt`` says."""
        self._last_error = error.message

    def status(self) -> Mapping[str, Any]:
        running = [job.id for job in self._jobs() if job.state in ("waiting", "running")]
        return {**self._state, "jobs": running}

    def errors(self) -> bytes:
        """The bytes of the error log, read again when it has changed."""
        try:
            status = os.stat(self._errors_path)
            stamp = (status.st_mtime_ns, status.st_size)
            if stamp != self._errors[0]:
                self._errors = (stamp, self._errors_path.read_bytes())
        except OSError:
            return b""
        return self._errors[1]

    def last_error(self) -> str:
        return self._last_error

    def jobs(self) -> Mapping[str, Mapping[str, Any]]:
        return {job.id: msgspec.to_builtins(job) for job in self._jobs()}
