"""The pass that follows writing: rows that somebody changed become documents and chunks, and what was removed goes.

Used by the pipeline at the start of every run, on the jobs thread; threads of its own have the worker parse some files
at once. All work is found in rows (``kgfs.store.files.changed_rows``) and decided on inside the transaction that does
it: rows are written to all the while, and what changed since it was read is left for the next run. So a run that is
killed or overtaken costs nothing but time.
"""

from __future__ import annotations

import contextlib
import os
import posixpath
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import msgspec

from kgfs.errors import Cancelled, NoSpaceError
from kgfs.graph import embedding_text
from kgfs.graph.parsed_body import (
    ItemBody,
    ParsedBody,
    parse_body,
    put_bodies,
    read_ends,
    redate,
    unstored_sentence,
    whole_bytes,
)
from kgfs.graph.resolution import drop_documents
from kgfs.model import ParsedDocument
from kgfs.names import is_knowledge
from kgfs.pipeline.run import Run
from kgfs.pipeline.text_pass import BATCH_BYTES, BATCH_DOCUMENTS, READERS, index_chunks
from kgfs.sources.file_dates import times_burst
from kgfs.sources.web.file_names import HEAD_BYTES, file_name
from kgfs.store import indexing
from kgfs.store.catalog.batches import batches
from kgfs.store.catalog.database import Cursor
from kgfs.store.files import changed_rows, documents, history, items, sources, web_rows
from kgfs.store.files.changed_rows import ParseOutcome, Unparsed
from kgfs.store.llm import llm_uses
from kgfs.store.tree import pages

SAVED = timedelta(seconds=2)
"""How long an editor may take from the moment that it sets the old file aside until it has written the new one."""
REMOVE_ITEMS = 64
"""Items that one transaction takes away."""
PRUNE_SECONDS = 3600.0
"""Versions of files that are too old are looked for so often."""
PIECE_BYTES = 16 * 1024 * 1024
"""A large body is copied in pieces of this size."""

_PRUNED = "history_pruned"
_COPY = ".reading-"
"""How the name of a copy begins that a parser process reads from the store's directory."""


class _ParsedRow(NamedTuple):
    """What became of one file."""

    row: Unparsed
    body: ParsedBody


def row_pass(run: Run, *, leave_recent: bool = False) -> None:
    """Do what changed rows ask for: documents that went, documents that are new, links that lead elsewhere now.

    With ``leave_recent`` what was removed less than ``SAVED`` ago stays for the next run, so that a file which is
    written in its place is the same document. ``Cancelled`` when the run stops, ``WorkerError`` where no file at all
    can be parsed: everything waits then.
    """
    _sweep(run)
    _take_away(run, SAVED if leave_recent else timedelta())
    _parse(run)
    _relink(run)
    prune_history(run)


# --- what was removed ----------------------------------------------------------------------------------------------


def _take_away(run: Run, leave: timedelta) -> None:
    with run.database.read() as cursor:
        total = changed_rows.count_waiting(cursor).removed
    done = 0
    while True:
        with run.database.read() as cursor:
            batch = changed_rows.removed_items(cursor, REMOVE_ITEMS, leave)
        if not batch:
            return
        run.check()
        run.database.write(lambda cursor, batch=batch: _removed(cursor, batch))  # type: ignore[misc]
        run.committed()
        done += len(batch)
        run.report("remove", min(done, total), max(done, total))


def _removed(cursor: Cursor, item_ids: Sequence[int]) -> None:
    """Take away what was made of these items, unless they are no longer removed.

    A file that was written in the place of a removed one has its id and took the row in ``removed_items`` along. An id
    that is in both tables is that of a file of another kind, or waits to be parsed, which replaces what there is.
    """
    gone = changed_rows.take_removed(cursor, item_ids)
    back = {row.id for row in changed_rows.unparsed_rows(cursor)} if gone else set()
    gone = [item_id for item_id in gone if item_id not in back]
    if gone:
        drop_documents(cursor, gone)


# --- what was written ----------------------------------------------------------------------------------------------


def _parse(run: Run) -> None:
    with run.database.read() as cursor:
        rows = changed_rows.unparsed_rows(cursor)
    if not rows:
        return
    hidden = [row for row in rows if row.is_link or not is_knowledge(row.path)]
    for start in range(0, len(hidden), BATCH_DOCUMENTS):
        run.check()
        batch = hidden[start : start + BATCH_DOCUMENTS]
        run.database.write(lambda cursor, batch=batch: _hide(cursor, batch))  # type: ignore[misc]
        run.committed()
    rows = [row for row in rows if not row.is_link and is_knowledge(row.path)]
    done = 0
    with ThreadPoolExecutor(max(READERS, run.at_once), "read") as pool:
        for batch in batches(rows, lambda row: row.size, rows_most=BATCH_DOCUMENTS, bytes_most=BATCH_BYTES):
            run.check()
            run.report("read", done, len(rows))
            _put(run, list(pool.map(lambda row: _parsed(run, row), batch)))
            done += len(batch)
    if rows:
        run.report("read", done, len(rows))
    run.publish()


def _hide(cursor: Cursor, rows: Sequence[Unparsed]) -> None:
    """Files that are no knowledge (any more) have no documents."""
    numbers = sorted(changed_rows.still_unparsed(cursor, rows))
    if numbers:
        changed_rows.take_removed(cursor, numbers)
        drop_documents(cursor, numbers)
        changed_rows.note_unindexed(cursor, numbers)


def _parsed(run: Run, row: Unparsed) -> _ParsedRow | None:
    """The document that a row's body holds; ``None`` where the row is gone or the run stops."""
    if run.stopping:
        return None
    try:
        body = _large(run, row) if row.size > whole_bytes(run.config) else _small(run, row)
    except Cancelled:
        return None
    return None if body is None else _ParsedRow(row, body)


def _parse_body(run: Run, parse: Callable[[], ParsedDocument]) -> ParsedBody:
    """What the worker makes of a row's body. ``Cancelled`` where the run stops."""

    def going_on() -> ParsedDocument:
        if run.stopping:
            raise Cancelled("Stopped while a file was read.")
        return parse()

    return parse_body(going_on, lambda: run.worker.parse("", b"x", "x.txt", 0))


def _small(run: Run, row: Unparsed) -> ParsedBody | None:
    with run.database.read() as cursor:
        body = items.read_item(cursor, row.id)
        origin = web_rows.item_origin(cursor, row.id)
        of_file = row.of_file and not origin.url
        stored = documents.load_documents(cursor, [row.id]).get(row.id) if of_file else None
        span = times_burst(sources.times_beside(cursor, row.id)) if of_file and stored is None else None
    if body is None:
        return None
    at_once = span is not None and span[0] <= row.mtime_ns <= span[1]
    dated = origin.dated if origin.url else stored is None and not at_once
    written = row.mtime_ns if dated else None
    name = file_name(origin.url, origin.mime_type, body[:HEAD_BYTES]) if origin.url else row.path
    parsed = _parse_body(run, lambda: run.worker.parse(row.ref, body, name, written, origin.url))
    if stored is not None and parsed.document is not None and parsed.document.date is None:
        # What its source as a whole, or its history, said of its date when the file was read.
        redate(parsed.document, None, stored.date)
    return parsed


def _large(run: Run, row: Unparsed) -> ParsedBody | None:
    """A body that crosses no socket: a parser process reads a copy of it, where its first bytes are not enough."""
    from kgfs.documents.formats.parsing import needs_whole

    name = posixpath.basename(row.path)
    with run.database.read(snapshot=True) as cursor:
        head, tail = read_ends(
            run.config, row.size, row.is_textual, lambda offset, length: items.read_item(cursor, row.id, offset, length)
        )
        if head is None or tail is None:
            return None
        copy = _copied(run, cursor, row) if needs_whole(head, tail, name) else None
    # Out of the read: while somebody reads, the engine is not told to rest.
    path = row.ref if copy is None else os.fspath(copy)
    try:
        return _parse_body(
            run,
            lambda: run.worker.parse_large(path, name, row.mtime_ns, row.size, head, tail, row.is_textual),
        )
    finally:
        if copy is not None:
            copy.unlink(missing_ok=True)


def _copied(run: Run, cursor: Cursor, row: Unparsed) -> Path:
    """A body as a file, of the row's size and time."""
    descriptor, name = tempfile.mkstemp(prefix=_COPY, dir=run.database.path.parent)
    try:
        with open(descriptor, "wb") as file:
            for offset in range(0, row.size, PIECE_BYTES):
                file.write(items.read_item(cursor, row.id, offset, PIECE_BYTES) or b"")
    except OSError as error:
        os.unlink(name)
        raise NoSpaceError(
            f"A large file could not be copied to be read ({error.strerror}); free some space and try again."
        ) from error
    os.utime(name, ns=(row.mtime_ns, row.mtime_ns))
    return Path(name)


def _sweep(run: Run) -> None:
    """Delete the copies that a killed run left."""
    for left in run.database.path.parent.glob(f"{_COPY}*"):
        with contextlib.suppress(OSError):
            left.unlink()


def _put(run: Run, parsed: Sequence[_ParsedRow | None]) -> None:
    """Commit documents; of one that cannot be stored, that there is none."""

    def unstored(one: _ParsedRow, error: Exception) -> _ParsedRow:
        if one.body.document is None:
            raise error
        return _ParsedRow(one.row, ParsedBody(failure=unstored_sentence(error)))

    ready = [one for one in parsed if one is not None]
    if not ready:
        return
    for written, (chunk_ids, generations) in run.commit_batch(ready, _write, unstored):
        for one in written:
            if one.body.sentence and one.row.id in generations:
                run.fail(one.row.ref, one.body.sentence)
        if generations:
            index_chunks(run, chunk_ids, generations)
            run.committed()


def _write(cursor: Cursor, ready: Sequence[_ParsedRow]) -> tuple[list[int], dict[int, int]]:
    """One transaction; returns the chunks that the keyword index has to read, and each item's generation."""
    still = changed_rows.still_unparsed(cursor, [one.row for one in ready])
    ready = [one for one in ready if one.row.id in still]
    if not ready:
        return [], {}
    changed_rows.take_removed(cursor, sorted(still))  # what is put replaces what was left there
    indexed = changed_rows.fully_indexed(cursor, sorted(still))
    again = _rehash(cursor, ready)
    chunk_ids = put_bodies(
        cursor, [ItemBody(one.row.id, one.row.ref, one.row.path, one.body, one.row.size) for one in ready]
    )
    changed_rows.note_parsed(cursor, [_outcome(one) for one in ready])
    generations = {one.row.id: one.row.generation for one in ready}
    indexing.confirm_texts(cursor, _unchanged(cursor, generations, indexed, [*chunk_ids, *again]))
    return [*chunk_ids, *again], generations


def _unchanged(
    cursor: Cursor, generations: Mapping[int, int], indexed: set[int], chunk_ids: Sequence[int]
) -> dict[int, int]:
    """Those that were ``indexed`` and of whose chunks none has to be: nothing of them waits even for a moment."""
    rows = cursor.execute(f"SELECT DISTINCT document_id FROM chunks WHERE id {documents.IN}", [list(chunk_ids)])
    changed = {document_id for (document_id,) in rows.fetchall()}
    return {item_id: generations[item_id] for item_id in sorted(indexed - changed)}


def _outcome(one: _ParsedRow) -> ParseOutcome:
    return ParseOutcome(
        id=one.row.id,
        generation=one.row.generation,
        title=one.body.title or posixpath.basename(one.row.path),
        mime_type=one.body.mime_type,
        notes=one.body.notes,
        error=one.body.failure or None,
        has_text=one.body.with_text is not None,
    )


def _rehash(cursor: Cursor, ready: Sequence[_ParsedRow]) -> list[int]:
    """Let chunks that are there already be known by the place that their file has now, so that they keep their vectors.

    A chunk is known by what is embedded for it, and that names its file. Where all chunks are what they were, only the
    file's name can have said another title, and they are known by that too: a move embeds nothing. Returns the chunks
    of such documents: the keyword index has their titles.
    """
    numbers = [one.row.id for one in ready if one.body.with_text is not None]
    texts, titles = changed_rows.texts_of(cursor, numbers), changed_rows.titles_of(cursor, numbers)
    hashes: dict[int, str] = {}
    again: list[int] = []
    for one in ready:
        document, before = one.body.with_text, texts.get(one.row.id)
        if document is None or not before:
            continue
        title, description = titles[one.row.id]
        old = [(text, msgspec.json.decode(headings, type=list[str])) for _, text, headings, _ in before]
        if old == [(chunk.text, chunk.headings) for chunk in document.chunks]:
            if (title, description) != (document.title, document.description):
                again += [chunk_id for chunk_id, _, _, _ in before]
            title, description = document.title, document.description
        for (chunk_id, text, _, known), (_, headings) in zip(before, old, strict=True):
            now = embedding_text.text_hash(embedding_text.chunk_text(title, description, headings, one.row.ref, text))
            if now != known:
                hashes[chunk_id] = now
    if hashes:
        sources.note_chunk_hashes(cursor, hashes)
    return again


# --- what moved, what is old ---------------------------------------------------------------------------------------


def _relink(run: Run) -> None:
    """Point links at what they name now (a move raises no generation), and show what a commit left to be shown."""
    with run.database.read() as cursor:
        changed = documents.links_changed(cursor)
        stale = pages.any_stale(cursor)
    if changed:
        run.database.write(documents.resolve_links)
    if changed or stale:
        run.committed()
        run.publish()


def prune_history(run: Run) -> None:
    """Delete the versions of files that are older than they are kept, and what models answered about texts that are
    gone for as long; looked for once an hour."""
    with run.database.read() as cursor:
        before = float(pages.read_meta(cursor, _PRUNED) or 0.0)
    now = time.time()
    if abs(now - before) < PRUNE_SECONDS:
        return

    def work(cursor: Cursor) -> None:
        history.prune_versions(cursor, days=run.config.history_days)
        llm_uses.prune_answers(cursor, days=run.config.history_days)
        pages.write_meta(cursor, _PRUNED, str(now))

    run.database.write(work)
