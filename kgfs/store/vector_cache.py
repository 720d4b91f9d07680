"""A small table's vectors in memory: exact search in a millisecond where scanning the table takes ten.

Used by ``kgfs.store.vectors`` in the worker's threads. An object is one version of one table and never changes; a table
that was written to gets another. numpy only.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kgfs.model import Where

MAX_ROWS = 20_000
"""Larger tables are scanned by the engine: this many take 31 MB at 384 dimensions and 25 ms to read."""
COLUMNS = ("id", "document_id", "gen", "model_id", "vector")


class VectorCache:
    """One version of a table of vectors, all of length 1."""

    def __init__(self, version: int, table: Any, dimension: int) -> None:
        """``table``: an Arrow table with ``COLUMNS``."""
        self.version = version
        self.ids: NDArray[np.int64] = table["id"].to_numpy()
        self._documents: NDArray[np.int64] = table["document_id"].to_numpy()
        self.gens: NDArray[np.int64] = table["gen"].to_numpy()
        models = table["model_id"].combine_chunks().dictionary_encode()
        self._model_ids = models.dictionary.to_pylist()
        self._models: NDArray[np.int32] = models.indices.to_numpy()
        flat = table["vector"].combine_chunks().flatten().to_numpy()
        self._vectors: NDArray[np.float32] = flat.reshape(-1, dimension)

    def nearest(
        self, vector: NDArray[np.float32], model_id: str, limit: int, where: Where | None
    ) -> tuple[list[int], list[int], list[float]]:
        """Ids, generations and cosines of the rows of ``model_id`` nearest to ``vector``; equal ones by id."""
        if model_id not in self._model_ids:
            return [], [], []
        chosen = self._models == self._model_ids.index(model_id)
        if where is not None and where.ids is not None:
            chosen &= np.isin(self.ids, where.ids)
        if where is not None and where.document_ids is not None:
            chosen &= np.isin(self._documents, where.document_ids)
        rows = np.flatnonzero(chosen)
        scores = (self._vectors @ vector)[rows].astype(np.float64)
        if len(rows) > limit:
            # Ties at the cut stay in until they are sorted by id.
            keep = scores >= np.partition(scores, len(scores) - limit)[len(scores) - limit]
            rows, scores = rows[keep], scores[keep]
        order = np.lexsort((self.ids[rows], -scores))[:limit]
        rows, scores = rows[order], scores[order]
        return self.ids[rows].tolist(), self.gens[rows].tolist(), scores.tolist()
