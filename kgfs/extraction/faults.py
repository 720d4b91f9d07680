"""What a rule costs that fails: its own findings at that place, which the document's report names.

Used by the extractor and its readers; pure. A rule meets every text that there is, so one that fails must not take
the rest of a document with it, and must not fail unseen.
"""

from __future__ import annotations

import logging
from types import TracebackType
from typing import Any

log = logging.getLogger(__name__)

MOST_TOLD = 3
"""Faults that a document's report names; the log has all."""


class Faults:
    """The rules that failed while one document was read."""

    def __init__(self) -> None:
        self._times: dict[tuple[str, str], int] = {}

    def within(self, rule: str, found: list[Any] | None = None) -> _Rule:
        """A block in which ``rule`` reads one place, and adds to ``found`` what it finds.

        Where it fails the block ends, what it added goes, and the fault is noted. Want of memory is no fault of a
        rule: it is raised.
        """
        return _Rule(self, rule, found)

    def note(self, rule: str, error: Exception) -> None:
        """Note that ``rule`` failed at a place."""
        log.error("The rule %s failed.", rule, exc_info=error)
        key = (rule, f"{type(error).__name__}: {error}"[:120])
        self._times[key] = self._times.get(key, 0) + 1

    def told(self) -> list[str]:
        """The faults in some words each, the most frequent ones first."""
        ranked = sorted(self._times.items(), key=lambda one: (-one[1], one[0]))
        told = [f"{rule} ({error}{f', {times} times' if times > 1 else ''})" for (rule, error), times in ranked]
        more = len(told) - MOST_TOLD
        return [*told[:MOST_TOLD], f"{more} more"] if more > 0 else told


class _Rule:
    __slots__ = ("_begun", "_faults", "_found", "_rule")

    def __init__(self, faults: Faults, rule: str, found: list[Any] | None) -> None:
        self._faults, self._rule, self._found = faults, rule, found

    def __enter__(self) -> None:
        self._begun = len(self._found) if self._found is not None else 0

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if not isinstance(error, Exception) or isinstance(error, MemoryError):
            return False
        if self._found is not None:
            del self._found[self._begun :]
        self._faults.note(self._rule, error)
        return True
