"""Rows by how their names begin: a list that is too long to look through, as directories of at most 5,000 names.

Used through ``domains.Slugged``. Making it takes a thread 0.2 s for 300,000 names.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise, takewhile
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from kgfs.namespace.node import NumberedNames
from kgfs.namespace.relations import Ints

LIMIT = 5_000
"""How many names a directory has at most. A list of no more is not split."""
_KEYS = 1 << 48
"""Keys of prefixes are below: fewer than a listing may have."""


class Prefixes(NamedTuple):
    """The rows of a domain by prefix, a number of ``NumberedNames``; none where the list is short."""

    members: dict[int, Ints]
    """Prefix to the rows in its directory, both sorted."""
    of: Ints
    """The prefix of each row, -1 where there is none."""
    keys: dict[int, int]
    """The place of each prefix in a listing: in their order, and the same as long as the prefix is there."""
    deep: frozenset[str]
    """How more names begin than a directory may have."""


def prefix_of(slug: str, deep: frozenset[str]) -> str:
    """In which directory a name stands: how it begins and few others do; or all of it, where more names begin so."""
    length = 1
    while length < len(slug) and slug[:length] in deep:
        length += 1
    return slug[:length]


def split(slugs: Sequence[str]) -> dict[str, list[int]]:
    """The shortest prefixes that at most ``LIMIT`` names share, each with the places of these names, which rise.

    A name that is the beginning of too many others has a prefix of its own, which is the whole name.
    """
    found: dict[str, list[int]] = {}
    waiting: list[tuple[int, Iterable[int]]] = [(0, range(len(slugs)))]
    while waiting:
        length, places = waiting.pop()
        parts: defaultdict[str, list[int]] = defaultdict(list)
        end = length + 1
        # In Python step by step: one call that sorts a million names would keep all other threads waiting.
        for place in places:
            parts[slugs[place][:end]].append(place)
        for prefix, members in parts.items():
            if len(members) <= LIMIT or len(prefix) == length:
                found[prefix] = members
            else:
                waiting.append((_shared([slugs[place] for place in members]), members))
    return found


def _shared(names: list[str]) -> int:
    """How many characters all of these names begin with."""
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(min(names), max(names), strict=False))
    return sum(1 for _ in alike)


def grouped(slugs: list[str], numbered: NumberedNames, keys: Mapping[int, int] = MappingProxyType({})) -> Prefixes:
    """Names by prefix; ``keys`` are those of the prefixes that had some."""
    of = np.full(len(slugs), -1, np.int32)
    if len(slugs) <= LIMIT:
        return Prefixes({}, of, {}, frozenset())
    parts = split(slugs)
    members: dict[int, Ints] = {}
    for prefix in sorted(parts):
        number = numbered.number(prefix)
        members[number] = np.array(parts[prefix], np.int32)
        of[members[number]] = number
    deep = frozenset(prefix[:length] for prefix in parts for length in range(1, len(prefix)))
    return Prefixes(members, of, rising_keys(list(members), keys), deep)


def regrouped(known: Prefixes, before: list[str], slugs: list[str], numbered: NumberedNames) -> Prefixes:
    """The same; ``known`` are those of the names ``before``, from which it goes on where more came behind them."""
    extended = _extended(known, slugs, numbered) if slugs[: len(before)] == before else None
    return grouped(slugs, numbered, known.keys) if extended is None else extended


def _extended(known: Prefixes, slugs: list[str], numbered: NumberedNames) -> Prefixes | None:
    """With the names that came behind the others; ``None`` where a directory has too many then, or there was none."""
    before = len(known.of)
    if before == len(slugs):
        return known
    if not known.members:
        return None
    came: defaultdict[int, list[int]] = defaultdict(list)
    for place in range(before, len(slugs)):
        came[numbered.number(prefix_of(slugs[place], known.deep))].append(place)
    members, of = known.members.copy(), np.append(known.of, np.zeros(len(slugs) - before, np.int32))
    for number, places in came.items():
        members[number] = np.append(members.get(number, np.empty(0, np.int32)), np.array(places, np.int32))
        of[places] = number
        if len(members[number]) > LIMIT:
            return None
    if len(members) == len(known.members):
        return known._replace(members=members, of=of)
    order = sorted(members, key=numbered.name)
    return Prefixes({number: members[number] for number in order}, of, rising_keys(order, known.keys), known.deep)


def rising_keys(order: Sequence[int], known: Mapping[int, int]) -> dict[int, int]:
    """A key for each of these numbers, rising in this order: those that are ``known``, and others in between.

    All are other ones where there is no room left.
    """
    kept = [(place, known[number]) for place, number in enumerate(order) if number in known]
    found: list[int] = []
    for (place, key), (next_place, next_key) in pairwise([(-1, 0), *kept, (len(order), _KEYS)]):
        step = (next_key - key) // (next_place - place)
        if not step:
            return rising_keys(order, {})
        found += [*(key + step * number for number in range(1, next_place - place)), next_key]
    return dict(zip(order, found[:-1], strict=True))
