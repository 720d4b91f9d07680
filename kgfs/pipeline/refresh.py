"""Refreshing: what was added is read again where it changed, follows files that moved, and forgets on request.

Used by the service on its jobs thread, one run at a time. A row leaves the store only with ``prune``, only when its
file is certainly gone, and never when the source itself may be out of reach (``source_roots``).
"""

from __future__ import annotations

import os
import posixpath
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from kgfs.errors import KgfsError, NotFoundError
from kgfs.graph.parsed_body import read_as
from kgfs.llm.choice import AUTO, LLM, OFFLINE, within_reach
from kgfs.model import prepared
from kgfs.pipeline import page_refresh
from kgfs.pipeline.file_read import parse_file
from kgfs.pipeline.pipeline import REMOVE_ITEMS, Pipeline
from kgfs.pipeline.refresh_records import (
    CONFLICT,
    FileChange,
    RefreshRequest,
    RefreshSummary,
    RefreshTarget,
    SourceSummary,
    add_change,
)
from kgfs.pipeline.relocation import rehash_chunks
from kgfs.pipeline.request import AddRequest
from kgfs.pipeline.run import Run
from kgfs.pipeline.text_pass import DRIVE
from kgfs.sources import source_roots
from kgfs.sources.comparison import FilePresence, SourceComparison, compare_source, file_presence, is_within
from kgfs.sources.moves import HashedFile, MovedFile, find_moves, read_hash
from kgfs.sources.walking import WalkedFile
from kgfs.store.catalog.database import Cursor
from kgfs.store.files import documents, items, sources
from kgfs.store.files.items import KnownFile
from kgfs.store.files.sources import ItemMove, Source

MOVE_ITEMS = 200
"""Items that one transaction of moving takes."""


class _Work(msgspec.Struct):
    """One source while it is refreshed."""

    source: Source
    target: RefreshTarget
    members: dict[str, KnownFile]
    summary: SourceSummary
    request: AddRequest
    roots: dict[Path, source_roots.SourceRoot]
    """What stood at the source's path before it was looked through."""

    @property
    def place(self) -> Path:
        return Path(items.host_path(self.source.path))

    @property
    def files(self) -> list[Path]:
        return [Path(items.host_path(path)) for path in self.members]


class Refresher(Pipeline):
    """A pipeline that takes its work from sources. ``prepare`` is called before the first change of a run."""

    prepare: Callable[[], None] | None = None

    def refresh(self, request: RefreshRequest) -> RefreshSummary:
        """Bring sources up to date with the disk: texts first, then entities and facts, then vectors.

        ``NotFoundError`` where not one of the sources is there; one of several is told in its summary. ``Cancelled``
        and ``NoSpaceError`` as with ``add``: what was committed by then stays. ``UsageError`` for a budget and no
        price.
        """
        started = time.monotonic()
        run = self._run(budget=request.budget)
        summary = RefreshSummary()
        with self._database.read() as cursor:
            all_sources = {source.id: source for source in sources.sources(cursor)}
        chosen = [(all_sources[target.source], target) for target in request.targets if target.source in all_sources]
        if not request.dry_run:
            self._ask_again(run, LLM if self._any_by_model(chosen) else OFFLINE)
        # What is read of a source waits for its own extractor, and only for that.
        for extractor in dict.fromkeys(self._extractor(source) for source, _ in chosen):
            group = [(source, target) for source, target in chosen if self._extractor(source) == extractor]
            pages = self._refresh_pages(run, [source for source, _ in group if source.drive != DRIVE], request, summary)
            for source, target in group:
                if source.id in pages:
                    summary.sources.append(pages[source.id])
                else:
                    before = len(run.failures)
                    done = self._refresh(run, source, target, request, summary.changes)
                    done.failed = len(run.failures) - before - (0 if request.dry_run else done.conflicts)
                    summary.sources.append(done)
                    run.check()
            if not request.dry_run:
                summary.warnings += self._index(run, extractor)
        if summary.sources and all(one.missing for one in summary.sources):
            raise NotFoundError(f"{summary.sources[0].path}: {summary.sources[0].problem}")
        summary.failed = run.failures
        summary.notes = run.notes
        summary.counts = self.counts()
        summary.cost = run.cost()
        summary.dropped, summary.dropped_examples = dict(sorted(run.dropped.items())), run.dropped_examples
        summary.seconds = time.monotonic() - started
        return summary

    def _any_by_model(self, chosen: Sequence[tuple[Source, RefreshTarget]]) -> bool:
        """Whether a language model is to read any of these sources, and there is one."""
        wanted = {self._extractor(source) for source, _ in chosen} & {AUTO, LLM}
        return bool(wanted) and within_reach(self._config)

    def _extractor(self, source: Source) -> str:
        return str(source.options.get("extractor") or self._config.extractor)

    def _refresh(
        self, run: Run, source: Source, target: RefreshTarget, request: RefreshRequest, changes: list[FileChange]
    ) -> SourceSummary:
        summary = SourceSummary(name=source.name, path=source.path)
        with self._database.read(snapshot=True) as cursor:
            known = items.known_files(cursor, DRIVE, source.path)
            members = sources.members(cursor, source.id)
        wanted = _request(source)
        roots = source_roots.read_roots(wanted.paths, cross_device=wanted.cross_device)
        work = _Work(source, target, members, summary, wanted, roots)
        try:
            found = compare_source(source, known, members, only=target.only, is_ours=self._is_ours, stop=self._stopped)
        except NotFoundError:
            summary.problem = (
                "it is not there (deleted, moved, or its disk is not mounted):"
                f" `kgfs source move {source.name} NEW` says where it is now; {_kept(source)}"
            )
            summary.missing = True
            return summary
        run.check()
        for entry in found.unreadable:
            run.fail(items.row_path(entry.path), f"{entry.error}; what was read before is kept.")
        summary.skipped = dict(found.skipped)
        followed = find_moves(found.vanished, found.new)
        run.check()
        self._sort_edited(run, found, summary, request, changes)
        if request.dry_run:
            self._foretell(work, found, followed, request, changes)
        else:
            self._carry_out(run, work, found, followed, known, request)
        return summary

    # --- pages -----------------------------------------------------------------------------------------------------

    def _refresh_pages(
        self, run: Run, chosen: Sequence[Source], request: RefreshRequest, told: RefreshSummary
    ) -> dict[int, SourceSummary]:
        """Load pages again, all together; what became of each, by source."""
        if not chosen:
            return {}
        if self.prepare is not None and not request.dry_run:
            self.prepare()
        found = page_refresh.refresh_pages(run, chosen, dry_run=request.dry_run)
        summaries = page_refresh.summarize_pages(run, chosen, found, request, told)
        if request.prune and not request.dry_run:
            self._remove_pages(
                run, [(source_id, page.item_id) for source_id, page in found.items() if page.ending == "gone"]
            )
        run.committed()
        run.publish()
        run.check()
        return summaries

    def _remove_pages(self, run: Run, gone: Sequence[tuple[int, int | None]]) -> None:
        """Remove pages that are gone at their origin, with their sources."""
        for source_id, item_id in gone:
            if item_id is not None:
                self._remove([item_id])
            self._database.write(lambda cursor, source_id=source_id: sources.delete_sources(cursor, [source_id]))  # type: ignore[misc]
            run.committed()
        if gone:
            self._database.write(documents.resolve_links)

    def _stopped(self) -> bool:
        return self._cancel is not None and self._cancel.is_set()

    # --- rows that were edited here --------------------------------------------------------------------------------

    def _sort_edited(
        self,
        run: Run,
        found: SourceComparison,
        summary: SourceSummary,
        request: RefreshRequest,
        changes: list[FileChange],
    ) -> None:
        """Take rows that were edited here out of what is read: a change of both is the user's to decide."""
        left, checked, settled = [], [], []
        for file, row in found.changed:
            if not (row.edited or row.made_here):
                left.append((file, row))
                continue
            try:
                reading = read_hash(file.path)
            except OSError as error:
                run.fail(row.path, f"{error.strerror or error}; what was read before is kept.")
                continue
            if reading.hash in (row.source_hash, row.hash):
                summary.unchanged += 1
                checked.append((row.id, reading.mtime_ns, reading.mode, reading.read_ns))
                settled += [row.id] if reading.hash == row.hash else []
            else:
                summary.conflicts += 1
                add_change(changes, FileChange("conflict", row.path))
                if not request.dry_run:
                    run.fail(row.path, CONFLICT)
        found.changed = left
        if checked and not request.dry_run:

            def write(cursor: Cursor) -> None:
                sources.note_checked(cursor, checked)
                sources.settle_conflicts(cursor, settled)

            self._database.write(write)

    # --- a dry run -------------------------------------------------------------------------------------------------

    def _foretell(
        self,
        work: _Work,
        found: SourceComparison,
        followed: Sequence[MovedFile],
        request: RefreshRequest,
        changes: list[FileChange],
    ) -> None:
        summary = work.summary
        summary.unchanged += found.unchanged
        for file, row in found.changed:
            if row.error is None and _same_bytes(file, row):
                summary.unchanged += 1
            else:
                summary.updated += 1
                add_change(changes, FileChange("changed", row.path))
        moved_files = {moved.file.path for moved in followed}
        moved_rows = {moved.row.id for moved in followed}
        for moved in followed:
            add_change(changes, FileChange("moved", moved.row.path, items.row_path(moved.file.path)))
        summary.moved = len(followed)
        for file in found.new:
            if file.path not in moved_files:
                summary.added += 1
                add_change(changes, FileChange("new", items.row_path(file.path)))
        vanished = [row for row in found.vanished if row.id not in moved_rows]
        removed = self._removable(work, vanished, request)
        _name(summary, vanished, removed)
        for row in vanished:
            add_change(changes, FileChange("vanished", row.path))

    # --- the real one ----------------------------------------------------------------------------------------------

    def _carry_out(
        self,
        run: Run,
        work: _Work,
        found: SourceComparison,
        followed: Sequence[MovedFile],
        known: dict[str, KnownFile],
        request: RefreshRequest,
    ) -> None:
        summary = work.summary
        moved_files = {moved.file.path for moved in followed}
        moved_rows = {moved.row.id for moved in followed}
        new = [file for file in found.new if file.path not in moved_files]
        vanished = [row for row in found.vanished if row.id not in moved_rows]
        if self.prepare is not None and (new or found.changed or followed or (vanished and request.prune)):
            self.prepare()
        renamed = self._move(run, followed)
        summary.moved = len(followed)
        for moved in followed:
            work.members.pop(moved.row.path, None)
            work.members[items.row_path(moved.file.path)] = moved.row
        take = sorted([*new, *(file for file, _ in found.changed), *renamed], key=lambda file: os.fsencode(file.path))
        # Size and time are what made us doubt: the hash decides; and what a new name says is read whatever it holds.
        doubted = {row.path: msgspec.structs.replace(row, mtime_ns=None) for _, row in found.changed}
        again = {
            path: msgspec.structs.replace(moved.row, path=path, error="renamed")
            for moved in followed
            if (path := items.row_path(moved.file.path)) in {items.row_path(file.path) for file in renamed}
        }
        place = work.place
        taken = self._read(
            work.request,
            run,
            [(file, place) for file in take],
            {**known, **doubted, **again},
            [(file, place) for file in found.walked],
            work.roots,
        )
        summary.added = taken.counts["added"]
        summary.updated = max(0, taken.counts["updated"] - len(renamed))
        summary.unchanged += found.unchanged + taken.counts["unchanged"]
        removed = self._remove_vanished(run, work, vanished, request)
        _name(summary, vanished, removed)
        if removed or followed:
            self._database.write(documents.resolve_links)
            run.committed()
            run.publish()

    def _move(self, run: Run, followed: Sequence[MovedFile]) -> list[WalkedFile]:
        """Give rows their new paths; returns the files of which their new names say something else."""
        renamed: list[WalkedFile] = []
        for start in range(0, len(followed), MOVE_ITEMS):
            batch = followed[start : start + MOVE_ITEMS]
            rows = [
                ItemMove(
                    item_id=moved.row.id,
                    path=items.row_path(moved.file.path),
                    mtime_ns=moved.reading.mtime_ns,
                    mode=moved.reading.mode,
                    read_ns=moved.reading.read_ns,
                )
                for moved in batch
            ]
            self._database.write(lambda cursor, rows=rows: _move_rows(cursor, rows))  # type: ignore[misc]
            run.committed()
            renamed += [moved.file for moved in batch if self._reads_otherwise(run, moved)]
            run.report("move", start + len(batch), len(followed))
            run.check()
        return renamed

    def _reads_otherwise(self, run: Run, moved: MovedFile) -> bool:
        """Whether a document says something else under its new name: the title, the date, the format."""
        path = moved.file.path
        if moved.reading.size > self._config.max_text_bytes:
            return True  # too large to be read twice
        if moved.row.error is not None:
            return True
        if posixpath.basename(moved.row.path) == posixpath.basename(items.row_path(path)) or moved.row.edited:
            return False
        try:
            body = path.read_bytes()
            if items.hash_body(body) != moved.reading.hash:
                return True
        except OSError:
            return True  # reading it again says what is wrong with it
        parsed = parse_file(run, path, body, None).document
        if parsed is None:
            return True
        with self._database.read() as cursor:
            stored = documents.load_documents(cursor, [moved.row.id]).get(moved.row.id)
        if stored is not None and parsed.date is None:
            parsed.date = stored.date  # what only the file's time or its history says, the move did not change
        return stored is None or read_as(stored) != read_as(parsed)

    # --- removing --------------------------------------------------------------------------------------------------

    def _removable(self, work: _Work, vanished: Sequence[KnownFile], request: RefreshRequest) -> list[KnownFile]:
        """What of it is to be removed: nothing, and ``problem`` says why, where it may only be out of reach."""
        if not request.prune or not vanished:
            return []
        chosen = list(vanished)
        if request.gone is not None:
            places = {path.rstrip("/") for path in request.gone}
            chosen = [row for row in chosen if is_within(row.path, places)]
        chosen = [row for row in chosen if file_presence(Path(items.host_path(row.path))) is FilePresence.GONE]
        # After the looks at the files: what was there then was no empty mountpoint.
        reason = source_roots.out_of_reach_reason(work.place, source_roots.decode_root(work.source.root), work.files)
        if reason and chosen:
            work.summary.problem = f"nothing is removed: {reason}; {_kept(work.source)}"
            return []
        return chosen

    def _remove_vanished(
        self, run: Run, work: _Work, vanished: Sequence[KnownFile], request: RefreshRequest
    ) -> list[KnownFile]:
        removed: list[KnownFile] = []
        for start in range(0, len(vanished) if request.prune else 0, REMOVE_ITEMS):
            chosen = self._removable(work, vanished[start : start + REMOVE_ITEMS], request)
            if chosen:
                self._remove([row.id for row in chosen])
                run.committed()
                removed += chosen
                for row in chosen:
                    work.members.pop(row.path, None)
                run.report("remove", min(start + REMOVE_ITEMS, len(vanished)), len(vanished))
            run.check()
        return removed


def _request(source: Source) -> AddRequest:
    """How a source was added, as a request to add it so again."""
    options = {name: value for name, value in source.options.items() if value is not None}
    place = Path(items.host_path(source.path))
    try:
        return msgspec.convert({**options, "paths": [place]}, prepared(AddRequest))
    except msgspec.ValidationError as error:
        raise KgfsError(
            f"How {source.name} was added cannot be read ({error}); add it again with `kgfs add {source.path}`."
        ) from error


def _kept(source: Source) -> str:
    return f"what was read from it stays (`kgfs rm -r {source.name}` takes it out)."


def _name(summary: SourceSummary, vanished: Sequence[KnownFile], removed: Sequence[KnownFile]) -> None:
    """Note what vanished, and what of it was removed or would be."""
    gone = {row.id for row in removed}
    summary.removed_paths = sorted(row.path for row in removed)
    summary.vanished_paths = sorted(row.path for row in vanished if row.id not in gone)
    summary.removed, summary.vanished = len(summary.removed_paths), len(summary.vanished_paths)


def _same_bytes(file: WalkedFile, row: KnownFile) -> bool:
    try:
        reading: HashedFile = read_hash(file.path)
    except OSError:
        return False
    return reading.hash == row.hash


def _move_rows(cursor: Cursor, rows: Sequence[ItemMove]) -> None:
    sources.move_items(cursor, DRIVE, rows)
    rehash_chunks(cursor, [row.item_id for row in rows])
