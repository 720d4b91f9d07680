"""No pattern of the program can be made to search without end: a text of a few lines took minutes once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_repetitions_come_to_an_end() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.foundation.repeated_patterns"],
        cwd=PROJECT, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    *endless, count = done.stdout.splitlines()
    assert endless == []
    assert int(count.split()[0]) > 1000
