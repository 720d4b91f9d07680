"""What is written on a mount is found a moment later, and after a kill as well; what was removed is found no more."""

from __future__ import annotations

import json
import os
import signal
import threading
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from kgfs import mounts
from tests.conftest import Mounting, Program
from tests.waiting import until

pytestmark = [pytest.mark.mount, pytest.mark.slow]

SECONDS = 200.0


@pytest.fixture
def store(kgfs: Program, light_store: Path) -> Path:
    """An empty one whose documents nobody extracts from."""
    kgfs("--store", light_store, "config", "extractor", "none")
    kgfs("--store", light_store, "config", "deadline_seconds", str(SECONDS))  # a worker may take long to start
    return light_store


class Mounted:
    def __init__(self, root: Path) -> None:
        self.root, self._asked = root, count()

    def status(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.root / "@status/status.json").read_text())
        return found

    def found(self, word: str) -> set[str]:
        """The snippets of passages with a word; each time another question, so that no answer is one from before."""
        path = self.root / "@search/keyword" / f"limit={20 + next(self._asked)}" / word / "results.jsonl"
        hits = [json.loads(line) for line in path.read_text().splitlines()]
        return {hit["snippet"] for hit in hits if hit["type"] == "chunk"}

    def indexed(self, path: str) -> bytes:
        return os.getxattr(self.root / "notes" / path, "user.kg.indexed")


def test_a_status_is_whole_whenever_it_is_read(store: Path, mount: Mounting) -> None:
    root = mount(store)
    done = threading.Event()

    def write() -> None:
        for number in range(150):
            (root / "notes" / f"{number % 7}.txt").write_text("x" * 10 ** (number % 4))
            if number % 5 == 0:
                (root / "notes" / f"{number % 7}.txt").unlink()
        done.set()

    writer = threading.Thread(target=write)
    writer.start()
    looks = 0
    path = root / "@status/status.json"
    while not done.is_set() or looks < 100:
        assert json.loads(path.read_bytes())["generation"] >= 0
        with open(path, "rb", buffering=0) as file:
            first = file.read(17)
            assert json.loads(first + file.readall())["generation"] >= 0
        looks += 1
    writer.join()
    until(lambda: json.loads(path.read_bytes())["complete"])
    before = path.read_bytes()
    with open(path, "rb", buffering=0) as file:
        first = file.read(17)
        (root / "notes" / "another.txt").write_text("One more.")
        until(lambda: path.read_bytes() != before)
        assert first + file.readall() == before  # and not the end of what it is now


def test_written_changed_moved_and_removed(store: Path, mount: Mounting) -> None:
    here = Mounted(mount(store))
    note = here.root / "notes" / "harbour.md"
    for year, time_ns in ((2261, 2**40 * 10**9), (1678, -(2**40) * 10**9)):  # of 64 bits, as tools may set
        (here.root / "notes" / f"{year}.txt").write_text("Beyond all years.")
        os.utime(here.root / "notes" / f"{year}.txt", ns=(time_ns, time_ns))
    note.write_text("# Harbour\n\nThe ferry leaves at noon.\n")
    until(lambda: here.found("ferry"))
    until(lambda: here.status()["complete"])
    assert here.indexed("harbour.md") == b"1"
    assert not any(here.status()["waiting"].values())
    document = here.root / "documents" / "harbour" / "text.txt"
    assert document.read_text() == note.read_text()

    same = [here.root / "@search/keyword/ferry/results.jsonl", here.root / "@grep/ferry leaves"]
    assert all("ferry" in path.read_text() for path in same)
    assert all("ferry" in path.read_text() for path in same)
    note.write_text("# Harbour\n\nThe barge leaves at noon.\n")
    assert here.found("ferry") == set()  # at once
    assert same[0].read_text() == ""  # and where it was asked before
    assert "context/agent" not in same[1].read_text()
    until(lambda: here.found("barge"))
    until(lambda: here.status()["complete"])
    assert here.indexed("harbour.md") == b"1"

    (here.root / "notes" / "quay").mkdir()
    note.rename(here.root / "notes" / "quay" / "landing.md")
    assert here.found("barge") and here.indexed("quay/landing.md") == b"1"
    until(lambda: here.status()["complete"])
    assert here.found("barge") and here.indexed("quay/landing.md") == b"1"

    (here.root / "notes" / "quay" / "landing.md").unlink()
    assert here.found("barge") == set()
    until(lambda: not (here.root / "documents" / "harbour").exists())
    until(lambda: here.status()["complete"])


def test_an_editor_and_a_kill(kgfs: Program, store: Path, mount: Mounting) -> None:
    """Acknowledged is kept, and followed up by the next daemon."""
    root = mount(store)
    here = Mounted(root)
    (root / "notes" / "a.md").write_text("One lantern.\n")
    until(lambda: here.status()["complete"] and here.found("lantern"))
    (root / "notes" / "a.md.tmp").write_text("Two violins.\n")
    (root / "notes" / "a.md.tmp").rename(root / "notes" / "a.md")
    (root / "notes" / "b.md").write_text("Three trumpets.\n")
    mounted = mounts.mount_at(root)
    assert mounted is not None
    pid = json.loads(kgfs("--store", store, "status", "--json").stdout)["process"]["pid"]
    os.kill(pid, signal.SIGKILL)
    until(lambda: mounts.is_stale(root))  # its threads take a while to end
    kgfs("--store", store, "mount", root)
    assert (root / "notes" / "a.md").read_text() == "Two violins.\n"
    until(lambda: here.found("violins") and here.found("trumpets"))
    assert here.found("lantern") == set()
    kgfs("--store", store, "wait", timeout=SECONDS)
    assert not any(here.status()["waiting"].values())
