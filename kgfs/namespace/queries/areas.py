"""What the rows of query areas are made of: components that are words, files and links of a result.

Used by the table in ``tree``. Runs on the event loop except ``load`` and ``prepare``. ``id`` of a node is the number of
its query (``query_cache``), ``sub`` that of where a link of the result leads.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import ClassVar

from kgfs.errors import NotFoundError, UnknownWord
from kgfs.namespace.bodies import Body, BytesBody
from kgfs.namespace.node import NodeRef
from kgfs.namespace.pages import PageStore
from kgfs.namespace.queries.query_cache import ONLY, QueryCache, ResultLink
from kgfs.namespace.route import Above, File, Link, Listed, When
from kgfs.namespace.runtime import Runtime
from kgfs.namespace.snapshot import Snapshot
from kgfs.namespace.views.links import Computed

_NOWHERE: tuple[str | None, str | None] = (None, None)


class Words:
    """Components that are part of a query. What begins with ``.`` is none: tools probe for such names."""

    of: ClassVar[tuple[str | None, str | None]] = _NOWHERE

    def __init__(
        self,
        runtime: Runtime,
        pattern: str,
        accepts: Callable[[Snapshot, str], bool] | None = None,
        listed: Sequence[str] = (),
        unknown: Callable[[Snapshot, str], str] | None = None,
    ) -> None:
        """``pattern`` is that of the row; ``listed`` are names that the directory shows, others are only looked up.

        ``unknown`` gives the sentence for a name that is not accepted.
        """
        self._runtime, self._pattern = runtime, pattern
        self._accepts, self._listed, self._unknown = accepts, listed, unknown

    def list(self, s: Snapshot, node: NodeRef) -> list[Listed]:
        word = self._runtime.queries.word
        return [(name, word(self._pattern, node.id, name), 0, place) for place, name in enumerate(self._listed, 1)]

    def accepts(self, s: Snapshot, name: str) -> bool:
        """Whether a name is such a component."""
        return not name.startswith(".") and (self._accepts is None or self._accepts(s, name))

    def find_node(self, s: Snapshot, node: NodeRef, name: str) -> NodeRef | None:
        return NodeRef(self._runtime.queries.word(self._pattern, node.id, name)) if self.accepts(s, name) else None

    def refusal(self, s: Snapshot, name: str) -> UnknownWord | None:
        """The error of a name that is no such component, where a person may have meant one."""
        return None if self._unknown is None or name.startswith((".", "_")) else UnknownWord(self._unknown(s, name))

    def name(self, s: Snapshot, node: NodeRef) -> str:
        return self._runtime.queries.get(node.id).words[-1]

    def up(self, s: Snapshot, node: NodeRef) -> Above:
        parent = self._runtime.queries.get(node.id).parent
        return self._runtime.queries.above(parent), NodeRef(parent)


class ResultLinks:
    """The links of a result."""

    of: ClassVar[tuple[str | None, str | None]] = _NOWHERE

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    def list(self, s: Snapshot, node: NodeRef) -> list[Listed]:
        cached = self._runtime.queries.cached(s, node.id)
        links = zip(cached.result.links, cached.numbers, strict=True)
        return [(link.name, node.id, number, place) for place, (link, number) in enumerate(links, 1)]

    def find_node(self, s: Snapshot, node: NodeRef, name: str) -> NodeRef | None:
        number = self._runtime.queries.cached(s, node.id).by_name.get(name)
        return None if number is None else NodeRef(node.id, number)

    def name(self, s: Snapshot, node: NodeRef) -> str:
        return _link(self._runtime.queries, s, node).name

    def up(self, s: Snapshot, node: NodeRef) -> Above:
        return None, NodeRef(node.id)


def _link(queries: QueryCache, s: Snapshot, node: NodeRef) -> ResultLink:
    link = queries.cached(s, node.id).by_number.get(node.sub)
    if link is None:
        raise NotFoundError("This is no longer found.")
    return link


class ToResult(Computed):
    """Where a link of a result leads."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    def path(self, s: Snapshot, node: NodeRef) -> str:
        return _link(self._runtime.queries, s, node).path

    def stamp(self, s: Snapshot, node: NodeRef) -> tuple[int, int]:
        return _link(self._runtime.queries, s, node).mtime, s.published


class ResultFile:
    """A file of a result, by its name there."""

    lazy: ClassVar[bool] = True
    volatile: ClassVar[bool] = False

    def __init__(self, runtime: Runtime, name: str = ONLY) -> None:
        self._runtime, self._name = runtime, name

    def _bytes(self, s: Snapshot, node: NodeRef) -> bytes:
        return self._runtime.queries.cached(s, node.id).result.files[self._name]

    def size(self, s: Snapshot, node: NodeRef) -> int:
        return len(self._bytes(s, node))

    def stamp(self, s: Snapshot, node: NodeRef) -> tuple[int, int]:
        made = self._runtime.queries.cached(s, node.id).made
        return made, made

    def key(self, s: Snapshot, node: NodeRef) -> Hashable:
        return s.generation

    def peek(self, store: PageStore, s: Snapshot, node: NodeRef) -> Body | None:
        return BytesBody(self._bytes(s, node)) if self.ready(s, node) else None

    def load(self, store: PageStore, s: Snapshot, node: NodeRef) -> Body:
        self.prepare(store, s, node)
        return BytesBody(self._bytes(s, node))

    def ready(self, s: Snapshot, node: NodeRef) -> bool:
        return self._runtime.queries.ready(s, node.id)

    def prepare(self, store: PageStore, s: Snapshot, node: NodeRef) -> None:
        self._runtime.queries.run(node.id)


class QueryRows:
    """What the table writes in the rows of query areas."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self.result = ResultFile(runtime)
        """The result itself: what a directory of links waits for, and the file of a result that is one file."""

    def words(
        self,
        pattern: str,
        accepts: Callable[[Snapshot, str], bool] | None = None,
        listed: Sequence[str] = (),
        unknown: Callable[[Snapshot, str], str] | None = None,
    ) -> Words:
        """The components of a row, as ``Words``."""
        return Words(self._runtime, pattern, accepts, listed, unknown)

    def file(
        self,
        name: str = ONLY,
        *,
        segment: Words | None = None,
        when: When | None = None,
        inside: tuple[str, ...] | None = None,
        hidden: bool = False,
    ) -> File:
        """A row's file of a result."""
        view = ResultFile(self._runtime, name)
        return File(view=view, segment=segment, when=when, passing=self.is_passing, inside=inside, hidden=hidden)

    def links(self) -> Link:
        """A row's links of a result, in a directory that waits for it (``lazy=….result``)."""
        return Link(to=ToResult(self._runtime), segment=ResultLinks(self._runtime), passing=self.is_passing)

    def is_passing(self, s: Snapshot, node: NodeRef) -> bool:
        """Whether the result may be replaced within its generation."""
        return self._runtime.queries.passing(node.id)

    def asks_entities(self, s: Snapshot, node: NodeRef) -> bool:
        """Whether a search is one for entities."""
        return self._runtime.queries.get(node.id).words[0] == "entities"

    def asks_others(self, s: Snapshot, node: NodeRef) -> bool:
        """Whether it is one for something else."""
        return not self.asks_entities(s, node)
