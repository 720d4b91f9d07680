"""What the cascade has yet to do, as rows: files whose body nobody has parsed yet, and what is left of removed ones.

Used by ``kgfs.pipeline.row_pass`` (inside its write transactions, on the store's writer thread, and for reading), and
by the service, which counts what waits. The code that writes rows (``drive_rows``) leaves the work here: a body that is
knowledge has ``parsed_gen < want_gen``, and a removed file has a row in ``removed_items``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

import msgspec

from kgfs.store.catalog.database import Cursor
from kgfs.store.catalog.inserts import value_table
from kgfs.store.files.documents import IN
from kgfs.store.files.items import SYMLINK, now

UNCHANGED_SINCE = (
    "SELECT i.id FROM context_items i JOIN chunks c ON c.document_id = i.id"
    f" WHERE c.document_id {IN} GROUP BY i.id, i.updated_at HAVING max(c.changed_at) >= i.updated_at"
)
"""SQL: the files whose passages were made after their last write: they were moved, not written."""


class Unparsed(msgspec.Struct, frozen=True, kw_only=True):
    """A stored file whose present body has no document yet, without that body."""

    id: int
    generation: int
    """Of the body that is there now."""
    drive: str
    path: str
    ref: str
    size: int
    is_textual: bool
    mtime_ns: int
    """When it was last written, nanoseconds since 1970."""
    of_file: bool
    """Whether only its file's time says so, which may be that of a clone: nobody wrote it here."""
    is_link: bool
    """Whether it is a symbolic link, which is no document."""


class ParseOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What parsing says of an item's row."""

    id: int
    generation: int
    """That was parsed."""
    title: str
    mime_type: str
    notes: list[str]
    error: str | None
    has_text: bool
    """Whether there is a document to index; else nothing waits for this generation any more."""


class WaitingCounts(NamedTuple):
    """How much the cascade has to do."""

    files: int
    """Written and not parsed."""
    removed: int
    """Gone, with something left of them."""


UNPARSED = "parsed_gen < want_gen"
"""SQL: the condition on a row of ``context_items`` under which it waits."""


def count_waiting(cursor: Cursor) -> WaitingCounts:
    """How many rows wait; one statement."""
    ((files, removed),) = cursor.execute(
        f"SELECT (SELECT count(*) FROM context_items WHERE {UNPARSED}),"
        " (SELECT count(DISTINCT item_id) FROM removed_items)"
    ).fetchall()
    return WaitingCounts(int(files), int(removed))


def unindexed_files(cursor: Cursor) -> list[int]:
    """The files whose present body is not in the keyword index.

    One that got another name waits too, since a title may come from that, but what it says is found all the while.
    """
    rows = cursor.execute(
        "SELECT id, have_gen > 0 AND have_gen = parsed_gen FROM context_items WHERE have_gen < want_gen"
    ).fetchall()
    before = [row_id for row_id, was_indexed in rows if was_indexed]
    moved: set[int] = set()
    if before:
        found = cursor.execute(UNCHANGED_SINCE, [before]).fetchall()
        moved = {row_id for (row_id,) in found}
    return [int(row_id) for row_id, _ in rows if row_id not in moved]


def unparsed_rows(cursor: Cursor) -> list[Unparsed]:
    """The files that wait, small ones first, then in order of ref: one large file keeps no note from being found."""
    rows = cursor.execute(
        "SELECT id, want_gen, drive, path, ref, coalesce(size, 0), coalesce(is_textual, false),"
        " coalesce(mtime_us * 1000, source_mtime_ns, epoch_ns(updated_at), 0)::BIGINT,"
        f" mtime_us IS NULL AND source_mtime_ns IS NOT NULL, mime_type IS NOT DISTINCT FROM '{SYMLINK}'"
        f" FROM context_items WHERE {UNPARSED} ORDER BY coalesce(size, 0) > 1048576, ref"
    ).fetchall()
    return [Unparsed(**dict(zip(Unparsed.__struct_fields__, row, strict=True))) for row in rows]


def still_unparsed(cursor: Cursor, rows: Sequence[Unparsed]) -> set[int]:
    """Those of these rows that are still at the generation and the place that was read, and wait."""
    found = cursor.execute(
        f"SELECT id, want_gen, ref FROM context_items WHERE id {IN} AND {UNPARSED}", [[row.id for row in rows]]
    ).fetchall()
    now = {row_id: (generation, reference) for row_id, generation, reference in found}
    return {row.id for row in rows if now.get(row.id) == (row.generation, row.ref)}


def fully_indexed(cursor: Cursor, item_ids: Sequence[int]) -> set[int]:
    """Those of which the keyword index has all that was ever parsed."""
    rows = cursor.execute(
        f"SELECT id FROM context_items WHERE id {IN} AND have_gen > 0 AND have_gen = parsed_gen", [list(item_ids)]
    ).fetchall()
    return {int(row_id) for (row_id,) in rows}


def note_parsed(cursor: Cursor, outcomes: Sequence[ParseOutcome]) -> None:
    """What was parsed is what the rows say; what has no text waits for nothing more."""
    columns: dict[str, tuple[str, Sequence[Any]]] = {
        "id": ("BIGINT", [one.id for one in outcomes]),
        "gen": ("BIGINT", [one.generation for one in outcomes]),
        "title": ("VARCHAR", [one.title for one in outcomes]),
        "mime_type": ("VARCHAR", [one.mime_type for one in outcomes]),
        "notes": ("VARCHAR", [msgspec.json.encode(one.notes).decode() for one in outcomes]),
        "error": ("VARCHAR", [one.error for one in outcomes]),
        "has_text": ("BOOLEAN", [one.has_text for one in outcomes]),
    }
    with value_table(cursor, "parsed", columns):
        cursor.execute(
            "UPDATE context_items SET title = parsed.title, mime_type = parsed.mime_type, notes = parsed.notes,"
            " error = parsed.error, parsed_gen = parsed.gen,"
            " have_gen = CASE WHEN parsed.has_text THEN have_gen ELSE parsed.gen END,"
            " extracted_gen = CASE WHEN parsed.has_text THEN extracted_gen ELSE parsed.gen END"
            " FROM parsed WHERE context_items.id = parsed.id"
        )


def note_unindexed(cursor: Cursor, item_ids: Sequence[int]) -> None:
    """These files are no knowledge (any more): nothing of them waits."""
    cursor.execute(
        "UPDATE context_items SET parsed_gen = want_gen, have_gen = want_gen, extracted_gen = want_gen, error = NULL,"
        f" notes = '[]' WHERE id {IN}",
        [list(item_ids)],
    )


def removed_items(cursor: Cursor, limit: int, leave: timedelta = timedelta()) -> list[int]:
    """Items of which something is left, those that went first, without those that went less than ``leave`` ago.

    One that goes in the future was removed before the clock was set back, so it is not a recent one.
    """
    moment = now()
    rows = cursor.execute(
        "SELECT item_id FROM removed_items WHERE (removed_at > $since AND removed_at <= $now) IS NOT TRUE"
        " GROUP BY item_id ORDER BY min(removed_at), item_id LIMIT $limit",
        {"since": moment - leave, "now": moment, "limit": limit},
    ).fetchall()
    return [int(row[0]) for row in rows]


def take_removed(cursor: Cursor, item_ids: Sequence[int]) -> list[int]:
    """Those of these items that are removed still, in this transaction; their rows in ``removed_items`` are gone."""
    rows = cursor.execute(
        f"DELETE FROM removed_items WHERE item_id {IN} RETURNING item_id", [list(item_ids)]
    ).fetchall()
    return sorted({int(row[0]) for row in rows})


def texts_of(cursor: Cursor, document_ids: Sequence[int]) -> dict[int, list[tuple[int, str, str, str]]]:
    """The chunks of documents in order, ``(id, text, headings as JSON, hash)``."""
    rows = cursor.execute(
        f"SELECT document_id, id, text, headings, hash FROM chunks WHERE document_id {IN}"
        " ORDER BY document_id, ordinal",
        [list(document_ids)],
    ).fetchall()
    found: dict[int, list[tuple[int, str, str, str]]] = {}
    for document_id, *chunk in rows:
        found.setdefault(document_id, []).append(tuple(chunk))
    return found


def titles_of(cursor: Cursor, document_ids: Sequence[int]) -> Mapping[int, tuple[str, str]]:
    """Title and description of documents."""
    rows = cursor.execute(
        f"SELECT id, title, description FROM documents WHERE id {IN}", [list(document_ids)]
    ).fetchall()
    return {row_id: (title or "", description or "") for row_id, title, description in rows}
