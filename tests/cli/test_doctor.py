"""``kgfs doctor`` on machines where something is missing: each fault is said once, and as ``kgfs mount`` says it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from kgfs import doctor, mounts
from kgfs.errors import KgfsError


def missing(place: Path) -> None:
    pass


def no_device(place: Path) -> None:
    place.touch()


def no_driver(place: Path) -> None:
    """As in a container that has the device's file and may not use it: root can `access` it, and cannot open it."""
    os.mknod(place, 0o20666, os.makedev(240, 9))


@pytest.mark.parametrize("happen", [missing, no_device, no_driver])
def test_a_device_that_cannot_be_used_is_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, happen: Callable[[Path], None]
) -> None:
    device = tmp_path / "fuse"
    try:
        happen(device)
    except PermissionError:
        pytest.skip("only root can make a device")
    monkeypatch.setattr(mounts, "DEVICE", device)
    with pytest.raises(KgfsError, match=str(device)) as refused:
        mounts.check_fuse()
    quick = [doctor._guarded(check.__name__, check, tmp_path) for check in doctor.MACHINE]
    about = [check for check in quick if str(device) in check.message]
    assert [(check.state, check.message) for check in about] == [("bad", refused.value.message)]


def test_a_device_that_can_be_used_is_good(tmp_path: Path) -> None:
    if not mounts.DEVICE.exists():
        pytest.skip("there is no FUSE here")
    mounts.check_fuse()
    assert doctor._device(tmp_path).state == "ok"
