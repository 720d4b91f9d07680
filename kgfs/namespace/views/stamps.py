"""Dates of what stands in the tree: mtime and ctime in microseconds, from columns of the snapshot."""

from __future__ import annotations

from collections.abc import Callable

from kgfs.namespace.domains import Domain
from kgfs.namespace.relations import NO_TIME
from kgfs.namespace.route import Stamp
from kgfs.namespace.snapshot import Snapshot


class _OfRow:
    """What a node shows of the row that it is about, out of a column of the row's domain."""

    def __init__(
        self, domain: Callable[[Snapshot], Domain], column: Callable[[Snapshot], memoryview], by_b: bool = False
    ) -> None:
        """``by_b``: the row id is the node's ``b``, else its ``a``."""
        self.domain, self.column, self.by_b = domain, column, by_b


class RowColumn(_OfRow):
    """A number."""

    def __call__(self, s: Snapshot, a: int, b: int) -> int:
        """``NotFoundError`` when the row is gone."""
        return self.column(s)[self.domain(s).index(b if self.by_b else a)]


class RowDates(_OfRow):
    """mtime (out of the column) and ctime."""

    def __call__(self, s: Snapshot, a: int, b: int) -> tuple[int, int]:
        """``NotFoundError`` when the row is gone."""
        rows = self.domain(s)
        index = rows.index(b if self.by_b else a)
        return self.column(s)[index], rows.ctime[index]


def dated(domain: Callable[[Snapshot], Domain], by_b: bool = False) -> RowDates:
    """The dates of a row itself."""
    return RowDates(domain, lambda s: domain(s).mtime, by_b)


def newest(domain: Callable[[Snapshot], Domain], column: str) -> RowDates:
    """A directory in a row's directory: its newest member's date."""
    return RowDates(domain, lambda s: s.newest[column])


def latest(kind: str = "all") -> Stamp:
    """A directory over the whole graph: the newest of a kind; changed with every generation."""
    return lambda s, a, b: (s.latest[kind], s.published)


def published(s: Snapshot, a: int, b: int) -> tuple[int, int]:
    """What belongs to the generation itself."""
    return s.published, s.published


def newest_or(value: int, fallback: int) -> int:
    return value if value > NO_TIME else fallback
