"""The workspace: what the model does not try, what the tables look like, and durability."""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kgfs.agentfs.database import AgentDatabase
from kgfs.agentfs.filesystem import commits as committing
from kgfs.agentfs.filesystem import inode_table
from kgfs.agentfs.filesystem.workspace import Workspace
from kgfs.errors import KgfsError, NoSpaceError
from kgfs.filesystem import KEEP_SIZE, PUNCH_HOLE, ROOT, ZERO_RANGE, Stat
from tests.agentfs.filesystem_sides import outcome

FILE = stat.S_IFREG | 0o644
DIRECTORY = stat.S_IFDIR | 0o755


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "agent.db"


@pytest.fixture
def files(path: Path) -> Iterator[Workspace]:
    with AgentDatabase(path) as database:
        workspace = Workspace(database)
        yield workspace
        workspace.close()


def put(files: Workspace, name: bytes, data: bytes, parent: int = ROOT) -> int:
    ino = files.make(parent, name, FILE, 0, 0, 0).ino
    files.write(ino, 0, data)
    return ino


def rows(path: Path, sql: str, *parameters: Any) -> list[Any]:
    """What another program sees."""
    connection = sqlite3.connect(path)
    try:
        return connection.execute(sql, parameters).fetchall()
    finally:
        connection.close()


def test_the_tables_are_as_specified(files: Workspace, path: Path) -> None:
    put(files, b"small", b"hello")
    large = put(files, b"large", bytes(range(256)) * 40)
    folder = files.make(ROOT, b"folder", DIRECTORY, 0, 5, 6)
    files.link(large, folder.ino, b"again")
    files.symlink(folder.ino, b"link", b"/etc/hosts", 1, 2)
    files.make(folder.ino, b"pipe", stat.S_IFIFO | 0o600, 0, 0, 0)
    device = files.make(folder.ino, b"null", stat.S_IFCHR | 0o666, os.makedev(1, 3), 0, 0)
    files.setattr(device.ino, atime_ns=-1, mtime_ns=1_700_000_000_123_456_789)
    files.setxattr(large, b"user.a", b"\0\xff")
    files.sync()
    assert rows(path, "SELECT name, parent_ino, ino FROM fs_dentry ORDER BY parent_ino, name") == [
        ("folder", 1, 4), ("large", 1, 3), ("small", 1, 2),
        ("again", 4, 3), ("link", 4, 5), ("null", 4, 7), ("pipe", 4, 6),
    ]  # fmt: skip
    assert rows(path, "SELECT ino, mode, nlink, uid, gid, size, rdev FROM fs_inode ORDER BY ino") == [
        (1, 0o040755, 1, 0, 0, 0, 0), (2, FILE, 1, 0, 0, 5, 0), (3, FILE, 2, 0, 0, 10240, 0),
        (4, DIRECTORY, 1, 5, 6, 0, 0), (5, 0o120777, 1, 1, 2, 10, 0), (6, 0o010600, 1, 0, 0, 0, 0),
        (7, 0o020666, 1, 0, 0, 0, os.makedev(1, 3)),
    ]  # fmt: skip
    assert rows(path, "SELECT ino, chunk_index, length(data) FROM fs_data ORDER BY ino, chunk_index") == [
        (2, 0, 5), (3, 0, 4096), (3, 1, 4096), (3, 2, 2048),
    ]  # fmt: skip
    assert rows(path, "SELECT ino, target FROM fs_symlink") == [(5, "/etc/hosts")]
    assert rows(path, "SELECT atime, atime_nsec, mtime, mtime_nsec FROM fs_inode WHERE ino = 7") == [
        (-1, 999_999_999, 1_700_000_000, 123_456_789)
    ]
    assert rows(path, "SELECT ino, name, value FROM fs_xattr") == [(large, b"user.a", b"\0\xff")]
    assert files.getattr(4).nlink == 2 and files.getattr(ROOT).nlink == 3


def test_chunks_are_of_the_files_size(path: Path) -> None:
    with AgentDatabase(path, chunk_size=512) as database:
        files = Workspace(database)
        put(files, b"a", b"x" * 1025)
        files.sync()
        assert rows(path, "SELECT length(data) FROM fs_data ORDER BY chunk_index") == [(512,), (512,), (1,)]
        files.close()


def test_names_and_targets_of_any_bytes(path: Path) -> None:
    names = [b"\xff\xfe", "ünïcode".encode(), b"a\nb", b" ", b"%", b"x" * 255, b"\xf0\x9f\x98\x80"]
    with AgentDatabase(path) as database:
        files = Workspace(database)
        for name in names:
            files.symlink(ROOT, name, b"to/" + name, 0, 0)
        files.close()
    with AgentDatabase(path) as database:
        files = Workspace(database)
        assert sorted(entry.name for entry in files.list(ROOT)) == sorted(names)
        for name in names:
            assert files.readlink(files.lookup(ROOT, name).ino) == b"to/" + name
        for name in names:
            files.unlink(ROOT, name)
        files.close()
    assert rows(path, "SELECT count(*) FROM fs_dentry") == [(0,)]
    assert rows(path, "SELECT count(*) FROM fs_symlink") == [(0,)]


def test_refusals(files: Workspace) -> None:
    file = put(files, b"file", b"x")
    folder = files.make(ROOT, b"folder", DIRECTORY, 0, 0, 0).ino
    inner = files.make(folder, b"inner", DIRECTORY, 0, 0, 0).ino
    gone = files.make(ROOT, b"gone", DIRECTORY, 0, 0, 0).ino
    files.hold(gone)
    files.rmdir(ROOT, b"gone")
    for work, expected in (
        (lambda: files.make(ROOT, b"n" * 256, FILE, 0, 0, 0), "ENAMETOOLONG"),
        (lambda: files.lookup(ROOT, b"n" * 256), "ENAMETOOLONG"),
        (lambda: files.make(ROOT, b"..", FILE, 0, 0, 0), "EINVAL"),
        (lambda: files.make(ROOT, b"a/b", FILE, 0, 0, 0), "EINVAL"),
        (lambda: files.make(ROOT, b"a", 0o030000, 0, 0, 0), "EINVAL"),
        (lambda: files.make(gone, b"a", FILE, 0, 0, 0), "ENOENT"),
        (lambda: files.make(file, b"a", FILE, 0, 0, 0), "ENOTDIR"),
        (lambda: files.symlink(ROOT, b"l", b"", 0, 0), "ENOENT"),
        (lambda: files.symlink(ROOT, b"l", b"t" * 4096, 0, 0), "ENAMETOOLONG"),
        (lambda: files.link(folder, ROOT, b"l"), "EPERM"),
        (lambda: files.unlink(ROOT, b"folder"), "EISDIR"),
        (lambda: files.rmdir(ROOT, b"folder"), "ENOTEMPTY"),
        (lambda: files.rmdir(ROOT, b"file"), "ENOTDIR"),
        (lambda: files.rename(ROOT, b"folder", inner, b"x", 0), "EINVAL"),
        (lambda: files.rename(ROOT, b"folder", folder, b"x", 0), "EINVAL"),
        (lambda: files.rename(ROOT, b"file", ROOT, b"folder", 0), "EISDIR"),
        (lambda: files.rename(ROOT, b"folder", ROOT, b"file", 0), "ENOTDIR"),
        (lambda: files.rename(ROOT, b"file", ROOT, b"f", 8), "EINVAL"),
        (lambda: files.read(folder, 0, 1), "EISDIR"),
        (lambda: files.write(file, -1, b"x"), "EINVAL"),
        (lambda: files.write(file, (1 << 63) - 1, b"xx"), "EFBIG"),
        (lambda: files.allocate(file, PUNCH_HOLE, 0, 1), "ENOTSUP"),
        (lambda: files.setattr(folder, size=1), "EISDIR"),
        (lambda: files.setxattr(file, b"system.posix_acl_access", b"x"), "ENOTSUP"),
        (lambda: files.setxattr(file, b"user.x", b"x" * 65537), "E2BIG"),
        (lambda: files.getxattr(file, b"user.x"), "ENODATA"),
        (lambda: files.readlink(file), "EINVAL"),
        (lambda: files.getattr(99), "ENOENT"),
        (lambda: files.hold(99), "ENOENT"),
    ):
        assert outcome(work) == expected
    files.release(gone)
    assert outcome(lambda: files.getattr(gone)) == "ENOENT"


def test_entries_of_a_directory_with_the_group_bit(files: Workspace) -> None:
    folder = files.make(ROOT, b"shared", DIRECTORY | stat.S_ISGID, 0, 1, 50).ino
    inner = files.make(folder, b"inner", DIRECTORY, 0, 2, 2)
    file = files.make(inner.ino, b"file", FILE, 0, 3, 3)
    assert (inner.gid, inner.mode) == (50, DIRECTORY | stat.S_ISGID) and (file.uid, file.gid) == (3, 50)


def test_a_sparse_file(files: Workspace, path: Path) -> None:
    ino = files.make(ROOT, b"sparse", FILE, 0, 0, 0).ino
    files.setattr(ino, size=1 << 40)
    files.write(ino, 1 << 39, b"middle")
    for _ in range(2):
        found = files.getattr(ino)
        assert (found.size, found.blocks) == (1 << 40, 8)
        assert files.seek_data(ino, 0) == 1 << 39 and files.seek_hole(ino, 1 << 39) == (1 << 39) + 4096
        assert outcome(lambda: files.seek_data(ino, (1 << 39) + 4096)) == "ENXIO"
        assert outcome(lambda: files.seek_hole(ino, 1 << 40)) == "ENXIO"
        assert files.read(ino, (1 << 39) - 3, 12) == b"\0\0\0middle\0\0\0"
        assert files.read(ino, (1 << 40) - 2, 10) == b"\0\0"
        files.sync()
    assert rows(path, "SELECT chunk_index, length(data) FROM fs_data") == [(1 << 27, 4096)]
    files.allocate(ino, PUNCH_HOLE | 1, 1 << 39, 4096)
    files.sync()
    assert files.getattr(ino).blocks == 0 and rows(path, "SELECT count(*) FROM fs_data") == [(0,)]
    files.setattr(ino, size=5000)
    files.write(ino, 4999, b"x")
    files.setattr(ino, size=4096)
    files.setattr(ino, size=9000)
    files.sync()
    assert rows(path, "SELECT chunk_index FROM fs_data") == [] and files.read(ino, 0, 9000) == bytes(9000)


@pytest.mark.parametrize("keep", [0, KEEP_SIZE])
@pytest.mark.parametrize(("begin", "length"), [(0, 1), (10, 4090), (4096, 4096), (4000, 9000), (9999, 100), (12000, 5)])
def test_a_range_of_zeros(files: Workspace, begin: int, length: int, keep: int) -> None:
    data = bytes(range(1, 101)) * 100
    ino = put(files, b"file", data)
    files.allocate(ino, ZERO_RANGE | keep, begin, length)
    expected = bytearray(data)
    if not keep:
        expected.extend(bytes(max(begin + length - len(data), 0)))
    expected[begin : begin + length] = bytes(len(expected[begin : begin + length]))
    for _ in range(2):
        assert files.getattr(ino).size == len(expected) and files.read(ino, 0, 1 << 20) == expected
        files.sync()


def test_a_file_without_a_name(path: Path) -> None:
    with AgentDatabase(path) as database:
        files = Workspace(database)
        kept = files.tmpfile(0o600, 0, 0)
        assert (kept.nlink, kept.mode) == (0, stat.S_IFREG | 0o600)
        files.write(kept.ino, 0, b"kept")
        files.sync()
        assert files.link(kept.ino, ROOT, b"kept").nlink == 1
        files.release(kept.ino)
        lost = files.tmpfile(0o600, 0, 0).ino
        files.write(lost, 0, b"lost")
        files.sync()
        assert rows(path, "SELECT ino FROM fs_unnamed") == [(lost,)]
        files.release(lost)
        assert outcome(lambda: files.getattr(lost)) == "ENOENT"
        files.sync()
        assert rows(path, "SELECT count(*) FROM fs_inode") == [(2,)]
        assert rows(path, "SELECT count(*) FROM fs_unnamed") == [(0,)]
        opened = files.tmpfile(0o600, 0, 0).ino
        files.write(opened, 0, b"x")
        files.sync()
        left = AgentDatabase(path)
        after = Workspace(left)  # as after a kill: the first one never said that it is gone
        assert outcome(lambda: after.getattr(opened)) == "ENOENT"
        after.close()
        left.close()
    assert rows(path, "SELECT count(*) FROM fs_data WHERE ino = ?", opened) == [(0,)]


def test_what_was_written_is_durable_after_sync_and_soon_after_without(files: Workspace, path: Path) -> None:
    ino = put(files, b"a", b"one")
    assert rows(path, "SELECT count(*) FROM fs_dentry") == [(0,)]
    files.sync(ino)
    assert rows(path, "SELECT name FROM fs_dentry") == [("a",)]
    put(files, b"b", b"two")
    end = time.monotonic() + 10
    while rows(path, "SELECT count(*) FROM fs_dentry") != [(2,)]:
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_sync_of_what_is_unchanged_commits_nothing(files: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    ino = put(files, b"a", b"one")
    files.sync(ino)
    commits = []
    commit = files._commits._commit
    monkeypatch.setattr(files._commits, "_commit", lambda: (commits.append(1), commit()))
    assert files.read(ino, 0, 3) == b"one"
    files.sync(ino)
    assert commits == []


def test_many_who_wait_share_commits(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with AgentDatabase(path) as database:
        files = Workspace(database)
        monkeypatch.setattr(committing, "LINGER_SECONDS", 5.0)
        commits = []
        commit = files._commits._commit

        def slow() -> None:
            commits.append(1)
            time.sleep(0.01)
            commit()

        monkeypatch.setattr(files._commits, "_commit", slow)

        def work(number: int) -> None:
            for count in range(10):
                files.sync(put(files, b"%d-%d" % (number, count), b"x"))

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(commits) < 45, "80 waited"
        assert rows(path, "SELECT count(*) FROM fs_dentry") == [(80,)]
        files.close()


def test_threads_at_the_same_directory(files: Workspace) -> None:
    def work(number: int) -> None:
        for count in range(60):
            name = b"%d-%d" % (number, count)
            ino = put(files, name, name * 500)
            if count % 3 == 0:
                files.sync(ino)
            if count % 2:
                files.rename(ROOT, name, ROOT, b"r" + name, 0)
            if count % 5 == 0:
                files.unlink(ROOT, (b"r" if count % 2 else b"") + name)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    names = {entry.name for entry in files.list(ROOT)}
    assert len(names) == 6 * 48
    for name in names:
        own = name.lstrip(b"r")
        assert files.read(files.lookup(ROOT, name).ino, 0, 1 << 20) == own * 500


def test_a_disk_that_is_full(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with AgentDatabase(path) as database:
        files = Workspace(database)
        put(files, b"kept", b"kept")
        files.sync()
        write = database.write
        full = [True]

        def refusing() -> Any:
            if full[0]:
                raise NoSpaceError("full")
            return write()

        monkeypatch.setattr(database, "write", refusing)
        put(files, b"later", b"later")
        assert outcome(files.sync) == "ENOSPC"
        assert outcome(files.sync) == "ENOSPC"
        assert files.read(files.lookup(ROOT, b"later").ino, 0, 9) == b"later"
        full[0] = False
        files.sync()
        assert rows(path, "SELECT name FROM fs_dentry ORDER BY name") == [("kept",), ("later",)]
        files._commits.reserve = 1 << 62
        files.unlink(ROOT, b"later")
        files.sync()
        for work in (lambda: put(files, b"x", b"x"), lambda: files.write(2, 0, b"x"), lambda: files.tmpfile(0, 0, 0)):
            assert outcome(work) == "ENOSPC"
        files._commits.reserve = 0
        put(files, b"again", b"x")
        files.close()


def test_more_than_memory_should_keep(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Inodes and names are forgotten and read again; nothing changes by that."""
    monkeypatch.setattr(inode_table, "REMEMBERED", 20)
    monkeypatch.setattr(inode_table, "AHEAD", 10)
    with AgentDatabase(path) as database:
        files = Workspace(database)
        folder = files.make(ROOT, b"folder", DIRECTORY, 0, 0, 0).ino
        for count in range(100):
            put(files, b"%02d" % count, b"%d" % count, folder)
            if count % 7 == 0:
                files.sync()
        files.sync()
        assert len(files.list(folder)) == 100
        for count in range(0, 100, 2):
            files.unlink(folder, b"%02d" % count)
        found = [(entry.name, files.read(entry.ino, 0, 9)) for entry in files.list(folder)]
        assert found == [(b"%02d" % count, b"%d" % count) for count in range(1, 100, 2)]
        files.sync()
        files.lookup(ROOT, b"folder")
        assert len(files._table.known) <= 21
        files.close()


@pytest.mark.parametrize(("plenty", "extended"), [(0, True), (1 << 62, False)])
def test_the_log_is_extended_for_who_commits_often(
    path: Path, monkeypatch: pytest.MonkeyPatch, plenty: int, extended: bool
) -> None:
    monkeypatch.setattr(committing, "PLENTY_BYTES", plenty)
    log = path.with_name("agent.db-wal")
    with AgentDatabase(path) as database:
        files = Workspace(database)
        for count in range(committing.MANY + 4):
            put(files, b"%d" % count, b"x")
            files.sync()
            assert (log.stat().st_size > 16 << 20) == (extended and count >= committing.MANY - 1)
        files.close()
    with AgentDatabase(path) as database:
        files = Workspace(database)
        assert len(files.list(ROOT)) == committing.MANY + 4
        files.close()


def test_directories_count_and_date_their_entries(files: Workspace) -> None:
    folder = files.make(ROOT, b"folder", DIRECTORY, 0, 0, 0).ino

    def changed(work: Any) -> Stat:
        before = files.getattr(folder)
        time.sleep(0.012)  # a tick of the kernel's clock
        work()
        after = files.getattr(folder)
        assert after.mtime_ns > before.mtime_ns and 0 <= after.ctime_ns - after.mtime_ns < 10
        return after

    assert changed(lambda: files.make(folder, b"a", FILE, 0, 0, 0)).nlink == 2
    assert changed(lambda: files.make(folder, b"d", DIRECTORY, 0, 0, 0)).nlink == 3
    assert changed(lambda: files.rename(folder, b"d", ROOT, b"d", 0)).nlink == 2
    assert changed(lambda: files.rename(ROOT, b"d", folder, b"e", 0)).nlink == 3
    assert changed(lambda: files.rename(folder, b"a", folder, b"b", 0)).nlink == 3
    assert changed(lambda: files.rmdir(folder, b"e")).nlink == 2
    assert changed(lambda: files.unlink(folder, b"b")).nlink == 2


def test_rows_that_cannot_be_used_are_errors(path: Path) -> None:
    with AgentDatabase(path) as database:
        files = Workspace(database)
        for name in (b"size", b"mode", b"text", b"link", b"gone", b"short"):
            put(files, name, b"x" * 9000)
        files.close()
        inos = {entry[0]: entry[1] for entry in rows(path, "SELECT name, ino FROM fs_dentry")}
        with database.write() as connection:
            connection.execute("UPDATE fs_inode SET size = -1 WHERE ino = ?", (inos["size"],))
            connection.execute("UPDATE fs_inode SET mode = 420 WHERE ino = ?", (inos["mode"],))
            connection.execute("UPDATE fs_inode SET uid = 'root' WHERE ino = ?", (inos["text"],))
            connection.execute("UPDATE fs_inode SET mode = 41471 WHERE ino = ?", (inos["link"],))
            connection.execute("DELETE FROM fs_inode WHERE ino = ?", (inos["gone"],))
            connection.execute("UPDATE fs_data SET data = x'61' WHERE ino = ? AND chunk_index = 0", (inos["short"],))
            connection.execute("INSERT INTO fs_dentry (name, parent_ino, ino) VALUES ('..', 1, 1), ('a/b', 1, 1)")
        files = Workspace(database)
        for name in ("size", "mode", "text"):
            assert outcome(lambda name=name: files.getattr(inos[name])) == "EIO"
        assert outcome(lambda: files.readlink(inos["link"])) == "EIO"
        assert outcome(lambda: files.lookup(ROOT, b"gone")) == "ENOENT"
        assert {entry.name.decode() for entry in files.list(ROOT)} == set(inos)
        assert files.read(inos["short"], 0, 9000) == b"a" + bytes(4095) + b"x" * 4904
        files.close()


def test_a_database_that_cannot_be_read_is_an_input_error(path: Path) -> None:
    AgentDatabase(path).close()
    schema = path.stat().st_size
    with AgentDatabase(path) as database:
        files = Workspace(database)
        ino = put(files, b"a", b"x" * 100_000)
        files.close()
    with path.open("r+b") as file:
        size = path.stat().st_size
        file.seek(schema)
        file.write(os.urandom(size - schema))
    with AgentDatabase(path) as database:
        try:
            files = Workspace(database)
            result = outcome(lambda: files.read(files.lookup(ROOT, b"a").ino, 0, 100_000))
            assert result in ("EIO", "ENOENT")
            files.close()
        except (OSError, KgfsError) as error:
            assert error.errno == errno.EIO
    assert ino == 2


def test_nothing_that_is_touched_becomes_older(tmp_path: Path) -> None:
    """The kernel sends the time of its last tick for ``touch``. ctime tells changes apart, also within a tick."""
    with AgentDatabase(tmp_path / "agent.db") as database:
        files = Workspace(database)
        for number in range(200):
            made = files.make(ROOT, b"%d" % number, stat.S_IFREG | 0o644, 0, 0, 0)
            files.write(made.ino, 0, b"x")
            before = files.getattr(made.ino)
            touched = files.setattr(made.ino, mtime_ns=time.clock_gettime_ns(5))  # CLOCK_REALTIME_COARSE
            assert made.mtime_ns <= before.mtime_ns <= touched.mtime_ns <= time.time_ns()
            assert made.ctime_ns < before.ctime_ns < touched.ctime_ns
        files.close()
