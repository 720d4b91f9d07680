"""``@grep`` without the flag r: the lines of the passages that belong to a directory, each once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from kgfs.errors import NotADirectory, NotFoundError, QueryError
from kgfs.namespace.namespace import Namespace
from kgfs.namespace.publish import publish
from kgfs.namespace.queries import grep
from kgfs.service.service import Service
from kgfs.store.files.items import NewItem, put_item
from tests.graph_builder import build
from tests.namespace.drivers import opened
from tests.namespace.test_grep import Tree, gnu, write_out


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tree]:
    place = tmp_path_factory.mktemp("passages")
    with build(place / "store", entities=18, documents=14, chunks_a_document=3, topics=5) as database:
        for path, body in {"/odd/.hidden": b"wages\nhidden wages\n", "/odd/nul": b"wages \x00\n"}.items():
            database.write(partial(put_item, item=NewItem(drive="disk", path=path, body=body)))
        publish(database)
        namespace = opened(database)
        write_out(namespace, place / "copy")
        yield Tree(namespace, place / "copy")


def ours(namespace: Namespace, scope: str, pattern: str, flags: str = "", few_files: int = 400) -> bytes:
    found = grep.search(
        namespace, namespace.store, namespace.view, namespace.resolve(scope), pattern, flags, few_files=few_files
    )
    return b"".join(
        line.path + b"\n" if found.names else b"%b:%d:%b\n" % (line.path, line.number, line.text)
        for line in found.lines()
    )


ENTITY, TOPIC = "entities/organizations/Organization_number_6", "topics/topic_1"
PLACES = {
    "chunks": "chunks/by_document/*/*",
    "": "chunks/by_document/*/*",
    "documents": "chunks/by_document/*/*",
    "context/disk": "chunks/by_document/*/*",
    "documents/note_7": "chunks/by_document/note_7/*",
    "documents/note_7/chunks": "chunks/by_document/note_7/*",
    "chunks/by_document/note_1/chunk_0001": "chunks/by_document/note_1/chunk_0001",
    ENTITY: f"{ENTITY}/chunks/*",
    f"{ENTITY}/chunks": f"{ENTITY}/chunks/*",
    f"chunks/by_topic/{TOPIC.rpartition('/')[2]}": f"chunks/by_topic/{TOPIC.rpartition('/')[2]}/*",
    "entities": "entities/*/*/chunks/*",
    "entities/people": "entities/people/*/chunks/*",
}
"""Directories, and where their passages are in a copy of the tree (links are followed)."""


@pytest.mark.slow
@pytest.mark.parametrize("scope", PLACES)
@pytest.mark.parametrize("flags", ["", "i", "F", "w", "l"])
def test_the_passages_of_a_place(tree: Tree, scope: str, flags: str) -> None:
    """As GNU grep finds them in the files of its passages, each line once, in order."""
    root = tree.copy.resolve()
    passages = sorted(
        {f"{each.resolve().relative_to(root)}/content.txt" for each in root.glob(PLACES[scope]) if each.is_dir()}
    )
    assert passages
    lines = 0
    for pattern in ("wages", "NUMBER [0-9]", "é", "^$", "e"):
        wanted = gnu(tree.copy, pattern, f"H{flags}", *passages)[1]
        stored = [
            line for line in ours(tree.namespace, scope, pattern, flags).splitlines(keepends=True)
            if not line.startswith(b"context/")
        ]  # fmt: skip
        assert sorted(stored) == sorted(wanted.splitlines(keepends=True))
        assert ours(tree.namespace, scope, pattern, flags, 0) == ours(tree.namespace, scope, pattern, flags)
        keys = [(line.split(b":")[0], 0 if flags == "l" else int(line.split(b":")[1])) for line in stored]
        assert keys == sorted(set(keys))
        lines += len(stored)
    assert lines


def test_files_without_passages_are_read_themselves(tree: Tree) -> None:
    """In context/ and at the root alone; what has passages is not said twice."""
    own = b"context/disk/odd/.hidden:1:wages\ncontext/disk/odd/.hidden:2:hidden wages\n"
    for scope in ("context/disk/odd", "context", ""):
        found = ours(tree.namespace, scope, "wages")
        assert b"".join(line for line in found.splitlines(True) if line.startswith(b"context/")) == own
    assert b"context/" not in ours(tree.namespace, "documents", "hidden") + ours(tree.namespace, ENTITY, "hidden")


def test_what_is_no_place(tree: Tree) -> None:
    with pytest.raises(NotADirectory):
        ours(tree.namespace, "AGENTS.md", "x")
    with pytest.raises(QueryError):
        ours(tree.namespace, "documents", "(")
    gone = tree.namespace.resolve(ENTITY) + (1 << 40)
    with pytest.raises(NotFoundError):
        grep.search(tree.namespace, tree.namespace.store, tree.namespace.view, gone, "x", "")


def test_what_was_just_written(tmp_path: Path) -> None:
    """A note is found as it is now, by its file until it is cut into passages."""
    with Service.open(tmp_path / "store", create=True) as service:
        namespace, places = service.namespace, service.files_by_path
        places.put("agent", "/a.md", b"wages before\n")
        namespace.adopt(namespace.load_snapshot())
        places.put("agent", "/a.md", b"no\nwages now\n")
        places.put("agent", "/sub/b.md", b"wages new\n")
        assert ours(namespace, "", "wages") == (b"context/agent/a.md:2:wages now\ncontext/agent/sub/b.md:1:wages new\n")
        assert ours(namespace, "context/agent/sub", "wages") == b"context/agent/sub/b.md:1:wages new\n"
        assert ours(namespace, "documents", "wages") == b""
