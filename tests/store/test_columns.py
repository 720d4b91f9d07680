"""Rows of the graph as columns, whatever the order in which they were written."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgfs.store.catalog.database import Cursor
from kgfs.store.catalog.inserts import insert
from kgfs.store.tree import columns
from tests.new_stores import new_store

IDS = [7, 3, 5, 4000, 1]


def fill(cursor: Cursor) -> None:
    insert(
        cursor,
        "entity_aliases",
        {
            "group_id": [1] * len(IDS),
            "entity_id": IDS,
            "alias": [f"Alias {number}" for number in IDS],
            "slug": [f"Alias_{number}" for number in IDS],
            "key": [f"alias_{number}" for number in IDS],
        },
    )
    insert(
        cursor,
        "pages",
        {
            "page_id": IDS,
            "view": ["fact_line"] * len(IDS),
            "owner_id": [number * 2 for number in IDS],
            "name": [""] * len(IDS),
            "size": [number % 100 for number in IDS],
            "body": [b""] * len(IDS),
        },
    )


def test_rows_come_in_the_order_of_their_key(tmp_path: Path) -> None:
    with new_store(tmp_path / "store", reserve=0) as database:
        database.write(fill)
        with database.read(snapshot=True) as cursor:
            for ranges, ids in (
                (None, sorted(IDS)),
                ([(0, 4)], [1, 3]),
                ([(0, 4), (5, 6), (3000, 4500)], [1, 3, 5, 4000]),
            ):
                table = columns.read_rows(cursor, "aliases", ranges)
                assert table["id"].tolist() == ids
                assert table["slug"].tolist() == [f"Alias_{number}" for number in ids]
            pages = columns.read_pages(cursor, "fact_line")
    assert pages["page_id"].tolist() == sorted(IDS)
    assert pages["owner_id"].tolist() == [number * 2 for number in sorted(IDS)]
    assert pages["size"].tolist() == [number % 100 for number in sorted(IDS)]


@pytest.mark.parametrize("turn", [1, 2, 5, 100])
def test_rows_that_are_fetched_in_turns_are_all_there(
    turn: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(columns, "ROWS_A_TURN", turn)
    with new_store(tmp_path / "store", reserve=0) as database:
        database.write(fill)
        with database.read() as cursor:
            found = columns.fetch_in_turns(cursor, "SELECT entity_id, slug FROM entity_aliases ORDER BY entity_id")
            assert found == [(number, f"Alias_{number}") for number in sorted(IDS)]
            assert columns.fetch_in_turns(cursor, "SELECT slug FROM entity_aliases WHERE entity_id > 9999") == []
