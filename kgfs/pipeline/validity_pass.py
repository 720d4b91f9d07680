"""The pass that ends what a newer fact contradicts: a company has one chief executive and one head office at a time.

Used by the pipeline, on the jobs thread, after the graph pass. It looks at all facts of a few types at once, in one
statement, so what comes of it does not depend on the order in which documents came.
"""

from __future__ import annotations

from kgfs.pipeline.run import Run
from kgfs.store import validity

ONE_OBJECT = ("HEADQUARTERED_IN",)
"""Types of which a subject has one object at a time."""
ONE_SUBJECT = ("CHIEF_EXECUTIVE_OF",)
"""Types of which an object has one subject at a time. Most types are in neither: people work for several, and live in a
city and its country."""


def validity_pass(run: Run) -> None:
    """Have every fact hold until another one took its place, as far as all facts say so now."""
    with run.database.read() as cursor:
        changed = validity.ended_differences(cursor, ONE_OBJECT, ONE_SUBJECT)
    if changed:
        run.database.write(
            lambda cursor: validity.write_ended(cursor, validity.ended_differences(cursor, ONE_OBJECT, ONE_SUBJECT))
        )
        run.committed()
        run.publish()
