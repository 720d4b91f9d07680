"""The wait for requests, over a pipe in the place of ``/dev/fuse``."""

from __future__ import annotations

import os
from collections.abc import Iterator
from types import SimpleNamespace

import pyfuse3
import pytest
import trio

from mountd import fast_wait

Pipe = tuple[int, int]


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    reading, writing = os.pipe()
    yield reading, writing
    os.close(reading)
    os.close(writing)


async def never() -> bool:
    raise AssertionError("the fallback was not needed")


def test_a_request_that_is_there_needs_no_fallback(pipe: Pipe) -> None:
    os.write(pipe[1], b"x")
    wait = fast_wait.polling_wait(pipe[0], never)

    async def many() -> None:
        for _ in range(1000):
            assert await wait()

    trio.run(many)


def test_it_falls_back_when_nothing_comes(pipe: Pipe) -> None:
    slept = 0

    async def fallback() -> bool:
        nonlocal slept
        slept += 1
        os.write(pipe[1], b"x")
        return True

    assert trio.run(fast_wait.polling_wait(pipe[0], fallback))
    assert slept == 1


def test_a_request_that_another_worker_took_is_not_reported(pipe: Pipe) -> None:
    """The fallback says readable, but it is not any more: reading now would stop the loop."""
    said = 0

    async def fallback() -> bool:
        nonlocal said
        said += 1
        if said == 5:
            os.write(pipe[1], b"x")
        return True

    assert trio.run(fast_wait.polling_wait(pipe[0], fallback))
    assert said == 5


def test_the_end_is_passed_on(pipe: Pipe) -> None:
    async def fallback() -> bool:
        return False

    assert not trio.run(fast_wait.polling_wait(pipe[0], fallback))


def test_others_get_their_turn(pipe: Pipe) -> None:
    os.write(pipe[1], b"x")
    wait = fast_wait.polling_wait(pipe[0], never, in_a_row=64)
    turns = 0

    async def many() -> None:
        nonlocal turns

        async def other() -> None:
            nonlocal turns
            while True:
                turns += 1
                await trio.lowlevel.checkpoint()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(other)
            for _ in range(64 * 20):
                assert await wait()
            nursery.cancel_scope.cancel()

    trio.run(many)
    assert turns >= 10


@pytest.mark.parametrize("version", ["3.4.2", "4.0.0"])
def test_another_pyfuse3_is_left_alone(version: str, pipe: Pipe) -> None:
    module = SimpleNamespace(__version__=version, _wait_fuse_readable=never)
    assert fast_wait.install(pipe[0], module) is None
    assert module._wait_fuse_readable is never


def test_a_pyfuse3_without_the_function_is_left_alone(pipe: Pipe) -> None:
    assert fast_wait.install(pipe[0], SimpleNamespace(__version__="3.5.0")) is None

    async def other_form(timeout: float) -> bool:
        return True

    changed = SimpleNamespace(__version__="3.5.0", _wait_fuse_readable=other_form)
    assert fast_wait.install(pipe[0], changed) is None


def test_the_installed_pyfuse3_is_supported_and_restored(pipe: Pipe) -> None:
    original = pyfuse3._wait_fuse_readable  # type: ignore[attr-defined]
    restore = fast_wait.install(pipe[0])
    assert restore is not None
    assert pyfuse3._wait_fuse_readable is not original  # type: ignore[attr-defined]
    restore()
    assert pyfuse3._wait_fuse_readable is original  # type: ignore[attr-defined]
