"""The rules of the files in an ``agent.db``: pages, inodes, entries, chunks and targets.

Used by ``check``. Mending throws no byte away that a name could be found for: what hangs nowhere goes to
``lost+found``.
"""

from __future__ import annotations

import sqlite3
import stat
import time
from collections.abc import Iterator
from typing import Any

from kgfs.agentfs.checking.rule import Rule, Violation, as_bytes, rows, run, shown
from kgfs.agentfs.filesystem.inode_table import is_name
from kgfs.agentfs.filesystem.inodes import kind_is_known
from kgfs.agentfs.schema import CHUNK_SIZE, CHUNK_SIZE_ROW
from kgfs.filesystem import NAME_MAX, ROOT

LOST = "lost+found"
_TYPES = "(16384, 32768, 40960, 4096, 8192, 24576, 49152)"


def _chunk_size(connection: sqlite3.Connection) -> int:
    row = connection.execute(CHUNK_SIZE_ROW).fetchone()
    return int(row[0]) if row is not None else CHUNK_SIZE


def _free_name(connection: sqlite3.Connection, parent: int, wanted: str) -> str:
    """A name that the directory does not have."""
    name = wanted
    count = 2
    while connection.execute(
        "SELECT 1 FROM fs_dentry WHERE parent_ino = ? AND CAST(name AS BLOB) = ?", (parent, name.encode())
    ).fetchone():
        name = f"{wanted}~{count}"
        count += 1
    return name


def _lost(connection: sqlite3.Connection) -> int:
    """The directory for what hangs nowhere."""
    row = connection.execute(
        "SELECT i.ino FROM fs_dentry d JOIN fs_inode i ON i.ino = d.ino"
        " WHERE d.parent_ino = 1 AND d.name = ? AND i.mode & 61440 = 16384",
        (LOST,),
    ).fetchone()
    if row is not None:
        return int(row[0])
    now = int(time.time())
    (ino,) = connection.execute(
        "INSERT INTO fs_inode (mode, nlink, atime, mtime, ctime) VALUES (?, 1, ?, ?, ?) RETURNING ino",
        (stat.S_IFDIR | 0o700, now, now, now),
    ).fetchone()
    name = _free_name(connection, ROOT, LOST)
    connection.execute("INSERT INTO fs_dentry (name, parent_ino, ino) VALUES (?, 1, ?)", (name, ino))
    return int(ino)


def _hang_up(connection: sqlite3.Connection, ino: int) -> None:
    """Give an inode a name in ``lost+found``."""
    lost = _lost(connection)
    if ino != lost:
        name = _free_name(connection, lost, f"#{ino}")
        connection.execute("INSERT INTO fs_dentry (name, parent_ino, ino) VALUES (?, ?, ?)", (name, lost, ino))


def _damaged_pages(connection: sqlite3.Connection) -> Iterator[Violation]:
    for (says,) in connection.execute("PRAGMA integrity_check(20)").fetchall():
        if says != "ok":
            yield Violation(str(says))


def _reindex(connection: sqlite3.Connection, violation: Violation) -> None:
    """An index is made of its table; of a table nothing can be made, and nothing is tried."""
    connection.execute("REINDEX")


def _no_chunk_size(connection: sqlite3.Connection) -> Iterator[Violation]:
    row = connection.execute(CHUNK_SIZE_ROW).fetchone()
    if row is None:
        yield Violation("fs_config has no chunk_size")


def _set_chunk_size(connection: sqlite3.Connection, violation: Violation) -> None:
    """That of the longest chunk that is not the last of its file, else the default."""
    row = connection.execute(
        "SELECT max(length(data)) FROM fs_data d WHERE EXISTS"
        " (SELECT 1 FROM fs_data e WHERE e.ino = d.ino AND e.chunk_index > d.chunk_index)"
    ).fetchone()
    connection.execute("INSERT INTO fs_config (key, value) VALUES ('chunk_size', ?)", (str(row[0] or 4096),))


def _no_root(connection: sqlite3.Connection) -> Iterator[Violation]:
    row = connection.execute("SELECT mode FROM fs_inode WHERE ino = 1").fetchone()
    if row is None:
        yield Violation("inode 1 is missing", (None,))
    elif not (isinstance(row[0], int) and kind_is_known(row[0]) and stat.S_ISDIR(row[0])):
        yield Violation(f"inode 1 has mode {row[0]!r}", (row[0],))


def _make_root(connection: sqlite3.Connection, violation: Violation) -> None:
    now = int(time.time())
    connection.execute(
        "INSERT INTO fs_inode (ino, mode, nlink, atime, mtime, ctime) VALUES (1, 16877, 1, ?, ?, ?)"
        " ON CONFLICT (ino) DO UPDATE SET mode = 16877",
        (now, now, now),
    )


_NUMBERS = ("nlink", "uid", "gid", "size", "atime", "mtime", "ctime", "rdev", "atime_nsec", "mtime_nsec", "ctime_nsec")


def _mend_numbers(connection: sqlite3.Connection, violation: Violation) -> None:
    ino = violation.key[0]
    for column in _NUMBERS:
        least = "-9223372036854775807" if column in ("atime", "mtime", "ctime") else "0"
        most = "999999999" if column.endswith("_nsec") else "9223372036854775807"
        connection.execute(
            f"UPDATE fs_inode SET {column} = CASE WHEN typeof({column}) != 'integer' THEN CAST({column} AS INTEGER)"
            f" WHEN {column} < {least} THEN {least} ELSE min({column}, {most}) END WHERE ino = ?"
            f" AND (typeof({column}) != 'integer' OR {column} NOT BETWEEN {least} AND {most})",
            (ino,),
        )
        # What was no number may have become one that is out of range.
        connection.execute(f"UPDATE fs_inode SET {column} = max(min({column}, {most}), {least}) WHERE ino = ?", (ino,))


def _mend_mode(connection: sqlite3.Connection, violation: Violation) -> None:
    """The type by what belongs to it."""
    ino, mode = violation.key[:2]
    permissions = mode & 0o7777 if isinstance(mode, int) else 0o644
    kind = stat.S_IFREG
    if connection.execute("SELECT 1 FROM fs_dentry WHERE parent_ino = ?", (ino,)).fetchone():
        kind, permissions = stat.S_IFDIR, permissions | 0o700
    elif connection.execute("SELECT 1 FROM fs_symlink WHERE ino = ?", (ino,)).fetchone():
        kind = stat.S_IFLNK
    connection.execute("UPDATE fs_inode SET mode = ? WHERE ino = ?", (kind | permissions, ino))


def _bad_names(connection: sqlite3.Connection) -> Iterator[Violation]:
    found = connection.execute(
        "SELECT id, name, parent_ino FROM fs_dentry WHERE length(CAST(name AS BLOB)) NOT BETWEEN 1 AND ?"
        " OR name IN ('.', '..') OR CAST(name AS BLOB) IN (x'2e', x'2e2e')"
        " OR instr(CAST(name AS BLOB), x'2f') OR instr(CAST(name AS BLOB), x'00')",
        (NAME_MAX,),
    ).fetchall()
    for number, name, parent in found:
        if not is_name(as_bytes(name)):
            yield Violation(f"{shown(name)!r} in directory {parent}", (number, name, parent))


def valid_name(name: bytes) -> str:
    """A name that can be, made of one that cannot."""
    text = name.decode(errors="replace")
    if text in ("", ".", ".."):
        return text.replace(".", "%2E") or "%00"
    text = text.replace("/", "%2F").replace("\0", "%00")
    return text.encode()[: NAME_MAX - 8].decode(errors="ignore")


def _rename_bad(connection: sqlite3.Connection, violation: Violation) -> None:
    number, name, parent = violation.key
    wanted = _free_name(connection, parent, valid_name(as_bytes(name)))
    connection.execute("UPDATE fs_dentry SET name = ? WHERE id = ?", (wanted, number))


def _two_of_a_name(connection: sqlite3.Connection) -> Iterator[Violation]:
    """Text and blob of the same bytes are two names to the index and one to everybody else."""
    for number, name, parent in connection.execute(
        "SELECT max(id), name, parent_ino FROM fs_dentry WHERE typeof(name) = 'blob' OR EXISTS"
        " (SELECT 1 FROM fs_dentry WHERE typeof(name) = 'blob')"
        " GROUP BY parent_ino, CAST(name AS BLOB) HAVING count(*) > 1"
    ).fetchall():
        yield Violation(f"{shown(name)!r} in directory {parent}", (number, name, parent))


def _detached(connection: sqlite3.Connection) -> Iterator[Violation]:
    """Directories that no path from the root leads to: circles. Of each circle one is named."""
    found = connection.execute(
        "WITH RECURSIVE reached(ino) AS (SELECT 1 UNION SELECT d.ino FROM fs_dentry d JOIN reached r ON d.parent_ino ="
        " r.ino JOIN fs_inode i ON i.ino = d.ino WHERE i.mode & 61440 = 16384)"
        " SELECT d.ino, d.id, d.parent_ino FROM fs_dentry d JOIN fs_inode i ON i.ino = d.ino"
        " WHERE i.mode & 61440 = 16384 AND d.ino NOT IN reached"
    ).fetchall()
    parents = {ino: parent for ino, _, parent in found}
    numbers = {ino: number for ino, number, _ in found}
    seen: set[int] = set()
    for start in parents:
        path: list[int] = []
        ino = start
        while ino in parents and ino not in seen:
            seen.add(ino)
            path.append(ino)
            ino = parents[ino]
        if ino in path:
            yield Violation(f"directory {ino} is in a circle", (numbers[ino], ino))


def _cut_circle(connection: sqlite3.Connection, violation: Violation) -> None:
    number, ino = violation.key
    connection.execute("DELETE FROM fs_dentry WHERE id = ?", (number,))
    _hang_up(connection, ino)


def _nameless(connection: sqlite3.Connection) -> Iterator[Violation]:
    for (ino,) in connection.execute(
        "SELECT ino FROM fs_inode WHERE ino != 1 EXCEPT SELECT ino FROM fs_dentry EXCEPT SELECT ino FROM fs_unnamed"
    ).fetchall():
        yield Violation(f"inode {ino} has no name", (ino,))


def _wrong_parents(connection: sqlite3.Connection) -> Iterator[Violation]:
    for number, name, parent, ino in connection.execute(
        "SELECT d.id, d.name, d.parent_ino, d.ino FROM fs_dentry d LEFT JOIN fs_inode p ON p.ino = d.parent_ino"
        " WHERE p.ino IS NULL OR p.mode & 61440 != 16384"
    ).fetchall():
        yield Violation(f"{shown(name)!r} is in {parent}, which is no directory", (number, ino))


def _to_lost(connection: sqlite3.Connection, violation: Violation) -> None:
    number, ino = violation.key
    connection.execute("DELETE FROM fs_dentry WHERE id = ?", (number,))
    if not connection.execute("SELECT 1 FROM fs_dentry WHERE ino = ?", (ino,)).fetchone():
        _hang_up(connection, ino)


def _wrong_chunks(connection: sqlite3.Connection) -> Iterator[Violation]:
    size = _chunk_size(connection)
    for ino, index, length, whole in connection.execute(
        "SELECT d.ino, d.chunk_index, CASE typeof(d.data) WHEN 'blob' THEN length(d.data) ELSE -1 END, i.size"
        " FROM fs_data d JOIN fs_inode i ON i.ino = d.ino WHERE i.mode & 61440 = 32768"
        " AND (typeof(d.data) != 'blob' OR d.chunk_index < 0"
        " OR length(d.data) != min(:size, i.size - d.chunk_index * :size))",
        {"size": size},
    ).fetchall():
        yield Violation(
            f"chunk {index} of inode {ino}, of {whole} bytes, "
            + (f"has {length} bytes" if length >= 0 else "is no blob"),
            (ino, index, length),
        )


def _mend_chunk(connection: sqlite3.Connection, violation: Violation) -> None:
    """Bytes that are there are kept: the file ends behind them; what is missing of a chunk is zeros."""
    ino, index, _ = violation.key
    size = _chunk_size(connection)
    if index < 0:
        connection.execute("DELETE FROM fs_data WHERE ino = ? AND chunk_index = ?", (ino, index))
        return
    (data,) = connection.execute(
        "SELECT CAST(data AS BLOB) FROM fs_data WHERE ino = ? AND chunk_index = ?", (ino, index)
    ).fetchone()
    data = data[:size]
    connection.execute("UPDATE fs_inode SET size = max(size, ?) WHERE ino = ?", (index * size + len(data), ino))
    (whole,) = connection.execute("SELECT size FROM fs_inode WHERE ino = ?", (ino,)).fetchone()
    data = data.ljust(min(size, whole - index * size), b"\0")
    connection.execute("UPDATE fs_data SET data = ? WHERE ino = ? AND chunk_index = ?", (data, ino, index))


def _delete_entry(connection: sqlite3.Connection, number: int) -> None:
    connection.execute("DELETE FROM fs_dentry WHERE id = ?", (number,))


def _set_target(connection: sqlite3.Connection, ino: int, target: Any) -> None:
    connection.execute("INSERT OR IGNORE INTO fs_symlink (ino, target) VALUES (?, ?)", (ino, target))
    connection.execute("UPDATE fs_inode SET size = ? WHERE ino = ?", (len(as_bytes(target)), ino))


FILE_RULES: tuple[Rule, ...] = (
    Rule(
        "agent-pages", "Every page of agent.db is as SQLite wrote it.",
        "An index is made anew; for a damaged table restore a backup.", _damaged_pages, _reindex,
    ),
    Rule(
        "agent-config", "fs_config has the chunk_size.", "It is set to what the chunks have.",
        _no_chunk_size, _set_chunk_size,
    ),
    Rule("agent-root", "Inode 1 is the root directory.", "It is made.", _no_root, _make_root),
    Rule(
        "agent-inodes", "Columns of fs_inode hold numbers in their range.", "They are set to the nearest one.",
        rows(
            "SELECT ino FROM fs_inode WHERE "
            + " OR ".join(f"typeof({column}) != 'integer'" for column in _NUMBERS)
            + " OR size < 0 OR nlink < 0 OR uid < 0 OR gid < 0 OR rdev < 0 OR atime_nsec NOT BETWEEN 0 AND 999999999"
            " OR mtime_nsec NOT BETWEEN 0 AND 999999999 OR ctime_nsec NOT BETWEEN 0 AND 999999999",
            "inode {0}",
        ),
        _mend_numbers,
    ),
    Rule(
        "agent-modes", "Every inode is of a type; what has entries is a directory.",
        "The type is set by what belongs to the inode.",
        rows(
            "SELECT ino, mode FROM fs_inode WHERE typeof(mode) != 'integer' OR mode NOT BETWEEN 0 AND 4294967295"
            f" OR mode & 61440 NOT IN {_TYPES}",
            "inode {0} has mode {1}",
        ),
        _mend_mode,
    ),
    Rule(
        "agent-entries", "Every entry leads to an inode, and none to the root.", "It is removed.",
        rows(
            "SELECT id, name, ino FROM fs_dentry WHERE ino = 1 OR ino NOT IN (SELECT ino FROM fs_inode)",
            "{1!r} leads to inode {2}",
        ),
        lambda connection, violation: _delete_entry(connection, violation.key[0]),
    ),
    Rule(
        "agent-parents", "Every entry is in a directory.", "What has no other name goes to lost+found.",
        _wrong_parents, _to_lost,
    ),
    Rule(
        "agent-names", "A name has 1 to 255 bytes, no / and no NUL, and is not . or ...",
        "What cannot stand in a name is escaped.", _bad_names, _rename_bad,
    ),
    Rule(
        "agent-duplicates", "No directory has a name twice.", "The newer entry gets another name.",
        _two_of_a_name, _rename_bad,
    ),
    Rule(
        "agent-directories", "A directory has one name.", "The others are removed.",
        rows(
            "SELECT d.id, d.name, d.ino FROM fs_dentry d JOIN fs_inode i ON i.ino = d.ino WHERE i.mode & 61440 = 16384"
            " AND d.ino IN (SELECT ino FROM fs_dentry GROUP BY ino HAVING count(*) > 1)"
            " AND d.id > (SELECT min(id) FROM fs_dentry e WHERE e.ino = d.ino)",
            "{1!r} is another name of directory {2}",
        ),
        lambda connection, violation: _delete_entry(connection, violation.key[0]),
    ),
    Rule(
        "agent-circles", "Every directory is reached from the root.", "The circle is cut; it goes to lost+found.",
        _detached, _cut_circle,
    ),
    Rule(
        "agent-unnamed", "Every inode but the root has a name, unless a process has it open (fs_unnamed).",
        "It gets one in lost+found.", _nameless, lambda connection, violation: _hang_up(connection, violation.key[0]),
    ),
    Rule(
        "agent-links", "nlink is the number of an inode's names.", "It is counted again.",
        rows(
            "SELECT i.ino, i.nlink, coalesce(n.names, 0) + (i.ino = 1) FROM fs_inode i LEFT JOIN"
            " (SELECT ino, count(*) AS names FROM fs_dentry GROUP BY ino) n ON n.ino = i.ino"
            " WHERE i.nlink != coalesce(n.names, 0) + (i.ino = 1)",
            "inode {0} has {2} names and nlink {1}",
        ),
        run("UPDATE fs_inode SET nlink = ?3 WHERE ino = ?1 AND ?2 = ?2"),
    ),
    Rule(
        "agent-data", "Only regular files have chunks.", "Chunks of anything else are removed.",
        rows(
            "SELECT DISTINCT d.ino FROM fs_data d LEFT JOIN fs_inode i ON i.ino = d.ino"
            " WHERE i.ino IS NULL OR i.mode & 61440 != 32768",
            "inode {0}",
        ),
        run("DELETE FROM fs_data WHERE ino = ?"),
    ),
    Rule(
        "agent-chunks", "A chunk is chunk_size bytes long; the last one ends where its file does. A hole has none.",
        "The file is made to end behind its last byte; a short chunk is filled with zeros.",
        _wrong_chunks, _mend_chunk,
    ),
    Rule(
        "agent-targets", "Every symbolic link has a target, as long as its size says.",
        "A link without a target leads to lost+found; a size is set.",
        rows(
            "SELECT i.ino, coalesce(s.target, 'lost+found') FROM fs_inode i LEFT JOIN fs_symlink s ON s.ino = i.ino"
            " WHERE i.mode & 61440 = 40960 AND (s.ino IS NULL OR i.size != length(CAST(s.target AS BLOB)))",
            "link {0}",
        ),
        lambda connection, violation: _set_target(connection, *violation.key),
    ),
)  # fmt: skip
"""In their order: a rule relies on those before it."""
