"""A file system beneath a real mount: the suite, what the kernel keeps, and what no request asks for."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import mmap
import os
import socket
import stat
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest

from kgfs.filesystem import RENAME_EXCHANGE, RENAME_NOREPLACE
from tests import warm_python
from tests.mount.daemons import Daemon
from tests.posix_contract import MountDoor, PosixContract, fails, rename2

pytestmark = pytest.mark.mount


def started(directory: Path, *options: str) -> Daemon:
    mountpoint, store = directory / "kg", directory / "store"
    mountpoint.mkdir()
    store.mkdir()
    command = [warm_python.python(), "-m", "tests.mount.memory_daemon", str(mountpoint), str(store), *options]
    daemon = Daemon(command, mountpoint, store, directory / "log")
    assert daemon.process.stdout is not None
    assert daemon.process.stdout.readline() == '"ready"\n', daemon.log.read_text()
    return daemon.wait()


def ended(daemon: Daemon) -> None:
    assert daemon.end() == 0, daemon.log.read_text()
    assert daemon.unexpected() == []


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    made = started(tmp_path)
    try:
        yield made
        ended(made)
    finally:
        made.clear()


@pytest.fixture
def here(daemon: Daemon) -> Path:
    return daemon.mountpoint / "workspace"


class TestMount(PosixContract):
    @pytest.fixture(scope="class")
    @classmethod
    def door(cls, tmp_path_factory: Any) -> Iterator[MountDoor]:
        daemon = started(tmp_path_factory.mktemp("submounts"))
        try:
            yield MountDoor(daemon.mountpoint / "workspace")
            ended(daemon)
        finally:
            daemon.clear()


class TestDisk(PosixContract):
    """That the suite asks for what a file system of the machine does."""

    exact_blocks = False

    @pytest.fixture(scope="class")
    @classmethod
    def door(cls, tmp_path_factory: Any) -> MountDoor:
        return MountDoor(tmp_path_factory.mktemp("disk"))


def test_the_directory_is_one_whoever_lists_it(daemon: Daemon, here: Path) -> None:
    for _ in range(3):
        with os.scandir(daemon.mountpoint) as entries:
            numbers = {entry.name: entry.inode() for entry in entries}
        assert numbers["workspace"] == here.stat().st_ino
        assert here.stat().st_nlink == 2
    (here / "d").mkdir()
    with chdir(here / "d"):
        assert os.getcwd() == str(here / "d")
        os.listdir(daemon.mountpoint)
        os.listdir(here)
        assert os.getcwd() == str(here / "d")
        assert os.stat("..").st_ino == here.stat().st_ino
        assert os.stat("../..").st_ino == daemon.mountpoint.stat().st_ino
    assert (daemon.mountpoint / "AGENTS.md").read_text() == "guide\n"
    for work in (os.rmdir, os.unlink):
        with pytest.raises(OSError):
            work(here)
    with pytest.raises(OSError) as caught:
        os.rename(here, daemon.mountpoint / "other")
    assert caught.value.errno == errno.EROFS
    with pytest.raises(OSError) as caught:
        os.rename(here / "d", daemon.mountpoint / "d")
    assert caught.value.errno == errno.EXDEV


def test_what_is_held_is_let_go(daemon: Daemon, here: Path) -> None:
    files = [open(here / f"{number}", "w+b") for number in range(20)]  # noqa: SIM115
    for number, file in enumerate(files):
        file.write(b"%d" % number)
        file.flush()
        os.unlink(file.name)
    assert daemon.say("counts")[:2] == [21, 20]
    for number, file in enumerate(files):
        file.seek(0)
        assert file.read() == b"%d" % number
        file.close()
    os.listdir(here)
    until = 200
    while daemon.say("counts")[:2] != [1, 0] and until:
        until -= 1
    assert daemon.say("counts")[:2] == [1, 0]


def test_mappings(here: Path) -> None:
    path = here / "mapped"
    path.write_bytes(b"a" * 100_000)
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        mapped[50_000:50_005] = b"hello"
        mapped.flush()
        assert path.read_bytes()[49_999:50_006] == b"ahelloa"
        mapped[0:1] = b"z"
    with path.open("rb") as file:
        assert file.read(2) == b"za"


def test_locks_are_the_kernels_own(here: Path) -> None:
    path = here / "locked"
    path.write_bytes(b"")
    with path.open("r+b") as one, path.open("r+b") as other:
        fcntl.flock(one, fcntl.LOCK_EX)
        with pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fcntl.flock(one, fcntl.LOCK_UN)
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fcntl.lockf(one, fcntl.LOCK_EX)
        child = os.fork()
        if child == 0:
            try:
                fcntl.lockf(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os._exit(7)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def test_pipes_and_sockets_work(here: Path) -> None:
    os.mkfifo(here / "pipe")
    child = os.fork()
    if child == 0:
        (here / "pipe").write_bytes(b"through")
        os._exit(0)
    assert (here / "pipe").read_bytes() == b"through"
    os.waitpid(child, 0)
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client, chdir(here):
        server.bind("socket")
        server.listen()
        client.connect("socket")
        client.send(b"x")
        with server.accept()[0] as accepted:
            assert accepted.recv(1) == b"x"
    if os.getuid() == 0:
        os.mknod(here / "null", stat.S_IFCHR | 0o666, os.makedev(1, 3))
        with pytest.raises(PermissionError):  # nodev: a device of a file system of a user is none
            open(here / "null", "rb")  # noqa: SIM115


def test_what_pyfuse3_does_not_pass(here: Path) -> None:
    """The errnos that docs/workspace.md names."""
    libc = ctypes.CDLL(None, use_errno=True)
    path = here / "a"
    path.write_bytes(b"x" * 10_000)
    with pytest.raises(OSError) as caught:
        os.open(here, os.O_TMPFILE | os.O_RDWR)
    assert caught.value.errno == errno.EOPNOTSUPP
    with path.open("r+b") as file:
        for mode in (0, 1, 3, 0x10):
            assert libc.fallocate(file.fileno(), mode, ctypes.c_long(0), ctypes.c_long(4096)) == -1
            assert ctypes.get_errno() == errno.EOPNOTSUPP
        os.posix_fallocate(file.fileno(), 0, 20_000)  # the C library writes then
        assert os.fstat(file.fileno()).st_size == 20_000
        os.ftruncate(file.fileno(), 1 << 20)
        assert os.lseek(file.fileno(), 100, os.SEEK_DATA) == 100
        assert os.lseek(file.fileno(), 0, os.SEEK_HOLE) == 1 << 20  # all is data
    (here / "b").write_bytes(b"")
    with path.open("rb") as source, (here / "b").open("r+b") as target:
        assert os.copy_file_range(source.fileno(), target.fileno(), 5000) == 5000
    assert (here / "b").read_bytes() == b"x" * 5000
    for flags in (4, 1 | 2, 8):  # whiteout, contradictory, unknown
        fails(errno.EINVAL, rename2, os.fsencode(path), os.fsencode(here / "new"), flags)
    rename2(os.fsencode(path), os.fsencode(here / "b"), RENAME_EXCHANGE)
    fails(errno.EEXIST, rename2, os.fsencode(path), os.fsencode(here / "b"), RENAME_NOREPLACE)
    # Reading changes no time.
    os.utime(path, ns=(5, 5))
    path.read_bytes()
    assert path.stat().st_atime_ns == 5


def test_what_a_command_changed_is_seen_at_once(daemon: Daemon, here: Path) -> None:
    assert not (here / "told").exists()
    for text in ("one", "another one", "x", "longer than all the others before it"):
        daemon.say("write", "told", text)
        assert (here / "told").read_text() == text
        assert (here / "told").stat().st_size == len(text)
        with (here / "told").open() as file:
            assert file.read() == text


def test_whatever_changed_is_seen_and_directories_stay(daemon: Daemon, here: Path) -> None:
    (here / "d/e").mkdir(parents=True)
    assert not (here / "new").exists()
    with chdir(here / "d/e"):
        for text in ("one", "another one", "x"):
            daemon.say("remake", "new", text)
            assert (here / "new").read_text() == text
            assert (here / "new").stat().st_size == len(text)
            assert os.getcwd() == str(here / "d/e")
            assert "new" in os.listdir("../..")


def test_faults_leave_the_mount_alive(daemon: Daemon, here: Path) -> None:
    (here / "f").write_bytes(b"kept")
    for method, number in (("write", errno.ENOSPC), ("sync", errno.EIO), ("make", errno.EDQUOT)):
        daemon.say("fail", method, number)
        with pytest.raises(OSError) as caught:
            (here / "new").write_bytes(b"x")
        assert caught.value.errno == number
        daemon.say("calm")
        (here / "new").unlink(missing_ok=True)
    (here / "f").write_bytes(b"again")
    assert (here / "f").read_bytes() == b"again"


def test_a_read_only_mount_refuses(tmp_path: Path) -> None:
    daemon = started(tmp_path, "--read-only")
    try:
        here = daemon.mountpoint / "workspace"
        assert os.listdir(here) == []
        for work in (here.joinpath("d").mkdir, here.joinpath("f").touch, lambda: os.symlink("x", here / "l")):
            with pytest.raises(OSError) as caught:
                work()
            assert caught.value.errno == errno.EROFS
        ended(daemon)
    finally:
        daemon.clear()
