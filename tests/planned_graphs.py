"""Small documents with planned extractions, and the graph in a form that can be compared: by names, not by ids."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from kgfs.fsck import pages
from kgfs.graph import embedding_text
from kgfs.graph.candidate_rows import DocumentExtraction
from kgfs.graph.resolution import put_extractions, remove_items, resolve_annotated
from kgfs.graph.topic_tree import make_topics, topics_are_current
from kgfs.model import Chunk, Extraction, ParsedDocument
from kgfs.namespace.publish import publish
from kgfs.store import indexing
from kgfs.store.catalog.database import Database
from kgfs.store.files import documents, items
from kgfs.store.files.items import NewItem


def parsed(texts: Sequence[str], title: str = "Title", **fields: Any) -> ParsedDocument:
    """A document of these chunks."""
    chunks, start, line = [], 0, 1
    for ordinal, text in enumerate(texts, 1):
        lines = text.count("\n")
        chunks.append(
            Chunk(
                ordinal=ordinal, text=text, start=start, first_line=line, last_line=line + lines, headings=[],
                tokens=len(text.split()),
            )
        )  # fmt: skip
        start += len(text.encode())
        line += lines
    return ParsedDocument(mime_type="text/plain", title=title, text="".join(texts), chunks=chunks, **fields)


def put(database: Database, path: str, document: ParsedDocument, extraction: Extraction | None = None) -> int:
    """Store a document at a path, with what was extracted from it; returns its id."""

    def write(cursor: Any) -> int:
        body = (document.text or "").encode()
        item_id = items.put_item(cursor, NewItem(drive="disk", path=path, body=body, mime_type=document.mime_type))
        hashes = [
            embedding_text.text_hash(embedding_text.chunk_text(document.title, "", chunk.headings, path, chunk.text))
            for chunk in document.chunks
        ]
        documents.replace_document(cursor, item_id, path, document, hashes)
        if extraction is not None:
            generation = indexing.item_generations(cursor, [item_id])[item_id]
            put_extractions(cursor, [DocumentExtraction(item_id, generation, extraction)])
            if not topics_are_current(cursor):
                make_topics(cursor)
        return item_id

    return database.write(write)


def remove(database: Database, *item_ids: int) -> None:
    def work(cursor: Any) -> None:
        remove_items(cursor, item_ids)
        if not topics_are_current(cursor):
            make_topics(cursor)

    database.write(work)


def empty(database: Database) -> None:
    """Remove every document by the ordinary way, and what the past left."""
    remove(database, *(row[0] for row in database.fetch("SELECT id FROM context_items")))
    said = [row[0] for row in database.fetch("SELECT DISTINCT key FROM annotation_keys")]
    if said:  # what a person made or named stays until that is taken back
        database.write(lambda cursor: cursor.execute("UPDATE annotations SET undone_at = said_at"))
        database.write(lambda cursor: resolve_annotated(cursor, said))
        remove(database)

    def forget(cursor: Any) -> None:
        for table in ("stale", "removals", "merges", "annotations", "annotation_keys", "pages"):
            cursor.execute(f"DELETE FROM {table}")

    database.write(forget)


GRAPH = (
    "entities", "entity_claims", "claim_aliases", "claim_forms", "claim_evidence", "entity_merges", "entity_keys",
    "entity_aliases", "mentions", "entity_chunks", "facts",
    "topics", "topic_claims", "topic_claim_chunks", "topic_groups",
    "chunk_topics", "fact_topics", "document_links", "documents", "chunks", "context_items",
    "blocks", "former_names", "retracted_facts",
)  # fmt: skip
"""All that a document may leave."""


def rows_left(database: Database) -> dict[str, int]:
    """Tables that are not empty."""
    counts = " UNION ALL ".join(f"SELECT '{name}', count(*) FROM {name}" for name in GRAPH)
    return {name: count for name, count in database.fetch(counts) if count}


_NAMED = {
    "documents": "SELECT slug, title, date, description, summary, text, text_size, front_matter, tags, extractor"
    " FROM documents",
    "chunks": "SELECT d.slug, c.ordinal, c.text, c.size, c.start, c.first_line, c.last_line, c.hash FROM chunks c"
    " JOIN documents d ON d.id = c.document_id",
    "entities": "SELECT e.name, e.type, e.description, e.summary, e.attributes, e.confidence, e.extractor, d.slug"
    " FROM entities e"
    " LEFT JOIN documents d ON d.id = e.declared_by",
    "aliases": "SELECT e.name, a.alias, a.slug FROM entity_aliases a JOIN entities e ON e.id = a.entity_id",
    "keys": "SELECT e.name, list(k.key ORDER BY k.key) FROM entity_keys k"
    " JOIN entities e ON e.id = k.entity_id GROUP BY e.id, e.name",
    "claims": "SELECT e.name, d.slug, c.key, c.name, c.type, c.aliases, c.declared, c.standing FROM entity_claims c"
    " LEFT JOIN entities e ON e.id = c.entity_id JOIN documents d ON d.id = c.document_id",
    "merges": "SELECT e.name, m.name, m.rule, m.confidence, m.documents FROM entity_merges m"
    " JOIN entities e ON e.id = m.entity_id",
    "forms": "SELECT d.slug, f.key, f.rule, f.form, f.side FROM claim_forms f JOIN documents d ON d.id = f.document_id",
    "evidence": "SELECT d.slug, v.key, v.kind, v.label, v.amount FROM claim_evidence v"
    " JOIN documents d ON d.id = v.document_id",
    "mentions": "SELECT e.name, d.slug, h.ordinal, c.count FROM entity_chunks c JOIN entities e ON e.id = c.entity_id"
    " JOIN chunks h ON h.id = c.chunk_id JOIN documents d ON d.id = c.document_id",
    "facts": "SELECT f.fact_id, f.type, s.name, o.name, f.object_text, f.description, d.slug, h.ordinal, f.quote,"
    " f.span_start, f.span_end FROM facts f JOIN entities s ON s.id = f.subject_id"
    " LEFT JOIN entities o ON o.id = f.object_id JOIN documents d ON d.id = f.document_id"
    " JOIN chunks h ON h.id = f.chunk_id",
    "topics": "SELECT t.name, p.name, t.definition, t.source FROM topics t LEFT JOIN topics p ON p.id = t.parent_id",
    "topic_claims": "SELECT d.slug, c.key, c.source, c.name, c.above, c.definition, c.lead, c.times FROM topic_claims c"
    " JOIN documents d ON d.id = c.document_id",
    "topic_claim_chunks": "SELECT d.slug, c.key, c.source, h.ordinal, c.count FROM topic_claim_chunks c"
    " JOIN documents d ON d.id = c.document_id JOIN chunks h ON h.id = c.chunk_id",
    "chunk_topics": "SELECT t.name, d.slug, h.ordinal FROM chunk_topics c JOIN topics t ON t.id = c.topic_id"
    " JOIN chunks h ON h.id = c.chunk_id JOIN documents d ON d.id = c.document_id",
    "fact_topics": "SELECT f.fact_id, t.name FROM fact_topics c JOIN topics t ON t.id = c.topic_id"
    " JOIN facts f ON f.id = c.fact_id",
    "links": "SELECT d.slug, l.target, l.kind, l.label FROM document_links l JOIN documents d ON d.id = l.document_id",
}
_SLUGS = {
    "entity_slugs": "SELECT name, slug, slug_key FROM entities",
    "topic_slugs": "SELECT name, slug, slug_key FROM topics",
}


def graph(database: Database, *, slugs: bool = True) -> dict[str, list[str]]:
    """The graph by names, sorted; with ``slugs`` those too (they depend on who came first)."""
    queries = _NAMED | _SLUGS if slugs else _NAMED
    return {name: sorted(json.dumps(row, default=str) for row in database.fetch(sql)) for name, sql in queries.items()}


_DANGLING = {
    "claim without entity": "SELECT * FROM entity_claims WHERE (entity_id IS NULL AND standing = 'sure')"
    " OR (entity_id IS NOT NULL AND entity_id NOT IN (SELECT id FROM entities))",
    "entity without claim": "SELECT * FROM entities WHERE id NOT IN (SELECT entity_id FROM entity_claims"
    " WHERE entity_id IS NOT NULL) AND NOT by_person",
    "key without entity": "SELECT * FROM entity_keys WHERE entity_id NOT IN (SELECT id FROM entities)",
    "key twice": "SELECT key FROM entity_keys GROUP BY key HAVING count(*) > 1",
    "key without claim": "SELECT key FROM entity_keys WHERE key NOT IN (SELECT key FROM entity_claims)"
    " AND key NOT IN (SELECT key FROM annotation_keys)",
    "claim apart from its key": "SELECT * FROM entity_claims c LEFT JOIN entity_keys k USING (key)"
    " WHERE c.entity_id IS DISTINCT FROM k.entity_id",
    "merge of nothing": "SELECT * FROM entity_merges WHERE entity_id NOT IN (SELECT id FROM entities)",
    "subject": "SELECT * FROM facts WHERE subject_id IS NULL OR subject_id NOT IN (SELECT id FROM entities)",
    "object": "SELECT * FROM facts WHERE object_key IS NOT NULL AND (object_id IS NULL"
    " OR object_id NOT IN (SELECT id FROM entities))",
    "fact's chunk": "SELECT * FROM facts WHERE chunk_id NOT IN (SELECT id FROM chunks)",
    "quote": "SELECT * FROM facts f JOIN chunks c ON c.id = f.chunk_id WHERE position(f.quote IN c.text) = 0",
    "fact twice": "SELECT fact_id FROM facts GROUP BY fact_id HAVING count(*) > 1",
    "mention": "SELECT * FROM entity_chunks WHERE entity_id NOT IN (SELECT id FROM entities)"
    " OR chunk_id NOT IN (SELECT id FROM chunks)",
    "mention twice": "SELECT entity_id, chunk_id FROM entity_chunks GROUP BY ALL HAVING count(*) > 1",
    "lost mention": "SELECT m.* FROM mentions m WHERE key NOT IN (SELECT key FROM entity_claims)",
    "mention apart from its entity": "SELECT DISTINCT k.entity_id, m.chunk_id FROM mentions m"
    " JOIN entity_keys k USING (key) EXCEPT SELECT entity_id, chunk_id FROM entity_chunks",
    "slug twice": "SELECT slug_key FROM entities GROUP BY 1 HAVING count(*) > 1",
    "topic slug twice": "SELECT slug_key FROM topics GROUP BY 1 HAVING count(*) > 1",
    "topic's parent": "SELECT * FROM topics WHERE parent_id NOT IN (SELECT id FROM topics)",
    "empty topic": "SELECT * FROM topics WHERE id NOT IN (SELECT topic_id FROM chunk_topics)"
    " AND id NOT IN (SELECT parent_id FROM topics WHERE parent_id IS NOT NULL)",
    "former name in use": "SELECT * FROM former_names n JOIN entities e ON e.id = n.target_id AND e.slug = n.slug"
    " WHERE n.kind = 'entity' AND n.directory = lower(e.type) || 's'",
    "former name of nothing": "SELECT * FROM former_names WHERE kind = 'entity' AND target_id NOT IN (SELECT id"
    " FROM entities)",
}  # fmt: skip


def wrong_pages(database: Database) -> list[str]:
    """Publish, and say which pages are not what their rows come to."""
    publish(database)
    with database.read(snapshot=True) as cursor:
        return [damage.text for check in pages.checks(everything=True) for damage in check.find(cursor)]


def contradictions(database: Database) -> dict[str, list[Any]]:
    """Rows that point at nothing, or twice at one thing."""
    found = {name: database.fetch(sql) for name, sql in _DANGLING.items()}
    return {name: rows for name, rows in found.items() if rows}
