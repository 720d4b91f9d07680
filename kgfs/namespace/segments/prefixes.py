"""Variable segments of long lists: the beginnings of names, and the rows whose names begin so."""

from __future__ import annotations

from collections.abc import Iterator

from kgfs.namespace.domains import gone
from kgfs.namespace.node import NodeRef
from kgfs.namespace.pages import PageStore
from kgfs.namespace.prefixes import Prefixes
from kgfs.namespace.relations import Ints, flat
from kgfs.namespace.route import Above, Listed
from kgfs.namespace.segments.rows import Everything, PickSlugged, RowNames, Types
from kgfs.namespace.snapshot import Snapshot

_NAME = "by_prefix"
"""What the directory of these directories is called."""


class ByPrefix:
    """The rows of a domain by how their names begin; made in a thread (``Dir.lazy``)."""

    def __init__(self, row_names: RowNames, pick: PickSlugged) -> None:
        self.row_names, self._pick = row_names, pick

    def prefixes(self, s: Snapshot) -> Prefixes:
        return self._pick(s).by_prefix(s.names)

    def members(self, s: Snapshot, node: NodeRef) -> Ints:
        """The rows in the directory of a prefix, ``id``; ``NotFoundError`` where it is gone."""
        found = self.prefixes(s).members.get(node.id)
        if found is None:
            raise gone("prefix")
        return found

    def is_long(self, s: Snapshot, node: NodeRef) -> bool:
        """Whether the list is shown by prefix too."""
        return self._pick(s).is_long

    def is_free(self, s: Snapshot, node: NodeRef) -> bool:
        """The same where the rows themselves stand beside it: nothing has its name or had it."""
        rows = self._pick(s)
        return rows.is_long and _NAME not in rows.by_slug and _NAME not in rows.former.get("", {})

    def ready(self, s: Snapshot, node: NodeRef) -> bool:
        return self._pick(s).prefixes is not None

    def prepare(self, store: PageStore, s: Snapshot, node: NodeRef) -> None:
        self.prefixes(s)


class Beginnings(Types):
    """Directories of prefixes, sorted: ``id`` is the number of the prefix."""

    def __init__(self, by_prefix: ByPrefix) -> None:
        super().__init__(lambda s: by_prefix.prefixes(s).members, "prefix")
        self._by_prefix = by_prefix

    def list(self, s: Snapshot, node: NodeRef) -> Iterator[Listed]:
        keys = self._by_prefix.prefixes(s).keys
        return ((s.names.name(number), number, 0, key) for number, key in keys.items())


class Beginning(Everything):
    """Rows whose names begin so: ``id`` is the row's id."""

    def __init__(self, by_prefix: ByPrefix) -> None:
        super().__init__(by_prefix.row_names)
        self._by_prefix = by_prefix

    def _prefix_of(self, s: Snapshot, row_id: int) -> int:
        return int(self._by_prefix.prefixes(s).of[self._row_names.domain(s).index(row_id)])

    def list_behind(self, s: Snapshot, node: NodeRef, key: int) -> Iterator[Listed]:
        for name, row_id in self._row_names.named(s, flat(self._by_prefix.members(s, node)), key):
            yield name, row_id, 0, row_id

    def find_node(self, s: Snapshot, node: NodeRef, name: str) -> NodeRef | None:
        found = super().find_node(s, node, name)
        return found if found is not None and self._prefix_of(s, found.id) == node.id else None

    def up(self, s: Snapshot, node: NodeRef) -> Above:
        return None, NodeRef(self._prefix_of(s, node.id))
