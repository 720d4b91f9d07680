"""``kgfs fsck`` as a user runs it: what it prints, its exit status, and that doctor looks too."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kgfs.store.database import Database
from tests.conftest import Program


@pytest.fixture
def damage(sample_store: Path) -> Callable[[str], None]:
    """Change rows as no code of ours does."""

    def change(sql: str) -> None:
        with Database.open(sample_store) as database:
            database.write(lambda cursor: cursor.execute(sql))

    return change


def test_nothing_then_something_then_nothing(kgfs: Program, sample_store: Path, damage: Callable[[str], None]) -> None:
    fsck: tuple[str | Path, ...] = ("--store", sample_store, "fsck")
    assert kgfs(*fsck).stdout.startswith("Nothing is wrong: ")
    damage("DELETE FROM entity_chunks")
    damage("UPDATE pages SET body = repeat('x', size)::BLOB WHERE view = 'entity_summary'")
    found = kgfs(*fsck, status=1).stdout
    assert "mentions: " in found and "what pages say: " in found
    assert "`kgfs fsck --repair` mends it." in found
    doctor = kgfs("--store", sample_store, "--json", "doctor", status=None).stdout
    (store,) = (line for line in map(json.loads, doctor.splitlines()) if line["check"] == "store")
    assert (store["state"], "mentions" in store["message"]) == ("bad", True)
    mended: dict[str, Any] = json.loads(kgfs(*fsck, "--repair", "--json", "-q", status=5).stdout.splitlines()[-1])
    assert {finding["state"] for finding in mended["findings"]} == {"mended"}
    assert mended["exit_status"] == 5
    assert kgfs(*fsck, "--repair").stdout.startswith("Nothing is wrong: ")


def test_what_only_the_index_knows(kgfs: Program, sample_store: Path, damage: Callable[[str], None]) -> None:
    """A fact whose row was lost, and every row that spoke of it, is found in the index and read again."""

    def facts() -> list[Any]:
        with Database.open(sample_store) as database:
            return database.fetch("SELECT fact_id FROM facts ORDER BY 1")

    before = facts()
    damage("DELETE FROM fact_topics WHERE fact_id = (SELECT min(id) FROM facts)")
    damage("DELETE FROM pages WHERE view = 'fact_line' AND owner_id = (SELECT min(id) FROM facts)")
    damage("DELETE FROM facts WHERE id = (SELECT min(id) FROM facts)")
    found = kgfs("--store", sample_store, "fsck", status=1).stdout
    assert "keyword index of facts: 1" in found
    kgfs("--store", sample_store, "fsck", "--repair", status=5, timeout=600)
    assert facts() == before
    kgfs("--store", sample_store, "fsck")
