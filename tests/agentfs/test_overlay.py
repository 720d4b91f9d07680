"""The overlay: the contract of file systems, copying up, whiteouts, and a base that others change."""

from __future__ import annotations

import errno
import os
import stat
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from kgfs.agentfs.database import AgentDatabase
from kgfs.agentfs.filesystem.workspace import Workspace
from kgfs.agentfs.overlays.copy_up import PIECE
from kgfs.filesystem import KEEP_SIZE, PUNCH_HOLE, RENAME_EXCHANGE, ROOT, Stat
from tests.agentfs.session_sides import DIRECTORY, Opened, above, at, body, names, put
from tests.memory_file_system import MemoryFileSystem
from tests.posix_contract import InterfaceDoor, PosixContract, fails


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Opened]:
    """A base with some files, and nothing changed."""
    opened = Opened(tmp_path)
    put(opened.base, b"readme", b"the base\n")
    put(opened.base, b"docs/one", b"first\n")
    put(opened.base, b"docs/two", b"second\n")
    put(opened.base, b"docs/deep/er/three", b"third\n")
    opened.base.symlink(ROOT, b"link", b"docs/one", 0, 0)
    opened.base.setxattr(at(opened.base, b"readme"), b"user.kind", b"text")
    yield opened
    opened.sound()
    opened.close()


class TestOverNothing(PosixContract):
    @pytest.fixture(scope="class")
    @classmethod
    def door(cls, tmp_path_factory: pytest.TempPathFactory) -> Iterator[InterfaceDoor]:
        opened = Opened(tmp_path_factory.mktemp("overlay"), MemoryFileSystem())
        yield InterfaceDoor(opened.overlay)
        opened.sound()
        opened.close()


class BaseDoor(InterfaceDoor):
    """Directories in the root are made in the base, so everything happens in merged ones."""

    def __init__(self, opened: Opened) -> None:
        super().__init__(opened.overlay)
        self._opened_session = opened

    def mkdir(self, path: bytes, mode: int = 0o755) -> None:
        if b"/" in path:
            super().mkdir(path, mode)
        else:
            self._opened_session.base.make(ROOT, path, stat.S_IFDIR | mode, 0, os.getuid(), os.getgid())

    def lstat(self, path: bytes) -> Stat:
        """Of a merged directory nobody counts the links: they are counted here."""
        found = super().lstat(path)
        if b"/" not in path and found.nlink == 1 and stat.S_ISDIR(found.mode):
            inside = sum(stat.S_ISDIR(entry.mode) for entry in self.file_system.list(found.ino))
            return msgspec.structs.replace(found, nlink=2 + inside)
        return found


class TestInDirectoriesOfTheBase(PosixContract):
    @pytest.fixture(scope="class")
    @classmethod
    def door(cls, tmp_path_factory: pytest.TempPathFactory) -> Iterator[InterfaceDoor]:
        opened = Opened(tmp_path_factory.mktemp("overlay"), MemoryFileSystem())
        yield BaseDoor(opened)
        opened.sound()
        opened.close()


def test_nobody_counts_the_links_of_a_merged_directory(session: Opened) -> None:
    files = session.overlay
    docs = at(files, b"docs")
    assert files.getattr(docs).nlink == 3
    files.make(docs, b"more", DIRECTORY, 0, 0, 0)
    assert (files.getattr(docs).nlink, files.getattr(at(files, b"docs/more")).nlink) == (1, 2)


def test_nothing_of_the_base_is_changed(session: Opened) -> None:
    base, files = session.base, session.overlay
    before = base.getattr(at(base, b"readme"))
    files.write(at(files, b"readme"), 4, b"session")
    files.setattr(at(files, b"docs/one"), mode=0o600)
    files.unlink(*above(files, b"docs/two"))
    put(files, b"docs/new", b"new")
    files.setxattr(at(files, b"link"), b"user.x", b"y")
    assert (base.getattr(at(base, b"readme")), body(base, b"readme")) == (before, b"the base\n")
    assert names(base, b"docs") == {b"one", b"two", b"deep"}
    assert body(files, b"readme") == b"the session"
    assert names(files, b"docs") == {b"one", b"new", b"deep"}
    session.reopen()
    files = session.overlay
    assert body(files, b"readme") == b"the session"
    assert names(files, b"docs") == {b"one", b"new", b"deep"}
    assert stat.S_IMODE(files.getattr(at(files, b"docs/one")).mode) == 0o600
    assert files.getxattr(at(files, b"link"), b"user.x") == b"y"
    assert files.readlink(at(files, b"link")) == b"docs/one"


def test_a_copy_is_what_its_origin_is(session: Opened) -> None:
    base, files = session.base, session.overlay
    ino = at(base, b"docs/one")
    base.setattr(ino, mode=0o4750, uid=5, gid=6)
    base.setattr(ino, atime_ns=1_000_000_001, mtime_ns=2_000_000_002)
    base.setattr(at(base, b"docs"), mode=0o2711, uid=7, gid=8)
    base.setattr(at(base, b"docs"), atime_ns=3, mtime_ns=4)
    shown = files.getattr(at(files, b"docs/one"))
    files.setxattr(shown.ino, b"user.new", b"1")
    copied = files.getattr(shown.ino)

    def said(found: Stat) -> tuple[int, ...]:
        return found.ino, found.mode, found.uid, found.gid, found.size, found.atime_ns, found.mtime_ns

    assert said(copied) == said(shown)
    docs = files.getattr(at(files, b"docs"))
    assert (docs.mode, docs.uid, docs.gid, docs.atime_ns, docs.mtime_ns) == (stat.S_IFDIR | 0o2711, 7, 8, 3, 4)
    readme = at(files, b"readme")
    files.write(readme, 0, b"T")
    assert files.getxattr(readme, b"user.kind") == b"text"


def test_attributes_that_the_delta_refuses_are_left_out(session: Opened) -> None:
    session.base.setxattr(at(session.base, b"readme"), b"system.posix_acl_access", b"acl")
    readme = at(session.overlay, b"readme")
    session.overlay.write(readme, 0, b"T")
    assert session.overlay.listxattr(readme) == [b"user.kind"]


def test_an_inode_stays_the_same_when_it_is_copied_up(session: Opened) -> None:
    files = session.overlay
    ino, docs = at(files, b"docs/one"), at(files, b"docs")
    files.hold(ino)
    assert files.read(ino, 0, 10) == b"first\n"
    files.write(ino, 5, b"!")
    assert (files.read(ino, 0, 10), at(files, b"docs/one"), at(files, b"docs")) == (b"first!", ino, docs)
    assert {entry.name: entry.ino for entry in files.list(docs)}[b"one"] == ino
    files.rename(docs, b"one", ROOT, b"moved", 0)
    assert at(files, b"moved") == ino
    files.unlink(ROOT, b"moved")
    assert (files.read(ino, 0, 10), files.getattr(ino).nlink) == (b"first!", 0)
    files.release(ino)
    fails(errno.ENOENT, files.getattr, ino)


def test_origins_are_noted(session: Opened) -> None:
    files = session.overlay
    session.base.nodes[(1 << 64) - 2] = session.base.nodes.pop(far := at(session.base, b"docs/two"))
    session.base.nodes[(1 << 64) - 2].ino = (1 << 64) - 2
    files.write(at(files, b"docs/two"), 0, b"x")
    files.write(at(files, b"docs/one"), 0, b"x")
    origins = session.rows(
        "SELECT d.name, o.base_ino FROM fs_origin o JOIN fs_dentry d ON d.ino = o.delta_ino ORDER BY d.name"
    )
    assert far > 1
    assert origins == [("docs", at(session.base, b"docs")), ("one", at(session.base, b"docs/one")), ("two", -2)]
    files.unlink(*above(files, b"docs/one"))
    put(files, b"docs/one", b"another")
    assert {name for (name,) in session.rows(
        "SELECT d.name FROM fs_origin o JOIN fs_dentry d ON d.ino = o.delta_ino"
    )} == {"docs", "two"}  # fmt: skip


def test_whiteouts_are_as_specified(session: Opened) -> None:
    files = session.overlay
    put(session.base, b"\xff", b"odd")
    put(session.base, b"docs/\xfe", b"odd")
    put(files, b"mine", b"")
    files.unlink(ROOT, b"mine")
    assert session.whiteouts() == set(), "what the base has not needs none"
    for path in (b"readme", b"docs/one", b"\xff", b"docs/\xfe"):
        files.unlink(*above(files, path))
        fails(errno.ENOENT, at, files, path)
    assert session.whiteouts() == {
        ("/readme", "/"), ("/docs/one", "/docs"), (b"/\xff", "/"), (b"/docs/\xfe", "/docs"),
    }  # fmt: skip
    session.reopen()
    files = session.overlay
    assert names(files) == {b"docs", b"link"} and names(files, b"docs") == {b"two", b"deep"}
    session.sound()
    put(files, b"readme", b"mine")
    files.symlink(ROOT, b"\xff", b"there", 0, 0)
    files.rename(*above(files, b"docs/two"), *above(files, b"docs/one"), 0)
    files.link(at(files, b"readme"), *above(files, b"docs/\xfe"))
    assert session.whiteouts() == {("/docs/two", "/docs")}
    assert all(isinstance(moment, int) for (moment,) in session.rows("SELECT created_at FROM fs_whiteout"))


def test_a_directory_that_was_made_anew_is_empty(session: Opened) -> None:
    files = session.overlay
    fails(errno.ENOTEMPTY, files.rmdir, ROOT, b"docs")
    for path in (b"docs/one", b"docs/two", b"docs/deep/er/three"):
        files.unlink(*above(files, path))
    for path in (b"docs/deep/er", b"docs/deep", b"docs"):
        files.rmdir(*above(files, path))
    assert names(files) == {b"readme", b"link"}
    files.make(ROOT, b"docs", DIRECTORY, 0, 0, 0)
    put(session.base, b"docs/later", b"")
    assert names(files, b"docs") == set()
    fails(errno.ENOENT, at, files, b"docs/one")
    put(files, b"docs/one", b"mine")
    session.reopen()
    files = session.overlay
    assert (names(files, b"docs"), body(files, b"docs/one")) == ({b"one"}, b"mine")
    session.sound()
    files.rename(ROOT, b"docs", ROOT, b"papers", 0)
    assert ("/docs", "/") in session.whiteouts() and names(files, b"papers") == {b"one"}
    files.make(ROOT, b"papers2", DIRECTORY, 0, 0, 0)
    put(files, b"papers2/two", b"")
    files.rename(ROOT, b"papers2", ROOT, b"docs", 0)
    assert names(files, b"docs") == {b"two"}


def test_files_of_the_base_are_renamed_and_linked(session: Opened) -> None:
    files = session.overlay
    ino = at(files, b"readme")
    files.rename(ROOT, b"readme", *above(files, b"docs/readme"), 0)
    assert (names(files), at(files, b"docs/readme"), body(files, b"docs/readme")) == (
        {b"docs", b"link"}, ino, b"the base\n",
    )  # fmt: skip
    files.link(at(files, b"docs/one"), ROOT, b"uno")
    files.write(at(files, b"uno"), 0, b"F")
    assert body(files, b"docs/one") == b"First\n" and files.getattr(at(files, b"uno")).nlink == 2
    files.rename(*above(files, b"docs/two"), *above(files, b"link"), RENAME_EXCHANGE)
    assert files.readlink(at(files, b"docs/two")) == b"docs/one" and body(files, b"link") == b"second\n"
    files.rename(*above(files, b"link"), *above(files, b"docs/readme"), 0)
    assert session.whiteouts() == {("/readme", "/"), ("/link", "/")}
    session.reopen()
    files = session.overlay
    assert body(files, b"docs/readme") == b"second\n" and names(files) == {b"docs", b"uno"}
    assert at(files, b"uno") == at(files, b"docs/one")


def test_a_directory_of_the_base_does_not_move(session: Opened) -> None:
    files = session.overlay
    files.make(ROOT, b"mine", DIRECTORY, 0, 0, 0)
    fails(errno.EXDEV, files.rename, ROOT, b"docs", ROOT, b"papers", 0)
    fails(errno.EXDEV, files.rename, ROOT, b"mine", ROOT, b"docs", RENAME_EXCHANGE)
    put(files, b"docs/deep/new", b"")
    fails(errno.EXDEV, files.rename, *above(files, b"docs/deep"), ROOT, b"deep", 0)
    fails(errno.EINVAL, files.rename, ROOT, b"docs", *above(files, b"docs/deep/x"), 0)
    fails(errno.ENOTEMPTY, files.rename, ROOT, b"mine", ROOT, b"docs", 0)
    files.rename(ROOT, b"mine", *above(files, b"docs/deep/mine"), 0)
    assert names(files, b"docs/deep") == {b"er", b"new", b"mine"}


def test_what_was_unlinked_lives_while_it_is_open(session: Opened) -> None:
    files = session.overlay
    ino = at(files, b"docs/one")
    files.hold(ino)
    files.unlink(*above(files, b"docs/one"))
    assert (files.read(ino, 0, 10), files.getattr(ino).nlink) == (b"first\n", 0)
    other = put(files, b"docs/one", b"another")
    files.write(ino, 0, b"F")
    files.setattr(ino, mode=0o600)
    assert (files.read(ino, 0, 10), body(files, b"docs/one"), other != ino) == (b"First\n", b"another", True)
    session.sound()
    files.release(ino)
    fails(errno.ENOENT, files.read, ino, 0, 10)
    assert {name for (name,) in session.rows("SELECT name FROM fs_dentry")} == {"docs", "one"}
    assert session.rows("SELECT count(*) FROM fs_inode") == [(3,)]


def test_a_session_sees_what_others_change_in_the_base(session: Opened) -> None:
    base, files = session.base, session.overlay
    files.write(at(files, b"docs/one"), 0, b"F")
    files.unlink(*above(files, b"docs/two"))
    put(base, b"docs/later", b"later")
    put(base, b"docs/one", b"changed")
    put(base, b"docs/two", b"changed")
    put(base, b"readme", b"changed")
    assert names(files, b"docs") == {b"one", b"deep", b"later"}
    assert (body(files, b"docs/later"), body(files, b"readme"), body(files, b"docs/one")) == (
        b"later", b"changed", b"First\n",
    )  # fmt: skip
    base.unlink(*above(base, b"docs/later"))
    base.unlink(*above(base, b"docs/one"))
    fails(errno.ENOENT, at, files, b"docs/later")
    assert body(files, b"docs/one") == b"First\n"
    base.unlink(ROOT, b"readme")
    base.make(ROOT, b"readme", DIRECTORY, 0, 0, 0)
    put(base, b"readme/inside", b"")
    assert names(files, b"readme") == {b"inside"}


def test_a_file_that_others_replaced_in_the_base_while_it_was_open(session: Opened) -> None:
    base, files = session.base, session.overlay
    ino = at(files, b"readme")
    files.hold(ino)
    put(base, b"next", b"the next\n")
    base.rename(ROOT, b"next", ROOT, b"readme", 0)
    assert body(files, b"readme") == b"the next\n" and files.read(ino, 0, 20) == b"the base\n"
    files.write(ino, 0, b"lost")
    assert body(files, b"readme") == b"the next\n" and files.read(ino, 0, 20) == b"lostbase\n"
    files.release(ino)


def test_names_of_one_file_of_the_base_become_files_of_their_own(session: Opened) -> None:
    base, files = session.base, session.overlay
    base.link(at(base, b"docs/one"), ROOT, b"uno")
    ino = at(files, b"docs/one")
    files.write(ino, 0, b"F")
    assert (body(files, b"docs/one"), body(files, b"uno")) == (b"First\n", b"first\n")
    files.unlink(ROOT, b"uno")
    assert body(files, b"docs/one") == b"First\n" and at(files, b"docs/one") == ino


def test_a_large_file_is_copied_in_pieces(session: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    base, files = session.base, session.overlay
    large = os.urandom(1000) * 700
    ino = put(base, b"large", large)
    base.setattr(ino, size=len(large) + 10 * PIECE)
    base.write(ino, len(large) + 9 * PIECE, b"end")
    sizes: list[int] = []
    read = base.read

    def counting(ino: int, offset: int, size: int) -> bytes:
        sizes.append(size)
        return read(ino, offset, size)

    monkeypatch.setattr(base, "read", counting)
    files.write(at(files, b"large"), 5, b"x")
    assert max(sizes) == PIECE and len(sizes) == 4
    assert body(files, b"large") == large[:5] + b"x" + large[6:] + bytes(9 * PIECE) + b"end" + bytes(PIECE - 3)
    assert files.getattr(at(files, b"large")).blocks * 512 < 5 * PIECE


def test_of_a_file_that_is_cut_only_the_rest_is_copied(session: Opened) -> None:
    files = session.overlay
    put(session.base, b"large", b"x" * (5 << 20))
    files.setattr(at(files, b"large"), size=3)
    files.setattr(at(files, b"readme"), size=3)
    files.setattr(at(files, b"docs/one"), size=8)
    assert (body(files, b"large"), body(files, b"readme"), body(files, b"docs/one")) == (b"xxx", b"the", b"first\n\0\0")
    seen = {path: (size, digest is None, body) for path, size, digest, body in session.rows(
        "SELECT path, size, digest, body FROM session_base"
    )}  # fmt: skip
    assert seen["/large"] == (5 << 20, True, None)
    assert (seen["/readme"], seen["/docs/one"]) == ((9, False, b"the base\n"), (6, False, b"first\n"))


def test_a_file_without_a_size_is_copied_by_reading_it(session: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    base, files = session.base, session.overlay
    ino = put(base, b"answer", b"made when it is read")
    getattr_, lookup, seek = base.getattr, base.lookup, base.seek_data

    def sizeless(found: Stat) -> Stat:
        return Stat(*(0 if name == "size" and found.ino == ino else getattr(found, name)
                      for name in Stat.__struct_fields__))  # fmt: skip

    def nowhere(number: int, offset: int) -> int:
        if number == ino:
            raise OSError(errno.ENXIO, "no data")
        return seek(number, offset)

    monkeypatch.setattr(base, "getattr", lambda number: sizeless(getattr_(number)))
    monkeypatch.setattr(base, "lookup", lambda parent, name: sizeless(lookup(parent, name)))
    monkeypatch.setattr(base, "seek_data", nowhere)
    files.write(at(files, b"answer"), 0, b"M")
    assert body(files, b"answer") == b"Made when it is read"


def test_a_copy_that_fails_leaves_nothing(session: Opened) -> None:
    base, files = session.base, session.overlay
    ino = at(files, b"docs/one")
    base.faults["read"] = errno.EIO
    fails(errno.EIO, files.write, ino, 0, b"x")
    base.faults.clear()
    assert session.rows("SELECT name FROM fs_dentry WHERE name = 'one'") == []
    assert session.rows("SELECT count(*) FROM fs_inode") == [(2,)]
    files.write(ino, 0, b"F")
    assert body(files, b"docs/one") == b"First\n"


def test_errors_of_the_base_are_told(session: Opened) -> None:
    session.base.faults["lookup"] = errno.EIO
    fails(errno.EIO, session.overlay.lookup, ROOT, b"readme")
    session.base.faults["lookup"] = errno.EILSEQ
    fails(errno.ENOENT, session.overlay.lookup, ROOT, b"\xff")
    session.base.faults.clear()


def test_copying_up_does_not_change_the_directory(session: Opened) -> None:
    files = session.overlay
    before = files.getattr(at(files, b"docs")).mtime_ns
    files.write(at(files, b"docs/one"), 0, b"F")
    assert files.getattr(at(files, b"docs")).mtime_ns == before
    time.sleep(0.012)  # a tick of the kernel's clock
    files.unlink(*above(files, b"docs/two"))
    assert files.getattr(at(files, b"docs")).mtime_ns > before


def test_holes_are_punched_and_found(session: Opened) -> None:
    files = session.overlay
    put(session.base, b"docs/big", b"x" * 20_000)
    ino = at(files, b"docs/big")
    files.allocate(ino, PUNCH_HOLE | KEEP_SIZE, 4096, 8192)
    assert (files.seek_hole(ino, 0), files.seek_data(ino, 4096), files.getattr(ino).size) == (4096, 12_288, 20_000)


def test_a_file_without_a_name_gets_one(session: Opened) -> None:
    files = session.overlay
    made = files.tmpfile(0o600, 1, 2)
    files.write(made.ino, 0, b"body")
    files.link(made.ino, *above(files, b"docs/made"))
    files.release(made.ino)
    assert (at(files, b"docs/made"), body(files, b"docs/made")) == (made.ino, b"body")
    lost = files.tmpfile(0o600, 1, 2)
    files.release(lost.ino)
    fails(errno.ENOENT, files.getattr, lost.ino)


def test_a_client_of_the_format_reads_the_delta(session: Opened, tmp_path: Path) -> None:
    files = session.overlay
    files.write(at(files, b"docs/one"), 0, b"F")
    put(files, b"new/file", b"x" * 5000)
    files.sync()
    session.database.copy(tmp_path / "copy.db")
    with AgentDatabase(tmp_path / "copy.db") as database:
        plain = Workspace(database)
        assert names(plain) == {b"docs", b"new"} and names(plain, b"docs") == {b"one"}
        assert (body(plain, b"docs/one"), body(plain, b"new/file")) == (b"First\n", b"x" * 5000)
        plain.close()


def test_only_what_the_session_has_may_be_kept(session: Opened) -> None:
    """What others can change is asked for each time; a directory that is in both shows what the base has there now,
    although nobody asks for it again."""
    files, base = session.overlay, session.base
    put(files, b"docs/mine", b"mine")
    put(files, b"own/file", b"own")
    lasting = {path: files.getattr(at(files, path)).lasting for path in (b"docs", b"docs/one", b"docs/mine", b"own")}
    assert lasting == {b"docs": True, b"docs/one": False, b"docs/mine": True, b"own": True}
    docs, deep, own = (at(files, path) for path in (b"docs", b"docs/deep", b"own"))
    assert [files.settled(ino) for ino in (ROOT, docs, deep, own, 1 << 40)] == [False, False, False, True, False]
    for ino in (docs, deep, at(files, b"docs/one")):
        assert files.at_once(ino) is None
    quick = files.at_once(own, at(files, b"docs/mine"))
    assert quick is not None and files.at_once(own, docs) is None
    with quick:
        assert files.lookup(own, b"file").size == 3
    asked: list[object] = []
    held = threading.Thread(target=lambda: asked.append(files.at_once(own)))
    with files._lock:  # somebody may be waiting for the base
        held.start()
        held.join()
    assert asked == [None]

    base.rename(ROOT, b"docs", ROOT, b"before", 0)
    assert names(files, b"docs") == {b"mine"} and files.getattr(docs).nlink == 1
    fails(errno.ENOENT, files.lookup, docs, b"one")
    put(base, b"docs/later", b"later")
    found = files.lookup(docs, b"later")
    assert files.read(found.ino, 0, 9) == b"later" and files.is_merged(docs)
    fails(errno.EXDEV, files.rename, ROOT, b"docs", ROOT, b"moved", 0)
    files.unlink(docs, b"later")
    assert names(files, b"docs") == {b"mine"} and names(base, b"docs") == {b"later"}


def test_many_change_one_session_at_once(session: Opened) -> None:
    files = session.overlay
    failed: list[Exception] = []
    for number in range(40):
        put(session.base, b"docs/%d" % number, b"base")

    def work(writer: int) -> None:
        try:
            for number in range(40):
                name = b"docs/%d" % number
                files.write(at(files, name), writer * 4, b"%04d" % number)
                put(files, b"new%d/%d" % (writer, number), b"new")
                if number % 4 == writer and number > 1:
                    files.rename(*above(files, b"docs/%d" % (number - 1)), ROOT, b"r%d-%d" % (writer, number), 0)
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(writer,)) for writer in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(isinstance(error, FileNotFoundError) for error in failed), "only what another one renamed away"
    before = {name: body(files, name) for name in names(files) if name.startswith(b"r")}
    listed = names(files, b"docs")
    session.reopen()
    files = session.overlay
    assert {name: body(files, name) for name in names(files) if name.startswith(b"r")} == before
    assert names(files, b"docs") == listed
