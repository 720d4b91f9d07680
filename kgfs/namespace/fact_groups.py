"""Facts by what they are about, as columns: those of an owner, by type, by the entity on their other side.

Used by ``loading`` (which builds these) and by the segments and views, which read them on the event loop. Owners and
facts are *indexes* into a domain's columns, not row ids. All is immutable after building.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import NamedTuple

import numpy as np

from kgfs.namespace.relations import NO_TIME, Ints, flat, offsets_of, order_of, reduce_over


class Group(NamedTuple):
    """The facts of one owner and one type."""

    type: int
    start: int
    end: int
    edges: int
    """Where those begin that have an entity on their other side; they go on to ``end``, by that entity, then by id."""


class FactColumns(NamedTuple):
    """What groups are made of: a number for each fact."""

    owner: Ints
    """-1 leaves a fact out."""
    type: Ints
    other: Ints
    """-1 is a fact without an edge."""
    size: Ints
    date: Ints


class OfFacts(NamedTuple):
    """Of each fact, in the order of the groups."""

    order: Ints
    other: Ints


class OfGroups(NamedTuple):
    """Of each group."""

    type: Ints
    facts: Ints
    """How many there are."""
    edges: Ints
    """How many of them have an edge."""
    size: Ints
    edge_size: Ints
    newest: Ints
    newest_edge: Ints


class OfOwners(NamedTuple):
    """Of each owner."""

    facts: Ints
    """How many there are."""
    groups: Ints
    """How many they are in."""
    size: Ints
    newest: Ints
    newest_edge: Ints
    pairs: Ints


NOTHING = OfOwners(*(np.array([value], np.int64) for value in (0, 0, 0, NO_TIME, NO_TIME, 0)))
"""An owner without facts."""


class FactGroups:
    """Facts by owner (subject or object), then type, then the entity on the other side, then row id."""

    def __init__(self, facts: OfFacts, groups: OfGroups, owners: OfOwners) -> None:
        self.of_facts, self.of_groups, self.of_owners = facts, groups, owners
        self.order_array = facts.order
        bounds = offsets_of(groups.facts)
        self.owned_array = offsets_of(owners.facts)
        self.group_array = offsets_of(owners.groups)
        self._types = flat(groups.type)
        self._bounds = flat(bounds)
        self._edges = flat(bounds[1:] - groups.edges)
        self._sizes = flat(groups.size)
        self._edge_sizes = flat(groups.edge_size)
        self._newest = flat(groups.newest)
        self._newest_edge = flat(groups.newest_edge)
        self._other = flat(facts.other)
        self._order = flat(facts.order)
        self._groups = flat(self.group_array)
        self._owned = flat(self.owned_array)
        self.counts = owners.facts
        self.owned_counts = flat(owners.facts)
        self.total_size = flat(owners.size)
        self.newest_array = owners.newest
        self.newest_edge_array = owners.newest_edge
        self.pair_counts = owners.pairs

    def all(self, owner: int) -> memoryview:
        """The facts of an owner."""
        return self._order[self._owned[owner] : self._owned[owner + 1]]

    def types(self, owner: int) -> range:
        """The groups of an owner, one a type."""
        return range(self._groups[owner], self._groups[owner + 1])

    def group(self, number: int) -> Group:
        return Group(self._types[number], self._bounds[number], self._bounds[number + 1], self._edges[number])

    def find_group(self, owner: int, fact_type: int) -> int | None:
        """The group of an owner and a type."""
        types = self._types
        for number in range(self._groups[owner], self._groups[owner + 1]):
            if types[number] == fact_type:
                return number
        return None

    def facts(self, number: int, edges: bool = False) -> memoryview:
        """The facts of a group; with ``edges`` those that have an entity on the other side."""
        start = self._edges[number] if edges else self._bounds[number]
        return self._order[start : self._bounds[number + 1]]

    def pairs(self, number: int) -> list[tuple[int, int]]:
        """``(fact, other)`` for each entity on the other side, by its first fact."""
        result = []
        before = -1
        for place in range(self._edges[number], self._bounds[number + 1]):
            other = self._other[place]
            if other != before:
                result.append((self._order[place], other))
                before = other
        return result

    def pair(self, number: int, other: int) -> int | None:
        """The first fact of a group with this entity on the other side."""
        end = self._bounds[number + 1]
        place = bisect_left(self._other, other, self._edges[number], end)
        return self._order[place] if place < end and self._other[place] == other else None

    def size(self, number: int, edges: bool = False) -> int:
        """Bytes of the group's fact lines joined."""
        return self._edge_sizes[number] if edges else self._sizes[number]

    def newest(self, number: int, edges: bool = False) -> int:
        return self._newest_edge[number] if edges else self._newest[number]

    def has_edges(self, number: int) -> bool:
        return bool(self._edges[number] < self._bounds[number + 1])


def group_facts(owners: int, columns: FactColumns, places: Ints | None = None) -> FactGroups:
    """The facts in groups; ``places`` are their indexes, where they are not all of them."""
    chosen = np.nonzero(columns.owner >= 0)[0].astype(np.int32)
    owner, kind, other = columns.owner[chosen], columns.type[chosen], columns.other[chosen]
    by_group = order_of(other, kind, owner)
    chosen, owner, kind, other = chosen[by_group], owner[by_group], kind[by_group], other[by_group]
    if len(owner):
        heads = np.concatenate(([True], (owner[1:] != owner[:-1]) | (kind[1:] != kind[:-1])))
    else:
        heads = np.empty(0, bool)
    starts = np.nonzero(heads)[0]
    bounds = np.append(starts, len(owner)).astype(np.int64)
    with_edge = (other >= 0).astype(np.int64)
    sizes, dates = columns.size[chosen].astype(np.int64), columns.date[chosen]
    edge_dates = np.where(other >= 0, dates, NO_TIME)
    counts = np.bincount(owner, minlength=owners)
    owned = offsets_of(counts)
    # The first fact of a pair stands for its relationship: the link beside ``_edges.jsonl``.
    first = (other >= 0) & (heads | (np.concatenate(([-1], other[:-1])) != other) if len(owner) else heads)
    return FactGroups(
        OfFacts(chosen if places is None else places[chosen], other.astype(np.int32)),
        OfGroups(
            kind[starts].astype(np.int32),
            np.diff(bounds),
            reduce_over(np.add, with_edge, bounds, 0),
            reduce_over(np.add, sizes, bounds, 0),
            reduce_over(np.add, sizes * with_edge, bounds, 0),
            reduce_over(np.maximum, dates, bounds, NO_TIME),
            reduce_over(np.maximum, edge_dates, bounds, NO_TIME),
        ),
        OfOwners(
            counts,
            np.bincount(owner[starts], minlength=owners),
            reduce_over(np.add, sizes, owned, 0),
            reduce_over(np.maximum, dates, owned, NO_TIME),
            reduce_over(np.maximum, edge_dates, owned, NO_TIME),
            reduce_over(np.add, first.astype(np.int64), owned, 0),
        ),
    )
