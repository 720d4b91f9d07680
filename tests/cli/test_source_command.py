"""``kgfs source``: what is listed, and a source that is told where it stands now, with a mount and without."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.test_adding import write_notes
from tests.cli.test_commands import error_of, rows
from tests.conftest import Mounting, Program


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    write_notes(tmp_path / "old")
    return tmp_path / "old"


def test_the_list_says_what_status_says(kgfs: Program, light_store: Path, notes: Path) -> None:
    assert "kgfs add" in kgfs("--store", light_store, "source", "list").stdout
    kgfs("--store", light_store, "add", notes, "--name", "mine")
    listed = rows(kgfs("--store", light_store, "--json", "source", "list").stdout)
    assert listed == json.loads(kgfs("--store", light_store, "--json", "status").stdout)["sources"]
    (line,) = kgfs("--store", light_store, "source", "list").stdout.splitlines()
    assert line == f"mine  {notes}  5 files, unchanged"


@pytest.mark.slow
def test_a_place_that_is_gone_is_offered_where_its_files_are_added(
    kgfs: Program, light_store: Path, notes: Path, tmp_path: Path
) -> None:
    kgfs("--store", light_store, "add", notes, "--name", "mine")
    new = tmp_path / "new place"
    notes.rename(new)
    offer = f"`kgfs source move mine '{new}'`"
    assert offer in kgfs("--store", light_store, "add", new, "--dry-run").stderr
    assert offer in kgfs("--store", light_store, "add", new).stderr
    (summary,) = rows(kgfs("--store", light_store, "--json", "-q", "add", new).stdout)
    assert isinstance(summary, dict) and summary["offers"] == [], "now they are known"
    assert len(rows(kgfs("--store", light_store, "--json", "source", "list").stdout)) == 2
    done = kgfs("--store", light_store, "source", "move", "mine", new)
    assert "5 files moved, and 5 second copies went" in done.stdout
    (line,) = kgfs("--store", light_store, "source", "list").stdout.splitlines()
    assert line == f"mine  {new}  5 files, unchanged"
    assert kgfs("--store", light_store, "fsck", timeout=300).returncode == 0
    refused = kgfs("--store", light_store, "source", "move", "nothing", new, status=3)
    assert "kgfs source list" in error_of(refused)
    inside = kgfs("--store", light_store, "source", "move", new / "note1.md", tmp_path, status=2)
    assert "kgfs refresh mine" in error_of(inside)
    assert "no such file" in error_of(kgfs("--store", light_store, "source", "move", "mine", notes, status=3))


@pytest.mark.mount
def test_while_it_is_mounted(kgfs: Program, light_store: Path, notes: Path, tmp_path: Path, mount: Mounting) -> None:
    kgfs("--store", light_store, "add", notes, "--name", "mine")
    kg, new = mount(light_store), tmp_path / "new"
    text = kg / "documents" / "note1" / "text.txt"
    before = text.stat().st_ino, sorted(os.listdir(kg / "facts" / "by_type")), text.read_text()
    with open(kg / "sources" / "mine" / "note1.md") as held:
        notes.rename(new)
        kgfs("--store", light_store, "source", "move", notes, new)
        assert held.read() == before[2]
    assert (text.stat().st_ino, sorted(os.listdir(kg / "facts" / "by_type")), text.read_text()) == before
    assert os.path.realpath(kg / "sources" / "mine").endswith(f"context/disk{new}")
    assert os.readlink(kg / "documents" / "note1" / "original.md").endswith(f"disk{new}/note1.md")
    assert not (kg / f"context/disk{notes}").exists()
    for path in (kg / "facts" / "by_type").rglob("*.json"):
        assert json.loads(path.read_text())["origin"].startswith(f"disk:{new}/")
    said = kgfs("--store", light_store, "refresh", "mine", "--prune").stdout
    assert "5 unchanged" in said and "removed" not in said
