"""Commits of sessions: what becomes true outside, what stays, what somebody else changed, and who comes second."""

from __future__ import annotations

import contextlib
import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kgfs.agentfs.database import AgentDatabase
from kgfs.agentfs.overlays.overlay import Overlay
from kgfs.agentfs.overlays.session_diff import changes
from kgfs.errors import ConflictError, NotFoundError
from kgfs.filesystem import FileSystem
from kgfs.namespace.tree_files import TreeFiles
from kgfs.progress import Never
from kgfs.service.agents.session_commit import conflicts, described
from kgfs.service.service import Service
from tests.agentfs.session_sides import above, at, body, names, put
from tests.graph_builder import build
from tests.memory_file_system import MemoryFileSystem

FIFO = stat.S_IFIFO | 0o644


class Store:
    """An open store with a session."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.tree = TreeFiles(service.namespace, service.store)
        """What is outside."""

    @property
    def workspace(self) -> FileSystem:
        return self.service.components.agent.workspace

    def session(self, name: str = "s") -> Overlay:
        if name not in self.service.components.sessions.names():
            self.service.sessions.new(name)
        return self.service.components.sessions.overlay(name)

    def note(self, path: str, text: str) -> None:
        self.service.files_by_path.put("agent", path, text.encode())

    def commit(self, name: str = "s", *, force: bool = False) -> dict[str, list[str]]:
        """The paths of what was committed, kept, failed and conflicting."""
        done = self.service.sessions.commit(name, force=force, cancel=Never())
        return {key: [one["path"] for one in done[key]] for key in ("committed", "kept", "failed", "conflicts")}

    def versions(self, name: str = "s") -> dict[str, dict[str, bytes]]:
        """The versions of each conflict."""
        return {
            conflict["path"]: {version: b"".join(pieces) for version, pieces in versions}
            for conflict, versions in self.service.sessions.conflicts(name)
        }


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    build(tmp_path / "store", entities=6, documents=2).close()
    with Service.open(tmp_path / "store") as service:
        yield Store(service)


def nothing(**expected: list[str]) -> dict[str, list[str]]:
    return {"committed": [], "kept": [], "failed": [], "conflicts": []} | expected


def remove(files: FileSystem, path: bytes) -> None:
    files.unlink(*above(files, path))


def test_files_become_rows(store: Store) -> None:
    store.note("/old/gone.md", "gone")
    store.note("/old/changed.md", "before")
    session = store.session()
    put(session, b"context/agent/new/deep/a.md", b"# A\n")
    put(session, b"context/agent/old/changed.md", b"after")
    put(session, b"context/agent/big.bin", os.urandom(3 << 20))
    big = body(session, b"context/agent/big.bin")
    remove(session, b"context/agent/old/gone.md")
    session.symlink(at(session, b"context/agent"), b"link", b"new/deep", 0, 0)
    session.setattr(at(session, b"context/agent/new/deep/a.md"), mode=0o755, mtime_ns=10**18)
    session.setxattr(at(session, b"context/agent/new/deep/a.md"), b"user.color", b"red")
    assert names(store.tree, b"context/agent") == {b"old"}
    assert store.commit() == nothing(
        committed=[
            "context/agent/new", "context/agent/new/deep", "context/agent/big.bin", "context/agent/link",
            "context/agent/new/deep/a.md", "context/agent/old/changed.md", "context/agent/old/gone.md",
        ]
    )  # fmt: skip
    for files in (store.tree, session):
        assert names(files, b"context/agent") == {b"old", b"new", b"big.bin", b"link"}
        assert names(files, b"context/agent/old") == {b"changed.md"}
        assert body(files, b"context/agent/old/changed.md") == b"after"
        assert body(files, b"context/agent/big.bin") == big
        assert files.readlink(at(files, b"context/agent/link")) == b"new/deep"
        found = files.getattr(at(files, b"context/agent/new/deep/a.md"))
        assert (stat.S_IMODE(found.mode), found.mtime_ns) == (0o755, 10**18)
        assert files.getxattr(found.ino, b"user.color") == b"red"
    store.service.files_by_path.restore("agent", "/old/changed.md", 1)  # what was overwritten can be had again
    assert body(store.tree, b"context/agent/old/changed.md") == b"before"


def test_directories_of_the_workspace_keep_their_times(store: Store) -> None:
    session = store.session()
    put(session, b"workspace/full/deep/file", b"f")
    put(session, b"workspace/empty/gone", b"")
    remove(session, b"workspace/empty/gone")
    for number, path in enumerate((b"workspace/full/deep", b"workspace/full", b"workspace/empty"), 1):
        session.setattr(at(session, path), mode=0o750, mtime_ns=number * 10**18)
    assert store.commit()["failed"] == []
    for number, path in enumerate((b"full/deep", b"full", b"empty"), 1):
        for found in (
            store.workspace.getattr(at(store.workspace, path)),
            session.getattr(at(session, b"workspace/" + path)),
        ):
            assert (stat.S_IMODE(found.mode), found.mtime_ns) == (0o750, number * 10**18), path


def test_what_was_committed_leaves_the_session(store: Store) -> None:
    session = store.session()
    put(session, b"context/agent/dir/a.md", b"a")
    put(session, b"workspace/w", b"w")
    store.commit()
    assert changes(session) == []
    assert session.delta.list(1) == []
    # Now it follows what is outside.
    store.note("/dir/a.md", "later")
    assert body(session, b"context/agent/dir/a.md") == b"later"
    assert store.commit() == nothing()


def test_a_directory_of_which_a_part_is_committed(store: Store) -> None:
    """What is outside by then is in the session, too, and not taken for removed."""
    store.note("/over/old.md", "old")
    store.note("/over/changed.md", "before")
    session = store.session()
    put(session, b"context/agent/new/deep/a.md", b"a")
    put(session, b"context/agent/new/deep/b.md", b"ours")
    session.make(at(session, b"context/agent/new"), b"pipe", FIFO, 0, 0, 0)
    for name in (b"old.md", b"changed.md"):
        remove(session, b"context/agent/over/" + name)
    session.rmdir(*above(session, b"context/agent/over"))
    put(session, b"context/agent/over/mine.md", b"mine")
    store.note("/new/deep/b.md", "theirs")
    store.note("/over/changed.md", "after")
    done = store.commit()
    assert done["conflicts"] == ["context/agent/new/deep/b.md", "context/agent/over/changed.md"]
    assert done["kept"] == ["context/agent/new/pipe"]
    assert names(store.tree, b"context/agent/new/deep") == {b"a.md", b"b.md"}
    assert names(store.tree, b"context/agent/over") == {b"mine.md", b"changed.md"}
    left = {change.path: change.kind for change in changes(session)}
    assert left == {
        b"context/agent/new/deep/b.md": "M", b"context/agent/new/pipe": "A", b"context/agent/over/changed.md": "D",
    }  # fmt: skip
    assert names(session, b"context/agent/new/deep") == {b"a.md", b"b.md"}
    assert names(session, b"context/agent/over") == {b"mine.md"}
    store.note("/new/later.md", "later")
    assert names(session, b"context/agent/new") == {b"deep", b"later.md", b"pipe"}
    store.commit(force=True)
    assert names(store.tree, b"context/agent/over") == {b"mine.md"}
    assert {change.path for change in changes(session)} == {b"context/agent/new/pipe"}


def test_what_was_never_seen_in_the_session_is_not_removed(store: Store) -> None:
    session = store.session()
    put(session, b"context/agent/dir/mine.md", b"mine")
    store.note("/dir/theirs.md", "theirs")
    assert [change.path for change in changes(session)] == [b"context/agent/dir/mine.md"]
    assert store.commit(force=True)["committed"] == ["context/agent/dir/mine.md"]
    assert names(store.tree, b"context/agent/dir") == names(session, b"context/agent/dir") == {b"mine.md", b"theirs.md"}


def test_the_workspace_merges(store: Store) -> None:
    outside = store.workspace
    for path in (b"kept", b"gone", b"changed", b"tree/gone/deep", b"becomes"):
        put(outside, path, path)
    before = outside.getattr(at(outside, b"kept"))
    session = store.session()
    put(session, b"workspace/changed", b"other")
    put(session, b"workspace/new/a", b"a")
    session.link(at(session, b"workspace/new/a"), at(session, b"workspace/new"), b"b")
    session.make(at(session, b"workspace"), b"pipe", FIFO, 0, 1, 2)
    remove(session, b"workspace/gone")
    remove(session, b"workspace/tree/gone/deep")
    session.rmdir(*above(session, b"workspace/tree/gone"))
    remove(session, b"workspace/becomes")
    put(session, b"workspace/becomes/directory", b"d")
    done = store.commit()
    assert done["kept"] == done["failed"] == done["conflicts"] == []
    assert names(outside) == {b"kept", b"changed", b"new", b"pipe", b"tree", b"becomes"}
    assert names(outside, b"tree") == set() and names(outside, b"becomes") == {b"directory"}
    assert body(outside, b"changed") == b"other" and body(outside, b"new/b") == b"a"
    assert at(outside, b"new/a") == at(outside, b"new/b")
    pipe = outside.getattr(at(outside, b"pipe"))
    assert (pipe.mode, pipe.uid, pipe.gid) == (FIFO, 1, 2)
    assert outside.getattr(at(outside, b"kept")) == before
    assert changes(session) == []


def test_what_means_nothing_outside_stays(store: Store) -> None:
    session = store.session()
    put(session, b"AGENTS.md", b"mine")
    put(session, b"entities/x/y", b"")
    put(session, b"context/disk/note.md", b"mine")
    session.make(at(session, b"context/agent"), b"pipe", FIFO, 0, 0, 0)
    fact = next(
        entry.name for kind in session.list(at(session, b"facts/by_type")) if stat.S_ISDIR(kind.mode)
        for entry in session.list(kind.ino)
    )  # fmt: skip
    session.symlink(at(session, b"facts"), fact, b"elsewhere", 0, 0)
    done = store.commit()
    assert done["kept"] == [
        "entities/x", "AGENTS.md", "context/agent/pipe", "context/disk/note.md", "entities/x/y",
        f"facts/{fact.decode()}",
    ]  # fmt: skip
    assert done["committed"] == done["failed"] == []
    assert body(session, b"AGENTS.md") == b"mine" and len(changes(session)) == 6


def test_what_was_changed_outside_is_a_conflict(store: Store) -> None:
    for name in ("both", "gone", "removed", "other"):
        store.note(f"/{name}.md", f"{name} before")
    session = store.session()
    put(session, b"context/agent/both.md", b"ours")
    put(session, b"context/agent/gone.md", b"ours")
    put(session, b"context/agent/made.md", b"ours")
    put(session, b"context/agent/other.md", b"ours")
    put(session, b"workspace/made", b"ours")
    remove(session, b"context/agent/removed.md")
    store.note("/both.md", "theirs")
    store.note("/made.md", "theirs")
    store.note("/removed.md", "theirs")
    store.service.files_by_path.remove("agent", "/gone.md")
    put(store.workspace, b"made", b"theirs")
    conflicting = ["context/agent/both.md", "context/agent/gone.md", "context/agent/made.md", "workspace/made",
                   "context/agent/removed.md"]  # fmt: skip
    assert store.commit() == nothing(committed=["context/agent/other.md"], conflicts=conflicting)
    assert body(store.tree, b"context/agent/both.md") == body(store.tree, b"context/agent/made.md") == b"theirs"
    assert body(store.tree, b"context/agent/removed.md") == body(store.workspace, b"made") == b"theirs"
    assert b"gone.md" not in names(store.tree, b"context/agent")
    assert body(store.tree, b"context/agent/other.md") == b"ours"
    assert store.versions() == {
        "context/agent/both.md": {"base": b"both before", "theirs": b"theirs", "ours": b"ours"},
        "context/agent/gone.md": {"base": b"gone before", "ours": b"ours"},
        "context/agent/made.md": {"theirs": b"theirs", "ours": b"ours"},
        "context/agent/removed.md": {"theirs": b"theirs"},
        "workspace/made": {"theirs": b"theirs", "ours": b"ours"},
    }
    # Asked again it is the same; with force the session wins.
    assert store.commit()["conflicts"] == conflicting
    assert store.commit(force=True) == nothing(committed=conflicting)
    assert body(store.tree, b"context/agent/both.md") == body(store.tree, b"context/agent/gone.md") == b"ours"
    assert body(store.tree, b"context/agent/made.md") == body(store.workspace, b"made") == b"ours"
    assert b"removed.md" not in names(store.tree, b"context/agent")
    assert store.versions() == {} and changes(session) == []


def test_a_directory_that_got_something_is_not_removed(store: Store) -> None:
    store.note("/dir/a.md", "a")
    store.note("/file/a.md", "a")
    session = store.session()
    for name in (b"dir", b"file"):
        remove(session, b"context/agent/" + name + b"/a.md")
        session.rmdir(*above(session, b"context/agent/" + name))
    put(session, b"context/agent/file", b"now a file")
    store.note("/dir/new.md", "new")
    store.note("/file/new.md", "new")
    done = store.commit()
    assert done["conflicts"] == ["context/agent/file", "context/agent/dir"]
    assert names(store.tree, b"context/agent/dir") == {b"a.md", b"new.md"}
    assert names(store.tree, b"context/agent/file") == {b"a.md", b"new.md"}
    assert store.commit(force=True)["committed"] == ["context/agent/file", "context/agent/dir"]
    assert names(store.tree, b"context/agent") == {b"file"}


def test_who_writes_while_it_is_committed(store: Store) -> None:
    """What comes between looking for conflicts and writing is not overwritten; what is written into the session
    meanwhile stays in it."""
    for name in ("a", "b"):
        store.note(f"/{name}.md", "before")
    session = store.session()
    put(session, b"context/agent/a.md", b"ours")
    put(session, b"context/agent/b.md", b"ours")
    put(session, b"context/agent/new.md", b"ours")
    files = store.service.files_by_path
    write = files.put
    seen: list[str] = []

    def put_later(drive: str, path: str, pieces: Any, **options: Any) -> Any:
        if not seen:
            write("agent", "/b.md", b"theirs")
            write("agent", "/new.md", b"theirs")
        seen.append(path)
        done = write(drive, path, pieces, **options)
        if path == "/a.md":
            put(session, b"context/agent/a.md", b"later")
        return done

    files.put = put_later  # type: ignore[assignment,method-assign]
    done = store.commit()
    files.put = write  # type: ignore[method-assign]
    assert done == nothing(committed=["context/agent/a.md"], conflicts=["context/agent/b.md", "context/agent/new.md"])
    assert body(store.tree, b"context/agent/b.md") == body(store.tree, b"context/agent/new.md") == b"theirs"
    assert body(store.tree, b"context/agent/a.md") == b"ours" and body(session, b"context/agent/a.md") == b"later"
    assert store.commit()["committed"] == ["context/agent/a.md"]
    assert body(store.tree, b"context/agent/a.md") == b"later"


def test_the_second_of_two_commits_is_refused(store: Store) -> None:
    session = store.session()
    put(session, b"context/agent/a.md", b"a")
    files = store.service.files_by_path
    write = files.put
    inside, go_on = threading.Event(), threading.Event()

    def wait(*arguments: Any, **options: Any) -> Any:
        inside.set()
        assert go_on.wait(60)
        return write(*arguments, **options)

    files.put = wait  # type: ignore[method-assign]
    first: list[dict[str, list[str]]] = []
    thread = threading.Thread(target=lambda: first.append(store.commit()))
    thread.start()
    assert inside.wait(60)
    for again in (store.commit, lambda: store.service.sessions.discard("s")):
        with pytest.raises(ConflictError, match="Session s is being committed"):
            again()
    go_on.set()
    thread.join(60)
    files.put = write  # type: ignore[method-assign]
    assert first == [nothing(committed=["context/agent/a.md"])]
    assert store.commit() == nothing()


def test_a_session_whose_document_was_removed(store: Store) -> None:
    store.note("/doc.md", "text")
    session = store.session()
    put(session, b"context/agent/doc.md", b"edited")
    store.service.files_by_path.remove("agent", "/doc.md")
    assert body(session, b"context/agent/doc.md") == b"edited"
    assert store.commit()["conflicts"] == ["context/agent/doc.md"]
    assert store.commit(force=True)["committed"] == ["context/agent/doc.md"]
    assert body(store.tree, b"context/agent/doc.md") == b"edited"


def test_it_is_recorded_as_of_the_session(store: Store) -> None:
    put(store.session(), b"context/agent/a.md", b"a")
    store.commit()
    recorder = store.service.components.agent.recorder
    recorder.settle()
    found = [call.name for call in store.service.components.agent.tool_calls.list(session="s")]
    assert {"session_new", "session_commit", "write"} <= set(found)


def test_unknown_sessions(store: Store) -> None:
    for do in (
        lambda: store.commit("x"),
        lambda: store.service.sessions.discard("x"),
        lambda: store.service.sessions.fork("x", "y"),
        lambda: store.service.sessions.changes("x"),
    ):
        with pytest.raises(NotFoundError, match="There is no session x"):
            do()
    assert store.service.components.sessions.names() == []


HEAD = "Acme (Organization)\nAlso: Acme Inc\n"
REST = "\nFacts:\n- f_1\n"


@pytest.mark.parametrize(
    ("before", "after", "description", "said"),
    [
        (f"{HEAD}\nMakes things.\n{REST}", f"{HEAD}\nMakes anvils.\n{REST}", "Makes things.", "Makes anvils."),
        (f"{HEAD}\nMakes things.\n{REST}", f"{HEAD}\nMakes\nanvils.\n{REST}", "Makes things.", "Makes anvils."),
        (f"{HEAD}{REST}", f"{HEAD}\nMakes anvils.\n{REST}", "", "Makes anvils."),
        (HEAD, f"{HEAD}\nMakes anvils.\n", "", "Makes anvils."),
        (f"{HEAD}\nMakes things.\n{REST}", f"{HEAD}\nMakes things.\n{REST}", "Makes things.", None),
        (f"{HEAD}\nMakes things.\n{REST}", f"{HEAD}{REST}", "Makes things.", None),
        (f"{HEAD}\nMakes things.\n{REST}", f"Other\n\nMakes anvils.\n{REST}", "Makes things.", None),
        (f"{HEAD}\nMakes things.\n{REST}", f"{HEAD}\nMakes anvils.\n", "Makes things.", None),
        (f"{HEAD}\nMakes thi…\n{REST}", f"{HEAD}\nMakes anvils.\n{REST}", "Makes things and more.", None),
        (f"{HEAD}\nMakes things.\n{REST}", "", "Makes things.", None),
        (f"{HEAD}{REST}", f"{HEAD}\n", "", None),
        ("", "\nText\n", "", "Text"),
    ],
)
def test_what_is_another_description(before: str, after: str, description: str, said: str | None) -> None:
    assert described(before, after, description) == said


def test_what_means_nothing_outside_is_no_conflict(tmp_path: Path) -> None:
    """It would never be committed, so nobody has to choose a version of a page that was rendered anew meanwhile."""
    base = MemoryFileSystem()
    paths = [
        b"AGENTS.md",
        b"entities/a/b/metadata.json",
        b"context/agent/a.md",
        b"workspace/a",
        b"entities/a/b/summary.txt",
    ]
    for path in paths:
        put(base, path, b"before")
    with contextlib.closing(AgentDatabase(tmp_path / "s.db", create=True)) as database:
        overlay = Overlay(base, database)
        for files, text in ((overlay, b"in the session"), (base, b"meanwhile")):
            for path in paths:
                put(files, path, text)
        found = changes(overlay)
        assert [change.path for change in found] == sorted(paths)
        assert [conflict.change.path for conflict in conflicts(overlay, found)] == sorted(paths[2:])
        overlay.close()
