"""Targets that ask a tree: paths of any kind, query paths, and the guard of SQL."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path

import _duckdb as duckdb

from kgfs.errors import KgfsError, QueryError, RefusedError
from kgfs.names import name_bytes
from kgfs.store.sql.sql_check import check_statement
from tests.fuzz.target import Check, Target, text_of
from tests.graph_builder import build
from tests.namespace.drivers import SubstringSearcher, opened

MOST_READ = 1 << 20


@contextlib.contextmanager
def _tree(directory: Path) -> Iterator[Check]:
    """A path exists, or an error of ours says why not. One that exists is listed and read as it was said to be."""
    with build(directory / "store", entities=12, documents=4, chunks_a_document=2, topics=4) as database:
        namespace = opened(database, searcher=SubstringSearcher(database))

        def check(data: bytes) -> None:
            path = text_of(data).replace("\0", "")
            if any(len(name_bytes(name)) > 255 for name in path.split("/")):
                return  # the kernel refuses them before us
            interned = []
            try:
                node = namespace.resolve(path)
                interned.append(node)
                kind = namespace.kind(node)
                attr = namespace.attr(node)
                assert attr.kind == kind
                if kind == "d":
                    if namespace.pending(node):
                        namespace.prepare(node)
                    for entry in list(namespace.entries(node))[:50]:
                        assert entry.name not in ("", ".", "..") and "/" not in entry.name, entry.name
                        assert namespace.lookup(node, entry.name) == entry.node, entry
                        namespace.attr(entry.node)
                elif kind == "f":
                    body = namespace.peek(node) or namespace.load(node)
                    if body.size < MOST_READ:
                        assert len(body.read(0, body.size + 1)) == body.size
            except KgfsError as error:
                assert error.message, error
            finally:
                namespace.forget(interned)

        yield check


@contextlib.contextmanager
def _queries(directory: Path) -> Iterator[Check]:
    """The same, each path beginning in a query area."""
    with _tree(directory) as check:
        yield lambda data: check(AREAS[data[0] % len(AREAS)] + data[1:]) if data else None


AREAS = tuple(
    f"{place}@{area}/".encode()
    for place in ("", "entities/by_name/Entity_1/", "chunks/")
    for area in ("find", "search/text", "search/facts", "grep", "path", "near", "brief", "search", "stat", "sql")
    if area != "sql"  # a process each: the guard has a target of its own
)

VIEWS = ("entities", "facts", "chunks", "documents", "topics", "mentions")


@contextlib.contextmanager
def _sql(directory: Path) -> Iterator[Check]:
    """What the guard lets pass is one SELECT that the engine, shut in, takes without being stopped by its locks."""
    connection = duckdb.connect(":memory:", config={"memory_limit": "200MB", "threads": 1})
    for view in VIEWS:
        connection.execute(f"CREATE TABLE {view} (id BIGINT, name VARCHAR, path VARCHAR, date VARCHAR, value DOUBLE)")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    guard = duckdb.connect(":memory:", config={"threads": 1})

    def check(data: bytes) -> None:
        statement = data.decode("utf-8", "replace")
        try:
            text = check_statement(guard, statement, VIEWS)
        except (QueryError, RefusedError) as error:
            assert error.message
            return
        timer = threading.Timer(3.0, connection.interrupt)
        timer.start()
        try:
            found = connection.execute(f"EXPLAIN {text}").fetchall()
            assert len(found) >= 1
        except duckdb.PermissionException as error:
            raise AssertionError(f"passed the check: {text!r}: {error}") from error
        except (duckdb.Error, MemoryError):
            pass  # it cannot be bound: no such column, wrong types
        finally:
            timer.cancel()
        assert connection.execute("SELECT count(*) FROM duckdb_tables()").fetchall() == [(len(VIEWS),)]

    try:
        yield check
    finally:
        connection.close()
        guard.close()


QUERY_TARGETS = {
    "tree": Target(
        "paths of the tree, listed and read where they lead somewhere",
        _tree,
        lambda: [
            b"entities/by_name",
            b"entities/organizations/_index.tsv",
            b"chunks/by_document",
            b"facts/by_type/ACQUIRED",
            b"topics",
            b"documents/by_date/2019/10",
            b"@status/status.json",
            b"AGENTS.md",
            b"context/disk",
            b"@stat",
            b"entities/by_name/../by_name/./x",
            b"@find/type=Organization/min_facts=1/_paths.txt",
            b"@audit/calls.jsonl",
            b"notes/@history/x/1",
        ],
        (b"/", b"..", b"@find", b"@history", b"_paths.txt", b"by_name", b"by_prefix", b"%2F", b"\xff", b"by_date"),
    ),
    "queries": Target(
        "query paths: @find, @search, @grep, @path, @near, @brief",
        _queries,
        lambda: [
            *(
                bytes([number]) + word
                for number, word in enumerate(
                    (
                        b"type=Organization/min_facts=1",
                        b"limit=5/wages",
                        b"type=ACQUIRED/from=2019/to=2019-10-30/rates",
                        b"-i/wages [a-z]+",
                        b"Entity_1/Entity_2",
                        b"2/near.txt",
                        b"what did we agree on",
                        b"text/wages",
                        b"x",
                    )
                )
            ),
            b"\0name=*[!a]*/facts>=0/facts<100",
            b"\0mentions=Entity_1/topic=x",
            b"\x03-lr/^(a|b)*$",
            b"\x03-F/a.b",
        ],
        (
            b"/",
            b"=",
            b">=",
            b"limit=",
            b"offset=999",
            b"from=",
            b"to=2019-02-30",
            b"0000",
            b"%2F",
            b"%",
            b"(?",
            b"[[:alpha:]]",
            b"\\",
            b"*",
            b"\xff",
            "\u200b".encode(),
            b"-",
            b"name=",
            b"date=9999-12-31",
            b"{999999}",
            b"-rilw",
        ),
    ),
    "sql": Target(
        "the guard of @sql beside an engine that is shut in",
        _sql,
        lambda: [
            b"SELECT name FROM entities LIMIT 10",
            b"WITH a AS (SELECT 1 AS x) SELECT * FROM a JOIN facts ON x = id",
            b"FROM chunks SELECT path WHERE name ILIKE '%a%'",
            b"SELECT * FROM range(3) t(i), unnest([1,2]) u(v)",
            b"WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM r WHERE n<3) FROM r",
            b"SHOW TABLES",
            b"SELECT * FROM read_csv('/etc/passwd')",
            b"SELECT getenv('HOME')",
            b"FROM '/etc/passwd'",
            b"PIVOT facts ON name USING count(*)",
            b"SELECT * FROM query('SELECT 1')",
            b"DESCRIBE facts",
            b"COPY facts TO '/tmp/x'",
            b"SELECT (SELECT max(id) FROM facts), list_transform([1], lambda x: x + 1)",
        ],
        (
            b"SELECT ",
            b" FROM ",
            b"(",
            b")",
            b"'",
            b'"',
            b";",
            b"--",
            b"/*",
            b"$$",
            b"$1",
            b"::",
            b"read_text(",
            b"query_table(",
            b"getvariable(",
            b"current_setting(",
            b"glob(",
            b"main.",
            b"COLUMNS(*)",
            b"\xc2\xa0",
            b"UNION ALL ",
            b"E'\\x00'",
        ),
    ),
}
