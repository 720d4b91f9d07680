"""Numbers of things in messages: one is one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import kgfs
from kgfs.counting import counted

THINGS = "chunks|directories|documents|entities|facts|files|links|versions"


@pytest.mark.parametrize(
    ("count", "words", "said"),
    [
        (1, ("file",), "1 file"), (0, ("file",), "0 files"), (1200, ("file",), "1,200 files"),
        (1, ("entity", "entities"), "1 entity"), (2, ("entity", "entities"), "2 entities"),
    ],
)  # fmt: skip
def test_counted(count: int, words: tuple[str, ...], said: str) -> None:
    assert counted(count, *words) == said


def test_no_message_says_one_files() -> None:
    """What is counted for a person is counted by ``counted``."""
    source = Path(kgfs.__file__).parent
    found = [
        f"{path.relative_to(source)}: {line.strip()}"
        for path in sorted((source / "cli").glob("*.py"))
        for line in path.read_text().splitlines()
        if re.search(rf"\{{[^{{}}]+\}} (?:{THINGS})\b", line)
    ]
    assert found == []
