"""Topics: what each is about, and the whole hierarchy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kgfs import names
from kgfs.namespace.node import NodeRef
from kgfs.namespace.snapshot import Snapshot
from kgfs.namespace.views.text import bytes_lines, json_page
from kgfs.store.catalog.database import Cursor
from kgfs.store.catalog.statements import run_prepared
from kgfs.store.tree.pages import RenderedPage

_TOPICS = """
WITH RECURSIVE wanted AS (SELECT unnest($1::BIGINT[]) AS id),
beneath AS (
    SELECT id AS top, id FROM wanted
    UNION -- of what is known already: in a damaged store a topic may be beneath itself
    SELECT b.top, t.id FROM beneath b JOIN topics t ON t.parent_id = b.id
),
reach AS (
    SELECT b.top AS id, count(DISTINCT ct.chunk_id) AS chunks, count(DISTINCT ct.document_id) AS documents
    FROM beneath b JOIN chunk_topics ct ON ct.topic_id = b.id GROUP BY b.top
),
above AS (
    SELECT w.id AS bottom, t.parent_id AS id, 1 AS step FROM wanted w JOIN topics t USING (id)
    UNION ALL
    SELECT a.bottom, t.parent_id, a.step + 1 FROM above a JOIN topics t USING (id) WHERE a.step < 100
),
paths AS (
    SELECT bottom AS id, list(t.name ORDER BY step DESC) AS path FROM above a JOIN topics t ON t.id = a.id
    GROUP BY bottom
),
children AS (
    SELECT t.parent_id AS id, list(t.name ORDER BY t.name) AS names FROM topics t JOIN wanted w ON w.id = t.parent_id
    GROUP BY t.parent_id
)
SELECT t.id, t.slug, t.name, t.definition, t.source, coalesce(p.path, []), coalesce(c.names, []),
       (SELECT count(*) FROM chunk_topics ct WHERE ct.topic_id = t.id), coalesce(r.chunks, 0), coalesce(r.documents, 0)
FROM topics t JOIN wanted USING (id) LEFT JOIN reach r USING (id) LEFT JOIN paths p USING (id)
LEFT JOIN children c USING (id) ORDER BY t.id
"""

_MADE_FROM = {
    "tag": "tags",
    "heading": "headings",
    "part": "headings that join several",
    "phrase": "phrases of the texts",
    "model": "what a language model says that passages are about",
    "cluster": "topics whose passages are alike",
}


def render_topics(cursor: Cursor, row_ids: Sequence[int]) -> Iterator[RenderedPage]:
    """What these topics are, where they stand, and what they are made from."""
    for row in run_prepared(cursor, _TOPICS, [list(row_ids)]).fetchall():
        row_id, slug, name, definition, source, path, children, own, chunks, documents = row
        lines = [names.one_line(name or slug)]
        if definition:
            lines += ["", names.one_line(definition)]
        lines.append("")
        if path:
            lines.append(f"Part of: {names.one_line(' > '.join(path))}")
        if children:
            lines.append(f"Subtopics: {names.one_line(', '.join(children))}")
        reached = f", {chunks:,} with those of subtopics" if children else ""
        lines.append(f"Chunks: {own:,}{reached}; documents: {documents:,}")
        if source:
            lines.append(f"Made from: {names.one_line(_MADE_FROM.get(source, source))}")
        yield RenderedPage("topic_definition", row_id, "", bytes_lines(lines))


_LEVELS = 100
"""JSON is not nested deeper, for no parser reads it then."""


def ontology(s: Snapshot, node: NodeRef) -> bytes:
    """``topics/_ontology.json``: every topic with its subtopics, number of chunks (its own) and path.

    What is more levels down than JSON is nested stands beside the topic above it; its path says where it belongs.
    """

    def tree(index: int, level: int) -> dict[str, Any]:
        beneath = list(s.topic_children[index]) if level < _LEVELS - 1 else []
        return {
            "slug": s.topics.slugs[index],
            "name": s.topic_names[index],
            "chunks": s.topic_chunks.count(index),
            "path": s.topic_path(index),
            "subtopics": [tree(each, level + 1) for child in beneath for each in with_deeper(child, level + 1)],
        }

    def with_deeper(index: int, level: int) -> list[int]:
        found = [index]
        if level == _LEVELS - 1:
            for each in found:
                found.extend(s.topic_children[each])
        return found

    return json_page([tree(index, 0) for index in s.topic_roots])
