"""``add``, ``rm`` and ``wait`` as processes: summaries, exit statuses, refusals, Ctrl-C, two at once, a kill."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.cli.test_commands import error_of, rows
from tests.conftest import Program, copy_store


class Noted(NamedTuple):
    """A folder of notes that was added to a store."""

    notes: Path
    store: Path


def write_notes(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for number in range(5):
        text = f"# Note {number}\n\nAcme Corp acquired Widget{number} Inc in 201{number}.\n"
        (folder / f"note{number}.md").write_text(text)


@pytest.fixture(scope="module")
def once(kgfs: Program, pristine_light_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Noted:
    """The notes, added once for all tests here."""
    directory = tmp_path_factory.mktemp("notes")
    write_notes(directory / "notes")
    store = copy_store(pristine_light_store, directory / "store")
    kgfs("--store", store, "add", directory / "notes", "--name", "mine")
    return Noted(directory / "notes", store)


@pytest.fixture
def noted(once: Noted, tmp_path: Path) -> Iterator[Noted]:
    """A copy of that store; the folder is as it was after the test."""
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in once.notes.iterdir()}
    yield Noted(once.notes, copy_store(once.store, tmp_path / "noted"))
    for path in once.notes.iterdir():
        if path not in before:
            path.unlink()
    for path, (data, mtime_ns) in before.items():
        path.write_bytes(data)
        os.utime(path, ns=(mtime_ns, mtime_ns))


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    write_notes(tmp_path / "notes")
    return tmp_path / "notes"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


def many(folder: Path, count: int = 15) -> Path:
    folder.mkdir(exist_ok=True)
    text = "The unemployment rate in Boston was {0} percent. Wages rose in the district.\n\n" * 3
    for number in range(count):
        (folder / f"report{number:03}.md").write_text(f"# Report {number}\n\n" + text.format(number))
    return folder


def added(kgfs: Program, *arguments: Any, status: int = 0) -> dict[str, Any]:
    """The summary of ``add --json``; progress lines come before it."""
    summary = rows(kgfs("--json", *arguments, status=status).stdout)[-1]
    assert isinstance(summary, dict)
    return summary


def test_the_first_add_makes_the_store_and_says_so(kgfs: Program, notes: Path, store: Path) -> None:
    said = kgfs("--store", store, "add", notes, "--name", "mine")
    assert "(new)" in said.stderr and str(notes) in said.stderr
    assert said.stdout.splitlines()[0] == "Added 5"
    assert "Next: kgfs mount" in said.stdout
    again = kgfs("--store", store, "add", notes)
    assert "(new)" not in again.stderr
    assert again.stdout.splitlines()[0] == "Added 0 · skipped 5 (5 unchanged)"


def test_changed_files_are_skipped_or_taken(kgfs: Program, noted: Noted) -> None:
    (noted.notes / "note0.md").write_text("# Note 0\n\nEntirely new words: zanzibar.\n")
    assert "1 file changed" in kgfs("--store", noted.store, "status").stdout
    summary = added(kgfs, "--store", noted.store, "add", noted.notes)
    assert summary["updated"] == 0 and sum(summary["skipped"].values()) == 5
    refused = kgfs("-q", "--store", noted.store, "add", noted.notes, "--on-conflict", "error", status=4)
    assert "overwrite" in error_of(refused)
    summary = added(kgfs, "--store", noted.store, "add", noted.notes, "--on-conflict", "overwrite")
    assert summary["updated"] == 1
    assert kgfs("--store", noted.store, "grep", "-l", "zanzibar", "context").stdout


def test_a_file_that_cannot_be_read_is_named_and_the_rest_goes_on(kgfs: Program, noted: Noted) -> None:
    (noted.notes / "broken.pdf").write_bytes(b"%PDF-1.4 and nothing more")
    (noted.notes / "small.bin").write_bytes(b"\0\1\2")
    done = kgfs("--store", noted.store, "add", noted.notes, status=5)
    assert "Added 1 · 1 of these without text · failed 1 · skipped 5 (5 unchanged)" in done.stdout
    assert "broken.pdf" in done.stderr
    (noted.notes / "esc\x1b[31m.pdf").write_bytes(b"%PDF-1.4 and nothing more")
    done = kgfs("-q", "--store", noted.store, "add", noted.notes, status=5)
    assert done.stdout == "" and "esc [31m.pdf: " in done.stderr, "what went wrong is no chatter, and one line each"


def test_a_dry_run_leaves_nothing(kgfs: Program, noted: Noted, store: Path) -> None:
    assert kgfs("--store", store, "add", noted.notes, "--dry-run").stdout.splitlines()[0] == "Would add 5"
    assert not store.exists()
    assert kgfs("--store", noted.store, "add", noted.notes, "--dry-run").stdout.startswith("Would add 0")


def test_what_is_left_out_is_counted(kgfs: Program, notes: Path, store: Path) -> None:
    (notes / ".hidden.md").write_text("hidden\n")
    (notes / "skip.log").write_text("log\n")
    (notes / ".gitignore").write_text("note4.md\n")
    summary = added(kgfs, "--store", store, "add", notes, "--exclude", "*.log", "--dry-run")
    assert summary["added"] == 4 and summary["skipped"]["hidden"] >= 1 and summary["skipped"]["ignored"] == 1
    assert added(kgfs, "--store", store, "add", notes, "--hidden", "--dry-run")["added"] > 4


def test_refusals(kgfs: Program, notes: Path, store: Path) -> None:
    kgfs("--store", store, "init")
    say = lambda *arguments, status: error_of(kgfs("--store", store, "add", *arguments, status=status))  # noqa: E731
    assert "no such file" in say(notes / "nothing", status=3)
    assert "inside the store" in say(store, status=2)
    assert "inside the store" in say(store / "catalog.duckdb", status=2)
    assert "set ANTHROPIC_API_KEY" in kgfs("--store", store, "add", notes, "--extractor", "llm", status=2).stderr
    assert "one source" in say(notes, notes / "note0.md", "--name", "x", status=2)
    assert "needs a daemon" in say(notes, "--background", status=2)


def test_what_holds_no_text_makes_no_source(kgfs: Program, tmp_path: Path, store: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "nowhere.md").symlink_to("gone.md")
    assert "device, pipe or socket" in error_of(kgfs("--store", store, "add", tmp_path / "pipe", status=2))
    assert "leads nowhere" in error_of(kgfs("--store", store, "add", tmp_path / "nowhere.md", status=3))
    assert not store.exists()


def test_rm(kgfs: Program, noted: Noted) -> None:
    notes, store = noted.notes, noted.store
    assert "directory" in error_of(kgfs("--store", store, "rm", "mine", status=4))
    assert kgfs("--store", store, "rm", notes / "note0.md").stdout.startswith("Removed 1 document;")
    kgfs("--store", store, "rm", f"disk:{notes}/note1.md", "documents/note2")
    assert (notes / "note0.md").exists()
    assert sorted(kgfs("--store", store, "ls", "sources/mine").stdout.split()) == ["note3.md", "note4.md"]
    assert kgfs("--store", store, "grep", "-l", "Widget0", status=1).stdout == ""
    assert "is not one document" in error_of(kgfs("--store", store, "rm", "entities", status=2))
    assert error_of(kgfs("--store", store, "rm", notes / "note0.md", status=3))
    assert kgfs("--store", store, "rm", "-r", "mine").stdout.startswith("Removed 2 documents and 1 source;")
    kgfs("--store", store, "status", "--check")


def test_ctrl_c_leaves_a_store_that_goes_on(kgfs: Program, tmp_path: Path, light_store: Path) -> None:
    folder, store = many(tmp_path / "many"), light_store
    running = kgfs.start("--store", store, "--json", "add", folder, "--hidden", start_new_session=True)
    assert running.stdout is not None and running.stderr is not None
    line = running.stdout.readline()
    assert json.loads(line)["progress"]
    os.killpg(running.pid, signal.SIGINT)
    _, err = running.communicate(timeout=60)
    assert running.returncode == 130
    error = json.loads(err.splitlines()[-1])["error"]
    assert (
        error["kind"] == "cancelled"
        and "nothing is lost" in error["message"]
        and f"`kgfs --store {store} --json add {folder} --hidden` goes on" in error["message"]
    )
    kgfs("--store", store, "wait")
    kgfs("--store", store, "add", folder)
    state = json.loads(kgfs("--store", store, "--json", "status", "--check").stdout)
    assert state["counts"]["documents"] == 15


def test_a_killed_add_goes_on(kgfs: Program, tmp_path: Path, light_store: Path) -> None:
    folder, store = many(tmp_path / "many"), light_store
    running = kgfs.start("--store", store, "--json", "add", folder)
    assert running.stdout is not None
    while json.loads(running.stdout.readline())["progress"]["stage"] != "extract":
        pass
    running.kill()
    running.communicate()
    assert running.returncode == -signal.SIGKILL
    assert "Not complete after 0.1 s" in error_of(kgfs("-q", "--store", store, "wait", "--timeout", "0.1", status=1))
    kgfs("--store", store, "status", "--check", status=1)
    assert kgfs("--store", store, "wait").stdout == "The index is complete.\n"
    state = json.loads(kgfs("--store", store, "--json", "status", "--check").stdout)
    assert state["counts"]["documents"] == 15


def test_two_adds_at_once_take_turns(kgfs: Program, tmp_path: Path, light_store: Path) -> None:
    first, second, store = many(tmp_path / "one", 6), many(tmp_path / "two", 6), light_store
    both = [kgfs.start("--store", store, "add", folder) for folder in (first, second)]
    said = [process.communicate(timeout=120) for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert all("Added 6" in out for out, _ in said)
    assert json.loads(kgfs("--store", store, "--json", "status", "--check").stdout)["counts"]["documents"] == 12


def test_others_are_answered_while_an_add_runs(kgfs: Program, tmp_path: Path, store: Path) -> None:
    running = kgfs.start("--store", store, "--json", "add", many(tmp_path / "many"))
    assert running.stdout is not None
    running.stdout.readline()
    state = json.loads(kgfs("--store", store, "--json", "status").stdout)
    assert state["jobs"][-1]["state"] == "running" and not state["process"]["daemon"]
    assert "AGENTS.md" in kgfs("--store", store, "ls").stdout
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=60)
    assert running.returncode == 130
