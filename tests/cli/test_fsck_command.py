"""``kgfs fsck`` as a user runs it: what it prints, its exit status, and that doctor looks too."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kgfs.store.catalog.database import Database
from tests.conftest import SAMPLES, Program, copy_store

COMPANIES = ("alphabet", "deepmind", "fitbit", "looker", "openai", "waymo")


@pytest.fixture(scope="module")
def pristine(kgfs: Program, pristine_light_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of some documents of the sample; nobody opens it."""
    store = copy_store(pristine_light_store, tmp_path_factory.mktemp("pristine") / "store")
    kgfs("--store", store, "add", *(SAMPLES / "companies" / f"{name}.md" for name in COMPANIES))
    return store


@pytest.fixture
def store(pristine: Path, tmp_path: Path) -> Path:
    return copy_store(pristine, tmp_path / "store")


@pytest.fixture
def damage(store: Path) -> Callable[..., None]:
    """Change rows as no code of ours does."""

    def change(*statements: str) -> None:
        with Database.open(store) as database:
            for sql in statements:
                database.write(lambda cursor, sql=sql: cursor.execute(sql))

    return change


@pytest.mark.slow
def test_nothing_then_something_then_nothing(kgfs: Program, store: Path, damage: Callable[..., None]) -> None:
    fsck: tuple[str | Path, ...] = ("--store", store, "fsck")
    assert kgfs(*fsck).stdout.startswith("Nothing is wrong: ")
    damage(
        "DELETE FROM entity_chunks",
        "UPDATE pages SET body = repeat('x', size)::BLOB WHERE view = 'entity_summary'",
    )
    found = kgfs(*fsck, status=1).stdout
    assert "mentions: " in found and "what pages say: " in found
    assert "`kgfs fsck --repair` repairs it." in found
    store.chmod(0o755)  # which is another thing that it finds
    doctor = kgfs("--store", store, "--json", "doctor", status=None).stdout
    (found_by_doctor,) = (line for line in map(json.loads, doctor.splitlines()) if line["check"] == "store")
    assert (found_by_doctor["state"], "mentions" in found_by_doctor["message"]) == ("bad", True)
    mended: dict[str, Any] = json.loads(kgfs(*fsck, "--repair", "--json", "-q", status=5).stdout.splitlines()[-1])
    assert {finding["state"] for finding in mended["findings"]} == {"mended"}
    assert mended["exit_status"] == 5
    assert kgfs(*fsck, "--repair").stdout.startswith("Nothing is wrong: ")


@pytest.mark.slow
def test_what_only_the_index_knows(kgfs: Program, store: Path, damage: Callable[..., None]) -> None:
    """A fact whose row was lost, and every row that spoke of it, is found in the index and read again."""

    def facts() -> list[Any]:
        with Database.open(store) as database:
            return database.fetch("SELECT fact_id FROM facts ORDER BY 1")

    before = facts()
    damage(
        "DELETE FROM fact_topics WHERE fact_id = (SELECT min(id) FROM facts)",
        "DELETE FROM pages WHERE view = 'fact_line' AND owner_id = (SELECT min(id) FROM facts)",
        "DELETE FROM facts WHERE id = (SELECT min(id) FROM facts)",
    )
    found = kgfs("--store", store, "fsck", status=1).stdout
    assert "keyword index of facts: 1" in found
    kgfs("--store", store, "fsck", "--repair", status=5, timeout=600)
    assert facts() == before
    kgfs("--store", store, "fsck")
