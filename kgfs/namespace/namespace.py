"""The tree's face: from a node (an integer) to names, attributes, listings, link targets and bytes.

Used by every door: the mount's operations, the commands and later the agent's tools. Pure: no FUSE, no event loop.
Which thread: ``prepare``, ``load``, ``load_snapshot`` and ``changed`` may block and belong in a thread; all else
reads memory only, in microseconds, and may run on the event loop. ``adopt`` swaps the snapshot: callers that look at
several things in a row do so with nothing in between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from kgfs.errors import IsADirectory, KgfsError, NotFoundError, UsageError
from kgfs.namespace import changes, node
from kgfs.namespace.attributes import FILE_MODE
from kgfs.namespace.audit_source import AuditSource, NoAudit
from kgfs.namespace.bodies import Body
from kgfs.namespace.changes import Changes
from kgfs.namespace.context_tree import Directory, DirectoryRow, FileNumbers, StoredFile
from kgfs.namespace.histories import Histories
from kgfs.namespace.journal import Journal
from kgfs.namespace.loading.loader import load_snapshot
from kgfs.namespace.node import ID_BITS, ID_MASK, ROW_SHIFT, Node, NodeRef, NumberedNames, ref_of
from kgfs.namespace.pages import DEFAULT_CACHE_BYTES, PageStore
from kgfs.namespace.queries.areas import Words
from kgfs.namespace.queries.engines import engines
from kgfs.namespace.queries.query_cache import Asked, QueryCache
from kgfs.namespace.queries.search import Searcher
from kgfs.namespace.route import Dir, File, Row, View
from kgfs.namespace.run_source import NoRuns, RunSource
from kgfs.namespace.runtime import Runtime
from kgfs.namespace.snapshot import Snapshot
from kgfs.namespace.status_source import NoStatus, StatusSource
from kgfs.namespace.tree import table
from kgfs.namespace.tree_reader import NS, Attr, Entry, TreeReader
from kgfs.namespace.views.pictures import Drawing, DrawnPictures, NoDrawing
from kgfs.namespace.xattrs import Unindexed, decoded, xattrs
from kgfs.paths import PREFIX
from kgfs.progress import Cancel, Never
from kgfs.store.catalog.database import Database

MAX_HOPS = 40
"""Links that ``resolve`` follows before it gives up, as the kernel does."""


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


class Namespace(TreeReader):
    """The whole tree over one store."""

    def __init__(
        self,
        database: Database,
        *,
        searcher: Searcher | None = None,
        status: StatusSource | None = None,
        audit: AuditSource | None = None,
        runs: RunSource | None = None,
        drawing: Drawing | None = None,
        links: bool = True,
        path_prefix: str | Callable[[], str] = PREFIX,
        failed: Callable[[KgfsError], None] = lambda error: None,
        asked: Asked = lambda name, parameters, began_ns, error: None,
        cache_bytes: int = DEFAULT_CACHE_BYTES,
    ) -> None:
        """``links=False`` is ``--no-links``. ``path_prefix`` stands before ``path`` in search results (the mountpoint).

        ``failed`` is told of queries that could not be answered (for ``last_error.txt``),
        ``asked`` of all that were (for the audit trail). Call ``adopt(load_snapshot())`` next.
        """
        self.runtime = Runtime(links)
        self.store = PageStore(database, cache_bytes)
        self.journal = Journal()
        prefix = path_prefix if callable(path_prefix) else lambda: path_prefix
        self.runtime.queries = QueryCache(
            engines(self, self.store, searcher, prefix), failed, lambda: self.view, self.journal, asked
        )
        self.runtime.histories = Histories(database)
        self.runtime.status = status or NoStatus()
        self.runtime.audit = audit or NoAudit()
        self.runtime.runs = runs or NoRuns()
        self.runtime.pictures = DrawnPictures(drawing or NoDrawing())
        super().__init__(table(self.runtime), self.runtime.queries)
        self.unindexed = Unindexed()
        """Which stored files wait for the index; the service says so, as far as it knows."""
        self.names = NumberedNames()
        self.numbers = FileNumbers()
        self.overwritten: Callable[[int], None] = lambda inode: None
        """Told of a file that somebody has open and a job has written; ``kgfs.drives`` puts its own here."""
        self.ending: Cancel = Never()
        """Set when the process ends: a snapshot that is being loaded then is given up."""
        self._asking = {row.number for row in self._rows if row.asks}
        self._interning = {
            row.number for row in self._rows if row.inside is not None or isinstance(row.node_type.segment, Words)
        }
        self._context_rows = tuple(
            self.table.by_pattern[pattern].node_row
            for pattern in ("context/<drive>/", "context/<drive>/<path>/", "context/<drive>/<path>")
        )

    # --- snapshots --------------------------------------------------------------------------------------------------

    def load_snapshot(self) -> Snapshot:
        """The store's newest published state (blocks). Load after ``publish``, before anything else is written.

        ``Cancelled`` once ``ending`` is set."""
        position = self.journal.position
        with self.store.database.read(snapshot=True) as cursor:
            replaced = self.store.database.replaced
            former = getattr(self, "view", None)
            snapshot = load_snapshot(
                cursor, self.names, self.numbers, former, cancel=self.ending,
                anew=former is None or former.load_state.replaced != replaced,
            )  # fmt: skip
            snapshot.load_state.replaced = replaced
        snapshot.position = position
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
        self.runtime.volatile = {}

    def note_unindexed(self, ask: Callable[[], frozenset[int]]) -> None:
        """Take over which stored files wait for the index (row ids; ``ask`` blocks)."""
        serial = max((file.serial for file in list(self.view.context.live.values())), default=0)
        self.unindexed = Unindexed(ask(), serial)

    def changed(self, old: Snapshot, new: Snapshot, known: Iterable[Node]) -> Changes:
        """What of the nodes that a reader knows is no longer true: inodes to drop, names to drop (may take a while)."""
        found = changes.changed(self, old, new, known)
        # Both snapshots know an open file by the same object: there is nothing to compare.
        found.inodes.extend(self.node_of(inode) for inode in new.overwritten)
        return found

    def appeared(self, negatives: Iterable[tuple[Node, str]]) -> list[tuple[Node, str]]:
        """Of names that a reader knows to be missing, those that are there now."""
        return changes.appeared(self, negatives)

    # --- names ------------------------------------------------------------------------------------------------------

    def lookup(self, node_: Node, name: str) -> Node:
        """The node of a name in a directory; ``NotFoundError``, ``NotADirectory``."""
        return self.lookup_in(self.view, node_, name)

    def entries(self, node_: Node) -> list[Entry]:
        """The whole listing of a directory, offsets rising; where it may be long, better ``batches``."""
        return self.entries_in(self.view, node_)

    def batches(self, node_: Node, after: int) -> Iterator[Sequence[Entry]]:
        """The listing of a directory behind an offset, in batches that are made as they are taken: for directories
        of any length. Of the present snapshot, whatever is adopted meanwhile."""
        return self.batches_in(self.view, node_, after)

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

    def path(self, node_: Node) -> str:
        """From the root, no leading slash; the root is empty."""
        return self.path_in(self.view, node_)

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
            if self.kind(found) == "l" and (waiting or follow):
                hops += 1
                if hops > MAX_HOPS:
                    raise UsageError(f"Too many links on the way to {path}.")
                if self.target(found).startswith("/"):
                    raise NotFoundError(f"/{self.path(found)} is a link that leads out of the tree.")
                waiting += [part for part in reversed(self.target(found).split("/")) if part and part != "."]
            else:
                here = found
        return here

    # --- attributes -------------------------------------------------------------------------------------------------

    def attr(self, node_: Node) -> Attr:
        """``NotFoundError`` where the node is gone; ``StaleSnapshotError`` where ``pending`` was not asked."""
        return self.attr_in(self.view, node_)

    def kind(self, node_: Node) -> str:
        """``d``, ``f`` or ``l``."""
        return self.kind_in(self.view, node_)

    def is_momentary(self, node: Node) -> bool:
        """Whether a file is made anew at each look (``@status``): then each opening has a text of its own."""
        node_type = self.row(node).node_type
        return isinstance(node_type, File) and node_type.view.volatile

    def shown(self, entries: Sequence[Entry], first: int, count: int) -> Iterator[Shown]:
        """The attributes of so many entries of a listing from ``first`` on, in order, in pieces of one kind each.

        Of entries that ``entries`` gave in the present snapshot. Of a late file that nobody has asked for there is no
        size: it is 0 and volatile, so the kernel keeps nothing of it and asks when somebody looks. Where one cannot be
        shown the errors are those of ``attr``.
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
                    attr = self._listed_attr(s, entries[at].node)
                    yield Shown(attr, at, at + 1, (attr.size,), (attr.mtime_ns,), (attr.ctime_ns,))
            else:
                domain, shift, sizes, more, mtimes, ctimes = columns
                indexes = domain.indexes([node_ >> shift & ID_MASK for _, node_, _ in entries[first:last]])
                yield Shown(
                    self.attr(entries[first].node), first, last,
                    [more] * (last - first) if sizes is None else [sizes[index] + more for index in indexes],
                    [mtimes[index] * NS for index in indexes], [ctimes[index] * NS for index in indexes],
                )  # fmt: skip
            first = last

    def _listed_attr(self, s: Snapshot, node_: Node) -> Attr:
        """``attr``; of a late file that has yet to be made one without a size, which nobody may keep."""
        node_type = self.row(node_).node_type
        if isinstance(node_type, File) and node_type.late and not node_type.view.ready(s, ref_of(node_)):
            mtime, ctime = node_type.view.stamp(s, ref_of(node_))
            return Attr("f", 0, mtime * NS, ctime * NS, FILE_MODE, 1, volatile=True)
        return self.attr(node_)

    def target(self, node_: Node) -> str:
        """Where a link leads, relative to its directory; ``UsageError`` for what is no link."""
        return self.target_in(self.view, node_)

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
        return self.own_xattrs(node_) | xattrs(self.view, row, ref_of(node_), self.unindexed)

    # --- queries, and what is rendered when first asked for ---------------------------------------------------------

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
        if row.lazy or row.unlisted_lazy or row.lazy_segments or name in row.areas:
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
                self.queries.run(ref.id)
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
        if not isinstance(row.node_type, File) or self.kind(node_) == "l":
            raise UsageError(f"/{self.path(node_)} is a link; read what it leads to.")
        return row.node_type.view, ref_of(node_)
