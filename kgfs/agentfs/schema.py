"""The tables of ``agent.db``: those of version 0.4 of the specification, and side tables for what it leaves open.

Used when a file is opened. Every table of the specification is declared as it stands there. Two columns go beyond it,
because its own clients need them: ``tool_calls.status``, and a default of ``tool_calls.completed_at`` and
``duration_ms``, without which they could not begin a call. What is ours only stands in tables of its own, which other
clients do not read; without CHECK, WITHOUT ROWID and the like, since the engine of one of them (Turso's) then refuses
the whole file.
"""

from __future__ import annotations

import sqlite3
import time

from kgfs.errors import StoreError

VERSION = "0.4"
CHUNK_SIZE = 4096
CHUNK_SIZE_ROW = "SELECT value FROM fs_config WHERE key = 'chunk_size'"
"""SQL: the size of chunks that a file states."""
ROOT_MODE = 0o040755

TABLES = """
CREATE TABLE IF NOT EXISTS tool_calls (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    parameters TEXT,
    result TEXT,
    error TEXT,
    status TEXT NOT NULL DEFAULT 'pending',
    started_at INTEGER NOT NULL,
    completed_at INTEGER NOT NULL DEFAULT 0,
    duration_ms INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS idx_tool_calls_name ON tool_calls(name);
CREATE INDEX IF NOT EXISTS idx_tool_calls_started_at ON tool_calls(started_at);
CREATE TABLE IF NOT EXISTS fs_config (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS fs_inode (
    ino INTEGER PRIMARY KEY AUTOINCREMENT,
    mode INTEGER NOT NULL,
    nlink INTEGER NOT NULL DEFAULT 0,
    uid INTEGER NOT NULL DEFAULT 0,
    gid INTEGER NOT NULL DEFAULT 0,
    size INTEGER NOT NULL DEFAULT 0,
    atime INTEGER NOT NULL,
    mtime INTEGER NOT NULL,
    ctime INTEGER NOT NULL,
    rdev INTEGER NOT NULL DEFAULT 0,
    atime_nsec INTEGER NOT NULL DEFAULT 0,
    mtime_nsec INTEGER NOT NULL DEFAULT 0,
    ctime_nsec INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS fs_dentry (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    parent_ino INTEGER NOT NULL,
    ino INTEGER NOT NULL,
    UNIQUE(parent_ino, name)
);
CREATE INDEX IF NOT EXISTS idx_fs_dentry_parent ON fs_dentry(parent_ino, name);
CREATE TABLE IF NOT EXISTS fs_data (
    ino INTEGER NOT NULL,
    chunk_index INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (ino, chunk_index)
);
CREATE TABLE IF NOT EXISTS fs_symlink (
    ino INTEGER PRIMARY KEY,
    target TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS fs_whiteout (
    path TEXT PRIMARY KEY,
    parent_path TEXT NOT NULL,
    created_at INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS idx_fs_whiteout_parent ON fs_whiteout(parent_path);
CREATE TABLE IF NOT EXISTS fs_origin (
    delta_ino INTEGER PRIMARY KEY,
    base_ino INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS kv_store (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL,
    created_at INTEGER DEFAULT (unixepoch()),
    updated_at INTEGER DEFAULT (unixepoch())
);
CREATE INDEX IF NOT EXISTS idx_kv_store_created_at ON kv_store(created_at);
"""
"""As in the specification."""

SIDE_TABLES = """
CREATE TABLE IF NOT EXISTS fs_xattr (
    ino INTEGER NOT NULL,
    name BLOB NOT NULL,
    value BLOB NOT NULL,
    PRIMARY KEY (ino, name)
);
CREATE TABLE IF NOT EXISTS fs_unnamed (
    ino INTEGER PRIMARY KEY
);
CREATE TABLE IF NOT EXISTS tool_call_details (
    call_id INTEGER PRIMARY KEY,
    started_ns INTEGER NOT NULL,
    elapsed_us INTEGER NOT NULL,
    pid INTEGER,
    command TEXT,
    session TEXT,
    cost REAL
);
CREATE INDEX IF NOT EXISTS idx_tool_call_details_session ON tool_call_details(session);
CREATE TABLE IF NOT EXISTS tool_calls_archive (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    parameters TEXT,
    result TEXT,
    error TEXT,
    status TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    completed_at INTEGER NOT NULL,
    duration_ms INTEGER NOT NULL,
    started_ns INTEGER,
    elapsed_us INTEGER,
    pid INTEGER,
    command TEXT,
    session TEXT,
    cost REAL
);
CREATE INDEX IF NOT EXISTS idx_tool_calls_archive_started_at ON tool_calls_archive(started_at);
CREATE TABLE IF NOT EXISTS tool_call_spool (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    taken INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS agent_runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    question TEXT NOT NULL,
    session TEXT,
    started_us INTEGER NOT NULL,
    ended_us INTEGER,
    stop TEXT,
    cost REAL
);
CREATE TABLE IF NOT EXISTS agent_run_pieces (
    run_id INTEGER NOT NULL,
    file TEXT NOT NULL,
    offset INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (run_id, file, offset)
);
CREATE TABLE IF NOT EXISTS session_base (
    path TEXT PRIMARY KEY,
    mode INTEGER NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    ctime_ns INTEGER NOT NULL,
    digest BLOB,
    body BLOB
);
CREATE TABLE IF NOT EXISTS session_info (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
);
"""
"""Extensions: extended attributes, what else the audit trail knows, its old calls, how far its spool was read; runs of
agents with their files; of a session, what its base was like where it was first touched, and when and what for it was
made."""

ADDED_COLUMNS = {
    "fs_inode": {
        "nlink": "INTEGER NOT NULL DEFAULT 0",
        "rdev": "INTEGER NOT NULL DEFAULT 0",
        "atime_nsec": "INTEGER NOT NULL DEFAULT 0",
        "mtime_nsec": "INTEGER NOT NULL DEFAULT 0",
        "ctime_nsec": "INTEGER NOT NULL DEFAULT 0",
    },
    "tool_calls": {"status": "TEXT NOT NULL DEFAULT 'pending'"},
    "fs_whiteout": {"parent_path": "TEXT NOT NULL DEFAULT '/'"},
}
"""Columns that older or other clients leave out, with what they are added as."""


def columns(connection: sqlite3.Connection, table: str) -> list[str]:
    """The names of a table's columns, in order; none where there is no such table."""
    return [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]


def version_of(connection: sqlite3.Connection) -> str | None:
    """What ``schema_version`` says; none where nothing is said. ``StoreError`` for a newer one."""
    if not columns(connection, "fs_config"):
        return None
    row = connection.execute("SELECT value FROM fs_config WHERE key = 'schema_version'").fetchone()
    if row is None:
        return None
    version = str(row[0])
    try:
        parts = tuple(int(part) for part in version.split("."))
    except ValueError as error:
        raise StoreError(
            f"Its schema_version is {version!r}, which is no version; the file is left as it is."
        ) from error
    if parts > tuple(int(part) for part in VERSION.split(".")):
        raise StoreError(
            f"It has version {version} of the schema; this kgfs reads versions up to {VERSION}. Update kgfs."
        )
    return version


def create(connection: sqlite3.Connection, chunk_size: int) -> None:
    """Make what is missing, inside the caller's transaction: tables, columns, the configuration, the root.

    Rows that are there stay as they are; a file that another client made keeps its chunk size.
    """
    for table, added in ADDED_COLUMNS.items():
        present = columns(connection, table)
        for column, kind in added.items():
            if present and column not in present:
                connection.execute(f"ALTER TABLE {table} ADD COLUMN {column} {kind}")
                _fill(connection, table, column)
    for statement in (TABLES + SIDE_TABLES).split(";"):
        if statement.strip():
            connection.execute(statement)
    connection.execute("INSERT OR IGNORE INTO fs_config (key, value) VALUES ('chunk_size', ?)", (str(chunk_size),))
    connection.execute("INSERT OR IGNORE INTO fs_config (key, value) VALUES ('schema_version', ?)", (VERSION,))
    seconds, nanoseconds = divmod(time.time_ns(), 1_000_000_000)
    connection.execute(
        "INSERT OR IGNORE INTO fs_inode (ino, mode, nlink, uid, gid, size, atime, mtime, ctime, atime_nsec, mtime_nsec,"
        " ctime_nsec) VALUES (1, ?, 1, 0, 0, 0, ?, ?, ?, ?, ?, ?)",
        (ROOT_MODE, seconds, seconds, seconds, nanoseconds, nanoseconds, nanoseconds),
    )


def _fill(connection: sqlite3.Connection, table: str, column: str) -> None:
    """Give the rows of a table what an added column says of them."""
    if (table, column) == ("fs_inode", "nlink"):
        connection.execute(
            "UPDATE fs_inode SET nlink = (SELECT count(*) FROM fs_dentry WHERE fs_dentry.ino = fs_inode.ino)"
            " + (ino = 1)"
        )
    elif (table, column) == ("tool_calls", "status"):
        connection.execute("UPDATE tool_calls SET status = CASE WHEN error IS NULL THEN 'success' ELSE 'error' END")
    elif (table, column) == ("fs_whiteout", "parent_path"):
        rows = connection.execute("SELECT rowid, CAST(path AS BLOB) FROM fs_whiteout").fetchall()
        connection.executemany(
            "UPDATE fs_whiteout SET parent_path = CAST(? AS TEXT) WHERE rowid = ?",
            [(parent_path(path), number) for number, path in rows],
        )


def parent_path(path: bytes) -> bytes:
    """The path without its last component: ``/foo/bar`` is in ``/foo``, ``/foo`` and ``/`` are in ``/``."""
    return path.rstrip(b"/").rpartition(b"/")[0] or b"/"
