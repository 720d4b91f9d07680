"""A real mount over a planted tree: signals, faults, killed clients and daemons, publication under load."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import json
import os
import random
import select
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kgfs import mounts
from tests.mount.conftest import Start
from tests.mount.daemons import Daemon, in_threads
from tests.rounds import rounds

pytestmark = pytest.mark.mount

TREE: dict[str, str | None] = {
    "README.md": "-> AGENTS.md",
    "AGENTS.md": "guide\n",
    "empty": "",
    "dir/sub/a.txt": "a\n",
    "dir/link": "-> sub/a.txt",
    "bare": None,
}


@pytest.fixture
def mount(planted: Start) -> Daemon:
    return planted(TREE)


# What a mount is


def test_the_mount_is_what_others_expect(mount: Daemon) -> None:
    found = mounts.mount_at(mount.mountpoint)
    assert found is not None
    assert (found.type, found.store) == ("fuse.kgfs", mount.store)
    assert found.options >= {"nosuid", "nodev", "default_permissions"}
    assert os.listdir(mount.mountpoint / "dir") == ["sub", "link"]
    assert os.readlink(mount.mountpoint / "README.md") == "AGENTS.md"
    assert (mount.mountpoint / "README.md").read_text() == "guide\n"
    assert (mount.mountpoint / "empty").read_bytes() == b""
    assert os.getxattr(mount.mountpoint / "AGENTS.md", "user.kg.type") == b"planted"
    assert os.statvfs(mount.mountpoint).f_namemax == 255
    assert mounts.answers(mount.mountpoint) and not mounts.is_stale(mount.mountpoint)


def test_dots_are_listed_as_everywhere(mount: Daemon) -> None:
    listed = subprocess.run(["ls", "-fa", mount.mountpoint], capture_output=True, text=True, check=True).stdout.split()
    assert listed[:2] == [".", ".."] and sorted(listed[2:]) == sorted(os.listdir(mount.mountpoint))


def test_readiness_can_be_polled(mount: Daemon) -> None:
    """``poll`` is not answered by us: the kernel takes every file for ready."""
    with (mount.mountpoint / "AGENTS.md").open("rb") as file:
        poller = select.poll()
        poller.register(file, select.POLLIN)
        assert poller.poll(1000)


# Writes

libc = ctypes.CDLL(None, use_errno=True)


def mutations(root: Path) -> dict[str, Callable[[], Any]]:
    file, directory, new = root / "AGENTS.md", root / "dir", root / "new"
    return {
        "open for writing": lambda: os.open(file, os.O_WRONLY),
        "open for both": lambda: os.open(file, os.O_RDWR),
        "open to truncate": lambda: os.open(file, os.O_RDONLY | os.O_TRUNC),
        "open to append": lambda: os.open(file, os.O_WRONLY | os.O_APPEND),
        "create": lambda: os.open(new, os.O_CREAT | os.O_WRONLY),
        "create exclusively": lambda: os.open(new, os.O_CREAT | os.O_EXCL | os.O_RDWR),
        "create to read": lambda: os.open(new, os.O_CREAT | os.O_RDONLY),
        "temporary file": lambda: os.open(directory, os.O_TMPFILE | os.O_RDWR),
        "mkdir": lambda: os.mkdir(new),
        "rmdir": lambda: os.rmdir(root / "bare"),
        "unlink": lambda: os.unlink(file),
        "unlink a link": lambda: os.unlink(root / "README.md"),
        "rename": lambda: os.rename(file, new),
        "rename over": lambda: os.rename(file, root / "empty"),
        "rename a directory": lambda: os.rename(directory, new),
        "symlink": lambda: os.symlink("x", new),
        "link": lambda: os.link(file, new),
        "fifo": lambda: os.mkfifo(new),
        "device": lambda: os.mknod(new, 0o600 | 0o020000, os.makedev(1, 3)),
        "chmod": lambda: os.chmod(file, 0o600),
        "chmod a directory": lambda: os.chmod(directory, 0o700),
        "chown": lambda: os.chown(file, os.getuid(), os.getgid()),
        "truncate": lambda: os.truncate(file, 0),
        "utime": lambda: os.utime(file, (1, 1)),
        "touch": lambda: os.utime(file),
        "setxattr": lambda: os.setxattr(file, "user.x", b"1"),
        "setxattr to create": lambda: os.setxattr(file, "user.x", b"1", os.XATTR_CREATE),
        "setxattr to replace": lambda: os.setxattr(file, "user.kg.type", b"1", os.XATTR_REPLACE),
        "removexattr": lambda: os.removexattr(file, "user.kg.type"),
        "copy in": lambda: shutil.copy(sys.executable, new),
    }


@pytest.mark.parametrize("name", mutations(Path("/")))
def test_writes_are_erofs(mount: Daemon, name: str) -> None:
    before = sorted(mount.mountpoint.rglob("*"))
    with pytest.raises(OSError) as caught:
        mutations(mount.mountpoint)[name]()
    allowed = {errno.EROFS}
    if name == "temporary file":
        allowed.add(errno.EOPNOTSUPP)  # the kernel never asks
    assert caught.value.errno in allowed, caught.value
    assert sorted(mount.mountpoint.rglob("*")) == before
    assert (mount.mountpoint / "AGENTS.md").read_text() == "guide\n"


def test_what_exists_or_not_says_so_first(mount: Daemon) -> None:
    root = mount.mountpoint
    with pytest.raises(FileExistsError):
        os.mkdir(root / "dir")
    with pytest.raises(FileNotFoundError):
        os.unlink(root / "nothing")
    with pytest.raises(NotADirectoryError):
        os.listdir(root / "AGENTS.md" / "x")
    with pytest.raises(IsADirectoryError):
        os.open(root / "dir", os.O_WRONLY)


def test_calls_that_make_no_sense_here_do_no_harm(mount: Daemon) -> None:
    """fallocate, ioctl, locks, copy_file_range, SEEK_HOLE, fsync: whatever they say, the mount goes on."""
    root = mount.mountpoint
    with (root / "AGENTS.md").open("rb") as file:
        number = file.fileno()
        calls: list[Callable[[], Any]] = [
            lambda: os.posix_fallocate(number, 0, 10),
            lambda: os.ftruncate(number, 0),
            lambda: os.write(number, b"x"),
            lambda: os.fsync(number),
            lambda: os.lseek(number, 0, os.SEEK_HOLE),
            lambda: os.lseek(number, 0, os.SEEK_DATA),
            lambda: os.copy_file_range(number, number, 1),
            lambda: os.lockf(number, os.F_LOCK, 0),
            lambda: os.sendfile(number, number, 0, 10),
            lambda: os.mkfifo(root / "x"),
            lambda: os.getxattr(root, "system.posix_acl_access"),
            lambda: os.statvfs(root / "dir"),
            lambda: libc.ioctl(number, 0x5401, 0),
        ]
        for call in calls:
            with contextlib.suppress(OSError):
                call()
    assert (root / "AGENTS.md").read_text() == "guide\n"


# Faults


@pytest.mark.parametrize("method", ["lookup", "attr", "batches", "peek", "target", "xattrs", "pending"])
def test_a_fault_in_the_namespace_is_eio_and_the_mount_goes_on(planted: Start, method: str) -> None:
    mount = planted(TREE)
    mount.say("fail", method)
    root = mount.mountpoint
    for number in range(20):
        for probe in probes(root, number):
            try:
                probe()
            except OSError as error:
                assert error.errno in (errno.EIO, errno.ENODATA, errno.ENOENT)
    mount.say("calm")
    assert (root / "AGENTS.md").read_text() == "guide\n"
    assert sorted(os.listdir(root)) == sorted({name.split("/")[0] for name in TREE})
    assert b"planted" in (mount.store / "errors.jsonl").read_bytes()
    assert mount.end() == 0
    mount.expected = None  # its log holds the faults that were planted


def test_a_read_that_takes_too_long_is_etimedout(mount: Daemon) -> None:
    mount.say("cold", "dir/sub/a.txt", 4.0)
    started = time.monotonic()
    with pytest.raises(OSError) as caught:
        (mount.mountpoint / "dir/sub/a.txt").read_bytes()
    assert caught.value.errno == errno.ETIMEDOUT
    assert time.monotonic() - started < 3.5
    assert (mount.mountpoint / "AGENTS.md").read_text() == "guide\n"


def test_a_killed_reader_leaves_nothing_behind(mount: Daemon) -> None:
    for path, number in (("dir/sub/a.txt", signal.SIGINT), ("AGENTS.md", signal.SIGKILL)):
        mount.say("cold", path, 6.0)
        reader = subprocess.Popen(["cat", mount.mountpoint / path], stderr=subprocess.DEVNULL)
        time.sleep(0.5)
        reader.send_signal(number)
        assert reader.wait(30) == -number
    no_handle_stays(mount)


def test_the_watchdog_notices_a_stuck_loop(planted: Start) -> None:
    mount = planted(TREE, stuck_seconds=0.5)
    mount.say("hang", 1.5)
    assert (mount.mountpoint / "AGENTS.md").read_text() == "guide\n"
    line = json.loads((mount.store / "errors.jsonl").read_bytes().splitlines()[0])
    assert line["where"] == "watchdog" and "has not run" in line["message"]
    assert "Timeout" in mount.log.read_text()
    assert mount.end() == 0
    mount.expected = None


def probes(root: Path, number: int) -> list[Callable[[], Any]]:
    return [
        lambda: os.stat(root / f"new{number}"),
        lambda: os.listdir(root),
        lambda: os.stat(root / "AGENTS.md"),
        lambda: os.readlink(root / "README.md"),
        lambda: (root / "AGENTS.md").read_bytes(),
        lambda: os.getxattr(root, "user.x"),
        lambda: os.listxattr(root),
    ]


def no_handle_stays(mount: Daemon) -> None:
    """The kernel says in its own time that a file was closed."""
    until = time.monotonic() + 10
    while mount.say("counts")[1]:
        assert time.monotonic() < until, "a handle stays open"
        time.sleep(0.05)


# The end


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_signals_end_it_cleanly(mount: Daemon, number: int) -> None:
    assert mount.end(number) == 0
    assert mounts.mount_at(mount.mountpoint) is None


def test_an_unmount_ends_it_cleanly(mount: Daemon) -> None:
    mounts.unmount(mount.mountpoint)
    assert mount.process.wait(10) == 0


def test_unmounting_names_who_holds_it(mount: Daemon) -> None:
    holder = subprocess.Popen(["sleep", "60"], cwd=mount.mountpoint / "dir")
    try:
        with pytest.raises(mounts.ConflictError) as caught:
            mounts.unmount(mount.mountpoint)
        assert f"sleep (pid {holder.pid}, working directory {mount.mountpoint}/dir)" in caught.value.message
        assert [(one.pid, one.name) for one in mounts.holders(mount.mountpoint)] == [(holder.pid, "sleep")]
        mounts.unmount(mount.mountpoint, lazy=True)
        assert mounts.mount_at(mount.mountpoint) is None
    finally:
        holder.kill()
        holder.wait()
    assert mount.process.wait(10) == 0


def test_it_ends_while_somebody_holds_it(mount: Daemon) -> None:
    held = os.open(mount.mountpoint / "dir", os.O_RDONLY)
    try:
        assert mount.end() == 0
        with pytest.raises(OSError) as caught:
            os.listdir(held)
        assert caught.value.errno in (errno.ENOTCONN, errno.ECONNABORTED)
    finally:
        os.close(held)
    assert mounts.mount_at(mount.mountpoint) is None


def test_it_ends_while_requests_hang(mount: Daemon) -> None:
    mount.say("cold", "dir/sub/a.txt", 1.9)
    readers = [
        subprocess.Popen(
            ["cat", mount.mountpoint / "dir/sub/a.txt"], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        for _ in range(20)
    ]
    time.sleep(0.3)
    started = time.monotonic()
    assert mount.end() == 0
    assert time.monotonic() - started < 6
    for reader in readers:
        reader.wait(10)


def test_a_storm_of_signals(mount: Daemon) -> None:
    """SIGUSR1 dumps stacks and hurts nobody; of many signals to end, one counts."""
    stop = threading.Event()

    def storm() -> None:
        while not stop.is_set():
            mount.process.send_signal(signal.SIGUSR1)
            time.sleep(0.003)

    thread = threading.Thread(target=storm)
    thread.start()
    try:
        for _ in range(200):
            assert (mount.mountpoint / "AGENTS.md").read_text() == "guide\n"
            assert os.listdir(mount.mountpoint / "dir")
    finally:
        stop.set()
        thread.join()
    assert "Thread" in mount.log.read_text()
    for _ in range(50):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            if mount.process.poll() is None:
                mount.process.send_signal(number)
    assert mount.process.wait(10) == 0
    assert mounts.mount_at(mount.mountpoint) is None


def test_a_killed_daemon_leaves_a_stale_mount_that_can_be_replaced(mount: Daemon, planted: Start) -> None:
    mount.kill()
    mount.expected = None
    assert mounts.mount_at(mount.mountpoint) is not None
    assert mounts.is_stale(mount.mountpoint)
    with pytest.raises(OSError) as caught:
        os.listdir(mount.mountpoint)
    assert caught.value.errno == errno.ENOTCONN
    assert mounts.prepare_mountpoint(mount.mountpoint, mount.store) == mount.mountpoint
    assert mounts.mount_at(mount.mountpoint) is None
    assert os.listdir(mount.mountpoint) == []


def test_a_stale_mount_elsewhere_of_the_same_store_goes_too(mount: Daemon, tmp_path: Path) -> None:
    mount.kill()
    mount.expected = None
    place = mounts.prepare_mountpoint(tmp_path / "else", mount.store)
    assert place.is_dir() and mounts.mount_at(mount.mountpoint) is None


# Load


def test_sixty_four_readers(planted: Start) -> None:
    tree = {f"d{number % 20}/f{number}.txt": f"{number}\n" * 300 for number in range(500)}
    mount = planted(dict(tree))

    def read(number: int) -> None:
        order = list(tree)
        random.Random(number).shuffle(order)
        for path in order:
            whole = mount.mountpoint / path
            data = whole.read_text()
            assert data == tree[path]
            assert whole.stat().st_size == len(data)

    in_threads(64, read)
    no_handle_stays(mount)


def test_ten_thousand_entries_are_listed_whole_while_the_directory_changes(planted: Start) -> None:
    stay = [f"big/stay{number:05d}" for number in range(10_000)]
    mount = planted(dict.fromkeys(stay, ""))
    stop = threading.Event()
    published = 0

    def publish() -> None:
        nonlocal published
        while not stop.is_set():
            published += 1
            coming = [f"big/come{number}" for number in range(published % 7)]
            assert mount.say("publish", dict.fromkeys([*stay, *coming], "")) is True

    thread = threading.Thread(target=publish)
    thread.start()
    try:
        for _ in range(15):
            listed = os.listdir(mount.mountpoint / "big")
            assert len(listed) == len(set(listed))
            assert {name for name in listed if name.startswith("stay")} == {path[4:] for path in stay}
    finally:
        stop.set()
        thread.join()
    assert published > 3


@pytest.mark.long
def test_nothing_stale_is_seen_after_a_publication(planted: Start) -> None:
    """Sizes, bytes, names that came and names that went, all cached before; and while others walk the tree."""
    generator = random.Random(5)
    names = [f"d{number % 5}/f{number}" for number in range(60)]
    tree: dict[str, str | None] = {name: "0" for name in names}
    mount = planted(tree)
    root = mount.mountpoint
    stop = threading.Event()
    walkers = [
        threading.Thread(target=_walk, args=(root, stop, command), daemon=True)
        for command in (["find", "."], ["grep", "-r", "nothing", "."], ["ls", "-lR", "."])
    ]
    for walker in walkers:
        walker.start()
    open_before = {name: (root / name).open("rb", buffering=0) for name in names[:10]}
    until = time.monotonic() + float(os.environ.get("KGFS_SOAK_SECONDS", rounds(3, 30)))
    turn = 0
    try:
        while time.monotonic() < until or turn <= 5:
            turn += 1
            for name in generator.sample(names, 12):
                if name in tree and generator.random() < 0.3 and name not in open_before:
                    del tree[name]
                else:
                    same = generator.random() < 0.3 and name in tree
                    size = len(tree[name] or "") if same else generator.randrange(1, 9000)
                    tree[name] = (f"{turn} " * size)[:size]
            assert mount.say("publish", tree) is True
            for name in names:
                _expect(root / name, tree.get(name))
            for directory in {name.split("/")[0] for name in names}:
                expected = {name.split("/")[1] for name in tree if name.startswith(directory + "/")}
                listed = set(os.listdir(root / directory)) if expected else set()
                assert listed == expected
            for name, file in open_before.items():
                assert os.pread(file.fileno(), 10_000, 0).decode() == tree[name], name
    finally:
        stop.set()
        for walker in walkers:
            walker.join(20)
        for file in open_before.values():
            file.close()


def _walk(root: Path, stop: threading.Event, command: list[str]) -> None:
    while not stop.is_set():
        subprocess.run(command, cwd=root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


def _expect(path: Path, text: str | None) -> None:
    if text is None:
        assert not path.exists(), f"{path} is a ghost"
        return
    assert path.stat().st_size == len(text), path
    assert path.read_text() == text, path


def test_walking_for_long_does_not_cost_memory(planted: Start) -> None:
    tree: dict[str, str | None] = {f"d{number % 50}/f{number}": "x" * 100 for number in range(3000)}
    mount = planted(tree)

    def walk() -> None:
        subprocess.run(["grep", "-r", "nothing", mount.mountpoint], check=False)
        subprocess.run(["ls", "-lR", mount.mountpoint], check=True, stdout=subprocess.DEVNULL)
        Path("/proc/sys/vm/drop_caches").write_text("2") if os.geteuid() == 0 else None

    for _ in range(3):
        walk()
    before = mount.memory()
    for _ in range(10):
        walk()
    assert mount.memory() - before < 4 * 1024 * 1024
