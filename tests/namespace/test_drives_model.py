"""The drives without a kernel: they do what a tmpfs directory does, whatever is done to them."""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, settings

from kgfs.drives.open_files import Leaving
from kgfs.errors import NoSpaceError, NotFoundError
from kgfs.namespace import context_tree
from kgfs.namespace.context_tree import Directory
from kgfs.namespace.loading import context
from kgfs.namespace.loading.loader import load_snapshot
from kgfs.namespace.relations import Ints
from kgfs.namespace.snapshot import Snapshot
from kgfs.service.service import Service
from kgfs.store.catalog.database import Cursor
from kgfs.store.files import drive_moves, drive_rows
from tests.writing_model import EXAMPLES, PHASES, DrivesSide, OsSide, TwoSides


class Stores:
    """One store for all examples, each in a directory of its own."""

    service: Service
    store: Path
    numbers = itertools.count()


@pytest.fixture(scope="module", autouse=True)
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    Stores.store = tmp_path_factory.mktemp("drives") / "store"
    Stores.service = Service.open(Stores.store, create=True)
    yield
    Stores.service.close()


class DrivesLikeTmpfs(TwoSides):
    def begin(self) -> None:
        self.beside = Path(tempfile.mkdtemp(dir="/dev/shm"))
        self.theirs = OsSide(self.beside)
        self.top = f"example{next(Stores.numbers)}"
        Stores.service.files_by_path.make_directory("agent", f"/{self.top}")
        self.ours = DrivesSide(Stores.service.drives, self.top)

    def newer(self) -> None:
        namespace = Stores.service.namespace
        namespace.adopt(namespace.load_snapshot())

    def again(self) -> None:
        Stores.service.close()
        Stores.service = Service.open(Stores.store)
        self.ours = DrivesSide(Stores.service.drives, self.top)

    def end(self) -> None:
        shutil.rmtree(self.beside)
        service = Stores.service
        service.files_by_path.remove("agent", f"/{self.top}", recursive=True, purge=True)
        assert service.drives.open_files.drafts == {}
        # Nothing is left but what was removed and waits for the cascade.
        left = service.database.fetch("SELECT ref, mime_type FROM context_items")
        assert left == [], left
        assert service.database.fetch("SELECT count(*) FROM blocks") == [(0,)]


TestDrives = pytest.mark.long(DrivesLikeTmpfs.TestCase)
TestDrives.settings = settings(
    max_examples=EXAMPLES, stateful_step_count=30, deadline=None, phases=PHASES, suppress_health_check=list(HealthCheck)
)


@pytest.mark.parametrize("before", [True, False])
def test_a_directory_that_moves_while_another_snapshot_is_adopted(
    before: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between its rows and the tree; the snapshot was loaded before the rows changed, or after."""
    service, move = Stores.service, drive_moves.move_directory
    for name in ("inner", "inner/deep"):
        service.files_by_path.make_directory("agent", f"/moving/{name}")
    service.files_by_path.put("agent", "/moving/inner/deep/a.md", b"a\n")

    late: list[Snapshot] = []

    def overtaken(cursor: Cursor, *place: str) -> None:
        namespace = service.namespace
        late.append(namespace.load_snapshot())
        if before:
            namespace.adopt(namespace.load_snapshot())
        move(cursor, *place)
        if not before:
            namespace.adopt(load_snapshot(cursor, namespace.names, namespace.numbers))

    monkeypatch.setattr(drive_moves, "move_directory", overtaken)
    service.files_by_path.move("agent", "/moving/inner", "agent", "/moving/outer")

    def shown() -> list[list[str]]:
        root = ("agent", "moving")
        found = [service.namespace.view.context.directory(names) for names in (root, (*root, "outer", "deep"))]
        return [[] if here is None else [*here.directories, *here.files] for here in found]

    assert shown() == [["outer"], ["a.md"]]
    service.namespace.adopt(late[0])  # loaded before, shown after
    assert shown() == [["outer"], ["a.md"]]
    service.namespace.adopt(service.namespace.load_snapshot())
    assert shown() == [["outer"], ["a.md"]]
    monkeypatch.undo()
    assert service.files_by_path.remove("agent", "/moving", recursive=True)


@pytest.mark.parametrize("meanwhile", ["over", "away", "removed", "directory"])
def test_a_file_that_moves_while_a_snapshot_is_loaded(meanwhile: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its rows are those of before, and the numbers of files those of after: no name is left that no file has."""
    service, place_items = Stores.service, context.place_items
    service.files_by_path.make_directory("agent", "/loaded")
    ours = DrivesSide(service.drives, "loaded")
    for name in ("a", "b", "c"):
        service.files_by_path.put("agent", f"/loaded/in/{name}", name.encode())
    ours.rename("in/b", "in/c")  # a file whose number is not that of its row

    def overtaken(*given: Any) -> Ints:
        monkeypatch.undo()
        if meanwhile == "directory":
            ours.rename("in", "out")
            ours.rename("out/c", "out/a")
        elif meanwhile == "away":
            ours.rename("in/c", "in/c~")
        else:
            ours.rename("in/c", "in/a")
        if meanwhile == "removed":
            ours.rename("in/a", "in/d")
            ours.unlink("in/d")
        return place_items(*given)

    monkeypatch.setattr(context, "place_items", overtaken)
    service.namespace.adopt(service.namespace.load_snapshot())
    expected = {"over": ["in/a"], "away": ["in/a", "in/c~"], "removed": [], "directory": ["out/a"]}[meanwhile]
    tree = service.namespace.view.context
    shown = tree.beneath(cast(Directory, tree.directory(("agent", "loaded"))))
    assert sorted("/".join((*each.names()[2:], name)) for each in shown for name in each.files) == expected
    for each in shown:
        assert {inode: (each, name) for name, inode in each.files.items()}.items() <= tree.place.items()
    service.files_by_path.remove("agent", "/loaded", recursive=True, purge=True)
    assert service.database.fetch("SELECT ref FROM context_items") == []
    service.database.write(lambda cursor: cursor.execute("DELETE FROM removed_items"))


@pytest.mark.parametrize(("how", "fails"), [("remove_items", False), ("replace_file", False), ("replace_file", True)])
def test_a_file_that_is_opened_while_it_goes(how: str, fails: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that opens it waits: then it is gone, or all of it is there."""
    rows = drive_rows if how == "remove_items" else drive_moves
    service, change = Stores.service, getattr(rows, how)
    open_files = service.drives.open_files
    for name in ("a", "b"):
        service.files_by_path.put("agent", f"/going/{name}", name.encode())
    ours = DrivesSide(service.drives, "going")
    inode = service.namespace.view.context.find_stored("agent", "/going/a")
    assert isinstance(inode, int)

    def overtaken(*arguments: object, **more: object) -> object:
        with pytest.raises(Leaving):
            open_files.open(inode, writing=False)
        if fails:
            raise NoSpaceError("It is full.")
        return change(*arguments, **more)

    monkeypatch.setattr(rows, how, overtaken)
    with pytest.raises(OSError, match="full") if fails else nullcontext():
        service.files_by_path.remove("agent", "/going/a") if how == "remove_items" else ours.rename("b", "a")
    monkeypatch.undo()
    with nullcontext() if fails else pytest.raises(NotFoundError):
        open_files.open(inode, writing=False)
        open_files.release(inode, writing=False)
    assert open_files.by_inode == {}
    service.files_by_path.remove("agent", "/going", recursive=True, purge=True)
    service.database.write(lambda cursor: cursor.execute("DELETE FROM removed_items"))


def test_what_is_made_while_another_snapshot_is_adopted_is_shown() -> None:
    service = Stores.service
    namespace, begun = service.namespace, threading.Event()
    snapshot = namespace.load_snapshot()

    def adopt() -> None:
        with namespace.journal.lock:
            begun.set()
            time.sleep(0.3)  # the writer is here by now, and waits
            namespace.adopt(snapshot)

    adopting = threading.Thread(target=adopt)
    adopting.start()
    assert begun.wait(10)
    service.files_by_path.make_directory("agent", "/meanwhile")
    adopting.join()
    assert namespace.view is snapshot
    assert snapshot.context.directory(("agent", "meanwhile")) is not None
    service.files_by_path.remove("agent", "/meanwhile", recursive=True)


def test_what_is_written_where_something_went_is_the_same_item() -> None:
    """However many were written since it was known that nothing had gone."""
    service = Stores.service
    service.files_by_path.make_directory("agent", "/ids")

    def put(name: str) -> int:
        return service.files_by_path.put("agent", f"/ids/{name}", b"text\n").item_id

    first = put("a.md")
    others = {put(f"{number}.md") for number in range(4)}
    assert first not in others
    service.files_by_path.remove("agent", "/ids/a.md")
    assert put("b.md") != first
    assert put("a.md") == first
    service.files_by_path.remove("agent", "/ids", recursive=True, purge=True)
    service.database.write(lambda cursor: cursor.execute("DELETE FROM removed_items"))


@pytest.mark.parametrize("how", ["committed", "open", "committed later", "committed while it is loaded"])
def test_the_time_of_a_directory_that_somebody_set_goes_when_a_name_comes(how: str) -> None:
    """Whatever snapshot is shown, and for good; one that is set after that stands."""
    service, old = Stores.service, 1_000_000_000_000_000
    namespace = service.namespace
    service.files_by_path.make_directory("agent", "/timed")
    service.files_by_path.make_directory("agent", "/timed/d")
    ours = DrivesSide(service.drives, "timed")
    ours.utime("d", old)
    namespace.adopt(namespace.load_snapshot())
    assert ours.stat("d")[2] == old
    fd = ours.open("d/x", os.O_CREAT | os.O_WRONLY)
    assert ours.stat("d")[2] is None
    if how == "committed":
        ours.close(fd)
    namespace.adopt(namespace.load_snapshot())
    assert ours.stat("d")[2] is None
    later = how.startswith("committed ")
    if later:
        ours.utime("d", old)
    snapshot = namespace.load_snapshot()
    if how != "committed":
        ours.close(fd)
    namespace.adopt(snapshot if how == "committed while it is loaded" else namespace.load_snapshot())
    assert ours.stat("d")[2] == (old if later else None)
    kept = "SELECT count(mtime_us) FROM context_items WHERE path = '/timed/d'"
    assert service.database.fetch(kept) == [(later,)]
    ours.mkdir("d/inner")
    assert ours.stat("d")[2] is None
    assert service.database.fetch(kept) == [(0,)]
    service.files_by_path.remove("agent", "/timed", recursive=True, purge=True)


@pytest.mark.parametrize("step", ["append", "cut", "chmod", "attribute", "renamed over"])
def test_a_file_that_stays_open_is_one_file_whatever_snapshot_is_shown(step: str) -> None:
    """What is done through the handle and by name, before and after each publication, is done to the same file."""
    service = Stores.service
    service.files_by_path.put("agent", "/held/a", b"first line\n")
    service.files_by_path.put("agent", "/held/b", b"other\n")
    ours = DrivesSide(service.drives, "held")

    def newer() -> None:
        service.namespace.adopt(service.namespace.load_snapshot())

    fd = ours.open("a", os.O_WRONLY | os.O_APPEND)
    newer()
    name, expected = "a", b"first line\n"
    if step == "cut":
        ours.ftruncate(fd, 0)
        expected = b""
    elif step == "chmod":
        ours.chmod("a", 0o600)
    elif step == "attribute":
        ours.setxattr("a", "user.a", b"kept")
    elif step == "renamed over":
        ours.rename("a", "b")
        name = "b"
    for number in range(3):
        record = f"record {number}\n".encode()
        newer()
        ours.append(fd, record)
        expected += record
        assert ours.fstat(fd)[2] == len(expected)
        newer()
        assert ours.read(name) == expected
    ours.close(fd)
    for _ in range(2):
        assert ours.read(name) == expected
        assert ours.stat(name) == ("f", 0o600 if step == "chmod" else 0o644, len(expected))
        assert ours.xattrs(name) == ({"user.a": b"kept"} if step == "attribute" else {})
        newer()
    service.files_by_path.remove("agent", "/held", recursive=True, purge=True)
    service.database.write(lambda cursor: cursor.execute("DELETE FROM removed_items"))


def test_numbers_are_kept_for_what_stands_and_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of directories and files that came and went, and of atomic saves, nothing is left behind but the last ones; a
    directory that moved keeps its number, whatever stands where it stood."""
    service = Stores.service
    monkeypatch.setattr(context_tree, "PATHS_LEFT", 3)
    places, namespace, numbers = service.files_by_path, service.namespace, service.namespace.numbers

    def keys() -> dict[str, int]:
        found = namespace.view.context.directory(("agent", "numbers"))
        assert found is not None
        return {"/".join(each.names()): each.key for each in namespace.view.context.beneath(found)}

    def sizes() -> list[int]:
        return [len(each) for each in (numbers._keys, numbers._paths, numbers.item_of, numbers.inode_of)]

    places.make_directory("agent", "/numbers/kept/inner")
    places.put("agent", "/numbers/saved.md", b"text\n")
    before = None
    for number in range(12):
        places.make_directory("agent", f"/numbers/{number}")
        places.move("agent", f"/numbers/{number}", "agent", "/numbers/moved")
        places.remove("agent", "/numbers/moved", recursive=True)
        places.put("agent", "/numbers/.saved.tmp", b"text %d\n" % number)
        places.move("agent", "/numbers/.saved.tmp", "agent", "/numbers/saved.md", overwrite=True)
        namespace.adopt(namespace.load_snapshot())
        if number == 5:
            before = sizes()
    assert sizes() == before and len(numbers._left) == 3
    places.move("agent", "/numbers/kept", "agent", "/numbers/there")
    key = keys()["agent/numbers/there"]
    for number in range(5):
        places.make_directory("agent", f"/numbers/{number}")
        places.remove("agent", f"/numbers/{number}", recursive=True)
    places.make_directory("agent", "/numbers/kept/inner")
    shown = keys()
    assert shown["agent/numbers/there"] == key and len(set(shown.values())) == len(shown)
    namespace.adopt(namespace.load_snapshot())
    assert keys() == shown
    service.files_by_path.remove("agent", "/numbers", recursive=True, purge=True)
    service.database.write(lambda cursor: cursor.execute("DELETE FROM removed_items"))
