"""What directories are about: each names its scope, lists nothing outside it, and the query areas keep to it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from kgfs.errors import NotFoundError
from kgfs.namespace import scope
from kgfs.namespace.namespace import Namespace
from kgfs.namespace.node import Node, ref_of
from kgfs.namespace.route import Dir, Scope, Submounted
from kgfs.store.catalog.database import Database
from tests.namespace.drivers import NamespaceDriver, SubstringSearcher, all_nodes, opened

KINDS = {
    "entities/<types>/<Entity_Slug>/": "entities",
    "topics/<topic>/": "topics",
    "documents/<doc>/": "documents",
    "chunks/by_document/<doc>/<chunk>/": "chunks",
    "facts/by_type/<TYPE>/<fact_id>.json": "facts",
}


def directories(tree: Namespace) -> list[Node]:
    found = {tree.root}
    for _, name, node in all_nodes(tree):
        if isinstance(tree.row(node).node_type, Submounted):
            continue  # in which no query name means anything
        if tree.row(node).kind == "d" and not name.startswith(("@", ".")) and not tree.path(node).startswith("@"):
            found.add(node)
    return sorted(found)


def test_every_directory_of_the_graph_has_a_scope(tree: Namespace) -> None:
    for row in tree.table.rows:
        if isinstance(row.node_type, Submounted):
            assert row.areas == {}
        elif isinstance(row.node_type, Dir) and not row.pattern.startswith(("@", ".")):
            each = row
            while each.node_type.scope is None and each.node_row == each.number:  # type: ignore[union-attr]
                assert each.node_type.segment is None, f"{row.pattern} stands for many and names no scope"
                assert each.parent is not None
                each = each.parent
            assert {"@search", "@find", "@stat"} <= row.areas.keys() | (
                {"@search", "@find"} if not row.parent else set()
            )


def test_what_is_listed_is_in_the_scope(tree: Namespace) -> None:
    """Of each row that a directory shows, itself or by a link."""
    checked: dict[str, int] = {}
    for node in directories(tree):
        s = tree.view
        held = tree.scope_of(s, node)
        if tree.pending(node):
            tree.prepare(node)
        for entry in tree.entries(node):
            child = entry.node
            if tree.row(child).kind == "l":
                child = tree.resolve(f"{tree.path(node)}/{entry.name}")
            kind = KINDS.get(tree.row(child).pattern)
            if kind is None or tree.row(node).pattern == "sources/":
                continue
            index = getattr(s, kind).index(ref_of(child).id)
            members = getattr(held, kind)
            assert members is None or index in members, (tree.path(node), entry.name)
            checked[tree.row(node).pattern] = checked.get(tree.row(node).pattern, 0) + 1
    assert len(checked) >= 30, sorted(checked)


def test_scopes_are_sorted_and_in_range(tree: Namespace) -> None:
    for node in directories(tree):
        held = tree.scope_of(tree.view, node)
        for kind in Scope._fields:
            members = getattr(held, kind)
            if members is not None and len(members):
                assert np.all(np.diff(members) > 0), (tree.path(node), kind)
                assert members[0] >= 0 and members[-1] < len(getattr(tree.view, kind))


def test_search_is_asked_within(tree: Namespace, database: Database) -> None:
    """Hits come from the scope alone, whatever the directory."""
    searcher = SubstringSearcher(database)
    fresh = opened(database, searcher=searcher)
    driver = NamespaceDriver(fresh)
    s = fresh.view
    entity = next(path for path in (s.entity_path(each) for each in range(len(s.entities))) if "organizations" in path)
    for place in ("chunks", "documents", entity, f"{entity}/facts", "topics", s.topic_path(0), "chunks/by_date"):
        driver.read(f"{place}/@search/text/e")
        within = searcher.asked[-1].within
        assert within is not None
        held = scope.ids(s, fresh.scope_of(s, fresh.resolve(place)))._asdict()
        assert within.keys() == held.keys()
        assert all(
            (within[kind] is None) == (held[kind] is None)
            and (held[kind] is None or list(within[kind]) == list(held[kind]))
            for kind in held
        )
    driver.read("@search/text/e")
    assert searcher.asked[-1].within is None


def test_paths_of_scoped_questions(tree: Namespace) -> None:
    s = tree.view
    entity = s.entity_path(3)
    query = tree.resolve(f"{entity}/@search/semantic/limit=3/wages")
    assert tree.path(query) == f"{entity}/@search/semantic/limit=3/wages"
    assert tree.parent(tree.resolve(f"{entity}/@search"))[0] == tree.resolve(entity)
    top = tree.resolve(f"{entity}/@search/semantic/limit=3/e/top")
    tree.prepare(top)
    hit = tree.entries(top)[0]
    target = tree.target(hit.node)
    assert target.startswith("../" * 8) and not target.startswith("../" * 9)
    assert tree.resolve(f"{entity}/@search/semantic/limit=3/e/top/{hit.name}") == tree.resolve(
        f"{entity}/@search/semantic/limit=3/e/top/{target}"
    )
    assert tree.resolve("entities/@search") != tree.resolve("chunks/@search") != tree.resolve("@search")


@pytest.mark.parametrize("place", ["@search", "@search/facts", "@find", "@status", "@search/facts/x", ".vscode"])
def test_not_in_areas(tree: Namespace, place: str) -> None:
    for name in ("@search", "@find", "@stat"):
        if place == "@search/facts":
            continue  # there it is a query
        with pytest.raises(NotFoundError):
            tree.resolve(f"{place}/{name}")


def test_only_the_root_lists_areas(tree: Namespace) -> None:
    for node in directories(tree):
        if node != tree.root:
            assert not [entry.name for entry in tree.entries(node) if entry.name.startswith("@")]


def test_places_say_what_they_are(tree: Namespace) -> None:
    driver = NamespaceDriver(tree)
    s = tree.view
    index = max(range(len(s.entities)), key=lambda each: int(s.stated.counts[each]))
    lines = dict(line.split(":", 1) for line in driver.read(f"{s.entity_path(index)}/@stat").decode().splitlines())
    said = {name: value.strip() for name, value in lines.items()}
    assert said["Current"] == f"/mnt/kg/{s.entity_path(index)}/" or said["Current"] == f"/kg/{s.entity_path(index)}/"
    metadata = json.loads(driver.read(f"{s.entity_path(index)}/metadata.json"))
    assert said["Entity"] == metadata["name"] and said["Type"] == metadata["type"]
    assert said["Facts"] == f"{int(s.stated.counts[index]):,}"
    assert said["Chunks"] == f"{s.entity_chunks.count(index):,}"
    for node in directories(tree):
        text = driver.read(f"{tree.path(node)}/@stat".removeprefix("/")).decode()
        assert text.startswith("Current: ") and text.endswith("\n") and len(text.splitlines()) >= 2
