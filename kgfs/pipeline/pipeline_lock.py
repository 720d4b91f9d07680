"""Whose turn it is to work on documents: a job's, or for a moment that of texts which somebody has just written.

Used by the service: the jobs thread has the turn while a job runs, the cascade's thread asks for it. A run gives way
where all it did is committed (``Run.check``) and while it waits for the extractor or the model (``Run.aside``), so that
a note is found in a moment while a long job runs, and nothing else of a job ever sees documents change under it.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator


class PipelineLock:
    """One turn, for a thread at a time."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._owner: int | None = None
        self._wanted = 0

    @contextlib.contextmanager
    def job(self) -> Iterator[None]:
        """The block has the turn, and gives it away where it says so."""
        self._take()
        try:
            yield
        finally:
            self._leave()

    @contextlib.contextmanager
    def between(self, seconds: float) -> Iterator[bool]:
        """Whether the block has the turn, which is waited for so long; it comes before whoever else waits."""
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
        """Give way to ``between`` and have the turn again; nothing where this thread has no turn."""
        if self._wanted and self._owner == threading.get_ident():
            self._leave()
            self._take()

    @contextlib.contextmanager
    def aside(self) -> Iterator[None]:
        """The block only waits: others may have the turn meanwhile. Nothing where this thread has none."""
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
