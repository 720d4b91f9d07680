"""The composition root of a process that has a store open: rows, worker, pipeline, search and namespace, put together.

Used by ``mountd`` (one service a mount) and by a command that finds no daemon. Nothing is built before it is needed: a
command that lists a directory starts no worker. Methods may be called from any thread but the FUSE loop's.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgfs.config import Config, load_config
from kgfs.errors import DeadlineExceeded, KgfsError, NotFoundError, UsageError
from kgfs.namespace.namespace import Namespace
from kgfs.namespace.snapshot import Snapshot
from kgfs.service import state
from kgfs.service.jobs import CancelLike, Job, Jobs, Progress
from kgfs.store.database import Database

if TYPE_CHECKING:
    from kgfs.ingest.pipeline import AddRequest, Pipeline
    from kgfs.models.client import Worker
    from kgfs.search.searcher import Searcher

__all__ = ["Namespace", "Service"]

log = logging.getLogger(__name__)

RESUME_TITLE = "go on with what was interrupted"
WAIT_POLL_SECONDS = 0.2


class Service:
    """An open store. ``close`` gives it free; until then no other process can have it."""

    def __init__(
        self, store: Path, config: Config, database: Database, *, path_prefix: str = "/kg", links: bool = True
    ) -> None:
        self.store = store
        self.config = config
        self.database = database
        self.path_prefix = path_prefix
        self._links = links
        self.daemon = False
        """Whether this process serves the store for long (``mountd``)."""
        self.on_publish: Callable[[Snapshot], object] | None = None
        """Called with each new snapshot in place of ``namespace.adopt``; the mount tells the kernel in it."""
        self._since = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        self._lock = threading.RLock()
        self._publishing = threading.Lock()
        self._worker: Worker | None = None
        self._pipeline: Pipeline | None = None
        self._searcher: Searcher | None = None
        self._namespace: Namespace | None = None
        self._jobs = Jobs()
        self._closed = False

    @classmethod
    def open(cls, store: Path, *, create: bool = False, path_prefix: str = "/kg", links: bool = True) -> Service:
        """Open the store in the directory ``store``.

        ``path_prefix`` is what absolute paths in results begin with, ``links=False`` hides cross-references.
        ``NotFoundError`` without a store (unless ``create``), ``StoreLocked`` while another process has it,
        ``StoreError`` for one that is damaged, newer than this program, or has settings that cannot be read.
        """
        config = load_config(store)
        return cls(store, config, Database.open(store, create=create), path_prefix=path_prefix, links=links)

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
        self._jobs.close()
        if self._searcher is not None:
            self._searcher.close()
        if self._worker is not None:
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
                self._searcher = Searcher(self.worker, rows, self.config.model_wait_seconds)
            return self._searcher

    @property
    def pipeline(self) -> Pipeline:
        with self._lock:
            if self._pipeline is None:
                from kgfs.ingest.pipeline import Pipeline

                self._pipeline = Pipeline(self.database, self.worker, self.config, publish=self.publish)
            return self._pipeline

    @property
    def namespace(self) -> Namespace:
        """The tree over the newest published rows; what a killed run left unpublished is published first."""
        with self._lock:
            if self._namespace is None:
                publish(self.database)
                self._namespace = Namespace(self)
            return self._namespace

    # --- publishing --------------------------------------------------------------------------------------------------

    def publish(self) -> None:
        """Render what is stale and make the new snapshot what everybody sees. Blocks until the kernel knows it."""
        with self._publishing:
            publish(self.database)
            namespace = self._namespace
            if namespace is None:
                return  # nobody looks
            snapshot = namespace.load_snapshot()
            adopt = self.on_publish or namespace.adopt
            adopt(snapshot)

    # --- jobs --------------------------------------------------------------------------------------------------------

    def add_request(self, paths: Sequence[Path], options: dict[str, Any]) -> AddRequest:
        """The request of ``add`` with the store's settings where ``options`` are silent. ``UsageError`` for nonsense."""
        import msgspec

        from kgfs.ingest.pipeline import AddRequest

        given = {name: value for name, value in options.items() if value is not None}
        given.setdefault("extractor", self.config.extractor)
        try:
            return msgspec.convert({"paths": list(paths), **given}, AddRequest)
        except msgspec.ValidationError as error:
            raise UsageError(f"That cannot be added: {error}.") from error
