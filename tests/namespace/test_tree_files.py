"""The tree as a file system: what it shows is what the namespace shows, and nothing but ``OSError`` leaves it."""

from __future__ import annotations

import errno
import random
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from kgfs.errors import KgfsError, UnknownWord
from kgfs.filesystem import ROOT, FileSystem
from kgfs.namespace.namespace import Namespace
from kgfs.namespace.node import ROW_SHIFT
from kgfs.namespace.publish import publish
from kgfs.namespace.tree_files import TreeFiles
from kgfs.store.catalog.database import Database
from tests.graph_builder import build, remove_document, touch
from tests.namespace.drivers import SubstringSearcher, opened
from tests.rounds import rounds

OTHERS = {b"workspace", b"@kv", b"@session"}


@pytest.fixture
def files(tree: Namespace, tmp_path: Path) -> TreeFiles:
    return TreeFiles(tree, tmp_path)


def at(files: FileSystem, path: str) -> int:
    """The inode at a path; links are not followed."""
    ino = ROOT
    for name in path.split("/"):
        ino = files.lookup(ino, name.encode()).ino
    return ino


def test_all_of_the_tree_is_there(files: TreeFiles, tree: Namespace) -> None:
    """Names, kinds, sizes, times, targets, bytes and attributes of every node that a walk finds."""
    kinds = {"d": stat.S_IFDIR, "f": stat.S_IFREG, "l": stat.S_IFLNK}
    waiting, seen = [ROOT], 0
    while waiting:
        here = waiting.pop()
        listed = files.list(here)
        if tree.pending(here):
            tree.prepare(here)
        names = {entry.name.encode() for entry in tree.entries(here)}
        assert {entry.name for entry in listed} == (names - OTHERS if here == ROOT else names)
        for entry in listed:
            seen += 1
            found, attr = files.lookup(here, entry.name), tree.attr(entry.ino)
            assert (found.ino, stat.S_IFMT(found.mode)) == (entry.ino, stat.S_IFMT(entry.mode))
            assert found.mode == kinds[attr.kind] | attr.mode
            assert (found.mtime_ns, found.ctime_ns) == (attr.mtime_ns, attr.ctime_ns)
            assert set(files.listxattr(entry.ino)) == {name.encode() for name in tree.xattrs(entry.ino)}
            if attr.kind == "d":
                waiting.append(entry.ino)
            elif attr.kind == "l":
                assert files.readlink(entry.ino) == tree.target(entry.ino).encode()
            else:
                files.hold(entry.ino)
                body = files.read(entry.ino, 0, found.size + 100_000)
                assert len(body) == files.getattr(entry.ino).size
                assert files.read(entry.ino, 3, 5) == body[3:8]
                files.release(entry.ino)
                if not tree.is_momentary(entry.ino):
                    assert len(body) == found.size
    assert seen > 5_000


def test_owners_may_change_everything(files: TreeFiles) -> None:
    """What is copied into a session can be written there."""
    for path, mode in (("entities", 0o755), ("AGENTS.md", 0o644), ("documents/_index.tsv", 0o644)):
        assert stat.S_IMODE(files.getattr(at(files, path)).mode) == mode


def test_other_file_systems_are_missing(files: TreeFiles, tree: Namespace) -> None:
    for name in OTHERS:
        with pytest.raises(FileNotFoundError):
            files.lookup(ROOT, name)
    assert tree.lookup(tree.root, "workspace")


def test_queries_are_answered(database: Database, tmp_path: Path) -> None:
    told: list[KgfsError] = []
    files = TreeFiles(opened(database, searcher=SubstringSearcher(database)), tmp_path, refused=told.append)
    found = files.lookup(at(files, "@grep"), b"wages")
    assert found.size > 0 and files.read(found.ino, 0, found.size).count(b"wages") > 1
    hits = at(files, "@search/keyword/wages/top")
    links = files.list(hits)
    assert links and all(files.readlink(link.ino).startswith(b"../") for link in links)
    with pytest.raises(FileNotFoundError):
        files.lookup(at(files, "@find"), b"color=red")
    assert isinstance(told[-1], UnknownWord)
    with pytest.raises(OSError) as refused:
        files.lookup(at(files, "@grep"), b"(")
    assert refused.value.errno == errno.EINVAL


def test_nothing_can_be_changed(files: TreeFiles) -> None:
    ino = at(files, "AGENTS.md")
    for change in (
        lambda: files.make(ROOT, b"x", 0o644, 0, 0, 0),
        lambda: files.symlink(ROOT, b"x", b"y", 0, 0),
        lambda: files.link(ino, ROOT, b"x"),
        lambda: files.rename(ROOT, b"AGENTS.md", ROOT, b"x", 0),
        lambda: files.unlink(ROOT, b"AGENTS.md"),
        lambda: files.rmdir(ROOT, b"entities"),
        lambda: files.tmpfile(0o600, 0, 0),
        lambda: files.write(ino, 0, b"x"),
        lambda: files.allocate(ino, 0, 0, 1),
        lambda: files.setattr(ino, mode=0o600),
        lambda: files.setxattr(ino, b"user.x", b"y"),
        lambda: files.removexattr(ino, b"user.x"),
    ):
        with pytest.raises(OSError) as refused:
            change()
        assert refused.value.errno == errno.EROFS
    files.sync()


def test_what_goes_while_it_is_open_is_read_to_its_end(tmp_path: Path) -> None:
    with build(tmp_path / "store", entities=5, documents=3) as database:
        tree = opened(database)
        files = TreeFiles(tree, tmp_path)
        entry = next(each for each in files.list(at(files, "facts/by_type")) if stat.S_ISDIR(each.mode))
        fact = files.list(entry.ino)[0].ino
        body = files.read(fact, 0, 10_000)
        files.hold(fact)
        assert files.read(fact, 0, 10) == body[:10]
        assert len(body) == files.getattr(fact).size
        for (document,) in database.fetch("SELECT id FROM documents"):
            database.write(lambda cursor, document=document: remove_document(cursor, document))
        publish(database)
        tree.adopt(tree.load_snapshot())
        assert files.read(fact, 0, 10_000) == body and files.getattr(fact).size == len(body)
        files.release(fact)
        with pytest.raises(FileNotFoundError):
            files.getattr(fact)


def test_reading_while_others_commit(tmp_path: Path) -> None:
    """A commit that nobody shows is fetched; while snapshots change, every answer is one of some moment."""
    with build(tmp_path / "store", entities=20, documents=4) as database:
        tree = opened(database, cache_bytes=0)
        files = TreeFiles(tree, tmp_path, reload=lambda: tree.adopt(tree.load_snapshot()))
        faults: list[BaseException] = []
        ended = threading.Event()

        def read() -> None:
            dice = random.Random(2)
            try:
                while not ended.is_set():
                    walk(files, dice, 20)
            except BaseException as error:
                faults.append(error)

        reader = threading.Thread(target=read)
        reader.start()
        for number in range(rounds(10, 400)):
            touch(database, number)
            publish(database)
            if number % 2:
                tree.adopt(tree.load_snapshot())
        ended.set()
        reader.join(60)
        assert not faults and not reader.is_alive()


def walk(files: TreeFiles, dice: random.Random, steps: int) -> None:
    """Wander through the tree at random; only ``OSError`` may be raised."""
    here = ROOT
    for _ in range(steps):
        try:
            entries = files.list(here)
            if not entries:
                here = ROOT
                continue
            chosen = dice.choice(entries)
            found = files.lookup(here, chosen.name)
            if stat.S_ISDIR(found.mode):
                here = found.ino
            elif stat.S_ISLNK(found.mode):
                files.readlink(found.ino)
            else:
                files.hold(found.ino)
                files.read(found.ino, dice.randrange(100), dice.randrange(5000))
                files.release(found.ino)
                here = dice.choice((here, ROOT))
        except OSError:
            here = ROOT


@pytest.mark.long
@pytest.mark.parametrize("seed", range(rounds(3, 100)))
def test_only_errors_of_a_file_system_are_raised(files: TreeFiles, seed: int) -> None:
    """Calls at random: numbers that nobody gave out, names that nobody has, queries of nonsense."""
    dice = random.Random(seed)
    known = [ROOT]
    guide, link = at(files, "AGENTS.md"), at(files, "README.md")
    names = [b"@search", b"@grep", b"text", b"keyword", b"@find", b"type=Person", b"@stat", b"@brief", b"@sql",
             b"SELECT 1", b"(", b"\xff\xfe", b"x" * 300, b".git", b"@near", b"2", b"@path", b"@history"]  # fmt: skip

    def ino() -> int:
        if dice.random() < 0.2:
            return dice.choice(
                (0, 2, dice.randrange(1 << 62), dice.randrange(200) << ROW_SHIFT | dice.randrange(1 << 54))
            )
        # Most of what is known are directories: without a file and a link at hand, a seed may never read one.
        return dice.choice((guide, guide, link)) if dice.random() < 0.3 else dice.choice(known)

    def name() -> bytes:
        if dice.random() < 0.5:
            return dice.choice(names)
        try:
            return dice.choice(files.list(dice.choice(known))).name
        except (OSError, IndexError):
            return b"nothing"

    calls: dict[str, Callable[[], object]] = {
        "lookup": lambda: known.append(files.lookup(ino(), name()).ino),
        "list": lambda: known.extend(entry.ino for entry in files.list(ino())[:20]),
        "getattr": lambda: files.getattr(ino()),
        "readlink": lambda: files.readlink(ino()),
        "read": lambda: files.read(ino(), dice.randrange(-1, 5000), dice.randrange(-1, 5000)),
        "xattrs": lambda: [files.getxattr(one, each) for one in [ino()] for each in files.listxattr(one)],
        "hold": lambda: files.hold(ino()),
        "release": lambda: files.release(ino()),
        "data": lambda: files.seek_data(ino(), dice.randrange(-1, 5000)),
        "hole": lambda: files.seek_hole(ino(), dice.randrange(-1, 5000)),
        "statfs": lambda: files.statfs(),
    }
    done = dict.fromkeys(calls, 0)
    for _ in range(1500):
        call = dice.choice(list(calls))
        try:
            calls[call]()
            done[call] += 1
        except OSError as error:
            assert error.errno
    assert all(done.values()), done
