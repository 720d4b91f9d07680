"""What a session's file says beside its files: whiteouts, origins, and what the base was like.

Used by the overlay, with its lock held, and by what compares a session with its base. Whiteouts and origins are kept in
memory, too. What is noted belongs to the changes of the delta that are made in the same ``Workspace.together``. Paths
are bytes with a slash at the front; the root is ``b"/"``.
"""

from __future__ import annotations

import time
from collections.abc import Set

import msgspec

from kgfs.agentfs.database import AgentDatabase
from kgfs.agentfs.filesystem.stored import text
from kgfs.agentfs.filesystem.workspace import Workspace
from kgfs.agentfs.schema import parent_path

_NOBODY: frozenset[bytes] = frozenset()
_SIGNED = 1 << 63


class BaseNote(msgspec.Struct, frozen=True, gc=False):
    """What the base had at a path when the session first changed that path."""

    mode: int
    size: int
    mtime_ns: int
    ctime_ns: int
    digest: bytes | None = None
    """Of a file's bytes (``copy_up.digest``); none where nobody read all of them."""
    body: bytes | None = None
    """Its bytes where they are few; the target of a symbolic link."""


def child_path(parent: bytes, name: bytes) -> bytes:
    """The path of an entry."""
    return parent + b"/" + name if parent != b"/" else b"/" + name


class OverlayNotes:
    """The notes of one session."""

    def __init__(self, delta: Workspace, database: AgentDatabase) -> None:
        self._delta = delta
        self._database = database
        self._whiteouts: dict[bytes, set[bytes]] = {}
        self._copies: set[int] = set()
        self.read_again()

    def read_again(self) -> None:
        """Know what the file says now."""
        self._whiteouts.clear()
        with self._database.read() as connection:
            self._copies = {ino for (ino,) in connection.execute("SELECT delta_ino FROM fs_origin")}
            for (path,) in connection.execute("SELECT CAST(path AS BLOB) FROM fs_whiteout"):
                self._whiteouts.setdefault(parent_path(path), set()).add(path.rpartition(b"/")[2])

    # Whiteouts

    @property
    def has_whiteouts(self) -> bool:
        """Whether anything of the base was removed."""
        return bool(self._whiteouts)

    def whiteouts(self, parent: bytes) -> Set[bytes]:
        """The names in a directory that were removed."""
        return self._whiteouts.get(parent, _NOBODY)

    def white_out(self, parent: bytes, name: bytes) -> None:
        """Note that what the base has there was removed."""
        self._whiteouts.setdefault(parent, set()).add(name)
        self._delta.also(
            "INSERT INTO fs_whiteout (path, parent_path, created_at) VALUES (?, ?, ?)"
            " ON CONFLICT (path) DO UPDATE SET created_at = excluded.created_at",
            (text(child_path(parent, name)), text(parent), int(time.time())),
        )

    def clear(self, parent: bytes, name: bytes) -> None:
        """Note that something is there again."""
        names = self._whiteouts.get(parent)
        if names is not None and name in names:
            names.discard(name)
            if not names:
                del self._whiteouts[parent]
            self._delta.also("DELETE FROM fs_whiteout WHERE path = ?", (text(child_path(parent, name)),))

    def clear_beneath(self, path: bytes) -> None:
        """Note that a directory of the session came to a path: beneath it nothing is of the base."""
        inside = path + b"/"
        for parent in [each for each in self._whiteouts if each == path or each.startswith(inside)]:
            for name in list(self._whiteouts[parent]):
                self.clear(parent, name)

    # Origins

    def is_copy(self, delta_ino: int) -> bool:
        """Whether an inode of the delta was copied from the base."""
        return delta_ino in self._copies

    def copied(self, delta_ino: int, base_ino: int) -> None:
        """Note from which inode of the base one was copied. The table has signed numbers."""
        self._copies.add(delta_ino)
        signed = base_ino if base_ino < _SIGNED else base_ino - 2 * _SIGNED
        self._delta.also("INSERT OR REPLACE INTO fs_origin (delta_ino, base_ino) VALUES (?, ?)", (delta_ino, signed))

    def forget(self, delta_ino: int) -> None:
        """Note that an inode of the delta lost its last name."""
        if delta_ino in self._copies:
            self._copies.discard(delta_ino)
            self._delta.also("DELETE FROM fs_origin WHERE delta_ino = ?", (delta_ino,))

    # What the base was like

    def saw(self, path: bytes, note: BaseNote) -> None:
        """Note what the base has at a path, as the session sees it before it changes it."""
        self._delta.also(
            "INSERT OR REPLACE INTO session_base (path, mode, size, mtime_ns, ctime_ns, digest, body)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (text(path), note.mode, note.size, note.mtime_ns, note.ctime_ns, note.digest, note.body),
        )

    def unsee(self, path: bytes) -> None:
        """Forget what was noted of a path and what is beneath it."""
        inside = path + b"/"
        self._delta.also(
            "DELETE FROM session_base WHERE CAST(path AS BLOB) = ? OR substr(CAST(path AS BLOB), 1, ?) = ?",
            (path, len(inside), inside),
        )

    def seen(self, path: bytes) -> BaseNote | None:
        """What was noted of a path and is committed."""
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT mode, size, mtime_ns, ctime_ns, digest, body FROM session_base WHERE path = ?", (text(path),)
            ).fetchone()
        return BaseNote(*row) if row is not None else None
