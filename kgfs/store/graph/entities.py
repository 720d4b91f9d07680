"""Entities as rows: with aliases, slugs, former names, and the names that they join.

Used by ``kgfs.graph.resolution`` inside a write transaction, on the store's writer thread. Nothing here chooses a
name, a type or a slug.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

import msgspec

from kgfs.store.catalog import dirty_rows
from kgfs.store.catalog.database import Cursor
from kgfs.store.catalog.inserts import insert, value_table
from kgfs.store.catalog.rows import encode_json, struct_columns
from kgfs.store.files.documents import IN
from kgfs.store.files.items import GROUP, now
from kgfs.store.graph.claims import IN_TEXTS


class MergedName(NamedTuple):
    """A name that an entity joins."""

    name: str
    rule: str
    confidence: float
    documents: int


class Entity(msgspec.Struct, kw_only=True):
    """An entity's row."""

    id: int
    slug: str
    name: str
    type: str
    description: str
    attributes: dict[str, Any]
    confidence: float
    extractor: str
    declared_by: int | None
    aliases: list[tuple[str, str]]
    """Each with its slug, in order of slug."""
    summary: str = ""
    """The best sentences of all documents."""
    merges: list[MergedName] = []
    """In order of name."""
    by_person: bool = False
    """Whether a person made, named, typed or described it."""


def read_entities(cursor: Cursor, entity_ids: Collection[int]) -> dict[int, Entity]:
    """Entity rows by id."""
    numbers = sorted(entity_ids)
    aliases: dict[int, list[tuple[str, str]]] = {}
    for entity, alias, name in cursor.execute(
        f"SELECT entity_id, alias, slug FROM entity_aliases WHERE entity_id {IN} ORDER BY entity_id, slug, alias",
        [numbers],
    ).fetchall():
        aliases.setdefault(entity, []).append((alias, name))
    merges: dict[int, list[MergedName]] = {}
    for entity, *merge in cursor.execute(
        f"SELECT entity_id, name, rule, confidence, documents FROM entity_merges WHERE entity_id {IN}"
        " ORDER BY entity_id, name, rule",
        [numbers],
    ).fetchall():
        merges.setdefault(entity, []).append(MergedName(*merge))
    rows = cursor.execute(
        "SELECT id, slug, name, type, description, attributes, confidence, extractor, declared_by, summary,"
        f" coalesce(by_person, false) FROM entities WHERE id {IN}",
        [numbers],
    ).fetchall()
    return {
        row[0]: Entity(
            id=row[0], slug=row[1], name=row[2], type=row[3], description=row[4],
            attributes=msgspec.json.decode(row[5]), confidence=row[6], extractor=row[7], declared_by=row[8],
            aliases=aliases.get(row[0], []), summary=row[9], merges=merges.get(row[0], []),
            by_person=row[10],
        )
        for row in rows
    }  # fmt: skip


def insert_entities(cursor: Cursor, rows: Sequence[Entity], keys: Sequence[str]) -> None:
    """Insert entities with their aliases; ``keys`` are the slugs' keys."""
    at, count = now(), len(rows)
    if not rows:
        return
    values = struct_columns(rows)
    del values["aliases"], values["merges"]
    values["attributes"] = [encode_json(row.attributes) for row in rows]
    insert(
        cursor,
        "entities",
        {
            **values,
            "group_id": [GROUP] * count,
            "slug_key": keys,
            "want_gen": [1] * count,
            "have_gen": [0] * count,
            "version": [1] * count,
            "changed_at": [at] * count,
            "created_at": [at] * count,
        },
    )
    _insert_names(cursor, rows)


def update_entities(cursor: Cursor, rows: Sequence[Entity], keys: Sequence[str], reindex: Collection[int]) -> None:
    """Update entities with their aliases; those in ``reindex`` go to the search index again."""
    if not rows:
        return
    table: dict[str, tuple[str, Sequence[Any]]] = {
        "id": ("BIGINT", [row.id for row in rows]),
        "slug": ("VARCHAR", [row.slug for row in rows]),
        "slug_key": ("VARCHAR", list(keys)),
        "name": ("VARCHAR", [row.name for row in rows]),
        "type": ("VARCHAR", [row.type for row in rows]),
        "description": ("VARCHAR", [row.description for row in rows]),
        "attributes": ("VARCHAR", [encode_json(row.attributes) for row in rows]),
        "confidence": ("DOUBLE", [row.confidence for row in rows]),
        "extractor": ("VARCHAR", [row.extractor for row in rows]),
        "declared_by": ("BIGINT", [row.declared_by for row in rows]),
        "summary": ("VARCHAR", [row.summary for row in rows]),
        "by_person": ("BOOLEAN", [row.by_person for row in rows]),
        "want_gen": ("BIGINT", [int(row.id in reindex) for row in rows]),
    }
    assignments = ", ".join(f"{name} = given.{name}" for name in table if name not in ("id", "want_gen"))
    with value_table(cursor, "given", table):
        cursor.execute(
            f"UPDATE entities SET {assignments}, want_gen = entities.want_gen + given.want_gen,"
            " version = entities.version + 1, changed_at = ? FROM given WHERE entities.id = given.id",
            [now()],
        )
    for name in ("entity_aliases", "entity_merges"):
        cursor.execute(f"DELETE FROM {name} WHERE entity_id {IN}", [[row.id for row in rows]])
    _insert_names(cursor, rows)


def _insert_names(cursor: Cursor, rows: Sequence[Entity]) -> None:
    aliases = [(row.id, alias, name) for row in rows for alias, name in row.aliases]
    insert(
        cursor,
        "entity_aliases",
        {
            "group_id": [GROUP] * len(aliases),
            "entity_id": [entity for entity, _, _ in aliases],
            "alias": [alias for _, alias, _ in aliases],
            "slug": [name for _, _, name in aliases],
            "key": [name.casefold() for _, _, name in aliases],
        },
    )
    merges = [(row.id, merge) for row in rows for merge in row.merges]
    insert(
        cursor,
        "entity_merges",
        {
            "group_id": [GROUP] * len(merges),
            "entity_id": [entity for entity, _ in merges],
            "name": [merge.name for _, merge in merges],
            "rule": [merge.rule for _, merge in merges],
            "confidence": [merge.confidence for _, merge in merges],
            "documents": [merge.documents for _, merge in merges],
        },
    )


def delete_entities(cursor: Cursor, entity_ids: Collection[int]) -> None:
    """Delete entities that nothing claims any more."""
    numbers = sorted(entity_ids)
    if not numbers:
        return
    for table in ("entity_aliases", "entity_merges", "entity_chunks", "entity_keys"):
        cursor.execute(f"DELETE FROM {table} WHERE entity_id {IN}", [numbers])
    cursor.execute(f"DELETE FROM former_names WHERE kind = 'entity' AND target_id {IN}", [numbers])
    cursor.execute(f"DELETE FROM entities WHERE id {IN}", [numbers])
    dirty_rows.mark_removed(cursor, "entity", numbers)


def taken_slugs(cursor: Cursor, table: str, keys: Collection[str]) -> set[str]:
    """Of the slug keys ``keys``, those in use in ``table`` (``entities`` or ``topics``)."""
    rows = cursor.execute(f"SELECT slug_key FROM {table} WHERE slug_key {IN_TEXTS}", [sorted(keys)]).fetchall()
    return {row[0] for row in rows}


def former_name(cursor: Cursor, kind: str, directory: str, name: str, target: int) -> None:
    """Leave a link at a path that something no longer has."""
    cursor.execute("DELETE FROM former_names WHERE kind = ? AND directory = ? AND slug = ?", [kind, directory, name])
    cursor.execute("INSERT INTO former_names VALUES (?, ?, ?, ?, ?)", [GROUP, kind, directory, name, target])


def retarget_former_names(cursor: Cursor, old: int, new: int) -> None:
    """What led to a merged entity leads to the one that took it in."""
    cursor.execute("UPDATE former_names SET target_id = ? WHERE kind = 'entity' AND target_id = ?", [new, old])


def lead_back(cursor: Cursor, old: int, new: int, slugs: Collection[str]) -> None:
    """Of the paths that lead to one entity those with these slugs lead to another, which was split off."""
    cursor.execute(
        f"UPDATE former_names SET target_id = ? WHERE kind = 'entity' AND target_id = ? AND slug {IN_TEXTS}",
        [new, old, sorted(slugs)],
    )


def reclaim_names(cursor: Cursor, kind: str, places: Iterable[tuple[str, str]]) -> None:
    """Paths ``(directory, slug)`` that are in use again lead nowhere else."""
    used = list(places)
    cursor.execute(
        "DELETE FROM former_names WHERE kind = $1 AND (directory, slug) IN"
        " (SELECT unnest($2::VARCHAR[]), unnest($3::VARCHAR[]))",
        [kind, [directory for directory, _ in used], [name for _, name in used]],
    )


def mark_around(cursor: Cursor, entity_ids: Collection[int]) -> None:
    """Mark all that shows the name or the path of these entities; facts with a new name go to the index again."""
    numbers = sorted(entity_ids)
    if not numbers:
        return
    near = cursor.execute(
        f"SELECT id, subject_id, object_id, document_id, chunk_id FROM facts WHERE subject_id {IN} OR object_id {IN}",
        [numbers, numbers],
    ).fetchall()
    facts = [row[0] for row in near]
    cursor.execute(f"UPDATE facts SET want_gen = want_gen + 1, version = version + 1 WHERE id {IN}", [facts])
    dirty_rows.mark_dirty(cursor, "fact", facts)
    dirty_rows.mark_dirty(cursor, "entity", {*numbers, *_present(near, 1, 2)})
    dirty_rows.mark_dirty(cursor, "chunk", _present(near, 4))
    dirty_rows.mark_dirty(cursor, "document", _present(near, 3))
    mark_places(cursor, numbers)


def mark_places(cursor: Cursor, entity_ids: Collection[int]) -> None:
    """Mark the passages in which these entities stand, and what else is shown of these passages."""
    numbers = sorted(entity_ids)
    if not numbers:
        return
    chunks = cursor.execute(
        f"SELECT DISTINCT chunk_id, document_id FROM entity_chunks WHERE entity_id {IN}", [numbers]
    ).fetchall()
    beside = cursor.execute(
        "SELECT DISTINCT b.entity_id FROM entity_chunks a JOIN entity_chunks b USING (chunk_id)"
        f" WHERE a.entity_id {IN}",
        [numbers],
    ).fetchall()
    topics = cursor.execute(
        f"SELECT DISTINCT topic_id FROM chunk_topics WHERE chunk_id {IN}", [[row[0] for row in chunks]]
    ).fetchall()
    dirty_rows.mark_dirty(cursor, "entity", {*numbers, *(row[0] for row in beside)})
    dirty_rows.mark_dirty(cursor, "chunk", {row[0] for row in chunks})
    dirty_rows.mark_dirty(cursor, "document", {row[1] for row in chunks})
    dirty_rows.mark_dirty(cursor, "topic", (row[0] for row in topics))


def _present(rows: Sequence[tuple[Any, ...]], *places: int) -> set[int]:
    return {row[place] for row in rows for place in places if row[place] is not None}
