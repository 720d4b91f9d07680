"""``@path`` and ``@near``: the shortest chains of facts between two entities, and who is within some hops of one.

Where no fact leads on, links between pages and passages that speak of both do (``queries.ties``). Used by the engines
of these areas, in threads that answer; ``queries.path_files`` shows what this finds. Entities and facts are indexes
into the snapshot. Everything is followed both ways.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from kgfs.errors import QueryError
from kgfs.namespace.pages import PageStore
from kgfs.namespace.queries.adjacency import Adjacency, adjacency_of
from kgfs.namespace.queries.ties import Ties
from kgfs.namespace.relations import Ints, flat
from kgfs.namespace.snapshot import Snapshot

MOST_HOPS = 4
CHAINS = 20
SECONDS = 1.0
"""How long chains are searched for."""
NEAREST = 1000
"""How many entities ``near`` shows."""
FEW = 3
"""An entity whose facts lead to fewer others is gone on from by its ties, too."""
TIED_CHAINS = 3
"""How many chains are shown that ties may be in: there are many, and each says less than the one before."""
TIED = 200
"""Of so many entities at a time ties are looked for, the nearest ones."""
HUB = 50
"""An entity with more edges, such as the author of all notes, binds others little: where facts lead through such ones
only, other chains are looked for, too."""
STEP = 1.0
"""What a step costs in a chain with ties, beside the logarithm of its strength: a link is worth some two facts."""


_Path = tuple[int, ...]


class Chain(NamedTuple):
    """Entities from one end to the other, each bound to the next."""

    entities: tuple[int, ...]
    edges: tuple[int, ...]
    """Of the adjacency, or ties."""
    strength: float
    """The product of the edges' strengths, 0 to 1."""


class Chains(NamedTuple):
    """The best chains between two entities: shorter before longer, of one length the stronger first."""

    found: list[Chain]
    more: bool
    """There are others beyond the limit."""
    late: bool
    """The time was over before all were looked at."""
    ties: Ties | None = None
    """What the edges are."""
    by_facts: bool = True
    """Whether facts alone lead from one end to the other."""
    ends: tuple[int, ...] = ()
    """The two entities."""


class Near(NamedTuple):
    """An entity within some hops of another."""

    entity: int
    hops: int
    score: float
    """The chance that a chain of so many hops leads to it (as of ``Adjacency``), 0 to 1."""
    facts: int
    """How many facts bind it to those one hop closer: none where a tie does."""
    via: int
    """That one of these entities that the strongest chain comes from."""
    edge: int


class Nearest(NamedTuple):
    """The entities around one, best first, and how many there are in all."""

    found: list[Near]
    total: int
    ties: Ties | None = None
    """What the edges are."""


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

    Where there is none, the cheapest ones that ties are in as well. ``QueryError`` where both ends are one entity.
    """
    if start == end:
        raise QueryError("Both ends are the same entity; name two, as in @path/Alphabet_Inc/Geoffrey_Hinton.")
    adjacency = adjacency_of(store, s)
    deadline = time.monotonic() + seconds
    ties = Ties(s, adjacency)
    of_each = [range(length, length + 1) for length in range(1, hops + 1)]
    by_facts = _chains(adjacency, -np.log(adjacency.strength_array), start, end, of_each, limit, deadline)
    degrees = np.diff(adjacency.bound_array)
    said = any((degrees[list(chain.entities[1:-1])] <= HUB).all() for chain in by_facts.found)
    if said or by_facts.late:
        return by_facts._replace(ties=ties, ends=(start, end))
    around = _Around(s, adjacency, ties, (start, end))
    reached = degrees[around.other_array]
    toll = np.where((reached > HUB) & (around.other_array != end), np.log(np.maximum(reached, 1) / (HUB / 5)), 0.0)
    costs = STEP - np.log(around.strength_array) + toll
    mixed = _chains(around, costs, start, end, [range(1, hops + 1)], min(limit, TIED_CHAINS), deadline)
    return mixed._replace(
        found=[chain._replace(edges=tuple(around.numbers[edge] for edge in chain.edges)) for chain in mixed.found],
        ties=ties, by_facts=bool(by_facts.found), ends=(start, end),
    )  # fmt: skip


class _Edges(Protocol):
    """Edges as columns, as of ``Adjacency``."""

    other_array: Ints
    bound_array: Ints
    strength_array: Ints
    bounds: memoryview
    others: memoryview


class _Around:
    """The edges and ties around two entities, two steps wide: what chains of four steps between them are made of."""

    def __init__(self, s: Snapshot, adjacency: Adjacency, ties: Ties, ends: Sequence[int]) -> None:
        inner: dict[int, None] = dict.fromkeys(ends)
        tied: dict[int, None] = dict.fromkeys(ends)
        for end in ends:
            edges, _ = _steps(adjacency, ties, np.array([end]), [end])
            ranked = ties.others(edges)[np.argsort(-ties.strengths(edges), kind="stable")].tolist()
            inner |= dict.fromkeys(ranked)
            tied |= dict.fromkeys(ranked[:TIED])
        entities = np.array(sorted(inner), np.int64)
        edges, owner = _steps(adjacency, ties, entities, sorted(tied))
        near, far = entities[owner], ties.others(edges).astype(np.int64)
        both = np.concatenate((edges, edges))
        keys = np.concatenate((near << 32 | far, far << 32 | near))
        # Of two entities that are bound in several ways the facts count: they have the lower numbers.
        order = np.lexsort((both, keys))
        keys, both = keys[order], both[order]
        heads = np.concatenate(([True], keys[1:] != keys[:-1])) if len(keys) else np.empty(0, bool)
        keys, both = keys[heads], both[heads]
        self.numbers: list[int] = both.tolist()
        """The edge or tie that each of these edges is."""
        self.other_array = (keys & 0xFFFFFFFF).astype(np.int32)
        self.bound_array = np.searchsorted(keys >> 32, np.arange(len(s.entities) + 1))
        self.strength_array = ties.strengths(both)
        self.bounds, self.others = flat(self.bound_array), flat(self.other_array)


def _steps(adjacency: Adjacency, ties: Ties, entities: Ints, tied: Sequence[int]) -> tuple[Ints, Ints]:
    """The edges of ``entities`` and the ties of some of them (in order), each with the place of its entity."""
    edges, owner = adjacency.around(entities)
    numbers, owner_of_ties = ties.around(tied)
    places = np.searchsorted(entities, np.array(tied, np.int64)) if len(tied) else np.empty(0, np.int64)
    return np.concatenate((edges, numbers)), np.concatenate((owner, places[owner_of_ties]))


def _chains(
    edges: _Edges, costs: Ints, start: int, end: int, lengths: Sequence[range], limit: int, deadline: float
) -> Chains:
    """The chains of the first lengths, cheapest first, then those of the next; ``costs`` are those of the edges."""
    rest = _rest(edges, costs, start, end, lengths[-1][-1])
    found: list[Chain] = []
    for together in lengths:
        for chain in _of_lengths(edges, costs, rest, start, end, together, deadline):
            if chain is None:
                return Chains(found, False, True)
            found.append(chain)
            if len(found) > limit:
                return Chains(found[:limit], True, False)
    return Chains(found, False, False)


def _rest(adjacency: _Edges, cost: Ints, start: int, end: int, hops: int) -> list[Ints]:
    """For each number of edges, what the cheapest way from each entity to the end costs that has so many.

    The cost of an edge is the logarithm of its strength, negative, so that costs add up; ``inf`` where there is no way.
    No way leads through either end.
    """
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


def _of_lengths(
    adjacency: _Edges, of_edges: Ints, rest: list[Ints], start: int, end: int, lengths: range, deadline: float
) -> Iterator[Chain | None]:
    """The chains of so many edges, cheapest first; ``None`` at the end where the time was over before.

    A best-first search: ``rest`` says what a beginning costs at least, so the first whole chain is the cheapest. The
    continuations of a beginning wait in order behind its best one, so that a hub puts one entry on the heap, not all.
    """
    waiting: list[tuple[float, int, tuple[int, ...], tuple[int, ...], float, Ints, Ints, Ints, int]] = []

    def put(length: int, path: _Path, by: _Path, costs: Ints, totals: Ints, ordered: Ints, place: int) -> None:
        if place < len(ordered):
            edge = int(ordered[place])
            total, cost = float(totals[place]), float(costs[place])
            entry = (*path, adjacency.others[edge]), (*by, edge)
            heapq.heappush(waiting, (total, length, *entry, cost, costs, totals, ordered, place))

    def go_on(length: int, path: _Path, by: _Path, cost: float) -> None:
        low, high = adjacency.bounds[path[-1]], adjacency.bounds[path[-1] + 1]
        others = adjacency.other_array[low:high]
        costs = cost + of_edges[low:high]
        totals = np.round(costs + rest[length - len(path)][others], 9)
        totals[np.isin(others, path)] = np.inf
        chosen = np.nonzero(np.isfinite(totals))[0]
        chosen = chosen[np.argsort(totals[chosen], kind="stable")]
        put(length, path, by, costs[chosen], totals[chosen], chosen + low, 0)

    for length in lengths:
        go_on(length, (start,), (), 0.0)
    while waiting:
        if time.monotonic() > deadline:
            yield None
            return
        _, length, path, by, cost, costs, totals, ordered, place = heapq.heappop(waiting)
        put(length, path[:-1], by[:-1], costs, totals, ordered, place + 1)
        if len(by) == length:
            yield Chain(path, by, float(np.prod(adjacency.strength_array[list(by)])))
        else:
            go_on(length, path, by, cost)


# --- who is near ----------------------------------------------------------------------------------------------------


def near(store: PageStore, s: Snapshot, entity: int, hops: int, limit: int = NEAREST) -> Nearest:
    """Which entities are within so many hops (1 to 4) of one: the closest first, then by ``Near.score``, then by slug.

    ``QueryError`` where ``hops`` is another number.
    """
    if not 1 <= hops <= MOST_HOPS:
        raise QueryError(f"There is no @near/{hops}; the number of hops is 1 to {MOST_HOPS}.")
    adjacency = adjacency_of(store, s)
    ties = Ties(s, adjacency)
    degrees = np.diff(adjacency.bound_array)
    scores = np.zeros(len(s.entities))
    scores[entity] = 1.0
    seen = np.zeros(len(s.entities), bool)
    seen[entity] = True
    layer = np.array([entity], np.int64)
    found: list[Near] = []
    total = 0
    for hop in range(1, hops + 1):
        alone = layer[degrees[layer] < FEW]
        if len(alone) > TIED:
            alone = np.sort(alone[np.lexsort((alone, -scores[alone]))][:TIED])
        by, owner = _steps(adjacency, ties, layer, alone.tolist())
        fresh = ~seen[ties.others(by)]
        by, owner = by[fresh], owner[fresh]
        if not len(by):
            break
        others = ties.others(by)
        chance = np.minimum(scores[layer[owner]] * ties.strengths(by), 1 - 1e-12)
        order = np.lexsort((owner, -np.round(chance, 9), others))
        by, owner, others, chance = by[order], owner[order], others[order], chance[order]
        starts = np.nonzero(np.concatenate(([True], others[1:] != others[:-1])))[0]
        reached = others[starts].astype(np.int64)
        scores[reached] = np.round(-np.expm1(np.add.reduceat(np.log1p(-chance), starts)), 9)
        facts = np.add.reduceat(ties.counts(by), starts)
        seen[reached] = True
        total += len(reached)
        if len(found) < limit:
            found += _best(
                s, hop, scores[reached], facts, reached, layer[owner[starts]], by[starts], limit - len(found)
            )
        layer = reached
    return Nearest(found, total, ties)


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
