"""Import and export of the workspace: plain directories, and files of the Agent Filesystem that any client wrote.

Used by the service for imports and by the command for exports. A file of another client is never opened to be written:
a copy of it is completed and mended first, so that whatever is wrong in it ends there.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import sqlite3
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from kgfs.agentfs.checking import check
from kgfs.agentfs.database import MAGIC, AgentDatabase, explained
from kgfs.agentfs.exchange.copying import Copied, Copy
from kgfs.agentfs.exchange.host_files import HostFiles
from kgfs.agentfs.filesystem.inode_table import is_name
from kgfs.agentfs.filesystem.workspace import Workspace
from kgfs.agentfs.keys.key_values import KEY_ROWS
from kgfs.errors import ConflictError, NotADirectory, NotFoundError, StoreError, UsageError
from kgfs.filesystem import ROOT, FileSystem
from kgfs.progress import Cancel, Never

SUFFIXES = (".db", ".sqlite", ".agentfs")
"""An export to a file of one of these is one of the Agent Filesystem."""


class Transfer(msgspec.Struct):
    """What an import or export came to."""

    copied: Copied
    mended: list[str] = []
    """What was wrong in a file of another client, one sentence a rule."""
    keys: int = 0
    calls: int = 0

    @property
    def left_out(self) -> list[str]:
        return self.copied.left_out


def import_path(
    database: AgentDatabase, workspace: Workspace, path: Path, to: bytes | None, *, replace: bool = False,
    keys: bool = False, calls: bool = False, cancel: Cancel | None = None,
) -> Transfer:  # fmt: skip
    """Copy a directory of the host, or what a file of the Agent Filesystem holds, to a place of the workspace.

    ``to`` is that place, made where it is missing; none: its own name in the root. With ``keys`` and ``calls`` a file's
    values and tool calls come too; a key that is there stays unless ``replace``. ``NotFoundError``, ``ExistsError``,
    ``StoreError`` for a file that is none; ``OSError``.
    """
    cancel = cancel if cancel is not None else Never()
    if path.is_dir():
        if keys or calls:
            raise UsageError("A directory has no keys and no tool calls.")
        files = HostFiles(os.fsencode(path))
        try:
            target = make_directories(workspace, to if to is not None else os.fsencode(path.resolve().name))
            copied = Copy(files, workspace, replace=replace, cancel=cancel, done=workspace.sync).contents(ROOT, target)
        finally:
            files.close()
        return Transfer(copied)
    with opened_copy(path) as (other, mended):
        theirs = Workspace(other)
        try:
            target = make_directories(workspace, to if to is not None else os.fsencode(path.stem))
            copy = Copy(theirs, workspace, replace=replace, link_files=True, cancel=cancel, done=workspace.sync)
            transfer = Transfer(copy.contents(ROOT, target), mended=mended.told)
        finally:
            theirs.close()
        transfer.left_out.extend(mended.refused)
        if keys:
            transfer.keys = copy_keys(other, database, replace=replace)
        if calls:
            transfer.calls = copy_calls(other, database)
        return transfer


def export_path(
    database: AgentDatabase, workspace: FileSystem, source: bytes, to: Path, *, keys: bool = False, calls: bool = False,
    cancel: Cancel | None = None,
) -> Transfer:  # fmt: skip
    """Copy a place of the workspace to a new directory of the host, or to a new file of the Agent Filesystem.

    What is written is there whole or not at all. ``ConflictError`` where something is at ``to``; ``NotFoundError``.
    """
    if os.path.lexists(to):
        raise ConflictError(f"{to} is there already; name another place.")
    begin = find_directory(workspace, source)
    cancel = cancel if cancel is not None else Never()
    beside = Path(tempfile.mkdtemp(prefix=f".{to.name}.", dir=to.parent))
    made = beside / to.name
    try:
        if to.suffix.lower() in SUFFIXES:
            with AgentDatabase(made, chunk_size=database.chunk_size) as other:
                files = Workspace(other)
                try:
                    copy = Copy(workspace, files, fill=True, cancel=cancel, done=files.sync)
                    transfer = Transfer(copy.contents(begin, ROOT))
                    copy.attributes(begin, ROOT)
                finally:
                    files.close()
                if keys:
                    transfer.keys = copy_keys(database, other)
                if calls:
                    transfer.calls = copy_calls(database, other)
        else:
            if keys or calls:
                raise UsageError(f"Keys and tool calls go into a file ({', '.join(SUFFIXES)}), not into a directory.")
            made.mkdir(mode=0o700)
            host = HostFiles(os.fsencode(made))
            try:
                copy = Copy(workspace, host, cancel=cancel)
                transfer = Transfer(copy.contents(begin, ROOT))
                copy.attributes(begin, ROOT)
            finally:
                host.close()
        if os.path.lexists(to):
            raise ConflictError(f"{to} was made meanwhile; name another place.")
        made.rename(to)
        return transfer
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def find_directory(files: FileSystem, path: bytes) -> int:
    """The directory at a path; links are not followed. ``NotFoundError``, ``NotADirectory``."""
    ino = ROOT
    for name in parts(path):
        try:
            found = files.lookup(ino, name)
        except FileNotFoundError:
            raise NotFoundError(f"The workspace has no {os.fsdecode(path)}.") from None
        if not stat.S_ISDIR(found.mode):
            raise NotADirectory(f"{os.fsdecode(path)} is no directory.")
        ino = found.ino
    return ino


def parts(path: bytes) -> list[bytes]:
    """The names of a path. ``UsageError`` where it has one that cannot be, such as ``..``."""
    names = [name for name in path.split(b"/") if name not in (b"", b".")]
    if not all(map(is_name, names)):
        raise UsageError(f"{os.fsdecode(path)} is no path of the workspace.")
    return names


def make_directories(files: FileSystem, path: bytes) -> int:
    """Returns the directory at a path; makes it where it is missing, owned by the user who runs this."""
    ino = ROOT
    for name in parts(path):
        try:
            found = files.lookup(ino, name)
        except FileNotFoundError:
            found = files.make(ino, name, stat.S_IFDIR | 0o755, 0, os.getuid(), os.getgid())
        if not stat.S_ISDIR(found.mode):
            raise NotADirectory(f"{os.fsdecode(path)} is no directory.")
        ino = found.ino
    return ino


class Mended(msgspec.Struct):
    """What was wrong in a file that was opened as a copy."""

    told: list[str] = []
    refused: list[str] = []
    """Entries that were taken out."""


@contextlib.contextmanager
def opened_copy(path: Path) -> Iterator[tuple[AgentDatabase, Mended]]:
    """A file of any client, open as a copy in which every rule holds. ``NotFoundError``, ``StoreError``,
    ``StoreLocked``."""
    if not path.exists():
        raise NotFoundError(f"There is no {path}.")
    with path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise StoreError(f"{path} is no directory and no file of the Agent Filesystem.")
    with tempfile.TemporaryDirectory(prefix="agentfs-") as folder:
        copy = Path(folder) / "copy.db"
        with explained(path):
            source = sqlite3.connect(f"file:{_quoted(path)}?mode=ro", uri=True, timeout=2)
            target = sqlite3.connect(copy)
            try:
                source.execute("BEGIN")
                source.execute("SELECT count(*) FROM sqlite_master").fetchone()  # copying waits for ever for a lock
                source.backup(target, pages=4096)
            finally:
                target.close()
                source.close()
        with explained(path), AgentDatabase(copy) as database:
            yield database, _mend(database)


def _mend(database: AgentDatabase) -> Mended:
    """Take out entries with names that cannot be, and mend the rest."""
    mended = Mended()
    (names,) = (rule for rule in check.RULES if rule.name == "agent-names")
    with database.write() as connection:
        for violation in names.find(connection):
            connection.execute("DELETE FROM fs_dentry WHERE id = ?", (violation.key[0],))
            mended.refused.append(f"{violation.text}: it has a name that cannot be")
    for broken in check.repair(database):
        if broken.rule.name not in ("agent-calls", "agent-call-json"):
            mended.told.append(
                f"{broken.rule.explanation} {len(broken.violations)} did not: {broken.violations[0].text}."
            )
        if not broken.mended and broken.rule.name == "agent-pages":
            raise StoreError(f"It is damaged: {broken.violations[0].text}.")
    return mended


def _quoted(path: Path) -> str:
    return str(path.absolute()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def copy_keys(source: AgentDatabase, target: AgentDatabase, *, replace: bool = False) -> int:
    """Copy keys with their times; returns how many came."""
    with source.read() as connection:
        rows = connection.execute(KEY_ROWS).fetchall()
    verb = "INSERT OR REPLACE" if replace else "INSERT OR IGNORE"
    with target.write() as connection:
        before = connection.total_changes
        connection.executemany(f"{verb} INTO kv_store (key, value, created_at, updated_at) VALUES (?, ?, ?, ?)", rows)
        return connection.total_changes - before


def copy_calls(source: AgentDatabase, target: AgentDatabase) -> int:
    """Copy the calls that ended, under new ids; those that are there already (in all that is said) stay one."""
    columns = "name, parameters, result, error, status, started_at, completed_at, duration_ms"
    with source.read() as connection:
        rows = connection.execute(f"SELECT {columns} FROM tool_calls WHERE status != 'pending' ORDER BY id").fetchall()
    same = " AND ".join(f"t.{column} IS ?" for column in columns.split(", "))
    with target.write() as connection:
        before = connection.total_changes
        connection.executemany(
            f"INSERT INTO tool_calls ({columns}) SELECT ?, ?, ?, ?, ?, ?, ?, ? WHERE NOT EXISTS"
            f" (SELECT 1 FROM tool_calls t WHERE {same})",
            [(*row, *row) for row in rows],
        )
        return connection.total_changes - before


def promoted_files(files: FileSystem, path: bytes) -> Iterator[tuple[bytes, int]]:
    """The regular files at a path, the path itself or all beneath it: paths and inodes. ``NotFoundError``."""
    names = parts(path)
    ino, found = ROOT, files.getattr(ROOT)
    for name in names:
        try:
            found = files.lookup(ino, name)
        except FileNotFoundError:
            raise NotFoundError(f"The workspace has no {os.fsdecode(path)}.") from None
        except OSError as error:
            if error.errno == errno.ENOTDIR:
                raise NotADirectory(f"{os.fsdecode(path)} leads through a file.") from None
            raise
        ino = found.ino
    stack = [(b"/".join(names), ino, found.mode)]
    while stack:
        place, ino, mode = stack.pop()
        if stat.S_ISREG(mode):
            yield place, ino
        elif stat.S_ISDIR(mode):
            stack.extend(
                (place + b"/" + entry.name if place else entry.name, entry.ino, entry.mode)
                for entry in reversed(files.list(ino))
            )
