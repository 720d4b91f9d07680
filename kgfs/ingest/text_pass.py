"""The first pass: files become items, documents and chunks, and their chunks reach the keyword index.

Used by the pipeline, on the jobs thread. Files are read here and parsed in the worker; some share a transaction. A file
that fails is kept as a row where its bytes could be read, and reported; the rest goes on.
"""

from __future__ import annotations

import os
import posixpath
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from kgfs.errors import DeadlineExceeded, KgfsError, NoSpaceError, StoreError, WorkerError
from kgfs.ingest import embedding_text
from kgfs.ingest.resolution import drop_documents
from kgfs.ingest.run import Run
from kgfs.ingest.sources import Found
from kgfs.model import IndexRow, ParsedDocument
from kgfs.store import documents, indexing, items
from kgfs.store.database import Cursor
from kgfs.store.items import Known, NewItem

DRIVE = "disk"
MAX_FILE_BYTES = 512 * 1024 * 1024
"""Larger files are reported and left out: their bytes cross to the worker in one piece."""

BATCH_DOCUMENTS = 32
BATCH_BYTES = 4 * 1024 * 1024
BATCH_SECONDS = 0.25
INDEX_ROWS = 500

Outcome = Literal["added", "updated", "unchanged", "failed"]


class _Ready(msgspec.Struct):
    """A file that was read and parsed, not written yet."""

    item: NewItem
    document: ParsedDocument | None
    is_new: bool


class TextPass:
    """Feed it files in order of path with ``take``; ``finish`` writes what is left.

    ``counts`` says what became of them.
    """

    def __init__(self, run: Run, known: dict[str, Known]) -> None:
        self._run = run
        self._known = known
        self._ready: list[_Ready] = []
        self._bytes = 0
        self._since = time.monotonic()
        self.counts: dict[Outcome, int] = {"added": 0, "updated": 0, "unchanged": 0, "failed": 0}
        self.changed = False

    def take(self, found: Found, source_id: int) -> None:
        """Read one file and, now and then, commit. Engine errors and a full disk end the run; others do not."""
        path = items.row_path(found.path)
        known = self._known.get(path)
        if known and known.error is None and known.size == found.size and known.mtime_ns == found.mtime_ns:
            self.counts["unchanged"] += 1
            return
        read_ns = time.time_ns()
        try:
            body, status = _read(found.path)
        except OSError as error:
            self.counts["failed"] += 1
            self._run.fail(path, f"{error.strerror or error}; it was left out.")
            return
        if known and known.error is None and known.hash == items.digest(body):
            self._touch(known, status, read_ns)
            self.counts["unchanged"] += 1
            return
        document, error_text = self._parse(found.path, body, status.st_mtime_ns)
        item = NewItem(
            drive=DRIVE,
            path=path,
            body=body,
            title=(document.title if document else "") or posixpath.basename(path),
            mime_type=document.mime_type if document else "application/octet-stream",
            mode=status.st_mode & 0o7777,
            source_id=source_id,
            source_mtime_ns=status.st_mtime_ns,
            source_read_ns=read_ns,
            error=error_text,
            notes=document.notes if document else [],
        )
        if error_text is not None:
            self.counts["failed"] += 1
            self._run.fail(path, error_text)
        elif document is not None and document.unread:
            self.counts["failed"] += 1
            self._run.fail(path, document.unread)
        if not self._ready:
            self._since = time.monotonic()
        self._ready.append(_Ready(item, document, known is None))
        self._bytes += len(body)
        if (
            len(self._ready) >= BATCH_DOCUMENTS
            or self._bytes >= BATCH_BYTES
            or time.monotonic() - self._since >= BATCH_SECONDS
        ):
            self.flush()

    def flush(self) -> None:
        """Commit what is ready, together; one by one where that fails, so that the fault is its own document's."""
        ready, self._ready, self._bytes = self._ready, [], 0
        if not ready:
            return
        try:
            chunk_ids, generations = self._run.database.write(lambda cursor: _write(cursor, ready))
        except (NoSpaceError, StoreError):
            raise
        except Exception as error:
            if len(ready) > 1:
                for one in ready:
                    self._ready = [one]
                    self.flush()
                return
            self.counts["failed"] += 1
            self._run.fail(ready[0].item.path, f"It could not be stored ({type(error).__name__}: {error}).")
            return
        for one in ready:
            if one.item.error is None and not (one.document and one.document.unread):
                self.counts["added" if one.is_new else "updated"] += 1
        self.changed = True
        index_chunks(self._run, chunk_ids, generations)
        self._run.committed()

    def _touch(self, known: Known, status: os.stat_result, read_ns: int) -> None:
        self._run.database.write(
            lambda cursor: items.touch(cursor, known.id, status.st_mtime_ns, status.st_mode & 0o7777, read_ns)
        )

    def _parse(self, path: Path, body: bytes, mtime_ns: int) -> tuple[ParsedDocument | None, str | None]:
        try:
            return self._run.worker.parse(os.fspath(path), body, path.name, mtime_ns), None
        except (WorkerError, DeadlineExceeded) as error:
            return None, f"It could not be read as a document ({error}); its bytes are kept."


def _read(path: Path) -> tuple[bytes, os.stat_result]:
    """A file's bytes, and its status from before reading: a write meanwhile shows as a change the next time."""
    # A FIFO in a file's place would block for ever.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if status.st_size > MAX_FILE_BYTES:
            raise OSError(f"It is larger than {MAX_FILE_BYTES >> 20} MiB")
        body = file.read(MAX_FILE_BYTES + 1)
    if len(body) > MAX_FILE_BYTES:
        raise OSError(f"It is larger than {MAX_FILE_BYTES >> 20} MiB")
    return body, status


def _write(cursor: Cursor, ready: Sequence[_Ready]) -> tuple[list[int], dict[int, int]]:
    """One transaction; returns the new chunks and each item's generation."""
    chunk_ids: list[int] = []
    item_ids: list[int] = []
    for one in ready:
        item_id = items.put_item(cursor, one.item)
        item_ids.append(item_id)
        document = one.document
        if document is None or document.text is None:
            drop_documents(cursor, [item_id])
            cursor.execute(
                "UPDATE context_items SET have_gen = want_gen, extracted_gen = want_gen WHERE id = ?", [item_id]
            )
            continue
        ref = items.ref(one.item.drive, one.item.path)
        hashes = [
            embedding_text.digest(
                embedding_text.chunk(document.title, document.description, chunk.headings, ref, chunk.text)
            )
            for chunk in document.chunks
        ]
        chunk_ids += documents.replace_document(cursor, item_id, one.item.path, document, hashes)
    return chunk_ids, indexing.item_generations(cursor, item_ids)


def index_chunks(run: Run, chunk_ids: Sequence[int], generations: dict[int, int]) -> None:
    """Put chunks into the keyword index and note that their items are there; a failure leaves them waiting."""
    try:
        for start in range(0, len(chunk_ids), INDEX_ROWS):
            with run.database.read() as cursor:
                rows = indexing.chunks(cursor, chunk_ids[start : start + INDEX_ROWS])
            run.worker.index_texts("chunk", [chunk_row(row) for row in rows])
    except (NoSpaceError, StoreError):
        raise
    except KgfsError as error:
        run.fail("keyword index", f"{error} The next `kgfs add` or `kgfs wait` goes on.")
        return
    run.database.write(lambda cursor: indexing.confirm_texts(cursor, generations))


def chunk_row(row: indexing.ChunkRow, *, embedded: bool = False) -> IndexRow:
    """A chunk for the index, with what the model sees where it is ``embedded``."""
    return IndexRow(
        id=row.id,
        document_id=row.document_id,
        gen=row.gen,
        title=embedding_text.chunk_title(row.title, row.headings),
        text=row.text,
        embedded=embedding_text.chunk(row.title, row.description, row.headings, row.ref, row.text) if embedded else "",
    )


def resume_texts(run: Run) -> None:
    """Put what waits into the keyword index: after a kill, or when the index was lost."""
    with run.database.read() as cursor:
        waiting = indexing.pending_texts(cursor)
    for start in range(0, len(waiting), BATCH_DOCUMENTS):
        run.check()
        batch = waiting[start : start + BATCH_DOCUMENTS]
        with run.database.read(snapshot=True) as cursor:
            generations = indexing.item_generations(cursor, batch)
            chunk_ids = indexing.chunk_ids(cursor, batch)
        index_chunks(run, chunk_ids, generations)
