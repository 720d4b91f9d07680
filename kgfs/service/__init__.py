"""The composition root of a process that has a store open: rows, worker, pipeline, search and namespace, put together.

Used by ``mountd`` (one service a mount) and by a command that finds no daemon. Nothing is built before it is needed: a
command that lists a directory starts no worker. Methods may be called from any thread but the FUSE loop's.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from kgfs import trust
from kgfs.config import Config, load_config
from kgfs.drives.gate import Mutation
from kgfs.errors import Cancelled, DeadlineExceeded, KgfsError, NoSpaceError, UsageError
from kgfs.model import prepared
from kgfs.pipeline.turns import Turns
from kgfs.search.query import MAX_LIMIT, Answer, SearchRequest
from kgfs.search.query import request as search_request
from kgfs.service import state, write_scope
from kgfs.service.board import Board
from kgfs.service.cascade import Cascade
from kgfs.service.indexing import RESUME, Indexing
from kgfs.service.jobs import CancelLike, Job, Jobs, Progress
from kgfs.service.pace import Pace
from kgfs.service.publication import Publication
from kgfs.service.references import References
from kgfs.service.vector_health import VectorHealth
from kgfs.service.write_back import DiskGate, WriteBack
from kgfs.store import items, staging
from kgfs.store.database import Database
from kgfs.store.disk_rows import DRIVE

if TYPE_CHECKING:
    from kgfs.drives.files import Drives
    from kgfs.drives.places import Places
    from kgfs.models.client import Worker
    from kgfs.namespace.namespace import Namespace
    from kgfs.pipeline.pipeline import Pipeline
    from kgfs.pipeline.refresh_records import RefreshRequest
    from kgfs.pipeline.request import AddRequest
    from kgfs.search.searcher import Searcher
    from kgfs.service.annotations import Annotations
    from kgfs.service.exchange import Exchange
    from kgfs.service.source_changes import SourceChanges

log = logging.getLogger(__name__)

COLD_TRIES = 3
ALONE_MODEL_SECONDS = 60.0
"""How long a search without a daemon waits for the model to load."""


class Service:
    """An open store. ``close`` gives it free; until then no other process can have it."""

    def __init__(
        self, store: Path, config: Config, database: Database, *, path_prefix: str = "", links: bool = True
    ) -> None:
        self.store = store
        self.config = config
        self.database = database
        self.gate = DiskGate(database)
        """What every mutation passes."""
        self.path_prefix = path_prefix
        self._links = links
        self._since = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        self._lock = threading.RLock()
        self._worker: Worker | None = None
        self._searcher: Searcher | None = None
        self._namespace: Namespace | None = None
        self._drives: Drives | None = None
        self.writable: frozenset[str] = frozenset({"agent"})
        """Drives that may be written; set before the first write."""
        self._turns = Turns()
        self._jobs = Jobs(self._note_job, self._turns.job)
        self.board = Board(store, self._jobs.known)
        self.publication = Publication(database, self.board)
        """What everybody sees, and what ``@status`` says of it."""
        self._indexing = Indexing(
            database, config, self._jobs, self._turns, self.publication, lambda: self.worker, self._pipeline
        )
        self.cascade = Cascade(self._indexing)
        """What follows from writing, where this process stays."""
        self.write_back = WriteBack(store, database, self._conflicts_changed)
        """What follows for files on the disk, where they are written (``write_through``)."""
        self.board.standing = self.write_back.conflicts
        self.gate.on_left = self._written
        self._source_changes: SourceChanges | None = None
        self._vector_health = VectorHealth(store, database)
        self._closed = False

    @classmethod
    def open(cls, store: Path, *, create: bool = False, path_prefix: str = "", links: bool = True) -> Service:
        """Open the store in the directory ``store``.

        ``path_prefix`` is what paths in results begin with, nothing where nothing is mounted; ``links=False`` hides
        cross-references.
        ``NotFoundError`` without a store (unless ``create``), ``StoreLocked`` while another process has it,
        ``StoreError`` for one that is damaged, newer than this program, holds links, or has settings that cannot be
        read.
        """
        trust.refuse_links(store)
        config = load_config(store)
        return cls(store, config, Database.open(store, create=create), path_prefix=path_prefix, links=links)

    def __enter__(self) -> Service:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def daemon(self) -> bool:
        """Whether this process serves the store for long (``mountd``): then it indexes what is written by itself."""
        return self.cascade.enabled

    @daemon.setter
    def daemon(self, value: bool) -> None:
        self.cascade.enabled = value
        if value:
            self.board.remember(state.earlier_jobs(self.database))

    def close(self) -> None:
        """Stop the job that runs at its next safe point, end the worker, close the store."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self.cascade.close()
        self._jobs.close()
        self.write_back.close()
        if self._searcher is not None:
            self._searcher.close()
        if self._worker is not None:
            self._vector_health.note(self.config, self._worker)
            self._worker.close()
        self.database.close()

    # --- parts, made when they are first needed ----------------------------------------------------------------------

    @property
    def worker(self) -> Worker:
        """The client of the worker process, which starts with the first call."""
        with self._lock:
            if self._worker is None:
                from kgfs.models.client import Worker

                self._worker = Worker(self.store, self.config)
            return self._worker

    @property
    def searcher(self) -> Searcher:
        with self._lock:
            if self._searcher is None:
                from kgfs.search.rows import CatalogRows
                from kgfs.search.searcher import Searcher

                rows = CatalogRows(self.database)
                # A command that is its own service has nobody who comes again when the model is loaded.
                wait = self.config.model_wait_seconds if self.daemon else ALONE_MODEL_SECONDS
                self._searcher = Searcher(self.worker, rows, wait, graph=self.config.search_graph)
            return self._searcher

    @property
    def namespace(self) -> Namespace:
        """The tree over the newest published rows; what a killed run left unpublished is published first, if there is
        room."""
        with self._lock:
            if self._namespace is None:
                from kgfs.namespace.namespace import Namespace
                from kgfs.namespace.publish import is_stale, publish

                with self.database.read() as cursor:
                    stale = is_stale(cursor)
                if stale:
                    try:
                        publish(self.database)
                    except NoSpaceError as error:  # what was published last can be shown all the same
                        self.board.refused(error)
                namespace = Namespace(
                    self.database,
                    searcher=_LazySearcher(self),
                    status=self.board,
                    links=self._links,
                    path_prefix=self.path_prefix,
                    failed=self.refused,
                )
                namespace.adopt(namespace.load_snapshot())
                self.publication.show(namespace)
                self._namespace = namespace
            return self._namespace

    def refused(self, error: KgfsError) -> None:
        """A request ended with this: ``@status`` says so at the very next look."""
        self.board.refused(error)
        if self._namespace is not None:
            self._namespace.forget_volatile()

    @property
    def drives(self) -> Drives:
        """What of the stored files can be written, and how."""
        with self._lock:
            if self._drives is None:
                from kgfs.drives.files import Drives

                self._drives = Drives(
                    self.namespace, self.gate, self.store, self.writable, self.config.history_versions
                )
            return self._drives

    @property
    def places(self) -> Places:
        """Whole stored files by path."""
        return self.drives.places

    @property
    def references(self) -> References:
        """Between what users call a document and rows."""
        return References(self)

    @property
    def annotations(self) -> Annotations:
        """What people say of entities and facts."""
        from kgfs.service.annotations import Annotations

        return Annotations(self)

    @property
    def exchange(self) -> Exchange:
        """What goes out and comes in as a whole."""
        from kgfs.service.exchange import Exchange

        return Exchange(
            self.database,
            self.config,
            self._jobs,
            passing=self._passing,
            reconcile=self._indexing.reconcile,
            worker=lambda: self.worker,
            pipeline=self._pipeline,
            published=self.publish,
            refreshed=self.publication.refresh,
        )

    # --- publishing --------------------------------------------------------------------------------------------------

    def publish(self) -> None:
        """Render what is stale and make the new snapshot what everybody sees. Blocks until the kernel knows it."""
        self.publication.publish()

    def _written(self) -> None:
        """A commit left something to do; whoever made it has no answer yet."""
        self.publication.written()
        self.cascade.poke()
        self.write_back.poke()

    def write_through(self) -> None:
        """From now on the files on the disk follow their rows. ``RefusedError`` unless the user trusts that."""
        write_scope.require(self.store, self.database)
        self.writable |= {DRIVE}
        self.gate.writes_disk = True
        self.write_back.start()

    def _conflicts_changed(self) -> None:
        if self._namespace is not None:
            self._namespace.forget_volatile()

    # --- jobs --------------------------------------------------------------------------------------------------------

    def add(self, request: AddRequest, progress: Progress, cancel: CancelLike) -> dict[str, Any]:
        """Add files and wait; the summary of ``AddSummary`` with ``store``. Raises what the pipeline raises."""
        summary: dict[str, Any] = self._jobs.run("add", _title(request), self._adding(request), progress, cancel)
        return summary

    def add_in_background(self, request: AddRequest) -> str:
        """Begin to add files; answers the job's id."""
        return self._jobs.start("add", _title(request), self._adding(request)).id

    def _adding(self, request: AddRequest) -> Callable[[Progress, CancelLike], dict[str, Any]]:
        places = [items.ref("disk", items.row_path(path)) for path in request.paths] + request.urls

        def work(progress: Progress, cancel: CancelLike) -> dict[str, Any]:
            if not request.dry_run:
                self._indexing.reconcile()
            try:
                with self._passing("add", places, dry=request.dry_run):
                    summary = self._pipeline(progress, cancel).add(request)
            finally:
                self.publication.refresh()
            return {"store": str(self.store), **msgspec.to_builtins(summary)}

        return work

    @contextlib.contextmanager
    def _passing(self, operation: str, refs: Sequence[str], *, dry: bool = False) -> Iterator[None]:
        """The block is one mutation, unless it is a ``dry`` run."""
        with contextlib.nullcontext() if dry else self.gate.passing(Mutation(operation=operation, refs=tuple(refs))):
            yield

    def refresh(self, request: RefreshRequest, progress: Progress, cancel: CancelLike) -> dict[str, Any]:
        """Read sources again where they changed, and wait; the summary of ``RefreshSummary`` with ``store``."""
        from kgfs.pipeline.refresh import Refresher
        from kgfs.service.refresh import refs_of, title

        refs = refs_of(self.database, request.targets)

        def work(progress: Progress, cancel: CancelLike) -> dict[str, Any]:
            refresher = Refresher(
                self.database,
                self.worker,
                self.config,
                on_commit=self.publish,
                progress=Pace(progress),
                cancel=cancel,
                turns=self._turns,
            )
            refresher.prepare = self._indexing.reconcile
            self.write_back.flush()  # what is still to be removed would be found again
            try:
                with self._passing("refresh", refs, dry=request.dry_run):
                    summary = refresher.refresh(request)
            finally:
                self.publication.refresh()
            return {"store": str(self.store), **msgspec.to_builtins(summary)}

        named = title(self.database, request.targets)
        answer: dict[str, Any] = self._jobs.run("refresh", named, work, progress, cancel)
        return answer

    def remove(
        self, item_ids: Sequence[int], progress: Progress, cancel: CancelLike, source_ids: Sequence[int] = ()
    ) -> dict[str, Any]:
        """Remove items with all that came only from them, and sources; and wait."""

        def work(progress: Progress, cancel: CancelLike) -> dict[str, Any]:
            self._indexing.reconcile()
            with self.database.read() as cursor:
                refs = [item.ref for item in items.get(cursor, item_ids).values()]
            try:
                with self._passing("remove", sorted(refs)):
                    summary = self._pipeline(progress, cancel).remove(item_ids, source_ids)
            finally:
                self.publication.refresh()
            return dict(msgspec.to_builtins(summary))

        answer: dict[str, Any] = self._jobs.run("rm", f"kgfs rm of {len(item_ids)}", work, progress, cancel)
        if self.daemon:
            self._indexing.resume()  # what is left of what the removed documents said is embedded anew
        return answer

    def move_source(self, path: str, to_path: str, progress: Progress, cancel: CancelLike) -> dict[str, Any]:
        """What was read from ``path`` on the disk comes from ``to_path`` now, and wait; as ``Relocated``, with
        ``warnings``. Raises what ``kgfs.pipeline.relocation.relocate`` raises."""
        from kgfs.pipeline.relocation import relocate

        def work(progress: Progress, cancel: CancelLike) -> dict[str, Any]:
            def check() -> None:
                if cancel.is_set():
                    raise Cancelled("Stopped; nothing is lost, and the same command goes on.")

            self._indexing.reconcile()
            refs = (items.ref(DRIVE, path), items.ref(DRIVE, to_path))
            try:
                with self._passing("move", refs):
                    moved = relocate(self.database, DRIVE, path, to_path, check=check)
                self.publish()
                warnings = self._pipeline(progress, cancel).resume()
            finally:
                self.publication.refresh()
            return {**msgspec.to_builtins(moved), "warnings": warnings}

        answer: dict[str, Any] = self._jobs.run("move", f"kgfs source move {path}", work, progress, cancel)
        return answer

    def fsck(self, *, repair: bool, quick: bool, progress: Progress, cancel: CancelLike) -> dict[str, Any]:
        """Check the whole store, and with ``repair`` mend it; the ``Report`` of ``kgfs.fsck`` with ``exit_status``.

        ``quick`` looks at numbers and names alone, at once and beside a job that runs.
        """
        from kgfs.service import checking

        if quick:
            return checking.quick(self.database, self.config)

        def work(progress: Progress, cancel: CancelLike) -> dict[str, Any]:
            def go_on() -> list[str]:
                warnings = self._pipeline(progress, cancel).resume()
                self.publish()
                return warnings

            try:
                return checking.check(
                    self.gate,
                    self.config,
                    self.worker,
                    reconcile=self._indexing.reconcile,
                    go_on=go_on,
                    repair=repair,
                    progress=progress,
                    cancel=cancel,
                )
            finally:
                self.publication.refresh()

        title = "kgfs fsck --repair" if repair else "kgfs fsck"
        answer: dict[str, Any] = self._jobs.run("fsck", title, work, progress, cancel)
        return answer

    def reembed(self, setting: str | None, progress: Progress, cancel: CancelLike) -> dict[str, Any]:
        """Embed everything anew, with the model ``setting`` where one is given; and wait. See ``Reembedding.run``."""
        from kgfs.service.reembedding import Reembedding

        def configured(config: Config) -> None:
            self.config = config

        def work(progress: Progress, cancel: CancelLike) -> dict[str, Any]:
            change = Reembedding(
                self.store,
                self.database,
                self.worker,
                self.config,
                reconcile=self._indexing.reconcile,
                resume=lambda: self._pipeline(progress, cancel).resume(),
                configured=configured,
            )
            try:
                with self._passing("reembed", ()):
                    return change.run(setting, cancel)
            finally:
                self.publication.refresh()

        title = "kgfs reembed" if setting is None else f"kgfs reembed --model {setting}"
        answer: dict[str, Any] = self._jobs.run("reembed", title, work, progress, cancel)
        return answer

    def wait(self, timeout: float | None, progress: Progress, cancel: CancelLike) -> dict[str, Any]:
        """Wait until everything is indexed, and written to the disk; errors as of ``Indexing.wait``."""
        self.write_back.flush()
        return self._indexing.wait(timeout, progress, cancel, lambda: self.cascade.changes)

    def warm(self) -> None:
        """Make the first search quick, and go on in the background with what a killed run left."""
        self.database.write(staging.sweep)
        self._indexing.resume()
        self.worker.warm()

    def at_work(self) -> list[dict[str, Any]]:
        """The jobs that somebody asked for and that have not ended: ``command``, ``title``, and whether somebody waits
        for it (``attended``). What follows from writing is none: whoever has the store next goes on with it."""
        return [
            {"command": job.command, "title": job.title, "attended": attended}
            for job, attended in self._jobs.at_work()
            if job.command not in (state.INDEX, RESUME)
        ]

    def settle(self, progress: Progress, cancel: CancelLike) -> dict[str, Any]:
        """Index what was written here: now, where this process ends soon; a daemon does it by itself in a moment.

        Answers ``waiting``: what is left to do, in numbers (``state.waiting``). ``KgfsError`` with the reason when some
        of it cannot be done now: what was written is kept, and waits.
        """
        if not self.daemon:
            self._indexing.settle(progress, cancel)
        return {"waiting": state.waiting(self.database)}

    def _note_job(self, job: Job) -> None:
        if self._source_changes is not None:
            self._source_changes.forget()
        state.note_job(self.database, job)

    def _pipeline(self, progress: Progress, cancel: CancelLike) -> Pipeline:
        from kgfs.pipeline.pipeline import Pipeline

        return Pipeline(
            self.database,
            self.worker,
            self.config,
            on_commit=self.publish,
            progress=Pace(progress),
            cancel=cancel,
            turns=self._turns,
        )

    def add_request(self, paths: Sequence[Path], options: dict[str, Any]) -> AddRequest:
        """The request of ``add``. ``UsageError`` for options that make no sense, or ask for a model without a key;
        ``MountedReadOnly``."""
        from kgfs.llm.choice import reader
        from kgfs.pipeline.request import AddRequest

        given = {name: value for name, value in options.items() if value is not None}
        try:
            request: AddRequest = msgspec.convert({"paths": list(paths), **given}, prepared(AddRequest))
        except msgspec.ValidationError as error:
            raise UsageError(f"That cannot be added: {error}.") from error
        if not request.dry_run:
            self.gate.require_open()
            reader(request.extractor or self.config.extractor, self.config)
        return request

    # --- questions ---------------------------------------------------------------------------------------------------

    def search(
        self,
        query: str,
        *,
        kind: str = "semantic",
        origin: str | None = None,
        limit: int | None = None,
        within: int | None = None,
    ) -> dict[str, Any]:
        """``results`` as ``@search`` gives them, best first; ``mode``; ``milliseconds``; whether there are ``more``.

        ``within``: the node of the directory to search in.
        """
        from kgfs.namespace import scope
        from kgfs.namespace.queries.search import records

        options = {"limit": str(limit or self.config.search_limit)}
        if origin is not None:
            options["origin"] = origin
        asked = search_request(kind, query, options)
        deeper = msgspec.structs.replace(asked, limit=min(asked.limit + 1, MAX_LIMIT))
        if not self.daemon:
            self._begin_to_load(asked)
        namespace = self.namespace
        if within is not None:
            deeper = scope.narrowed(deeper, namespace.view, namespace.scope_of(namespace.view, within))
        answer = self._ask(deeper)
        shown = records(namespace.store, namespace.view, answer, self.path_prefix, asked.offset)
        found = [record for record, _, _, _ in shown]
        return {
            "results": msgspec.to_builtins(found[: asked.limit]),
            "more": len(found) > asked.limit,
            "mode": answer.mode,
            "milliseconds": answer.milliseconds,
        }

    def _begin_to_load(self, asked: SearchRequest) -> None:
        """A command's own worker starts while the tree is read, with the model if the search needs it."""

        worker = self.worker  # here: reading the tree holds the lock that making it takes

        def begin() -> None:
            with contextlib.suppress(KgfsError):  # whoever needs it is told
                worker.warm() if asked.hybrid else worker.status()

        threading.Thread(target=begin, name="warm", daemon=True).start()

    def _ask(self, asked: SearchRequest) -> Answer:
        """A command's own worker is just starting, which a slow machine may take longer for than one answer may."""
        for _ in range(0 if self.daemon else COLD_TRIES):
            with contextlib.suppress(DeadlineExceeded):
                return self.searcher.search(asked)
        return self.searcher.search(asked)

    def source_states(self) -> list[dict[str, Any]]:
        """Every source and what became of its files, in order of name (``SourceState``)."""
        return self._changes().describe()

    def source_paths(self) -> list[str]:
        """The files and folders of the host that were added."""
        return state.source_paths(self.database)

    def _changes(self) -> SourceChanges:
        with self._lock:
            if self._source_changes is None:
                from kgfs.service.source_changes import SourceChanges

                self._source_changes = SourceChanges(self.database)
            return self._source_changes

    def vectors_problem(self, *, load: bool) -> str:
        """Why searches go by keyword alone and what to do, or nothing (``VectorHealth.problem``).

        Without ``load`` the model is loaded only where nothing else can say, and there are vectors to be asked: a
        daemon has it loaded, or soon will.
        """
        if not load and not self.daemon and not self._vector_health.is_known(self.config):
            load = state.coverage(self.database)["vectors"]["total"] > 0
        return self._vector_health.problem(self.config, self.worker, load=load)

    def status(self, *, brief: bool = False, errors: bool = False, check: bool = False) -> dict[str, Any]:
        """What ``kgfs status`` shows. ``brief`` leaves out what takes long: sizes and sources; ``errors`` adds which
        files have no text and what was odd in documents; ``check`` loads the model to see whether it can be."""
        answer: dict[str, Any] = {
            "store": str(self.store),
            "health": "healthy",
            "healthy": True,
            "process": {"pid": os.getpid(), "daemon": self.daemon, "since": self._since},
            "counts": state.counts(self.database),
            "index": (index := state.coverage(self.database)),
            "waiting": state.waiting(self.database, index),
            "complete": not self.publication.unfinished,
        }
        if brief:
            return answer
        jobs = self._jobs.known()
        running = next((job for job in jobs if job.state == "running"), None)
        answer |= {
            "bytes": state.bytes_on_disk(self.store),
            "extractors": (extractors := state.extractors(self.database)),
            "advice": state.advice(extractors),
            "sources": self.source_states(),
            "errors": [
                *state.failed_items(self.database),
                *state.logged_errors(self.store),
                *self.write_back.conflicts(),
                *([] if answer["complete"] else self._indexing.failure()),
            ],
            "vectors_problem": (problem := self.vectors_problem(load=check)),
            "textless": state.textless(self.database),
            "jobs": [msgspec.to_builtins(job) for job in jobs],
            "seconds_left": running.progress.get("seconds_left") if running else None,
        }
        if problem:
            answer |= {"health": "search goes by keyword only", "healthy": False}
        if errors:
            answer["kept"] = state.kept_files(self.database)
            answer["noted"] = state.noted_documents(self.database)
        return answer


class _LazySearcher:
    """The searcher for the query areas: the worker is started by the first query."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def search(self, asked: SearchRequest) -> Answer:
        return self._service.searcher.search(asked)


def _title(request: AddRequest) -> str:
    given = [os.fsencode(path).decode("utf-8", "replace") for path in request.paths] + request.urls
    return "kgfs add " + " ".join(given)
