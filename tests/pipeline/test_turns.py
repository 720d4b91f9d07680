"""A job gives way to texts that somebody has just written, where it says so and nowhere else."""

from __future__ import annotations

import threading
from collections.abc import Callable

from kgfs.pipeline.turns import Turns


def _between(turns: Turns, seconds: float, seen: list[bool], then: Callable[[], object] = lambda: None) -> None:
    with turns.between(seconds) as ours:
        seen.append(ours)
        then()


def test_a_job_keeps_the_turn_until_it_gives_way() -> None:
    turns, seen = Turns(), list[bool]()
    asked, entered, go = threading.Event(), threading.Event(), threading.Event()

    def holds() -> None:
        entered.set()
        go.wait(60)

    def waits() -> None:
        asked.set()
        _between(turns, 60.0, seen, holds)

    with turns.job():
        other = threading.Thread(target=_between, args=(turns, 0.01, seen))
        other.start()
        other.join()
        assert seen == [False]
        turns.pause()  # nobody wants it
        other = threading.Thread(target=waits)
        other.start()
        assert asked.wait(60)
        with turns.aside():
            assert entered.wait(60)
            go.set()  # and the turn is only ours again when the other one is done
        assert seen == [False, True]
        other.join()


def test_a_pause_lets_others_in_before_the_job_goes_on() -> None:
    turns, seen = Turns(), list[bool]()
    with turns.job():
        other = threading.Thread(target=_between, args=(turns, 60.0, seen))
        other.start()
        while not seen:
            turns.pause()
        other.join()
    assert seen == [True]


def test_who_has_no_turn_gives_none_away() -> None:
    turns, seen = Turns(), list[bool]()

    def helper() -> None:
        turns.pause()
        with turns.aside():
            _between(turns, 0.01, seen)

    with turns.job():
        thread = threading.Thread(target=helper)
        thread.start()
        thread.join()
    assert seen == [False]
    _between(turns, 0.0, seen)
    assert seen == [False, True]
