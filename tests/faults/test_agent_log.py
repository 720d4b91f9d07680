"""A byte changes in the log beside ``agent.db`` after a kill: it is not opened as if nothing had been lost, the
sentence names the log, the rest of the store goes on, and the repair keeps what stands before the damage."""

from __future__ import annotations

import logging
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kgfs.agentfs import log_check
from kgfs.agentfs.database import AgentDatabase
from kgfs.errors import DamagedLog
from tests.conftest import ROOT, Program, copy_store
from tests.rounds import rounds

KEYS = 20
FRAME = 24 + 4096
_WRITING = f"""
import os, sys
from pathlib import Path
from kgfs.agentfs.database import AgentDatabase
database = AgentDatabase(Path(sys.argv[1]))
for number in range({KEYS}):
    with database.write() as connection:
        connection.execute("INSERT INTO kv_store (key, value) VALUES (?, ?)", (f"k{{number:02}}", '"%s"' % ("v" * 300)))
database.extend_log()
os.kill(os.getpid(), 9)
"""


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an ``agent.db`` whose writer was killed, all keys in the log; no test opens it."""
    folder = tmp_path_factory.mktemp("killed")
    subprocess.run([sys.executable, "-c", _WRITING, folder / "agent.db"], cwd=ROOT, check=False, timeout=60)
    return folder


def used(log: Path) -> int:
    """Where the last commit's frame ends."""
    data = log.read_bytes().rstrip(b"\0")
    return 32 + -(-(len(data) - 32) // FRAME) * FRAME


def changed(killed: Path, to: Path, at: int, bit: int) -> Path:
    """A copy in which one bit of the log is another."""
    shutil.copytree(killed, to, dirs_exist_ok=True)
    log = log_check.log_of(to / "agent.db")
    data = bytearray(log.read_bytes())
    data[at] ^= 1 << bit
    log.write_bytes(data)
    return to / "agent.db"


def keys(database: Path) -> list[str]:
    with AgentDatabase(database) as opened, opened.read() as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return [row[0] for row in connection.execute("SELECT key FROM kv_store ORDER BY key")]


def test_a_whole_log_is_read(killed: Path, tmp_path: Path) -> None:
    shutil.copytree(killed, tmp_path, dirs_exist_ok=True)
    assert len(keys(tmp_path / "agent.db")) == KEYS


def test_what_was_not_acknowledged_is_left_out(killed: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The last frame is torn, as a loss of power leaves it: the rest is there, and the log is kept."""
    shutil.copytree(killed, tmp_path, dirs_exist_ok=True)
    log = log_check.log_of(tmp_path / "agent.db")
    with log.open("r+b") as file:
        file.seek(used(log) - 100)
        file.write(bytes(100))
    data = bytearray(log.read_bytes())
    data[used(log) - 2000] ^= 1
    log.write_bytes(data)
    with caplog.at_level(logging.WARNING):
        assert len(keys(tmp_path / "agent.db")) == KEYS - 1
    assert "last transaction" in caplog.text
    assert [path for path in tmp_path.iterdir() if ".unread-" in path.name]


def test_wherever_a_bit_changes(killed: Path, tmp_path: Path) -> None:
    """In the header, in the heads of frames and in pages, but for the last transaction."""
    dice = random.Random(6)
    frames = (used(log_check.log_of(killed / "agent.db")) - 32) // FRAME
    places = [dice.randrange(32) for _ in range(rounds(4, 30))]
    places += [32 + dice.randrange(frames - 4) * FRAME + dice.randrange(24) for _ in range(rounds(6, 60))]
    places += [32 + dice.randrange((frames - 4) * FRAME) for _ in range(rounds(4, 40))]
    for number, at in enumerate(places):
        database = changed(killed, tmp_path / f"at{number}", at, dice.randrange(8))
        for _ in range(2):  # a refusal leaves it as it is
            with pytest.raises(DamagedLog) as raised:
                AgentDatabase(database)
        assert raised.value.place <= at
        log_check.cut(database, raised.value.place)
        found = keys(database)
        assert found == [f"k{key:02}" for key in range(len(found))] and len(found) < KEYS


def test_a_log_that_another_process_writes(killed: Path, tmp_path: Path) -> None:
    """Opening it again and again meets no damage while somebody writes, through many rounds of the log."""
    database = tmp_path / "agent.db"
    writing = f"""
import sys
from pathlib import Path
from kgfs.agentfs.database import AgentDatabase
with AgentDatabase(Path(sys.argv[1])) as database:
    connection = database.connect()
    for number in range({rounds(150, 1500)}):
        with database.write(durable=False) as writer:
            writer.execute(
                "INSERT OR REPLACE INTO kv_store (key, value) VALUES (?, ?)", (f"k{{number % 9}}", '"x"' * 3000)
            )
        if number % 10 == 0:
            connection.execute("PRAGMA wal_checkpoint(RESTART)")
"""
    AgentDatabase(database).close()
    writer = subprocess.Popen([sys.executable, "-c", writing, database], cwd=ROOT)
    opened = 0
    while writer.poll() is None:
        AgentDatabase(database, create=False).close()
        opened += 1
    assert writer.returncode == 0 and opened > 3


def test_what_a_user_sees(kgfs: Program, killed: Path, pristine_filled_store: Path, tmp_path: Path) -> None:
    store = copy_store(pristine_filled_store, tmp_path / "store")
    for end in ("", "-wal", "-shm"):
        (store / f"agent.db{end}").unlink(missing_ok=True)
    database = changed(killed, store, 32 + 3 * FRAME + 50, 2)
    said = kgfs("--store", store, "kv", "get", "k01", status=1).stderr
    assert "agent.db-wal" in said and "is damaged (at byte" in said and "Traceback" not in said
    assert kgfs("--store", store, "cat", "notes/kept.md").stdout == "kept\n"
    assert "agent.db-wal" in kgfs("--store", store, "fsck", status=1).stdout
    mended = kgfs("--store", store, "fsck", "--repair", status=5).stdout
    assert "agent.db-wal: 1  repaired" in mended
    kept = [path for path in store.iterdir() if ".damaged-" in path.name]
    assert len(kept) == 1 and os.path.getsize(kept[0]) > used(kept[0]) - FRAME
    kgfs("--store", store, "fsck")
    assert len(keys(database)) < KEYS
