"""The first pass: files become items, documents and chunks, and their chunks reach the keyword index.

Used by the pipeline, on the jobs thread; threads of its own read files and have the worker parse them, some files
ahead, and put what was committed into the keyword index. Some files share a transaction. A file that fails is kept as a
row where its bytes could be read, and reported; the rest goes on.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Literal

from kgfs.errors import Cancelled, KgfsError, NoSpaceError, StoreError
from kgfs.graph import embedding_text
from kgfs.graph.parsed_body import ItemBody, put_bodies, unstored_sentence
from kgfs.index_records import IndexRow
from kgfs.pipeline import file_read
from kgfs.pipeline.file_read import DRIVE, FileRead
from kgfs.pipeline.run import Failure, Run
from kgfs.sources.file_dates import FileDates
from kgfs.sources.walking import WalkedFile
from kgfs.store import indexing
from kgfs.store.catalog.database import Cursor
from kgfs.store.files import documents, items, staging
from kgfs.store.files.items import KnownFile

__all__ = ["DRIVE", "TextPass", "chunk_row", "index_chunks", "resume_texts"]

READERS = 2
"""Files that are read at once, at least."""
AHEAD = 4
"""Files that may wait, read, for those before them, at least."""
BATCH_DOCUMENTS = 128
BATCH_BYTES = 4 * 1024 * 1024
BATCH_SECONDS = 0.5
"""What shares a transaction: at most so many documents, bytes of files, and what comes in so many seconds."""
INDEX_ROWS = 500

ReadOutcome = Literal["added", "updated", "unchanged", "failed"]


class TextPass:
    """Feed it files in order of path with ``take``; ``flush`` writes what is left.

    ``counts`` says what became of them, ``textless`` how many of what was stored holds no text that kgfs reads.
    """

    def __init__(self, run: Run, known: dict[str, KnownFile], dates: FileDates | None = None) -> None:
        self._run = run
        self._dates = dates or FileDates()
        self._known = known
        self._readers: ThreadPoolExecutor | None = None
        self._indexer: ThreadPoolExecutor | None = None
        self._ahead: deque[Future[FileRead]] = deque()
        self._indexing: Future[None] | None = None
        self._ready: list[FileRead] = []
        self._bytes = 0
        self._since = time.monotonic()
        self.counts: dict[ReadOutcome, int] = {"added": 0, "updated": 0, "unchanged": 0, "failed": 0}
        self.textless = 0
        self.changed = False
        run.database.write(staging.sweep_staged)

    def take(self, found: WalkedFile, source_id: int) -> None:
        """Read one file and, now and then, commit. Engine errors and a full disk end the run; others do not."""
        known = self._known.get(items.row_path(found.path))
        if known and known.error is None and known.size == found.size and known.mtime_ns == found.mtime_ns:
            self.counts["unchanged"] += 1
            return
        readers = self._begun()
        self._ahead.append(readers.submit(file_read.read_file, self._run, found, known, source_id, self._dates))
        while self._ahead and (len(self._ahead) > max(AHEAD, 2 * self._run.at_once) or self._ahead[0].done()):
            self._receive(self._ahead.popleft().result())

    def take_read(self, one: FileRead) -> None:
        """Take what was read elsewhere: a page."""
        self._begun()
        self._receive(one)

    def _begun(self) -> ThreadPoolExecutor:
        """The pool that reads, made with the other one by the first call."""
        if self._readers is None:
            self._readers = ThreadPoolExecutor(max(READERS, self._run.at_once), "read")
            self._indexer = ThreadPoolExecutor(1, "index")
        return self._readers

    def flush(self) -> None:
        """Finish the files that were taken, and wait until what can be is in the keyword index."""
        try:
            while self._ahead:
                waiting = self._ahead.popleft()
                try:
                    self._receive(waiting.result())
                except Cancelled:
                    break  # a large file was being read; the run says so when it checks
            self._commit()
            self._await_index()
        finally:
            for pool in (self._readers, self._indexer):
                if pool is not None:
                    pool.shutdown(cancel_futures=True)
            self._readers = self._indexer = self._indexing = None
            self._ahead.clear()

    def _receive(self, one: FileRead) -> None:
        if one.failure:
            self.counts["failed"] += 1
        for sentence in filter(None, (one.failure, one.remark)):
            self._run.fail(one.path, sentence)
        if one.same is not None:
            item_id, mtime_ns, mode, read_ns = one.same
            self._run.database.write(lambda cursor: items.touch_item(cursor, item_id, mtime_ns, mode, read_ns))
            self.counts["unchanged"] += 1
        if one.item is None:
            return
        if one.parsed.with_text is not None:
            self._run.notes += [Failure(one.path, note) for note in one.parsed.notes]
        if not self._ready:
            self._since = time.monotonic()
        self._ready.append(one)
        self._bytes += len(one.item.body)
        if (
            len(self._ready) >= BATCH_DOCUMENTS
            or self._bytes >= BATCH_BYTES
            or time.monotonic() - self._since >= BATCH_SECONDS
        ):
            self._commit()

    def _commit(self) -> None:
        """Commit what is ready; what was committed goes to the keyword index, one batch after another."""
        ready, self._ready, self._bytes = self._ready, [], 0
        if not ready:
            return
        for written, (chunk_ids, generations) in self._run.commit_batch(ready, _write, self._unstored):
            for one in written:
                if not one.failure:
                    self.counts["added" if one.is_new else "updated"] += 1
                    self.textless += one.parsed.with_text is None
            self.changed = True
            self._await_index()
            assert self._indexer is not None
            self._indexing = self._indexer.submit(index_chunks, self._run, chunk_ids, generations)
            self._run.committed()

    def _unstored(self, one: FileRead, error: Exception) -> None:
        self.counts["failed"] += not one.failure
        self._run.fail(one.path, unstored_sentence(error))
        if one.item is not None and (staged := one.item.staged) is not None:
            self._run.database.write(lambda cursor: staging.discard_staged(cursor, staged.id))

    def _await_index(self) -> None:
        """Wait until the batch before is in the keyword index."""
        waiting, self._indexing = self._indexing, None
        if waiting is not None:
            waiting.result()


def _write(cursor: Cursor, ready: Sequence[FileRead]) -> tuple[list[int], dict[int, int]]:
    """One transaction; returns the new chunks and each item's generation."""
    given = [(one.item, one.parsed) for one in ready if one.item is not None]
    item_ids = items.put_items(cursor, [item for item, _ in given])
    bodies = [
        ItemBody(
            item_id,
            items.ref(item.drive, item.path),
            item.path,
            parsed,
            None if item.staged is None else item.staged.size,
        )
        for item_id, (item, parsed) in zip(item_ids, given, strict=True)
    ]
    chunk_ids = put_bodies(cursor, bodies)
    without = [one.item_id for one in bodies if one.body.with_text is None]
    if without:
        cursor.execute(
            f"UPDATE context_items SET have_gen = want_gen, extracted_gen = want_gen WHERE id {documents.IN}", [without]
        )
    return chunk_ids, indexing.item_generations(cursor, item_ids)


def index_chunks(run: Run, chunk_ids: Sequence[int], generations: dict[int, int]) -> None:
    """Put chunks into the keyword index and note that their items are there; a failure leaves them waiting,
    and so does a wish to stop."""
    try:
        for start in range(0, len(chunk_ids), INDEX_ROWS):
            if run.stopping:
                return  # a large body has thousands of chunks, and an unmount does not wait for them
            with run.database.read() as cursor:
                rows = indexing.chunk_rows(cursor, chunk_ids[start : start + INDEX_ROWS])
            run.worker.index_texts("chunk", [chunk_row(row) for row in rows])
    except (NoSpaceError, StoreError):
        raise
    except KgfsError as error:
        run.fail("keyword index", f"{error} The next `kgfs add` or `kgfs wait` goes on.")
        return
    run.database.write(lambda cursor: indexing.confirm_texts(cursor, generations))


def chunk_row(row: indexing.ChunkRow, *, embedded: bool = False) -> IndexRow:
    """A chunk for the index, with what the model sees where it is ``embedded``."""
    text = embedding_text.searched_text(row.text)
    return IndexRow(
        id=row.id,
        document_id=row.document_id,
        gen=row.gen,
        title=embedding_text.chunk_title(row.title, row.headings) if text else "",
        text=text,
        embedded=embedding_text.chunk_text(row.title, row.description, row.headings, row.ref, text)
        if embedded and text
        else "",
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
