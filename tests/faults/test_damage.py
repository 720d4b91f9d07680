"""Parts of a store's files change: the sentence says what is damaged and what to do, and that brings all else back."""

from __future__ import annotations

import os
import random
import sqlite3
import time
from pathlib import Path

import pytest

from kgfs.config import CATALOG
from kgfs.errors import KgfsError
from kgfs.store.catalog.database import Database
from tests.conftest import Mounting, Program, copy_store

BLOCK = 4096
TEXT = b"acquired Widget"


@pytest.fixture
def store(pristine_filled_store: Path, tmp_path: Path) -> Path:
    return copy_store(pristine_filled_store, tmp_path / "store")


def damage_a_text(store: Path) -> None:
    """Change a byte of each place where the catalog has a part of a document's text."""
    catalog = store / CATALOG
    changed = bytearray(catalog.read_bytes())
    place = changed.find(TEXT)
    assert place > 0
    while place > 0:
        changed[place] ^= 1
        place = changed.find(TEXT)
    catalog.write_bytes(changed)


@pytest.mark.slow
@pytest.mark.mount
def test_a_damaged_catalog(kgfs: Program, store: Path, mount: Mounting, folder: Path) -> None:
    damage_a_text(store)
    done = kgfs("--store", store, "cat", "notes/kept.md", status=None)
    assert "Unexpected" not in done.stderr
    if done.returncode:
        assert "is damaged" in done.stderr and "kgfs fsck --repair" in done.stderr
    assert "Corrupt database file" in kgfs("--store", store, "fsck", status=1).stdout
    kgfs("--store", store, "fsck", "--repair", status=5)
    kgfs("--store", store, "refresh", "--all")
    root = mount(store)
    for number in range(6):
        assert (root / f"documents/n{number}/text.txt").read_bytes() == (folder / f"n{number}.md").read_bytes()
    assert (root / "@status/errors.jsonl").read_text() == ""


def test_an_error_of_a_damaged_block_says_what_to_do(store: Path) -> None:
    damage_a_text(store)
    with Database.open(store, reserve=0) as database, pytest.raises(KgfsError) as raised:
        database.fetch("SELECT content FROM context_items")
    assert raised.value.kind == "damaged" and "kgfs fsck --repair" in raised.value.message


def test_a_damaged_agent_db_is_named_and_comes_back_from_a_backup(kgfs: Program, store: Path, tmp_path: Path) -> None:
    """Wherever it is damaged: what cannot be read says which file it is, the rest of the store works, and a backup has
    it."""
    kgfs("--store", store, "backup", tmp_path / "backup.tar.zst")
    file = store / "agent.db"
    with sqlite3.connect(file) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    whole, dice = file.read_bytes(), random.Random(5)
    for _ in range(3):
        changed = bytearray(whole)
        at = dice.randrange(len(whole) // BLOCK) * BLOCK
        changed[at : at + BLOCK] = dice.randbytes(BLOCK)
        file.write_bytes(changed)
        done = kgfs("--store", store, "kv", "get", "kept", status=None)
        assert "Unexpected" not in done.stderr
        assert done.stdout == '"yes"\n' or "agent.db" in done.stderr, done
        found = kgfs("--store", store, "fsck", status=None)
        assert found.returncode == 0 or "agent.db" in found.stdout
        assert "Unexpected" not in found.stderr
        assert kgfs("--store", store, "cat", "notes/kept.md").stdout == "kept\n"
    restored = tmp_path / "restored"
    kgfs("--store", restored, "restore", tmp_path / "backup.tar.zst")
    assert kgfs("--store", restored, "kv", "get", "kept").stdout == '"yes"\n'


def test_a_clock_that_was_set_back(kgfs: Program, store: Path, tmp_path: Path) -> None:
    """A file whose time is a year from now, as files are once the clock is set back: what changes later is seen."""
    folder = tmp_path / "later"
    folder.mkdir()
    note = folder / "note.md"
    note.write_text("# Note\n\nBefore the clock was set back.\n")
    ahead = time.time() + 365 * 86400
    os.utime(note, (ahead, ahead))
    kgfs("--store", store, "add", folder)
    note.write_text("# Note\n\nAfter the clock was set back.\n")
    kgfs("--store", store, "refresh", "--all")
    shown = kgfs("--store", store, "cat", f"disk:{note}").stdout
    assert "After" in shown
