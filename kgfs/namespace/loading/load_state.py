"""What of one load of a snapshot the next one goes on from, and no reader needs.

Used by ``loading``; a snapshot carries it.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import NamedTuple

from kgfs.namespace.context_names import names_of
from kgfs.namespace.context_tree import FileRows
from kgfs.namespace.loading.edits import Edited
from kgfs.namespace.node import NumberedNames
from kgfs.namespace.relations import Ints
from kgfs.store.tree.columns import Blocks, PageTotals

_SPECIAL = ("", ".", "_")
"""How names begin that may stand for something else in the tree."""
_SHORT = 63
"""Up to so many characters a name is surely short enough."""
NO_PAGES = PageTotals(0, 0, 0)


class Folders:
    """The directories of stored files, each with a number; only ever grows."""

    def __init__(self) -> None:
        self.names: list[tuple[str, ...]] = []
        """Number to drive and names beneath it."""
        self._numbers: dict[tuple[str, ...], int] = {}
        self._known: dict[tuple[str, str], int] = {}
        """Drive and path of a directory to its number."""
        self._lock = threading.Lock()

    def split(self, drive: str, path: str) -> tuple[int, str]:
        """The number of the directory in which a path is, and its name there."""
        above, slash, last = path.rpartition("/")
        if slash and last.isprintable() and "%" not in last and last[:1] not in _SPECIAL and len(last) <= _SHORT:
            number = self._known.get((drive, above))
            if number is None:
                number = self._known[drive, above] = self._number((drive, *(names_of(drive, above) if above else ())))
            return number, last  # almost every path, in a fifth of the time
        names = names_of(drive, path)
        return self._number((drive, *names[:-1])), names[-1]

    def _number(self, names: tuple[str, ...]) -> int:
        number = self._numbers.get(names)
        if number is None:
            with self._lock:  # two may load at once
                number = self._numbers.setdefault(names, len(self.names))
                if number == len(self.names):
                    self.names.append(names)
        return number


class Aliases(NamedTuple):
    """What is known of all aliases."""

    ids: Ints
    slugs: Ints
    """Of each row, in order."""
    owners: dict[str, int]
    """Alias to the place of its entity."""
    names: dict[int, list[str]]
    """Place of an entity to its aliases, sorted."""
    hidden: frozenset[str]
    """Aliases that an entity has, and that lead to another one."""


@dataclass
class LoadState:
    """What of one load the next one goes on from."""

    replaced: int = 0
    """``Database.replaced`` when it was loaded."""
    blocks: dict[str, Blocks] = field(default_factory=dict)
    rows: dict[str, Edited] = field(default_factory=dict)
    pages: PageTotals = NO_PAGES
    unowned: tuple[int, int] = (0, 0)
    """Number and sum of the ids of pages whose rows are not there."""
    indicators: dict[int, dict[int, tuple[int, int]]] = field(default_factory=dict)
    folders: Folders = field(default_factory=Folders)
    files: FileRows | None = None
    dates: dict[str, Ints] = field(default_factory=dict)
    """Columns of dates as ``dates`` names them; ``NO_TIME`` where there is none."""
    aliases: Aliases | None = None
    types: NumberedNames = field(default_factory=NumberedNames)
    """Types of entities as they are stored."""
