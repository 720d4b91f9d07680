"""The pipeline: files into rows, rows into the graph, the graph into the search index; and out again.

Used by the service on its jobs thread, one run at a time. Each pass takes its work from the rows, so that a run that
was cancelled or killed goes on with the next one, whichever that is.
"""

from __future__ import annotations

import os
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from kgfs.calls import PipelineCalls
from kgfs.config import Config, is_store
from kgfs.errors import (
    BudgetError,
    Cancelled,
    ConflictError,
    KgfsError,
    LlmError,
    LlmUnavailable,
    NoSpaceError,
    NotFoundError,
    StoreError,
    UsageError,
)
from kgfs.graph.resolution import remove_items
from kgfs.llm.choice import LLM, choose_reader
from kgfs.pipeline import chosen_files, relocation
from kgfs.pipeline import page_adding as remote
from kgfs.pipeline.candidate_pass import candidate_pass
from kgfs.pipeline.chunk_pass import chunk_pass
from kgfs.pipeline.estimate import estimate_reading
from kgfs.pipeline.graph_pass import graph_pass
from kgfs.pipeline.judge_pass import judge_pass
from kgfs.pipeline.pipeline_lock import PipelineLock
from kgfs.pipeline.request import AddRequest, AddSummary, RemoveSummary
from kgfs.pipeline.row_pass import row_pass
from kgfs.pipeline.run import Run
from kgfs.pipeline.text_pass import DRIVE, TextPass, resume_texts
from kgfs.pipeline.topic_pass import consolidation_pass, group_pass, topic_pass
from kgfs.pipeline.type_pass import type_pass
from kgfs.pipeline.validity_pass import validity_pass
from kgfs.pipeline.vector_pass import ChunksAhead, remove_from_index, text_graph, vector_pass
from kgfs.progress import Cancel, Progress
from kgfs.sources.file_dates import FileDates
from kgfs.sources.source_roots import SourceRoot, decode_root, out_of_reach_reason, read_roots
from kgfs.sources.walking import WalkedFile
from kgfs.store import indexing
from kgfs.store.catalog.database import Cursor, Database
from kgfs.store.files import documents, items, sources
from kgfs.store.files.items import KnownFile
from kgfs.store.llm import llm_rows

PAUSED = (
    "What a budget left unread waits: `kgfs add` or `kgfs refresh` of it, with another --budget or with none, goes on."
)
REMOVE_ITEMS = 64
"""Items that one transaction of ``remove`` takes."""

JUDGINGS = 4
"""How often a run asks a model about merge candidates at most: a model that gives another answer each time would never
end it."""


class Pipeline:
    """Adds and removes documents.

    ``on_commit`` is called after commits, at most every 0.3 s and at the end of each pass, to publish; ``progress``
    with ``stage``, ``done``, ``total``; ``cancel`` is asked between two steps; ``is_ours`` tells a folder that is a
    store or a mount of ours, which is never walked into; ``pipeline_lock`` is where texts may come between two steps.
    """

    def __init__(
        self,
        database: Database,
        worker: PipelineCalls,
        config: Config,
        on_commit: Callable[[], None] | None = None,
        progress: Progress | None = None,
        cancel: Cancel | None = None,
        is_ours: Callable[[Path], bool] = is_store,
        pipeline_lock: PipelineLock | None = None,
    ) -> None:
        self._database = database
        self._worker = worker
        self._config = config
        self._on_commit = on_commit
        self._progress = progress
        self._cancel = cancel
        self._is_ours = is_ours
        self._pipeline_lock = pipeline_lock

    def _run(self, *, budget: float | None = None, bulk: bool = False) -> Run:
        return Run(
            self._database,
            self._worker,
            self._config,
            self._on_commit,
            self._progress,
            self._cancel,
            self._pipeline_lock,
            budget=budget,
            bulk=bulk,
        )

    def add(self, request: AddRequest) -> AddSummary:
        """Add files: text first, then entities, facts and topics, then vectors; whatever waited from before too.

        A file that fails is in ``failed``. ``NotFoundError`` for a path that does not exist, ``ConflictError`` with
        ``on_conflict="error"`` before anything is done, ``Cancelled`` when stopped, ``NoSpaceError`` when the disk is
        full: what was committed by then stays. ``UsageError`` where a language model is to read and there is no key, or
        a budget and no price.
        """
        started = time.monotonic()
        run = self._run(budget=request.budget, bulk=request.batch)
        extractor = request.extractor or self._config.extractor
        if not request.dry_run:
            extractor = choose_reader(extractor, self._config)
            self._ask_again(run, extractor, pages=bool(request.urls))
        elif request.budget is not None:
            run.asker  # noqa: B018  # made now, it says now whether the budget can hold
        skipped: Counter[str] = Counter()
        pages = remote.choose_pages(
            run, request.urls, request.on_conflict, request.prompt_addition, request.allow_private
        )
        skipped.update(pages.skipped)
        roots = read_roots(request.paths, cross_device=request.cross_device)
        walked = found = chosen_files.files_beneath(request, self._is_ours, run, skipped)
        known = chosen_files.stored_beneath(self._database, request)
        offers = relocation.offer_moves(
            self._database, DRIVE, [file for file, _ in walked if items.row_path(file.path) not in known]
        )
        homes = chosen_files.source_homes(self._database, request, self._is_ours)
        unread = len(run.failures)
        again = chosen_files.read_without_model(self._database, walked, known) if request.extractor == LLM else {}
        if request.on_conflict in ("skip", "error") or request.dry_run:
            found = chosen_files.select_files(request, found, known, skipped, homes)
        if request.dry_run:
            new = sum(items.row_path(file.path) not in known for file, _ in found)
            skipped["unchanged"] -= len(again)
            return AddSummary(
                added=new + pages.new,
                updated=len(found) - new + len(pages.wanted) - pages.new,
                skipped={reason: count for reason, count in skipped.items() if count},
                failed=run.failures,
                unread=unread,
                notes=run.notes,
                extractor=extractor,
                again=len(again),
                offers=offers,
                estimate=estimate_reading(run, [*(file.path for file, _ in found), *again], extractor),
                seconds=time.monotonic() - started,
            )
        taken = self._read(request, run, found, known, walked, roots, homes)
        if pages.wanted:
            options: dict[str, object] = {"extractor": request.extractor}
            added = remote.add_pages(run, pages, options, None if request.paths else request.name)
            taken.counts = {outcome: count + added[outcome] for outcome, count in taken.counts.items()}
        skipped["unchanged"] += taken.counts["unchanged"]
        if again:
            self._database.write(lambda cursor: indexing.extract_again(cursor, list(again.values())))
            skipped["unchanged"] -= len(again)
        warnings = self._index(run, extractor)
        return AddSummary(
            added=taken.counts["added"],
            updated=taken.counts["updated"],
            textless=taken.textless,
            skipped={reason: count for reason, count in skipped.items() if count},
            failed=run.failures,
            unread=unread + taken.counts["failed"],
            notes=run.notes,
            warnings=warnings,
            dropped=dict(sorted(run.dropped.items())),
            dropped_examples=run.dropped_examples,
            counts=self.counts(),
            extractor=extractor,
            again=len(again),
            offers=offers,
            offline=run.offline,
            cost=run.cost(),
            seconds=time.monotonic() - started,
        )

    def resume(self, *, topics: bool = True, leave_recent: bool = False) -> list[str]:
        """Do what is still to be done; returns what could not be, one sentence each.

        ``leave_recent``: as with ``row_pass``.

        Without ``topics`` these are left for a later run where claims changed: they take the whole graph.
        """
        return self._index(self._run(), self._config.extractor, topics=topics, leave_recent=leave_recent)

    def texts(self) -> None:
        """Only what makes written texts findable by their words, and what was removed a while ago go; quick, and
        published.

        ``Cancelled`` when stopped, ``WorkerError`` where nothing can be read: all of it waits then.
        """
        row_pass(self._run(), leave_recent=True)

    def remove(self, item_ids: Sequence[int], source_ids: Sequence[int] = ()) -> RemoveSummary:
        """Remove items with all that came only from them, the sources that lost their last item so, and ``source_ids``.

        Documents in which a name was found because a removed one declares it are read again.
        """
        started = time.monotonic()
        run = self._run()
        with self._database.read() as cursor:
            present = sorted(items.items_by_id(cursor, item_ids).values(), key=lambda item: item.ref)
            concerned = sources.of_items(cursor, item_ids)
        for start in range(0, len(present), REMOVE_ITEMS):
            batch = [item.id for item in present[start : start + REMOVE_ITEMS]]
            self._remove(batch)
            run.committed()
            run.report("remove", min(start + REMOVE_ITEMS, len(present)), len(present))
            run.check()
        self._database.write(documents.resolve_links)
        gone = self._database.write(lambda cursor: _delete_sources(cursor, source_ids, concerned))
        run.committed()
        run.publish()
        warnings = self._index(run, self._config.extractor, consolidate=False)
        removed = sum(item.mime_type != items.DIRECTORY for item in present)
        return RemoveSummary(removed=removed, sources=gone, warnings=warnings, seconds=time.monotonic() - started)

    def _remove(self, item_ids: Sequence[int]) -> None:
        self._database.write(lambda cursor: remove_items(cursor, item_ids))

    def counts(self) -> dict[str, int]:
        """How many rows of each kind the store has."""
        kinds = ("documents", "chunks", "entities", "facts", "topics")
        columns = ", ".join(f"(SELECT count(*) FROM {kind})" for kind in kinds)
        return dict(zip(kinds, self._database.fetch(f"SELECT {columns}")[0], strict=True))

    # --- add, step by step -----------------------------------------------------------------------------------------

    def _read(
        self,
        request: AddRequest,
        run: Run,
        found: list[tuple[WalkedFile, Path]],
        known: dict[str, KnownFile],
        walked: list[tuple[WalkedFile, Path]],
        roots: Mapping[Path, SourceRoot],
        homes: Mapping[Path, int] | None = None,
    ) -> TextPass:
        """Read ``found``; of all that was ``walked`` it is noted which source has it, and of a source what stood at its
        path before (``roots``): its disk may have gone meanwhile. ``homes``: paths that are no sources themselves, with
        those that they lie in."""
        options: dict[str, object] = {
            "exclude": request.exclude, "hidden": request.hidden, "cross_device": request.cross_device,
            "extractor": request.extractor,
        }  # fmt: skip
        chosen = {}
        homes = homes or {}
        for path in request.paths:
            place = items.row_path(os.path.abspath(path))
            chosen[path] = (
                homes[path]
                if path in homes
                else self._source(place, request.name if len(request.paths) == 1 else None, options)
            )
        text_pass = TextPass(run, known, _dates(found, walked))
        try:
            for done, (file, path) in enumerate(found):
                run.report("read", done, len(found))
                text_pass.take(file, chosen[path])
                if self._cancel is not None and self._cancel.is_set():
                    break
                if self._pipeline_lock is not None:
                    self._pipeline_lock.pause()
        finally:
            text_pass.flush()
        if not run.stopping:
            run.report("read", len(found), len(found))
        for path, source_id in chosen.items():
            here = [items.row_path(file.path) for file, _ in walked if file.path.is_relative_to(path)]
            self._note(source_id, path, None if path in homes else roots.get(path), here)
        run.committed()
        run.publish()
        run.check()
        return text_pass

    def _source(self, place: str, name: str | None, options: dict[str, object]) -> int:
        return self._database.write(lambda cursor: sources.put_source(cursor, DRIVE, place, name, options))

    def _note(self, source_id: int, path: Path, root: SourceRoot | None, found: Sequence[str]) -> None:
        """Note which items a source has; and what stood at its path, unless that may be something else."""
        self._database.write(lambda cursor: sources.note_members(cursor, source_id, DRIVE, found))
        if root is None or not found:
            return
        with self._database.read() as cursor:
            noted = decode_root(sources.source_by_id(cursor, source_id).root)
            others = noted is not None and not noted.same(root)
            files = [Path(items.host_path(place)) for place in sources.members(cursor, source_id)] if others else []
        if not others or out_of_reach_reason(path, noted, files) is None:
            self._database.write(lambda cursor: sources.note_root(cursor, source_id, root.encode()))

    def _index(
        self,
        run: Run,
        extractor: str,
        *,
        topics: bool = True,
        consolidate: bool = True,
        leave_recent: bool = False,
    ) -> list[str]:
        """Everything after the rows of files: what was written and removed here, keyword index, graph, vectors.

        Without ``consolidate`` no model is asked again of topics of which it was shown what is gone now.
        """
        warnings = self._attempt(
            [
                lambda: row_pass(run, leave_recent=leave_recent),
                lambda: resume_texts(run),
                lambda: remove_from_index(run),
            ]
        )
        asks = False
        try:
            extractor = choose_reader(extractor, self._config)
            paused = extractor == LLM and self._paused()
            chunk_pass(run, extractor)
            with ChunksAhead(run):
                graph_pass(run, extractor)
            asks = extractor == LLM and not paused
            if asks and consolidate and type_pass(run):
                graph_pass(run, extractor)
        except (LlmUnavailable, BudgetError, UsageError) as error:  # what was not read waits; the rest goes on
            warnings.append(self._unasked(run, error))
        validity_pass(run)
        if topics:
            topic_pass(run)
            failed = self._consolidate(run) if asks and consolidate else []
            warnings, asks = warnings + failed, asks and not failed
        steps: list[Callable[[], None]] = [
            lambda: remove_from_index(run),
            lambda: text_graph(run),
            lambda: vector_pass(run),
        ]
        if topics:
            steps += [lambda: self._group(run), lambda: candidate_pass(run)]
        warnings += self._attempt(steps)
        if topics and asks:
            warnings += self._judge(run)
        run.publish()
        return list(dict.fromkeys(warnings))

    def _ask_again(self, run: Run, extractor: str, *, pages: bool = False) -> None:
        """A person wants a run, within the budget that it has now. ``UsageError`` where that cannot hold."""
        if run.budget is not None or (self._config.llm_budget_per_day > 0 and (extractor == LLM or pages)):
            run.asker  # noqa: B018  # made now, it says so now
        with self._database.read() as cursor:
            paused = extractor == LLM and llm_rows.is_paused(cursor)
        if paused:
            self._database.write(lambda cursor: llm_rows.note_pause(cursor, paused=False))

    def _paused(self) -> bool:
        """Whether a budget was spent: then nothing goes on by itself. ``BudgetError`` where something waits to."""
        with self._database.read() as cursor:
            paused = llm_rows.is_paused(cursor)
            if paused and indexing.pending_extraction(cursor):
                raise BudgetError(PAUSED)
        return paused

    def _unasked(self, run: Run, error: KgfsError) -> str:
        """The language model cannot be asked any more; why, in a sentence. What comes after goes on."""
        run.go_on()
        if isinstance(error, BudgetError) and run.budget is not None:
            self._database.write(lambda cursor: llm_rows.note_pause(cursor, paused=True))
        return error.message

    def _group(self, run: Run) -> None:
        """Topics in groups, now that there are vectors; what that changed goes to the index too."""
        if group_pass(run):
            self._text_and_vectors(run)

    def _consolidate(self, run: Run) -> list[str]:
        """Have a language model say what the topics are."""
        try:
            consolidation_pass(run)
        except (LlmError, LlmUnavailable, BudgetError) as error:  # they stay as the documents show them
            return [self._unasked(run, error)]
        return []

    def _judge(self, run: Run) -> list[str]:
        """Have a language model decide on merge candidates; what that joined goes to the index too.

        More is said of what was joined than of its parts. Pairs that it is in are put once more at once, or the next
        run would, which should have nothing to ask.
        """
        warnings: list[str] = []
        for _ in range(JUDGINGS):
            try:
                joined = judge_pass(run)
            except (LlmError, LlmUnavailable, BudgetError) as error:  # the pairs stay apart, and are listed
                return [self._unasked(run, error)]
            if joined:
                warnings = self._attempt([lambda: self._text_and_vectors(run), lambda: candidate_pass(run)])
            if warnings or not joined:
                break
        return warnings

    @staticmethod
    def _text_and_vectors(run: Run) -> None:
        remove_from_index(run)
        text_graph(run)
        vector_pass(run)

    @staticmethod
    def _attempt(steps: Sequence[Callable[[], None]]) -> list[str]:
        """Do each step; a worker that fails leaves its rows waiting, which is no reason to lose the others."""
        warnings = []
        for step in steps:
            try:
                step()
            except (NoSpaceError, StoreError, Cancelled):
                raise
            except KgfsError as error:
                warnings.append(f"Part of the search index waits: {error}")
        return warnings


def _dates(found: Sequence[tuple[WalkedFile, Path]], walked: Sequence[tuple[WalkedFile, Path]]) -> FileDates:
    """When the files to be read were written, as the files of their sources show it."""
    by_source: defaultdict[Path, list[tuple[Path, int]]] = defaultdict(list)
    for file, source in walked if found else ():
        by_source[source].append((file.path, file.mtime_ns))
    return FileDates(by_source.values(), [file.path for file, _ in found])


def _delete_sources(cursor: Cursor, named: Sequence[int], concerned: Sequence[int]) -> int:
    gone = sorted({*named, *sources.empty_sources(cursor, concerned)})
    sources.delete_sources(cursor, gone)
    return len(gone)


def items_of(database: Database, drive: str, path: str, *, recursive: bool) -> list[int]:
    """The items at a path of a drive, with ``recursive`` all beneath it too.

    ``NotFoundError`` where there is none, ``ConflictError`` for a directory without ``recursive``.
    """
    with database.read() as cursor:
        found = items.items_beneath(cursor, drive, path)
    if not found:
        raise NotFoundError(f"Nothing is stored at {items.ref(drive, path)}; `kgfs ls context/` shows what is.")
    exact = [item.id for item in found if item.path == path and item.mime_type != items.DIRECTORY]
    if recursive:
        return [item.id for item in found]
    if not exact:
        raise ConflictError(f"{items.ref(drive, path)} is a directory; remove all beneath it with -r.")
    return exact
