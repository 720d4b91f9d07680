"""Large files read in pieces: the right bytes, each piece loaded once, read ahead only for a program that reads on."""

from __future__ import annotations

import random
import time

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st

from kgfs.errors import DeadlineExceeded
from mountd import pieces
from mountd.pieces import PIECE_BYTES, Pieces

DATA = random.Random(3).randbytes(64 * 1024)
SMALL = 1000


class Slow:
    """A body that notes what was read of it."""

    blocking = True

    def __init__(self, data: bytes = DATA, seconds: float = 0.0) -> None:
        self.data = data
        self.size = len(data)
        self.seconds = seconds
        self.reads: list[int] = []

    def read(self, offset: int, length: int) -> bytes:
        self.reads.append(offset)
        time.sleep(self.seconds)
        return self.data[offset : offset + length]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "PIECE_BYTES", SMALL)
    monkeypatch.setattr(pieces, "CACHE_BYTES", 8 * SMALL)


def test_pieces_are_worth_their_statement() -> None:
    assert PIECE_BYTES == 4 * 1024 * 1024


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(DATA) + 10), st.integers(0, 5000)), max_size=8), st.booleans())
def test_what_is_read_is_right(asked: list[tuple[int, int]], ahead: bool) -> None:
    async def main() -> None:
        async with trio.open_nursery() as nursery:
            reader = Pieces(trio.CapacityLimiter(4))
            if ahead:
                reader.start_soon = nursery.start_soon
            body = Slow()
            for offset, length in asked:
                got = await reader.read(1, 1, body, offset, length, 5)
                assert got == DATA[offset : offset + length]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "PIECE_BYTES", SMALL)
        trio.run(main)


def test_from_front_to_back_each_piece_is_loaded_once_and_ahead() -> None:
    body = Slow()

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            reader = Pieces(trio.CapacityLimiter(4))
            reader.start_soon = nursery.start_soon
            for offset in range(0, 20 * SMALL, SMALL // 4):
                await reader.read(1, 1, body, offset, SMALL // 4, 5)
                await trio.sleep(0.001)

    trio.run(main)
    assert sorted(body.reads) == [which * SMALL for which in range(20 + pieces.AHEAD)]


def test_a_look_at_the_start_or_the_middle_reads_nothing_ahead() -> None:
    body = Slow()

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            reader = Pieces(trio.CapacityLimiter(4))
            reader.start_soon = nursery.start_soon
            await reader.read(1, 1, body, 0, 10, 5)
            await reader.read(1, 1, body, 30 * SMALL + 5, 10, 5)

    trio.run(main)
    assert body.reads == [0, 30 * SMALL]


def test_readers_share() -> None:
    body = Slow(seconds=0.02)

    async def main() -> None:
        reader = Pieces(trio.CapacityLimiter(8))

        async def one() -> None:
            for offset in range(0, 4 * SMALL, 500):
                assert await reader.read(1, 1, body, offset, 500, 5) == DATA[offset : offset + 500]

        async with trio.open_nursery() as nursery:
            for _ in range(32):
                nursery.start_soon(one)

    trio.run(main)
    assert sorted(body.reads) == [0, SMALL, 2 * SMALL, 3 * SMALL]


def test_generations_and_files_are_kept_apart_and_the_oldest_go() -> None:
    async def main() -> None:
        reader = Pieces(trio.CapacityLimiter(1))
        for number in range(30):
            body = Slow(bytes([number]) * 10)
            assert await reader.read(number % 3, number // 3, body, 0, 10, 5) == bytes([number]) * 10
        assert len(reader._pieces) == 8

    trio.run(main)


def test_a_failed_load_is_tried_again_and_a_slow_one_ends() -> None:
    class Broken(Slow):
        def read(self, offset: int, length: int) -> bytes:
            super().read(offset, length)
            if len(self.reads) == 1:
                raise OSError(5, "once")
            return self.data[offset : offset + length]

    async def main() -> None:
        reader = Pieces(trio.CapacityLimiter(1))
        body = Broken()
        with pytest.raises(OSError, match="once"):
            await reader.read(1, 1, body, 0, 10, 5)
        assert await reader.read(1, 1, body, 0, 10, 5) == DATA[:10]
        with pytest.raises(DeadlineExceeded):
            await reader.read(2, 1, Slow(seconds=0.5), 0, 10, 0.05)

    trio.run(main)
