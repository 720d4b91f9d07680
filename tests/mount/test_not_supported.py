"""What the drives do not do is refused with the errno that the manual pages give for it, whatever the handle."""

from __future__ import annotations

import ctypes
import errno
import os
import socket
import stat
from pathlib import Path

import pytest

from tests.mount.conftest import Start
from tests.writing_model import EXCHANGE, rename2

pytestmark = pytest.mark.mount

WHITEOUT = 4
PUNCH_HOLE, KEEP_SIZE, COLLAPSE, ZERO, INSERT = 0x02, 0x01, 0x08, 0x10, 0x20
MODES = [0, KEEP_SIZE, PUNCH_HOLE | KEEP_SIZE, COLLAPSE, ZERO, INSERT]
_libc = ctypes.CDLL(None, use_errno=True)


def fallocate(fd: int, mode: int) -> None:
    """``fallocate`` itself: ``os.posix_fallocate`` reads where a system cannot allocate, and fails on handles that
    cannot."""
    if _libc.fallocate(fd, mode, ctypes.c_long(0), ctypes.c_long(4096)) != 0:
        raise OSError(ctypes.get_errno(), "fallocate")


def bind(path: str) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path)


@pytest.fixture
def here(graph: Start) -> Path:
    place = graph(entities=5, documents=1).mountpoint / "notes/not-supported"
    place.mkdir()
    (place / "a").write_text("a\n")
    (place / "b").write_text("b\n")
    return place


@pytest.mark.parametrize("flags", [os.O_RDWR, os.O_WRONLY, os.O_WRONLY | os.O_APPEND, os.O_RDWR | os.O_APPEND])
def test_space_cannot_be_allocated_nor_holes_be_punched(here: Path, flags: int) -> None:
    fd = os.open(here / "a", flags)
    try:
        for mode in MODES:
            with pytest.raises(OSError) as caught:
                fallocate(fd, mode)
            assert caught.value.errno == errno.EOPNOTSUPP
    finally:
        os.close(fd)
    assert (here / "a").read_text() == "a\n"


def test_names_links_and_owners(here: Path) -> None:
    a, b, new = os.fspath(here / "a"), os.fspath(here / "b"), os.fspath(here / "new")
    refused = {
        "exchange": (errno.EINVAL, lambda: rename2(a, b, EXCHANGE)),
        "whiteout": (errno.EINVAL, lambda: rename2(a, new, WHITEOUT)),
        "hard link": (errno.EPERM, lambda: os.link(a, new)),
        "pipe": (errno.EPERM, lambda: os.mkfifo(new)),
        "device": (errno.EPERM, lambda: os.mknod(new, stat.S_IFCHR | 0o600, os.makedev(1, 3))),
        "socket": (errno.EPERM, lambda: bind(new)),
        "file without a name": (errno.EOPNOTSUPP, lambda: os.open(here, os.O_TMPFILE | os.O_RDWR)),
        "other attributes": (errno.EOPNOTSUPP, lambda: os.setxattr(a, "trusted.a", b"x")),
        "attributes of the graph": (errno.EPERM, lambda: os.setxattr(a, "user.kg.other", b"x")),
    }
    refused["owner"] = (errno.EPERM, lambda: os.chown(a, os.getuid() + 12345, -1))
    for what, (expected, work) in refused.items():
        with pytest.raises(OSError) as caught:
            work()
        assert caught.value.errno == expected, what
    assert sorted(os.listdir(here)) == ["a", "b"]
