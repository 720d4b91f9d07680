"""Pictures in the tree: true sizes, links that lead to pictures, and no listing that names or waits for one."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

import pytest
from lxml import etree

from kgfs.config import Config
from kgfs.errors import NotFoundError, WorkerError
from kgfs.namespace.status_source import NoStatus
from kgfs.picture_records import Picture
from kgfs.pictures.drawing_child import begin
from kgfs.store.catalog.database import Database
from tests.graph_builder import build
from tests.namespace.drivers import NamespaceDriver, all_nodes, opened

HREF = "{http://www.w3.org/1999/xlink}href"


class InThisProcess:
    """Draws, and counts how often."""

    def __init__(self) -> None:
        self.drawn = 0
        self._draw = begin(Config())

    def draw(self, picture: Picture) -> bytes:
        self.drawn += 1
        drawn: bytes = self._draw(picture)
        return drawn


class Broken:
    def draw(self, picture: Picture) -> bytes:
        raise WorkerError("The worker ended.")


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with build(tmp_path_factory.mktemp("pictures") / "store", entities=12, documents=4, topics=5) as database:
        yield database


def places(tree: NamespaceDriver) -> list[str]:
    """Every picture of a graph but those of figures, chains and hops of all kinds."""
    entities = [f"entities/by_name/{name}" for name in tree.listdir("entities/by_name")]
    homes = [tree.namespace.path(tree.namespace.resolve(each)) for each in entities]
    topics = [f"topics/{name}" for name in tree.listdir("topics") if not name.startswith("_")]
    topics = [each for each in topics if tree.namespace.row(tree.node(each)).kind == "d"]
    slugs = [posixpath.basename(home) for home in homes]
    return [
        *(f"{home}/{name}" for home in homes for name in ("graph.svg", "timeline.svg")),
        *(f"{topic}/graph.svg" for topic in topics),
        "topics/map.svg",
        f"{homes[0]}/@near/2/near.svg",
        f"@path/{slugs[0]}/{slugs[1]}/path.svg",
    ]


def test_sizes_links_and_bytes(database: Database) -> None:
    drawing = InThisProcess()
    tree = NamespaceDriver(opened(database, drawing=drawing))
    wanted = places(tree)
    assert len(wanted) > 20
    for path in wanted:
        node = tree.node(path)
        body = tree.namespace.load(node)
        data = body.read(0, body.size + 1)
        assert len(data) == body.size == tree.namespace.attr(node).size, path
        root = etree.fromstring(data)
        for link in filter(None, (each.get(HREF) for each in root.iter("{*}a"))):
            target = posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(link)))
            assert tree.namespace.row(tree.node(target)).kind == "f", f"{path}: {link}"
    once = drawing.drawn
    assert once <= len(wanted) + len(wanted) // 2  # what is followed is drawn once more at most
    again = NamespaceDriver(opened(database, drawing=InThisProcess()))
    for path in wanted[:6]:
        node, other = tree.node(path), again.node(path)
        assert tree.namespace.load(node).read(0, 1 << 20) == again.namespace.load(other).read(0, 1 << 20)


def test_no_listing_names_or_waits_for_a_picture(database: Database) -> None:
    namespace = opened(database, drawing=Broken())
    names = [name for _, name, _ in all_nodes(namespace)]
    assert len(names) > 200 and not [name for name in names if name.endswith(".svg")]
    tree = NamespaceDriver(namespace)
    home = f"entities/by_name/{tree.listdir('entities/by_name')[0]}"
    home = namespace.path(namespace.resolve(home))
    assert "near.txt" in tree.listdir(f"{home}/@near/2")
    with pytest.raises(WorkerError):
        tree.node(f"{home}/graph.svg")


def test_without_anything_that_draws(database: Database) -> None:
    tree = NamespaceDriver(opened(database))
    with pytest.raises(NotFoundError, match="kgfs mount"):
        tree.node("topics/map.svg")


class Reading(NoStatus):
    """A store of which ``done`` of 40 documents have been read."""

    done = 10

    def status(self) -> Mapping[str, Any]:
        index = {"keyword": {"done": 40, "total": 40}, "extraction": {"done": self.done, "total": 40}}
        return {"index": index, "failed_items": 2}

    def jobs(self) -> Mapping[str, Mapping[str, Any]]:
        return {"1": {"title": "add <b>notes</b>", "state": "running"}}


def test_how_far_reading_is(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kgfs.namespace.views.status.FRESH_SECONDS", 0.0)
    drawing, status = InThisProcess(), Reading()
    tree = NamespaceDriver(opened(database, drawing=drawing, status=status))
    first = tree.read("@status/ingest.svg")
    said = "".join(etree.fromstring(first).itertext())
    for text in ("Text 40 of 40", "Entities and facts 10 of 40", "add <b>notes</b> is running", "2 files could not"):
        assert text in said
    assert len(first) == tree.lstat("@status/ingest.svg").size and tree.read("@status/ingest.svg") == first
    assert drawing.drawn == 1
    status.done = 30
    assert "30 of 40" in "".join(etree.fromstring(tree.read("@status/ingest.svg")).itertext())
    assert drawing.drawn == 2 and "ingest.svg" not in tree.listdir("@status")
    nothing = NamespaceDriver(opened(database, drawing=drawing)).read("@status/ingest.svg")
    assert etree.fromstring(nothing) is not None
