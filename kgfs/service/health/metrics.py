"""``@status/metrics.prom``: what a monitor is told of a store that is served, in Prometheus's text format.

Made when somebody reads it, on the event loop, from numbers that are in memory (and a few of ``/proc``). Who counts
something of its own adds a collector: the daemon those of the kernel's requests.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry, Metric

    from kgfs.namespace.cache_use import CacheUse
    from kgfs.service.jobs import Job

JOB_STATES = ("waiting", "running", "done", "failed", "cancelled")


class Collector(Protocol):
    """What has numbers of its own."""

    def collect(self) -> Iterable[Metric]: ...


class Metrics:
    """The page, of these sources."""

    def __init__(
        self,
        status: Callable[[], Mapping[str, Any]],
        jobs: Callable[[], list[Job]],
        worker: Callable[[], int | None],
        caches: Callable[[], Mapping[str, CacheUse]],
    ) -> None:
        """``worker`` is the process with the models, while it runs."""
        self._status, self._jobs, self._worker, self._caches = status, jobs, worker, caches
        self._added: list[Collector] = []
        self._registry: CollectorRegistry | None = None

    def add(self, collector: Collector) -> None:
        """Tell these numbers, too. Before the page is first read."""
        self._added.append(collector)

    def page(self) -> bytes:
        """The text of now."""
        from prometheus_client import generate_latest

        if self._registry is None:
            self._registry = self._made()
        return generate_latest(self._registry)

    def _made(self) -> CollectorRegistry:
        from prometheus_client import CollectorRegistry, ProcessCollector

        registry = CollectorRegistry(auto_describe=False)
        ProcessCollector(registry=registry)
        # Of a process that does not run it tells nothing.
        ProcessCollector(namespace="kgfs_worker", pid=lambda: self._worker() or -1, registry=registry)
        for collector in (self, *self._added):
            registry.register(collector)
        return registry

    def collect(self) -> Iterator[Metric]:
        """The numbers of the service."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        status = self._status()
        yield GaugeMetricFamily(
            "kgfs_complete",
            "1 when everything that was written is indexed and shown.",
            value=bool(status.get("complete")),
        )
        waiting = GaugeMetricFamily("kgfs_waiting", "What is still to be indexed, by kind.", labels=["kind"])
        for kind, count in sorted((status.get("waiting") or {}).items()):
            waiting.add_metric([kind], float(count))
        yield waiting
        states = Counter(job.state for job in self._jobs())
        queue = GaugeMetricFamily(
            "kgfs_jobs", "Runs of add, rm and the like since the start, by state.", labels=["state"]
        )
        for state in JOB_STATES:
            queue.add_metric([state], states[state])
        yield queue
        size = GaugeMetricFamily("kgfs_cache_bytes", "What a cache of the daemon holds.", labels=["cache"])
        entries = GaugeMetricFamily(
            "kgfs_cache_entries", "How many things a cache of the daemon holds.", labels=["cache"]
        )
        hits = CounterMetricFamily("kgfs_cache_hits", "Questions that a cache answered.", labels=["cache"])
        misses = CounterMetricFamily("kgfs_cache_misses", "Questions that a cache could not answer.", labels=["cache"])
        for name, use in sorted(self._caches().items()):
            size.add_metric([name], use.bytes)
            entries.add_metric([name], use.entries)
            hits.add_metric([name], use.hits)
            misses.add_metric([name], use.misses)
        yield from (size, entries, hits, misses)
