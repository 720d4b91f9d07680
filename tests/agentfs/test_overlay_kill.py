"""A process that works in a session is killed, again and again: what it acknowledged is there, and nothing is torn."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kgfs.agentfs.checking import check
from kgfs.agentfs.database import AgentDatabase
from kgfs.agentfs.overlays.overlay import Overlay
from kgfs.filesystem import ROOT
from tests.agentfs.session_process import FILES, WRITERS, base_of
from tests.agentfs.writing_process import content
from tests.rounds import rounds

ROUNDS = rounds(4, 50)
PROJECT = Path(__file__).resolve().parents[2]


def killed_round(path: Path, turn: int, seconds: float) -> dict[str, str]:
    """Let the process work for a moment; returns what it said last of each file."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.agentfs.session_process", str(path), str(turn)],
        cwd=PROJECT, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(seconds)
    process.kill()
    said = process.stdout.read().split("\n")
    process.wait()
    process.stdout.close()
    return {name: word for word, _, name in (line.partition(" ") for line in said[:-1])}


def states(files: Overlay, turn: int) -> dict[str, str]:
    """What was done to each file of the base, as the session shows it."""
    found: dict[str, str] = {}
    for before in range(turn + 1):
        for writer in range(WRITERS):
            folder = files.lookup(ROOT, b"%d-%d" % (before, writer)).ino
            there = {entry.name.decode(): files.read(entry.ino, 0, 1 << 20) for entry in files.list(folder)}
            for count in range(FILES):
                name, moved = f"base-{before}-{writer}-{count}", f"moved-{before}-{writer}-{count}"
                body = there.pop(name, None)
                other = there.pop(moved, None)
                if body is not None:
                    assert other is None, f"{name} is at both places"
                    assert body in (content(name), content(name) + b"added"), name
                    found[name] = "untouched" if body == content(name) else "changed"
                else:
                    assert other in (None, content(name)), moved
                    found[name] = "removed" if other is None else "moved"
            assert there == {}
    return found


@pytest.mark.long
def test_what_a_session_acknowledged_survives_kill(tmp_path: Path) -> None:
    path = tmp_path / "session.db"
    chance = random.Random(11)
    acknowledged: dict[str, str] = {}
    for turn in range(ROUNDS):
        said = killed_round(path, turn, chance.uniform(0.02, 0.25))
        with AgentDatabase(path) as database:
            assert check.check(database) == []
            files = Overlay(base_of(turn), database)
            found = states(files, turn)
            files.close()
            assert check.check(database) == []
        acknowledged |= {name: word for name, word in said.items() if word in ("moved", "removed", "changed")}
        for name, word in acknowledged.items():
            assert found[name] == word, name
        for name, state in found.items():
            if name.startswith(f"base-{turn}-") and name not in said:
                assert state == "untouched", name
    assert {"moved", "removed", "changed"} <= set(acknowledged.values())
    assert len(acknowledged) > 3 * ROUNDS
