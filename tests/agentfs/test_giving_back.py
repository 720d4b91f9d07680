"""What leaves a session: it shows the base there again, and who has something of it open notices nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kgfs.agentfs.overlays.session_diff import changes, conflicts
from tests.agentfs.session_sides import Opened, above, at, body, names, put


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Opened]:
    opened = Opened(tmp_path)
    put(opened.base, b"dir/changed", b"before")
    put(opened.base, b"dir/removed", b"removed")
    yield opened
    opened.sound()
    opened.close()


def test_the_base_shows_again(session: Opened) -> None:
    overlay = session.overlay
    ino = put(overlay, b"dir/changed", b"ours")
    overlay.unlink(*above(overlay, b"dir/removed"))
    overlay.hold(ino)
    found = changes(overlay)
    put(session.base, b"dir/changed", b"ours")  # as a commit does
    session.base.unlink(*above(session.base, b"dir/removed"))
    for change in found:
        assert overlay.give_back(b"/" + change.path, change.ours)
    assert overlay.give_back(b"/dir", overlay.getattr(at(overlay, b"dir")))
    assert at(overlay, b"dir/changed") == ino and overlay.read(ino, 0, 10) == b"ours"
    assert overlay.delta.list(1) == [] and session.whiteouts() == set()
    put(session.base, b"dir/changed", b"later")
    put(session.base, b"dir/removed", b"again")
    assert body(overlay, b"dir/changed") == overlay.read(ino, 0, 10) == b"later"
    overlay.release(ino)
    overlay.write(ino, 0, b"L")  # and can be changed again
    assert body(overlay, b"dir/changed") == b"Later" and body(session.base, b"dir/changed") == b"later"
    session.reopen()
    assert body(session.overlay, b"dir/changed") == b"Later" and names(session.overlay, b"dir") == {
        b"changed", b"removed",
    }  # fmt: skip


def test_what_was_changed_since_stays(session: Opened) -> None:
    overlay = session.overlay
    ino = put(overlay, b"dir/changed", b"ours")
    seen = overlay.getattr(ino)
    put(session.base, b"dir/changed", b"ours")
    overlay.write(ino, 0, b"more than that")
    assert not overlay.give_back(b"/dir/changed", seen)
    assert body(overlay, b"dir/changed") == b"more than that"
    overlay.sync()
    assert [change.path for change in changes(overlay)] == [b"dir/changed"] and conflicts(overlay) == []
    # What was removed and made again, too.
    overlay.unlink(*above(overlay, b"dir/removed"))
    put(overlay, b"dir/removed", b"new")
    assert not overlay.give_back(b"/dir/removed", None) and body(overlay, b"dir/removed") == b"new"


def test_a_directory_of_the_session_joins_that_of_the_base(session: Opened) -> None:
    overlay = session.overlay
    put(overlay, b"new/ours", b"ours")
    for name in (b"ours", b"theirs", b"hidden"):
        put(session.base, b"new/" + name, b"base")
    assert names(overlay, b"new") == {b"ours"}
    overlay.join(b"/new", [b"hidden"])
    overlay.join(b"/dir", [])  # which is one already
    assert names(overlay, b"new") == {b"ours", b"theirs"} and body(overlay, b"new/ours") == b"ours"
    session.reopen()
    assert names(session.overlay, b"new") == {b"ours", b"theirs"}
    assert not session.overlay.give_back(b"/new", session.overlay.getattr(at(session.overlay, b"new")))
