"""What a session changed: kinds, patches, and what the base changed meanwhile."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from kgfs.agentfs.overlays.session_diff import (
    base_now,
    base_then,
    changes,
    conflicts,
    ours,
    patch,
)
from kgfs.filesystem import ROOT
from tests.agentfs.session_sides import DIRECTORY, Opened, above, at, body, put


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Opened]:
    opened = Opened(tmp_path)
    put(opened.base, b"a", b"one\ntwo\nthree\n")
    put(opened.base, b"docs/b", b"b\n")
    put(opened.base, b"docs/c", b"c\n")
    put(opened.base, b"docs/deep/d", b"d\n")
    put(opened.base, b"large", b"x" * (3 << 20))
    opened.base.symlink(ROOT, b"link", b"a", 0, 0)
    yield opened
    opened.sound()
    opened.close()


def told(session: Opened) -> list[tuple[str, bytes, str]]:
    return [(change.kind, change.path, change.what) for change in changes(session.overlay)]


def remove(session: Opened, *paths: bytes) -> None:
    for path in paths:
        session.overlay.unlink(*above(session.overlay, path))


def test_nothing_changed(session: Opened) -> None:
    files = session.overlay
    assert told(session) == []
    ino = at(files, b"docs/b")
    files.write(ino, 0, b"b")
    files.setattr(at(files, b"docs/c"), mtime_ns=5)
    files.setattr(at(files, b"large"), mtime_ns=5)
    files.make(ROOT, b"new", DIRECTORY, 0, 0, 0)
    files.rmdir(ROOT, b"new")
    assert told(session) == []


def test_each_kind_of_change(session: Opened) -> None:
    files = session.overlay
    put(files, b"a", b"one\n2\nthree\n")
    put(files, b"docs/new", b"")
    files.make(ROOT, b"folder", DIRECTORY, 0, 0, 0)
    put(files, b"folder/inner", b"x")
    files.make(ROOT, b"pipe", stat.S_IFIFO | 0o600, 0, 0, 0)
    remove(session, b"link", b"docs/c")
    files.symlink(ROOT, b"link", b"b", 0, 0)
    files.setattr(at(files, b"docs/b"), mode=0o600)
    files.write(at(files, b"large"), 2 << 20, b"y")
    expected = [
        ("M", b"a", "file"), ("M", b"docs/b", "file"), ("D", b"docs/c", "file"), ("A", b"docs/new", "file"),
        ("A", b"folder", "directory"), ("A", b"folder/inner", "file"), ("M", b"large", "file"),
        ("M", b"link", "symlink"), ("A", b"pipe", "fifo"),
    ]  # fmt: skip
    assert told(session) == expected
    session.reopen()
    assert told(session) == expected
    assert conflicts(session.overlay) == []


def test_renames_are_a_removal_and_an_addition(session: Opened) -> None:
    files = session.overlay
    files.rename(ROOT, b"a", *above(files, b"docs/b"), 0)
    assert told(session) == [("D", b"a", "file"), ("M", b"docs/b", "file")]
    files.rename(*above(files, b"docs/b"), ROOT, b"z", 0)
    assert told(session) == [("D", b"a", "file"), ("D", b"docs/b", "file"), ("A", b"z", "file")]


def test_a_directory_that_was_removed_is_one_change(session: Opened) -> None:
    files = session.overlay
    remove(session, b"docs/b", b"docs/c", b"docs/deep/d")
    files.rmdir(*above(files, b"docs/deep"))
    assert told(session) == [("D", b"docs/b", "file"), ("D", b"docs/c", "file"), ("D", b"docs/deep", "directory")]
    files.rmdir(ROOT, b"docs")
    assert told(session) == [("D", b"docs", "directory")] and conflicts(files) == []
    put(files, b"docs/c", b"mine")
    assert told(session) == [("D", b"docs/b", "file"), ("M", b"docs/c", "file"), ("D", b"docs/deep", "directory")]
    remove(session, b"docs/c")
    files.rmdir(ROOT, b"docs")
    put(files, b"docs", b"now a file")
    assert told(session) == [("M", b"docs", "file")]


def test_patches(session: Opened) -> None:
    files = session.overlay
    put(files, b"a", b"one\n2\nthree")
    put(files, b"bin\xff", b"\0\1")
    put(files, b"empty", b"")
    put(files, b"new", b"new\n")
    remove(session, b"docs/b", b"link")
    files.setattr(at(files, b"docs/c"), mode=0o600)
    files.write(at(files, b"large"), 0, b"y")
    files.make(ROOT, b"folder", DIRECTORY, 0, 0, 0)
    shown = {change.path: patch(files, change) for change in changes(files)}
    assert shown[b"a"] == (
        "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n one\n-two\n-three\n+2\n+three\n"
        "\\ No newline at end of file\n"
    )
    assert shown[b"bin\xff"].endswith("Binary files /dev/null and b/bin\\udcff differ\n")
    assert shown[b"empty"] == "diff --git a/empty b/empty\nnew file mode 100644\n"
    assert "new file mode 100644\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+new\n" in shown[b"new"]
    assert "deleted file mode 100644\n--- a/docs/b\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n" in shown[b"docs/b"]
    assert "-a\n\\ No newline" in shown[b"link"]
    assert shown[b"docs/c"] == "diff --git a/docs/c b/docs/c\nold mode 100644\nnew mode 100600\n"
    assert shown[b"large"] == "diff --git a/large b/large\nBinary files a/large and b/large differ\n"
    assert shown[b"folder"] == ""


def test_what_the_base_changed_meanwhile_is_a_conflict(session: Opened) -> None:
    files, base = session.overlay, session.base
    put(files, b"a", b"one\n2\nthree\n")
    put(files, b"docs/new", b"mine\n")
    put(files, b"docs/same", b"mine\n")
    put(files, b"docs/deep/d", b"D\n")
    remove(session, b"docs/b", b"docs/c")
    files.write(at(files, b"large"), 1, b"y")
    put(base, b"a", b"ONE\ntwo\nthree\n")
    put(base, b"docs/new", b"theirs\n")
    put(base, b"docs/same", b"mine\n")
    put(base, b"docs/b", b"longer\n")
    put(base, b"untouched", b"new\n")
    base.unlink(*above(base, b"docs/deep/d"))
    base.write(at(base, b"large"), 2 << 20, b"z")
    session.reopen()
    files = session.overlay
    found = {conflict.change.path: conflict for conflict in conflicts(files)}
    assert {path: (one.change.kind, one.reason) for path, one in found.items()} == {
        b"a": ("M", "The base has other contents now."),
        b"docs/b": ("D", "The base has other contents now."),
        b"docs/deep/d": ("M", "The base has it no more."),
        b"docs/new": ("M", "The base got something there meanwhile."),
        b"large": ("M", "The base has other contents now."),
    }
    change = found[b"a"].change
    assert (base_then(found[b"a"]), base_now(files, change), ours(files, change)) == (
        b"one\ntwo\nthree\n", b"ONE\ntwo\nthree\n", b"one\n2\nthree\n",
    )  # fmt: skip
    change = found[b"docs/deep/d"].change
    assert (base_then(found[b"docs/deep/d"]), base_now(files, change), ours(files, change)) == (b"d\n", None, b"D\n")
    assert (base_then(found[b"large"]), base_now(files, found[b"large"].change)) == (None, None)
    assert ours(files, found[b"docs/b"].change) is None


def test_a_removed_directory_in_which_something_appeared(session: Opened) -> None:
    files = session.overlay
    remove(session, b"docs/b", b"docs/c", b"docs/deep/d")
    files.rmdir(*above(files, b"docs/deep"))
    files.rmdir(ROOT, b"docs")
    put(session.base, b"docs/deep/later", b"")
    (conflict,) = conflicts(files)
    assert (conflict.change.path, conflict.reason) == (b"docs", "The base got something in it meanwhile.")
    session.base.unlink(*above(session.base, b"docs/deep/later"))
    assert conflicts(files) == []
    put(session.base, b"docs/deep/d", b"changed\n")
    (conflict,) = conflicts(files)
    assert conflict.reason == "In the base something in it has other contents now."


def test_what_was_only_copied_is_no_change_of_the_session(session: Opened) -> None:
    files = session.overlay
    files.setattr(at(files, b"a"), mtime_ns=7)
    put(session.base, b"a", b"new in the base\n")
    assert told(session) == [] and body(files, b"a") == b"one\ntwo\nthree\n"


def test_what_the_base_removed_too_is_no_change(session: Opened) -> None:
    remove(session, b"docs/b")
    session.base.unlink(*above(session.base, b"docs/b"))
    assert told(session) == []
    put(session.base, b"docs/b", b"another\n")
    (conflict,) = conflicts(session.overlay)
    assert (conflict.change.kind, conflict.change.path) == ("D", b"docs/b")
