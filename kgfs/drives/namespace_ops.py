"""Names and attributes on drives: making, removing and moving files and directories, modes, times, extended attributes.

Used by ``row_files`` and ``files_by_path``. Every operation is one transaction: checks and effects run on the writer's
thread, one operation after another, and the tree changes right after the commit. The futures end with what the
operation raises; then nothing happened.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from concurrent.futures import Future
from dataclasses import replace
from typing import TypeVar

from kgfs.drives.drive_context import DriveContext, now_us
from kgfs.drives.gate import Mutation
from kgfs.drives.open_files import OpenFiles
from kgfs.errors import ExistsError, IsADirectory, NotADirectory, NotEmpty, NotFoundError, NotPermitted, UsageError
from kgfs.names import name_bytes
from kgfs.namespace.attributes import DIRECTORY_MODE, LINK_MODE
from kgfs.namespace.context_tree import ContextTree, Directory, DirectoryRow, StoredFile
from kgfs.namespace.journal import Change, DirectoryAt, FileAt, Names, NoDirectory, NoFile, NoName
from kgfs.store.catalog.database import Cursor
from kgfs.store.files import drive_moves, drive_rows, items
from kgfs.store.files.disk_rows import DRIVE as DISK
from kgfs.store.files.drive_rows import NewAttributes
from kgfs.store.files.staging import StagedBody

T = TypeVar("T")
Then = Callable[[], object]
"""What a committed operation means for the tree."""


class NamespaceOps:
    """The directories of one store's drives."""

    def __init__(self, context: DriveContext, open_files: OpenFiles) -> None:
        self._context = context
        self._open_files = open_files

    def _commit(
        self,
        operation: str,
        refs: tuple[str, ...],
        work: Callable[[Cursor], tuple[T, Then]],
        leaving: Collection[int] = (),
    ) -> Future[T]:
        """``work`` returns the operation's result and what to do to the tree; ``leaving`` are then the files that it
        said go (``OpenFiles.leave``). What removes and moves is done on a full disk too."""
        self._context.reserve_soon()
        ended: Future[T] = Future()

        def finish(done: Future[tuple[T, Then]]) -> None:
            error = done.exception()
            self._open_files.left(leaving)
            if error is not None:
                ended.set_exception(error)
            else:
                ended.set_result(done.result()[0])

        mutation = Mutation(operation=operation, refs=refs)
        freeing = operation in ("remove", "move")
        future = self._context.gate.commit_soon(mutation, work, lambda result: result[1](), freeing=freeing)
        future.add_done_callback(finish)
        return ended

    def _ref(self, directory: Directory, name: str = "") -> str:
        return items.ref(self._context.drive(directory), self._context.stored_path(directory, name))

    # --- making -----------------------------------------------------------------------------------------------------

    def make_directory(self, directory: Directory, name: str, mode: int) -> Future[None]:
        """A directory in a directory. ``ExistsError``, ``ReadOnlyError``, ``BadName``, ``NotFoundError``."""
        context = self._context
        context.require_writable(directory)
        context.require_name(directory, name)

        def work(cursor: Cursor) -> tuple[None, Then]:
            above = context.standing(directory)
            if name in above.files or name in above.directories:
                raise ExistsError(f"There is a {name} already.")
            drive, path = context.drive(above), context.stored_path(above, name)
            item = context.free_id_in(cursor)
            drive_rows.make_directory(cursor, item, drive, path, NewAttributes(mode=mode & 0o7777))
            moment = now_us()
            row = DirectoryRow(item, mode & 0o7777, moment)
            self._names_change(cursor, above)
            return None, lambda: context.note(DirectoryAt(context.names(above, name), row, moment))

        return self._commit("create_dir", (self._ref(directory, name),), work)

    def make_link(self, directory: Directory, name: str, target: str) -> Future[None]:
        """A symbolic link, whose target is kept as it is. ``ExistsError``, ``ReadOnlyError``, ``BadName``,
        ``NotFoundError``; ``NotPermitted`` where files of the disk follow their rows: only files do."""
        context = self._context
        context.require_writable(directory)
        context.require_name(directory, name)
        if context.drive(directory) == DISK and context.gate.writes_disk:
            raise NotPermitted("Links are not written to the disk; make it there.")
        body = name_bytes(target)

        def work(cursor: Cursor) -> tuple[None, Then]:
            above = context.standing(directory)
            if name in above.files or name in above.directories:
                raise ExistsError(f"There is a {name} already.")
            item = context.free_id_in(cursor)
            drive_rows.make_link(cursor, item, context.drive(above), context.stored_path(above, name), body)
            self._names_change(cursor, above)
            moment = now_us()
            file = StoredFile(
                item, item, len(body), moment, moment, LINK_MODE, textual=False, serial=context.next_serial(),
                target=target,
            )  # fmt: skip
            return None, lambda: context.note(FileAt(context.names(above, name), file, moment))

        return self._commit("create_link", (self._ref(directory, name),), work)

    def _names_change(self, cursor: Cursor, directory: Directory) -> None:
        """A name comes or goes: the directory's time is no longer the one that somebody set."""
        row = directory.row
        if row is not None and (row.mtime is not None or row.item in self._context.untimed):
            drive_rows.forget_time(cursor, row.item)

    def _stays(self, cursor: Cursor, directory: Directory, *leaving: str) -> Change | None:
        """A directory that only follows from the paths of what is in it gets a row before the last of that leaves."""
        if directory.row is not None or directory.parent is None:
            return None
        if any(name not in leaving for name in (*list(directory.files), *list(directory.directories))):
            return None
        context = self._context
        item = context.free_id_in(cursor)
        drive, path = context.drive(directory), context.stored_path(directory)
        drive_rows.make_directory(cursor, item, drive, path, NewAttributes(mode=DIRECTORY_MODE))
        moment = now_us()
        return DirectoryAt(directory.names(), DirectoryRow(item, DIRECTORY_MODE, moment), moment)

    # --- removing ---------------------------------------------------------------------------------------------------

    def remove_file(self, directory: Directory, name: str, *, purge: bool = False) -> Future[int]:
        """Unlink a file; returns its inode. Handles of it stay good. ``IsADirectory``, ``NotFoundError``."""
        context = self._context
        context.require_writable(directory)
        leaving: set[int] = set()

        def work(cursor: Cursor) -> tuple[int, Then]:
            above = context.standing(directory)
            inode = self._file_in(above, name)
            file = context.file(inode)
            leaving.add(inode)
            self._open_files.leave(cursor, inode)
            if file.item:
                drive_rows.remove_items(
                    cursor, [file.item], purge=purge, kept=context.versions, new_id=context.free_id_in
                )
            self._names_change(cursor, above)
            kept = self._stays(cursor, above, name)
            names = context.names(above, name)

            def then() -> None:
                moment = now_us()
                with context.namespace.journal.lock:
                    self._orphan(inode)
                    context.note(NoFile(inode, moment), NoName(names, moment), *([kept] if kept else []))
                    if inode not in self._open_files.by_inode:
                        context.tree.live.pop(inode, None)

            return inode, then

        return self._commit("remove", (self._ref(directory, name),), work, leaving)

    @staticmethod
    def _file_in(directory: Directory, name: str) -> int:
        inode = directory.files.get(name)
        if inode is None:
            if name in directory.directories:
                raise IsADirectory(f"{name} is a directory.")
            raise NotFoundError(f"There is no {name} here.")
        return inode

    def _orphan(self, inode: int) -> None:
        opened = self._open_files.by_inode.get(inode)
        if opened is not None:
            opened.orphan = True

    def remove_directory(self, directory: Directory, name: str) -> Future[None]:
        """Remove an empty directory. ``NotEmpty``, ``NotADirectory``, ``NotFoundError``."""
        context = self._context
        context.require_writable(directory)

        def work(cursor: Cursor) -> tuple[None, Then]:
            above = context.standing(directory)
            here = above.directories.get(name)
            if here is None:
                if name in above.files:
                    raise NotADirectory(f"{name} is a file.")
                raise NotFoundError(f"There is no {name} here.")
            if here.files or here.directories:
                raise NotEmpty(f"{name} is not empty.")
            if here.row is not None:
                drive_rows.remove_items(cursor, [here.row.item])
            self._names_change(cursor, above)
            kept = self._stays(cursor, above, name)
            names = here.names()
            return None, lambda: context.note(NoDirectory(names, now_us()), *([kept] if kept else []))

        return self._commit("remove", (self._ref(directory, name),), work)

    # --- moving -----------------------------------------------------------------------------------------------------

    def rename(
        self, directory: Directory, name: str, to: Directory, to_name: str, *, replace: bool = True
    ) -> Future[None]:
        """Move a file or a directory, with all beneath it, also between drives and over what stands there.

        Over a file a file may come, over an empty directory a directory. Blocks where an open file has a large body to
        commit first. ``ExistsError`` without ``replace``, and ``IsADirectory``, ``NotADirectory``, ``NotEmpty``,
        ``UsageError`` for a directory into itself.
        """
        context = self._context
        context.require_writable(directory)
        context.require_writable(to)
        context.require_name(to, to_name)
        refs = (self._ref(directory, name), self._ref(to, to_name))
        inode = directory.files.get(name)
        opened = None if inode is None else self._open_files.by_inode.get(inode)
        if inode is not None and opened is not None and opened.dirty:
            self._open_files.commit(inode, closing=False).result()
        copy = None if inode is None else self._copy_aside(inode, refs)
        leaving: set[int] = set()

        def work(cursor: Cursor) -> tuple[None, Then]:
            here, there = context.standing(directory), context.standing(to)
            if name not in here.files and name not in here.directories:
                raise NotFoundError(f"There is no {name} here.")
            if not replace and (to_name in there.files or to_name in there.directories):
                raise ExistsError(f"There is a {to_name} already.")
            if here is there and name == to_name:
                return None, lambda: None
            self._names_change(cursor, here)
            self._names_change(cursor, there)
            over = there.files.get(to_name)
            if over is not None and name in here.files:
                leaving.add(over)
                self._open_files.leave(cursor, over)
            if name in here.files:
                changes = self._move_file(cursor, here, name, there, to_name, copy)
            else:
                changes = self._move_directory(cursor, here, name, there, to_name)
            kept = None if here is there else self._stays(cursor, here, name)

            def then() -> None:
                changes()
                if kept is not None:
                    context.note(kept)

            return None, then

        moved = self._commit("move", refs, work, leaving)
        if copy is not None:
            moved.add_done_callback(lambda done: self._open_files.forget_copy(copy, done))
        return moved

    def _copy_aside(self, inode: int, refs: tuple[str, str]) -> StagedBody | None:
        """A copy of a large body that is set aside: in the transaction that moves it, it would be in memory whole."""
        path, to_path = (ref.partition(":")[2] for ref in refs)
        return self._open_files.copied(inode) if drive_moves.sets_aside(path, to_path) else None

    def _move_file(
        self,
        cursor: Cursor,
        here: Directory,
        name: str,
        there: Directory,
        to_name: str,
        copy: StagedBody | None,
    ) -> Then:
        context = self._context
        if to_name in there.directories:
            if _is_within(here, there.directories[to_name]):
                raise NotEmpty(f"{to_name} is not empty.")  # Linux asks this before the types
            raise IsADirectory(f"{to_name} is a directory.")
        inode, over = here.files[name], there.files.get(to_name)
        file = context.file(inode)
        drive, path = context.drive(here), context.stored_path(here, name)
        to_drive, to_path = context.drive(there), context.stored_path(there, to_name)
        left = context.names(here, name)
        over_item = 0 if over is None else context.tree.item_of(over)
        if over_item and over is not None and (file.target is not None or over in context.tree.targets):
            # A link becomes no next body of a file, nor a file that of a link.
            drive_rows.remove_items(cursor, [over_item], kept=context.versions, new_id=context.free_id_in)
            over_item = 0
        if file.target is not None:
            item = file.item
            drive_moves.move_link(cursor, item, path, to_drive, to_path)
        elif not file.item:
            # Created, and its first commit is still to come: only what stands there goes now.
            if over_item:
                drive_rows.remove_items(cursor, [over_item], kept=context.versions, new_id=context.free_id_in)
            item = 0
        elif over_item:
            item = drive_moves.replace_file(
                cursor, file.item, over_item, drive, path, to_drive, to_path, copy=copy, kept=context.versions,
                new_id=context.free_id_in,
            )  # fmt: skip
        else:
            item = drive_moves.move_file(
                cursor, file.item, drive, path, to_drive, to_path, context.free_id_in(cursor), copy=copy,
                kept=context.versions, new_id=context.free_id_in,
            )  # fmt: skip

        def then() -> None:
            moment = now_us()
            with context.namespace.journal.lock:
                if over is not None:
                    self._orphan(over)
                known = context.present(file)
                if item and item != known.item:
                    if over is not None and context.tree.item_of(over) == item:
                        gone = context.tree.live.get(over)
                        if gone is not None:
                            gone.item = 0
                    known.item = item
                    known.serial = context.next_serial()
                    context.tree.numbers.bind(inode, item)
                known.ctime = moment
                # The new name first: a program that looks meanwhile finds the old file or the new one, never none.
                changes: list[Change] = [FileAt(context.names(there, to_name), known, moment)]
                if over is not None:
                    changes.append(NoFile(over, moment))
                context.note(*changes, NoName(left, moment))
                if over is not None and over not in self._open_files.by_inode:
                    context.tree.live.pop(over, None)

        return then

    def _move_directory(self, cursor: Cursor, here: Directory, name: str, there: Directory, to_name: str) -> Then:
        context = self._context
        moved, over = here.directories[name], there.directories.get(to_name)
        if _is_within(there, moved):
            raise UsageError(f"{name} cannot be moved into itself.")
        if to_name in there.files:
            raise NotADirectory(f"{to_name} is a file.")
        if over is not None:
            if over.files or over.directories:
                raise NotEmpty(f"{to_name} is not empty.")
            if over.row is not None:
                drive_rows.remove_items(cursor, [over.row.item])
        drive, path = context.drive(here), context.stored_path(here, name)
        to_drive, to_path = context.drive(there), context.stored_path(there, to_name)
        drive_moves.move_directory(cursor, drive, path, to_drive, to_path)

        left, place = (*here.names(), name), (*there.names(), to_name)

        def then() -> None:
            moment = now_us()
            journal, tree = context.namespace.journal, context.tree
            changes = self._moved(tree, moved, left, place)  # before the lock, which the loop takes too
            with journal.lock:
                if context.tree is not tree:
                    tree = context.tree
                    changes = self._moved(tree, moved, left, place)
                if over is not None:
                    tree.drop_directory(over.names(), moment)
                # Another snapshot may be the shown one since the rows were changed, with directories of its own. One
                # that was loaded after that has the move already.
                top, above = tree.by_key.get(moved.key), tree.by_key.get(there.key)
                if top is not None and above is not None:
                    tree.move_directory(top, above, to_name, moment)
                else:
                    for change in changes:
                        change.apply(tree)
                journal.keep(changes, tree)

        return then

    def _moved(self, tree: ContextTree, moved: Directory, left: Names, place: Names) -> list[Change]:
        """What a directory's move from one place to another means for all in it, as a tree has it, wherever it stands
        there."""
        here = tree.by_key.get(moved.key, moved)
        depth = len(here.names())
        changes: list[Change] = []
        gone: list[Change] = []
        for each in tree.beneath(here):
            below = each.names()[depth:]
            at, before = (*place, *below), (*left, *below)
            changes.append(DirectoryAt(at, each.row, 0))
            for name, inode in list(each.files.items()):
                changes.append(FileAt((*at, name), self._context.file(inode), 0))
                changes.append(NoName((*before, name), 0))
            gone.append(NoDirectory(before, 0))
        return [*changes, *reversed(gone)]

    # --- attributes -------------------------------------------------------------------------------------------------

    def set_file(self, inode: int, attributes: NewAttributes) -> Future[None]:
        """chmod, utimens or extended attributes of a file."""
        context = self._context
        file = context.file(inode)
        place = context.tree.place.get(inode)
        opened = self._open_files.by_inode.get(inode)
        if place is not None:
            context.require_writable(place[0])
        if place is None or not file.item or (opened is not None and opened.dirty):
            _apply(file, attributes)  # what is committed at the close has it
            done: Future[None] = Future()
            done.set_result(None)
            return done

        def work(cursor: Cursor) -> tuple[None, Then]:
            drive_rows.set_attributes(cursor, context.tree.item_of(inode), attributes)

            def then() -> None:
                with context.namespace.journal.lock:
                    known = context.present(file)
                    _apply(known, attributes)
                    now = context.tree.place.get(inode)
                    if now is not None:
                        context.note(FileAt(context.names(*now), known, 0))

            return None, then

        return self._commit("set", (self._ref(*place),), work)

    def set_directory(self, directory: Directory, attributes: NewAttributes) -> Future[None]:
        """chmod, utimens or extended attributes of a directory; one that only follows from paths gets a row."""
        context = self._context
        context.require_writable(directory)

        def work(cursor: Cursor) -> tuple[None, Then]:
            here = context.standing(directory)
            row = here.row
            if row is None:
                drive, path = context.drive(here), context.stored_path(here)
                item = context.free_id_in(cursor)
                drive_rows.make_directory(cursor, item, drive, path, NewAttributes(mode=DIRECTORY_MODE))
                row = DirectoryRow(item, DIRECTORY_MODE, now_us())
            drive_rows.set_attributes(cursor, row.item, attributes)

            def then() -> None:
                # A copy: what was noted of the directory before says what it was before.
                now = replace(here.row or row)
                _apply(now, attributes)
                if attributes.mtime_us is not None:
                    context.untimed.discard(now.item)
                context.note(DirectoryAt(here.names(), now, 0))

            return None, then

        return self._commit("set", (self._ref(directory),), work)


def _is_within(directory: Directory, other: Directory) -> bool:
    """Whether a directory is the other one or beneath it."""
    above: Directory | None = directory
    while above is not None and above is not other:
        above = above.parent
    return above is other


def _apply(what: object, attributes: NewAttributes) -> None:
    """Make what a writer set show."""
    for ours, given in (("mode", attributes.mode), ("mtime", attributes.mtime_us), ("atime", attributes.atime_us)):
        if given is not None:
            setattr(what, ours, given)
    if attributes.xattrs is not None:
        what.xattrs = dict(attributes.xattrs)  # type: ignore[attr-defined]
    what.ctime = now_us()  # type: ignore[attr-defined]
