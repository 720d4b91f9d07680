"""What the search index has of the rows, and what it should have: the two generations of every row.

Used by the pipeline's vector pass and by the service when the index was lost. A row whose ``have_gen`` is below its
``want_gen`` waits; the indexer confirms the generation that it read, so a change meanwhile makes it wait again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from kgfs.store.catalog.database import Cursor
from kgfs.store.catalog.inserts import value_table
from kgfs.store.files.documents import IN
from kgfs.store.files.items import now

TABLES = {"chunk": "chunks", "entity": "entities", "fact": "facts", "topic": "topics"}
"""Kind in the search index to table."""

GRAPHRAG = "graphrag"
"""What ``documents.extractor`` says of a graph that GraphRAG made: no extractor here finds it again."""

_LENGTHS = {
    "chunk": "size",
    "entity": "strlen(description)",
    "fact": "strlen(description) + strlen(quote)",
    "topic": "strlen(definition)",
}


class ChunkRow(msgspec.Struct):
    """A chunk as the index sees it."""

    id: int
    document_id: int
    gen: int
    text: str
    headings: list[str]
    title: str
    description: str
    ref: str


class EntityRow(msgspec.Struct):
    """An entity as the index sees it."""

    id: int
    gen: int
    name: str
    type: str
    description: str
    aliases: list[str]


class FactIndexRow(msgspec.Struct):
    """A fact as the index sees it."""

    id: int
    document_id: int
    gen: int
    subject: str
    type: str
    target: str
    description: str
    date: str | None
    quote: str


class TopicRow(msgspec.Struct):
    """A topic as the index sees it."""

    id: int
    gen: int
    path: list[str]
    definition: str


def rows_to_embed(cursor: Cursor, kind: str) -> list[tuple[int, int]]:
    """``(id, size)`` of the rows that wait, the smallest texts first: batches of one length cost the model least."""
    return cursor.execute(
        f"SELECT id, coalesce({_LENGTHS[kind]}, 0) AS size FROM {TABLES[kind]} WHERE have_gen < want_gen"
        " ORDER BY size, id"
    ).fetchall()


def pending_texts(cursor: Cursor) -> list[int]:
    """The items whose chunks are not in the keyword index yet, in order of ref. What nobody has parsed has none yet."""
    rows = cursor.execute(
        "SELECT id FROM context_items WHERE have_gen < want_gen AND parsed_gen >= want_gen ORDER BY ref"
    ).fetchall()
    return [row[0] for row in rows]


Waiting = tuple[int, int, str, int]
"""A document that the extractor has yet to read: its id, its generation, its ref, the size of its chunks' text."""


def pending_extraction(cursor: Cursor) -> list[Waiting]:
    """``(id, generation, ref, size)`` of the documents that the extractor has yet to read, in order of ref.

    ``size`` is that of the text in its chunks: 0 where there is nothing to read. A document whose file was written
    since it was made is left out until it is rebuilt.
    """
    return cursor.execute(
        "SELECT i.id, i.want_gen, i.ref, CAST(coalesce(c.size, 0) AS BIGINT) FROM context_items i"
        " JOIN documents d USING (id) LEFT JOIN (SELECT document_id, sum(size) AS size FROM chunks"
        " GROUP BY document_id) c ON c.document_id = i.id WHERE i.extracted_gen < i.want_gen"
        " AND i.parsed_gen >= i.want_gen ORDER BY i.ref"
    ).fetchall()


def unchanged_items(cursor: Cursor, generations: Mapping[int, int]) -> set[int]:
    """Of these items (``{id: generation that was read}``) those whose document is still the one that was read."""
    rows = cursor.execute(
        f"SELECT id, want_gen FROM context_items WHERE parsed_gen >= want_gen AND id {IN}", [list(generations)]
    ).fetchall()
    return {item_id for item_id, generation in rows if generations[item_id] == generation}


def forget_texts(cursor: Cursor, item_ids: Sequence[int]) -> None:
    """The chunks of these items are others now: they wait for the keyword index."""
    cursor.execute(f"UPDATE context_items SET have_gen = 0 WHERE id {IN}", [list(item_ids)])


def read_again(cursor: Cursor, names: Sequence[str]) -> None:
    """Documents whose text holds one of ``names`` wait for the extractor again, but for those whose graph was made
    elsewhere, those that no extractor was to read, and those that a model was paid to read."""
    cursor.execute(
        "WITH read AS (SELECT c.document_id, lower(c.text) AS text FROM chunks c JOIN context_items i"
        " ON i.id = c.document_id WHERE i.extracted_gen >= i.want_gen"
        f" AND c.document_id NOT IN (SELECT id FROM documents WHERE extractor IN ('{GRAPHRAG}', 'none')"
        " OR starts_with(extractor, 'llm:')))"
        " UPDATE context_items SET extracted_gen = 0 WHERE id IN (SELECT r.document_id FROM read r"
        " WHERE EXISTS (SELECT 1 FROM (SELECT unnest(?::VARCHAR[]) AS name) n WHERE contains(r.text, n.name)))",
        [sorted({name.lower() for name in names})],
    )


def was_read_by(cursor: Cursor, extractor: str) -> bool:
    """Whether ``read_by`` has anything to do."""
    found = cursor.execute(
        "SELECT 1 FROM context_items JOIN documents USING (id) WHERE extracted_gen > 0 AND extractor = ? LIMIT 1",
        [extractor],
    )
    return found.fetchone() is not None


def read_by(cursor: Cursor, extractor: str) -> None:
    """Documents that this extractor read wait for the present one."""
    cursor.execute(
        "UPDATE context_items SET extracted_gen = 0 WHERE extracted_gen > 0"
        " AND id IN (SELECT id FROM documents WHERE extractor = ?)",
        [extractor],
    )


def read_without_model(cursor: Cursor, drive: str) -> list[tuple[int, str, str]]:
    """``(id, path, MIME type)`` of the documents of a drive that have text and that an extractor without a language
    model read, but for those whose graph was made elsewhere."""
    return cursor.execute(
        "SELECT i.id, i.path, i.mime_type FROM context_items i JOIN documents d USING (id) WHERE i.drive = ?"
        " AND i.extracted_gen > 0 AND d.extractor <> ? AND NOT starts_with(d.extractor, 'llm:')"
        " AND EXISTS (SELECT 1 FROM chunks WHERE document_id = i.id) ORDER BY i.id",
        [drive, GRAPHRAG],
    ).fetchall()


def extract_again(cursor: Cursor, item_ids: Sequence[int]) -> None:
    """These documents wait for the extractor."""
    cursor.execute(f"UPDATE context_items SET extracted_gen = 0 WHERE id {IN}", [list(item_ids)])


def chunk_ids(cursor: Cursor, document_ids: Sequence[int]) -> list[int]:
    """The chunks of documents."""
    rows = cursor.execute(
        f"SELECT id FROM chunks WHERE document_id {IN} ORDER BY document_id, ordinal", [list(document_ids)]
    ).fetchall()
    return [row[0] for row in rows]


def chunk_rows(cursor: Cursor, ids: Sequence[int]) -> list[ChunkRow]:
    """Chunks with what is said of their documents."""
    rows = cursor.execute(
        "SELECT c.id, c.document_id, c.want_gen, c.text, c.headings, d.title, d.description, i.ref FROM chunks c"
        f" JOIN documents d ON d.id = c.document_id JOIN context_items i ON i.id = c.document_id WHERE c.id {IN}",
        [list(ids)],
    ).fetchall()
    return [
        ChunkRow(id, document_id, gen, text, msgspec.json.decode(headings), title, description, ref)
        for id, document_id, gen, text, headings, title, description, ref in rows
    ]


def entity_rows(cursor: Cursor, ids: Sequence[int]) -> list[EntityRow]:
    """Entities with their aliases."""
    rows = cursor.execute(
        "SELECT e.id, e.want_gen, e.name, e.type, e.description, coalesce((SELECT list(a.alias ORDER BY a.alias)"
        f" FROM entity_aliases a WHERE a.entity_id = e.id), []) FROM entities e WHERE e.id {IN}",
        [list(ids)],
    ).fetchall()
    return [EntityRow(*row) for row in rows]


def fact_rows(cursor: Cursor, ids: Sequence[int]) -> list[FactIndexRow]:
    """Facts with the names of both ends."""
    rows = cursor.execute(
        "SELECT f.id, f.document_id, f.want_gen, s.name, f.type, coalesce(o.name, f.object_text, ''), f.description,"
        " f.date, f.quote FROM facts f JOIN entities s ON s.id = f.subject_id"
        f" LEFT JOIN entities o ON o.id = f.object_id WHERE f.id {IN}",
        [list(ids)],
    ).fetchall()
    return [FactIndexRow(*row) for row in rows]


def topic_rows(cursor: Cursor, ids: Sequence[int]) -> list[TopicRow]:
    """Topics with their paths of names."""
    rows = cursor.execute(
        "WITH RECURSIVE paths AS (SELECT id, parent_id, [name] AS path FROM topics"
        " UNION ALL SELECT p.id, t.parent_id, list_prepend(t.name, p.path) FROM paths p JOIN topics t"
        " ON t.id = p.parent_id WHERE len(p.path) < 100)"  # a topic of a damaged store may be above itself
        " SELECT t.id, t.want_gen, p.path, t.definition FROM topics t JOIN paths p ON p.id = t.id"
        f" AND p.parent_id IS NULL WHERE t.id {IN}",
        [list(ids)],
    ).fetchall()
    return [TopicRow(*row) for row in rows]


def confirm_vectors(cursor: Cursor, kind: str, generations: Mapping[int, int]) -> None:
    """The index has these generations, ``{id: generation that was read}``."""
    _set(cursor, TABLES[kind], "have_gen = given.gen", generations)


def confirm_texts(cursor: Cursor, generations: Mapping[int, int]) -> None:
    """The keyword index has the chunks of these items, ``{id: generation that was read}``."""
    _set(cursor, "context_items", f"have_gen = given.gen, indexed_at = TIMESTAMP '{now()}'", generations)


def item_generations(cursor: Cursor, ids: Sequence[int]) -> dict[int, int]:
    """Item to the generation that its chunks are of: what may be confirmed of it."""
    return dict(cursor.execute(f"SELECT id, parsed_gen FROM context_items WHERE id {IN}", [list(ids)]).fetchall())


def _set(cursor: Cursor, table: str, assignments: str, generations: Mapping[int, int]) -> None:
    columns: dict[str, tuple[str, Sequence[Any]]] = {
        "id": ("BIGINT", list(generations)),
        "gen": ("BIGINT", list(generations.values())),
    }
    with value_table(cursor, "given", columns):
        cursor.execute(
            f"UPDATE {table} SET {assignments} FROM given WHERE {table}.id = given.id AND {table}.have_gen < given.gen"
        )


def forget_vectors(cursor: Cursor, kind: str, *, texts: bool) -> None:
    """The index lost all it had of a kind: its rows wait again (``texts``: the keyword index of chunks too)."""
    cursor.execute(f"UPDATE {TABLES[kind]} SET have_gen = 0")
    if kind == "chunk" and texts:
        cursor.execute("UPDATE context_items SET have_gen = 0 WHERE id IN (SELECT id FROM documents)")
