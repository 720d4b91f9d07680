"""Calls on threads of their own: results, errors, deadlines, and calls that are taken together."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
import trio
import trio.testing

from kgfs.errors import DeadlineExceeded
from mountd.lane import Lane


def all_of(lane: Lane, works: list[Callable[[], object]], seconds: float = 10.0) -> list[object]:
    """What the calls returned or raised, all asked for at once."""
    outcomes: list[object] = [None] * len(works)

    async def one(number: int) -> None:
        try:
            outcomes[number] = await lane.call(seconds, works[number])
        except Exception as error:
            outcomes[number] = error

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            for number in range(len(works)):
                nursery.start_soon(one, number)

    trio.run(main)
    lane.close()
    return outcomes


def fail(number: int) -> None:
    raise OSError(number, "planted")


@pytest.mark.parametrize("gather", [False, True])
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_each_call_has_its_own_result(gather: bool, threads: int) -> None:
    works: list[Callable[[], object]] = [
        (lambda number=number: fail(number)) if number % 3 == 0 else (lambda number=number: number)  # type: ignore[misc]
        for number in range(1, 40)
    ]
    outcomes = all_of(Lane("test", threads, gather=gather), works)
    for number, outcome in enumerate(outcomes, start=1):
        if number % 3 == 0:
            assert isinstance(outcome, OSError) and outcome.errno == number
        else:
            assert outcome == number


@pytest.mark.parametrize(("gather", "early"), [(False, set(range(9))), (True, {0})])
def test_what_waits_is_taken_together(gather: bool, early: set[int]) -> None:
    """While one call is under way nine more are asked for, of which the last takes long: together they end with it."""
    first, last, begun = threading.Event(), threading.Event(), threading.Event()
    ended: set[int] = set()

    def wait(event: threading.Event) -> None:
        begun.set()
        assert event.wait(10)

    async def until(holds: Callable[[], bool]) -> None:
        with trio.fail_after(10):
            while not holds():
                await trio.sleep(0.001)

    async def main() -> None:
        lane = Lane("test", 1, gather=gather)

        async def one(number: int, work: Callable[..., None], *arguments: object) -> None:
            await lane.call(10.0, work, *arguments)
            ended.add(number)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(one, 0, wait, first)
            await until(begun.is_set)
            begun.clear()
            for number in range(1, 9):
                nursery.start_soon(one, number, lambda: None)
                await trio.testing.wait_all_tasks_blocked()
            nursery.start_soon(one, 9, wait, last)
            await trio.testing.wait_all_tasks_blocked()
            first.set()
            await until(lambda: begun.is_set() and ended >= early)
            assert ended == early
            nursery.start_soon(one, 10, lambda: None)
            last.set()
        assert ended == set(range(11))
        lane.close()

    trio.run(main)


def test_the_end_is_for_all_threads() -> None:
    """What was asked for before the end is done, by any thread."""
    done: list[int] = []
    before = threading.active_count()

    async def main() -> None:
        lane = Lane("test", 3, gather=True)
        held = threading.Event()

        async def one(number: int) -> None:
            await lane.call(10.0, lambda: held.wait(10) and done.append(number))

        async with trio.open_nursery() as nursery:
            for number in range(12):
                nursery.start_soon(one, number)
            await trio.testing.wait_all_tasks_blocked()
            lane.close()
            held.set()
        with trio.fail_after(10):
            while threading.active_count() > before:
                await trio.sleep(0.001)

    trio.run(main)
    assert sorted(done) == list(range(12))


@pytest.mark.parametrize("gather", [False, True])
def test_a_call_that_hangs_has_a_deadline(gather: bool) -> None:
    hanging = threading.Event()
    outcomes = all_of(Lane("test", 1, gather=gather), [lambda: hanging.wait(10)], seconds=0.05)
    hanging.set()
    assert isinstance(outcomes[0], DeadlineExceeded)
