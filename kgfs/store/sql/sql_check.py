"""What a statement of ``@sql`` may do, read off the engine's own parse of it: one SELECT over the views.

Used by ``kgfs.store.sql.sql_process``, in the process that runs the statement. This is the fence that gives a good
reason; behind it are a file that holds the views and nothing else, a connection that can only read it, no access to
anything outside, and a process that may not write a byte. Everything is allowed by name, so that what a later engine
adds to its grammar is refused until somebody has looked at it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from typing import Any

import _duckdb as duckdb

from kgfs.errors import QueryError, RefusedError
from kgfs.nearest import did_you_mean

Node = dict[str, Any]

NO_STATEMENT = "There is no statement; write e.g. SELECT name FROM entities LIMIT 10."
_READS = "@sql reads the views of the graph and nothing else."

# Kinds of nodes of a parsed SELECT that are no expressions: queries, what stands in FROM, ORDER BY and its like.
_NODES = frozenset(
    {
        "SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE", "BASE_TABLE", "SUBQUERY", "JOIN",
        "TABLE_FUNCTION", "EMPTY", "EXPRESSION_LIST", "PIVOT", "SHOW_REF", "DISTINCT_MODIFIER", "LIMIT_MODIFIER",
        "LIMIT_PERCENT_MODIFIER", "ORDER_MODIFIER", "ORDER_DEFAULT", "ASCENDING", "DESCENDING",
    }
)  # fmt: skip
_EXPRESSIONS = frozenset(
    {
        "BETWEEN", "CASE", "CAST", "COLLATE", "COLUMN_REF", "COMPARISON", "CONJUNCTION", "CONSTANT", "FUNCTION",
        "LAMBDA", "LAMBDA_REF", "OPERATOR", "POSITIONAL_REFERENCE", "STAR", "SUBQUERY", "TYPE", "WINDOW",
    }
)  # fmt: skip
_TABLE_FUNCTIONS = frozenset({"unnest", "range", "generate_series", "json_each", "json_tree"})

# Functions that tell of the engine, its settings and its catalog, that run or take apart other statements, or that do
# something beside giving a value.
_REFUSED = frozenset(
    {
        "checkpoint", "col_description", "combine_aggr", "copy_database", "current_catalog", "current_connection_id",
        "current_database", "current_query", "current_query_id", "current_role", "current_schema", "current_schemas",
        "current_setting", "current_transaction_id", "current_user", "currval", "force_checkpoint", "format_pg_type",
        "format_type", "get_block_size", "getenv", "getvariable", "glob", "import_database", "in_search_path",
        "index_key", "invoke", "json_deserialize_sql", "json_execute_serialized_sql", "json_serialize_plan",
        "json_serialize_sql", "map_to_pg_oid", "nextval", "obj_description", "parse_duckdb_log_message", "query",
        "query_table", "session_user", "setseed", "setval", "shobj_description", "sleep_ms", "sniff_csv", "stats",
        "summary", "txid_current", "user", "vector_type", "version", "which_secret", "write_log",
    }
)  # fmt: skip
_REFUSED_PREFIXES = (
    "__", "arrow_scan", "duckdb_", "has_", "inet_", "pandas_", "parquet_", "pg_", "pragma_", "python_", "read_",
    "seq_scan", "test_",
)  # fmt: skip
_KEPT = frozenset({"pg_typeof"})

_OTHER_STATEMENTS = frozenset(
    """abort alter analyze attach begin call checkpoint commit comment copy create deallocate declare delete detach do
    drop end execute explain export force grant import insert install load lock merge pivot pragma prepare reindex
    refresh rename reset revoke rollback set start truncate unpivot update upsert use vacuum""".split()
)
_PLAIN_NAME = re.compile(r"\w+")


def check_statement(connection: duckdb.DuckDBPyConnection, statement: str, views: Collection[str]) -> str:
    """The statement alone, without what ends it. ``RefusedError`` where it would do more than read the views,
    ``QueryError`` where it is no statement or cannot be answered as written.
    """
    if "\0" in statement:
        raise QueryError("A statement has no NUL byte; leave it out.")
    try:
        found = connection.extract_statements(statement)
    except duckdb.Error as error:
        raise _unparsed(error, statement) from None
    if not found:
        raise QueryError(NO_STATEMENT)
    if len(found) > 1:
        raise RefusedError("Only one statement is allowed; ask the second one by itself.")
    if found[0].type != duckdb.StatementType.SELECT:
        kind = found[0].type.name.replace("_", " ")
        raise RefusedError(f"Only a SELECT is allowed, not {kind}: {_READS}")
    text = str(found[0].query)
    rows = connection.execute("SELECT json_serialize_sql($1::VARCHAR)", [text]).fetchall()
    parsed = json.loads(rows[0][0])
    if parsed["error"]:
        raise QueryError(f"This cannot be asked here: {parsed['error_message']}; write it as a plain SELECT.")
    _Check(views).statement(parsed)
    return text


def _unparsed(error: duckdb.Error, statement: str) -> QueryError | RefusedError:
    word = re.match(r"\s*(\w+)", statement)
    if word is not None and word[1].casefold() in _OTHER_STATEMENTS:
        return RefusedError(f"Only a SELECT is allowed, not {word[1].upper()}: {_READS}")
    return QueryError(error_sentence(error))


def error_sentence(error: duckdb.Error) -> str:
    """What the engine says is wrong, as one sentence."""
    text = str(error).split("\n\nLINE ")[0].split("\n\nPossible solutions")[0]
    text = re.sub(r"^[A-Z][A-Za-z ]* Error: ", "", text)
    text = re.sub(r"\s+", " ", text).strip().removesuffix(".")
    return f"{text[:1].upper()}{text[1:500]}; @sql/_schema.sql has the views and examples."


class _Check:
    def __init__(self, views: Collection[str]) -> None:
        self._views = views
        self._own: set[str] = set()

    def statement(self, parsed: Node) -> None:
        nodes = list(_dicts(parsed))
        for node in nodes:  # names of WITH hold wherever they stand: behind this there is nothing to shadow
            for entry in (node.get("cte_map") or {}).get("map", []):
                self._own.add(str(entry["key"]).casefold())
            if node.get("type") == "RECURSIVE_CTE_NODE":
                self._own.add(str(node.get("cte_name", "")).casefold())
        for node in nodes:
            self._node(node)

    def _node(self, node: Node) -> None:
        if "class" in node:
            if node["class"] == "PARAMETER":
                raise QueryError("A statement has no parameters here; write the values into it.")
            if node["class"] not in _EXPRESSIONS:
                raise RefusedError(f"{_words(node['class'])} is not allowed here: {_READS}")
            if "function_name" in node:
                self._function(node)
        elif isinstance(node.get("type"), str) and node["type"] not in _NODES:
            raise RefusedError(f"{_words(node['type'])} is not allowed here: {_READS}")
        elif node.get("type") == "BASE_TABLE":
            self._table(node)
        elif node.get("type") == "TABLE_FUNCTION":
            name = str(node["function"]["function_name"]).casefold()
            if name not in _TABLE_FUNCTIONS:
                allowed = ", ".join(sorted(_TABLE_FUNCTIONS))
                raise RefusedError(f"{name}() is not allowed in FROM: only the views and {allowed} are.")
        elif node.get("type") == "SHOW_REF" and node.get("query") is None and node.get("table_name") != '"tables"':
            raise RefusedError(f"SHOW tells of the engine; SHOW TABLES and DESCRIBE of a view are allowed: {_READS}")

    def _function(self, node: Node) -> None:
        name = str(node["function_name"]).casefold()
        if node.get("schema") or node.get("catalog") or len(node.get("qualified_name", {}).get("path", [])) > 1:
            raise RefusedError(f"Write {name}() without a schema: {_READS}")
        if name not in _KEPT and (name in _REFUSED or name.startswith(_REFUSED_PREFIXES)):
            raise RefusedError(f"{name}() is not allowed: {_READS}")

    def _table(self, node: Node) -> None:
        name = str(node["table_name"])
        path = node.get("qualified_name", {}).get("path", [name])
        if node.get("schema_name") or node.get("catalog_name") or len(path) > 1:
            if path[:-1] != ["recurring"] or name.casefold() not in self._own:
                raise RefusedError(f"{'.'.join(map(str, path))} is not allowed: write a view's name alone.")
        elif name.casefold() not in self._own and name.casefold() not in self._views:
            if not _PLAIN_NAME.fullmatch(name):
                raise RefusedError(f"'{name}' is not allowed: no file or address can be read, only the views.")
            if name.casefold().startswith(("duckdb_", "sqlite_", "pg_", "pragma_")):
                raise RefusedError(f"{name} is not allowed: {_READS}")
            meant = did_you_mean(name, self._views, f"the views are {', '.join(self._views)}.")
            raise QueryError(f"There is no view {name}; {meant}")


def _dicts(value: Any) -> Iterator[Node]:
    """Every object of a parsed statement; not by recursion, for it may be nested deeply."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            yield each
            waiting.extend(each.values())
        elif isinstance(each, list):
            waiting.extend(each)


def _words(kind: str) -> str:
    return kind.removesuffix("_NODE").removesuffix("_QUERY").replace("_", " ")
