"""Fusion: what holds for any lists."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgfs.search.fusion import EXACT, KIND_WEIGHTS, PREFIX, FusedList, RankedList, at_most, fuse, in_order

ids = st.lists(st.integers(1, 60), unique=True, max_size=40)


def ranked(numbers: list[int]) -> RankedList:
    return RankedList.of(numbers, [float(-place) for place in range(len(numbers))])


def order(*lists: FusedList) -> list[tuple[str, int]]:
    return [(row.kind, row.id) for row in in_order(lists)]


@given(ids, ids)
def test_every_row_once_with_falling_scores_between_0_and_1(bm25: list[int], vector: list[int]) -> None:
    rows = list(in_order([fuse("chunk", {"bm25": ranked(bm25), "vector": ranked(vector)})]))
    assert sorted(row.id for row in rows) == sorted({*bm25, *vector})
    assert all(0 < row.score <= 1 for row in rows)
    assert all(first.score >= second.score for first, second in pairwise(rows))
    for row in rows:
        assert set(row.legs) == {leg for leg, list_ in (("bm25", bm25), ("vector", vector)) if row.id in list_}
        for leg, numbers in (("bm25", bm25), ("vector", vector)):
            if leg in row.legs:
                assert row.legs[leg].rank == numbers.index(row.id) + 1
                assert row.legs[leg].score == -float(numbers.index(row.id))


@given(ids, ids, st.randoms())
def test_the_order_does_not_depend_on_the_order_of_legs_or_kinds(bm25: list[int], vector: list[int], r: object) -> None:
    one = fuse("chunk", {"bm25": ranked(bm25), "vector": ranked(vector)})
    other = fuse("chunk", {"vector": ranked(vector), "bm25": ranked(bm25)})
    fact = fuse("fact", {"bm25": ranked(vector)})
    assert order(one, fact) == order(fact, other)


@given(ids)
def test_one_leg_keeps_its_order(bm25: list[int]) -> None:
    assert [number for _, number in order(fuse("chunk", {"bm25": ranked(bm25)}))] == bm25


@given(ids, ids)
def test_being_better_in_both_legs_is_being_better(bm25: list[int], vector: list[int]) -> None:
    places = {number: place for place, (_, number) in enumerate(order(fuse("c", {"bm25": ranked(bm25), "vector": ranked(vector)})))}  # fmt: skip  # noqa: E501
    both = [number for number in bm25 if number in vector]
    for first in both:
        for second in both:
            if bm25.index(first) < bm25.index(second) and vector.index(first) < vector.index(second):
                assert places[first] < places[second]


@given(ids, ids, st.lists(st.tuples(st.integers(1, 60), st.sampled_from([EXACT, PREFIX])), max_size=5, unique_by=lambda x: x[0]))  # fmt: skip  # noqa: E501
def test_exact_names_first_then_prefixes_then_the_rest(
    bm25: list[int], vector: list[int], names: list[tuple[int, float]]
) -> None:
    legs = {"bm25": ranked(bm25), "vector": ranked(vector)}
    rows = list(in_order([fuse("entity", legs, dict(names))]))
    tiers = [dict(names).get(row.id, 0.0) for row in rows]
    assert tiers == sorted(tiers, reverse=True)
    assert all(0 < row.score <= 1 for row in rows)


def test_first_in_every_leg_is_the_best_there_can_be() -> None:
    best = next(in_order([fuse("chunk", {"bm25": ranked([1, 2]), "vector": ranked([1, 3])})]))
    assert (best.id, best.score) == (1, 0.94)
    alone = next(in_order([fuse("chunk", {"bm25": ranked([1])})]))
    assert alone.score == best.score  # a leg that did not take part does not count


def test_kinds_are_mixed_with_passages_first() -> None:
    lists = [fuse(kind, {"bm25": ranked(list(range(1, 41)))}, None, weight) for kind, weight in KIND_WEIGHTS.items()]
    kinds = [kind for kind, _ in order(*lists)]
    assert kinds[:3] == ["chunk"] * 3
    assert set(kinds[:60]) == set(KIND_WEIGHTS)


def test_nothing_gives_nothing() -> None:
    assert order() == []
    assert order(fuse("chunk", {}), fuse("fact", {"bm25": ranked([])})) == []


@pytest.mark.parametrize("most", [1, 3])
@given(ids)
def test_at_most_so_many_of_a_document(most: int, numbers: list[int]) -> None:
    documents = {number: number % 4 for number in numbers}  # document 0 is none
    rows = list(at_most(in_order([fuse("chunk", {"bm25": ranked(numbers)})]), most, {"chunk": documents}))
    kept = [row.id for row in rows]
    expected: list[int] = []
    for number in numbers:
        if documents[number] == 0 or [documents[one] for one in expected].count(documents[number]) < most:
            expected.append(number)
    assert kept == expected
