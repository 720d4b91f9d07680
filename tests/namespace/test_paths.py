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
from kgfs.namespace.queries import named_rows, path_files, paths, ties
from kgfs.namespace.queries.adjacency import Adjacency, adjacency_of
from kgfs.namespace.relations import Csr
from kgfs.store.catalog.database import Database
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
        self.fact_subject = self.fact_subject_array.tolist()
        self.facts = SimpleNamespace(mtime_array=np.zeros(len(facts), np.int64))
        self.entities = Slugs(entities)
        none = np.empty(0, np.int32)
        for relation in ("entity_pages", "page_entities", "document_links", "document_backlinks", "entity_chunks"):
            setattr(self, relation, Csr(entities, none, none))
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
        assert again._replace(ties=None) == answer._replace(ties=None)
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


class TiedGraph(Graph):
    """One with pages and passages."""

    def __init__(
        self, entities: int, facts: list[Fact], pages: list[int], links: list[tuple[int, int]], chunks: list[list[int]]
    ) -> None:
        """``pages``: of which entity each document is the page; ``links`` between documents; entities of each chunk."""
        super().__init__(entities, facts)
        documents = np.arange(len(pages))
        self.entity_pages = Csr(entities, np.array(pages, np.int32), documents)
        self.page_entities = self.entity_pages.reverse(len(pages))
        source, target = (np.array([link[side] for link in links], np.int32) for side in (0, 1))
        self.document_links = Csr(len(pages), source, target)
        self.document_backlinks = self.document_links.reverse(len(pages))
        places = np.repeat(np.arange(len(chunks)), [len(chunk) for chunk in chunks])
        self.chunk_entities = Csr(len(chunks), places, np.array([each for chunk in chunks for each in chunk], np.int32))
        self.entity_chunks = self.chunk_entities.reverse(entities)


def steps(answer: paths.Chains) -> list[list[str]]:
    assert answer.ties is not None
    return [[answer.ties.step(edge).kind for edge in chain.edges] for chain in answer.found]


def test_ties_lead_on_where_no_fact_does() -> None:
    # 0 -fact- 1, page of 1 links to page of 2, 2 and 3 share a passage, 4 is alone; 5 stands with 0 and 3.
    s: Any = TiedGraph(6, [(1, 0, 0.9)], [0, 1, 2, 3], [(1, 2)], [[2, 3], [0, 5], [3, 5], [4]])
    assert steps(paths.chains(None, s, 0, 1)) == [["fact"]]  # type: ignore[arg-type]
    two = paths.chains(None, s, 0, 2)  # type: ignore[arg-type]
    assert not two.by_facts and steps(two)[0] == ["fact", "link"] and two.found[0].entities == (0, 1, 2)
    assert two.found[0].strength == pytest.approx(0.9 * 0.25)
    back = paths.chains(None, s, 2, 0)  # type: ignore[arg-type]
    assert [chain.entities[::-1] for chain in back.found] == [chain.entities for chain in two.found]
    # A fact and a link cost less than two passages, but one more step than they cost more.
    assert [chain.entities for chain in paths.chains(None, s, 0, 3).found] == [(0, 5, 3), (0, 1, 2, 3)]  # type: ignore[arg-type]
    alone = paths.chains(None, s, 0, 4)  # type: ignore[arg-type]
    assert (alone.found, alone.late, alone.ends) == ([], False, (0, 4))
    kinds = {}
    answer = paths.near(None, s, 1, 3)  # type: ignore[arg-type]
    assert answer.ties is not None
    for row in answer.found:
        kinds[row.entity] = (row.hops, answer.ties.step(row.edge).kind, row.facts)
    assert kinds == {0: (1, "fact", 1), 2: (1, "link", 0), 5: (2, "passage", 0), 3: (2, "passage", 0)}


def test_who_binds_all_binds_little() -> None:
    """The author of all notes stands between any two; a link, or two, says more."""
    count = 100
    wrote = [(0, other, 0.9) for other in range(1, count)]
    s: Any = TiedGraph(count, wrote, list(range(count)), [(1, 2), (2, 3), (3, 4), (4, 5)], [])
    found = [[chain.entities for chain in paths.chains(None, s, 1, end).found] for end in (2, 3, 5)]  # type: ignore[arg-type]
    assert [each[0] for each in found] == [(1, 2), (1, 0, 3), (1, 0, 5)]
    assert (1, 2, 3) in found[1] and all((1, 0, end) in each for end, each in zip((2, 3, 5), found, strict=True))
    few: Any = TiedGraph(9, wrote[:8], list(range(9)), [(1, 2)], [])
    assert steps(paths.chains(None, few, 1, 2)) == [["fact", "fact"]]  # type: ignore[arg-type]


def test_what_leads_everywhere_leads_nowhere() -> None:
    """A page that links to all, a passage that is a list, an entity that stands in every passage."""
    count = 3000
    links = [(0, other) for other in range(2, count)] + [(other, 1) for other in range(2, count)]
    lists = [list(range(2, 200))]
    everywhere = [[other, other + 1, 0] for other in range(2, count - 1)]
    s: Any = TiedGraph(count, [], list(range(count)), links, lists + everywhere)
    answer = paths.chains(None, s, 0, 1)  # type: ignore[arg-type]
    assert answer.found and not answer.late and {len(chain.edges) for chain in answer.found} == {2}
    near = paths.near(None, s, 0, 1)  # type: ignore[arg-type]
    assert near.total <= ties.LINKS + ties.NEIGHBOURS
    beside = [row for row in paths.near(None, s, 100, 1).found if row.entity not in (0, 1)]  # type: ignore[arg-type]
    assert {row.entity for row in beside} == {99, 101}


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
    checked, kinds = 0, set()
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
            facts = iter(said["facts"])
            for step, here, there in zip(said["steps"], said["entities"], said["entities"][1:], strict=False):
                assert json.loads(driver.read(f"{here['path']}/metadata.json"))["name"] == here["name"]
                kinds.add(step["kind"])
                assert f"    {step['path']}: [{step['said']}" in text
                if step["kind"] != "fact":
                    arrows = ("─link→", "←link─") if step["kind"] == "link" else ("─both in a passage─",)
                    assert step["said"].split()[0] in ("link", "both") and step["path"].startswith(
                        ("documents/", "chunks/")
                    )
                    shown += (
                        f" {next(arrow for arrow in arrows if line.startswith(f'{shown} {arrow}'))} {there['name']}"
                    )
                    continue
                fact = next(facts)
                file = json.loads(driver.read(fact["path"]))
                sides = (here, there) if fact["direction"] == "forward" else (there, here)
                assert (file["subject"], file["object"]) == (sides[0]["name"], sides[1]["name"])
                assert {name: file[name] for name in ("fact_id", "type", "date", "confidence", "quote")} == {
                    name: fact[name] for name in ("fact_id", "type", "date", "confidence", "quote")
                }
                arrow = f"─{fact['type']}→" if fact["direction"] == "forward" else f"←{fact['type']}─"
                shown += f" {arrow} {there['name']}"
                assert (step["path"], step["said"]) == (fact["path"], f"fact {fact['type']}")
            assert line == shown
        links = path_files.path_links(store, s, answer)
        assert [link.name[:2] for link in links] == [f"{place:02d}" for place in range(1, len(links) + 1)]
        for link in links:
            assert tree.path(tree.resolve(link.path)) == link.path
            assert link.mtime * 1000 == tree.attr(tree.resolve(link.path)).mtime_ns
        assert links[0].path == s.entity_path(start) and links[-1].path == s.entity_path(end)
        checked += 1
    assert checked > 5 and len(kinds) > 1


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
        assert said["step"]["said"] in line or said["facts"]
        assert tree.path(tree.resolve(said["step"]["path"])) == said["step"]["path"]
        assert (said["fact"] is not None) == (said["step"]["kind"] == "fact")
        if said["fact"] is not None:
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
        answer = paths.near(store, s, entity, 1).found
        by_facts = {s.entities.slugs[row.entity] for row in answer if row.facts}
        assert by_facts == others - {s.entities.slugs[entity]}
        assert len(by_facts) == len(answer) or len(by_facts) < paths.FEW
        assert [bool(row.facts) for row in answer] == sorted((bool(row.facts) for row in answer), reverse=True)


def test_no_chain_is_a_sentence(store: PageStore, tree: Namespace) -> None:
    nothing = paths.Chains([], False, False, ends=(0, 1))
    said = path_files.path_txt(store, tree.view, nothing).decode()
    assert said.startswith("# No chain of up to 4 ") and said.count("\n") == 1 and said.endswith(".\n")
    assert all(tree.view.entities.slugs[entity] in said for entity in (0, 1))
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
