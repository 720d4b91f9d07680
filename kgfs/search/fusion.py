"""Fusing ranked lists: reciprocal rank fusion within a kind, and one order over the kinds.

Used by ``kgfs.search.searcher``. Pure; the same lists always give the same order.

**The score.** Within a kind a row's value is the weighted sum of ``1 / (60 + rank)`` over the legs it stands in,
divided by what the first row of every leg that took part would get: 1 is first everywhere, 0.5 about first in one of
two legs or some sixty places down in both. Ranks, not scores, are compared, since BM25 has no upper end and cosines of
short and long texts differ; ``legs`` keeps each leg's own score for whoever wants an absolute measure. Over several
kinds the value is multiplied by the kind's weight (passages first: they answer; names, facts and topics lead on). Rows
found by name stand above: an entity that is called exactly like the query has a score from 0.98, one whose name begins
with it (in a search for entities only) from 0.95; all else is scaled to end at 0.94.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from kgfs.search.query import Leg

Ids = NDArray[np.int64]
Scores = NDArray[np.float64]

K = 60
DEPTH = 1000
"""Rows that each leg gives; the top 100 would cost up to .04 of Recall@100."""
LEG_WEIGHTS = {"bm25": 1.0, "vector": 1.3}
"""Chosen, with the title's boost (``kgfs.store.vectors``), on cranfield and cisi (``scripts/bench.d/retrieval.py``):
nDCG@10 .433 and .451, with equal weights and no boost .426 and .445. It was chosen on these very sets, and neither gain
is beyond chance (95 % of resampled queries: -.002 to .015 and -.003 to .015). On hotpotqa's paragraphs, which had no
part in the choice, .825 against .822 (-.005 to .011): no harm, no proof. Equal weights with the boost had .827."""
KIND_WEIGHTS = {"chunk": 1.0, "fact": 0.75, "entity": 0.7, "topic": 0.65}
EXACT, PREFIX = 1.0, 0.5
"""Scores of the leg ``name``."""

_BELOW_NAMES = 0.94
_PREFIX_FROM = 0.95
_EXACT_FROM = 0.98


@dataclass(frozen=True)
class RankedList:
    """What one leg found of one kind, best first: ids (each once) and the leg's own scores."""

    ids: Ids
    scores: Scores

    @classmethod
    def of(cls, ids: Sequence[int], scores: Sequence[float]) -> RankedList:
        return cls(np.array(ids, np.int64), np.array(scores, np.float64))

    def leg(self, row: int) -> Leg | None:
        """The place of one row, if it is in the list."""
        places = np.flatnonzero(self.ids == row)
        return Leg(int(places[0]) + 1, float(self.scores[places[0]])) if places.size else None


@dataclass(frozen=True)
class FusedList:
    """The rows of one kind with their fused scores (in no order), and the lists that they come from."""

    kind: str
    ids: Ids
    scores: Scores
    legs: dict[str, RankedList] = field(default_factory=dict)


@dataclass(frozen=True)
class Fused:
    """One row with its place in every leg it stands in."""

    kind: str
    id: int
    score: float
    legs: dict[str, Leg]


def fuse(
    kind: str,
    legs: Mapping[str, RankedList],
    names: Mapping[int, float] | None = None,
    weight: float = 1.0,
) -> FusedList:
    """Every row of one kind that stands in a leg, scored.

    ``legs``: each leg that took part, by its name. ``names``: entities found by name to ``EXACT`` or ``PREFIX``, best
    first.
    """
    named = RankedList.of(list(names or {}), list((names or {}).values()))
    ids = np.unique(np.concatenate([named.ids, *(ranked.ids for ranked in legs.values())]))
    values = np.zeros(len(ids))
    best = sum(LEG_WEIGHTS[leg] for leg in legs) / (K + 1) or 1.0
    for leg, ranked in legs.items():
        ranks = np.arange(1, len(ranked.ids) + 1)
        values[np.searchsorted(ids, ranked.ids)] += LEG_WEIGHTS[leg] / (K + ranks) / best
    values = np.minimum(values, 1.0)
    scores = _BELOW_NAMES * weight * values
    for lowest, above, score in ((_PREFIX_FROM, _EXACT_FROM - 1e-5, PREFIX), (_EXACT_FROM, 1.0, EXACT)):
        places = np.searchsorted(ids, named.ids[named.scores == score])
        scores[places] = lowest + (above - lowest) * values[places]
    found = dict(legs)
    if len(named.ids):
        found["name"] = named
    return FusedList(kind, ids, np.round(scores, 6), found)


def in_order(lists: Sequence[FusedList]) -> Iterator[Fused]:
    """All rows of several kinds, best first; equal scores by kind and id."""
    lists = sorted(lists, key=lambda fused: fused.kind)
    if not lists:
        return
    ids = np.concatenate([fused.ids for fused in lists])
    scores = np.concatenate([fused.scores for fused in lists])
    kinds = np.repeat(np.arange(len(lists)), [len(fused.ids) for fused in lists])
    for place in np.lexsort((ids, kinds, -scores)):
        fused, row = lists[kinds[place]], int(ids[place])
        legs = {name: leg for name, ranked in fused.legs.items() if (leg := ranked.leg(row)) is not None}
        yield Fused(fused.kind, row, float(scores[place]), legs)


def at_most(rows: Iterator[Fused], per_document: int, documents: Mapping[str, Mapping[int, int]]) -> Iterator[Fused]:
    """``rows`` without those after the first ``per_document`` of one document.

    ``documents``: kind to id to document; rows of no document (0) all stay.
    """
    seen: dict[int, int] = {}
    for row in rows:
        document = documents.get(row.kind, {}).get(row.id, 0)
        seen[document] = seen.get(document, 0) + 1
        if document == 0 or seen[document] <= per_document:
            yield row
