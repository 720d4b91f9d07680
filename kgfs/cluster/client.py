"""A cluster as the pipeline sees it: the worker's calls, of which a Ray cluster does those that a document decides on.

Used by the service for one job, from all threads of its run. The rows and the index stay with the worker of the store.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from kgfs import interpreter
from kgfs.calls import BULK_SECONDS, Call, PipelineCalls, WorkerCalls
from kgfs.cluster.addresses import require_cluster
from kgfs.cluster.calls import ClusterCalls, Node
from kgfs.config import Config
from kgfs.counting import counted
from kgfs.errors import KgfsError, Unreachable
from kgfs.index_records import IndexRow
from kgfs.models.process import WorkerProcess
from kgfs.models.spaces import PROBES

LOG = "ray.log"
"""The file in the store that has what Ray says."""
SENT = frozenset(("parse", "extract", "extract_several"))
"""Calls that need nothing but what they are given. A large file is not given, a page is loaded with what only this
machine may know, and the index is here."""
AHEAD = 2
"""Calls at once for each processor: the next one is there when the last one ends."""


class Use(msgspec.Struct, kw_only=True):
    """What a cluster did for a job."""

    address: str
    nodes: int
    processors: int
    done: dict[str, int]
    """Calls by node."""


class _Process(WorkerProcess):
    """The process that speaks to Ray."""

    WHO = "The process that speaks to Ray"
    LOST = Unreachable
    LEAVING_SECONDS = 20.0
    """A cluster of its own has to end."""

    def __init__(self, store: Path, config: Config, address: str) -> None:
        super().__init__(store, config, store / LOG)
        self._address = address

    def command(self, config: str) -> list[str]:
        return interpreter.program("kgfs.cluster.driver", "--address", self._address, "--config", config)


class _Asked(ClusterCalls):
    """The calls of a cluster, sent to the process that speaks to Ray."""

    def __init__(self, process: _Process) -> None:
        self._process = process

    def _ask(self, call: Call, arguments: dict[str, Any]) -> Any:
        seconds = BULK_SECONDS if call.seconds is None else call.seconds
        return self._process.call(call.name, call.encoded(arguments), call.result, seconds)


class Cluster(PipelineCalls):
    """The calls of the pipeline, done by a cluster or by ``local``. Close it, or use it as a context."""

    def __init__(self, local: WorkerCalls, store: Path, config: Config, address: str) -> None:
        """Join the cluster at ``address`` (``addresses.FORMS``).

        ``UsageError`` for what is no address and where Ray is not installed; else what ``ClusterCalls.join`` raises.
        """
        require_cluster(address)
        self._local, self._address = local, address
        self._process = _Process(store, config, address)
        self._cluster = _Asked(self._process)
        self._alike: bytes | None = None
        try:
            self._nodes: list[Node] = self._cluster.join()
        except BaseException:
            self._process.close()
            raise
        self.at_once = AHEAD * sum(node.processors for node in self._nodes)

    def index_vectors(self, kind: str, rows: Sequence[IndexRow]) -> None:
        texts = self._local.new_texts(kind, rows)
        if self._alike is None:
            self._alike = self._local.embed(PROBES)
        vectors = self._cluster.embed_alike(texts, self._alike) if texts else b""
        self._local.put_vectors(kind, rows, texts, vectors)

    def _ask(self, call: Call, arguments: dict[str, Any]) -> Any:
        asked = self._cluster if call.name in SENT else self._local
        return getattr(asked, call.name)(**arguments)

    @property
    def sentence(self) -> str:
        """How large the cluster is."""
        processors = sum(node.processors for node in self._nodes)
        return f"{counted(len(self._nodes), 'node')}, {counted(processors, 'processor')}."

    def use(self) -> Use | None:
        """What the cluster did so far; ``None`` where it does not say."""
        with contextlib.suppress(KgfsError):
            processors = sum(node.processors for node in self._nodes)
            return Use(address=self._address, nodes=len(self._nodes), processors=processors, done=self._cluster.tally())
        return None

    def close(self) -> None:
        """Leave the cluster; one that was started for this ends."""
        self._process.close()

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
