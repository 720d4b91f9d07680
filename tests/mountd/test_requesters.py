"""Who makes a request, and what is gathered of one process's changes."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from kgfs.callers import NOBODY, Caller
from mountd import changes, requesters
from mountd.changes import PATHS, Changes
from mountd.requesters import Requesters


def test_a_thread_is_of_its_process() -> None:
    found: list[Caller] = []
    thread = threading.Thread(target=lambda: found.append(Requesters().of(threading.get_native_id())))
    thread.start()
    thread.join()
    assert found == [Caller(os.getpid(), Path("/proc/self/comm").read_text().strip())]


def test_nobody_and_the_dead() -> None:
    known = Requesters()
    assert known.of(0) is NOBODY
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    assert known.of(process.pid) == Caller(process.pid)


def test_many_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requesters, "KNOWN", 3)
    known = Requesters()
    for number in range(2**22 + 1, 2**22 + 20):  # no process has such a number
        known.of(number)
    assert len(known._known) <= 3


def test_changes_are_gathered_by_process() -> None:
    told: list[tuple[str, dict[str, Any], Caller]] = []
    gathering = Changes(lambda name, parameters, began, ended, by: told.append((name, parameters, by)), Requesters())
    me = os.getpid()

    def path(parent: int, name: bytes) -> str:
        return f"{parent}/{name.decode()}"

    for number in range(50):
        gathering.note("@kv", "create", me, path, 1, b"%d" % number)
        gathering.note("@kv", "write", me, path, 1, b"%d" % number, 10)
    gathering.note("workspace", "unlink", 0, path, 7, b"x")
    gathering.note("@session/s", "unlink", 0, path, 7, b"y")
    gathering.flush()
    assert told == [], "what began just now may go on"
    gathering.flush(ending=True)
    gathering.flush(ending=True)
    (name, parameters, by), other, of_session = told
    assert name == "kv_changes" and by.pid == me
    assert parameters["operations"] == {"create": 50, "write": 50} and parameters["bytes"] == 500
    assert parameters["paths"] == [f"1/{number}" for number in range(PATHS)]
    assert other == ("workspace_changes", {"operations": {"unlink": 1}, "paths": ["7/x"]}, NOBODY)
    assert of_session[0] == "session_changes" and of_session[2] == Caller(session="s")


def test_after_a_while_a_process_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[dict[str, Any]] = []
    gathering = Changes(lambda name, parameters, began, ended, by: told.append(parameters), Requesters())
    monkeypatch.setattr(changes, "GATHER_SECONDS", 0.0)
    for number in range(2):
        gathering.note("workspace", "mkdir", 0, lambda parent, name: str(parent), number, b"")
        gathering.flush()
    assert [one["paths"] for one in told] == [["0"], ["1"]]


def test_who_pauses_is_recorded_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a short command did is not lost half a second later."""
    told: list[dict[str, Any]] = []
    gathering = Changes(lambda name, parameters, began, ended, by: told.append(parameters), Requesters())
    monkeypatch.setattr(changes, "GATHER_SECONDS", 60.0)
    gathering.note("workspace", "mkdir", 0, lambda parent, name: str(parent), 1, b"")
    gathering.flush()
    assert told == []
    monkeypatch.setattr(changes, "IDLE_SECONDS", 0.0)
    gathering.flush()
    assert [one["operations"] for one in told] == [{"mkdir": 1}]
