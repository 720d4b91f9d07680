"""Disks with faults, and stores on them."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import pytest

from kgfs import mounts
from tests.conftest import ROOT, Program, copy_store, making, of_all_processes


class Disk:
    """A disk whose faults a test sets; what is on it is in ``behind``, too."""

    def __init__(self, behind: Path, place: Path) -> None:
        self.behind, self.place = behind, place
        behind.mkdir()
        place.mkdir()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.faulty_disk", behind, place],
            cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self._heard() == "ready"

    def faults(self, **faults: float) -> None:
        """These faults from now on, and no other (``faulty_disk.Faults``)."""
        assert self._process.stdin is not None
        print(json.dumps(faults), file=self._process.stdin, flush=True)
        assert self._heard() == "done"

    def _heard(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def close(self) -> None:
        if mounts.mount_at(self.place) is not None:
            subprocess.run(["umount", "-l", self.place], check=True)
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(30)
        self._process.stdout.close()


def ended(daemon: subprocess.Popen[bytes], root: Path, log: TextIO) -> str:
    """End a daemon that serves ``root``, whatever state it is in; what it has said in ``log``, which is closed."""
    daemon.send_signal(signal.SIGTERM)
    try:
        daemon.wait(60)
    finally:
        if daemon.poll() is None:
            daemon.kill()
            mounts.unmount(root, lazy=True)
        log.seek(0)
        said = log.read()
        log.close()
    return said


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    made = Disk(tmp_path / "behind", tmp_path / "disk")
    try:
        yield made
    finally:
        made.close()


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six small documents."""
    place = tmp_path_factory.mktemp("documents")
    for number in range(6):
        (place / f"n{number}.md").write_text(
            f"# Note {number}\n\nAcme {number} Inc. acquired Widget {number} Ltd. in 200{number}. Wages rose.\n"
        )
    return place


@pytest.fixture(scope="session")
def pristine_filled_store(
    kgfs: Program, pristine_light_store: Path, folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A store with these documents, a note, a key and a file in the workspace; nobody may open it."""
    place = of_all_processes(tmp_path_factory) / "filled"
    with making(place):
        if not (place / "store").exists():
            store = copy_store(pristine_light_store, place / "new")
            kgfs("--store", store, "add", folder, "--extractor", "none")
            kgfs("--store", store, "config", "extractor", "none")
            kgfs("--store", store, "context", "write", "agent:/kept.md", input="kept\n")
            kgfs("--store", store, "kv", "set", "kept", '"yes"')
            store.rename(place / "store")
    return place / "store"


@pytest.fixture
def stored(pristine_filled_store: Path, disk: Disk) -> Path:
    """A copy of that store on the disk with faults."""
    return copy_store(pristine_filled_store, disk.place / "store")
