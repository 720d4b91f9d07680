"""The file system as the database has it: one connection that only reads, and a method for each thing that is asked.

Used by the workspace, with its lock held. Names and targets are bytes; in the tables they are text where they are
UTF-8, else blobs. A row that another client wrote may say anything: what cannot be used is ``EIO``.
"""

from __future__ import annotations

import contextlib
import errno
import sqlite3
from collections.abc import Sequence
from typing import Any

from kgfs.agentfs.database import AgentDatabase, translated
from kgfs.agentfs.filesystem.inodes import SECOND, Inode, kind_is_known
from kgfs.errors import KgfsError

_INODE = (
    "i.ino, i.mode, i.nlink, i.uid, i.gid, i.rdev, i.size, i.atime, i.atime_nsec, i.mtime, i.mtime_nsec,"
    " i.ctime, i.ctime_nsec, CASE WHEN i.size > 0 AND i.mode & 61440 = 32768"
    " THEN (SELECT count(*) FROM fs_data WHERE fs_data.ino = i.ino) ELSE 0 END"
)
ENTRY_ROW = "SELECT ino FROM fs_dentry WHERE parent_ino = ? AND name = ?"
"""SQL: the inode of an entry of a directory."""


def text(value: bytes) -> str | bytes:
    """A name or a target as it is stored."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value


def failure(error: KgfsError) -> OSError:
    """An error of ours as one of a file system."""
    return OSError(error.errno, error.message)


class StoredFiles:
    """What the last commit left."""

    def __init__(self, database: AgentDatabase) -> None:
        self._path = database.path
        self._connection = database.connect()
        self._connection.text_factory = bytes
        self._xattrs = bool(self._rows("SELECT 1 FROM fs_xattr LIMIT 1"))
        """Whether there is any extended attribute; while there is none, none is looked for."""

    def _rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        try:
            return self._connection.execute(sql, parameters).fetchall()
        except sqlite3.Error as error:
            raise failure(translated(self._path, error)) from error

    def last_ino(self) -> int:
        """The highest number that an inode ever had."""
        rows = self._rows("SELECT seq FROM sqlite_sequence WHERE name = 'fs_inode'")
        (highest,) = self._rows("SELECT coalesce(max(ino), 1) FROM fs_inode")[0]
        return max(int(highest), *(int(seq) for (seq,) in rows)) if rows else int(highest)

    def inode(self, ino: int) -> Inode | None:
        rows = self._rows(f"SELECT {_INODE} FROM fs_inode i WHERE i.ino = ?", (ino,))
        return _inode(rows[0]) if rows else None

    def entry(self, parent: int, name: bytes) -> int:
        """The inode of an entry; 0 where there is none."""
        rows = self._rows(ENTRY_ROW, (parent, text(name)))
        return int(rows[0][0]) if rows else 0

    def entries(self, parent: int) -> list[tuple[bytes, int, int]]:
        """Names, inodes and modes of a directory, by name; an inode that is missing counts as a file."""
        return self._rows(
            "SELECT CAST(d.name AS BLOB), d.ino, coalesce(i.mode, 32768) FROM fs_dentry d"
            " LEFT JOIN fs_inode i ON i.ino = d.ino WHERE d.parent_ino = ? ORDER BY d.name",
            (parent,),
        )

    def inodes_of(self, parent: int) -> list[Inode]:
        """The inodes of a directory's entries, as far as they can be used."""
        rows = self._rows(
            f"SELECT {_INODE} FROM fs_dentry d JOIN fs_inode i ON i.ino = d.ino WHERE d.parent_ino = ?", (parent,)
        )
        found = []
        for row in rows:
            with contextlib.suppress(OSError):
                found.append(_inode(row))
        return found

    def counts(self, parent: int) -> tuple[int, int]:
        """How many entries a directory has, and how many of them are directories."""
        rows = self._rows(
            "SELECT count(*), coalesce(sum((SELECT mode & 61440 = 16384 FROM fs_inode i WHERE i.ino = d.ino)), 0)"
            " FROM fs_dentry d WHERE parent_ino = ?",
            (parent,),
        )
        return int(rows[0][0]), int(rows[0][1])

    def parent(self, ino: int) -> int:
        """A directory in which an inode has a name; 0 where there is none. It looks at every entry."""
        rows = self._rows("SELECT parent_ino FROM fs_dentry WHERE ino = ? LIMIT 1", (ino,))
        return int(rows[0][0]) if rows else 0

    def target(self, ino: int) -> bytes | None:
        rows = self._rows("SELECT target FROM fs_symlink WHERE ino = ?", (ino,))
        return bytes(rows[0][0]) if rows else None

    def chunks(self, ino: int, first: int, last: int) -> list[tuple[int, bytes]]:
        """Chunks ``first`` to ``last``, as far as they are there, in order."""
        return self._rows(
            "SELECT chunk_index, data FROM fs_data WHERE ino = ? AND chunk_index BETWEEN ? AND ? ORDER BY chunk_index",
            (ino, first, last),
        )

    def chunk(self, ino: int, index: int) -> bytes | None:
        rows = self._rows("SELECT data FROM fs_data WHERE ino = ? AND chunk_index = ?", (ino, index))
        return bytes(rows[0][0]) if rows else None

    def chunk_indexes(self, ino: int, first: int, last: int) -> list[int]:
        rows = self._rows(
            "SELECT chunk_index FROM fs_data WHERE ino = ? AND chunk_index BETWEEN ? AND ?", (ino, first, last)
        )
        return [index for (index,) in rows]

    def xattrs(self, ino: int) -> dict[bytes, bytes]:
        if not self._xattrs:
            return {}
        return dict(self._rows("SELECT name, value FROM fs_xattr WHERE ino = ?", (ino,)))

    def has_xattrs(self) -> None:
        """From now on look for extended attributes."""
        self._xattrs = True

    def unnamed(self) -> list[int]:
        """Inodes that were open without a name when the last process ended."""
        rows = self._rows(
            "SELECT ino FROM fs_unnamed u WHERE NOT EXISTS (SELECT 1 FROM fs_dentry d WHERE d.ino = u.ino) AND ino != 1"
        )
        return [ino for (ino,) in rows]


def _inode(row: Sequence[Any]) -> Inode:
    try:
        ino, mode, nlink, uid, gid, rdev, size, atime, atime_ns, mtime, mtime_ns, ctime, ctime_ns, stored = map(
            int, row
        )
    except (TypeError, ValueError) as error:
        raise OSError(errno.EIO, f"Inode {row[0]!r} has values that are no numbers.") from error
    if not kind_is_known(mode) or size < 0:
        raise OSError(errno.EIO, f"Inode {ino} has mode {mode:o} and size {size}; run kgfs fsck --repair.")
    return Inode(
        ino, mode, max(nlink, 0), uid & 0xFFFFFFFF, gid & 0xFFFFFFFF, rdev, size,
        atime * SECOND + atime_ns, mtime * SECOND + mtime_ns, ctime * SECOND + ctime_ns, stored,
    )  # fmt: skip
