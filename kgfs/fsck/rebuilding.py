"""How damage is repaired: a row that is wrong goes, and what it was derived from is made again.

Used by the checks, on the store's writer thread inside the transaction of one repair. What people stored and said is
the source: stored files with their versions, sources, annotations. All else is derived, so nothing of it is guessed: a
document is marked to be read (``rebuild``), and the ordinary passes make its rows anew. What spans documents (entities,
topics, links) is recomputed by the code that made it (``kgfs.fsck.graph``). A row that is a source and lacks a value
gets one (``_complete``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence

from kgfs.fsck.findings import Damage
from kgfs.store.catalog.database import Cursor
from kgfs.store.catalog.inserts import ID_LIMIT
from kgfs.store.files import documents
from kgfs.store.files.documents import IN
from kgfs.store.files.items import DIRECTORY
from kgfs.store.graph import topics
from kgfs.store.indexing import GRAPHRAG

READ_AGAIN = "The row goes, and the document that it was made from is read again."

_OF_CHUNKS = ("mentions", "entity_chunks", "facts", "topic_claim_chunks", "chunk_topics")
_OF_DOCUMENTS = (
    "chunks", "entity_claims", "claim_aliases", "claim_forms", "claim_evidence", "topic_claims", "fact_topics",
    "document_links", "retracted_facts", *_OF_CHUNKS,
)  # fmt: skip
_TOPICS = ("topics", "topic_claims", "topic_claim_chunks", "topic_groups", "chunk_topics", "fact_topics")
_DROPS = {"chunks": documents.drop_chunks, "facts": documents.drop_facts, "topics": topics.delete_topics}
"""Tables of rows on which others stand: those go too, and the search index forgets them."""

_TIME = "TIMESTAMP '1970-01-01'"
_DEFAULTS = {
    "documents": {
        "group_id": "1", "slug": "''", "slug_key": "''", "version": "1", "changed_at": _TIME, "title": "''",
        "description": "''", "summary": "''", "text_is_content": "text IS NULL", "text_size": "0",
    },
    "sources": {
        "group_id": "1", "name": "''", "drive": "'disk'", "path": "'/lost+found/' || id",
    },
    "item_versions": {
        "ref": "'disk:/lost+found/' || id", "number": "0", "item_id": "0", "is_textual": "content IS NOT NULL",
        "size": "-1", "hash": "''", "mode": "420", "mtime_us": "0", "replaced_at": _TIME,
    },
}  # fmt: skip
"""Tables whose rows are not made again: column to what stands for a value that is missing."""
_JSON = {"documents": {"front_matter": "{}", "tags": "[]", "terms": "[]"}, "sources": {"options": "{}"}}
"""The same where JSON of another kind than this is as good as none."""
_MADE_ELSEWHERE = f"(SELECT id FROM documents WHERE extractor = '{GRAPHRAG}')"
"""SQL: documents whose graph no extractor here finds again."""
_MADE_BY_MODEL = "(SELECT id FROM documents WHERE starts_with(extractor, 'llm:'))"


def column(cursor: Cursor, sql: str, *values: object) -> list[int]:
    """The first column of a statement, without NULL."""
    return [row[0] for row in cursor.execute(sql, list(values)).fetchall() if row[0] is not None]


def read_again(cursor: Cursor, document_ids: Collection[int | None]) -> None:
    """These documents wait for the extractor, but for those whose graph was made elsewhere. Where ``None`` is among
    them, it is not known whose a row was: all wait that were not read by a language model."""
    among = f"OR id NOT IN {_MADE_BY_MODEL}" if None in document_ids else ""
    cursor.execute(
        f"UPDATE context_items SET extracted_gen = 0 WHERE (id {IN} {among}) AND id IN (SELECT id FROM documents)"
        f" AND id NOT IN {_MADE_ELSEWHERE}",
        [_present(document_ids)],
    )


def parse_again(cursor: Cursor, item_ids: Collection[int | None]) -> None:
    """Documents and chunks of these items are made anew of their bodies, and read."""
    cursor.execute(
        "UPDATE context_items SET parsed_gen = 0, have_gen = 0, want_gen = greatest(want_gen, 1), extracted_gen ="
        f" CASE WHEN id IN {_MADE_ELSEWHERE} THEN greatest(want_gen, 1) ELSE 0 END"
        f" WHERE id {IN} AND mime_type IS DISTINCT FROM '{DIRECTORY}'",
        [_present(item_ids)],
    )


def suspect(cursor: Cursor, document_ids: Collection[int]) -> None:
    """Make documents anew of whose rows some may be wrong, but for what a language model was paid to read."""
    kept = f"SELECT id FROM documents WHERE id {IN} AND id NOT IN {_MADE_ELSEWHERE} AND id NOT IN {_MADE_BY_MODEL}"
    parse_again(cursor, column(cursor, kept, _present(document_ids)))


def _present(numbers: Collection[int | None]) -> list[int]:
    return sorted({number for number in numbers if number is not None})


def rebuild(cursor: Cursor, damages: Sequence[Damage]) -> None:
    """Repair rows, given by keys that begin with a table and a ``rowid``."""
    by_table: defaultdict[str, set[int]] = defaultdict(set)
    for table, row, *_ in (damage.key for damage in damages):
        by_table[table].add(row)
    for table, rows in by_table.items():
        discard(cursor, table, rows)


def discard(cursor: Cursor, table: str, rows: Collection[int]) -> None:
    """Delete rows, given by their ``rowid``, and have what they were made from read again; rows that are not made again
    are completed."""
    numbers = sorted(rows)
    here = f"FROM {table} t WHERE t.rowid {IN}"
    owners: list[int | None] = []
    if table in _OF_DOCUMENTS:
        owners += [row[0] for row in cursor.execute(f"SELECT DISTINCT document_id {here}", [numbers]).fetchall()]
    if table in _OF_CHUNKS:
        own = f"SELECT c.document_id FROM chunks c JOIN {table} t ON t.chunk_id = c.id WHERE t.rowid {IN}"
        owners += column(cursor, own, numbers)
    if table in _DEFAULTS:
        _complete(cursor, table, numbers)
        parse_again(cursor, column(cursor, f"SELECT id {here}", numbers) if table == "documents" else [])
        here += f" AND (id < 1 OR id >= {ID_LIMIT})"
    elif table in _DROPS:
        _DROPS[table](cursor, column(cursor, f"SELECT id {here}", numbers))
    cursor.execute(f"DELETE {here}", [numbers])
    if table in _TOPICS:
        topics.note_stale(cursor)
    if table == "chunks":
        parse_again(cursor, owners)
    read_again(cursor, owners)


def _complete(cursor: Cursor, table: str, rows: Sequence[int]) -> None:
    values = [f"{name} = coalesce({name}, {value})" for name, value in _DEFAULTS[table].items()]
    values += [
        f"{name} = CASE WHEN json_valid({name}) AND starts_with(ltrim({name}), '{empty[0]}') THEN {name}"
        f" ELSE '{empty}' END"
        for name, empty in _JSON.get(table, {}).items()
    ]
    cursor.execute(f"UPDATE {table} SET {', '.join(values)} WHERE rowid {IN}", [rows])
