"""Dates of what stands in the tree: mtime and ctime in microseconds, from columns of the snapshot."""

from __future__ import annotations

from collections.abc import Callable

from kgfs.namespace.domains import Domain
from kgfs.namespace.node import NodeRef
from kgfs.namespace.relations import NO_TIME
from kgfs.namespace.route import Segment, Stamp
from kgfs.namespace.snapshot import Snapshot


class _OfRow:
    """What a node shows of the row that it is about, out of a column of the row's domain."""

    def __init__(
        self, domain: Callable[[Snapshot], Domain], column: Callable[[Snapshot], memoryview], by_sub: bool = False
    ) -> None:
        """``by_sub``: the row id is the node's ``sub``, else its ``id``."""
        self.domain, self.column, self.by_sub = domain, column, by_sub


class RowColumn(_OfRow):
    """A number."""

    def __call__(self, s: Snapshot, node: NodeRef) -> int:
        """``NotFoundError`` when the row is gone."""
        return self.column(s)[self.domain(s).index(node.sub if self.by_sub else node.id)]


class RowDates(_OfRow):
    """mtime (out of the column) and ctime."""

    def __call__(self, s: Snapshot, node: NodeRef) -> tuple[int, int]:
        """``NotFoundError`` when the row is gone."""
        rows = self.domain(s)
        index = rows.index(node.sub if self.by_sub else node.id)
        return self.column(s)[index], rows.ctime[index]


def dated(domain: Callable[[Snapshot], Domain], by_sub: bool = False) -> RowDates:
    """The dates of a row itself."""
    return RowDates(domain, lambda s: domain(s).mtime, by_sub)


def newest(domain: Callable[[Snapshot], Domain], column: str) -> RowDates:
    """A directory in a row's directory: its newest member's date."""
    return RowDates(domain, lambda s: s.newest[column])


def latest(kind: str = "all") -> Stamp:
    """A directory over the whole graph: the newest of a kind; changed with every generation."""
    return lambda s, node: (s.latest[kind], s.published)


def latest_beneath(kind: str, segment: Segment) -> Stamp:
    """The same of a directory of many; ``NotFoundError`` where it is gone."""

    def stamp(s: Snapshot, node: NodeRef) -> tuple[int, int]:
        segment.name(s, node)
        return s.latest[kind], s.published

    return stamp


def published(s: Snapshot, node: NodeRef) -> tuple[int, int]:
    """What belongs to the generation itself."""
    return s.published, s.published


def newest_or(value: int, fallback: int) -> int:
    return value if value > NO_TIME else fallback
