"""The lock on documents: a job holds it, and gives it away for a moment to texts which somebody has just written.

Used by the service: the jobs thread holds it while a job runs, the cascade's thread asks for it. A run gives way where
all it did is committed (``Run.check``) and while it waits for the extractor or the model (``Run.aside``), so that a
note is found in a moment while a long job runs, and nothing else of a job ever sees documents change under it.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator


class PipelineLock:
    """A lock that one thread holds at a time, and that its holder may give away for a moment."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._owner: int | None = None
        self._wanted = 0

    @contextlib.contextmanager
    def job(self) -> Iterator[None]:
        """The block holds the lock, and gives it away where it says so."""
        self._take()
        try:
            yield
        finally:
            self._leave()

    @contextlib.contextmanager
    def between(self, seconds: float) -> Iterator[bool]:
        """Whether the block holds the lock, for which it waits so long; it comes before all others that wait."""
        with self._changed:
            self._wanted += 1
            try:
                got = self._changed.wait_for(lambda: self._owner is None, seconds)
                if got:
                    self._owner = threading.get_ident()
            finally:
                self._wanted -= 1
                self._changed.notify_all()
        try:
            yield got
        finally:
            if got:
                self._leave()

    def pause(self) -> None:
        """Give way to ``between`` and take the lock again; nothing where this thread does not hold it."""
        if self._wanted and self._owner == threading.get_ident():
            self._leave()
            self._take()

    @contextlib.contextmanager
    def aside(self) -> Iterator[None]:
        """The block only waits: others may hold the lock meanwhile. Nothing where this thread does not hold it."""
        if self._owner != threading.get_ident():
            yield
            return
        self._leave()
        try:
            yield
        finally:
            self._take()

    def _take(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._owner is None and not self._wanted)
            self._owner = threading.get_ident()

    def _leave(self) -> None:
        with self._changed:
            self._owner = None
            self._changed.notify_all()
