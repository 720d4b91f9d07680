"""The second pass: the extractor reads documents, the resolver makes entities, facts and topics of what it finds.

Used by the pipeline, on the jobs thread. Takes its work from the rows, so it goes on where a run was ended.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kgfs.errors import DeadlineExceeded, NoSpaceError, StoreError, WorkerError
from kgfs.ingest.extraction.gazetteer import Gazetteer, declarations, gazetteer
from kgfs.ingest.resolution import Read, put_extractions
from kgfs.ingest.run import Run
from kgfs.model import EntityCandidate, Extraction, ParsedDocument
from kgfs.store import documents, indexing
from kgfs.store.database import Cursor

BATCH_DOCUMENTS = 16
"""Documents that share a transaction."""

NONE = "none"
"""The extractor that finds nothing."""


def declared(cursor: Cursor) -> list[EntityCandidate]:
    """What the front matter of all documents declares, in order of ref."""
    rows = cursor.execute(
        "SELECT d.title, d.description, d.front_matter, i.mime_type FROM documents d JOIN context_items i USING (id)"
        " WHERE d.front_matter <> '{}' ORDER BY i.ref"
    ).fetchall()
    found = []
    for title, description, front_matter, mime_type in rows:
        document = ParsedDocument(
            mime_type=mime_type,
            title=title,
            description=description,
            front_matter=msgspec.json.decode(front_matter),
        )
        found += declarations(document)
    return found


def known_names(cursor: Cursor) -> Gazetteer:
    """The gazetteer of the present documents.

    Documents that were read with another one and hold a name that came or went since are to be read again: what is
    found in a document then depends on which documents there are, not on the order in which they came.
    """
    known = gazetteer(declared(cursor))
    names = sorted({name for entry in known.entries for name in (entry.name, *entry.aliases)})
    row = cursor.execute("SELECT value FROM meta WHERE key = 'gazetteer'").fetchone()
    before = msgspec.json.decode(row[0], type=list[str]) if row else []
    changed = sorted(set(names) ^ set(before))
    if changed:
        indexing.read_again(cursor, changed)
        encoded = msgspec.json.encode(names).decode()
        cursor.execute("INSERT OR REPLACE INTO meta VALUES ('gazetteer', ?)", [encoded])
    return known


def graph_pass(run: Run, extractor: str) -> None:
    """Read every document that waits. ``extractor`` is ``auto``, ``offline`` or ``none``."""
    known = Gazetteer() if extractor == NONE else run.database.write(known_names)
    with run.database.read() as cursor:
        waiting = indexing.pending_extraction(cursor)
    if not waiting:
        return
    total = len(waiting)
    run.report("extract", 0, total)
    for start in range(0, total, BATCH_DOCUMENTS):
        batch = waiting[start : start + BATCH_DOCUMENTS]
        with run.database.read(snapshot=True) as cursor:
            loaded = documents.load_documents(cursor, [document_id for document_id, _, _ in batch])
        reads = []
        for done, (document_id, generation, ref) in enumerate(batch, start + 1):
            found = _extracted(run, document_id, ref, loaded.get(document_id), known, extractor)
            reads.append(Read(document_id, generation, found))
            if done < start + len(batch):
                run.report("extract", done, total)
        _put(run, reads)
        run.report("extract", start + len(batch), total)
        run.check()
    run.database.write(documents.resolve_links)
    run.committed()
    run.publish()


def _extracted(
    run: Run, document_id: int, ref: str, document: ParsedDocument | None, known: Gazetteer, extractor: str
) -> Extraction:
    """What the extractor finds in one document; nothing where it fails, which is reported."""
    if extractor == NONE or document is None or not document.chunks:
        return Extraction(extractor=NONE)
    try:
        return run.worker.extract(document, known)
    except (WorkerError, DeadlineExceeded) as error:
        message = f"No entities and facts were found in it: {error}"
        run.fail(ref, message)
        run.database.write(
            lambda cursor: cursor.execute("UPDATE context_items SET error = ? WHERE id = ?", [message, document_id])
        )
        return Extraction(extractor=NONE)


def _put(run: Run, batch: Sequence[Read]) -> None:
    """Commit what was found, together; one by one where that fails, so that the fault is its own document's."""
    try:
        run.database.write(lambda cursor: put_extractions(cursor, batch))
    except (NoSpaceError, StoreError):
        raise
    except Exception as error:
        if len(batch) > 1:
            for one in batch:
                _put(run, [one])
            return
        (only,) = batch
        if only.extraction == Extraction(extractor=NONE):
            raise
        message = f"What the extractor found could not be stored ({type(error).__name__}: {error})."
        with run.database.read() as cursor:
            row = cursor.execute("SELECT ref FROM context_items WHERE id = ?", [only.document_id]).fetchone()
        run.fail(row[0] if row else "", message)
        _put(run, [only._replace(extraction=Extraction(extractor=NONE))])
    run.committed()
