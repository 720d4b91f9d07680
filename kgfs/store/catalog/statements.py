"""Statements that are parsed once and run often.

Used by the store's modules for the small statements of reads and writes, on any thread. The engine's parser takes 0.2
to 0.6 ms a statement (measured), often as long as all the rest of it; what it makes of a text depends on nothing else,
and is copied whenever it is run.
"""

from __future__ import annotations

import atexit
from collections.abc import Sequence
from typing import Any

import _duckdb as duckdb

KEPT = 512
"""Maximum number of kept statements."""
LONGEST = 4096
"""Longest text of a kept statement; a longer one contains values."""
WANTED = "WITH wanted AS (SELECT unnest($1::BIGINT[]) AS id) "
"""SQL: what begins a statement on the rows whose ids are the first parameter."""

_parsed: dict[str, duckdb.Statement] = {}
atexit.register(_parsed.clear)  # the engine's binding complains about what is left when the interpreter ends


def run_prepared(
    cursor: duckdb.DuckDBPyConnection, sql: str, parameters: Sequence[Any] = ()
) -> duckdb.DuckDBPyConnection:
    """``cursor.execute(sql, parameters)``, for SQL whose text does not change from one time to the next."""
    statement = _parsed.get(sql)
    if statement is None:
        if len(sql) > LONGEST:
            return cursor.execute(sql, list(parameters))
        statements = cursor.extract_statements(sql)
        if len(statements) != 1:
            return cursor.execute(sql, list(parameters))
        if len(_parsed) >= KEPT:
            _parsed.clear()
        statement = _parsed[sql] = statements[0]
    return cursor.execute(statement, list(parameters))
