"""``refresh``, ``rm`` of a source and what ``status`` says of sources, as processes, with a mount and without."""

from __future__ import annotations

import json
import os
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from kgfs.service.sources import source_changes
from kgfs.service.sources.source_changes import SourceChanges
from kgfs.store.catalog.database import Database
from kgfs.store.files import sources
from tests.cli.test_commands import error_of
from tests.conftest import Program, copy_store, mounting


def write_notes(folder: Path, count: int = 6) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        text = (
            f"# Note {number}\n\nAcme Corp acquired Widget{number} Inc in 201{number}. See [it](note{number + 1}.md).\n"
        )
        (folder / f"note{number}.md").write_text(text)
    return folder


def status_of(kgfs: Program, store: Path) -> dict[str, dict[str, Any]]:
    """What ``status`` says of each source, looked at anew."""
    state = json.loads(kgfs("--store", store, "--json", "status").stdout)
    return {source["name"]: source for source in state["sources"]}


def refreshed(kgfs: Program, store: Path, *arguments: str | Path, status: int = 0) -> dict[str, dict[str, int]]:
    """Source to its numbers that are not 0."""
    done = kgfs("--store", store, "--json", "-q", "refresh", *arguments, status=status)
    names = ("added", "updated", "moved", "removed", "vanished", "unchanged")
    summary = json.loads(done.stdout.splitlines()[-1])
    return {
        source["name"]: {name: source[name] for name in names if source[name]} for source in summary["sources"]
    }  # fmt: skip


class Place(NamedTuple):
    notes: Path
    store: Path
    kg: Path


@pytest.fixture(scope="module")
def mounted(kgfs: Program, pristine_light_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """Notes that were added and are mounted; the tests of this module follow each other on it."""
    directory = tmp_path_factory.mktemp("mounted")
    notes, store = write_notes(directory / "notes"), copy_store(pristine_light_store, directory / "store")
    (notes / "skip.log").write_text("left out\n")
    kgfs("--store", store, "add", notes, "--name", "mine", "--exclude", "*.log")
    with mounting(kgfs, directory) as mount:
        yield Place(notes, store, mount(store))


@pytest.mark.mount
class TestMounted:
    """In order."""

    def test_nothing_changed(self, kgfs: Program, mounted: Place) -> None:
        notes, store, _ = mounted
        assert status_of(kgfs, store)["mine"] == {
            "name": "mine", "ref": f"disk:{notes}", "path": str(notes), "items": 6, "changed": 0, "new": 0,
            "vanished": 0, "complete": True, "missing": False, "problem": "",
        }  # fmt: skip
        assert "6 files, unchanged" in kgfs("--store", store, "status").stdout
        assert refreshed(kgfs, store, "mine") == {"mine": {"unchanged": 6}}

    def test_what_changed_is_said_and_read(self, kgfs: Program, mounted: Place) -> None:
        notes, store, kg = mounted
        time.sleep(source_changes.KEPT_SECONDS)  # what was seen is kept for some seconds
        (notes / "note0.md").write_text("# Note 0\n\nEntirely new words: zanzibar.\n")
        (notes / "new.md").write_text("# New\n\nQuagga.\n")
        (notes / "note1.md").unlink()
        said = kgfs("--store", store, "status").stdout
        assert "1 file changed, 1 new, 1 vanished: kgfs refresh mine" in said
        dry = kgfs("--store", store, "refresh", "mine", "--dry-run").stdout
        for line in (
            "changed   ",
            "new       ",
            "vanished  ",
            "would be: 1 changed · 1 new · 1 vanished · 4 unchanged",
        ):
            assert line in dry
        assert "zanzibar" not in (kg / "documents" / "note0" / "text.txt").read_text()
        done = kgfs("--store", store, "refresh", "mine")
        assert "1 changed · 1 new · 1 vanished · 4 unchanged · 1 left out (1 excluded)" in done.stdout
        assert "`kgfs refresh mine --prune` removes it" in done.stderr
        assert "Removing" not in done.stderr
        assert "zanzibar" in (kg / "documents" / "note0" / "text.txt").read_text()
        assert "Quagga" in (kg / "sources" / "mine" / "new.md").read_text()
        assert "1 vanished: kgfs refresh mine" in kgfs("--store", store, "status").stdout  # not what was kept
        assert refreshed(kgfs, store, "--all", "--prune") == {"mine": {"unchanged": 6, "removed": 1}}
        assert not (kg / "documents" / "note1").exists()
        assert sorted(os.listdir(kg / "sources" / "mine")) == sorted(set(os.listdir(notes)) - {"skip.log"})

    def test_a_move_is_seen_on_the_mount(self, kgfs: Program, mounted: Place) -> None:
        notes, store, kg = mounted
        document, facts = kg / "documents" / "note2", sorted(os.listdir(kg / "facts" / "by_type"))
        before, number = os.readlink(document / "original.md"), (document / "text.txt").stat().st_ino
        assert (kg / "sources" / "mine" / "note2.md").exists()
        (notes / "sub").mkdir()
        (notes / "note2.md").rename(notes / "sub" / "note2.md")
        assert refreshed(kgfs, store, notes) == {"mine": {"unchanged": 5, "moved": 1}}
        after = os.readlink(document / "original.md")
        assert before.replace("/note2.md", "/sub/note2.md") == after
        assert (document / "original.md").read_text() == (notes / "sub" / "note2.md").read_text()
        assert (document / "text.txt").stat().st_ino == number
        assert not (kg / "sources" / "mine" / "note2.md").exists()
        assert json.loads((document / "metadata.json").read_text())["origin"] == f"disk:{notes}/sub/note2.md"
        assert sorted(os.listdir(kg / "facts" / "by_type")) == facts
        for chunk in (kg / "chunks" / "by_document" / "note2").glob("chunk_*"):
            assert json.loads((chunk / "metadata.json").read_text())["origin"] == f"disk:{notes}/sub/note2.md"

    def test_every_way_to_name_a_part(self, kgfs: Program, mounted: Place) -> None:
        notes, store, kg = mounted
        for number, name in enumerate((
            notes / "sub", "sources/mine/sub", f"disk:{notes}/sub", kg / "sources" / "mine" / "sub",
            kg / "documents" / "note2", f"/kg/context/disk{notes}/sub", notes / "sub" / "note2.md",
        )):  # fmt: skip
            (notes / "sub" / "note2.md").write_text(f"# Note 2\n\nVersion {number}.\n")
            (notes / "note3.md").write_text(f"# Note 3\n\nVersion {number}.\n")  # outside of it
            assert refreshed(kgfs, store, name) == {"mine": {"updated": 1}}, name
        assert refreshed(kgfs, store, "mine") == {"mine": {"updated": 1, "unchanged": 5}}
        (notes / "sub" / "newer.md").write_text("# Newer\n")
        assert refreshed(kgfs, store, notes / "sub" / "newer.md") == {"mine": {"added": 1}}

    def test_refusals(self, kgfs: Program, mounted: Place, tmp_path: Path) -> None:
        store = mounted.store
        say = lambda *arguments, status: error_of(kgfs("-q", "--store", store, "refresh", *arguments, status=status))  # noqa: E731
        assert "--all" in say(status=2)
        assert "--all" in say("mine", "--all", status=2)
        assert "no source and lies in none" in say("nothing", status=3)
        assert "no source and lies in none" in say(tmp_path, status=3)
        assert "no source and lies in none" in say("entities", status=3)
        assert "no source and lies in none" in say("f_0123456789abcdef", status=3)

    def test_files_that_fail_are_said_and_the_rest_goes_on(self, kgfs: Program, mounted: Place) -> None:
        notes, store, _ = mounted
        (notes / "broken.pdf").write_bytes(b"%PDF-1.4 and nothing more")
        (notes / "fine.md").write_text("# Fine\n")
        done = kgfs("--store", store, "refresh", "mine", status=5)
        assert "1 new · 1 failed · 7 unchanged" in done.stdout
        assert "broken.pdf: " in done.stderr
        assert refreshed(kgfs, store, "mine") == {"mine": {"unchanged": 9}}

    def test_a_source_out_of_reach_keeps_all(self, kgfs: Program, mounted: Place) -> None:
        notes, store, kg = mounted
        away = notes.with_name("away")
        notes.rename(away)
        said = error_of(kgfs("-q", "--store", store, "refresh", "mine", "--prune", status=3))
        assert "it is not there" in said and "kgfs rm -r mine" in said
        assert "not there now; what was read from it stays" in kgfs("--store", store, "status").stdout
        notes.mkdir()
        done = kgfs("--store", store, "refresh", "mine", "--prune", status=5)
        assert "nothing is removed: it is empty" in done.stderr and "Removing" not in done.stderr
        time.sleep(source_changes.KEPT_SECONDS)
        assert "9 files out of reach: it is empty" in kgfs("--store", store, "status").stdout
        assert (kg / "documents" / "note2").is_dir()
        notes.rmdir()
        away.rename(notes)
        assert refreshed(kgfs, store, "mine", "--prune") == {"mine": {"unchanged": 9}}

    def test_a_second_source_inside_and_its_end(self, kgfs: Program, mounted: Place) -> None:
        notes, store, kg = mounted
        kgfs("--store", store, "add", notes / "sub", "--name", "inner")
        assert sorted(os.listdir(kg / "sources")) == ["inner", "mine"]  # though not one document is new
        kgfs("--store", store, "add", notes / "sub", "--name", "other")
        assert sorted(os.listdir(kg / "sources")) == ["mine", "other"]
        assert "is a directory with 7 files; remove the whole source with -r" in error_of(
            kgfs("--store", store, "rm", "mine", status=4)
        )
        done = kgfs("--store", store, "rm", "-r", "mine")
        assert done.stdout == "Removed 7 documents and 1 source; the files on disk are untouched.\n"
        assert "2 stay: another source has them too" in done.stderr
        assert os.listdir(kg / "sources") == ["other"]
        assert sorted(os.listdir(kg / "documents")) == ["_index.json", "_index.tsv", "newer", "note2"]
        done = kgfs("--store", store, "rm", "-r", notes / "sub")
        assert done.stdout == "Removed 2 documents and 1 source; the files on disk are untouched.\n"
        assert os.listdir(kg / "sources") == []
        kgfs("--store", store, "status", "--check")
        assert "no sources" in kgfs("--store", store, "refresh", "--all").stdout


@pytest.mark.slow
def test_without_a_daemon(kgfs: Program, tmp_path: Path) -> None:
    notes, store = write_notes(tmp_path / "notes", 3), tmp_path / "store"
    kgfs("--store", store, "add", notes)
    (notes / "note0.md").write_text("# Note 0\n\nZanzibar.\n")
    (notes / "note1.md").rename(notes / "renamed.md")
    (notes / "note2.md").unlink()
    seen = status_of(kgfs, store)["notes"]
    assert (seen["changed"], seen["new"], seen["vanished"]) == (1, 1, 2)
    before = copy_store(store, tmp_path / "before")
    assert refreshed(kgfs, store, "notes", "--dry-run", "--prune") == {
        "notes": {"updated": 1, "moved": 1, "removed": 1}
    }
    with Database.open(before) as was, Database.open(store) as now:
        for table in ("context_items", "documents", "chunks", "facts", "sources"):
            assert was.fetch(f"SELECT * FROM {table}") == now.fetch(f"SELECT * FROM {table}")
    done = kgfs("--store", store, "refresh", "notes", "--prune")
    assert "1 changed · 1 moved · 1 removed" in done.stdout
    assert "Reading" in done.stderr
    kgfs("--store", store, "status", "--check")  # no vector waits
    said = kgfs("--store", store, "rm", notes / "renamed.md").stderr
    assert "still lies in notes is read again" in said
    kgfs("--store", store, "status", "--check")
    shutil.rmtree(before)


def test_summary_of_add_counts_each_file_once(kgfs: Program, tmp_path: Path) -> None:
    notes, store = write_notes(tmp_path / "notes", 1), tmp_path / "store"
    (notes / "broken.pdf").write_bytes(b"%PDF-1.4 and nothing more")
    done = kgfs("--store", store, "add", notes, "--extractor", "none", status=5)
    assert done.stdout.splitlines()[0] == "Added 1 · failed 1"


# --- looking at sources takes bounded time -------------------------------------------------------------------------


@pytest.fixture
def looked_at(tmp_path: Path) -> Iterator[tuple[Path, Database]]:
    notes = write_notes(tmp_path / "notes", 200)
    with Database.open(tmp_path / "store", create=True) as database:
        database.write(lambda cursor: sources.put_source(cursor, "disk", str(notes), None, {}))
        yield notes, database


def test_a_look_is_kept_for_a_moment_and_forgotten_with_each_job(looked_at: tuple[Path, Database]) -> None:
    notes, database = looked_at
    changes = SourceChanges(database)
    assert changes.describe()[0]["new"] == 200
    (notes / "more.md").write_text("# More\n")
    assert changes.describe()[0]["new"] == 200
    changes.forget()
    assert changes.describe()[0]["new"] == 201


def test_a_look_that_takes_too_long_is_a_lower_bound(
    looked_at: tuple[Path, Database], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, database = looked_at
    monkeypatch.setattr(source_changes, "LOOK_SECONDS", 0.0)
    (state,) = SourceChanges(database).describe()
    assert not state["complete"] and state["new"] < 200


def test_a_file_system_that_does_not_answer_holds_nobody(
    looked_at: tuple[Path, Database], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, database = looked_at
    answer, asked = threading.Event(), []

    def hang(path: Path) -> bool:
        asked.append(path)
        answer.wait(60)
        return False

    monkeypatch.setattr(source_changes.source_roots, "is_missing", hang)
    monkeypatch.setattr(source_changes, "LOOK_SECONDS", 0.1)
    monkeypatch.setattr(source_changes, "PATIENCE_SECONDS", 0.1)
    changes = SourceChanges(database)
    for _ in range(3):
        assert [(state["complete"], state["new"]) for state in changes.describe()] == [(False, 0)]
    assert len(asked) == 1  # it is not asked again while it hangs
    answer.set()
    monkeypatch.undo()
    assert changes._looking is not None
    changes._looking.join()
    changes.forget()
    assert changes.describe()[0]["new"] == 200


def test_what_vanished_is_named(kgfs: Program, light_store: Path, tmp_path: Path) -> None:
    notes = write_notes(tmp_path / "notes", 30)
    kgfs("--store", light_store, "add", notes, "--extractor", "none")
    gone = sorted(str(notes / f"note{number}.md") for number in range(2, 27))
    for path in gone:
        os.unlink(path)
    said = kgfs("--store", light_store, "refresh", "notes").stdout
    assert [line.split()[1] for line in said.splitlines() if line.startswith("  vanished")] == gone[:20]
    assert "  and 5 more vanished: --json names all" in said
    (source,) = json.loads(kgfs("--store", light_store, "--json", "-q", "refresh", "notes").stdout)["sources"]
    assert (source["vanished"], source["vanished_paths"], source["removed_paths"]) == (25, gone, [])
    said = kgfs("--store", light_store, "refresh", "notes", "--prune").stdout
    assert [line.split()[1] for line in said.splitlines() if line.startswith("  removed")] == gone[:20]
