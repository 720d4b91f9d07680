"""The regular files beneath a directory, and the stored texts that they are made of.

Used by ``grep``, in the thread that answers. A text may stand in several files (a fact's line in five), and a file may
be made of many texts. A view that is a ``StoredView`` says which belong together, so a row of the table needs nothing
more to be searched; files of other views are listed one by one (``Reach.loose``).

A directory with few files is *listed*: only their texts are read. Beneath any other all texts of its kinds are, and
those that stand elsewhere are left out by their path. Links are not followed, hidden files and ``@`` areas are no
part; with ``linked`` what links beneath the directory lead to is, one hop away.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

import numpy as np

from kgfs.errors import DeadlineExceeded, NotADirectory, NotFoundError, TooLarge
from kgfs.names import name_bytes
from kgfs.namespace.node import ROOT, ROW_SHIFT, Node, NodeRef, ref_of
from kgfs.namespace.relations import Ints
from kgfs.namespace.route import Dir, File, Link, Row, View
from kgfs.namespace.snapshot import Snapshot
from kgfs.namespace.tree_reader import TreeReader
from kgfs.namespace.views.files import StoredView

FEW_FILES = 400
"""Up to so many files are listed. A statement over all pages of 10,000 entities takes as long as listing some 1,000."""
MOST_LINKED = 300_000
"""Directories and files that links lead to; more are not gone through."""

Late = Callable[[], bool]


class FileBelow(NamedTuple):
    """A regular file in a listing: its path beneath the directory, and which node of its row it is."""

    path: str
    row: Row
    ref: NodeRef


def never() -> bool:
    return False


def check(late: Late) -> None:
    """``DeadlineExceeded`` where time is over."""
    if late():
        raise DeadlineExceeded(
            "The search was stopped at its deadline; ask in a smaller ref, or with a longer plain word."
        )


def files_below(
    tree: TreeReader, s: Snapshot, top: Node, accepts: Callable[[Row], bool] | None = None
) -> Iterator[FileBelow]:
    """The regular files beneath a directory, in listing order; with ``accepts`` those of the rows that it accepts."""
    rows = tree.table.rows
    for path, row, ref in _walk(tree, s, top, leading(rows, top, accepts or _is_file)):
        if isinstance(row.node_type, File) and (accepts is None or accepts(row)):
            yield FileBelow(path, row, ref)


def _is_file(row: Row) -> bool:
    return isinstance(row.node_type, File)


def _is_file_or_link(row: Row) -> bool:
    return not isinstance(row.node_type, Dir)


def leading(rows: list[Row], top: Node, accepts: Callable[[Row], bool]) -> set[int]:
    """The numbers of the rows that are accepted, and of the directories' rows beneath which there are such.

    Without what answers to a lookup and is not listed, and without areas, unless ``top`` is in one.
    """
    in_area = rows[top >> ROW_SHIFT].pattern.startswith("@")
    rows = [
        row
        for row in rows
        if row.pattern.startswith("@") == in_area and not row.asks and not getattr(row.node_type, "hidden", False)
    ]
    found = {row.number for row in rows if row.kind != "d" and accepts(row)}
    while True:
        more = {
            row.number
            for row in rows
            if row.number not in found and row.kind == "d" and any(child.node_row in found for child in _children(row))
        }
        if not more:
            return found
        found |= more


def _children(row: Row) -> Iterator[Row]:
    for _, child in row.listed:
        yield child
    for _, child, _ in row.listed_segments:
        yield child


def _walk(tree: TreeReader, s: Snapshot, top: Node, lead: set[int]) -> Iterator[tuple[str, Row, NodeRef]]:
    """What is not a directory beneath ``top``; only rows of ``lead`` are looked at."""
    rows = tree.table.rows
    waiting: list[tuple[str, Node]] = [("", top)]
    while waiting:
        prefix, here = waiting.pop()
        row = rows[here >> ROW_SHIFT]
        ref = ref_of(here)
        below: list[tuple[str, Node]] = []
        for _, child in row.listed:
            if child.node_row in lead and (child.node_type.when is None or child.node_type.when(s, ref)):
                if child.kind == "d":
                    below.append((f"{prefix}{child.name}/", child.make(ref)))
                else:
                    yield prefix + child.name, child, ref
        for _, child, segment in row.listed_segments:
            if child.node_row not in lead:
                continue
            directory = child.kind == "d"
            for name, id_, sub, _ in segment.list(s, ref):
                if directory:
                    below.append((f"{prefix}{name}/", child.make(NodeRef(id_, sub))))
                else:
                    yield prefix + name, child, NodeRef(id_, sub)
        waiting += reversed(below)


class Paths:
    """Paths of files beneath a directory, from the table: the way from a file up to the directory."""

    def __init__(self, tree: TreeReader, s: Snapshot, top: Node) -> None:
        self._tree, self._s = tree, s
        self._prefix = f"{self._tree.path_in(s, top)}/" if top != ROOT else ""
        self._directories: dict[Node, str | None] = {}

    def below(self, row: Row, ref: NodeRef) -> str | None:
        """The path of a file relative to the directory; ``None`` where it does not stand beneath it."""
        path = self._path(row, ref)
        if path is None or not path.startswith(self._prefix):
            return None
        return path[len(self._prefix) :]

    def _path(self, row: Row, ref: NodeRef) -> str | None:
        above, name = self._up(row, ref)
        if above is None:
            return None
        return above + name

    def _up(self, row: Row, ref: NodeRef) -> tuple[str | None, str]:
        """The path of the directory (with a final slash, empty for the root) and the name in it."""
        s, node_type = self._s, row.node_type
        assert row.parent is not None, "the root is no file"
        if node_type.segment is None:
            if node_type.when is not None and not node_type.when(s, ref):
                return None, ""
            return self._directory(row.parent, ref), row.name
        try:
            name = node_type.segment.name(s, ref)
            pattern, above_ref = node_type.segment.up(s, ref)
        except NotFoundError:
            return None, ""
        above = row.parent if pattern is None else self._tree.table.by_pattern[pattern]
        return self._directory(above, above_ref), name

    def _directory(self, row: Row, ref: NodeRef) -> str | None:
        if row.parent is None:
            return ""
        node = row.make(ref)
        if node in self._directories:
            return self._directories[node]
        row = self._tree.table.rows[row.node_row]
        above, name = self._up(row, ref)
        found = self._directories[node] = None if above is None else f"{above}{name}/"
        return found


@dataclass
class Wanted:
    """The texts of one source."""

    ids: Ints
    sizes: Ints


@dataclass
class Reach:
    """What is searched: texts by source, the files in which they stand, and files that are no stored texts."""

    few: bool
    """Whether only the texts of ``wanted`` are to be read, not what else lies between them."""
    shown: Callable[[Row, NodeRef], Iterable[bytes]]
    """The paths of a file beneath the directory, none where it is not to be searched."""
    wanted: dict[str, Wanted] = field(default_factory=dict)
    rows: dict[str, list[tuple[Row, StoredView]]] = field(default_factory=lambda: defaultdict(list))
    """The rows of the table in whose files texts of a source may stand."""
    loose: list[FileBelow] = field(default_factory=list)

    def add_row(self, s: Snapshot, row: Row, view: StoredView, all_texts: bool) -> None:
        for source, (ids, sizes) in view.stock(s).items():
            self.rows[source].append((row, view))
            if not all_texts:
                continue
            known = self.wanted.get(source)
            if known is None:
                self.wanted[source] = Wanted(ids, sizes)
            elif known.ids is not ids:
                every, first = np.unique(np.concatenate((known.ids, ids)), return_index=True)
                self.wanted[source] = Wanted(every, np.concatenate((known.sizes, sizes))[first])


def encoded(path: str) -> bytes:
    return name_bytes(path)


def reach(
    tree: TreeReader, s: Snapshot, top: Node, linked: bool = False, late: Late = never, few_files: int = FEW_FILES
) -> Reach:
    """What is searched beneath a directory, or of one file.

    ``NotFoundError`` where it is gone, ``NotADirectory`` for a link, ``TooLarge`` where links lead to too much.
    """
    row = tree.row(top)
    ref = ref_of(top)
    if isinstance(row.node_type, File):
        path = tree.path_in(s, top).rpartition("/")[2]
        return _of_files(s, [FileBelow(path, row, ref)])
    if not isinstance(row.node_type, Dir):
        raise NotADirectory(f"/{tree.path_in(s, top)} is not a directory.")
    row.node_type.stamp(s, ref)
    if linked:
        return _with_linked(tree, s, top, late, few_files)
    if "<" in row.pattern:
        listed = list(islice(files_below(tree, s, top), few_files + 1))
        if len(listed) <= few_files:
            return _of_files(s, listed)
    return _beneath(tree, s, top)


def _of_files(s: Snapshot, files: list[FileBelow]) -> Reach:
    """These files only."""
    paths: dict[Node, list[bytes]] = defaultdict(list)
    for path, row, ref in files:
        paths[row.make(ref)].append(encoded(path))
    return _exactly(s, files, lambda row, ref: paths.get(row.make(ref), ()))


def _exactly(s: Snapshot, files: Iterable[FileBelow], shown: Callable[[Row, NodeRef], Iterable[bytes]]) -> Reach:
    """Files, each once, whose texts alone are to be read."""
    found = Reach(True, shown)
    pieces: dict[str, dict[int, int]] = defaultdict(dict)
    known: set[int] = set()
    for each in files:
        view = _view(each.row)
        if not isinstance(view, StoredView):
            found.loose.append(each)
            continue
        for source, number, size in view.pieces(s, each.ref):
            pieces[source][number] = size
        if each.row.number not in known:
            known.add(each.row.number)
            found.add_row(s, each.row, view, False)
    for source, sizes in pieces.items():
        found.wanted[source] = Wanted(np.array(list(sizes), np.int64), np.array(list(sizes.values()), np.int64))
    return found


def _beneath(tree: TreeReader, s: Snapshot, top: Node) -> Reach:
    """All texts that may stand beneath a directory."""
    paths = Paths(tree, s, top)

    def shown(row: Row, ref: NodeRef) -> Iterable[bytes]:
        path = paths.below(row, ref)
        return () if path is None else (encoded(path),)

    found = Reach(False, shown)
    for row in _rows_below(tree, top):
        view = _view(row)
        if isinstance(view, StoredView):
            found.add_row(s, row, view, True)
    found.loose = list(files_below(tree, s, top, _is_loose))
    return found


def _with_linked(tree: TreeReader, s: Snapshot, top: Node, late: Late, few_files: int) -> Reach:
    """What is beneath a directory, and the files that links beneath it lead to, or that lie in directories that they
    lead to; under the path of the link."""
    table = tree.table
    beneath: dict[Node, list[str]] = defaultdict(list)
    """Directories whose files are searched, and the paths that they are shown under."""
    single: dict[Node, list[str]] = defaultdict(list)
    targets: dict[str, Node | None] = {}
    beneath[top].append("")
    for number, (path, row, ref) in enumerate(_walk(tree, s, top, leading(table.rows, top, _is_file_or_link))):
        if number % 1024 == 0:
            check(late)
        if len(single) + len(beneath) > MOST_LINKED:
            raise TooLarge("Links here lead to too many files; ask in a smaller ref, or without the flag 1.")
        if not isinstance(row.node_type, Link):
            continue
        target = row.node_type.to.path(s, ref)
        if target not in targets:
            targets[target] = _resolved(tree, s, target)
        node = targets[target]
        if node is not None:
            (beneath if tree.row(node).kind == "d" else single)[node].append(path)
    files: dict[Node, FileBelow] = {}
    paths: dict[Node, list[tuple[list[str], str]]] = defaultdict(list)
    for directory, prefixes in beneath.items():
        check(late)
        for each in files_below(tree, s, directory):
            node = each.row.make(each.ref)
            files[node] = each
            paths[node].append((prefixes, each.path))
    for node, prefixes in single.items():
        ref = ref_of(node)
        files.setdefault(node, FileBelow("", tree.row(node), ref))
        paths[node].append((prefixes, ""))

    def shown(row: Row, ref: NodeRef) -> Iterable[bytes]:
        for prefixes, path in paths.get(row.make(ref), ()):
            for prefix in prefixes:
                yield encoded(f"{prefix}/{path}" if prefix and path else prefix or path)

    if len(files) <= few_files:
        return _exactly(s, files.values(), shown)
    found = Reach(False, shown)
    for number in sorted({each.row.number for each in files.values()}):
        view = _view(table.rows[number])
        if isinstance(view, StoredView):
            found.add_row(s, table.rows[number], view, True)
    found.loose = [each for each in files.values() if _is_loose(each.row)]
    return found


def _resolved(tree: TreeReader, s: Snapshot, path: str) -> Node | None:
    """The node at a canonical path; ``None`` where there is none, or where it lies in an area."""
    here = ROOT
    if path.startswith("@"):
        return None
    try:
        for name in path.split("/"):
            here = tree.lookup_in(s, here, name)
    except (NotFoundError, NotADirectory):
        return None
    return None if tree.kind_in(s, here) == "l" else here


def _rows_below(tree: TreeReader, top: Node) -> list[Row]:
    """The rows of files that may stand beneath a directory."""
    rows = tree.table.rows
    lead = leading(rows, top, _is_file)
    found: dict[int, Row] = {}
    seen: set[int] = set()
    waiting = [top >> ROW_SHIFT]
    while waiting:
        number = waiting.pop()
        if number in seen:
            continue
        seen.add(number)
        for child in _children(rows[number]):
            if child.node_row not in lead:
                continue
            if child.kind == "d":
                waiting.append(child.node_row)
            else:
                found[child.number] = child
    return [found[number] for number in sorted(found)]


def _is_loose(row: Row) -> bool:
    return isinstance(row.node_type, File) and not isinstance(row.node_type.view, StoredView)


def _view(row: Row) -> View:
    assert isinstance(row.node_type, File)
    return row.node_type.view


def deadline(seconds: float | None) -> Late:
    """Whether so many seconds from now are over; never, where there is no such time."""
    if seconds is None:
        return never
    end = time.monotonic() + seconds
    return lambda: time.monotonic() > end
