"""What ``scripts/wheel`` builds, installed where nothing else is: it mounts, searches by vectors, and needs no torch.

Takes minutes and the network's packages, so it runs with ``scripts/test --long`` alone.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.rounds import LONG

MOST_BYTES = 1_000_000_000
"""With pip and compiled modules; 967 MB were measured."""


@pytest.mark.long
@pytest.mark.mount
@pytest.mark.timeout(1800)
@pytest.mark.skipif(not LONG, reason="takes minutes; scripts/test --long runs it")
def test_an_installed_wheel_runs_the_demo(tmp_path: Path) -> None:
    def run(*command: str | Path) -> str:
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("KGFS", "PYTHON"))}
        done = subprocess.run(
            [*map(str, command)], capture_output=True, text=True, check=False, cwd=tmp_path,
            env={**environment, "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data")},
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run(ROOT / "scripts/wheel", tmp_path / "dist")
    (wheel,) = (tmp_path / "dist").glob("kgfs-*.whl")
    run(sys.executable, "-m", "venv", tmp_path / "venv")
    installed = tmp_path / "venv"
    run(installed / "bin/python", "-m", "pip", "install", "-q", "-c", ROOT / "constraints.txt", wheel)
    listed = run(installed / "bin/python", "-m", "pip", "list")
    assert not {"torch", "spacy", "pygraphviz", "scikit-learn"} & {line.split()[0] for line in listed.splitlines()}
    assert int(run("du", "-sb", installed).split()[0]) < MOST_BYTES
    for name in ("man/man1/kgfs.1", "bash-completion/completions/kgfs", "zsh/site-functions/_kgfs"):
        assert (installed / "share" / name).is_file()
    assert "note extras" in run(installed / "bin/kgfs", "doctor")
    told = run(installed / "bin/kgfs", "demo")
    assert '"complete": true' in told and "Unmounted" in told and "by keyword only" not in told
    # What an extra draws says so where it is missing.
    (tmp_path / "a.md").write_text("# Acme Corp\n\nAcme Corp acquired Widget Inc. in 2019.\n")
    run(installed / "bin/kgfs", "add", tmp_path / "a.md")
    done = subprocess.run(
        [installed / "bin/kgfs", "cat", "entities/by_name/Acme_Corp/graph.svg"], capture_output=True, text=True,
        check=False, env={**os.environ, "XDG_DATA_HOME": str(tmp_path / "data")}, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode and "pip install 'kgfs[pictures]'" in done.stderr
