"""The real client, ``agentfs-sdk``, on our file, and we on a file of its own."""

from __future__ import annotations

import asyncio
import os
import shutil
import stat
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from agentfs_sdk import AgentFS, AgentFSOptions

from kgfs.agentfs.audit.tool_calls import Call, ToolCalls
from kgfs.agentfs.database import AgentDatabase
from kgfs.agentfs.filesystem.workspace import Workspace
from kgfs.agentfs.keys.key_values import KeyValues
from kgfs.filesystem import ROOT

LARGE = os.urandom(20_000)


def with_client(path: Path, work: Callable[[AgentFS], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        async with await AgentFS.open(AgentFSOptions(path=str(path))) as client:
            return await work(client)

    return asyncio.run(run())


def test_the_client_reads_what_we_wrote(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    with AgentDatabase(path) as database:
        files = Workspace(database)
        folder = files.make(ROOT, "Über uns".encode(), stat.S_IFDIR | 0o750, 0, 3, 4).ino
        ino = files.make(folder, b"large", stat.S_IFREG | 0o640, 0, 5, 6).ino
        files.write(ino, 0, LARGE)
        files.setattr(ino, atime_ns=10**9, mtime_ns=2 * 10**9 + 5)
        files.link(ino, ROOT, b"again")
        files.symlink(ROOT, b"link", b"large", 0, 0)
        files.make(folder, b"empty", stat.S_IFREG | 0o600, 0, 0, 0)
        files.close()
        values = KeyValues(database)
        values.set("user:1", '{"name": "Ann"}')
        values.set("user:2", "[1]")
        ToolCalls(database).record(
            [
                Call(name="search", parameters={"q": "x"}, result=[1], started_ns=10 * 10**9, ended_ns=12 * 10**9),
                Call(name="search", error="no", started_ns=20 * 10**9, ended_ns=20 * 10**9),
            ]
        )

    async def look(client: AgentFS) -> None:
        assert sorted(await client.fs.readdir("/")) == ["again", "link", "Über uns"]
        assert sorted(await client.fs.readdir("/Über uns")) == ["empty", "large"]
        found = await client.fs.stat("/Über uns/large")
        assert (found.mode, found.nlink, found.uid, found.gid, found.size) == (0o100640, 2, 5, 6, 20_000)
        assert (found.atime, found.mtime) == (1, 2)
        assert (await client.fs.stat("/link")).is_symbolic_link()
        assert (await client.fs.stat("/")).is_directory()
        for name in ("/again", "/Über uns/large"):
            assert await client.fs.read_file(name, encoding=None) == LARGE
        assert await client.fs.read_file("/Über uns/empty") == ""
        assert await client.kv.get("user:1") == {"name": "Ann"}
        assert await client.kv.list("user:") == [
            {"key": "user:1", "value": {"name": "Ann"}}, {"key": "user:2", "value": [1]},
        ]  # fmt: skip
        calls = await client.tools.get_by_name("search")
        assert [(one.parameters, one.result, one.error, one.status, one.duration_ms) for one in calls] == [
            (None, None, "no", "error", 0), ({"q": "x"}, [1], None, "success", 2000),
        ]  # fmt: skip
        (stats,) = await client.tools.get_stats()
        assert (stats.total_calls, stats.successful, stats.failed, stats.avg_duration_ms) == (2, 1, 1, 1000.0)

    with_client(path, look)


def test_the_client_writes_into_our_file_and_we_read_it(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    with AgentDatabase(path) as database:
        files = Workspace(database)
        folder = files.make(ROOT, b"ours", stat.S_IFDIR | 0o755, 0, 0, 0).ino
        files.write(files.make(folder, b"file", stat.S_IFREG | 0o644, 0, 0, 0).ino, 0, LARGE)
        files.close()

    async def write(client: AgentFS) -> None:
        await client.fs.write_file("/new/deep/file.txt", "hello")
        await client.fs.write_file("/ours/file", LARGE[:5000])
        await client.fs.rename("/ours/file", "/new/moved")
        await client.fs.rmdir("/ours")
        await client.fs.copy_file("/new/moved", "/copy")
        await client.kv.set("key", {"a": 1})
        number = await client.tools.start("slow", {"x": 1})
        await client.tools.start("never ends")
        await client.tools.success(number, "done")
        await client.tools.error(await client.tools.start("fails"), "why")

    with_client(path, write)
    with AgentDatabase(path) as database:
        files = Workspace(database)
        assert [entry.name for entry in files.list(ROOT)] == [b"copy", b"new"]
        new = files.lookup(ROOT, b"new")
        assert [entry.name for entry in files.list(new.ino)] == [b"deep", b"moved"] and new.nlink == 3
        for parent, name in ((ROOT, b"copy"), (new.ino, b"moved")):
            assert files.read(files.lookup(parent, name).ino, 0, 1 << 20) == LARGE[:5000]
        files.write(files.lookup(new.ino, b"moved").ino, 4990, b"x" * 5000)
        files.close()
        assert KeyValues(database).get("key").value == '{"a": 1}'
        calls = {one.name: one for one in ToolCalls(database).list()}
        assert {name: one.status for name, one in calls.items()} == {
            "slow": "success", "never ends": "pending", "fails": "error",
        }  # fmt: skip
        assert bytes(calls["slow"].result or b"") == b'"done"' and calls["fails"].error == "why"
        assert [one.name for one in ToolCalls(database).stats()] == ["fails", "slow"]

    async def read(client: AgentFS) -> bytes:
        return await client.fs.read_file("/new/moved", encoding=None)

    assert with_client(path, read) == LARGE[:4990] + b"x" * 5000


def test_we_open_a_file_that_the_client_made(tmp_path: Path) -> None:
    path = tmp_path / "theirs.db"

    async def write(client: AgentFS) -> None:
        await client.fs.write_file("/a/b.bin", LARGE)
        await client.fs.mkdir("/empty")
        await client.kv.set("k", [1, "ü"])
        await client.tools.record("read", 100, 103, {"p": 1}, {"r": 2})
        await client.tools.start("pending")

    with_client(path, write)
    with AgentDatabase(path) as database:
        files = Workspace(database)
        folder = files.lookup(ROOT, b"a")
        found = files.lookup(folder.ino, b"b.bin")
        assert (found.mode, found.nlink, found.size, found.blocks) == (0o100644, 1, 20_000, 40)
        assert files.read(found.ino, 4000, 9000) == LARGE[4000:13000]
        assert (files.getattr(ROOT).nlink, files.lookup(ROOT, b"empty").nlink) == (4, 2)
        files.close()
        assert KeyValues(database).get("k").value == '[1, "\\u00fc"]'
        assert [(one.name, one.status, one.duration_ms) for one in ToolCalls(database).list(status="success")] == [
            ("read", "success", 3000)
        ]
    # The client's engine keeps what it knows of a path for as long as the process lives.
    copy = shutil.copy(path, tmp_path / "copy.db")
    assert with_client(copy, lambda client: client.fs.readdir("/")) == ["a", "empty"]


@pytest.mark.parametrize("chunk_size", [1, 100, 65536])
def test_other_chunk_sizes(tmp_path: Path, chunk_size: int) -> None:
    path = tmp_path / "agent.db"
    with AgentDatabase(path, chunk_size=chunk_size) as database:
        files = Workspace(database)
        ino = files.make(ROOT, b"a", stat.S_IFREG | 0o644, 0, 0, 0).ino
        for begin in range(0, 1000, 37):
            files.write(ino, begin, LARGE[begin : min(begin + 50, 1000)])
        files.close()

    async def read(client: AgentFS) -> bytes:
        assert client.fs.get_chunk_size() == chunk_size
        return await client.fs.read_file("/a", encoding=None)

    assert with_client(path, read) == LARGE[:1000]
