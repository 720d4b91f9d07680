"""``@status/metrics.prom``: Prometheus's own parser reads it, and its numbers are those that were counted."""

from __future__ import annotations

import os

from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from kgfs.namespace.cache_use import CacheUse
from kgfs.service.health.metrics import Metrics
from kgfs.service.jobs import Job
from mountd.request_meter import BUCKETS, RequestMeter


def samples(page: bytes) -> dict[tuple[str, ...], float]:
    """Name and values of the labels of each sample."""
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(page.decode())
        for sample in family.samples
    }


def test_the_page_says_what_the_parts_say() -> None:
    worker: list[int | None] = [None]
    metrics = Metrics(
        lambda: {"complete": False, "waiting": {"vectors": 7, "texts": 0}},
        lambda: [Job(id="1", command="add", title="add x", state="running")],
        lambda: worker[0],
        lambda: {"texts": CacheUse(5_000, 3, 2, 1)},
    )
    meter = RequestMeter()
    metrics.add(meter)
    meter.operation("read").note(0.002)
    found = samples(metrics.page())
    assert found["kgfs_complete",] == 0 and found["kgfs_waiting", "vectors"] == 7
    assert found["kgfs_jobs", "running"] == 1 and found["kgfs_jobs", "waiting"] == 0
    assert found["kgfs_cache_bytes", "texts"] == 5_000 and found["kgfs_cache_misses_total", "texts"] == 1
    assert found["process_resident_memory_bytes",] > 1_000_000
    assert not [key for key in found if key[0].startswith("kgfs_worker")]
    worker[0] = os.getpid()
    meter.operation("read").note(99.0)
    meter.operation("read").failed += 1
    found = samples(metrics.page())
    assert found["kgfs_worker_process_resident_memory_bytes",] > 1_000_000
    assert found["kgfs_request_duration_seconds_count", "read"] == 2
    assert found["kgfs_request_errors_total", "read"] == 1


@given(st.lists(st.tuples(st.sampled_from(["read", "lookup"]), st.floats(0, 20), st.booleans())))
def test_each_request_is_in_its_class(requests: list[tuple[str, float, bool]]) -> None:
    meter = RequestMeter()
    for operation, seconds, failed in requests:
        meter.operation(operation).note(seconds)
        meter.operation(operation).failed += failed
    families = {family.name: family for family in meter.collect()}
    buckets = {
        (sample.labels["operation"], float(sample.labels["le"])): sample.value
        for sample in families["kgfs_request_duration_seconds"].samples
        if sample.name.endswith("_bucket")
    }
    for operation in {operation for operation, _, _ in requests}:
        for end in (*BUCKETS, float("inf")):
            within = [seconds for name, seconds, _ in requests if name == operation and seconds <= end]
            assert buckets[operation, end] == len(within)
    failures = {sample.labels["operation"]: sample.value for sample in families["kgfs_request_errors"].samples}
    assert sum(failures.values()) == sum(failed for _, _, failed in requests)
