"""The pass that joins types of facts which a language model proposed with those that mean the same.

Used by the pipeline, on the jobs thread, where a language model reads. Verdicts are kept by name, so a second run asks
only of new ones. The documents of a type that is joined are read again, from the answers that are kept.
"""

from __future__ import annotations

from kgfs.llm.type_joining import join_types
from kgfs.pipeline.run import Run
from kgfs.relation_types import RELATION_TYPES
from kgfs.store import indexing
from kgfs.store.catalog.database import Cursor
from kgfs.store.llm import type_verdicts


def type_pass(run: Run) -> bool:
    """Have new types judged; whether documents wait to be read again.

    Raises what ``Asker.drive`` raises; what was judged by then stays.
    """
    with run.database.read(snapshot=True) as cursor:
        found = type_verdicts.model_types(cursor)
        known = type_verdicts.type_verdicts(cursor)
    asked = [one for one in found if one.name not in RELATION_TYPES and one.name not in known]
    if not asked:
        return False
    in_use = [one.name for one in found if one.name in known and known[one.name].target == one.name]
    (verdicts,) = run.asker.drive([join_types(asked, in_use, run.asker.model)])
    if not verdicts:
        return False
    joined = [one.name for one in verdicts if one.target != one.name]

    def settle(cursor: Cursor) -> bool:
        type_verdicts.put_verdicts(cursor, verdicts, run.asker.model)
        again = type_verdicts.documents_with(cursor, joined) if joined else []
        indexing.extract_again(cursor, again)
        return bool(again)

    return run.database.write(settle)
