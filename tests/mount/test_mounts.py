"""Finding mounts, and what stands in the way of a new one, each said in one sentence."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from kgfs import mounts
from kgfs.config import CATALOG
from kgfs.errors import ConflictError, KgfsError, NotADirectory, NotFoundError, UsageError
from tests.mount.conftest import Start

MOUNTINFO = r"""22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
23 22 0:21 / /proc rw,nosuid - proc proc rw
42 22 0:39 / /home/ann/kg rw,nosuid,nodev,relatime - fuse.kgfs /home/ann/.local/share/kgfs rw,user_id=1000,group_id=1000
43 22 0:40 / /mnt/with\040space\134and\011tab rw shared:5 master:2 - fuse.kgfs /st%C3%A4re/a%2Cb%20c rw
44 42 0:41 / /home/ann/kg/over rw - tmpfs tmpfs rw
45 22 0:42 / /mnt/bind rw - fuse /home/ann/- rw

garbage
"""


def test_mountinfo_is_read() -> None:
    found = mounts.parse_mountinfo(MOUNTINFO)
    assert [str(mount.mountpoint) for mount in found] == [
        "/", "/proc", "/home/ann/kg", "/mnt/with space\\and\ttab", "/home/ann/kg/over", "/mnt/bind",
    ]  # fmt: skip
    assert [mount.ours for mount in found] == [False, False, True, True, False, False]
    assert found[2].store == Path("/home/ann/.local/share/kgfs")
    assert found[3].store == Path("/stäre/a,b c")
    assert found[2].options >= {"nosuid", "user_id=1000", "relatime"}
    assert found[5].source == "/home/ann/-"


@pytest.mark.parametrize("name", ["plain", "with space", "a,b\\c", "ünïcode", "100%", "q'\"$", "new\nline"])
def test_a_source_names_its_store_in_plain_ascii(tmp_path: Path, name: str) -> None:
    store = tmp_path / name
    source = mounts.source_of(store)
    assert source.isascii() and not set(source) & set(" ,\\\n")
    assert mounts.Mount(Path("/x"), "fuse.kgfs", source, frozenset()).store == store.resolve()


def test_the_mount_of_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "info").write_text(MOUNTINFO)
    monkeypatch.setattr(mounts, "MOUNTINFO", tmp_path / "info")
    store = Path("/home/ann/.local/share/kgfs")
    assert mounts.store_of(Path("/home/ann/kg")) == store
    assert mounts.store_of(Path("/home/ann/kg/entities/../x")) == store
    assert mounts.store_of(Path("/home/ann/kg/over/there")) is None
    assert mounts.store_of(Path("/home/ann/kgx")) is None
    assert [str(mount.mountpoint) for mount in mounts.mounts_of(store)] == ["/home/ann/kg"]


# What stands in the way


@pytest.fixture
def store(tmp_path: Path) -> Path:
    store = tmp_path / "store"
    store.mkdir()
    (store / CATALOG).touch()
    return store


def refused(error: type[KgfsError], place: Path, store: Path, *sources: Path) -> str:
    with pytest.raises(error) as caught:
        mounts.check_mountpoint(place, store, sources)
    message = caught.value.message
    assert ". " not in message.replace("e.g. ", "") and message.endswith(".") and ";" in message, message
    return message


def test_a_missing_directory_is_made(tmp_path: Path, store: Path) -> None:
    place = tmp_path / "not" / "there"
    assert mounts.check_mountpoint(place, store) == place and not place.exists()
    assert mounts.prepare_mountpoint(place, store) == place and place.is_dir()


def test_a_link_to_an_empty_directory_is_followed(tmp_path: Path, store: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert mounts.prepare_mountpoint(tmp_path / "link", store) == tmp_path / "real"


def test_bad_places(tmp_path: Path, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    assert "not a directory" in refused(NotADirectory, tmp_path / "file", store)
    assert "beneath a file" in refused(NotADirectory, tmp_path / "file" / "kg", store)
    full = tmp_path / "full"
    (full / "x").mkdir(parents=True)
    assert "not empty" in refused(UsageError, full, store)
    assert "inside the store" in refused(UsageError, store / "kg", store)
    assert "inside the store" in refused(UsageError, store, store)
    assert "inside source" in refused(UsageError, full / "kg", store, tmp_path / "elsewhere", full)
    other = tmp_path / "other" / ".kgfs"
    other.mkdir(parents=True)
    (other / CATALOG).touch()
    assert "inside the store" in refused(UsageError, other / "kg", store)
    monkeypatch.chdir(full)
    assert "inside source" in refused(UsageError, Path("kg"), store, full)
    (tmp_path / "way").symlink_to(full)
    assert "inside source" in refused(UsageError, tmp_path / "way" / "kg", store, full)


def test_a_directory_that_cannot_be_made(tmp_path: Path, store: Path) -> None:
    with pytest.raises(KgfsError, match="could not be made"):
        mounts.prepare_mountpoint(Path("/proc/kg"), store)


def test_what_fuse_needs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    mounts.check_fuse(allow_other=True)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(mounts, "FUSE_CONF", tmp_path / "fuse.conf")
    mounts.check_fuse()
    with pytest.raises(KgfsError, match="user_allow_other"):
        mounts.check_fuse(allow_other=True)
    (tmp_path / "fuse.conf").write_text("#user_allow_other\n")
    with pytest.raises(KgfsError, match="user_allow_other"):
        mounts.check_fuse(allow_other=True)
    (tmp_path / "fuse.conf").write_text("mount_max = 5\n  user_allow_other\n")
    mounts.check_fuse(allow_other=True)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(KgfsError, match="install the package fuse3"):
        mounts.check_fuse()
    device = tmp_path / "fuse"
    monkeypatch.setattr(mounts, "DEVICE", device)
    with pytest.raises(KgfsError, match="run `modprobe fuse`"):
        mounts.check_fuse()
    device.touch()
    with pytest.raises(KgfsError, match="is no device"):
        mounts.check_fuse()


# With mounts


@pytest.fixture
def foreign(tmp_path: Path) -> Iterator[Path]:
    """A FUSE mount that is not ours."""
    source, place = tmp_path / "from", tmp_path / "bound"
    source.mkdir()
    place.mkdir()
    subprocess.run(["bindfs", "-n", source, place], check=True)
    yield place
    subprocess.run(["fusermount3", "-u", place], check=True)


@pytest.mark.mount
def test_a_foreign_mount_is_left_alone(foreign: Path, store: Path) -> None:
    assert "another mount" in refused(ConflictError, foreign, store)
    with pytest.raises(NotFoundError, match="Nothing of kgfs"):
        mounts.unmount(foreign)
    with pytest.raises(NotFoundError):
        mounts.unmount(foreign.parent)


@pytest.mark.mount
def test_taken_places(planted: Start, tmp_path: Path, store: Path) -> None:
    first = planted()
    assert "is mounted at" in refused(ConflictError, first.mountpoint, first.store)
    assert "The store" in refused(ConflictError, first.mountpoint, store)
    elsewhere = refused(ConflictError, tmp_path / "second", first.store)
    assert str(first.mountpoint) in elsewhere
    assert "inside the mount" in refused(UsageError, first.mountpoint / "kg", store)
    assert mounts.check_mountpoint(tmp_path / "second", store) == tmp_path / "second"
    assert mounts.holders(first.mountpoint) == []


@pytest.mark.mount
def test_a_daemon_that_hangs_is_not_stale(planted: Start) -> None:
    first = planted()
    os.kill(first.pid, 19)
    try:
        assert not mounts.answers(first.mountpoint, 0.2)
        assert not mounts.is_stale(first.mountpoint)
        assert mounts.store_of(first.mountpoint / "deep" / "path") == first.store
    finally:
        os.kill(first.pid, 18)
    assert mounts.answers(first.mountpoint)
