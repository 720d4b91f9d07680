"""A mount and the socket in its store: it comes again, nothing takes it for content, and where it cannot be reached the
command says where the store is mounted."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kgfs import mounts
from kgfs.config import SOCKET
from kgfs.control import sockets
from kgfs.control.server import Server
from tests.cli.test_commands import error_of
from tests.conftest import ROOT, Mounting, Program, daemon_pid, end, trust_all

pytestmark = pytest.mark.mount


def test_a_socket_that_was_removed_comes_again_and_commands_go_on(
    kgfs: Program, mount: Mounting, light_store: Path
) -> None:
    place = mount(light_store)
    pid = daemon_pid(kgfs, light_store)
    for _ in range(2):
        (light_store / SOCKET).unlink()
        assert "AGENTS.md" in kgfs("--store", light_store, "ls").stdout
        assert daemon_pid(kgfs, light_store) == pid
    kgfs("umount", place)
    assert not (light_store / SOCKET).exists()


def test_out_of_reach_the_command_says_where_the_store_is_mounted(
    kgfs: Program, mount: Mounting, light_store: Path
) -> None:
    place = mount(light_store)
    pid = daemon_pid(kgfs, light_store)
    os.kill(pid, signal.SIGSTOP)
    try:
        (light_store / SOCKET).unlink()
        sentence = error_of(kgfs("--store", light_store, "cat", "AGENTS.md", status=4))
    finally:
        os.kill(pid, signal.SIGCONT)
    assert f"mounted at {place}" in sentence and f"kgfs umount {place}" in sentence
    assert "AGENTS.md" in kgfs("--store", light_store, "ls").stdout


@pytest.mark.slow
def test_the_socket_is_no_content(kgfs: Program, mount: Mounting, light_store: Path, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    shutil.copytree(light_store, folder / "mystore")
    (folder / "one.md").write_text("# One\n\nAcme acquired Widget Inc.\n")
    mount(folder / "mystore")
    assert (folder / "mystore" / SOCKET).is_socket()
    store = tmp_path / "other"
    kgfs("--store", store, "add", folder, "--extractor", "none")
    count = kgfs("--store", store, "--json", "sql", "SELECT count(*) AS n FROM context_items").stdout
    assert json.loads(count) == {"n": 1}
    kgfs("--store", folder / "mystore", "fsck")
    kgfs("--store", folder / "mystore", "backup", tmp_path / "backup.kgfs")
    kgfs("--store", tmp_path / "again", "restore", tmp_path / "backup.kgfs")
    assert not (tmp_path / "again" / SOCKET).exists()
    copied = tmp_path / "copied"  # as a user copies a store that is mounted: the socket too, which nobody serves
    subprocess.run(["cp", "-a", folder / "mystore", copied], check=True)
    assert "AGENTS.md" in kgfs("--store", copied, "ls").stdout


def test_a_store_that_can_hold_no_socket_is_served_all_the_same(
    kgfs: Program, mount: Mounting, light_store: Path
) -> None:
    (light_store / SOCKET).mkdir()
    place = mount(light_store)
    assert "AGENTS.md" in kgfs("--store", light_store, "ls").stdout
    kgfs("umount", place)
    assert "AGENTS.md" in kgfs("--store", light_store, "ls").stdout


def test_on_a_file_system_without_sockets(kgfs: Program, mount: Mounting, light_store: Path) -> None:
    here = mount(light_store) / "notes" / "place"
    here.mkdir()
    with pytest.raises(PermissionError):
        os.mknod(here / "x", 0o140600)
    server = Server(here, lambda request, reply: {})
    server.start()
    try:
        assert served(here)
        assert os.listdir(here) == ["@history"] or os.listdir(here) == []
    finally:
        server.close()


def served(store: Path) -> bool:
    connection = sockets.connect(store)
    if connection is not None:
        connection.close()
    return connection is not None


def test_of_two_daemons_that_start_at_once_one_serves(kgfs: Program, light_store: Path, tmp_path: Path) -> None:
    places = [tmp_path / "one", tmp_path / "two", tmp_path / "three"]
    command = [sys.executable, "-m", "mountd", "-f", "--no-warm", "--store", light_store]
    daemons = [subprocess.Popen([*command, place], cwd=ROOT, stderr=subprocess.DEVNULL) for place in places]
    try:
        until = time.monotonic() + 60
        while sum(daemon.poll() is None for daemon in daemons) > 1 or not served(light_store):
            assert time.monotonic() < until
            time.sleep(0.05)
        (left,) = (daemon for daemon in daemons if daemon.poll() is None)
        assert {daemon.returncode for daemon in daemons} == {None, 4}
        while not (mounted := mounts.mounts_of(light_store)):
            assert time.monotonic() < until
            time.sleep(0.05)
        assert len(mounted) == 1
        assert daemon_pid(kgfs, light_store) == left.pid
    finally:
        for daemon, place in zip(daemons, places, strict=True):
            if daemon.poll() is None:
                daemon.terminate()
            daemon.wait(30)
            if mounts.mount_at(place) is not None:
                mounts.unmount(place, lazy=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a place read-only")
def test_a_store_in_a_read_only_place(kgfs: Program, mount: Mounting, light_store: Path, tmp_path: Path) -> None:
    place = tmp_path / "readonly"
    place.mkdir()
    subprocess.run(["mount", "--bind", light_store, place], check=True)
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", place], check=True)
        trust_all(place)
        for command in (["ls"], ["status"], ["mount", str(tmp_path / "kg")]):
            sentence = error_of(kgfs("--store", place, *command, status=1))
            assert "read-only" in sentence.lower() and "copy" in sentence and "damaged" not in sentence
        at = mount(light_store)  # the process that can write serves those that cannot
        pid = daemon_pid(kgfs, light_store)
        assert "AGENTS.md" in kgfs("--store", place, "ls").stdout
        kgfs("umount", at)
        end(pid)
    finally:
        subprocess.run(["umount", "-l", place], check=True)
