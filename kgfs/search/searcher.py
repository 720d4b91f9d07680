"""A search from request to hits: filters, legs, dropping what the rows no longer have, fusion, snippets.

Used by the service, and through it by the query areas and the commands; ``search`` blocks, in any thread.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from kgfs.model import Ranking, Where
from kgfs.search import fusion, query, snippets
from kgfs.search.legs import Found, Index, Legs
from kgfs.search.query import Answer, Hit, SearchRequest
from kgfs.search.rows import Coverage, RowReader, Rows

PER_DOCUMENT = 3
"""Hits of one document among those of several kinds, so that one long document does not fill the answer."""
FILTER_IN_ENGINE = 20_000
"""A filter that lets more ids through is applied to the deep lists instead."""


class Searcher:
    """Answers searches over one store."""

    def __init__(self, worker: Index, rows: RowReader, model_wait_seconds: float = 4.0) -> None:
        """``model_wait_seconds``: how long a search waits for a model that loads before keyword answers alone."""
        self._legs = Legs(worker)
        self._rows = rows
        self._wait = model_wait_seconds

    def close(self) -> None:
        self._legs.close()

    def search(self, asked: SearchRequest) -> Answer:
        """The best rows, from ``offset`` on, at most ``limit``.

        ``QueryError`` for a query without a word or an option out of range; ``WorkerError`` and ``DeadlineExceeded``
        when not even the keyword leg answers.
        """
        started = time.monotonic()
        text = query.check(asked)
        kinds = tuple(dict.fromkeys(asked.kinds))
        coverage = self._rows.coverage(kinds)
        allowed = {kind: set(self._rows.allowed(kind, asked)) for kind in kinds} if asked.filtered else {}
        kinds = tuple(kind for kind in kinds if not asked.filtered or allowed[kind])
        found = Found()
        hits: list[Hit] = []
        if coverage.rows and kinds:
            where = {kind: Where(ids=sorted(ids)) for kind, ids in allowed.items() if 0 < len(ids) <= FILTER_IN_ENGINE}
            vectors = asked.hybrid and coverage.indexed > 0
            found = self._legs.ask(kinds, text, fusion.DEPTH, where, vectors=vectors, wait=self._wait)
            ranked = self._fused(text, kinds, found, allowed if asked.filtered else None)
            hits = self._shown(list(islice(ranked, asked.offset, asked.offset + asked.limit)), text)
        return Answer(
            hits=hits,
            mode=_mode(asked, found, coverage),
            milliseconds=round((time.monotonic() - started) * 1000, 1),
            settled=coverage.percent == 100 and not found.missing,
        )

    def _fused(
        self, text: str, kinds: Sequence[str], found: Found, allowed: dict[str, set[int]] | None
    ) -> Iterator[fusion.Fused]:
        several = len(kinds) > 1
        fused: list[fusion.FusedList] = []
        documents: dict[str, dict[int, int]] = {}
        for kind in kinds:
            # A prefix is meant where names are searched; elsewhere "a" would bring every name with an A.
            names = self._rows.named(text, prefix=not several) if kind == "entity" else {}
            rankings = {leg: answers.get(kind, Ranking()) for leg, answers in found.legs.items()}
            wanted = {row for ranking in rankings.values() for row in ranking.ids} | names.keys()
            there = self._rows.rows(kind, np.array(sorted(wanted & allowed[kind] if allowed else wanted), np.int64))
            legs = {leg: _current(kind, leg, ranking, there) for leg, ranking in rankings.items()}
            known = dict(zip(there.ids.tolist(), there.documents.tolist(), strict=True))
            names = {row: score for row, score in names.items() if row in known}
            fused.append(fusion.fuse(kind, legs, names, fusion.KIND_WEIGHTS[kind] if several else 1.0))
            documents[kind] = known
        rows = fusion.in_order(fused)
        return fusion.at_most(rows, PER_DOCUMENT, documents) if several else rows

    def _shown(self, rows: Sequence[fusion.Fused], text: str) -> list[Hit]:
        texts = {
            kind: self._rows.texts(kind, [row.id for row in rows if row.kind == kind])
            for kind in {row.kind for row in rows}
        }
        return [
            Hit(
                kind=row.kind,
                id=row.id,
                score=row.score,
                legs=row.legs,
                snippet=snippets.snippet(texts[row.kind].get(row.id, ""), text),
            )
            for row in rows
        ]


def _current(kind: str, leg: str, ranking: Ranking, there: Rows) -> fusion.RankedList:
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


def _mode(asked: SearchRequest, found: Found, coverage: Coverage) -> str:
    """What took part: ``hybrid``, ``hybrid, vectors 38 %``, ``keyword``, ``keyword, model loading`` …"""
    if not asked.hybrid or not coverage.rows:
        return "keyword"
    if found.missing:
        return f"keyword, {found.missing}"
    if not coverage.indexed:
        return "keyword, vectors 0 %"
    return "hybrid" if coverage.percent == 100 else f"hybrid, vectors {coverage.percent} %"
