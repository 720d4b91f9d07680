"""Who belongs to whom, as offsets and targets: the topology of a snapshot in a few bytes an edge.

Used by ``snapshot`` (which builds these in the thread that loads it) and by the segments and views, which read them on
the event loop. Owners and targets are *indexes* into a domain's columns, not row ids. All is immutable after building.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from copy import copy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[Any]
NO_TIME = -(1 << 62)
"""The newest of nothing."""


def flat(column: Ints) -> memoryview:
    """A column for reading single values: Python integers, several times faster than out of numpy."""
    return np.ascontiguousarray(column).data


_DIGIT = 16
_FEW_TO_SORT = 4096


def order_of(*keys: Ints) -> Ints:
    """The places of rows in the order of the last key, among equal ones of the key before it, and so on.

    The same as ``numpy.lexsort`` of integers, three times as fast where there are many: numpy sorts 16 bits by
    counting, and wider numbers by comparing.
    """
    if len(keys[-1]) < _FEW_TO_SORT:
        return np.lexsort(keys).astype(np.int32)
    order: Ints | None = None
    for key in keys:
        rest = key.view(f"u{key.itemsize}") - key.dtype.type(key.min()).view(f"u{key.itemsize}")
        highest = int(rest.max())
        for shift in range(0, max(highest.bit_length(), 1), _DIGIT):
            digit = (rest >> rest.dtype.type(shift)).astype(np.uint16)
            if order is None:
                order = np.argsort(digit, kind="stable").astype(np.int32)
            else:
                order = order[np.argsort(digit[order], kind="stable")]
    assert order is not None
    return order


class Relation:
    """For each owner its targets, sorted, each once."""

    def members(self, owner: int) -> memoryview:
        raise NotImplementedError

    def has(self, owner: int, target: int) -> bool:
        values = self.members(owner)
        place = bisect_left(values, target, 0, len(values))
        return place < len(values) and values[place] == target

    def count(self, owner: int) -> int:
        return len(self.members(owner))


class Csr(Relation):
    """A relation that is kept whole: ``targets[offsets[i]:offsets[i + 1]]`` are those of owner ``i``."""

    def __init__(self, owners: int, owner_of: Ints, target_of: Ints) -> None:
        keys = owner_of.astype(np.int64) << 32 | target_of.astype(np.int64)
        keys.sort()
        if len(keys) > 1:
            keys = keys[np.concatenate(([True], keys[1:] != keys[:-1]))]
        self.owner_array = (keys >> 32).astype(np.int32)
        self.target_array = (keys & 0xFFFFFFFF).astype(np.int32)
        self.offset_array = np.searchsorted(self.owner_array, np.arange(owners + 1)).astype(np.int64)
        self._targets = flat(self.target_array)
        self._offsets = flat(self.offset_array)

    def members(self, owner: int) -> memoryview:
        return self._targets[self._offsets[owner] : self._offsets[owner + 1]]

    def has(self, owner: int, target: int) -> bool:
        end = self._offsets[owner + 1]
        place = bisect_left(self._targets, target, self._offsets[owner], end)
        return place < end and self._targets[place] == target

    def count(self, owner: int) -> int:
        return int(self._offsets[owner + 1] - self._offsets[owner])

    def counts(self) -> Ints:
        return np.diff(self.offset_array)

    def grown(self, owners: int) -> Csr:
        """The same relation where owners without targets came behind the others."""
        if owners == len(self.offset_array) - 1:
            return self
        grown = copy(self)
        grown.offset_array = _longer(self.offset_array, owners + 1, self.offset_array[-1])
        grown._offsets = flat(grown.offset_array)
        return grown

    def reverse(self, owners: int) -> Csr:
        return Csr(owners, self.target_array, self.owner_array)

    def newest(self, of_targets: Ints) -> Ints:
        """For each owner the greatest of ``of_targets`` over its targets, ``NO_TIME`` where it has none."""
        return reduce_over(np.maximum, of_targets[self.target_array], self.offset_array, NO_TIME)


def _longer(column: Ints, length: int, value: int) -> Ints:
    return np.concatenate([column, np.full(length - len(column), value, column.dtype)])


def reduce_over(ufunc: np.ufunc, values: Ints, offsets: Ints, empty: int) -> Ints:
    """``ufunc`` over each ``values[offsets[i]:offsets[i + 1]]``; ``empty`` where there is nothing."""
    result = np.full(len(offsets) - 1, empty, dtype=np.int64)
    filled = offsets[1:] > offsets[:-1]
    if filled.any():
        result[filled] = ufunc.reduceat(values, offsets[:-1][filled])
    return result


class Derived(Relation):
    """A relation that follows from others and is worked out for one owner when asked; the last ones asked are kept."""

    def __init__(self, members: Callable[[int], Ints], keep: int = 4096) -> None:
        self._compute = members
        self._keep = keep
        self._cache: dict[int, memoryview] = {}

    def members(self, owner: int) -> memoryview:
        known = self._cache.get(owner)
        if known is None:
            known = flat(self._compute(owner).astype(np.int32))
            if len(self._cache) >= self._keep:
                self._cache.clear()
            self._cache[owner] = known
        return known


FEW = 256
"""Up to so many numbers Python's sets are quicker than numpy, whose every call costs some microseconds."""


def through(first: Csr, second: Csr, without_owner: bool = False) -> Callable[[int], Ints]:
    """The targets of an owner's targets: those of ``second`` over those of ``first``; on request not the owner."""

    def members(owner: int) -> Ints:
        parts = [second.members(each) for each in first.members(owner)]
        if sum(map(len, parts)) <= FEW:
            found = set().union(*parts)
            if without_owner:
                found.discard(owner)
            return np.array(sorted(found), np.int32)
        merged = np.unique(np.concatenate(parts))
        return merged[merged != owner] if without_owner else merged

    return members


def mapped(first: Csr, column: Ints) -> Callable[[int], Ints]:
    """A column's values over an owner's targets (the documents of an entity's chunks)."""
    values = flat(column)

    def members(owner: int) -> Ints:
        targets = first.members(owner)
        if len(targets) <= FEW:
            return np.array(sorted({values[target] for target in targets}), np.int32)
        return np.unique(column[np.asarray(targets, dtype=np.int32)])

    return members


class Group(NamedTuple):
    """The facts of one owner and one type."""

    type: int
    start: int
    end: int
    edges: int
    """Where those begin that have an entity on their other side; they go on to ``end``, by that entity, then by id."""


class FactGroups:
    """Facts by owner (subject or object), then type, then the entity on the other side, then row id."""

    def __init__(self, owners: int, owner_of: Ints, type_of: Ints, other_of: Ints, sizes: Ints, dates: Ints) -> None:
        """Columns of all facts; ``owner_of`` -1 leaves a fact out, ``other_of`` -1 is a fact without an edge."""
        chosen = np.nonzero(owner_of >= 0)[0].astype(np.int32)
        owner, kind, other = owner_of[chosen], type_of[chosen], other_of[chosen]
        order = order_of(other, kind, owner)
        self.order_array = chosen[order]
        owner, kind, other = owner[order], kind[order], other[order]
        if len(owner):
            heads = np.concatenate(([True], (owner[1:] != owner[:-1]) | (kind[1:] != kind[:-1])))
        else:
            heads = np.empty(0, bool)
        starts = np.nonzero(heads)[0]
        bounds = np.append(starts, len(owner)).astype(np.int64)
        with_edge = (other >= 0).astype(np.int64)
        edge_counts = reduce_over(np.add, with_edge, bounds, 0)
        sizes, dates = sizes[self.order_array], dates[self.order_array]
        self._types = flat(kind[starts].astype(np.int32))
        self._bounds = flat(bounds)
        self._edges = flat(bounds[1:] - edge_counts)
        self._sizes = flat(reduce_over(np.add, sizes, bounds, 0))
        self._edge_sizes = flat(reduce_over(np.add, sizes * with_edge, bounds, 0))
        self._newest = flat(reduce_over(np.maximum, dates, bounds, NO_TIME))
        self._newest_edge = flat(reduce_over(np.maximum, np.where(other >= 0, dates, NO_TIME), bounds, NO_TIME))
        self._other = flat(other.astype(np.int32))
        self._order = flat(self.order_array)
        self._groups = flat(np.searchsorted(owner[starts], np.arange(owners + 1)).astype(np.int64))
        owner_bounds = np.searchsorted(owner, np.arange(owners + 1)).astype(np.int64)
        self._owned = flat(owner_bounds)
        self.counts = np.diff(owner_bounds)
        self.owned_counts = flat(self.counts)
        self.total_size = flat(reduce_over(np.add, sizes, owner_bounds, 0))
        self.newest_array = reduce_over(np.maximum, dates, owner_bounds, NO_TIME)
        edge_dates = np.where(other >= 0, dates, NO_TIME)
        self.newest_edge_array = reduce_over(np.maximum, edge_dates, owner_bounds, NO_TIME)
        # The first fact of a pair stands for its relationship: the link beside ``_edges.jsonl``.
        first = (other >= 0) & (heads | (np.concatenate(([-1], other[:-1])) != other) if len(owner) else heads)
        self.pair_counts = reduce_over(np.add, first.astype(np.int64), owner_bounds, 0)

    def grown(self, owners: int) -> FactGroups:
        """The same groups where owners without facts came behind the others."""
        if owners == len(self.counts):
            return self
        grown = copy(self)
        grown._groups = flat(_longer(np.asarray(self._groups), owners + 1, self._groups[-1]))
        grown._owned = flat(_longer(np.asarray(self._owned), owners + 1, self._owned[-1]))
        grown.counts, grown.pair_counts = _longer(self.counts, owners, 0), _longer(self.pair_counts, owners, 0)
        grown.owned_counts = flat(grown.counts)
        grown.total_size = flat(_longer(np.asarray(self.total_size), owners, 0))
        grown.newest_array = _longer(self.newest_array, owners, NO_TIME)
        grown.newest_edge_array = _longer(self.newest_edge_array, owners, NO_TIME)
        return grown

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
