"""The kernel's requests that change something, answered by the drives: a thin adapter.

Used by ``operations``. Handlers run on the loop's thread. What changes names and attributes is done by ``RowFiles``, on
a thread. Files that are open stay on the loop: a body that is being written is changed there, in memory, and its commit
is waited for without a thread. Answers are made of what is shown after the commit. The kernel knows what it asked for
itself; what follows elsewhere is told by ``publisher``.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import stat
from concurrent.futures import Future
from typing import TYPE_CHECKING, TypeVar

import pyfuse3
import trio
from pyfuse3 import EntryAttributes, FileInfo, FUSEError, RequestContext, SetattrFields

from kgfs.callers import caller
from kgfs.drives.open_files import LEAVING_SECONDS, Leaving
from kgfs.drives.row_files import NOTHING_HERE, RowFiles
from kgfs.errors import DeadlineExceeded, ReadOnlyError
from kgfs.names import name_text
from mountd.given import given_attributes
from mountd.guard import Guarded, guarded, in_thread

if TYPE_CHECKING:
    from collections.abc import Callable

    from kgfs.drives.files import Drives
    from kgfs.namespace.context_tree import Directory
    from kgfs.namespace.namespace import Namespace
    from kgfs.namespace.tree_reader import Attr
    from mountd.handles import Handles
    from mountd.kernel import Kernel
    from mountd.requesters import Requesters

T = TypeVar("T")

COMMIT_SECONDS = 60.0
"""How long a commit may take; a large body has a second more for each 4 MiB."""
BODY_RATE = 4 << 20


class Writing(Guarded, pyfuse3.Operations):
    """The handlers that change something. ``drives`` is ``None`` where nothing may be written."""

    namespace: Namespace
    kernel: Kernel
    handles: Handles
    drives: Drives | None
    requesters: Requesters
    _writers: trio.CapacityLimiter
    """For what moves bodies."""
    _changers: trio.CapacityLimiter
    """For what changes names and attributes, which no large body holds up."""

    def _blank(self) -> EntryAttributes:
        raise NotImplementedError

    def _fill(self, entry: EntryAttributes, node: int, attr: Attr) -> None:
        raise NotImplementedError

    def _asks(self, pid: int) -> None:
        """What this task does from now on is done for a thread of somebody's."""
        caller.set(self.requesters.of(pid))

    @functools.cached_property
    def _rows(self) -> RowFiles:
        """For what changes names and attributes; ``EROFS`` where nothing may be written."""
        if self.drives is None:
            raise ReadOnlyError(NOTHING_HERE)
        return RowFiles(self.drives, refused=self.refused)

    # --- what may be written ----------------------------------------------------------------------------------------

    def _place(self, node: int) -> tuple[Drives, Directory]:
        """The drives, and a directory in which names may change; ``EROFS`` elsewhere."""
        directory = self.namespace.directory(node)
        if self.drives is None or directory is None:
            if self.namespace.is_directory_of_files(node):
                self.namespace.attr(node)  # it is gone
            raise ReadOnlyError(NOTHING_HERE)
        return self.drives, directory

    def _file(self, node: int) -> tuple[Drives, int]:
        """The drives, and the inode of a stored file; ``EROFS`` for everything else."""
        stored = self.namespace.stored(node)
        if self.drives is None or stored is None:
            raise ReadOnlyError(NOTHING_HERE)
        return self.drives, stored

    async def _ended(self, future: Future[T], seconds: float = COMMIT_SECONDS) -> T:
        """What a commit ended with, waited for on the loop."""
        if not future.done():
            ended = trio.Event()
            token = trio.lowlevel.current_trio_token()

            def wake(done: object) -> None:
                with contextlib.suppress(trio.RunFinishedError):
                    token.run_sync_soon(ended.set)

            future.add_done_callback(wake)
            with trio.move_on_after(seconds):
                await ended.wait()
            if not future.done():
                raise DeadlineExceeded("It was not stored in time; the disk may be slow or full.")
        return future.result()

    async def _in_thread(self, function: Callable[..., T], *arguments: object) -> T:
        return await in_thread(COMMIT_SECONDS, self._writers, function, *arguments)

    async def _change(self, pid: int, function: Callable[..., object], *arguments: object, size: int = 0) -> None:
        """Have names or attributes changed for a thread of somebody's, and so many bytes committed with that."""
        self._asks(pid)
        await in_thread(COMMIT_SECONDS + size / BODY_RATE, self._changers, function, *arguments)

    def _entry(self, node: int) -> EntryAttributes:
        entry = self._blank()
        self._fill(entry, node, self.namespace.attr(node))
        return entry

    def _new_entry(self, parent: int, name: bytes) -> EntryAttributes:
        """The entry of a name that was just made, counted as looked up."""
        text = name_text(name)
        node = self.namespace.lookup(parent, text)
        self.kernel.made(parent, text)
        entry = self._entry(node)
        self.kernel.count(node)
        return entry

    # --- files ------------------------------------------------------------------------------------------------------

    async def _open_stored(self, node: int, flags: int) -> None:
        """Count an opening of a stored file, and truncate it on request."""
        drives, stored = self._file(node)
        writing = _writes(flags)
        await self._opened(drives, stored, writing)
        if flags & os.O_TRUNC and writing:
            try:
                await self._cut(drives, stored, 0)
            except BaseException:
                await self._let_go(drives, stored, writing)
                raise

    async def _opened(self, drives: Drives, stored: int, writing: bool) -> None:
        """Open a file; one that is being removed when it is known whether that was done."""
        with trio.move_on_after(COMMIT_SECONDS):
            while True:
                try:
                    return drives.open_files.open(stored, writing=writing)
                except Leaving:
                    await trio.sleep(LEAVING_SECONDS)
        raise DeadlineExceeded("It was not opened in time; the disk may be slow or full.")

    async def _settled(self, drives: Drives, parent: int, name: str, node: int) -> int:
        """What has this name once it is known whether the file that has it goes. Where somebody replaces a file time
        and again, its opening would else fail: when a file went, the kernel looks its name up again, but only once."""
        with trio.move_on_after(COMMIT_SECONDS):
            while self.namespace.stored(node) in drives.open_files.leaving:
                await trio.sleep(LEAVING_SECONDS)
                node = self.namespace.lookup(parent, name)
        return node

    async def _cut(self, drives: Drives, stored: int, size: int) -> None:
        open_files = drives.open_files
        while open_files.needs_load(stored):
            await self._in_thread(lambda: open_files.load(stored, empty=size == 0))
        open_files.truncate(stored, size)

    async def _close_stored(self, node: int, flags: int) -> None:
        stored = self.namespace.stored(node)
        if self.drives is not None and stored is not None:
            await self._let_go(self.drives, stored, _writes(flags))

    async def _let_go(self, drives: Drives, stored: int, writing: bool) -> None:
        """Count a closing of a stored file. What was written after the last close (through a mapping) is committed now.
        A large body is committed block by block, off the loop; nothing waits for that."""
        open_files = drives.open_files
        with trio.CancelScope(shield=True):
            if open_files.is_large(stored):
                release = functools.partial(open_files.release, stored, writing=writing)
                await trio.to_thread.run_sync(release, limiter=self._writers)
            else:
                open_files.release(stored, writing=writing)

    async def _commit(self, drives: Drives, stored: int, closing: bool) -> None:
        open_files = drives.open_files
        if open_files.is_large(stored):
            size = self.drives.context.file(stored).size if self.drives is not None else 0
            seconds = COMMIT_SECONDS + size / BODY_RATE
            future = await in_thread(seconds, self._writers, lambda: open_files.commit(stored, closing=closing))
            await self._ended(future, seconds)
        else:
            await self._ended(open_files.commit(stored, closing=closing))

    @guarded
    async def create(
        self, parent_inode: int, name: bytes, mode: int, flags: int, ctx: RequestContext
    ) -> tuple[FileInfo, EntryAttributes]:
        self._asks(ctx.pid)
        drives, directory = self._place(parent_inode)
        drives.context.require_writable(directory)
        if not drives.context.ids_ready:
            await self._in_thread(drives.context.reserve)
        text = name_text(name)
        node = self.namespace.node_of(drives.open_files.create(directory, text, mode))
        self.kernel.made(parent_inode, text)
        number = self.handles.open(node)
        # It was opened for writing, whatever the flags: its first commit comes with its close.
        handle = self.handles.get(number)
        handle.flags, handle.pid = os.O_RDWR, ctx.pid
        entry = self._entry(node)
        self.kernel.count(node)
        return FileInfo(fh=number, keep_cache=True), entry

    @guarded
    async def write(self, fh: int, off: int, buf: bytes) -> int:
        if self.drives is None:
            raise FUSEError(errno.EROFS)
        handle = self.handles.get(fh)
        drives, stored = self._file(handle.node)
        open_files = drives.open_files
        while open_files.needs_load(stored):
            await self._in_thread(open_files.load, stored)
        if handle.flushed:
            # A child of the writer had it open, too, and closed it: what was committed then is no version.
            handle.flushed = False
            open_files.go_on(stored)
        return open_files.write(stored, off, buf)

    @guarded
    async def flush(self, fh: int) -> None:
        if self.drives is None:
            # Nothing here can be written: with this answer the kernel does not ask at each ``close`` again.
            raise FUSEError(errno.ENOSYS)
        handle = self.handles.get(fh)
        if _writes(handle.flags):
            self._asks(handle.pid)
            drives, stored = self._file(handle.node)
            written = drives.open_files.is_dirty(stored)
            await self._commit(drives, stored, closing=True)
            handle.flushed = handle.flushed or written

    @guarded
    async def fsync(self, fh: int, datasync: bool) -> None:
        handle = self.handles.get(fh)
        stored = self.namespace.stored(handle.node)
        if self.drives is not None and stored is not None:
            self._asks(handle.pid)
            await self._commit(self.drives, stored, closing=False)

    # --- names ------------------------------------------------------------------------------------------------------

    @guarded
    async def mkdir(self, parent_inode: int, name: bytes, mode: int, ctx: RequestContext) -> EntryAttributes:
        mode = stat.S_IFDIR | stat.S_IMODE(mode)
        await self._change(ctx.pid, self._rows.make, parent_inode, name, mode, 0, ctx.uid, ctx.gid)
        return self._new_entry(parent_inode, name)

    @guarded
    async def mknod(self, parent_inode: int, name: bytes, mode: int, rdev: int, ctx: RequestContext) -> EntryAttributes:
        await self._change(ctx.pid, self._rows.make, parent_inode, name, mode, rdev, ctx.uid, ctx.gid)
        return self._new_entry(parent_inode, name)

    @guarded
    async def symlink(self, parent_inode: int, name: bytes, target: bytes, ctx: RequestContext) -> EntryAttributes:
        await self._change(ctx.pid, self._rows.symlink, parent_inode, name, target, ctx.uid, ctx.gid)
        return self._new_entry(parent_inode, name)

    @guarded
    async def link(self, inode: int, new_parent_inode: int, new_name: bytes, ctx: RequestContext) -> EntryAttributes:
        await self._change(ctx.pid, self._rows.link, inode, new_parent_inode, new_name)
        return self._new_entry(new_parent_inode, new_name)

    @guarded
    async def unlink(self, parent_inode: int, name: bytes, ctx: RequestContext) -> None:
        await self._change(ctx.pid, self._rows.unlink, parent_inode, name)

    @guarded
    async def rmdir(self, parent_inode: int, name: bytes, ctx: RequestContext) -> None:
        await self._change(ctx.pid, self._rows.rmdir, parent_inode, name)

    @guarded
    async def rename(
        self,
        parent_inode_old: int,
        name_old: bytes,
        parent_inode_new: int,
        name_new: bytes,
        flags: int,
        ctx: RequestContext,
    ) -> None:
        await self._change(ctx.pid, self._rows.rename, parent_inode_old, name_old, parent_inode_new, name_new, flags)
        self.kernel.made(parent_inode_new, name_text(name_new))

    # --- attributes -------------------------------------------------------------------------------------------------

    @guarded
    async def setattr(
        self, inode: int, attr: EntryAttributes, fields: SetattrFields, fh: int | None, ctx: RequestContext
    ) -> EntryAttributes:
        rows = self._rows
        given = given_attributes(attr, fields)
        if "size" in given and fh is not None and _writes(self.handles.get(fh).flags):
            await self._cut(*self._file(inode), given.pop("size"))  # it is committed when it is closed
        if given:
            change = functools.partial(rows.setattr, inode, **given)
            await self._change(ctx.pid, change, size=given.get("size", 0))
        return self._entry(inode)

    @guarded
    async def setxattr(self, inode: int, name: bytes, value: bytes, ctx: RequestContext) -> None:
        await self._change(ctx.pid, self._rows.setxattr, inode, name, value)

    @guarded
    async def removexattr(self, inode: int, name: bytes, ctx: RequestContext) -> None:
        await self._change(ctx.pid, self._rows.removexattr, inode, name)


def _writes(flags: int) -> bool:
    return flags & os.O_ACCMODE != os.O_RDONLY
