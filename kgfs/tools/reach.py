"""What tools can reach of an open store: rows, drives that can be written, search, and nothing of the host.

Made by the service (``Service.reach``), or by a test; used by every tool on the thread that calls it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from kgfs.errors import NotFoundError, UsageError
from kgfs.store.catalog.database import Database

if TYPE_CHECKING:
    from kgfs.drives.files_by_path import FilesByPath


Search = Callable[[str, str, str | None, int], dict[str, Any]]
"""``(query, kind, origin, limit)``: ``results`` as ``@search`` gives them, ``mode``, whether there are ``more``."""

Refresh = Callable[[Sequence[tuple[str, str]] | None], dict[str, Any]]
"""Reads sources again: those at, beneath and around these drives and paths, or all; what became of each."""


class TreeAnswer(NamedTuple):
    """What a question to the tree gave."""

    result: dict[str, Any]
    items: list[Any]
    data: bytes
    cut: bool
    """Whether there was more than was asked for."""


class AskTree(Protocol):
    """Asks the tree as a command does (``ls cat find grep stat search brief sql``); a place is ``{"text": PATH}``."""

    def __call__(self, request: str, arguments: dict[str, Any], most: int = ...) -> TreeAnswer:
        """At most ``most`` items, or bytes of data. ``KgfsError`` as the command has it."""


class NoTree:
    """Where no tree is at hand: a test of tools on rows."""

    def __call__(self, request: str, arguments: dict[str, Any], most: int = 0) -> TreeAnswer:
        raise UsageError("There is no tree here.")


class Keys(Protocol):
    """Keys with JSON values. ``NotFoundError``, ``UsageError``, ``MountedReadOnly``."""

    def get_key(self, key: str) -> str: ...
    def set_key(self, key: str, value: str) -> None: ...
    def delete_key(self, key: str) -> None: ...
    def list_keys(self, prefix: str) -> Sequence[str]: ...


class NoKeys:
    """Where no keys are at hand."""

    def get_key(self, key: str) -> str:
        raise NotFoundError(f"There is no key {key!r}.")

    def set_key(self, key: str, value: str) -> None:
        raise UsageError("There are no keys here.")

    def delete_key(self, key: str) -> None:
        raise NotFoundError(f"There is no key {key!r}.")

    def list_keys(self, prefix: str) -> Sequence[str]:
        return ()


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

    ask_tree: AskTree = field(default_factory=NoTree)
    keys: Keys = field(default_factory=NoKeys)

    def may_write(self, drive: str) -> bool:
        return not self.shut and drive in self.writable
