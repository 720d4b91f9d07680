"""The contract suite on the namespace itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kgfs.errors import IsADirectory, NotADirectory, NotFoundError, UsageError
from kgfs.namespace.namespace import Namespace
from kgfs.namespace.node import Node
from kgfs.namespace.publish import publish
from kgfs.store.catalog.database import Cursor, Database
from tests.contract import Contract
from tests.graph_builder import build
from tests.namespace.drivers import NamespaceDriver, SubstringSearcher, all_nodes, opened


class TestNamespace(Contract):
    @pytest.fixture(scope="class")
    @classmethod
    def driver(cls, tree: Namespace) -> NamespaceDriver:
        return NamespaceDriver(tree)


def kinds_of_file(tree: Namespace) -> dict[str, Node]:
    """One file for each row of the table that has one, those of a query among them."""
    found: dict[str, Node] = {}
    for _, _, node in all_nodes(tree):
        row = tree.row(node)
        if row.kind == "f":
            found.setdefault(row.pattern, node)
    for path in ("@search/semantic/wages/results.jsonl", "@search/semantic/wages/results.txt", "@search/text/wages"):
        node = tree.resolve(path)
        found[tree.row(node).pattern] = node
    return found


def test_no_file_minds_being_asked_for_early(database: Database) -> None:
    """A file that was open when a snapshot came is read before anybody prepared it: it is in memory, or it is not."""
    tree = opened(database, searcher=SubstringSearcher(database))
    files = kinds_of_file(tree)
    assert len(files) > 25
    tree.adopt(tree.load_snapshot())
    late = {pattern for pattern, node in files.items() if tree.pending(node)}
    assert {"AGENTS.md", "entities/_index.tsv", "documents/_index.json"} <= late
    for pattern, node in files.items():
        body = tree.peek(node)
        if pattern in late:
            assert body is None, pattern
        else:
            assert body is None or body.size == tree.attr(node).size, pattern
        assert tree.load(node).size == tree.attr(node).size, pattern


def empty(cursor: Cursor) -> None:
    """Remove all that the tree shows."""
    for table in ("fact_topics", "chunk_topics", "entity_chunks", "entity_aliases", "facts", "chunks", "topics",
                  "entities", "documents", "context_items"):  # fmt: skip
        cursor.execute(f"DELETE FROM {table}")


def test_what_is_gone_is_not_found(tmp_path: Path) -> None:
    """Every question about a node of which nothing is left has an answer or is ``ENOENT``, never a fault of ours."""
    with build(tmp_path / "store", entities=30, documents=4) as database:
        tree = opened(database, searcher=SubstringSearcher(database))
        nodes = {node for _, _, node in all_nodes(tree)} | set(kinds_of_file(tree).values())
        assert len(nodes) > 500
        database.write(empty)
        publish(database)
        tree.adopt(tree.load_snapshot())
        assert not len(tree.view.documents) and not len(tree.view.entities)

        def ask(question: Callable[..., object], *arguments: object) -> bool:
            try:
                question(*arguments)
            except (NotFoundError, NotADirectory, IsADirectory, UsageError):
                return False
            return True

        for node in nodes:
            for question in (tree.pending, tree.prepare, tree.attr, tree.entries, tree.target, tree.peek, tree.load):
                ask(question, node)
            ask(tree.parent, node)
            ask(tree.path, node)
            ask(tree.xattrs, node)
            for name in ("summary.txt", "_index.txt", "none"):
                ask(tree.pending, node, name)
                ask(tree.prepare, node, name)
                ask(tree.lookup, node, name)
