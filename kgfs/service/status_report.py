"""What ``kgfs status`` and ``kgfs source list`` say of an open store.

Used by the control socket's requests, on the thread that asks. What ``@status`` shows is
``service.health.status_cache``.
"""

from __future__ import annotations

import os
import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec

from kgfs.service.components import Components
from kgfs.service.health import state
from kgfs.service.health.vector_health import VectorHealth
from kgfs.service.indexing import Indexing
from kgfs.service.jobs import Jobs
from kgfs.service.publication import Publication
from kgfs.service.writing.write_back import WriteBack

if TYPE_CHECKING:
    from kgfs.service.sources.source_changes import SourceChanges


class StatusReport:
    """Says how one store is."""

    def __init__(
        self,
        components: Components,
        jobs: Jobs,
        indexing: Indexing,
        publication: Publication,
        write_back: WriteBack,
    ) -> None:
        self._components, self._jobs, self._indexing = components, jobs, indexing
        self._publication, self._write_back = publication, write_back
        self._since = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        self._vector_health = VectorHealth(components.store, components.database)
        self._lock = threading.Lock()
        self._source_changes: SourceChanges | None = None

    def sources_changed(self) -> None:
        """A job changed what is known of sources: they are compared again when somebody asks next."""
        if self._source_changes is not None:
            self._source_changes.forget()

    def sources(self) -> list[dict[str, Any]]:
        """Every source and what became of its files, in order of name (``SourceState``). None of a published graph:
        its sources are on another machine, and this one is not searched for them."""
        if self._publication.status_cache.published is not None:
            return []
        with self._lock:
            if self._source_changes is None:
                from kgfs.service.sources.source_changes import SourceChanges

                self._source_changes = SourceChanges(self._components.database)
            changes = self._source_changes
        return changes.describe()

    def vectors_problem(self, *, load: bool) -> str:
        """Why searches go by keyword alone and what to do, or nothing (``VectorHealth.problem``).

        Without ``load`` the model is loaded only where nothing else can say, and there are vectors to be asked: a
        daemon has it loaded, or soon will.
        """
        config, database = self._components.config, self._components.database
        if not load and not self._components.daemon and not self._vector_health.is_known(config):
            load = state.coverage(database)["vectors"]["total"] > 0
        return self._vector_health.problem(config, self._components.worker, load=load)

    def note_vectors(self) -> None:
        """Keep what came of loading the model, before the worker ends."""
        if self._components.started_worker is not None:
            self._vector_health.note(self._components.config, self._components.started_worker)

    def status(self, *, brief: bool = False, errors: bool = False, check: bool = False) -> dict[str, Any]:
        """What ``kgfs status`` shows. ``brief`` leaves out what takes long: sizes and sources; ``errors`` adds which
        files have no text and what was odd in documents; ``check`` loads the model to see whether it can be."""
        database, store = self._components.database, self._components.store
        answer: dict[str, Any] = {
            "store": str(store),
            "health": "healthy",
            "healthy": True,
            "process": {"pid": os.getpid(), "daemon": self._components.daemon, "since": self._since},
            "counts": state.counts(database),
            "index": (index := state.coverage(database)),
            "waiting": state.waiting(database, index),
            "complete": not self._publication.unfinished,
        }
        if brief:
            return answer
        if self._publication.status_cache.published is not None:
            answer["published"] = dict(self._publication.status_cache.published())
        jobs = self._jobs.known()
        running = next((job for job in jobs if job.state == "running"), None)
        answer |= {
            "bytes": state.bytes_on_disk(store),
            "extractors": (extractors := state.extractors(database)),
            "advice": state.advice(extractors),
            "sources": self.sources(),
            "errors": [
                *state.failed_items(database),
                *state.logged_errors(store),
                *self._write_back.conflicts(),
                *([] if answer["complete"] else self._indexing.failure()),
            ],
            "vectors_problem": (problem := self.vectors_problem(load=check)),
            "textless": state.textless(database),
            "jobs": [msgspec.to_builtins(job) for job in jobs],
            "seconds_left": running.progress.get("seconds_left") if running else None,
        }
        if problem:
            answer |= {"health": "search goes by keyword only", "healthy": False}
        if errors:
            answer["kept"] = state.kept_files(database)
            answer["noted"] = [*state.noted_documents(database), *state.dropped_of_documents(database)]
        return answer
