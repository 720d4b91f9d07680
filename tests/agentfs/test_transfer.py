"""Import and export: everything comes through, both ways, and what is wrong in a file of another client does not."""

from __future__ import annotations

import asyncio
import os
import socket
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from agentfs_sdk import AgentFS, AgentFSOptions

from kgfs.agentfs.audit.tool_calls import Call, ToolCalls
from kgfs.agentfs.checking import check
from kgfs.agentfs.database import AgentDatabase
from kgfs.agentfs.exchange.transfer import export_path, import_path
from kgfs.agentfs.filesystem.workspace import Workspace
from kgfs.agentfs.keys.key_values import KeyValues
from kgfs.errors import ConflictError, ExistsError, KgfsError, NotFoundError, StoreError, UsageError
from kgfs.filesystem import ROOT
from tests.agentfs.filesystem_sides import Host, Library


class Opened:
    def __init__(self, path: Path) -> None:
        self.database = AgentDatabase(path)
        self.files = Workspace(self.database)

    def close(self) -> None:
        self.files.close()
        self.database.close()

    def tree(self, at: bytes = b"") -> dict[tuple[bytes, ...], object]:
        return {path: one[0] for path, one in Library(self.files).tree().items()}


@pytest.fixture
def ours(tmp_path: Path) -> Iterator[Opened]:
    opened = Opened(tmp_path / "agent.db")
    yield opened
    opened.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A directory with everything."""
    root = tmp_path / "folder"
    (root / "deep/er").mkdir(parents=True)
    (root / "deep/file.txt").write_bytes(os.urandom(50_000))
    os.link(root / "deep/file.txt", root / "second name")
    (root / "empty").touch(mode=0o600)
    os.symlink("/absolute/target", root / "absolute")
    os.symlink("../nowhere", root / "deep/dangling")
    os.symlink("deep", root / "to folder")
    os.mkfifo(root / "pipe", 0o640)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.fsencode(root / "socket"))
    Path(os.fsdecode(os.fsencode(root) + b"/\xff")).write_bytes(b"odd")
    with (root / "sparse").open("wb") as file:
        file.truncate(5 << 20)
        file.seek(3 << 20)
        file.write(b"middle")
    os.utime(root / "deep/file.txt", ns=(1, 1_234_567_890_123_456_789))
    os.chmod(root / "deep/er", 0o1777)
    os.utime(root / "deep", ns=(-5, -1_000_000_001))
    return root


def seen(root: Path) -> dict[tuple[bytes, ...], object]:
    """Of a directory of the host, with its times, without those that its mere existence has."""
    tree = Host(root).tree()
    return {path: (one, times.mtime_ns) for path, (one, times) in tree.items() if path}


def test_a_directory_comes_in_and_goes_out_as_it_is(ours: Opened, folder: Path, tmp_path: Path) -> None:
    transfer = import_path(ours.database, ours.files, folder, None)
    assert transfer.left_out == [] and transfer.copied.names == 1 and transfer.copied.links == 3
    assert check.check(ours.database) == []
    sparse = ours.files.lookup(ours.files.lookup(ROOT, b"folder").ino, b"sparse")
    assert sparse.size == 5 << 20 and sparse.blocks <= 16
    export_path(ours.database, ours.files, b"folder", tmp_path / "out")
    assert seen(tmp_path / "out") == seen(folder)
    assert (tmp_path / "out/sparse").stat().st_blocks < 1000


def test_into_a_file_of_the_agent_filesystem_and_back(ours: Opened, folder: Path, tmp_path: Path) -> None:
    import_path(ours.database, ours.files, folder, b"/")
    KeyValues(ours.database).set("a", "1")
    ToolCalls(ours.database).record([Call(name="x", started_ns=10**9, ended_ns=3 * 10**9)])
    transfer = export_path(ours.database, ours.files, b"/", tmp_path / "out.db", keys=True, calls=True)
    assert (transfer.keys, transfer.calls) == (1, 1)
    sparse = (folder / "sparse").read_bytes()

    async def look() -> None:
        async with await AgentFS.open(AgentFSOptions(path=str(tmp_path / "out.db"))) as client:
            assert await client.fs.read_file("/deep/file.txt", encoding=None) == (folder / "deep/file.txt").read_bytes()
            whole = await client.fs.read_file("/sparse", encoding=None)
            assert whole.rstrip(b"\0") == sparse.rstrip(b"\0"), "holes are zeros for a client that knows none"
            assert await client.kv.get("a") == 1
            assert len(await client.tools.get_by_name("x")) == 1

    asyncio.run(look())
    again = Opened(tmp_path / "again.db")
    for _ in range(2):
        came = import_path(again.database, again.files, tmp_path / "out.db", b"/", replace=True, keys=True, calls=True)
        assert came.mended == [] and came.left_out == []
    assert len(list(ToolCalls(again.database).list())) == 1
    assert again.tree() == ours.tree()
    again.close()


def test_what_is_there_is_replaced_only_when_asked(ours: Opened, folder: Path, tmp_path: Path) -> None:
    import_path(ours.database, ours.files, folder, b"to")
    (folder / "empty").write_bytes(b"full")
    with pytest.raises(ExistsError, match="--replace"):
        import_path(ours.database, ours.files, folder, b"to")
    import_path(ours.database, ours.files, folder, b"to", replace=True)
    assert ours.files.read(ours.files.lookup(ours.files.lookup(ROOT, b"to").ino, b"empty").ino, 0, 9) == b"full"
    with pytest.raises(ConflictError):
        export_path(ours.database, ours.files, b"to", folder)
    with pytest.raises(NotFoundError):
        export_path(ours.database, ours.files, b"nothing", tmp_path / "x")
    with pytest.raises(UsageError):
        export_path(ours.database, ours.files, b"../etc", tmp_path / "x")
    assert not (tmp_path / "x").exists() and not list(tmp_path.glob(".x*"))


def test_a_link_of_a_workspace_leads_an_export_nowhere(ours: Opened, tmp_path: Path) -> None:
    """The name of a link cannot be used to write elsewhere: whatever comes later in it is another file's."""
    outside = tmp_path / "outside"
    outside.mkdir()
    ours.files.symlink(ROOT, b"a", os.fsencode(outside), 0, 0)
    sub = ours.files.make(ROOT, b"b", stat.S_IFDIR | 0o755, 0, 0, 0).ino
    ours.files.make(sub, b"inside", stat.S_IFREG | 0o644, 0, 0, 0)
    export_path(ours.database, ours.files, b"/", tmp_path / "out")
    assert os.readlink(tmp_path / "out/a") == str(outside) and list(outside.iterdir()) == []


def theirs(path: Path, *statements: str) -> None:
    """A file as the client makes it, and then as a half-written one would be."""

    async def write() -> None:
        async with await AgentFS.open(AgentFSOptions(path=str(path))) as client:
            await client.fs.write_file("/folder/file", b"0123456789" * 1000)
            await client.fs.write_file("/link", '{"__symlink": "folder/file"}')
            await client.fs.write_file("/no link", '{"__symlink": "x", "more": 1}')
            await client.kv.set("k", 1)

    asyncio.run(write())
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


@pytest.mark.parametrize(
    ("statement", "left_out", "mended"),
    [
        ("SELECT 1", 0, 0),
        ("INSERT INTO fs_dentry (name, parent_ino, ino) VALUES ('..', 2, 1)", 1, 0),
        ("INSERT INTO fs_dentry (name, parent_ino, ino) VALUES ('../../etc/passwd', 2, 3)", 1, 0),
        ("INSERT INTO fs_dentry (name, parent_ino, ino) VALUES ('round', 2, 2)", 0, 1),
        ("INSERT INTO fs_dentry (name, parent_ino, ino) VALUES ('gone', 1, 77)", 0, 1),
        ("UPDATE fs_inode SET nlink = 9", 0, 1),
        ("UPDATE fs_inode SET mtime = -5, size = 123456 WHERE ino = 3", 0, 1),
        ("DELETE FROM fs_data WHERE ino = 3 AND chunk_index = 1", 0, 0),
        ("DELETE FROM fs_inode WHERE ino = 1", 0, 0),
        ("ALTER TABLE fs_inode DROP COLUMN rdev", 0, 0),
        ("ALTER TABLE fs_inode DROP COLUMN mtime_nsec", 0, 0),
        ("DROP TABLE fs_symlink", 0, 0),
        ("CREATE TABLE fs_whiteout (path TEXT PRIMARY KEY, created_at INTEGER NOT NULL)", 0, 0),
        ("DROP TABLE tool_calls", 0, 0),
    ],
)
def test_files_of_another_client_with_its_faults(
    ours: Opened, tmp_path: Path, statement: str, left_out: int, mended: int
) -> None:
    path = tmp_path / "theirs.db"
    theirs(path, statement)
    before = path.read_bytes()
    transfer = import_path(ours.database, ours.files, path, b"to", keys=True, calls=True)
    assert path.read_bytes() == before
    assert len(transfer.left_out) == left_out and bool(transfer.mended) == bool(mended), transfer
    assert check.check(ours.database) == []
    to = ours.files.lookup(ROOT, b"to").ino
    assert {entry.name for entry in ours.files.list(to)} >= {b"folder", b"link", b"no link"}
    assert ours.files.readlink(ours.files.lookup(to, b"link").ino) == b"folder/file"
    assert stat.S_ISREG(ours.files.lookup(to, b"no link").mode)
    file = ours.files.lookup(ours.files.lookup(to, b"folder").ino, b"file")
    assert ours.files.read(file.ino, 0, 4096) == (b"0123456789" * 1000)[:4096]
    assert KeyValues(ours.database).get("k").value == "1"


def test_what_is_no_such_file(ours: Opened, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("text")
    with sqlite3.connect(tmp_path / "foreign.db") as connection:
        connection.execute("CREATE TABLE x (y)")
    connection.close()
    for name, error in (("text", StoreError), ("foreign.db", StoreError), ("missing", NotFoundError)):
        with pytest.raises(error) as raised:
            import_path(ours.database, ours.files, tmp_path / name, None)
        assert isinstance(raised.value, KgfsError) and raised.value.message.endswith(".")
    assert ours.files.list(ROOT) == []


def test_a_file_that_another_program_keeps_locked(ours: Opened, tmp_path: Path) -> None:
    theirs(tmp_path / "theirs.db")
    holder = sqlite3.connect(tmp_path / "theirs.db", isolation_level=None)
    holder.execute("PRAGMA locking_mode = EXCLUSIVE")
    holder.execute("BEGIN EXCLUSIVE")
    try:
        with pytest.raises(ConflictError, match="locked by another program"):
            import_path(ours.database, ours.files, tmp_path / "theirs.db", None)
    finally:
        holder.close()
