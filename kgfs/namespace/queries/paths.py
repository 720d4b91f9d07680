"""``@path`` and ``@near``: the shortest chains of facts between two entities, and who is within some hops of one.

Used by the engines of these areas, in threads that answer; ``queries.path_files`` shows what this finds. Entities and
facts are indexes into the snapshot. Facts are followed both ways.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from kgfs.errors import QueryError
from kgfs.namespace.pages import PageStore
from kgfs.namespace.queries.adjacency import Adjacency, adjacency_of
from kgfs.namespace.relations import Ints
from kgfs.namespace.snapshot import Snapshot

MOST_HOPS = 4
CHAINS = 20
SECONDS = 1.0
"""How long chains are searched for."""
NEAREST = 1000
"""How many entities ``near`` shows."""


class Chain(NamedTuple):
    """Entities from one end to the other, each bound to the next."""

    entities: tuple[int, ...]
    edges: tuple[int, ...]
    strength: float
    """The product of the edges' strengths, 0 to 1."""


class Chains(NamedTuple):
    """The best chains between two entities: shorter before longer, of one length the stronger first."""

    found: list[Chain]
    more: bool
    """There are others beyond the limit."""
    late: bool
    """The time was over before all were looked at."""


class Near(NamedTuple):
    """An entity within some hops of another."""

    entity: int
    hops: int
    score: float
    """The chance that a chain of so many hops leads to it (as of ``Adjacency``), 0 to 1."""
    facts: int
    """How many facts bind it to those one hop closer."""
    via: int
    """That one of them that the strongest chain comes from."""
    edge: int


class Nearest(NamedTuple):
    """The entities around one, best first, and how many there are in all."""

    found: list[Near]
    total: int


# --- chains ---------------------------------------------------------------------------------------------------------


def chains(
    store: PageStore,
    s: Snapshot,
    start: int,
    end: int,
    hops: int = MOST_HOPS,
    limit: int = CHAINS,
    seconds: float = SECONDS,
) -> Chains:
    """The shortest chains of facts between two entities, of at most ``hops`` edges; no entity stands in one twice.

    ``QueryError`` where both ends are one entity.
    """
    if start == end:
        raise QueryError("Both ends are the same entity; name two, as in @path/Alphabet_Inc/Geoffrey_Hinton.")
    adjacency = adjacency_of(store, s)
    deadline = time.monotonic() + seconds
    rest = _rest(adjacency, start, end, hops)
    found: list[Chain] = []
    late = False
    for length in range(1, hops + 1):
        for chain in _of_length(adjacency, rest, start, end, length, deadline):
            if chain is None:
                late = True
                break
            found.append(chain)
            if len(found) > limit:
                return Chains(found[:limit], True, late)
        if late:
            break
    return Chains(found, False, late)


def _rest(adjacency: Adjacency, start: int, end: int, hops: int) -> list[Ints]:
    """For each number of edges, what the cheapest way from each entity to the end costs that has so many.

    The cost of an edge is the logarithm of its strength, negative, so that costs add up; ``inf`` where there is no way.
    No way leads through either end.
    """
    cost = -np.log(adjacency.strength_array)
    count = len(adjacency.bound_array) - 1
    filled = np.nonzero(np.diff(adjacency.bound_array))[0]
    last = np.full(count, np.inf)
    last[end] = 0.0
    rest = [last]
    for _ in range(hops):
        last = np.full(count, np.inf)
        if len(filled):
            last[filled] = np.minimum.reduceat(cost + rest[-1][adjacency.other_array], adjacency.bound_array[filled])
        last[[start, end]] = np.inf
        rest.append(last)
    return rest


def _of_length(
    adjacency: Adjacency, rest: list[Ints], start: int, end: int, length: int, deadline: float
) -> Iterator[Chain | None]:
    """The chains of exactly so many edges, cheapest first; ``None`` at the end where the time was over before.

    A best-first search: ``rest`` says what a beginning costs at least, so the first whole chain is the cheapest. The
    continuations of a beginning wait in order behind its best one, so that a hub puts one entry on the heap, not all.
    """
    waiting: list[tuple[float, tuple[int, ...], tuple[int, ...], float, Ints, Ints, Ints, int]] = []

    def put(path: tuple[int, ...], by: tuple[int, ...], costs: Ints, totals: Ints, ordered: Ints, place: int) -> None:
        if place < len(ordered):
            edge = int(ordered[place])
            total, cost = float(totals[place]), float(costs[place])
            entry = (*path, adjacency.others[edge]), (*by, edge)
            heapq.heappush(waiting, (total, *entry, cost, costs, totals, ordered, place))

    def go_on(path: tuple[int, ...], by: tuple[int, ...], cost: float) -> None:
        low, high = adjacency.bounds[path[-1]], adjacency.bounds[path[-1] + 1]
        others = adjacency.other_array[low:high]
        costs = cost - np.log(adjacency.strength_array[low:high])
        totals = np.round(costs + rest[length - len(path)][others], 9)
        totals[np.isin(others, path)] = np.inf
        chosen = np.nonzero(np.isfinite(totals))[0]
        chosen = chosen[np.argsort(totals[chosen], kind="stable")]
        put(path, by, costs[chosen], totals[chosen], chosen + low, 0)

    go_on((start,), (), 0.0)
    while waiting:
        if time.monotonic() > deadline:
            yield None
            return
        _, path, by, cost, costs, totals, ordered, place = heapq.heappop(waiting)
        put(path[:-1], by[:-1], costs, totals, ordered, place + 1)
        if len(by) == length:
            yield Chain(path, by, float(np.exp(-cost)))
        else:
            go_on(path, by, cost)


# --- who is near ----------------------------------------------------------------------------------------------------


def near(store: PageStore, s: Snapshot, entity: int, hops: int, limit: int = NEAREST) -> Nearest:
    """Who is within so many hops (1 to 4) of an entity: the closest first, then by ``Near.score``, then by slug.

    ``QueryError`` where ``hops`` is another number.
    """
    if not 1 <= hops <= MOST_HOPS:
        raise QueryError(f"There is no @near/{hops}; the number of hops is 1 to {MOST_HOPS}.")
    adjacency = adjacency_of(store, s)
    scores = np.zeros(len(s.entities))
    scores[entity] = 1.0
    seen = np.zeros(len(s.entities), bool)
    seen[entity] = True
    layer = np.array([entity], np.int64)
    found: list[Near] = []
    total = 0
    for hop in range(1, hops + 1):
        by, owner = adjacency.around(layer)
        fresh = ~seen[adjacency.other_array[by]]
        by, owner = by[fresh], owner[fresh]
        if not len(by):
            break
        others = adjacency.other_array[by]
        chance = np.minimum(scores[layer[owner]] * adjacency.strength_array[by], 1 - 1e-12)
        order = np.lexsort((owner, -np.round(chance, 9), others))
        by, owner, others, chance = by[order], owner[order], others[order], chance[order]
        starts = np.nonzero(np.concatenate(([True], others[1:] != others[:-1])))[0]
        reached = others[starts].astype(np.int64)
        scores[reached] = np.round(-np.expm1(np.add.reduceat(np.log1p(-chance), starts)), 9)
        facts = np.add.reduceat(adjacency.count_array[by], starts)
        seen[reached] = True
        total += len(reached)
        if len(found) < limit:
            found += _best(
                s, hop, scores[reached], facts, reached, layer[owner[starts]], by[starts], limit - len(found)
            )
        layer = reached
    return Nearest(found, total)


def _best(
    s: Snapshot, hop: int, scores: Ints, facts: Ints, reached: Ints, via: Ints, by: Ints, limit: int
) -> list[Near]:
    """The best of those who are so many hops away."""
    if len(scores) > limit:  # those that cannot be among them go before slugs are compared
        kept = np.nonzero(scores >= np.partition(scores, -limit)[-limit])[0]
        scores, facts, reached, via, by = scores[kept], facts[kept], reached[kept], via[kept], by[kept]
    columns = (reached.tolist(), scores.tolist(), facts.tolist(), via.tolist(), by.tolist())
    rows = [
        Near(entity, hop, score, count, from_, edge) for entity, score, count, from_, edge in zip(*columns, strict=True)
    ]
    rows.sort(key=lambda row: (-row.score, s.entities.slugs[row.entity]))
    return rows[:limit]
