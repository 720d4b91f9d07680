"""What is added, read again, removed and moved: jobs over the sources of a store.

Used by the control socket's requests and by tools, on the threads that answer; the work is done on the jobs thread.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from kgfs.drives.gate import Mutation
from kgfs.errors import Cancelled, NotFoundError, UsageError
from kgfs.model import prepared
from kgfs.progress import STOPPED, Cancel, Progress
from kgfs.service.components import Components
from kgfs.service.indexing import Indexing
from kgfs.service.jobs import Jobs
from kgfs.service.pipelines import Pipelines
from kgfs.service.publication import Publication
from kgfs.service.writing.write_back import WriteBack
from kgfs.store.files import items
from kgfs.store.files.disk_rows import DRIVE

if TYPE_CHECKING:
    from kgfs.cluster.client import Cluster
    from kgfs.pipeline.refresh_records import RefreshRequest, RefreshSummary
    from kgfs.pipeline.request import AddRequest, AddSummary


class SourceJobs:
    """The jobs over one store's sources. Each waits for its end, unless it says otherwise."""

    def __init__(
        self,
        components: Components,
        jobs: Jobs,
        pipelines: Pipelines,
        indexing: Indexing,
        publication: Publication,
        write_back: WriteBack,
    ) -> None:
        self._components, self._jobs, self._pipelines = components, jobs, pipelines
        self._indexing, self._publication, self._write_back = indexing, publication, write_back

    def request(self, paths: Sequence[Path], options: dict[str, Any]) -> AddRequest:
        """The request of ``add``. ``UsageError`` for options that make no sense, or ask for a model without a key;
        ``MountedReadOnly``."""
        from kgfs.llm.choice import choose_reader
        from kgfs.pipeline.request import AddRequest

        given = {name: value for name, value in options.items() if value is not None}
        try:
            request: AddRequest = msgspec.convert({"paths": list(paths), **given}, prepared(AddRequest))
        except (msgspec.ValidationError, UnicodeError) as error:
            raise UsageError(f"That cannot be added: {error}.") from error
        if request.on:
            from kgfs.cluster.addresses import require_cluster

            require_cluster(request.on)
        if not request.dry_run:
            self._components.gate.require_open()
            choose_reader(request.extractor or self._components.config.extractor, self._components.config)
        return request

    def add(self, request: AddRequest, progress: Progress, cancel: Cancel) -> dict[str, Any]:
        """Add files; the summary of ``AddSummary`` with ``store``. Raises what the pipeline raises."""
        summary: dict[str, Any] = self._jobs.run("add", _title(request), self.adding(request), progress, cancel)
        return summary

    def add_in_background(self, request: AddRequest) -> str:
        """Begin to add files; returns the job's id."""
        return self._jobs.start("add", _title(request), self.adding(request)).id

    def adding(self, request: AddRequest) -> Callable[[Progress, Cancel], dict[str, Any]]:
        """The work of a job that adds files."""
        refs = [items.ref("disk", items.row_path(path)) for path in request.paths] + request.urls

        def work(progress: Progress, cancel: Cancel) -> dict[str, Any]:
            if not request.dry_run:
                self._indexing.reconcile()
            on = "" if request.dry_run else request.on
            with self._pipelines.cluster(on, progress) as cluster:
                with self._changing("add", refs, dry=request.dry_run):
                    summary = self._pipelines.pipeline(progress, cancel, cluster).add(request)
                return self._told(summary, cluster)

        return work

    def refresh(self, request: RefreshRequest, progress: Progress, cancel: Cancel) -> dict[str, Any]:
        """Read sources again where they changed; the summary of ``RefreshSummary`` with ``store``."""
        from kgfs.service.sources.known_sources import KnownSources

        known = KnownSources(self._components.database)
        refs = known.refs_of(request.targets)

        def work(progress: Progress, cancel: Cancel) -> dict[str, Any]:
            on = "" if request.dry_run else request.on
            with self._pipelines.cluster(on, progress) as cluster:
                refresher = self._pipelines.refresher(progress, cancel, cluster)
                refresher.prepare = self._indexing.reconcile
                self._write_back.flush()  # what is still to be removed would be found again
                with self._changing("refresh", refs, dry=request.dry_run):
                    summary = refresher.refresh(request)
                return self._told(summary, cluster)

        answer: dict[str, Any] = self._jobs.run("refresh", known.title(request.targets), work, progress, cancel)
        return answer

    def refresh_places(self, places: Sequence[tuple[str, str]] | None) -> dict[str, Any]:
        """``refresh`` for an agent: sources at, beneath and around these drives and paths, or all of them. What became
        of each. ``NotFoundError`` where no source is meant."""
        from kgfs.pipeline.refresh_records import RefreshRequest
        from kgfs.service.sources.known_sources import KnownSources

        known = KnownSources(self._components.database)
        if places is None:
            targets = known.all_targets()
        else:
            targets = known.targets(places)
            if not targets:
                shown = ", ".join(f"{drive}:{path}" for drive, path in places)
                raise NotFoundError(f"{shown} is no source and lies in none; only what was added can be refreshed.")
        answer = self.refresh(RefreshRequest(targets=targets), lambda progress: None, threading.Event())
        return {name: answer[name] for name in ("sources", "failed", "warnings", "counts", "seconds") if name in answer}

    def remove(
        self, item_ids: Sequence[int], progress: Progress, cancel: Cancel, source_ids: Sequence[int] = ()
    ) -> dict[str, Any]:
        """Remove items with all that came only from them, and sources."""

        def work(progress: Progress, cancel: Cancel) -> dict[str, Any]:
            self._indexing.reconcile()
            with self._components.database.read() as cursor:
                refs = [item.ref for item in items.items_by_id(cursor, item_ids).values()]
            with self._changing("remove", sorted(refs)):
                summary = self._pipelines.pipeline(progress, cancel).remove(item_ids, source_ids)
            return dict(msgspec.to_builtins(summary))

        answer: dict[str, Any] = self._jobs.run("rm", f"kgfs rm of {len(item_ids)}", work, progress, cancel)
        if self._components.daemon:
            self._indexing.resume()  # what is left of what the removed documents said is embedded anew
        return answer

    def move(self, path: str, to_path: str, progress: Progress, cancel: Cancel) -> dict[str, Any]:
        """What was read from ``path`` on the disk comes from ``to_path`` now; as ``MovedSources``, with ``warnings``.
        Raises what ``kgfs.pipeline.relocation.move_sources`` raises."""
        from kgfs.pipeline.relocation import move_sources

        def work(progress: Progress, cancel: Cancel) -> dict[str, Any]:
            def check() -> None:
                if cancel.is_set():
                    raise Cancelled(STOPPED)

            self._indexing.reconcile()
            refs = (items.ref(DRIVE, path), items.ref(DRIVE, to_path))
            try:
                with self._components.gate.passing(Mutation(operation="move", refs=refs)):
                    moved = move_sources(self._components.database, DRIVE, path, to_path, check=check)
                self._publication.publish()
                warnings = self._pipelines.pipeline(progress, cancel).resume()
            finally:
                self._publication.refresh()
            return {**msgspec.to_builtins(moved), "warnings": warnings}

        answer: dict[str, Any] = self._jobs.run("move", f"kgfs source move {path}", work, progress, cancel)
        return answer

    def _told(self, summary: AddSummary | RefreshSummary, cluster: Cluster | None) -> dict[str, Any]:
        """Returns the result of a job; ``cluster`` is the cluster that worked for it."""
        told = {"store": str(self._components.store), **msgspec.to_builtins(summary)}
        if cluster is not None:
            told["cluster"] = msgspec.to_builtins(cluster.use())
        return told

    @contextlib.contextmanager
    def _changing(self, operation: str, refs: Sequence[str], *, dry: bool = False) -> Iterator[None]:
        """The block is one mutation, unless it is a ``dry`` run; then ``@status`` says how far everything is."""
        mutation = Mutation(operation=operation, refs=tuple(refs))
        try:
            with contextlib.nullcontext() if dry else self._components.gate.passing(mutation):
                yield
        finally:
            self._publication.refresh()


def _title(request: AddRequest) -> str:
    given = [os.fsencode(path).decode("utf-8", "replace") for path in request.paths] + request.urls
    return "kgfs add " + " ".join(given)
