"""The pass that finds which entities may be one though nothing says so, after the vector pass.

Used by the pipeline, on the jobs thread. It looks at all entities, and only when they are others than the last time.
"""

from __future__ import annotations

from kgfs.pipeline.run import Run
from kgfs.store.graph import merge_candidates


def candidate_pass(run: Run) -> None:
    """Find the merge candidates. ``WorkerError`` and its like where the worker fails: those of the last time stay."""
    with run.database.read(snapshot=True) as cursor:
        state = merge_candidates.entity_state(cursor)
        if state is None or state == merge_candidates.made_of(cursor):
            return
        names = merge_candidates.named_entities(cursor)
    with run.aside():
        found = run.worker.merge_candidates(names) if names else []
    if run.database.write(lambda cursor: merge_candidates.replace_candidates(cursor, found, state)):
        run.committed()
