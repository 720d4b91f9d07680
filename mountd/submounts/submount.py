"""A file system beneath a directory of the tree: what pyfuse3 calls, and what commands tell it.

Used by ``router`` and ``session``, on the loop's thread. Open directories and files are in ``directories`` and
``files``; here are names and attributes.

What a file system calls lasting, the kernel may keep for long: it is the only one that changes it, but for commands,
and ``changed`` and ``all_changed`` have it forget what a command did.
"""

from __future__ import annotations

import contextlib
import errno
import stat
from collections.abc import Iterable, Sequence
from functools import partial

from pyfuse3 import EntryAttributes, FUSEError, RequestContext, SetattrFields

from kgfs.filesystem import RENAME_EXCHANGE, ROOT, Stat
from kgfs.names import name_bytes, name_text
from mountd.given import given_attributes
from mountd.guard import guarded
from mountd.kernel import ABSENT_SECONDS, Orders
from mountd.submounts.directories import Directories
from mountd.submounts.files import Files

_ATTRIBUTES = (b"user.", b"trusted.")
"""Extended attributes of other kinds the kernel would ask for at every ``write`` and ``ls -l``."""


class Submount(Files, Directories):
    """One file system at one directory of the tree. Handlers are called as pyfuse3 calls them."""

    # --- names ------------------------------------------------------------------------------------------------------

    @guarded
    async def root_entry(self, ctx: RequestContext) -> EntryAttributes:
        """The entry of the root, for the directory that this stands in. The caller counts the lookup."""
        return self.entry(await self.calls.small(self.file_system.getattr, ROOT))

    @guarded
    async def lookup(self, parent_inode: int, name: bytes, ctx: RequestContext) -> EntryAttributes:
        found = await self.calls.small(self._find, self.numbers.own(parent_inode), name)
        if found is None:
            if not self.kernel.absent(parent_inode, name_text(name)):
                raise FUSEError(errno.ENOENT)
            entry = EntryAttributes()  # inode number 0
            entry.entry_timeout = ABSENT_SECONDS
            return entry
        return self.counted(parent_inode, name, found)

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
            self.places.forget(self.kernel.forget(inode_list))
        except Exception as error:  # nobody waits for an answer
            self.errors.note("forget", error)

    @guarded
    async def mknod(self, parent_inode: int, name: bytes, mode: int, rdev: int, ctx: RequestContext) -> EntryAttributes:
        parent = self.numbers.own(parent_inode)
        found = await self.calls.change(self.file_system.make, parent, name, mode, rdev, ctx.uid, ctx.gid)
        return self.made("mknod", parent_inode, name, found, ctx.pid)

    @guarded
    async def mkdir(self, parent_inode: int, name: bytes, mode: int, ctx: RequestContext) -> EntryAttributes:
        parent, mode = self.numbers.own(parent_inode), stat.S_IFDIR | stat.S_IMODE(mode)
        found = await self.calls.change(self.file_system.make, parent, name, mode, 0, ctx.uid, ctx.gid)
        return self.made("mkdir", parent_inode, name, found, ctx.pid)

    @guarded
    async def symlink(self, parent_inode: int, name: bytes, target: bytes, ctx: RequestContext) -> EntryAttributes:
        parent = self.numbers.own(parent_inode)
        found = await self.calls.change(self.file_system.symlink, parent, name, target, ctx.uid, ctx.gid)
        return self.made("symlink", parent_inode, name, found, ctx.pid)

    @guarded
    async def link(self, inode: int, new_parent_inode: int, new_name: bytes, ctx: RequestContext) -> EntryAttributes:
        parent = self.numbers.own(new_parent_inode)
        found = await self.calls.change(self.file_system.link, self.numbers.own(inode), parent, new_name, other=parent)
        return self.made("link", new_parent_inode, new_name, found, ctx.pid)

    @guarded
    async def unlink(self, parent_inode: int, name: bytes, ctx: RequestContext) -> None:
        await self.calls.change(self.file_system.unlink, self.numbers.own(parent_inode), name)
        self.tell_change("unlink", ctx.pid, parent_inode, name)

    @guarded
    async def rmdir(self, parent_inode: int, name: bytes, ctx: RequestContext) -> None:
        await self.calls.change(self.file_system.rmdir, self.numbers.own(parent_inode), name)
        self.tell_change("rmdir", ctx.pid, parent_inode, name)

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
        old, new = self.numbers.own(parent_inode_old), self.numbers.own(parent_inode_new)
        moved = await self.calls.change(self._rename, old, name_old, new, name_new, flags, other=new)
        self.kernel.made(parent_inode_new, name_text(name_new))
        for ino, parent, name, directory in moved:
            self.places.note(self.numbers.kernels(ino), self.numbers.kernels(parent), name, directory)
        if self.changes is not None:
            place = self.places.path(parent_inode_new, name_new)
            self.changes.note(
                self.places.area(parent_inode_old, name_old),
                "rename",
                ctx.pid,
                lambda *old: f"{self.places.path(*old)} -> {place}",
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
        return await self.calls.small(self.file_system.readlink, self.numbers.own(inode))

    # --- attributes -------------------------------------------------------------------------------------------------

    @guarded
    async def getattr(self, inode: int, ctx: RequestContext) -> EntryAttributes:
        return self.entry(await self.calls.small(self.file_system.getattr, self.numbers.own(inode)))

    @guarded
    async def setattr(
        self, inode: int, attr: EntryAttributes, fields: SetattrFields, fh: int | None, ctx: RequestContext
    ) -> EntryAttributes:
        given = given_attributes(attr, fields)
        if fields.update_size:
            self.edits += 1
        ino = self.numbers.own(inode)
        try:
            found = await self.calls.change(partial(self.file_system.setattr, **given), ino)
        finally:
            if fields.update_size:
                self.edits += 1
        if fh is not None and (opened := self.handles.get(fh)) is not None:
            opened.dirty = True
        self.tell_changed("truncate" if fields.update_size else "attributes", ctx.pid, inode)
        return self.entry(found)

    @guarded
    async def getxattr(self, inode: int, name: bytes, ctx: RequestContext) -> bytes:
        self._require_attribute(name)
        return await self.calls.small(self.file_system.getxattr, self.numbers.own(inode), name)

    @guarded
    async def setxattr(self, inode: int, name: bytes, value: bytes, ctx: RequestContext) -> None:
        self._require_attribute(name)
        await self.calls.change(self.file_system.setxattr, self.numbers.own(inode), name, value)
        self.tell_changed("attributes", ctx.pid, inode)

    @guarded
    async def listxattr(self, inode: int, ctx: RequestContext) -> Sequence[bytes]:
        return await self.calls.small(self.file_system.listxattr, self.numbers.own(inode))

    @guarded
    async def removexattr(self, inode: int, name: bytes, ctx: RequestContext) -> None:
        self._require_attribute(name)
        await self.calls.change(self.file_system.removexattr, self.numbers.own(inode), name)
        self.tell_changed("attributes", ctx.pid, inode)

    @staticmethod
    def _require_attribute(name: bytes) -> None:
        if not name.startswith(_ATTRIBUTES):
            raise FUSEError(errno.EOPNOTSUPP)

    @guarded
    async def access(self, inode: int, mode: int, ctx: RequestContext) -> bool:
        return True  # the kernel checks modes itself (default_permissions)

    # --- what a command changed -------------------------------------------------------------------------------------

    def changed(self, contents: Iterable[int] = (), names: Iterable[tuple[int, bytes]] = ()) -> None:
        """Have the kernel drop what another than itself changed: inodes, and names in directories. Blocks; any thread
        but the loop's and the file system's own."""
        inodes = [self.numbers.kernels(ino) for ino in contents]
        self.kernel.dropped(inodes)
        places = [(self.numbers.kernels(parent), name) for parent, name in names]
        self.tell(Orders(contents=inodes, attributes=[parent for parent, _ in places], names=places))

    def name_changed(self, name: bytes) -> None:
        """``changed`` for a name in the root, with whatever is open beneath it."""
        known = list(self.kernel.counts)
        self.kernel.dropped(known)
        self.tell(Orders(contents=known, attributes=[self.numbers.root], names=[(self.numbers.root, name)]))

    def all_changed(self) -> None:
        """``changed`` for whatever the kernel knows, where nobody says what it was. Names are not dropped but asked for
        again: a process in a directory must not lose its path."""
        if not self.kept:
            return
        known = [inode for inode in list(self.kernel.counts) if inode != self.numbers.root] + [self.numbers.root]
        places = [(parent, name_bytes(name)) for parent, name in self.kernel.absent_names()]
        places += list(self.places.above.values())
        for directory in [self.numbers.root, *list(self.places.above)]:
            with contextlib.suppress(OSError):  # it went
                entries = self.file_system.list(self.numbers.own(directory))
                places += [(directory, entry.name) for entry in entries if not stat.S_ISDIR(entry.mode)]
        self.kernel.dropped(known)
        self.tell(Orders(contents=known, places=places))

    def close(self) -> None:
        """Keep what is written (blocks), and end the threads."""
        if not self.read_only:
            try:
                self.file_system.sync(None)
            except OSError as error:
                self.errors.note(f"sync of {self.name}", error)
        self.calls.close()
