"""A small table's vectors in memory: exact search in a millisecond where scanning the table takes ten.

Used by ``kgfs.store.index.vectors`` in the worker's threads. An object is one version of one table and never changes; a
table that was written to gets another. numpy only.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAX_ROWS = {"chunk": 100_000, "entity": 20_000, "fact": 20_000, "topic": 20_000}
"""Larger tables are scanned by the engine. 100,000 rows of 384 dimensions take 154 MB and 0.25 s to read; a search
takes 4 ms where the engine's scan takes 190."""
COLUMNS = ("id", "gen", "model_id", "vector")
_DIGITS = 6
"""Cosines are rounded: their last digits depend on which rows are multiplied together."""


class VectorCache:
    """One version of a table of vectors, all of length 1."""

    def __init__(self, version: int, batches: Iterable[Any], rows: int, dimension: int) -> None:
        """``batches``: Arrow record batches with ``COLUMNS``, of ``rows`` rows together."""
        self.version = version
        self.ids: NDArray[np.int64] = np.empty(rows, np.int64)
        self._gens: NDArray[np.int64] = np.empty(rows, np.int64)
        self._models: NDArray[np.int16] = np.empty(rows, np.int16)
        self._vectors: NDArray[np.float32] = np.empty((rows, dimension), np.float32)
        self._model_ids: list[str] = []
        done = 0
        for batch in batches:
            part = slice(done, done + batch.num_rows)
            self.ids[part] = batch.column("id").to_numpy()
            self._gens[part] = batch.column("gen").to_numpy()
            self._models[part] = self._numbered(batch.column("model_id").dictionary_encode())
            self._vectors[part] = batch.column("vector").flatten().to_numpy().reshape(-1, dimension)
            done += batch.num_rows
        if done < rows:  # some went between the count and the reading: what was not filled is no row
            self.ids, self._gens, self._models = self.ids[:done], self._gens[:done], self._models[:done]
            self._vectors = self._vectors[:done]

    def _numbered(self, models: Any) -> NDArray[np.int16]:
        names = models.dictionary.to_pylist()
        self._model_ids += [name for name in names if name not in self._model_ids]
        numbers = np.array([self._model_ids.index(name) for name in names], np.int16)
        return np.asarray(numbers[models.indices.to_numpy()])

    def nearest(
        self, vector: NDArray[np.float32], model_id: str, limit: int, wanted: NDArray[np.int64] | None
    ) -> tuple[list[int], list[int], list[float]]:
        """Ids, generations and cosines of the rows of ``model_id`` nearest to ``vector``; equal ones by id.

        ``wanted``: only rows with these ids.
        """
        if model_id not in self._model_ids:
            return [], [], []
        chosen = self._models == self._model_ids.index(model_id)
        if wanted is not None:
            chosen &= np.isin(self.ids, wanted)
        rows = np.flatnonzero(chosen)
        few = len(rows) * 4 < len(self.ids)
        exact = self._vectors[rows] @ vector if few else (self._vectors @ vector)[rows]
        scores = np.round(exact.astype(np.float64), _DIGITS)
        if len(rows) > limit:
            # Ties at the cut stay in until they are sorted by id.
            keep = scores >= np.partition(scores, len(scores) - limit)[len(scores) - limit]
            rows, scores = rows[keep], scores[keep]
        order = np.lexsort((self.ids[rows], -scores))[:limit]
        rows, scores = rows[order], scores[order]
        return self.ids[rows].tolist(), self._gens[rows].tolist(), scores.tolist()
