"""The shell of an agent: what lasts between commands, and that whatever a command does the call ends and says how."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kgfs.agent.captured import Captured
from kgfs.agent.roots import Roots
from kgfs.agent.shell import LIMITS, Shell
from kgfs.errors import KgfsError
from kgfs.sandbox import bubblewrap, control_group
from kgfs.sandbox.limits import Limits
from tests.conftest import ROOT
from tests.sandbox.test_limits import gone, running

pytestmark = pytest.mark.mount

FRESH = "a fresh shell"


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory that stands for a mount."""
    folder = tmp_path_factory.mktemp("shown")
    (folder / "workspace").mkdir()
    return folder


@pytest.fixture(scope="module")
def shell(shown: Path) -> Iterator[Shell]:
    try:
        bubblewrap.require(bubblewrap.View(mounted=shown))
    except KgfsError as error:
        pytest.skip(error.message)
    os.environ["ANTHROPIC_API_KEY"] = "sk-ant-never-inside"
    try:
        with Shell(Roots(shown)) as one:
            yield one
    finally:
        del os.environ["ANTHROPIC_API_KEY"]


def said(shell: Shell, command: str, timeout: float = 60) -> dict[str, Any]:
    value = shell.run(command, timeout)
    assert set(value) >= {"is_error", "output", "status", "directory", "seconds"}, value
    return value


def test_what_lasts(shell: Shell) -> None:
    said(shell, "cd workspace; number=5; greet() { echo hello $1; }; export SHOWN=yes; umask 027")
    value = said(shell, "greet $number; pwd; printenv SHOWN; umask")
    assert value["output"] == "hello 5\n/kg/workspace\nyes\n0027\n" and value["directory"] == "/kg/workspace"
    assert shell.restart()["restarted"] and shell.directory == "/kg"
    assert said(shell, "pwd; echo [$number]")["output"] == "/kg\n[]\n"


@pytest.mark.parametrize(
    ("command", "status", "output"),
    [
        ("true", 0, ""),
        ("echo out; echo err >&2; (exit 7)", 7, "out\nerr\n"),
        ("printf 'no end'", 0, "no end"),
        ("python3 - <<'END'\nprint('it''s')\nEND", 0, "its\n"),
        ("echo 'a'\"b\"\\'c; echo $'tab\\there'", 0, "ab'c\ntab\there\n"),
        ("echo wow!! !x", 0, "wow!! !x\n"),
        ("cat; read word; echo [$word]", 0, "[]\n"),
        ("if", 2, "bash: syntax error: unexpected end of file\n"),
        ("echo )", 2, None),
        ("set -u; echo $nowhere", 1, None),
        ("nowhere", 127, "bash: nowhere: command not found\n"),
        ("exec nowhere", 127, None),
        ("exec > /tmp/elsewhere 2>&1; echo hidden", 0, ""),
        ("exec </dev/null >&- 2>&-", 0, ""),
        ("exec 199>&-; exec 199</dev/null; echo here", 0, "here\n"),
        ("printf '\\036%032d 0 /\\036' 0", 0, f"\x1e{'0' * 32} 0 /\x1e"),
        ("printf 'odd \\377 byte'", 0, "odd \ufffd byte"),
        ("tty; test -t 0 || test -t 1 || test -t 2", 1, "not a tty\n"),
        ("echo > /dev/tty", 1, None),
        ("printf() { echo mine; }; builtin printf x", 0, "x"),
    ],
)
def test_commands(shell: Shell, command: str, status: int, output: str | None) -> None:
    value = said(shell, command)
    assert (value["is_error"], value["status"]) == (False, status), value
    assert output is None or value["output"] == output
    assert said(shell, "set +u; unset -f printf; echo on")["output"] == "on\n"


def test_no_key_and_nothing_of_ours_is_in_it(shell: Shell) -> None:
    value = said(shell, "env; cat /proc/*/environ /proc/*/cmdline | tr '\\0' '\\n'; ls -l /proc/self/fd")
    assert "sk-ant" not in value["output"] and "ANTHROPIC" not in value["output"] and str(ROOT) not in value["output"]
    assert "socket:" not in value["output"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "kept"),
    [
        ("sleep 10000.75", True),
        ("while :; do sleep 1; done", True),
        ("while :; do :; done", True),
        ("trap '' INT TERM HUP; sleep 10000.75 & sleep 10000.75; trap - INT", True),
        ("setsid sleep 10000.75 & (trap '' INT; sleep 10000.75)", True),
        ("trap '' INT; while :; do :; done", False),
    ],
)
def test_time(shell: Shell, command: str, kept: bool) -> None:
    said(shell, "trap - INT; kept=yes; echo > /tmp/kept")
    value = said(shell, command, 0.5)
    assert value["is_error"] and value["error_type"] == "timeout" and value["seconds"] < 20
    assert value["message"] == "The command was ended after 0.5 s." and "longer timeout" in value["next_action_hint"]
    assert (FRESH in value.get("note", "")) is not kept
    assert said(shell, "echo $kept; cat /tmp/kept")["output"] == ("yes\n\n" if kept else "\n" + MISSING)


MISSING = "cat: /tmp/kept: No such file or directory\n"


def test_much_output(shell: Shell) -> None:
    value = said(shell, "seq 100000")
    lines = value["output"].split("\n")
    assert lines[0] == "1" and lines[-2] == "100000" and len(value["output"]) < 17_000 and value["cut"]
    assert "588,895 bytes" in value["note"]
    place = value["note"].partition(" in ")[2].partition(" by ")[0]
    first, second = said(shell, f"sha1sum < {place}; seq 100000 | sha1sum")["output"].split("\n")[:2]
    assert first == second


@pytest.mark.parametrize("command", ["head -c 1G /dev/zero | tr '\\0' x", "yes", "yes >&2 & yes"])
def test_output_without_end(shell: Shell, command: str) -> None:
    value = said(shell, command)
    assert value["is_error"] and value["error_type"] == "too_large" and len(value["output"]) < 17_000
    assert "| head" in value["next_action_hint"] and "the first 10,485,760 bytes" in value["note"]
    assert value["seconds"] < 30
    said(shell, "kill $(jobs -p); wait; rm -f /tmp/output-*")


@pytest.mark.parametrize(
    ("command", "status"),
    [("exit 3", 3), ("kill -9 $$", 137), ("set -e; false", 1), ("exec true", 0), ("exec 0<&-; exit", 0)],
)
def test_the_shell_ends(shell: Shell, command: str, status: int) -> None:
    value = said(shell, command)
    assert (value["is_error"], value["status"]) == (False, status) and FRESH in value["note"]
    assert said(shell, "echo on; pwd")["output"] == "on\n/kg\n"


def test_processes_without_end(shell: Shell) -> None:
    commands = ("bomb() { bomb | bomb & }; bomb", *("sleep 0.2",) * 100)  # until all of them are there
    value = next(each for each in (said(shell, command) for command in commands) if FRESH in each.get("note", ""))
    assert "256" in value["note"]
    assert said(shell, "echo on")["output"] == "on\n"


def test_what_fills_up(shown: Path, shell: Shell) -> None:
    limits = Limits(memory_bytes=256 << 20, processes=32, output_bytes=1 << 20, seconds=60)
    with Shell(Roots(shown), limits=limits) as small:
        value = said(small, "head -c 200M /dev/zero > /tmp/full; seq 10000")
        assert "No space left on device" in value["output"] and "`| head`" in value["note"]
        assert said(small, "rm /tmp/full; python3 -c 'bytearray(400 << 20)'")["output"].endswith("MemoryError\n")
        assert said(small, "echo on")["output"] == "on\n"
        value = said(small, "for one in $(seq 28); do sleep 10000.0625 & done")
        assert FRESH in value["note"] and gone("10000.0625")


@pytest.mark.parametrize("command", ["sleep 10000.5", "sleep 10000.5; echo not reached", "read x < /dev/ptmx"])
def test_interrupts(shell: Shell, command: str) -> None:
    said(shell, "kept=yes")
    timer = threading.Timer(0.3, shell.interrupt)
    timer.start()
    value = said(shell, command)
    timer.join()
    assert value["error_type"] == "cancelled" and value["seconds"] < 20 and "not reached" not in value["output"]
    assert said(shell, "echo $kept")["output"] == "yes\n"


def test_an_interrupt_of_nothing_is_forgotten(shell: Shell) -> None:
    shell.interrupt()
    assert said(shell, "echo on")["output"] == "on\n"


@pytest.mark.parametrize(
    ("command", "timeout"), [("", None), (" \n", None), ("a\0b", None), ("\ud800", None), ("x" * (1 << 21), None),
                             ("true", 0), ("true", -1), ("true", float("nan")), ("true", 1e9)],
)  # fmt: skip
def test_arguments_that_are_none(shell: Shell, command: str, timeout: float | None) -> None:
    assert shell.run(command, timeout)["error_type"] == "bad_arguments"


def test_files_are_seen_while_a_command_runs(shell: Shell) -> None:
    said(shell, "true")  # looking at files waits only for a shell that has to be started
    done: list[dict[str, Any]] = []
    thread = threading.Thread(target=lambda: done.append(said(shell, "echo > /tmp/begun; sleep 1.5")))
    thread.start()
    until = time.monotonic() + 20
    found = False
    while not found and time.monotonic() < until:
        with shell.root() as root, contextlib.suppress(FileNotFoundError):
            found = os.stat("tmp/begun", dir_fd=root).st_size > 0
        time.sleep(0.01)
    assert found and thread.is_alive()
    thread.join()
    assert done[0]["status"] == 0


def test_it_outlives_the_thread_that_began_it(shown: Path, shell: Shell) -> None:
    with Shell(Roots(shown)) as other:
        thread = threading.Thread(target=lambda: said(other, "kept=yes"))
        thread.start()
        thread.join()
        time.sleep(0.3)
        assert said(other, "echo $kept")["output"] == "yes\n"
        other.run("sleep 10000.5625 &")
        assert running("10000.5625")
    assert gone("10000.5625")
    assert other.run("true")["error_type"] == "usage"
    assert len([one for place in control_group._places() for one in place.glob(f"kgfs-run-*-{os.getpid()}")]) <= 1


def test_read_only(shown: Path, shell: Shell) -> None:
    with Shell(Roots(shown, read_only=True)) as other:
        value = said(other, "echo x > workspace/new; echo x > /tmp/new && cat /tmp/new")
    assert "Read-only file system" in value["output"] and value["output"].endswith("x\n")
    assert not (shown / "workspace" / "new").exists()


def test_without_a_sandbox(shown: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(bubblewrap, "PROGRAM", "no-such-bwrap")
    with Shell(Roots(shown)) as refused:
        value = refused.run("true")
        assert value["is_error"] and "There is no no-such-bwrap in PATH" in value["message"]
    with Shell(Roots(shown, unsafe=True)) as other:
        value = said(other, "pwd; env; cat /proc/self/environ; seq 10000")
        assert value["output"].startswith(f"{shown}\n") and "sk-ant" not in value["output"]
        place = value["note"].partition(" in ")[2].partition(" by ")[0]
        assert Path(place).read_text().endswith("10000\n")
        assert said(other, "sleep 10000.5", 0.5)["error_type"] == "timeout"
        assert said(other, "exit 3")["status"] == 3
        assert said(other, "pwd")["output"] == f"{shown}\n"
    assert not Path(place).exists()


def test_captured_text_is_bounded() -> None:
    whole = "".join(f"line {number} é\n" for number in range(10_000)).encode()
    for size in (1, 7, 4096, len(whole)):
        captured = Captured(1000, 5000)
        for start in range(0, len(whole), size):
            captured.take(whole[start : start + size])
        assert captured.total == len(whole) and bytes(captured.kept) == whole[:5000]
        text = captured.text()
        assert len(text) < 1100 and "\ufffd" not in text
        assert text.startswith("line 0 é\n") and text.endswith("line 9999 é\n")
    assert LIMITS.output_bytes == 10 << 20
