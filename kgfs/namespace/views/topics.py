"""Topics: the definition of each, and the whole hierarchy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kgfs import names
from kgfs.namespace.snapshot import Snapshot
from kgfs.namespace.views.text import bytes_lines, json_page
from kgfs.store.database import Cursor
from kgfs.store.pages import Page

_TOPICS = """
WITH wanted AS (SELECT unnest($1::BIGINT[]) AS id)
SELECT t.id, t.slug, t.name, t.definition, t.source, p.name,
       (SELECT count(*) FROM chunk_topics ct WHERE ct.topic_id = t.id)
FROM topics t JOIN wanted USING (id) LEFT JOIN topics p ON p.id = t.parent_id ORDER BY t.id
"""


def render_topics(cursor: Cursor, row_ids: Sequence[int]) -> Iterator[Page]:
    """The definitions of these topics."""
    for row_id, slug, name, definition, source, parent, chunks in cursor.execute(_TOPICS, [list(row_ids)]).fetchall():
        lines = [names.one_line(name or slug)]
        if definition:
            lines += ["", names.one_line(definition)]
        lines.append("")
        if parent:
            lines.append(f"Part of: {names.one_line(parent)}")
        lines.append(f"Chunks: {chunks}, without those of subtopics")
        if source:
            lines.append(f"Made from: {names.one_line(source)}")
        yield Page("topic_definition", row_id, "", bytes_lines(lines))


def ontology(s: Snapshot, a: int) -> bytes:
    """``topics/_ontology.json``: every topic with its subtopics, number of chunks (its own) and path."""

    def tree(index: int) -> dict[str, Any]:
        return {
            "slug": s.topics.slugs[index],
            "name": s.topic_names[index],
            "chunks": s.topic_chunks.count(index),
            "path": s.topic_path(index),
            "subtopics": [tree(child) for child in s.topic_children[index]],
        }

    return json_page([tree(index) for index in s.topic_roots])
