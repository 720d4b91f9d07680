"""What came into the store, changed and left it between two moments, from the rows that tell.

Used by ``@changes``. A document came when its row was made and changed when its text was read anew later. What is gone
is known by the version that its removal left (kept as ``@history`` keeps them), an entity that went into another one by
``merges``. Of facts only the last change is known.
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from kgfs.store.catalog.database import Cursor

_DOCUMENTS = """
SELECT i.created_at BETWEEN $1 AND $2 AS came, CASE WHEN came THEN i.created_at ELSE i.updated_at END AS moment,
       d.id, d.title, i.ref
FROM documents d JOIN context_items i ON i.id = d.id
WHERE i.created_at BETWEEN $1 AND $2 OR (i.updated_at BETWEEN $1 AND $2 AND i.indexed_at >= i.updated_at)
ORDER BY moment, d.id
"""
_GONE = """
SELECT max(v.replaced_at), v.ref FROM item_versions v
WHERE v.replaced_at BETWEEN $1 AND $2 AND v.ref NOT IN (SELECT ref FROM context_items) GROUP BY v.ref ORDER BY ALL
"""
_ENTITIES = "SELECT created_at, id, name, type FROM entities WHERE created_at BETWEEN $1 AND $2 ORDER BY created_at, id"
_JOINED = """
SELECT m.merged_at, m.gone_name, e.id, e.name FROM merges m JOIN entities e ON e.id = m.kept_id
WHERE m.merged_at BETWEEN $1 AND $2 ORDER BY m.merged_at, m.id
"""
_FACTS = "SELECT id FROM facts WHERE changed_at BETWEEN $1 AND $2 ORDER BY changed_at DESC, id"


class ChangedDocument(NamedTuple):
    """A document that came (or changed)."""

    came: bool
    at: datetime
    id: int
    title: str | None
    ref: str


class GoneFile(NamedTuple):
    """A stored file that was removed."""

    at: datetime
    ref: str


class NewEntity(NamedTuple):
    """An entity that came."""

    at: datetime
    id: int
    name: str
    type: str


class JoinedEntity(NamedTuple):
    """An entity that turned out to be another one."""

    at: datetime
    name: str
    into: int
    into_name: str


class Changes(NamedTuple):
    """Everything between two moments, earliest first; of facts the row ids, latest first."""

    documents: list[ChangedDocument]
    gone: list[GoneFile]
    entities: list[NewEntity]
    joined: list[JoinedEntity]
    facts: list[int]


def read_changes(cursor: Cursor, begin: datetime, end: datetime) -> Changes:
    """What happened from ``begin`` to ``end``, both UTC without a zone and both included."""
    span = [begin, end]
    return Changes(
        [ChangedDocument(*row) for row in cursor.execute(_DOCUMENTS, span).fetchall()],
        [GoneFile(*row) for row in cursor.execute(_GONE, span).fetchall()],
        [NewEntity(*row) for row in cursor.execute(_ENTITIES, span).fetchall()],
        [JoinedEntity(*row) for row in cursor.execute(_JOINED, span).fetchall()],
        [row[0] for row in cursor.execute(_FACTS, span).fetchall()],
    )
