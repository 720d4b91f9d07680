"""Relations and groups of facts made by an edit of the former ones.

Used by ``loader``. What is not touched is copied; what is, is put together anew for the owners that it belongs to.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

import numpy as np

from kgfs.namespace.fact_groups import (
    NOTHING,
    FactColumns,
    FactGroups,
    OfFacts,
    OfGroups,
    OfOwners,
    group_facts,
)
from kgfs.namespace.loading.edits import Edit, spliced
from kgfs.namespace.relations import Csr, Ints, offsets_of

FEW_PAIRS = 20_000
"""Up to so many pairs are put in and taken out one by one; with more the relation is sorted anew."""
FEW_OWNERS = 4_000
"""Of up to so many owners the groups are put in the place of the former ones; with more all are made anew."""


def pair_keys(owners: Ints, targets: Ints) -> Ints:
    """Pairs as numbers that sort as they do."""
    return owners.astype(np.int64) << 32 | targets.astype(np.int64)


def swapped(keys: Ints) -> Ints:
    """The same pairs seen from the other side, sorted."""
    return np.sort(pair_keys(keys & 0xFFFFFFFF, keys >> 32))


def edited_relation(former: Csr, owners: Edit, targets: Edit, removed: Ints, added: Ints) -> Csr:
    """A relation without some pairs and with others (``pair_keys`` of places after, sorted, each once).

    Pairs of which one side is gone are gone without a word.
    """
    if owners.empty and targets.empty and not len(removed) and not len(added):
        return former
    to, counts = former.target_array, former.counts()
    if owners.grew and targets.grew:
        counts = owners.column(counts, np.zeros(len(owners.came), np.int64))
    else:
        of, to = owners.follow(former.owner_array), targets.follow(to)
        stays = (of >= 0) & (to >= 0)
        counts, to = np.bincount(of[stays], minlength=owners.after), to[stays]
    if not len(removed) and not len(added):
        return Csr.made(to, offsets_of(counts))
    if len(removed) + len(added) > FEW_PAIRS:
        keys = pair_keys(np.repeat(np.arange(owners.after, dtype=np.int64), counts), to)
        keys = np.union1d(np.setdiff1d(keys, removed, assume_unique=True), added)
        return Csr(owners.after, keys >> 32, keys & 0xFFFFFFFF)
    for keys, comes in ((removed, False), (added, True)):
        if not len(keys):
            continue
        offsets, seen = offsets_of(counts), to.data
        places = np.array(
            [
                bisect_left(seen, key & 0xFFFFFFFF, offsets[key >> 32], offsets[(key >> 32) + 1])
                for key in keys.tolist()
            ],
            np.int64,
        )
        to = np.insert(to, places, (keys & 0xFFFFFFFF).astype(to.dtype)) if comes else np.delete(to, places)
        counts = counts + (1 if comes else -1) * np.bincount(keys >> 32, minlength=owners.after)
    return Csr.made(to, offsets_of(counts))


def touched_owners(former: Csr, owners: Edit, targets: Edit, removed: Ints, added: Ints) -> Ints:
    """The owners, in places after and sorted, that have other targets than before: those of which ``edited_relation``
    takes or to which it gives a pair, those with a target that is gone, and those that came."""
    parts = [removed >> 32, added >> 32, owners.came]
    if len(targets.gone):
        gone = np.zeros(targets.before, bool)
        gone[targets.gone] = True
        left = owners.follow(former.owner_array[gone[former.target_array]])
        parts.append(left[left >= 0])
    return np.unique(np.concatenate(parts)).astype(np.int64)


def edited_groups(former: FactGroups, owners: Edit, facts: Edit, was: FactColumns, now: FactColumns) -> FactGroups:
    """The groups of facts that have the columns ``now``, from those for which they were ``was`` (in places before)."""
    kept: tuple[Any, Any] = (slice(facts.before),) * 2 if facts.grew else facts.kept
    old, new = kept
    followed = was._replace(owner=owners.follow(was.owner), other=owners.follow(was.other))
    differs = ((was.other >= 0) & (followed.other < 0))[old]  # the other side is gone
    for before, after in zip(followed, now, strict=True):
        if before is not after:
            differs |= before[old] != after[new]
    touched = [followed.owner[facts.gone], followed.owner[old][differs], now.owner[new][differs], now.owner[facts.came]]
    affected = np.unique(np.concatenate(touched))
    affected = affected[affected >= 0].astype(np.int64)
    if len(affected) > FEW_OWNERS or len(owners.gone) > FEW_OWNERS:
        return group_facts(owners.after, now)
    if not len(affected) and owners.empty and facts.empty:
        return former
    mine = np.zeros(owners.after + 1, bool)
    mine[affected] = True
    chosen = np.nonzero(mine[now.owner])[0].astype(np.int32)
    few = FactColumns(*(column[chosen] for column in now))
    few = few._replace(owner=np.searchsorted(affected, few.owner).astype(np.int32))
    made = group_facts(len(affected), few, chosen)
    begin, end, bound = _stretches(owners, affected)
    of_facts = (facts.follow(former.of_facts.order), owners.follow(former.of_facts.other))
    fact_cut = former.owned_array[begin], former.owned_array[end], made.owned_array[bound]
    group_cut = former.group_array[begin], former.group_array[end], made.group_array[bound]
    return FactGroups(
        OfFacts(*(spliced(a, *fact_cut[:2], b, fact_cut[2]) for a, b in zip(of_facts, made.of_facts, strict=True))),
        OfGroups(
            *(
                spliced(a, *group_cut[:2], b, group_cut[2])
                for a, b in zip(former.of_groups, made.of_groups, strict=True)
            )
        ),
        OfOwners(
            *(
                _set(owners, a, nothing, affected, b)
                for a, nothing, b in zip(former.of_owners, NOTHING, made.of_owners, strict=True)
            )
        ),
    )


def _set(owners: Edit, former: Ints, nothing: Ints, affected: Ints, values: Ints) -> Ints:
    column = owners.column(former, np.repeat(nothing, len(owners.came)))
    if column is former:
        column = column.copy()
    column[affected] = values
    return column


def _stretches(owners: Edit, affected: Ints) -> tuple[Ints, Ints, Ints]:
    """What becomes of the former owners' rows: those of ``begin`` to ``end`` (places before) become those of the
    ``affected`` from ``bound`` to the next, or nothing."""
    if owners.grew:
        begin = np.minimum(affected, owners.before)
        end = np.minimum(affected + 1, owners.before)
        return begin, end, np.arange(len(affected) + 1)
    old, new = owners.kept
    place = np.searchsorted(new, affected)
    there = place < len(new)
    begin = np.full(len(affected), owners.before, np.int64)
    begin[there] = old[place[there]]
    stood = there.copy()
    stood[there] = new[place[there]] == affected[there]
    end = begin + stood
    # A gone one's rows become none. It comes before an owner that stands in its place now.
    begin = np.concatenate([owners.gone, begin])
    end = np.concatenate([owners.gone + 1, end])
    counts = np.concatenate([np.zeros(len(owners.gone), np.int64), np.ones(len(affected), np.int64)])
    order = np.lexsort((end, begin))
    return begin[order], end[order], offsets_of(counts[order])
