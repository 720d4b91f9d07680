"""Variable segments of dates: years, months, and what is of a month."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from kgfs.namespace.node import NodeRef
from kgfs.namespace.relations import flat
from kgfs.namespace.route import Above, Listed, Long
from kgfs.namespace.segments.rows import Of, RowNames
from kgfs.namespace.snapshot import Snapshot


class Dated:
    """Rows of a domain by month."""

    def __init__(
        self, months: Callable[[Snapshot], dict[int, Any]], of: Callable[[Snapshot], memoryview], name: RowNames
    ):
        self.months, self.month_of, self.row_names = months, of, name


class Years:
    """Years in which something is dated: ``id`` is the year."""

    of: ClassVar[Of] = (None, None)

    def __init__(self, dated: Dated) -> None:
        self._dated = dated

    def list(self, s: Snapshot, node: NodeRef) -> Iterator[Listed]:
        years = sorted({month // 12 for month in self._dated.months(s) if month >= 0})
        return ((f"{year:04d}", year, 0, year) for year in years)

    def find_node(self, s: Snapshot, node: NodeRef, name: str) -> NodeRef | None:
        return next((NodeRef(year) for shown, year, _, _ in self.list(s, node) if shown == name), None)

    def name(self, s: Snapshot, node: NodeRef) -> str:
        return f"{node.id:04d}"

    def up(self, s: Snapshot, node: NodeRef) -> Above:
        return None, NodeRef()


class Months:
    """Months of a year: ``id`` is year * 12 + month - 1."""

    of: ClassVar[Of] = (None, None)

    def __init__(self, dated: Dated) -> None:
        self._dated = dated

    def list(self, s: Snapshot, node: NodeRef) -> Iterator[Listed]:
        found = (month for month in range(node.id * 12, node.id * 12 + 12) if month in self._dated.months(s))
        return ((f"{month % 12 + 1:02d}", month, 0, month) for month in found)

    def find_node(self, s: Snapshot, node: NodeRef, name: str) -> NodeRef | None:
        return next((NodeRef(month) for shown, month, _, _ in self.list(s, node) if shown == name), None)

    def name(self, s: Snapshot, node: NodeRef) -> str:
        return f"{node.id % 12 + 1:02d}"

    def up(self, s: Snapshot, node: NodeRef) -> Above:
        return None, NodeRef(node.id // 12)


class OfMonth(Long):
    """Rows of a month, or the undated ones: ``id`` is the row's id."""

    def __init__(self, dated: Dated, undated: bool = False) -> None:
        self._dated, self._undated = dated, undated
        self.of: Of = dated.row_names.of, None

    def list_behind(self, s: Snapshot, node: NodeRef, key: int) -> Iterator[Listed]:
        members = self._dated.months(s).get(-1 if self._undated else node.id)
        for name, row_id in self._dated.row_names.named(s, () if members is None else flat(members), key):
            yield name, row_id, 0, row_id

    def find_node(self, s: Snapshot, node: NodeRef, name: str) -> NodeRef | None:
        index = self._dated.row_names.index_of(s, name)
        if index < 0 or self._dated.month_of(s)[index] != (-1 if self._undated else node.id):
            return None
        return NodeRef(self._dated.row_names.domain(s).ids[index])

    def name(self, s: Snapshot, node: NodeRef) -> str:
        return self._dated.row_names.name(s, self._dated.row_names.domain(s).index(node.id))

    def up(self, s: Snapshot, node: NodeRef) -> Above:
        if self._undated:
            return None, NodeRef()
        return None, NodeRef(self._dated.month_of(s)[self._dated.row_names.domain(s).index(node.id)])
