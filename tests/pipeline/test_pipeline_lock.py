"""A job gives way to texts that somebody has just written, where it says so and nowhere else."""

from __future__ import annotations

import threading
from collections.abc import Callable

from kgfs.pipeline.pipeline_lock import PipelineLock


def _between(lock: PipelineLock, seconds: float, seen: list[bool], then: Callable[[], object] = lambda: None) -> None:
    with lock.between(seconds) as ours:
        seen.append(ours)
        then()


def test_a_job_keeps_the_turn_until_it_gives_way() -> None:
    lock, seen = PipelineLock(), list[bool]()
    asked, entered, go = threading.Event(), threading.Event(), threading.Event()

    def holds() -> None:
        entered.set()
        go.wait(60)

    def waits() -> None:
        asked.set()
        _between(lock, 60.0, seen, holds)

    with lock.job():
        other = threading.Thread(target=_between, args=(lock, 0.01, seen))
        other.start()
        other.join()
        assert seen == [False]
        lock.pause()  # nobody wants it
        other = threading.Thread(target=waits)
        other.start()
        assert asked.wait(60)
        with lock.aside():
            assert entered.wait(60)
            go.set()  # and the lock is only ours again when the other one is done
        assert seen == [False, True]
        other.join()


def test_a_pause_lets_others_in_before_the_job_goes_on() -> None:
    lock, seen = PipelineLock(), list[bool]()
    with lock.job():
        other = threading.Thread(target=_between, args=(lock, 60.0, seen))
        other.start()
        while not seen:
            lock.pause()
        other.join()
    assert seen == [True]


def test_who_has_no_turn_gives_none_away() -> None:
    lock, seen = PipelineLock(), list[bool]()

    def helper() -> None:
        lock.pause()
        with lock.aside():
            _between(lock, 0.01, seen)

    with lock.job():
        thread = threading.Thread(target=helper)
        thread.start()
        thread.join()
    assert seen == [False]
    _between(lock, 0.0, seen)
    assert seen == [False, True]
