"""An overlay over a base in memory, which can be closed and opened again, and what its file says."""

from __future__ import annotations

import sqlite3
import stat
from pathlib import Path
from typing import Any

from kgfs.agentfs.checking import check
from kgfs.agentfs.database import AgentDatabase
from kgfs.agentfs.overlays.overlay import Overlay
from kgfs.filesystem import ROOT, FileSystem
from tests.memory_file_system import MemoryFileSystem

FILE = stat.S_IFREG | 0o644
DIRECTORY = stat.S_IFDIR | 0o755


def put(files: FileSystem, path: bytes, body: bytes = b"", mode: int = FILE) -> int:
    """Make a file, or give one another body; directories above are made where they are missing."""
    directory = ROOT
    *above, name = path.split(b"/")
    for part in above:
        try:
            directory = files.lookup(directory, part).ino
        except FileNotFoundError:
            directory = files.make(directory, part, DIRECTORY, 0, 0, 0).ino
    try:
        ino = files.lookup(directory, name).ino
        files.setattr(ino, size=0)
    except FileNotFoundError:
        ino = files.make(directory, name, mode, 0, 0, 0).ino
    if body:
        files.write(ino, 0, body)
    return ino


def at(files: FileSystem, path: bytes) -> int:
    """The inode at a path."""
    ino = ROOT
    for name in path.split(b"/") if path else ():
        ino = files.lookup(ino, name).ino
    return ino


def above(files: FileSystem, path: bytes) -> tuple[int, bytes]:
    """The directory of a path, and its name there."""
    directory, _, name = path.rpartition(b"/")
    return at(files, directory), name


def body(files: FileSystem, path: bytes) -> bytes:
    return files.read(at(files, path), 0, 1 << 24)


def names(files: FileSystem, path: bytes = b"") -> set[bytes]:
    return {entry.name for entry in files.list(at(files, path))}


class Opened:
    """A session in a folder."""

    def __init__(self, folder: Path, base: FileSystem | None = None) -> None:
        self.base = base if base is not None else MemoryFileSystem(0, 0)
        self.path = folder / "session.db"
        self.database = AgentDatabase(self.path)
        self.overlay = Overlay(self.base, self.database)

    def reopen(self) -> None:
        self.close()
        self.database = AgentDatabase(self.path)
        self.overlay = Overlay(self.base, self.database)

    def close(self) -> None:
        self.overlay.close()
        self.database.close()

    def rows(self, sql: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """What the file says, as any client of the format reads it."""
        self.overlay.sync()
        connection = sqlite3.connect(self.path)
        try:
            return connection.execute(sql, parameters).fetchall()
        finally:
            connection.close()

    def whiteouts(self) -> set[tuple[Any, Any]]:
        return set(self.rows("SELECT path, parent_path FROM fs_whiteout"))

    def sound(self) -> None:
        """Every rule of the file holds."""
        self.overlay.sync()
        assert check.check(self.database) == []
