"""``mount --read-only``: nothing of the store changes, whatever door a change comes to."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.conftest import Mounting, Program, copy_store

pytestmark = pytest.mark.mount

FILES = {
    "alphabet.md": "title: Alphabet Inc.\ntype: Organization\naliases: [Alphabet]\n---\nAlphabet Inc. is a holding.\n",
    "google.md": "title: Google LLC\ntype: Organization\n---\nGoogle LLC acquired Looker in 2019, for 2.6 billion.\n",
}
CHANGES = [
    "context write agent:/ro.md --content x",
    "context write agent:/kept.md --content x --overwrite",
    "context edit agent:/kept.md --patches PATCHES",
    "context mkdir agent:/folder",
    "context copy agent:/kept.md agent:/other.md",
    "context move agent:/kept.md agent:/other.md",
    "context delete agent:/kept.md",
    "context restore agent:/kept.md 1",
    "context refresh",
    "entity merge Google_LLC Alphabet_Inc",
    "entity rename Google_LLC Google",
    "entity describe Google_LLC text",
    "entity add Somebody",
    "fact retract FACT",
    "fact add Google_LLC acquired Alphabet_Inc",
    "add DOCS",
    "add DOCS --background",
    "refresh --all",
    "rm -r DOCS",
    "rm agent:/kept.md --purge",
    "import BUNDLE",
    "fsck --repair",
    "reembed",
]


@pytest.fixture(scope="module")
def made(kgfs: Program, pristine_light_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store of two documents and a note that has a version, the documents, and a bundle of another."""
    place = tmp_path_factory.mktemp("made")
    (place / "docs").mkdir()
    for name, text in FILES.items():
        (place / "docs" / name).write_text(f"---\n{text}")
    store = copy_store(pristine_light_store, place / "store")
    say = lambda *arguments: kgfs("--store", store, *arguments)  # noqa: E731
    say("add", place / "docs", "--extractor", "offline")
    say("context", "write", "agent:/kept.md", "--content", "before\n")
    say("context", "write", "agent:/kept.md", "--content", "after\n", "--overwrite")
    kgfs("--store", place / "other", "init")
    kgfs("--store", place / "other", "context", "write", "agent:/theirs.md", "--content", "x", "--no-index")
    kgfs("--store", place / "other", "export", place / "bundle.jsonl")
    return place


@pytest.fixture
def store(made: Path, tmp_path: Path) -> Path:
    return copy_store(made / "store", tmp_path / "store")


def content(kgfs: Program, store: Path) -> list[str]:
    """All that a person has put in, and what follows from it."""
    views = ("context_items", "documents", "entities", "facts")
    found = [kgfs("--store", store, "--json", "sql", f"SELECT * FROM {view} ORDER BY ALL").stdout for view in views]
    sources = json.loads(kgfs("--store", store, "--json", "status").stdout)["sources"]
    sources = [(each["ref"], each["items"]) for each in sources]
    said = kgfs("--store", store, "entity", "history", "Google_LLC").stdout
    return [*found, json.dumps(sources), said, kgfs("--store", store, "context", "history", "agent:/kept.md").stdout]


@pytest.mark.slow
def test_nothing_is_changed_and_one_sentence_says_what_to_do(
    kgfs: Program, mount: Mounting, store: Path, made: Path
) -> None:
    facts = json.loads(kgfs("--store", store, "--json", "sql", "SELECT fact_id FROM facts LIMIT 1").stdout)
    place = mount(store, "--read-only")
    kgfs("--store", store, "wait")
    (made / "docs" / "new.md").write_text("# New\n\nAcme acquired Widget Inc.\n")
    before = content(kgfs, store)
    names = {"DOCS": made / "docs", "FACT": facts["fact_id"], "BUNDLE": made / "bundle.jsonl"}
    names["PATCHES"] = '[{"start_line": 1, "end_line": 1, "content": "x"}]'
    left = []
    for change in CHANGES:
        done = kgfs("--store", store, *(str(names.get(word, word)) for word in change.split()), status=None)
        said = done.stdout + done.stderr
        if done.returncode != 1 or "read-only" not in said or f"kgfs umount {place}" not in said:
            left.append((change, done.returncode, said))
    assert left == []
    assert content(kgfs, store) == before
    with pytest.raises(OSError, match="Read-only"):
        (place / "notes" / "x.md").write_text("x")
    assert os.listdir(place / "context" / "agent").count("kept.md") == 1


def test_what_only_reads_works_and_a_plain_mount_writes_again(kgfs: Program, mount: Mounting, store: Path) -> None:
    place = mount(store, "--read-only")
    say = lambda *arguments: kgfs("--store", store, *arguments).stdout  # noqa: E731
    for reading in ("ls", "cat AGENTS.md", "search --kind keyword holding", "context read agent:/kept.md", "fsck",
                    "context search holding", "refresh --all --dry-run", "wait", "entity show Google_LLC"):  # fmt: skip
        assert say(*reading.split()) or reading == "wait"
    drives = json.loads(say("--json", "context", "list"))["drives"]
    assert {each["drive"]: each["writable"] for each in drives} == {"agent": False, "disk": False}
    kgfs("umount", place)
    mount(store)
    say("context", "write", "agent:/ro.md", "--content", "x")
    assert "ro.md" in say("ls", "context/agent")
