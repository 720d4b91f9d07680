"""A byte changes in the log beside the catalog after a kill: no command opens the store as if nothing had been lost,
the sentence names the log, and the repair keeps what stands before the damage."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from kgfs.config import CATALOG
from kgfs.errors import DamagedLog
from kgfs.store.catalog import change_log
from kgfs.store.catalog.database import Database
from tests.conftest import ROOT, Program, copy_store
from tests.rounds import rounds

FILES = 30
IN_CATALOG = 10
"""Of the files: those that a checkpoint moved into the catalog."""
_WRITING = f"""
import os, sys
from pathlib import Path
from kgfs.store.catalog.database import Database
from kgfs.store.files.items import NewItem, put_item
database = Database.open(Path(sys.argv[1]), reserve=0)
for number in range({FILES}):
    body = f"body {{number}} ".encode() * 40
    database.write(lambda cursor: put_item(cursor, NewItem(drive="agent", path=f"/n{{number:02}}.md", body=body)))
    if number == {IN_CATALOG - 1}:
        database.between_writes(lambda cursor: cursor.execute("CHECKPOINT"))
os.kill(os.getpid(), 9)
"""


@pytest.fixture(scope="module")
def killed(pristine_light_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store whose writer was killed, with files in the catalog and others in the log; no test opens it."""
    store = copy_store(pristine_light_store, tmp_path_factory.mktemp("killed") / "store")
    subprocess.run([sys.executable, "-c", _WRITING, store], cwd=ROOT, check=False, timeout=60)
    assert change_log.log_of(store / CATALOG).stat().st_size > 10_000
    return store


def names(store: Path) -> list[str]:
    with Database.open(store, reserve=0) as database:
        return [row[0] for row in database.fetch("SELECT path FROM context_items WHERE drive = 'agent' ORDER BY path")]


def changed(killed: Path, to: Path, at: int, bit: int) -> Path:
    store = copy_store(killed, to)
    log = change_log.log_of(store / CATALOG)
    data = bytearray(log.read_bytes())
    data[at] ^= 1 << bit
    log.write_bytes(data)
    return store


def test_a_whole_log_is_opened(killed: Path, tmp_path: Path) -> None:
    assert len(names(copy_store(killed, tmp_path / "store"))) == FILES


def test_a_log_whose_writing_was_cut_short_is_opened(killed: Path, tmp_path: Path) -> None:
    """The kill came in the middle of a write, which nobody was told had succeeded."""
    store = copy_store(killed, tmp_path / "store")
    log = change_log.log_of(store / CATALOG)
    os.truncate(log, log.stat().st_size - 40)
    assert len(names(store)) == FILES - 1


def test_wherever_a_bit_changes(killed: Path, tmp_path: Path) -> None:
    """Every bit of the first entry, of lengths, checksums and data alike: refused, and then what stands before it."""
    log = change_log.log_of(killed / CATALOG)
    size, dice = log.stat().st_size, random.Random(4)
    entries = change_log.entries(log.read_bytes())
    assert entries[-1] == size
    places = [dice.randrange(entries[0]) for _ in range(rounds(5, 40))]
    places += [entry + dice.randrange(16) for entry in dice.choices(entries[:-1], k=rounds(10, 80))]
    places += [dice.randrange(size) for _ in range(rounds(5, 40))]
    for number, at in enumerate(places):
        store = changed(killed, tmp_path / f"store{number}", at, dice.randrange(8))
        catalog = store / CATALOG
        with pytest.raises(DamagedLog) as raised:
            Database.open(store, reserve=0)
        assert str(change_log.log_of(catalog)) in raised.value.message
        while change_log.log_of(catalog).exists():  # each cut is shorter
            try:
                found = names(store)
            except DamagedLog as error:
                assert error.place <= at and change_log.has_more(catalog, error.place)
                change_log.cut(catalog, error.place)
            else:
                break
        assert found == [f"/n{name:02}.md" for name in range(len(found))] and IN_CATALOG <= len(found) < FILES


def test_what_a_user_sees(kgfs: Program, killed: Path, tmp_path: Path) -> None:
    entries = change_log.entries(change_log.log_of(killed / CATALOG).read_bytes())
    at = entries[len(entries) // 2] + 5
    store = changed(killed, tmp_path / "store", at, 3)
    for command in (["ls"], ["add", killed.parent], ["fsck"], ["status"]):
        said = kgfs("--store", store, *command, status=None)
        assert said.returncode == 1 and "is damaged (at byte" in said.stderr and "fsck --repair" in said.stderr, said
        assert "Traceback" not in said.stderr
    mended = kgfs("--store", store, "fsck", "--repair", status=5).stdout
    assert "log: 1  repaired" in mended and "catalog.duckdb.wal.damaged-" in mended
    kept = [path for path in store.iterdir() if ".wal.damaged-" in path.name]
    assert len(kept) == 1 and kept[0].stat().st_size == entries[-1]
    kgfs("--store", store, "fsck")
    found = kgfs("--store", store, "ls", "notes").stdout.split()
    assert IN_CATALOG < len(found) < FILES and found == [f"n{name:02}.md" for name in range(len(found))]
