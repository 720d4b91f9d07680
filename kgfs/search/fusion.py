"""Fusing ranked lists: one order of the rows of a kind, and one order over the kinds.

Used by ``kgfs.search.searcher``. Pure; the same lists always give the same order.

**The order within a kind.** A leg's scores are put on one scale by their mean and deviation over the leg's list (z),
weighted and summed; a row that a leg did not find counts as that leg's last. While vectors are still made, their leg
weighs by the share of rows that have one, and a row that it did not find counts as its mean. The score of the leg
``graph`` is a probability and counts by its logarithm.

**The score.** Reciprocal rank fusion gives each row the weighted sum of ``1 / (60 + rank)`` over its legs, divided by
what the first row of every leg would get. These values, best first, are dealt out in the order above: 1 is first
everywhere, 0.5 about first in one of two legs or some sixty places down in both. So a score does not depend on how
BM25, which has no upper end, happens to be spread; ``legs`` keeps each leg's own score for callers that want an
absolute measure. Over several kinds the value is multiplied by the kind's weight (passages first: they answer; names,
facts and topics lead on). Rows found by name stand above: an entity that is called exactly like the query has a score
from 0.98, one whose name begins with it (in a search for entities only) from 0.95; all else is scaled to end at 0.94.

**Measured** (``scripts/bench retrieval``, nDCG@10 / Recall@100; in brackets the 95 % interval of the difference to
reciprocal rank fusion over resampled queries):

=================  =======================  =======================  =======================
..                 cranfield                cisi                     hotpotqa
=================  =======================  =======================  =======================
ranks              .433 / .797              .451 / .525              .827 / .995
z                  .438 / .800 -.006 .015   .465 / .526 -.004 .031   .846 / .998  .008 .031
BM25 by its best   .439 / .803 -.004 .016   .461 / .522 -.004 .024   .843 / .998  .006 .026
=================  =======================  =======================  =======================

Better on all three, beyond chance on one. Cutting large z at 4 or 6 is worse (hotpotqa .653, .786): a rare name that
one text has should win.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kgfs.search.query import LegRank

Ids = NDArray[np.int64]
Scores = NDArray[np.float64]

K = 60
DEPTH = 1000
"""Rows that each leg gives; the top 100 would cost up to .04 of Recall@100."""
LEG_WEIGHTS = {"bm25": 1.0, "vector": 1.3, "graph": 0.8}
"""The vector's was chosen, with the title's boost (``kgfs.store.index.vectors``), on cranfield and cisi; 1.0 has .437,
.459 and on hotpotqa, which had no part in the choice, .851 in place of .846. The graph's is explained in
``kgfs.search.graph``."""
KIND_WEIGHTS = {"chunk": 1.0, "fact": 0.75, "entity": 0.7, "topic": 0.65}
EXACT, PREFIX = 1.0, 0.5
"""Scores of the leg ``name``."""

_PADDED = 100
"""A keyword list that is shorter is measured as if other rows, of score 0, filled it up to this: else a word that only
one text has would count for nothing."""
_SMALLEST_DEVIATION = {"vector": 0.03}
"""Cosines that lie closer together than this do not count as different as those of a whole collection."""
_NO_DEVIATION = 1e-9
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

    def leg(self, row: int) -> LegRank | None:
        """The place of one row, if it is in the list."""
        places = np.flatnonzero(self.ids == row)
        return LegRank(int(places[0]) + 1, float(self.scores[places[0]])) if places.size else None


@dataclass(frozen=True)
class FusedList:
    """The rows of one kind with their fused scores (in no order), and the lists that they come from."""

    kind: str
    ids: Ids
    scores: Scores
    sums: Scores
    """What orders rows of equal score."""
    legs: dict[str, RankedList] = field(default_factory=dict)

    def best(self, count: int) -> Ids:
        """The ids of the best rows, best first."""
        return self.ids[np.lexsort((self.ids, -self.sums, -self.scores))[:count]]


@dataclass(frozen=True)
class FusedRow:
    """One row with its place in every leg it stands in."""

    kind: str
    id: int
    score: float
    legs: dict[str, LegRank]
    more: int = 0
    """How many further rows of its document were left out."""


def fuse_legs(
    kind: str,
    legs: Mapping[str, RankedList],
    names: Mapping[int, float] | None = None,
    weight: float = 1.0,
    shares: Mapping[str, float] | None = None,
) -> FusedList:
    """Every row of one kind that stands in a leg, scored.

    ``legs``: each leg that took part, by its name; ``shares``: of legs that cannot find all rows, what part of them
    they can. ``names``: entities found by name to ``EXACT`` or ``PREFIX``, best first.
    """
    named = RankedList.of(list(names or {}), list((names or {}).values()))
    ids = np.unique(np.concatenate([named.ids, *(ranked.ids for ranked in legs.values())]))
    values, sums = np.zeros(len(ids)), np.zeros(len(ids))
    best = sum(LEG_WEIGHTS[leg] for leg in legs) / (K + 1) or 1.0
    for leg, ranked in sorted(legs.items()):
        if not len(ranked.ids):
            continue
        places = np.searchsorted(ids, ranked.ids)
        values[places] += LEG_WEIGHTS[leg] / (K + np.arange(1, len(ranked.ids) + 1)) / best
        scaled, last = _scaled(leg, ranked.scores)
        share = (shares or {}).get(leg, 1.0)
        every = np.full(len(ids), last if share == 1.0 else 0.0)
        every[places] = scaled
        sums += LEG_WEIGHTS[leg] * share * every
    values = np.minimum(values, 1.0)
    # Rounded: the last digits depend on the order of additions.
    sums = np.round(sums, 9)
    dealt = np.empty(len(ids))
    dealt[np.lexsort((ids, -values, -sums))] = np.sort(values)[::-1]
    scores = _BELOW_NAMES * weight * dealt
    for lowest, above, score in ((_PREFIX_FROM, _EXACT_FROM - 1e-5, PREFIX), (_EXACT_FROM, 1.0, EXACT)):
        places = np.searchsorted(ids, named.ids[named.scores == score])
        scores[places] = lowest + (above - lowest) * dealt[places]
    found = dict(legs)
    if len(named.ids):
        found["name"] = named
    return FusedList(kind, ids, np.round(scores, 6), sums, found)


def reordered(fused: FusedList, sums: Mapping[int, float], legs: Mapping[str, RankedList]) -> FusedList:
    """The rows of ``sums`` (all that were fused, and others) in the order of these; ``legs`` say why.

    The scores are those that there were, dealt out anew; rows that joined have the rest of the scale.
    """
    ids = np.array(sorted(sums), np.int64)
    ordered = np.round(np.array([sums[row] for row in ids.tolist()]), 9)
    least = float(fused.scores.min()) if len(fused.scores) else 0.0
    joined = least * np.linspace(1.0, 0.5, len(ids) - len(fused.ids))
    scores = np.empty(len(ids))
    scores[np.lexsort((ids, -ordered))] = np.sort(np.concatenate([fused.scores, joined]))[::-1]
    return FusedList(fused.kind, ids, np.round(scores, 6), ordered, {**fused.legs, **legs})


def _scaled(leg: str, scores: Scores) -> tuple[Scores, float]:
    """A leg's scores less their mean, in units of their deviation; and what a row counts that it did not find."""
    if leg == "graph":
        scores = np.log(scores)
    measured = scores
    if leg == "bm25" and len(scores) < _PADDED:
        measured = np.concatenate([scores, np.zeros(_PADDED - len(scores))])
    deviation = max(float(measured.std()), _SMALLEST_DEVIATION.get(leg, 0.0))
    if deviation < _NO_DEVIATION:  # with many rows that have a word equally, to have it counts nevertheless
        return np.zeros(len(scores)), -1.0 if leg == "bm25" else 0.0
    scaled = (scores - measured.mean()) / deviation
    return scaled, float((measured.min() - measured.mean()) / deviation)


class OrderedRows:
    """The rows of several kinds, best first; equal scores by their sums, then by kind and id."""

    def __init__(
        self, lists: Sequence[FusedList], documents: Mapping[str, NDArray[Any]] | None = None, per_document: int = 0
    ) -> None:
        """``documents``: for each kind the document of each row of its list, 0 for none. With ``per_document`` rows of
        a document after so many are left out; each of its rows that stays says how many these are (``more``)."""
        self._lists = sorted(lists, key=lambda fused: fused.kind)
        sizes = [len(fused.ids) for fused in self._lists]
        self._kinds = np.repeat(np.arange(len(sizes)), sizes)
        self._ids = _joined([fused.ids for fused in self._lists], np.int64)
        self._scores = _joined([fused.scores for fused in self._lists], np.float64)
        self._more = np.zeros(len(self._ids), np.int64)
        sums = _joined([fused.sums for fused in self._lists], np.float64)
        self._order = np.lexsort((self._ids, self._kinds, -sums, -self._scores))
        if per_document:
            of = documents or {}
            owners = _joined([of.get(fused.kind, np.zeros_like(fused.ids)) for fused in self._lists], np.int64)
            self._leave_out(owners[self._order], per_document)

    def _leave_out(self, owners: Ids, per_document: int) -> None:
        together = np.argsort(owners, kind="stable")
        grouped = owners[together]
        begins = np.flatnonzero(np.concatenate([[True], grouped[1:] != grouped[:-1]])) if len(grouped) else grouped
        sizes = np.diff(np.append(begins, len(grouped)))
        places = np.empty(len(owners), np.int64)
        places[together] = np.arange(len(grouped)) - np.repeat(begins, sizes)
        surplus = np.empty(len(owners), np.int64)
        surplus[together] = np.repeat(np.maximum(sizes - per_document, 0), sizes)
        surplus[owners == 0] = 0
        kept = (owners == 0) | (places < per_document)
        self._more[self._order] = surplus
        self._order = self._order[kept]

    def places(self, count: int) -> dict[tuple[str, int], int]:
        """The first rows, so many, by kind and id, each with its place from 0."""
        kinds = [fused.kind for fused in self._lists]
        first = self._order[:count]
        pairs = zip(self._kinds[first].tolist(), self._ids[first].tolist(), strict=True)
        return {(kinds[kind], row): place for place, (kind, row) in enumerate(pairs)}

    def without(self, rows: Collection[tuple[str, int]]) -> OrderedRows:
        """The same without some rows, by kind and id."""
        if not rows:
            return self
        kinds = [fused.kind for fused in self._lists]
        left = copy.copy(self)
        left._order = np.array(
            [place for place in self._order.tolist() if (kinds[self._kinds[place]], int(self._ids[place])) not in rows],
            np.int64,
        )
        return left

    def __len__(self) -> int:
        return len(self._order)

    def page(self, offset: int = 0, limit: int | None = None) -> list[FusedRow]:
        """The rows from ``offset`` on, at most ``limit``."""
        chosen = self._order[offset : None if limit is None else offset + limit]
        return [self._row(place) for place in chosen.tolist()]

    def _row(self, place: int) -> FusedRow:
        fused, row = self._lists[self._kinds[place]], int(self._ids[place])
        legs = {name: leg for name, ranked in fused.legs.items() if (leg := ranked.leg(row)) is not None}
        return FusedRow(fused.kind, row, float(self._scores[place]), legs, int(self._more[place]))


def _joined(parts: Sequence[NDArray[Any]], kind: type[Any]) -> NDArray[Any]:
    return np.concatenate([np.empty(0, kind), *parts])
