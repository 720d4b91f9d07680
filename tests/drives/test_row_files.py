"""The rows' drives keep the contract of file systems, as far as rows can."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kgfs.drives.row_files import RowFiles
from kgfs.service import Service
from tests.posix_contract import InterfaceDoor
from tests.rows_contract import RowsContract, own

TOP = b"context/agent"


class RowDoor(InterfaceDoor):
    """The drive ``agent``; what the graph says of files is left out of their attributes."""

    def _at(self, path: bytes) -> int:
        return super()._at(TOP + b"/" + path if path else TOP)

    def listxattr(self, path: bytes) -> list[bytes]:
        return own(super().listxattr(path))


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with Service.open(tmp_path_factory.mktemp("rows") / "store", create=True) as opened:
        yield opened


class TestRowFiles(RowsContract):
    @pytest.fixture(scope="class")
    @classmethod
    def door(cls, service: Service) -> RowDoor:
        return RowDoor(RowFiles(service.drives))
