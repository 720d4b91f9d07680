"""``@changes``: what came, changed and went between two dates, and which names are two dates at all."""

from __future__ import annotations

import calendar
from collections.abc import Iterator
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgfs.errors import QueryError
from kgfs.namespace.publish import publish
from kgfs.namespace.queries.between import span
from kgfs.store.catalog.database import Cursor
from kgfs.store.catalog.inserts import insert
from kgfs.store.files import history
from tests.graph_builder import build
from tests.namespace.drivers import NamespaceDriver, opened

BEFORE, IN, AFTER = (datetime(2020, 3, day, 23, 59, 59, 999_999) for day in (9, 10, 12))


def _happened(cursor: Cursor) -> None:
    cursor.execute("UPDATE context_items SET created_at = ?, updated_at = ?, indexed_at = ?", [BEFORE] * 3)
    cursor.execute("UPDATE entities SET created_at = ?", [AFTER])
    cursor.execute("UPDATE facts SET changed_at = ?", [BEFORE])
    first, second, third = (row[0] for row in cursor.execute("SELECT id FROM documents ORDER BY id LIMIT 3").fetchall())
    cursor.execute("UPDATE context_items SET created_at = ? WHERE id = ?", [IN, first])
    cursor.execute("UPDATE context_items SET updated_at = ?, indexed_at = ? WHERE id = ?", [IN, AFTER, second])
    cursor.execute("UPDATE context_items SET updated_at = ? WHERE id = ?", [IN, third])  # chmod: not read anew
    cursor.execute("UPDATE entities SET created_at = ?, name = 'A\tname' WHERE id = 3", [IN])
    cursor.execute("UPDATE facts SET changed_at = ? WHERE id IN (1, 2)", [IN])
    insert(
        cursor,
        "merges",
        {"id": [1], "group_id": [1], "kept_id": [3], "gone_id": [99], "gone_name": ["Old"], "reason": ["same"],
         "merged_at": [IN]},
    )  # fmt: skip
    ((item,),) = cursor.execute("SELECT max(id) FROM documents").fetchall()
    for each, when in ((item, IN), (first, IN)):  # of ``first`` a version, and the file is still there
        history.keep_version(cursor, each)
        cursor.execute("UPDATE item_versions SET replaced_at = ? WHERE item_id = ?", [when, each])
    cursor.execute("UPDATE item_versions SET ref = 'agent:gone.md' WHERE item_id = ?", [item])


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NamespaceDriver]:
    with build(tmp_path_factory.mktemp("between") / "store", entities=20, documents=8, published=False) as database:
        database.write(_happened)
        publish(database)
        yield NamespaceDriver(opened(database))


def rows(tree: NamespaceDriver, path: str) -> list[list[str]]:
    head, *lines = tree.read(path).decode().splitlines()
    return [line.split("\t") for line in lines if len(line.split("\t")) == len(head.split("\t"))]


@pytest.mark.parametrize("when", ["2020-03-10..2020-03-10", "2020-03-10", "2020-03-10..2020-03-11"])
def test_what_happened_in_between(tree: NamespaceDriver, when: str) -> None:
    documents = rows(tree, f"@changes/{when}/documents.tsv")
    assert [row[0] for row in documents] == ["came", "changed", "went"]
    assert {row[1] for row in documents} == {"2020-03-10T23:59:59Z"} and documents[2][4] == "agent:gone.md"
    for row in documents[:2]:
        assert tree.lstat(row[5]).kind == "d" and row[5] == f"documents/{row[2]}"
    came, went = rows(tree, f"@changes/{when}/entities.tsv")
    assert came[0] == "came" and tree.lstat(came[6]).kind == "d"
    assert (went[0], went[2], went[6]) == ("went", "Old", came[6])
    facts = tree.read(f"@changes/{when}/facts.jsonl").decode().splitlines()
    assert len(facts) == 2 and all('"fact_id":"f_' in line for line in facts)
    summary = tree.read(f"@changes/{when}/summary.txt").decode()
    assert summary.startswith(
        f"{when}: 1 document came, 1 document changed, 1 document went, 1 entity came, 1 entity went, 2 facts"
    )


def test_what_happened_before_and_after(tree: NamespaceDriver) -> None:
    assert tree.read("@changes/2020-03-11/summary.txt") == b"2020-03-11: nothing came, changed or went.\n"
    assert len(rows(tree, "@changes/2020-03-09/documents.tsv")) > 3
    assert [row[0] for row in rows(tree, "@changes/2020-03-12../entities.tsv")] == ["came"] * 19
    assert sorted(tree.listdir("@changes/2020..")) == ["documents.tsv", "entities.tsv", "facts.jsonl", "summary.txt"]
    assert tree.listdir("@changes") == ["_usage.txt"]


@st.composite
def dates(draw: st.DrawFn) -> tuple[str, datetime, datetime]:
    """A date as it is written, and its first and last day."""
    year = draw(st.integers(1, 9999))
    month, day = draw(st.integers(1, 12)), draw(st.integers(1, 28))
    days = calendar.monthrange(year, month)[1]
    return draw(
        st.sampled_from(
            [
                (f"{year:04}", datetime(year, 1, 1), datetime(year, 12, 31)),
                (f"{year:04}-{month:02}", datetime(year, month, 1), datetime(year, month, days)),
                (f"{year:04}-{month:02}-{day:02}", datetime(year, month, day), datetime(year, month, day)),
            ]
        )
    )


@given(dates(), dates())
def test_a_span_is_from_the_first_day_of_one_to_the_last_of_the_other(
    one: tuple[str, datetime, datetime], other: tuple[str, datetime, datetime]
) -> None:
    name = f"{one[0]}..{other[0]}"
    if other[2] < one[1]:
        with pytest.raises(QueryError, match="ends before it begins"):
            span(name)
        return
    begin, end = span(name)
    assert begin == one[1] and end.date() == other[2].date() and (end.hour, end.microsecond) == (23, 999_999)
    assert span(f"{one[0]}..")[0] == begin and span(one[0])[1].date() == one[2].date()


@given(st.text("0123456789-. /abc~\n٣", max_size=24))
def test_every_other_name_is_refused_in_a_sentence(name: str) -> None:
    try:
        span(name)
    except QueryError as error:
        assert error.message.strip()


@pytest.mark.parametrize("name", ["", "..", "..2020", "2020...2021", "2020-13", "2020-02-30..", "0000..", "yesterday"])
def test_names_that_are_no_dates(name: str) -> None:
    with pytest.raises(QueryError):
        span(name)
