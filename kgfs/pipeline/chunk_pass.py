"""The pass between texts and graph: a language model proposes how documents are cut into chunks.

Used by the pipeline where a model reads, on the jobs thread. It takes the documents that wait for the graph pass, each
once for a model and a prompt: what it proposed, or why that could not be used, is noted with the document. A chunk that
comes out as it was keeps its id and vectors.
"""

from __future__ import annotations

from collections.abc import Sequence

from kgfs.config import Config
from kgfs.documents.formats.parsing import number_pages
from kgfs.graph.parsed_body import place_document
from kgfs.llm import prompts
from kgfs.llm.asking import Asker
from kgfs.llm.chunking import MODEL, STRUCTURAL, PassageSizes, propose_chunks
from kgfs.model import Chunk, ParsedDocument
from kgfs.pipeline.model_reading import is_read_by_model
from kgfs.pipeline.run import Run
from kgfs.pipeline.text_pass import index_chunks
from kgfs.store import indexing
from kgfs.store.catalog.batches import batches
from kgfs.store.catalog.database import Cursor
from kgfs.store.files import documents
from kgfs.store.files.documents import PlacedDocument
from kgfs.store.indexing import Waiting

BATCH_DOCUMENTS = 32
BATCH_BYTES = 400_000
"""What is asked for and written together: documents, and bytes of their texts."""


def chunk_pass(run: Run, extractor: str) -> None:
    """Have the documents that wait cut by the model, if it is wanted: by the settings, or because it reads them.

    Raises what ``Asker.drive`` does; what was cut until then stays.
    """
    chunker = run.config.chunker
    if chunker != MODEL and (chunker == STRUCTURAL or extractor != MODEL):
        return
    asker = run.asker
    asked = _asked(run.config, asker.model)
    with run.database.read() as cursor:
        waiting = [row for row in indexing.pending_extraction(cursor) if row[3]]
        before = documents.asked_before(cursor, [row[0] for row in waiting], asked)
    waiting = [row for row in waiting if row[0] not in before]
    done = 0
    ready = batches(waiting, lambda row: row[3], rows_most=BATCH_DOCUMENTS, bytes_most=BATCH_BYTES)
    for batch in [waiting] if asker.bulk and waiting else ready:
        run.check()
        run.report("chunk", done, len(waiting))
        _cut(run, asker, batch, asked)
        done += len(batch)
    if waiting:
        run.report("chunk", done, len(waiting))
        run.publish()


def _asked(config: Config, model: str) -> str:
    """All that decides about a proposal, but the text."""
    return f"{model} {prompts.CHUNK_VERSION} {config.chunk_tokens_min}-{config.chunk_tokens_max}"


def _cut(run: Run, asker: Asker, batch: Sequence[Waiting], asked: str) -> None:
    """Ask about some documents, write what comes of it, and put new chunks into the keyword index."""
    config = run.config
    sizes = PassageSizes(config.chunk_tokens_min, config.chunk_tokens_max)
    with run.database.read(snapshot=True) as cursor:
        loaded = documents.load_documents(cursor, [row[0] for row in batch])
    rows = [row for row in batch if row[0] in loaded and is_read_by_model(loaded[row[0]])]
    dialogues = [propose_chunks(loaded[row[0]], asker.model, sizes) for row in rows]
    with run.aside():
        proposals = asker.drive(dialogues, [row[0] for row in rows], stage="chunk")

    def write(cursor: Cursor) -> tuple[list[int], dict[int, int]]:
        same = indexing.unchanged_items(cursor, {row[0]: row[1] for row in rows})
        placed = []
        for (item_id, _, ref, _), proposal in zip(rows, proposals, strict=True):
            if item_id in same and proposal.chunks is not None:
                placed.append(_placed(item_id, ref, loaded[item_id], proposal.chunks))
        new = documents.put_documents(cursor, placed)
        indexing.forget_texts(cursor, [one.item_id for one in placed])
        for (item_id, *_), proposal in zip(rows, proposals, strict=True):
            if item_id in same:
                documents.note_chunker(cursor, item_id, proposal.chunker, asked)
        return new, indexing.item_generations(cursor, [one.item_id for one in placed])

    new, generations = run.database.write(write)
    if generations:
        index_chunks(run, new, generations)
    run.committed()


def _placed(item_id: int, ref: str, document: ParsedDocument, chunks: list[Chunk]) -> PlacedDocument:
    number_pages(chunks, document.pages or _pages(document.chunks))
    document.chunks = chunks
    return place_document(item_id, ref, ref.split(":", 1)[1], document)


def _pages(chunks: Sequence[Chunk]) -> list[int]:
    """Where pages begin, as far as the chunks before tell: of documents that were read when it was not noted yet."""
    pages: list[int] = []
    position = 0
    for chunk in chunks:
        while len(pages) < (chunk.page or 0):
            pages.append(position)
        position += len(chunk.text)
    return pages
