"""The third pass: what is new in the graph reaches the keyword index, and everything that waits gets its vector.

Used by the pipeline, on the jobs thread. Takes its work from the rows: a kind's rows with ``have_gen < want_gen``.
"""

from __future__ import annotations

from collections.abc import Sequence

from kgfs.ingest import embedding_text
from kgfs.ingest.run import Run
from kgfs.ingest.text_pass import chunk_row
from kgfs.model import KINDS, IndexRow
from kgfs.store import indexing, marks
from kgfs.store.database import Cursor

BATCH_ROWS = 64
"""Some three seconds of embedding chunks: that long Ctrl-C waits, and a kill loses."""

TEXT_ROWS = 1000


def index_rows(cursor: Cursor, kind: str, ids: Sequence[int]) -> list[IndexRow]:
    """Rows of a kind as the index sees them, for both its keyword and its vector part; ids that are gone left out."""
    if kind == "chunk":
        return [chunk_row(row, embedded=True) for row in indexing.chunks(cursor, ids)]
    if kind == "entity":
        return [
            IndexRow(
                id=row.id,
                gen=row.gen,
                title=embedding_text.entity_title(row.name, row.aliases),
                text=row.description,
                embedded=embedding_text.entity(row.name, row.type, row.aliases, row.description),
            )
            for row in indexing.entities(cursor, ids)
        ]
    if kind == "fact":
        found = []
        for row in indexing.facts(cursor, ids):
            title = embedding_text.fact_title(row.subject, row.type, row.target)
            embedded = embedding_text.fact(title, row.description, row.date, row.quote)
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
            embedded=embedding_text.topic(row.path, row.definition),
        )
        for row in indexing.topics(cursor, ids)
    ]


def text_graph(run: Run) -> None:
    """Put what waits of entities, facts and topics into the keyword index; their vectors come later."""
    for kind in KINDS:
        if kind == "chunk":
            continue
        with run.database.read() as cursor:
            waiting = indexing.pending(cursor, kind)
        for start in range(0, len(waiting), TEXT_ROWS):
            run.check()
            with run.database.read(snapshot=True) as cursor:
                rows = index_rows(cursor, kind, waiting[start : start + TEXT_ROWS])
            run.worker.index_texts(kind, rows)


def vector_pass(run: Run) -> None:
    """Embed everything that waits: chunks, entities, facts, topics; the texts of one batch are of about one length."""
    with run.database.read(snapshot=True) as cursor:
        waiting = {kind: indexing.pending(cursor, kind) for kind in KINDS}
    total = sum(map(len, waiting.values()))
    if not total:
        return
    done = 0
    run.report("embed", done, total)
    for kind in KINDS:
        for start in range(0, len(waiting[kind]), BATCH_ROWS):
            run.check()
            batch = waiting[kind][start : start + BATCH_ROWS]
            with run.database.read(snapshot=True) as cursor:
                rows = index_rows(cursor, kind, batch)
            if rows:
                if kind != "chunk":
                    run.worker.index_texts(kind, rows)
                run.worker.index_vectors(kind, rows)
                _confirm(run, kind, rows)
            done += len(batch)
            run.report("embed", done, total)


def _confirm(run: Run, kind: str, rows: Sequence[IndexRow]) -> None:
    generations = {row.id: row.gen for row in rows}
    run.database.write(lambda cursor: indexing.confirm(cursor, kind, generations))


def unindex(run: Run) -> None:
    """Take out of the index what is gone from the rows."""
    with run.database.read() as cursor:
        waiting = marks.removals(cursor)
    for kind, ids in waiting.items():
        run.worker.unindex(kind, ids)
        _removed(run, kind, ids)


def _removed(run: Run, kind: str, ids: Sequence[int]) -> None:
    run.database.write(lambda cursor: marks.removed(cursor, kind, ids))
