"""What was written since a snapshot was loaded: the changes of ``context/`` that each newer snapshot is given before it
is shown.

Used by the namespace. ``Journal.note`` is called on the store's writer thread, right after the commit that it speaks
of; ``catch_up`` by the thread that adopts a snapshot. A change says what is, not what happened: applied to a tree that
has it already, or to one that is further on, followed by all later ones, it does no harm.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from kgfs.namespace.context_tree import ContextTree, DirectoryRow, StoredFile
from kgfs.namespace.snapshot import Snapshot

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


class Held(Protocol):
    """A file that somebody has open."""

    @property
    def file(self) -> StoredFile:
        """The one state of this file, whatever snapshot is shown."""

    @property
    def dirty(self) -> bool:
        """Whether something of it is not committed yet."""


class Journal:
    """The changes since some snapshot, and the files that somebody has open."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        """Held while a change is applied to the shown tree, while a file is opened, and while another snapshot is made
        the shown one."""
        self._changes: list[Change] = []
        self._first = 0
        """The position of the first change that is kept."""
        self.held: Mapping[int, Held] = {}
        """Inode to what somebody has open; ``kgfs.drives`` puts its own here."""

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

    def catch_up(self, snapshot: Snapshot, shown: Snapshot | None) -> bool:
        """Bring a snapshot to the present state before it is shown; False if it is too old for that.

        A file that is open keeps the state that it has. What neither its writers nor a change here explain was written
        by a job and comes from the snapshot's rows. Those files are the snapshot's ``overwritten``.
        """
        tree = snapshot.context
        with self.lock:
            if snapshot.position < self._first:
                return False
            newer = self._changes[snapshot.position - self._first :]
            for change in newer:
                change.apply(tree)
            tree.stale = bool(newer)
            if shown is not None:
                tree.remember_touched(shown.context)
                changed = {change.file.inode for change in newer if isinstance(change, FileAt)}
                for inode, held in list(self.held.items()):
                    self._carry(snapshot, shown.context, held, inode in changed)
            del self._changes[: snapshot.position - self._first]
            self._first = snapshot.position
            return True

    @staticmethod
    def _carry(snapshot: Snapshot, shown: ContextTree, held: Held, changed: bool) -> None:
        """Have a snapshot know an open file by its one state."""
        tree, file = snapshot.context, held.file
        place = shown.place.get(file.inode)
        if place is None:
            tree.drop_file(file.inode)
        elif held.dirty or changed or file.inode not in tree.place:
            tree.put_file((*place[0].names(), place[1]), file)
        else:
            now = snapshot.file(file.inode)
            if (now.item, now.size, now.mtime) != (file.item, file.size, file.mtime):
                file.become(now)
                snapshot.overwritten.append(file.inode)
        tree.live[file.inode] = file
