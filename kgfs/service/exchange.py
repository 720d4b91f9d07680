"""What goes out of a store and comes in as a whole: exports, imports, backups.

Used by the control socket's side, on the thread that answers; what changes rows is a job on the jobs thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from kgfs.drives.gate import Mutation
from kgfs.progress import Cancel, Progress
from kgfs.service.components import Components
from kgfs.service.indexing import Indexing
from kgfs.service.jobs import Jobs
from kgfs.service.pipelines import Pipelines
from kgfs.service.publication import Publication
from kgfs.store.catalog import schema

if TYPE_CHECKING:
    from kgfs.exchange.importing import ImportSummary

Sink = Callable[[bytes], object]
MOST_BYTES = 8 << 20
"""No piece that is handed on is longer."""


class Exchange:
    """Exports, imports and backups of one open store."""

    def __init__(
        self,
        components: Components,
        jobs: Jobs,
        pipelines: Pipelines,
        indexing: Indexing,
        publication: Publication,
    ) -> None:
        self._components, self._database = components, components.database
        self._jobs, self._pipelines, self._indexing, self._publication = jobs, pipelines, indexing, publication

    def export(self, sink: Sink, progress: Progress, cancel: Cancel) -> dict[str, Any]:
        """Hand the store's bundle to ``sink``, piece by piece."""
        from kgfs.exchange.exporting import export_bundle

        size = 0
        for piece in export_bundle(self._database, progress, cancel):
            size += len(piece)
            _hand_on(piece, sink)
        return {"bytes": size}

    def backup(self, sink: Sink, vectors: bool, progress: Progress, cancel: Cancel) -> dict[str, Any]:
        """Hand a backup to ``sink``. With ``vectors`` it waits for the job that runs: rows and index are to agree."""
        from kgfs.exchange.backup import StoreCopy

        def work(progress: Progress, cancel: Cancel) -> StoreCopy:
            components = self._components
            return StoreCopy(self._database, vectors=vectors, agent=components.agent, sessions=components.sessions)

        copy: StoreCopy = (
            self._jobs.run("backup", "kgfs backup", work, progress, cancel) if vectors else work(progress, cancel)
        )
        try:
            size = 0
            for piece in copy.stream(progress, cancel):
                size += len(piece)
                _hand_on(piece, sink)
            manifest = copy.manifest
        finally:
            copy.close()
        return {
            "bytes": size, "counts": manifest.counts, "vectors": manifest.vectors, "created_at": manifest.created_at,
            "files": len(manifest.files),
        }  # fmt: skip

    def copy_to_publish(self, pid: int, progress: Progress, cancel: Cancel) -> Path:
        """A copy of catalog, settings and index for the process ``pid``, which sends it and removes it. What was not
        rendered yet is; what waits to be indexed waits in the copy, too."""
        from kgfs.exchange.backup import store_copy_for

        def work(progress: Progress, cancel: Cancel) -> Path:
            self._publication.publish()
            return store_copy_for(self._database, pid)

        copy: Path = self._jobs.run("publish", "kgfs publish", work, progress, cancel)
        return copy

    def import_bundle(self, path: Path, on_conflict: str, progress: Progress, cancel: Cancel) -> dict[str, Any]:
        """Bring a bundle in and wait until it is indexed; the ``ImportSummary``. Raises what ``Bundle`` raises."""
        from kgfs.exchange import importing, merging
        from kgfs.exchange.bundle import Bundle
        from kgfs.service.trial import require_sound

        def read(progress: Progress, cancel: Cancel) -> ImportSummary:
            with Bundle(path, schema.migrations()[-1].number) as bundle:
                require_sound(bundle, self._database.path.parent, self._components.config, progress, cancel)
                with self._database.read() as cursor:
                    whole = importing.is_untouched(cursor)
                if whole:
                    return importing.import_whole(self._database, bundle, progress, cancel)
                return merging.merge_bundle(self._database, bundle, on_conflict, progress, cancel)

        return self._import(f"kgfs import {path}", [str(path)], read, progress, cancel)

    def import_graphrag(self, path: Path, on_conflict: str, progress: Progress, cancel: Cancel) -> dict[str, Any]:
        """Bring in what Microsoft's GraphRAG wrote to a directory, likewise."""
        from kgfs.exchange import graphrag

        def read(progress: Progress, cancel: Cancel) -> ImportSummary:
            return graphrag.import_graphrag(
                self._database, self._components.worker.parse, path, on_conflict, progress, cancel
            )

        return self._import(f"kgfs import {path}", [str(path)], read, progress, cancel)

    def _import(
        self,
        title: str,
        refs: list[str],
        read: Callable[[Progress, Cancel], ImportSummary],
        progress: Progress,
        cancel: Cancel,
    ) -> dict[str, Any]:
        def work(progress: Progress, cancel: Cancel) -> dict[str, Any]:
            started = time.monotonic()
            pipeline = self._pipelines.pipeline(progress, cancel)
            try:
                with self._components.gate.passing(Mutation(operation="import", refs=tuple(refs))):
                    summary = read(progress, cancel)
                    self._publication.publish()
                    self._indexing.reconcile()
                    summary.warnings += pipeline.resume()
            finally:
                self._publication.refresh()
            summary.counts = pipeline.counts()
            summary.seconds = time.monotonic() - started
            return dict(msgspec.to_builtins(summary))

        answer: dict[str, Any] = self._jobs.run("import", title, work, progress, cancel)
        return answer


def _hand_on(piece: bytes, sink: Sink) -> None:
    for start in range(0, len(piece), MOST_BYTES):
        sink(piece[start : start + MOST_BYTES])
