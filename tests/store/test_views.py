"""The views of ``@sql`` beside the tree, how answers are written and cut, and a process that nothing gets out of."""

from __future__ import annotations

import contextlib
import csv
import hashlib
import io
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import _duckdb as duckdb
import pytest

from kgfs import interpreter
from kgfs.errors import DeadlineExceeded, KgfsError, QueryError, RefusedError, from_kind
from kgfs.namespace.namespace import Namespace
from kgfs.namespace.publish import publish
from kgfs.namespace.queries import sql
from kgfs.store.catalog.database import Database
from kgfs.store.sql.exports import DIRECTORY, NamingRules, exports_of
from kgfs.store.sql.sql_check import check_statement
from kgfs.store.sql.sql_process import AT_ONCE, SqlLimits, SqlQuestion, answer_sql
from kgfs.store.sql.sql_rows import distinct_names
from kgfs.store.sql.views import VIEWS, named_in
from tests.graph_builder import build, touch
from tests.namespace.drivers import NamespaceDriver, opened


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with build(tmp_path_factory.mktemp("views") / "o'store") as made:
        for seed in (1, 3, 4, 6):
            touch(made, seed)
        publish(made)
        yield made


@pytest.fixture(scope="module")
def tree(database: Database) -> Namespace:
    return opened(database)


@pytest.fixture(scope="module")
def graph(tree: Namespace) -> Graph:
    return Graph(tree)


class Graph:
    def __init__(self, tree: Namespace) -> None:
        self.tree, self.driver = tree, NamespaceDriver(tree)

    def bytes(self, statement: str, form: str = "jsonl", **limits: Any) -> bytes:
        return sql.rows(self.tree.store, self.tree.view, statement, form, SqlLimits(**limits))

    def rows(self, statement: str, **limits: Any) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.bytes(statement, **limits).splitlines()]

    def value(self, expression: str) -> Any:
        return self.rows(f"SELECT {expression} AS value")[0]["value"]

    def metadata(self, path: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.driver.read(f"{path}/metadata.json"))
        return found


# --- what the views hold --------------------------------------------------------------------------------------------


def test_entities_are_those_of_the_tree(graph: Graph) -> None:
    shown = graph.rows("FROM entities")
    s = graph.tree.view
    assert sorted(row["path"] for row in shown) == sorted(s.entity_path(index) for index in range(len(s.entities)))
    for row in shown:
        metadata = graph.metadata(row["path"])
        assert f"entity:{row['id']}" == metadata["id"]
        assert {key: row[key] for key in ("slug", "name", "type", "aliases", "confidence", "extractor")} == {
            key: metadata[key] for key in ("slug", "name", "type", "aliases", "confidence", "extractor")
        }
        counts = ("facts", "mentioned_in", "relationships", "chunks", "documents")
        assert [row[name] for name in counts] == [metadata["counts"][name] for name in counts]
        assert [row["first_date"], row["last_date"]] == [metadata["dates"]["first"], metadata["dates"]["last"]]


def test_facts_are_those_of_the_tree(graph: Graph) -> None:
    shown = graph.rows("FROM facts")
    assert len(shown) == len(graph.tree.view.facts) > 50
    same = ("fact_id", "type", "description", "date", "valid_from", "valid_to", "value", "unit", "confidence", "quote")
    for row in shown:
        file = json.loads(graph.driver.read(row["path"]))
        assert {key: row[key] for key in same} == {key: file[key] for key in same}
        assert (row["subject"], row["subject_name"]) == (file["subject_slug"], file["subject"])
        assert (row["object"], row["object_name"]) == (file["object_slug"], file["object"])
        assert [row["span_start"], row["span_end"]] == file["span"]
        assert row["document"] == file["document"]
    joined = graph.rows("SELECT f.fact_id, c.path FROM facts f JOIN chunks c USING (chunk_id)")
    assert {row["fact_id"]: row["path"] for row in joined} == {
        row["fact_id"]: json.loads(graph.driver.read(row["path"]))["chunk"] for row in shown
    }


def test_chunks_are_those_of_the_tree(graph: Graph) -> None:
    shown = graph.rows("FROM chunks")
    assert len(shown) == len(graph.tree.view.chunks)
    for row in shown:
        assert row["text"].encode() == graph.driver.read(f"{row['path']}/content.txt")
        metadata = graph.metadata(row["path"])
        assert row["chunk_id"] == metadata["chunk_id"]
        assert row["entities"] == len(graph.driver.listdir(f"{row['path']}/entities"))
        assert row["facts"] == len(graph.driver.listdir(f"{row['path']}/facts"))


def test_documents_topics_and_items_are_those_of_the_tree(graph: Graph) -> None:
    documents = graph.rows("FROM documents")
    assert sorted(row["slug"] for row in documents) == sorted(graph.tree.view.documents.slugs)
    for row in documents:
        metadata = graph.metadata(row["path"])
        assert (row["title"], row["date"], row["tags"]) == (metadata["title"], metadata["date"], metadata["tags"])
        assert row["chunks"] == len(graph.driver.listdir(f"{row['path']}/chunks"))
    topics = graph.rows("FROM topics")
    assert sorted(row["slug"] for row in topics) == sorted(graph.tree.view.topics.slugs)
    for row in topics:
        assert len(graph.driver.listdir(f"{row['path']}/facts")) == row["facts"]
        assert row["path"].split("/")[-1] == row["slug"]
        assert row["level"] == len(row["path"].split("/subtopics/"))
        assert (row["parent"] is None) == (row["level"] == 1)
    items = graph.rows("FROM context_items")
    assert len(items) == len(graph.tree.view.items)
    for row in items:
        assert graph.driver.lstat(row["file"]).size == row["size"]
        assert row["ref"] == f"{row['drive']}:{row['path']}"
        assert row["updated_at"].endswith("Z")


def test_pairs_are_those_of_the_tree(graph: Graph) -> None:
    for row in graph.rows("SELECT entity, list(chunk_id ORDER BY chunk_id) AS chunks FROM entity_chunks GROUP BY 1"):
        path = graph.tree.view.entity_path(graph.tree.view.entities.by_slug[row["entity"]])
        assert row["chunks"] == sorted(graph.driver.listdir(f"{path}/chunks"))
    for row in graph.rows("SELECT t.path, list(fact_id || '.json') AS facts FROM fact_topics JOIN topics t "
                          "ON t.id = topic_id GROUP BY 1"):  # fmt: skip
        assert sorted(row["facts"]) == sorted(graph.driver.listdir(f"{row['path']}/facts"))


def test_the_schema_is_what_the_views_are(graph: Graph, here: Here) -> None:
    schema = sql.schema().decode()
    for view in VIEWS.values():
        described = [json.loads(line) for line in here.bytes(f"DESCRIBE {view.name}").splitlines()]
        assert [(row["column_name"], row["column_type"]) for row in described] == [
            (column.name, column.type) for column in view.columns
        ]
        assert f"CREATE VIEW {view.name} (" in schema
        here.bytes(view.example)
        for column in view.columns:
            assert column.about.endswith(".")
    assert [row["name"] for row in graph.rows("SHOW TABLES")] == sorted(VIEWS)
    assert all(len(line) <= 240 for line in schema.splitlines())


def test_which_views_a_statement_names() -> None:
    assert named_in('SELECT * FROM Entity_Chunks, "FACTS"') == {"entity_chunks", "facts"}
    assert named_in("SELECT 1") == frozenset()
    assert named_in("show tables") == VIEWS.keys()


# --- how an answer is written ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("170141183460469231731687303715884105727::HUGEINT", 170141183460469231731687303715884105727),
        ("18446744073709551615::UBIGINT", 18446744073709551615),
        ("9007199254740993::BIGINT", 9007199254740993),
        ("[9007199254740993::BIGINT]", [9007199254740993]),
        ("'nan'::DOUBLE", None), ("'inf'::DOUBLE", None), ("[1.5, 'nan'::DOUBLE]", [1.5, None]),
        ("{'a': '-inf'::DOUBLE}", {"a": None}), ("to_json(['nan'::DOUBLE])", [None]),
        ("0.1::DOUBLE", 0.1), ("1.10::DECIMAL(10,2)", 1.1), ("true", True), ("NULL", None), ("''", ""),
        ("DATE '2019-10-28'", "2019-10-28"), ("DATE '20000-01-01'", "20000-01-01"), ("'infinity'::DATE", "infinity"),
        ("TIMESTAMP '2019-10-28 10:11:12.5'", "2019-10-28T10:11:12.5Z"),
        ("TIMESTAMPTZ '2019-10-28 10:11:12+02'", "2019-10-28T08:11:12Z"),
        ("'infinity'::TIMESTAMP", "infinity"),
        ("TIME '10:11:12'", "10:11:12"), ("INTERVAL '1 month 2 days'", "1 month 2 days"),
        ("[DATE '2019-10-28']", ["2019-10-28"]), ("{'d': DATE '2019-10-28', 'n': 1}", {"d": "2019-10-28", "n": 1}),
        ("'\\xAA\\xBB'::BLOB", "qrs="),
        ("'{\"a\": [1, 12345678901234567890]}'::JSON", {"a": [1, 12345678901234567890]}),
        ("map {1: 'a'}", {"1": "a"}), ("[[1], []]", [[1], []]), ("'é\U0001f600\t\n\"'", "é\U0001f600\t\n\""),
        ("'a'::ENUM('a', 'b')", "a"),
        ("'00000000-0000-0000-0000-000000000001'::UUID", "00000000-0000-0000-0000-000000000001"),
        ("(SELECT count(*) FROM facts WHERE false)", 0),
    ],
)  # fmt: skip
def test_values(here: Here, expression: str, value: Any) -> None:
    assert json.loads(here.bytes(f"SELECT {expression} AS value"))["value"] == value
    text = here.bytes(f"SELECT {expression} AS v, 1", "csv").decode()
    row = next(csv.reader(io.StringIO(text.split("\n", 1)[1])))
    if isinstance(value, str):
        assert row == [value, "1"]
    elif value is None:
        assert row == ["", "1"]
    elif not isinstance(value, float | bool):
        assert json.loads(row[0]) == value


def test_order_survives_what_moments_need(graph: Graph) -> None:
    rows = graph.rows("SELECT id, created_at, now() AS n FROM context_items ORDER BY id DESC -- and a remark")
    assert [row["id"] for row in rows] == sorted((row["id"] for row in rows), reverse=True)
    assert all(row["n"].endswith("Z") and "T" in row["n"] for row in rows)


def test_columns_of_one_name_are_all_shown(graph: Graph) -> None:
    assert graph.rows("SELECT 1 AS a, 2 AS a, 3 AS a, 4 AS a_2") == [{"a": 1, "a_3": 2, "a_4": 3, "a_2": 4}]
    assert distinct_names(["a", "a_2", "a", "a"]) == ["a", "a_2", "a_3", "a_4"]
    with pytest.raises(QueryError, match="@truncated"):
        graph.rows('SELECT 1 AS "@truncated"')


def test_csv(graph: Graph) -> None:
    text = graph.bytes("""SELECT * FROM (VALUES (1, '# a', 'x,"y"'), (2, NULL, ''), (3, 'b' || chr(10) || 'c', 'd'))
                          AS t(n, "a,b", c)""", "csv").decode()  # fmt: skip
    assert text == 'n,"a,b",c\n1,"# a","x,""y"""\n2,,""\n3,"b\nc",d\n'
    assert list(csv.reader(io.StringIO(text)))[1:] == [["1", "# a", 'x,"y"'], ["2", "", ""], ["3", "b\nc", "d"]]
    assert graph.bytes("SELECT NULL AS a UNION ALL SELECT NULL", "csv") == b'a\n""\n""\n'
    assert graph.bytes("SELECT name FROM entities WHERE false", "csv") == b"name\n"
    assert graph.bytes("SELECT name FROM entities WHERE false") == b""


def test_an_answer_that_is_cut_says_so(graph: Graph) -> None:
    rows = graph.rows("FROM range(10) t(i)", rows=4)
    assert rows[:4] == [{"i": 0}, {"i": 1}, {"i": 2}, {"i": 3}]
    assert (rows[4]["@truncated"], rows[4]["rows"], len(rows)) == ("rows", 4, 5)
    assert "@truncated" not in graph.rows("FROM range(4) t(i)", rows=4)[-1]
    lines = graph.bytes("FROM range(10) t(i)", "csv", rows=2).decode().splitlines()
    assert lines[:3] == ["i", "0", "1"] and lines[3].startswith("# truncated (rows): ") and len(lines) == 4
    cut = graph.bytes("SELECT repeat('x', 1000) AS x FROM range(10000)", bytes=50_000)
    assert json.loads(cut.splitlines()[-1])["@truncated"] == "bytes"
    assert 48_000 < len(cut) < 50_500
    assert graph.rows("SELECT repeat('x', 1000) AS x", bytes=500)[0]["@truncated"] == "bytes"


def test_time_that_is_over(graph: Graph) -> None:
    lines = graph.bytes("FROM range(100000000000)", seconds=2.5, rows=10**9, bytes=10**9).splitlines()
    mark = json.loads(lines[-1])
    assert (mark["@truncated"], mark["rows"]) == ("time", len(lines) - 1)
    assert json.loads(lines[-2]) == {"range": len(lines) - 2}
    started = time.monotonic()
    for statement in (
        "SELECT count(*) FROM range(1000000000) a, range(100000) b",
        "WITH RECURSIVE t(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM t) SELECT count(*) FROM t",
        # No interrupt reaches it for 13 seconds: the process is ended.
        "SELECT levenshtein(repeat('a', 100000), repeat('b', 100000))",
    ):
        with pytest.raises(DeadlineExceeded):
            graph.rows(statement, seconds=0.6)
    assert time.monotonic() - started < 30


def test_so_many_at_once(graph: Graph) -> None:
    slow = "SELECT count(*) FROM range(1000000000) a, range(100000) b"
    late: list[DeadlineExceeded] = []

    def ask() -> None:
        with pytest.raises(DeadlineExceeded) as raised:
            graph.bytes(slow, seconds=1.5)
        late.append(raised.value)

    graph.bytes("SELECT 1")
    threads = [threading.Thread(target=ask) for _ in range(2 * AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(late) == len(threads)


def test_memory_has_an_end(graph: Graph) -> None:
    for statement in (
        "SELECT repeat('xxxxxxxxxx', 400000000)",
        "SELECT list_sum(list_transform(range(1000000000), lambda x: x * x))",
        "SELECT string_agg(repeat('x', 1000000), '') FROM range(100000)",
        "SELECT a.text, b.text FROM chunks a, chunks b, chunks c, chunks d, chunks e ORDER BY hash(a.id, b.id, c.id)",
    ):
        with pytest.raises((QueryError, DeadlineExceeded)):
            graph.rows(statement)
    assert graph.value("1 + 1") == 2


# --- what is refused ------------------------------------------------------------------------------------------------

NOT_READING = [
    *r"""
COPY entities TO '/tmp/kgfs_stolen.csv'
COPY (SELECT 1) TO '/tmp/kgfs_stolen.csv'
EXPORT DATABASE '/tmp/kgfs_stolen'
IMPORT DATABASE '/tmp/x'
COPY entities FROM '/etc/passwd'
ATTACH '/tmp/kgfs_stolen.db'
ATTACH ':memory:' AS m
DETACH export_1
USE memory
INSTALL httpfs
LOAD httpfs
FORCE INSTALL httpfs
PRAGMA database_list
PRAGMA enable_profiling
PRAGMA version
SET enable_external_access = true
SET memory_limit = '10GB'
SET threads TO 8
RESET ALL
SET VARIABLE a = 1
CALL pragma_version()
CALL duckdb_settings()
CHECKPOINT
VACUUM
ANALYZE
BEGIN
COMMIT
ROLLBACK
EXPLAIN SELECT 1
EXPLAIN ANALYZE SELECT 1
PREPARE q AS SELECT 1
EXECUTE q
DEALLOCATE q
INSERT INTO entities DEFAULT VALUES
INSERT INTO facts VALUES (1)
UPDATE entities SET name = 'x'
DELETE FROM entities
TRUNCATE entities
DROP TABLE entities
DROP VIEW entities
ALTER TABLE entities ADD COLUMN x INT
CREATE TABLE x AS SELECT 1
CREATE VIEW x AS SELECT 1
CREATE MACRO f() AS 1
CREATE SECRET s (TYPE s3)
CREATE TYPE t AS ENUM ('a')
CREATE TEMP TABLE x (a INT)
CREATE SCHEMA s
CREATE SEQUENCE q
COMMENT ON TABLE entities IS 'x'
MERGE INTO entities USING facts ON true WHEN MATCHED THEN DELETE
WITH x AS (DELETE FROM entities RETURNING *) SELECT * FROM x
WITH x AS (INSERT INTO entities SELECT * FROM entities RETURNING *) SELECT * FROM x
WITH x AS (UPDATE entities SET name = '' RETURNING *) SELECT * FROM x
SELECT 1; SELECT 2
SELECT 1; DROP TABLE entities
SELECT 1;; DELETE FROM facts
SELECT 1 /* ; */ ; /* */ INSERT INTO facts VALUES (1)
; COPY entities TO '/tmp/kgfs_stolen.csv'
/* SELECT */ PRAGMA show_tables
SELECT * FROM '/etc/passwd'
FROM '/etc/passwd'
FROM 'a.csv'
FROM 'x.parquet'
FROM 'x.json'
FROM "/etc/hosts"
FROM 'https://example.com/x.csv'
FROM 's3://b/x.parquet'
FROM '*.csv'
FROM 'catalog.duckdb'
DESCRIBE 'a.csv'
SUMMARIZE 'a.csv'
TABLE 'a.csv'
SELECT (SELECT max(column0) FROM '/etc/passwd')
SELECT 1 WHERE EXISTS (FROM '/etc/passwd')
SELECT * FROM entities UNION ALL BY NAME FROM 'a.csv'
FROM entities SEMI JOIN 'a.csv' x ON true
FROM read_csv('/etc/passwd')
FROM read_csv_auto('/etc/passwd')
FROM read_text('/etc/passwd')
FROM read_blob('/etc/passwd')
FROM read_json('/etc/passwd')
FROM read_parquet('x')
FROM parquet_scan('x')
FROM read_duckdb('x')
FROM sniff_csv('/etc/passwd')
FROM glob('/etc/*')
FROM parquet_metadata('x')
FROM parquet_schema('x')
SELECT * FROM query('SELECT 1')
FROM query_table('entities')
FROM query_table(['entities', 'facts'])
SELECT getenv('HOME')
SELECT 'HOME'.getenv()
SELECT current_setting('threads')
SELECT getvariable('a')
SELECT current_database()
SELECT current_query()
SELECT version()
SELECT system.main.version()
SELECT write_log('x')
SELECT sleep_ms(1)
SELECT nextval('q')
SELECT pg_sleep(1)
SELECT has_table_privilege('entities', 'x')
SELECT pg_get_viewdef(1)
SELECT setseed(0.5)
SELECT json_serialize_plan('SELECT 1')
SELECT json_execute_serialized_sql('{}')
SELECT current_schemas(true)
FROM json_execute_serialized_sql('{}')
FROM duckdb_secrets()
FROM duckdb_settings()
FROM duckdb_tables()
FROM duckdb_functions()
FROM duckdb_databases()
FROM duckdb_logs()
FROM pragma_version()
FROM pragma_table_info('entities')
FROM pragma_storage_info('entities')
FROM test_all_types()
FROM arrow_scan(1, 2, 3)
FROM arrow_scan_dumb(1, 2, 3)
FROM pandas_scan(1)
FROM python_map_function(1)
FROM seq_scan('entities')
FROM which_secret('a', 'b')
FROM checkpoint()
FROM force_checkpoint()
FROM enable_logging()
FROM truncate_duckdb_logs()
FROM repeat_row(1, num_rows := 3)
FROM summary(entities)
FROM register_external_resource('a')
FROM information_schema.tables
FROM pg_catalog.pg_class
FROM pg_class
FROM sqlite_master
FROM duckdb_tables
FROM duckdb_columns
FROM pragma_database_list
FROM main.entities
FROM memory.main.entities
FROM temp.entities
FROM system.information_schema.tables
SHOW ALL TABLES
SHOW DATABASES
SHOW memory_limit
SHOW SCHEMAS
SHOW VARIABLES
DESCRIBE
SHOW
SELECT (FROM duckdb_secrets() SELECT count(*))
SELECT list_transform([1], lambda x: getenv('HOME'))
SELECT count(*) FILTER (getenv('HOME') IS NULL) FROM entities
SELECT 1 ORDER BY getenv('HOME')
SELECT 1 LIMIT (SELECT count(*) FROM read_csv('/etc/passwd'))
SELECT sum(1) OVER (ORDER BY getenv('A')) FROM facts
FROM entities PIVOT (count(*) FOR type IN (SELECT * FROM read_csv('/etc/passwd')))
WITH a AS MATERIALIZED (FROM read_text('/etc/passwd')) FROM a
VALUES (getenv('HOME'))
WITH RECURSIVE t AS (FROM read_text('/x') UNION ALL FROM t) FROM t
SELECT CASE WHEN true THEN getenv('A') END
SELECT CAST(getenv('A') AS INT)
SELECT * REPLACE (getenv('A') AS name) FROM entities
SELECT COLUMNS(c -> c = getenv('A')) FROM entities
SELECT [getenv('A') FOR x IN [1]]
SELECT getenv('A') BETWEEN 1 AND 2
PIVOT entities ON type USING count(*)
""".strip().splitlines(),
    "-- harmless\nCOPY entities TO '/tmp/kgfs_stolen.csv'",
]


def state_of(database: Database) -> str:
    """A digest of everything that the catalog holds."""
    tables = [
        row[0] for row in database.fetch("SELECT table_name FROM duckdb_tables() WHERE database_name LIKE 'catalog%'")
    ]
    assert "pages" in tables
    digest = hashlib.sha256()
    for table in sorted(tables):
        digest.update(repr(database.fetch(f"SELECT * FROM {table} ORDER BY ALL")).encode())
    return digest.hexdigest()


@pytest.fixture(scope="module")
def here(graph: Graph) -> Iterator[Here]:
    with all_views(graph) as file, contextlib.closing(duckdb.connect(":memory:")) as connection:
        yield Here(file, connection)


class Here:
    """What the process does, in this one: starting hundreds would take a minute."""

    def __init__(self, file: Path, connection: Any) -> None:
        self.file, self.connection = file, connection

    def check(self, statement: str) -> str:
        return check_statement(self.connection, statement, VIEWS)

    def bytes(self, statement: str, form: str = "jsonl") -> bytes:
        question = SqlQuestion(str(self.file), statement, form, SqlLimits())
        outcome, body = answer_sql(question, time.monotonic())
        if outcome.kind:
            raise from_kind(outcome.kind, outcome.message)
        return body


@contextlib.contextmanager
def all_views(graph: Graph) -> Iterator[Path]:
    places = NamingRules(str, str, lambda row_id: "")
    with exports_of(graph.tree.store.database).file(-1, frozenset(VIEWS), places, time.monotonic() + 60) as file:
        yield file


@pytest.fixture(scope="module")
def untouched(graph: Graph, database: Database) -> Iterator[None]:
    """Whatever is asked: the catalog stays as it is and usable, and no file comes to be."""
    before = state_of(database)
    stolen = set(Path("/tmp").glob("kgfs_stolen*"))
    yield
    assert state_of(database) == before
    assert set(Path("/tmp").glob("kgfs_stolen*")) == stolen
    database.write(lambda cursor: cursor.execute("INSERT INTO meta VALUES ('test', '1')"))
    assert graph.value("(SELECT count(*) FROM entities)") == len(graph.tree.view.entities)


@pytest.mark.parametrize("statement", NOT_READING)
def test_what_would_do_more_than_read(untouched: None, here: Here, statement: str) -> None:
    with pytest.raises(KgfsError) as raised:
        here.check(statement)
    # What the engine's grammar does not know is wrong, everything else is refused.
    assert isinstance(raised.value, RefusedError | QueryError), raised.value
    if not isinstance(raised.value, RefusedError):
        assert raised.value.message.startswith("Syntax error"), raised.value.message
    assert raised.value.message.endswith((".", "?"))
    assert "\n" not in raised.value.message
    assert str(here.file.parent.parent) not in raised.value.message


def test_a_process_says_the_same(untouched: None, graph: Graph) -> None:
    for statement in ("COPY entities TO '/tmp/kgfs_stolen.csv'", "FROM '/etc/passwd'", "SELECT getenv('HOME')"):
        for form in ("jsonl", "csv"):
            with pytest.raises(RefusedError):
                graph.bytes(statement, form)
    for statement in ("", "nonsense", "SELECT '\ud800' FROM nowhere", "SELECT '\ud800", "SELECT \0"):
        with pytest.raises(QueryError):
            graph.bytes(statement)
    with pytest.raises(QueryError, match="jsonl or csv"):
        graph.bytes("SELECT 1", "xml")


def test_a_process_that_broke_down_is_started_again(
    graph: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Twice in vain is the statement's fault; once is the machine's."""
    real, times = interpreter.program("kgfs.store.sql.sql_process"), tmp_path / "times"

    def failing(most: int) -> None:
        times.write_text("")
        script = f'echo >> {times}; if [ $(wc -l < {times}) -le {most} ]; then echo no room >&2; exit 1; fi; exec "$@"'
        monkeypatch.setattr(interpreter, "program", lambda _: ["/bin/bash", "-c", script, "bash", *real])

    failing(1)
    assert graph.rows("SELECT 1 AS n") == [{"n": 1}]
    assert "no room" in caplog.text
    failing(2)
    with pytest.raises(QueryError, match="broke down"):
        graph.rows("SELECT 1 AS n")
    assert times.read_text().count("\n") == 2


SECOND_FENCE = """
import json, os, sys, time
from kgfs.store.sql import sql_process
from kgfs.store.sql.sql_check import check_statement
from kgfs.store.sql.sql_process import SqlLimits
sql_process._confine(SqlLimits(seconds=60))
connection = sql_process.open_views(sys.argv[1])
said = {}
for statement in json.load(sys.stdin):
    connection.execute("BEGIN TRANSACTION READ ONLY")
    try:
        said[statement] = repr(connection.execute(statement).fetchall())
    except Exception as error:
        said[statement] = None
    try:
        connection.execute("ROLLBACK")
    except Exception:
        pass
json.dump(said, sys.stdout)
"""


REACHING_OUT = (
    "COPY", "EXPORT", "IMPORT", "ATTACH", "LOAD", "SET e", "SET m", "SET t", "INSERT", "UPDATE", "DELETE", "DROP",
    "ALTER", "TRUNCATE", "CREATE", "FROM read_", "FROM '", "FROM glob", "FROM sniff", "FROM parquet",
)  # fmt: skip


def test_what_the_check_would_miss_gets_nowhere(untouched: None, graph: Graph) -> None:
    """Without the check, in the process as it is: nothing is read but the views, nothing written."""
    secret = "kgfs-secret"
    with all_views(graph) as file:
        bait = file.parent / "bait.csv"
        bait.write_text(f"a\n{secret}\n")
        quoted = str(bait).replace("'", "''")
        statements = [each for each in NOT_READING if each.startswith(REACHING_OUT) and "TEMP" not in each]
        for form in (
            "FROM '{}'", "FROM read_text('{}')", "FROM read_csv('{}')", "FROM read_blob('{}')", "FROM glob('{}*')",
            "COPY entities TO '{}'", "COPY entities TO '{}3'", "EXPORT DATABASE '{}4'", "ATTACH '{}2'",
        ):  # fmt: skip
            statements.append(form.format(quoted))
        before = {path.name: path.stat().st_size for path in file.parent.iterdir()}
        done = subprocess.run(
            [sys.executable, "-c", SECOND_FENCE, str(file)], input=json.dumps(statements), capture_output=True,
            text=True, check=True, timeout=60,
        )  # fmt: skip
        said = json.loads(done.stdout)
        assert len(said) == len(set(statements)) > 50
        for statement, found in said.items():
            if "glob" in statement:
                assert found in (None, "[]"), statement
            else:
                assert found is None, statement
        assert {path.name: path.stat().st_size for path in file.parent.iterdir()} == before


@pytest.mark.parametrize(
    "statement",
    [
        "", " ", ";", "--", "nonsense", "SELECT", "SELECT FROM entities", "SELECT nope FROM entities", "FROM entitties",
        "FROM pages", "FROM meta", "FROM stale", "FROM blocks", "FROM counters", "FROM entity_directories",
        "SELECT ?", "SELECT $1", "SELECT $a",
        "SELECT 1 +", "SELECT 'x", "SELECT 1::INT + 'a'::INT", "SELECT error('own')", "SELECT 1 AS a WHERE b",
        "SELECT * FROM entities e JOIN facts f USING (nope)", "SELECT (SELECT id FROM entities)",
        "SELECT \0", "SELECT '\0'",
        "SELECT " + "(" * 5000 + "1" + ")" * 5000, "SELECT " + "1+" * 30000 + "1", "SELECT " + "[" * 3000 + "]" * 3000,
        "SELECT " + "-" * 9000 + "1", "WITH a AS (SELECT 1) SELECT * FROM b", "SELECT 'entities'::regclass",
        "FROM entities AT (VERSION => 1)", "SELECT nextval", "SELECT unknown_function(1)", "FROM entities TABLESAMPLE",
    ],
)  # fmt: skip
def test_what_is_wrong(untouched: None, here: Here, statement: str) -> None:
    with pytest.raises(QueryError) as raised:
        here.bytes(statement)
    assert "\n" not in raised.value.message
    assert len(raised.value.message) < 700


ALLOWED = r"""
SELECT 1
select 1;
SELECT 1 -- end
/* a */ SELECT 1 /* b */ ;
FROM entities
FROM entities SELECT name
TABLE entities
VALUES (1), (2)
(SELECT 1)
SELECT * FROM Entities, "facts" LIMIT 3
SUMMARIZE topics
DESCRIBE SELECT 1
DESCRIBE facts
SHOW TABLES
WITH pages AS (SELECT 1 AS a) FROM pages
WITH RECURSIVE t(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM t WHERE i < 5) FROM t
WITH a AS MATERIALIZED (FROM facts) SELECT count(*) FROM a
SELECT 1 UNION SELECT 2 EXCEPT SELECT 3
SELECT type, count(*) FROM facts GROUP BY ALL HAVING count(*) > 1 ORDER BY ALL LIMIT 50%
SELECT DISTINCT ON (type) type, name FROM entities ORDER BY name
FROM entities USING SAMPLE 3 ROWS
SELECT name, row_number() OVER w, lag(name, 1, 'x') OVER w FROM entities WINDOW w AS (PARTITION BY type ORDER BY id)
SELECT *, rank() OVER (ORDER BY facts) r FROM entities QUALIFY r < 3
FROM range(3) UNION ALL FROM generate_series(1, 3)
SELECT * FROM entities e, LATERAL (SELECT * FROM facts f WHERE f.subject_id = e.id LIMIT 1)
FROM entities PIVOT (count(*) FOR type IN ('Person', 'Location'))
SELECT unnest(aliases) FROM entities
FROM (SELECT facts, chunks FROM entities) UNPIVOT (n FOR what IN (facts, chunks))
SELECT e FROM entities e LIMIT 1
SELECT attributes->>'founded', attributes.ticker FROM entities
FROM json_each('{"a": 1}')
SELECT COLUMNS('.*_date'), * EXCLUDE (aliases) REPLACE (upper(name) AS name) FROM entities LIMIT 1
SELECT list_filter([1, 2], lambda x: x > 1), [x * 2 FOR x IN [1, 2] IF x > 1], {'a': 1}.a, map {1: 2}[1]
SELECT regexp_extract(text, '\w+'), text SIMILAR TO '.*', text ~ 'a', text ILIKE '%a%', text[1:3] FROM chunks LIMIT 2
SELECT extract(year FROM DATE '2019-01-01'), date_trunc('month', now()), strftime(now(), '%Y'), current_date
SELECT CASE type WHEN 'Person' THEN 1 ELSE 2 END, coalesce(NULL, 1), TRY_CAST('x' AS INT), try(1 / 0) FROM entities
SELECT a.slug FROM entities a POSITIONAL JOIN entities b SEMI JOIN facts f ON f.subject_id = a.id
SELECT grouping(type) FROM entities GROUP BY ROLLUP (type)
SELECT quantile_cont(confidence, [0.5, 0.9]) FROM facts
SELECT string_agg(name, ', ' ORDER BY name) FILTER (type = 'Person') FROM entities
SELECT typeof(1), hash('a'), md5('a')
SELECT id FROM entities WHERE id IN (SELECT subject_id FROM facts) AND id = ANY([1, 2]) AND EXISTS (SELECT 1)
SELECT count(*) FROM facts f ASOF JOIN facts g ON f.id >= g.id
SELECT x: 1
SELECT 'a' COLLATE NOCASE = 'A'
SELECT jaro_winkler_similarity(a.name, b.name) FROM entities a JOIN entities b ON a.id < b.id LIMIT 5
""".strip().splitlines()


@pytest.mark.parametrize("statement", ALLOWED)
def test_what_is_allowed(here: Here, statement: str) -> None:
    assert here.bytes(statement).count(b"\n") >= 1


# --- files of views -------------------------------------------------------------------------------------------------


def test_a_file_serves_its_generation(tmp_path: Path) -> None:
    with build(tmp_path / "store", entities=30, documents=3) as database:
        graph = Graph(opened(database))
        directory = tmp_path / "store" / DIRECTORY
        assert graph.value("(SELECT count(*) FROM entities)") == 30
        (first,) = directory.iterdir()
        assert graph.value("(SELECT count(*) FROM entities WHERE true)") == 30
        assert list(directory.iterdir()) == [first]
        assert graph.value("(SELECT count(*) FROM topics)") == 13
        (second,) = directory.iterdir()
        assert second != first
        for view in VIEWS:  # all are there by now
            graph.bytes(f"FROM {view}")
        assert list(directory.iterdir()) == [second]
        touch(database, 6)
        assert graph.value("(SELECT count(*) FROM entities)") == 30, "an answer is of its generation"
        publish(database)
        graph.tree.adopt(graph.tree.load_snapshot())
        assert graph.value("(SELECT count(*) FROM entities)") == 32
        assert len(list(directory.iterdir())) == 1
    assert not directory.exists()


def test_what_a_killed_process_left_goes(tmp_path: Path) -> None:
    build(tmp_path / "store", entities=5, documents=1).close()
    left = tmp_path / "store" / DIRECTORY / "123-1.duckdb"
    left.parent.mkdir()
    left.write_bytes(b"left")
    with Database.open(tmp_path / "store") as database:
        assert Graph(opened(database)).value("1") == 1
        assert not left.exists()


def test_many_ask_at_once_while_others_write(tmp_path: Path) -> None:
    with build(tmp_path / "store", entities=40, documents=4) as database:
        tree = opened(database)
        graph = Graph(tree)
        said: list[Any] = []

        def ask(statement: str) -> None:
            try:
                said.append(graph.rows(statement))
            except KgfsError as error:
                said.append(error)

        statements = [f"SELECT count(*) AS n FROM {view}" for view in VIEWS] + ["COPY facts TO 'x'", "SELECT 1/"]
        threads = [threading.Thread(target=ask, args=(statement,)) for statement in statements]
        for thread in threads:
            thread.start()
        for seed in range(4):
            with contextlib.suppress(IndexError):
                touch(database, seed)
            publish(database)
        database.rest()
        for thread in threads:
            thread.join()
        assert sorted(type(answer).__name__ for answer in said) == ["QueryError", "RefusedError"] + ["list"] * len(
            VIEWS
        )
        tree.adopt(tree.load_snapshot())
        assert graph.value("(SELECT count(*) FROM facts)") == len(tree.view.facts)
        assert exports_of(database) is exports_of(database)
