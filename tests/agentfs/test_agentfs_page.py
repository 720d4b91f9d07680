"""docs/agentfs.md names tests and checks that exist, and every rule of the check."""

from __future__ import annotations

import re
from pathlib import Path

from kgfs.agentfs.checking.check import RULES
from kgfs.agentfs.schema import SIDE_TABLES, TABLES

PAGE = (Path(__file__).resolve().parents[2] / "docs/agentfs.md").read_text()
HERE = Path(__file__).parent


def test_every_test_that_is_named_exists() -> None:
    named = re.findall(r"`(test_\w+\.py)::(test_\w+)`", PAGE)
    assert len(named) > 30
    for file, test in named:
        assert re.search(rf"^def {test}\(", (HERE / file).read_text(), re.MULTILINE), f"{file}::{test}"


def test_every_table_and_every_named_check_exists() -> None:
    for table in re.findall(r"CREATE TABLE IF NOT EXISTS (\w+)", TABLES + SIDE_TABLES):
        assert f"`{table}`" in PAGE, table
    checks = set(re.findall(r"`(agent-[a-z-]+)`", PAGE))
    assert checks <= {rule.name for rule in RULES} and len(checks) > 12
