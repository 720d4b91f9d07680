"""``@search``: nothing runs before it must, once a generation, and what is shown is true."""

from __future__ import annotations

import errno
import json
import random
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgfs.errors import KgfsError, NotFoundError, QueryError
from kgfs.namespace.bodies import StaleSnapshotError
from kgfs.namespace.journal import NoFile
from kgfs.namespace.namespace import Namespace
from kgfs.namespace.publish import publish
from kgfs.namespace.queries import query_cache, search
from kgfs.namespace.queries.query_cache import decode, encode
from kgfs.store.catalog.database import Database
from tests.graph_builder import build, touch
from tests.namespace.drivers import NamespaceDriver, SubstringSearcher, opened


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
    with pytest.raises(StaleSnapshotError):
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
    assert set(driver.listdir("@search/entities/number 11")) == {"matches.jsonl", "results.txt", "follow.jsonl", "top"}
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
    assert len(fresh.queries) == known - 1, "and the kind, of which nothing is known any more"
    with pytest.raises(NotFoundError):
        fresh.path(first)
    kind = fresh.resolve("@search/semantic")
    again = fresh.lookup(kind, "one")
    assert again != first and fresh.path(again) == "@search/semantic/one"
    monkeypatch.setattr(query_cache, "KNOWN_QUERIES", 20)
    fresh.forget([again])
    kind = fresh.resolve("@search/semantic")
    nodes = [fresh.lookup(kind, f"query {number}") for number in range(100)]
    assert len(fresh.queries) <= 20 and fresh.path(nodes[-1]).endswith("query 99")
    assert fresh.resolve("@search/facts")


def test_results_are_kept_within_bounds(fresh: Namespace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query_cache, "KEPT_RESULTS", 3)
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


# --- answers that may soon be better ----------------------------------------------------------------------------------


class Clock:
    """Stands in for ``time`` in the module of the queries."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        monkeypatch.setattr(query_cache, "time", self)

    def monotonic(self) -> float:
        return self.now

    def time_ns(self) -> int:
        return int(self.now * 1e9)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


LOADING = "keyword, model loading"
FILES = ("@search/text/wages", "@search/semantic/wages/results.jsonl", "@search/entities/number 1/matches.jsonl")


@pytest.mark.parametrize("path", [*FILES, "@search/semantic/wages/results.txt"])
def test_an_answer_without_the_model_is_asked_again(
    fresh: Namespace, searcher: SubstringSearcher, clock: Clock, path: str
) -> None:
    searcher.mode = LOADING
    driver = NamespaceDriver(fresh)
    before, seen = driver.read(path), driver.lstat(path)
    assert fresh.attr(driver.node(path)).volatile and seen.size == len(before)
    searcher.mode = "hybrid"
    clock.now += query_cache.PASSING_SECONDS - 0.01
    assert (driver.read(path), driver.lstat(path)) == (before, seen) and len(searcher.asked) == 1
    clock.now += 0.02
    node = driver.node(path)
    assert len(searcher.asked) == 2 and fresh.attr(node).volatile, "a write overtakes it"
    after = driver.read(path)
    assert driver.lstat(path).size == len(after)
    assert driver.lstat(path).mtime_ns > seen.mtime_ns, "other bytes, another time"
    assert path.endswith("jsonl") is (after != before)
    clock.now += 1e9
    assert driver.read(path) == after and len(searcher.asked) == 2, "this one stands for its generation"


def test_a_settled_answer_has_the_time_of_the_generation(fresh: Namespace) -> None:
    driver = NamespaceDriver(fresh)
    for path in FILES:
        driver.read(path)
        attr = fresh.attr(driver.node(path))
        assert attr.mtime_ns == attr.ctime_ns == fresh.view.published * 1000


def test_a_write_overtakes_what_tells_of_files(fresh: Namespace, searcher: SubstringSearcher) -> None:
    """What is known of the graph stands for its generation; what is said of texts until somebody writes."""
    driver = NamespaceDriver(fresh)
    paths = ("@search/semantic/wages/results.jsonl", "@grep/wages", "@stat")
    before = [driver.read(path) for path in paths]
    assert [fresh.attr(driver.node(path)).volatile for path in paths] == [True, True, False]
    assert [driver.read(path) for path in paths] == before and len(searcher.asked) == 1
    query = driver.node("@search/semantic/wages/results.jsonl")
    fresh.hold(query)
    fresh.journal.note([], fresh.view.context)
    fresh.journal.note([NoFile(-1, 0)], fresh.view.context)
    assert driver.read(paths[0]) == before[0] and len(searcher.asked) == 1, "a reader has it open"
    fresh.let_go(query)
    assert [driver.read(path) for path in paths] == before and len(searcher.asked) == 2
    assert fresh.attr(query).mtime_ns > fresh.view.published * 1000


def test_what_a_reader_has_open_stays(fresh: Namespace, searcher: SubstringSearcher, clock: Clock) -> None:
    searcher.mode = LOADING
    driver = NamespaceDriver(fresh)
    query = driver.node("@search/semantic/limit=3/wages")
    held = [driver.node(f"@search/semantic/limit=3/wages/{name}") for name in ("results.jsonl", "results.txt", "top")]
    for node in held:
        fresh.hold(node)
    names = [entry.name for entry in fresh.entries(held[2])]
    assert fresh.attr(fresh.entries(held[2])[0].node).volatile, "a link to a hit may lead elsewhere soon"
    before = [(fresh.attr(node).size, fresh.load(node).read(0, 1 << 20)) for node in held[:2]]
    searcher.mode = "hybrid"
    for node in held:
        clock.now += 3600
        assert not any(fresh.pending(each) for each in (*held, query)) and len(searcher.asked) == 1
        assert [(fresh.attr(each).size, fresh.load(each).read(0, 1 << 20)) for each in held[:2]] == before
        assert [entry.name for entry in fresh.entries(held[2])] == names
        fresh.let_go(node)
    assert fresh.pending(query)
    fresh.prepare(query)
    assert len(searcher.asked) == 2
    fresh.let_go(held[0])  # once too often, by a reader of another time
    fresh.hold(fresh.root)
    fresh.let_go(fresh.root)


def test_one_asks_while_others_wait(fresh: Namespace, searcher: SubstringSearcher, clock: Clock) -> None:
    searcher.mode = LOADING
    started = threading.Barrier(9, timeout=30)
    searcher.during = lambda: started.wait() and None
    query = fresh.resolve("@search/semantic/wages")

    def ask(first: bool) -> None:
        if not first:
            started.wait()
        fresh.prepare(query)

    threads = [threading.Thread(target=ask, args=(number == 0,)) for number in range(9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(searcher.asked) == 1 and not fresh.pending(query)


def test_an_answer_overtaken_by_a_commit_is_given_and_asked_again(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with build(tmp_path / "store", entities=12, documents=2) as database:
        searcher = SubstringSearcher(database)
        tree = opened(database, searcher=searcher)

        def commit() -> None:
            touch(database, len(searcher.asked))
            publish(database)
            tree.adopt(tree.load_snapshot())

        searcher.during = commit
        node = tree.resolve("@search/text/limit=900/Part")
        assert len(searcher.asked) == 1, "it is not asked a second time for the commit"
        assert not tree.pending(node) and tree.attr(node).volatile
        body = tree.load(node)
        assert tree.attr(node).size == body.size > 0
        for line in body.read(0, 1 << 20).decode().splitlines():
            tree.resolve(line.partition(": [")[0].removeprefix("/kg/"))
        searcher.during = lambda: None
        clock.now += query_cache.PASSING_SECONDS + 1
        assert tree.pending(node)
        tree.prepare(node)
        clock.now += query_cache.PASSING_SECONDS + 1
        assert len(searcher.asked) == 2 and not tree.pending(node)
        assert tree.load(node).size >= body.size


def test_commits_without_end_end_in_a_new_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with build(tmp_path / "store", entities=12, documents=2) as database:
        tree = opened(database, searcher=SubstringSearcher(database))
        shown = search.records
        seeds = iter(range(1000))

        def records(*arguments: object) -> object:
            touch(database, next(seeds))
            publish(database)
            tree.adopt(tree.load_snapshot())
            return shown(*arguments)  # type: ignore[arg-type]

        monkeypatch.setattr(search, "records", records)
        node = tree.lookup(tree.resolve("@search/text"), "Part")
        tree.prepare(node)
        assert tree.pending(node)
        monkeypatch.setattr(search, "records", shown)
        tree.prepare(node)
        assert not tree.pending(node)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**32), st.lists(st.sampled_from(["look", "open", "close", "wait", "load model"]), max_size=40))
def test_size_and_bytes_agree_whatever_the_order(database: Database, seed: int, steps: list[str]) -> None:
    chance = random.Random(seed)
    searcher = SubstringSearcher(database)
    searcher.mode = LOADING
    with pytest.MonkeyPatch.context() as patched:
        clock = Clock(patched)
        tree = opened(database, searcher=searcher)
        driver = NamespaceDriver(tree)
        opened_nodes: list[tuple[int, int, bytes]] = []
        for step in steps:
            path = chance.choice(FILES)
            if step == "look":
                node = driver.node(path)
                assert tree.attr(node).size == tree.load(node).size
            elif step == "open":
                node = driver.node(path)
                tree.hold(node)
                opened_nodes.append((node, tree.attr(node).size, tree.load(node).read(0, 1 << 20)))
            elif step == "close" and opened_nodes:
                tree.let_go(opened_nodes.pop(chance.randrange(len(opened_nodes)))[0])
            elif step == "wait":
                clock.now += chance.choice([1, 3, 10])
            elif step == "load model":
                searcher.mode = "hybrid"
            for node, size, data in opened_nodes:
                assert tree.attr(node).size == size == len(data)
                assert tree.load(node).read(0, 1 << 20) == data
        if not opened_nodes:
            searcher.mode = "hybrid"
            clock.now += 10
            for path in FILES:
                node = driver.node(path)
                clock.now += 1e9
                assert not tree.pending(node)
