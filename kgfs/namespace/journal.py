"""What was written since a snapshot was loaded: the changes of ``context/`` that each newer snapshot is given before it
is shown.

Used by the namespace. ``Journal.note`` is called on the store's writer thread, right after the commit that it speaks
of; ``catch_up`` by whoever adopts a snapshot. A change says what is, not what happened: applied to a tree that has it
already, or to one that is further on, followed by all later ones, it does no harm.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass

from kgfs.namespace.context_tree import ContextTree, DirectoryRow, StoredFile

Names = tuple[str, ...]
"""From the drive down."""


@dataclass(frozen=True, slots=True)
class FileAt:
    """A file stands there."""

    names: Names
    file: StoredFile
    when: int

    def apply(self, tree: ContextTree) -> None:
        tree.put_file(self.names, self.file, self.when)


@dataclass(frozen=True, slots=True)
class NoFile:
    """A file stands nowhere any more."""

    inode: int
    when: int

    def apply(self, tree: ContextTree) -> None:
        tree.drop_file(self.inode, self.when)


@dataclass(frozen=True, slots=True)
class NoName:
    """No file has this name any more.

    ``FileAt`` takes the name that a file had, as the tree has it. But a tree of older rows may have another number
    there: which inode a row is (``FileNumbers``) was asked when the file had moved already.
    """

    names: Names
    when: int

    def apply(self, tree: ContextTree) -> None:
        tree.drop_name(self.names, self.when)


@dataclass(frozen=True, slots=True)
class DirectoryAt:
    """There is a directory, with this row or none."""

    names: Names
    row: DirectoryRow | None
    when: int

    def apply(self, tree: ContextTree) -> None:
        tree.put_directory(self.names, self.row, self.when)


@dataclass(frozen=True, slots=True)
class NoDirectory:
    """There is none, if it is empty."""

    names: Names
    when: int

    def apply(self, tree: ContextTree) -> None:
        tree.drop_directory(self.names, self.when)


Change = FileAt | NoFile | NoName | DirectoryAt | NoDirectory


class Journal:
    """The changes since some snapshot, and the files that somebody has open and has not committed."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        """Held while a change is applied to the shown tree, and while another is made the shown one."""
        self._changes: list[Change] = []
        self._first = 0
        """The position of the first change that is kept."""
        self.open_files: set[int] = set()
        """Inodes of files whose newest state is in memory only."""

    @property
    def position(self) -> int:
        """Where the next change will stand. A snapshot that is loaded *after* this was asked has all before it."""
        with self.lock:
            return self._first + len(self._changes)

    def note(self, changes: list[Change], tree: ContextTree) -> None:
        """Apply changes to the shown tree and keep them for newer ones."""
        with self.lock:
            for change in changes:
                change.apply(tree)
                if isinstance(change, NoDirectory) and tree.directory(change.names) is None:
                    tree.numbers.left("/".join(change.names))  # once: a tree that catches up finds the next number
            self.keep(changes, tree)

    def keep(self, changes: list[Change], tree: ContextTree) -> None:
        """``note`` for what the shown tree was given in another way."""
        with self.lock:
            self._changes += changes
            tree.stale = True

    def catch_up(self, tree: ContextTree, position: int, shown: ContextTree | None) -> bool:
        """Bring a tree that was loaded at ``position`` to the present state; False if it is too old for that."""
        with self.lock:
            if position < self._first:
                return False
            newer = self._changes[position - self._first :]
            for change in newer:
                change.apply(tree)
            tree.stale = bool(newer)
            if shown is not None:
                tree.remember_touched(shown)
                for inode in list(self.open_files):
                    file = shown.live.get(inode)
                    place = shown.place.get(inode)
                    if file is None:
                        continue
                    if place is None:
                        tree.drop_file(inode)
                        tree.live[inode] = file
                    else:
                        tree.put_file((*place[0].names(), place[1]), file)
            del self._changes[: position - self._first]
            self._first = position
            return True
