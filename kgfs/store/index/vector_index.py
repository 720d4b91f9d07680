"""The approximate index of a large table of vectors: when there is one, how it is made, how a search asks it.

Used by ``kgfs.store.index.vectors``. ``main`` is a process of its own: it makes an index at a low priority while the
worker searches and writes, and ends when the worker does. The index is committed in one step or not at all; what a
process that died left behind is files that nothing names. Rows that were written since are searched beside the index by
the engine, until ``optimize`` takes them in.

The vectors are divided among parts, each around its centre (IVF), and kept there in a byte a dimension (SQ). A search
looks at the parts whose centres are nearest, and orders what it returns by the whole vectors. The name of an index says
how many parts it has, because the engine does not.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import subprocess
import threading
import warnings
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal

from kgfs import interpreter
from kgfs.errors import StoreError

COLUMN = "vector"
METRIC: Literal["cosine"] = "cosine"
INDEX_ROWS = 250_000
"""A table with more rows gets an index; of 100,000 a scan is as fast (docs/scaling.md)."""
REMADE_GROWTH = 4
"""An index is made anew when the table has so many times the rows that it was made of: its parts have grown, too."""
EXACT_ROWS = 30_000
"""So many rows that pass a filter are compared one by one: as fast as the index, and nothing is missed."""
TAKEN_COST = 30
"""A row that is found through the index costs as much as 15 (from the disk) to 60 that are compared one by one: it is
read alone."""
LEAST_PROBED, PROBED_SHARE = 16, 2.0
"""How many parts a search looks at (``probed_parts``)."""
FURTHER = 4
"""The engine looks at so many times the parts where those that it saw may not have all."""
SAMPLES, ROUNDS = 64, 20
"""The centres are found from so many vectors a part, in so many rounds."""
NICENESS = 10
"""Of the process that makes an index: whatever else there is to do goes first."""
_NAME = re.compile(r"vector_parts_(\d+)")


def parts_of(rows: int) -> int:
    """Into how many parts so many rows are divided."""
    return max(1, round(math.sqrt(rows)))


def parts_by_name(table: Any) -> dict[str, int]:
    """The indexes of a table's vectors: more than one only where a process died between making one and dropping one."""
    found = {index.name: _NAME.fullmatch(index.name) for index in table.list_indices() if COLUMN in index.columns}
    return {name: int(match[1]) if match else 0 for name, match in found.items()}


def is_due(table: Any, least_rows: int = INDEX_ROWS) -> bool:
    """Whether an index is to be made: there is none and more than ``least_rows`` rows, or the table outgrew it."""
    rows = int(table.count_rows())
    if rows <= least_rows:
        return False
    there = parts_by_name(table)
    return len(there) != 1 or parts_of(rows) > max(there.values()) * math.sqrt(REMADE_GROWTH)


def asked_through(query: Any, parts: int, depth: int, passing: int, condition: str) -> Any:
    """The query for the best ``depth`` of the ``passing`` rows for which the condition holds (empty: all), by way of an
    index of so many parts where that is faster, else one by one."""
    if not parts or passing <= max(EXACT_ROWS, depth * TAKEN_COST):
        return query.bypass_vector_index()
    probed = probed_parts(parts, depth / passing)
    # What passes may all be in parts far away: no limit, then.
    most = 0 if condition else min(parts, probed * FURTHER)
    return query.minimum_nprobes(probed).maximum_nprobes(most).refine_factor(1)


def probed_parts(parts: int, share: float) -> int:
    """How many parts are looked at, at least, where this ``share`` of the rows is wanted: the more that is, the more
    parts have some of it. 23 for the best ten of any table, 80 for the best thousand."""
    return min(parts, math.ceil(LEAST_PROBED + PROBED_SHARE * parts * math.sqrt(share)))


# --- making it ------------------------------------------------------------------------------------------------------


def make_index(directory: Path, name: str) -> None:
    """Have a process make the index of a table that is due; returns when it is there. ``StoreError`` where it failed.

    The process ends with this one: the end of its standard input is what tells it.
    """
    command = interpreter.program("kgfs.store.index.vector_index", os.fspath(directory), name)
    try:
        with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
            # Nothing is written: the pipe closes when this process ends, however it does.
            status = process.wait()
    except OSError as error:
        raise StoreError(f"No process could be started for the index of {name} ({error.strerror}).") from error
    if status:
        raise StoreError(f"The index of {name} could not be made (exit status {status}); searches go on without it.")


def build(table: Any) -> None:
    """Make the index that the table should have by now, and drop the others. Searches use the old one until then."""
    import lancedb.index

    there, parts = parts_by_name(table), parts_of(int(table.count_rows()))
    name = f"vector_parts_{parts}"
    if there and max(there.values()) * math.sqrt(REMADE_GROWTH) >= parts:
        name = max(there, key=lambda one: there[one])
    else:
        config = lancedb.index.IvfSq(
            distance_type=METRIC, num_partitions=parts, sample_rate=SAMPLES, max_iterations=ROUNDS
        )
        table.create_index(COLUMN, config=config, name=name)
    for other in there:
        if other != name:
            table.drop_index(other)


def main() -> None:
    """Make the index of one table."""
    parser = argparse.ArgumentParser(
        prog="kgfs.store.index.vector_index", description="Makes an index; the worker starts it."
    )
    parser.add_argument("directory", type=Path)
    parser.add_argument("table")
    options = parser.parse_args()
    os.nice(NICENESS)
    threading.Thread(target=_leave_with_the_worker, daemon=True).start()
    from kgfs.store.index import remote_catalogs  # noqa: F401  (before lancedb: it leaves a part of that out)

    # isort: split
    import lancedb

    with warnings.catch_warnings():
        db = lancedb.connect(os.fspath(options.directory), read_consistency_interval=timedelta(0))
        build(db.open_table(options.table))


def _leave_with_the_worker() -> None:
    os.read(0, 1)  # not by way of ``sys.stdin``, whose lock Python would want at its end
    os._exit(1)


if __name__ == "__main__":
    main()
