"""How many requests the daemon answered, how long each took, and how many failed: for ``@status/metrics.prom``.

Used by ``guard`` around every handler, on the loop's thread; read by the metrics, on that thread too. A request costs
0.3 µs here, so the numbers are kept plainly and become Prometheus's words when somebody reads them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from prometheus_client import Metric

BUCKETS = (0.00001, 0.00003, 0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
"""Upper ends of the classes of latency, in seconds: what comes out of memory takes some 20 µs, a search 100 ms."""


class Operation:
    """The requests of one kind."""

    __slots__ = ("counts", "failed", "seconds", "under_way")

    def __init__(self) -> None:
        self.counts = [0] * (len(BUCKETS) + 1)
        self.seconds = 0.0
        self.failed = 0
        self.under_way = 0
        """Requests that wait for an answer now."""

    def note(self, seconds: float) -> None:
        """A request was answered, or failed."""
        self.counts[bisect_left(BUCKETS, seconds)] += 1
        self.seconds += seconds


class RequestMeter:
    """Counts by operation."""

    def __init__(self) -> None:
        self._operations: dict[str, Operation] = {}

    def operation(self, name: str) -> Operation:
        """The requests of this name, from all parts that answer them."""
        return self._operations.setdefault(name, Operation())

    def collect(self) -> Iterator[Metric]:
        """What Prometheus is told."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily

        latency = HistogramMetricFamily(
            "kgfs_request_duration_seconds", "How long the daemon took to answer the kernel.", labels=["operation"]
        )
        refused = CounterMetricFamily(
            "kgfs_request_errors", "Answers that were an error (a name that is not there is one).", labels=["operation"]
        )
        for name, known in sorted(self._operations.items()):
            if not any(known.counts):
                continue
            total, buckets = 0, []
            for end, count in zip((*map(str, BUCKETS), "+Inf"), known.counts, strict=True):
                total += count
                buckets.append((end, float(total)))
            latency.add_metric([name], buckets=buckets, sum_value=known.seconds)
            refused.add_metric([name], known.failed)
        yield latency
        yield refused
        yield GaugeMetricFamily(
            "kgfs_requests_in_progress",
            "Requests that wait for an answer now.",
            value=sum(known.under_way for known in self._operations.values()),
        )


REQUESTS = RequestMeter()
"""Those of this process, which has one mount."""
