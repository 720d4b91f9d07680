"""Ctrl-C in a run: to a command where one runs, else as ``KeyboardInterrupt`` in the main thread.

Used by ``kgfs agent`` on the main thread.
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Iterator
from types import FrameType


class Presses:
    """How often Ctrl-C was pressed."""

    count = 0


class Interrupts:
    """The handler of SIGINT while a run lasts."""

    def __init__(self) -> None:
        self._to: tuple[Callable[[], None], Presses] | None = None

    @contextlib.contextmanager
    def handled(self) -> Iterator[None]:
        """Handle the signal here, and again as before at the end."""
        before = signal.signal(signal.SIGINT, self._pressed)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    @contextlib.contextmanager
    def passed_to(self, interrupt: Callable[[], None]) -> Iterator[Presses]:
        """Have the signal call ``interrupt``, which must not block, and count it."""
        presses = Presses()
        self._to = (interrupt, presses)
        try:
            yield presses
        finally:
            self._to = None

    def _pressed(self, number: int, frame: FrameType | None) -> None:
        if self._to is None:
            raise KeyboardInterrupt
        interrupt, presses = self._to
        presses.count += 1
        interrupt()
