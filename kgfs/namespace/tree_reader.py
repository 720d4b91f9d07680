"""The tree over a snapshot: from a node to names, attributes, listings and link targets, by the table.

``Namespace`` is a ``TreeReader``; the query engines and ``changes`` read through one, of any snapshot that they are
given. Reads memory only, in microseconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from typing import NamedTuple

from kgfs.errors import NotADirectory, NotFoundError, StoreError, UsageError
from kgfs.namespace import attributes, node, scope
from kgfs.namespace.node import ID_BITS, ID_MASK, ROW_SHIFT, Node, NodeRef, ref_of
from kgfs.namespace.queries.areas import Words
from kgfs.namespace.queries.query_cache import QueryCache
from kgfs.namespace.route import KEY_BITS, Dir, File, Link, Listed, Long, Row, Scope, Segment, Submounted, Table
from kgfs.namespace.snapshot import Snapshot

NS = 1_000
"""Nanoseconds in a microsecond."""
BATCH = 256
"""How many entries of a listing are made at once: a few more than a reply to the kernel holds."""
_MODES = {"d": attributes.DIRECTORY_MODE, "f": attributes.FILE_MODE, "l": attributes.LINK_MODE}


class Attr(NamedTuple):
    """What ``stat`` shows."""

    kind: str
    """``d``, ``f`` or ``l``."""
    size: int
    mtime_ns: int
    ctime_ns: int
    mode: int
    """Permission bits, without the kind."""
    nlink: int
    volatile: bool = False
    """It may change without a new generation: nobody may keep these attributes."""
    atime_ns: int | None = None
    """Where somebody set it; else it is ``mtime_ns``."""


class Entry(NamedTuple):
    """One name of a listing."""

    name: str
    node: Node
    offset: int
    """Unique in the directory, stable while the name lives, rising through the listing, at least 3."""


def _listed_behind(s: Snapshot, ref: NodeRef, segment: Segment, key: int) -> Iterator[Listed]:
    """What a segment lists behind a key; a negative one is before all."""
    if key < 0:
        return iter(segment.list(s, ref))
    if key >> KEY_BITS:
        return iter(())
    if isinstance(segment, Long):
        return iter(segment.list_behind(s, ref, key))
    return (listed for listed in segment.list(s, ref) if listed[3] > key)


def _atime(node_type: Dir | File, s: Snapshot, ref: NodeRef) -> int | None:
    atime = None if node_type.atime is None else node_type.atime(s, ref)
    return None if atime is None else atime * NS


class TreeReader:
    """The table, and what its nodes are in a snapshot."""

    def __init__(self, table: Table, queries: QueryCache) -> None:
        self.root: Node = node.ROOT
        self.table = table
        self.queries = queries
        self.view: Snapshot
        """The adopted snapshot."""
        self._rows = table.rows
        self._kinds = [(row.kind, _MODES[row.kind]) for row in self._rows]

    def row(self, node_: Node) -> Row:
        """The row of the table that a node belongs to."""
        number = node_ >> ROW_SHIFT
        if number >= len(self._rows):
            raise NotFoundError("There is no such place.")
        return self._rows[number]

    def kind_in(self, s: Snapshot, node_: Node) -> str:
        """``d``, ``f`` or ``l``."""
        row = self.row(node_)
        return "l" if row.stores and node_ >> ID_BITS & ID_MASK in s.context.targets else row.kind

    def lookup_in(self, s: Snapshot, node_: Node, name: str) -> Node:
        """``lookup`` in a given snapshot."""
        row = self.row(node_)
        ref = ref_of(node_)
        literals = row.literals.get(name)
        if literals is not None:
            for child in literals:
                when = child.node_type.when
                if when is None or when(s, ref):
                    return child.make(ref)
        for _, child, segment in row.segments:
            found = segment.find_node(s, ref, name)
            if found is not None:
                return child.make(found)
        area = row.areas.get(name)
        if area is not None:
            return area.make(NodeRef(self.queries.area(area.pattern, node_)))
        if row.kind != "d":
            raise NotADirectory(f"/{self.path_in(s, node_)} is not a directory.")
        refusals = (segment.refusal(s, name) for _, _, segment in row.segments if isinstance(segment, Words))
        missing = NotFoundError(f"There is no {name!r} in /{self.path_in(s, node_)}.")
        raise next((refusal for refusal in refusals if refusal is not None), missing)

    def entries_in(self, s: Snapshot, node_: Node) -> list[Entry]:
        """``entries`` in a given snapshot."""
        return list(chain.from_iterable(self.batches_in(s, node_, 0)))

    def batches_in(self, s: Snapshot, node_: Node, after: int) -> Iterator[list[Entry]]:
        """``batches`` in a given snapshot."""
        row = self.row(node_)
        if row.kind != "d":
            raise NotADirectory(f"/{self.path_in(s, node_)} is not a directory.")
        ref = ref_of(node_)
        self._check(s, row, ref)
        return self._batches(s, row, ref, after)

    def _batches(self, s: Snapshot, row: Row, ref: NodeRef, after: int) -> Iterator[list[Entry]]:
        found: list[Entry] = []
        make = tuple.__new__
        for offset, child in row.listed:
            when = child.node_type.when
            if offset > after and (when is None or when(s, ref)):
                found.append(Entry(child.name, child.make(ref), offset))
        for base, child, segment in row.listed_segments:
            shifted = child.node_row << ROW_SHIFT
            listed = _listed_behind(s, ref, segment, after - base)
            while True:
                found += [
                    # Three times as quick as ``Entry(…)``, which counts where there are 100,000.
                    make(Entry, (name, shifted | id_ << ID_BITS | sub, base | key))
                    for name, id_, sub, key in islice(listed, max(BATCH - len(found), 0))
                ]
                if len(found) < BATCH:
                    break
                yield found
                found = []
        if found:
            yield found

    def _check(self, s: Snapshot, row: Row, ref: NodeRef) -> None:
        """``NotFoundError`` where what a directory is about is gone."""
        if isinstance(row.node_type, Dir):
            row.node_type.stamp(s, ref)

    def parent_in(self, s: Snapshot, node_: Node) -> tuple[Node, str]:
        """``parent`` in a given snapshot."""
        row = self.row(node_)
        if row.parent is None:
            return self.root, ""
        ref = NodeRef(node_ >> ID_BITS & ID_MASK, node_ & ID_MASK)
        segment = row.node_type.segment
        if row.inside is not None and ref.id:
            return self.queries.scope(ref.id), row.name
        if segment is None:
            above = row.parent
            return (self.root if above.parent is None else above.make(ref)), row.name
        name = segment.name(s, ref)
        pattern, above_ref = segment.up(s, ref)
        above = row.parent if pattern is None else self.table.by_pattern[pattern]
        return (self.root if above.parent is None else above.make(above_ref)), name

    def path_in(self, s: Snapshot, node_: Node) -> str:
        """``path`` in a given snapshot."""
        parts: list[str] = []
        while node_ != self.root:
            node_, name = self.parent_in(s, node_)
            parts.append(name)
        return "/".join(reversed(parts))

    def attr_in(self, s: Snapshot, node_: Node) -> Attr:
        """``attr`` in a given snapshot."""
        number = node_ >> ROW_SHIFT
        columns = s.columns.get(number, False)
        if columns is False:
            columns = s.columns[number] = attributes.columns(self.row(node_), s)
        if columns is not None:
            domain, shift, sizes, more, mtimes, ctimes = columns
            index = domain.index(node_ >> shift & ID_MASK)
            kind, mode = self._kinds[number]
            size = more if sizes is None else sizes[index] + more
            return Attr(kind, size, mtimes[index] * NS, ctimes[index] * NS, mode, 1)
        row = self.row(node_)
        node_type = row.node_type
        ref = NodeRef(node_ >> ID_BITS & ID_MASK, node_ & ID_MASK)
        kind, mode = self._kinds[number]
        if isinstance(node_type, Dir):
            mtime, ctime = node_type.stamp(s, ref)
            size = 0 if node_type.size is None else node_type.size(s, ref)
            if node_type.mode is not None:
                mode = node_type.mode(s, ref)
            # What stands there has attributes of its own, which the reader may ask for.
            volatile = isinstance(node_type, Submounted)
            return Attr(kind, size, mtime * NS, ctime * NS, mode, 1, volatile, _atime(node_type, s, ref))
        if isinstance(node_type, File):
            view = node_type.view
            mtime, ctime = view.stamp(s, ref)
            if node_type.mode is not None:
                mode = node_type.mode(s, ref)
            volatile = view.volatile or (node_type.passing is not None and node_type.passing(s, ref))
            atime = _atime(node_type, s, ref)
            links = 1
            if row.stores:
                links = int(ref.id in s.context.place)  # somebody has it open whose name is gone
                if ref.id in s.context.targets:
                    kind, mode = "l", attributes.LINK_MODE
            return Attr(kind, view.size(s, ref), mtime * NS, ctime * NS, mode, links, volatile, atime)
        mtime, ctime = node_type.to.stamp(s, ref)
        size = attributes.UP * self._depth(s, row, node_) + node_type.to.length(s, ref)
        volatile = node_type.passing is not None and node_type.passing(s, ref)
        return Attr(kind, size, mtime * NS, ctime * NS, mode, 1, volatile)

    def target_in(self, s: Snapshot, node_: Node) -> str:
        """``target`` in a given snapshot."""
        row = self.row(node_)
        if row.stores:
            target = s.context.targets.get(node_ >> ID_BITS & ID_MASK)
            if target is not None:
                return target  # as somebody made it: wherever it leads, it is not ours
        if not isinstance(row.node_type, Link):
            raise UsageError(f"/{self.path_in(s, node_)} is not a link.")
        path = row.node_type.to.path(s, NodeRef(node_ >> ID_BITS & ID_MASK, node_ & ID_MASK))
        if ".." in path.split("/"):  # a row of a store that somebody else made: a link never leaves the mount
            raise StoreError(
                f"/{self.path_in(s, node_)} would lead out of the tree, so it is not followed; run `kgfs fsck`."
            )
        return "../" * self._depth(s, row, node_) + path

    def _depth(self, s: Snapshot, row: Row, node_: Node) -> int:
        """Directories above a node's directory: those of the pattern, unless rows of any depth stand above."""
        if row.depth >= 0:
            return row.depth
        if not row.asks:
            return self.path_in(s, node_).count("/")
        # The links of an answer all stand equally deep, and there may be thousands.
        query = node_ >> ID_BITS
        depth = s.depths.get(query)
        if depth is None:
            depth = s.depths[query] = self.path_in(s, node_).count("/")
        return depth

    def scope_of(self, s: Snapshot, node_: Node) -> Scope:
        """What a directory is about (``scope``); ``NotFoundError`` where it is gone."""
        return scope.of(s, node_, self.row(node_))
