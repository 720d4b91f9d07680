"""Each target of the fuzzers, for a few seconds: what was found once, its plain uses, and changes of these.

``scripts/fuzz`` does the same for as long as one likes, led by coverage.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.target import Check, Target
from tests.fuzz.targets import TARGETS
from tests.rounds import rounds

FOUND = Path(__file__).parent / "found"
SLOW = {"bundles": 8, "agent-db": 25, "mcp": 60, "control": 60}
"""How many inputs are tried where one takes tens of milliseconds. A short run tries a third of them, a long one a
hundred times as many."""
MOST_CHANGES = 4
LONGEST = 1 << 16


@pytest.fixture(params=TARGETS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def check(name: str, tmp_path: Path) -> Iterator[Check]:
    logging.disable(logging.CRITICAL)  # broken documents are told of
    try:
        with TARGETS[name].opened(tmp_path) as opened:
            yield opened
    finally:
        logging.disable(logging.NOTSET)


@st.composite
def changed(draw: st.DrawFn, target: Target) -> bytes:
    """A seed with parts taken out, repeated, replaced by chance or by words of the grammar."""
    data = bytearray(draw(st.sampled_from(list(target.seeds()))))
    words = st.sampled_from(target.words) | st.binary(max_size=4) if target.words else st.binary(max_size=5)
    for _ in range(draw(st.integers(0, MOST_CHANGES))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.integers(0, 8)))
        put = draw(words) if draw(st.booleans()) else bytes(data[start:end]) * draw(st.integers(0, 3))
        data[start:end] = put
    return bytes(data[:LONGEST])


def test_what_was_found_and_what_is_plain(name: str, check: Check) -> None:
    for file in sorted((FOUND / name).glob("*")):
        check(file.read_bytes())
    for seed in TARGETS[name].seeds():
        check(seed)


@pytest.mark.long
def test_what_is_odd(name: str, check: Check) -> None:
    few = SLOW.get(name, 150)

    @settings(max_examples=rounds(-(-few // 3), few * 100), suppress_health_check=list(HealthCheck), database=None)
    @given(changed(TARGETS[name]))
    def odd(data: bytes) -> None:
        check(data)

    odd()
