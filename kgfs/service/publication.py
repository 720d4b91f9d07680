"""What everybody sees: the published snapshot, and what ``@status`` says of the rows behind it.

Used by the service: ``publish`` after commits (on the thread of a job or of the cascade), ``refresh`` whenever the
numbers may be others, ``written`` on the store's writer's thread with every change, before its writer hears of it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from kgfs.errors import Cancelled, KgfsError
from kgfs.service.health import state
from kgfs.service.health.status_cache import StatusCache
from kgfs.store.catalog.database import Database
from kgfs.store.tree import pages

if TYPE_CHECKING:
    from kgfs.namespace.namespace import Namespace
    from kgfs.namespace.snapshot import Snapshot


class Publication:
    """The publication of one store's rows, one at a time, and its status cache."""

    def __init__(self, database: Database, status_cache: StatusCache) -> None:
        self._database = database
        self.status_cache = status_cache
        self.on_publish: Callable[[Snapshot], object] | None = None
        """Called with each new snapshot in place of ``namespace.adopt``; the mount tells the kernel in it."""
        self._namespace: Namespace | None = None
        self._shown = 0
        """The generation that every reader sees."""
        self.ending = threading.Event()
        """Set when the store is being closed: what is published from then on is shown when it is opened again."""
        self._publishing = threading.Lock()
        self._refreshing = threading.Lock()

    def show(self, namespace: Namespace) -> None:
        """From now on somebody looks: through this namespace, which has adopted a snapshot."""
        self._shown = namespace.view.generation
        namespace.ending = self.ending
        self._namespace = namespace
        self.refresh()

    def publish(self) -> None:
        """Render what is stale and make the new snapshot what everybody sees. Blocks until the kernel knows it.

        Nobody sees it where the store is being closed: loading takes seconds where there are a million entities.
        """
        from kgfs.namespace.publish import publish

        with self._publishing:
            namespace = self._namespace
            generation = publish(self._database, anyway=namespace is not None and namespace.view.context.stale)
            if namespace is not None and namespace.view.generation != generation:
                try:
                    snapshot = namespace.load_snapshot()
                except Cancelled:
                    return
                adopt = self.on_publish or namespace.adopt
                adopt(snapshot)
            self._shown = generation
        self.refresh()

    def reload(self) -> None:
        """Show the newest snapshot, for a reader that a commit overtook and nobody publishes. Blocks."""
        namespace = self._namespace
        if namespace is not None:
            adopt = self.on_publish or namespace.adopt
            snapshot = namespace.load_snapshot()
            adopt(snapshot)
            self._shown = max(self._shown, snapshot.generation)

    @property
    def shown(self) -> int:
        """The generation that every reader sees."""
        return self._shown

    @property
    def behind(self) -> bool:
        """Whether readers do not see yet what the rows have: it was not rendered, or is not shown everywhere."""
        if state.unpublished(self._database):
            return True
        with self._database.read() as cursor:
            return self._namespace is not None and self._shown < pages.generation(cursor)[0]

    @property
    def unfinished(self) -> bool:
        """Whether anything that was written or added has yet to be followed up."""
        return any(state.waiting(self._database).values()) or self.behind

    def written(self) -> None:
        """Something was written: nothing is complete from this moment on, until ``refresh`` finds that it is. Cheap."""
        self.status_cache.disturb()
        self.forget()

    def refused(self, error: KgfsError) -> None:
        """A request ended with this: ``@status`` says so at the very next look."""
        self.status_cache.refused(error)
        self.forget()

    def refresh(self) -> None:
        """Have ``@status``, and each file's ``indexed``, say how far everything is."""
        with self._refreshing:  # numbers that were read earlier never replace newer ones
            moment = self.status_cache.moment
            namespace = self._namespace
            if namespace is not None:
                namespace.note_unindexed(lambda: state.unindexed(self._database))
            behind = self.behind  # first: what is shown by then is counted below
            index = state.coverage(self._database)
            waiting = state.waiting(self._database, index)
            self.status_cache.update(
                moment,
                healthy=True,
                complete=not behind and not any(waiting.values()),
                index=index,
                waiting=waiting,
                extractors=state.extractors(self._database),
                failed_items=len(state.failed_items(self._database)),
            )
        self.forget()

    def forget(self) -> None:
        """Have the next look at ``@status`` read it anew. Cheap."""
        if self._namespace is not None:
            self._namespace.forget_volatile()
