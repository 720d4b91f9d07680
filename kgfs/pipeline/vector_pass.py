"""The third pass: what is new in the graph reaches the keyword index, and everything that waits gets its vector.

Used by the pipeline, on the jobs thread; chunks are embedded in a thread of their own while documents are extracted.
Takes its work from the rows: a kind's rows with ``have_gen < want_gen``.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType

from kgfs.errors import KgfsError, NoSpaceError, StoreError
from kgfs.graph import embedding_text
from kgfs.index_records import IndexRow
from kgfs.model import KINDS
from kgfs.pipeline.run import Run
from kgfs.pipeline.text_pass import chunk_row
from kgfs.store import indexing
from kgfs.store.catalog import dirty_rows
from kgfs.store.catalog.batches import id_batches
from kgfs.store.catalog.database import Cursor

BATCH_ROWS = 400
BATCH_BYTES = 64_000
"""Some three seconds of embedding: that long Ctrl-C waits, and a kill loses."""

TEXT_ROWS = 1000


def index_rows(cursor: Cursor, kind: str, ids: Sequence[int]) -> list[IndexRow]:
    """Rows of a kind as the index sees them, for both its keyword and its vector part; ids that are gone left out."""
    if kind == "chunk":
        return [chunk_row(row, embedded=True) for row in indexing.chunk_rows(cursor, ids)]
    if kind == "entity":
        return [
            IndexRow(
                id=row.id,
                gen=row.gen,
                title=embedding_text.entity_title(row.name, row.aliases),
                text=row.description,
                embedded=embedding_text.entity_text(row.name, row.type, row.aliases, row.description),
            )
            for row in indexing.entity_rows(cursor, ids)
        ]
    if kind == "fact":
        found = []
        for row in indexing.fact_rows(cursor, ids):
            title = embedding_text.fact_title(row.subject, row.type, row.target)
            embedded = embedding_text.fact_text(title, row.description, row.date, row.quote)
            text = f"{row.description}\n{row.quote}".strip()
            found.append(
                IndexRow(id=row.id, document_id=row.document_id, gen=row.gen, title=title, text=text, embedded=embedded)
            )
        return found
    return [
        IndexRow(
            id=row.id,
            gen=row.gen,
            title=" > ".join(row.path),
            text=row.definition,
            embedded=embedding_text.topic_text(row.path, row.definition),
        )
        for row in indexing.topic_rows(cursor, ids)
    ]


def text_graph(run: Run) -> None:
    """Put what waits of entities, facts and topics into the keyword index; their vectors come later."""
    for kind in KINDS:
        if kind == "chunk":
            continue
        with run.database.read() as cursor:
            waiting = [row_id for row_id, _ in indexing.rows_to_embed(cursor, kind)]
        for start in range(0, len(waiting), TEXT_ROWS):
            run.check()
            with run.database.read(snapshot=True) as cursor:
                rows = index_rows(cursor, kind, waiting[start : start + TEXT_ROWS])
            run.worker.index_texts(kind, rows)


def vector_pass(run: Run) -> None:
    """Embed everything that waits: chunks, entities, facts, topics; the texts of one batch are of about one length."""
    _embed(run, KINDS)
    run.check()
    if run.embedded:
        run.report("embed", run.embedded, run.embedded)


def _embed(run: Run, kinds: Sequence[str]) -> None:
    """Embed what waits of these kinds, until the user wishes to stop. That all is done is for the caller to say."""
    with run.database.read(snapshot=True) as cursor:
        waiting = {kind: indexing.rows_to_embed(cursor, kind) for kind in kinds}
    total = run.embedded + sum(map(len, waiting.values()))
    if total == run.embedded:
        return
    run.report("embed", run.embedded, total)
    under_way: deque[tuple[Future[bool], str, list[IndexRow], int]] = deque()

    def end_first() -> None:
        """Wait for the batch that began first, and note that its rows have their vectors."""
        begun, kind, rows, count = under_way.popleft()
        with run.aside():
            if not begun.result():
                return
        if rows:
            _confirm(run, kind, rows)
        run.embedded += count
        if run.embedded < total:
            run.report("embed", run.embedded, total)

    with ThreadPoolExecutor(run.at_once, "embed-batch") as pool:
        for kind in kinds:
            for batch in id_batches(waiting[kind], rows_most=BATCH_ROWS, bytes_most=BATCH_BYTES):
                if run.stopping:
                    break
                with run.database.read(snapshot=True) as cursor:
                    rows = index_rows(cursor, kind, batch)
                if rows and kind != "chunk":
                    run.worker.index_texts(kind, rows)
                under_way.append((pool.submit(_index_vectors, run, kind, rows), kind, rows, len(batch)))
                if len(under_way) > run.at_once:  # one more waits: the writer may be publishing for seconds
                    end_first()
        while under_way:  # what was begun is noted, also where the user stops: it ends either way
            end_first()


def _index_vectors(run: Run, kind: str, rows: Sequence[IndexRow]) -> bool:
    """Embed a batch; whether it was done, since the user may have stopped before it began."""
    if run.stopping:
        return False
    if rows:
        run.worker.index_vectors(kind, rows)
    return True


class ChunksAhead:
    """Embeds chunks in a thread of its own while the block runs: extraction leaves a processor free for that.

    What fails, the vector pass tries again and reports; only what ends a run (``StoreError``, ``NoSpaceError``) is
    raised here, at the end of the block.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._failure: KgfsError | None = None
        self._thread = threading.Thread(target=self._work, name="embed", daemon=True)

    def _work(self) -> None:
        try:
            _embed(self._run, ("chunk",))
        except KgfsError as error:
            self._failure = error

    def __enter__(self) -> ChunksAhead:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is not None:
            self._run.stop()
        self._thread.join()
        if error is None and isinstance(self._failure, NoSpaceError | StoreError):
            raise self._failure


def _confirm(run: Run, kind: str, rows: Sequence[IndexRow]) -> None:
    generations = {row.id: row.gen for row in rows}
    run.database.write(lambda cursor: indexing.confirm_vectors(cursor, kind, generations))


def remove_from_index(run: Run) -> None:
    """Take out of the index what is gone from the rows."""
    with run.database.read() as cursor:
        waiting = dirty_rows.pending_removals(cursor)
    for kind, ids in waiting.items():
        run.worker.unindex(kind, ids)
        _removed(run, kind, ids)


def _removed(run: Run, kind: str, ids: Sequence[int]) -> None:
    run.database.write(lambda cursor: dirty_rows.confirm_removals(cursor, kind, ids))
