"""What was changed and is not in the database yet, and the commit that writes it there.

Used by the workspace. Changes go to the *new* layer, in memory. A commit takes the whole layer at one moment, so that
the database goes from one state that the file system really had to another, and writes it while new changes gather in
the next one; until it is written, readers look into both. The thread that waits first commits for all others.
"""

from __future__ import annotations

import sqlite3

from kgfs.agentfs.filesystem.inodes import Inode
from kgfs.agentfs.filesystem.stored import text
from kgfs.agentfs.statements import execute_rows

_PUT_INODE = (
    "INSERT INTO fs_inode (ino, mode, nlink, uid, gid, size, atime, mtime, ctime, rdev, atime_nsec, mtime_nsec,"
    " ctime_nsec) VALUES ",
    "(?,?,?,?,?,?,?,?,?,?,?,?,?)",
    " ON CONFLICT (ino) DO UPDATE SET mode = excluded.mode, nlink = excluded.nlink, uid = excluded.uid,"
    " gid = excluded.gid, size = excluded.size, atime = excluded.atime, mtime = excluded.mtime, ctime = excluded.ctime,"
    " rdev = excluded.rdev, atime_nsec = excluded.atime_nsec, mtime_nsec = excluded.mtime_nsec,"
    " ctime_nsec = excluded.ctime_nsec",
)
_PUT_NAME = (
    "INSERT INTO fs_dentry (name, parent_ino, ino) VALUES ",
    "(?,?,?)",
    " ON CONFLICT (parent_ino, name) DO UPDATE SET ino = excluded.ino",
)
_PUT_CHUNK = (
    "INSERT INTO fs_data (ino, chunk_index, data) VALUES ",
    "(?,?,?)",
    " ON CONFLICT (ino, chunk_index) DO UPDATE SET data = excluded.data",
)
_PUT_TARGET = ("INSERT OR REPLACE INTO fs_symlink (ino, target) VALUES ", "(?,?)", "")
_PUT_XATTR = ("INSERT OR REPLACE INTO fs_xattr (ino, name, value) VALUES ", "(?,?,?)", "")
_PUT_UNNAMED = ("INSERT OR IGNORE INTO fs_unnamed (ino) VALUES ", "(?)", "")
_DROP_NAME = ("DELETE FROM fs_dentry WHERE (parent_ino, name) IN (VALUES ", "(?,?)", ")")
_DROP_CHUNK = ("DELETE FROM fs_data WHERE (ino, chunk_index) IN (VALUES ", "(?,?)", ")")
_OF_INODE = (
    "fs_inode WHERE ino", "fs_data WHERE ino", "fs_symlink WHERE ino", "fs_xattr WHERE ino", "fs_unnamed WHERE ino",
    "fs_origin WHERE delta_ino",
)  # fmt: skip


class Changes:
    """What was done to one file's chunks."""

    __slots__ = ("chunks", "cut")

    def __init__(self, cut: int | None = None) -> None:
        self.cut = cut
        """From this index on nothing beneath counts; none where all of it does."""
        self.chunks: dict[int, bytes | bytearray | None] = {}
        """Chunks by index; none for one that is a hole now."""


class Layer:
    """All changes since the one before it. ``number`` counts up from 1."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.inodes: dict[int, Inode] = {}
        """Changed inodes."""
        self.created: set[int] = set()
        """Those of them that the database does not have."""
        self.deleted: set[int] = set()
        self.unnamed: set[int] = set()
        """Inodes that are held and have no name."""
        self.named: set[int] = set()
        """Inodes that had none and got one."""
        self.names: dict[int, dict[bytes, int]] = {}
        """Directory to name to inode; 0 for a name that went."""
        self.data: dict[int, Changes] = {}
        self.targets: dict[int, bytes] = {}
        self.xattrs: set[int] = set()
        self.statements: list[tuple[str, tuple[object, ...]]] = []
        """What else belongs to it: statements on other tables, in order."""
        self.bytes = 0
        """About how much memory it takes."""
        self._rows: list[tuple[int, ...]] = []
        self._xattr_rows: list[tuple[int, bytes, bytes]] = []

    @property
    def empty(self) -> bool:
        return not (self.inodes or self.deleted or self.names or self.statements)

    def freeze(self) -> None:
        """Note what the inodes are like at this moment, since they go on changing."""
        self._rows = [inode.row() for inode in self.inodes.values()]
        for ino in self.xattrs:
            inode = self.inodes.get(ino)
            if inode is not None and inode.xattrs:
                self._xattr_rows.extend((ino, name, value) for name, value in inode.xattrs.items())

    def write(self, connection: sqlite3.Connection) -> None:
        """Write it into the transaction. It may be called again after it failed."""
        gone = list(self.deleted)
        for table in _OF_INODE:
            execute_rows(connection, (f"DELETE FROM {table} IN (", "?", ")"), [(ino,) for ino in gone])
        removed = [
            (parent, text(name)) for parent, names in self.names.items() for name, ino in names.items() if not ino
        ]
        execute_rows(connection, _DROP_NAME, removed)
        execute_rows(connection, _PUT_INODE, self._rows)
        added = [
            (text(name), parent, ino) for parent, names in self.names.items() for name, ino in names.items() if ino
        ]
        execute_rows(connection, _PUT_NAME, added)
        execute_rows(connection, _PUT_TARGET, [(ino, text(target)) for ino, target in self.targets.items()])
        self._write_data(connection)
        changed = [(ino,) for ino in self.xattrs if ino not in self.created]
        execute_rows(connection, ("DELETE FROM fs_xattr WHERE ino IN (", "?", ")"), changed)
        execute_rows(connection, _PUT_XATTR, self._xattr_rows)
        execute_rows(connection, _PUT_UNNAMED, [(ino,) for ino in self.unnamed])
        execute_rows(connection, ("DELETE FROM fs_unnamed WHERE ino IN (", "?", ")"), [(ino,) for ino in self.named])
        for sql, parameters in self.statements:
            connection.execute(sql, parameters)

    def _write_data(self, connection: sqlite3.Connection) -> None:
        cuts = [
            (ino, changes.cut)
            for ino, changes in self.data.items()
            if changes.cut is not None and ino not in self.created
        ]
        connection.executemany("DELETE FROM fs_data WHERE ino = ? AND chunk_index >= ?", cuts)
        holes = [
            (ino, index)
            for ino, changes in self.data.items()
            if ino not in self.created
            for index, chunk in changes.chunks.items()
            if chunk is None
        ]
        execute_rows(connection, _DROP_CHUNK, holes)
        put = [
            (ino, index, chunk)
            for ino, changes in self.data.items()
            for index, chunk in sorted(changes.chunks.items())
            if chunk is not None
        ]
        execute_rows(connection, _PUT_CHUNK, put)


class Layers:
    """The layer that changes go to, and the one that is being written. The caller holds the workspace's lock."""

    def __init__(self) -> None:
        self.new = Layer(1)
        self.writing: Layer | None = None
        self.committed = 0
        """The number of the last layer that is durable."""

    def both(self) -> tuple[Layer, ...]:
        """The layers above the database, uppermost first."""
        return (self.new,) if self.writing is None else (self.new, self.writing)

    def begin(self) -> Layer | None:
        """The layer to write now: one that failed before, else all changes; none where there are none."""
        if self.writing is None and not self.new.empty:
            self.writing = self.new
            self.writing.freeze()
            self.new = Layer(self.writing.number + 1)
        return self.writing

    def end(self) -> None:
        """What was being written is in the database."""
        assert self.writing is not None
        self.committed = self.writing.number
        self.writing = None

    def is_deleted(self, ino: int) -> bool:
        """Whether an inode that the database may still have is gone."""
        return any(ino in layer.deleted for layer in self.both())

    def name(self, parent: int, name: bytes) -> int | None:
        """The inode of an entry that was changed; 0 for one that went, none where the database knows."""
        for layer in self.both():
            names = layer.names.get(parent)
            if names is not None:
                ino = names.get(name)
                if ino is not None:
                    return ino
        return None
