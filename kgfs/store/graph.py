"""Claims, entities and facts as rows: set-at-a-time reads and writes for the resolver, which decides what they mean.

Used by ``kgfs.ingest.resolution`` inside a write transaction, on the store's writer thread. Nothing here chooses a
name, a type or a slug.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from kgfs.store import marks
from kgfs.store.database import Cursor, given, ids, insert
from kgfs.store.documents import IN, drop_facts
from kgfs.store.items import GROUP, now

IN_TEXTS = "IN (SELECT unnest(?::VARCHAR[]))"
"""SQL: a column is one of a list of texts."""


class Claim(msgspec.Struct, kw_only=True):
    """What one document says about one entity, under one name."""

    document_id: int
    key: str
    name: str
    type: str
    aliases: list[str]
    alias_keys: list[str]
    description: str
    attributes: dict[str, Any]
    confidence: float
    declared: bool
    extractor: str


class ClaimGroup(msgspec.Struct, frozen=True):
    """All claims on an entity that agree in name, type and aliases."""

    entity_id: int
    key: str
    name: str
    type: str
    declared: bool
    aliases: list[str]
    weight: float
    documents: int
    first_document: int


class Best(msgspec.Struct):
    """What an entity takes from single claims."""

    description: str = ""
    attributes: dict[str, Any] = {}
    confidence: float = 0.0
    extractor: str = ""


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


class FactRow(msgspec.Struct, kw_only=True):
    """A fact's row as extraction makes it; both ends by key, the entities' ids follow from ``entity_keys``."""

    fact_id: str
    type: str
    subject_key: str
    object_key: str | None
    object_text: str | None
    value: float | None
    unit: str | None
    indicator: str | None
    description: str
    date: str | None
    valid_from: str | None
    valid_to: str | None
    confidence: float
    extractor: str
    document_id: int
    chunk_id: int
    quote: str
    span_start: int
    span_end: int


def _json(value: Any) -> str:
    return msgspec.json.encode(value, enc_hook=str).decode()


def columns(rows: Sequence[msgspec.Struct]) -> dict[str, list[Any]]:
    """Structs of one kind as columns."""
    return {name: [getattr(row, name) for row in rows] for name in rows[0].__struct_fields__}


# --- claims --------------------------------------------------------------------------------------------------------


def claimed_keys(cursor: Cursor, document_ids: Sequence[int]) -> set[str]:
    """The names and aliases, normalised, that documents claim."""
    rows = cursor.execute(
        f"SELECT key FROM entity_claims WHERE document_id {IN} UNION SELECT alias_key FROM claim_aliases"
        f" WHERE document_id {IN}",
        [list(document_ids), list(document_ids)],
    ).fetchall()
    return {row[0] for row in rows}


def entities_of_documents(cursor: Cursor, document_ids: Sequence[int]) -> set[int]:
    """The entities that documents claim, mention or state facts about."""
    numbers = list(document_ids)
    rows = cursor.execute(
        f"SELECT entity_id FROM entity_claims WHERE document_id {IN}"
        f" UNION SELECT entity_id FROM entity_chunks WHERE document_id {IN}"
        f" UNION SELECT subject_id FROM facts WHERE document_id {IN}"
        f" UNION SELECT object_id FROM facts WHERE document_id {IN}",
        [numbers] * 4,
    ).fetchall()
    return {row[0] for row in rows if row[0] is not None}


def clear_claims(cursor: Cursor, document_ids: Sequence[int]) -> None:
    """Delete what documents claim and mention; the entities are the resolver's to bring up to date."""
    for table in ("entity_claims", "claim_aliases", "mentions", "entity_chunks"):
        cursor.execute(f"DELETE FROM {table} WHERE document_id {IN}", [list(document_ids)])


def insert_claims(cursor: Cursor, claims: Sequence[Claim]) -> None:
    """Insert claims; their ``entity_id`` is set by ``assign_claims``."""
    insert(
        cursor,
        "entity_claims",
        {
            "group_id": [GROUP] * len(claims),
            "document_id": [claim.document_id for claim in claims],
            "key": [claim.key for claim in claims],
            "name": [claim.name for claim in claims],
            "type": [claim.type for claim in claims],
            "aliases": [_json(claim.aliases) for claim in claims],
            "description": [claim.description for claim in claims],
            "attributes": [_json(claim.attributes) for claim in claims],
            "confidence": [claim.confidence for claim in claims],
            "declared": [claim.declared for claim in claims],
            "extractor": [claim.extractor for claim in claims],
        },
    )
    pairs = [(claim, alias) for claim in claims for alias in claim.alias_keys]
    insert(
        cursor,
        "claim_aliases",
        {
            "group_id": [GROUP] * len(pairs),
            "document_id": [claim.document_id for claim, _ in pairs],
            "key": [claim.key for claim, _ in pairs],
            "alias_key": [alias for _, alias in pairs],
            "declared": [claim.declared for claim, _ in pairs],
        },
    )


def insert_mentions(cursor: Cursor, counts: Mapping[tuple[int, int, str], int]) -> None:
    """Insert ``{(document, chunk, key): count}``."""
    insert(
        cursor,
        "mentions",
        {
            "group_id": [GROUP] * len(counts),
            "document_id": [document for document, _, _ in counts],
            "chunk_id": [chunk for _, chunk, _ in counts],
            "key": [key for _, _, key in counts],
            "count": list(counts.values()),
        },
    )


# --- which name is which entity ------------------------------------------------------------------------------------


def names_with_alias(cursor: Cursor, keys: Collection[str]) -> list[tuple[str, str, bool, int]]:
    """``(alias, name, declared, documents)`` of every claim that gives one of ``keys`` as an alias of another name."""
    return cursor.execute(
        "SELECT alias_key, key, bool_or(declared), count(DISTINCT document_id) FROM claim_aliases"
        f" WHERE alias_key {IN_TEXTS} AND key <> alias_key GROUP BY ALL ORDER BY ALL",
        [sorted(keys)],
    ).fetchall()


def claimed_names(cursor: Cursor, keys: Collection[str]) -> dict[str, tuple[bool, int]]:
    """Of ``keys``, those that are the name of a claim: whether one is declared, and how many documents have them."""
    rows = cursor.execute(
        "SELECT key, bool_or(declared), count(DISTINCT document_id) FROM entity_claims"
        f" WHERE key {IN_TEXTS} GROUP BY key ORDER BY key",
        [sorted(keys)],
    ).fetchall()
    return {key: (declared, documents) for key, declared, documents in rows}


def entities_of_keys(cursor: Cursor, keys: Collection[str]) -> dict[str, int]:
    """Normalised name to entity, as it was last resolved."""
    rows = cursor.execute(f"SELECT key, entity_id FROM entity_keys WHERE key {IN_TEXTS}", [sorted(keys)]).fetchall()
    return dict(rows)


def keys_of_entities(cursor: Cursor, entity_ids: Collection[int]) -> dict[str, int]:
    """All normalised names of entities."""
    rows = cursor.execute(
        f"SELECT key, entity_id FROM entity_keys WHERE entity_id {IN}", [sorted(entity_ids)]
    ).fetchall()
    return dict(rows)


def assign_keys(cursor: Cursor, before: Mapping[str, int], after: Mapping[str, int]) -> set[int]:
    """Replace the rows of ``entity_keys`` for the keys in ``before`` by ``after`` and carry claims and facts along.

    Returns the entities that gained or lost a name they had: their chunks want ``rebuild_chunks``.
    """
    cursor.execute(f"DELETE FROM entity_keys WHERE key {IN_TEXTS}", [sorted({*before, *after})])
    insert(
        cursor,
        "entity_keys",
        {"group_id": [GROUP] * len(after), "key": list(after), "entity_id": list(after.values())},
    )
    moved = {key: entity for key, entity in after.items() if before.get(key, entity) != entity}
    if moved:
        table: dict[str, tuple[str, Sequence[Any]]] = {
            "key": ("VARCHAR", list(moved)),
            "entity_id": ("BIGINT", list(moved.values())),
        }
        with given(cursor, "moved", table):
            for target, column, key in (
                ("entity_claims", "entity_id", "key"),
                ("facts", "subject_id", "subject_key"),
                ("facts", "object_id", "object_key"),
            ):
                cursor.execute(
                    f"UPDATE {target} SET {column} = moved.entity_id FROM moved WHERE {target}.{key} = moved.key"
                )
    return {entity for key in moved for entity in (before[key], moved[key])}


def assign_claims(cursor: Cursor, document_ids: Sequence[int]) -> None:
    """Set ``entity_id`` of the claims of documents."""
    cursor.execute(
        "UPDATE entity_claims SET entity_id = k.entity_id FROM entity_keys k"
        f" WHERE entity_claims.key = k.key AND entity_claims.document_id {IN}",
        [list(document_ids)],
    )


def rebuild_chunks(cursor: Cursor, document_ids: Sequence[int], entity_ids: Collection[int]) -> None:
    """Make ``entity_chunks`` anew from the mentions, for documents and for entities whose names changed hands."""
    numbers, entities = list(document_ids), sorted(entity_ids)
    cursor.execute(f"DELETE FROM entity_chunks WHERE document_id {IN} OR entity_id {IN}", [numbers, entities])
    cursor.execute(
        "INSERT INTO entity_chunks BY NAME SELECT 1 AS group_id, k.entity_id, m.chunk_id, m.document_id,"
        " sum(m.count)::INTEGER AS count FROM mentions m JOIN entity_keys k USING (key)"
        f" WHERE m.document_id {IN} OR k.entity_id {IN} GROUP BY ALL",
        [numbers, entities],
    )


# --- entities ------------------------------------------------------------------------------------------------------


def claim_groups(cursor: Cursor, entity_ids: Collection[int]) -> dict[int, list[ClaimGroup]]:
    """The claims on entities, those that agree taken together."""
    rows = cursor.execute(
        "SELECT entity_id, key, name, type, declared, aliases, sum(confidence), count(DISTINCT document_id),"
        f" min(document_id) FROM entity_claims WHERE entity_id {IN} GROUP BY ALL ORDER BY ALL",
        [sorted(entity_ids)],
    ).fetchall()
    found: dict[int, list[ClaimGroup]] = {}
    for entity, key, name, kind, declared, aliases, weight, documents, first in rows:
        group = ClaimGroup(
            entity, key, name, kind, declared, msgspec.json.decode(aliases), weight, documents, first
        )  # fmt: skip
        found.setdefault(entity, []).append(group)
    return found


def best_claims(cursor: Cursor, entity_ids: Collection[int]) -> dict[int, Best]:
    """What entities take from single claims, the declared ones and then the surest first."""
    order = "declared DESC, confidence DESC, document_id, key, description, attributes"
    numbers = sorted(entity_ids)
    found: dict[int, Best] = {}
    for entity, confidence, extractor in cursor.execute(
        f"SELECT DISTINCT ON (entity_id) entity_id, confidence, extractor FROM entity_claims WHERE entity_id {IN}"
        f" ORDER BY entity_id, {order}",
        [numbers],
    ).fetchall():
        found[entity] = Best(confidence=confidence, extractor=extractor)
    for entity, description in cursor.execute(
        f"SELECT DISTINCT ON (entity_id) entity_id, description FROM entity_claims WHERE entity_id {IN}"
        f" AND description <> '' ORDER BY entity_id, {order}",
        [numbers],
    ).fetchall():
        found[entity].description = description
    for entity, attributes in cursor.execute(
        f"SELECT entity_id, attributes FROM entity_claims WHERE entity_id {IN} AND attributes <> '{{}}'"
        f" ORDER BY entity_id, {order}",
        [numbers],
    ).fetchall():
        found[entity].attributes = {**msgspec.json.decode(attributes), **found[entity].attributes}
    return found


def entities(cursor: Cursor, entity_ids: Collection[int]) -> dict[int, Entity]:
    """Entity rows by id."""
    numbers = sorted(entity_ids)
    aliases: dict[int, list[tuple[str, str]]] = {}
    for entity, alias, name in cursor.execute(
        f"SELECT entity_id, alias, slug FROM entity_aliases WHERE entity_id {IN} ORDER BY entity_id, slug, alias",
        [numbers],
    ).fetchall():
        aliases.setdefault(entity, []).append((alias, name))
    rows = cursor.execute(
        "SELECT id, slug, name, type, description, attributes, confidence, extractor, declared_by FROM entities"
        f" WHERE id {IN}",
        [numbers],
    ).fetchall()
    return {
        row[0]: Entity(
            id=row[0], slug=row[1], name=row[2], type=row[3], description=row[4],
            attributes=msgspec.json.decode(row[5]), confidence=row[6], extractor=row[7], declared_by=row[8],
            aliases=aliases.get(row[0], []),
        )
        for row in rows
    }  # fmt: skip


def insert_entities(cursor: Cursor, rows: Sequence[Entity], keys: Sequence[str]) -> None:
    """Insert entities with their aliases; ``keys`` are the slugs' keys."""
    at, count = now(), len(rows)
    if not rows:
        return
    values = columns(rows)
    del values["aliases"]
    values["attributes"] = [_json(row.attributes) for row in rows]
    insert(
        cursor,
        "entities",
        {
            **values,
            "group_id": [GROUP] * count,
            "slug_key": keys,
            "by_person": [False] * count,
            "want_gen": [1] * count,
            "have_gen": [0] * count,
            "version": [1] * count,
            "changed_at": [at] * count,
            "created_at": [at] * count,
        },
    )
    _insert_aliases(cursor, rows)


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
        "attributes": ("VARCHAR", [_json(row.attributes) for row in rows]),
        "confidence": ("DOUBLE", [row.confidence for row in rows]),
        "extractor": ("VARCHAR", [row.extractor for row in rows]),
        "declared_by": ("BIGINT", [row.declared_by for row in rows]),
        "want_gen": ("BIGINT", [int(row.id in reindex) for row in rows]),
    }
    assignments = ", ".join(f"{name} = given.{name}" for name in table if name not in ("id", "want_gen"))
    with given(cursor, "given", table):
        cursor.execute(
            f"UPDATE entities SET {assignments}, want_gen = entities.want_gen + given.want_gen,"
            " version = entities.version + 1, changed_at = ? FROM given WHERE entities.id = given.id",
            [now()],
        )
    cursor.execute(f"DELETE FROM entity_aliases WHERE entity_id {IN}", [[row.id for row in rows]])
    _insert_aliases(cursor, rows)


def _insert_aliases(cursor: Cursor, rows: Sequence[Entity]) -> None:
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


def delete_entities(cursor: Cursor, entity_ids: Collection[int]) -> None:
    """Delete entities that nothing claims any more."""
    numbers = sorted(entity_ids)
    if not numbers:
        return
    for table in ("entity_aliases", "entity_chunks", "entity_keys"):
        cursor.execute(f"DELETE FROM {table} WHERE entity_id {IN}", [numbers])
    cursor.execute(f"DELETE FROM former_names WHERE kind = 'entity' AND target_id {IN}", [numbers])
    cursor.execute(f"DELETE FROM entities WHERE id {IN}", [numbers])
    marks.gone(cursor, "entity", numbers)


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


def reclaim_names(cursor: Cursor, kind: str, places: Iterable[tuple[str, str]]) -> None:
    """Paths ``(directory, slug)`` that are in use again lead nowhere else."""
    for directory, name in places:
        cursor.execute(
            "DELETE FROM former_names WHERE kind = ? AND directory = ? AND slug = ?", [kind, directory, name]
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
    marks.mark(cursor, "fact", facts)
    marks.mark(cursor, "entity", {*numbers, *(row[0] for row in beside), *_present(near, 1, 2)})
    marks.mark(cursor, "chunk", {*(row[0] for row in chunks), *_present(near, 4)})
    marks.mark(cursor, "document", {*(row[1] for row in chunks), *_present(near, 3)})
    marks.mark(cursor, "topic", (row[0] for row in topics))


def _present(rows: Sequence[tuple[Any, ...]], *places: int) -> set[int]:
    return {row[place] for row in rows for place in places if row[place] is not None}


# --- facts ---------------------------------------------------------------------------------------------------------

_FACT_FIELDS = FactRow.__struct_fields__
_INDEXED = ("description", "type", "object_text", "quote", "date")
"""A change in these sends a fact to the search index again."""


def facts_of_documents(cursor: Cursor, document_ids: Sequence[int]) -> dict[str, tuple[int, FactRow]]:
    """The facts of documents by their ``fact_id``, each with its row id."""
    rows = cursor.execute(
        f"SELECT id, {', '.join(_FACT_FIELDS)} FROM facts WHERE document_id {IN}", [list(document_ids)]
    ).fetchall()
    found = {}
    for row in rows:
        fact = FactRow(**dict(zip(_FACT_FIELDS, row[1:], strict=True)))
        found[fact.fact_id] = (row[0], fact)
    return found


def write_facts(cursor: Cursor, document_ids: Sequence[int], wanted: Sequence[FactRow]) -> None:
    """Make ``wanted`` the facts of documents. What has the same ``fact_id`` keeps its row. Marks what changed, and
    both ends."""
    before = facts_of_documents(cursor, document_ids)
    keep = {fact.fact_id for fact in wanted}
    drop_facts(cursor, [row_id for fact_id, (row_id, _) in before.items() if fact_id not in keep])
    changed = [fact for fact in wanted if fact.fact_id in before and before[fact.fact_id][1] != fact]
    new = [fact for fact in wanted if fact.fact_id not in before]
    new_ids = list(ids(cursor, "fact", len(new))) if new else []
    at = now()
    kinds = dict.fromkeys(_FACT_FIELDS, "VARCHAR") | {
        "value": "DOUBLE", "confidence": "DOUBLE", "document_id": "BIGINT", "chunk_id": "BIGINT",
        "span_start": "INTEGER", "span_end": "INTEGER",
    }  # fmt: skip
    if changed:
        table: dict[str, tuple[str, Sequence[Any]]] = {
            name: (kinds[name], values) for name, values in columns(changed).items()
        }
        reindex = []
        for fact in changed:
            old = before[fact.fact_id][1]
            reindex.append(int(any(getattr(old, name) != getattr(fact, name) for name in _INDEXED)))
        table["reindex"] = ("BIGINT", reindex)
        assignments = ", ".join(f"{name} = given.{name}" for name in _FACT_FIELDS if name != "fact_id")
        with given(cursor, "given", table):
            cursor.execute(
                f"UPDATE facts SET {assignments}, want_gen = facts.want_gen + given.reindex,"
                " version = facts.version + 1, changed_at = ? FROM given WHERE facts.fact_id = given.fact_id",
                [at],
            )
    if new:
        count = len(new)
        insert(
            cursor,
            "facts",
            {
                **columns(new),
                "id": new_ids,
                "group_id": [GROUP] * count,
                "want_gen": [1] * count,
                "have_gen": [0] * count,
                "version": [1] * count,
                "changed_at": [at] * count,
            },
        )
    touched = [*(before[fact.fact_id][0] for fact in changed), *new_ids]
    for column, key in (("subject_id", "subject_key"), ("object_id", "object_key")):
        cursor.execute(
            f"UPDATE facts SET {column} = k.entity_id FROM entity_keys k WHERE facts.{key} = k.key AND facts.id {IN}",
            [touched],
        )
    ends = cursor.execute(f"SELECT subject_id, object_id FROM facts WHERE id {IN}", [touched]).fetchall()
    marks.mark(cursor, "fact", touched)
    marks.mark(cursor, "entity", _present(ends, 0, 1))
