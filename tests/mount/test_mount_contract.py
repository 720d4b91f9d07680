"""The contract suite on a real mount."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import warm_python
from tests.contract import Contract, Stat
from tests.graph_builder import build
from tests.mount.daemons import Daemon

KINDS = {stat.S_IFDIR: "d", stat.S_IFREG: "f", stat.S_IFLNK: "l"}


class MountDriver:
    """The system calls that every program makes."""

    def __init__(self, root: Path) -> None:
        self.root = str(root)

    def _at(self, path: str) -> str:
        return os.path.join(self.root, path) if path else self.root

    def listdir(self, path: str) -> list[str]:
        return os.listdir(self._at(path))

    def lstat(self, path: str) -> Stat:
        status = os.lstat(self._at(path))
        kind, mode = KINDS[stat.S_IFMT(status.st_mode)], stat.S_IMODE(status.st_mode)
        assert status.st_blocks == (-(-status.st_size // 512) if kind == "f" else 0)
        assert (status.st_uid, status.st_gid) == (os.getuid(), os.getgid())
        return Stat(kind, status.st_size, status.st_mtime_ns, mode, status.st_nlink, status.st_ino)

    def read(self, path: str) -> bytes:
        with open(self._at(path), "rb") as file:
            return file.read()

    def readlink(self, path: str) -> str:
        return os.readlink(self._at(path))


@pytest.mark.mount
class TestMount(Contract):
    @pytest.fixture(scope="class")
    @classmethod
    def driver(cls, tmp_path_factory: Any) -> Iterator[MountDriver]:
        directory = tmp_path_factory.mktemp("contract")
        mountpoint, store = directory / "kg", directory / "store"
        build(store).close()
        command = [warm_python.python(), "-m", "mountd", "-f", "--no-warm", "--store", str(store), str(mountpoint)]
        daemon = Daemon(command, mountpoint, store, directory / "log")
        try:
            yield MountDriver(daemon.wait().mountpoint)
            assert daemon.end() == 0, daemon.log.read_text()
            assert daemon.unexpected() == []
        finally:
            daemon.clear()
