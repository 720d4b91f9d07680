"""Chains of facts between two entities and who is near one, beside walks that try everything."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgfs.errors import QueryError
from kgfs.namespace.namespace import Namespace
from kgfs.namespace.pages import PageStore
from kgfs.namespace.queries import adjacency as adjacency_module
from kgfs.namespace.queries import named_rows, path_files, paths
from kgfs.namespace.queries.adjacency import Adjacency, adjacency_of
from kgfs.store.database import Database
from tests.namespace.drivers import NamespaceDriver

Fact = tuple[int, int, float]
"""Subject, object (-1: none), confidence."""


class Slugs:
    def __init__(self, count: int) -> None:
        self.slugs = [f"e{number:02d}" for number in range(count)]

    def __len__(self) -> int:
        return len(self.slugs)


class Graph:
    """As much of a snapshot as walking needs."""

    def __init__(self, entities: int, facts: list[Fact]) -> None:
        self.fact_subject_array = np.array([fact[0] for fact in facts], np.int32)
        self.fact_object_array = np.array([fact[1] for fact in facts], np.int32)
        self.facts = SimpleNamespace(mtime_array=np.zeros(len(facts), np.int64))
        self.entities = Slugs(entities)
        confidence = np.array([fact[2] for fact in facts], float)
        adjacency_module._known[self] = Adjacency(self, confidence)  # type: ignore[arg-type, index]


def strengths(facts: list[Fact]) -> dict[tuple[int, int], float]:
    """How strongly two entities are bound, either way round."""
    doubt: dict[tuple[int, int], float] = {}
    for subject, object_, sure in facts:
        if object_ >= 0 and subject != object_:
            for pair in ((subject, object_), (object_, subject)):
                doubt[pair] = doubt.get(pair, 1.0) * (1 - min(max(sure, 0.01), 0.99))
    return {pair: 1 - value for pair, value in doubt.items()}


def all_chains(bound: dict[tuple[int, int], float], start: int, end: int, hops: int) -> Iterator[tuple[int, ...]]:
    """Every chain without an entity twice, by trying all."""
    waiting: list[tuple[int, ...]] = [(start,)]
    while waiting:
        path = waiting.pop()
        if path[-1] == end:
            yield path
        elif len(path) <= hops:
            waiting += [(*path, other) for near, other in bound if near == path[-1] and other not in path]


graphs = st.integers(2, 9).flatmap(
    lambda count: st.tuples(
        st.just(count),
        st.lists(
            st.tuples(
                st.integers(0, count - 1), st.integers(-1, count - 1), st.sampled_from((0.0, 0.3, 0.5, 0.7, 0.9, 1.0))
            ),
            max_size=26,
        ),
    )
)


@settings(max_examples=250)
@given(graphs, st.integers(1, 4), st.sampled_from((1, 3, 20, 10_000)))
def test_chains_are_the_best_of_all(graph: tuple[int, list[Fact]], hops: int, limit: int) -> None:
    count, facts = graph
    bound = strengths(facts)
    s: Any = Graph(count, facts)
    for start, end in ((0, 1), (1, 0), (count - 1, 0)):
        if start == end:
            continue
        every = [
            (len(path) - 1, -math.prod(bound[step] for step in itertools.pairwise(path)), path)
            for path in all_chains(bound, start, end, hops)
        ]
        ranks = sorted((length, cost) for length, cost, _ in every)[:limit]
        answer = paths.chains(None, s, start, end, hops, limit)  # type: ignore[arg-type]
        assert not answer.late
        assert answer.more == (len(every) > limit)
        assert [len(chain.edges) for chain in answer.found] == [length for length, _ in ranks]
        assert [-chain.strength for chain in answer.found] == pytest.approx([cost for _, cost in ranks], abs=1e-7)
        assert len({chain.entities for chain in answer.found}) == len(answer.found)
        assert {chain.entities for chain in answer.found} <= {path for _, _, path in every}
        again = paths.chains(None, s, start, end, hops, limit)  # type: ignore[arg-type]
        assert again == answer
        for chain in answer.found:
            for pair, edge in zip(itertools.pairwise(chain.entities), chain.edges, strict=True):
                said = {facts[fact][:2] for fact in adjacency_module._known[s].facts(edge)}
                assert said <= {pair, pair[::-1]}


@settings(max_examples=250)
@given(graphs, st.integers(1, 4))
def test_near_is_who_is_in_reach(graph: tuple[int, list[Fact]], hops: int) -> None:
    count, facts = graph
    bound = strengths(facts)
    s: Any = Graph(count, facts)
    answer = paths.near(None, s, 0, hops)  # type: ignore[arg-type]
    distance, layer, score = {0: 0}, [0], {0: 1.0}
    for hop in range(1, hops + 1):
        reached = sorted({other for near, other in bound if near in layer and other not in distance})
        for other in reached:
            distance[other] = hop
            score[other] = 1 - math.prod(
                1 - score[near] * bound[near, other] for near in layer if (near, other) in bound
            )
        layer = reached
    assert answer.total == len(distance) - 1
    assert {row.entity: row.hops for row in answer.found} == {e: hop for e, hop in distance.items() if hop}
    ranks = [(row.hops, -row.score, s.entities.slugs[row.entity]) for row in answer.found]
    assert ranks == sorted(ranks)
    for row in answer.found:
        assert row.score == pytest.approx(score[row.entity], abs=1e-6)
        assert distance[row.via] == row.hops - 1
        between = [
            fact for fact in facts for pair in (fact[:2], fact[1::-1])
            if pair[0] == row.entity and distance.get(pair[1], 9) == row.hops - 1 and -1 not in pair
        ]  # fmt: skip
        assert row.facts == len(between)
    for limit in (1, 2, 3):
        cut = paths.near(None, s, 0, hops, limit)  # type: ignore[arg-type]
        assert cut.found == answer.found[:limit]
        assert cut.total == answer.total


def test_a_hub_and_a_crowd_do_not_hang() -> None:
    crowd = 3000
    facts = [(0, other, 0.5) for other in range(2, crowd)] + [(1, other, 0.5) for other in range(2, crowd)]
    s: Any = Graph(crowd, facts)
    answer = paths.chains(None, s, 0, 1)  # type: ignore[arg-type]
    assert len(answer.found) == paths.CHAINS
    assert answer.more and not answer.late
    assert {len(chain.edges) for chain in answer.found} == {2}
    assert [chain.entities[1] for chain in answer.found] == list(range(2, 2 + paths.CHAINS))
    around = paths.near(None, s, 0, 2, limit=100)  # type: ignore[arg-type]
    assert (len(around.found), around.total) == (100, crowd - 1)


def test_a_search_that_is_cut_says_so() -> None:
    s: Any = Graph(30, [(a, b, 0.5) for a in range(30) for b in range(a)])
    answer = paths.chains(None, s, 0, 1, limit=100_000, seconds=0.0)  # type: ignore[arg-type]
    assert answer.late


# --- over a graph ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def store(database: Database) -> PageStore:
    return PageStore(database)


def ends(store: PageStore, tree: Namespace) -> Iterator[tuple[int, int, paths.Chains]]:
    """Pairs of entities with their chains."""
    s = tree.view
    for start in range(0, len(s.entities), 7):
        for end in range(3, len(s.entities), 11):
            if start != end:
                answer = paths.chains(store, s, start, end)
                if answer.found:
                    yield start, end, answer


def test_the_files_of_a_path(store: PageStore, tree: Namespace) -> None:
    s, driver = tree.view, NamespaceDriver(tree)
    checked = 0
    for start, end, answer in itertools.islice(ends(store, tree), 40):
        text = path_files.path_txt(store, s, answer).decode()
        objects = [json.loads(line) for line in path_files.path_jsonl(store, s, answer).splitlines()]
        assert ("@truncated" in objects[-1]) == answer.more
        objects = objects[: len(answer.found)]
        heads = [line for line in text.splitlines() if not line.startswith((" ", "#"))]
        assert len(heads) == len(objects) == len(answer.found)
        for rank, (line, said, chain) in enumerate(zip(heads, objects, answer.found, strict=True), 1):
            assert (said["rank"], said["hops"]) == (rank, len(chain.edges))
            assert said["entities"][0]["path"] == s.entity_path(start)
            assert said["entities"][-1]["path"] == s.entity_path(end)
            shown = said["entities"][0]["name"]
            for fact, here, there in zip(said["facts"], said["entities"], said["entities"][1:], strict=False):
                file = json.loads(driver.read(fact["path"]))
                sides = (here, there) if fact["direction"] == "forward" else (there, here)
                assert (file["subject"], file["object"]) == (sides[0]["name"], sides[1]["name"])
                assert {name: file[name] for name in ("fact_id", "type", "date", "confidence", "quote")} == {
                    name: fact[name] for name in ("fact_id", "type", "date", "confidence", "quote")
                }
                assert json.loads(driver.read(f"{here['path']}/metadata.json"))["name"] == here["name"]
                arrow = f"─{fact['type']}→" if fact["direction"] == "forward" else f"←{fact['type']}─"
                shown += f" {arrow} {there['name']}"
                assert f"    {fact['path']}: [" in text
            assert line == shown
        links = path_files.path_links(store, s, answer)
        assert [link.name[:2] for link in links] == [f"{place:02d}" for place in range(1, len(links) + 1)]
        for link in links:
            assert tree.path(tree.resolve(link.path)) == link.path
            assert link.mtime * 1000 == tree.attr(tree.resolve(link.path)).mtime_ns
        assert links[0].path == s.entity_path(start) and links[-1].path == s.entity_path(end)
        checked += 1
    assert checked > 5


def test_the_files_of_near(store: PageStore, tree: Namespace) -> None:
    s, driver = tree.view, NamespaceDriver(tree)
    entity = max(range(len(s.entities)), key=lambda each: paths.near(store, s, each, 4).total)
    answer = paths.near(store, s, entity, 4)
    assert len({row.hops for row in answer.found}) > 2
    objects = [json.loads(line) for line in path_files.near_jsonl(store, s, answer).splitlines()]
    lines = path_files.near_txt(store, s, answer).decode().splitlines()
    links = path_files.near_links(s, answer)
    assert len(objects) == len(lines) == len(links) == answer.total
    for said, line, link in zip(objects, lines, links, strict=True):
        metadata = json.loads(driver.read(f"{said['path']}/metadata.json"))
        assert (metadata["name"], metadata["slug"], metadata["type"]) == (said["name"], said["slug"], said["type"])
        assert line.startswith(f"{said['path']}: [{said['hops']} hop")
        assert link.name == f"{said['rank']:03d}_{said['slug']}"
        assert tree.path(tree.resolve(link.path)) == said["path"]
        file = json.loads(driver.read(said["fact"]["path"]))
        assert {file["subject_slug"], file["object_slug"]} == {said["slug"], said["via"]}
    one = paths.near(store, s, entity, 4, limit=2)
    assert json.loads(path_files.near_jsonl(store, s, one).splitlines()[-1])["@truncated"] == "entities"
    assert (
        path_files.near_txt(store, s, one).decode().splitlines()[-1] == f"# The nearest 2 of {answer.total} are shown."
    )


def test_one_hop_is_what_the_relationships_of_an_entity_are(store: PageStore, tree: Namespace) -> None:
    s, driver = tree.view, NamespaceDriver(tree)
    for entity in range(0, len(s.entities), 5):
        path = s.entity_path(entity)
        others = set()
        for side in ("relationships", "related_to"):
            if side in driver.listdir(path):
                for kind in driver.listdir(f"{path}/{side}"):
                    others |= {name for name in driver.listdir(f"{path}/{side}/{kind}") if not name.startswith("_")}
        found = {s.entities.slugs[row.entity] for row in paths.near(store, s, entity, 1).found}
        assert found == others - {s.entities.slugs[entity]}


def test_no_chain_is_an_empty_file(store: PageStore, tree: Namespace) -> None:
    nothing = paths.Chains([], False, False)
    assert path_files.path_txt(store, tree.view, nothing) == b""
    assert path_files.path_jsonl(store, tree.view, nothing) == b""
    assert path_files.path_links(store, tree.view, nothing) == []


def test_what_cannot_be_asked(store: PageStore, tree: Namespace) -> None:
    with pytest.raises(QueryError, match="same entity"):
        paths.chains(store, tree.view, 3, 3)
    for hops in (0, 5, -1):
        with pytest.raises(QueryError, match="1 to 4"):
            paths.near(store, tree.view, 3, hops)


def test_the_bonds_are_made_once_a_generation(store: PageStore, tree: Namespace) -> None:
    assert adjacency_of(store, tree.view) is adjacency_of(store, tree.view)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("Person_number_1", "Person_number_1"),
        ("Person number 1", "Person_number_1"),
        ("person NUMBER 1", "Person_number_1"),
        ("entities/people/Person_number_1", "Person_number_1"),
        ("Alias_4", "Alias_4"),
        ("alias 4", "Alias_4"),
        ("Nobody", None),
        ("", None),
        ("/", None),
        (".", None),
    ],
)
def test_whom_a_name_means(tree: Namespace, name: str, meant: str | None) -> None:
    s = tree.view
    found = named_rows.entity_named(s, name)
    if meant is None:
        assert found is None
    else:
        assert found == s.entities.by_slug.get(meant, s.aliases.get(meant))


def test_a_former_name_means_what_took_over(tree: Namespace) -> None:
    s = tree.view
    table = s.entities.former.setdefault("people", {})
    table["Once_called"] = 7
    try:
        assert named_rows.entity_named(s, "Once_called") == named_rows.entity_named(s, "once called") == 7
    finally:
        del table["Once_called"]
