"""The kinds of rows that the table of the tree is made of, and the trie that they compile to.

Used by ``tree`` (which lists the rows), ``namespace`` (which walks the trie) and the generator of ``docs/tree.md``. A
row is a *pattern* (``topics/<topic>/chunks/<chunk_id>``), its ``NodeType``, and one line of description. A
directory's pattern ends in ``/``. A last segment in ``<>`` has a ``Segment``: an object that lists names under a parent
and finds one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, Protocol

from kgfs.namespace.bodies import Body
from kgfs.namespace.node import ID_BITS, ROW_SHIFT, Node, NodeRef
from kgfs.namespace.pages import PageStore
from kgfs.namespace.relations import Ints
from kgfs.namespace.snapshot import Snapshot

Listed = tuple[str, int, int, int]
"""A name, the ``id`` and ``sub`` of its node, and a key below 2^56: unique in the listing, stable, and rising.

A plain tuple: a listing may have 100,000."""
Above = tuple[str | None, NodeRef]
"""The directory of a node, and its pattern where that is not the one that the row's pattern says."""
Stamp = Callable[[Snapshot, NodeRef], tuple[int, int]]
"""mtime and ctime in microseconds."""
When = Callable[[Snapshot, NodeRef], bool]
"""Whether a fixed name exists under this parent, given the parent."""


class Scope(NamedTuple):
    """What a directory is about, by kind, as indexes of the snapshot's domains in rising order; ``None`` is all."""

    chunks: Ints | None = None
    facts: Ints | None = None
    entities: Ints | None = None
    topics: Ints | None = None
    documents: Ints | None = None


ScopeOf = Callable[[Snapshot, NodeRef], Scope]

KEY_BITS = 56
FIRST_OFFSET = 3
"""Offsets of fixed names begin here; 0 to 2 are the reader's."""


class Prepared(Protocol):
    """What may have to be made in a thread before it can be looked at."""

    def ready(self, s: Snapshot, node: NodeRef) -> bool:
        """Whether it is made."""

    def prepare(self, store: PageStore, s: Snapshot, node: NodeRef) -> None:
        """Make it (blocks)."""


class View(Prepared, Protocol):
    """How one kind of file comes to its size and bytes. It is made when its size is known.

    ``size``, ``stamp``, ``key`` and ``peek`` run on the event loop and touch nothing but memory; ``load`` and
    ``prepare`` run in a thread.
    """

    lazy: ClassVar[bool]
    """Whether ``prepare`` must have run before the size is known."""
    volatile: ClassVar[bool]
    """Whether it changes without a new generation."""

    def size(self, s: Snapshot, node: NodeRef) -> int:
        """Bytes that a read returns in all."""

    def stamp(self, s: Snapshot, node: NodeRef) -> tuple[int, int]:
        """mtime and ctime in microseconds."""

    def key(self, s: Snapshot, node: NodeRef) -> Hashable:
        """Equal in two snapshots only where the bytes are equal."""

    def peek(self, store: PageStore, s: Snapshot, node: NodeRef) -> Body | None:
        """The body, if it is in memory."""

    def load(self, store: PageStore, s: Snapshot, node: NodeRef) -> Body:
        """The body, read with its neighbours. ``StaleSnapshotError`` where a commit was faster."""


class Segment(Protocol):
    """A variable segment of a path. ``list`` and ``find_node`` take the parent, the rest the node itself."""

    @property
    def of(self) -> tuple[str | None, str | None]:
        """The snapshot's domains whose row ids ``id`` and ``sub`` are, ``None`` where they are something else."""

    def list(self, s: Snapshot, node: NodeRef) -> Iterable[Listed]:
        """All names under a parent, keys rising."""

    def find_node(self, s: Snapshot, node: NodeRef, name: str) -> NodeRef | None:
        """One name under a parent, or ``None``."""

    def name(self, s: Snapshot, node: NodeRef) -> str:
        """The name that this node stands under; ``NotFoundError`` when what it names is gone."""

    def up(self, s: Snapshot, node: NodeRef) -> Above:
        """The node above."""


class Long:
    """What a segment has that may list very many names: it can begin anywhere, and makes each name as it is taken."""

    def list(self, s: Snapshot, node: NodeRef) -> Iterable[Listed]:
        """All names under a parent, keys rising."""
        return self.list_behind(s, node, -1)

    def list_behind(self, s: Snapshot, node: NodeRef, key: int) -> Iterable[Listed]:
        """Those with a greater key, without a look at each of the others."""
        raise NotImplementedError


class Target(Protocol):
    """Where a link leads."""

    def path(self, s: Snapshot, node: NodeRef) -> str:
        """From the mount's root."""

    def length(self, s: Snapshot, node: NodeRef) -> int:
        """Bytes of that path."""

    def stamp(self, s: Snapshot, node: NodeRef) -> tuple[int, int]:
        """mtime and ctime of the link: those of what it leads to."""


@dataclass(frozen=True, kw_only=True)
class Dir:
    """A directory."""

    stamp: Stamp
    segment: Segment | None = None
    size: Callable[[Snapshot, NodeRef], int] | None = None
    when: When | None = None
    like: str | None = None
    """The pattern of the row that this one's nodes belong to: a tree inside the tree."""
    hidden: bool = False
    """Answers to a lookup and is not listed."""
    lazy: Prepared | None = None
    """What must be ready before its variable names are known."""
    scope: ScopeOf | None = None
    """What it is about; ``None`` where that is what the directory above is about."""
    mode: Callable[[Snapshot, NodeRef], int] | None = None
    atime: Callable[[Snapshot, NodeRef], int | None] | None = None
    """Where somebody may have set it."""


EVERYWHERE: tuple[str, ...] = ("<any>/",)
"""In each directory of the graph."""


@dataclass(frozen=True, kw_only=True)
class Area(Dir):
    """A directory whose paths are queries; recursive tools find nothing to fall into."""

    inside: tuple[str, ...] | None = None
    """Patterns of the directories that answer to its name, beside the root, which lists it unless it is ``hidden``;
    ``None`` where what is beneath it are no queries."""


@dataclass(frozen=True, kw_only=True)
class Submounted(Dir):
    """A directory in which a mount shows another file system; elsewhere nothing is in it. Query names mean nothing
    there."""


@dataclass(frozen=True, kw_only=True)
class File:
    """A regular file, whose bytes and size a view knows."""

    view: View
    stored: bool = False
    """Whether it is a stored file, which may be a symbolic link."""
    late: bool = False
    """Whether a listing names it before its size is known. A program that asks for the size has it made."""
    segment: Segment | None = None
    when: When | None = None
    hidden: bool = False
    mode: Callable[[Snapshot, NodeRef], int] | None = None
    atime: Callable[[Snapshot, NodeRef], int | None] | None = None
    """Where somebody may have set it."""
    passing: When | None = None
    """Whether, given the node itself, it may change without a new generation."""
    inside: tuple[str, ...] | None = None
    """As an ``Area``'s: ``id`` is then the number of the directory that it stands in."""


@dataclass(frozen=True, kw_only=True)
class Link:
    """A symbolic link, relative and inside the mount."""

    to: Target
    segment: Segment | None = None
    when: When | None = None
    passing: When | None = None
    """Whether, given the node itself, it may change without a new generation."""


NodeType = Dir | File | Link


@dataclass(eq=False)
class Row:
    """One row of the table. What follows ``description`` is filled in by ``compile_rows``."""

    pattern: str
    node_type: NodeType
    description: str
    number: int = 0
    parent: Row | None = None
    name: str = ""
    node_row: int = 0
    """The number in this row's nodes: its own, or that of the row that it is like."""
    depth: int = 0
    """Directories above its directory, or -1 where that depends on the node."""
    literals: dict[str, list[Row]] = field(default_factory=dict)
    segments: list[tuple[int, Row, Segment]] = field(default_factory=list)
    """Variable names, each with the offset behind which its own begin."""
    listed_segments: list[tuple[int, Row, Segment]] = field(default_factory=list)
    """Those of them that are listed."""
    listed: list[tuple[int, Row]] = field(default_factory=list)
    """Fixed names in order, each with its offset."""
    lazy: list[Row] = field(default_factory=list)
    """Fixed names whose size must be worked out before they are shown."""
    unlisted_lazy: list[Row] = field(default_factory=list)
    """The same among the names that are not listed, or late: a listing need not wait for them."""
    lazy_segments: list[tuple[Row, Segment]] = field(default_factory=list)
    """The same among the variable ones."""
    asks: bool = False
    """Whether ``id`` of its nodes is the number of a query or of the directory that is asked about."""
    stores: bool = False
    """Whether its nodes are stored files, of which some are symbolic links."""
    areas: dict[str, Row] = field(default_factory=dict)
    """What else a directory answers to, and does not list: areas that stand at the root too."""

    @property
    def inside(self) -> tuple[str, ...] | None:
        """As its ``Area`` or ``File`` has it."""
        return getattr(self.node_type, "inside", None)

    @property
    def kind(self) -> str:
        return "f" if isinstance(self.node_type, File) else "l" if isinstance(self.node_type, Link) else "d"

    def make(self, ref: NodeRef) -> Node:
        return self.node_row << ROW_SHIFT | ref.id << ID_BITS | ref.sub


class Table(NamedTuple):
    """The compiled table: rows by number (holes are ``None``) and by pattern."""

    rows: list[Row]
    by_pattern: dict[str, Row]


def compile_rows(given: Iterable[tuple[str, NodeType, str]], links: bool = True) -> Table:
    """Number the rows and connect each with its parent. ``links=False`` leaves links out, and directories of nothing
    else."""
    rows = [Row(*each) for each in given]
    if not links:
        rows = _without_links(rows)
    by_pattern = {row.pattern: row for row in rows}
    for number, row in enumerate(rows):
        row.number = row.node_row = number
        row.stores = isinstance(row.node_type, File) and row.node_type.stored
        head, _, row.name = row.pattern.rstrip("/").rpartition("/")
        if row.pattern != "/":
            row.parent = by_pattern[f"{head}/"] if head else by_pattern["/"]
    _attach_areas(rows)
    deep = {row.node_type.like for row in rows if isinstance(row.node_type, Dir) and row.node_type.like is not None}
    above_deep = {row.parent.pattern for row in rows if row.parent is not None and _is_like_itself(row)}
    for row in rows:
        above: Row | None = row
        # A tree of any depth may stand beside a row of names that are found, so that the row may stand in it too.
        while above is not None and above.pattern not in deep:
            if above.parent is not None and above.parent.pattern in above_deep and above.node_type.segment is not None:
                break
            above = above.parent
        row.depth = row.pattern.rstrip("/").count("/") if above is None and not row.asks else -1
        if isinstance(row.node_type, Dir) and row.node_type.like is not None:
            row.node_row = by_pattern[row.node_type.like].number
        if row.parent is not None and (row.inside is None or _root_lists(row)):
            _attach(row.parent, row)
            # A directory of the same shape at any depth: what stands beside it stands beneath it too.
            if _is_like_itself(row):
                for sibling in rows:
                    if sibling.parent is row.parent and sibling.node_type.segment is not None:
                        _attach(row, sibling)
    return Table(rows, by_pattern)


def _attach_areas(rows: list[Row]) -> None:
    """Mark the rows of queries, and tell each directory of the graph which of them it answers to."""
    for row in rows:  # parents come before their children
        row.asks = row.inside is not None or (row.parent is not None and row.parent.asks)
    areas = [row for row in rows if row.inside is not None]
    for row in rows:
        if not isinstance(row.node_type, Dir) or row.pattern.startswith(("@", ".")):
            continue
        if isinstance(row.node_type, Submounted):
            continue
        for area in areas:
            there = area.inside is EVERYWHERE or row.pattern in (area.inside or ())
            if there and (row.parent is not None or not _root_lists(area)):
                row.areas[area.name] = area


def _root_lists(area: Row) -> bool:
    return isinstance(area.node_type, Dir) and not area.node_type.hidden


def _is_like_itself(row: Row) -> bool:
    """Whether it is a tree of directories of one shape, of any depth."""
    return isinstance(row.node_type, Dir) and row.node_type.like == row.pattern


def _attach(parent: Row, row: Row) -> None:
    position = sum(map(len, parent.literals.values())) + len(parent.segments)
    if row.node_type.segment is not None:
        if all(known is not row for _, known, _ in parent.segments):
            entry = (position + 1 << KEY_BITS, row, row.node_type.segment)
            parent.segments.append(entry)
            if not getattr(row.node_type, "hidden", False):
                parent.listed_segments.append(entry)
            if isinstance(row.node_type, File) and row.node_type.view.lazy:
                parent.lazy_segments.append((row, row.node_type.segment))
        return
    parent.literals.setdefault(row.name, []).append(row)
    if not getattr(row.node_type, "hidden", False):
        parent.listed.append((FIRST_OFFSET + position, row))
    if isinstance(row.node_type, File) and row.node_type.view.lazy:
        waits = not (row.node_type.hidden or row.node_type.late)
        (parent.lazy if waits else parent.unlisted_lazy).append(row)


def _without_links(rows: list[Row]) -> list[Row]:
    """Rows that are no link and, of directories, those beneath which something is left."""
    kept = [row for row in rows if not isinstance(row.node_type, Link)]
    while True:
        used = {row.pattern.rstrip("/").rpartition("/")[0] + "/" for row in kept}
        emptied = [
            row
            for row in kept
            if isinstance(row.node_type, Dir)
            and row.pattern not in used
            and row.pattern != "/"
            and row.node_type.like is None
            and any(other.pattern.startswith(row.pattern) and other is not row for other in rows)
        ]
        if not emptied:
            return kept
        kept = [row for row in kept if row not in emptied]
