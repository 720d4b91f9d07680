"""The two legs of a search, asked at once: BM25 and vectors, each a deep list a kind, and what became of them.

Used by ``kgfs.search.searcher``. The legs run in threads of small pools.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

from kgfs.calls import SearchCalls
from kgfs.errors import KgfsError, ModelError, ModelLoading, ModelMismatch
from kgfs.index_records import IdFilter, Ranking

log = logging.getLogger(__name__)

_THREADS = 8
ANSWER_SECONDS = 6.0
"""The vector leg is waited for no longer than this, below the ten seconds in which the mount must answer; or as long as
the model may load, for callers that prefer waiting to keywords alone (a command without a mount)."""
_GRACE_SECONDS = 0.3


@dataclass(frozen=True)
class LegRankings:
    """The rankings of each leg that took part, by kind; ``missing`` says why there are no vectors, or is empty."""

    legs: dict[str, dict[str, Ranking]] = field(default_factory=dict)
    missing: str = ""


class Legs:
    """Asks the worker. May be used from any thread."""

    def __init__(self, index: SearchCalls) -> None:
        self._index = index
        # Apart, so that keywords do not wait behind searches that wait for the model.
        self._keywords = ThreadPoolExecutor(_THREADS, thread_name_prefix="search-keyword")
        self._vectors = ThreadPoolExecutor(_THREADS, thread_name_prefix="search-vector")

    def begin(
        self,
        kinds: Sequence[str],
        query: str,
        depth: int,
        where: Mapping[str, IdFilter],
        *,
        vectors: bool,
        wait: float,
    ) -> PendingLegs:
        """Both legs for every kind. Without a model, after ``wait`` seconds, the keyword leg alone."""
        filters = dict(where)
        return PendingLegs(
            self._keywords.submit(self._index.keyword, kinds, query, depth, filters),
            self._vectors.submit(self._index.nearest, kinds, query, depth, filters, wait) if vectors else None,
            max(ANSWER_SECONDS, wait + _GRACE_SECONDS),
        )

    def close(self) -> None:
        self._keywords.shutdown(wait=False, cancel_futures=True)
        self._vectors.shutdown(wait=False, cancel_futures=True)


class PendingLegs:
    """Legs that were started and may not have finished yet."""

    def __init__(
        self, keyword: Future[dict[str, Ranking]], vector: Future[dict[str, Ranking]] | None, patience: float
    ) -> None:
        """``patience``: for how many seconds the vector leg is waited for."""
        self._asked = time.monotonic()
        self._keyword, self._vector, self._patience = keyword, vector, patience

    def get(self) -> LegRankings:
        """What they found; waits. What the keyword leg raises is raised."""
        legs = {"bm25": self._keyword.result()}
        missing = ""
        if self._vector is not None:
            try:
                left = self._patience - (time.monotonic() - self._asked)
                legs["vector"] = self._vector.result(max(left, _GRACE_SECONDS))
            except TimeoutError:
                self._vector.cancel()
                missing = "vectors late"
            except ModelLoading:
                missing = "model loading"
            except ModelMismatch as error:
                log.warning("Search by keyword alone: %s", error.message)
                missing = "vectors of another model"
            except ModelError as error:
                log.warning("Search by keyword alone: %s", error.message)
                missing = "model failed"
            except KgfsError as error:
                # The keyword leg has results, which are worth more than an error.
                log.warning("Search by keyword alone: %s", error.message)
                missing = "vectors failed"
        return LegRankings(legs, missing)
