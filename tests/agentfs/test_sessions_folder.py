"""The folder of sessions: making, forking, copying and discarding them, and files that cannot be used."""

from __future__ import annotations

import errno
import sqlite3
import stat
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kgfs.agentfs.database import AgentDatabase
from kgfs.agentfs.filesystem.grafts import EmptyDirectory, Grafted
from kgfs.agentfs.filesystem.workspace import Workspace
from kgfs.agentfs.overlays.sessions import Sessions
from kgfs.errors import ConflictError, ExistsError, KgfsError, NotFoundError, StoreError, UsageError
from kgfs.filesystem import ROOT
from tests.agentfs.session_sides import at, body, names, put
from tests.memory_file_system import MemoryFileSystem
from tests.posix_contract import fails


class Folder:
    def __init__(self, path: Path) -> None:
        self.path = path / "sessions"
        self.base = MemoryFileSystem(0, 0)
        put(self.base, b"docs/one", b"one")
        self.sessions = Sessions(self.path, lambda: self.base)

    def reopen(self) -> None:
        self.sessions.close()
        self.sessions = Sessions(self.path, lambda: self.base)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Folder]:
    made = Folder(tmp_path)
    yield made
    made.sessions.close()


def test_sessions_are_made_and_kept(folder: Folder) -> None:
    assert folder.sessions.names() == [] and not folder.path.exists()
    before = time.time_ns()
    overlay = folder.sessions.new("first", note="to try it")
    assert folder.sessions.overlay("first") is overlay
    put(overlay, b"docs/one", b"mine")
    put(folder.sessions.new("second"), b"docs/two", b"two")
    assert body(folder.base, b"docs/one") == b"one"
    info = folder.sessions.info("first")
    assert (info.name, info.note, info.forked_from) == ("first", "to try it", "")
    assert before <= info.created_ns <= time.time_ns() and info.bytes > 0
    folder.reopen()
    assert folder.sessions.names() == ["first", "second"]
    assert folder.sessions.info("first").created_ns == info.created_ns
    assert body(folder.sessions.overlay("first"), b"docs/one") == b"mine"
    assert names(folder.sessions.overlay("second"), b"docs") == {b"one", b"two"}
    assert {path.name for path in folder.path.iterdir()} >= {"first.db", "second.db"}
    assert stat.S_IMODE((folder.path / "first.db").stat().st_mode) == 0o600


def test_a_session_that_is_discarded_leaves_nothing(folder: Folder) -> None:
    put(folder.sessions.new("gone"), b"x", b"x")
    folder.sessions.discard("gone")
    assert list(folder.path.iterdir()) == [] and folder.sessions.names() == []
    with pytest.raises(NotFoundError, match="no session gone"):
        folder.sessions.overlay("gone")
    assert names(folder.sessions.new("gone")) == {b"docs"}
    folder.reopen()
    folder.sessions.discard("gone")
    assert list(folder.path.iterdir()) == []


def test_a_fork_begins_with_everything_and_goes_on_alone(folder: Folder) -> None:
    first = folder.sessions.new("first", note="a")
    put(first, b"docs/one", b"mine")
    first.unlink(ROOT, put_name(first, b"other"))
    fork = folder.sessions.fork("first", "second", note="b")
    assert body(fork, b"docs/one") == b"mine"
    put(fork, b"docs/one", b"fork's")
    put(first, b"later", b"")
    assert (body(first, b"docs/one"), names(fork)) == (b"mine", {b"docs"})
    info = folder.sessions.info("second")
    assert (info.note, info.forked_from) == ("b", "first")
    assert stat.S_IMODE((folder.path / "second.db").stat().st_mode) == 0o600


def put_name(files: MemoryFileSystem, name: bytes) -> bytes:
    put(files, name)
    return name


def test_a_snapshot_is_a_file_of_the_format(folder: Folder, tmp_path: Path) -> None:
    overlay = folder.sessions.new("first")
    put(overlay, b"docs/new", b"new" * 5000)
    to = tmp_path / "copy.db"
    folder.sessions.snapshot("first", to)
    put(overlay, b"docs/new", b"later")
    with AgentDatabase(to) as database:
        files = Workspace(database)
        assert body(files, b"docs/new") == b"new" * 5000 and names(files, b"docs") == {b"new"}
        files.close()
    with pytest.raises(ConflictError, match="there already"):
        folder.sessions.snapshot("first", to)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize("name", ["", ".hidden", "a/b", "a b", "é", "x" * 65, "..", "a\n", "a\0"])
def test_a_name_that_cannot_be_is_refused(folder: Folder, name: str) -> None:
    with pytest.raises(UsageError, match="is no name of a session"):
        folder.sessions.new(name)
    with pytest.raises(UsageError):
        folder.sessions.overlay(name)
    assert not folder.path.exists()


def test_a_name_that_is_there_is_not_taken_twice(folder: Folder) -> None:
    for name in ("a", "A.b-c_9", "x" * 64):
        folder.sessions.new(name)
        with pytest.raises(ExistsError, match="already"):
            folder.sessions.new(name)
        with pytest.raises(ExistsError):
            folder.sessions.fork("a", name)


def test_files_that_cannot_be_used_hurt_no_other(folder: Folder) -> None:
    put(folder.sessions.new("good"), b"x", b"x")
    folder.sessions.new("newer")
    folder.sessions.new("damaged")
    folder.sessions.close()
    with sqlite3.connect(folder.path / "newer.db") as connection:
        connection.execute("UPDATE fs_config SET value = '9.0' WHERE key = 'schema_version'")
    connection.close()
    (folder.path / "damaged.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 8000)
    (folder.path / "text.db").write_text("this is no database")
    (folder.path / "empty.db").touch()
    with sqlite3.connect(folder.path / "foreign.db") as connection:
        connection.execute("CREATE TABLE songs (title TEXT)")
    connection.close()
    (folder.path / "notes.txt").touch()
    folder.reopen()
    assert folder.sessions.names() == ["damaged", "empty", "foreign", "good", "newer", "text"]
    for name in ("damaged", "empty", "foreign", "newer", "text"):
        with pytest.raises(StoreError, match=f"{name}.db"):
            folder.sessions.overlay(name)
        with pytest.raises(KgfsError):
            folder.sessions.info(name)
    assert body(folder.sessions.overlay("good"), b"x") == b"x"
    files = Grafted(EmptyDirectory(folder.base.statfs), folder.sessions.grafts)
    assert body(files, b"good/x") == b"x" and len(files.list(ROOT)) == 6
    fails(errno.EIO, at, files, b"damaged")
    folder.sessions.discard("damaged")
    assert "damaged" not in folder.sessions.names()


def test_the_directory_of_all_sessions(folder: Folder) -> None:
    files = Grafted(EmptyDirectory(folder.base.statfs), folder.sessions.grafts)
    assert names(files) == set()
    folder.sessions.new("first")
    folder.sessions.new("second")
    put(files, b"first/docs/one", b"mine")
    assert (names(files), body(files, b"second/docs/one")) == ({b"first", b"second"}, b"one")
    fails(errno.EXDEV, files.rename, at(files, b"first/docs"), b"one", at(files, b"second"), b"one", 0)
    ino = at(files, b"first/docs/one")
    folder.sessions.discard("first")
    assert names(files) == {b"second"}
    fails(errno.ENOENT, files.read, ino, 0, 10)
