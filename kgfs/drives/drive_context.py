"""What the operations on drives stand on: the shown tree, what may be written, ids, names.

Used by ``open_files``, ``namespace_ops`` and ``files_by_path``. The tree is read on any thread and changed on the
writer's (``Journal``), but for files that are created and have no row yet: those come from the event loop.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections import deque
from collections.abc import Iterable
from concurrent.futures import Future
from pathlib import Path

from kgfs.drives.gate import Gate
from kgfs.errors import BadName, NameTooLong, NotFoundError, ReadOnlyError
from kgfs.names import name_bytes
from kgfs.namespace.context_names import MAX_COMPONENT_BYTES, VERBATIM, encode_component, may_stand, names_of, path_of
from kgfs.namespace.context_tree import ContextTree, Directory, StoredFile
from kgfs.namespace.journal import Change, Names
from kgfs.namespace.namespace import Namespace
from kgfs.store.catalog.database import Cursor
from kgfs.store.catalog.inserts import take_ids

IDS_AHEAD = 1024
"""Ids that are taken from the store at once: creating a file then needs no transaction."""


def now_us() -> int:
    """The present in microseconds since 1970."""
    return time.time_ns() // 1000


class DriveContext:
    """One store's drives."""

    def __init__(
        self, namespace: Namespace, gate: Gate, writable: Iterable[str], directory: Path, versions: int
    ) -> None:
        """``writable`` are drives; ``directory`` is where large drafts lie, on the store's disk; ``versions`` is how
        many of a file are kept."""
        self.versions = versions
        self.namespace = namespace
        self.gate = gate
        self.directory = directory
        self.writable = frozenset(writable)
        self._drive_of = {"".join(encode_component(drive)): drive for drive in self.writable}
        self._free: deque[int] = deque()
        self._ids = threading.Lock()
        self._asked = False
        """Whether ids are on their way."""
        self._serials = itertools.count(1)
        self.untimed: set[int] = set()
        """Rows of directories whose time is no longer the one that somebody set, as a file was made there, and which do
        not say so before that is committed."""

    @property
    def tree(self) -> ContextTree:
        """The shown one."""
        return self.namespace.view.context

    def note(self, *changes: Change) -> None:
        """Show committed changes (the writer's thread)."""
        journal = self.namespace.journal
        # The lock comes first: else a thread that waits while another snapshot is adopted would change the former one.
        with journal.lock:
            journal.note(list(changes), self.tree)

    def lose_time(self, directory: Directory) -> int:
        """A file is made in a directory, and has no row yet: the row of the directory if that is to forget its time,
        else 0."""
        row = directory.row
        if row is None or (row.mtime is None and row.item not in self.untimed):
            return 0
        self.untimed.add(row.item)
        return row.item

    def next_serial(self) -> int:
        return next(self._serials)

    # --- ids --------------------------------------------------------------------------------------------------------

    @property
    def ids_ready(self) -> bool:
        """Whether :meth:`free_id` takes no transaction."""
        return bool(self._free)

    def reserve(self) -> None:
        """Take ids from the store (blocks; not on the writer's thread)."""
        with self._ids:
            if len(self._free) < IDS_AHEAD // 2:
                self._free.extend(self.gate.database.write(lambda cursor: take_ids(cursor, "item", IDS_AHEAD)))

    def reserve_soon(self) -> None:
        """``reserve`` without waiting, where few are left: an id that is at hand saves a transaction's statement."""
        if self._asked or len(self._free) >= IDS_AHEAD // 2:
            return
        self._asked = True

        def ended(done: Future[range]) -> None:
            self._asked = False
            if done.exception() is None:  # a full disk, or the store was closed: the next one asks again
                self._free.extend(done.result())

        self.gate.database.write_soon(lambda cursor: take_ids(cursor, "item", IDS_AHEAD)).add_done_callback(ended)

    def free_id(self) -> int:
        """An id that nothing has."""
        while True:
            try:
                return self._free.popleft()
            except IndexError:
                self.reserve()

    def free_id_in(self, cursor: Cursor) -> int:
        """An id that nothing has, inside a transaction."""
        try:
            return self._free.popleft()
        except IndexError:
            return take_ids(cursor, "item", 1)[0]

    # --- what may be written ----------------------------------------------------------------------------------------

    def is_writable(self, directory: Directory) -> bool:
        return self._top(directory).name in self._drive_of

    @staticmethod
    def _top(directory: Directory) -> Directory:
        while directory.parent is not None:
            directory = directory.parent
        return directory

    def require_writable(self, directory: Directory) -> None:
        """``ReadOnlyError`` where location does not allow to write."""
        self.gate.require_open()
        if not self.is_writable(directory):
            raise ReadOnlyError(
                f"context/{self._top(directory).name} shows files that come from elsewhere: write under notes/, or"
                " mount with --writable DRIVE."
            )

    def require_name(self, directory: Directory, name: str) -> None:
        """``BadName`` and its kinds where no file here can have this name."""
        if not may_stand(name):
            length = len(name_bytes(name))
            if length > MAX_COMPONENT_BYTES:
                raise NameTooLong(f"A name has at most {MAX_COMPONENT_BYTES} bytes, this one {length}.")
            raise BadName(f"No file can be called {name!r}; choose another name.")
        drive = self.drive(directory)
        if drive not in VERBATIM and names_of(drive, path_of(drive, [name])) != (name,):
            raise BadName(f"On the drive {drive} the name {name!r} stands for another one; leave the % out.")

    # --- places -----------------------------------------------------------------------------------------------------

    def drive(self, directory: Directory) -> str:
        """The drive of a directory that may be written."""
        return self._drive_of[self._top(directory).name]

    def stored_path(self, directory: Directory, name: str = "") -> str:
        """The path on its drive, of the directory or of a name in it."""
        names = directory.names()[1:]
        return path_of(self.drive(directory), (*names, name) if name else names)

    @staticmethod
    def names(directory: Directory, name: str) -> Names:
        """From the drive down."""
        return (*directory.names(), name)

    def standing(self, directory: Directory) -> Directory:
        """A directory that is still there; ``NotFoundError`` where it went."""
        if self.tree.by_key.get(directory.key) is not directory:
            newer = self.tree.by_key.get(directory.key)
            if newer is None:
                raise NotFoundError("This directory is gone.")
            return newer
        return directory

    def file(self, inode: int) -> StoredFile:
        """What is known of a file; from then on it is known by this object while this snapshot is shown, and while
        somebody has it open. ``NotFoundError`` where it is gone."""
        view = self.namespace.view
        live = view.context.live.get(inode)
        if live is None:
            found = view.file(inode)
            found.serial = self.next_serial()
            live = view.context.live.setdefault(inode, found)
        return live

    def present(self, file: StoredFile) -> StoredFile:
        """The object by which a file is known now: another snapshot may be shown since ``file`` was asked for, and
        somebody may have opened it there. Under the journal's lock, before the file is changed."""
        return self.tree.live.get(file.inode, file)
