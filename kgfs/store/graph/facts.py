"""Facts as rows: what a document states, kept where it is the same as before.

Used by ``kgfs.graph.resolution`` inside a write transaction, on the store's writer thread.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import msgspec

from kgfs import paths
from kgfs.model import STATED
from kgfs.store.catalog import dirty_rows
from kgfs.store.catalog.database import Cursor
from kgfs.store.catalog.inserts import insert, take_ids, value_table
from kgfs.store.catalog.rows import struct_columns
from kgfs.store.files.documents import IN, drop_facts
from kgfs.store.files.items import GROUP, now


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
    status: str = STATED  # rows of before have none of these three
    role: str | None = None
    date_role: str | None = None
    confidence: float
    extractor: str
    document_id: int
    chunk_id: int
    quote: str
    span_start: int
    span_end: int


def fact_identity(
    subject: str,
    kind: str,
    target: str | None,
    said: tuple[str | None, float | None, str | None],
    date: str | None,
    ref: str,
    quote: str,
) -> str:
    """What makes two facts the same: both ends by key (or ``said``: text, value, unit), document, words."""
    value = "\x1e".join(map(str, said))
    return "\x1f".join((subject, kind, value if target is None else target, str(date), ref, quote))


def fact_id(identity: str, occurrence: int = 1) -> str:
    """The name of a fact (design, section 2)."""
    digest = hashlib.blake2b(f"{identity}\x1f{occurrence}".encode(), digest_size=8)
    return paths.fact_id(int.from_bytes(digest.digest()))


_FACT_FIELDS = FactRow.__struct_fields__
_INDEXED = ("description", "type", "object_text", "quote", "date", "role")
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
    new_ids = list(take_ids(cursor, "fact", len(new))) if new else []
    at = now()
    kinds = dict.fromkeys(_FACT_FIELDS, "VARCHAR") | {
        "value": "DOUBLE", "confidence": "DOUBLE", "document_id": "BIGINT", "chunk_id": "BIGINT",
        "span_start": "INTEGER", "span_end": "INTEGER",
    }  # fmt: skip
    if changed:
        table: dict[str, tuple[str, Sequence[Any]]] = {
            name: (kinds[name], values) for name, values in struct_columns(changed).items()
        }
        reindex = []
        for fact in changed:
            old = before[fact.fact_id][1]
            reindex.append(int(any(getattr(old, name) != getattr(fact, name) for name in _INDEXED)))
        table["reindex"] = ("BIGINT", reindex)
        assignments = ", ".join(f"{name} = given.{name}" for name in _FACT_FIELDS if name != "fact_id")
        with value_table(cursor, "given", table):
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
                **struct_columns(new),
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
    dirty_rows.mark_dirty(cursor, "fact", touched)
    dirty_rows.mark_dirty(cursor, "entity", {end for pair in ends for end in pair if end is not None})
