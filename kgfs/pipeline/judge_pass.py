"""The pass that puts merge candidates before a language model, and joins those that it takes for one.

Used by the pipeline, on the jobs thread, where a language model reads. Verdicts are kept by names and by what the
model was shown, so a second run asks nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from kgfs.graph.resolution import resolve_annotated
from kgfs.llm.judging import judge_pairs
from kgfs.pipeline.run import Run
from kgfs.store.catalog.database import Cursor
from kgfs.store.graph import merge_candidates
from kgfs.store.graph.merge_candidates import PairVerdict


def judge_pass(run: Run) -> bool:
    """Have the candidates judged; whether any were joined.

    Raises what ``Asker.drive`` raises; what was judged by then stays.
    """
    with run.database.read(snapshot=True) as cursor:
        found = merge_candidates.candidates(cursor)
        about = merge_candidates.judged_entities(cursor, {number for one in found for number in (one.one, one.other)})
        known = merge_candidates.of_keys(cursor, {one.key for one in about.values()})
    pairs = [(about[one.one], about[one.other]) for one in found if one.one in about and one.other in about]
    if not pairs:
        return False
    (verdicts,) = run.asker.drive([judge_pairs(pairs, run.asker.model, known)])
    if not verdicts:
        return False
    before = {(one.one, one.other) for one in known if one.same}
    changed = {key for one in verdicts if one.same or (one.one, one.other) in before for key in (one.one, one.other)}
    run.database.write(lambda cursor: settle_verdicts(cursor, verdicts, changed))
    run.committed()
    run.publish()
    return bool(changed)


def settle_verdicts(cursor: Cursor, verdicts: Sequence[PairVerdict], changed: Collection[str]) -> None:
    """Keep verdicts, and bring the entities that have the ``changed`` names up to date."""
    merge_candidates.put_verdicts(cursor, verdicts)
    if changed:
        resolve_annotated(cursor, changed)
