"""What a language model says of types of facts that it proposed, as rows.

Used by ``kgfs.pipeline.type_pass`` in its transactions, on the store's writer thread, and by code that reads documents
with a model. A verdict holds for good: it is about a word, not about a document.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kgfs.store.catalog.database import Cursor
from kgfs.store.catalog.inserts import insert
from kgfs.store.files.items import now


class TypeVerdict(NamedTuple):
    """What a proposed type is one with."""

    name: str
    target: str
    """Itself where it means no other."""
    turned: bool
    """Whether subject and object change places."""


class ProposedType(NamedTuple):
    """A type that is in the graph and in no table, and what stands at its ends most often."""

    name: str
    subject_type: str
    object_type: str
    """Empty where there is a value."""
    facts: int


def type_verdicts(cursor: Cursor) -> dict[str, TypeVerdict]:
    """All of them, by name."""
    rows = cursor.execute("SELECT name, target, turned FROM type_verdicts ORDER BY name").fetchall()
    return {name: TypeVerdict(name, target, turned) for name, target, turned in rows}


def put_verdicts(cursor: Cursor, found: Sequence[TypeVerdict], said_by: str) -> None:
    """Keep verdicts, in the place of those on the same types."""
    cursor.execute("DELETE FROM type_verdicts WHERE list_contains(?::VARCHAR[], name)", [[one.name for one in found]])
    insert(
        cursor,
        "type_verdicts",
        {
            "name": [one.name for one in found],
            "target": [one.target for one in found],
            "turned": [one.turned for one in found],
            "said_by": [said_by] * len(found),
            "said_at": [now()] * len(found),
        },
    )


def model_types(cursor: Cursor) -> list[ProposedType]:
    """The types of the facts that a language model found, in order of name."""
    rows = cursor.execute(
        "SELECT f.type, mode(s.type), coalesce(mode(o.type), ''), count(*) FROM facts f"
        " JOIN entities s ON s.id = f.subject_id LEFT JOIN entities o ON o.id = f.object_id"
        " WHERE starts_with(f.extractor, 'llm:') GROUP BY f.type ORDER BY f.type"
    ).fetchall()
    return [ProposedType(*row) for row in rows]


def documents_with(cursor: Cursor, names: Sequence[str]) -> list[int]:
    """The documents in which a language model found facts of these types."""
    rows = cursor.execute(
        "SELECT DISTINCT document_id FROM facts WHERE starts_with(extractor, 'llm:')"
        " AND list_contains(?::VARCHAR[], type) ORDER BY 1",
        [list(names)],
    ).fetchall()
    return [row[0] for row in rows]
