"""The rules of what else is in an ``agent.db``: leftovers, whiteouts, values of keys, and records of calls.

Used by ``check``, after the rules of files. Records of the audit trail are never changed, so what is wrong in them is
only told.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from typing import Any

from kgfs.agentfs.checking.rule import Rule, Violation, as_bytes, rows, run, shown
from kgfs.agentfs.filesystem.stored import ENTRY_ROW, text
from kgfs.agentfs.schema import parent_path
from kgfs.filesystem import ROOT

_CALL = "call {0} ({1})"


def _wrong_whiteouts(connection: sqlite3.Connection) -> Iterator[Violation]:
    for path, parent in connection.execute("SELECT path, parent_path FROM fs_whiteout").fetchall():
        whole = as_bytes(path)
        parts = [part for part in whole.split(b"/") if part]
        above = text(parent_path(whole))
        if whole != b"/" + b"/".join(parts) or {b".", b".."} & set(parts):
            yield Violation(f"{shown(path)!r} is no normal absolute path", (path, None))
        elif parent != above:
            yield Violation(f"{shown(path)!r} is not in {shown(parent)!r}", (path, above))
        elif _found(connection, parts):
            yield Violation(f"{shown(path)!r} is there again", (path, None))


def _found(connection: sqlite3.Connection, names: list[bytes]) -> bool:
    """Whether the file has something at a path."""
    ino = ROOT
    for name in names:
        row = connection.execute(ENTRY_ROW, (ino, text(name))).fetchone()
        if row is None:
            return False
        ino = row[0]
    return True


def _mend_whiteout(connection: sqlite3.Connection, violation: Violation) -> None:
    path, parent = violation.key
    if parent is None:
        connection.execute("DELETE FROM fs_whiteout WHERE path = ?", (path,))
    else:
        connection.execute("UPDATE fs_whiteout SET parent_path = ? WHERE path = ?", (parent, path))


def is_json(text: Any) -> bool:
    """Whether a stored value is JSON."""
    if not isinstance(text, str):
        return False
    try:
        json.loads(text, parse_constant=lambda word: json.loads(word.lower()))
    except (ValueError, RecursionError):
        return False
    return True


def _no_json_values(connection: sqlite3.Connection) -> Iterator[Violation]:
    # The text as bytes, since what another program stored need not be UTF-8.
    for key, value in connection.execute("SELECT key, CAST(value AS BLOB) FROM kv_store"):
        text = value.decode(errors="replace") if isinstance(value, bytes) else None
        if not is_json(text):
            yield Violation(f"key {shown(key)!r}", (key, text))


def _quote_value(connection: sqlite3.Connection, violation: Violation) -> None:
    key, text = violation.key
    connection.execute("UPDATE kv_store SET value = ? WHERE key IS ?", (json.dumps(text, ensure_ascii=False), key))


def _calls_without_json(connection: sqlite3.Connection) -> Iterator[Violation]:
    for number, name, parameters, result in connection.execute(
        "SELECT id, name, parameters, result FROM tool_calls WHERE parameters IS NOT NULL OR result IS NOT NULL"
        " UNION ALL SELECT id, name, parameters, result FROM tool_calls_archive"
    ):
        for column, value in (("parameters", parameters), ("result", result)):
            if value is not None and not is_json(value):
                yield Violation(f"{column} of call {number} ({shown(name)})", (number,))


def _delete_row(connection: sqlite3.Connection, table: str, column: str, number: int) -> None:
    connection.execute(f"DELETE FROM {table} WHERE {column} = ?", (number,))


RECORD_RULES: tuple[Rule, ...] = (
    Rule(
        "agent-leftovers", "Targets, attributes and origins belong to inodes that are there.", "They are removed.",
        rows(
            "SELECT 'fs_symlink', 'ino', ino FROM fs_symlink WHERE ino NOT IN"
            " (SELECT ino FROM fs_inode WHERE mode & 61440 = 40960)"
            " UNION SELECT 'fs_xattr', 'ino', ino FROM fs_xattr WHERE ino NOT IN (SELECT ino FROM fs_inode)"
            " UNION ALL SELECT 'fs_unnamed', 'ino', ino FROM fs_unnamed WHERE ino NOT IN (SELECT ino FROM fs_inode)"
            " UNION ALL SELECT 'fs_origin', 'delta_ino', delta_ino FROM fs_origin WHERE delta_ino NOT IN"
            " (SELECT ino FROM fs_inode)"
            " UNION ALL SELECT 'tool_call_details', 'call_id', call_id FROM tool_call_details WHERE call_id NOT IN"
            " (SELECT id FROM tool_calls)"
            " UNION SELECT 'agent_run_pieces', 'run_id', run_id FROM agent_run_pieces WHERE run_id NOT IN"
            " (SELECT id FROM agent_runs)",
            "{0} of {2}",
        ),
        lambda connection, violation: _delete_row(connection, *violation.key),
    ),
    Rule(
        "agent-whiteouts", "A whiteout is a normal absolute path with its parent, at which there is nothing.",
        "The parent is set; a whiteout of a path that exists is removed.", _wrong_whiteouts, _mend_whiteout,
    ),
    Rule(
        "agent-values", "Every value of kv_store is JSON.", "The text becomes a JSON string.",
        _no_json_values, _quote_value,
    ),
    Rule(
        "agent-value-times", "created_at and updated_at of a key are seconds.", "They are set to now.",
        rows(
            "SELECT key FROM kv_store WHERE typeof(created_at) != 'integer' OR typeof(updated_at) != 'integer'",
            "key {0!r}",
        ),
        run("UPDATE kv_store SET created_at = unixepoch(), updated_at = unixepoch() WHERE key IS ?"),
    ),
    Rule(
        "agent-calls", "A call that ended has a result or an error, not both, and its times.",
        "Records are never changed; it is only told.",
        rows(
            " UNION ALL ".join(
                f"SELECT id, name FROM {table} WHERE status != 'pending' AND (((result IS NULL) = (error IS NULL)"
                " AND NOT (status = 'success' AND error IS NULL)) OR completed_at IS NULL OR duration_ms IS NULL"
                " OR duration_ms != (completed_at - started_at) * 1000)"
                for table in ("tool_calls", "tool_calls_archive")
            ),
            _CALL,
        ),
    ),
    Rule(
        "agent-archive", "A call in the archive has ended, and is not among the others too.",
        "What stands twice goes from the archive; nothing else is changed.",
        rows(
            "SELECT id, name FROM tool_calls_archive WHERE status = 'pending' OR id IN (SELECT id FROM tool_calls)",
            _CALL,
        ),
        run(
            "DELETE FROM tool_calls_archive AS a WHERE id = ?1 AND ?2 = ?2 AND EXISTS (SELECT 1 FROM tool_calls t"
            " WHERE t.id = a.id AND t.name IS a.name AND t.started_at IS a.started_at AND t.parameters IS a.parameters"
            " AND t.result IS a.result AND t.error IS a.error)"
        ),
    ),
    Rule(
        "agent-runs", "The pieces of a run's file follow each other without a gap.",
        "What stands behind a gap is removed.",
        rows(
            "SELECT run_id, file, offset FROM (SELECT run_id, file, offset, coalesce(lag(offset + length(data)) OVER"
            " (PARTITION BY run_id, file ORDER BY offset), 0) AS wanted FROM agent_run_pieces) WHERE offset != wanted",
            "byte {2} of {1} of run {0}",
        ),
        run("DELETE FROM agent_run_pieces WHERE run_id = ?1 AND file = ?2 AND offset >= ?3"),
    ),
    Rule(
        "agent-call-json", "Parameters and results of calls are JSON.", "Records are never changed; it is only told.",
        _calls_without_json,
    ),
)  # fmt: skip
"""In their order: a rule relies on those before it."""
