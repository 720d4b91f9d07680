"""Where a process that stays logs: a file of the store that stays small, the journal, or what standard error is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import logging, os, sys
from pathlib import Path
from kgfs import logs
logs.LOG_BYTES = 2000
logs.BoundedLog.__init__.__defaults__ = (2000,)
if sys.argv[2] == "journal":
    there = os.fstat(2)
    os.environ["JOURNAL_STREAM"] = f"{there.st_dev}:{there.st_ino}"
logs.begin(Path(sys.argv[1]))
for number in range(int(sys.argv[3])):
    logging.getLogger("x").warning("line %d\\nand more", number)
    os.write(2, b"an engine\\n")
"""


def run(said: Path, file: Path, kind: str = "file", count: int = 200) -> str:
    with said.open("ab") as output:
        subprocess.run(
            [sys.executable, "-c", SCRIPT, file, kind, str(count)], stdout=output, stderr=output, check=True,
            env={name: value for name, value in os.environ.items() if name != "JOURNAL_STREAM"},
        )  # fmt: skip
    return said.read_text()


def test_a_log_of_the_store_stays_small(tmp_path: Path) -> None:
    log = tmp_path / "mountd.log"
    log.write_bytes(b"from before\n" * 1000)
    text = run(log, log)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mountd.log", "mountd.log.1"]
    assert all(path.stat().st_size < 2200 for path in tmp_path.iterdir())
    # The newest lines are there, of the log and of what others print to standard error, and go on in the next run.
    assert "WARNING x: line 199\nand more\nan engine\n" in text
    assert "from before" not in text and "line 0" in run(log, log, count=1)


@pytest.mark.parametrize("kind", ["journal", "file"])
def test_what_is_not_the_stores_own_is_left_alone(tmp_path: Path, kind: str) -> None:
    said = tmp_path / "terminal"
    text = run(said, tmp_path / "mountd.log", kind)
    assert [path.name for path in tmp_path.iterdir()] == ["terminal"] and len(text) > 2000
    if kind == "journal":
        assert text.splitlines()[:3] == ["<4>WARNING x: line 0", "<4>and more", "an engine"]
