"""Requests about open directories of a submount: listing them.

Used by ``submount``, on the loop's thread. A listing takes the names once when it begins, and the attributes with each
reply: the kernel lets nobody change a directory while it waits for a reply, so no entry is named that is gone.
"""

from __future__ import annotations

import stat
from collections.abc import Sequence

import pyfuse3
from pyfuse3 import EntryAttributes, ReaddirToken, RequestContext

from kgfs.filesystem import Entry, Stat
from mountd.guard import guarded
from mountd.submounts.open_handles import Opened
from mountd.submounts.requests import Requests

REPLY_BYTES = 32 * 1024
"""Of a listing, in the reply to a C library that asks as they do."""
_DOTS = 2
"""The offsets 1 and 2 are those of ``.`` and ``..``; those of entries are higher."""


def entry_bytes(name: bytes) -> int:
    """How much of a reply to a listing an entry takes (``FUSE_DIRENTPLUS_SIZE``)."""
    return (152 + len(name) + 7) & ~7


class Directories(Requests):
    """Handlers of open directories."""

    @guarded
    async def opendir(self, inode: int, ctx: RequestContext) -> int:
        ino = self.numbers.own(inode)
        await self.calls.small(self.file_system.hold, ino)
        return self.handles.open(Opened(inode, ino))

    @guarded
    async def readdir(self, fh: int, start_id: int, token: ReaddirToken) -> None:
        opened = self.handles[fh]
        if start_id == 0:
            opened.entries = await self._entries(opened.ino)
        room = REPLY_BYTES
        if start_id < _DOTS:
            if not self._list_dots(opened.ino, start_id, token):
                return
            room -= 2 * entry_bytes(b"..")
        at = max(start_id - _DOTS, 0)
        entry = EntryAttributes()
        here = self.numbers.kernels(opened.ino)
        while at < len(opened.entries):
            last = at + 1
            while last < len(opened.entries) and (room := room - entry_bytes(opened.entries[last].name)) > 0:
                last += 1
            for found in await self.calls.small(self._looked_up, opened.ino, opened.entries[at:last]):
                at += 1
                if found is None:  # it went since the listing began
                    continue
                self.fill(entry, found)
                if not pyfuse3.readdir_reply(token, opened.entries[at - 1].name, entry, at + _DOTS):
                    return
                self.kernel.count(entry.st_ino)
                self.places.note(entry.st_ino, here, opened.entries[at - 1].name, stat.S_ISDIR(found.mode))
            room = REPLY_BYTES

    async def _entries(self, ino: int) -> Sequence[Entry]:
        """The names in a directory: those of the last listing, where nothing changed there since."""
        ctime = await self.calls.small(self._settled_since, ino)
        if ctime is None:
            return await self.calls.long(self.file_system.list, ino)
        known = self.listings.of(ino, ctime)
        if known is not None:
            return known
        entries = await self.calls.long(self.file_system.list, ino)
        self.listings.remember(ino, ctime, entries)
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
        entry.st_ino = here = self.numbers.kernels(ino)
        if start_id == 0 and not pyfuse3.readdir_reply(token, b".", entry, 1):
            return False
        root = self.numbers.root
        entry.st_ino = int(pyfuse3.ROOT_INODE) if here == root else self.places.above.get(here, (root, b""))[0]
        return pyfuse3.readdir_reply(token, b"..", entry, _DOTS)

    @guarded
    async def releasedir(self, fh: int) -> None:
        await self.calls.small(self.file_system.release, self.handles.close(fh).ino)

    @guarded
    async def fsyncdir(self, fh: int, datasync: bool) -> None:
        await self.calls.sync(self.handles[fh].ino)
