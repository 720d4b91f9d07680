"""The variable segments of ``@history``: files that have versions, and the versions of one.

``a`` of a node is the number of the query, that is of the directory (``@history``) or of the name beneath it; ``b``
of a version is its row id, so that an inode never comes to mean other bytes.
"""

from __future__ import annotations

from typing import ClassVar

from kgfs.namespace.queries.areas import Words
from kgfs.namespace.route import Listed, Place
from kgfs.namespace.snapshot import Snapshot


class HistoryNames(Words):
    """The names in a directory, or in one that is gone, that have versions."""

    def __init__(self) -> None:
        super().__init__("@history/<name>/")

    def list(self, s: Snapshot, a: int, b: int) -> list[Listed]:
        word = s.host.queries.word
        names = s.host.histories.names(a)
        return [(name, word(self._pattern, a, name), 0, place) for place, name in enumerate(names, 1)]

    def accepts(self, s: Snapshot, name: str) -> bool:
        return False  # a name is there or not: which, has to be looked up

    def find_node(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
        found = name in s.host.histories.names(a)
        return (s.host.queries.word(self._pattern, a, name), 0) if found else None


class Versions:
    """The versions of a file: 1, 2, 3 …"""

    of: ClassVar[tuple[str | None, str | None]] = (None, None)

    def list(self, s: Snapshot, a: int, b: int) -> list[Listed]:
        versions = s.host.histories.versions(a).values()
        return [(str(version.number), a, version.id, version.number) for version in versions]

    def find_node(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
        version_id = s.host.histories.numbers(a).get(name)
        return None if version_id is None else (a, version_id)

    def name(self, s: Snapshot, a: int, b: int) -> str:
        return str(s.host.histories.version(a, b).number)

    def up(self, s: Snapshot, a: int, b: int) -> tuple[str | None, int, int]:
        return None, a, 0
