"""What rules of an ``agent.db`` are made of: how one is told, found and mended.

Used by ``file_rules``, ``record_rules`` and ``check``.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple


class Violation(NamedTuple):
    """One thing that breaks a rule."""

    text: str
    key: tuple[Any, ...] = ()


Find = Callable[[sqlite3.Connection], Iterator[Violation]]
Mend = Callable[[sqlite3.Connection, Violation], None]


class Rule(NamedTuple):
    """Something that holds in every good file."""

    name: str
    explanation: str
    remedy: str
    find: Find
    mend: Mend | None = None
    """None where nothing may be changed."""


def rows(sql: str, text: str) -> Find:
    """Every row that the statement returns breaks the rule; ``text`` is a format string over its columns."""

    def find_violations(connection: sqlite3.Connection) -> Iterator[Violation]:
        for row in connection.execute(sql).fetchall():
            yield Violation(text.format(*map(shown, row)), row)

    return find_violations


def run(sql: str) -> Mend:
    """A statement over the columns that were found, by number."""

    def mend(connection: sqlite3.Connection, violation: Violation) -> None:
        connection.execute(sql, violation.key)

    return mend


def shown(value: Any) -> Any:
    if isinstance(value, bytes):
        value = value.decode(errors="backslashreplace")
    return value if not isinstance(value, str) or len(value) <= 80 else value[:79] + "…"


def as_bytes(name: Any) -> bytes:
    return name if isinstance(name, bytes) else str(name).encode("utf-8", "surrogateescape")
