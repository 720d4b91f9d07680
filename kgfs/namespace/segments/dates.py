"""Variable segments of dates: years, months, and what is of a month."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from kgfs.namespace.route import Listed, Place
from kgfs.namespace.segments.rows import (
    Of,
    RowNames,
    Up,
)
from kgfs.namespace.snapshot import Snapshot


class Dated:
    """Rows of a domain by month."""

    def __init__(
        self, months: Callable[[Snapshot], dict[int, Any]], of: Callable[[Snapshot], memoryview], name: RowNames
    ):
        self.months, self.month_of, self.row_names = months, of, name


class Years:
    """Years in which something is dated: ``a`` is the year."""

    of: ClassVar[Of] = (None, None)

    def __init__(self, dated: Dated) -> None:
        self._dated = dated

    def list(self, s: Snapshot, a: int, b: int) -> Iterator[Listed]:
        years = sorted({month // 12 for month in self._dated.months(s) if month >= 0})
        return ((f"{year:04d}", year, 0, year) for year in years)

    def find_node(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
        return next(((year, 0) for shown, year, _, _ in self.list(s, a, b) if shown == name), None)

    def name(self, s: Snapshot, a: int, b: int) -> str:
        return f"{a:04d}"

    def up(self, s: Snapshot, a: int, b: int) -> Up:
        return None, 0, 0


class Months:
    """Months of a year: ``a`` is year * 12 + month - 1."""

    of: ClassVar[Of] = (None, None)

    def __init__(self, dated: Dated) -> None:
        self._dated = dated

    def list(self, s: Snapshot, a: int, b: int) -> Iterator[Listed]:
        found = (month for month in range(a * 12, a * 12 + 12) if month in self._dated.months(s))
        return ((f"{month % 12 + 1:02d}", month, 0, month) for month in found)

    def find_node(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
        return next(((month, 0) for shown, month, _, _ in self.list(s, a, b) if shown == name), None)

    def name(self, s: Snapshot, a: int, b: int) -> str:
        return f"{a % 12 + 1:02d}"

    def up(self, s: Snapshot, a: int, b: int) -> Up:
        return None, a // 12, 0


class OfMonth:
    """Rows of a month, or the undated ones: ``a`` is the row's id."""

    def __init__(self, dated: Dated, undated: bool = False) -> None:
        self._dated, self._undated = dated, undated
        self.of: Of = dated.row_names.of, None

    def list(self, s: Snapshot, a: int, b: int) -> Iterator[Listed]:
        ids, name = self._dated.row_names.domain(s).ids, self._dated.row_names.name
        members = self._dated.months(s).get(-1 if self._undated else a)
        for index in members.tolist() if members is not None else ():
            yield name(s, index), ids[index], 0, ids[index]

    def find_node(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
        index = self._dated.row_names.index_of(s, name)
        if index < 0 or self._dated.month_of(s)[index] != (-1 if self._undated else a):
            return None
        return self._dated.row_names.domain(s).ids[index], 0

    def name(self, s: Snapshot, a: int, b: int) -> str:
        return self._dated.row_names.name(s, self._dated.row_names.domain(s).index(a))

    def up(self, s: Snapshot, a: int, b: int) -> Up:
        return None, 0 if self._undated else self._dated.month_of(s)[self._dated.row_names.domain(s).index(a)], 0
