"""Modules are imported when they are first needed, by whatever thread needs them: two at once must both get them."""

from __future__ import annotations

import subprocess
import sys

import pytest

TOGETHER = (
    ("kgfs.pipeline.pipeline", "kgfs.pipeline.request"),
    ("kgfs.pipeline.refresh", "kgfs.pipeline.request", "kgfs.sources.web.agent"),
    ("kgfs.extraction.mentions", "kgfs.extraction.extractor", "kgfs.extraction.names.declared.gazetteer"),
    ("kgfs.namespace.namespace", "kgfs.namespace.segments.rows", "kgfs.namespace.queries.find"),
    ("kgfs.service.service", "kgfs.service.sources.known_sources", "kgfs.control.answers"),
)
_IN_THREADS = """
import importlib, sys, threading
faults = []
def load(name):
    begin.wait()
    try:
        importlib.import_module(name)
    except BaseException as error:
        faults.append(f"{name}: {error!r}")
begin = threading.Barrier(len(sys.argv) - 1)
threads = [threading.Thread(target=load, args=(name,)) for name in sys.argv[1:]]
for thread in threads: thread.start()
for thread in threads: thread.join()
sys.exit("; ".join(faults) or 0)
"""


@pytest.mark.slow
def test_modules_can_be_imported_by_threads_at_once() -> None:
    for modules in TOGETHER:
        done = subprocess.run([sys.executable, "-c", _IN_THREADS, *modules], capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
