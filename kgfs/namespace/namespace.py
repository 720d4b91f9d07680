"""The tree's face: from a node (an integer) to names, attributes, listings, link targets and bytes.

Used by every door: the mount's operations, the commands and later the agent's tools. Pure: no FUSE, no event loop.
Which thread: ``prepare``, ``load``, ``load_snapshot`` and ``changed`` may block and belong in a thread; all else
reads memory only, in microseconds, and may run on the event loop. ``adopt`` swaps the snapshot: callers that look at
several things in a row do so with nothing in between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from kgfs.errors import IsADirectory, KgfsError, NotADirectory, NotFoundError, StoreError, UsageError
from kgfs.namespace import attributes, changes, node, scope
from kgfs.namespace.bodies import Body, View
from kgfs.namespace.changes import Changes
from kgfs.namespace.context_tree import Directory, DirectoryRow, FileNumbers, StoredFile
from kgfs.namespace.histories import Histories
from kgfs.namespace.journal import Journal
from kgfs.namespace.node import ID_BITS, ID_MASK, ROW_SHIFT, Node, NodeRef, NumberedNames, ref_of
from kgfs.namespace.pages import DEFAULT_CACHE_BYTES, PageStore
from kgfs.namespace.queries.areas import Words
from kgfs.namespace.queries.engines import engines
from kgfs.namespace.queries.query_cache import QueryCache
from kgfs.namespace.queries.search import Searcher
from kgfs.namespace.route import Dir, File, Link, Row, Scope
from kgfs.namespace.snapshot import Snapshot
from kgfs.namespace.tree import table
from kgfs.namespace.views.status import NoStatus, StatusSource
from kgfs.namespace.xattrs import Unindexed, decoded, xattrs
from kgfs.store.database import Database

MAX_HOPS = 40
"""Links that ``resolve`` follows before it gives up, as the kernel does."""
_MODES = {"d": attributes.DIRECTORY_MODE, "f": attributes.FILE_MODE, "l": attributes.LINK_MODE}
_NS = 1_000
"""Nanoseconds in a microsecond."""


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


class Shown(NamedTuple):
    """Attributes of neighbours in a listing that are all of one kind."""

    like: Attr
    """Kind, mode, links and ``volatile`` of all of them; the rest is of the first."""
    first: int
    last: int
    """Places in the listing, the last one excluded."""
    sizes: Sequence[int]
    mtimes_ns: Sequence[int]
    ctimes_ns: Sequence[int]


def _atime(node_type: Dir | File, s: Snapshot, ref: NodeRef) -> int | None:
    atime = None if node_type.atime is None else node_type.atime(s, ref)
    return None if atime is None else atime * _NS


class Namespace:
    """The whole tree over one store."""

    def __init__(
        self,
        database: Database,
        *,
        searcher: Searcher | None = None,
        status: StatusSource | None = None,
        links: bool = True,
        path_prefix: str | Callable[[], str] = "/kg",
        failed: Callable[[KgfsError], None] = lambda error: None,
        cache_bytes: int = DEFAULT_CACHE_BYTES,
    ) -> None:
        """``links=False`` is ``--no-links``. ``path_prefix`` stands before ``path`` in search results (the mountpoint).

        ``failed`` is told of queries that could not be answered (for ``last_error.txt``). Call
        ``adopt(load_snapshot())`` next.
        """
        self.root: Node = node.ROOT
        self.links = links
        self.status: StatusSource = status or NoStatus()
        self.volatile: dict[object, tuple[bytes, int, float]] = {}
        prefix = path_prefix
        self.queries = QueryCache(engines(searcher, prefix if callable(prefix) else lambda: prefix), failed)
        self.store = PageStore(database, cache_bytes)
        self.histories = Histories(database)
        self.unindexed = Unindexed()
        """Which stored files wait for the index; the service says so, as far as it knows."""
        self.names = NumberedNames()
        self.numbers = FileNumbers()
        self.journal = Journal()
        self.drafts: Mapping[int, Body] = {}
        """Inode to the body of a file that somebody is writing; ``kgfs.drives`` puts its own here."""
        self.overwritten: Callable[[int], None] = lambda inode: None
        """Told of a file that somebody has open and a job has written; ``kgfs.drives`` puts its own here."""
        self.table = table(links)
        self._rows = self.table.rows
        self._asking = {row.number for row in self._rows if row.asks}
        self._interning = {
            row.number for row in self._rows if row.inside is not None or isinstance(row.node_type.segment, Words)
        }
        self._context_rows = tuple(
            self.table.by_pattern[pattern].node_row
            for pattern in ("context/<drive>/", "context/<drive>/<path>/", "context/<drive>/<path>")
        )
        self._kinds = [(row.kind, _MODES[row.kind]) for row in self._rows]
        self.view: Snapshot

    # --- snapshots --------------------------------------------------------------------------------------------------

    def load_snapshot(self) -> Snapshot:
        """The store's newest published state (blocks). Load after ``publish``, before anything else is written."""
        position = self.journal.position
        with self.store.database.read(snapshot=True) as cursor:
            snapshot = Snapshot(cursor, self.names, self.numbers)
        snapshot.position = position
        snapshot.host = self
        return snapshot

    def adopt(self, snapshot: Snapshot) -> bool:
        """Show this snapshot from now on, with all that was written since it was loaded; False if a newer one is shown
        already."""
        with self.journal.lock:
            shown = getattr(self, "view", None)
            if not self.journal.catch_up(snapshot, shown):
                return False
            self.view = snapshot
            for inode in snapshot.overwritten:
                self.overwritten(inode)
        self.forget_volatile()
        return True

    def forget_volatile(self) -> None:
        """What ``@status`` says is made anew at the next look (any thread).

        By another dictionary: what is being made meanwhile goes into the former one, where nobody finds it.
        """
        self.volatile = {}

    def note_unindexed(self, ask: Callable[[], frozenset[int]]) -> None:
        """Take over which stored files wait for the index (row ids; ``ask`` blocks)."""
        serial = max((file.serial for file in list(self.view.context.live.values())), default=0)
        self.unindexed = Unindexed(ask(), serial)

    def changed(self, old: Snapshot, new: Snapshot, known: Iterable[Node]) -> Changes:
        """What of the nodes that a reader knows is no longer true: inodes to drop, names to drop (may take a while)."""
        return changes.changed(self, old, new, known)

    def appeared(self, negatives: Iterable[tuple[Node, str]]) -> list[tuple[Node, str]]:
        """Of names that a reader knows to be missing, those that are there now."""
        return changes.appeared(self, negatives)

    # --- names ------------------------------------------------------------------------------------------------------

    def row(self, node_: Node) -> Row:
        """The row of the table that a node belongs to."""
        number = node_ >> ROW_SHIFT
        if number >= len(self._rows):
            raise NotFoundError("There is no such place.")
        return self._rows[number]

    def lookup(self, node_: Node, name: str) -> Node:
        """The node of a name in a directory; ``NotFoundError``, ``NotADirectory``."""
        return self.lookup_in(self.view, node_, name)

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
            raise NotADirectory(f"/{self.path(node_)} is not a directory.")
        refusals = (segment.refusal(name) for _, _, segment in row.segments if isinstance(segment, Words))
        missing = NotFoundError(f"There is no {name!r} in /{self.path(node_)}.")
        raise next((refusal for refusal in refusals if refusal is not None), missing)

    def entries(self, node_: Node) -> list[Entry]:
        """The whole listing of a directory, offsets rising."""
        return self.entries_in(self.view, node_)

    def entries_in(self, s: Snapshot, node_: Node) -> list[Entry]:
        """``entries`` in a given snapshot."""
        row = self.row(node_)
        if row.kind != "d":
            raise NotADirectory(f"/{self.path(node_)} is not a directory.")
        ref = ref_of(node_)
        self._check(s, row, ref)
        found: list[Entry] = []
        make = tuple.__new__
        for offset, child in row.listed:
            when = child.node_type.when
            if when is None or when(s, ref):
                found.append(Entry(child.name, child.make(ref), offset))
        for base, child, segment in row.segments:
            shifted = child.node_row << ROW_SHIFT
            found += [
                # Three times as quick as ``Entry(…)``, which counts where there are 100,000.
                make(Entry, (name, shifted | id_ << ID_BITS | sub, base | key))
                for name, id_, sub, key in segment.list(s, ref)
            ]
        return found

    def _check(self, s: Snapshot, row: Row, ref: NodeRef) -> None:
        """``NotFoundError`` where what a directory is about is gone."""
        if isinstance(row.node_type, Dir):
            row.node_type.stamp(s, ref)

    def is_directory_of_files(self, node_: Node) -> bool:
        """Whether a node is a directory of stored files, gone or not."""
        return node_ >> ROW_SHIFT in self._context_rows[:2]

    def directory(self, node_: Node) -> Directory | None:
        """The directory of stored files that a node is; ``None`` where it is something else, or gone."""
        if not self.is_directory_of_files(node_):
            return None
        return self.view.context.by_key.get(node_ & ((1 << ROW_SHIFT) - 1))

    def stored(self, node_: Node) -> int | None:
        """The inode of the stored file that a node is; ``None`` where it is something else."""
        return node_ >> ID_BITS & ID_MASK if node_ >> ROW_SHIFT == self._context_rows[2] else None

    def node_of(self, stored: Directory | int) -> Node:
        """The node of a stored file, given by its inode, or of a directory of them."""
        drive, directory, file = self._context_rows
        if isinstance(stored, int):
            return file << ROW_SHIFT | stored << ID_BITS
        return (drive if stored.parent is None else directory) << ROW_SHIFT | stored.key

    def serial(self, node_: Node) -> int:
        """A number that changes when a stored file's bytes do within a generation."""
        stored = self.stored(node_)
        live = None if stored is None else self.view.context.live.get(stored)
        return 0 if live is None else live.serial

    def edition(self, node_: Node) -> int:
        """A number that changes when a directory's listing does within a generation."""
        here = self.directory(node_)
        return 0 if here is None else here.edition

    def in_area(self, node_: Node) -> bool:
        """Whether a place belongs to an area (``@``), in which names may come at any time; ``NotFoundError``."""
        return self.row(node_).pattern.startswith("@")

    def parent(self, node_: Node) -> tuple[Node, str]:
        """The directory that a node stands in and its name there; the root is its own parent, without a name."""
        return self.parent_in(self.view, node_)

    def parent_in(self, s: Snapshot, node_: Node) -> tuple[Node, str]:
        """``parent`` in a given snapshot."""
        row = self.row(node_)
        if row.parent is None:
            return self.root, ""
        ref = ref_of(node_)
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

    def path(self, node_: Node) -> str:
        """From the root, no leading slash; the root is empty."""
        return self.path_in(self.view, node_)

    def path_in(self, s: Snapshot, node_: Node) -> str:
        """``path`` in a given snapshot."""
        parts: list[str] = []
        while node_ != self.root:
            node_, name = self.parent_in(s, node_)
            parts.append(name)
        return "/".join(reversed(parts))

    def resolve(self, path: str, follow: bool = True, start: Node = node.ROOT) -> Node:
        """The node at a path from ``start``; links on the way are followed, a final one only with ``follow``.

        Runs the queries that it meets (blocks then). ``NotFoundError``, ``NotADirectory``; ``UsageError`` on a ring
        of links.
        """
        here, hops = start, 0
        waiting = [part for part in reversed(path.split("/")) if part and part != "."]
        while waiting:
            name = waiting.pop()
            if name == "..":
                here = self.parent(here)[0]
                continue
            if self.pending(here, name):
                self.prepare(here, name)
            found = self.lookup(here, name)
            if self.row(found).kind == "l" and (waiting or follow):
                hops += 1
                if hops > MAX_HOPS:
                    raise UsageError(f"Too many links on the way to {path}.")
                waiting += [part for part in reversed(self.target(found).split("/")) if part and part != "."]
            else:
                here = found
        return here

    # --- attributes -------------------------------------------------------------------------------------------------

    def attr(self, node_: Node) -> Attr:
        """``NotFoundError`` where the node is gone; ``StaleSnapshotError`` where ``pending`` was not asked."""
        return self.attr_in(self.view, node_)

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
            return Attr(kind, size, mtimes[index] * _NS, ctimes[index] * _NS, mode, 1)
        row = self.row(node_)
        node_type = row.node_type
        ref = ref_of(node_)
        kind, mode = self._kinds[number]
        if isinstance(node_type, Dir):
            mtime, ctime = node_type.stamp(s, ref)
            size = 0 if node_type.size is None else node_type.size(s, ref)
            if node_type.mode is not None:
                mode = node_type.mode(s, ref)
            return Attr(kind, size, mtime * _NS, ctime * _NS, mode, 1, False, _atime(node_type, s, ref))
        if isinstance(node_type, File):
            view = node_type.view
            mtime, ctime = view.stamp(s, ref)
            if node_type.mode is not None:
                mode = node_type.mode(s, ref)
            volatile = view.volatile or (node_type.passing is not None and node_type.passing(s, ref))
            atime = _atime(node_type, s, ref)
            return Attr(kind, view.size(s, ref), mtime * _NS, ctime * _NS, mode, 1, volatile, atime)
        mtime, ctime = node_type.to.stamp(s, ref)
        size = attributes.UP * self._depth(s, row, node_) + node_type.to.length(s, ref)
        volatile = node_type.passing is not None and node_type.passing(s, ref)
        return Attr(kind, size, mtime * _NS, ctime * _NS, mode, 1, volatile)

    def is_momentary(self, node: Node) -> bool:
        """Whether a file is made anew at each look (``@status``): then each opening has a text of its own."""
        node_type = self.row(node).node_type
        return isinstance(node_type, File) and node_type.view.volatile

    def shown(self, entries: Sequence[Entry], first: int, count: int) -> Iterator[Shown]:
        """The attributes of so many entries of a listing from ``first`` on, in order, in pieces of one kind each.

        Of entries that ``entries`` gave in the present snapshot. Where one cannot be shown the errors are those of
        ``attr``.
        """
        s = self.view
        end = min(first + count, len(entries))
        while first < end:
            number = entries[first].node >> ROW_SHIFT
            last = end
            if entries[end - 1].node >> ROW_SHIFT != number:
                last = next(at for at in range(first + 1, end) if entries[at].node >> ROW_SHIFT != number)
            columns = s.columns.get(number)
            if columns is None or last == first + 1:
                for at in range(first, last):
                    attr = self.attr(entries[at].node)
                    yield Shown(attr, at, at + 1, (attr.size,), (attr.mtime_ns,), (attr.ctime_ns,))
            else:
                domain, shift, sizes, more, mtimes, ctimes = columns
                indexes = domain.indexes([node_ >> shift & ID_MASK for _, node_, _ in entries[first:last]])
                yield Shown(
                    self.attr(entries[first].node), first, last,
                    [more] * (last - first) if sizes is None else [sizes[index] + more for index in indexes],
                    [mtimes[index] * _NS for index in indexes], [ctimes[index] * _NS for index in indexes],
                )  # fmt: skip
            first = last

    def target(self, node_: Node) -> str:
        """Where a link leads, relative to its directory; ``UsageError`` for what is no link."""
        return self.target_in(self.view, node_)

    def target_in(self, s: Snapshot, node_: Node) -> str:
        """``target`` in a given snapshot."""
        row = self.row(node_)
        if not isinstance(row.node_type, Link):
            raise UsageError(f"/{self.path_in(s, node_)} is not a link.")
        path = row.node_type.to.path(s, ref_of(node_))
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

    def own_xattrs(self, node_: Node) -> dict[str, bytes]:
        """What somebody set on a stored file or directory; names may hold any bytes (``surrogateescape``)."""
        stored, here = self.stored(node_), self.directory(node_)
        if stored is not None:
            known: StoredFile | DirectoryRow | None = self.view.context.live.get(stored)
        else:
            known = None if here is None else here.row
        return {} if known is None else decoded(known.xattrs)

    def xattrs(self, node_: Node) -> dict[str, bytes]:
        """``user.kg.*`` of what a node stands for (nothing, where it stands for nothing of its own), and what somebody
        set."""
        row = self.row(node_)
        return self.own_xattrs(node_) | xattrs(self.view, row, ref_of(node_))

    # --- queries, and what is rendered when first asked for ---------------------------------------------------------

    def scope_of(self, s: Snapshot, node_: Node) -> Scope:
        """What a directory is about (``scope``); ``NotFoundError`` where it is gone."""
        return scope.of(s, node_, self.row(node_))

    def pending(self, node_: Node, name: str | None = None) -> bool:
        """Whether ``prepare`` must run first.

        With a name: before ``lookup(node, name)`` and ``attr`` of what it finds. Without: before ``attr`` of a file or
        link, ``target`` of a link, and before ``entries`` of a directory with ``attr`` of what they list.

        A directory's own ``attr`` never needs it: to look a query up and to ``stat`` it runs nothing.
        """
        s = self.view
        row = self.row(node_)
        node_type = row.node_type
        ref = ref_of(node_)
        if isinstance(node_type, File):
            return node_type.view.lazy and not node_type.view.ready(s, ref)
        if not isinstance(node_type, Dir):
            return row.asks and not self.queries.ready(s, ref.id)
        if node_type.lazy is not None and not node_type.lazy.ready(s, ref):
            # Nothing runs for a name that only says more of the query.
            return name is None or not any(
                isinstance(each, Words) and each.accepts(s, name) for _, _, each in row.segments
            )
        if name is None:
            return any(
                (each.node_type.when is None or each.node_type.when(s, ref)) and not each.node_type.view.ready(s, ref)
                for each in row.lazy
                if isinstance(each.node_type, File)
            )
        if row.lazy or row.lazy_segments or name in row.areas:
            return any(view.lazy and not view.ready(s, at) for view, at in self._files_at(s, row, node_, name))
        return False

    def _files_at(self, s: Snapshot, row: Row, node_: Node, name: str) -> list[tuple[View, NodeRef]]:
        """The view of the lazy file of this name, if there is one."""
        ref = ref_of(node_)
        for each in row.literals.get(name, ()):
            if each.node_type.when is None or each.node_type.when(s, ref):
                return [(each.node_type.view, ref)] if isinstance(each.node_type, File) else []
        for each, segment in row.lazy_segments:
            found = segment.find_node(s, ref, name)
            if found is not None and isinstance(each.node_type, File):
                return [(each.node_type.view, found)]
        area = row.areas.get(name)
        if area is not None and isinstance(area.node_type, File):
            return [(area.node_type.view, NodeRef(self.queries.area(area.pattern, node_)))]
        return []

    def prepare(self, node_: Node, name: str | None = None) -> None:
        """Do what ``pending`` said is missing (blocks). ``QueryError`` where a query cannot be answered."""
        s = self.view
        row = self.row(node_)
        node_type = row.node_type
        ref = ref_of(node_)
        if isinstance(node_type, File):
            node_type.view.prepare(self.store, s, ref)
            return
        if not isinstance(node_type, Dir):
            if row.asks:
                self.queries.run(self.store, s, ref.id)
            return
        if node_type.lazy is not None:
            node_type.lazy.prepare(self.store, s, ref)
        if name is not None:
            for view, at in self._files_at(s, row, node_, name):
                view.prepare(self.store, s, at)
            return
        for each in row.lazy:
            if isinstance(each.node_type, File) and (each.node_type.when is None or each.node_type.when(s, ref)):
                each.node_type.view.prepare(self.store, s, ref)

    def hold(self, node_: Node) -> None:
        """A reader opened this: until it lets go, what a query answered in this generation is not replaced."""
        if node_ >> ROW_SHIFT in self._asking:
            self.queries.hold(node_ >> ID_BITS & ID_MASK)

    def let_go(self, node_: Node) -> None:
        """A reader closed this."""
        if node_ >> ROW_SHIFT in self._asking:
            self.queries.let_go(node_ >> ID_BITS & ID_MASK)

    def warm(self) -> None:
        """Render what the first look at the busiest directories needs (blocks); good after each ``adopt``."""
        for path in ("", "entities", "documents"):
            self.prepare(self.resolve(path))

    def forget(self, nodes: Iterable[Node]) -> None:
        """Nodes that a reader no longer knows; only queries need it."""
        self.queries.forget(each >> ID_BITS & ID_MASK for each in nodes if each >> ROW_SHIFT in self._interning)

    # --- bytes ------------------------------------------------------------------------------------------------------

    def peek(self, node_: Node) -> Body | None:
        """The body of a file if it is in memory; ``IsADirectory``."""
        view, ref = self._view_of(node_)
        return view.peek(self.store, self.view, ref)

    def load(self, node_: Node) -> Body:
        """The body of a file, loaded with its neighbours (blocks).

        ``StaleSnapshotError`` where a commit replaced it before this snapshot was; load again once the next is adopted.
        """
        view, ref = self._view_of(node_)
        return view.load(self.store, self.view, ref)

    def _view_of(self, node_: Node) -> tuple[View, NodeRef]:
        row = self.row(node_)
        if isinstance(row.node_type, Dir):
            raise IsADirectory(f"/{self.path(node_)} is a directory.")
        if not isinstance(row.node_type, File):
            raise UsageError(f"/{self.path(node_)} is a link; read what it leads to.")
        return row.node_type.view, ref_of(node_)
