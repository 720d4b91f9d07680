"""What tools can reach of an open store: rows, drives that can be written, search, and nothing of the host.

Made by the service (``Service.reach``), or by a test; used by every tool on the thread that calls it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from kgfs.errors import UsageError
from kgfs.store.database import Database

if TYPE_CHECKING:
    from kgfs.drives.files_by_path import FilesByPath
    from kgfs.namespace.namespace import Namespace


Search = Callable[[str, str, str | None, int], dict[str, Any]]
"""``(query, kind, origin, limit)``: ``results`` as ``@search`` gives them, ``mode``, whether there are ``more``."""

Refresh = Callable[[Sequence[tuple[str, str]] | None], dict[str, Any]]
"""Reads sources again: those at, beneath and around these drives and paths, or all; what became of each."""


class Graph(Protocol):
    """The tree, as it is shown now, asked for one call of a tool; a path is anything that a PATH may be."""

    @property
    def namespace(self) -> Namespace: ...
    def find(self, path: str, *, follow: bool = True) -> int: ...
    def brief(self, question: str, path: str | None, limit: int) -> str: ...
    def search(self, query: str, kind: str, path: str | None, limit: int) -> dict[str, Any]: ...
    def stopped(self) -> bool: ...


class Keys(Protocol):
    """The JSON values by key; a value is the text of its JSON."""

    def get_key(self, key: str) -> str: ...
    def list_keys(self, prefix: str) -> Sequence[str]: ...
    def set_key(self, key: str, value: str) -> None: ...
    def delete_key(self, key: str) -> None: ...


@dataclass
class Reach:
    """The parts of one open store that a tool may use."""

    database: Database
    writable: frozenset[str]
    """The drives that may be written, where the store may."""
    files_by_path: Callable[[], FilesByPath]
    """Made at the first write: what only reads rows needs no tree."""
    search: Search
    refresh: Refresh
    shut: bool = False
    """Whether nothing may be written: the store is mounted read-only."""

    keys: Keys | None = None
    graph: Graph | None = None
    """Given where a request is answered, since a PATH means what it means there."""

    @property
    def required_graph(self) -> Graph:
        """The tree. ``UsageError`` where a tool is called without one."""
        if self.graph is None:
            raise UsageError("This tool needs the tree, and is called where there is none.")
        return self.graph

    @property
    def required_keys(self) -> Keys:
        """The keys. ``UsageError`` where a tool is called without them."""
        if self.keys is None:
            raise UsageError("This tool needs the keys of a store, and is called where there are none.")
        return self.keys

    def may_write(self, drive: str) -> bool:
        return not self.shut and drive in self.writable
