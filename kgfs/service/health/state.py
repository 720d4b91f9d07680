"""What ``kgfs status`` says: health, coverage of the indexes, errors.

Used by the service, on the thread that asks. Reads rows (what changed in the sources: ``source_changes``).
"""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from kgfs.config import ERRORS
from kgfs.index_records import INDEX_TERMS
from kgfs.model import KINDS
from kgfs.names import json_bytes
from kgfs.service.jobs import KEPT, Job
from kgfs.store import indexing
from kgfs.store.files import changed_rows, documents, items
from kgfs.store.graph import topics
from kgfs.store.tree import pages

if TYPE_CHECKING:
    from kgfs.store.catalog.database import Cursor, Database

INDEX = "index"
"""The command of the jobs that the cascade starts."""
_COUNTS = ("documents", "chunks", "entities", "facts", "topics")
_IDENTITIES = "index_identities"
_TERMS = "index_terms"
_VECTORS = ("chunks", "entities", "facts", "topics")


def counts(database: Database) -> dict[str, int]:
    """How many documents, chunks, entities, facts and topics there are."""
    columns = ", ".join(f"(SELECT count(*) FROM {table})" for table in _COUNTS)
    (row,) = database.fetch(f"SELECT {columns}")
    return dict(zip(_COUNTS, map(int, row), strict=True))


def coverage(database: Database) -> dict[str, dict[str, int]]:
    """For ``keyword``, ``extraction`` (documents) and ``vectors`` (things that are embedded): ``done`` of ``total``.

    A file that was written and has no document yet counts as a document that waits.
    """
    (items,) = database.fetch(
        "SELECT count(*), count(*) FILTER (have_gen >= want_gen), count(*) FILTER (extracted_gen >= want_gen)"
        " FROM context_items LEFT JOIN documents d USING (id)"
        f" WHERE d.id IS NOT NULL OR {changed_rows.UNPARSED}"
    )
    parts = " UNION ALL ".join(
        f"SELECT count(*) AS total, count(*) FILTER (have_gen >= want_gen) AS done FROM {table}" for table in _VECTORS
    )
    (vectors,) = database.fetch(f"SELECT coalesce(sum(total), 0), coalesce(sum(done), 0) FROM ({parts})")
    return {
        "keyword": {"done": int(items[1]), "total": int(items[0])},
        "extraction": {"done": int(items[2]), "total": int(items[0])},
        "vectors": {"done": int(vectors[1]), "total": int(vectors[0])},
    }


def waiting(database: Database, index: dict[str, dict[str, int]] | None = None) -> dict[str, int]:
    """What is still to be done, as numbers: ``files`` that were written and not read, ``removed`` ones that have left
    something, ``texts`` (documents) for the keyword index, ``documents`` for the extractor, ``vectors``, and
    ``topics``, 1 where they are to be made again. ``index`` is what ``coverage`` said, where that was asked."""
    with database.read() as cursor:
        rows = changed_rows.count_waiting(cursor)
        topics_wait = topics.topics_state(cursor) == topics.STALE
    index = coverage(database) if index is None else index
    left = {name: part["total"] - part["done"] for name, part in index.items()}
    return {
        "files": rows.files,
        "removed": rows.removed,
        "texts": left["keyword"],
        "documents": left["extraction"],
        "vectors": left["vectors"],
        "topics": int(topics_wait),
    }


def unindexed(database: Database) -> frozenset[int]:
    """The files whose present body is not in the keyword index yet."""
    with database.read() as cursor:
        return frozenset(changed_rows.unindexed_files(cursor))


def topics_wait(database: Database) -> bool:
    """Whether what documents say of topics changed since topics were made."""
    with database.read() as cursor:
        return topics.topics_state(cursor) == topics.STALE


def links_wait(database: Database) -> bool:
    """Whether links between documents lead elsewhere than they say: a file was moved."""
    with database.read() as cursor:
        return documents.links_changed(cursor)


def texts_wait(database: Database) -> bool:
    """Whether files that were written, moved or removed have yet to be read or taken away, or to be shown."""
    with database.read() as cursor:
        return any(changed_rows.count_waiting(cursor)) or documents.links_changed(cursor) or pages.any_stale(cursor)


def unpublished(database: Database) -> bool:
    """Whether a run ended before what it wrote was shown, or before the index forgot what is gone."""
    (row,) = database.fetch("SELECT (SELECT count(*) FROM stale) + (SELECT count(*) FROM removals)")
    return bool(row[0])


def reconcile_index(database: Database, identities: dict[str, str]) -> None:
    """Let every row whose index is not the one that it was put into be indexed again.

    ``identities`` is what the index is now: a name for each table, given when it was made.
    """

    def missing(cursor: Cursor) -> set[str]:
        known = msgspec.json.decode(pages.read_meta(cursor, _IDENTITIES) or "{}", type=dict[str, str])
        return {name for name, identity in identities.items() if known.get(name) != identity}

    def work(cursor: Cursor) -> None:
        lost = missing(cursor)
        for kind in KINDS:
            texts = f"{kind}_text" in lost
            if texts or f"{kind}_vectors" in lost:
                indexing.forget_vectors(cursor, kind, texts=texts)
        pages.write_meta(cursor, _IDENTITIES, msgspec.json.encode(identities).decode())
        pages.write_meta(cursor, _TERMS, INDEX_TERMS)

    with database.read() as cursor:
        if not missing(cursor):
            return  # nearly always: and a commit would have searches read the rows again
    database.write(work)


def renew_terms(database: Database) -> None:
    """Let every text be indexed again where the index holds the terms that another version of kgfs made.

    The vectors stay: a text whose vector is there is not embedded again.
    """

    def outdated(cursor: Cursor) -> bool:
        indexed = pages.read_meta(cursor, _IDENTITIES) is not None
        return indexed and pages.read_meta(cursor, _TERMS) != INDEX_TERMS

    def work(cursor: Cursor) -> None:
        for kind in KINDS:
            indexing.forget_vectors(cursor, kind, texts=True)
        pages.write_meta(cursor, _TERMS, INDEX_TERMS)

    with database.read() as cursor:
        if not outdated(cursor):
            return
    database.write(work)


def source_paths(database: Database) -> list[str]:
    """The files and folders of the host that were added."""
    return [items.host_path(str(path)) for (path,) in database.fetch("SELECT path FROM sources WHERE drive = 'disk'")]


def extractors(database: Database) -> list[str]:
    """Which extractors the documents went through."""
    rows = database.fetch("SELECT DISTINCT extractor FROM documents WHERE extractor NOT IN ('', 'none') ORDER BY 1")
    return [str(row[0]) for row in rows]


def advice(names: list[str]) -> list[str]:
    """What would make the graph better, one sentence each, given the extractors that made it."""
    if "patterns" not in names:
        return []
    from kgfs.extraction.extractor import extractor_quality

    return [text for text in map(extractor_quality, names) if text]


def failed_items(database: Database) -> list[dict[str, str]]:
    """Items that could not be read or indexed whole: ``ref`` and ``error``."""
    rows = database.fetch("SELECT ref, error FROM context_items WHERE error IS NOT NULL AND error <> '' ORDER BY ref")
    return [{"ref": str(ref), "error": str(error)} for ref, error in rows]


_TEXTLESS = (
    "FROM context_items i ANTI JOIN documents USING (id) WHERE error IS NULL"
    " AND (notes <> '[]' OR (size > 0 AND id IN (SELECT item_id FROM source_items)))"
)


def textless(database: Database) -> int:
    """How many files of sources are stored as bytes only."""
    return int(database.fetch(f"SELECT count(*) {_TEXTLESS}")[0][0])


def kept_files(database: Database) -> list[dict[str, str]]:
    """Files of sources of which only the bytes are stored: ``ref`` and ``reason``, that of their format or, where no
    text was looked for, their type."""
    rows = database.fetch(f"SELECT ref, mime_type, notes {_TEXTLESS} ORDER BY ref")
    return [
        {
            "ref": str(ref),
            "reason": _sentences(notes) or f"kgfs reads no text from {mime_type}.",
        }
        for ref, mime_type, notes in rows
    ]


def noted_documents(database: Database) -> list[dict[str, str]]:
    """Documents in which something was odd, such as parts that were left out or a guessed encoding: ``ref`` and
    ``note``."""
    rows = database.fetch(
        "SELECT ref, notes FROM context_items i SEMI JOIN documents USING (id) WHERE notes <> '[]' ORDER BY ref"
    )
    return [{"ref": str(ref), "note": _sentences(notes)} for ref, notes in rows]


def dropped_of_documents(database: Database) -> list[dict[str, str]]:
    """What a language model said of documents and they do not: ``ref``, and ``note`` with the reason and the words."""
    rows = database.fetch(
        "SELECT i.ref, d.reading FROM documents d JOIN context_items i USING (id) WHERE d.reading IS NOT NULL"
        " ORDER BY ref"
    )
    return [
        {"ref": str(ref), "note": f"The model's {reason}: {said}"}
        for ref, reading in rows
        for reason, said in msgspec.json.decode(reading, type=documents.ModelReading).examples
    ]


def _sentences(notes: str) -> str:
    return " ".join(msgspec.json.decode(notes, type=list[str]))


def logged_errors(store: Path, limit: int = 100) -> list[dict[str, Any]]:
    """The newest lines of the mount's error log."""
    try:
        lines = (store / ERRORS).read_bytes().splitlines()[-limit:]
    except FileNotFoundError:
        return []
    found = []
    for line in lines:
        try:
            found.append(msgspec.json.decode(line, type=dict[str, Any]))
        except msgspec.DecodeError:
            found.append({"error": line.decode("utf-8", "replace")})
    return found


def note_job(database: Database, job: Job) -> None:
    """Keep a job's row: when it begins, and how it ended. What a killed process left running is failed by then."""

    def work(cursor: Cursor) -> None:
        cursor.execute(
            "UPDATE jobs SET state = 'failed', ended_at = ? WHERE ended_at IS NULL AND id <> ?", [items.now(), job.id]
        )
        cursor.execute("DELETE FROM jobs WHERE id = ?", [job.id])
        if job.command == INDEX:  # there is one after each pause in writing: the last one is enough
            cursor.execute("DELETE FROM jobs WHERE command = ? AND state = 'done'", [INDEX])
        cursor.execute(
            "DELETE FROM jobs WHERE id NOT IN (SELECT id FROM jobs ORDER BY started_at DESC LIMIT ?)", [KEPT - 1]
        )
        told = json_bytes({**job.progress, "error": job.error, "cost": job.cost}).decode()
        cursor.execute(
            "INSERT INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?)",
            [job.id, job.command, job.title, job.state, told, _moment(job.started_at), _moment(job.ended_at)],
        )

    database.write(work)


def earlier_jobs(database: Database) -> list[Job]:
    """The jobs of processes that had the store before, oldest first: those of commands, too."""
    rows = database.fetch(
        "SELECT id, command, arguments, state, progress, started_at, ended_at FROM jobs ORDER BY started_at, id"
    )
    found = []
    for number, command, title, status, text, started_at, ended_at in rows:
        told = msgspec.json.decode(text or "{}", type=dict[str, Any])
        job = Job(id=number, command=command, title=title, state=status, error=told.pop("error", None))
        job.cost = told.pop("cost", {})
        job.progress, job.started_at, job.ended_at = told, _text(started_at), _text(ended_at)
        if ended_at is None:
            job.state, job.error = "failed", "The process that did it ended before it; `kgfs wait` goes on."
        found.append(job)
    return found


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text).replace(tzinfo=None)


def _text(moment: datetime | None) -> str | None:
    return None if moment is None else f"{moment.isoformat(timespec='milliseconds')}Z"


def bytes_on_disk(store: Path) -> int:
    """What the store takes on disk."""
    total = 0
    for directory, _, files in os.walk(store):
        for name in files:
            try:
                total += os.lstat(os.path.join(directory, name)).st_blocks * 512
            except OSError:
                continue
    return total
