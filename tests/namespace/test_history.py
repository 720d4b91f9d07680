"""``<dir>/@history/<name>/<n>``: what a file held before, in the tree without a kernel."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from kgfs.errors import NotFoundError
from kgfs.namespace.namespace import Namespace
from kgfs.namespace.tree_reader import Attr
from kgfs.service.service import Service
from kgfs.store.files import history

NOTES = "context/agent/notes"


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    with Service.open(tmp_path / "store", create=True) as opened:
        yield opened


def write(service: Service, path: str, body: bytes | str) -> None:
    service.files_by_path.put("agent", path, body.encode() if isinstance(body, str) else body)


def names(tree: Namespace, path: str) -> list[str]:
    here = tree.resolve(path)
    if tree.pending(here):
        tree.prepare(here)
    return [entry.name for entry in tree.entries(here)]


def attr(tree: Namespace, path: str) -> Attr:
    return tree.attr(tree.resolve(path))


def read(tree: Namespace, path: str, piece: int = 1 << 20) -> bytes:
    node = tree.resolve(path)
    body = tree.peek(node) or tree.load(node)
    parts = []
    while part := body.read(sum(map(len, parts)), piece):
        parts.append(part)
    return b"".join(parts)


def test_every_write_keeps_what_was_before(service: Service) -> None:
    texts = ["one\n", "two is longer\n", "3\n"]
    for text in texts:
        write(service, "/notes/a.md", text)
    tree = service.namespace
    generation = tree.view.generation
    assert names(tree, f"{NOTES}/@history") == ["a.md"]
    assert names(tree, f"{NOTES}/@history/a.md") == ["1", "2"]
    for number, text in enumerate(texts[:2], 1):
        path = f"{NOTES}/@history/a.md/{number}"
        assert read(tree, path) == text.encode()
        assert attr(tree, path).size == len(text)
        assert attr(tree, path).volatile
        assert tree.path(tree.resolve(path)) == path
    # Without a new generation, and at once.
    write(service, "/notes/a.md", "four\n")
    assert tree.view.generation == generation
    assert names(tree, f"{NOTES}/@history/a.md") == ["1", "2", "3"]
    assert read(tree, f"{NOTES}/@history/a.md/3") == b"3\n"


def test_nothing_is_no_version(service: Service) -> None:
    for text in ("", "one", "", "two"):
        write(service, "/a.md", text)
    assert names(service.namespace, "context/agent/@history/a.md") == ["1"]
    assert read(service.namespace, "context/agent/@history/a.md/1") == b"one"


def test_when_it_was_written(service: Service) -> None:
    write(service, "/a.md", "old")
    written = attr(service.namespace, "context/agent/a.md").mtime_ns
    write(service, "/a.md", "new")
    version = attr(service.namespace, "context/agent/@history/a.md/1")
    assert version.mtime_ns // 1000 == written // 1000
    assert version.ctime_ns >= version.mtime_ns
    assert version.mode == 0o644


def test_a_directory_does_not_list_it(service: Service) -> None:
    write(service, "/notes/a.md", "one")
    write(service, "/notes/a.md", "two")
    assert names(service.namespace, NOTES) == ["a.md"]
    assert "@history" not in names(service.namespace, "")
    for elsewhere in ("", "entities", "documents", "context"):
        here = service.namespace.resolve(elsewhere)
        with pytest.raises(NotFoundError):
            service.namespace.lookup(here, "@history")


def test_removed_files_and_those_of_other_directories(service: Service) -> None:
    for path in ("/notes/a.md", "/notes/b.md", "/notes/deep/c.md", "/d.md"):
        write(service, path, "one")
        write(service, path, "two")
    service.files_by_path.remove("agent", "/notes/b.md")
    tree = service.namespace
    assert names(tree, f"{NOTES}/@history") == ["a.md", "b.md"]
    assert names(tree, f"{NOTES}/@history/b.md") == ["1", "2"]
    assert read(tree, f"{NOTES}/@history/b.md/2") == b"two"
    assert names(tree, f"{NOTES}/deep/@history") == ["c.md"]
    assert names(tree, "context/agent/@history") == ["d.md"]
    write(service, "/never.md", "one")
    for missing in ("never.md", "x", "notes"):
        with pytest.raises(NotFoundError):
            tree.resolve(f"context/agent/@history/{missing}")
    with pytest.raises(NotFoundError):
        tree.resolve(f"{NOTES}/@history/a.md/7")


def test_a_removed_directory_is_a_name(service: Service) -> None:
    for path in ("/notes/a.md", "/notes/deep/b.md", "/notes/deep/er/c.md", "/notes/deep/1", "/kept/d.md"):
        write(service, path, "one")
    service.files_by_path.remove("agent", "/notes", recursive=True)
    tree = service.namespace
    gone = "context/agent/@history/notes"
    assert names(tree, "context/agent/@history") == ["notes"]
    assert names(tree, gone) == ["a.md", "deep"]
    assert names(tree, f"{gone}/deep") == ["1", "b.md", "er"]
    for path in ("a.md", "deep/b.md", "deep/er/c.md", "deep/1"):
        assert names(tree, f"{gone}/{path}") == ["1"]
        assert read(tree, f"{gone}/{path}/1") == b"one"
        assert tree.path(tree.resolve(f"{gone}/{path}/1")) == f"{gone}/{path}/1"
    for missing in ("1", "b.md", "deep/nothing", "deep/b.md/2"):
        with pytest.raises(NotFoundError):
            tree.resolve(f"{gone}/{missing}")
    # A file in its place has versions of its own, beside the names of what was there.
    write(service, "/notes", "a file now")
    write(service, "/notes", "and again")
    assert sorted(names(tree, gone)) == ["1", "a.md", "deep"]
    assert read(tree, f"{gone}/1") == b"a file now"
    # A directory that is there again has its history in itself.
    service.files_by_path.remove("agent", "/notes", purge=True)
    write(service, "/notes/new.md", "new")
    assert names(tree, "context/agent/@history") == []
    assert names(tree, f"{NOTES}/@history") == ["a.md", "deep"]
    assert read(tree, f"{NOTES}/@history/deep/er/c.md/1") == b"one"


def test_a_purge_is_seen(service: Service) -> None:
    write(service, "/a.md", "one")
    write(service, "/a.md", "two")
    tree = service.namespace
    node = tree.resolve("context/agent/@history/a.md/1")
    service.files_by_path.remove("agent", "/a.md", purge=True)
    assert names(tree, "context/agent/@history") == []
    with pytest.raises(NotFoundError):
        tree.resolve("context/agent/@history/a.md/1")
    write(service, "/a.md", "three")
    write(service, "/a.md", "four")
    again = tree.resolve("context/agent/@history/a.md/1")
    assert again != node  # other bytes are another inode
    assert read(tree, "context/agent/@history/a.md/1") == b"three"


def test_large_versions_are_read_in_pieces(service: Service) -> None:
    body = os.urandom(3 * 1024 * 1024 + 17)
    write(service, "/large.bin", body)
    write(service, "/large.bin", b"small")
    path = "context/agent/@history/large.bin/1"
    assert attr(service.namespace, path).size == len(body)
    for piece in (100_000, 1 << 20, len(body)):
        assert read(service.namespace, path, piece) == body
    node = service.namespace.resolve(path)
    found = service.namespace.peek(node)
    assert found is not None and found.blocking


@pytest.mark.parametrize("name", ["a b.md", "50%.md", "%41", "é🦆.md", "_self", "@history", "-x", "a\nb"])
def test_names_as_they_stand_in_the_tree(service: Service, name: str) -> None:
    write(service, f"/notes/{name}", "one")
    write(service, f"/notes/{name}", "two")
    tree = service.namespace
    assert names(tree, NOTES) == [name]
    here = tree.resolve(NOTES)
    area = tree.lookup(here, "@history")
    if name == "@history":  # what is stored wins
        assert tree.row(area).kind == "f"
        return
    tree.prepare(area)
    assert [entry.name for entry in tree.entries(area)] == [name]
    of_name = tree.lookup(area, name)
    tree.prepare(of_name)
    assert [entry.name for entry in tree.entries(of_name)] == ["1"]


def test_a_moved_file_takes_its_versions_along(service: Service) -> None:
    write(service, "/a.md", "one")
    write(service, "/a.md", "two")
    service.files_by_path.move("agent", "/a.md", "agent", "/notes/b.md")
    tree = service.namespace
    assert names(tree, "context/agent/@history") == []
    assert read(tree, f"{NOTES}/@history/b.md/1") == b"one"


def test_restoring(service: Service) -> None:
    write(service, "/a.md", "one")
    write(service, "/a.md", "two")
    service.files_by_path.restore("agent", "/a.md", 1)
    tree = service.namespace
    assert read(tree, "context/agent/a.md") == b"one"
    assert names(tree, "context/agent/@history/a.md") == ["1", "2"]
    assert read(tree, "context/agent/@history/a.md/2") == b"two"


def test_drives_with_an_origin_encode_names(service: Service) -> None:
    from kgfs.store.catalog.inserts import take_ids
    from kgfs.store.files import drive_rows
    from kgfs.store.files.drive_rows import NewAttributes

    def put(cursor: object) -> None:
        for path in ("/home/100%/a.md", "/home/%FF/b.md"):
            (item,) = take_ids(cursor, "item", 1)  # type: ignore[arg-type]
            drive_rows.create_file(cursor, item, "disk", path, b"one", NewAttributes())  # type: ignore[arg-type]
            drive_rows.overwrite_file(cursor, item, path, b"two", NewAttributes(), keep_version=True)  # type: ignore[arg-type]

    service.database.write(put)
    tree = service.namespace
    assert read(tree, "context/disk/home/100%25/@history/a.md/1") == b"one"
    assert read(tree, "context/disk/home/%FF/@history/b.md/1") == b"one"


def test_the_number_kept_is_a_setting(tmp_path: Path) -> None:
    from kgfs.config import change_settings

    for count in (0, 2):
        store = tmp_path / str(count)
        with Service.open(store, create=True):
            pass
        change_settings(store, {"history_versions": count})
        with Service.open(store) as service:
            for number in range(5):
                write(service, "/a.md", f"text {number}")
            service.files_by_path.remove("agent", "/a.md")
            with service.database.read() as cursor:
                assert len(history.versions(cursor, "agent:/a.md")) == count
