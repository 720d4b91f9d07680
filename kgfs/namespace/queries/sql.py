"""``@sql``: one SELECT over views of the graph, answered by a process that can do nothing else.

Used by the rows of ``@sql`` and by ``kgfs sql``, in the thread that answers. The views are made once a generation
(``kgfs.store.sql.exports``), each statement runs in a process of its own (``kgfs.store.sql.sql_process``).
"""

from __future__ import annotations

import time
from typing import Literal

from kgfs import names
from kgfs.errors import NotFoundError, QueryError
from kgfs.namespace.domains import safe_name
from kgfs.namespace.pages import PageStore
from kgfs.namespace.snapshot import Snapshot
from kgfs.store.sql.exports import NamingRules, exports_of
from kgfs.store.sql.sql_check import NO_STATEMENT
from kgfs.store.sql.sql_process import SqlLimits, ask_sql
from kgfs.store.sql.views import VIEWS, named_in, schema_sql

Form = Literal["jsonl", "csv"]
LIMITS = SqlLimits()

_LIMITS_SAID = f"""\
At most {LIMITS.rows:,} rows, {LIMITS.bytes >> 20} MB and {LIMITS.seconds:g} seconds. An answer that was cut says so in its last line:
JSONL {{"@truncated": "rows" (or "bytes", "time"), "rows": …, "message": …}}, CSV an unquoted # and the reason.
TIMESTAMPs are UTC. NULL is null in JSONL and an empty field in CSV, NaN and infinities are NULL, a BLOB is base64."""  # noqa: E501


def schema() -> bytes:
    """``_schema.sql``: every view with its columns and an example."""
    return schema_sql(_LIMITS_SAID).encode()


USAGE = f"""\
Ask the graph in SQL. Nothing runs until you look at the file.

  cat '@sql/SELECT name, facts FROM entities ORDER BY facts DESC LIMIT 10'       one JSON object a row
  cat '@sql/csv/SELECT type, count(*) AS facts FROM facts GROUP BY type'         CSV with a heading
  cat '@sql/FROM documents'                                                      short for SELECT *
  cat '@sql/DESCRIBE facts'                                                      columns of a view
  cat @sql/_schema.sql                                                           all views, with examples

Views: {" ".join(VIEWS)}.
One SELECT (or WITH … SELECT, FROM …, DESCRIBE, SUMMARIZE, SHOW TABLES), in DuckDB's SQL, read-only.
{_LIMITS_SAID}
In a statement write / as %2F, and %25 for a % before 2F, 2E or 25. Quote it with '...'; a longer one: kgfs sql -f FILE.
EINVAL: it is wrong; EACCES: it would do more than read the views. The reason: cat @status/last_error.txt at the root.
""".encode()


def rows(store: PageStore, s: Snapshot, statement: str, form: str, limits: SqlLimits = LIMITS) -> bytes:
    """What a statement gives, as ``jsonl`` or ``csv``; its last line says so where a limit cut it. Blocks.

    ``QueryError`` where it is wrong, ``RefusedError`` where it would do more than read the views,
    ``DeadlineExceeded`` where its time was over before there was a row, ``NoSpaceError`` where there is no room for the
    views.
    """
    if form not in ("jsonl", "csv"):
        raise QueryError(f"There is no form {form}; choose jsonl or csv.")
    statement = statement.encode("utf-8", "replace").decode()  # what is no UTF-8 in a name of a path
    if not statement.strip():
        raise QueryError(NO_STATEMENT)

    def item_path(row_id: int) -> str | None:
        try:
            return str(names.as_utf8(s.context.path(s.context.inode_of(row_id))))
        except (KeyError, NotFoundError):  # added since this generation was published
            return None

    deadline = time.monotonic() + limits.seconds
    places = NamingRules(names.entity_directory, safe_name, item_path)
    with exports_of(store.database).file(s.generation, named_in(statement), places, deadline) as file:
        left = max(0.0, deadline - time.monotonic())
        return ask_sql(file, statement, form, SqlLimits(left, limits.rows, limits.bytes))
