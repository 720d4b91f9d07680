"""What pyfuse3 calls: each request goes to whom its inode or handle belongs to, the tree or a submount.

Used by ``session``, on the loop's thread. A handler here does not wait: it returns the coroutine of the handler that is
responsible, so a request for the tree costs a comparison and a look into a dictionary more than without submounts.
Nothing here may raise: pyfuse3 would leave the request without an answer.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Coroutine, Iterable, Sequence
from typing import Any, TypeVar

import pyfuse3
from pyfuse3 import EntryAttributes, FileInfo, FUSEError, ReaddirToken, RequestContext, SetattrFields, StatvfsData

from kgfs.namespace.node import ROW_SHIFT
from mountd.operations import Operations
from mountd.reads import Reads
from mountd.submounts.inode_numbers import SUBMOUNTS
from mountd.submounts.open_handles import OpenHandles
from mountd.submounts.submount import Submount

T = TypeVar("T")
Answer = Coroutine[Any, Any, T]


class Router(pyfuse3.Operations):
    """The tree with the submounts in it."""

    supports_dot_lookup = Operations.supports_dot_lookup
    enable_writeback_cache = Operations.enable_writeback_cache
    enable_acl = Operations.enable_acl

    def __init__(
        self, tree: Operations, submounts: Iterable[Submount], handles: OpenHandles, reads: Reads | None = None
    ) -> None:
        """``reads`` is told of each file that was opened for reading."""
        super().__init__()
        self._reads = reads
        self._tree = tree
        self._handles = handles
        self._places: dict[int, dict[bytes, Submount]] = {}
        """Directory and name of each submount."""
        self._by_inode: dict[int, Tree] = {}
        """By the number of its root, and by the first bits of its other numbers."""
        for submount in submounts:
            parent, name = tree.namespace.parent(submount.numbers.root)
            self._places.setdefault(parent, {})[name.encode()] = submount
            self._by_inode[submount.numbers.root] = self._by_inode[submount.numbers.row] = submount

    def _of(self, inode: int) -> Tree:
        """Who answers for an inode."""
        if inode >= SUBMOUNTS:
            return self._by_inode.get(inode >> ROW_SHIFT, self._tree)
        return self._by_inode.get(inode, self._tree)

    def _opened_by(self, fh: int) -> Tree:
        """Who answers for a handle."""
        if fh >= SUBMOUNTS:
            opened = self._handles.get(fh)
            if opened is not None:
                return self._of(opened.inode)
        return self._tree

    def init(self) -> None:
        self._tree.init()

    # Names

    def lookup(self, parent_inode: int, name: bytes, ctx: RequestContext) -> Answer[EntryAttributes]:
        places = self._places.get(parent_inode)
        if places is not None and name in places:
            return self._root(places[name], ctx)
        return self._of(parent_inode).lookup(parent_inode, name, ctx)

    async def _root(self, submount: Submount, ctx: RequestContext) -> EntryAttributes:
        """The directory that a submount stands in: its attributes are the submount's, its number is the tree's."""
        entry = await submount.root_entry(ctx)
        self._tree.kernel.count(submount.numbers.root)
        return entry

    async def forget(self, inode_list: Sequence[tuple[int, int]]) -> None:
        rest = []
        for inode, count in inode_list:
            if inode >= SUBMOUNTS:
                await self._of(inode).forget([(inode, count)])
            else:
                rest.append((inode, count))
        if rest:
            await self._tree.forget(rest)

    def mknod(
        self, parent_inode: int, name: bytes, mode: int, rdev: int, ctx: RequestContext
    ) -> Answer[EntryAttributes]:
        return self._of(parent_inode).mknod(parent_inode, name, mode, rdev, ctx)

    def mkdir(self, parent_inode: int, name: bytes, mode: int, ctx: RequestContext) -> Answer[EntryAttributes]:
        return self._of(parent_inode).mkdir(parent_inode, name, mode, ctx)

    def symlink(self, parent_inode: int, name: bytes, target: bytes, ctx: RequestContext) -> Answer[EntryAttributes]:
        return self._of(parent_inode).symlink(parent_inode, name, target, ctx)

    def link(self, inode: int, new_parent_inode: int, new_name: bytes, ctx: RequestContext) -> Answer[EntryAttributes]:
        here = self._of(inode)
        if here is not self._of(new_parent_inode):
            return _across()
        return here.link(inode, new_parent_inode, new_name, ctx)

    def unlink(self, parent_inode: int, name: bytes, ctx: RequestContext) -> Answer[None]:
        return self._of(parent_inode).unlink(parent_inode, name, ctx)

    def rmdir(self, parent_inode: int, name: bytes, ctx: RequestContext) -> Answer[None]:
        return self._of(parent_inode).rmdir(parent_inode, name, ctx)

    def rename(
        self,
        parent_inode_old: int,
        name_old: bytes,
        parent_inode_new: int,
        name_new: bytes,
        flags: int,
        ctx: RequestContext,
    ) -> Answer[None]:
        here = self._of(parent_inode_old)
        if here is not self._of(parent_inode_new):
            return _across()
        return here.rename(parent_inode_old, name_old, parent_inode_new, name_new, flags, ctx)

    def readlink(self, inode: int, ctx: RequestContext) -> Answer[bytes]:
        return self._of(inode).readlink(inode, ctx)

    # Attributes

    def getattr(self, inode: int, ctx: RequestContext) -> Answer[EntryAttributes]:
        return self._of(inode).getattr(inode, ctx)

    def setattr(
        self, inode: int, attr: EntryAttributes, fields: SetattrFields, fh: int | None, ctx: RequestContext
    ) -> Answer[EntryAttributes]:
        return self._of(inode).setattr(inode, attr, fields, fh, ctx)

    def access(self, inode: int, mode: int, ctx: RequestContext) -> Answer[bool]:
        return self._of(inode).access(inode, mode, ctx)

    def getxattr(self, inode: int, name: bytes, ctx: RequestContext) -> Answer[bytes]:
        return self._of(inode).getxattr(inode, name, ctx)

    def setxattr(self, inode: int, name: bytes, value: bytes, ctx: RequestContext) -> Answer[None]:
        return self._of(inode).setxattr(inode, name, value, ctx)

    def listxattr(self, inode: int, ctx: RequestContext) -> Answer[Sequence[bytes]]:
        return self._of(inode).listxattr(inode, ctx)

    def removexattr(self, inode: int, name: bytes, ctx: RequestContext) -> Answer[None]:
        return self._of(inode).removexattr(inode, name, ctx)

    def statfs(self, ctx: RequestContext) -> Answer[StatvfsData]:
        return self._tree.statfs(ctx)  # pyfuse3 does not say of which inode

    # Directories

    def opendir(self, inode: int, ctx: RequestContext) -> Answer[int]:
        return self._of(inode).opendir(inode, ctx)

    def readdir(self, fh: int, start_id: int, token: ReaddirToken) -> Answer[None]:
        return self._opened_by(fh).readdir(fh, start_id, token)

    def releasedir(self, fh: int) -> Answer[None]:
        return self._opened_by(fh).releasedir(fh)

    def fsyncdir(self, fh: int, datasync: bool) -> Answer[None]:
        return self._opened_by(fh).fsyncdir(fh, datasync)

    # Files

    def create(
        self, parent_inode: int, name: bytes, mode: int, flags: int, ctx: RequestContext
    ) -> Answer[tuple[FileInfo, EntryAttributes]]:
        return self._of(parent_inode).create(parent_inode, name, mode, flags, ctx)

    def open(self, inode: int, flags: int, ctx: RequestContext) -> Answer[FileInfo]:
        here = self._of(inode)
        if self._reads is not None and flags & os.O_ACCMODE != os.O_WRONLY:
            return _noted(self._reads, here, inode, flags, ctx)
        return here.open(inode, flags, ctx)

    def read(self, fh: int, off: int, size: int) -> Answer[bytes]:
        return self._opened_by(fh).read(fh, off, size)

    def write(self, fh: int, off: int, buf: bytes) -> Answer[int]:
        return self._opened_by(fh).write(fh, off, buf)

    def flush(self, fh: int) -> Answer[None]:
        return self._opened_by(fh).flush(fh)

    def fsync(self, fh: int, datasync: bool) -> Answer[None]:
        return self._opened_by(fh).fsync(fh, datasync)

    def release(self, fh: int) -> Answer[None]:
        return self._opened_by(fh).release(fh)


Tree = Operations | Submount
"""Who answers requests."""


async def _noted(reads: Reads, here: Tree, inode: int, flags: int, ctx: RequestContext) -> FileInfo:
    """Open a file, and tell it."""
    began = time.time_ns()
    opened = await here.open(inode, flags, ctx)
    reads.opened(here.path(inode), ctx.pid, began)
    return opened


async def _across() -> Any:
    """What would lead from one file system into another: ``mv`` copies then."""
    raise FUSEError(errno.EXDEV)
