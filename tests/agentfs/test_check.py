"""The check of ``agent.db``: each rule finds what breaks it, mends it, and leaves everything else as it was."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from kgfs.agentfs.audit.tool_calls import Call, ToolCalls
from kgfs.agentfs.checking import check
from kgfs.agentfs.database import AgentDatabase
from kgfs.agentfs.filesystem.workspace import Workspace
from kgfs.agentfs.keys.key_values import KeyValues
from kgfs.filesystem import ROOT
from tests.agentfs.filesystem_sides import Library

FILE = stat.S_IFREG | 0o644


@pytest.fixture
def database(tmp_path: Path) -> Iterator[AgentDatabase]:
    """Inodes: 2 folder, 3 folder/file of three chunks (also named twin), 4 link, 5 folder/inner, 6 small, 7 pipe."""
    with AgentDatabase(tmp_path / "agent.db") as database:
        files = Workspace(database)
        folder = files.make(ROOT, b"folder", stat.S_IFDIR | 0o755, 0, 0, 0).ino
        file = files.make(folder, b"file", FILE, 0, 0, 0).ino
        files.write(file, 0, b"0123456789" * 1000)
        files.link(file, ROOT, b"twin")
        files.symlink(ROOT, b"link", b"folder/file", 0, 0)
        files.make(folder, b"inner", stat.S_IFDIR | 0o755, 0, 0, 0)
        files.write(files.make(ROOT, b"small", FILE, 0, 0, 0).ino, 0, b"small")
        files.make(ROOT, b"pipe", stat.S_IFIFO | 0o644, 0, 0, 0)
        files.setxattr(file, b"user.a", b"x")
        sparse = files.make(ROOT, b"sparse", FILE, 0, 0, 0).ino
        files.write(sparse, 100_000, b"end")
        files.setattr(sparse, size=1 << 20)
        files.close()
        KeyValues(database).set("a", "1")
        ToolCalls(database).record([Call(name="x", started_ns=1, ended_ns=2)])
        yield database


def look(database: AgentDatabase) -> dict[tuple[bytes, ...], object]:
    files = Workspace(database)
    tree = {path: one[0] for path, one in Library(files).tree().items()}
    files.close()
    return tree


def test_a_good_file_breaks_no_rule(database: AgentDatabase) -> None:
    assert check.check(database) == [] and check.repair(database) == []
    assert len({rule.name for rule in check.RULES}) == len(check.RULES)


BROKEN = {
    "agent-config": "DELETE FROM fs_config WHERE key = 'chunk_size'",
    "agent-root": "UPDATE fs_inode SET mode = 33188 WHERE ino = 1",
    "agent-root#2": "DELETE FROM fs_inode WHERE ino = 1",
    "agent-inodes": "UPDATE fs_inode SET mtime_nsec = 1000000000 WHERE ino = 3",
    "agent-inodes#2": "UPDATE fs_inode SET uid = 'root', size = 5.5 WHERE ino = 6",
    "agent-inodes#3": "UPDATE fs_inode SET size = -1 WHERE ino = 6",
    "agent-inodes#4": "UPDATE fs_inode SET gid = -5 WHERE ino = 2",
    "agent-modes": "UPDATE fs_inode SET mode = 420 WHERE ino = 3",
    "agent-modes#2": "UPDATE fs_inode SET mode = 493 WHERE ino = 2",
    "agent-modes#3": "UPDATE fs_inode SET mode = 511 WHERE ino = 4",
    "agent-entries": "INSERT INTO fs_dentry (name, parent_ino, ino) VALUES ('x', 1, 99)",
    "agent-entries#2": "INSERT INTO fs_dentry (name, parent_ino, ino) VALUES ('x', 2, 1)",
    "agent-parents": "INSERT INTO fs_dentry (name, parent_ino, ino) VALUES ('x', 99, 3)",
    "agent-parents#2": "UPDATE fs_dentry SET parent_ino = 6 WHERE name = 'inner'",
    "agent-names": "INSERT INTO fs_dentry (name, parent_ino, ino) VALUES ('..', 1, 3)",
    "agent-names#2": "INSERT INTO fs_dentry (name, parent_ino, ino) VALUES ('a/b', 2, 3), ('a%2Fb', 2, 3)",
    "agent-names#3": "INSERT INTO fs_dentry (name, parent_ino, ino) VALUES (x'2e', 2, 3), ('', 2, 3)",
    "agent-names#4": "INSERT INTO fs_dentry (name, parent_ino, ino) VALUES (printf('%.*c', 300, 'ü'), 1, 3)",
    "agent-duplicates": "INSERT INTO fs_dentry (name, parent_ino, ino) VALUES (x'7477696e', 1, 6)",
    "agent-directories": "INSERT INTO fs_dentry (name, parent_ino, ino) VALUES ('x', 1, 5)",
    "agent-circles": "UPDATE fs_dentry SET parent_ino = 5 WHERE ino = 2",
    "agent-circles#2": "UPDATE fs_dentry SET parent_ino = 5 WHERE ino = 5",
    "agent-unnamed": "DELETE FROM fs_dentry WHERE ino = 6",
    "agent-unnamed#2": "DELETE FROM fs_dentry WHERE ino = 2",
    "agent-links": "UPDATE fs_inode SET nlink = 7 WHERE ino IN (1, 2, 3)",
    "agent-links#2": "UPDATE fs_inode SET nlink = 0 WHERE ino = 6",
    "agent-data": "INSERT INTO fs_data VALUES (2, 0, x'61')",
    "agent-data#2": "INSERT INTO fs_data VALUES (99, 0, x'61')",
    "agent-chunks": "UPDATE fs_data SET data = x'61' WHERE ino = 3 AND chunk_index = 0",
    "agent-chunks#2": "UPDATE fs_data SET data = zeroblob(5000) WHERE ino = 3 AND chunk_index = 2",
    "agent-chunks#3": "INSERT INTO fs_data VALUES (3, 3, x'61')",
    "agent-chunks#4": "UPDATE fs_inode SET size = 3 WHERE ino = 6",
    "agent-chunks#5": "UPDATE fs_data SET data = 'text' WHERE ino = 6",
    "agent-chunks#6": "INSERT INTO fs_data VALUES (6, -1, x'61')",
    "agent-chunks#7": "UPDATE fs_inode SET size = 100 WHERE ino = 6",
    "agent-targets": "DELETE FROM fs_symlink",
    "agent-targets#2": "UPDATE fs_inode SET size = 0 WHERE ino = 4",
    "agent-leftovers": "INSERT INTO fs_symlink VALUES (3, 'x'), (99, 'y')",
    "agent-leftovers#2": "INSERT INTO fs_xattr VALUES (99, x'61', x'')",
    "agent-leftovers#3": "INSERT INTO fs_origin VALUES (99, 5)",
    "agent-leftovers#4": "INSERT INTO tool_call_details (call_id, started_ns, elapsed_us) VALUES (99, 1, 1)",
    "agent-leftovers#5": "INSERT INTO agent_run_pieces VALUES (99, 'answer.md', 0, x'61')",
    "agent-runs": (
        "INSERT INTO agent_runs (id, name, question, started_us) VALUES (1, 'a', 'a', 1);"
        " INSERT INTO agent_run_pieces VALUES (1, 'answer.md', 0, x'61'), (1, 'answer.md', 2, x'62')"
    ),
    "agent-whiteouts": "INSERT INTO fs_whiteout VALUES ('/gone/x', '/', 5)",
    "agent-whiteouts#2": "INSERT INTO fs_whiteout VALUES ('gone', '/', 5), ('/a//b', '/a', 5), ('/a/../b', '/a/..', 5)",
    "agent-whiteouts#3": "INSERT INTO fs_whiteout VALUES ('/folder/file', '/folder', 5)",
    "agent-whiteouts#4": "INSERT INTO fs_whiteout VALUES (x'2f67ff2f78', x'2f67', 5), ('/gone/ü', '/gone', 5)",
    "agent-values": "INSERT INTO kv_store (key, value) VALUES ('b', 'no json'), ('c', '{')",
    "agent-values#2": "INSERT INTO kv_store (key, value) VALUES ('b', x'ff')",
    "agent-value-times": "UPDATE kv_store SET updated_at = NULL",
    "agent-archive": (
        "INSERT INTO tool_calls_archive (id, name, result, status, started_at, completed_at, duration_ms)"
        " SELECT id, name, result, status, started_at, completed_at, duration_ms FROM tool_calls"
    ),
}
UNCHANGED = {
    "agent-config", "agent-entries", "agent-entries#2", "agent-directories", "agent-links", "agent-links#2",
    "agent-data", "agent-data#2", "agent-leftovers", "agent-leftovers#2", "agent-leftovers#3", "agent-leftovers#4",
    "agent-leftovers#5", "agent-runs", "agent-whiteouts", "agent-whiteouts#2", "agent-whiteouts#3",
    "agent-whiteouts#4", "agent-values", "agent-values#2", "agent-value-times", "agent-chunks#4", "agent-chunks#6",
    "agent-targets#2", "agent-inodes#4",
}  # fmt: skip
"""After these, mending brings back the very tree that was."""


@pytest.mark.parametrize("broken", BROKEN)
def test_what_breaks_a_rule_is_found_and_mended(database: AgentDatabase, broken: str) -> None:
    before = look(database)
    with database.write() as connection:
        for statement in BROKEN[broken].split(";"):
            connection.execute(statement)
    found = check.check(database)
    assert broken.split("#")[0] in {one.rule.name for one in found}, found
    with database.read() as connection:
        assert connection.execute("SELECT count(*) FROM fs_dentry").fetchone(), "nothing is changed by looking"
    mended = check.repair(database)
    assert mended and all(one.mended for one in mended), mended
    assert check.check(database) == []
    after = look(database)
    if broken in UNCHANGED:
        assert after == before
    contents = {seen.content for seen in after.values()}  # type: ignore[attr-defined]
    for path in ((b"twin",), (b"small",)):
        kept = before[path].content  # type: ignore[attr-defined]
        if "chunks" not in broken and "inodes" not in broken:
            assert kept in contents, "no byte is lost"


def test_bytes_behind_the_end_are_kept(database: AgentDatabase) -> None:
    """As after a client that wrote its chunks and not yet the size."""
    with database.write() as connection:
        connection.execute("UPDATE fs_inode SET size = 0 WHERE ino = 3")
    check.repair(database)
    assert look(database)[(b"twin",)].content == b"0123456789" * 1000  # type: ignore[attr-defined]


def test_what_is_open_without_a_name_breaks_no_rule(database: AgentDatabase) -> None:
    files = Workspace(database)
    ino = files.tmpfile(0o600, 0, 0).ino
    files.write(ino, 0, b"x" * 5000)
    files.sync()
    assert check.check(database) == []
    files.close()
    assert check.check(database) == []


def test_a_workspace_in_use_sees_what_was_mended(database: AgentDatabase) -> None:
    files = Workspace(database)
    kept = files.lookup(ROOT, b"twin")
    files.hold(kept.ino)
    files.write(kept.ino, 0, b"new")
    with database.write() as connection:
        connection.execute("UPDATE fs_inode SET nlink = 7 WHERE ino = ?", (kept.ino,))
        connection.execute("INSERT INTO fs_dentry (name, parent_ino, ino) VALUES ('..', 1, ?)", (kept.ino,))
    with files.set_aside():
        assert all(one.mended for one in check.repair(database))
    assert files.getattr(kept.ino).nlink == 3 and files.read(kept.ino, 0, 5) == b"new34"
    assert b"%2E%2E" in {entry.name for entry in files.list(ROOT)}
    files.release(kept.ino)
    files.close()
    assert check.check(database) == []


@pytest.mark.parametrize(
    ("sql", "rule"),
    [
        ("UPDATE tool_calls SET duration_ms = 5", "agent-calls"),
        ("UPDATE tool_calls SET error = 'x'", "agent-calls"),
        ("UPDATE tool_calls SET status = 'error', result = NULL", "agent-calls"),
        ("UPDATE tool_calls SET parameters = 'x'", "agent-call-json"),
        ("UPDATE tool_calls SET result = '{'", "agent-call-json"),
    ],
)
def test_records_of_calls_are_told_and_never_changed(database: AgentDatabase, sql: str, rule: str) -> None:
    with database.write() as connection:
        connection.execute(sql)
    with database.read() as connection:
        before = connection.execute("SELECT * FROM tool_calls").fetchall()
    assert [(one.rule.name, one.mended) for one in check.repair(database)] == [(rule, False)]
    with database.read() as connection:
        assert connection.execute("SELECT * FROM tool_calls").fetchall() == before


def test_an_index_that_lacks_an_entry_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    with AgentDatabase(path) as database:
        files = Workspace(database)
        for count in range(50):
            files.make(ROOT, b"%d" % count, FILE, 0, 0, 0)
        files.close()
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute(
        "UPDATE sqlite_master SET sql = 'CREATE INDEX idx_fs_dentry_parent ON fs_dentry(ino, name)'"
        " WHERE name = 'idx_fs_dentry_parent'"
    )
    connection.close()
    with AgentDatabase(path) as database:
        assert [one.rule.name for one in check.check(database)] == ["agent-pages"]
        assert [one.mended for one in check.repair(database)] == [True]
        assert check.check(database) == []
