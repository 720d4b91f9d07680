"""The variable segments of ``@history``: files that have versions, and the versions of one.

``id`` of a node is the number of the query, that is of the directory (``@history``) or of the name beneath it; ``sub``
of a version is its row id, so that an inode never comes to mean other bytes.
"""

from __future__ import annotations

from typing import ClassVar

from kgfs.namespace.node import NodeRef
from kgfs.namespace.queries.areas import Words
from kgfs.namespace.route import Above, Listed
from kgfs.namespace.runtime import Runtime
from kgfs.namespace.snapshot import Snapshot


class HistoryNames(Words):
    """The names in a directory, or in one that is gone, that have versions."""

    def __init__(self, runtime: Runtime) -> None:
        super().__init__(runtime, "@history/<name>/")

    def list(self, s: Snapshot, node: NodeRef) -> list[Listed]:
        word = self._runtime.queries.word
        names = self._runtime.histories.names(node.id)
        return [(name, word(self._pattern, node.id, name), 0, place) for place, name in enumerate(names, 1)]

    def accepts(self, s: Snapshot, name: str) -> bool:
        return False  # a name is there or not: which, has to be looked up

    def find_node(self, s: Snapshot, node: NodeRef, name: str) -> NodeRef | None:
        found = name in self._runtime.histories.names(node.id)
        return NodeRef(self._runtime.queries.word(self._pattern, node.id, name)) if found else None


class Versions:
    """The versions of a file: 1, 2, 3 …"""

    of: ClassVar[tuple[str | None, str | None]] = (None, None)

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    def list(self, s: Snapshot, node: NodeRef) -> list[Listed]:
        versions = self._runtime.histories.versions(node.id).values()
        return [(str(version.number), node.id, version.id, version.number) for version in versions]

    def find_node(self, s: Snapshot, node: NodeRef, name: str) -> NodeRef | None:
        version_id = self._runtime.histories.numbers(node.id).get(name)
        return None if version_id is None else NodeRef(node.id, version_id)

    def name(self, s: Snapshot, node: NodeRef) -> str:
        return str(self._runtime.histories.version(node.id, node.sub).number)

    def up(self, s: Snapshot, node: NodeRef) -> Above:
        return None, NodeRef(node.id)
