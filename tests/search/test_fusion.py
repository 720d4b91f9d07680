"""Fusion: what holds for any lists."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgfs.search.fusion import EXACT, KIND_WEIGHTS, PREFIX, FusedList, FusedRow, OrderedRows, RankedList, fuse_legs

ids = st.lists(st.integers(1, 60), unique=True, max_size=40)


def ranked(numbers: list[int]) -> RankedList:
    return RankedList.of(numbers, [float(-place) for place in range(len(numbers))])


def in_order(lists: Sequence[FusedList]) -> list[FusedRow]:
    return OrderedRows(lists).page()


def order(*lists: FusedList) -> list[tuple[str, int]]:
    return [(row.kind, row.id) for row in in_order(lists)]


@given(ids, ids)
def test_every_row_once_with_falling_scores_between_0_and_1(bm25: list[int], vector: list[int]) -> None:
    rows = in_order([fuse_legs("chunk", {"bm25": ranked(bm25), "vector": ranked(vector)})])
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
    one = fuse_legs("chunk", {"bm25": ranked(bm25), "vector": ranked(vector)})
    other = fuse_legs("chunk", {"vector": ranked(vector), "bm25": ranked(bm25)})
    fact = fuse_legs("fact", {"bm25": ranked(vector)})
    assert order(one, fact) == order(fact, other)


@given(ids)
def test_one_leg_keeps_its_order(bm25: list[int]) -> None:
    assert [number for _, number in order(fuse_legs("chunk", {"bm25": ranked(bm25)}))] == bm25


@given(ids, ids)
def test_being_better_in_both_legs_is_being_better(bm25: list[int], vector: list[int]) -> None:
    places = {number: place for place, (_, number) in enumerate(order(fuse_legs("c", {"bm25": ranked(bm25), "vector": ranked(vector)})))}  # fmt: skip  # noqa: E501
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
    rows = in_order([fuse_legs("entity", legs, dict(names))])
    tiers = [dict(names).get(row.id, 0.0) for row in rows]
    assert tiers == sorted(tiers, reverse=True)
    assert all(0 < row.score <= 1 for row in rows)


def test_first_in_every_leg_is_the_best_there_can_be() -> None:
    best = in_order([fuse_legs("chunk", {"bm25": ranked([1, 2]), "vector": ranked([1, 3])})])[0]
    assert (best.id, best.score) == (1, 0.94)
    alone = in_order([fuse_legs("chunk", {"bm25": ranked([1])})])[0]
    assert alone.score == best.score  # a leg that did not take part does not count


def test_kinds_are_mixed_with_passages_first() -> None:
    lists = [
        fuse_legs(kind, {"bm25": ranked(list(range(1, 41)))}, None, weight) for kind, weight in KIND_WEIGHTS.items()
    ]
    kinds = [kind for kind, _ in order(*lists)]
    assert kinds[:3] == ["chunk"] * 3
    assert set(kinds[:60]) == set(KIND_WEIGHTS)


def test_nothing_gives_nothing() -> None:
    assert order() == []
    assert order(fuse_legs("chunk", {}), fuse_legs("fact", {"bm25": ranked([])})) == []


@pytest.mark.parametrize("most", [1, 3])
@given(ids, ids, st.integers(0, 30), st.integers(1, 30))
def test_at_most_so_many_of_a_document_and_the_rest_counted(
    most: int, chunks: list[int], facts: list[int], offset: int, limit: int
) -> None:
    lists = [fuse_legs("chunk", {"bm25": ranked(chunks)}), fuse_legs("fact", {"bm25": ranked(facts)}, weight=0.75)]
    documents = {fused.kind: fused.ids % 4 for fused in lists}  # document 0 is none
    kept = OrderedRows(lists, documents, most).page()
    expected: list[tuple[str, int]] = []
    left_out = dict.fromkeys(range(1, 4), 0)
    for kind, number in order(*lists):
        if number % 4 == 0 or [one % 4 for _, one in expected].count(number % 4) < most:
            expected.append((kind, number))
        else:
            left_out[number % 4] += 1
    assert [(row.kind, row.id) for row in kept] == expected
    assert all(row.more == left_out.get(row.id % 4, 0) for row in kept)
    ordered = OrderedRows(lists, documents, most)
    assert len(ordered) == len(kept)
    assert ordered.page(offset, limit) == kept[offset : offset + limit]


def test_a_word_that_one_text_has_counts() -> None:
    vector = RankedList.of(list(range(1, 201)), [0.4 - number / 2000 for number in range(200)])
    keyword = RankedList.of([150], [9.0])
    assert order(fuse_legs("chunk", {"bm25": keyword, "vector": vector}))[0] == ("chunk", 150)


def test_vectors_that_are_all_alike_do_not_outweigh_words() -> None:
    vector = RankedList.of([1, 2, 3], [0.3002, 0.3001, 0.3])
    keyword = RankedList.of([3, 2, 1], [9.0, 2.0, 1.0])
    assert order(fuse_legs("chunk", {"bm25": keyword, "vector": vector}))[0] == ("chunk", 3)


@pytest.mark.parametrize("having", [1, 60, 300])
def test_while_vectors_are_made_a_word_counts_more(having: int) -> None:
    """Of 1,000 texts 40 have vectors, none of them the word: those that have it are above them, though all alike."""
    keyword = RankedList.of(list(range(1, having + 1)), [1.5] * having)
    vector = RankedList.of(list(range(901, 941)), [0.6 - number / 80 for number in range(40)])
    legs = {"bm25": keyword, "vector": vector}
    rows = [number for _, number in order(fuse_legs("chunk", legs, shares={"vector": 0.04}))]
    assert set(rows[:having]) == set(keyword.ids.tolist())
    assert rows[having:] == vector.ids.tolist()


def test_many_that_have_a_word_equally_are_above_those_that_lack_it() -> None:
    keyword = RankedList.of(list(range(1, 301)), [1.5] * 300)
    vector = RankedList.of([*range(1, 300), 400, 300], [0.5] * 301)
    assert order(fuse_legs("chunk", {"bm25": keyword, "vector": vector}))[-1] == ("chunk", 400)


@given(ids, ids, ids)
def test_the_leg_of_the_graph_counts_by_its_logarithm(bm25: list[int], vector: list[int], linked: list[int]) -> None:
    walked = RankedList.of(linked, [2.0**-place for place in range(len(linked))])
    legs = {"bm25": ranked(bm25), "vector": ranked(vector), "graph": walked}
    rows = in_order([fuse_legs("chunk", legs)])
    assert sorted(row.id for row in rows) == sorted({*bm25, *vector, *linked})
    alone = [row.id for row in in_order([fuse_legs("chunk", {"graph": walked})])]
    assert alone == linked
    assert all(0 < row.score <= 1 for row in rows)
