"""The best rows by what two columns of a large table score together, without asking the engine for both in one query.

Used by ``kgfs.store.index.vectors`` in the worker's threads. LanceDB 0.40 adds the scores of every row that has any of
the words before it takes the best: 0.9 s of processor time for frequent words and 2 million rows. Of one column it
finds the best 1,000 in 0.07 s, because it leaves out what cannot be among them. So each column is asked for its best,
then for its scores of the rows that only the other one named. What is in neither list scores less than the last of both
together: such a row can be missing near the end of what is returned, never near its beginning.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

LARGE_ROWS = 100_000
"""Of smaller tables both columns are asked in one query."""
MOST_ROWS = 5000
"""Longer lists are asked for in one query: naming their rows would cost more."""


def best_of_both(ask: Callable[[str, Sequence[int]], Any], columns: tuple[str, str], depth: int) -> Any:
    """The best ``depth`` rows, an Arrow table with ``id``, ``gen`` and ``_score``, best first.

    ``ask(column, ids)``: the best rows of a column alone, at most ``depth``, or only of those ids, if any.
    """
    lists = [ask(column, ()) for column in columns]
    ids = [found["id"].to_numpy() for found in lists]
    for place, column in enumerate(columns):
        missing = np.setdiff1d(ids[1 - place], ids[place])
        if len(missing) and lists[place].num_rows >= depth:  # else it named all rows that it has a score for
            lists.append(ask(column, missing.tolist()))
    together = pa.concat_tables(lists)
    rows, first, places = np.unique(together["id"].to_numpy(), return_index=True, return_inverse=True)
    scores = np.bincount(places, together["_score"].to_numpy(), len(rows)).astype(np.float32)
    order = np.lexsort((rows, -scores))[:depth]
    gens = together["gen"].to_numpy()[first[order]]
    return pa.table({"id": rows[order], "gen": gens, "_score": scores[order]})
