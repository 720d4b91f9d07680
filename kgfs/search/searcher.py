"""A search from request to hits: filters, legs, dropping what the rows no longer have, fusion, snippets.

Used by the service, and through it by the query areas and the commands; ``search`` blocks, in any thread.

Scope and filters are sorted ids of each kind, and the engines rank only these (``kgfs.store.index.index_filter``).
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np

from kgfs.calls import SearchCalls
from kgfs.index_records import IdFilter, Ranking
from kgfs.search import fusion, query, snippets, support
from kgfs.search.fusion import Ids, OrderedRows, RankedList
from kgfs.search.graph import SEEDS, EntityGraph
from kgfs.search.hops import hopped
from kgfs.search.legs import LegRankings, Legs
from kgfs.search.query import SearchAnswer, SearchHit, SearchRequest
from kgfs.search.rows import Coverage, PresentRows, RowArrays, RowReader

PER_DOCUMENT = 3
"""Hits of one document among those of several kinds, so that one long document does not fill the answer."""

Allowed = Mapping[str, Ids]
"""Of each kind that is filtered, the ids that may be found, ascending."""


class Searcher:
    """Searches one store."""

    def __init__(
        self, worker: SearchCalls, rows: RowReader, model_wait_seconds: float = 4.0, *, graph: bool = True
    ) -> None:
        """``model_wait_seconds``: how long a search waits for a loading model before it uses keywords alone. ``graph``:
        whether passages are looked for by way of the entities that they mention, too."""
        self._legs = Legs(worker)
        self._rows = rows
        self._wait = model_wait_seconds
        self._graph = graph

    def close(self) -> None:
        self._legs.close()

    def search(self, asked: SearchRequest) -> SearchAnswer:
        """The best rows, from ``offset`` on, at most ``limit``.

        ``QueryError`` for a query without a word or an option out of range; ``WorkerError`` and ``DeadlineExceeded``
        when even the keyword leg fails.
        """
        started = time.monotonic()
        text = query.check_request(asked)
        kinds = tuple(dict.fromkeys(asked.kinds))
        present = self._rows.present()
        coverage = present.coverage(kinds)
        allowed = self._allowed(kinds, asked)
        several = len(kinds) > 1
        kinds = tuple(kind for kind in kinds if kind not in allowed or len(allowed[kind]))
        found = LegRankings()
        hits: list[SearchHit] = []
        backed = support.LEAST
        current = True
        if coverage.rows and kinds:
            where = {kind: IdFilter(ids=ids.tobytes()) for kind, ids in allowed.items() if len(ids)}
            vectors = asked.hybrid and coverage.indexed > 0
            asking = self._legs.begin(kinds, text, fusion.DEPTH, where, vectors=vectors, wait=self._wait)
            # Names are looked up while the legs are at work. A prefix is meant where names are searched; elsewhere "a"
            # would bring every name with an A.
            names = self._rows.named(text, prefix=not several) if "entity" in kinds else {}
            beginning = None
            if self._graph and vectors and "chunk" in kinds:
                entities, current = self._rows.graph()
                beginning = _Beginning(entities, self._rows.mentioned(text))
            found = asking.get()
            # What is written while the legs are at work, and while the hits are put together, counts too.
            present = self._rows.present()
            for _ in range(_TRIES):
                lists = self._fused(kinds, found, present, allowed, names, beginning, several, text, asked.hybrid)
                documents = {one.kind: present.rows[one.kind].of(one.ids).documents for one in lists}
                ordered = OrderedRows(lists, documents, PER_DOCUMENT if several else 0)
                best = self._once(ordered, present, names) if several else ordered
                first = best.page(0, support.BEST)
                hits, backed = self._shown(best.page(asked.offset, asked.limit), text, lists, first)
                before, present = present, self._rows.present()
                if present is before:
                    break
            hits = [hit for hit in hits if present.has(hit.kind, hit.id)]
        return SearchAnswer(
            hits=hits,
            backed=backed,
            mode=_mode(asked, found, coverage),
            milliseconds=round((time.monotonic() - started) * 1000, 1),
            settled=coverage.percent == 100 and not found.missing and current,
        )

    def _allowed(self, kinds: tuple[str, ...], asked: SearchRequest) -> dict[str, Ids]:
        """What scope and filters let through, of each kind that either of them narrows."""
        allowed: dict[str, Ids] = {}
        for kind in kinds:
            within = None if asked.within is None else asked.within.get(kind, _NONE)
            if within is not None:
                allowed[kind] = np.ascontiguousarray(within, np.int64)
            if asked.filtered and (within is None or len(within)):
                passing = self._rows.allowed(kind, asked)
                allowed[kind] = passing if within is None else np.intersect1d(passing, allowed[kind], True)
        return allowed

    def _fused(
        self,
        kinds: tuple[str, ...],
        found: LegRankings,
        present: PresentRows,
        allowed: Allowed,
        names: dict[int, float],
        beginning: _Beginning | None,
        several: bool,
        text: str,
        hops: bool,
    ) -> list[fusion.FusedList]:
        fused: list[fusion.FusedList] = []
        for kind in kinds:
            rankings = {leg: answers.get(kind, Ranking()) for leg, answers in found.legs.items()}
            there = present.rows[kind].of(allowed[kind]) if kind in allowed else present.rows[kind]
            covered = present.covered[kind]
            shares = {"vector": covered.indexed / covered.rows} if covered.rows else {}
            legs = {leg: _current(kind, leg, ranking, there) for leg, ranking in rankings.items()}
            named: dict[int, float] = {}
            if kind == "entity" and names:
                known = set(there.of(np.array(sorted(names), np.int64)).ids.tolist())
                named = {row: score for row, score in names.items() if row in known}
            weight = fusion.KIND_WEIGHTS[kind] if several else 1.0
            one = fusion.fuse_legs(kind, legs, named, weight, shares)
            if kind == "chunk" and beginning is not None and "vector" in legs:
                linked = beginning.walked(one, there)
                if len(linked.ids):
                    one = fusion.fuse_legs(kind, {**legs, "graph": linked}, named, weight, shares)
            if kind == "chunk" and self._graph and hops:
                one = hopped(one, text, self._rows, there.ids, there.documents)
            fused.append(one)
        return fused

    def _once(self, ordered: OrderedRows, present: PresentRows, names: Collection[int]) -> OrderedRows:
        """Without facts whose passage stands above them or soon below, and likewise entities whose page does: what they
        say is said there. Entities of ``names`` stay."""
        places = ordered.places(_ONCE)
        chunks = np.array(sorted(row for kind, row in places if kind == "chunk"), np.int64)
        there = present.rows["chunk"].of(chunks)
        first_of: dict[int, int] = {}
        for chunk, document in zip(there.ids.tolist(), there.documents.tolist(), strict=True):
            first_of[document] = min(first_of.get(document, len(places)), places["chunk", chunk])
        behind = self._rows.passages_behind([row for kind, row in places if kind == "fact"])
        pages = self._rows.pages_of([row for kind, row in places if kind == "entity" and row not in names])
        said = [(("fact", row), places.get(("chunk", chunk))) for row, chunk in behind.items()]
        said += [(("entity", row), first_of.get(document)) for row, document in pages.items()]
        return ordered.without({key for key, place in said if place is not None and place < places[key] + _SOON})

    def _shown(
        self,
        rows: list[fusion.FusedRow],
        text: str,
        lists: list[fusion.FusedList],
        best: list[fusion.FusedRow],
    ) -> tuple[list[SearchHit], float]:
        """The hits of ``rows``, and by what their scores were multiplied: ``best``, the best rows of all, say how far
        they can be trusted."""
        wanted: dict[str, list[int]] = {}
        for kind, number in dict.fromkeys((row.kind, row.id) for row in (*rows, *best)):
            wanted.setdefault(kind, []).append(number)
        texts = self._rows.texts(wanted)
        covered = [snippets.coverage(text, texts.get((row.kind, row.id), "")) for row in best]
        named = any("name" in row.legs for row in best)
        if not snippets.says_something(text):
            lists, covered = [], []  # words that every text has are near to any, and each holds them
        backed = support.factor(lists, covered, named)
        shown = [
            SearchHit(
                kind=row.kind,
                id=row.id,
                score=round(row.score * backed, 6),
                legs=row.legs,
                snippet=snippets.snippet(texts[row.kind, row.id], text),
                more=row.more,
            )
            for row in rows
            if (row.kind, row.id) in texts  # it went before anybody could know
        ]
        return shown, backed


class _Beginning(NamedTuple):
    """Where the walk of the leg ``graph`` begins, with the best hits of the other legs."""

    graph: EntityGraph
    mentioned: dict[int, float]

    def walked(self, hits: fusion.FusedList, there: RowArrays) -> RankedList:
        """The leg: of the rows that are there."""
        best = hits.best(SEEDS)
        sums = np.sort(hits.sums)[::-1]
        level = sums[min(_LEVEL, len(sums) - 1)] if len(sums) else 0.0
        above = np.maximum(hits.sums[np.searchsorted(hits.ids, best)] - level, _LEAST)
        ranked = self.graph.ranked(self.mentioned, dict(zip(best.tolist(), above.tolist(), strict=True)))
        kept = np.isin(ranked.ids, there.ids)
        return RankedList(ranked.ids[kept][: fusion.DEPTH], ranked.scores[kept][: fusion.DEPTH])


_NONE = np.empty(0, np.int64)
_LEVEL = 100
"""The best hits weigh by how far they stand above the one at this rank."""
_LEAST = 1e-6
_ONCE = 1000
"""So many rows are looked at for facts and entities that say what a passage says; as deep as an answer can be."""
_SOON = 20
"""Places; as many as an answer has where nobody asks for more."""
_TRIES = 2
"""So often hits are put together where rows are written meanwhile; then those that went are left out of the page."""


def _current(kind: str, leg: str, ranking: Ranking, there: RowArrays) -> fusion.RankedList:
    """The ranking without rows that are gone or that it knows in another generation.

    A chunk's row is never rewritten, so its text is right as long as it is there.
    """
    ids = np.array(ranking.ids, np.int64)
    scores = np.array(ranking.scores, np.float64)
    if not len(there.ids):
        return fusion.RankedList(ids[:0], scores[:0])
    places = np.minimum(np.searchsorted(there.ids, ids), len(there.ids) - 1)
    right = there.ids[places] == ids
    if kind != "chunk" or leg != "bm25":
        right &= there.gens[places] == np.array(ranking.gens, np.int64)
    return fusion.RankedList(ids[right], scores[right])


def _mode(asked: SearchRequest, found: LegRankings, coverage: Coverage) -> str:
    """What took part: ``hybrid``, ``hybrid, vectors 38 %``, ``keyword``, ``keyword, model loading`` …"""
    if not asked.hybrid or not coverage.rows:
        return "keyword"
    if found.missing:
        return f"keyword, {found.missing}"
    if not coverage.indexed:
        return "keyword, vectors 0 %"
    return "hybrid" if coverage.percent == 100 else f"hybrid, vectors {coverage.percent} %"
