"""``kgfs kv``, ``kgfs workspace`` and ``kgfs audit`` as a user runs them, and what fsck and backup do with agent.db."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from kgfs.agentfs.audit.tool_calls import Call, ToolCalls
from kgfs.agentfs.database import AgentDatabase
from kgfs.agentfs.filesystem.workspace import Workspace
from kgfs.filesystem import ROOT
from tests.conftest import Program


@pytest.fixture
def store(kgfs: Program, tmp_path: Path) -> Path:
    store = tmp_path / "store"
    kgfs("--store", store, "init")
    return store


def lines(text: str) -> list[object]:
    return [json.loads(line) for line in text.splitlines()]


def test_keys(kgfs: Program, store: Path) -> None:
    kv: tuple[str | Path, ...] = ("--store", store, "kv")
    assert kgfs(*kv, "list").stdout == ""
    assert "There is no key 'a/b'." in kgfs(*kv, "get", "a/b", status=3).stderr
    kgfs(*kv, "set", "a/b", '{"x":  1}')
    kgfs(*kv, "set", "text", "plain words", "--string")
    assert "no JSON" in kgfs(*kv, "set", "a/b", "plain words", status=2).stderr
    assert kgfs(*kv, "get", "a/b").stdout == '{"x":  1}\n'
    assert "no key 'texts'; did you mean text?" in kgfs(*kv, "get", "texts", status=3).stderr
    (found,) = lines(kgfs(*kv, "get", "text", "--json").stdout)
    assert isinstance(found, dict) and found["value"] == "plain words" and found["created_at"].endswith("Z")
    assert kgfs(*kv, "list").stdout == "a/b\ntext\n" and kgfs(*kv, "list", "te").stdout == "text\n"
    kgfs(*kv, "delete", "text")
    kgfs(*kv, "delete", "text", status=3)
    assert kgfs("--store", store / "nothing", "kv", "list", status=3).stderr


def test_watching_keys(kgfs: Program, store: Path) -> None:
    watching = subprocess.Popen(
        [sys.executable, "-P", "-m", "kgfs.cli.main", "--store", str(store), "kv", "watch"],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert watching.stdout is not None
        for _ in range(100):
            if (store / "agent.db").exists():
                break
            os.sched_yield()
            subprocess.run(["sleep", "0.1"], check=True)
        subprocess.run(["sleep", "0.7"], check=True)
        kgfs("--store", store, "kv", "set", "k", "[1]")
        assert json.loads(watching.stdout.readline()) == {"key": "k", "value": [1]}
        kgfs("--store", store, "kv", "delete", "k")
        assert json.loads(watching.stdout.readline()) == {"key": "k", "deleted": True}
    finally:
        watching.kill()
        watching.wait()
        watching.stdout.close()  # type: ignore[union-attr]


def test_files_go_in_and_out_and_become_knowledge(kgfs: Program, store: Path, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub/report.md").write_text("# Report\n\nWages rose in Boston.\n")
    os.symlink("/absolute", folder / "link")
    workspace: tuple[str | Path, ...] = ("--store", store, "workspace")
    assert "no workspace yet" in kgfs(*workspace, "export", tmp_path / "early", status=3).stderr
    assert "1 file, 1 directory, 1 link imported." in kgfs(*workspace, "import", folder).stdout
    assert "--replace" in kgfs(*workspace, "import", folder, status=4).stderr
    kgfs(*workspace, "export", tmp_path / "out.db")
    kgfs(*workspace, "export", tmp_path / "out", "folder")
    assert (tmp_path / "out/sub/report.md").read_bytes() == (folder / "sub/report.md").read_bytes()
    assert os.readlink(tmp_path / "out/link") == "/absolute"
    kgfs(*workspace, "export", tmp_path / "out", status=4)
    kgfs(*workspace, "import", tmp_path / "out.db", "copy")
    assert "1 file promoted." in kgfs(*workspace, "promote", "copy/folder/sub", "--to", "from workspace").stdout
    assert "Wages rose" in kgfs("--store", store, "cat", "notes/from workspace/sub/report.md").stdout
    assert "report.md" in kgfs("--store", store, "search", "wages in Boston", "--json").stdout
    kgfs(*workspace, "promote", "copy/folder/sub", "--to", "from workspace", status=5)
    kgfs(*workspace, "promote", "copy/nothing", status=3)


def test_the_audit_trail(kgfs: Program, store: Path) -> None:
    audit: tuple[str | Path, ...] = ("--store", store, "audit")
    with AgentDatabase(store / "agent.db") as database:
        ToolCalls(database).record(
            [
                Call(name="read", parameters={"path": "x"}, started_ns=10**18, ended_ns=10**18 + 1_500_000),
                Call(name="write", error="No such file.", started_ns=2 * 10**18, ended_ns=2 * 10**18, session="s"),
            ]
        )
    first, second = (line for line in kgfs(*audit).stdout.splitlines() if not line.startswith(str(date.today().year)))
    assert "write  error: No such file." in first and second.endswith('1.5 ms  read  success  {"path": "x"}')
    (found,) = lines(kgfs(*audit, "--session", "s", "--json").stdout)
    assert isinstance(found, dict) and found["started_at"] == "2033-05-18T03:33:20Z" and found["error"]
    assert len(kgfs(*audit, "--name", "read", "--status", "success", "--since", "2001-01-01").stdout.splitlines()) == 1
    assert kgfs(*audit, "--name", "read", "--since", "1s").stdout == ""
    assert "read" in kgfs(*audit, "--stats").stdout
    kgfs(*audit, "--since", "yesterday", status=2)


def test_old_calls_are_archived(kgfs: Program, store: Path) -> None:
    audit: tuple[str | Path, ...] = ("--store", store, "audit")
    with AgentDatabase(store / "agent.db") as database:
        ToolCalls(database).record(
            [
                Call(
                    name="old", parameters={"n": n}, started_ns=10**18, ended_ns=10**18 + 1_500_000, pid=7, session="s"
                )
                for n in range(3)
            ]
        )
    assert kgfs(*audit, "--archived").stdout == ""
    before = lines(kgfs(*audit, "--name", "old", "--json").stdout)
    assert kgfs(*audit, "archive", "--before", "2001-09-09T01:46:40").stdout.startswith("Archived 0 calls ")
    assert lines(kgfs(*audit, "archive", "--before", "90d", "--json").stdout)[0]["archived"] == 3  # type: ignore[index]
    assert kgfs(*audit, "--name", "old").stdout == ""
    assert lines(kgfs(*audit, "--archived", "--session", "s", "--json").stdout) == before
    assert {one["name"] for one in lines(kgfs(*audit, "--json").stdout)} == {"audit_archive"}  # type: ignore[index]
    assert (
        lines(kgfs("--store", store, "cat", "@audit/tool_calls.jsonl").stdout)
        == lines(kgfs(*audit, "--json").stdout)[::-1]
    )
    assert "Nothing is wrong" in kgfs("--store", store, "fsck").stdout
    kgfs(*audit, "archive", status=2)
    kgfs(*audit, "archive", "--before", "yesterday", status=2)
    kgfs(*audit, "--name", "old", "archive", "--before", "90d", status=2)
    kgfs(*audit, "--stats", "--archived", status=2)


def test_a_store_that_is_mounted_read_only_records_no_reads(kgfs: Program, store: Path, tmp_path: Path) -> None:
    done = kgfs("--store", store, "mount", "--read-only", "--audit", "reads", tmp_path / "kg", status=2)
    assert "leave out --audit or --read-only" in done.stderr and not (tmp_path / "kg").exists()


def test_what_commands_do_is_recorded(kgfs: Program, store: Path, tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("# Boston\n\nWages rose in Boston. The password=hunter2hunter2 is secret.\n")
    kgfs("--store", store, "add", tmp_path / "note.md")
    kgfs("--store", store, "search", "wages token=hunter2hunter2")
    kgfs("--store", store, "context", "write", "notes/a.md", input="A body that is never recorded.")
    kgfs("--store", store, "kv", "set", "k", '"hunter2hunter2"')
    kgfs("--store", store, "context", "read", "agent:/missing.md", status=3)
    for _ in range(2):
        found = lines(kgfs("--store", store, "audit", "--json").stdout)
        by_name = {one["name"]: one for one in found if isinstance(one, dict)}
        assert {"add", "search", "context_write", "write", "context_read", "kv_set"} <= by_name.keys(), by_name.keys()
        assert by_name["context_write"]["parameters"]["content"]["bytes"] == 30
        assert by_name["context_read"]["status"] == "error" and by_name["search"]["status"] == "success"
        assert by_name["search"]["pid"] > 1 and by_name["search"]["command"] == "search"
        text = json.dumps(found)
        assert "hunter2" not in text and "never recorded" not in text
    rest = kgfs("--store", store, "audit", "--status", "error", "--json").stdout
    assert {one["name"] for one in lines(rest) if isinstance(one, dict)} == {"context_read"}


def test_fsck_and_backup_hold_agent_db(kgfs: Program, store: Path, tmp_path: Path) -> None:
    with AgentDatabase(store / "agent.db") as database:
        files = Workspace(database)
        ino = files.make(ROOT, b"file", 0o100644, 0, 0, 0).ino
        files.write(ino, 0, b"kept" * 2000)
        files.close()
    kgfs("--store", store, "kv", "set", "k", "1")
    assert "Nothing is wrong" in kgfs("--store", store, "fsck").stdout
    connection = sqlite3.connect(store / "agent.db")
    connection.execute("UPDATE fs_inode SET nlink = 5 WHERE ino = ?", (ino,))
    connection.commit()
    connection.close()
    assert "agent-links: 1" in kgfs("--store", store, "fsck", status=1).stdout
    kgfs("--store", store, "fsck", "--repair", status=5)
    assert "Nothing is wrong" in kgfs("--store", store, "fsck").stdout
    kgfs("--store", store, "backup", tmp_path / "backup.kgfs")
    kgfs("--store", tmp_path / "other", "restore", tmp_path / "backup.kgfs")
    assert kgfs("--store", tmp_path / "other", "kv", "get", "k").stdout == "1\n"
    kgfs("--store", tmp_path / "other", "workspace", "export", tmp_path / "out")
    assert (tmp_path / "out/file").read_bytes() == b"kept" * 2000
    (store / "agent.db").write_bytes(b"no database, but some text of its own")
    assert "agent.db: 1" in kgfs("--store", store, "fsck", status=1).stdout
