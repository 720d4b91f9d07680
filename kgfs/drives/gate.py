"""The one place that every mutation passes, whatever door it came through.

Used by the drives, by annotations and by the service's jobs. ``Gate.commit`` and ``Gate.passing`` wait, so they run on
any thread but the FUSE loop's and the writer's; ``Gate.commit_soon`` returns at once, on the loop too. Listeners (the
audit trail) are told how each mutation ended, and the cascade is left something to do.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import TypeVar

import msgspec

from kgfs.callers import NOBODY, Caller, caller, door
from kgfs.errors import MountedReadOnly
from kgfs.store.catalog.database import Cursor, Database

T = TypeVar("T")

log = logging.getLogger(__name__)


class Mutation(msgspec.Struct, frozen=True, kw_only=True):
    """What is about to change."""

    operation: str
    """``write``, ``move``, ``remove``, ``create_dir``, ``set``, ``add``, ``merge`` …"""
    refs: tuple[str, ...]
    """What it is about: refs of stored files, ids of the graph."""
    door: str = ""
    details: dict[str, object] = {}
    """Further arguments, as JSON would have them; never a body."""


class Passed(msgspec.Struct, frozen=True, kw_only=True):
    """A mutation that has ended."""

    mutation: Mutation
    began: float
    """Seconds since 1970."""
    seconds: float
    caller: Caller = NOBODY
    error: str | None = None
    """The kind of the error with which it ended, if it failed."""


Listener = Callable[[Passed], None]


class Gate:
    """The gate of one store."""

    writes_disk = False
    """Whether files of the disk follow their rows."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.listeners: list[Listener] = []
        """Told of each mutation that ended; quick, on the writer's thread or that of a job."""
        self.on_left: Callable[[], None] = lambda: None
        """Called after a commit that left the cascade something to do; quick, any thread."""
        self.shut = ""
        """Why no mutation may pass, in a sentence; empty where they may."""
        self.passes_shut: frozenset[str] = frozenset()
        """Operations that pass all the same: they change nothing that is shown."""

    def require_open(self) -> None:
        """``MountedReadOnly`` where no mutation may pass. For callers that do something before a mutation."""
        if self.shut:
            raise MountedReadOnly(self.shut)

    def commit(self, mutation: Mutation, work: Callable[[Cursor], T], then: Callable[[T], object] | None = None) -> T:
        """``commit_soon``, waited for."""
        return self.commit_soon(mutation, work, then).result()

    def commit_soon(
        self,
        mutation: Mutation,
        work: Callable[[Cursor], T],
        then: Callable[[T], object] | None = None,
        *,
        together: Callable[[Cursor, list[T]], list[T]] | None = None,
        freeing: bool = False,
    ) -> Future[T]:
        """Have ``work`` run in a transaction on the writer's thread, and ``then`` with its result right after the
        commit, before anything else changes.

        With ``together`` it may share a transaction with others (``Database.share``); ``freeing`` may use the reserve
        of a full disk (``Database.write_soon``). What ``work`` raises is the future's, and nothing happened;
        ``NoSpaceError`` on a full disk, ``MountedReadOnly`` while the gate is shut. Listeners are told on the writer's
        thread, before the future is done.
        """
        work = self._whole(mutation, work)
        finish = self._begin(mutation)
        try:
            self.require_open()
        except MountedReadOnly as shut:
            finish(shut)
            refused: Future[T] = Future()
            refused.set_exception(shut)
            return refused

        def committed(result: T) -> None:
            if then is not None:
                then(result)
            finish(None)
            self.on_left()

        if together is None:
            future = self.database.write_soon(work, committed, freeing=freeing)
        else:
            future = self.database.share_soon(work, committed, together)
        future.add_done_callback(lambda done: finish(error) if (error := done.exception()) is not None else None)
        return future

    def _whole(self, mutation: Mutation, work: Callable[[Cursor], T]) -> Callable[[Cursor], T]:
        """``work`` with what else belongs into its transaction; nothing here."""
        return work

    def _begin(self, mutation: Mutation) -> Callable[[BaseException | None], None]:
        """Returns what to call when it has ended, once."""
        if not mutation.door:
            mutation = msgspec.structs.replace(mutation, door=door.get())
        by = caller.get()
        began, start = time.time(), time.monotonic()

        def finish(error: BaseException | None) -> None:
            kind = None if error is None else getattr(error, "kind", type(error).__name__)
            seconds = time.monotonic() - start
            passed = Passed(mutation=mutation, began=began, seconds=seconds, caller=by, error=kind)
            for listener in self.listeners:
                try:
                    listener(passed)
                except Exception:
                    log.exception("a listener of the gate failed")

        return finish

    @contextlib.contextmanager
    def passing(self, mutation: Mutation) -> Iterator[None]:
        """The block is this mutation: for one that is many transactions (``add``, ``rm``, ``refresh``).

        ``MountedReadOnly`` while the gate is shut.
        """
        finish = self._begin(mutation)
        try:
            if mutation.operation not in self.passes_shut:
                self.require_open()
            yield
        except BaseException as error:
            finish(error)
            raise
        finish(None)
