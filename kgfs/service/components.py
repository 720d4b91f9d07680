"""The parts of an open store that are made when they are first needed.

A command that lists a directory starts no worker, one that reads rows loads no tree, and only what needs the workspace
opens ``agent.db``. Used by the service and by its other modules, on any thread but the FUSE loop's.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from kgfs.agentfs.agent_store import AgentStore
from kgfs.config import SESSIONS as FOLDER
from kgfs.config import Config
from kgfs.drives.gate import Gate
from kgfs.errors import KgfsError, NoSpaceError
from kgfs.search.query import SearchAnswer, SearchRequest
from kgfs.service.agent_directories.audit_files import AuditFiles
from kgfs.service.agent_directories.run_files import RunFiles
from kgfs.service.publication import Publication
from kgfs.store.catalog.database import Database

if TYPE_CHECKING:
    from kgfs.agentfs.overlays.sessions import Sessions
    from kgfs.drives.files import Drives
    from kgfs.filesystem import FileSystem
    from kgfs.models.client import Worker
    from kgfs.namespace.cache_use import CacheUse
    from kgfs.namespace.namespace import Namespace
    from kgfs.namespace.queries.query_cache import Asked
    from kgfs.picture_records import Picture
    from kgfs.search.searcher import Searcher

log = logging.getLogger(__name__)

ALONE_MODEL_SECONDS = 60.0
"""How long a search without a daemon waits for the model to load."""


class Components:
    """The worker, the searcher, the namespace and the drives of one store, and what they are made of."""

    def __init__(
        self,
        store: Path,
        config: Config,
        database: Database,
        gate: Gate,
        publication: Publication,
        *,
        path_prefix: str,
        links: bool,
    ) -> None:
        """``path_prefix`` is what paths in results begin with; ``links`` is whether cross-references are shown."""
        self.store = store
        self.config = config
        """The settings that hold; ``kgfs reembed`` sets others."""
        self.database = database
        self.gate = gate
        self.agent = AgentStore(store)
        """The workspace, the key-value store and the audit trail."""
        self.asked: Asked = lambda name, parameters, began_ns, error: None
        """Told of each query of a query path, with how it ended."""
        self.on_session: Callable[[bytes], None] = lambda name: None
        """Told of each session that a command made or removed."""
        self.path_prefix = path_prefix
        self.daemon = False
        """Whether this process serves the store for long."""
        self.writable: frozenset[str] = frozenset({"agent"})
        """Drives that may be written; set before the first write."""
        self._publication = publication
        self._links = links
        self._lock = threading.RLock()
        self._worker: Worker | None = None
        self._searcher: Searcher | None = None
        self._namespace: Namespace | None = None
        self._drives: Drives | None = None
        self._sessions: Sessions | None = None
        self._base: FileSystem | None = None

    @property
    def worker(self) -> Worker:
        """The client of the worker process, which starts with the first call."""
        with self._lock:
            if self._worker is None:
                from kgfs.models.client import Worker

                self._worker = Worker(self.store, self.config)
            return self._worker

    @property
    def started_worker(self) -> Worker | None:
        """The worker's client where somebody needed one, for what is done at the end."""
        return self._worker

    def worker_process(self) -> int | None:
        """The worker's process while it runs."""
        return None if self._worker is None else self._worker.pid

    def caches(self) -> Mapping[str, CacheUse]:
        """How full the caches of the tree are; of none before somebody looks."""
        namespace = self._namespace
        if namespace is None:
            return {}
        return {"texts": namespace.store.cache.use(), "queries": namespace.runtime.queries.use()}

    @property
    def searcher(self) -> Searcher:
        """The search over rows and index."""
        with self._lock:
            if self._searcher is None:
                from kgfs.search.rows import CatalogRows
                from kgfs.search.searcher import Searcher

                rows = CatalogRows(self.database)
                # A command that is its own service asks once; it does not ask again when the model is loaded.
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
                        self._publication.refused(error)
                namespace = Namespace(
                    self.database,
                    searcher=_LazySearcher(self),
                    status=self._publication.status_cache,
                    audit=AuditFiles(self.agent),
                    runs=RunFiles(self.agent.runs),
                    drawing=_LazyDrawing(self),
                    links=self._links,
                    path_prefix=self.path_prefix,
                    failed=self._publication.refused,
                    asked=lambda *told: self.asked(*told),
                )
                namespace.adopt(namespace.load_snapshot())
                self._publication.show(namespace)
                self._namespace = namespace
            return self._namespace

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
    def sessions(self) -> Sessions:
        """The sessions of the store, none of which is open yet."""
        with self._lock:
            if self._sessions is None:
                from kgfs.agentfs.overlays.sessions import Sessions

                self._sessions = Sessions(self.store / FOLDER, self._session_base)
            return self._sessions

    def _session_base(self) -> FileSystem:
        """What is beneath every session: the tree with the workspace in it."""
        with self._lock:
            if self._base is None:
                from kgfs.agentfs.filesystem.grafts import Grafted
                from kgfs.namespace.tree import WORKSPACE
                from kgfs.namespace.tree_files import TreeFiles

                tree = TreeFiles(
                    self.namespace, self.store, reload=self._publication.reload, refused=self._publication.refused
                )
                name = WORKSPACE.rstrip("/").encode()
                self._base = Grafted(tree, lambda: {name: self.agent.workspace})
            return self._base

    def file_systems(self, session: str | None = None) -> dict[str, FileSystem]:
        """What stands in directories of a mount beside the tree, by the patterns of their rows; nothing where nobody
        worked in a store that is shown read-only. With ``session`` that is the root of the mount.

        ``StoreError``, ``StoreLocked`` where ``agent.db`` cannot be used, ``NotFoundError`` without the session.
        """
        from kgfs.namespace.tree import SESSIONS
        from kgfs.service.agent_directories.session_directory import SessionDirectory

        if session is not None:
            if not self.gate.passes_shut:
                self.gate.require_open()
            return {"/": self.sessions.overlay(session)}
        self.agent.read_only = bool(self.gate.shut)
        if self.agent.read_only:
            # A session cannot be shown without its file being opened to be written.
            return {} if not self.agent.exists else self._agent_files()
        sessions = SessionDirectory(self.sessions, self.gate, self.agent.workspace.statfs, self._publication.refused)
        return {**self._agent_files(), SESSIONS: sessions}

    def _agent_files(self) -> dict[str, FileSystem]:
        from kgfs.agentfs.keys.key_value_files import KeyValueFiles
        from kgfs.namespace.tree import KEY_VALUES, WORKSPACE

        return {WORKSPACE: self.agent.workspace, KEY_VALUES: KeyValueFiles(self.agent.database)}

    def close(self) -> None:
        """End the search, the worker, the sessions and the workspace."""
        if self._searcher is not None:
            self._searcher.close()
        if self._worker is not None:
            self._worker.close()
        try:
            if self._sessions is not None:
                self._sessions.close()
        except (OSError, KgfsError) as error:
            log.error("What was written in sessions last could not be kept: %s", error)
        try:
            self.agent.close()
        except (OSError, KgfsError) as error:
            log.error("What was written in the workspace last could not be kept: %s", error)


class _LazySearcher:
    """The searcher for the query areas: the worker is started by the first query."""

    def __init__(self, components: Components) -> None:
        self._components = components

    def search(self, asked: SearchRequest) -> SearchAnswer:
        return self._components.searcher.search(asked)


class _LazyDrawing:
    """What draws pictures: the worker is started by the first one."""

    def __init__(self, components: Components) -> None:
        self._components = components

    def draw(self, picture: Picture) -> bytes:
        return self._components.worker.draw(picture)
