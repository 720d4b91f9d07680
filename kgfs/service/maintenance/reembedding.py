"""`kgfs reembed`: another embedding model for a store, or the same one from the start.

Used by the service, on the jobs thread. Nothing changes until the model is loaded and has said how many dimensions it
has; then the settings, then the vectors. A run that is stopped or killed in between leaves a store that searches by
keyword and says why, and the same command goes on: what is embedded already is not embedded again.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from kgfs.config import Config, change_settings, load_config
from kgfs.errors import Cancelled, ModelError
from kgfs.models.embedders import locate
from kgfs.progress import Cancel
from kgfs.service.health import state
from kgfs.store.catalog.database import Database
from kgfs.store.tree import pages

if TYPE_CHECKING:
    from kgfs.models.client import Worker

_UNDER_WAY = "reembedding"
"""Key in ``meta``: set while vectors are made anew, so that a run after a kill goes on."""


class Reembedding:
    """The change of one store."""

    def __init__(
        self,
        store: Path,
        database: Database,
        worker: Worker,
        config: Config,
        *,
        reconcile: Callable[[], None],
        resume: Callable[[], list[str]],
        configured: Callable[[Config], None],
    ) -> None:
        """``config`` is what the worker runs with; ``reconcile`` lets rows wait whose vectors were dropped, ``resume``
        embeds what waits; ``configured`` is told of the settings that hold from then on."""
        self._store, self._database, self._worker, self._config = store, database, worker, config
        self._reconcile, self._resume, self._configured = reconcile, resume, configured

    def run(self, setting: str | None, cancel: Cancel) -> dict[str, Any]:
        """Take the model ``setting`` (``None``: the one that is set) and embed what has to be.

        Returns ``model, model_id, dimension``, whether everything was embedded ``anew`` (not where the store's vectors
        are the model's already), ``vectors`` with ``done`` and ``total``, ``warnings`` of what could not be done, and
        ``seconds``. ``ModelError`` where the model cannot be loaded: then nothing was changed.
        """
        started = time.monotonic()
        # Read again: who changed settings while a daemon runs means them to hold now.
        wanted = load_config(self._store)
        if setting is not None:
            wanted = msgspec.structs.replace(wanted, embedding_model=setting)
        locate(wanted.embedding_model)
        # Its dimension is for the model to say.
        self._worker.configure(msgspec.structs.replace(wanted, embedding_dimension=0), restart=True)
        try:
            found = self._worker.load_model()
            if found.model == "failed":
                raise ModelError(found.error)
            if cancel.is_set():
                raise Cancelled("Stopped before anything was changed.")
        except BaseException:
            self._worker.configure(self._config, restart=True)
            raise
        wanted = msgspec.structs.replace(wanted, embedding_dimension=found.dimension)
        anew = found.model == "other" or (setting is None and not self._interrupted())
        model = {name: getattr(wanted, name) for name in ("embedding_model", "embedding_dimension")}
        change_settings(self._store, model)
        self._worker.configure(wanted, restart=False)
        self._configured(wanted)
        if anew:
            found = self._worker.adopt_model()
        self._reconcile()
        if anew:
            self._mark("1")
        warnings = self._resume()
        vectors = state.coverage(self._database)["vectors"]
        if vectors["done"] == vectors["total"]:
            self._mark("")
        return {
            "model": wanted.embedding_model,
            "model_id": found.model_id,
            "dimension": found.dimension,
            "anew": anew,
            "vectors": vectors,
            "warnings": warnings,
            "seconds": time.monotonic() - started,
        }

    def _interrupted(self) -> bool:
        """Whether vectors are being made anew, and some are missing."""
        with self._database.read() as cursor:
            marked = bool(pages.read_meta(cursor, _UNDER_WAY))
        vectors = state.coverage(self._database)["vectors"]
        return marked and vectors["done"] < vectors["total"]

    def _mark(self, value: str) -> None:
        self._database.write(lambda cursor: pages.write_meta(cursor, _UNDER_WAY, value))
