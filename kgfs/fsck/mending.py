"""How damage is mended: a row that is wrong goes, and what it was made from is read again.

Used by the checks, on the store's writer thread inside the transaction of one mend. Only the bodies of stored files are
the user's; all else follows from them. So nothing is guessed: a damaged row is discarded, its document waits for the
extractor (``read_again``) or for its text to be cut into chunks anew (``parse_again``), and the work that waits is then
done as ever.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from kgfs.store import documents, items, topics
from kgfs.store.database import Cursor
from kgfs.store.documents import IN

TEXTS = "IN (SELECT unnest(?::VARCHAR[]))"

OF_DOCUMENTS = (
    "entity_claims", "claim_aliases", "claim_forms", "claim_evidence", "mentions", "topic_claims", "topic_claim_chunks",
    "document_links", "retracted_facts",
)  # fmt: skip
"""Tables of what one document says: a row of them that is wrong comes again when the document is read again."""
REDUCED = ("chunk_topics", "fact_topics")
"""Tables that are made of the claims of topics."""


def read_again(cursor: Cursor, document_ids: Collection[int | None]) -> None:
    """These documents wait for the extractor."""
    cursor.execute(
        f"UPDATE context_items SET extracted_gen = 0 WHERE id {IN} AND id IN (SELECT id FROM documents)",
        [_present(document_ids)],
    )


def parse_again(cursor: Cursor, item_ids: Collection[int | None]) -> None:
    """Documents and chunks of these items are made anew of their bodies."""
    cursor.execute(
        "UPDATE context_items SET parsed_gen = 0, have_gen = 0, extracted_gen = 0, want_gen = greatest(want_gen, 1)"
        f" WHERE id {IN} AND mime_type IS DISTINCT FROM '{items.DIRECTORY}'",
        [_present(item_ids)],
    )


def _present(numbers: Collection[int | None]) -> list[int]:
    return sorted({number for number in numbers if number is not None})


def column(cursor: Cursor, sql: str, *values: object) -> list[int]:
    """The first column of a statement, without NULL."""
    return [row[0] for row in cursor.execute(sql, list(values)).fetchall() if row[0] is not None]


def discard(cursor: Cursor, table: str, rows: Collection[int]) -> None:
    """Delete rows, given by their ``rowid``, with what stands on them; what they were made from is read again."""
    numbers = sorted(set(rows))
    if not numbers:
        return
    here = f"FROM {table} WHERE rowid {IN}"
    if table == "chunks":
        owners = column(cursor, f"SELECT DISTINCT document_id {here}", numbers)
        found = column(cursor, f"SELECT id {here}", numbers)
        documents.drop_chunks(cursor, found)
        parse_again(cursor, owners)
    elif table == "facts":
        owners = column(cursor, f"SELECT DISTINCT document_id {here}", numbers)
        documents.drop_facts(cursor, column(cursor, f"SELECT id {here}", numbers))
        read_again(cursor, owners)
    elif table == "topics":
        topics.delete_topics(cursor, column(cursor, f"SELECT id {here}", numbers))
        topics.note_stale(cursor)
    elif table == "documents":
        parse_again(cursor, column(cursor, f"SELECT id {here}", numbers))
    elif table == "entities":
        cursor.execute(f"DELETE {here}", [numbers])  # its names stay: they bring it back under the same id
    elif table in OF_DOCUMENTS:
        _discard_said(cursor, table, numbers)
    else:
        if table == "fact_topics":  # a fact that is gone was one of this document
            read_again(
                cursor,
                column(cursor, f"SELECT document_id {here} AND fact_id NOT IN (SELECT id FROM facts)", numbers),
            )
        cursor.execute(f"DELETE {here}", [numbers])
        if table in REDUCED:
            topics.note_stale(cursor)


def _discard_said(cursor: Cursor, table: str, numbers: Sequence[int]) -> None:
    here = f"FROM {table} WHERE rowid {IN}"
    owners: list[int | None] = [
        row[0] for row in cursor.execute(f"SELECT DISTINCT document_id {here}", [numbers]).fetchall()
    ]
    if None in owners and table not in ("document_links", "retracted_facts"):
        # Whose it was is lost: a document that says something of that name may have said this too.
        names = [row[0] for row in cursor.execute(f"SELECT DISTINCT key {here}", [numbers]).fetchall() if row[0]]
        for other in ("mentions", "claim_forms", "topic_claims"):
            owners += column(cursor, f"SELECT DISTINCT document_id FROM {other} WHERE key {TEXTS}", names)
    cursor.execute(f"DELETE {here}", [numbers])
    if table.startswith("topic"):
        topics.note_stale(cursor)
    read_again(cursor, owners)
