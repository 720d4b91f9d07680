"""Which documents' words are in which answers of language models, and how answers go when those words are gone.

Used by ``kgfs.llm.asking`` (uses are noted before anything is asked), by the row pass (``prune_answers``, as long as
versions are kept) and by ``kgfs rm --purge`` (``purge_answers``); writes on the store's writer thread. Functions take a
cursor.

Plain removal erases nothing here: the same text, added again, costs nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import timedelta
from typing import NamedTuple

from kgfs.store.catalog.database import Cursor
from kgfs.store.catalog.inserts import value_table
from kgfs.store.files.documents import IN
from kgfs.store.files.items import now

TOPICS = "topics"
"""The stage whose answers show several documents: they go with the first of them."""

_GONE = "document_id NOT IN (SELECT id FROM context_items)"


class AnswerUse(NamedTuple):
    """A document whose words a request shows."""

    key: str
    document_id: int
    stage: str


def unnoted_uses(cursor: Cursor, uses: Collection[AnswerUse]) -> list[AnswerUse]:
    """Those of ``uses`` that are not noted, or that were left."""
    if not uses:
        return []
    with value_table(cursor, "uses", _columns(uses)):
        rows = cursor.execute(
            "SELECT key, document_id, stage FROM uses ANTI JOIN (SELECT * FROM llm_uses WHERE left_at IS NULL) noted"
            " USING (key, document_id, stage) ORDER BY ALL"
        ).fetchall()
    return [AnswerUse(*row) for row in rows]


def note_uses(cursor: Cursor, uses: Collection[AnswerUse]) -> None:
    """Note uses."""
    with value_table(cursor, "uses", _columns(uses)):
        cursor.execute(
            "INSERT INTO llm_uses SELECT DISTINCT key, document_id, stage, NULL::TIMESTAMP FROM uses"
            " ON CONFLICT DO UPDATE SET left_at = NULL"
        )


def has_replaced_uses(cursor: Cursor, stage: str, kept: Mapping[int, Collection[str]]) -> bool:
    """Whether documents have other uses of a stage than these."""
    return bool(_others(cursor, stage, kept, "SELECT 1 FROM llm_uses", []))


def leave_uses(cursor: Cursor, stage: str, kept: Mapping[int, Collection[str]]) -> None:
    """Documents (by id) were read to their ends with these requests: what else was asked of them was of older texts."""
    _others(cursor, stage, kept, "UPDATE llm_uses SET left_at = ?", [now()])


def _others(
    cursor: Cursor, stage: str, kept: Mapping[int, Collection[str]], do: str, values: list[object]
) -> list[tuple[object, ...]]:
    """What a statement does on the uses that documents have of a stage beside ``kept``."""
    pairs = [AnswerUse(key, document_id, stage) for document_id, keys in kept.items() for key in keys]
    with value_table(cursor, "kept", _columns(pairs)):
        return cursor.execute(
            f"{do} WHERE llm_uses.stage = ? AND llm_uses.left_at IS NULL AND llm_uses.document_id {IN}"
            " AND NOT EXISTS (SELECT 1 FROM kept WHERE kept.key = llm_uses.key"
            " AND kept.document_id = llm_uses.document_id)",
            [*values, stage, sorted(kept)],
        ).fetchall()


def prune_answers(cursor: Cursor, *, days: float) -> None:
    """Delete what was left longer ago, and begin to count for what was removed since the last time."""
    cursor.execute(f"UPDATE llm_uses SET left_at = ? WHERE left_at IS NULL AND {_GONE}", [now()])
    before = now() - timedelta(days=days)
    _erase(cursor, "left_at < ?", [before])
    cursor.execute("DELETE FROM topic_verdicts WHERE left_at < ?", [before])


def any_gone(cursor: Cursor) -> bool:
    """Whether anything is kept of documents that are gone."""
    return cursor.execute(f"SELECT 1 FROM llm_uses WHERE {_GONE} LIMIT 1").fetchone() is not None


def purge_answers(cursor: Cursor) -> int:
    """Erase all answers about documents that are gone, unless a document that is there needs them; how many went.

    Of topics goes what was said with words of such documents, of merges what was said of names that nobody has now.
    """
    answers = _erase(cursor, _GONE, [])
    answers += _count(cursor, "DELETE FROM llm_answers WHERE purpose = 'judge'", [])  # verdicts are rows of their own
    cursor.execute(
        "DELETE FROM topic_verdicts WHERE left_at IS NOT NULL OR EXISTS (SELECT 1 FROM (SELECT"
        f" unnest(from_json(documents, '[\"BIGINT\"]')) AS document_id) WHERE {_GONE})"
    )
    names = "(SELECT key FROM entity_keys UNION ALL SELECT alias_key FROM claim_aliases)"
    cursor.execute(
        f"DELETE FROM merge_verdicts WHERE said_by <> 'person' AND NOT (one_key IN {names} AND other_key IN {names})"
    )
    return answers


def _erase(cursor: Cursor, which: str, values: list[object]) -> int:
    """Delete uses, and the answers that no use is left of."""
    held = f"purpose = '{TOPICS}' AND key IN (SELECT key FROM llm_uses WHERE {which})"
    gone = _count(cursor, f"DELETE FROM llm_answers WHERE {held}", values)
    cursor.execute(f"DELETE FROM llm_uses WHERE {which}", values)
    unused = "purpose <> 'judge' AND key NOT IN (SELECT key FROM llm_uses)"
    return gone + _count(cursor, f"DELETE FROM llm_answers WHERE {unused}", [])


def _count(cursor: Cursor, statement: str, values: list[object]) -> int:
    row = cursor.execute(statement, values).fetchone()
    return int(row[0]) if row else 0


def _columns(uses: Collection[AnswerUse]) -> dict[str, tuple[str, list[object]]]:
    return {
        "key": ("VARCHAR", [use.key for use in uses]),
        "document_id": ("BIGINT", [use.document_id for use in uses]),
        "stage": ("VARCHAR", [use.stage for use in uses]),
    }
