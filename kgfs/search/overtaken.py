"""Which passages and facts speak of a text that is no longer there: their file was written or removed, and what follows
from that (``kgfs.pipeline.row_pass``) has yet to be done.

Used by ``kgfs.search.rows``, on the thread that searches, whenever the catalog was written to. A passage stands as long
as its words stand in the present body; what was found out of one body is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from kgfs.names import is_knowledge
from kgfs.search.fusion import Ids
from kgfs.store.catalog.database import Cursor, Database
from kgfs.store.files import items
from kgfs.store.files.changed_rows import UNCHANGED_SINCE

BATCH_DOCUMENTS = 256

_DOUBTFUL = """
    SELECT d.id, i.want_gen, i.ref, i.path, i.size, i.removed, d.text_is_content AND i.is_textual FROM documents d
    LEFT JOIN (SELECT *, id IN (SELECT item_id FROM removed_items) AS removed FROM context_items) i USING (id)
    WHERE i.id IS NULL OR i.parsed_gen < i.want_gen OR i.removed
"""
_LAST = (
    "SELECT d.id, (SELECT max(c.id) FROM chunks c WHERE c.document_id = d.id),"
    " (SELECT max(f.id) FROM facts f WHERE f.document_id = d.id) FROM (SELECT unnest(?::BIGINT[]) AS id) d"
)
_AMONG = "document_id IN (SELECT unnest(?::BIGINT[]))"


class OvertakenRows(NamedTuple):
    """Rows that are there and must not be shown, ascending."""

    chunks: Ids
    facts: Ids


class _Document(NamedTuple):
    """A document whose file is not what it was made of, or may not be."""

    id: int
    generation: int | None
    ref: str | None
    """Where the file is now; ``None`` where it is gone."""
    path: str | None
    size: int | None
    removed: bool | None
    readable: bool | None
    """Whether the document's text is the file's body."""
    last_chunk: int | None
    last_fact: int | None
    """What is read of a document while it is in doubt has new ids."""

    @property
    def whole(self) -> bool:
        """Whether all of it is gone from where knowledge is, or must be taken to be."""
        return self.path is None or bool(self.removed) or not is_knowledge(self.path)


class Freshness:
    """What is overtaken in one catalog. Not for several threads at once."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: dict[_Document, tuple[list[int], list[int]]] = {}
        """Of each document that is in doubt the passages and facts that are gone."""

    def overtaken(self) -> OvertakenRows:
        """What is so now; one statement where nothing is in doubt."""
        rows = self._database.fetch(_DOUBTFUL)
        last = {row[0]: row[1:] for row in self._database.fetch(_LAST, [[row[0] for row in rows]])} if rows else {}
        doubtful = [_Document(*row, *last[row[0]]) for row in rows]
        self._known = {one: self._known[one] for one in doubtful if one in self._known}
        new = [one for one in doubtful if one not in self._known]
        for start in range(0, len(new), BATCH_DOCUMENTS):
            with self._database.read(snapshot=True) as cursor:
                self._known.update(_judged(cursor, new[start : start + BATCH_DOCUMENTS]))
        return OvertakenRows(
            _ids(chunk for chunks, _ in self._known.values() for chunk in chunks),
            _ids(fact for _, facts in self._known.values() for fact in facts),
        )


def _judged(cursor: Cursor, documents: Sequence[_Document]) -> dict[_Document, tuple[list[int], list[int]]]:
    numbers = [one.id for one in documents]
    texts = _by_document(cursor, f"SELECT document_id, id, text FROM chunks WHERE {_AMONG}", numbers)
    quotes = _by_document(
        cursor, f"SELECT document_id, id, coalesce(quote, ''), chunk_id FROM facts WHERE {_AMONG}", numbers
    )
    moved = {row[0] for row in cursor.execute(UNCHANGED_SINCE, [numbers]).fetchall()}
    found = {}
    for one in documents:
        chunks, facts = texts.get(one.id, []), quotes.get(one.id, [])
        if one.whole or (not one.readable and one.id not in moved):
            found[one] = [chunk[0] for chunk in chunks], [fact[0] for fact in facts]
        elif one.id in moved:
            found[one] = [], []
        else:
            body = (items.read_item(cursor, one.id) or b"").decode("utf-8", "replace")
            gone = [chunk for chunk, text in chunks if text not in body]
            lost = set(gone)
            # A fact without a quote is said by its passage as a whole.
            found[one] = gone, [fact for fact, quote, chunk in facts if (quote not in body if quote else chunk in lost)]
    return found


def _by_document(cursor: Cursor, sql: str, numbers: Sequence[int]) -> dict[int, list[tuple[Any, ...]]]:
    found: dict[int, list[tuple[Any, ...]]] = {}
    for document_id, *row in cursor.execute(sql, [list(numbers)]).fetchall():
        found.setdefault(document_id, []).append(tuple(row))
    return found


def _ids(numbers: Iterable[int]) -> Ids:
    return np.array(sorted(numbers), np.int64)
