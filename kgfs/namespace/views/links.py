"""Where links lead: to the canonical place of a row, or always to one place."""

from __future__ import annotations

from collections.abc import Callable

from kgfs.names import name_bytes
from kgfs.namespace.domains import Domain
from kgfs.namespace.node import NodeRef
from kgfs.namespace.route import Stamp
from kgfs.namespace.snapshot import Snapshot
from kgfs.namespace.views.stamps import RowColumn, dated


class To:
    """A link to the canonical place of a row, dated as the row is."""

    def __init__(
        self,
        domain: Callable[[Snapshot], Domain],
        path: Callable[[Snapshot, int], str],
        lengths: Callable[[Snapshot], memoryview],
        by_sub: bool = False,
    ) -> None:
        """``path`` of an index of the domain, ``lengths`` the bytes of these paths; ``by_sub`` as in ``RowDates``."""
        self._domain, self._path, self._by_sub = domain, path, by_sub
        self.stamp = dated(domain, by_sub)
        self.length = RowColumn(domain, lengths, by_sub)

    def path(self, s: Snapshot, node: NodeRef) -> str:
        return self._path(s, self._domain(s).index(node.sub if self._by_sub else node.id))


class Computed:
    """What links have in common whose path is made when asked for."""

    def path(self, s: Snapshot, node: NodeRef) -> str:
        raise NotImplementedError

    def length(self, s: Snapshot, node: NodeRef) -> int:
        return len(name_bytes(self.path(s, node)))


class Fixed(Computed):
    """A link that always leads to one place."""

    def __init__(self, path: str, stamp: Stamp) -> None:
        self._path, self.stamp = path, stamp

    def path(self, s: Snapshot, node: NodeRef) -> str:
        return self._path
