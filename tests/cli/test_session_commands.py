"""``kgfs session`` as a user runs it, with a mount and without one; sessions in backups and checks."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kgfs.agentfs.checking import check as rules
from kgfs.agentfs.database import AgentDatabase
from kgfs.agentfs.filesystem.workspace import Workspace
from kgfs.agentfs.overlays.overlay import Overlay
from tests.agentfs.session_sides import body, put
from tests.conftest import Mounting, Program, copy_store
from tests.memory_file_system import MemoryFileSystem

TEXT = (
    "---\ntitle: Acme Inc.\ntype: Organization\n---\nAcme Inc. acquired Looker LLC in 2019. Looker LLC shows charts.\n"
)


@pytest.fixture(scope="module")
def made(kgfs: Program, pristine_light_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of one document with a fact; nobody opens it."""
    directory = tmp_path_factory.mktemp("sessions")
    (directory / "acme.md").write_text(TEXT)
    copy_store(pristine_light_store, directory / "store")
    kgfs("--store", directory / "store", "add", directory / "acme.md", "--extractor", "offline")
    return directory / "store"


@pytest.fixture
def store(made: Path, tmp_path: Path) -> Path:
    return copy_store(made, tmp_path / "store")


class Changed:
    """What is in a session of a store that nobody has open."""

    def __init__(self, store: Path, name: str) -> None:
        self._path = store / f"sessions/{name}.db"

    def __enter__(self) -> Overlay:
        self._database = AgentDatabase(self._path, create=False)
        base = MemoryFileSystem()
        put(base, b"context/agent/.keep")
        put(base, b"workspace/.keep")
        self.overlay = Overlay(base, self._database)
        return self.overlay

    def __exit__(self, *_: object) -> None:
        self.overlay.close()
        self._database.close()


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.slow
def test_without_a_mount(kgfs: Program, store: Path, tmp_path: Path) -> None:
    session: tuple[str | Path, ...] = ("--store", store, "session")
    assert "There are no sessions" in kgfs(*session, "list").stdout
    assert "kgfs session commit s" in kgfs(*session, "new", "s").stdout
    assert "There is a session s already" in kgfs(*session, "new", "s", status=4).stderr
    assert "no name of a session" in kgfs(*session, "new", "../x", status=2).stderr
    assert "Nothing was changed." in kgfs(*session, "diff", "s").stdout
    with Changed(store, "s") as overlay:
        put(overlay, b"context/agent/note.md", b"# Note\nWages rose.\n")
        put(overlay, b"workspace/file", b"scratch")
    said = "A  file       context/agent/note.md\nA  file       workspace/file\n"
    assert kgfs(*session, "diff", "s").stdout == said
    assert "+Wages rose." in kgfs(*session, "diff", "s", "--patch").stdout
    (one, *_) = lines(kgfs(*session, "diff", "s", "--patch", "--json").stdout)
    assert one["kind"] == "A" and "+# Note\n" in one["patch"]
    kgfs(*session, "fork", "s", "t")
    (first, second) = lines(kgfs(*session, "list", "--json").stdout)
    assert (first["name"], second["name"]) == ("s", "t")
    assert first["changes"] == second["changes"] == {"A": 2} and second["forked_from"] == "s"
    assert first["created_at"].endswith("Z") and first["bytes"] > 0
    kgfs(*session, "snapshot", "s", tmp_path / "snapshot.db")
    kgfs(*session, "export", "s", tmp_path / "export.db")
    assert "--force replaces it" in kgfs(*session, "export", "s", tmp_path / "export.db", status=4).stderr
    for name in ("snapshot.db", "export.db"):
        with AgentDatabase(tmp_path / name) as database:
            files = Workspace(database)
            assert body(files, b"workspace/file") == b"scratch"
            files.close()
    kgfs("--store", store, "workspace", "import", tmp_path / "export.db", "from")
    done = kgfs(*session, "commit", "s", "--no-index").stdout
    assert "2 changes committed; `kgfs wait` makes it searchable." in done and "Nothing is left in the session" in done
    assert "Wages rose." in kgfs("--store", store, "cat", "notes/note.md").stdout
    # What was committed from one is as the other has it.
    assert "Session t and 0 changes in it are gone." in kgfs(*session, "discard", "t").stdout
    kgfs(*session, "discard", "t", status=3)
    assert [one["name"] for one in lines(kgfs(*session, "list", "--json").stdout)] == ["s"]


def test_on_a_mount(
    kgfs: Program, store: Path, mount: Mounting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    kg = mount(store)
    session: tuple[str | Path, ...] = ("--store", store, "session")
    here = kg / "@session/s"
    (made,) = lines(kgfs(*session, "new", "s", "--json").stdout)
    assert made == {"name": "s", "mounted": True, "path": str(here)}
    (here / "notes/a.md").write_text("one\n")
    (kg / "notes/a.md").write_text("two\n")
    (here / "notes/b.md").write_text("b\n")
    done = kgfs(*session, "commit", "s", "--json", status=4)
    (result,) = lines(done.stdout)
    assert [one["path"] for one in result["committed"]] == ["context/agent/b.md"]
    assert [one["path"] for one in result["conflicts"]] == ["context/agent/a.md"]
    folder = Path(result["folder"])
    assert folder.parent == tmp_path
    texts = {path.name: path.read_text() for path in (folder / "context/agent").iterdir()}
    assert texts == {"a.md.theirs": "two\n", "a.md.ours": "one\n"}
    assert (kg / "notes/a.md").read_text() == "two\n" and (kg / "notes/b.md").read_text() == "b\n"
    said = kgfs(*session, "diff", "s", "--conflicts").stdout
    assert said.startswith("M  context/agent/a.md\n") and ".base, .theirs and .ours" in said
    (here / "notes/a.md").write_text("both\n")
    assert "conflict M  context/agent/a.md" in kgfs(*session, "commit", "s", status=4).stderr
    assert "1 change committed" in kgfs(*session, "commit", "s", "--force").stdout
    assert (kg / "notes/a.md").read_text() == "both\n"
    assert "There are no conflicts." in kgfs(*session, "diff", "s", "--conflicts").stdout
    (here / "AGENTS.md").write_text("mine")
    kept = kgfs(*session, "commit", "s")
    assert "kept M  AGENTS.md: this change cannot be committed; it exists only in the session" in kept.stderr
    assert "1 change left in the session." in kept.stdout


def test_edits_of_pages_are_annotations(kgfs: Program, store: Path, mount: Mounting) -> None:
    kg = mount(store)
    kgfs("--store", store, "session", "new", "s")
    entity = next((kg / "entities").glob("*/Acme_Inc"))
    here = kg / "@session/s"
    summary = here / entity.relative_to(kg) / "summary.txt"
    text = summary.read_text()
    first, described, rest = text.split("\n\n", 2)
    assert described == "Acme Inc. acquired Looker LLC in 2019."
    summary.write_text(f"{first}\n\nAcme makes anvils.\n\n{rest}")
    (fact,) = (kg / "facts/by_type/ACQUIRED").glob("f_*.json")
    (here / fact.relative_to(kg)).unlink()
    other = next(path for path in (here / "entities").glob("*/Looker*/summary.txt"))
    other.write_text("nonsense")
    done = kgfs("--store", store, "session", "commit", "s")
    assert "(Acme Inc. is described so)" in done.stdout and f"(fact {fact.stem} is retracted)" in done.stdout
    assert "only a new description" in done.stderr
    assert "Acme makes anvils." in (entity / "summary.txt").read_text() and not fact.exists()
    assert summary.read_text() == (entity / "summary.txt").read_text()
    # And back.
    kgfs("--store", store, "entity", "undo", "Acme_Inc")
    kgfs("--store", store, "fact", "restore", fact.stem)
    assert "anvils" not in (entity / "summary.txt").read_text() and fact.exists()
    assert "anvils" not in summary.read_text()


@pytest.fixture
def kept(kgfs: Program, store: Path) -> Iterator[Path]:
    """A store with a session in which a file was made."""
    kgfs("--store", store, "session", "new", "s")
    with Changed(store, "s") as overlay:
        put(overlay, b"workspace/file", b"scratch")
    yield store


def test_a_backup_has_sessions(kgfs: Program, kept: Path, tmp_path: Path) -> None:
    kgfs("--store", kept, "backup", "--no-vectors", tmp_path / "backup")
    kgfs("--store", tmp_path / "other", "restore", tmp_path / "backup")
    assert kgfs("--store", tmp_path / "other", "session", "diff", "s").stdout == "A  file       workspace/file\n"
    with Changed(tmp_path / "other", "s") as overlay:
        assert body(overlay, b"workspace/file") == b"scratch"


def test_fsck_looks_at_sessions(kgfs: Program, kept: Path) -> None:
    fsck: tuple[str | Path, ...] = ("--store", kept, "fsck")
    connection = sqlite3.connect(kept / "sessions/s.db")
    with connection:
        connection.execute("UPDATE fs_inode SET nlink = 7 WHERE ino = 1")
        connection.execute("INSERT INTO fs_whiteout (path, parent_path, created_at) VALUES ('/a/b', '/x', 1)")
    connection.close()
    said = kgfs(*fsck, "--repair", status=5).stdout
    assert "session s:" in said and "agent-whiteouts: 1" in said
    with AgentDatabase(kept / "sessions/s.db") as database:
        assert rules.check(database) == []
    (kept / "sessions/s.db").write_bytes(b"no database, but some text of its own")
    assert "session: 1" in kgfs(*fsck, status=1).stdout
    kgfs("--store", kept, "session", "diff", "s", status=1)
    assert "is no SQLite file" in kgfs("--store", kept, "session", "list").stderr
    kgfs("--store", kept, "session", "discard", "s")
    assert not (kept / "sessions/s.db").exists()
