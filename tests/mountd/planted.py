"""A namespace in memory whose faults and delays a test can choose.

The face is that of ``kgfs.namespace.Namespace``; the tree is what the test plants. It shows what the real one does not:
errors that should not happen, loads that hang, bodies that were overtaken, listings that change between two blocks.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from kgfs.errors import NotADirectory, NotFoundError
from kgfs.namespace.bodies import StaleSnapshotError

ROOT = 1
BATCH = 5
"""Entries of a listing that come at once."""


class Attr(NamedTuple):
    kind: str
    size: int
    mtime_ns: int
    ctime_ns: int
    mode: int
    nlink: int
    volatile: bool = False
    atime_ns: int | None = None


class Entry(NamedTuple):
    name: str
    node: int
    offset: int


class Shown(NamedTuple):
    like: Attr
    first: int
    last: int
    sizes: list[int]
    mtimes_ns: list[int]
    ctimes_ns: list[int]


class Changes(NamedTuple):
    inodes: list[int]
    entries: list[tuple[int, str]]


class Bytes:
    """A body in memory; ``before`` is called at each read of one that blocks."""

    def __init__(self, data: bytes, before: Callable[[], None] | None = None) -> None:
        self.data = data
        self.size = len(data)
        self.blocking = before is not None
        self._before = before

    def read(self, offset: int, length: int) -> bytes:
        if self._before is not None:
            self._before()
        return self.data[offset : offset + length]


class Planted:
    """One generation: paths to bytes (files), ``None`` (directories) or ``"-> target"`` (links)."""

    def __init__(self, tree: dict[str, bytes | str | None], generation: int, numbers: dict[str, int]) -> None:
        self.generation = generation
        self.what: dict[int, bytes | str | None] = {ROOT: None}
        self.places: dict[int, tuple[int, str]] = {ROOT: (ROOT, "")}
        self.children: dict[int, dict[str, int]] = {ROOT: {}}
        for path, what in tree.items():
            parent = ROOT
            parts = path.split("/")
            for depth, part in enumerate(parts):
                sub = "/".join(parts[: depth + 1])
                node = numbers.setdefault(sub, len(numbers) + 2)
                if node not in self.what:
                    self.what[node] = what if sub == path else None
                    self.places[node] = (parent, part)
                    self.children[parent][part] = node
                    if self.what[node] is None:
                        self.children[node] = {}
                parent = node


class PlantedNamespace:
    """See the module; ``plant`` makes a snapshot, ``adopt`` shows it."""

    root = ROOT

    def __init__(self, tree: dict[str, bytes | str | None] | None = None) -> None:
        self._numbers: dict[str, int] = {}
        self._generation = 0
        self.cold: set[int] = set()
        """Nodes whose body must be loaded."""
        self.unprepared: set[int] = set()
        self.submounted: set[int] = set()
        """Directories in which another file system stands."""
        self.raising: dict[str, BaseException] = {}
        """Method name to what it raises."""
        self.on_load: Callable[[int], None] = lambda node: None
        self.on_prepare: Callable[[int], None] = lambda node: None
        self.overtaken = 0
        """How many loads in a row find their page gone."""
        self.forgotten: list[int] = []
        self.held: list[int] = []
        self.calls: list[str] = []
        self.lock = threading.Lock()
        self.next: Planted | None = None
        self.view = self.plant(tree or {})

    def plant(self, tree: dict[str, bytes | str | None]) -> Planted:
        self._generation += 1
        return Planted(tree, self._generation, self._numbers)

    def at(self, path: str) -> int:
        return self._numbers[path] if path else ROOT

    resolve = at

    def _called(self, name: str) -> None:
        self.calls.append(name)
        if name in self.raising:
            raise self.raising[name]

    def _what(self, node: int) -> bytes | str | None:
        try:
            return self.view.what[node]
        except KeyError:
            raise NotFoundError("gone") from None

    def pending(self, node: int, name: str | None = None) -> bool:
        self._called("pending")
        return node in self.unprepared

    def prepare(self, node: int, name: str | None = None) -> None:
        self._called("prepare")
        self.on_prepare(node)
        self.unprepared.discard(node)

    def lookup(self, node: int, name: str) -> int:
        self._called("lookup")
        if node not in self.view.children:
            raise NotADirectory("not a directory") if node in self.view.what else NotFoundError("gone")
        try:
            return self.view.children[node][name]
        except KeyError:
            raise NotFoundError(name) from None

    def is_momentary(self, node: int) -> bool:
        return False

    def attr(self, node: int) -> Attr:
        self._called("attr")
        what = self._what(node)
        if what is not None and node in self.unprepared:
            raise StaleSnapshotError("not prepared")
        time = 1_000_000_000 * self.view.generation
        if what is None:
            return Attr("d", len(self.view.children[node]), time, time, 0o755, 1, node in self.submounted)
        if isinstance(what, str):
            return Attr("l", len(what[3:].encode()), time, time, 0o777, 1)
        return Attr("f", len(what), time, time, 0o644, 1)

    def batches(self, node: int, after: int) -> Iterator[list[Entry]]:
        self._called("batches")
        if node not in self.view.children:
            raise NotADirectory("not a directory") if node in self.view.what else NotFoundError("gone")
        children = sorted((number, name) for name, number in self.view.children[node].items())
        entries = [Entry(name, child, child + 3) for child, name in children if child + 3 > after]
        return (entries[at : at + BATCH] for at in range(0, len(entries), BATCH))

    def shown(self, entries: Sequence[Entry], first: int, count: int) -> Iterator[Shown]:
        self._called("shown")
        for at in range(first, min(first + count, len(entries))):
            attr = self.attr(entries[at].node)
            yield Shown(attr, at, at + 1, [attr.size], [attr.mtime_ns], [attr.ctime_ns])

    def target(self, node: int) -> str:
        self._called("target")
        what = self._what(node)
        assert isinstance(what, str)
        return what[3:]

    def body(self, node: int) -> Bytes:
        what = self._what(node)
        assert isinstance(what, bytes)
        return Bytes(what)

    def peek(self, node: int) -> Bytes | None:
        self._called("peek")
        return None if node in self.cold else self.body(node)

    def load(self, node: int) -> Bytes:
        self._called("load")
        self.on_load(node)
        if self.overtaken:
            self.overtaken -= 1
            raise StaleSnapshotError("overtaken")
        return self.body(node)

    def parent(self, node: int) -> tuple[int, str]:
        return self.parent_in(self.view, node)

    def parent_in(self, snapshot: Planted, node: int) -> tuple[int, str]:
        try:
            return snapshot.places[node]
        except KeyError:
            raise NotFoundError("gone") from None

    def xattrs(self, node: int) -> dict[str, bytes]:
        self._called("xattrs")
        return {"user.kg.type": b"planted"}

    def forget(self, nodes: Iterable[int]) -> None:
        self._called("forget")
        self.forgotten += list(nodes)

    def hold(self, node: int) -> None:
        self.held.append(node)

    def let_go(self, node: int) -> None:
        self.held.remove(node)

    def is_directory_of_files(self, node: int) -> bool:
        return False

    def stored(self, node: int) -> None:
        return None

    def directory(self, node: int) -> None:
        return None

    def edition(self, node: int) -> int:
        return 0

    def serial(self, node: int) -> int:
        return 0

    def in_area(self, node: int) -> bool:
        return self.path(node).startswith("@")

    def path(self, node: int) -> str:
        if node not in self.view.places:
            raise NotFoundError("gone")
        parts: list[str] = []
        while node != ROOT:
            node, name = self.view.places[node]
            parts.append(name)
        return "/".join(reversed(parts))

    def load_snapshot(self) -> Planted:
        self._called("load_snapshot")
        return self.next or self.view

    def adopt(self, snapshot: Planted) -> bool:
        self.view = snapshot
        return True

    def changed(self, old: Planted, new: Planted, known: Any) -> Changes:
        self._called("changed")
        nodes = [node for node in list(known) if old.what.get(node) != new.what.get(node)]
        nodes += [node for node in list(known) if old.children.get(node) != new.children.get(node)]
        names = []
        for node, before in old.children.items():
            after = new.children.get(node, {})
            names += [(node, name) for name in before if before[name] != after.get(name)]
        return Changes(nodes, names)

    def appeared(self, negatives: Iterable[tuple[int, str]]) -> list[tuple[int, str]]:
        return [(node, name) for node, name in negatives if name in self.view.children.get(node, {})]
