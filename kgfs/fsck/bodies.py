"""Checks of what is stored: bodies are as long as their rows say and have their hash, blocks are whole, chunks joined
are the text.

Used by ``kgfs.fsck.run``. Bodies and texts are read in batches; the large ones piece by piece.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kgfs.fsck.findings import Check, Damage, Find, selected, together
from kgfs.fsck.graph import drop
from kgfs.fsck.rebuilding import column, discard, parse_again
from kgfs.store.catalog.batches import id_batches
from kgfs.store.catalog.database import Cursor
from kgfs.store.files import items, staging
from kgfs.store.files.documents import IN
from kgfs.store.files.items import BLOCK_BYTES, DIRECTORY, SYMLINK

BATCH_BYTES = 16 * 1024 * 1024
BATCH_ROWS = 2000
OWNERS = ("context_items", "item_versions")
"""Tables whose rows have bodies."""


# --- bodies ---------------------------------------------------------------------------------------------------------


def _bodies(table: str) -> Find:
    """The rows of a table whose body has another size or hash than they say."""
    name = "ref" if table == "context_items" else "ref || ' version ' || number"

    def find_damages(cursor: Cursor) -> list[Damage]:
        rows = cursor.execute(
            f"SELECT id, {name}, size, hash, is_textual, content IS NOT NULL, content_blob IS NOT NULL,"
            f" coalesce(strlen(content), octet_length(content_blob), 0), mime_type IS NOT DISTINCT FROM '{SYMLINK}'"
            f" FROM {table} WHERE mime_type IS DISTINCT FROM '{DIRECTORY}' ORDER BY id"
        ).fetchall()
        blocks = dict(
            cursor.execute("SELECT item_id, sum(octet_length(data))::BIGINT FROM blocks GROUP BY item_id").fetchall()
        )
        found = []
        plain: list[tuple[int, int]] = []
        said = {row[0]: row for row in rows}
        for number, ref, size, _, textual, is_text, is_blob, length, _ in rows:
            actual = length if is_text or is_blob else blocks.get(number, 0)
            if is_text and is_blob:
                found.append(Damage(f"{ref}: it has two bodies", (table, number)))
            elif (is_text or is_blob) and number in blocks:
                found.append(Damage(f"{ref}: it has blocks beside its body", (table, number)))
            elif not (is_text or is_blob) and number not in blocks:
                found.append(Damage(f"{ref}: its body is missing", (table, number)))
            elif actual != size:
                found.append(Damage(f"{ref}: its body has {actual:,} bytes, not {size:,}", (table, number)))
            elif (is_text and not textual) or (is_blob and textual):
                found.append(Damage(f"{ref}: whether it is text is wrong", (table, number)))
            elif is_text or is_blob:
                plain.append((number, length))
            elif _measured(cursor, number)[1] != said[number][3]:
                found.append(Damage(f"{ref}: its bytes have another hash", (table, number)))
        for run in id_batches(plain, rows_most=BATCH_ROWS, bytes_most=BATCH_BYTES):
            for number, text, blob in cursor.execute(
                f"SELECT id, content, content_blob FROM {table} WHERE id BETWEEN ? AND ? AND id {IN}",
                [min(run), max(run), run],
            ).fetchall():
                body = text.encode() if text is not None else bytes(blob)
                if items.hash_body(body) != said[number][3]:
                    found.append(Damage(f"{said[number][1]}: its bytes have another hash", (table, number)))
                elif blob is not None and items.text_of(body) is not None and not said[number][8]:  # of no link
                    found.append(Damage(f"{said[number][1]}: it is text and is stored as none", (table, number)))
        return found

    return find_damages


def _pieces(cursor: Cursor, owner: int) -> Iterator[bytes]:
    """The blocks of an item or a version, some at a time."""
    rows = cursor.execute("SELECT rowid FROM blocks WHERE item_id = ? ORDER BY ordinal, rowid", [owner]).fetchall()
    numbers = [row[0] for row in rows]
    for start in range(0, len(numbers), staging.RUN_BLOCKS):
        run = numbers[start : start + staging.RUN_BLOCKS]
        found = cursor.execute(f"SELECT rowid, data FROM blocks WHERE item_id = ? AND rowid {IN}", [owner, run])
        data = dict(found.fetchall())
        yield from (bytes(data[number]) for number in run)


def _accept(cursor: Cursor, damages: Sequence[Damage]) -> None:
    """Let rows say what their bodies are; what was made of other bytes is made anew, and a file is looked at again."""
    for table, number in (damage.key for damage in damages):
        row = cursor.execute(f"SELECT content, content_blob FROM {table} WHERE id = ?", [number]).fetchone()
        if row is None:
            continue
        text, blob = row
        body = text.encode() if text is not None else bytes(blob) if blob is not None else None
        if body is None and cursor.execute("SELECT 1 FROM blocks WHERE item_id = ?", [number]).fetchall():
            size, digest, textual = _measured(cursor, number)
            columns: tuple[object, ...] = (None, None, textual, size, digest)
        else:
            body = body or b""
            cursor.execute("DELETE FROM blocks WHERE item_id = ?", [number])
            as_text = items.text_of(body)
            blob_column = body if as_text is None else None
            columns = (as_text, blob_column, as_text is not None, len(body), items.hash_body(body))
        if table == "context_items":
            # A body that came from a file is that file's no more: reading it again is for `kgfs refresh` to see.
            cursor.execute(
                "UPDATE context_items SET source_read_ns = source_mtime_ns, source_hash = CASE WHEN source_hash = hash"
                " THEN ? ELSE source_hash END WHERE id = ? AND hash <> ?",
                [columns[4], number, columns[4]],
            )
            cursor.execute(
                "UPDATE context_items SET want_gen = want_gen + 1, updated_at = ? WHERE id = ? AND hash <> ?",
                [items.now(), number, columns[4]],
            )
            parse_again(cursor, [number])
        cursor.execute(
            f"UPDATE {table} SET content = ?, content_blob = ?, is_textual = ?, size = ?, hash = ? WHERE id = ?",
            [*columns, number],
        )


def _measured(cursor: Cursor, owner: int) -> tuple[int, str, bool]:
    """Size, hash and being text of a body in blocks."""
    digest = staging.BodyDigest()
    for piece in _pieces(cursor, owner):
        digest.update(piece)
    return digest.size, digest.hash(), digest.is_textual()


# --- blocks ---------------------------------------------------------------------------------------------------------

_LOOSE = (
    "SELECT item_id, count(*) FROM blocks WHERE item_id NOT IN (SELECT id FROM context_items UNION ALL"
    " SELECT id FROM item_versions UNION ALL SELECT unnest({staged}::BIGINT[])) GROUP BY item_id ORDER BY item_id"
)


def _loose_blocks(cursor: Cursor) -> list[Damage]:
    rows = cursor.execute(_LOOSE.format(staged=staging.under_way())).fetchall()
    return [Damage(f"{count} blocks of {number}, which is no file", (number,)) for number, count in rows]


def _sweep(cursor: Cursor, damages: Sequence[Damage]) -> None:
    staging.sweep_staged(cursor)


_BLOCKS = (
    "SELECT item_id FROM (SELECT item_id, ordinal, row_number() OVER (PARTITION BY item_id ORDER BY ordinal) - 1 AS"
    " place, length, count(*) OVER (PARTITION BY item_id) AS blocks"
    # The windows are over lengths: over the blocks themselves they would hold all bodies in memory.
    " FROM (SELECT item_id, ordinal, octet_length(data) AS length FROM blocks))"
    f" WHERE ordinal <> place OR length > {BLOCK_BYTES} OR length = 0"
    f" OR (place < blocks - 1 AND length < {BLOCK_BYTES}) GROUP BY item_id ORDER BY item_id"
)


def _rewrite_blocks(cursor: Cursor, damages: Sequence[Damage]) -> None:
    """Cut bodies into blocks anew: of those that are there, in their order."""
    for (owner,) in (damage.key for damage in damages):
        staged = staging.begin_staging(cursor)
        waiting, first = bytearray(), 0
        for piece in _pieces(cursor, owner):
            waiting += piece
            while len(waiting) >= BLOCK_BYTES:
                staging.put_blocks(cursor, staged, first, [bytes(waiting[:BLOCK_BYTES])])
                del waiting[:BLOCK_BYTES]
                first += 1
        if waiting:
            staging.put_blocks(cursor, staged, first, [bytes(waiting)])
        cursor.execute("DELETE FROM blocks WHERE item_id = ?", [owner])
        staging.give_blocks(cursor, staged, owner)


# --- directories ----------------------------------------------------------------------------------------------------

_DIRECTORIES = (
    f"SELECT id, ref FROM context_items WHERE mime_type = '{DIRECTORY}' AND (content IS NOT NULL OR content_blob IS NOT"
    " NULL OR size <> 0 OR want_gen IS DISTINCT FROM 0 OR have_gen IS DISTINCT FROM 0 OR parsed_gen IS DISTINCT FROM 0"
    " OR extracted_gen IS DISTINCT FROM 0) ORDER BY id"
)
_OF_DIRECTORIES = (
    "SELECT d.id, i.ref FROM documents d JOIN context_items i USING (id)"
    f" WHERE i.mime_type = '{DIRECTORY}' ORDER BY d.id"
)


def _be_one_or_other(cursor: Cursor, damages: Sequence[Damage]) -> None:
    """A row with a body is a file, whatever it says; one without is a directory and nothing else."""
    numbers = [damage.key[0] for damage in damages]
    files = column(
        cursor,
        f"SELECT id FROM context_items WHERE id {IN} AND (content <> '' OR octet_length(content_blob) > 0"
        " OR id IN (SELECT item_id FROM blocks))",
        numbers,
    )
    cursor.execute(
        "UPDATE context_items SET mime_type = CASE WHEN is_textual THEN 'text/plain' ELSE 'application/octet-stream'"
        f" END WHERE id {IN}",
        [files],
    )
    parse_again(cursor, files)
    cursor.execute(
        "UPDATE context_items SET content = NULL, content_blob = NULL, size = 0, is_textual = false, want_gen = 0,"
        f" have_gen = 0, parsed_gen = 0, extracted_gen = 0 WHERE id {IN} AND mime_type = '{DIRECTORY}'",
        [numbers],
    )


# --- chunks ---------------------------------------------------------------------------------------------------------

_PLACES = (
    "SELECT document_id, d.slug FROM (SELECT document_id, ordinal, start, size, strlen(text) AS length,"
    " row_number() OVER (PARTITION BY document_id ORDER BY ordinal, id) AS place,"
    " coalesce(sum(strlen(text)) OVER (PARTITION BY document_id ORDER BY ordinal, id ROWS BETWEEN UNBOUNDED PRECEDING"
    " AND 1 PRECEDING), 0) AS before FROM chunks) c JOIN documents d ON d.id = c.document_id"
    " JOIN context_items i ON i.id = d.id WHERE i.parsed_gen >= i.want_gen"
    " AND (ordinal <> place OR start <> before OR c.size <> length) GROUP BY ALL ORDER BY document_id"
)


def _joined(cursor: Cursor, limit: int) -> list[Damage]:
    """Documents whose chunks, joined, are not their text; one of more than ``limit`` bytes has none."""
    rows = cursor.execute(
        "SELECT d.id, d.slug, d.text_size, coalesce(c.size, 0)::BIGINT, c.size IS NOT NULL"
        " FROM documents d JOIN context_items i USING (id) LEFT JOIN (SELECT document_id, sum(strlen(text)) AS size"
        " FROM chunks GROUP BY document_id) c ON c.document_id = d.id WHERE i.parsed_gen >= i.want_gen ORDER BY d.id"
    ).fetchall()
    found = []
    names = {row[0]: row[1] for row in rows}
    whole: list[tuple[int, int]] = []
    for number, slug, size, length, has_chunks in rows:
        if has_chunks and length != size:
            found.append(Damage(f"{slug}: its chunks have {length:,} bytes, its text {size:,}", (number,)))
        elif has_chunks:
            whole.append((number, 2 * size))
        elif size <= limit:
            whole.append((number, size))
    for run in id_batches(whole, rows_most=BATCH_ROWS, bytes_most=BATCH_BYTES):
        texts = _texts(cursor, run)
        chunks = dict(
            cursor.execute(
                "SELECT document_id, string_agg(text, '' ORDER BY ordinal, id) FROM chunks"
                f" WHERE document_id {IN} GROUP BY document_id",
                [run],
            ).fetchall()
        )
        for number in run:
            text = texts.get(number)
            if text is None or (number in chunks and text != chunks[number].encode()):
                found.append(Damage(f"{names[number]}: its chunks joined are not its text", (number,)))
            elif number not in chunks and text.strip():
                found.append(Damage(f"{names[number]}: it has no chunks", (number,)))
    return found


def _texts(cursor: Cursor, run: Sequence[int]) -> dict[int, bytes]:
    """The texts of documents: their own, or the bodies of their items."""
    rows = cursor.execute(
        "SELECT d.id, coalesce(d.text, i.content), d.text IS NULL AND i.content IS NULL AND i.content_blob IS NULL"
        f" FROM documents d JOIN context_items i USING (id) WHERE d.id {IN}",
        [list(run)],
    ).fetchall()
    found = {number: text.encode() for number, text, _ in rows if text is not None}
    for number, text, in_blocks in rows:
        if text is None and in_blocks:
            found[number] = items.read_item(cursor, number) or b""
    return found


def _cut_again(cursor: Cursor, damages: Sequence[Damage]) -> None:
    """Drop the chunks of documents whose text is not what they hold, and cut the body anew."""
    numbers = sorted({damage.key[0] for damage in damages})
    discard(cursor, "chunks", column(cursor, f"SELECT rowid FROM chunks WHERE document_id {IN}", numbers))
    parse_again(cursor, numbers)


def _renumber(cursor: Cursor, damages: Sequence[Damage]) -> None:
    """A chunk whose text is right keeps its row: the new cut gives it its place."""
    numbers = sorted({damage.key[0] for damage in damages})
    cursor.execute(f"UPDATE chunks SET size = strlen(text) WHERE document_id {IN}", [numbers])
    parse_again(cursor, numbers)


CHECKS: tuple[Check, ...] = (
    Check("directories", "A row that is a directory has no body and nothing is made of it.",
          "A row with a body becomes a file, any other an empty directory.", selected(_DIRECTORIES, "{1}"),
          _be_one_or_other),
    Check("documents of directories", "No document is made of a directory.", "The document goes.",
          selected(_OF_DIRECTORIES, "{1}"), drop),
    Check("loose blocks", "Every block belongs to a file or to a version of one.", "Blocks of nothing go.",
          _loose_blocks, _sweep),
    Check("blocks", "The blocks of a body are numbered from 0 without a gap, and all but the last have 1 MiB.",
          "The body is cut into blocks anew, of those that are there in their order.",
          selected(_BLOCKS, "the body of {0}"), _rewrite_blocks),
    Check("bodies", "A body has the size and the hash that its row says.",
          "The row says what the body is now; what its file holds is read by the next `kgfs refresh`, and what is made"
          " of it is made anew.",
          together(*map(_bodies, OWNERS)), _accept, quick=False),
    Check("places of chunks", "The chunks of a document are numbered from 1 and follow one on the other.",
          "The text is cut into chunks anew; a passage that is the same keeps its row.", selected(_PLACES, "{1}"),
          _renumber),
)  # fmt: skip


def texts(max_text_bytes: int) -> Check:
    """The check of texts in a store with this setting."""
    return Check("texts", "The chunks of a document, joined, are its text.", "The chunks go and the text is cut anew.",
                 lambda cursor: _joined(cursor, max_text_bytes), _cut_again, quick=False)  # fmt: skip
