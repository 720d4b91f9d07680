"""What ``scripts/bench fs`` mounts beside kgfs goes again, however long bindfs takes to let go of what it showed."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from kgfs import mounts
from tests.conftest import ROOT

pytestmark = [
    pytest.mark.mount,
    pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("bindfs"), reason="needs root and bindfs"),
]
SLOW = """#!/bin/sh
# As bindfs on a busy machine: its process holds the source for a while after it was unmounted.
cd "$3" || exit 1
{bindfs} "$@"
sleep 6
"""


@pytest.fixture
def bench() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bench_fs", ROOT / "scripts" / "bench.d" / "fs.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["bench_fs"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def source(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "source"
    place.mkdir()
    (tmp_path / "shown").mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "none", place], check=True)
    yield place
    for left in (tmp_path / "shown", place):
        if mounts.mount_at(left) is not None:
            subprocess.run(["umount", "-l", left], check=True)


def test_a_slow_end_of_bindfs_is_waited_for(
    bench: ModuleType, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path / "bin" / "bindfs"
    slow.parent.mkdir()
    slow.write_text(SLOW.format(bindfs=shutil.which("bindfs")))
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow.parent}:{os.environ['PATH']}")
    shown = bench.Bindfs(source, tmp_path / "shown")
    (source / "x").touch()
    shown.start()
    assert (tmp_path / "shown" / "x").exists()
    shown.stop()
    done = subprocess.run(["umount", source], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr  # at once: nobody has it any more


def test_what_stays_busy_is_said_and_leaves_no_mount(
    bench: ModuleType, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "BUSY_SECONDS", 0.2)
    with subprocess.Popen(["sleep", "60"], cwd=source) as holder:
        try:
            with pytest.raises(SystemExit, match="busy"):
                bench.unmount(source)
            assert mounts.mount_at(source) is None
        finally:
            holder.kill()
