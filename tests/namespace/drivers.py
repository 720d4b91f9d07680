"""The namespace as a driver of the contract suite, a searcher that needs no model, and walks over all nodes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

from kgfs.errors import KgfsError, QueryError
from kgfs.namespace.namespace import Namespace
from kgfs.namespace.node import Node
from kgfs.search.query import LegRank, SearchAnswer, SearchHit, SearchRequest
from kgfs.store.catalog.database import Database
from tests.contract import Stat


def opened(database: Database, **options: Any) -> Namespace:
    """The tree over a store's published state."""
    namespace = Namespace(database, **options)
    namespace.adopt(namespace.load_snapshot())
    return namespace


class NamespaceDriver:
    """Paths straight through the namespace, without a kernel."""

    def __init__(self, namespace: Namespace) -> None:
        self.namespace = namespace

    def node(self, path: str) -> Node:
        here = self.namespace.root
        for name in path.split("/") if path else ():
            if self.namespace.pending(here, name):
                self.namespace.prepare(here, name)
            here = self.namespace.lookup(here, name)
        return here

    def listdir(self, path: str) -> list[str]:
        def names() -> list[str]:
            node = self.node(path)
            if self.namespace.pending(node):
                self.namespace.prepare(node)
            return [entry.name for entry in self.namespace.entries(node)]

        return self._do(names)  # type: ignore[no-any-return]

    def lstat(self, path: str) -> Stat:
        def stat() -> Stat:
            node = self.node(path)
            attr = self.namespace.attr(node)
            return Stat(attr.kind, attr.size, attr.mtime_ns, attr.mode, attr.nlink, node)

        return self._do(stat)  # type: ignore[no-any-return]

    def read(self, path: str) -> bytes:
        def read() -> bytes:
            node = self.node(path)
            body = self.namespace.peek(node) or self.namespace.load(node)
            return body.read(0, body.size + 1)

        return self._do(read)  # type: ignore[no-any-return]

    def readlink(self, path: str) -> str:
        return self._do(lambda: self.namespace.target(self.node(path)))  # type: ignore[no-any-return]

    def _do(self, work: Any) -> Any:
        try:
            return work()
        except KgfsError as error:
            raise OSError(error.errno, os.strerror(error.errno)) from error


class SubstringSearcher:
    """Finds rows whose text contains the query: real rows, no model."""

    SOURCES = {  # noqa: RUF012
        "chunk": "SELECT id, text FROM chunks",
        "entity": "SELECT id, name FROM entities",
        "fact": "SELECT id, type || ' ' || coalesce(description, '') FROM facts",
        "topic": "SELECT id, name FROM topics",
    }

    def __init__(self, database: Database) -> None:
        self.database = database
        self.asked: list[SearchRequest] = []
        self.mode = "keyword"
        self.during: Callable[[], object] = lambda: None
        """What happens while a search runs."""

    def search(self, asked: SearchRequest) -> SearchAnswer:
        self.asked.append(asked)
        if asked.query == "bad":
            raise QueryError("This cannot be asked; ask something else.")
        hits = []
        for kind in asked.kinds:
            for row_id, text in self.database.fetch(f"{self.SOURCES[kind]} ORDER BY 1"):
                if asked.query.lower() in text.lower():
                    snippet = " ".join(text.split())[:240]
                    hits.append(
                        SearchHit(kind=kind, id=row_id, score=0.9, legs={"bm25": LegRank(1, 3.0)}, snippet=snippet)
                    )
        self.during()
        shown = hits[asked.offset : asked.offset + asked.limit]
        return SearchAnswer(hits=shown, mode=self.mode, milliseconds=1.0, settled=self.mode in ("keyword", "hybrid"))


def all_nodes(namespace: Namespace, start: Node | None = None) -> Iterator[tuple[Node, str, Node]]:
    """Directory, name and node of everything that is listed beneath."""
    waiting = [namespace.root if start is None else start]
    while waiting:
        here = waiting.pop()
        if namespace.pending(here):
            namespace.prepare(here)
        for entry in namespace.entries(here):
            yield here, entry.name, entry.node
            if namespace.row(entry.node).kind == "d":
                waiting.append(entry.node)
