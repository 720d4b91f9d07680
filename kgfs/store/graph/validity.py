"""Until when facts hold because a newer one contradicts them, as a column of their rows.

Used by the validity pass. Nothing is deleted and no text is contradicted: what a text says of the end of a fact stands,
and a fact whose successor goes is open again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kgfs.store.catalog import dirty_rows
from kgfs.store.catalog.database import Cursor
from kgfs.store.catalog.inserts import value_table
from kgfs.store.files.documents import IN
from kgfs.store.files.items import now

ONE_OBJECT = ("HEADQUARTERED_IN",)
"""Types of which a subject has one object at a time."""
ONE_SUBJECT = ("CHIEF_EXECUTIVE_OF",)
"""Types of which an object has one subject at a time. Most types are in neither: people work for several, and live in a
city and its country."""

_WANTED = """
WITH one_at_a_time AS (
    SELECT id, type, valid_to, coalesce(valid_from, date) AS since,
           CASE WHEN list_contains($of_subject, type) THEN subject_id ELSE object_id END AS holder,
           CASE WHEN list_contains($of_subject, type) THEN object_id ELSE subject_id END AS held
    FROM facts WHERE list_contains($of_subject || $of_object, type) AND status = 'stated' AND subject_id IS NOT NULL
         AND object_id IS NOT NULL AND coalesce(valid_from, date) IS NOT NULL),
-- Both ways round, so that it is looked up by both ends: with an OR every pair would be held against every such fact.
part_and_whole AS (
    SELECT subject_id AS one, object_id AS other FROM facts WHERE type = 'LOCATED_IN'
    UNION SELECT object_id, subject_id FROM facts WHERE type = 'LOCATED_IN'),
-- Many texts say one thing: what is compared are the things, not their texts' facts.
stated AS (SELECT DISTINCT type, holder, held, since FROM one_at_a_time),
-- Later for certain: of two dates of which one is part of the other nobody knows.
ended AS (
    SELECT older.type, older.holder, older.held, older.since, min(newer.since) AS ended
    FROM stated older JOIN stated newer USING (type, holder)
    WHERE newer.held <> older.held AND newer.since > older.since AND NOT starts_with(newer.since, older.since)
          AND NOT EXISTS (SELECT 1 FROM part_and_whole WHERE one = older.held AND other = newer.held)
    GROUP BY ALL),
wanted AS (
    SELECT id, ended.ended FROM one_at_a_time JOIN ended USING (type, holder, held, since) WHERE valid_to IS NULL),
present AS (SELECT id, ended FROM facts WHERE ended IS NOT NULL)
SELECT coalesce(wanted.id, present.id) AS id, wanted.ended
FROM wanted FULL JOIN present ON present.id = wanted.id
WHERE wanted.ended IS DISTINCT FROM present.ended ORDER BY 1
"""


def ended_differences(cursor: Cursor) -> dict[int, str | None]:
    """Facts (row ids) whose ``ended`` is not what all facts come to, with what it should be.

    Two places of which one lies in the other contradict nothing.
    """
    kinds = {"of_subject": list(ONE_OBJECT), "of_object": list(ONE_SUBJECT)}
    return dict(cursor.execute(_WANTED, kinds).fetchall())


def write_ended(cursor: Cursor, ended: Mapping[int, str | None]) -> None:
    """Set ``ended`` of facts; marks them and both their ends."""
    table: dict[str, tuple[str, Sequence[object]]] = {
        "id": ("BIGINT", list(ended)),
        "ended": ("VARCHAR", list(ended.values())),
    }
    with value_table(cursor, "found", table):
        cursor.execute(
            "UPDATE facts SET ended = found.ended, version = facts.version + 1, changed_at = ? FROM found"
            " WHERE facts.id = found.id",
            [now()],
        )
    rows = cursor.execute(f"SELECT id, subject_id, object_id FROM facts WHERE id {IN}", [list(ended)]).fetchall()
    dirty_rows.mark_dirty(cursor, "fact", (row[0] for row in rows))
    dirty_rows.mark_dirty(cursor, "entity", {end for row in rows for end in row[1:] if end is not None})
