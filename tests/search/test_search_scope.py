"""Search inside a scope: the engines rank only what lies in it, nothing of it is missed, however large it is."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from kgfs.index_records import IdFilter, IndexRow
from kgfs.model import KINDS
from kgfs.models.client import Worker
from kgfs.search.query import SearchHit, SearchRequest, search_request
from kgfs.search.rows import CatalogRows
from kgfs.search.searcher import Searcher
from kgfs.store.catalog.database import Database
from kgfs.store.index import index_filter
from kgfs.store.index import vectors as module
from kgfs.store.index.vectors import VectorStore

ROWS, DIMENSION, MODEL = 600, 16, "model#1"
WORDS = [f"word{number}" for number in range(40)]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> VectorStore:
    """Rows of random words; ids have gaps."""
    dice = random.Random(3)
    store = VectorStore(tmp_path_factory.mktemp("scope"), DIMENSION)
    rows = [
        IndexRow(id=number * 3 // 2, gen=1, title="", text=" ".join(dice.choices(WORDS, k=dice.randint(3, 30))))
        for number in range(1, ROWS + 1)
    ]
    store.put_texts("chunk", rows)
    made = np.random.default_rng(3).standard_normal((ROWS, DIMENSION)).astype(np.float32)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    store.put_vectors("chunk", rows, made, MODEL)
    store.optimize()
    return store


ALL = np.array([number * 3 // 2 for number in range(1, ROWS + 1)])


def where(ids: NDArray[np.int64]) -> IdFilter:
    return IdFilter(ids=np.asarray(ids, np.int64).tobytes())


def scopes() -> st.SearchStrategy[NDArray[np.int64]]:
    """Few rows, many, runs of rows, nearly all; ids that no row has."""
    some = st.sets(st.integers(0, 1000), max_size=30)
    stretch = st.builds(lambda first, count: set(range(first, first + count)), st.integers(0, 900), st.integers(0, 900))
    return st.one_of(
        some,
        stretch,
        st.builds(lambda one, other: one | other, stretch, some),
        st.builds(lambda left_out: set(ALL.tolist()) - left_out, some),
        st.builds(lambda seed: {int(one) for one in ALL if (int(one) * 7919 + seed) % 3}, st.integers(0, 99)),
    ).map(lambda ids: np.array(sorted(ids), np.int64))


COSTS = [None, (0.0, 1e9, 1e9), (1e9, 0.0, 1e9), (1e9, 1e9, 0.0)]
"""Chosen by what it costs; always listed, always by ranges, always of a deeper list."""


@pytest.fixture(params=COSTS, ids=["chosen", "listed", "ranges", "deeper"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param is not None:
        names = ("LISTED_COST", "RANGE_COST", "DEEP_COST")
        for name, cost in zip(names, request.param, strict=True):
            monkeypatch.setattr(index_filter, name, cost)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("in_memory", [True, False])
@pytest.mark.parametrize("limit", [5, 1000])
def test_a_scope_is_what_a_search_of_everything_finds_in_it(
    index: VectorStore, monkeypatch: pytest.MonkeyPatch, in_memory: bool, limit: int
) -> None:
    if not in_memory:
        monkeypatch.setattr(module, "MAX_ROWS", dict.fromkeys(KINDS, -1))
        index._caches.clear()
    vector = np.zeros(DIMENSION, np.float32)
    vector[0] = 1.0
    words = " ".join(WORDS[:3])
    whole = index.keyword("chunk", words, ROWS), index.nearest("chunk", vector, MODEL, ROWS)
    assert len(whole[1].ids) == ROWS

    @settings(max_examples=8, deadline=None)
    @given(scopes())
    def check(scope: NDArray[np.int64]) -> None:
        found = (
            index.keyword("chunk", words, limit, where(scope)),
            index.nearest("chunk", vector, MODEL, limit, where(scope)),
        )
        for everything, inside in zip(whole, found, strict=True):
            rows = zip(everything.ids, everything.scores, strict=True)
            expected = [(row, score) for row, score in rows if row in set(scope.tolist())]
            scores = [score for _, score in expected]
            assert inside.scores == pytest.approx(scores[:limit], abs=1e-5)
            # At the cut, and between scores that differ in their last digit, any of the rows that are alike.
            assert set(inside.ids) <= set(scope.tolist())
            assert len(inside.ids) == min(limit, len(expected))
            surely = {row for row, score in expected[:limit] if score > scores[:limit][-1] + 1e-5}
            assert surely <= set(inside.ids)

    check()


def test_a_scope_that_lets_through_what_stands_last(index: VectorStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """The deeper list is asked for again and again until it has what passes."""
    monkeypatch.setattr(index_filter, "LISTED_COST", 1e9)
    monkeypatch.setattr(index_filter, "RANGE_COST", 1e9)
    whole = index.keyword("chunk", WORDS[0], ROWS)
    last = sorted(whole.ids[-40:])
    found = index.keyword("chunk", WORDS[0], 7, where(np.array(last)))
    assert found.scores == pytest.approx(whole.scores[-40:][:7], abs=1e-5)
    assert set(found.ids) <= set(last)


@given(st.sets(st.integers(0, 60), min_size=1))
def test_runs_are_the_ids(ids: set[int]) -> None:
    begins, ends = index_filter.id_runs(np.array(sorted(ids), np.int64))
    covered = [
        one for first, last in zip(begins.tolist(), ends.tolist(), strict=True) for one in range(first, last + 1)
    ]
    assert covered == sorted(ids)
    assert all(begin > end + 1 for begin, end in zip(begins[1:], ends[:-1], strict=True))


# --- searches ------------------------------------------------------------------------------------------------------

pytestmark = pytest.mark.model


@pytest.fixture
def searcher(worker: Worker, catalog: Database) -> Iterator[Searcher]:
    one = Searcher(worker, CatalogRows(catalog), 60.0)
    yield one
    one.close()


def ids(*numbers: int) -> NDArray[np.int64]:
    return np.array(numbers, np.int64)


def found(searcher: Searcher, asked: SearchRequest) -> set[tuple[str, int]]:
    return {(hit.kind, hit.id) for hit in searcher.search(asked).hits}


EVERY = {"chunk": 6, "fact": 2, "entity": 5, "topic": 2}


@pytest.mark.parametrize("seed", range(12))
def test_hits_are_in_the_scope_and_all_of_it_is_found(searcher: Searcher, seed: int) -> None:
    dice = random.Random(seed)
    within: dict[str, NDArray[np.int64] | None] = {}
    expected = set()
    for kind, count in EVERY.items():
        match dice.randrange(4):
            case 0:
                continue
            case 1:
                within[kind], chosen = None, set(range(1, count + 1))
            case _:
                chosen = {one for one in range(1, count + 1) if dice.random() < 0.5}
                within[kind] = ids(*sorted(chosen | {77}))
        expected |= {(kind, one) for one in chosen}
    # Vectors rank everything, so that everything in the scope is found; one document may have three.
    asked = SearchRequest(query="wages in Boston", within=within, limit=1000)
    answer = searcher.search(asked)
    kept = {(hit.kind, hit.id) for hit in answer.hits}
    assert kept <= expected
    assert len(expected) - len(kept) == sum({hit.more for hit in answer.hits})
    assert (answer.hits, answer.mode) == again(searcher, asked)
    for kind in {kind for kind, _ in expected}:
        alone = SearchRequest(query="wages in Boston", kinds=(kind,), within=within, limit=1000)
        assert found(searcher, alone) == {one for one in expected if one[0] == kind}


def again(searcher: Searcher, asked: SearchRequest) -> tuple[list[SearchHit], str]:
    answer = searcher.search(asked)
    return answer.hits, answer.mode


def test_a_scope_and_filters_are_both_kept(searcher: Searcher) -> None:
    within = {"chunk": ids(1, 3, 5)}
    for filters, expected in (
        ({"origin": "disk"}, {1, 3}),
        ({"origin": "agent"}, {5}),
        ({"date_from": "2019-10"}, {1}),
        ({"date_from": "2020"}, set()),
        ({"type": "Person"}, set()),
    ):
        asked = msgspec.structs.replace(SearchRequest(query="wages", kinds=("chunk",), within=within), **filters)
        assert found(searcher, asked) == {("chunk", one) for one in expected}


def test_names_outside_the_scope_are_no_hits(searcher: Searcher) -> None:
    for area in ("semantic", "entities"):
        asked = search_request(area, "DeepMind")
        assert ("entity", 2) in found(searcher, asked)
        inside = SearchRequest(query="DeepMind", kinds=asked.kinds, within={"entity": ids(1, 3)})
        assert found(searcher, inside) == {("entity", 1), ("entity", 3)}


def test_what_the_graph_leads_to_stays_in_the_scope(searcher: Searcher) -> None:
    asked = SearchRequest(query="Google", kinds=("chunk",), within={"chunk": ids(1, 2)})
    answer = searcher.search(asked)
    assert {hit.id for hit in answer.hits} == {1, 2}
    whole = searcher.search(SearchRequest(query="who bought DeepMind", kinds=("chunk",)))
    assert next(hit for hit in whole.hits if hit.id == 5).legs["graph"].rank == 1


def test_an_empty_scope_has_no_hits(searcher: Searcher) -> None:
    for within in ({}, {"chunk": ids()}, {"chunk": ids(999)}):
        answer = searcher.search(SearchRequest(query="wages", within=within))
        assert answer.hits == []


def test_pages_of_a_scope_join_to_the_whole(searcher: Searcher) -> None:
    within = {"chunk": None, "entity": ids(1, 2, 4)}
    whole = searcher.search(SearchRequest(query="laboratory in Boston", within=within, limit=20)).hits
    pages = [
        hit
        for offset in range(len(whole) + 2)
        for hit in searcher.search(
            SearchRequest(query="laboratory in Boston", within=within, limit=1, offset=offset)
        ).hits
    ]
    assert pages == whole


def test_a_large_table_by_its_own_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches, several models and gaps reach the table in memory as they are."""
    store = VectorStore(tmp_path, DIMENSION)
    made = np.eye(DIMENSION, dtype=np.float32)
    for number in range(4):
        rows = [IndexRow(id=number * 10 + one, gen=number, title="", text="x") for one in range(4)]
        store.put_vectors("chunk", rows, made[:4], f"model#{number % 2}")
    memory = store.nearest("chunk", made[1], "model#1", 100)
    assert sorted(memory.ids) == [10, 11, 12, 13, 30, 31, 32, 33]
    assert memory.ids[:2] == [11, 31] and memory.gens[:2] == [1, 3]
    monkeypatch.setattr(module, "MAX_ROWS", dict.fromkeys(KINDS, -1))
    store._caches.clear()
    scanned = store.nearest("chunk", made[1], "model#1", 100)
    assert (scanned.ids, scanned.gens) == (memory.ids, memory.gens)
