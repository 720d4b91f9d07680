"""A list that is too long for `ls`, looked through by how its names begin, on a real mount."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.mount.conftest import Start

pytestmark = pytest.mark.mount


def ran(root: Path, *command: str) -> list[str]:
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_tools_look_through_a_long_list(graph: Start) -> None:
    mount = graph(entities=30, documents=4)
    root = mount.mountpoint
    found = ran(root, "find", "entities/by_prefix", "-type", "l")
    by_name = {os.path.basename(path): path for path in found}
    beside = ran(root, "find", "entities", "-mindepth", "2", "-maxdepth", "2", "-type", "d", "-not", "-path", "*/by_*")
    entities = {os.path.basename(path): root / path for path in beside}
    assert len(found) == len(by_name) == 30 and by_name.keys() == entities.keys()
    prefixes = [name for name in ran(root, "ls", "-f", "entities/by_prefix") if name[0] != "."]
    assert prefixes == sorted(prefixes) == sorted({os.path.basename(os.path.dirname(path)) for path in found})
    for name, path in by_name.items():
        assert os.path.samefile(root / path, entities[name])
        assert ran(root, "cat", f"{path}/summary.txt")[0].startswith(f"{name.replace('_', ' ')} (")
        assert len(ran(root, "ls", os.path.dirname(path))) <= 5
    assert "by_prefix" not in os.listdir(root / "documents") and not os.path.exists(root / "documents/by_prefix")

    def touched(*seeds: int) -> None:
        for seed in seeds:
            mount.say("touch", seed)

    touched(0, 7)  # two documents more: the list of documents is long now, that nobody could look through before
    documents = {path for path in os.listdir(root / "documents") if path[0] != "_"} - {"by_prefix"}
    linked = ran(root, "find", "documents/by_prefix", "-type", "l")
    assert len(documents) == 6 and sorted(map(os.path.basename, linked)) == sorted(documents)
    touched(2, 6, 13)  # an entity with another name, four more
    after = ran(root, "find", "-L", "entities/by_prefix", "-mindepth", "2", "-maxdepth", "2", "-type", "d")
    assert len(after) == 34 and any("/Renamed_2" in path for path in after)
    touched(1, 8)  # two documents less
    assert not os.path.exists(root / "documents/by_prefix")
