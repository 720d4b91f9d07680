"""The audit trail as the files of ``@audit``: what the tree asks, answered by the calls of ``agent.db``.

Used by the namespace, as its ``AuditSource``. Looking is recorded nowhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kgfs.agentfs.agent_store import AgentStore
from kgfs.agentfs.audit.call_files import EVERYTHING, CallFiles, Extent, Place
from kgfs.namespace.audit_source import Lines


class _Known(NamedTuple):
    place: Place
    extent: Extent


class AuditFiles:
    """The ``AuditSource`` of a service's namespace."""

    def __init__(self, agent: AgentStore) -> None:
        self._files: CallFiles = agent.call_files

    def ready(self) -> bool:
        return self._files.ready

    def prepare(self) -> None:
        self._files.prepare()

    def names(self, group: str) -> Sequence[str]:
        return self._files.names(group)

    def find_file(self, group: str, name: str) -> Lines | None:
        place = self._files.place(group, name) if group else EVERYTHING
        extent = None if place is None else self._files.extent(place)
        if place is None or extent is None:
            return None
        return Lines(extent.size, extent.latest_us, _Known(place, extent))

    def read(self, lines: Lines, offset: int, length: int) -> bytes:
        known = lines.place
        assert isinstance(known, _Known)
        return self._files.read(known.place, known.extent, offset, length)

    def stats(self) -> bytes:
        return self._files.stats()
