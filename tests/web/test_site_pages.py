"""Pages of the website without a browser: links, sizes, bytes, bounds, and that no text of a document does anything."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgfs.config import Config
from kgfs.errors import NotFoundError
from kgfs.namespace.namespace import Namespace
from kgfs.namespace.site import addresses
from kgfs.namespace.site.texts import plain
from kgfs.picture_records import Picture
from kgfs.pictures.drawing_child import begin
from kgfs.site.markdown import passage_html
from kgfs.store.catalog.database import Database
from tests.graph_builder import build
from tests.namespace.drivers import all_nodes, opened
from tests.web.crawling import Page, check_links, check_nothing_runs, check_shape, data, files, page
from tests.web.injected_texts import TEXTS, build_injected

PAGE_BYTES = 256 * 1024
"""No page is larger, whatever the store holds."""


class InThisProcess:
    """Draws as the worker's child does."""

    def __init__(self) -> None:
        self._draw = begin(Config())

    def draw(self, picture: Picture) -> bytes:
        drawn: bytes = self._draw(picture)
        return drawn


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with build_injected(tmp_path_factory.mktemp("site") / "store") as database:
        yield database


@pytest.fixture(scope="module")
def tree(database: Database) -> Namespace:
    return opened(database, drawing=InThisProcess())


@pytest.fixture(scope="module")
def named(tree: Namespace) -> dict[str, int]:
    return files(tree)


@pytest.fixture(scope="module")
def pages(tree: Namespace, named: dict[str, int]) -> dict[str, Page]:
    return {path: page(path, data(tree, node)) for path, node in named.items() if path.endswith(".html")}


def test_every_link_leads_somewhere(named: dict[str, int], pages: dict[str, Page]) -> None:
    assert len(pages) > 200
    assert check_links(pages, set(named)) > 5_000


def test_no_text_becomes_markup_and_every_page_can_be_read_aloud(pages: dict[str, Page]) -> None:
    for each in pages.values():
        check_nothing_runs(each)
        check_shape(each)
    whole = "".join(each.tree.text_content() for each in pages.values())
    assert whole.count("window.injected=1") > 1000  # it is there, as the words that it is


def test_sizes_bytes_and_dates(database: Database, tree: Namespace, named: dict[str, int]) -> None:
    again = opened(database, drawing=InThisProcess())
    for place, (path, node) in enumerate(named.items()):
        if path.endswith(".svg") and place % 9:
            continue
        body = data(tree, node)
        attr = tree.attr(node)
        assert len(body) == attr.size and not attr.volatile, path
        assert data(again, again.resolve(f"@web/{path}")) == body, path
        assert tree.path(node) == f"@web/{path}"
        assert not path.endswith(".html") or len(body) < PAGE_BYTES, path
    entity = tree.resolve("@web/entities/people/Person_number_7.html")
    assert tree.attr(entity).mtime_ns == tree.attr(tree.resolve("entities/people/Person_number_7")).mtime_ns


def test_a_listing_waits_for_no_page(database: Database) -> None:
    tree = opened(database)  # nothing draws here
    count = 0
    for node in [tree.resolve("@web"), *(node for _, _, node in all_nodes(tree, tree.resolve("@web")))]:
        if tree.row(node).kind == "d":
            assert not tree.pending(node)
            entries = tree.entries(node)
            for piece in tree.shown(entries, 0, len(entries)):
                count += sum(piece.sizes) == 0 and piece.like.volatile
    assert count > 300
    assert "@web" not in [entry.name for entry in tree.entries(tree.root)]
    with pytest.raises(NotFoundError, match="kgfs mount"):
        tree.resolve("@web/map.svg")


def test_pictures_lead_to_pages(tree: Namespace, named: dict[str, int]) -> None:
    seen = 0
    for path in [path for path in named if path.endswith("svg")][::9]:
        if path.startswith("assets/"):
            continue
        for target, _ in Page(path, page(path, data(tree, named[path])).tree).links():
            assert target in named and target.endswith(".html"), f"{path} leads to {target}"
            seen += 1
    assert seen > 20


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("", "index.html"),
        ("@status/status.json", "index.html"),
        ("entities", "entities/index.html"),
        ("entities/people", "entities/people/index.html"),
        ("entities/people/Person_number_7/facts/all.jsonl", "entities/people/Person_number_7.html"),
        ("entities/people/Nobody", "entities/people/index.html"),
        ("documents", "documents/index.html"),
        ("documents/note_2/summary.txt", "documents/note_2.html"),
        ("chunks/by_document/note_2/chunk_0003/content.txt", "documents/note_2.html#chunk_0003"),
        ("chunks/by_document/note_2", "documents/note_2.html"),
        ("chunks/by_document/nothing/chunk_0003", "documents/index.html"),
        ("facts/by_type/ACQUIRED", "facts/ACQUIRED/index.html"),
        ("facts/by_date/2015", "facts/index.html"),
        ("topics/topic_2/subtopics/topic_5/definition.txt", "topics/topic_5.html"),
        ("topics/index", "topics/index%2C.html".replace("%2C", ",")),
        ("context/disk/home/ann/Vault/note 2.md", "documents/note_2.html"),
        ("context/disk/home/ann", "index.html"),
    ],
)
def test_the_page_of_a_place(tree: Namespace, named: dict[str, int], path: str, expected: str) -> None:
    found = addresses.of_path(tree.view, path)
    assert found.seen_from("") == expected and found.page in named


@given(st.text("abc,.2index~", min_size=1, max_size=12), st.integers(1, 3000))
def test_names_of_pages_are_one_to_one(slug: str, part: int) -> None:
    if "," in slug:  # no slug has one
        return
    name = addresses.page_name(slug, part)
    assert addresses.named(name) == (slug, part)
    assert name not in {addresses.list_name(each) for each in (1, part)}


@given(st.text())
def test_any_text_is_a_passage(text: str) -> None:
    check_nothing_runs(page("documents/x.html", f"<div>{passage_html(text, {})}</div>".encode("utf-8", "replace")))
    plain(text)


@pytest.mark.parametrize("text", TEXTS)
def test_injected_passages(text: str) -> None:
    for around in (
        "{}",
        "# {}",
        "- {}",
        "> {}",
        "| {} |\n|---|\n| {} |",
        "*{}*",
        "[{}]({})",
        "[[{}]]",
        "```{}\n{}\n```",
    ):
        shown = passage_html(around.replace("{}", text), {"x": "x.html"})
        check_nothing_runs(page("documents/x.html", f"<div>{shown}</div>".encode("utf-8", "replace")))


def test_links_of_passages() -> None:
    text = (
        "[[Alphabet Inc.|Google]], [[nobody]], [a page](other.md), [the web](https://example.org/a?b=1&c), ![x](y.png)"
    )
    assert passage_html(text, {"Alphabet Inc.": "../entities/Alphabet_Inc.html"}) == (
        '<p><a href="../entities/Alphabet_Inc.html">Google</a>, nobody, <span>a page</span>, '
        '<a href="https://example.org/a?b=1&amp;c" rel=noreferrer>the web</a>, !<span>x</span></p>\n'
    )


@pytest.mark.slow
def test_ten_thousand_entities(tmp_path: Path) -> None:
    """Lists are cut into pages, and no page grows with the store."""
    with build(tmp_path / "store", entities=10_000, documents=400, topics=1_000) as database:
        tree = opened(database)
        began = time.monotonic()
        named = files(tree)
        assert time.monotonic() - began < 10
        assert sum(path.startswith("entities/people/index") for path in named) == -(-1_667 // addresses.ROWS)
        some = [path for path in named if path.endswith(".html")]
        lists = [path for path in some if "/index" in path or path == "index.html"]
        pages = {path: page(path, data(tree, named[path])) for path in [*lists, *some[:: len(some) // 40]]}
        for path, each in pages.items():
            assert tree.attr(named[path]).size < PAGE_BYTES, path
            for target, _ in each.links():
                assert target in named, f"{path} leads to {target}"
        reached = {target for path in lists for target, _ in pages[path].links()}
        everything = {path for path in some if path.startswith(("entities/", "topics/", "documents/"))}
        assert {path for path in everything if "," not in path} <= reached  # every page can be found from a list


def test_an_empty_store(tmp_path: Path) -> None:
    with build(tmp_path / "store", entities=0, documents=0, topics=0) as database:
        tree = opened(database)
        named = files(tree)
        pages = {path: page(path, data(tree, named[path])) for path in named if path.endswith(".html")}
        assert "kgfs add" in pages["index.html"].tree.text_content()
        check_links({path: each for path, each in pages.items()}, {*named, "map.svg"})
