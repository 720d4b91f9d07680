"""A file system beneath a directory of the tree: the kernel's requests, translated for one ``FileSystem``.

Used by ``router``, on the loop's thread. What is below is told inode numbers of its own, and knows nothing of kernels,
handles and caches: that is here. Calls run on threads (``lane``); small ones of a file system that answers from memory
run on the loop itself, for as long as they prove to be quick and none is under way on a thread: a ``stat`` then takes
20 µs instead of 160.

What a file system calls lasting, the kernel may keep for long: it is the only one that changes it, but for commands,
and ``changed`` and ``all_changed`` have it forget what a command did.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import stat
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, TypeVar

import pyfuse3
from pyfuse3 import EntryAttributes, FileInfo, FUSEError, ReaddirToken, RequestContext, SetattrFields

from kgfs.errors import ReadOnlyError
from kgfs.filesystem import RENAME_EXCHANGE, ROOT, Entry, FileSystem, Stat
from kgfs.names import as_utf8, name_bytes, name_text
from kgfs.namespace.node import ROW_SHIFT
from mountd.changes import Changes
from mountd.guard import ErrorLog, Guarded, guarded
from mountd.kernel import ABSENT_SECONDS, Kernel, Orders
from mountd.lane import Lane

T = TypeVar("T")

FIRST_ROW = 384
"""As many rows the table of the tree has at most; the numbers behind them belong to submounts."""
SUBMOUNTS = FIRST_ROW << ROW_SHIFT
"""Inode numbers and handles from here on are those of submounts."""
_OWN = (1 << ROW_SHIFT) - 1

CALL_SECONDS = 60.0
"""How long a call may take: as a commit of the store."""
CACHE_SECONDS = 3600
STORE_BYTES = 128 * 1024
"""Files up to this size are put into the page cache when they are opened, which saves the read requests."""
THREADS, SYNC_THREADS = 4, 16
"""For calls, and for those that wait for the disk."""
SMALL_BYTES = 64 * 1024
"""How much one call on the loop moves at most."""
SLOW_SECONDS = 0.01
"""A call on the loop that took longer leads the next ones to threads …"""
SLOW_REST = 2.0
"""… for so long."""
WRITTEN_BYTES, WRITTEN_SECONDS = 4 * 1024 * 1024, 0.1
"""So much is written on the loop in so long: with more the file system may have to wait for its disk."""
REPLY_BYTES = 32 * 1024
"""Of a listing, in the reply to a C library that asks as they do."""
NAMED = 20_000
"""Of so many files it is known where they stand, for the audit trail."""
DEEPEST = 1_000
LISTINGS, LISTED = 64, 10_000
"""So many directories with so many names are not listed again while nothing changes there."""
_DOTS = 2
"""The offsets 1 and 2 are those of ``.`` and ``..``; those of entries are higher."""
_ATTRIBUTES = (b"user.", b"trusted.")
"""Extended attributes of other kinds the kernel would ask for at every ``write`` and ``ls -l``."""


def entry_bytes(name: bytes) -> int:
    """How much of a reply to a listing an entry takes (``FUSE_DIRENTPLUS_SIZE``)."""
    return (152 + len(name) + 7) & ~7


def _writes(flags: int) -> bool:
    return flags & os.O_ACCMODE != os.O_RDONLY


class Opened:
    """An open file or directory of a submount."""

    __slots__ = ("dirty", "entries", "ino", "pid", "submount", "written")

    def __init__(self, submount: Submount, ino: int, pid: int = 0) -> None:
        self.submount = submount
        self.ino = ino
        self.pid = pid
        """The thread that opened it."""
        self.written = 0
        """Bytes that were written through it and are not told as a change yet."""
        self.dirty = False
        """Whether something was written through it that was not synced since."""
        self.entries: Sequence[Entry] = ()
        """Of a directory, as they were when its listing began."""


class OpenHandles:
    """What is open on all submounts of a mount, by handle."""

    def __init__(self) -> None:
        self._numbers = itertools.count(SUBMOUNTS)
        self._opened: dict[int, Opened] = {}
        self.get = self._opened.get

    def __len__(self) -> int:
        return len(self._opened)

    def open(self, opened: Opened) -> int:
        """The number of a new handle."""
        number = next(self._numbers)
        self._opened[number] = opened
        return number

    def close(self, number: int) -> Opened:
        """Forget a handle and return it; ``EBADF`` for one that is not open."""
        try:
            return self._opened.pop(number)
        except KeyError:
            raise FUSEError(errno.EBADF) from None

    def __getitem__(self, number: int) -> Opened:
        try:
            return self._opened[number]
        except KeyError:
            raise FUSEError(errno.EBADF) from None


class Submount(Guarded):
    """One file system at one directory of the tree. Handlers are called as pyfuse3 calls them."""

    def __init__(
        self,
        name: str,
        file_system: FileSystem,
        number: int,
        root: int,
        handles: OpenHandles,
        errors: ErrorLog,
        *,
        read_only: bool = False,
        changes: Changes | None = None,
        areas: bool = False,
    ) -> None:
        """``number`` tells this one from the others of the mount; ``root`` is the node of the directory. ``changes`` is
        told of all that is changed; with ``areas`` each directory in the root is an area of its own there."""
        self.name = name
        self.file_system = file_system
        self.root = root
        self.row = FIRST_ROW + number
        """What inode numbers of it begin with."""
        self.errors = errors
        self.mounted = False
        """Whether there is a kernel to put bytes into."""
        self.kernel = Kernel()
        self.tell: Callable[[Orders], None] = lambda orders: None
        """Has the kernel drop things; returns when that is done."""
        self._base = self.row << ROW_SHIFT
        self._handles = handles
        self._read_only = read_only
        self._changes = changes
        self._areas = areas
        self._calls = Lane(f"{name}-call", THREADS)
        self._syncs = Lane(f"{name}-sync", SYNC_THREADS)
        self._slow_until = 0.0
        self._written = 0
        """Bytes that were written on the loop until ``_written_until``."""
        self._written_until = 0.0
        self._open: dict[int, int] = {}
        """How many handles of files are open, by inode."""
        self._above: dict[int, tuple[int, bytes]] = {}
        """The directory above and the name there, of directories that the kernel knows."""
        self._named: dict[int, tuple[int, bytes]] = {}
        """The same of other inodes, as they were named last; the latest ``NAMED`` of them."""
        self._listings: dict[int, tuple[int, Sequence[Entry]]] = {}
        """Directory to when it last changed (ctime) and what was in it then; what was listed first goes first."""
        self._kept = False
        """Whether the kernel was told anything that it may keep."""
        self._edits = 0
        """Raised when a body begins to change, and when it has changed."""

    # --- numbers and attributes -------------------------------------------------------------------------------------

    def _own(self, inode: int) -> int:
        """The file system's number of what the kernel calls ``inode``."""
        return inode & _OWN if inode >= SUBMOUNTS else ROOT

    def _number(self, ino: int) -> int:
        """What the kernel calls an inode of the file system."""
        return self._base | ino if ino != ROOT else self.root

    def _entry(self, found: Stat) -> EntryAttributes:
        entry = EntryAttributes()
        self._fill(entry, found)
        return entry

    def _fill(self, entry: EntryAttributes, found: Stat) -> None:
        entry.st_ino = self._number(found.ino)
        entry.st_mode = found.mode
        entry.st_nlink = found.nlink
        entry.st_uid = found.uid
        entry.st_gid = found.gid
        entry.st_rdev = found.rdev
        entry.st_size = found.size
        entry.st_blocks = found.blocks
        entry.st_atime_ns = found.atime_ns
        entry.st_mtime_ns = found.mtime_ns
        entry.st_ctime_ns = found.ctime_ns
        entry.attr_timeout = entry.entry_timeout = CACHE_SECONDS if found.lasting else 0
        self._kept = self._kept or found.lasting

    def _made(self, operation: str, parent: int, name: bytes, found: Stat, pid: int) -> EntryAttributes:
        """The entry of a name that was made, counted as looked up."""
        self.kernel.made(parent, name_text(name))
        entry = self._counted(parent, name, found)
        self._tell_change(operation, pid, parent, name)
        return entry

    def _counted(self, parent: int, name: bytes, found: Stat) -> EntryAttributes:
        entry = self._entry(found)
        self.kernel.count(entry.st_ino)
        self._name(entry.st_ino, parent, name, stat.S_ISDIR(found.mode))
        return entry

    # --- paths, for the audit trail ---------------------------------------------------------------------------------

    def _name(self, inode: int, parent: int, name: bytes, directory: bool) -> None:
        """Note where an inode stands."""
        if directory:
            self._above[inode] = parent, name
            return
        named = self._named
        named[inode] = parent, name
        if len(named) > NAMED:
            del named[next(iter(named))]

    def path(self, inode: int) -> str:
        """Where an inode stands in the tree of the mount, as far as that is known."""
        if inode == self.root:
            return self.name
        place = self._above.get(inode) or self._named.get(inode)
        return f"{self.name}/#{self._own(inode)}" if place is None else self._path(*place)

    def _path(self, parent: int, name: bytes) -> str:
        parts = [name]
        while parent != self.root and len(parts) < DEEPEST:
            place = self._above.get(parent)
            if place is None:
                parts.append(b"...")
                break
            parent, above = place
            parts.append(above)
        return str(as_utf8(f"{self.name}/{name_text(b'/'.join(reversed(parts)))}"))

    def _tell_change(self, operation: str, pid: int, parent: int, name: bytes, size: int = 0) -> None:
        if self._changes is not None:
            self._changes.note(self._area(parent, name), operation, pid, self._path, parent, name, size)

    def _area(self, parent: int, name: bytes) -> str:
        if not self._areas:
            return self.name
        while parent != self.root:
            place = self._above.get(parent)
            if place is None:
                return self.name
            parent, name = place
        return f"{self.name}/{name_text(name)}"

    def _tell_changed(self, operation: str, pid: int, inode: int, size: int = 0) -> None:
        """The same, of an inode."""
        if self._changes is not None:
            place = self._above.get(inode) or self._named.get(inode) or (self.root, b"#%d" % self._own(inode))
            self._changes.note(self._area(*place), operation, pid, self._path, *place, size)

    # --- calls ------------------------------------------------------------------------------------------------------

    async def _call(self, function: Callable[..., T], ino: int, *arguments: Any, other: int | None = None) -> T:
        """A small call about an inode (and ``other``): on the loop, where that promises to be quick."""
        began = time.monotonic()
        if self._calls.busy or began < self._slow_until:
            return await self._long_call(function, ino, *arguments)
        at_once = self.file_system.at_once(ino) if other is None else self.file_system.at_once(ino, other)
        if at_once is None:
            return await self._long_call(function, ino, *arguments)
        try:
            with at_once:
                return function(ino, *arguments)
        finally:
            ended = time.monotonic()
            if ended - began > SLOW_SECONDS:
                self._slow_until = ended + SLOW_REST

    async def _long_call(self, function: Callable[..., T], *arguments: Any) -> T:
        """A call that may take its time."""
        return await self._calls.call(CALL_SECONDS, function, *arguments)

    async def _change(self, function: Callable[..., T], ino: int, *arguments: Any, other: int | None = None) -> T:
        """A small call that changes something; ``EROFS`` where nothing may be changed."""
        self._require_writable()
        return await self._call(function, ino, *arguments, other=other)

    def _may_write(self, size: int) -> bool:
        """Whether so many bytes are written on the loop."""
        if size > SMALL_BYTES:
            return False
        now = time.monotonic()
        if now >= self._written_until:
            self._written, self._written_until = 0, now + WRITTEN_SECONDS
        self._written += size
        return self._written <= WRITTEN_BYTES

    def _require_writable(self) -> None:
        if self._read_only:
            raise ReadOnlyError("The store is mounted read-only; mount it without --read-only to change something.")

    async def _sync(self, ino: int) -> None:
        await self._syncs.call(CALL_SECONDS, self.file_system.sync, ino)

    # --- names ------------------------------------------------------------------------------------------------------

    @guarded
    async def root_entry(self, ctx: RequestContext) -> EntryAttributes:
        """The entry of the directory that this stands in; who asks counts it."""
        return self._entry(await self._call(self.file_system.getattr, ROOT))

    @guarded
    async def lookup(self, parent_inode: int, name: bytes, ctx: RequestContext) -> EntryAttributes:
        found = await self._call(self._find, self._own(parent_inode), name)
        if found is None:
            if not self.kernel.absent(parent_inode, name_text(name)):
                raise FUSEError(errno.ENOENT)
            entry = EntryAttributes()  # inode number 0
            entry.entry_timeout = ABSENT_SECONDS
            return entry
        return self._counted(parent_inode, name, found)

    def _find(self, parent: int, name: bytes) -> Stat | None:
        """What has a name; ``None`` where nothing has it until something is made."""
        try:
            return self.file_system.lookup(parent, name)
        except FileNotFoundError:
            if self.file_system.settled(parent):
                return None
            raise

    async def forget(self, inode_list: Sequence[tuple[int, int]]) -> None:
        try:
            for inode in self.kernel.forget(inode_list):
                self._above.pop(inode, None)
                self._named.pop(inode, None)
        except Exception as error:  # nobody waits for an answer
            self.errors.note("forget", error)

    @guarded
    async def mknod(self, parent_inode: int, name: bytes, mode: int, rdev: int, ctx: RequestContext) -> EntryAttributes:
        parent = self._own(parent_inode)
        found = await self._change(self.file_system.make, parent, name, mode, rdev, ctx.uid, ctx.gid)
        return self._made("mknod", parent_inode, name, found, ctx.pid)

    @guarded
    async def mkdir(self, parent_inode: int, name: bytes, mode: int, ctx: RequestContext) -> EntryAttributes:
        parent, mode = self._own(parent_inode), stat.S_IFDIR | stat.S_IMODE(mode)
        found = await self._change(self.file_system.make, parent, name, mode, 0, ctx.uid, ctx.gid)
        return self._made("mkdir", parent_inode, name, found, ctx.pid)

    @guarded
    async def symlink(self, parent_inode: int, name: bytes, target: bytes, ctx: RequestContext) -> EntryAttributes:
        parent = self._own(parent_inode)
        found = await self._change(self.file_system.symlink, parent, name, target, ctx.uid, ctx.gid)
        return self._made("symlink", parent_inode, name, found, ctx.pid)

    @guarded
    async def link(self, inode: int, new_parent_inode: int, new_name: bytes, ctx: RequestContext) -> EntryAttributes:
        parent = self._own(new_parent_inode)
        found = await self._change(self.file_system.link, self._own(inode), parent, new_name, other=parent)
        return self._made("link", new_parent_inode, new_name, found, ctx.pid)

    @guarded
    async def unlink(self, parent_inode: int, name: bytes, ctx: RequestContext) -> None:
        await self._change(self.file_system.unlink, self._own(parent_inode), name)
        self._tell_change("unlink", ctx.pid, parent_inode, name)

    @guarded
    async def rmdir(self, parent_inode: int, name: bytes, ctx: RequestContext) -> None:
        await self._change(self.file_system.rmdir, self._own(parent_inode), name)
        self._tell_change("rmdir", ctx.pid, parent_inode, name)

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
        old, new = self._own(parent_inode_old), self._own(parent_inode_new)
        moved = await self._change(self._rename, old, name_old, new, name_new, flags, other=new)
        self.kernel.made(parent_inode_new, name_text(name_new))
        for ino, parent, name, directory in moved:
            self._name(self._number(ino), self._number(parent), name, directory)
        if self._changes is not None:
            place = self._path(parent_inode_new, name_new)
            self._changes.note(
                self._area(parent_inode_old, name_old),
                "rename",
                ctx.pid,
                lambda *old: f"{self._path(*old)} -> {place}",
                parent_inode_old,
                name_old,
            )

    def _rename(
        self, old: int, name_old: bytes, new: int, name_new: bytes, flags: int
    ) -> list[tuple[int, int, bytes, bool]]:
        """Returns what stands in another place now: the inode, the directory, the name, and whether it is one too."""
        self.file_system.rename(old, name_old, new, name_new, flags)
        moved = []
        for parent, name in ((new, name_new), (old, name_old))[: 2 if flags & RENAME_EXCHANGE else 1]:
            with contextlib.suppress(FileNotFoundError):  # another request was faster
                found = self.file_system.lookup(parent, name)
                moved.append((found.ino, parent, name, stat.S_ISDIR(found.mode)))
        return moved

    @guarded
    async def readlink(self, inode: int, ctx: RequestContext) -> bytes:
        return await self._call(self.file_system.readlink, self._own(inode))

    # --- attributes -------------------------------------------------------------------------------------------------

    @guarded
    async def getattr(self, inode: int, ctx: RequestContext) -> EntryAttributes:
        return self._entry(await self._call(self.file_system.getattr, self._own(inode)))

    @guarded
    async def setattr(
        self, inode: int, attr: EntryAttributes, fields: SetattrFields, fh: int | None, ctx: RequestContext
    ) -> EntryAttributes:
        given: dict[str, int] = {}
        if fields.update_mode:
            given["mode"] = stat.S_IMODE(attr.st_mode)
        if fields.update_uid:
            given["uid"] = attr.st_uid
        if fields.update_gid:
            given["gid"] = attr.st_gid
        if fields.update_atime:
            given["atime_ns"] = attr.st_atime_ns
        if fields.update_mtime:
            given["mtime_ns"] = attr.st_mtime_ns
        if fields.update_size:
            given["size"] = attr.st_size
            self._edits += 1
        ino = self._own(inode)
        try:
            found = await self._change(partial(self.file_system.setattr, **given), ino)
        finally:
            if fields.update_size:
                self._edits += 1
        if fh is not None and (opened := self._handles.get(fh)) is not None:
            opened.dirty = True
        self._tell_changed("truncate" if fields.update_size else "attributes", ctx.pid, inode)
        return self._entry(found)

    @guarded
    async def getxattr(self, inode: int, name: bytes, ctx: RequestContext) -> bytes:
        self._require_attribute(name)
        return await self._call(self.file_system.getxattr, self._own(inode), name)

    @guarded
    async def setxattr(self, inode: int, name: bytes, value: bytes, ctx: RequestContext) -> None:
        self._require_attribute(name)
        await self._change(self.file_system.setxattr, self._own(inode), name, value)
        self._tell_changed("attributes", ctx.pid, inode)

    @guarded
    async def listxattr(self, inode: int, ctx: RequestContext) -> Sequence[bytes]:
        return await self._call(self.file_system.listxattr, self._own(inode))

    @guarded
    async def removexattr(self, inode: int, name: bytes, ctx: RequestContext) -> None:
        self._require_attribute(name)
        await self._change(self.file_system.removexattr, self._own(inode), name)
        self._tell_changed("attributes", ctx.pid, inode)

    @staticmethod
    def _require_attribute(name: bytes) -> None:
        if not name.startswith(_ATTRIBUTES):
            raise FUSEError(errno.EOPNOTSUPP)

    @guarded
    async def access(self, inode: int, mode: int, ctx: RequestContext) -> bool:
        return True  # the kernel checks modes itself (default_permissions)

    # --- directories ------------------------------------------------------------------------------------------------

    @guarded
    async def opendir(self, inode: int, ctx: RequestContext) -> int:
        ino = self._own(inode)
        await self._call(self.file_system.hold, ino)
        return self._handles.open(Opened(self, ino))

    @guarded
    async def readdir(self, fh: int, start_id: int, token: ReaddirToken) -> None:
        opened = self._handles[fh]
        if start_id == 0:
            opened.entries = await self._entries(opened.ino)
        room = REPLY_BYTES
        if start_id < _DOTS:
            if not self._list_dots(opened.ino, start_id, token):
                return
            room -= 2 * entry_bytes(b"..")
        at = max(start_id - _DOTS, 0)
        entry = EntryAttributes()
        here = self._number(opened.ino)
        while at < len(opened.entries):
            last = at + 1
            while last < len(opened.entries) and (room := room - entry_bytes(opened.entries[last].name)) > 0:
                last += 1
            for found in await self._call(self._looked_up, opened.ino, opened.entries[at:last]):
                at += 1
                if found is None:  # it went since the listing began
                    continue
                self._fill(entry, found)
                if not pyfuse3.readdir_reply(token, opened.entries[at - 1].name, entry, at + _DOTS):
                    return
                self.kernel.count(entry.st_ino)
                self._name(entry.st_ino, here, opened.entries[at - 1].name, stat.S_ISDIR(found.mode))
            room = REPLY_BYTES

    async def _entries(self, ino: int) -> Sequence[Entry]:
        """The names in a directory: those of the last listing, where nothing changed there since."""
        ctime = await self._call(self._settled_since, ino)
        if ctime is None:
            return await self._long_call(self.file_system.list, ino)
        known = self._listings.get(ino)
        if known is not None and known[0] == ctime:
            return known[1]
        entries = await self._long_call(self.file_system.list, ino)
        self._listings.pop(ino, None)
        if len(entries) <= LISTED:
            self._listings[ino] = ctime, entries
            if len(self._listings) > LISTINGS:
                del self._listings[next(iter(self._listings))]
        return entries

    def _settled_since(self, ino: int) -> int | None:
        """When a directory changed last; ``None`` where that does not tell whether its names did."""
        return self.file_system.getattr(ino).ctime_ns if self.file_system.settled(ino) else None

    def _looked_up(self, ino: int, entries: Sequence[Entry]) -> list[Stat | None]:
        """What stands under these names now: naming what is gone would put it back into the kernel's cache."""
        found: list[Stat | None] = []
        lookup = self.file_system.lookup
        for entry in entries:
            try:
                found.append(lookup(ino, entry.name))
            except FileNotFoundError:
                found.append(None)
        return found

    def _list_dots(self, ino: int, start_id: int, token: ReaddirToken) -> bool:
        """``.`` and ``..``: of these the kernel takes number and kind alone, and counts no lookup."""
        entry = EntryAttributes()
        entry.st_mode = stat.S_IFDIR
        entry.st_ino = here = self._number(ino)
        if start_id == 0 and not pyfuse3.readdir_reply(token, b".", entry, 1):
            return False
        entry.st_ino = int(pyfuse3.ROOT_INODE) if here == self.root else self._above.get(here, (self.root, b""))[0]
        return pyfuse3.readdir_reply(token, b"..", entry, _DOTS)

    @guarded
    async def releasedir(self, fh: int) -> None:
        await self._call(self.file_system.release, self._handles.close(fh).ino)

    @guarded
    async def fsyncdir(self, fh: int, datasync: bool) -> None:
        await self._sync(self._handles[fh].ino)

    # --- files ------------------------------------------------------------------------------------------------------

    @guarded
    async def create(
        self, parent_inode: int, name: bytes, mode: int, flags: int, ctx: RequestContext
    ) -> tuple[FileInfo, EntryAttributes]:
        parent, mode = self._own(parent_inode), stat.S_IFREG | stat.S_IMODE(mode)
        found = await self._change(self._make_held, parent, name, mode, ctx.uid, ctx.gid)
        entry = self._made("create", parent_inode, name, found, ctx.pid)
        opened = Opened(self, found.ino, ctx.pid)
        opened.dirty = True  # its name
        return self._opened(opened, entry.st_ino, found.lasting), entry

    def _make_held(self, parent: int, name: bytes, mode: int, uid: int, gid: int) -> Stat:
        found = self.file_system.make(parent, name, mode, 0, uid, gid)
        self.file_system.hold(found.ino)
        return found

    def _opened(self, opened: Opened, inode: int, lasting: bool) -> FileInfo:
        self._open[inode] = self._open.get(inode, 0) + 1
        return FileInfo(fh=self._handles.open(opened), keep_cache=lasting)

    @guarded
    async def open(self, inode: int, flags: int, ctx: RequestContext) -> FileInfo:
        if _writes(flags):
            self._require_writable()
        ino = self._own(inode)
        empty = bool(flags & os.O_TRUNC) and _writes(flags)
        ahead = self.mounted and not empty and not self.kernel.is_stored(inode) and inode not in self._open
        self._edits += empty
        edits = self._edits
        try:
            lasting, body = await self._call(self._open_held, ino, empty, ahead)
        except FileNotFoundError:
            # The kernel has a name that is gone: with this answer it looks the name up again, and makes it if it may.
            raise FUSEError(errno.ESTALE) from None
        finally:
            self._edits += empty
        # Only while no handle is open: the call waits for pages that an unanswered read holds.
        if body and self._edits == edits and inode not in self._open:
            with contextlib.suppress(OSError):  # then it is read when it is asked for
                pyfuse3.notify_store(inode, 0, body)
                self.kernel.stored(inode)
        opened = Opened(self, ino, ctx.pid)
        opened.dirty = empty
        if empty:
            self._tell_changed("truncate", ctx.pid, inode)
        return self._opened(opened, inode, lasting)

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
        call = self._call if size <= SMALL_BYTES else self._long_call
        return await call(self.file_system.read, self._handles[fh].ino, off, size)

    @guarded
    async def write(self, fh: int, off: int, buf: bytes) -> int:
        self._require_writable()
        opened = self._handles[fh]
        call = self._call if self._may_write(len(buf)) else self._long_call
        self._edits += 1
        try:
            done = await call(self.file_system.write, opened.ino, off, buf)
            opened.written += done
            return done
        finally:
            self._edits += 1
            opened.dirty = True

    @guarded
    async def flush(self, fh: int) -> None:
        opened = self._handles[fh]
        if opened.dirty:
            await self._keep(opened)

    @guarded
    async def fsync(self, fh: int, datasync: bool) -> None:
        await self._keep(self._handles[fh])

    async def _keep(self, opened: Opened) -> None:
        """Have what was written through a handle kept; where that fails, the next who asks tries again."""
        opened.dirty = False
        try:
            await self._sync(opened.ino)
        except BaseException:
            opened.dirty = True
            raise
        if opened.written:
            size, opened.written = opened.written, 0
            self._tell_changed("write", opened.pid, self._number(opened.ino), size)

    @guarded
    async def release(self, fh: int) -> None:
        opened = self._handles.close(fh)
        inode = self._number(opened.ino)
        left = self._open[inode] - 1
        if left:
            self._open[inode] = left
        else:
            del self._open[inode]
        try:
            if opened.dirty:  # written through a mapping after the close
                await self._keep(opened)
        finally:
            await self._call(self.file_system.release, opened.ino)

    # --- what a command changed -------------------------------------------------------------------------------------

    def changed(self, contents: Iterable[int] = (), names: Iterable[tuple[int, bytes]] = ()) -> None:
        """Have the kernel drop what another than itself changed: inodes, and names in directories. Blocks; any thread
        but the loop's and the file system's own."""
        inodes = [self._number(ino) for ino in contents]
        self.kernel.dropped(inodes)
        places = [(self._number(parent), name) for parent, name in names]
        self.tell(Orders(contents=inodes, attributes=[parent for parent, _ in places], names=places))

    def name_changed(self, name: bytes) -> None:
        """``changed`` for a name in the root, with whatever is open beneath it."""
        known = list(self.kernel.counts)
        self.kernel.dropped(known)
        self.tell(Orders(contents=known, attributes=[self.root], names=[(self.root, name)]))

    def all_changed(self) -> None:
        """``changed`` for whatever the kernel knows, where nobody says what it was. Names are not dropped but asked for
        again: a process in a directory must not lose its path."""
        if not self._kept:
            return
        known = [inode for inode in list(self.kernel.counts) if inode != self.root] + [self.root]
        places = [(parent, name_bytes(name)) for parent, name in self.kernel.absent_names()]
        places += list(self._above.values())
        for directory in [self.root, *list(self._above)]:
            with contextlib.suppress(OSError):  # it went
                entries = self.file_system.list(self._own(directory))
                places += [(directory, entry.name) for entry in entries if not stat.S_ISDIR(entry.mode)]
        self.kernel.dropped(known)
        self.tell(Orders(contents=known, places=places))

    def close(self) -> None:
        """Keep what is written (blocks), and end the threads."""
        if not self._read_only:
            try:
                self.file_system.sync(None)
            except OSError as error:
                self.errors.note(f"sync of {self.name}", error)
        self._calls.close()
        self._syncs.close()
