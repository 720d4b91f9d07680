"""The pass that looks for facts that contradict each other: a company has one chief executive and one head office at a
time. What a newer fact contradicts it ends; the rest it marks as conflicts.

Used by the pipeline, on the jobs thread, after the graph pass. It looks at all facts of a few types at once, in two
statements, so what comes of it does not depend on the order in which documents came.
"""

from __future__ import annotations

from kgfs.pipeline.run import Run
from kgfs.store.catalog.database import Cursor
from kgfs.store.graph import conflicts, validity


def validity_pass(run: Run) -> None:
    """Have every fact hold until another one took its place, as far as all facts say so now, and mark conflicts."""
    with run.database.read() as cursor:
        changed = bool(validity.ended_differences(cursor)) or bool(conflicts.conflict_differences(cursor))
    if changed:
        run.database.write(_write)
        run.committed()
        run.publish()


def _write(cursor: Cursor) -> None:
    validity.write_ended(cursor, validity.ended_differences(cursor))
    conflicts.write_conflicts(cursor, conflicts.conflict_differences(cursor))
