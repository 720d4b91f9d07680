"""What a new snapshot makes untrue of the nodes and names that a reader (the kernel) knows.

Used through ``Namespace.changed`` and ``appeared``, in the thread that invalidates. First whole columns are compared
(``differences``), then nodes of rows that differ are looked at one by one, so that what is reported is what changed.
Directories over the whole graph carry the generation's time and are reported each time.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np

from kgfs.errors import KgfsError, NotFoundError
from kgfs.namespace.differences import differing
from kgfs.namespace.node import ID_BITS, ID_MASK, ROW_SHIFT, Node, NodeRef, ref_of
from kgfs.namespace.route import Dir, File, Link, Row
from kgfs.namespace.snapshot import Snapshot
from kgfs.namespace.tree_reader import TreeReader


class Changes(NamedTuple):
    """What a reader must drop."""

    inodes: list[Node]
    """Nodes that are still there, with other attributes, bytes, target or listing."""
    entries: list[tuple[Node, str]]
    """Names that are gone, or lead to another node."""


def changed(tree: TreeReader, old: Snapshot, new: Snapshot, known: Iterable[Node]) -> Changes:
    """Compare what ``known`` nodes are in two snapshots."""
    inodes: list[Node] = []
    entries: list[tuple[Node, str]] = []
    was, now = _Standing(tree, old), _Standing(tree, new)
    for node in _candidates(tree, old, new, np.fromiter(known, np.int64)):
        if node == tree.root:
            inodes.append(node)
            continue
        row = tree.row(node)
        if row.asks:
            _query(tree, row, node, inodes, entries)
            continue
        before, after = was.place(node), now.place(node)
        if before is not None and before != after:
            entries.append(before)
        if after is not None and (before is None or not _same(tree, old, new, row, node)):
            inodes.append(node)
    return Changes(inodes, entries)


def appeared(tree: TreeReader, negatives: Iterable[tuple[Node, str]]) -> list[tuple[Node, str]]:
    """Those ``(directory, name)`` that resolve in the adopted snapshot."""
    found = []
    for node, name in negatives:
        try:
            tree.lookup_in(tree.view, node, name)
        except KgfsError:
            continue
        found.append((node, name))
    return found


def _candidates(tree: TreeReader, old: Snapshot, new: Snapshot, known: Any) -> list[Node]:
    """Known nodes that may have changed: of rows that differ, and of no row at all."""
    if not len(known):
        return []
    touched = differing(old, new)
    inodes = new.context.numbers.inode_of
    if inodes:  # a stored file's node has its inode, which may be another number than the item's
        known_as = [inodes[item] for item in touched["items"].tolist() if item in inodes]
        touched["items"] = np.concatenate([touched["items"], np.array(known_as, np.int64)])
    numbers, a, b = known >> ROW_SHIFT, known >> ID_BITS & ID_MASK, known & ID_MASK
    chosen = np.zeros(len(known), bool)
    for number in np.unique(numbers).tolist():
        here = numbers == number
        of_a, of_b = domains(tree.table.rows[number])
        if of_a is None:
            chosen |= here
            continue
        hit = np.isin(a, touched[of_a])
        if of_b is not None:
            hit |= np.isin(b, touched[of_b])
        chosen |= here & hit
    return known[chosen].tolist()  # type: ignore[no-any-return]


def domains(row: Row) -> tuple[str | None, str | None]:
    """The domains of the ids in a row's nodes; ``None`` where they are no row ids."""
    each: Row | None = row
    while each is not None and each.node_type.segment is None:
        each = each.parent
    if each is None or each.node_type.segment is None:
        return None, None
    return each.node_type.segment.of


class _Standing:
    """Where nodes stand in one snapshot."""

    def __init__(self, tree: TreeReader, s: Snapshot) -> None:
        self._tree, self._snapshot = tree, s
        self._places: dict[Node, tuple[Node, str] | None] = {}

    def place(self, node: Node) -> tuple[Node, str] | None:
        """A node's directory and name, if it is there: the name must lead back to it, and all above must stand."""
        upward = [node]
        while upward[-1] != self._tree.root and upward[-1] not in self._places:
            try:
                above, _ = self._tree.parent_in(self._snapshot, upward[-1])
            except KgfsError:
                break
            upward.append(above)
        # A path may be of any length: people nest directories as they like.
        for each in reversed(upward):
            if each != self._tree.root and each not in self._places:
                self._places[each] = self._find(each)
        return self._places[node]

    def _find(self, node: Node) -> tuple[Node, str] | None:
        try:
            above, name = self._tree.parent_in(self._snapshot, node)
            if above != self._tree.root and self._places[above] is None:
                return None
            return (above, name) if self._tree.lookup_in(self._snapshot, above, name) == node else None
        except KgfsError:
            return None


def _same(tree: TreeReader, old: Snapshot, new: Snapshot, row: Row, node: Node) -> bool:
    try:
        return _compared(tree, old, new, row, node)
    except NotFoundError:  # removed by a writer since it was found standing: the tree of stored files changes in place
        return False


def _compared(tree: TreeReader, old: Snapshot, new: Snapshot, row: Row, node: Node) -> bool:
    ref = ref_of(node)
    if isinstance(row.node_type, File):
        view = row.node_type.view
        if view.volatile:
            return True
        if view.lazy and not (view.ready(old, ref) and view.ready(new, ref)):
            return False
    if tree.attr_in(old, node) != tree.attr_in(new, node):
        return False
    if isinstance(row.node_type, Dir):  # it may be long
        both = zip_longest(tree.batches_in(old, node, 0), tree.batches_in(new, node, 0))
        return all(before == after for before, after in both)
    return _content(tree, old, row, node) == _content(tree, new, row, node)


def _content(tree: TreeReader, s: Snapshot, row: Row, node: Node) -> Hashable:
    ref = ref_of(node)
    if isinstance(row.node_type, File):
        return row.node_type.view.key(s, ref)
    return tree.target_in(s, node)


def _query(tree: TreeReader, row: Row, node: Node, inodes: list[Node], entries: list[tuple[Node, str]]) -> None:
    """A query is asked again in each generation: whatever was seen of its result goes."""
    inodes.append(node)
    if isinstance(row.node_type, Link) and row.parent is not None:
        ref = ref_of(node)
        name = tree.queries.last_link(ref.id, ref.sub)
        if name is not None:
            entries.append((row.parent.make(NodeRef(ref.id)), name))
