"""What is written by a command where nothing is mounted is indexed before it ends, or kept where that cannot be."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import Program


@pytest.mark.model
def test_what_a_command_writes_is_searchable_when_it_ends(kgfs: Program, tmp_path: Path) -> None:
    store = tmp_path / "store"
    kgfs("--store", store, "init")
    kgfs("--store", store, "config", "extractor", "none")

    def write(path: str, text: str, *options: str) -> tuple[str, str]:
        done = kgfs("--store", store, "context", "write", path, "--content", text, *options)
        return done.stdout, done.stderr

    out, err = write("agent:/later.md", "Barges leave at noon.", "--no-index")
    assert "`kgfs wait` makes it searchable" in out and not err
    kgfs("--store", store, "status", "--check", status=1)

    shutil.rmtree(store / "vectors", ignore_errors=True)
    (store / "vectors").mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", store / "vectors"], check=True)  # no index there
    out, err = write("agent:/a.md", "Ferries leave at noon.")
    assert "Wrote agent:/a.md" in out and "`kgfs wait` makes it searchable" in out
    assert "What was written is kept, but cannot be indexed now: " in err
    assert kgfs("--store", store, "cat", "notes/a.md").stdout == "Ferries leave at noon."

    subprocess.run(["umount", "-l", store / "vectors"], check=True)
    value = json.loads(write("agent:/b.md", "Lanterns.", "--json")[0])
    assert value["ref"] == "agent:/b.md"  # one object, no progress
    kgfs("--store", store, "status", "--check")
    found = kgfs("--store", store, "search", "--kind", "keyword", "ferries").stdout
    assert "Ferries" in found
