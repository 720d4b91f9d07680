"""The composition root of a process that has a store open: rows, worker, pipeline, search and namespace, put together.

Used by ``mountd`` (one service a mount) and by a command that finds no daemon. What a caller does is done by one of the
parts; the service makes them and ends them. Nothing is built before it is needed (``components``). Parts may be used
from any thread but the FUSE loop's.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgfs import trust
from kgfs.config import Config, load_config
from kgfs.pipeline.pipeline_lock import PipelineLock
from kgfs.progress import Cancel, Progress
from kgfs.service.agents.auditing import Auditing
from kgfs.service.agents.runs import Runs
from kgfs.service.components import Components
from kgfs.service.health import state
from kgfs.service.health.metrics import Metrics
from kgfs.service.health.status_cache import StatusCache
from kgfs.service.indexing import RESUME, Indexing
from kgfs.service.jobs import Job, Jobs
from kgfs.service.maintenance.upkeep import Upkeep
from kgfs.service.pipelines import Pipelines
from kgfs.service.publication import Publication
from kgfs.service.searching import Searching
from kgfs.service.sources.references import References
from kgfs.service.sources.source_jobs import SourceJobs
from kgfs.service.status_report import StatusReport
from kgfs.service.versions import Versions
from kgfs.service.writing import write_scope
from kgfs.service.writing.cascade import Cascade
from kgfs.service.writing.write_back import DiskGate, WriteBack
from kgfs.store.catalog.database import Database
from kgfs.store.files import staging
from kgfs.store.files.disk_rows import DRIVE

if TYPE_CHECKING:
    from kgfs.drives.files import Drives
    from kgfs.drives.files_by_path import FilesByPath
    from kgfs.models.client import Worker
    from kgfs.namespace.namespace import Namespace
    from kgfs.published.address import Address
    from kgfs.service.agents.sessions import SessionJobs
    from kgfs.service.agents.workspace import WorkspaceJobs
    from kgfs.service.annotations import Annotations
    from kgfs.service.exchange import Exchange
    from kgfs.service.publishing.following import Following
    from kgfs.service.sources.known_sources import KnownSources
    from kgfs.tools.reach import Reach


SESSIONS_OF_READERS = frozenset({"session_new", "session_fork", "session_discard"})
"""What may be done with sessions on a published graph, which are this machine's own."""


class Service:
    """An open store. ``close`` gives it free; until then no other process can have it."""

    def __init__(
        self, store: Path, config: Config, database: Database, *, path_prefix: str = "", links: bool = True
    ) -> None:
        self.store = store
        self.database = database
        self.gate = DiskGate(database)
        """What every mutation passes."""
        pipeline_lock = PipelineLock()
        self.jobs = Jobs(self._note_job, pipeline_lock.job)
        self.publication = Publication(database, StatusCache(store, self.jobs.known))
        """What everybody sees, and what ``@status`` says of it."""
        self.components = Components(
            store, config, database, self.gate, self.publication, path_prefix=path_prefix, links=links
        )
        """The worker, the searcher, the namespace and the drives."""
        self.audit = Auditing(self.components.agent.recorder, self.gate)
        """What is recorded of all that happens."""
        self.components.asked = self.audit.asked
        self.runs = Runs(self.components.agent, self.gate, self.audit)
        """What agents that run tell of themselves."""
        self._pipelines = Pipelines(self.components, self.publication, pipeline_lock)
        self._indexing = Indexing(self.components, self.jobs, pipeline_lock, self.publication, self._pipelines)
        self.cascade = Cascade(self._indexing)
        """What follows from writing, where this process stays."""
        self.write_back = WriteBack(store, database, self.publication.forget)
        """What follows for files on the disk, where they are written (``write_through``)."""
        self.status_cache.standing = self.write_back.conflicts
        self.gate.on_left = self._written
        self.sources = SourceJobs(
            self.components, self.jobs, self._pipelines, self._indexing, self.publication, self.write_back
        )
        """What is added, read again, removed and moved."""
        self.upkeep = Upkeep(self.components, self.jobs, self._pipelines, self._indexing, self.publication)
        """The check of the store, and new vectors for it."""
        self.searching = Searching(self.components)
        """Searches as commands and tools ask for them."""
        self.report = StatusReport(self.components, self.jobs, self._indexing, self.publication, self.write_back)
        """What ``kgfs status`` shows."""
        self.metrics = Metrics(
            self.status_cache.status, self.jobs.known, self.components.worker_process, self.components.caches
        )
        """What ``@status`` tells a monitor."""
        self.status_cache.metrics = self.metrics.page
        self._sessions: SessionJobs | None = None
        self._following: Following | None = None
        self._lock = threading.Lock()
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
        database = Database.open(store, create=create)
        state.renew_terms(database)
        return cls(store, config, database, path_prefix=path_prefix, links=links)

    def __enter__(self) -> Service:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the job that runs at its next safe point, end the worker, close the store."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self.publication.ending.set()
        if self._following is not None:
            self._following.close()
        self.cascade.close()
        self.jobs.close()
        self.write_back.close()
        self.report.note_vectors()
        self.components.close()
        self.database.close()

    # --- how this process serves the store ---------------------------------------------------------------------------

    @property
    def daemon(self) -> bool:
        """Whether this process serves the store for long (``mountd``): then it indexes what is written by itself."""
        return self.components.daemon

    @daemon.setter
    def daemon(self, value: bool) -> None:
        self.components.daemon = self.cascade.enabled = value
        if value:
            self.components.agent.recorder.start()
            self.status_cache.remember(state.earlier_jobs(self.database))

    @property
    def writable(self) -> frozenset[str]:
        """Drives that may be written; set before the first write."""
        return self.components.writable

    @writable.setter
    def writable(self, drives: frozenset[str]) -> None:
        self.components.writable = drives

    def write_through(self) -> None:
        """From now on the files on the disk follow their rows. ``RefusedError`` unless the user trusts that."""
        write_scope.require(self.store, self.database)
        self.writable |= {DRIVE}
        self.gate.writes_disk = True
        self.write_back.start()

    def follow(self, address: Address, poll: float) -> None:
        """From now on show what is published at an address, looking for a newer snapshot every ``poll`` seconds. The
        gate is to be shut. ``StoreError`` where no snapshot was fetched."""
        from kgfs.service.publishing.following import Following

        self._following = Following(address, self.components, self.publication, poll)
        self.writable = frozenset()
        self.gate.passes_shut = SESSIONS_OF_READERS
        self._indexing.still = True
        self.status_cache.published = self._following.status
        self._following.start()

    def warm(self) -> None:
        """Make the first search quick, and go on in the background with what a killed run left."""
        self.database.write(staging.sweep_staged)
        self._indexing.resume()
        self.worker.warm()

    # --- parts -------------------------------------------------------------------------------------------------------

    @property
    def config(self) -> Config:
        """The settings that hold."""
        return self.components.config

    @property
    def path_prefix(self) -> str:
        """What paths in results begin with, nothing where nothing is mounted."""
        return self.components.path_prefix

    @property
    def status_cache(self) -> StatusCache:
        """What ``@status`` shows."""
        return self.publication.status_cache

    @property
    def worker(self) -> Worker:
        """The client of the worker process, which starts with the first call."""
        return self.components.worker

    @property
    def namespace(self) -> Namespace:
        """The tree over the newest published rows."""
        return self.components.namespace

    @property
    def drives(self) -> Drives:
        """What of the stored files can be written, and how."""
        return self.components.drives

    @property
    def files_by_path(self) -> FilesByPath:
        """Whole stored files by path."""
        return self.drives.files_by_path

    @property
    def references(self) -> References:
        """Between what users call a document and rows."""
        return References(self.database, lambda: self.namespace)

    @property
    def known_sources(self) -> KnownSources:
        """Between what users call a source and rows."""
        from kgfs.service.sources.known_sources import KnownSources

        return KnownSources(self.database)

    @property
    def versions(self) -> Versions:
        """What files held before."""
        return Versions(self.gate, lambda: self.files_by_path)

    @property
    def annotations(self) -> Annotations:
        """What people say of entities and facts."""
        from kgfs.service.annotations import Annotations

        return Annotations(self.gate, self.config, self.publication.publish, self.references.path_of_fact)

    @property
    def exchange(self) -> Exchange:
        """What goes out and comes in as a whole."""
        from kgfs.service.exchange import Exchange

        return Exchange(self.components, self.jobs, self._pipelines, self._indexing, self.publication)

    @property
    def workspace(self) -> WorkspaceJobs:
        """What commands change in the workspace and in keys."""
        from kgfs.service.agents.workspace import WorkspaceJobs

        return WorkspaceJobs(self.components, self.jobs, lambda: self.files_by_path)

    @property
    def sessions(self) -> SessionJobs:
        """What is done with sessions as a whole; the one object knows of which something is being done."""
        with self._lock:
            if self._sessions is None:
                from kgfs.service.agents.sessions import SessionJobs

                self._sessions = SessionJobs(self.components, lambda: self.files_by_path, lambda: self.annotations)
            return self._sessions

    @property
    def reach(self) -> Reach:
        """What tools may use. It is cheap to make."""
        from kgfs.tools.reach import Reach

        def search(query: str, kind: str, origin: str | None, limit: int) -> dict[str, Any]:
            return self.searching.search(query, kind=kind, origin=origin, limit=limit)

        return Reach(
            self.database,
            self.writable,
            lambda: self.files_by_path,
            search,
            self.sources.refresh_places,
            bool(self.gate.shut),
            keys=self.workspace,
        )

    # --- what is to be done ------------------------------------------------------------------------------------------

    def at_work(self) -> list[dict[str, Any]]:
        """The jobs that somebody asked for and that have not ended: ``command``, ``title``, and whether somebody waits
        for it (``attended``). The cascade is no job here: the next process that has the store goes on with it."""
        return [
            {"command": job.command, "title": job.title, "attended": attended}
            for job, attended in self.jobs.at_work()
            if job.command not in (state.INDEX, RESUME)
        ]

    def wait(self, timeout: float | None, progress: Progress, cancel: Cancel) -> dict[str, Any]:
        """Wait until everything is indexed, and written to the disk; errors as of ``Indexing.wait``."""
        self.write_back.flush()
        return self._indexing.wait(timeout, progress, cancel, lambda: self.cascade.changes)

    def settle(self, progress: Progress, cancel: Cancel) -> dict[str, Any]:
        """Index what was written here: now, where this process ends soon; a daemon does it by itself in a moment.

        Returns ``waiting``: what is left to do, in numbers (``state.waiting``). ``KgfsError`` with the reason when some
        of it cannot be done now: what was written is kept, and waits.
        """
        if not self.daemon:
            self._indexing.settle(progress, cancel)
        return {"waiting": state.waiting(self.database)}

    # --- what parts tell each other ----------------------------------------------------------------------------------

    def _written(self) -> None:
        """A commit left something to do; its writer has not heard of it yet."""
        self.publication.written()
        self.cascade.poke()
        self.write_back.poke()

    def _note_job(self, job: Job) -> None:
        self.report.sources_changed()
        state.note_job(self.database, job)
