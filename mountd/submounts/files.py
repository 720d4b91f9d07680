"""Requests about open files of a submount, and what of their bytes the kernel keeps.

Used by ``submount``, on the loop's thread. What was written through a handle is durable when it was closed or synced.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat

import pyfuse3
from pyfuse3 import EntryAttributes, FileInfo, FUSEError, RequestContext

from kgfs.filesystem import Stat
from mountd.guard import guarded
from mountd.submounts.open_handles import Opened
from mountd.submounts.requests import Requests

STORE_BYTES = 128 * 1024
"""Files up to this size are put into the page cache when they are opened, which saves the read requests."""


def _writes(flags: int) -> bool:
    return flags & os.O_ACCMODE != os.O_RDONLY


class Files(Requests):
    """Handlers of open files."""

    @guarded
    async def create(
        self, parent_inode: int, name: bytes, mode: int, flags: int, ctx: RequestContext
    ) -> tuple[FileInfo, EntryAttributes]:
        parent, mode = self.numbers.own(parent_inode), stat.S_IFREG | stat.S_IMODE(mode)
        found = await self.calls.change(self._make_held, parent, name, mode, ctx.uid, ctx.gid)
        entry = self.made("create", parent_inode, name, found, ctx.pid)
        opened = Opened(entry.st_ino, found.ino, ctx.pid)
        opened.dirty = True  # its name
        return FileInfo(fh=self.handles.open(opened), keep_cache=found.lasting), entry

    def _make_held(self, parent: int, name: bytes, mode: int, uid: int, gid: int) -> Stat:
        found = self.file_system.make(parent, name, mode, 0, uid, gid)
        self.file_system.hold(found.ino)
        return found

    @guarded
    async def open(self, inode: int, flags: int, ctx: RequestContext) -> FileInfo:
        if _writes(flags):
            self.calls.require_writable()
        ino = self.numbers.own(inode)
        empty = bool(flags & os.O_TRUNC) and _writes(flags)
        ahead = self.mounted and not empty and not self.kernel.is_stored(inode) and not self.handles.are_of(inode)
        self.edits += empty
        edits = self.edits
        try:
            lasting, body = await self.calls.small(self._open_held, ino, empty, ahead)
        except FileNotFoundError:
            # The kernel has a name that is gone: with this answer it looks the name up again, and makes it if it may.
            raise FUSEError(errno.ESTALE) from None
        finally:
            self.edits += empty
        # Only while no handle is open: the call waits for pages that an unanswered read holds.
        if body and self.edits == edits and not self.handles.are_of(inode):
            with contextlib.suppress(OSError):  # then it is read when it is asked for
                pyfuse3.notify_store(inode, 0, body)
                self.kernel.stored(inode)
        opened = Opened(inode, ino, ctx.pid)
        opened.dirty = empty
        if empty:
            self.tell_changed("truncate", ctx.pid, inode)
        return FileInfo(fh=self.handles.open(opened), keep_cache=lasting)

    def _open_held(self, ino: int, empty: bool, ahead: bool) -> tuple[bool, bytes]:
        """Hold a file; ``empty`` cuts it to nothing. Returns whether its bytes may be kept, and with ``ahead`` those of
        a small one that may."""
        file_system = self.file_system
        file_system.hold(ino)
        try:
            found = file_system.setattr(ino, size=0) if empty else file_system.getattr(ino)
            body = b""
            if ahead and found.lasting and found.size <= STORE_BYTES:
                body = file_system.read(ino, 0, STORE_BYTES + 1)
            return found.lasting, body if len(body) <= STORE_BYTES else b""
        except BaseException:
            file_system.release(ino)
            raise

    @guarded
    async def read(self, fh: int, off: int, size: int) -> bytes:
        return await self.calls.read(self.handles[fh].ino, off, size)

    @guarded
    async def write(self, fh: int, off: int, buf: bytes) -> int:
        self.calls.require_writable()
        opened = self.handles[fh]
        self.edits += 1
        try:
            done = await self.calls.write(opened.ino, off, buf)
            opened.written += done
            return done
        finally:
            self.edits += 1
            opened.dirty = True

    @guarded
    async def flush(self, fh: int) -> None:
        opened = self.handles[fh]
        if opened.dirty:
            await self._keep(opened)

    @guarded
    async def fsync(self, fh: int, datasync: bool) -> None:
        await self._keep(self.handles[fh])

    async def _keep(self, opened: Opened) -> None:
        """Make durable what was written through a handle. Where that fails, the next request tries again."""
        opened.dirty = False
        try:
            await self.calls.sync(opened.ino)
        except BaseException:
            opened.dirty = True
            raise
        if opened.written:
            size, opened.written = opened.written, 0
            self.tell_changed("write", opened.pid, opened.inode, size)

    @guarded
    async def release(self, fh: int) -> None:
        opened = self.handles.close(fh)
        try:
            if opened.dirty:  # written through a mapping after the close
                await self._keep(opened)
        finally:
            await self.calls.small(self.file_system.release, opened.ino)
