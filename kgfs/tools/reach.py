"""What tools can reach of an open store: rows, drives that can be written, search, and nothing of the host.

Made by the service (``Service.reach``), or by a test; used by every tool on the thread that calls it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kgfs.store.database import Database

if TYPE_CHECKING:
    from kgfs.drives.files_by_path import FilesByPath


Search = Callable[[str, str, str | None, int], dict[str, Any]]
"""``(query, kind, origin, limit)``: ``results`` as ``@search`` gives them, ``mode``, whether there are ``more``."""

Refresh = Callable[[Sequence[tuple[str, str]] | None], dict[str, Any]]
"""Reads sources again: those at, beneath and around these drives and paths, or all; what became of each."""


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

    def may_write(self, drive: str) -> bool:
        return not self.shut and drive in self.writable
