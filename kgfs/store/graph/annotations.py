"""What people said of the graph, as rows: merges, names, types, descriptions, facts stated and retracted.

Used by the resolver inside a write transaction, on the store's writer thread, and by the service, which also reads them
for the history. An annotation finds its entities by normalised names, so it outlives the rows that it speaks of.
Nothing here decides what an annotation comes to: that is ``kgfs.graph.overrides``.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

import msgspec

from kgfs.store.catalog.database import Cursor
from kgfs.store.catalog.inserts import insert, take_ids
from kgfs.store.catalog.rows import encode_json
from kgfs.store.files.documents import IN
from kgfs.store.files.items import GROUP, now
from kgfs.store.graph.claims import IN_TEXTS
from kgfs.store.graph.facts import FactRow

PERSON = "person"
"""What stands for an extractor, or for a rule of merging, where a person said it."""

MAKE, RENAME, RETYPE, DESCRIBE, MERGE, FACT, RETRACT = (
    "make", "rename", "retype", "describe", "merge", "fact", "retract",
)  # fmt: skip
OF_ENTITIES = (MAKE, RENAME, RETYPE, DESCRIBE, MERGE)
"""The kinds that the reduction of claims reads."""


class StatedFact(msgspec.Struct, kw_only=True, frozen=True):
    """What a person's fact says beside its two ends."""

    type: str
    quote: str
    """Stands verbatim in a chunk of the document."""
    object_text: str | None = None
    """What stands in the place of an object entity."""
    description: str = ""
    date: str | None = None
    confidence: float = 1.0


class Annotation(msgspec.Struct, kw_only=True):
    """One thing that a person said."""

    id: int = 0
    kind: str
    keys: list[str] = []
    """Normalised names of the entity; the first one that documents mention is it."""
    target_keys: list[str] = []
    """The same of the entity that took in another, or of a fact's object."""
    name_key: str = ""
    """The normalised name that a person gave."""
    value: str = ""
    name: str = ""
    type: str = ""
    slug: str = ""
    target_name: str = ""
    target_type: str = ""
    fact_id: str | None = None
    ref: str | None = None
    fact: StatedFact | None = None
    said_by: str = ""
    said_at: datetime | None = None
    undone_by: str | None = None
    undone_at: datetime | None = None


_FIELDS = (
    "id", "kind", "value", "name", "type", "slug", "target_name", "target_type", "fact_id", "ref", "said_by", "said_at",
    "undone_by", "undone_at",
)  # fmt: skip
_SELECT = f"SELECT {', '.join(f'a.{name}' for name in _FIELDS)}, a.fact FROM annotations a"


def put_annotation(cursor: Cursor, annotation: Annotation) -> int:
    """Keep what a person said, as of now; returns its id."""
    (number,) = take_ids(cursor, "annotation", 1)
    row: dict[str, Any] = {name: getattr(annotation, name) for name in _FIELDS}
    row |= {"id": number, "group_id": GROUP, "said_at": now(), "undone_by": None, "undone_at": None}
    row["fact"] = None if annotation.fact is None else encode_json(annotation.fact)
    cursor.execute(
        f"INSERT INTO annotations ({', '.join(row)}) VALUES ({', '.join('?' for _ in row)})", list(row.values())
    )
    named = [
        (role, ordinal, key)
        for role, keys in (
            ("subject", annotation.keys),
            ("target", annotation.target_keys),
            ("name", [annotation.name_key] if annotation.name_key else []),
        )
        for ordinal, key in enumerate(keys)
    ]
    insert(
        cursor,
        "annotation_keys",
        {
            "annotation_id": [number] * len(named),
            "role": [role for role, _, _ in named],
            "ordinal": [ordinal for _, ordinal, _ in named],
            "key": [key for _, _, key in named],
        },
    )
    return number


def take_annotation_back(cursor: Cursor, numbers: Sequence[int], who: str) -> None:
    """Note that annotations do not stand any more."""
    cursor.execute(
        f"UPDATE annotations SET undone_at = ?, undone_by = ? WHERE undone_at IS NULL AND id {IN}",
        [now(), who, list(numbers)],
    )


def any_annotations(cursor: Cursor) -> bool:
    """Whether anybody ever said anything."""
    return bool(cursor.execute("SELECT 1 FROM annotations LIMIT 1").fetchall())


def of_keys(cursor: Cursor, keys: Collection[str], *, undone: bool = False) -> list[Annotation]:
    """What is said of the entities with one of these names, oldest first; with ``undone`` what was taken back too."""
    standing = "" if undone else " AND a.undone_at IS NULL"
    return _read(
        cursor,
        f"{_SELECT} WHERE a.kind IN (SELECT unnest(?::VARCHAR[])){standing} AND a.id IN (SELECT annotation_id"
        f" FROM annotation_keys WHERE key {IN_TEXTS}) ORDER BY a.id",
        [list(OF_ENTITIES), sorted(keys)],
    )


def all_of_keys(cursor: Cursor, keys: Collection[str]) -> list[Annotation]:
    """All that was ever said with one of these names in it, facts too, oldest first."""
    return _read(
        cursor,
        f"{_SELECT} WHERE a.id IN (SELECT annotation_id FROM annotation_keys WHERE key {IN_TEXTS}) ORDER BY a.id",
        [sorted(keys)],
    )


def standing_merges(cursor: Cursor) -> list[Annotation]:
    """The merges that stand, oldest first."""
    return _read(cursor, f"{_SELECT} WHERE a.kind = ? AND a.undone_at IS NULL ORDER BY a.id", [MERGE])


def facts_of(cursor: Cursor, refs: Collection[str]) -> list[Annotation]:
    """The facts that people stated in the words of documents, by identity; oldest first."""
    return _read(
        cursor,
        f"{_SELECT} WHERE a.kind = ? AND a.undone_at IS NULL AND a.ref {IN_TEXTS} ORDER BY a.id",
        [FACT, sorted(refs)],
    )


def of_fact(cursor: Cursor, fact_id: str, kind: str) -> list[Annotation]:
    """What of a kind stands of a fact, oldest first."""
    return _read(
        cursor, f"{_SELECT} WHERE a.kind = ? AND a.undone_at IS NULL AND a.fact_id = ? ORDER BY a.id", [kind, fact_id]
    )


def _read(cursor: Cursor, sql: str, parameters: Sequence[Any]) -> list[Annotation]:
    rows = cursor.execute(sql, list(parameters)).fetchall()
    if not rows:
        return []
    found = {}
    for *values, fact in rows:
        one = Annotation(**{name: value for name, value in zip(_FIELDS, values, strict=True) if value is not None})
        if fact is not None:
            one.fact = msgspec.json.decode(fact, type=StatedFact)
        found[one.id] = one
    keys = cursor.execute(
        f"SELECT annotation_id, role, key FROM annotation_keys WHERE annotation_id {IN} ORDER BY annotation_id, role,"
        " ordinal",
        [list(found)],
    ).fetchall()
    for number, role, key in keys:
        if role == "subject":
            found[number].keys.append(key)
        elif role == "target":
            found[number].target_keys.append(key)
        else:
            found[number].name_key = key
    return list(found.values())


def former_slugs(cursor: Cursor, keys: Collection[str]) -> list[str]:
    """The slugs that entities with these names had before people merged or renamed them, the latest first."""
    rows = cursor.execute(
        "SELECT a.slug FROM annotation_keys k JOIN annotations a ON a.id = k.annotation_id"
        " WHERE k.role = 'subject' AND k.ordinal = 0 AND a.kind IN (?, ?) AND a.slug <> ''"
        f" AND k.key {IN_TEXTS} ORDER BY a.id DESC",
        [MERGE, RENAME, sorted(keys)],
    ).fetchall()
    return [row[0] for row in rows]


# --- facts that people retracted -----------------------------------------------------------------------------------


def retracted_facts(cursor: Cursor, fact_ids: Collection[str]) -> set[str]:
    """Of facts those that people retracted."""
    rows = cursor.execute(
        f"SELECT fact_id FROM annotations WHERE kind = ? AND undone_at IS NULL AND fact_id {IN_TEXTS}",
        [RETRACT, sorted(fact_ids)],
    ).fetchall()
    return {row[0] for row in rows}


def hidden_facts(cursor: Cursor, document_ids: Collection[int]) -> list[FactRow]:
    """The retracted facts that documents state."""
    rows = cursor.execute(
        f"SELECT fact FROM retracted_facts WHERE document_id {IN} ORDER BY fact_id", [sorted(document_ids)]
    ).fetchall()
    return [msgspec.json.decode(row[0], type=FactRow) for row in rows]


def hide_facts(cursor: Cursor, document_ids: Collection[int], facts: Sequence[FactRow]) -> None:
    """Make ``facts`` the retracted ones of documents."""
    drop_hidden(cursor, document_ids)
    insert(
        cursor,
        "retracted_facts",
        {
            "group_id": [GROUP] * len(facts),
            "fact_id": [fact.fact_id for fact in facts],
            "document_id": [fact.document_id for fact in facts],
            "chunk_id": [fact.chunk_id for fact in facts],
            "fact": [encode_json(fact) for fact in facts],
        },
    )


def drop_hidden(cursor: Cursor, document_ids: Collection[int]) -> None:
    """Forget the retracted facts of documents that go or are read again."""
    cursor.execute(f"DELETE FROM retracted_facts WHERE document_id {IN}", [sorted(document_ids)])


def clear_claims(cursor: Cursor, document_ids: Collection[int]) -> set[str]:
    """Delete the claims that documents make for a person's facts only, with their mentions; returns their names."""
    numbers = sorted(document_ids)
    rows = cursor.execute(
        f"SELECT document_id, key FROM entity_claims WHERE extractor = ? AND document_id {IN}", [PERSON, numbers]
    ).fetchall()
    if rows:
        cursor.execute(
            "DELETE FROM mentions USING entity_claims c WHERE c.document_id = mentions.document_id"
            f" AND c.key = mentions.key AND c.extractor = ? AND mentions.document_id {IN}",
            [PERSON, numbers],
        )
        cursor.execute(f"DELETE FROM entity_claims WHERE extractor = ? AND document_id {IN}", [PERSON, numbers])
    return {key for _, key in rows}


def claimed_names(cursor: Cursor, document_ids: Collection[int]) -> set[tuple[int, str]]:
    """Document and name of every claim of documents."""
    return set(
        cursor.execute(
            f"SELECT document_id, key FROM entity_claims WHERE document_id {IN}", [sorted(document_ids)]
        ).fetchall()
    )
