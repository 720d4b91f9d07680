"""What tools can reach of an open store: rows, drives that can be written, the tree, search, and nothing of the host.

Made by the service (``kgfs.service.tooling``), or by a test; used by every tool on the thread that calls it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from kgfs.store.database import Database
from kgfs.store.drive_rows import Written

if TYPE_CHECKING:
    from kgfs.namespace.namespace import Namespace


class Writable(Protocol):
    """``kgfs.drives.places.Places``: whole items by drive and stored path."""

    @property
    def writable(self) -> frozenset[str]: ...
    def put(
        self, drive: str, path: str, body: bytes, *, on_conflict: Literal["error", "overwrite"] = "overwrite"
    ) -> Written: ...
    def make_directory(self, drive: str, path: str) -> bool: ...
    def remove(self, drive: str, path: str, *, recursive: bool = False, purge: bool = False) -> int: ...
    def move(self, drive: str, path: str, to_drive: str, to_path: str, *, overwrite: bool = False) -> None: ...
    def copy(self, drive: str, path: str, to_drive: str, to_path: str, *, overwrite: bool = False) -> None: ...


Search = Callable[[str, str, str | None, int], dict[str, Any]]
"""``(query, kind, origin, limit)``: ``results`` as ``@search`` gives them, ``mode``, whether there are ``more``."""

Refresh = Callable[[Sequence[tuple[str, str]] | None], dict[str, Any]]
"""Reads sources again: those at, beneath and around these drives and paths, or all; what became of each."""


@dataclass
class Reach:
    """The parts of one open store that a tool may use."""

    database: Database
    places: Writable
    namespace: Callable[[], Namespace]
    search: Search
    refresh: Refresh
    editing: threading.Lock = field(default_factory=threading.Lock)
    """Held while an item is read, changed and written, so that no edit is lost to another one."""
