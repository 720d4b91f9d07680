"""``kgfs sql`` and ``@sql`` as a user meets them: the sample's store, without a mount and through one."""

from __future__ import annotations

import csv
import errno
import io
import json
from pathlib import Path

import pytest

from tests.conftest import Mounting, Program
from tests.graph_builder import build


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("sql") / "store"
    build(made, entities=40, documents=4).close()
    return made


QUERY = "SELECT slug, facts FROM entities WHERE facts > 0 ORDER BY facts DESC, slug"


@pytest.mark.slow
def test_forms(kgfs: Program, store: Path, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in kgfs("--store", store, "sql", QUERY).stdout.splitlines()]
    assert rows and list(rows[0]) == ["slug", "facts"]
    assert [json.loads(line) for line in kgfs("--store", store, "--json", "sql", QUERY).stdout.splitlines()] == rows
    shown = list(csv.DictReader(io.StringIO(kgfs("--store", store, "sql", "--csv", QUERY).stdout)))
    assert [(row["slug"], int(row["facts"])) for row in shown] == [(row["slug"], row["facts"]) for row in rows]
    table = kgfs("--store", store, "sql", "--table", QUERY).stdout.splitlines()
    assert table[0].split() == ["slug", "facts"]
    assert [line.split() for line in table[1:-1]] == [[row["slug"], str(row["facts"])] for row in rows]
    assert table[-1] == f"{len(rows)} rows"
    file = tmp_path / "query.sql"
    file.write_text(f"-- a remark\n{QUERY};\n")
    for arguments in (["-f", str(file)], ["-"], ["-f", "-"]):
        said = kgfs("--store", store, "sql", *arguments, input=file.read_text()).stdout
        assert [json.loads(line) for line in said.splitlines()] == rows
    assert kgfs("--store", store, "sql", "SELECT", "1", "AS", "one").stdout == '{"one":1}\n'
    assert kgfs("--store", store, "sql", "SELECT 1 WHERE false").stdout == ""
    assert not (store / "sql").exists()


def test_a_table_that_was_cut_says_so(kgfs: Program, store: Path) -> None:
    lines = kgfs("--store", store, "sql", "--table", "FROM range(20000) t(number)").stdout.splitlines()
    assert len(lines) == 10_002
    assert lines[-1].startswith("# truncated (rows): ")
    odd = "SELECT 'a' || chr(10) || '# truncated (x' AS \"a,b\""
    assert kgfs("--store", store, "sql", "--table", odd).stdout == "a,b\na # truncated (x\n1 row\n"
    assert kgfs("--store", store, "sql", "--table", "SELECT 1 AS n WHERE false").stdout == "n\n0 rows\n"


def test_the_schema(kgfs: Program, store: Path) -> None:
    assert "CREATE VIEW entity_chunks (" in kgfs("--store", store, "sql", "--schema").stdout


@pytest.mark.parametrize(
    ("statement", "status", "kind"),
    [
        ("SELECT nope FROM entities", 2, "bad_query"),
        ("FROM entitties", 2, "bad_query"),
        ("nonsense", 2, "bad_query"),
        ("COPY entities TO 'x'", 1, "refused"),
        ("FROM '/etc/passwd'", 1, "refused"),
    ],
)
def test_errors(kgfs: Program, store: Path, statement: str, status: int, kind: str) -> None:
    done = kgfs("--store", store, "--json", "sql", statement, status=status)
    assert done.stdout == ""
    error = json.loads(done.stderr)["error"]
    assert (error["kind"], error["exit_status"]) == (kind, status)


def test_wrong_usage(kgfs: Program, store: Path, tmp_path: Path) -> None:
    for arguments in ([], ["SELECT 1", "-f", "x"], ["--csv", "--table", "SELECT 1"], ["--csv", "--json", "SELECT 1"]):
        kgfs("--store", store, "sql", *arguments, status=2)
    done = kgfs("--store", store, "sql", "-f", tmp_path / "nothing.sql", status=1)
    assert "nothing.sql" in done.stderr and done.stderr.count("\n") == 1


def test_on_a_mount(kgfs: Program, store: Path, mount: Mounting) -> None:
    place = mount(store)
    expected = kgfs("--store", store, "sql", QUERY).stdout
    assert expected.count("\n") > 3
    assert (place / "@sql" / QUERY).read_text() == expected
    assert (place / "@sql" / "csv" / QUERY).read_text() == kgfs("--store", store, "sql", "--csv", QUERY).stdout
    assert (place / "@sql" / QUERY).stat().st_size == len(expected)
    assert (place / "@sql" / "_schema.sql").read_text() == kgfs("--store", store, "sql", "--schema").stdout
    assert "@truncated" in (place / "@sql" / "_usage.txt").read_text()
    assert (place / "@sql" / "SELECT 6 %2F 4 AS x").read_text() == '{"x":1.5}\n'
    for statement, number in (
        ("COPY entities TO 'x'", errno.EACCES),
        ("FROM 'a.csv'", errno.EACCES),
        ("WITH x AS (DELETE FROM entities RETURNING *) SELECT * FROM x", errno.EACCES),
        ("SELECT nope FROM entities", errno.EINVAL),
        ("SELECT repeat('xxxxxxxxxx', 400000000)", errno.EINVAL),
    ):
        with pytest.raises(OSError) as raised:
            (place / "@sql" / statement).read_text()
        assert raised.value.errno == number, statement
        reason = (place / "@status" / "last_error.txt").read_text()
        said = json.loads((place / "@status" / "errors.jsonl").read_text().splitlines()[-1])
        assert said["message"] and said["message"] in reason, (reason, said)
    assert (place / "@sql" / QUERY).read_text() == expected
