"""``mountd`` itself: how it starts, what it says when it cannot, how it ends, over a real store."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kgfs import mounts
from kgfs.config import SOCKET
from tests import warm_python
from tests.graph_builder import build
from tests.mount.daemons import ROOT, Daemon
from tests.rounds import rounds
from tests.waiting import until

pytestmark = pytest.mark.mount


@pytest.fixture
def store(tmp_path: Path) -> Path:
    build(tmp_path / "store", entities=20, documents=3).close()
    return tmp_path / "store"


StartReal = Callable[..., Daemon]


@pytest.fixture
def mountd(tmp_path: Path) -> Iterator[StartReal]:
    """``mountd(store, mountpoint, *options)``: the daemon in the foreground, not waited for."""
    daemons: list[Daemon] = []

    def start(store: Path, mountpoint: Path, *options: str, python: str = "") -> Daemon:
        words = ["-m", "mountd", "-f", "--store", str(store), str(mountpoint), *options]
        command = [python or warm_python.python(), *words]
        daemons.append(Daemon(command, mountpoint, store, tmp_path / f"log{len(daemons)}"))
        return daemons[-1]

    try:
        yield start
        for daemon in daemons:
            assert daemon.process.poll() is not None or daemon.end() == 0, daemon.log.read_text()
            assert daemon.unexpected() == []
    finally:
        for daemon in daemons:
            daemon.clear()


def refused(daemon: Daemon, status: int) -> str:
    """The sentence with which it ended."""
    assert daemon.process.wait(30) == status, daemon.log.read_text()
    lines = daemon.log.read_text().splitlines()
    assert len(lines) == 1 and lines[0].startswith("mountd: ") and lines[0].endswith("."), lines
    return lines[0]


def test_a_missing_mountpoint_is_made_and_the_tree_is_there(mountd: StartReal, store: Path, tmp_path: Path) -> None:
    daemon = mountd(store, tmp_path / "new" / "kg").wait()
    assert {"AGENTS.md", "entities", "documents"} <= set(os.listdir(daemon.mountpoint))
    assert mounts.store_of(daemon.mountpoint / "entities") == store
    assert (daemon.mountpoint / "notes").resolve() == daemon.mountpoint / "context" / "agent"
    assert (store / SOCKET).is_socket()
    assert daemon.end() == 0
    assert not (store / SOCKET).exists()
    assert os.listdir(daemon.mountpoint) == []


def test_it_is_quick_to_start_and_to_end(mountd: StartReal, store: Path, tmp_path: Path) -> None:
    started = time.monotonic()
    daemon = mountd(store, tmp_path / "kg", python=sys.executable).wait()
    mounted = time.monotonic()
    assert mounted - started < 8
    daemon.process.send_signal(signal.SIGTERM)
    while mounts.mount_at(daemon.mountpoint) is not None:
        time.sleep(0.01)
    assert time.monotonic() - mounted < 3
    assert daemon.process.wait(20) == 0


@pytest.mark.parametrize("options", [("--read-only",), ("--no-links",), ("--path-prefix", "/elsewhere")])
def test_options(mountd: StartReal, store: Path, tmp_path: Path, options: tuple[str, ...]) -> None:
    daemon = mountd(store, tmp_path / "kg", "--no-warm", *options).wait()
    mount = mounts.mount_at(daemon.mountpoint)
    assert mount is not None
    assert ("ro" in mount.options) == ("--read-only" in options)
    assert (daemon.mountpoint / "notes").is_symlink() == ("--no-links" not in options)
    assert (daemon.mountpoint / "AGENTS.md").read_bytes()


def test_what_cannot_be_mounted_is_said_in_one_sentence(mountd: StartReal, store: Path, tmp_path: Path) -> None:
    assert "no store" in refused(mountd(tmp_path / "nothing", tmp_path / "kg"), 3)
    full = tmp_path / "full"
    full.mkdir()
    (full / "x").touch()
    assert "not empty" in refused(mountd(store, full), 2)
    assert "not a directory" in refused(mountd(store, full / "x"), 3)
    assert "inside the store" in refused(mountd(store, store / "kg"), 2)
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "catalog.duckdb").write_bytes(b"this is no database" * 1000)
    refused(mountd(broken, tmp_path / "kg"), 1)
    assert not (tmp_path / "kg").exists()


def test_a_second_daemon_is_refused_and_names_the_first(mountd: StartReal, store: Path, tmp_path: Path) -> None:
    first = mountd(store, tmp_path / "kg", "--no-warm").wait()
    assert str(first.mountpoint) in refused(mountd(store, tmp_path / "other"), 4)
    assert "already" in refused(mountd(store, first.mountpoint), 4)
    assert os.listdir(first.mountpoint)


def test_after_a_kill_it_is_started_again_at_the_same_place(mountd: StartReal, store: Path, tmp_path: Path) -> None:
    first = mountd(store, tmp_path / "kg").wait()
    os.listdir(first.mountpoint / "entities")
    first.kill()
    first.process.wait()
    until(lambda: mounts.is_stale(first.mountpoint))  # once the kernel has seen it go
    second = mountd(store, first.mountpoint).wait()
    assert (second.mountpoint / "AGENTS.md").read_bytes()
    assert len([mount for mount in mounts.all_mounts() if mount.mountpoint == second.mountpoint]) == 1


def started(store: Path, mountpoint: Path) -> tuple[subprocess.Popen[bytes], dict[str, Any]]:
    """A daemon and its word on the readiness descriptor."""
    reading, writing = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-m", "mountd", "-f", "--ready-fd", str(writing), "--store", store, mountpoint],
        pass_fds=[writing], cwd=ROOT, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(writing)
    with open(reading, "rb") as pipe:
        word = json.loads(pipe.read())
    return process, word


@pytest.mark.slow
def test_the_readiness_descriptor(store: Path, tmp_path: Path) -> None:
    process, word = started(store, tmp_path / "kg")
    try:
        assert word == {"mountpoint": str(tmp_path / "kg"), "pid": process.pid}
        assert os.listdir(tmp_path / "kg")
        second, refusal = started(store, tmp_path / "other")
        assert second.wait(30) == 4
        assert refusal["error"]["kind"] == "conflict" and str(tmp_path / "kg") in refusal["error"]["message"]
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0


def test_without_f_it_runs_apart(store: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mountd", "--store", store, tmp_path / "kg"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    try:
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert os.listdir(tmp_path / "kg")
        again = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
        assert again.returncode == 1 and "already" in again.stderr
    finally:
        mounts.unmount(tmp_path / "kg")
    until = time.monotonic() + 20
    # It closes the socket before the last thing that it does, which is to say so.
    while (store / SOCKET).exists() or "unmounted" not in (store / "mountd.log").read_text():
        assert time.monotonic() < until
        time.sleep(0.05)


def hold_back() -> None:
    """As ``kgfs mount`` starts the daemon: what comes while the interpreter starts is kept for it."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, signal.SIGTERM])


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_at_any_moment_of_the_start_leaves_no_mount(store: Path, tmp_path: Path, number: int) -> None:
    for step in range(0, 16, rounds(3, 1)):
        command = [sys.executable, "-m", "mountd", "-f", "--no-warm", "--store", store, tmp_path / "kg"]
        process = subprocess.Popen(
            command, cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, preexec_fn=hold_back
        )
        time.sleep(0.07 * max(step - 8, 0) + 0.007 * min(step, 8))
        process.send_signal(number)
        try:
            _, said = process.communicate(timeout=30)
        finally:
            process.kill()
            if mounts.mount_at(tmp_path / "kg") is not None:
                mounts.unmount(tmp_path / "kg", lazy=True)
                pytest.fail(f"a mount stayed, step {step}")
        assert process.returncode in (0, -number), said.decode()
