"""Which work gets the model next: a question before the next batch of passages.

Used by all embedders, in the threads of the worker's lanes. Somebody waits for the vector of a question; the passages
of documents are embedded some hundred at a time, for seconds or minutes, and both want all processors.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

MOST_SECONDS = 1.0
"""Passages wait no longer before each batch: where questions never end, they are embedded all the same."""


class Turns:
    """One model's. Safe to use from several threads."""

    def __init__(self) -> None:
        self._change = threading.Condition()
        self._questions = 0

    @contextlib.contextmanager
    def question(self) -> Iterator[None]:
        """Within this a question is embedded: no batch of passages begins."""
        with self._change:
            self._questions += 1
        try:
            yield
        finally:
            with self._change:
                self._questions -= 1
                self._change.notify_all()

    def give_way(self) -> None:
        """Before each batch of passages: wait until no question is being embedded."""
        with self._change:
            self._change.wait_for(lambda: not self._questions, MOST_SECONDS)
