"""With ``--write-through``: what was written to rows of the disk is written to their files, a moment later.

Used by the service of a daemon; a thread of its own. What there is to do stands in rows
(``kgfs.store.files.disk_rows``), so that a kill only delays it: a file is written, then its row says so, and what a
kill left in between is known by its bytes. A file is replaced or removed only where it holds what it held when it was
last known. What cannot be written stays as it is on both sides, and is named.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, TypeVar

from kgfs.drives.gate import Gate, Mutation
from kgfs.errors import ChangedError, KgfsError, NotFoundError
from kgfs.names import is_knowledge
from kgfs.service.writing import write_scope
from kgfs.sources import host_files, source_roots
from kgfs.sources.host_files import FileChanged, NotWritten, WriteOvertaken
from kgfs.sources.source_roots import SourceRoot
from kgfs.store.catalog.database import Cursor, Database
from kgfs.store.files import bodies, disk_rows, items, sources
from kgfs.store.files.disk_rows import DRIVE, UnwrittenRow
from kgfs.store.files.sources import Source

log = logging.getLogger(__name__)

T = TypeVar("T")

QUIET_SECONDS = 0.5
"""Files are written this long after the last change: an editor saves by several operations."""
LATEST_SECONDS = 3.0
"""Files are written at the latest this long after the first change."""
REMOVE_SECONDS = 10.0
"""A file is removed so long after its row: who saves may set it aside and write it anew."""
AGAIN_SECONDS = 60.0
"""What could not be written is tried again, if nobody changes it before."""
CLOSE_SECONDS = 60.0
"""So long the end waits for files to be written; the rest is done at the next mount."""


class DiskGate(Gate):
    """A gate that notes what removals and moves mean for files on the disk, while these are written."""

    def _whole(self, mutation: Mutation, work: Callable[[Cursor], T]) -> Callable[[Cursor], T]:
        if self.writes_disk and mutation.operation in ("remove", "move"):
            return disk_rows.noting(mutation.refs, work)
        return work


class _Failure(NamedTuple):
    """A file that is not what its row is."""

    state: object
    """What was to be written, over what."""
    sentence: str
    tried: float
    since: str


class WriteBack:
    """Writes files after their rows, in folders that the user trusts ``store`` with.

    ``told`` is called when other files than before could not be written.
    """

    def __init__(self, store: Path, database: Database, told: Callable[[], None] = lambda: None) -> None:
        self._store = store
        self._database = database
        self._told = told
        self._changed = threading.Condition()
        self._first: float | None = None
        self._last = 0.0
        self._thread: threading.Thread | None = None
        self._closed = False
        self._flushes: list[threading.Event] = []
        """Of those who wait until what there is to do was done or tried."""
        self._failed: dict[str, _Failure] = {}
        """By ref: what could not be written."""
        self._lasting: dict[str, _Failure] = {}
        """By ref: what was not removed; nothing waits for that any more."""

    @property
    def running(self) -> bool:
        """Whether files are written."""
        return self._thread is not None

    def start(self) -> None:
        """Write files from now on, and what an earlier process left."""
        self._thread = threading.Thread(target=self._work, name="write-back", daemon=True)
        self._first = self._last = time.monotonic()
        self._thread.start()

    def poke(self) -> None:
        """Something was changed. Cheap, from any thread."""
        if self._thread is None:
            return
        with self._changed:
            self._last = time.monotonic()
            if self._first is None:
                self._first = self._last
                self._changed.notify_all()

    def flush(self) -> None:
        """Write what there is to write, and remove what is to be removed; waits for it."""
        if self._thread is None:
            return
        done = threading.Event()
        with self._changed:
            self._flushes.append(done)
            self._changed.notify_all()
        done.wait(CLOSE_SECONDS)

    def close(self) -> None:
        """Write what is left, and end."""
        if self._thread is None:
            return
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join(CLOSE_SECONDS)

    def conflicts(self) -> list[dict[str, str]]:
        """What could not be written, by ref, and why: each in one sentence."""
        with self._changed:
            found = self._lasting | self._failed
        return [{"ref": ref, "error": one.sentence, "time": one.since} for ref, one in sorted(found.items())]

    # --- the thread --------------------------------------------------------------------------------------------------

    def _work(self) -> None:
        again = time.monotonic()
        while True:
            with self._changed:
                while not (self._closed or self._flushes) and (wait := self._due(again) - time.monotonic()) > 0:
                    self._changed.wait(wait)
                closed, self._first = self._closed, None
                flushes, self._flushes = self._flushes, []
            before = self.conflicts()
            try:
                wait = self._pass(at_once=closed or bool(flushes))
            except Exception:
                log.exception("what was written could not be written to the disk; it is tried again")
                wait = AGAIN_SECONDS
            for flush in flushes:
                flush.set()
            if closed:
                return
            again = time.monotonic() + wait
            if self.conflicts() != before:
                self._told()

    def _due(self, again: float) -> float:
        first = self._first
        return again if first is None else min(again, self._last + QUIET_SECONDS, first + LATEST_SECONDS)

    def _pass(self, *, at_once: bool) -> float:
        """Write what there is to write; returns after how many seconds to look again. ``at_once``: remove files too
        whose rows went only now."""
        with self._database.read(snapshot=True) as cursor:
            rows, gone = disk_rows.unwritten_rows(cursor), disk_rows.left_files(cursor)
            known = [one for one in sources.sources(cursor) if one.drive == DRIVE] if rows or gone else []
        known = write_scope.trusted(self._store, known)
        for row in rows:
            # Of a file that was set aside and written anew it is known what the one before held.
            before = gone[row.path].hash if row.source_hash is None and row.path in gone else row.source_hash
            self._try(row, before, known, again=at_once)
        with self._database.read() as cursor:
            again = [ref for ref in self._lasting if disk_rows.has_row(cursor, ref.removeprefix(f"{DRIVE}:"))]
        with self._changed:
            for ref in again:
                del self._lasting[ref]
            waiting = {row.ref for row in rows}
            for ref in [ref for ref in self._failed if ref not in waiting]:
                del self._failed[ref]
        now = time.time()
        left, done = AGAIN_SECONDS, {}
        unwritten = {row.hash for row in rows if row.ref in self._failed}
        for path, one in gone.items():
            wait = one.noted + REMOVE_SECONDS - now
            if not at_once and 0 < wait <= REMOVE_SECONDS:
                left = min(left, wait)
            elif one.hash not in unwritten:  # else it moved, and is not yet where it moved to
                self._follow(path, one.hash, known)
                done[path] = one
        if done:
            self._database.write(lambda cursor: disk_rows.forget_left(cursor, done))
        return max(left, QUIET_SECONDS)

    def _try(self, row: UnwrittenRow, known_hash: str | None, known: Sequence[Source], *, again: bool) -> None:
        state = (row.hash, known_hash)
        before = self._failed.get(row.ref)
        again = again or before is None or before.state != state
        if before is not None and not again and time.monotonic() < before.tried + AGAIN_SECONDS:
            return
        sentence = None
        try:
            self._write(row, known_hash, known)
        except (ChangedError, NotFoundError, WriteOvertaken):  # somebody writes it, or it went: it is looked at again
            self.poke()
        except KgfsError as error:
            sentence = error.message
        except Exception as error:
            if not isinstance(error, (NotWritten, OSError)):  # of one file no other has to wait
                log.exception("%s could not be written to the disk", row.ref)
            reason = error.strerror if isinstance(error, OSError) else None
            sentence = f"What was written here is not in {items.host_path(row.path)}: {reason or error}."
        with self._changed:
            self._failed.pop(row.ref, None)
            if sentence is not None:
                log.warning("%s", sentence)
                since = before.since if before is not None and before.sentence == sentence else _now()
                self._failed[row.ref] = _Failure(state, sentence, time.monotonic(), since)

    def _write(self, row: UnwrittenRow, known_hash: str | None, known: Sequence[Source]) -> None:
        path = Path(items.host_path(row.path))
        source = _innermost(known, row.path)
        root = Path(items.host_path(source.path))
        if known_hash is None and not is_knowledge(row.path[len(source.path) :]):
            return  # what editors leave stays here
        noted, make = source_roots.decode_root(source.root), row.source_hash is None
        with host_files.open_folder(root, noted, path, make=make) as (folder, name):
            read_ns = time.time_ns()
            seen = host_files.look_at_file(folder, name)
            if seen is not None and seen[1] == row.hash:  # written by a process that was killed, or by the user
                status = seen[0]
            elif seen is None and known_hash is not None and row.source_hash is not None:
                raise FileChanged("its file went on the disk; `kgfs refresh` says more")
            elif seen is not None and seen[1] != known_hash:
                raise FileChanged("its file holds something else by now; `kgfs refresh` says more")
            else:
                _require_noted(noted, seen)
                parts = bodies.body_pieces(self._database, row.id)
                over = None if seen is None else seen[0]
                status = host_files.put_file(
                    folder, name, parts, row.hash, over=over, mode=row.mode, temporary=f".kgfs-{row.id}.tmp"
                )
        mtime_ns, mode = host_files.time_of(status), status.st_mode & 0o7777
        self._database.write(lambda cursor: disk_rows.note_written(cursor, row, mtime_ns, mode, read_ns, source.id))
        if noted is not None and not noted.directory:  # the source is this file, which is another one now
            now = SourceRoot(device=status.st_dev, inode=status.st_ino, directory=False)
            self._database.write(lambda cursor: sources.note_root(cursor, source.id, now.encode()))

    def _follow(self, path: str, held: str, known: Sequence[Source]) -> None:
        """The row of a file went; its file goes too, where it holds what it held and the store has that."""
        ref, place = items.ref(DRIVE, path), Path(items.host_path(path))
        with self._database.read(snapshot=True) as cursor:
            stands, kept = disk_rows.has_row(cursor, path), disk_rows.is_kept(cursor, held)
        try:
            if not stands:
                source = _innermost(known, path)
                root = Path(items.host_path(source.path))
                noted = source_roots.decode_root(source.root)
                with host_files.open_folder(root, noted, place) as (folder, name):
                    seen = host_files.look_at_file(folder, name)
                    _require_noted(noted, seen)
                    if seen is not None and (seen[1] != held or not kept):
                        raise FileChanged("it holds something that was not read from it")
                    if seen is not None:
                        host_files.remove_file(folder, name, seen[0])
        except FileNotFoundError:
            pass
        except (NotWritten, OSError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            sentence = f"{place} was removed here and stays on the disk: {reason}; `kgfs refresh` reads it again."
            log.warning("%s", sentence)
            with self._changed:
                self._lasting[ref] = _Failure(held, sentence, time.monotonic(), _now())


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _require_noted(noted: SourceRoot | None, seen: tuple[os.stat_result, str] | None) -> None:
    """``NotWritten`` where a source is a file and another one stands there."""
    if noted is None or noted.directory or seen is None:
        return
    if (seen[0].st_dev, seen[0].st_ino) != (noted.device, noted.inode):
        raise NotWritten("it is not the file that was read; refresh it")


def _innermost(known: Sequence[Source], path: str) -> Source:
    """The trusted source in which a path lies. ``NotWritten`` where none does."""
    found = max((one for one in known if one.covers(path)), key=lambda one: len(one.path), default=None)
    if found is None:
        raise NotWritten(
            "it lies in no source that may be written to; `kgfs add` its folder, `kgfs trust write-through`"
        )
    return found
