"""The second pass: the extractor reads documents, the resolver makes claims, entities and facts of what it finds.

Used by the pipeline, on the jobs thread; threads of its own wait for the extractor. Takes its work from the rows, so
it goes on where a run was ended. With ``llm`` a language model reads (``kgfs.llm``); what it does not read, or
cannot, is read offline.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

from kgfs.calls import EXTRACTORS
from kgfs.errors import DeadlineExceeded, WorkerError
from kgfs.extraction.extractor import PATTERNS, extractor_name
from kgfs.graph.candidate_rows import DocumentExtraction
from kgfs.graph.resolution import put_extractions
from kgfs.model import Extraction, Gazetteer, ParsedDocument
from kgfs.pipeline.kept_gazetteer import kept_gazetteer
from kgfs.pipeline.model_reading import read_by_model
from kgfs.pipeline.run import Run
from kgfs.store import indexing
from kgfs.store.catalog.batches import batches
from kgfs.store.catalog.database import Cursor, Database
from kgfs.store.files import documents
from kgfs.store.files.documents import ModelReading
from kgfs.store.indexing import Waiting

log = logging.getLogger(__name__)

BATCH_DOCUMENTS = 128
BATCH_BYTES = 200_000
"""What shares a transaction: documents, and bytes of their texts, some seconds of extraction."""
SEVERAL_DOCUMENTS = 32
SEVERAL_BYTES = 16_384
"""What the extractor reads in one call: documents, and bytes of their texts; a larger document is read alone. A call
takes a fifth of a second, so that all extractors have something to do, and Ctrl-C does not wait."""
MODEL_BYTES = 60_000
"""The same for a language model, which takes longer: some 100 requests."""

FAULTY = "Something that it says was not found, because rules failed on it:"
"""How the error begins of a document that rules failed on."""

NONE = "none"
"""The extractor that finds nothing."""
MODEL = "llm"
"""The extractor that asks a language model."""


_Extractions = dict[int, Extraction | WorkerError | DeadlineExceeded]
"""Documents by number, each with what was found in it, or why nothing was."""


class _Done(NamedTuple):
    """A document that was read."""

    read: DocumentExtraction
    reading: ModelReading | None
    """What is kept of a model's reading; ``None`` where none read it."""


def graph_pass(run: Run, extractor: str) -> None:
    """Read every document that waits. ``extractor`` is ``llm``, ``auto``, ``offline`` or ``none``; ``auto`` is offline.

    While one batch is resolved and stored here, the next one is read in the extractor's process, or several are by a
    cluster. They are stored in their order, so the result does not depend on which one was faster.
    """
    if extractor != NONE and extractor_name(extractor) != PATTERNS:
        with run.database.read() as cursor:
            less = indexing.was_read_by(cursor, PATTERNS)
        if less:
            run.database.write(lambda cursor: indexing.read_by(cursor, PATTERNS))  # is read again with more
    known = Gazetteer() if extractor == NONE else kept_gazetteer(run.database)
    with run.database.read() as cursor:
        waiting = indexing.pending_extraction(cursor)
    if not waiting:
        return
    _forget_faults(run.database, [document_id for document_id, *_ in waiting])
    total = len(waiting)
    run.report("extract", 0, total)
    read = 0
    counting = threading.Lock()

    def one_read() -> None:
        nonlocal read
        with counting:
            read += 1
            run.report("extract", read, total)

    # A model has its own number of requests at once, and what they may cost. The extractor has a batch waiting, since
    # storing one and publishing it may take longer than reading the next.
    most_ahead = 1 if extractor == MODEL else run.at_once + 1
    with (
        ThreadPoolExecutor(max(EXTRACTORS, run.at_once), "extract") as readers,
        ThreadPoolExecutor(most_ahead, "extract-batch") as pool,
    ):
        ahead: deque[Future[list[_Done]]] = deque()

        def put_first() -> None:
            first = ahead.popleft()
            with run.aside():
                reads = first.result()
            for start in range(0, len(reads), BATCH_DOCUMENTS):
                _put(run, reads[start : start + BATCH_DOCUMENTS])
            run.check()

        try:
            for batch in _shares(run, waiting, extractor):
                ahead.append(pool.submit(_read, run, batch, known, extractor, one_read, readers))
                if len(ahead) > most_ahead:
                    put_first()
            while ahead:
                put_first()
        except BaseException:
            run.stop()  # or the pool would wait for a whole batch
            raise
    with run.database.read() as cursor:
        links = documents.links_changed(cursor)
    if links:
        run.database.write(documents.resolve_links)
    run.committed()
    run.publish()


def _shares(run: Run, waiting: Sequence[Waiting], extractor: str) -> Iterator[list[Waiting]]:
    """What is read together; where a model is asked in bulk, all."""
    if extractor == MODEL and run.asker.bulk:
        return iter([list(waiting)])
    most = MODEL_BYTES if extractor == MODEL else BATCH_BYTES
    return batches(waiting, lambda row: row[3], rows_most=BATCH_DOCUMENTS, bytes_most=most)


def _read(
    run: Run,
    batch: Sequence[Waiting],
    known: Gazetteer,
    extractor: str,
    one_read: Callable[[], None],
    readers: ThreadPoolExecutor,
) -> list[_Done]:
    """What the extractor finds in documents, telling of each; fewer of them when the run stops meanwhile."""
    with run.database.read(snapshot=True) as cursor:
        loaded = documents.load_documents(cursor, [document_id for document_id, _, _, size in batch if size])
    readings = read_by_model(run, loaded, known) if extractor == MODEL else {}
    offline = [document_id for document_id, *_ in batch if (r := readings.get(document_id)) is None or not r.extraction]
    asked: dict[int, Future[_Extractions | None]] = {}
    sizes = {document_id: size for document_id, _, _, size in batch}
    for some in batches(offline, sizes.__getitem__, rows_most=SEVERAL_DOCUMENTS, bytes_most=SEVERAL_BYTES):
        documents_of = {document_id: loaded.pop(document_id, None) for document_id in some}
        asked |= dict.fromkeys(some, readers.submit(_extractions, run, documents_of, known, extractor))
    done = []
    for document_id, generation, ref, _ in batch:
        reading, kept = readings.pop(document_id, None), None
        found = None
        if reading is not None:
            found = reading.extraction
            kept = ModelReading(
                summary=reading.summary,
                title=reading.title,
                description=reading.description,
                dropped=dict(sorted(reading.dropped.items())),
                examples=[(one.reason, one.what) for one in reading.examples],
            )
            if found is None:
                kept = ModelReading(failure=reading.failure)
                run.fail(ref, f"The language model could not read it, so it was read offline: {reading.failure}")
            run.note_dropped(ref, kept.dropped, kept.examples)
        if found is None:
            found = _extracted(run, document_id, ref, asked[document_id])
            if found is None:  # the run stops
                break
        done.append(_Done(DocumentExtraction(document_id, generation, found), kept))
        one_read()
    return done


def _forget_faults(database: Database, document_ids: Sequence[int]) -> None:
    """Take away the errors of rules that failed on documents: these are read anew, and say it again if they fail."""
    sql = f"SELECT id FROM context_items WHERE id {documents.IN} AND starts_with(error, ?)"
    faulty = [row[0] for row in database.fetch(sql, [list(document_ids), FAULTY])]
    if faulty:
        update = f"UPDATE context_items SET error = NULL WHERE id {documents.IN}"
        database.write(lambda cursor: cursor.execute(update, [faulty]))


def _extractions(
    run: Run, asked: Mapping[int, ParsedDocument | None], known: Gazetteer, extractor: str
) -> _Extractions | None:
    """What the extractor finds in each of some documents, or what it raises for it; ``None`` where the run stops.

    Where it fails on several together, each of them is read by itself: one that hangs or crashes it costs itself alone.
    """
    found: _Extractions = dict.fromkeys(asked, Extraction(extractor=NONE))
    read = {number: one for number, one in asked.items() if extractor != NONE and one is not None and one.chunks}
    if run.stopping:
        return None
    if len(read) > 1:
        try:
            return found | dict(zip(read, run.worker.extract_several(list(read.values()), known), strict=True))
        except (WorkerError, DeadlineExceeded) as error:
            log.info("%d documents are read one by one (%s).", len(read), error)
    for number, document in read.items():
        if run.stopping:
            return None
        try:
            found[number] = run.worker.extract(document, known)
        except (WorkerError, DeadlineExceeded) as error:
            found[number] = error
    return found


def _extracted(run: Run, document_id: int, ref: str, asked: Future[_Extractions | None]) -> Extraction | None:
    """What the extractor found in one document; nothing where it failed, which is reported. ``None`` as above."""
    message = ""
    together = asked.result()
    if together is None:
        return None
    found = together[document_id]
    if isinstance(found, WorkerError | DeadlineExceeded):
        message = f"No entities and facts were found in it: {found}"
        found = Extraction(extractor=NONE)
    else:
        if found.extractor != NONE:
            run.count_offline()
        if found.faults:
            message = f"{FAULTY} {', '.join(found.faults)}; report that with the text."
    if message:
        run.fail(ref, message)
        run.database.write(
            lambda cursor: cursor.execute("UPDATE context_items SET error = ? WHERE id = ?", [message, document_id])
        )
    return found


def _put(run: Run, batch: Sequence[_Done]) -> None:
    """Commit what was found; of a document whose findings cannot be stored, that nothing was found."""

    def unstored(one: _Done, error: Exception) -> _Done:
        read = one.read
        if read.extraction == Extraction(extractor=NONE):
            raise error
        message = f"What the extractor found could not be stored ({type(error).__name__}: {error})."
        with run.database.read() as cursor:
            row = cursor.execute("SELECT ref FROM context_items WHERE id = ?", [read.document_id]).fetchone()
        run.fail(row[0] if row else "", message)
        return _Done(read._replace(extraction=Extraction(extractor=NONE)), one.reading)

    for _ in run.commit_batch(batch, _write, unstored):
        run.committed()


def _write(cursor: Cursor, batch: Sequence[_Done]) -> None:
    put_extractions(cursor, [one.read for one in batch])
    documents.note_readings(cursor, {one.read.document_id: one.reading for one in batch})
