"""What a new snapshot invalidates, against a comparison of the whole tree by brute force."""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

import pytest

from kgfs.namespace.namespace import Namespace
from kgfs.namespace.node import Node
from kgfs.namespace.publish import publish
from kgfs.namespace.segments import entities as entity_segments
from kgfs.namespace.snapshot import Snapshot
from tests.graph_builder import build, touch
from tests.namespace.drivers import SubstringSearcher, all_nodes, opened


def look(namespace: Namespace) -> tuple[dict[Node, Any], dict[tuple[Node, str], Node]]:
    """What each node is (attributes and content), and what each name leads to."""
    nodes: dict[Node, Any] = {}
    names: dict[tuple[Node, str], Node] = {}
    for parent, name, node in all_nodes(namespace):
        names[parent, name] = node
        if namespace.pending(node):
            namespace.prepare(node)
        attr = namespace.attr(node)
        content: Any
        if attr.kind == "f":
            content = namespace.load(node).read(0, 1 << 30)
            attr = attr if not attr.volatile else None  # type: ignore[assignment]
            content = content if attr is not None else None
        elif attr.kind == "l":
            content = namespace.target(node)
        else:
            content = tuple(entry.name for entry in namespace.entries(node))
        nodes[node] = (attr, content)
    return nodes, names


def advance(namespace: Namespace, seed: int) -> tuple[Snapshot, Snapshot]:
    old = namespace.view
    touch(namespace.store.database, seed)
    publish(namespace.store.database)
    new = namespace.load_snapshot()
    namespace.adopt(new)
    return old, new


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(7))
def test_changes_are_exact(tmp_path: Path, seed: int) -> None:
    with build(tmp_path / "store", entities=18, documents=4, chunks_a_document=3, topics=8, seed=seed) as database:
        namespace = opened(database)
        before, names_before = look(namespace)
        for step in range(2):
            old, new = advance(namespace, seed + 7 * step)
            changes = namespace.changed(old, new, [namespace.root, *before])
            after, names_after = look(namespace)

            gone = {place for place, node in names_before.items() if names_after.get(place) != node}
            assert set(changes.entries) == gone
            assert len(changes.entries) == len(gone)
            still = {node for node in before if node in after}
            different = {node for node in still if before[node] != after[node]}
            reported = set(changes.inodes) - {namespace.root}
            assert different <= reported, [namespace.path(node) for node in different - reported]
            # More than what changed is reported only where nobody had asked for the size yet.
            extra = [node for node in reported - different if not namespace.row(node).pattern.startswith("@search")]
            assert all(getattr(namespace.row(node).node_type, "view", None) is not None for node in extra), [
                namespace.path(node) for node in extra
            ]
            added = set(names_after) - set(names_before)
            known_missing = [*added, (namespace.root, "nothing")]
            assert set(namespace.appeared(known_missing)) == added
            before, names_before = after, names_after


def test_nothing_is_reported_for_nothing(tmp_path: Path) -> None:
    with build(tmp_path / "store", entities=20, documents=3) as database:
        namespace = opened(database)
        nodes, _ = look(namespace)
        generation = namespace.view.generation
        assert publish(database) == generation
        changes = namespace.changed(namespace.view, namespace.load_snapshot(), nodes)
        assert changes.entries == []
        lazily = {node for node in changes.inodes if not namespace.row(node).asks}
        assert all(namespace.row(node).node_type.view.lazy for node in lazily)  # type: ignore[union-attr]


def test_only_known_nodes_are_reported(tmp_path: Path) -> None:
    with build(tmp_path / "store", entities=20, documents=3) as database:
        namespace = opened(database)
        nodes, _ = look(namespace)
        known = set(random.Random(5).sample(sorted(nodes), 100))
        old, new = advance(namespace, 1)
        changes = namespace.changed(old, new, known)
        assert set(changes.inodes) <= known


def test_queries_are_asked_again(tmp_path: Path) -> None:
    with build(tmp_path / "store", entities=20, documents=3) as database:
        namespace = opened(database, searcher=SubstringSearcher(database))
        query = namespace.resolve("@search/semantic/wages")
        results = namespace.resolve("@search/semantic/wages/results.txt")
        top = namespace.resolve("@search/semantic/wages/top")
        namespace.prepare(top)
        hits = namespace.entries(top)
        assert hits
        known = [query, results, top, *(hit.node for hit in hits)]
        old, new = advance(namespace, 0)
        assert namespace.pending(results)
        changes = namespace.changed(old, new, known)
        assert set(changes.inodes) == set(known)
        assert set(changes.entries) == {(top, hit.name) for hit in hits}


def test_a_page_whose_text_is_the_same_is_kept(tmp_path: Path) -> None:
    with build(tmp_path / "store", entities=20, documents=3) as database:
        before = database.fetch("SELECT page_id FROM pages ORDER BY 1")
        database.write(lambda cursor: cursor.execute("INSERT INTO stale SELECT 'entity', id FROM entities"))
        publish(database)
        assert database.fetch("SELECT page_id FROM pages ORDER BY 1") == before


def test_publishing_all_over_gives_the_same_texts(tmp_path: Path) -> None:
    """What incremental publishing leaves is what rendering everything would give."""
    with build(tmp_path / "store", entities=40, documents=8) as database:
        for seed in range(21):
            touch(database, seed)
            publish(database)
        sql = "SELECT view, owner_id, name, body FROM pages ORDER BY ALL"
        incremental = database.fetch(sql)
        database.write(
            lambda cursor: cursor.execute("DELETE FROM pages; UPDATE meta SET value = '' WHERE key = 'renderer'")
        )
        publish(database)
        assert [row[:3] for row in database.fetch(sql)] == [row[:3] for row in incremental]
        assert database.fetch(sql) == incremental


def test_a_publish_that_dies_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with build(tmp_path / "store", entities=20, documents=3) as database:
        sql = "SELECT page_id FROM pages ORDER BY 1"
        before = database.fetch(sql), database.fetch("SELECT value FROM meta WHERE key = 'generation'")
        touch(database, 0)

        def dies(cursor: object) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr("kgfs.store.tree.pages.clear_stale", dies)
            with pytest.raises(KeyboardInterrupt):
                publish(database)
        assert (database.fetch(sql), database.fetch("SELECT value FROM meta WHERE key = 'generation'")) == before
        assert database.fetch("SELECT 1 FROM stale LIMIT 1")
        publish(database)
        assert not database.fetch("SELECT 1 FROM stale LIMIT 1")
        assert len(database.fetch(sql)) > len(before[0])


def steps_in(module: Any, work: Any) -> int:
    """How many lines of a module run while ``work`` does: what takes long whatever the machine is busy with."""
    count = 0

    def line(frame: Any, event: str, argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return line

    def call(frame: Any, event: str, argument: Any) -> Any:
        return line if frame.f_code.co_filename == module.__file__ else None

    before = sys.gettrace()
    sys.settrace(call)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("spread", [True, False], ids=["each has some", "one has all"])
def test_former_names_are_found_at_once(tmp_path: Path, spread: bool) -> None:
    """What is to be dropped is worked out in steps that rise with what is known, not with its square."""
    number = 250

    def rename(cursor: Any) -> None:
        kinds = {"entity": "entities", "topic": "topics", "document": "documents"}
        for kind, table in kinds.items():
            rows = [row for (row,) in cursor.execute(f"SELECT id FROM {table} ORDER BY id").fetchall()]
            for each in range(number):
                directory = f"were_{each % 3}" if kind == "entity" else ""
                target = rows[each % len(rows) if spread else 0]
                cursor.execute(
                    "INSERT INTO former_names VALUES (1, ?, ?, ?, ?)", [kind, directory, f"was_{kind}_{each}", target]
                )

    with build(tmp_path / "store", entities=20, documents=3) as database:
        database.write(rename)
        database.write(lambda cursor: cursor.execute("INSERT INTO stale SELECT 'entity', id FROM entities"))
        publish(database)
        namespace = opened(database)
        known = {node for _, name, node in all_nodes(namespace) if name.startswith("was_")}
        assert len(known) == 4 * number  # those of entities by name, too
        for node in known:
            assert namespace.resolve(namespace.path(node).rpartition("/")[0]) == namespace.parent(node)[0]
            assert namespace.lookup(*namespace.parent(node)) == node
        old, new = advance(namespace, 6)
        steps = steps_in(entity_segments, lambda: namespace.changed(old, new, known))
        assert len(known) < steps < 60 * len(known)
