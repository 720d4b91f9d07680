"""A process that writes is killed, again and again: what it acknowledged is there, and every rule still holds."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kgfs.agentfs.audit.tool_calls import ToolCalls
from kgfs.agentfs.checking import check
from kgfs.agentfs.database import AgentDatabase
from kgfs.agentfs.filesystem.workspace import Workspace
from kgfs.agentfs.keys.key_values import KeyValues
from kgfs.filesystem import ROOT
from tests.agentfs.writing_process import content
from tests.rounds import rounds

ROUNDS = rounds(4, 50)
PROJECT = Path(__file__).resolve().parents[2]


def killed_round(path: Path, turn: int, seconds: float) -> list[list[str]]:
    """Let the process write for a moment; returns what it said, by words."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.agentfs.writing_process", str(path), str(turn)],
        cwd=PROJECT, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(seconds)
    process.kill()
    said = process.stdout.read().splitlines()
    process.wait()
    process.stdout.close()
    return [line.split(" ") for line in said if line.count("-") == 2]


@pytest.mark.long
def test_what_was_acknowledged_survives_kill(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    chance = random.Random(7)
    there: set[str] = set()
    removed: set[str] = set()
    keys: set[str] = set()
    calls: set[str] = set()
    for turn in range(ROUNDS):
        said = killed_round(path, turn, chance.uniform(0.05, 0.4))
        # The last line may be half a line.
        for words in said[:-1]:
            if words[0] == "put":
                there.add(words[1])
            elif words[0] == "removing":
                there.discard(words[1])
            elif words[0] == "set":
                keys.add(words[1])
            elif words[0] == "called":
                calls.add(words[1])
            else:
                removed.add(words[1])
        if said and said[-1][0] == "removing":
            there.discard(said[-1][1])
        with AgentDatabase(path) as database:
            assert check.check(database) == []
            assert keys <= {one.key for one in KeyValues(database).list() if one.value == f'"{one.key}"'}
            assert calls <= {one.name for one in ToolCalls(database).list()}
            files = Workspace(database)
            found = {
                entry.name.decode(): entry.ino
                for folder in files.list(ROOT)
                for entry in files.list(folder.ino)
                if entry.name != b"temporary"
            }
            assert there <= found.keys() and not removed & found.keys()
            for name, ino in found.items():
                assert files.read(ino, 0, 1 << 24) == content(name), name
            files.close()
    assert min(map(len, (there, removed, keys, calls))) > ROUNDS
