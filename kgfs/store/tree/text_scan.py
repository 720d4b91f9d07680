"""Stored texts that hold one of some literals, by SQL: what an exact search looks at.

Used by ``kgfs.namespace.queries.stored_text``, in the thread of a query, inside one read transaction of the caller's. A
literal only narrows: the caller decides on each text. No statement reads more than about ``SPAN_BYTES`` of texts, so
that memory stays small.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgfs.store.catalog.database import Cursor

Numbers = NDArray[np.int64]

SPAN_BYTES = 32 * 1024 * 1024
_BATCH = 512
HEAD_BYTES = 32_768
"""A NUL in so many first bytes of a stored file is found by GNU grep before it looks for any line."""


class Needles(NamedTuple):
    """Literals of which a text must hold one to be of interest; none at all means that every text is."""

    texts: tuple[str, ...] = ()
    fold: bool = False
    """Whether their ASCII letters stand for both cases, and for what else is a case of them; then they are ASCII."""


class StoredText(NamedTuple):
    """One text as a row has it."""

    source: str
    """The view of a page, or the table: ``chunks``, ``documents``, ``items``."""
    owner: int
    """Row id of what it belongs to."""
    name: str
    """Tells the pages of one view and owner apart."""
    page: int
    """The page's id, 0 for what is no page."""
    body: bytes
    binary: bool = False
    """It was not stored as text."""


_FOLDED = {"i": "[iI\u0130\u0131]", "k": "[kK\u212a]", "s": "[sS\u017f]"}
"""ASCII letters that other characters are a case of."""


def _holds(column: str, needles: Needles, parameters: list[Any]) -> str:
    """SQL: whether a text column holds one of the literals, whose values are added to the parameters."""
    if not needles.texts:
        return "true"
    if needles.fold:
        parameters.append("|".join(map(any_case, needles.texts)))
        return f"regexp_matches({column}, ${len(parameters)})"
    conditions = []
    for text in needles.texts:
        parameters.append(text)
        conditions.append(f"contains({column}, ${len(parameters)})")
    return f"({' OR '.join(conditions)})"


def any_case(text: str) -> str:
    """A regular expression of the engine's for an ASCII text in any case."""
    return "".join(
        _FOLDED.get(char.lower(), f"[{char.lower()}{char.upper()}]") if char.isalpha() else f"\\x{ord(char):02x}"
        for char in text
    )


def id_spans(ids: Numbers, sizes: Numbers) -> Iterator[tuple[int, int]]:
    """Ranges of ids, both ends inclusive, that hold all ids and about ``SPAN_BYTES`` each."""
    if not len(ids):
        return
    order = np.argsort(ids, kind="stable")
    ids, before = ids[order], np.cumsum(sizes[order]) // SPAN_BYTES
    starts = np.concatenate(([0], np.nonzero(np.diff(before))[0] + 1, [len(ids)]))
    for start, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        yield int(ids[start]), int(ids[end - 1])


_Rows = Iterator[list[tuple[Any, ...]]]


def _scan(
    cursor: Cursor,
    select: str,
    column: str,
    text: str,
    ids: Numbers,
    sizes: Numbers,
    needles: Needles,
    *,
    few: bool,
    more: tuple[str, Sequence[Any]] = ("", ()),
) -> _Rows:
    """Rows of ``select`` in batches whose ``column`` is in the spans (with ``few``: among the ids) and whose ``text``
    holds a needle."""
    sorted_ids = np.sort(ids) if few else ids
    if few:  # a condition on the text would be looked at before the ids are: a statement took 15 ms, not 5
        needles = Needles()
    for low, high in id_spans(ids, sizes):
        parameters: list[Any] = [low, high, *more[1]]
        condition = f"{column} BETWEEN $1 AND $2{more[0]} AND {_holds(text, needles, parameters)}"
        if few:
            wanted = sorted_ids[np.searchsorted(sorted_ids, low) : np.searchsorted(sorted_ids, high, "right")]
            parameters.append(wanted.tolist())
            condition += f" AND {column} IN (SELECT unnest(${len(parameters)}::BIGINT[]))"
        cursor.execute(f"{select} WHERE {condition}", parameters)
        while rows := cursor.fetchmany(_BATCH):
            yield rows


def scan_pages(
    cursor: Cursor, views: Sequence[str], ids: Numbers, sizes: Numbers, needles: Needles, *, few: bool = False
) -> Iterator[list[StoredText]]:
    """Pages of these views, in batches.

    ``ids`` and ``sizes`` say where they lie; with ``few`` only these are read, else what else lies there too.
    """
    make = tuple.__new__
    select = "SELECT view, owner_id, name, page_id, body FROM pages"
    among = (" AND view IN (SELECT unnest($3::VARCHAR[]))", [list(views)])
    for rows in _scan(cursor, select, "page_id", "decode(body)", ids, sizes, needles, few=few, more=among):
        yield [make(StoredText, (*row, False)) for row in rows]


def scan_texts(
    cursor: Cursor, table: str, ids: Numbers, sizes: Numbers, needles: Needles, *, few: bool = False
) -> Iterator[list[StoredText]]:
    """Texts of ``chunks`` or of ``documents`` (those that a document has of its own), in batches; as ``scan_pages``."""
    for rows in _scan(cursor, f"SELECT id, text FROM {table}", "id", "text", ids, sizes, needles, few=few):
        yield [StoredText(table, row_id, "", 0, text.encode()) for row_id, text in rows if text is not None]


def scan_items(
    cursor: Cursor, ids: Numbers, sizes: Numbers, needles: Needles, *, few: bool = False
) -> Iterator[list[StoredText]]:
    """Bodies of stored files that do not lie in blocks, in batches; as ``scan_pages``.

    Of those that are no text all come, whatever the needles, but for those that have a NUL near their beginning.
    """
    select = "SELECT id, content FROM context_items"
    text = (" AND content IS NOT NULL", ())
    for rows in _scan(cursor, select, "id", "content", ids, sizes, needles, few=few, more=text):
        yield [StoredText("items", row_id, "", 0, content.encode()) for row_id, content in rows]
    # A BLOB as text has ``\x00`` for a NUL and ``\x5C`` for a backslash.
    blob = (
        f" AND content_blob IS NOT NULL AND NOT contains(array_slice(content_blob, 1, {HEAD_BYTES})::VARCHAR, '\\x00')",
        (),
    )
    select = "SELECT id, content_blob FROM context_items"
    for rows in _scan(cursor, select, "id", "''", ids, sizes, Needles(), few=few, more=blob):
        yield [StoredText("items", row_id, "", 0, bytes(body), True) for row_id, body in rows]


def rows_present(cursor: Cursor, table: str, ids: Numbers) -> bool:
    """Whether all rows of these ids are there."""
    if not len(ids):
        return True
    found = cursor.execute(
        f"SELECT id FROM {table} WHERE id BETWEEN $1 AND $2", [int(ids.min()), int(ids.max())]
    ).fetchnumpy()["id"]
    return bool(np.isin(ids, found).all())


def unchanged_files(cursor: Cursor, ids: Numbers, changed: Numbers, sizes: Numbers) -> NDArray[np.bool_]:
    """Which of these stored files are there and have these sizes and times of change (microseconds): a mask."""
    if not len(ids):
        return np.zeros(0, bool)
    found = cursor.execute(
        "SELECT id, coalesce(epoch_us(updated_at), 0)::BIGINT AS changed, coalesce(size, 0)::BIGINT AS size"
        " FROM context_items WHERE id BETWEEN $1 AND $2 ORDER BY id",
        [int(ids.min()), int(ids.max())],
    ).fetchnumpy()
    if not len(found["id"]):
        return np.zeros(len(ids), bool)
    places = np.minimum(np.searchsorted(found["id"], ids), len(found["id"]) - 1)
    same: NDArray[np.bool_] = (
        (found["id"][places] == ids) & (found["changed"][places] == changed) & (found["size"][places] == sizes)
    )
    return same
