"""Kinds of files: one page, many fact lines, and what is rendered from the snapshot when first asked for.

Used by the table in ``tree``. Runs on the event loop except ``load`` and ``prepare``; see ``bodies.View``.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, ClassVar

from kgfs.errors import KgfsError
from kgfs.namespace.bodies import CHANGED, Body, BytesBody, StaleSnapshotError
from kgfs.namespace.domains import Domain, PageColumn
from kgfs.namespace.node import NodeRef
from kgfs.namespace.pages import PageStore
from kgfs.namespace.relations import Ints
from kgfs.namespace.route import Stamp
from kgfs.namespace.snapshot import Snapshot
from kgfs.namespace.views.stamps import RowColumn, dated
from kgfs.store.tree.text_scan import StoredText


class MemoryView:
    """What views have in common that are ready as soon as the snapshot is."""

    lazy: ClassVar[bool] = False
    volatile: ClassVar[bool] = False

    def ready(self, s: Snapshot, node: NodeRef) -> bool:
        return True

    def prepare(self, store: PageStore, s: Snapshot, node: NodeRef) -> None:
        return None


Piece = tuple[str, int, int]
"""The source (as ``StoredText`` has it), the id (of a page, else of the row) and the size of a stored text."""


class StoredView(MemoryView):
    """A view whose files are made of stored texts, each whole: what is searched there need not be read file by file."""

    def stock(self, s: Snapshot) -> dict[str, tuple[Ints, Ints]]:
        """Ids and sizes of all texts that its files are made of, by source."""
        raise NotImplementedError

    def pieces(self, s: Snapshot, node: NodeRef) -> Iterable[Piece]:
        """The texts that one file is made of; ``NotFoundError`` where it is gone."""
        raise NotImplementedError

    def places(self, s: Snapshot, text: StoredText) -> Iterable[NodeRef]:
        """The files in which a text of its sources stands; none where it is not of this snapshot."""
        raise NotImplementedError

    def before(self, s: Snapshot, node: NodeRef, text: StoredText, known: dict[Any, Any]) -> int:
        """How many lines stand before a text in one of its files; ``known`` keeps what was worked out for that."""
        return 0


class PageFile(StoredView):
    """One page of a row."""

    def __init__(self, view: str, domain: Callable[[Snapshot], Domain], stamp: Stamp | None = None) -> None:
        self._view, self._domain = view, domain
        self.stamp = stamp or dated(domain)
        self.size = RowColumn(domain, lambda s: domain(s).pages[view].sizes)

    def _column(self, s: Snapshot, node: NodeRef) -> tuple[Domain, PageColumn, int]:
        domain = self._domain(s)
        return domain, domain.pages[self._view], domain.index(node.id)

    def key(self, s: Snapshot, node: NodeRef) -> Hashable:
        _, column, index = self._column(s, node)
        return column.ids[index]

    def peek(self, store: PageStore, s: Snapshot, node: NodeRef) -> Body | None:
        _, column, index = self._column(s, node)
        text = store.cache.get(column.ids[index])
        return None if text is None else BytesBody(text)

    def load(self, store: PageStore, s: Snapshot, node: NodeRef) -> Body:
        domain, column, index = self._column(s, node)
        return BytesBody(store.page(self._view, domain, column, index))

    def stock(self, s: Snapshot) -> dict[str, tuple[Ints, Ints]]:
        column = self._domain(s).pages[self._view]
        return {self._view: (column.id_array, column.size_array)}

    def pieces(self, s: Snapshot, node: NodeRef) -> Iterable[Piece]:
        _, column, index = self._column(s, node)
        return ((self._view, column.ids[index], column.sizes[index]),)

    def places(self, s: Snapshot, text: StoredText) -> Iterable[NodeRef]:
        domain = self._domain(s)
        index = domain.find_index(text.owner)
        return (NodeRef(text.owner),) if index >= 0 and domain.pages[self._view].ids[index] == text.page else ()


class FactLines(StoredView):
    """The lines of many facts of an entity joined: the dated ones, newest first, then the others; then by fact id."""

    def __init__(
        self,
        kind: str,
        facts: Callable[[Snapshot, NodeRef], Sequence[int]],
        holder: Callable[[Snapshot, int], NodeRef | None],
        size: Callable[[Snapshot, NodeRef], int],
        stamp: Stamp,
    ) -> None:
        """``facts`` are their indexes; it must hold for any entity ``id`` with the same ``sub``. ``holder`` is
        the file in which a fact is."""
        self._kind, self._facts, self._holder, self.size, self.stamp = kind, facts, holder, size, stamp

    def _ordered(self, s: Snapshot, node: NodeRef) -> list[int]:
        return s.latest_first(self._facts(s, node))

    def key(self, s: Snapshot, node: NodeRef) -> Hashable:
        ids = s.facts.pages["fact_line"].ids
        return tuple(ids[fact] for fact in self._ordered(s, node))

    def peek(self, store: PageStore, s: Snapshot, node: NodeRef) -> Body | None:
        ids = s.facts.pages["fact_line"].ids
        lines = []
        for fact in self._ordered(s, node):
            line = store.cache.get(ids[fact])
            if line is None:
                return None
            lines.append(line)
        return BytesBody(b"".join(lines))

    def load(self, store: PageStore, s: Snapshot, node: NodeRef) -> Body:
        ids = s.facts.pages["fact_line"].ids
        own = self._ordered(s, node)
        wanted = [ids[fact] for fact in own]
        if any(page_id not in store.cache for page_id in wanted):
            entity_ids = s.entities.ids
            totals = s.stated.total_size
            run = store.run(self._kind, s.entities, s.entities.index(node.id), lambda each: totals[each])
            for each in run:
                if entity_ids[each] != node.id:
                    wanted.extend(ids[fact] for fact in self._facts_or_none(s, NodeRef(entity_ids[each], node.sub)))
        found = store.load_pages(wanted)
        lines = [found.get(ids[fact]) for fact in own]
        if any(line is None for line in lines):
            raise StaleSnapshotError(CHANGED)
        return BytesBody(b"".join(line for line in lines if line is not None))

    def stock(self, s: Snapshot) -> dict[str, tuple[Ints, Ints]]:
        column = s.facts.pages["fact_line"]
        return {"fact_line": (column.id_array, column.size_array)}

    def pieces(self, s: Snapshot, node: NodeRef) -> Iterable[Piece]:
        column = s.facts.pages["fact_line"]
        return [("fact_line", column.ids[fact], column.sizes[fact]) for fact in self._facts(s, node)]

    def places(self, s: Snapshot, text: StoredText) -> Iterable[NodeRef]:
        fact = s.facts.find_index(text.owner)
        if fact < 0 or s.facts.pages["fact_line"].ids[fact] != text.page:
            return ()
        node = self._holder(s, fact)
        return () if node is None else (node,)

    def before(self, s: Snapshot, node: NodeRef, text: StoredText, known: dict[Any, Any]) -> int:
        lines = known.get((self, node))
        if lines is None:
            ids = s.facts.ids
            lines = known[self, node] = {ids[fact]: line for line, fact in enumerate(self._ordered(s, node))}
        return lines[text.owner]  # type: ignore[no-any-return]

    def _facts_or_none(self, s: Snapshot, node: NodeRef) -> Sequence[int]:
        try:
            return self._facts(s, node)
        except KgfsError:
            return ()


class Rendered:
    """A file about the whole graph (or a type), rendered from snapshot and store when first asked for, once a
    generation."""

    lazy: ClassVar[bool] = True
    volatile: ClassVar[bool] = False

    def __init__(self, name: str, render: Callable[[PageStore, Snapshot, NodeRef], bytes], stamp: Stamp) -> None:
        self._name, self._render, self.stamp = name, render, stamp

    def _once(self, s: Snapshot, node: NodeRef, render: Callable[[], bytes]) -> bytes:
        key = (self._name, node.id)
        text = s.rendered.get(key)
        if text is None:
            text = s.rendered[key] = render()
        return text

    def _text(self, s: Snapshot, node: NodeRef) -> bytes:
        text = s.rendered.get((self._name, node.id))
        if text is None:
            raise StaleSnapshotError("This file has yet to be rendered in this generation.")
        return text

    def ready(self, s: Snapshot, node: NodeRef) -> bool:
        return (self._name, node.id) in s.rendered

    def prepare(self, store: PageStore, s: Snapshot, node: NodeRef) -> None:
        self._once(s, node, lambda: self._render(store, s, node))

    def size(self, s: Snapshot, node: NodeRef) -> int:
        return len(self._text(s, node))

    def key(self, s: Snapshot, node: NodeRef) -> Hashable:
        return s.rendered.get((self._name, node.id), s.generation)

    def peek(self, store: PageStore, s: Snapshot, node: NodeRef) -> Body | None:
        return BytesBody(self._text(s, node)) if self.ready(s, node) else None

    def load(self, store: PageStore, s: Snapshot, node: NodeRef) -> Body:
        self.prepare(store, s, node)
        return BytesBody(self._text(s, node))


class Small(Rendered):
    """A file that takes microseconds to make: rendered on the spot."""

    lazy: ClassVar[bool] = False

    def __init__(self, name: str, render: Callable[[Snapshot, NodeRef], bytes], stamp: Stamp) -> None:
        super().__init__(name, lambda store, s, node: render(s, node), stamp)
        self._make = render

    def _text(self, s: Snapshot, node: NodeRef) -> bytes:
        return self._once(s, node, lambda: self._make(s, node))

    def ready(self, s: Snapshot, node: NodeRef) -> bool:
        return True
