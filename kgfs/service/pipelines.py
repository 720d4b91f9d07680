"""Pipelines over an open store, for the jobs that run them.

Used by the service's other modules on the jobs thread, and by the cascade on its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from kgfs.pipeline.pipeline_lock import PipelineLock
from kgfs.progress import Cancel, Progress
from kgfs.service.components import Components
from kgfs.service.progress_rate import ProgressRate
from kgfs.service.publication import Publication

if TYPE_CHECKING:
    from kgfs.pipeline.pipeline import Pipeline
    from kgfs.pipeline.refresh import Refresher

P = TypeVar("P", bound="Pipeline")


class Pipelines:
    """Makes the pipelines of one store: each publishes what it commits, and gives way to texts by ``pipeline_lock``."""

    def __init__(self, components: Components, publication: Publication, pipeline_lock: PipelineLock) -> None:
        self._components, self._publication, self._pipeline_lock = components, publication, pipeline_lock

    def pipeline(self, progress: Progress, cancel: Cancel) -> Pipeline:
        """One for a job that tells ``progress`` and stops at ``cancel``."""
        from kgfs.pipeline.pipeline import Pipeline

        return self._made(Pipeline, progress, cancel)

    def refresher(self, progress: Progress, cancel: Cancel) -> Refresher:
        """One that reads sources again."""
        from kgfs.pipeline.refresh import Refresher

        return self._made(Refresher, progress, cancel)

    def _made(self, kind: type[P], progress: Progress, cancel: Cancel) -> P:
        return kind(
            self._components.database,
            self._components.worker,
            self._components.config,
            on_commit=self._publication.publish,
            progress=ProgressRate(progress),
            cancel=cancel,
            pipeline_lock=self._pipeline_lock,
        )
