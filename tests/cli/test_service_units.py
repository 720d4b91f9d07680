"""Mounts and watches that systemd keeps: the units, and what becomes of a mount whose daemon is killed or stopped."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgfs import mounts
from kgfs.cli.mounts.service_units import command_line, mount_unit, watch_unit
from tests.cli.played_systemd import PlayedSystemd, settings, words
from tests.cli.test_commands import error_of
from tests.conftest import Program, copy_store
from tests.service.test_metrics import samples

SECONDS = 60.0
ODD = '/tmp/k g%i"$HOME\\'
needs_systemd = pytest.mark.skipif(
    not shutil.which("systemd-escape"), reason="systemd is not installed; scripts/setup --test installs it"
)


def until(true: Callable[[], object], seconds: float = SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0")) | st.just("\udcff\udce9x"), min_size=1))
def test_a_command_is_read_as_it_was_written(command: list[str]) -> None:
    line = command_line(command)
    assert "\n" not in line and words(line) == [os.fsencode(word) for word in command]


@needs_systemd
@pytest.mark.parametrize("system", [False, True])
def test_the_real_systemd_takes_the_units(tmp_path: Path, system: bool) -> None:
    units = [
        mount_unit(tmp_path, Path(ODD), [ODD, "--store", str(tmp_path)], system=system),
        watch_unit(tmp_path, tmp_path, system=system),
    ]
    for unit in units:
        (tmp_path / unit.name).write_text(unit.text)
    whose = [] if system else ["--user"]
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *whose, *(tmp_path / unit.name for unit in units)],
        capture_output=True, text=True, env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)}, check=False,
    )  # fmt: skip
    assert (done.returncode, [line for line in done.stderr.splitlines() if "kgfs" in line]) == (0, [])


def test_without_systemd_there_is_a_sentence(kgfs: Program, light_store: Path, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    for arguments in (["mount", tmp_path / "kg"], ["watch", tmp_path]):
        done = kgfs("--store", light_store, *arguments, "--on-login", status=1, env={"PATH": str(tmp_path / "bin")})
        assert "There is no systemd here; start `kgfs mount` from what starts programs at your login" in done.stderr
    assert not (tmp_path / "kg").exists()
    for arguments in (["mount", "--system"], ["watch", "--system"], ["mount", "-f", "--on-login"]):
        error_of(kgfs("--store", light_store, *arguments, tmp_path / "kg", status=2))


@pytest.fixture
def systemd(tmp_path: Path) -> Iterator[PlayedSystemd]:
    with PlayedSystemd(tmp_path / "systemd") as played:
        yield played


@needs_systemd
@pytest.mark.mount
def test_a_mount_on_login_stays_up(
    kgfs: Program, pristine_light_store: Path, systemd: PlayedSystemd, tmp_path: Path
) -> None:
    store, place = copy_store(pristine_light_store, tmp_path / "store"), tmp_path / "k g%i"
    told = kgfs("--store", store, "mount", place, "--on-login", env=systemd.environment).stdout
    assert "It is mounted at each login. Undo: kgfs umount --forget" in told
    service, (unit,) = systemd.service, systemd.units.iterdir()
    assert ["--user", "enable", unit.name] in systemd.asked
    assert f"STATUS={store} is mounted at {place}." in service.said
    (place / "notes/kept.md").write_text("What was written stays.")

    # It tells a monitor what it did, and no listing shows that file, which is another one each second.
    counted = samples((place / "@status/metrics.prom").read_bytes())
    assert counted["kgfs_request_duration_seconds_count", "write"] >= 1
    assert counted["kgfs_request_duration_seconds_count", "lookup"] > counted["kgfs_requests_in_progress",] > 0
    assert "metrics.prom" not in os.listdir(place / "@status")

    # Its daemon is killed: the same command mounts it again, over the stale mount, with what was written.
    assert service.process is not None
    service.process.kill()
    until(lambda: service.said.count("READY=1") == 2)
    assert (place / "notes/kept.md").read_text() == "What was written stays."
    assert len(mounts.mounts_of(store)) == 1
    # In the journal lines have priorities and no time.
    assert "<6>INFO mountd: mounted " in service.journal
    until(lambda: "WATCHDOG=1" in service.said)

    # Who unmounts it means it: it is not started again; the next login mounts it.
    kgfs("umount", place, env=systemd.environment)
    assert service.ended.wait(SECONDS) and service.process.returncode == 0 and "STOPPING=1" in service.said
    assert unit.exists() and mounts.mount_at(place) is None

    # The same command with other options writes it anew.
    kgfs("--store", store, "mount", place, "--on-login", "--read-only", env=systemd.environment)
    with pytest.raises(OSError):
        (place / "notes/more.md").write_text("x")
    assert "--read-only" in settings(unit.read_text())["ExecStart"]
    told = kgfs("umount", place, "--forget", env=systemd.environment).stdout
    assert "and at no login any more" in told and not unit.exists() and mounts.mount_at(place) is None
    assert "There is no systemd unit" in kgfs("umount", place, "--forget", env=systemd.environment, status=3).stderr


@needs_systemd
@pytest.mark.mount
def test_a_mount_that_cannot_be_says_where_to_look(
    kgfs: Program, light_store: Path, systemd: PlayedSystemd, tmp_path: Path
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full/file").touch()
    # What can be seen before is said before, and no unit is left.
    done = kgfs("--store", light_store, "mount", tmp_path / "full", "--on-login", status=2, env=systemd.environment)
    assert "is not empty" in done.stderr and not systemd.units.exists()
    (light_store / "config.json").write_text('{"no such setting": 1}')
    done = kgfs("--store", light_store, "mount", tmp_path / "kg", "--on-login", status=1, env=systemd.environment)
    assert "no such setting" in done.stderr


@needs_systemd
def test_a_watch_on_login_follows_the_folder(
    kgfs: Program, light_store: Path, systemd: PlayedSystemd, tmp_path: Path
) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    kgfs("--store", light_store, "config", "extractor", "none")
    (folder / "a.md").write_text("# A\n\nAcme Corp acquired Widget Inc.\n")
    told = kgfs("--store", light_store, "watch", folder, "--on-login", env=systemd.environment).stdout
    assert "from now on at each login" in told and "journalctl --user -u kgfs-watch@" in told
    service = systemd.service
    until(lambda: "Watching" in service.journal)
    assert service.process is not None
    service.process.send_signal(signal.SIGKILL)
    until(lambda: service.journal.count("Watching") == 2)
    time.sleep(0.5)
    (folder / "b.md").write_text("# B\n\nAcme Corp acquired Gadget Inc.\n")
    until(lambda: "1 added" in service.journal or "b" in kgfs("--store", light_store, "ls", "documents").stdout.split())
    (unit,) = systemd.units.iterdir()
    assert "not followed any more" in kgfs("watch", folder, "--forget", env=systemd.environment).stdout
    assert not unit.exists() and service.ended.is_set()
