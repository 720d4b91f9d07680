"""``context_edit`` beside a program that writes through the mount: what was written is never lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kgfs.service.service import Service
from kgfs.store.files import items
from kgfs.tools import files
from kgfs.tools.calling import call

PATH = "/a.md"


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "config.json").write_text('{"extractor": "none"}')
    with Service.open(tmp_path / "store", create=True) as opened:
        opened.files_by_path.put("agent", PATH, b"one\ntwo\nthree\n")
        yield opened


def edit(service: Service) -> dict[str, Any]:
    """The second line becomes 2."""
    patch = {"start_line": 2, "end_line": 2, "content": "2"}
    return call(service.reach, "context_edit", {"path": PATH, "patches": [patch]})


def text(service: Service) -> bytes:
    with service.database.read() as cursor:
        item = items.find_item(cursor, f"agent:{PATH}")
        return b"" if item is None else items.read_item(cursor, item.id) or b""


def before_it_is_written(service: Service, monkeypatch: pytest.MonkeyPatch, other: Callable[[], object]) -> None:
    """``other`` comes between an edit's first reading and its writing."""
    plain, waiting = service.files_by_path.put, [other]

    def put(*arguments: Any, **options: Any) -> Any:
        if waiting:
            waiting.pop()()
        return plain(*arguments, **options)

    monkeypatch.setattr(service.files_by_path, "put", put)


def saved(service: Service, body: bytes) -> None:
    """As an editor saves: another file, moved over."""
    service.files_by_path.make_directory("agent", "/tmp")
    open_files, tree = service.drives.open_files, service.drives.context.tree
    directory = tree.find_stored("agent", "/")
    assert not isinstance(directory, int) and directory is not None
    inode = open_files.create(directory, ".a.md.new", 0o644)
    open_files.write(inode, 0, body)
    open_files.commit(inode, closing=True).result()
    open_files.release(inode, writing=True)
    service.drives.namespace_ops.rename(directory, ".a.md.new", directory, "a.md").result()


def appended(service: Service, line: bytes, *, close: bool = True) -> int:
    """As ``>>`` writes through the mount; answers the inode."""
    open_files = service.drives.open_files
    inode = service.drives.context.tree.find_stored("agent", PATH)
    assert isinstance(inode, int)
    open_files.open(inode, writing=True)
    if open_files.needs_load(inode):
        open_files.load(inode)
    open_files.write(inode, open_files.drafts[inode].size, line)
    if close:
        open_files.commit(inode, closing=True).result()
        open_files.release(inode, writing=True)
    return inode


def test_what_does_not_touch_the_lines_stays_beside_the_edit(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    before_it_is_written(service, monkeypatch, lambda: appended(service, b"four\n"))
    assert edit(service)["is_error"] is False
    assert text(service) == b"one\n2\nthree\nfour\n"
    before_it_is_written(service, monkeypatch, lambda: saved(service, b"one\ntwo\nand no more\n"))
    assert edit(service)["error_type"] == "changed"  # its second line was another one
    assert text(service) == b"one\ntwo\nand no more\n"


def test_lines_that_moved_are_not_patched(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    before_it_is_written(service, monkeypatch, lambda: saved(service, b"zero\none\ntwo\nthree\n"))
    value = edit(service)
    assert (
        value["is_error"] is True and value["error_type"] == "changed" and "context_read" in value["next_action_hint"]
    )
    assert text(service) == b"zero\none\ntwo\nthree\n"


def test_what_is_not_closed_yet_is_not_lost(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "PAUSE_SECONDS", 0.001)
    inode = appended(service, b"four\n", close=False)
    assert edit(service)["error_type"] == "changed"
    service.drives.open_files.commit(inode, closing=True).result()
    assert text(service) == b"one\ntwo\nthree\nfour\n"
    assert edit(service)["is_error"] is False  # open, and all of it kept: he sees the edit
    assert service.drives.open_files.drafts[inode].read(0, 100) == b"one\n2\nthree\nfour\n"
    service.drives.open_files.release(inode, writing=True)
    assert text(service) == b"one\n2\nthree\nfour\n"


def test_what_went_is_not_made_again(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    before_it_is_written(service, monkeypatch, lambda: service.files_by_path.remove("agent", PATH))
    assert edit(service)["error_type"] == "not_found"
    assert text(service) == b""
