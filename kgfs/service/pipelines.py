"""Pipelines over an open store, for the jobs that run them.

Used by the service's other modules on the jobs thread, and by the cascade on its own.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeVar

from kgfs.pipeline.pipeline_lock import PipelineLock
from kgfs.progress import Cancel, Progress
from kgfs.service.components import Components
from kgfs.service.progress_rate import ProgressRate
from kgfs.service.publication import Publication

if TYPE_CHECKING:
    from kgfs.calls import PipelineCalls
    from kgfs.cluster.client import Cluster
    from kgfs.pipeline.pipeline import Pipeline
    from kgfs.pipeline.refresh import Refresher

P = TypeVar("P", bound="Pipeline")


class Pipelines:
    """Makes the pipelines of one store: each publishes what it commits, and gives way to texts by ``pipeline_lock``."""

    def __init__(self, components: Components, publication: Publication, pipeline_lock: PipelineLock) -> None:
        self._components, self._publication, self._pipeline_lock = components, publication, pipeline_lock

    @contextlib.contextmanager
    def cluster(self, address: str, progress: Progress) -> Iterator[Cluster | None]:
        """The cluster at an address until the block ends; ``None`` for an empty one.

        Raises what ``kgfs.cluster.client.Cluster`` raises.
        """
        if not address:
            yield None
            return
        from kgfs.cluster.client import Cluster

        components = self._components
        with self._pipeline_lock.aside():
            cluster = Cluster(components.worker, components.store, components.config, address)
        with cluster:
            progress({"stage": "cluster", "message": cluster.sentence})
            yield cluster

    def pipeline(self, progress: Progress, cancel: Cancel, calls: PipelineCalls | None = None) -> Pipeline:
        """One for a job that tells ``progress`` and stops at ``cancel``. ``calls``: in the place of the worker's."""
        from kgfs.pipeline.pipeline import Pipeline

        return self._made(Pipeline, progress, cancel, calls)

    def refresher(self, progress: Progress, cancel: Cancel, calls: PipelineCalls | None = None) -> Refresher:
        """One that reads sources again; as ``pipeline``."""
        from kgfs.pipeline.refresh import Refresher

        return self._made(Refresher, progress, cancel, calls)

    def _made(self, kind: type[P], progress: Progress, cancel: Cancel, calls: PipelineCalls | None) -> P:
        return kind(
            self._components.database,
            calls or self._components.worker,
            self._components.config,
            on_commit=self._publication.publish,
            progress=ProgressRate(progress),
            cancel=cancel,
            pipeline_lock=self._pipeline_lock,
        )
