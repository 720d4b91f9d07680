"""Who belongs to whom, as offsets and targets: the topology of a snapshot in a few bytes an edge.

Used by ``loading`` (which builds these in the thread that loads a snapshot) and by the segments and views, which read
them on the event loop. Owners and targets are *indexes* into a domain's columns, not row ids. All is immutable after
building.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[Any]
NO_TIME = -(1 << 62)
"""The newest of nothing."""


def flat(column: Ints) -> memoryview:
    """A column for reading single values: Python integers, several times faster than out of numpy."""
    return np.ascontiguousarray(column).data


_WORD_BITS = 64
_FEW_TO_SORT = 4096


def order_of(*keys: Ints) -> Ints:
    """The places of rows in the order of the last key, among equal ones of the key before it, and so on.

    The same as ``numpy.lexsort`` of integers, several times as fast where there are many: as many bits of the keys as
    there is room for stand in front of the place in one number, and numpy sorts numbers faster than places.
    """
    if len(keys[-1]) < _FEW_TO_SORT:
        return np.lexsort(keys).astype(np.int32)
    order: Ints | None = None
    for digit in _digits(keys, _WORD_BITS - len(keys[-1]).bit_length()):
        order = _reordered(digit, order)
    return np.arange(len(keys[-1]), dtype=np.int32) if order is None else order


def _digits(keys: tuple[Ints, ...], room: int) -> Iterator[Ints]:
    """The keys one behind the other as numbers of at most ``room`` bits, the lowest first."""
    digit: Ints | None = None
    filled = 0
    for key in keys:
        rest = key.view(f"u{key.itemsize}") - key.dtype.type(key.min()).view(f"u{key.itemsize}")
        left = int(rest.max()).bit_length()
        while left:
            taken = min(left, room - filled)
            part = rest.astype(np.uint64)
            part &= np.uint64((1 << taken) - 1)
            if digit is None:
                digit = part
            else:
                part <<= np.uint64(filled)
                digit |= part
            filled, left = filled + taken, left - taken
            if left:
                rest = rest >> rest.dtype.type(taken)
            if filled == room:
                yield digit
                digit, filled = None, 0
    if digit is not None:
        yield digit


def _reordered(digit: Ints, order: Ints | None) -> Ints:
    """Places in the order of a digit, which is used up; equal ones as they were."""
    bits = np.uint64(len(digit).bit_length())
    numbers = digit if order is None else digit[order]
    numbers <<= bits
    numbers |= np.arange(len(numbers), dtype=np.uint64)
    numbers.sort()
    numbers &= (np.uint64(1) << bits) - np.uint64(1)
    found = numbers.astype(np.int32)
    return found if order is None else order[found]


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
        distinct = keys[1:] != keys[:-1]
        if not distinct.all():
            keys = keys[np.concatenate(([True], distinct))]
        self._keep((keys & 0xFFFFFFFF).astype(np.int32), offsets_of(np.bincount(keys >> 32, minlength=owners)))

    @classmethod
    def made(cls, targets: Ints, offsets: Ints) -> Csr:
        """A relation whose columns are there already."""
        relation = cls.__new__(cls)
        relation._keep(targets, offsets)
        return relation

    def _keep(self, targets: Ints, offsets: Ints) -> None:
        self.target_array = targets
        self.offset_array = offsets
        self._targets = flat(targets)
        self._offsets = flat(offsets)

    @property
    def owner_array(self) -> Ints:
        """The owner of each of ``target_array``."""
        return np.repeat(np.arange(len(self.offset_array) - 1, dtype=np.int32), self.counts())

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

    def reverse(self, owners: int) -> Csr:
        return Csr(owners, self.target_array, self.owner_array)


def offsets_of(counts: Ints) -> Ints:
    """Where each of so many begins, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])


def members_of(owners: Ints, targets: Ints, offsets: Ints) -> tuple[Ints, Ints]:
    """The targets of these owners, one's behind another's, and where each one's begin."""
    first, counts = offsets[owners], offsets[owners + 1] - offsets[owners]
    bounds = offsets_of(counts)
    return targets[np.repeat(first - bounds[:-1], counts) + np.arange(bounds[-1])], bounds


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
