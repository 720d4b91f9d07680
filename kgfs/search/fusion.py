"""Fusing ranked lists: reciprocal rank fusion within a kind, and one order over the kinds.

Used by ``kgfs.search.searcher``. Pure; the same lists always give the same order.

**The score.** Within a kind a row's value is the weighted sum of ``1 / (60 + rank)`` over the legs it stands in,
divided by what the first row of every leg that took part would get: 1 is first everywhere, 0.5 about first in one of
two legs or some sixty places down in both. Ranks, not scores, are compared, since BM25 has no upper end and cosines of
short and long texts differ; ``legs`` keeps each leg's own score for whoever wants an absolute measure. Over several
kinds the value is multiplied by the kind's weight (passages first: they answer; names, facts and topics lead on). Rows
found by name stand above: an entity that is called exactly like the query has a score from 0.98, one whose name begins
with it (in a search for entities only) from 0.95, all else is scaled to lie below.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kgfs.search.query import Leg

K = 60
DEPTH = 1000
"""Rows that each leg gives; the top 100 would cost up to .04 of Recall@100."""
LEG_WEIGHTS = {"bm25": 1.0, "vector": 1.3}
"""Measured on cranfield and cisi (``scripts/bench.d/retrieval.py``): nDCG@10 .429 and .446 with equal weights, .433 and
.451 with these; 1.15 to 2 differ by .004."""
KIND_WEIGHTS = {"chunk": 1.0, "fact": 0.75, "entity": 0.7, "topic": 0.65}
EXACT, PREFIX = 1.0, 0.5
"""Scores of the leg ``name``."""

_BELOW_NAMES = 0.95
_EXACT_FROM = 0.98


@dataclass(frozen=True, slots=True)
class Fused:
    """A row with its place in every leg it stands in."""

    kind: str
    id: int
    score: float
    legs: dict[str, Leg]


def fuse(
    kind: str,
    legs: Mapping[str, Sequence[tuple[int, float]]],
    names: Mapping[int, float] | None = None,
    weight: float = 1.0,
) -> list[Fused]:
    """The rows of one kind, best first.

    ``legs``: name of a leg that took part to its (id, score), best first, each id once. ``names``: entities found by
    name to ``EXACT`` or ``PREFIX``, best first. Order: score, then id.
    """
    places: dict[int, dict[str, Leg]] = {}
    values: dict[int, float] = {}
    best = sum(LEG_WEIGHTS[leg] for leg in legs) / (K + 1) or 1.0
    for leg, rows in legs.items():
        for rank, (row, score) in enumerate(rows, 1):
            places.setdefault(row, {})[leg] = Leg(rank, score)
            values[row] = values.get(row, 0.0) + LEG_WEIGHTS[leg] / (K + rank) / best
    for rank, (row, score) in enumerate((names or {}).items(), 1):
        places.setdefault(row, {})["name"] = Leg(rank, score)
    fused = [
        Fused(kind, row, _lifted(values.get(row, 0.0), weight, found.get("name")), found)
        for row, found in places.items()
    ]
    return in_order(fused)


def in_order(rows: Sequence[Fused]) -> list[Fused]:
    """Best first; equal scores by kind and id."""
    return sorted(rows, key=lambda row: (-row.score, row.kind, row.id))


def at_most(rows: Sequence[Fused], per_document: int, documents: Mapping[tuple[str, int], int]) -> list[Fused]:
    """``rows`` without those after the first ``per_document`` of one document; rows of no document stay."""
    seen: dict[int, int] = {}
    kept = []
    for row in rows:
        document = documents.get((row.kind, row.id), 0)
        seen[document] = seen.get(document, 0) + 1
        if document == 0 or seen[document] <= per_document:
            kept.append(row)
    return kept


def _lifted(value: float, weight: float, name: Leg | None) -> float:
    value = min(1.0, value)
    if name is None:
        score = _BELOW_NAMES * weight * value
    elif name.score >= EXACT:
        score = _EXACT_FROM + (1.0 - _EXACT_FROM) * value
    else:
        score = _BELOW_NAMES + (_EXACT_FROM - _BELOW_NAMES) * value * 0.999
    return round(score, 6)
