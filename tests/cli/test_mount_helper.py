"""``mount -t fuse.kgfs`` and fstab: what mount(8) passes to the helper, and real mounts through it."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgfs.cli.mount_helper import GENERIC, SWITCHES, VALUES, Asked, read_options
from kgfs.errors import UsageError
from tests.conftest import Program, copy_store

HELPER = f'#!/bin/sh\nexec {sys.executable} -m kgfs.cli.mount_helper "$@"\n'


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        ("", Asked([], None)),
        ("rw,noatime,user,x-systemd.automount,nofail,_netdev,comment=x", Asked([], None)),
        ("ro,allow_other,ro", Asked(["--read-only", "--allow-other"], None)),
        (
            "writable=agent,writable=disk,path_prefix=/kg,setuid=1000",
            Asked(["--writable=agent", "--writable=disk", "--path-prefix=/kg"], "1000"),
        ),
        (",,session=try,", Asked(["--session=try"], None)),
    ],
)
def test_options_of_fstab(options: str, asked: Asked) -> None:
    assert read_options(options) == asked


@given(st.text(st.characters(exclude_characters=",", codec="utf-8"), min_size=1))
def test_an_unknown_option_is_named_or_passed_over(option: str) -> None:
    name = option.partition("=")[0]
    if name in {*SWITCHES, *VALUES, *GENERIC, "setuid", "remount"} or option.startswith(("x-", "X-", "comment")):
        return
    assert read_options(option, sloppy=True) == Asked([], None)
    with pytest.raises(UsageError) as error:
        read_options(f"ro,{option}")
    assert option in error.value.message


def test_what_goes_wrong_is_one_sentence(tmp_path: Path) -> None:
    for arguments, status, said in (
        ([tmp_path, tmp_path / "kg"], 32, "There is no store at"),
        ([tmp_path, tmp_path / "kg", "-o", "nonsense=1"], 1, "does not know the option nonsense=1; its own are ro, "),
        ([tmp_path, tmp_path / "kg", "-o", "remount,ro"], 1, "unmount it, then mount it again"),
        ([tmp_path, tmp_path / "kg", "-o", "setuid=nobody-of-this-name"], 1, "There is no user"),
        ([tmp_path, tmp_path / "kg", "-N", "1"], 1, "leave out -N"),
        ([tmp_path], 1, "Missing argument"),
    ):
        command = [sys.executable, "-m", "kgfs.cli.mount_helper", *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (status, "", 1), done.stderr
        assert done.stderr.startswith("mount.fuse.kgfs: ") and said in done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes somebody else")
def test_the_daemon_runs_as_whom_setuid_names() -> None:
    script = (
        "import os; from kgfs.cli.mount_helper import become;"
        "os.environ['XDG_CONFIG_HOME'] = '/root/.config'; become('games');"
        "print(os.getresuid(), os.getresgid(), os.getgroups(), os.environ['HOME'], 'XDG_CONFIG_HOME' in os.environ)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    who = pwd.getpwnam("games")
    one, group = who.pw_uid, who.pw_gid
    assert done.stdout == f"{(one,) * 3} {(group,) * 3} {os.getgrouplist('games', group)} {who.pw_dir} False\n"


@pytest.mark.mount
@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("unshare"), reason="only root mounts by mount(8)")
def test_real_mounts_by_mount_8(kgfs: Program, pristine_light_store: Path, tmp_path: Path) -> None:
    """In a mount namespace of its own, where ``/sbin`` is a directory with the helper."""
    store, place = copy_store(pristine_light_store, tmp_path / "store"), tmp_path / "kg"
    place.mkdir()
    (tmp_path / "sbin").mkdir()
    (tmp_path / "sbin/mount.fuse.kgfs").write_text(HELPER)
    (tmp_path / "sbin/mount.fuse.kgfs").chmod(0o755)
    (tmp_path / "fstab").write_text(f"{store} {place} fuse.kgfs rw,noatime,noauto,path_prefix=/known 0 0\n")
    script = f"""
        set -ex
        mount --bind {tmp_path}/sbin /usr/sbin
        mount -t fuse.kgfs {store} {place} -o ro,noatime
        head -n 1 {place}/README.md
        ! touch {place}/notes/x.md
        findmnt -n -o FSTYPE,SOURCE {place}
        umount {place}
        mount -T {tmp_path}/fstab {place}
        echo 'Written through fstab.' > {place}/notes/x.md
        grep -h path {place}/AGENTS.md | head -n 1
        umount {place}
        ! mount -t fuse.kgfs {store} {place} -o nonsense
    """
    done = subprocess.run(
        ["unshare", "-m", "bash", "-c", script], capture_output=True, text=True, check=False, timeout=240
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("# Knowledge graph") and f"fuse.kgfs {store}" in done.stdout
    assert "kgfs does not know the option nonsense" in done.stderr
    assert kgfs("--store", store, "cat", "notes/x.md").stdout == "Written through fstab.\n"
