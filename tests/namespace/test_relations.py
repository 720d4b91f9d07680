"""Compact relations against sets and lists."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kgfs.namespace.domains import Domain
from kgfs.namespace.fact_groups import FactColumns, group_facts
from kgfs.namespace.loading.edits import grouped
from kgfs.namespace.relations import NO_TIME, Csr, Derived, members_of, reduce_over, through

PAIRS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 8)), max_size=60)


def csr(pairs: list[tuple[int, int]], owners: int = 7) -> Csr:
    columns = np.array(pairs, np.int64).reshape(-1, 2)
    return Csr(owners, columns[:, 0], columns[:, 1])


@given(PAIRS)
def test_a_relation_is_a_set(pairs: list[tuple[int, int]]) -> None:
    relation, back = csr(pairs), csr(pairs).reverse(9)
    for owner in range(7):
        wanted = sorted({target for o, target in pairs if o == owner})
        assert list(relation.members(owner)) == wanted
        assert relation.count(owner) == len(wanted)
        assert [relation.has(owner, target) for target in range(9)] == [target in wanted for target in range(9)]
    for target in range(9):
        assert list(back.members(target)) == sorted({owner for owner, t in pairs if t == target})
    some = np.array([4, 0, 6])
    targets, bounds = members_of(some, relation.target_array, relation.offset_array)
    newest = reduce_over(np.maximum, targets.astype(np.int64) * 10, bounds, NO_TIME)
    assert newest.tolist() == [max((t * 10 for o, t in pairs if o == owner), default=NO_TIME) for owner in (4, 0, 6)]


@given(PAIRS, PAIRS)
def test_through(first: list[tuple[int, int]], second: list[tuple[int, int]]) -> None:
    relation = Derived(through(csr(first), csr([(t, o) for o, t in second], 9)), keep=2)
    for owner in (*range(7), *range(7)):
        wanted = {o for _, t in ((o, t) for o, t in first if o == owner) for o, t2 in second if t2 == t}
        assert list(relation.members(owner)) == sorted(wanted)
        assert all(relation.has(owner, target) == (target in wanted) for target in range(9))


FACTS = st.lists(
    st.tuples(st.integers(-1, 4), st.integers(0, 3), st.integers(-1, 4), st.integers(1, 99), st.integers(-50, 50)),
    max_size=40,
)


@given(FACTS)
def test_groups(facts: list[tuple[int, int, int, int, int]]) -> None:
    columns = [np.array([fact[place] for fact in facts], np.int64) for place in range(5)]
    groups = group_facts(5, FactColumns(*columns))
    for owner in range(5):
        own = [index for index, fact in enumerate(facts) if fact[0] == owner]
        assert sorted(groups.all(owner)) == own
        assert groups.counts[owner] == len(own)
        assert groups.total_size[owner] == sum(facts[index][3] for index in own)
        assert groups.newest_array[owner] == max((facts[index][4] for index in own), default=NO_TIME)
        assert groups.pair_counts[owner] == len({facts[index][1:3] for index in own if facts[index][2] >= 0})
        kinds = sorted({facts[index][1] for index in own})
        assert [groups.group(number).type for number in groups.types(owner)] == kinds
        for kind in range(4):
            number = groups.find_group(owner, kind)
            assert (number is not None) == (kind in kinds)
            if number is None:
                continue
            of_kind = [index for index in own if facts[index][1] == kind]
            with_other = [index for index in of_kind if facts[index][2] >= 0]
            assert sorted(groups.facts(number)) == of_kind
            assert sorted(groups.facts(number, edges=True)) == with_other
            assert groups.has_edges(number) == bool(with_other)
            assert groups.size(number) == sum(facts[index][3] for index in of_kind)
            assert groups.size(number, edges=True) == sum(facts[index][3] for index in with_other)
            assert groups.newest(number) == max(facts[index][4] for index in of_kind)
            first: dict[int, int] = {}
            for index in with_other:
                first.setdefault(facts[index][2], index)
            assert groups.pairs(number) == [(index, other) for other, index in sorted(first.items())]
            assert [groups.pair(number, other) for other in range(5)] == [first.get(other) for other in range(5)]


@given(st.sets(st.integers(1, 60), max_size=30), st.lists(st.integers(-5, 70), max_size=30))
def test_ids_are_found(ids: set[int], asked: list[int]) -> None:
    ordered = sorted(ids)
    domain = Domain("row", np.array(ordered, np.int64), np.zeros(len(ids)))
    wanted = [ordered.index(row_id) if row_id in ids else -1 for row_id in asked]
    assert [domain.find_index(row_id) for row_id in asked] == wanted
    assert domain.map(np.array(asked, np.int64)).tolist() == wanted


@given(st.lists(st.integers(-1, 5), max_size=20))
def test_grouped(of_rows: list[int]) -> None:
    found = grouped(np.array(of_rows, np.int64))
    assert {month: members.tolist() for month, members in found.items()} == {
        month: [index for index, value in enumerate(of_rows) if value == month] for month in sorted(set(of_rows))
    }
