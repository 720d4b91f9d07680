"""The two legs of a search when one of them is slow or fails: the other one answers, and says so."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence

import pytest

from kgfs.calls import SearchCalls
from kgfs.errors import DeadlineExceeded, KgfsError, ModelError, ModelLoading, WorkerError
from kgfs.index_records import IdFilter, Ranking
from kgfs.search import legs


class SlowIndex(SearchCalls):
    """Keyword answers at once; vectors when they are let."""

    def __init__(self, failure: KgfsError | None = None) -> None:
        self.free = threading.Event()
        self.failure = failure

    def keyword(
        self, kinds: Sequence[str], query: str, limit: int, where: dict[str, IdFilter] | None = None
    ) -> dict[str, Ranking]:
        return {kind: Ranking() for kind in kinds}

    def nearest(
        self, kinds: Sequence[str], query: str, limit: int, where: dict[str, IdFilter] | None = None, wait: float = 0.0
    ) -> dict[str, Ranking]:
        if self.failure is not None:
            raise self.failure
        self.free.wait(30)
        return {kind: Ranking() for kind in kinds}


@pytest.fixture
def index() -> Iterator[SlowIndex]:
    made = SlowIndex()
    yield made
    made.free.set()


def test_vectors_that_come_too_late_are_not_waited_for(index: SlowIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(legs, "ANSWER_SECONDS", 0.3)
    asked = legs.Legs(index)
    started = time.monotonic()
    found = asked.begin(["chunk"], "wages", 10, {}, vectors=True, wait=0.1).get()
    assert time.monotonic() - started < 10
    assert found.legs.keys() == {"bm25"} and found.missing == "vectors late"
    index.free.set()
    assert asked.begin(["chunk"], "wages", 10, {}, vectors=True, wait=0.1).get().legs.keys() == {"bm25", "vector"}
    asked.close()


def test_who_would_rather_wait_for_the_model_gets_vectors(index: SlowIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(legs, "ANSWER_SECONDS", 0.1)
    asked = legs.Legs(index)
    asking = asked.begin(["chunk"], "wages", 10, {}, vectors=True, wait=60.0)
    threading.Timer(1.0, index.free.set).start()
    assert asking.get().legs.keys() == {"bm25", "vector"}
    asked.close()


@pytest.mark.parametrize(
    ("failure", "missing"),
    [
        (ModelLoading("it loads"), "model loading"),
        (ModelError("no such model"), "model failed"),
        (DeadlineExceeded("too long"), "vectors failed"),
        (WorkerError("died"), "vectors failed"),
    ],
)
def test_a_leg_that_fails_is_named(failure: KgfsError, missing: str) -> None:
    asked = legs.Legs(SlowIndex(failure))
    found = asked.begin(["chunk"], "wages", 10, {}, vectors=True, wait=0.1).get()
    assert found.legs.keys() == {"bm25"} and found.missing == missing
    asked.close()
