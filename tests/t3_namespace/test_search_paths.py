"""``@search``: nothing runs before it must, once a generation, and what is shown is true."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgfs.errors import KgfsError, NotFoundError, QueryError
from kgfs.namespace.bodies import Overtaken
from kgfs.namespace.namespace import Namespace
from kgfs.namespace.publish import publish
from kgfs.namespace.queries import search
from kgfs.namespace.queries.search import decode, encode
from kgfs.store.database import Database
from tests.graph_builder import build, touch
from tests.t3_namespace.drivers import NamespaceDriver, SubstringSearcher, opened


@pytest.fixture
def searcher(database: Database) -> SubstringSearcher:
    return SubstringSearcher(database)


@pytest.fixture
def failures() -> list[KgfsError]:
    return []


@pytest.fixture
def fresh(database: Database, searcher: SubstringSearcher, failures: list[KgfsError]) -> Iterator[Namespace]:
    yield opened(database, searcher=searcher, path_prefix=lambda: "/mnt/kg/", failed=failures.append)


def test_nothing_runs_at_lookup(fresh: Namespace, searcher: SubstringSearcher) -> None:
    kind = fresh.resolve("@search/semantic")
    query = fresh.lookup(kind, "wages rose")
    fresh.attr(query)
    assert fresh.path(query) == "@search/semantic/wages rose" and not searcher.asked
    assert fresh.pending(query) and fresh.pending(query, "results.jsonl") and fresh.pending(query, "results.txt")
    assert not fresh.pending(kind) and not fresh.pending(kind, "wages rose")
    results = fresh.lookup(query, "results.jsonl")
    with pytest.raises(Overtaken):
        fresh.attr(results)
    fresh.prepare(query, "results.jsonl")
    fresh.prepare(query)
    assert len(searcher.asked) == 1 and not fresh.pending(query) and not fresh.pending(results)
    assert fresh.attr(results).size == fresh.load(results).size


def test_text_runs_at_its_lookup(fresh: Namespace, searcher: SubstringSearcher) -> None:
    text = fresh.resolve("@search/text")
    assert fresh.pending(text, "wages") and not searcher.asked
    fresh.prepare(text, "wages")
    assert not fresh.pending(text, "wages") and len(searcher.asked) == 1
    node = fresh.lookup(text, "wages")
    lines = fresh.load(node).read(0, 1 << 20).decode().splitlines()
    assert len(lines) == 20 and fresh.attr(node).size == fresh.load(node).size
    for line in lines:
        path, _, rest = line.partition(": [")
        assert path.startswith("/mnt/kg/") and rest.startswith("0.90] ")
        fresh.resolve(path.removeprefix("/mnt/kg/"))


def test_results(fresh: Namespace) -> None:
    driver = NamespaceDriver(fresh)
    records = [json.loads(line) for line in driver.read("@search/keyword/1/results.jsonl").splitlines()]
    assert [record["rank"] for record in records] == list(range(1, 21))
    for record in records:
        assert set(record) >= {
            "rank",
            "type",
            "score",
            "path",
            "rel",
            "title",
            "snippet",
            "lines",
            "origin",
            "legs",
            "mode",
        }
        assert record["path"] == f"/mnt/kg/{record['rel']}"
        assert driver.lstat(record["rel"]).kind in "fd"
    top = driver.listdir("@search/keyword/1/top")
    assert [name[:4] for name in top] == [f"{rank:03d}_" for rank in range(1, 21)]
    for name, record in zip(top, records, strict=True):
        assert fresh.path(fresh.resolve(f"@search/keyword/1/top/{name}")) == record["rel"]


def test_entities_have_matches(fresh: Namespace) -> None:
    driver = NamespaceDriver(fresh)
    assert set(driver.listdir("@search/entities/number 11")) == {"matches.jsonl", "results.txt", "top"}
    first = json.loads(driver.read("@search/entities/number 11/matches.jsonl").splitlines()[0])
    assert first["type"] == "entity" and first["rel"].startswith("entities/")
    with pytest.raises(FileNotFoundError):
        driver.read("@search/entities/number 11/results.jsonl")


def test_options(fresh: Namespace, searcher: SubstringSearcher) -> None:
    driver = NamespaceDriver(fresh)
    records = driver.read("@search/facts/limit=3/offset=4/from=2019-10/type=ACQUIRED/ACQ/results.jsonl").splitlines()
    asked = searcher.asked[-1]
    assert (asked.limit, asked.offset, asked.date_from, asked.type, asked.kinds) == (
        3,
        4,
        "2019-10",
        "ACQUIRED",
        ("fact",),
    )
    assert [json.loads(record)["rank"] for record in records] == [5, 6, 7]
    assert len(driver.read("@search/text/limit=2/the").splitlines()) == 2
    hit = fresh.resolve("@search/facts/limit=3/offset=4/from=2019-10/type=ACQUIRED/ACQ/top")
    for entry in fresh.entries(hit):
        assert fresh.target(entry.node).startswith("../" * 8 + "facts/by_type/")


def test_no_hits_is_an_empty_file(fresh: Namespace) -> None:
    driver = NamespaceDriver(fresh)
    assert driver.read("@search/text/zzzzz") == driver.read("@search/facts/zzzzz/results.jsonl") == b""
    assert driver.listdir("@search/facts/zzzzz/top") == []


def test_a_bad_query_is_told(fresh: Namespace, failures: list[KgfsError]) -> None:
    driver = NamespaceDriver(fresh)
    for path in (
        "@search/text/bad",
        "@search/semantic/bad/results.txt",
        "@search/text/...",
        "@search/text/limit=x/wages",
    ):
        with pytest.raises(OSError) as caught:
            driver.read(path if "..." not in path else "@search/text/!!!")
        assert caught.value.errno == errno.EINVAL
    assert len(failures) == 4 and all(isinstance(error, QueryError) for error in failures)
    assert driver.lstat("@search/semantic/bad").kind == "d"


def test_without_a_searcher(database: Database) -> None:
    driver = NamespaceDriver(opened(database))
    driver.lstat("@search/semantic/x")
    with pytest.raises(OSError) as caught:
        driver.read("@search/text/x")
    assert caught.value.errno == errno.EINVAL


def test_names_that_tools_probe(fresh: Namespace, searcher: SubstringSearcher) -> None:
    for path in ("@search/text", "@search/semantic", "@search/semantic/limit=5"):
        node = fresh.resolve(path)
        for name in (".git", ".ignore", ".", "..", ".hidden"):
            assert not fresh.pending(node, name)
            with pytest.raises(NotFoundError):
                fresh.lookup(node, name)
    assert not searcher.asked


def test_decoding_is_exact() -> None:
    assert decode("a%2Fb%2E%25%2f%20%zz") == "a/b.%%2f%20%zz"
    assert decode("%252F") == "%2F"


@given(st.text())
def test_encoding_goes_back(query: str) -> None:
    component = encode(query)
    assert "/" not in component and not component.startswith(".") and decode(component) == query


def test_forgetting(fresh: Namespace, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = fresh.resolve("@search/semantic")
    known = len(fresh.queries)
    first = fresh.lookup(kind, "one")
    assert fresh.lookup(kind, "one") == first and len(fresh.queries) == known + 1
    fresh.forget([kind, fresh.lookup(first, "results.txt"), fresh.root])
    assert fresh.lookup(kind, "one") == first
    fresh.forget([first])
    assert len(fresh.queries) == known
    with pytest.raises(NotFoundError):
        fresh.path(first)
    again = fresh.lookup(kind, "one")
    assert again != first and fresh.path(again) == "@search/semantic/one"
    monkeypatch.setattr(search, "KNOWN_QUERIES", 20)
    nodes = [fresh.lookup(kind, f"query {number}") for number in range(100)]
    assert len(fresh.queries) <= 20 and fresh.path(nodes[-1]).endswith("query 99")
    assert fresh.resolve("@search/facts")


def test_results_are_kept_within_bounds(fresh: Namespace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "KEPT_RESULTS", 3)
    nodes = [fresh.resolve(f"@search/text/{number}") for number in range(5)]
    assert [fresh.pending(node) for node in nodes] == [True, True, False, False, False]
    fresh.prepare(nodes[0])
    assert fresh.load(nodes[0]).size == fresh.attr(nodes[0]).size


def test_a_new_generation_asks_again(tmp_path: Path) -> None:
    with build(tmp_path / "store", entities=12, documents=2) as database:
        searcher = SubstringSearcher(database)
        tree = opened(database, searcher=searcher)
        node = tree.resolve("@search/text/limit=900/Part")
        before = tree.load(node).read(0, 1 << 20)
        touch(database, 0)
        publish(database)
        assert tree.load(node).read(0, 1 << 20) == before and len(searcher.asked) == 1
        tree.adopt(tree.load_snapshot())
        assert tree.pending(node)
        tree.prepare(node)
        assert len(tree.load(node).read(0, 1 << 20)) > len(before) and len(searcher.asked) == 2
