"""What a language model says of topics, as rows: by a topic's key and by what the model was shown of it.

Used by ``kgfs.graph.topic_tree`` and ``kgfs.pipeline.topic_pass``; writes in their transactions, on the store's writer
thread. A verdict that does not hold now is kept for as long as versions are (``kgfs.store.llm.llm_uses``): the text
that it was made from may come back.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager

import msgspec

from kgfs.store.catalog.database import Cursor
from kgfs.store.catalog.inserts import insert, value_table
from kgfs.store.catalog.rows import encode_json
from kgfs.store.files.items import GROUP, now


class TopicVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """What a model says of one topic."""

    key: str
    evidence: str
    """A hash of what it was shown."""
    parent: str = ""
    """Key of the topic above; empty where it says none."""
    definition: str = ""
    """One sentence; empty where it says none that can be used."""
    documents: list[int] = []
    """Of which it was shown words."""
    said_by: str = ""


def topic_verdicts(cursor: Cursor) -> list[TopicVerdict]:
    """All of them, in order of key."""
    rows = cursor.execute(
        "SELECT key, evidence, parent, definition, documents, said_by FROM topic_verdicts ORDER BY key, evidence"
    ).fetchall()
    return [
        TopicVerdict(
            key=key, evidence=evidence, parent=parent, definition=definition, said_by=said_by,
            documents=msgspec.json.decode(documents),
        )
        for key, evidence, parent, definition, documents, said_by in rows
    ]  # fmt: skip


def put_verdicts(cursor: Cursor, found: Sequence[TopicVerdict]) -> None:
    """Keep verdicts, in the place of those on the same evidence."""
    with _among(cursor, [(one.key, one.evidence) for one in found]):
        cursor.execute("DELETE FROM topic_verdicts WHERE (key, evidence) IN (SELECT (key, evidence) FROM among)")
    count = len(found)
    insert(
        cursor,
        "topic_verdicts",
        {
            "group_id": [GROUP] * count,
            "key": [one.key for one in found],
            "evidence": [one.evidence for one in found],
            "parent": [one.parent for one in found],
            "definition": [one.definition for one in found],
            "documents": [encode_json(one.documents) for one in found],
            "said_by": [one.said_by for one in found],
            "said_at": [now()] * count,
        },
    )


def note_held(cursor: Cursor, held: Collection[tuple[str, str]]) -> None:
    """Note which hold now (keys and evidence), and since when the others do not."""
    with _among(cursor, held):
        cursor.execute(
            "UPDATE topic_verdicts SET left_at = CASE WHEN left_at IS NULL THEN ?::TIMESTAMP END"
            " WHERE (left_at IS NULL) <> ((key, evidence) IN (SELECT (key, evidence) FROM among))",
            [now()],
        )


def _among(cursor: Cursor, pairs: Collection[tuple[str, str]]) -> AbstractContextManager[None]:
    return value_table(
        cursor,
        "among",
        {"key": ("VARCHAR", [key for key, _ in pairs]), "evidence": ("VARCHAR", [evidence for _, evidence in pairs])},
    )
