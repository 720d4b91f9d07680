"""``watch``: bursts, moves, vanished files, a folder that goes and comes back, the limits of inotify, Ctrl-C."""

from __future__ import annotations

import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from llm_server import LlmServer, Reply

from kgfs.config import Config
from kgfs.errors import NotFoundError
from kgfs.llm.prices import PRICES
from kgfs.llm_records import LlmUsage
from kgfs.sources import watching
from kgfs.sources.watching import EventBurst, event_bursts, topmost_gone
from tests.cli.test_commands import error_of
from tests.conftest import Mounting, Program, copy_store

SECONDS = 120.0
FILES = 120


class Watching:
    """A ``kgfs watch`` that runs, and what it says."""

    def __init__(self, kgfs: Program, store: Path, place: Path, *arguments: str) -> None:
        self.process = kgfs.start("--store", store, "watch", place, *arguments, start_new_session=True)
        self.said: list[str] = []
        self._lines: queue.Queue[str] = queue.Queue()
        streams = (self.process.stdout, self.process.stderr)
        self._readers = [threading.Thread(target=self._read, args=(stream,), daemon=True) for stream in streams]
        for reader in self._readers:
            reader.start()

    def _read(self, stream: Any) -> None:
        with stream:
            for line in stream:
                self._lines.put(line)

    def until_each(self, *phrases: str) -> None:
        """Lines with each of these, in any order: they come from two streams."""
        wanted = set(phrases)
        while wanted:
            line = self.until()
            wanted -= {phrase for phrase in wanted if phrase in line}

    def until(self, *words: str) -> str:
        """The next line that has all these words."""
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            try:
                line = self._lines.get(timeout=0.2)
            except queue.Empty:
                assert any(reader.is_alive() for reader in self._readers), self.said
                continue
            self.said.append(line)
            if all(word in line for word in words):
                return line
        raise AssertionError(f"never said {words}: {self.said}")

    def end(self, number: int = signal.SIGINT) -> int:
        """Send a signal until it ends; its exit status."""
        deadline = time.monotonic() + 60
        while self.process.poll() is None and time.monotonic() < deadline:
            self.process.send_signal(number)
            try:
                self.process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                continue
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for reader in self._readers:
            reader.join(timeout=30)
        return self.process.returncode


Watch = Callable[..., Watching]


@pytest.fixture
def watch(kgfs: Program) -> Iterator[Watch]:
    started: list[Watching] = []

    def start(store: Path, place: Path, *arguments: str) -> Watching:
        started.append(Watching(kgfs, store, place, *arguments))
        return started[-1]

    yield start
    for each in started:
        each.end(signal.SIGKILL)


def note(place: Path, name: str, words: str = "words") -> Path:
    path = place / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"# {path.stem}\n\nAcme Corp has {words}.\n")
    return path


def eventually(condition: Callable[[], Any]) -> None:
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.mark.slow
@pytest.mark.mount
def test_a_folder_is_followed_through_the_daemon(
    kgfs: Program, watch: Watch, mount: Mounting, light_store: Path, tmp_path: Path
) -> None:
    notes, store = tmp_path / "notes", light_store
    for number in range(3):
        note(notes, f"note{number}.md")
    kgfs("--store", store, "config", "extractor", "none")  # this is about files
    kg = mount(store)
    running = watch(store, notes)
    running.until("Watching")
    documents = kg / "documents"
    assert (documents / "note2").is_dir()

    note(notes, "new.md", "zanzibar")
    running.until("1 new")
    assert "zanzibar" in (documents / "new" / "text.txt").read_text()

    (notes / "new.md").rename(notes / "newer.md")
    running.until("1 moved")
    assert os.readlink(documents / "new" / "original.md").endswith("/newer.md")

    (notes / "sub").mkdir()
    (notes / "note0.md").rename(notes / "sub" / "note0.md")
    (notes / "sub").rename(notes / "folder")
    running.until("1 moved")
    assert os.readlink(documents / "note0" / "original.md").endswith("/folder/note0.md")

    replacement = note(tmp_path, "saved.tmp", "another text")  # as editors save
    replacement.rename(notes / "note1.md")
    running.until("1 changed")

    for number in range(FILES):  # a checkout is one job
        note(notes / "repository" / f"part{number % 7}", f"file{number}.txt", str(number))
    before = len(running.said)
    eventually(lambda: running.until(" new") and len(list(documents.glob("file*"))) == FILES)
    assert len(running.said) - before <= 3, running.said

    shutil.rmtree(notes / "repository")
    running.until(f"{FILES} removed")
    (notes / "note2.md").unlink()
    running.until("1 removed")
    assert not (documents / "note2").exists()

    note(notes, ".hidden.md")
    note(notes, ".git/objects/x.md")
    (notes / ".gitignore").write_text("ignored.md\n")
    note(notes, "ignored.md")
    note(notes, "last.md")
    running.until("1 new")
    assert sorted(os.listdir(kg / "sources" / "notes")) == ["folder", "last.md", "newer.md", "note1.md"]

    # The folder itself goes: nothing is removed; what changed when it is back is taken.
    notes.rename(tmp_path / "away")
    running.until("is gone", "nothing is removed, waiting")
    notes.mkdir()
    time.sleep(2.5)
    note(tmp_path / "away", "while_away.md")
    (tmp_path / "away" / "last.md").unlink()
    notes.rmdir()
    (tmp_path / "away").rename(notes)
    running.until("is back")
    running.until_each("1 new", "1 vanished unseen and stay: `kgfs refresh notes --prune`")
    assert (documents / "last").is_dir()
    note(notes, "after.md")
    running.until("1 new")

    kgfs("--store", store, "rm", "-r", "notes")
    note(notes, "too_late.md")
    running.until("was taken out of the store")
    assert running.process.wait(timeout=60) == 3


def test_without_a_daemon(kgfs: Program, watch: Watch, light_store: Path, tmp_path: Path) -> None:
    notes, store = tmp_path / "notes", light_store
    note(notes, "a.md")
    (notes / "inner").mkdir()
    kgfs("--store", store, "config", "extractor", "none")
    running = watch(store, notes)
    running.until("Adding")
    running.until("Watching")
    note(notes, "b.md", "zanzibar")
    running.until("1 new")
    assert kgfs("--store", store, "grep", "-l", "zanzibar", "context").stdout
    kgfs("--store", store, "status", "--check")  # the store is free between bursts, and complete
    (notes / "a.md").unlink()
    running.until("1 removed")
    assert running.end() == 130
    running.until("Stopped watching", "goes on")
    # What changed while nobody watched is taken at the next start; what vanished then stays.
    note(notes, "c.md")
    (notes / "b.md").unlink()
    again = watch(store, notes)
    again.until_each("1 new", "1 vanished unseen and stay")
    assert again.end() == 130


@pytest.mark.slow
def test_a_store_inside_and_a_part_of_a_source(
    kgfs: Program, watch: Watch, pristine_light_store: Path, tmp_path: Path
) -> None:
    """The store's own files are no changes; a folder in a source is no source of its own."""
    notes = tmp_path / "notes"
    note(notes / "sub", "a.md")
    store = copy_store(pristine_light_store, notes / "data")
    kgfs("--store", store, "add", notes, "--extractor", "none")
    running = watch(store, notes / "sub")
    running.until("Watching")
    note(notes / "sub", "b.md")
    running.until("1 new")
    assert running.end() == 130
    whole = watch(store, notes)
    whole.until("Watching")
    note(notes, "c.md")
    whole.until("1 new")
    time.sleep(3)
    assert whole.end() == 130
    state = json.loads(kgfs("--store", store, "--json", "status").stdout)
    assert [source["name"] for source in state["sources"]] == ["notes"]
    with pytest.raises(AssertionError):
        whole.until("unchanged")


@pytest.mark.slow
@pytest.mark.mount
def test_a_budget_is_for_all_that_is_watched(
    kgfs: Program, watch: Watch, mount: Mounting, light_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes, store = tmp_path / "notes", light_store
    notes.mkdir()
    usage = {"input_tokens": 20_000, "output_tokens": 1_000}
    each = PRICES[Config().llm_model].cost(LlmUsage(**usage))
    empty = {"entities": [], "facts": [], "topics": [], "summary": ""}
    with LlmServer(lambda _request: Reply(input=empty, usage=usage)) as server:
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        mount(store)
        kgfs("--store", store, "add", notes)
        wrong = watch(store, notes, "--budget", "0")  # it would never hold: nobody waits for it to get better
        wrong.until("--budget is a number of US dollars above 0")
        assert wrong.process.wait(timeout=60) == 2
        budget = 3.5 * each
        running = watch(store, notes, "--budget", str(budget))
        running.until("Watching")
        asked = 0
        for number in range(8):
            note(notes, f"note{number}.md", str(number))
            running.until("1 new")
            if len(server.requests) == asked:
                break
            asked = len(server.requests)
        spent = f"{asked * each:.4f} of {budget:g} USD are spent since watching began"
        if not any(spent in line for line in running.said):  # of two streams: it may have come first
            running.until(spent)
        assert 2 <= asked <= 3, "bursts share it"
        assert running.end() == 130


def test_refusals(kgfs: Program, tmp_path: Path) -> None:
    file = note(tmp_path, "a.md")
    store = tmp_path / "store"
    say = lambda *arguments, status: error_of(kgfs("--store", store, "watch", *arguments, status=status))  # noqa: E731
    assert "watch the folder" in say(file, status=2)
    assert "no such file or folder" in say(tmp_path / "none", status=3)
    kgfs("--store", store, "init")
    assert "inside the store" in say(store, status=2)


PROBE = """
import sys
from pathlib import Path
from kgfs.sources.watching import event_bursts
place = Path(sys.argv[1])
folders = lambda: [place, *(path for path in place.rglob("*") if path.is_dir())]
for number, seen in enumerate(event_bursts(folders, lambda path: True, lambda text: print("NOTE", text, flush=True))):
    if number == 0:
        assert seen.everything
        (place / "a" / "new.md").write_text("x")
    elif seen:
        print("SEEN", *sorted(path.name for path in seen.paths), flush=True)
        break
"""


@pytest.mark.parametrize("limit", ["watches", "instances"])
def test_where_the_system_cannot_watch_it_is_looked_through(tmp_path: Path, limit: str) -> None:
    (tmp_path / "notes" / "a" / "b" / "c").mkdir(parents=True)
    (tmp_path / "probe.py").write_text(PROBE)
    shell = f'echo {1 if limit == "watches" else 0} > /proc/sys/user/max_inotify_{limit} || exit 99; exec "$@"'
    done = subprocess.run(
        ["unshare", "-Ur", "sh", "-c", shell, "sh", sys.executable, tmp_path / "probe.py", tmp_path / "notes"],
        capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    if done.returncode == 99 or "unshare" in done.stderr:
        pytest.skip("no user namespace with limits of its own here")
    assert done.returncode == 0, done.stderr
    assert "NOTE The system cannot watch so many folders" in done.stdout and "every 2 s" in done.stdout
    assert "SEEN" in done.stdout and "new.md" in done.stdout


# --- bursts --------------------------------------------------------------------------------------------------------


def next_burst(seen_here: Iterator[EventBurst], wanted: Callable[[EventBurst], bool] = bool) -> EventBurst:
    for _ in range(100):
        seen = next(seen_here)
        if wanted(seen):
            return seen
    raise AssertionError("nothing was seen")


@pytest.mark.slow
def test_bursts(tmp_path: Path) -> None:
    place = tmp_path / "notes"
    place.mkdir()
    notes: list[str] = []
    (place / "up").symlink_to(tmp_path)  # nobody watches what links lead to

    def folders() -> list[Path]:
        return [place, *(path for path in place.rglob("*") if path.is_dir() and not path.is_symlink())]

    seen_here = event_bursts(folders, lambda path: path.suffix != ".log", notes.append)
    assert next(seen_here) == EventBurst(everything=True)
    assert next(seen_here) == EventBurst()
    (place / "a.md").write_text("a")
    (place / "x.log").write_text("x")
    assert next_burst(seen_here).paths == {place / "a.md"}
    (place / "a.md").rename(place / "b.md")
    assert next_burst(seen_here) == EventBurst(paths={place / "a.md", place / "b.md"}, gone={place / "a.md"})
    (place / "deep" / "er").mkdir(parents=True)
    (place / "deep" / "er" / "c.md").write_text("c")
    (place / "b.md").unlink()
    assert next_burst(seen_here) == EventBurst(gone={place / "b.md"}, everything=True)
    (place / "deep" / "er" / "d.md").write_text("d")
    assert next_burst(seen_here).paths == {place / "deep" / "er" / "d.md"}
    (place / "deep").rename(place / "shallow")
    assert next_burst(seen_here) == EventBurst(gone={place / "deep"}, everything=True)
    (place / "shallow" / "er" / "d.md").write_text("e")
    assert next_burst(seen_here).paths == {place / "shallow" / "er" / "d.md"}
    (place / ".gitignore").write_text("x")
    assert next_burst(seen_here).everything
    with open(os.fsencode(place) + b"/caf\xe9.md", "w") as file:  # cannot be told, but is not missed
        file.write("x")
    assert next_burst(seen_here, lambda seen: seen.everything)
    next_burst(seen_here, lambda seen: not seen)
    (place / "after.md").write_text("x")
    assert next_burst(seen_here).paths == {place / "after.md"}
    shutil.rmtree(place)
    (tmp_path / "outside").write_text("x")
    with pytest.raises(NotFoundError):
        while True:
            next(seen_here)
    assert notes == []


def test_many_paths_are_everything(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(watching, "MANY", 3)
    seen = EventBurst()
    seen.add(EventBurst(paths={tmp_path / str(number) for number in range(3)}))
    assert not seen.everything
    seen.add(EventBurst(paths={tmp_path / "more"}, gone={tmp_path / "more"}))
    assert seen.everything and seen.gone == {tmp_path / "more"}


def test_what_vanished_is_told_by_its_uppermost_folder(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    gone = {tmp_path / name for name in ("a/b/c.md", "a/b/d.md", "a/e.md", "there/x.md", "y.md")}
    assert topmost_gone(gone, tmp_path) == [tmp_path / "a", tmp_path / "there/x.md", tmp_path / "y.md"]
    assert topmost_gone(set(), tmp_path) == []
