"""The runs of agents as the directories of ``@agent``: what the tree asks, answered by ``agent.db``.

Used by the namespace, as its ``RunSource``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kgfs.agentfs.agent_runs import AgentRuns, RunFile
from kgfs.namespace.run_source import RunBytes


class _Known(NamedTuple):
    file: str
    at: RunFile


class RunFiles:
    """The ``RunSource`` of a service's namespace."""

    def __init__(self, runs: AgentRuns) -> None:
        self._runs = runs

    def ready(self) -> bool:
        return self._runs.ready

    def prepare(self) -> None:
        self._runs.prepare()

    def names(self) -> Sequence[str]:
        return self._runs.names()

    def find_file(self, run: str, file: str) -> RunBytes | None:
        at = self._runs.find_file(run, file)
        return None if at is None else RunBytes(at.size, at.changed_us, _Known(file, at))

    def read(self, found: RunBytes, offset: int, length: int) -> bytes:
        known = found.place
        assert isinstance(known, _Known)
        return self._runs.read(known.at, known.file, offset, length)
