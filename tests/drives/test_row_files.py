"""The rows' drives keep the contract of file systems, as far as rows can, and what else is true of them."""

from __future__ import annotations

import errno
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from kgfs.drives.row_files import RowFiles
from kgfs.errors import KgfsError
from kgfs.filesystem import ROOT
from kgfs.service.service import Service
from tests.agentfs.session_sides import above, at, body, put
from tests.posix_contract import InterfaceDoor, fails
from tests.rows_contract import RowsContract, own

TOP = b"context/agent"
FILE, DIRECTORY = stat.S_IFREG | 0o644, stat.S_IFDIR | 0o755


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


@pytest.fixture
def rows(service: Service) -> RowFiles:
    return RowFiles(service.drives)


class TestRowFiles(RowsContract):
    @pytest.fixture(scope="class")
    @classmethod
    def door(cls, service: Service) -> RowDoor:
        return RowDoor(RowFiles(service.drives))


def committed(service: Service, name: str) -> list[tuple[object, ...]]:
    """What the rows hold of a file."""
    return service.database.fetch("SELECT size, mode FROM context_items WHERE path = ?", [f"/{name}"])


def test_elsewhere_nothing_is_written(service: Service) -> None:
    told: list[KgfsError] = []
    rows = RowFiles(service.drives, refused=told.append)
    for directory in (ROOT, at(rows, b"context"), at(rows, b"entities")):
        for call, arguments in (
            (rows.make, (b"x", FILE, 0, 0, 0)), (rows.make, (b"x", DIRECTORY, 0, 0, 0)), (rows.rmdir, (b"x",)),
            (rows.symlink, (b"x", b"y", 0, 0)), (rows.unlink, (b"x",)), (rows.setxattr, (b"user.a", b"")),
        ):  # fmt: skip
            fails(errno.EROFS, call, directory, *arguments)
        fails(errno.EROFS, rows.rename, directory, b"x", at(rows, TOP), b"y", 0)
    fails(errno.EROFS, rows.write, at(rows, b"AGENTS.md"), 0, b"x")
    assert {error.message for error in told} == {"Here nothing can be written; write under notes/."}


def test_what_has_no_place_in_rows(rows: RowFiles) -> None:
    ino = put(rows, TOP + b"/plain", b"text")
    fails(errno.EOPNOTSUPP, rows.allocate, ino, 0, 0, 1)
    fails(errno.EOPNOTSUPP, rows.tmpfile, FILE, 0, 0)
    fails(errno.EOPNOTSUPP, rows.setxattr, ino, b"trusted.a", b"")
    fails(errno.EPERM, rows.setxattr, ino, b"user.kg.mine", b"")
    link = rows.symlink(at(rows, TOP), b"link", b"plain", 0, 0).ino
    fails(errno.EINVAL, rows.write, link, 0, b"x")
    fails(errno.EISDIR, rows.write, at(rows, TOP), 0, b"x")
    # What tools bring of the original is passed over.
    rows.setxattr(ino, b"user.kg.id", b"another")
    rows.removexattr(ino, b"user.kg.id")
    # A name that asks a question would be hidden by it.
    fails(errno.EEXIST, rows.rename, *above(rows, TOP + b"/plain"), at(rows, TOP), b"@search", 0)
    assert body(rows, TOP + b"/plain") == b"text"


def test_when_bytes_are_committed(service: Service, rows: RowFiles) -> None:
    """Those of a file that nobody holds at once, others when they are synced or let go."""
    ino = put(rows, TOP + b"/a.md", b"one")
    assert committed(service, "a.md") == [(3, 0o644)]
    rows.hold(ino)
    rows.write(ino, 3, b" two")
    assert (rows.getattr(ino).size, committed(service, "a.md")) == (7, [(3, 0o644)])
    rows.sync(ino)
    assert committed(service, "a.md") == [(7, 0o644)]
    rows.write(ino, 7, b" three")
    rows.sync()
    assert committed(service, "a.md") == [(13, 0o644)]
    rows.setattr(ino, size=1, mode=0o600)
    rows.release(ino)
    assert committed(service, "a.md") == [(1, 0o600)]
    assert service.drives.open_files.by_inode == {}


def test_an_inode_is_one_whatever_snapshot_is_shown(service: Service, rows: RowFiles) -> None:
    ino = put(rows, TOP + b"/held", b"first")
    rows.hold(ino)
    for number in range(3):
        rows.write(ino, 0, b"%d" % number)
        service.namespace.adopt(service.namespace.load_snapshot())
        assert rows.read(ino, 0, 10) == b"%dirst" % number == body(rows, TOP + b"/held")
    rows.rename(*above(rows, TOP + b"/held"), at(rows, TOP), b"moved", 0)
    rows.unlink(at(rows, TOP), b"moved")
    service.namespace.adopt(service.namespace.load_snapshot())
    rows.write(ino, 5, b"!")
    assert (rows.read(ino, 0, 10), rows.getattr(ino).nlink) == (b"2irst!", 0)
    rows.release(ino)
    fails(errno.ENOENT, rows.getattr, ino)
    assert service.drives.open_files.drafts == {}


def test_attributes_that_several_threads_set(rows: RowFiles) -> None:
    ino = put(rows, TOP + b"/attributes")
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: rows.setxattr(ino, b"user.%d" % number, b"x"), range(20)))
    assert {name for name in rows.listxattr(ino) if name in own([name])} == {
        b"user.%d" % number for number in range(20)
    }
