"""Short works that share transactions: a queue of them, and what each one's future is told.

Used by ``Database``, whose writer thread commits what waits here; works are added from any thread.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any

from _duckdb import DuckDBPyConnection

from kgfs.store.catalog.batches import commit_batch

SHARED_WORKS = 64
"""Works that share one transaction at most."""
GATHER_SECONDS = 0.004


class SharedWork:
    """A work that may share a transaction."""

    __slots__ = ("future", "then", "together", "work")

    def __init__(
        self,
        work: Callable[[DuckDBPyConnection], Any],
        then: Callable[[Any], object] | None,
        together: Callable[[DuckDBPyConnection, list[Any]], list[Any]] | None = None,
    ) -> None:
        self.work = work
        self.then = then
        self.together = together
        self.future: Future[Any] = Future()

    def failed(self, error: BaseException) -> None:
        self.future.set_exception(error)

    def committed(self, result: Any) -> None:
        try:
            if self.then is not None:
                self.then(result)
        except BaseException as error:
            self.future.set_exception(error)
        else:
            self.future.set_result(result)


class SharedWrites:
    """The works that wait for a transaction, in the order in which they came."""

    def __init__(self) -> None:
        self._works: deque[SharedWork] = deque()
        self._came = threading.Condition()
        self._before = 1
        """How many works the last shared transaction had."""

    def add(self, work: SharedWork) -> None:
        with self._came:
            self._works.append(work)
            self._came.notify()

    def commit(self, transaction: Callable[[Callable[[DuckDBPyConnection], list[Any]]], list[Any]]) -> None:
        """Commit what waits by ``transaction``, which runs a function in one and returns its result.

        What came together the last time is waited for a little: a commit costs 2 ms, and writers that were answered
        together come together again.
        """
        with self._came:
            if not self._works:
                return  # an earlier one took it along
            if self._before > 1:
                expected = min(self._before, SHARED_WORKS)
                self._came.wait_for(lambda: len(self._works) >= expected, GATHER_SECONDS)
            works = [self._works.popleft() for _ in range(min(len(self._works), SHARED_WORKS))]
        self._before = len(works)

        def commit(some: Sequence[SharedWork]) -> list[Any]:
            return transaction(lambda cursor: results(cursor, some))

        try:
            for some, done in commit_batch(works, commit, SharedWork.failed):
                for work, result in zip(some, done, strict=True):
                    work.committed(result)
        except BaseException as error:  # what is no Exception ends the batch, and nobody may wait for the rest
            for work in works:
                if not work.future.done():
                    work.failed(error)


def results(cursor: DuckDBPyConnection, works: Sequence[SharedWork]) -> list[Any]:
    """Do works inside one transaction, and then what they have done together."""
    done = [one.work(cursor) for one in works]
    kinds: dict[Callable[[DuckDBPyConnection, list[Any]], list[Any]], list[int]] = {}
    for place, one in enumerate(works):
        if one.together is not None:
            kinds.setdefault(one.together, []).append(place)
    for together, places in kinds.items():
        for place, result in zip(places, together(cursor, [done[place] for place in places]), strict=True):
            done[place] = result
    return done
