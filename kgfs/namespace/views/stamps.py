"""Dates of what stands in the tree: mtime and ctime in microseconds, from columns of the snapshot."""

from __future__ import annotations

from collections.abc import Callable

from kgfs.namespace.domains import Domain
from kgfs.namespace.relations import NO_TIME
from kgfs.namespace.route import Stamp
from kgfs.namespace.snapshot import Snapshot

Pick = Callable[[Snapshot, int, int], int]
"""The index of what a node is about; ``NotFoundError`` when it is gone."""


def owner_a(domain: Callable[[Snapshot], Domain]) -> Pick:
    return lambda s, a, b: domain(s).index(a)


def owner_b(domain: Callable[[Snapshot], Domain]) -> Pick:
    return lambda s, a, b: domain(s).index(b)


def dated(domain: Callable[[Snapshot], Domain], pick: Pick | None = None) -> Stamp:
    """The dates of a row itself."""

    def stamp(s: Snapshot, a: int, b: int) -> tuple[int, int]:
        rows = domain(s)
        index = rows.index(a) if pick is None else pick(s, a, b)
        return rows.mtime[index], rows.ctime[index]

    return stamp


def newest(domain: Callable[[Snapshot], Domain], column: str) -> Stamp:
    """A directory in a row's directory: its newest member's date."""

    def stamp(s: Snapshot, a: int, b: int) -> tuple[int, int]:
        rows = domain(s)
        index = rows.index(a)
        return s.newest[column][index], rows.ctime[index]

    return stamp


def latest(kind: str = "all") -> Stamp:
    """A directory over the whole graph: the newest of a kind; changed with every generation."""
    return lambda s, a, b: (s.latest[kind], s.published)


def published(s: Snapshot, a: int, b: int) -> tuple[int, int]:
    """What belongs to the generation itself."""
    return s.published, s.published


def newest_or(value: int, fallback: int) -> int:
    return value if value > NO_TIME else fallback
