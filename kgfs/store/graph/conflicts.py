"""Facts that cannot both be true, as a column of their rows.

Used by the validity pass; the tree shows them in ``facts/conflicts/``. Nothing is judged here: all of them stay, and
the reader decides. One sentence never contradicts itself ("based in Highbury, London"), and of two dates of which one
is part of the other nobody knows that they differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kgfs.store.catalog import dirty_rows
from kgfs.store.catalog.database import Cursor
from kgfs.store.catalog.inserts import value_table
from kgfs.store.catalog.statements import run_prepared
from kgfs.store.graph.validity import ONE_OBJECT, ONE_SUBJECT

ONE_DATE = ("BORN", "BORN_ON", "DIED", "DIED_ON", "FOUNDED_ON")
"""A subject has one date of these; ``_ON`` is what a table or front matter calls the same."""
ONE_PLACE = ("BORN_IN", "DIED_IN", "BURIED_IN", *ONE_OBJECT)
"""A subject has one place of these at a time."""
ONCE = ("ACQUIRED", "FOUNDED", "MERGED_WITH", "BORN_IN", "DIED_IN", "BURIED_IN", "KILLED")
"""What happens once between two entities has one date."""


def _listed(types: tuple[str, ...]) -> str:
    return ", ".join(f"'{name}'" for name in types)


_WANTED = f"""
WITH stated AS (
    SELECT f.id, f.type, f.subject_id, f.object_id, f.date, f.value, f.unit, f.indicator, f.quote, f.document_id,
           coalesce(f.valid_from, f.date) AS since, coalesce(f.valid_to, f.ended) AS till
    FROM facts f WHERE f.status = 'stated' AND f.subject_id IS NOT NULL),
born AS (
    SELECT id, subject_id AS holder, regexp_replace(type, '^(BORN|DIED)_ON$', '\\1') AS type, date, quote
    FROM stated WHERE type IN ({_listed(ONE_DATE)}) AND date IS NOT NULL),
dates AS (
    SELECT DISTINCT unnest([a.id, b.id]) AS id, a.holder FROM born a JOIN born b USING (holder, type)
    WHERE a.date < b.date AND NOT starts_with(b.date, a.date) AND a.quote IS DISTINCT FROM b.quote),
-- Of the places that one sentence names the first is the nearest: "Highbury, London, England".
named AS (
    SELECT s.*, o.type AS kind, instr(s.quote, o.name) AS place FROM stated s JOIN entities o ON o.id = s.object_id
    WHERE s.type IN ({_listed(ONE_PLACE)}) AND s.till IS NULL),
placed AS (
    SELECT * FROM named QUALIFY row_number() OVER (
        PARTITION BY subject_id, type, quote ORDER BY CASE WHEN place > 0 THEN place ELSE 1000000 END, id) = 1),
within AS (
    SELECT subject_id AS part, object_id AS whole FROM stated
    WHERE type IN ('LOCATED_IN', 'PART_OF') AND subject_id <> object_id AND object_id IS NOT NULL
          AND subject_id IN (SELECT object_id FROM placed)),
nested AS (
    SELECT part, whole FROM within
    UNION SELECT inner_.part, outer_.object_id FROM within inner_ JOIN stated outer_ ON outer_.subject_id = inner_.whole
          AND outer_.type IN ('LOCATED_IN', 'PART_OF') WHERE outer_.object_id IS NOT NULL
    UNION SELECT a.object_id, b.object_id FROM named a JOIN named b USING (subject_id, type, quote)
          WHERE a.object_id <> b.object_id),
part_and_whole AS (SELECT part AS one, whole AS other FROM nested UNION SELECT whole, part FROM nested),
places AS (
    SELECT DISTINCT unnest([a.id, b.id]) AS id, a.subject_id AS holder FROM placed a
    JOIN placed b USING (subject_id, type, kind)
    WHERE a.object_id < b.object_id AND a.quote IS DISTINCT FROM b.quote
          AND (a.since IS NULL) = (b.since IS NULL)
          AND (a.since IS NULL OR starts_with(a.since, b.since) OR starts_with(b.since, a.since))
          AND NOT EXISTS (SELECT 1 FROM part_and_whole WHERE one = a.object_id AND other = b.object_id)),
held AS (SELECT * FROM stated WHERE type IN ({_listed(ONE_SUBJECT)}) AND object_id IS NOT NULL AND till IS NULL),
holders AS (
    SELECT DISTINCT unnest([a.id, b.id]) AS id, a.object_id AS holder FROM held a
    JOIN held b USING (object_id, type)
    WHERE a.subject_id < b.subject_id AND a.quote IS DISTINCT FROM b.quote
          AND (a.since IS NULL) = (b.since IS NULL)
          AND (a.since IS NULL OR starts_with(a.since, b.since) OR starts_with(b.since, a.since))),
events AS (
    SELECT DISTINCT unnest([a.id, b.id]) AS id, a.subject_id AS holder FROM stated a
    JOIN stated b USING (subject_id, object_id, type)
    WHERE a.type IN ({_listed(ONCE)}) AND a.quote IS DISTINCT FROM b.quote
          AND ((a.date < b.date AND NOT starts_with(b.date, a.date))
               OR (a.id < b.id AND a.unit = b.unit AND abs(a.value - b.value) > 0.02 * abs(a.value)))),
figures AS (
    SELECT DISTINCT unnest([a.id, b.id]) AS id, a.subject_id AS holder FROM stated a
    JOIN stated b USING (subject_id, indicator, date)
    WHERE a.id < b.id AND a.document_id <> b.document_id
          AND a.unit IS NOT DISTINCT FROM b.unit AND abs(a.value - b.value) > 0.02 * abs(a.value)),
wanted AS (
    SELECT id, min(holder) AS conflict_id FROM (
        FROM dates UNION ALL BY NAME FROM places UNION ALL BY NAME FROM holders UNION ALL BY NAME FROM events
        UNION ALL BY NAME FROM figures)
    GROUP BY id),
present AS (SELECT id, conflict_id FROM facts WHERE conflict_id IS NOT NULL)
SELECT coalesce(wanted.id, present.id) AS id, wanted.conflict_id
FROM wanted FULL JOIN present ON present.id = wanted.id
WHERE wanted.conflict_id IS DISTINCT FROM present.conflict_id ORDER BY 1
"""


def conflict_differences(cursor: Cursor) -> dict[int, int | None]:
    """Facts (row ids) whose ``conflict_id`` is not what all facts come to, with what it should be.

    Facts of one type that have one ``conflict_id`` contradict each other. What a newer fact has ended contradicts
    nothing: ``ended`` must be right before.
    """
    # Planned in 11 ms, in each pass; where there is nothing to contradict it is not even planned.
    counts = "SELECT count(*) FILTER (status = 'stated'), count(conflict_id) FROM facts"
    ((stated, present),) = run_prepared(cursor, counts).fetchall()
    if stated < 2 and not present:
        return {}
    return dict(cursor.execute(_WANTED).fetchall())


def write_conflicts(cursor: Cursor, conflicts: Mapping[int, int | None]) -> None:
    """Set ``conflict_id`` of facts; marks them, so that they are published."""
    table: dict[str, tuple[str, Sequence[object]]] = {
        "id": ("BIGINT", list(conflicts)),
        "conflict_id": ("BIGINT", list(conflicts.values())),
    }
    with value_table(cursor, "found", table):
        cursor.execute("UPDATE facts SET conflict_id = found.conflict_id FROM found WHERE facts.id = found.id")
    dirty_rows.mark_dirty(cursor, "fact", conflicts)
