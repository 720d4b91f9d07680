"""A bit changes in the catalog's file: fsck names what it was in, keeps all else, says what to do."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from kgfs.config import CATALOG
from kgfs.errors import KgfsError, StoreError
from kgfs.store.catalog import salvage
from kgfs.store.catalog.database import Database
from tests.conftest import Program, copy_store

FILES = 16


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of bytes that no engine makes shorter."""
    source = tmp_path_factory.mktemp("source")
    chosen = random.Random(7)
    for number in range(FILES):
        (source / f"f{number}.txt").write_bytes(chosen.randbytes(20_000).hex().encode())
    return source


@pytest.fixture(scope="module")
def pristine(kgfs: Program, pristine_light_store: Path, source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with these files; no test opens it."""
    store = copy_store(pristine_light_store, tmp_path_factory.mktemp("pristine") / "store")
    kgfs("--store", store, "add", source, "--extractor", "none")
    return store


@pytest.fixture
def notes(pristine: Path, tmp_path: Path) -> Path:
    return copy_store(pristine, tmp_path / "store")


def broken_at(catalog: Path) -> int:
    """Flip a bit such that the catalog opens and something in it cannot be read; where that is."""
    whole = catalog.read_bytes()
    for place in random.Random(3).sample(range(len(whole) // 3, len(whole)), 60):
        changed = bytearray(whole)
        changed[place] ^= 16
        catalog.write_bytes(changed)
        try:
            with Database.open(catalog.parent, reserve=0) as database:
                if salvage.catalog_damage(database) is not None and database.fetch("SELECT ref FROM context_items"):
                    return place
        except (KgfsError, Exception):
            continue
    raise AssertionError("no bit of it matters")


@pytest.mark.slow
def test_a_flipped_bit_costs_what_it_is_in(kgfs: Program, notes: Path, source: Path) -> None:
    catalog = notes / CATALOG
    broken_at(catalog)
    found = kgfs("--store", notes, "fsck", status=1)
    assert "catalog: " in found.stdout and "Corrupt database file" in found.stdout
    assert "Unexpected" not in found.stderr
    kgfs("--store", notes, "fsck", "--repair", status=5)
    assert [name for name in os.listdir(notes) if ".damaged-" in name]
    kgfs("--store", notes, "fsck")
    kgfs("--store", notes, "refresh", "--all")
    files = [source / f"f{number}.txt" for number in range(FILES)]
    stored = kgfs("--store", notes, "cat", *(f"disk:{file}" for file in files)).stdout
    assert stored == "".join(file.read_text() for file in files)


@pytest.mark.slow
def test_wherever_a_bit_flips(notes: Path, tmp_path: Path) -> None:
    """All but what the bit is in comes out of the file, as far as the engine opens it at all."""
    catalog = notes / CATALOG
    whole = catalog.read_bytes()
    with Database.open(notes, reserve=0) as database:
        before = {row[0]: row[1:] for row in database.fetch("SELECT id, ref, content FROM context_items")}
    saved = 0
    for number, place in enumerate(random.Random(5).sample(range(len(whole)), 8)):
        changed = bytearray(whole)
        changed[place] ^= 1 << number
        broken, fresh = tmp_path / f"broken{number}", tmp_path / f"saved{number}"
        broken.write_bytes(changed)
        fresh.mkdir()
        try:
            salvage.salvage_catalog(broken, fresh / CATALOG)
        except StoreError as error:
            assert "restore a backup" in error.message
            continue
        assert broken.read_bytes() == changed
        assert [path.name for path in fresh.iterdir()] == [CATALOG]
        with Database.open(fresh, reserve=0) as database:
            after = {row[0]: row[1:] for row in database.fetch("SELECT id, ref, content FROM context_items")}
        assert sum(after.get(key) != row for key, row in before.items()) <= 1
        saved += 1
    assert saved >= 4
