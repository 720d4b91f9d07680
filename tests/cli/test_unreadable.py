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

from kgfs.config import change_settings
from tests.cli.test_commands import error_of
from tests.conftest import Program, mounting

SHUT = {"shut": 0o000, "named": 0o444, "passed": 0o111}
"""The folders that are shut, each in a way of its own: nothing, names alone, files of known names alone."""
BOUND = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search", "--inh-caps", "-all")


class Bound(Program):
    """``kgfs`` as somebody whom permissions stop."""

    command = (*(BOUND if os.geteuid() == 0 else ()), sys.executable, "-m", "kgfs.cli.main")

    def __init__(self) -> None:
        self.forked = self.command


@pytest.fixture
def bound(own_directories: Path) -> Program:
    return Bound()


@pytest.fixture
def notes(tmp_path: Path) -> Iterator[Path]:
    """Two notes beside folders that hold two more each. No test needs what is extracted from them."""
    root = tmp_path / "notes"
    for name in ("a.md", "z.md", *(f"{folder}/{inner}" for folder in SHUT for inner in ("deep/b.md", "c.md"))):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"# {name}\n\nWords of {name}.\n")
    yield root
    os.chmod(root, 0o755)
    open_all(root)


def shut_all(notes: Path) -> None:
    for folder, mode in SHUT.items():
        os.chmod(notes / folder, mode)


def open_all(notes: Path) -> None:
    for folder in SHUT:
        os.chmod(notes / folder, 0o755)


@pytest.fixture
def store(light_store: Path) -> Path:
    change_settings(light_store, {"extractor": "none"})
    return light_store


def summary_of(output: str) -> dict[str, Any]:
    found = json.loads(output.splitlines()[-1])
    assert isinstance(found, dict)
    return found


@pytest.mark.slow
def test_a_folder_that_may_not_be_read_is_named_and_the_rest_is_read(bound: Program, store: Path, notes: Path) -> None:
    shut_all(notes)
    done = bound("--store", store, "add", notes, status=5)
    assert done.stdout.startswith("Added 2")
    assert "Permission denied" in done.stderr
    assert [folder for folder in SHUT if f"{notes / folder}" not in done.stderr] == []
    again = bound("--store", store, "--json", "-q", "refresh", "--all", "--prune", status=5)
    (source,) = summary_of(again.stdout)["sources"]
    assert (source["unchanged"], source["removed"], source["vanished"]) == (2, 0, 0)
    open_all(notes)
    assert bound("--store", store, "add", notes).stdout.startswith("Added 6 · skipped 2 (2 unchanged)")


@pytest.mark.slow
def test_what_was_read_from_a_folder_that_is_shut_now_never_counts_as_vanished(
    bound: Program, store: Path, notes: Path
) -> None:
    bound("--store", store, "add", notes)
    (notes / "z.md").unlink()
    # What the folder no longer shows is not to be known, whatever became of it.
    for folder in SHUT:
        (notes / folder / "deep" / "b.md").unlink()
    shut_all(notes)
    done = bound("--store", store, "--json", "-q", "refresh", "--all", "--prune", status=5)
    (source,) = summary_of(done.stdout)["sources"]
    assert (source["unchanged"], source["removed"], source["vanished"]) == (1, 1, 0)
    failed = {one["path"] for one in summary_of(done.stdout)["failed"]}
    failed |= {os.path.dirname(path) for path in failed}
    assert {str(notes / folder) for folder in SHUT} <= failed
    listed = bound("--store", store, "find", "context", "-name", "*.md").stdout.splitlines()
    wanted = ["a.md", *(f"{folder}/{inner}" for folder in SHUT for inner in ("deep/b.md", "c.md"))]
    assert sorted(listed) == sorted(f"context/disk{notes}/{name}" for name in wanted)
    (state,) = json.loads(bound("--store", store, "--json", "status").stdout)["sources"]
    assert (state["vanished"], state["complete"], state["missing"]) == (0, True, False)
    open_all(notes)
    (source,) = summary_of(bound("--store", store, "--json", "-q", "refresh", "--all", "--prune").stdout)["sources"]
    assert source["removed"] == len(SHUT)


@pytest.mark.slow
def test_a_source_that_may_not_be_read_itself(bound: Program, store: Path, notes: Path) -> None:
    os.chmod(notes, 0o000)
    said = bound("--store", store, "add", notes, status=5)
    assert str(notes) in said.stderr and "Permission denied" in said.stderr
    said = bound("--store", store, "add", notes / "a.md", status=1)
    assert "Permission denied" in error_of(said) and "no such file" not in said.stderr
    os.chmod(notes, 0o755)
    bound("--store", store, "add", notes)
    os.chmod(notes, 0o000)
    done = bound("--store", store, "--json", "-q", "refresh", "--all", "--prune", status=5)
    (source,) = summary_of(done.stdout)["sources"]
    assert (source["removed"], source["vanished"]) == (0, 0)


@pytest.mark.mount
def test_it_is_the_same_while_mounted(bound: Program, store: Path, notes: Path, tmp_path: Path) -> None:
    shut_all(notes)
    with mounting(bound, tmp_path) as mount:
        kg = mount(store)
        done = bound("--store", store, "add", notes, status=5)
        assert done.stdout.startswith("Added 2") and str(notes / "shut") in done.stderr
        assert sorted(os.listdir(kg / "documents")) == ["_index.json", "_index.tsv", "a", "z"]
