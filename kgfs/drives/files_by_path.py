"""Whole stored files by drive and stored path: what tools and commands do to them.

Used by ``kgfs.tools`` and the commands, on any thread but the event loop's and the writer's; every call blocks until it
is committed and the mount, if there is one, has been told. Paths are absolute: ``/notes/idea.md``.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Literal

from kgfs.drives.draft import Draft
from kgfs.drives.drive_context import DriveContext
from kgfs.drives.namespace_ops import NamespaceOps
from kgfs.drives.open_files import OpenFiles
from kgfs.errors import (
    BadName,
    ChangedError,
    ConflictError,
    ExistsError,
    IsADirectory,
    KgfsError,
    NotADirectory,
    NotFoundError,
    ReadOnlyError,
    UsageError,
)
from kgfs.names import AS_NAMED
from kgfs.namespace.attributes import DIRECTORY_MODE, FILE_MODE
from kgfs.namespace.context_names import MAX_COMPONENT_BYTES, VERBATIM, may_stand, names_of
from kgfs.namespace.context_tree import Directory
from kgfs.namespace.node import Node
from kgfs.store.files import bodies, history, items
from kgfs.store.files.drive_rows import NewAttributes, WrittenBody
from kgfs.store.files.items import BLOCK_BYTES


class Touched:
    """What a reader that keeps answers (the kernel) must drop after an operation."""

    def __init__(self) -> None:
        self.contents: set[Node] = set()
        """Files whose bytes, size or times are others."""
        self.directories: set[Node] = set()
        """Directories whose times and listings are others."""
        self.names: set[tuple[Node, str]] = set()
        """Names that came, went, or lead to another node."""


class FilesByPath:
    """The files and directories of one store's drives, by path."""

    def __init__(self, context: DriveContext, open_files: OpenFiles, namespace_ops: NamespaceOps) -> None:
        self._context, self._open_files, self._namespace_ops = context, open_files, namespace_ops
        self.on_touched: Callable[[Touched], None] = lambda touched: None
        """Called after each operation; returns when the kernel has dropped it all."""

    @property
    def writable(self) -> frozenset[str]:
        """The drives that may be written."""
        return self._context.writable

    # --- operations -------------------------------------------------------------------------------------------------

    def put(
        self,
        drive: str,
        path: str,
        body: bytes | Iterator[bytes],
        *,
        on_conflict: Literal["error", "overwrite"] = "overwrite",
        instead_of: str | None = None,
    ) -> WrittenBody:
        """Write a whole file, of which a large one may come in parts; directories on the way are made.

        ``instead_of``: only over the body of this hash (``items.hash_body``); ``ChangedError`` where there is another
        one, or none, or somebody has written to it and not closed it yet.

        ``ExistsError`` where there is one and ``on_conflict`` is ``error``; ``IsADirectory``, ``NotADirectory``,
        ``ReadOnlyError``, ``BadName``, ``TooLarge``, ``NoSpaceError``.
        """
        names = self._names(drive, path)
        # Before anything is changed.
        draft = self._open_files.drafted(_parts(body) if isinstance(body, bytes) else body)
        touched = Touched()
        try:
            inode = self._become(drive, path, names, draft, touched, on_conflict, instead_of)
        finally:
            draft.close()
        self._file(touched, inode)
        self.on_touched(touched)
        file = self._context.file(inode)
        with self._context.gate.database.read() as cursor:
            row = items.items_by_id(cursor, [file.item]).get(file.item)
        if row is None:
            raise NotFoundError(f"{drive}:{path} was removed while it was written.")
        return WrittenBody(row.id, row.size, row.hash, row.is_textual, row.mime_type)

    def _become(
        self,
        drive: str,
        path: str,
        names: tuple[str, ...],
        draft: Draft,
        touched: Touched,
        on_conflict: Literal["error", "overwrite"],
        instead_of: str | None,
    ) -> int:
        """Have a file hold what a draft holds, committed; returns its inode."""
        directory = self._directories(drive, names[:-1], touched)
        name = names[-1]
        if name in directory.directories:
            raise IsADirectory(f"{drive}:{path} is a directory; give a file's name too.")
        inode = directory.files.get(name)
        if inode in self._context.tree.targets:
            raise ExistsError(f"There is a symbolic link at {drive}:{path}; remove it first.")
        if inode is not None and on_conflict == "error":
            raise ExistsError(f"There is something at {drive}:{path} already; nothing was changed.")
        if inode is None and instead_of is not None:
            raise ChangedError(f"{drive}:{path} went meanwhile; nothing was written.")
        if inode is None:
            inode = self._open_files.create(directory, name, FILE_MODE)
            self._name(touched, directory, name)
        else:
            self._open_files.open_settled(inode, writing=True)
        try:
            if self._open_files.needs_load(inode):
                self._open_files.load(inode, empty=instead_of is None)
            if not self._open_files.become(inode, draft, instead_of):
                raise ChangedError(f"{drive}:{path} was written to meanwhile; nothing was changed.")
            self._open_files.commit(inode, closing=True).result()
        finally:
            ended = self._open_files.release(inode, writing=True)
            if ended is not None:
                ended.result()
        return inode

    def make_directory(self, drive: str, path: str) -> bool:
        """A directory, with those above it; False if it was there. ``NotADirectory`` where a file stands on the way."""
        names = self._names(drive, path)
        touched = Touched()
        before = self._context.tree.find_stored(drive, path)
        if isinstance(before, int):
            raise ExistsError(f"{drive}:{path} is a file; choose another path.")
        self._directories(drive, names, touched)
        self.on_touched(touched)
        return before is None

    def remove(self, drive: str, path: str, *, recursive: bool = False, purge: bool = False) -> int:
        """Remove a file, or with ``recursive`` a directory and all beneath it; returns how many files went.

        ``purge`` erases their history. ``NotFoundError``, ``ReadOnlyError``, and ``ConflictError`` for a directory
        that holds something without ``recursive``.
        """
        self.require_drive(drive)
        found = self._find(drive, path)
        touched = Touched()
        count = 0
        try:
            if isinstance(found, int):
                self._remove_file(found, touched, purge)
                count = 1
            else:
                if (found.files or found.directories) and not recursive:
                    raise ConflictError(f"{drive}:{path} is a directory; remove all beneath it with recursive.")
                count = self._remove_tree(found, touched, purge)
        finally:
            self.on_touched(touched)
        return count

    def _remove_file(self, inode: int, touched: Touched, purge: bool) -> None:
        directory, name = self._context.tree.place[inode]
        self._namespace_ops.remove_file(directory, name, purge=purge).result()
        self._name(touched, directory, name)

    def _remove_tree(self, top: Directory, touched: Touched, purge: bool) -> int:
        count = 0
        for each in reversed(self._context.tree.beneath(top)):
            for inode in list(each.files.values()):
                try:
                    self._remove_file(inode, touched, purge)
                    count += 1
                except (NotFoundError, KeyError):
                    continue  # somebody else removed it
            if each.parent is not None:
                self._name(touched, each.parent, each.name)
                self._namespace_ops.remove_directory(each.parent, each.name).result()
        return count

    def move(self, drive: str, path: str, to_drive: str, to_path: str, *, overwrite: bool = False) -> None:
        """Move a file or a directory with all beneath it, also to another drive. Over a file only with ``overwrite``.

        ``NotFoundError``, ``ExistsError``, ``ReadOnlyError`` for either drive, ``UsageError`` for a directory into
        itself.
        """
        self.require_drive(drive)
        names, to_names = self._names(drive, path), self._names(to_drive, to_path)
        found = self._find(drive, path)
        if isinstance(found, Directory) and drive == to_drive and to_names[: len(names)] == names != to_names:
            raise UsageError(f"{drive}:{path} cannot be moved into itself; choose a place outside.")
        touched = Touched()
        there = self._directories(to_drive, to_names[:-1], touched)
        if not overwrite and (to_names[-1] in there.files or to_names[-1] in there.directories):
            if (drive, path) != (to_drive, to_path):
                raise ExistsError(f"There is something at {to_drive}:{to_path} already; nothing was changed.")
            return
        here = found.parent if isinstance(found, Directory) else self._context.tree.place[found][0]
        assert here is not None
        replaced = there.files.get(to_names[-1])
        self._name(touched, here, names[-1])
        self._name(touched, there, to_names[-1])
        self._namespace_ops.rename(here, names[-1], there, to_names[-1]).result()
        if isinstance(found, int):
            self._file(touched, found)
        if replaced is not None:
            self._file(touched, replaced)
        self.on_touched(touched)

    def copy(self, drive: str, path: str, to_drive: str, to_path: str, *, overwrite: bool = False) -> None:
        """Duplicate a file, or a directory with all beneath it; the drive that is copied from need not be writable.

        As ``move``; the copies are items of their own. Where a file stands in the way, nothing is copied.
        """
        found = self._find(drive, path)
        if isinstance(found, int):
            self._copy_file(found, to_drive, to_path, overwrite)
            return
        if drive == to_drive and (to_path.rstrip("/") + "/").startswith(path.rstrip("/") + "/"):
            raise UsageError(f"{drive}:{path} cannot be copied into itself; choose a place outside.")
        beneath = self._context.tree.beneath(found)
        top = len(found.names())
        if not overwrite:
            self._require_free(found, to_drive, to_path)
        self.make_directory(to_drive, to_path)
        for each in beneath:
            inner = "/".join((to_path.rstrip("/"), *each.names()[top:]))
            if each is not found:
                self.make_directory(to_drive, inner)
            for name, inode in list(each.files.items()):
                self._copy_file(inode, to_drive, f"{inner}/{name}", overwrite)

    def _require_free(self, source: Directory, drive: str, path: str) -> None:
        """``ExistsError`` where something is in the way of a copy of a directory; directories are joined."""
        there = self._context.tree.find_stored(drive, path)
        clash = f"{drive}:{path}" if isinstance(there, int) else None
        beside = [(source, there)] if isinstance(there, Directory) else []
        while beside and clash is None:
            new, old = beside.pop()
            for name in (*list(new.files), *list(new.directories)):
                if name in old.files or (name in old.directories and name in new.files):
                    clash = items.ref(drive, self._context.stored_path(old, name))
            pairs = ((each, old.directories.get(name)) for name, each in list(new.directories.items()))
            beside += [(each, other) for each, other in pairs if other is not None]
        if clash is not None:
            raise ExistsError(f"There is something at {clash} already; nothing was changed.")

    def _copy_file(self, inode: int, to_drive: str, to_path: str, overwrite: bool) -> None:
        target = self._context.tree.targets.get(inode)
        if target is not None:
            self.make_link(to_drive, to_path, target, overwrite=overwrite)
            return
        database, item = self._context.gate.database, self._context.tree.item_of(inode)
        on_conflict: Literal["error", "overwrite"] = "overwrite" if overwrite else "error"
        try:
            self.put(to_drive, to_path, bodies.body_pieces(database, item), on_conflict=on_conflict)
        except ChangedError:  # somebody writes to it: its present state, in one read
            with database.read(snapshot=True) as cursor:
                self.put(to_drive, to_path, bodies.body_pieces_in(cursor, item), on_conflict=on_conflict)

    def make_link(self, drive: str, path: str, target: str, *, overwrite: bool = False) -> None:
        """A symbolic link, over a file only with ``overwrite``; directories on the way are made. ``ExistsError``,
        ``ReadOnlyError``, ``NotADirectory``, ``BadName``."""
        names = self._names(drive, path)
        touched = Touched()
        directory = self._directories(drive, names[:-1], touched)
        if overwrite and names[-1] in directory.files:
            self._namespace_ops.remove_file(directory, names[-1]).result()
        self._namespace_ops.make_link(directory, names[-1], target).result()
        self._name(touched, directory, names[-1])
        self.on_touched(touched)

    def set_attributes(self, drive: str, path: str, attributes: NewAttributes) -> None:
        """Set mode, times or extended attributes of a file or directory. ``NotFoundError``, ``ReadOnlyError``."""
        self.require_drive(drive)
        found = self._find(drive, path)
        touched = Touched()
        if isinstance(found, int):
            self._namespace_ops.set_file(found, attributes).result()
            self._file(touched, found)
        else:
            self._namespace_ops.set_directory(found, attributes).result()
            touched.directories.add(self._context.namespace.node_of(found))
        self.on_touched(touched)

    def restore(self, drive: str, path: str, number: int) -> None:
        """Version ``number`` of a path becomes its body again; what it held becomes a version. ``NotFoundError``."""
        self.require_drive(drive)
        with self._context.gate.database.read(snapshot=True) as cursor:
            found = next((v for v in history.versions(cursor, items.ref(drive, path)) if v.number == number), None)
        if found is None:
            raise NotFoundError(
                f"{drive}:{path} has no version {number}; `kgfs context history {drive}:{path}` lists them."
            )
        self.put(drive, path, bodies.body_pieces(self._context.gate.database, found.id, bodies.VERSIONS))

    # --- paths ------------------------------------------------------------------------------------------------------

    def require_drive(self, drive: str) -> None:
        """``ReadOnlyError`` where the drive may not be written."""
        self._context.gate.require_open()
        if drive not in self._context.writable:
            raise ReadOnlyError(
                f"The drive {drive} shows files that come from elsewhere: write to agent:, or mount with"
                f" --writable {drive}."
            )

    def _names(self, drive: str, path: str) -> tuple[str, ...]:
        """The names of a stored path; ``BadName`` where it is none."""
        components = path.removeprefix("/").split("/")
        if not path.startswith("/") or any(each in ("", ".", "..") for each in components):
            raise BadName(f"{path!r} is no path of a drive; write it as /folder/name; . and .. are no names.")
        if drive in VERBATIM and not all(may_stand(each.translate(AS_NAMED)) for each in components):
            # It would be stored by other names.
            raise BadName(
                f"{path[:60]!r}: each name has at most {MAX_COMPONENT_BYTES} bytes of UTF-8; take shorter ones."
            )
        return names_of(drive, path)

    def _find(self, drive: str, path: str) -> Directory | int:
        if path.strip("/"):
            self._names(drive, path)
            found = self._context.tree.find_stored(drive, path)
        else:
            raise UsageError(f"{drive}:/ is the whole drive; name something on it.")
        if found is None:
            raise NotFoundError(f"There is nothing at {drive}:{path}.")
        return found

    def _directories(self, drive: str, names: tuple[str, ...], touched: Touched) -> Directory:
        """The directory of these names, made with all above it where it is missing."""
        self.require_drive(drive)
        here = self._context.tree.find_stored(drive, "/")
        if not isinstance(here, Directory):  # only the drive agent is there before anything is
            raise NotFoundError(f"There is no drive {drive}; `kgfs context list` lists the drives.")
        for name in names:
            inner = here.directories.get(name)
            if inner is None:
                if name in here.files:
                    raise NotADirectory(f"{name} in {drive}:{self._context.stored_path(here)} is a file.")
                with contextlib.suppress(ExistsError):  # somebody was faster
                    self._namespace_ops.make_directory(here, name, DIRECTORY_MODE).result()
                self._name(touched, here, name)
                here = self._context.standing(here)  # another snapshot may be the shown one by now
                inner = here.directories.get(name)
                if inner is None:
                    raise KgfsError(f"{name} went while it was written to; try again.")
            here = inner
        return here

    # --- what readers must drop -------------------------------------------------------------------------------------

    def _name(self, touched: Touched, directory: Directory, name: str) -> None:
        node = self._context.namespace.node_of(directory)
        touched.names.add((node, name))
        touched.directories.add(node)

    def _file(self, touched: Touched, inode: int) -> None:
        touched.contents.add(self._context.namespace.node_of(inode))


def _parts(body: bytes) -> Iterator[bytes]:
    for start in range(0, len(body), BLOCK_BYTES):
        yield body[start : start + BLOCK_BYTES]
