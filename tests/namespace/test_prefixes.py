"""Long lists by how their names begin: how they are split, and the directories that show it."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgfs.errors import NotFoundError
from kgfs.names import slug_key
from kgfs.namespace import prefixes
from kgfs.namespace.domains import Slugged
from kgfs.namespace.namespace import Namespace
from kgfs.namespace.node import NodeRef, NumberedNames, ref_of
from kgfs.namespace.prefixes import Prefixes, prefix_of, rising_keys, split
from kgfs.namespace.publish import publish
from kgfs.store.catalog import dirty_rows
from kgfs.store.catalog.database import Cursor, Database
from tests.graph_builder import build, remove_document, touch
from tests.namespace.drivers import all_nodes, opened
from tests.namespace.test_changes import look

NAMES = st.lists(st.text(alphabet="aAb_éß日🦆", min_size=1, max_size=7), unique=True, max_size=60)
FEW = st.integers(min_value=1, max_value=9)


# --- splitting ------------------------------------------------------------------------------------------------------


def shortest(names: list[str], limit: int) -> dict[str, str]:
    """Each name's prefix, worked out name by name."""
    return {
        name: next(
            (
                name[:length]
                for length in range(1, len(name))
                if sum(other.startswith(name[:length]) for other in names) <= limit
            ),
            name,
        )
        for name in names
    }


@given(NAMES, FEW)
def test_each_name_has_the_shortest_prefix_that_few_share(names: list[str], few: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prefixes, "LIMIT", few)
        found = split(names)
    assert sorted(place for places in found.values() for place in places) == list(range(len(names)))
    assert {names[place]: prefix for prefix, places in found.items() for place in places} == shortest(names, few)
    for prefix, places in found.items():
        assert 1 <= len(places) <= few and places == sorted(places), prefix


def test_names_that_are_all_alike_for_long() -> None:
    """As many as a real list has, with one that is the beginning of all others."""
    head = "Organization_number_" * 9
    names = [head, *(f"{head}{number:05}" for number in range(17_000))]
    random.Random(1).shuffle(names)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prefixes, "LIMIT", 5_000)
        found = split(names)
    # 00000 to 09999 are too many, 10000 to 16999 as well.
    assert found.keys() == {head, *(f"{head}0{each}" for each in range(10)), *(f"{head}1{each}" for each in range(7))}
    assert {len(places) for prefix, places in found.items() if prefix != head} == {1_000}
    assert [names[place] for place in found[head]] == [head]


def test_a_store_in_which_names_are_there_twice() -> None:
    assert {prefix: len(places) for prefix, places in split(["twice"] * 20 + ["two"]).items()} == {
        "twice": 20,
        "two": 1,
    }


def rows(names: list[str]) -> Slugged:
    return Slugged("entity", list(range(1, len(names) + 1)), [0] * len(names), names)  # type: ignore[arg-type]


def shown(found: Prefixes, numbered: NumberedNames) -> dict[str, list[int]]:
    return {numbered.name(number): members.tolist() for number, members in found.members.items()}


@given(st.lists(NAMES, min_size=2, max_size=4), st.lists(st.booleans(), min_size=4, max_size=4), FEW)
def test_a_list_that_follows_another_is_as_if_made_anew(steps: list[list[str]], grow: list[bool], few: int) -> None:
    """Rows came behind the others, or anything else happened."""
    numbered = NumberedNames()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prefixes, "LIMIT", few)
        former = rows(steps[0])
        before = former.by_prefix(numbered)
        for names, grows in zip(steps[1:], grow, strict=False):
            now = rows([*former.slugs, *(name for name in names if name not in former.slugs)] if grows else names)
            now.take_prefixes(former, numbered)
            found = now.by_prefix(numbered)
            assert now.prefixes is found
            anew = rows(now.slugs).by_prefix(numbered)
            assert shown(found, numbered) == shown(anew, numbered)
            assert found.of.tolist() == anew.of.tolist() and found.deep == anew.deep
            assert list(shown(found, numbered)) == sorted(shown(found, numbered))
            assert all(numbered.name(found.of[place]) == prefix_of(name, found.deep)
                       for place, name in enumerate(now.slugs) if found.members)  # fmt: skip
            keys = list(found.keys.values())
            assert found.keys.keys() == found.members.keys() and keys == sorted(set(keys))
            assert all(0 < key < 1 << 56 for key in keys)
            assert all(before.keys[number] == found.keys[number] for number in before.keys.keys() & found.keys.keys())
            former, before = now, found


def test_it_is_not_made_before_somebody_asks() -> None:
    numbered = NumberedNames()
    former, now, same = rows(["a", "b"]), rows(["a", "b", "c"]), rows(["a", "b", "c"])
    now.take_prefixes(former, numbered)
    assert now.prefixes is None
    found = now.by_prefix(numbered)
    same.take_prefixes(now, numbered)
    assert same.prefixes is found, "the same names are not looked at again"


def test_keys_when_there_is_no_room() -> None:
    order, known = [0], rising_keys([0], {})
    again = 0
    for number in range(1, 200):  # each between the last one and the first
        order.insert(len(order) - 1, number)
        found = rising_keys(order, known)
        keys = list(found.values())
        assert list(found) == order and keys == sorted(set(keys)) and keys[0] > 0 and keys[-1] < 1 << 56
        again += known[0] != found[0]
        known = found
    assert 0 < again < 9


# --- the tree -------------------------------------------------------------------------------------------------------


def renamed(database: Database, kind: str, slugs: dict[int, str]) -> None:
    """Rows get other names, and that is published."""

    def work(cursor: Cursor) -> None:
        table = {"entity": "entities", "document": "documents"}[kind]
        for row_id, slug in slugs.items():
            cursor.execute(
                f"UPDATE {table} SET slug = ?, slug_key = ?, changed_at = now()::TIMESTAMP WHERE id = ?",
                [slug, slug_key(slug), row_id],
            )
        dirty_rows.mark_dirty(cursor, kind, list(slugs))

    database.write(work)
    publish(database)


def listed(tree: Namespace, path: str) -> list[str]:
    node = tree.resolve(path)
    if tree.pending(node):
        tree.prepare(node)
    return [entry.name for entry in tree.entries(node)]


def beneath(tree: Namespace, path: str) -> dict[str, list[str]]:
    return {name: listed(tree, f"{path}/{name}") for name in listed(tree, path)}


def everything(tree: Namespace, domain: str) -> list[str]:
    return sorted(chain.from_iterable(beneath(tree, f"{domain}/by_prefix").values()))


@pytest.mark.parametrize("domain", ["entities", "documents"])
def test_each_row_stands_in_one_directory(tree: Namespace, domain: str) -> None:
    s = tree.view
    rows: Slugged = getattr(s, domain)
    found = beneath(tree, f"{domain}/by_prefix")
    assert list(found) == sorted(found) and len(found) > 1
    assert everything(tree, domain) == sorted(rows.slugs)
    for prefix, names in found.items():
        assert all(name.startswith(prefix) for name in names) and len(names) <= prefixes.LIMIT
        here = tree.resolve(f"{domain}/by_prefix/{prefix}")
        held = tree.scope_of(s, here)
        assert [rows.slugs[index] for index in getattr(held, domain)] == names
        assert tree.attr(here)[1:4] == tree.attr(tree.resolve(domain))[1:4]
        for name in names:
            one = f"{domain}/by_prefix/{prefix}/{name}"
            where = s.entity_path if domain == "entities" else s.document_path
            assert tree.path(tree.resolve(one)) == where(rows.by_slug[name])
            with pytest.raises(NotFoundError):
                tree.resolve(f"{domain}/by_prefix/{next(each for each in found if each != prefix)}/{name}")
    with pytest.raises(NotFoundError):
        tree.resolve(f"{domain}/by_prefix/nothing")
    if domain == "documents":
        assert held.chunks is not None
        chunks = {s.chunk_document[chunk] for chunk in held.chunks.tolist()}
        assert chunks == {rows.by_slug[name] for name in names}


def test_it_is_made_in_a_thread_when_somebody_looks(tree: Namespace, database: Database) -> None:
    fresh = opened(database)
    for domain in ("entities", "documents"):
        above = fresh.resolve(domain)
        fresh.prepare(above)
        assert "by_prefix" in [entry.name for entry in fresh.entries(above)]
        assert not fresh.pending(above, "by_prefix")
        here = fresh.lookup(above, "by_prefix")
        fresh.attr(here)
        assert getattr(fresh.view, domain).prefixes is None
        assert fresh.pending(here) and fresh.pending(here, "O")
        fresh.prepare(here)
        assert not fresh.pending(here) and not fresh.pending(fresh.entries(here)[0].node)
    fresh.adopt(fresh.load_snapshot())
    assert fresh.view.entities.prefixes is not None and not fresh.pending(here)


def guide(tree: Namespace) -> bytes:
    node = tree.resolve("AGENTS.md")
    tree.prepare(node)
    return tree.load(node).read(0, 4000)


def test_short_lists_have_none(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    assert b"by_prefix/" in guide(opened(database)) and b"by_prefix" not in guide(opened(database, links=False))
    monkeypatch.setattr(prefixes, "LIMIT", 5_000)
    tree = opened(database)
    assert b"by_prefix" not in guide(tree)
    for domain in ("entities", "documents"):
        assert "by_prefix" not in listed(tree, domain)
        with pytest.raises(NotFoundError):
            tree.resolve(f"{domain}/by_prefix")


def test_a_document_of_this_name_stays_where_it_is(tmp_path: Path) -> None:
    with build(tmp_path / "store", entities=9, documents=8) as database:
        tree = opened(database)
        assert tree.row(tree.resolve("documents/by_prefix")).pattern == "documents/by_prefix/"
        renamed(database, "document", {3: "by_prefix"})
        tree.adopt(tree.load_snapshot())
        assert tree.row(tree.resolve("documents/by_prefix")).pattern == "documents/<doc>/"
        assert listed(tree, "documents").count("by_prefix") == 1
        renamed(database, "document", {3: "another"})
        former = "INSERT INTO former_names VALUES (1, 'document', '', 'by_prefix', 3)"
        database.write(lambda cursor: cursor.execute(former))
        touch(database, 6)
        publish(database)
        tree.adopt(tree.load_snapshot())
        assert tree.path(tree.resolve("documents/by_prefix")) == "documents/another"
        # An entity of this name stands beneath its type.
        renamed(database, "entity", {1: "by_prefix"})
        tree.adopt(tree.load_snapshot())
        assert "by_prefix" in everything(tree, "entities")


def test_what_publications_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists grow beyond what a directory holds, and back: what a reader must drop is what is no longer true."""
    with build(tmp_path / "store", entities=10, documents=5) as database:
        renamed(database, "entity", {1: "A", **{row: f"A{row}" for row in range(2, 6)}})
        tree = opened(database)
        assert beneath(tree, "entities/by_prefix")["A"] == ["A", "A2", "A3", "A4", "A5"]
        assert "by_prefix" not in listed(tree, "documents")
        numbers: dict[str, NodeRef] = {}

        def step(change: Callable[[], object]) -> None:
            old = tree.view
            before, names_before = look(tree)
            change()
            tree.adopt(tree.load_snapshot())
            changes = tree.changed(old, tree.view, before)
            after, names_after = look(tree)
            assert set(changes.entries) == {at for at, node in names_before.items() if names_after.get(at) != node}
            assert {node for node in before if node in after and before[node] != after[node]} <= set(changes.inodes)
            appeared = names_after.keys() - names_before.keys()
            assert set(tree.appeared([*appeared, (tree.root, "nothing")])) == appeared
            for node in before.keys() - after.keys():
                if tree.row(node).pattern.endswith("by_prefix/<prefix>/"):
                    with pytest.raises(NotFoundError):
                        tree.attr(node)
            for _, name, node in all_nodes(tree):
                if tree.row(node).pattern.endswith("by_prefix/<prefix>/"):
                    assert numbers.setdefault(name, ref_of(node)) == ref_of(node), "a prefix keeps its number"

        step(lambda: renamed(database, "entity", {6: "A6"}))
        # Links move to other directories, though nothing of what they lead to is new, and the first one stays.
        assert {name: names for name, names in beneath(tree, "entities/by_prefix").items() if name[0] == "A"} == {
            "A": ["A"], **{f"A{row}": [f"A{row}"] for row in range(2, 7)},
        }  # fmt: skip
        step(lambda: renamed(database, "entity", {6: "Éa"}))
        assert beneath(tree, "entities/by_prefix")["A"] == ["A", "A2", "A3", "A4", "A5"]
        assert beneath(tree, "entities/by_prefix")["É"] == ["Éa"]

        def published(seed: int) -> None:
            touch(database, seed)
            publish(database)

        step(lambda: published(0))  # a document more
        assert len(everything(tree, "documents")) == 6
        step(lambda: published(6))  # entities more
        assert everything(tree, "entities") == sorted(tree.view.entities.slugs)

        def removed() -> None:
            database.write(lambda cursor: remove_document(cursor, 2))
            publish(database)

        step(removed)
        assert "by_prefix" not in listed(tree, "documents")
        monkeypatch.setattr(prefixes, "LIMIT", 50)
        renamed(database, "entity", {6: "B"})
        tree.adopt(tree.load_snapshot())
        with pytest.raises(NotFoundError):
            tree.resolve("entities/by_prefix")
        assert tree.view.entities.prefixes is not None and not tree.view.entities.prefixes.members
