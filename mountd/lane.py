"""Threads that do blocking calls for the event loop, as quickly as threads can be reached.

Used by ``submount``. trio's pool costs 40 µs a call, however many wait. Here a call is put into a queue, and what has
ended is fetched by the loop for all who wait at once: 9 µs a call with eight callers. Each lane has threads of its own,
so that calls that hang hold up nobody else.
"""

from __future__ import annotations

import contextlib
import contextvars
import queue
import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import trio

from kgfs.errors import DeadlineExceeded

T = TypeVar("T")


class _Call:
    """One call: what to do, the task that waits for it, and what came of it."""

    __slots__ = ("arguments", "error", "function", "task", "value")

    def __init__(self, function: Callable[..., Any], arguments: tuple[Any, ...], task: trio.lowlevel.Task) -> None:
        self.function = function
        self.arguments = arguments
        self.task: trio.lowlevel.Task | None = task
        """``None`` when nobody waits any more."""
        self.value: Any = None
        self.error: BaseException | None = None


class Lane:
    """At most so many threads, started when there is something for them to do."""

    def __init__(self, name: str, threads: int, *, gather: bool = False) -> None:
        """With ``gather`` a thread takes all calls that wait, and all of them end with the last: for calls of which one
        does what the others wait for, this spares most of the switches between threads."""
        self._name = name
        self._gather = gather
        self._most = threads
        self._started = 0
        self._busy = 0
        """Calls that have not ended."""
        self._calls: queue.SimpleQueue[_Call | None] = queue.SimpleQueue()
        self._ended: deque[_Call] = deque()

    @property
    def busy(self) -> bool:
        """Whether a call has not ended."""
        return self._busy > 0

    async def call(self, seconds: float, function: Callable[..., T], *arguments: Any) -> T:
        """Have ``function`` run on a thread and return its result or raise its error.

        ``DeadlineExceeded`` after so many seconds, the wait for a free thread included; the thread then goes on alone.
        """
        call = _Call(function, arguments, trio.lowlevel.current_task())
        if self._busy >= self._started < self._most:
            self._start()
        self._busy += 1
        self._calls.put(call)

        def abandon(_: object) -> trio.lowlevel.Abort:
            call.task = None
            return trio.lowlevel.Abort.SUCCEEDED

        with trio.move_on_after(seconds):
            await trio.lowlevel.wait_task_rescheduled(abandon)
            if call.error is not None:
                raise call.error
            return call.value  # type: ignore[no-any-return]
        raise DeadlineExceeded(f"No answer within {seconds:.2g} seconds; the disk may be slow or full.")

    def _start(self) -> None:
        self._started += 1
        token = trio.lowlevel.current_trio_token()
        # With the context of the request: what is changed here came through the mount.
        run = contextvars.copy_context().run
        name = f"{self._name}-{self._started}"
        threading.Thread(target=run, args=(self._work, token), name=name, daemon=True).start()

    def _work(self, token: trio.lowlevel.TrioToken) -> None:
        while (call := self._calls.get()) is not None:
            calls = [call, *self._waiting()] if self._gather else [call]
            for each in calls:
                try:
                    each.value = each.function(*each.arguments)
                except BaseException as error:
                    each.error = error
            self._ended.extend(calls)
            with contextlib.suppress(trio.RunFinishedError):
                token.run_sync_soon(self._deliver, idempotent=True)

    def _waiting(self) -> Iterator[_Call]:
        """The calls that nobody has begun."""
        with contextlib.suppress(queue.Empty):
            while (call := self._calls.get_nowait()) is not None:
                yield call
            self._calls.put(None)  # the end is for the next thread that looks

    def _deliver(self) -> None:
        """Wake those whose calls have ended (on the loop)."""
        while self._ended:
            call = self._ended.popleft()
            self._busy -= 1
            if call.task is not None:
                trio.lowlevel.reschedule(call.task)

    def close(self) -> None:
        """End the threads when they have done what was asked for."""
        for _ in range(self._started):
            self._calls.put(None)
