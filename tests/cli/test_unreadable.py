"""Folders that may not be read: what lies beside them is read, they are named, and what was in them stays.

The program runs without the privileges by which root reads everything.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_commands import error_of
from tests.conftest import Program, mounting

BOUND = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search", "--inh-caps", "-all")


class Bound(Program):
    """``kgfs`` as somebody whom permissions stop."""

    command = (*(BOUND if os.geteuid() == 0 else ()), sys.executable, "-m", "kgfs.cli.main")

    def __init__(self) -> None:
        self._forked = self.command


@pytest.fixture
def bound(own_directories: Path) -> Program:
    return Bound()


@pytest.fixture
def notes(tmp_path: Path) -> Iterator[Path]:
    """Two notes beside a folder that holds two more."""
    root = tmp_path / "notes"
    for name in ("a.md", "shut/deep/b.md", "shut/c.md", "z.md"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"# {name}\n\nWords of {name}.\n")
    yield root
    os.chmod(root, 0o755)
    os.chmod(root / "shut", 0o755)


def summary_of(output: str) -> dict[str, Any]:
    found = json.loads(output.splitlines()[-1])
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("mode", [0o000, 0o444, 0o111])
def test_a_folder_that_may_not_be_read_is_named_and_the_rest_is_read(
    bound: Program, light_store: Path, notes: Path, mode: int
) -> None:
    os.chmod(notes / "shut", mode)
    done = bound("--store", light_store, "add", notes, status=5)
    assert done.stdout.startswith("Added 2")
    assert f"{notes / 'shut'}" in done.stderr and "Permission denied" in done.stderr
    again = bound("--store", light_store, "--json", "-q", "refresh", "--all", "--prune", status=5)
    (source,) = summary_of(again.stdout)["sources"]
    assert (source["unchanged"], source["removed"], source["vanished"]) == (2, 0, 0)
    os.chmod(notes / "shut", 0o755)
    assert bound("--store", light_store, "add", notes).stdout.startswith("Added 2 · skipped 2 (2 unchanged)")


@pytest.mark.parametrize("mode", [0o000, 0o444, 0o111])
def test_what_was_read_from_a_folder_that_is_shut_now_never_counts_as_vanished(
    bound: Program, light_store: Path, notes: Path, mode: int
) -> None:
    bound("--store", light_store, "add", notes)
    (notes / "z.md").unlink()
    # What the folder no longer shows is not to be known, whatever became of it.
    (notes / "shut" / "deep" / "b.md").unlink()
    os.chmod(notes / "shut", mode)
    done = bound("--store", light_store, "--json", "-q", "refresh", "--all", "--prune", status=5)
    (source,) = summary_of(done.stdout)["sources"]
    assert (source["unchanged"], source["removed"], source["vanished"]) == (1, 1, 0)
    assert str(notes / "shut") in {os.path.dirname(one["path"]) for one in summary_of(done.stdout)["failed"]} | {
        one["path"] for one in summary_of(done.stdout)["failed"]
    }
    listed = bound("--store", light_store, "find", "context", "-name", "*.md").stdout
    assert "b.md" in listed and "c.md" in listed and "z.md" not in listed
    (state,) = json.loads(bound("--store", light_store, "--json", "status").stdout)["sources"]
    assert (state["vanished"], state["complete"], state["missing"]) == (0, True, False)
    os.chmod(notes / "shut", 0o755)
    (source,) = summary_of(bound("--store", light_store, "--json", "-q", "refresh", "--all", "--prune").stdout)[
        "sources"
    ]
    assert source["removed"] == 1


def test_a_source_that_may_not_be_read_itself(bound: Program, light_store: Path, notes: Path) -> None:
    os.chmod(notes, 0o000)
    said = bound("--store", light_store, "add", notes, status=5)
    assert str(notes) in said.stderr and "Permission denied" in said.stderr
    said = bound("--store", light_store, "add", notes / "a.md", status=1)
    assert "Permission denied" in error_of(said) and "no such file" not in said.stderr
    os.chmod(notes, 0o755)
    bound("--store", light_store, "add", notes)
    os.chmod(notes, 0o000)
    done = bound("--store", light_store, "--json", "-q", "refresh", "--all", "--prune", status=5)
    (source,) = summary_of(done.stdout)["sources"]
    assert (source["removed"], source["vanished"]) == (0, 0)


@pytest.mark.mount
def test_it_is_the_same_while_mounted(bound: Program, light_store: Path, notes: Path, tmp_path: Path) -> None:
    os.chmod(notes / "shut", 0o000)
    with mounting(bound, tmp_path) as mount:
        kg = mount(light_store)
        done = bound("--store", light_store, "add", notes, status=5)
        assert done.stdout.startswith("Added 2") and str(notes / "shut") in done.stderr
        assert sorted(os.listdir(kg / "documents")) == ["_index.json", "_index.tsv", "a", "z"]
