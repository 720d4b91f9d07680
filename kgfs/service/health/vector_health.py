"""Whether vectors take part in searches, and if not, why and what to do.

Used by the service for ``kgfs status`` and ``kgfs doctor``, and by ``kgfs config`` before it takes a model. Only
loading a model shows whether it can be loaded, which takes seconds: so what came of it is kept in the rows, with what
it was of (settings, the model's files, the store's vector space), and holds as long as that is the same.
"""

from __future__ import annotations

import hashlib
import logging
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from kgfs.config import VECTORS, Config
from kgfs.errors import KgfsError, ModelError
from kgfs.models.embedders import locate
from kgfs.models.spaces import SPACE
from kgfs.store.catalog.database import Database
from kgfs.store.tree import pages

if TYPE_CHECKING:
    from kgfs.index_records import WorkerStatus
    from kgfs.models.client import Worker

log = logging.getLogger(__name__)

_TRIED = "model_tried"
"""Key in ``meta``: what came of the last time that the model was loaded."""


class _Tried(msgspec.Struct):
    """``problem`` is empty where the model was loaded and its vectors are the store's; ``of`` is what was tried."""

    of: str
    problem: str


class VectorHealth:
    """The vectors of one store."""

    def __init__(self, store: Path, database: Database) -> None:
        self._store, self._database = store, database

    def problem(self, config: Config, worker: Worker, *, load: bool) -> str:
        """Why searches go by keyword alone, in one sentence with what to do; empty where vectors take part, or where
        that is not known.

        ``load``: load the model if it is not known, which takes seconds; else only what is known already is said. A
        worker that runs is asked in any case.
        """
        of = self._of(config)
        if of is None:
            return _refusal(config)
        found = self.note(config, worker)
        if found is None and load:
            found = _loaded(worker)
            self._keep(of, found)
        return self.known(config) if found is None else found

    def is_known(self, config: Config) -> bool:
        """Whether it was tried what comes of loading the model that is set."""
        of = self._of(config)
        return of is None or self._tried().of == of

    def known(self, config: Config) -> str:
        """What is known without loading anything."""
        of, tried = self._of(config), self._tried()
        if of is None:
            return _refusal(config)
        return tried.problem if tried.of == of else ""

    def note(self, config: Config, worker: Worker) -> str | None:
        """Keep what came of loading the model in a worker that runs, and return that; ``None`` where none tried."""
        of = self._of(config)
        if of is None or worker.pid is None:
            return None
        try:
            found = worker.status()
        except KgfsError as error:
            log.debug("the worker does not say how its model is: %s", error.message)
            return None
        if found.model in ("idle", "loading"):
            return None
        problem = _said(found)
        self._keep(of, problem)
        return problem

    def _tried(self) -> _Tried:
        with self._database.read() as cursor:
            kept = pages.read_meta(cursor, _TRIED)
        return msgspec.json.decode(kept, type=_Tried) if kept else _Tried("", "")

    def _keep(self, of: str, problem: str) -> None:
        tried = _Tried(of, problem)
        if self._tried() == tried:
            return
        try:
            self._database.write(lambda cursor: pages.write_meta(cursor, _TRIED, msgspec.json.encode(tried).decode()))
        except KgfsError as error:  # a full disk: it is tried again the next time
            log.debug("what came of loading the model was not kept: %s", error.message)

    def _of(self, config: Config) -> str | None:
        """What an outcome is of, as one word; ``None`` where there is no such model at all."""
        try:
            place = locate(config.embedding_model)
        except ModelError:
            return None
        parts = [config.embedding_model, str(config.embedding_dimension)]
        if isinstance(place, Path):
            for file in sorted(place.rglob("*")):
                status = file.stat()
                parts.append(f"{file.relative_to(place)} {status.st_size} {status.st_mtime_ns}")
        space = self._store / VECTORS / SPACE
        digest = hashlib.blake2b("\0".join(parts).encode("utf-8", "surrogateescape"), digest_size=16)
        digest.update(space.read_bytes() if space.exists() else b"")
        return digest.hexdigest()


def require_loadable(config: Config) -> None:
    """``ModelError`` where the model that is set cannot be loaded. Takes seconds; touches no store."""
    from kgfs.models.client import Worker

    locate(config.embedding_model)
    with tempfile.TemporaryDirectory(prefix="kgfs-model-") as nowhere:
        # Whatever dimension it has: `kgfs reembed` takes that over.
        alone = msgspec.structs.replace(config, embedding_dimension=0)
        with Worker(Path(nowhere), alone) as worker:
            if problem := _loaded(worker):
                raise ModelError(problem)


def _refusal(config: Config) -> str:
    try:
        locate(config.embedding_model)
    except ModelError as error:
        return error.message
    return ""


def _loaded(worker: Worker) -> str:
    """What is wrong with the model, once it is loaded, or nothing."""
    try:
        return _said(worker.load_model())
    except KgfsError as error:
        return error.message


def _said(found: WorkerStatus) -> str:
    return found.error if found.model in ("failed", "other") else ""
