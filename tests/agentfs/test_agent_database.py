"""``agent.db`` as a file: its schema, and what is said of a file that cannot be used."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from kgfs.agentfs import database
from kgfs.agentfs.database import AgentDatabase
from kgfs.errors import KgfsError, NoSpaceError, NotFoundError, ReadOnlyError, StoreError, StoreLocked

SPECIFIED = {
    "tool_calls": "id name parameters result error status started_at completed_at duration_ms",
    "fs_config": "key value",
    "fs_inode": "ino mode nlink uid gid size atime mtime ctime rdev atime_nsec mtime_nsec ctime_nsec",
    "fs_dentry": "id name parent_ino ino",
    "fs_data": "ino chunk_index data",
    "fs_symlink": "ino target",
    "fs_whiteout": "path parent_path created_at",
    "fs_origin": "delta_ino base_ino",
    "kv_store": "key value created_at updated_at",
}
INDEXES = {
    "idx_tool_calls_name": "name",
    "idx_tool_calls_started_at": "started_at",
    "idx_fs_dentry_parent": "parent_ino name",
    "idx_fs_whiteout_parent": "parent_path",
    "idx_kv_store_created_at": "created_at",
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "agent.db"


def test_the_schema_is_that_of_the_specification(path: Path) -> None:
    with AgentDatabase(path) as database, database.read() as connection:
        assert database.chunk_size == 4096
        for table, columns in SPECIFIED.items():
            assert " ".join(row[1] for row in connection.execute(f"PRAGMA table_info({table})")) == columns
        for index, columns in INDEXES.items():
            assert " ".join(row[2] for row in connection.execute(f"PRAGMA index_info({index})")) == columns
        config = dict(connection.execute("SELECT key, value FROM fs_config"))
        assert config == {"chunk_size": "4096", "schema_version": "0.4"}
        root = connection.execute("SELECT ino, mode, nlink, uid, gid, size FROM fs_inode").fetchall()
        assert root == [(1, 0o040755, 1, 0, 0, 0)]
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
    assert path.stat().st_mode & 0o777 == 0o600


def test_the_chunk_size_is_chosen_once(path: Path) -> None:
    AgentDatabase(path, chunk_size=8192).close()
    with AgentDatabase(path, chunk_size=512) as database:
        assert database.chunk_size == 8192


def test_a_transaction_that_fails_changes_nothing(path: Path) -> None:
    with AgentDatabase(path) as database:
        with pytest.raises(ValueError), database.write() as connection:
            connection.execute("INSERT INTO kv_store (key, value) VALUES ('a', '1')")
            raise ValueError
        with database.write() as connection:
            connection.execute("INSERT INTO kv_store (key, value) VALUES ('b', '2')")
        with database.read() as connection:
            assert connection.execute("SELECT key FROM kv_store").fetchall() == [("b",)]


def test_a_log_that_was_extended_is_read_like_any(path: Path, tmp_path: Path) -> None:
    """What was committed before and after is there, for others, after a crash, and when the log was begun anew."""
    put = "INSERT INTO kv_store (key, value) VALUES (?, '1')"
    log = path.with_name("agent.db-wal")

    def keys(of: Path) -> set[str]:
        with contextlib.closing(sqlite3.connect(of)) as other:
            assert other.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            return {key for (key,) in other.execute("SELECT key FROM kv_store")}

    def crashed(number: int) -> set[str]:
        left = tmp_path / f"crash{number}"
        left.mkdir()
        for file in (path, log):
            shutil.copy(file, left / file.name)
        return keys(left / path.name)

    with AgentDatabase(path) as database:
        expected: set[str] = set()
        for number in range(4):
            for count in range(3):
                with database.write() as connection:
                    connection.execute(put, (f"{number}.{count}",))
                expected.add(f"{number}.{count}")
            assert crashed(2 * number) == keys(path) == expected
            if number == 2:
                with contextlib.closing(sqlite3.connect(path)) as other:
                    assert other.execute("PRAGMA wal_checkpoint(RESTART)").fetchone()[0] == 0
            database.extend_log()
            assert 16 << 20 < log.stat().st_size < 17 << 20
            assert crashed(2 * number + 1) == keys(path) == expected
    assert not log.exists()
    assert keys(path) == expected


def test_a_table_that_lacks_columns_gets_them(path: Path) -> None:
    with sqlite3.connect(path) as older:
        older.executescript("""
            CREATE TABLE fs_config (key TEXT PRIMARY KEY, value TEXT NOT NULL);
            INSERT INTO fs_config VALUES ('chunk_size', '1024');
            CREATE TABLE fs_inode (ino INTEGER PRIMARY KEY AUTOINCREMENT, mode INTEGER NOT NULL, uid INTEGER NOT NULL
                DEFAULT 0, gid INTEGER NOT NULL DEFAULT 0, size INTEGER NOT NULL DEFAULT 0, atime INTEGER NOT NULL,
                mtime INTEGER NOT NULL, ctime INTEGER NOT NULL);
            INSERT INTO fs_inode (ino, mode, atime, mtime, ctime) VALUES (1, 16877, 5, 5, 5), (2, 33188, 6, 6, 6);
            CREATE TABLE fs_dentry (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL,
                parent_ino INTEGER NOT NULL, ino INTEGER NOT NULL, UNIQUE(parent_ino, name));
            INSERT INTO fs_dentry (name, parent_ino, ino) VALUES ('a', 1, 2), ('b', 1, 2);
            CREATE TABLE fs_whiteout (path TEXT PRIMARY KEY, created_at INTEGER NOT NULL);
            INSERT INTO fs_whiteout VALUES ('/a', 1), ('/a/b/c', 2);
        """)
    older.close()
    with AgentDatabase(path) as database, database.read() as connection:
        assert database.chunk_size == 1024
        assert connection.execute("SELECT ino, nlink, mtime_nsec FROM fs_inode").fetchall() == [(1, 1, 0), (2, 2, 0)]
        assert connection.execute("SELECT path, parent_path FROM fs_whiteout ORDER BY path").fetchall() == [
            ("/a", "/"),
            ("/a/b/c", "/a/b"),
        ]


def _config(path: Path, **values: str) -> None:
    AgentDatabase(path).close()
    with sqlite3.connect(path) as connection:
        connection.executemany("INSERT OR REPLACE INTO fs_config VALUES (?, ?)", values.items())
    connection.close()


def _newer(path: Path) -> None:
    _config(path, schema_version="0.5")


def _no_version(path: Path) -> None:
    _config(path, schema_version="latest")


def _no_size(path: Path) -> None:
    _config(path, chunk_size="-1")


def _foreign(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE bookmarks (url TEXT)")
    connection.close()


def _text(path: Path) -> None:
    path.write_text("This is no database, it is a note of more than sixteen bytes.")


def _damaged(path: Path) -> None:
    AgentDatabase(path).close()
    data = bytearray(path.read_bytes())
    data[100:4096] = b"\x07" * 3996
    path.write_bytes(data)


def _folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize(
    ("spoil", "error", "says"),
    [
        (_newer, StoreError, r"has version 0\.5 of the schema.*Update kgfs"),
        (_no_version, StoreError, "schema_version is 'latest'"),
        (_no_size, StoreError, "chunk_size is '-1'"),
        (_foreign, StoreError, "a database of another program"),
        (_text, StoreError, "is no SQLite file"),
        (_damaged, StoreError, "is damaged; restore it"),
        (_folder, StoreError, "cannot be opened: Is a directory"),
    ],
    ids=lambda value: getattr(value, "__name__", "").strip("_") or None,
)
def test_a_file_that_cannot_be_used_is_left_as_it_is(path: Path, spoil, error: type[KgfsError], says: str) -> None:
    spoil(path)
    before = path.read_bytes() if path.is_file() else b""
    with pytest.raises(error, match=says) as raised:
        AgentDatabase(path)
    assert str(path) in raised.value.message and raised.value.message.endswith(".")
    assert (path.read_bytes() if path.is_file() else b"") == before


def test_what_is_missing_and_what_is_locked(path: Path) -> None:
    with pytest.raises(NotFoundError, match=re.escape(str(path))):
        AgentDatabase(path, create=False)
    AgentDatabase(path).close()
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("PRAGMA locking_mode = EXCLUSIVE")
    holder.execute("BEGIN EXCLUSIVE")
    try:
        with pytest.raises(StoreLocked, match="locked by another program"):
            AgentDatabase(path, patience=0.05)
    finally:
        holder.close()
    with AgentDatabase(path, read_only=True) as database, pytest.raises(ReadOnlyError), database.write():
        pass


def test_a_file_that_may_not_be_written(path: Path) -> None:
    """As another user, since root may write everything."""
    AgentDatabase(path).close()
    path.chmod(0o444)
    for folder in path.parents:
        if not folder.stat().st_mode & 0o001:
            folder.chmod(0o711)
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        with pytest.raises(ReadOnlyError, match=r"agent\.db cannot be written"):
            AgentDatabase(path)
    finally:
        os.seteuid(user)


def test_a_full_disk_is_an_error_that_loses_nothing(path: Path) -> None:
    with AgentDatabase(path) as database:
        with database.write() as connection:
            connection.execute("INSERT INTO kv_store (key, value) VALUES ('a', '1')")
            (pages,) = connection.execute("PRAGMA page_count").fetchone()
            connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(NoSpaceError, match="full"), database.write() as connection:
            connection.execute("INSERT INTO kv_store (key, value) VALUES ('b', ?)", ("x" * 1_000_000,))
        with database.write() as connection:
            connection.execute("PRAGMA max_page_count = 1000000")
        with database.write() as connection:
            connection.execute("INSERT INTO kv_store (key, value) VALUES ('c', '3')")
        with database.read() as connection:
            assert connection.execute("SELECT key FROM kv_store ORDER BY key").fetchall() == [("a",), ("c",)]


def test_a_file_that_is_mostly_free_becomes_smaller(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "MUCH_FREE_BYTES", 1 << 20)
    with AgentDatabase(path) as opened, opened.write() as connection:
        connection.executemany(
            "INSERT INTO kv_store (key, value) VALUES (?, ?)", [(f"k{n}", "v" * 10_000) for n in range(400)]
        )
    whole = path.stat().st_size
    with AgentDatabase(path) as opened, opened.write() as connection:
        connection.execute("DELETE FROM kv_store WHERE key <> 'k0'")
    reader = sqlite3.connect(path)
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM kv_store").fetchone() == (1,)
    with AgentDatabase(path, patience=0.1):  # somebody reads it: it stays as it is
        assert path.stat().st_size >= whole
    reader.close()
    with AgentDatabase(path) as opened, opened.read() as connection:
        assert connection.execute("SELECT key FROM kv_store").fetchall() == [("k0",)]
    assert path.stat().st_size < whole / 5


def test_the_layer_is_light() -> None:
    """Importing it loads no engine and nothing of the tree."""
    code = (
        "import sys, kgfs.agentfs.database\n"
        "print([name for name in sys.modules if name.split('.')[0] in ('duckdb', '_duckdb', 'lancedb', 'numpy', 'trio')"
        " or name.startswith(('kgfs.store', 'kgfs.namespace'))])"
    )
    ran = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert ran.stdout.strip() == "[]"
