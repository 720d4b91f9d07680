"""The rows' drives on a real mount keep the contract of file systems, as far as rows can."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.mount.served_stores import ended, started
from tests.posix_contract import MountDoor
from tests.rows_contract import RowsContract, own

pytestmark = pytest.mark.mount


class DriveDoor(MountDoor):
    """What the graph says of files is left out of their attributes."""

    def listxattr(self, path: bytes) -> list[bytes]:
        return own(super().listxattr(path))


class TestDrive(RowsContract):
    @pytest.fixture(scope="class")
    @classmethod
    def door(cls, tmp_path_factory: Any) -> Iterator[DriveDoor]:
        daemon = started(tmp_path_factory.mktemp("drive"))
        try:
            yield DriveDoor(daemon.mountpoint / "context/agent")
            ended(daemon)
        finally:
            daemon.clear()
