"""``@audit`` on a real mount, and what a mount records of the programs on it."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from kgfs.agentfs.audit.tool_calls import Call, RecordedCall, ToolCalls
from kgfs.agentfs.database import AgentDatabase
from tests.conftest import Program
from tests.mount.daemons import Daemon, in_threads
from tests.mount.served_stores import ended, started
from tests.waiting import until

pytestmark = pytest.mark.mount

BODY = "A body that is never recorded."
SECRET = "hunter2hunter2"


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    made = started(tmp_path)
    try:
        yield made
        ended(made)
    finally:
        made.clear()


def bash(script: str, cwd: Path) -> str:
    done = subprocess.run(["bash", "-ec", script], cwd=cwd, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, (script, done.stdout, done.stderr)
    return done.stdout


def calls(daemon: Daemon, **asked: Any) -> list[RecordedCall]:
    """What is in the table, as another process sees it; the earliest first."""
    if not (daemon.store / "agent.db").exists():
        return []
    with AgentDatabase(daemon.store / "agent.db", read_only=True) as database:
        return sorted(ToolCalls(database).list(**asked), key=lambda call: call.id)


def parameters(call: RecordedCall) -> Any:
    assert call.parameters is not None
    return json.loads(bytes(call.parameters))


def shown(place: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in place.read_bytes().splitlines()]


def test_what_is_done_is_shown(daemon: Daemon) -> None:
    root, audit = daemon.mountpoint, daemon.mountpoint / "@audit"
    assert sorted(os.listdir(audit)) == ["by_day", "by_name", "stats.tsv", "tool_calls.jsonl"]
    assert (audit / "tool_calls.jsonl").read_bytes() == b"" and os.listdir(audit / "by_name") == []
    bash(f"""
        echo '{BODY}' > context/agent/a.md; mv context/agent/a.md context/agent/b.md
        cat "@grep/{SECRET.upper()} password={SECRET}" > /dev/null
        echo '"{BODY}"' > @kv/key; mkdir workspace/d; echo '{BODY}' > workspace/d/file
        rm context/agent/b.md
    """, root)  # fmt: skip
    names = {"write", "move", "remove", "@grep", "kv_changes", "workspace_changes"}
    until(lambda: names <= {name.removesuffix(".jsonl") for name in os.listdir(audit / "by_name")})
    found = until(lambda: shown(audit / "tool_calls.jsonl"))
    assert names <= {one["name"] for one in found}
    text = (audit / "tool_calls.jsonl").read_text()
    assert SECRET not in text and BODY not in text
    today = {datetime.now(UTC).date().isoformat(), found[0]["started_at"][:10]}
    days = os.listdir(audit / "by_day")
    assert {day.removesuffix(".jsonl") for day in days} <= today
    assert sorted(line for day in days for line in (audit / "by_day" / day).read_text().splitlines()) == sorted(
        (audit / "tool_calls.jsonl").read_text().splitlines()
    )
    for name in os.listdir(audit / "by_name"):
        lines = shown(audit / "by_name" / name)
        assert lines and {one["name"] for one in lines} == {name.removesuffix(".jsonl")}
    rows = [line.split("\t") for line in (audit / "stats.tsv").read_text().splitlines()]
    assert rows[0] == ["name", "calls", "success", "error", "avg_ms", "max_ms", "last"]
    assert sum(int(row[1]) for row in rows[1:]) == len(found)
    printed = bash("jq -r .name @audit/tool_calls.jsonl | sort | uniq -c; wc -l < @audit/by_name/write.jsonl", root)
    assert " write" in printed
    for path in [audit / "tool_calls.jsonl", audit / "stats.tsv", *(audit / "by_name").iterdir()]:
        assert path.stat().st_size == len(path.read_bytes()), path
        assert abs(path.stat().st_mtime - time.time()) < 120
    with pytest.raises(OSError):
        (audit / "tool_calls.jsonl").write_text("x")
    with pytest.raises(OSError):
        (audit / "by_name/new.jsonl").write_text("x")
    assert not (audit / "by_name/nothing.jsonl").exists()


def test_looking_at_the_trail_is_not_recorded(daemon: Daemon) -> None:
    bash("echo x > context/agent/a.md", daemon.mountpoint)
    until(lambda: (daemon.mountpoint / "@audit/tool_calls.jsonl").stat().st_size)
    before = until(lambda: calls(daemon))
    bash("find @audit -type f -exec cat {} + > /dev/null; ls -lR @audit; tail -n 1 @audit/by_*/*", daemon.mountpoint)
    (daemon.mountpoint / "context/agent/last.md").write_text("x")
    after = until(
        lambda: [one for one in calls(daemon) if b"last.md" in bytes(one.parameters or b"")] and calls(daemon)
    )
    added = {one.name for one in after[len(before) :]}
    assert added <= {"write", "create"}, added


def test_sizes_are_true_while_calls_come(daemon: Daemon) -> None:
    """Each reader sees whole lines, every size is that of some whole lines, and nothing that was there changes."""
    file = daemon.mountpoint / "@audit/tool_calls.jsonl"
    ending = threading.Event()

    def work(number: int) -> None:
        if number == 0:
            for count in range(60):
                (daemon.mountpoint / f"context/agent/{count}.md").write_text(BODY)
                os.listdir(daemon.mountpoint / "@search")
                time.sleep(0.03)
            ending.set()
            return
        before = b""
        while not ending.is_set():
            with file.open("rb") as opened:
                size = os.fstat(opened.fileno()).st_size
                text = opened.read()
                again = os.pread(opened.fileno(), len(text), 0)
            assert len(text) >= size and text.startswith(before) and again == text
            assert text[:size].endswith(b"\n") or not size
            assert text.endswith(b"\n") or not text
            for line in text.splitlines():
                json.loads(line)
            before = text

    in_threads(3, work)
    until(lambda: sum(one["name"] in ("write", "create") for one in shown(file)) >= 60)
    assert file.stat().st_size == len(file.read_bytes())


def test_tail_follows_the_trail(daemon: Daemon) -> None:
    file = daemon.mountpoint / "@audit/tool_calls.jsonl"
    tail = subprocess.Popen(["tail", "-n", "+1", "-f", file], stdout=subprocess.PIPE)
    lines: queue.Queue[bytes] = queue.Queue()
    assert tail.stdout is not None
    stream = tail.stdout
    reader = threading.Thread(target=lambda: [lines.put(line) for line in stream], daemon=True)
    reader.start()
    try:
        for name in ("first.md", "second.md", "third.md"):
            (daemon.mountpoint / "context/agent" / name).write_text("x")
            while name not in json.dumps(json.loads(lines.get(timeout=60))):
                pass
    finally:
        tail.kill()
        tail.wait()
        reader.join(60)
        stream.close()


def test_calls_of_other_programs_are_shown(daemon: Daemon) -> None:
    file = daemon.mountpoint / "@audit/by_name/theirs.jsonl"
    (daemon.mountpoint / "workspace/x").write_text("x")
    until(lambda: (daemon.store / "agent.db").exists())
    with AgentDatabase(daemon.store / "agent.db") as database:
        for count in range(3):
            began = time.time_ns()
            ToolCalls(database).record([Call(name="theirs", result=count, started_ns=began, ended_ns=began)])
            until(lambda count=count: file.exists() and len(shown(file)) == count + 1)  # type: ignore[misc]
    assert [one["result"] for one in shown(file)] == [0, 1, 2]


def test_a_large_trail_is_read_in_pieces(tmp_path: Path) -> None:
    first = started(tmp_path)
    first.clear()
    began = time.time_ns()
    with AgentDatabase(first.store / "agent.db") as database:
        many = [
            Call(name=f"name{number % 3}", parameters={"n": number, "x": "y" * 200}, started_ns=began, ended_ns=began)
            for number in range(20_000)
        ]
        ToolCalls(database).record(many)
    daemon = started(tmp_path, new=False)
    try:
        file = daemon.mountpoint / "@audit/tool_calls.jsonl"
        text = file.read_bytes()
        assert len(text) == file.stat().st_size > 5_000_000
        assert [json.loads(line)["parameters"]["n"] for line in text.splitlines()] == list(range(20_000))
        with file.open("rb") as opened:
            for place in (0, 70_000, 3_000_001, len(text) - 10):
                opened.seek(place)
                assert opened.read(100_000) == text[place : place + 100_000]
        tail = bash("tail -n 2 @audit/by_name/name1.jsonl", daemon.mountpoint)
        assert [json.loads(line)["parameters"]["n"] for line in tail.splitlines()] == [19_996, 19_999]
        ended(daemon)
    finally:
        daemon.clear()


def test_what_programs_change_is_recorded_with_who_they_are(daemon: Daemon) -> None:
    bash("""
        echo x > context/agent/a.md
        mkdir context/agent/folder
        cp context/agent/a.md context/agent/folder/b.md
        mv context/agent/folder/b.md context/agent/c.md
        cat @grep/nothing-like-this
        rm context/agent/c.md
        : > context/agent/last.md
    """, daemon.mountpoint)  # fmt: skip
    found = until(
        lambda: [one for one in calls(daemon) if b"last.md" in bytes(one.parameters or b"")] and calls(daemon)
    )
    commands = {name: {one.command for one in found if one.name == name} for name in {one.name for one in found}}
    assert commands["move"] == {"mv"} and commands["remove"] == {"rm"} and commands["@grep"] == {"cat"}, commands
    assert {"bash", "cp"} <= set().union(*commands.values())
    assert all(one.pid and one.pid > 1 for one in found)


def test_what_a_command_changes_is_recorded_with_who_asked(daemon: Daemon, kgfs: Program, tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_text("A note that is added.\n")
    kgfs("--store", daemon.store, "add", note, "--extractor", "none")
    kgfs("--store", daemon.store, "rm", note)
    kgfs("--store", daemon.store, "context", "write", "agent:/a.md", "--content", "x")
    found = until(lambda: {"add", "remove", "write"} <= {one.name for one in calls(daemon)} and calls(daemon))
    by = {one.name: (one.command, parameters(one)["door"]) for one in found if one.name in ("add", "remove", "write")}
    assert by == {"add": ("add", "command"), "remove": ("rm", "command"), "write": ("tool", "command")}


def test_changes_in_the_workspace_are_gathered(daemon: Daemon) -> None:
    script = (
        "import os\nos.mkdir('d')\n"
        "for n in range(300):\n"
        "    with open(f'd/{n}', 'w') as file: file.write('12345')\n"
        "os.link('d/0', 'd/link'); os.symlink('x', 'd/s'); os.mkfifo('d/p'); os.chmod('d/0', 0o600)\n"
        "os.rename('d', 'e'); os.rename('e/1', 'e/one'); os.truncate('e/2', 1); os.unlink('e/3')\n"
        "open('e/4', 'a').close(); open('e/5').close()\n"
        "print(os.getpid())"
    )
    done = subprocess.run(
        ["python3", "-c", script], cwd=daemon.mountpoint / "workspace", capture_output=True, text=True, check=True
    )
    pid = int(done.stdout)

    def gathered() -> list[RecordedCall]:
        return [one for one in calls(daemon, name="workspace_changes") if one.pid == pid]

    def totals() -> dict[str, int]:
        counts: dict[str, int] = {}
        for one in gathered():
            for operation, count in parameters(one)["operations"].items():
                counts[operation] = counts.get(operation, 0) + count
        return counts

    wanted = {
        "mkdir": 1, "create": 300, "write": 300, "link": 1, "symlink": 1, "mknod": 1, "attributes": 1, "rename": 2,
        "truncate": 1, "unlink": 1,
    }  # fmt: skip
    until(lambda: totals() == wanted)
    found = gathered()
    assert len(found) < 30, "one record a process and pause"
    assert sum(parameters(one)["bytes"] for one in found if "bytes" in parameters(one)) == 1500
    assert {one.command for one in found} == {"python3"} and all(one.status == "success" for one in found)
    assert all(len(parameters(one)["paths"]) <= 20 for one in found)
    assert "workspace/d" in parameters(found[0])["paths"] and "workspace/d/0" in parameters(found[0])["paths"]


def test_paths_are_those_at_the_time(daemon: Daemon) -> None:
    here = daemon.mountpoint / "workspace"
    bash("mkdir -p a/b/c; echo 1 > a/b/c/file; mv a z; mv z/b z/y; echo 2 >> z/y/c/file; ls -R > /dev/null", here)
    paths: set[str] = set()

    def all_paths() -> set[str]:
        return {path for one in calls(daemon, name="workspace_changes") for path in parameters(one)["paths"]}

    until(lambda: "workspace/z/y/c/file" in all_paths())
    paths = all_paths()
    assert {"workspace/a/b/c/file", "workspace/a -> workspace/z", "workspace/z/b -> workspace/z/y"} <= paths, paths


def test_the_end_of_a_mount_records_what_is_gathered(tmp_path: Path) -> None:
    daemon = started(tmp_path)
    try:
        (daemon.mountpoint / "workspace/file").write_text("x")
        (daemon.mountpoint / "@kv/key").write_text("[1]")
        ended(daemon)
        assert {"workspace/file", "@kv/key"} <= {
            path for one in calls(daemon) if one.name.endswith("_changes") for path in parameters(one)["paths"]
        }
    finally:
        daemon.clear()


def test_reads_are_recorded_on_request(tmp_path: Path) -> None:
    daemon = started(tmp_path, "--audit", "reads")
    try:
        (daemon.mountpoint / "workspace/d").mkdir()
        (daemon.mountpoint / "workspace/d/file").write_text("x")
        bash(
            "cat AGENTS.md workspace/d/file @audit/stats.tsv @status/status.json > /dev/null; cat nothing || true",
            daemon.mountpoint,
        )
        bash("head -c 1 AGENTS.md", daemon.mountpoint)
        until(lambda: any(one.command == "head" for one in calls(daemon, name="open")))
        found = [(parameters(one)["path"], one.command) for one in calls(daemon, name="open") if one.command != "bash"]
        assert {
            ("AGENTS.md", "cat"), ("workspace/d/file", "cat"), ("@status/status.json", "cat"), ("AGENTS.md", "head"),
        } <= set(found), found  # fmt: skip
        assert not any(path.startswith("@audit") or path == "nothing" for path, _ in found)
        ended(daemon)
    finally:
        daemon.clear()


def test_reads_are_not_recorded_else(daemon: Daemon) -> None:
    bash("cat AGENTS.md > /dev/null; echo x > context/agent/last.md", daemon.mountpoint)
    until(lambda: [one for one in calls(daemon) if b"last.md" in bytes(one.parameters or b"")])
    assert calls(daemon, name="open") == []
