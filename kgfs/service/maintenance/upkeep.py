"""The upkeep of a store: its check (``kgfs fsck``) and new vectors for all of it (``kgfs reembed``).

Used by the control socket's requests, on the threads that answer; the work is done on the jobs thread.
"""

from __future__ import annotations

from typing import Any

from kgfs.config import Config
from kgfs.drives.gate import Mutation
from kgfs.progress import Cancel, Progress
from kgfs.service.components import Components
from kgfs.service.indexing import Indexing
from kgfs.service.jobs import Jobs
from kgfs.service.pipelines import Pipelines
from kgfs.service.publication import Publication
from kgfs.store.catalog import salvage


class Upkeep:
    """The upkeep of one store. Each method waits for its end."""

    def __init__(
        self,
        components: Components,
        jobs: Jobs,
        pipelines: Pipelines,
        indexing: Indexing,
        publication: Publication,
    ) -> None:
        self._components, self._jobs, self._pipelines = components, jobs, pipelines
        self._indexing, self._publication = indexing, publication

    def fsck(self, *, repair: bool, quick: bool, progress: Progress, cancel: Cancel) -> dict[str, Any]:
        """Check the whole store, and with ``repair`` mend it; the ``Report`` of ``kgfs.fsck`` with ``exit_status``.

        ``quick`` looks at numbers and names alone, at once and beside a job that runs.
        """
        from kgfs.service.maintenance import checking

        if quick:
            return checking.quick(self._components.database, self._components.config)

        def work(progress: Progress, cancel: Cancel) -> dict[str, Any]:
            def go_on() -> list[str]:
                warnings = self._pipelines.pipeline(progress, cancel).resume()
                self._publication.publish()
                return warnings

            try:
                return checking.check(
                    self._components.gate,
                    self._components.config,
                    self._components.worker,
                    self._components.agent,
                    self._components.sessions,
                    reconcile=self._indexing.reconcile,
                    go_on=go_on,
                    repair=repair,
                    progress=progress,
                    cancel=cancel,
                )
            finally:
                with salvage.past_damage():  # the report tells of it
                    self._publication.refresh()

        title = "kgfs fsck --repair" if repair else "kgfs fsck"
        answer: dict[str, Any] = self._jobs.run("fsck", title, work, progress, cancel)
        return answer

    def reembed(self, setting: str | None, progress: Progress, cancel: Cancel) -> dict[str, Any]:
        """Embed everything anew, with the model ``setting`` where one is given. See ``Reembedding.run``."""
        from kgfs.service.maintenance.reembedding import Reembedding

        def configured(config: Config) -> None:
            self._components.config = config

        def work(progress: Progress, cancel: Cancel) -> dict[str, Any]:
            change = Reembedding(
                self._components.store,
                self._components.database,
                self._components.worker,
                self._components.config,
                reconcile=self._indexing.reconcile,
                resume=lambda: self._pipelines.pipeline(progress, cancel).resume(),
                configured=configured,
            )
            try:
                with self._components.gate.passing(Mutation(operation="reembed", refs=())):
                    return change.run(setting, cancel)
            finally:
                self._publication.refresh()

        title = "kgfs reembed" if setting is None else f"kgfs reembed --model {setting}"
        answer: dict[str, Any] = self._jobs.run("reembed", title, work, progress, cancel)
        return answer
