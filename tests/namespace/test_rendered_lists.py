"""Files about the whole graph, which are put together in parts."""

from __future__ import annotations

import csv
import json

import pytest

from kgfs.namespace.namespace import Namespace
from kgfs.namespace.views import text


@pytest.mark.parametrize("count", [0, 1, 3, 4, 9])
def test_a_list_in_parts_is_the_same_json(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "PART", 4)
    values = [{"slug": f"name {number}", "tags": ["[", "]\n"], "date": None} for number in range(count)]
    assert text.json_list_page(iter(values)) == text.json_page(values)


def test_entities_with_most_facts_come_first_then_by_name(tree: Namespace) -> None:
    body = tree.load(tree.resolve("entities/_index.tsv"))
    rows = list(csv.DictReader(body.read(0, body.size).decode().splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))
    assert len(rows) == len(tree.view.entities)
    assert rows == sorted(rows, key=lambda row: (-int(row["facts"]), row["slug"]))
    assert len({row["facts"] for row in rows}) > 2


def test_documents_are_the_same_in_both_lists(tree: Namespace) -> None:
    listed, table = (tree.load(tree.resolve(f"documents/_index.{kind}")) for kind in ("json", "tsv"))
    rows = list(csv.DictReader(table.read(0, table.size).decode().splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))
    assert [row["slug"] for row in rows] == [row["slug"] for row in json.loads(listed.read(0, listed.size))]
    assert [row["slug"] for row in rows] == sorted(tree.view.documents.slugs)
