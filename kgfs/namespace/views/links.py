"""Where links lead: to the canonical place of a row, or always to one place."""

from __future__ import annotations

from collections.abc import Callable

from kgfs.namespace.domains import Domain
from kgfs.namespace.route import Stamp
from kgfs.namespace.snapshot import Snapshot
from kgfs.namespace.views.stamps import Pick, owner_a


class To:
    """A link to the canonical place of a row."""

    def __init__(
        self, domain: Callable[[Snapshot], Domain], path: Callable[[Snapshot, int], str], pick: Pick | None = None
    ) -> None:
        self._domain, self._path = domain, path
        self._pick: Pick = pick or owner_a(domain)

    def path(self, s: Snapshot, a: int, b: int) -> str:
        return self._path(s, self._pick(s, a, b))

    def stamp(self, s: Snapshot, a: int, b: int) -> tuple[int, int]:
        domain, index = self._domain(s), self._pick(s, a, b)
        return domain.mtime[index], domain.ctime[index]


class Fixed:
    """A link that always leads to one place."""

    def __init__(self, path: str, stamp: Stamp) -> None:
        self._path, self.stamp = path, stamp

    def path(self, s: Snapshot, a: int, b: int) -> str:
        return self._path
