"""One file of the host on its way in: read, told apart from what is known, parsed in the worker.

Used by the text pass, on the threads of its pool. Small files are read whole; large ones go to the catalog block by
block while they are read, so that no process ever holds them.
"""

from __future__ import annotations

import os
import posixpath
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from kgfs.documents.dates import from_mtime
from kgfs.documents.original import TRIES, WHOLE_BYTES, OpenFile, modified_ns
from kgfs.errors import Cancelled, DeadlineExceeded, WorkerError
from kgfs.model import ParsedDocument
from kgfs.pipeline.run import Run
from kgfs.sources.file_dates import FileDates
from kgfs.sources.walking import WalkedFile
from kgfs.store import items, staging
from kgfs.store.items import BLOCK_BYTES, KnownFile, NewItem
from kgfs.store.staging import BodyDigest, StagedBody

DRIVE = "disk"
UTF8_HEAD_BYTES = 256 * 1024
"""Of a large text that is UTF-8 so much is looked at for its title and front matter."""
TAIL_BYTES = 64 * 1024
UNSTEADY = "It changed while it was read; what was read last is stored, and `kgfs refresh` reads it again."


class FileRead(msgspec.Struct):
    """What became of one file. Without ``item`` it is known already, or could not be read."""

    path: str
    item: NewItem | None = None
    document: ParsedDocument | None = None
    is_new: bool = False
    same: tuple[int, int, int, int] | None = None
    """The bytes are those that are stored: the item, and the file's present time, mode, and when it was read."""
    failure: str = ""
    """Why it was left out, or why its bytes are all that is stored; one sentence."""
    remark: str = ""
    """What else the user should know of it, one sentence."""


def read_file(run: Run, found: WalkedFile, known: KnownFile | None, source_id: int, dates: FileDates) -> FileRead:
    """Read a file. ``Cancelled`` when the run stops meanwhile, and what the store raises."""
    place = found.path
    path = items.row_path(place)
    read_ns = time.time_ns()
    try:
        with OpenFile(place, found.within) as original:
            whole = max(WHOLE_BYTES, run.config.max_text_bytes)
            body = _whole(original, whole) if original.status.st_size <= whole else None
            if body is not None:
                return _small(run, place, path, original, body, known, source_id, read_ns, dates)
            return _large(run, place, path, original, known, source_id, read_ns, dates)
    except OSError as error:
        return FileRead(path, failure=f"{error.strerror or error}; it was left out.")


def preview_document(run: Run, place: Path) -> ParsedDocument | None:
    """The document in the file at ``place``, of which nothing is stored; ``None`` where none can be read, or where the
    file is so large that it is not cut into chunks."""
    try:
        with OpenFile(place) as original:
            body = _whole(original, max(WHOLE_BYTES, run.config.max_text_bytes))
            if body is None:
                return None
            return run.worker.parse(os.fspath(place), body, place.name, modified_ns(original.status))
    except (OSError, WorkerError, DeadlineExceeded):
        return None


def _whole(original: OpenFile, most: int) -> bytes | None:
    """The bytes of a small file, read again while it changes; ``None`` where it has grown large."""
    for attempt in range(TRIES):
        if attempt:
            original.again()
        body = original.part(0, most + 1)
        if len(body) > most:
            return None
        if original.is_steady():
            break
    return body


def _small(
    run: Run,
    place: Path,
    path: str,
    original: OpenFile,
    body: bytes,
    known: KnownFile | None,
    source_id: int,
    read_ns: int,
    dates: FileDates,
) -> FileRead:
    steady = original.is_steady()
    status = original.status
    if known and known.error is None and known.hash == items.hash_body(body):
        return FileRead(path, same=(known.id, modified_ns(status), status.st_mode & 0o7777, read_ns))
    document, failure = None, ""
    try:
        written = dates.of(place, modified_ns(status), body)
        document = run.worker.parse(os.fspath(place), body, place.name, written)
    except (WorkerError, DeadlineExceeded) as error:
        failure = unread_sentence(error)
    return _arrival(path, document, failure, known, steady, status, source_id, read_ns, body=body)


def _large(
    run: Run,
    place: Path,
    path: str,
    original: OpenFile,
    known: KnownFile | None,
    source_id: int,
    read_ns: int,
    dates: FileDates,
) -> FileRead:
    status = original.status
    if known and known.error is None and known.size == status.st_size:
        digest = BodyDigest()
        for block in _blocks(run, original):
            digest.update(block)
        if digest.hash() == known.hash:
            return FileRead(path, same=(known.id, modified_ns(status), status.st_mode & 0o7777, read_ns))
    staged = _stage(run, original)
    for _ in range(TRIES - 1):
        if original.is_steady():
            break
        _discard(run, staged.id)
        original.again()
        staged = _stage(run, original)
    steady = original.is_steady()
    status = original.status
    document, failure = None, ""
    try:
        head = original.part(0, UTF8_HEAD_BYTES if staged.is_textual else run.config.max_text_bytes)
        tail = original.part(max(0, staged.size - TAIL_BYTES), TAIL_BYTES)
        document = run.worker.parse_large(
            original.name, place.name, modified_ns(status), staged.size, head, tail, staged.is_textual
        )
        _redate(document, modified_ns(status), dates.of(place, modified_ns(status), None))
    except (WorkerError, DeadlineExceeded) as error:
        failure = unread_sentence(error)
    except OSError as error:
        failure = unread_sentence(error.strerror or error)
    return _arrival(path, document, failure, known, steady, status, source_id, read_ns, staged=staged)


def _redate(document: ParsedDocument, mtime_ns: int, written: int | None) -> None:
    """Date a document whose reader knew its file's time only as what tells whether it has changed."""
    before = from_mtime(mtime_ns)
    if written == mtime_ns or document.date != before:
        return
    document.date = None if written is None else from_mtime(written)
    for chunk in document.chunks:
        chunk.date = document.date if chunk.date == before else chunk.date


def _stage(run: Run, original: OpenFile) -> StagedBody:
    """Put the file's blocks into the catalog."""
    return staging.stage_body(run.database, _blocks(run, original))


def _blocks(run: Run, original: OpenFile) -> Iterator[bytes]:
    for block in original.blocks(BLOCK_BYTES):
        _go_on(run)
        yield block


def _discard(run: Run, staged_id: int) -> None:
    run.database.write(lambda cursor: staging.discard_staged(cursor, staged_id))


def _go_on(run: Run) -> None:
    if run.stopping:
        raise Cancelled("Stopped while a large file was read.")


def unread_sentence(error: object) -> str:
    """Why a file's bytes are all that is stored of it, as one sentence."""
    return f"It could not be read as a document ({error}); its bytes are kept."


def _arrival(
    path: str,
    document: ParsedDocument | None,
    failure: str,
    known: KnownFile | None,
    steady: bool,
    status: os.stat_result,
    source_id: int,
    read_ns: int,
    **body: Any,
) -> FileRead:
    item = NewItem(
        drive=DRIVE,
        path=path,
        title=(document.title if document else "") or posixpath.basename(path),
        mime_type=document.mime_type if document else "application/octet-stream",
        mode=status.st_mode & 0o7777,
        source_id=source_id,
        source_mtime_ns=modified_ns(status),
        source_read_ns=read_ns,
        error=failure or None,
        notes=document.notes if document else [],
        **body,
    )
    remark = "" if steady else UNSTEADY
    return FileRead(
        path, item, document, known is None, failure=failure or (document.unread if document else ""), remark=remark
    )
