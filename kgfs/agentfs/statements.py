"""One statement for many rows.

Used by whatever writes many rows into ``agent.db``.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain
from typing import Any

_ROWS = (256, 64, 16, 4, 1)
"""Rows of one statement: few statements, few forms of them."""


@cache
def _statement(form: tuple[str, str, str], rows: int) -> str:
    return form[0] + ",".join([form[1]] * rows) + form[2]


def execute_rows(connection: sqlite3.Connection, form: tuple[str, str, str], rows: Sequence[Iterable[Any]]) -> None:
    """Execute a statement for all rows, many at a time: each execution costs as much as some dozen rows."""
    begin = 0
    for size in _ROWS:
        while len(rows) - begin >= size:
            connection.execute(_statement(form, size), list(chain.from_iterable(rows[begin : begin + size])))
            begin += size
