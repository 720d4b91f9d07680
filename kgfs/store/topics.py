"""Topics as rows: which there are, what documents say about them, which chunks and facts belong to them.

Used by ``kgfs.ingest.topic_tree`` inside a write transaction, on the store's writer thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from kgfs.store import marks
from kgfs.store.database import Cursor, given, insert
from kgfs.store.documents import IN
from kgfs.store.items import GROUP, now


class Topic(msgspec.Struct, kw_only=True):
    """A topic's row."""

    id: int
    slug: str
    name: str
    key: str
    parent_id: int | None
    definition: str = ""
    source: str = ""


class TopicClaim(msgspec.Struct, frozen=True, kw_only=True):
    """What one document says about one topic."""

    topic_id: int
    document_id: int
    name: str
    definition: str
    source: str


def all_topics(cursor: Cursor) -> dict[int, Topic]:
    """Every topic by id: there are few."""
    rows = cursor.execute(
        "SELECT id, slug, name, key, parent_id, definition, source FROM topics ORDER BY id"
    ).fetchall()
    return {row[0]: Topic(**dict(zip(Topic.__struct_fields__, row, strict=True))) for row in rows}


def clear_topics(cursor: Cursor, document_ids: Sequence[int]) -> set[int]:
    """Take back what documents say about topics and which of their chunks belong to them; returns the topics."""
    numbers = list(document_ids)
    rows = cursor.execute(
        f"SELECT topic_id FROM topic_claims WHERE document_id {IN}"
        f" UNION SELECT topic_id FROM chunk_topics WHERE document_id {IN}",
        [numbers, numbers],
    ).fetchall()
    for table in ("topic_claims", "chunk_topics", "fact_topics"):
        cursor.execute(f"DELETE FROM {table} WHERE document_id {IN}", [numbers])
    return {row[0] for row in rows}


def insert_topics(cursor: Cursor, topics: Sequence[Topic], keys: Sequence[str]) -> None:
    """Insert topics; ``keys`` are the slugs' keys."""
    count = len(topics)
    insert(
        cursor,
        "topics",
        {
            **{name: [getattr(topic, name) for topic in topics] for name in Topic.__struct_fields__},
            "group_id": [GROUP] * count,
            "slug_key": list(keys),
            "want_gen": [1] * count,
            "have_gen": [0] * count,
            "version": [1] * count,
            "changed_at": [now()] * count,
        },
    )


def insert_links(
    cursor: Cursor, document_ids: Sequence[int], claims: Sequence[TopicClaim], chunks: Sequence[tuple[int, int, int]]
) -> None:
    """Insert claims and ``(chunk, topic, document)`` links; the facts of a chunk belong to its topics too."""
    values: dict[str, list[Any]] = {
        name: [getattr(claim, name) for claim in claims] for name in TopicClaim.__struct_fields__
    }
    insert(cursor, "topic_claims", {**values, "group_id": [GROUP] * len(claims)})
    insert(
        cursor,
        "chunk_topics",
        {
            "group_id": [GROUP] * len(chunks),
            "chunk_id": [chunk for chunk, _, _ in chunks],
            "topic_id": [topic for _, topic, _ in chunks],
            "document_id": [document for _, _, document in chunks],
        },
    )
    cursor.execute(
        "INSERT INTO fact_topics BY NAME SELECT 1 AS group_id, f.id AS fact_id, c.topic_id, f.document_id FROM facts f"
        f" JOIN chunk_topics c ON c.chunk_id = f.chunk_id WHERE f.document_id {IN}",
        [list(document_ids)],
    )


def delete_empty(cursor: Cursor) -> set[int]:
    """Delete topics that have neither chunks nor subtopics, upwards; returns those that went and their parents."""
    touched: set[int] = set()
    while True:
        rows = cursor.execute(
            "SELECT id, parent_id FROM topics t WHERE NOT EXISTS (SELECT 1 FROM chunk_topics c WHERE c.topic_id = t.id)"
            " AND NOT EXISTS (SELECT 1 FROM topics s WHERE s.parent_id = t.id)"
        ).fetchall()
        if not rows:
            return touched
        empty = [row[0] for row in rows]
        cursor.execute(f"DELETE FROM topics WHERE id {IN}", [empty])
        cursor.execute(f"DELETE FROM topic_claims WHERE topic_id {IN}", [empty])
        cursor.execute(f"DELETE FROM former_names WHERE kind = 'topic' AND target_id {IN}", [empty])
        marks.gone(cursor, "topic", empty)
        touched.update(end for row in rows for end in row if end is not None)


def best_claims(cursor: Cursor, topic_ids: Sequence[int]) -> dict[int, tuple[str, str, str]]:
    """``(name, definition, source)`` of topics: the first document's name, the first definition that is not empty."""
    rows = cursor.execute(
        "SELECT topic_id, min_by(name, (document_id, name)), coalesce(min_by(definition, (document_id, definition))"
        " FILTER (definition <> ''), ''), min_by(source, (document_id, source)) FROM topic_claims"
        f" WHERE topic_id {IN} GROUP BY topic_id",
        [list(topic_ids)],
    ).fetchall()
    return {row[0]: (row[1], row[2], row[3]) for row in rows}


def update_topics(cursor: Cursor, topics: Sequence[Topic]) -> None:
    """Update name, definition and source; they go to the search index again."""
    if not topics:
        return
    table: dict[str, tuple[str, Sequence[Any]]] = {
        "id": ("BIGINT", [topic.id for topic in topics]),
        "name": ("VARCHAR", [topic.name for topic in topics]),
        "definition": ("VARCHAR", [topic.definition for topic in topics]),
        "source": ("VARCHAR", [topic.source for topic in topics]),
    }
    with given(cursor, "given", table):
        cursor.execute(
            "UPDATE topics SET name = given.name, definition = given.definition, source = given.source,"
            " want_gen = topics.want_gen + 1, version = topics.version + 1, changed_at = ?"
            " FROM given WHERE topics.id = given.id",
            [now()],
        )
