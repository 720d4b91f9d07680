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
from kgfs.documents.original import TRIES, OpenFile, modified_ns
from kgfs.errors import Cancelled
from kgfs.graph.parsed_body import ParsedBody, parse_body, read_ends, redate, unread_body, whole_bytes
from kgfs.model import ParsedDocument
from kgfs.pipeline.run import Run
from kgfs.sources.file_dates import FileDates
from kgfs.sources.walking import WalkedFile
from kgfs.store.files import items, staging
from kgfs.store.files.items import BLOCK_BYTES, KnownFile, NewItem
from kgfs.store.files.staging import BodyDigest, StagedBody

DRIVE = "disk"
UNSTEADY = "It changed while it was read; what was read last is stored, and `kgfs refresh` reads it again."


class FileRead(msgspec.Struct):
    """What became of one file. Without ``item`` it is known already, or could not be read."""

    path: str
    item: NewItem | None = None
    parsed: ParsedBody = ParsedBody()
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
            most = whole_bytes(run.config)
            body = _whole(original, most) if original.status.st_size <= most else None
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
            body = _whole(original, whole_bytes(run.config))
            return None if body is None else parse_file(run, place, body, modified_ns(original.status)).document
    except OSError:
        return None


def parse_file(run: Run, place: Path, body: bytes, written: int | None) -> ParsedBody:
    """What the worker makes of a small file; its folders may say its day too."""
    path = os.fspath(place)
    return parse_body(lambda: run.worker.parse(path, body, path, written))


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
    written = dates.of(place, modified_ns(status), body)
    parsed = parse_file(run, place, body, written)
    return _file_read(path, parsed, known, steady, status, source_id, read_ns, body=body)


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
    mtime_ns = modified_ns(status)

    def parse() -> ParsedDocument:
        head, tail = read_ends(run.config, staged.size, staged.is_textual, original.part)
        document = run.worker.parse_large(
            original.name, place.name, mtime_ns, staged.size, head, tail, staged.is_textual
        )
        # Its reader knew the file's time only as what tells whether it has changed.
        written, before = dates.of(place, mtime_ns, None), from_mtime(mtime_ns)
        if written != mtime_ns and document.date == before:
            redate(document, before, None if written is None else from_mtime(written))
        return document

    try:
        parsed = parse_body(parse)
    except OSError as error:
        parsed = unread_body(error.strerror or error)
    return _file_read(path, parsed, known, steady, status, source_id, read_ns, staged=staged)


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


def _file_read(
    path: str,
    parsed: ParsedBody,
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
        title=parsed.title or posixpath.basename(path),
        mime_type=parsed.mime_type,
        mode=status.st_mode & 0o7777,
        source_id=source_id,
        source_mtime_ns=modified_ns(status),
        source_read_ns=read_ns,
        error=parsed.failure or None,
        notes=parsed.notes,
        **body,
    )
    remark = "" if steady else UNSTEADY
    return FileRead(path, item, parsed, known is None, failure=parsed.sentence, remark=remark)
