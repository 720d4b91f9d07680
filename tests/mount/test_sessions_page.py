"""``docs/sessions.md`` is what happens: its commands run in one shell, on a mount of the sample."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT, Program, copy_store, mounting
from tests.mount.shown_commands import examples, on, wrong

pytestmark = pytest.mark.mount

END = "\x1e"


@pytest.fixture
def store(pristine_sample_store: Path, tmp_path: Path) -> Path:
    return copy_store(pristine_sample_store, tmp_path / "store")


@pytest.fixture
def kg(kgfs: Program, store: Path, tmp_path: Path) -> Iterator[Path]:
    with mounting(kgfs, tmp_path) as mount:
        yield mount(store)


@pytest.mark.slow
def test_the_page_is_what_happens(kgfs: Program, store: Path, kg: Path, tmp_path: Path) -> None:
    said = examples((ROOT / "docs/sessions.md").read_text("utf-8"))
    script = f'kgfs() {{ {shlex.join(kgfs.forked)} "$@"; }}\n'
    script += "".join(f"{on(kg, command)}\nprintf '\\036'\n" for command, _ in said)
    done = subprocess.run(
        ["bash", "-c", script], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        encoding="utf-8", timeout=240, check=False,
        env={**os.environ, "LC_ALL": "C.UTF-8", "TZ": "UTC", "KGFS_STORE": str(store), "PYTHONPATH": str(ROOT),
             "TMPDIR": str(tmp_path)},
    )  # fmt: skip
    parts = done.stdout.replace(str(kg), "/kg").split(END)
    assert len(parts) == len(said) + 1 and parts[-1] == "", done.stdout[-2000:]
    assert len(said) > 25
    faults = wrong(said, {number: part.splitlines() for number, part in enumerate(parts)})
    assert not faults, faults
