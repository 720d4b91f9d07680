"""A disk with faults: a directory shown through FUSE, whose requests can be slow, refused, or fail.

``python -m tests.faults.faulty_disk DIRECTORY MOUNTPOINT``. Each line on standard input is a JSON object of the faults
that hold from then on (``Faults``); each is answered by a line. It ends when its standard input does. What the kernel
keeps of files is not asked for again, as with any disk.
"""

from __future__ import annotations

import errno
import json
import os
import stat
import sys
from collections.abc import Sequence
from typing import Any

import msgspec
import pyfuse3
import trio


class Faults(msgspec.Struct, forbid_unknown_fields=True):
    """What is wrong with the disk."""

    seconds: float = 0.0
    """How long each read, write and sync takes longer."""
    refuses: int = 0
    """The error of all that changes something: ``EROFS``, ``ENOSPC``, ``EIO``."""
    unreadable: int = 0
    """The error of reads."""


class FaultyDisk(pyfuse3.Operations):
    """As much of a file system as stores need. An inode is known by its paths in the directory behind."""

    def __init__(self, directory: str) -> None:
        super().__init__()
        self.faults = Faults()
        self._paths: dict[int, str] = {pyfuse3.ROOT_INODE: directory}
        self._numbers: dict[tuple[int, int], int] = {}
        self._next = pyfuse3.ROOT_INODE + 1

    # --- faults -----------------------------------------------------------------------------------------------------

    async def _changes(self) -> None:
        await self._slowly()
        if self.faults.refuses:
            raise pyfuse3.FUSEError(self.faults.refuses)

    async def _reads(self) -> None:
        await self._slowly()
        if self.faults.unreadable:
            raise pyfuse3.FUSEError(self.faults.unreadable)

    async def _slowly(self) -> None:
        if self.faults.seconds:
            await trio.sleep(self.faults.seconds)

    # --- names ------------------------------------------------------------------------------------------------------

    def _path(self, parent: int, name: bytes) -> str:
        return f"{self._paths[parent]}/{os.fsdecode(name)}"

    def _known(self, path: str) -> pyfuse3.EntryAttributes:
        """The attributes of what is at a path, which has a number from then on."""
        found = _done(os.lstat, path)
        key = (found.st_dev, found.st_ino)
        number = self._numbers.get(key)
        if number is None or number not in self._paths:
            number = self._next
            self._next += 1
            self._numbers[key] = number
        self._paths[number] = path
        return _attributes(number, found)

    async def lookup(self, parent_inode: int, name: bytes, ctx: Any = None) -> pyfuse3.EntryAttributes:
        return self._known(self._path(parent_inode, name))

    async def getattr(self, inode: int, ctx: Any = None) -> pyfuse3.EntryAttributes:
        return _attributes(inode, _done(os.lstat, self._paths[inode]))

    async def setattr(
        self, inode: int, attr: pyfuse3.EntryAttributes, fields: pyfuse3.SetattrFields, fh: int | None, ctx: Any
    ) -> pyfuse3.EntryAttributes:
        await self._changes()
        where: Any = fh if fh is not None else self._paths[inode]
        if fields.update_size:
            _done(os.truncate, where, attr.st_size)
        if fields.update_mode:
            _done(os.chmod, where, stat.S_IMODE(attr.st_mode))
        if fields.update_uid or fields.update_gid:
            _done(os.chown, where, attr.st_uid if fields.update_uid else -1, attr.st_gid if fields.update_gid else -1)
        if fields.update_atime or fields.update_mtime:
            now = _done(os.stat, where)
            os.utime(
                where,
                ns=(
                    attr.st_atime_ns if fields.update_atime else now.st_atime_ns,
                    attr.st_mtime_ns if fields.update_mtime else now.st_mtime_ns,
                ),
            )
        return _attributes(inode, _done(os.stat, where))

    async def mkdir(self, parent_inode: int, name: bytes, mode: int, ctx: Any) -> pyfuse3.EntryAttributes:
        await self._changes()
        path = self._path(parent_inode, name)
        _done(os.mkdir, path, mode & ~ctx.umask)
        return self._known(path)

    async def symlink(self, parent_inode: int, name: bytes, target: bytes, ctx: Any) -> pyfuse3.EntryAttributes:
        await self._changes()
        path = self._path(parent_inode, name)
        _done(os.symlink, os.fsdecode(target), path)
        return self._known(path)

    async def readlink(self, inode: int, ctx: Any) -> bytes:
        return os.fsencode(_done(os.readlink, self._paths[inode]))

    async def link(self, inode: int, new_parent_inode: int, new_name: bytes, ctx: Any) -> pyfuse3.EntryAttributes:
        await self._changes()
        path = self._path(new_parent_inode, new_name)
        _done(os.link, self._paths[inode], path)
        return self._known(path)

    async def unlink(self, parent_inode: int, name: bytes, ctx: Any) -> None:
        await self._changes()
        self._gone(self._path(parent_inode, name), os.unlink)

    async def rmdir(self, parent_inode: int, name: bytes, ctx: Any) -> None:
        await self._changes()
        self._gone(self._path(parent_inode, name), os.rmdir)

    def _gone(self, path: str, how: Any) -> None:
        found = _done(os.lstat, path)
        _done(how, path)
        if found.st_nlink <= 1 or stat.S_ISDIR(found.st_mode):
            self._numbers.pop((found.st_dev, found.st_ino), None)

    async def rename(
        self, parent_inode_old: int, name_old: bytes, parent_inode_new: int, name_new: bytes, flags: int, ctx: Any
    ) -> None:
        await self._changes()
        old, new = self._path(parent_inode_old, name_old), self._path(parent_inode_new, name_new)
        _done(os.rename, old, new)
        for number, path in self._paths.items():
            if path == old or path.startswith(f"{old}/"):
                self._paths[number] = new + path[len(old) :]

    async def opendir(self, inode: int, ctx: Any) -> int:
        return inode

    async def readdir(self, fh: int, start_id: int, token: Any) -> None:
        names = sorted(_done(os.listdir, self._paths[fh]))
        for place, name in enumerate(names[start_id:], start_id + 1):
            attributes = self._known(f"{self._paths[fh]}/{name}")
            if not pyfuse3.readdir_reply(token, os.fsencode(name), attributes, place):
                return

    async def statfs(self, ctx: Any) -> pyfuse3.StatvfsData:
        found = os.statvfs(self._paths[pyfuse3.ROOT_INODE])
        data = pyfuse3.StatvfsData()
        for field in ("f_bsize", "f_frsize", "f_blocks", "f_bfree", "f_bavail", "f_files", "f_ffree", "f_favail"):
            setattr(data, field, getattr(found, field))
        if self.faults.refuses == errno.ENOSPC:
            data.f_bfree = data.f_bavail = 0
        data.f_namemax = 255
        return data

    # --- files ------------------------------------------------------------------------------------------------------

    async def open(self, inode: int, flags: int, ctx: Any) -> pyfuse3.FileInfo:
        if flags & os.O_ACCMODE != os.O_RDONLY and self.faults.refuses == errno.EROFS:
            raise pyfuse3.FUSEError(errno.EROFS)
        if flags & os.O_TRUNC:
            await self._changes()
        return pyfuse3.FileInfo(fh=_done(os.open, self._paths[inode], (flags | os.O_CLOEXEC) & ~os.O_APPEND))

    async def create(
        self, parent_inode: int, name: bytes, mode: int, flags: int, ctx: Any
    ) -> tuple[pyfuse3.FileInfo, pyfuse3.EntryAttributes]:
        await self._changes()
        path = self._path(parent_inode, name)
        fh = _done(os.open, path, (flags | os.O_CREAT | os.O_CLOEXEC) & ~os.O_APPEND, mode & ~ctx.umask)
        return pyfuse3.FileInfo(fh=fh), self._known(path)

    async def read(self, fh: int, off: int, size: int) -> bytes:
        await self._reads()
        return _done(os.pread, fh, size, off)  # type: ignore[no-any-return]

    async def write(self, fh: int, off: int, buf: bytes) -> int:
        await self._changes()
        return _done(os.pwrite, fh, buf, off)  # type: ignore[no-any-return]

    async def fsync(self, fh: int, datasync: bool) -> None:
        await self._changes()

    async def fsyncdir(self, fh: int, datasync: bool) -> None:
        await self._changes()

    async def flush(self, fh: int) -> None:
        pass

    async def release(self, fh: int) -> None:
        os.close(fh)

    async def releasedir(self, fh: int) -> None:
        pass

    async def forget(self, inode_list: Sequence[tuple[int, int]]) -> None:
        pass  # a test's disk: what was known stays known


def _done(work: Any, *arguments: Any) -> Any:
    try:
        return work(*arguments)
    except OSError as error:
        raise pyfuse3.FUSEError(error.errno or errno.EIO) from None


def _attributes(number: int, found: os.stat_result) -> pyfuse3.EntryAttributes:
    made = pyfuse3.EntryAttributes()
    for field in ("st_mode", "st_nlink", "st_uid", "st_gid", "st_rdev", "st_size", "st_blksize", "st_blocks",
                  "st_atime_ns", "st_mtime_ns", "st_ctime_ns"):  # fmt: skip
        setattr(made, field, getattr(found, field))
    made.st_ino = number
    made.generation = 0
    made.attr_timeout = made.entry_timeout = 0
    return made


async def _listen(disk: FaultyDisk) -> None:
    """Take faults until standard input ends."""
    async for line in _received():
        disk.faults = msgspec.convert(json.loads(line), Faults)
        print("done", flush=True)


async def _received() -> Any:
    rest = b""
    async with trio.lowlevel.FdStream(os.dup(0)) as stream:
        async for part in stream:
            *lines, rest = (rest + part).split(b"\n")
            for line in lines:
                yield line


async def _serve(disk: FaultyDisk) -> None:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(pyfuse3.main)
        print("ready", flush=True)
        await _listen(disk)
        pyfuse3.terminate()
        nursery.cancel_scope.cancel()


def main(directory: str, mountpoint: str) -> None:
    disk = FaultyDisk(directory)
    pyfuse3.init(disk, mountpoint, {"fsname=faulty", "default_permissions", "allow_other"})
    try:
        trio.run(_serve, disk)
    finally:
        pyfuse3.close(unmount=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
