"""The leg of the graph: walks over small graphs, names in a query, and what the catalog's rows say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgfs.search import graph, rows
from kgfs.search.graph import EntityGraph, named_entities, query_stretches
from kgfs.search.rows import CatalogRows
from kgfs.store.catalog.database import Database
from kgfs.store.catalog.inserts import insert

mentions = st.lists(st.tuples(st.integers(1, 12), st.integers(1, 20), st.booleans()), max_size=40, unique_by=lambda x: x[:2])  # fmt: skip  # noqa: E501
weights = st.dictionaries(st.integers(1, 25), st.floats(0.01, 5), max_size=4)


def built(edges: list[tuple[int, int, bool]]) -> EntityGraph:
    entities, chunks, about = ([edge[place] for edge in edges] for place in range(3))
    return EntityGraph(np.array(entities, np.int32), np.array(chunks, np.int32), np.array(about, bool))


def walked(edges: list[tuple[int, int, bool]], names: dict[int, float], hits: dict[int, float]) -> dict[int, float]:
    """The same walk, written down with dictionaries."""
    rarity = {e: 1 / np.log2(1 + sum(edge[0] == e for edge in edges)) for e, _, _ in edges}
    to_chunk: dict[int, dict[int, float]] = {}
    to_entity: dict[int, dict[int, float]] = {}
    for entity, chunk, about in edges:
        to_chunk.setdefault(entity, {})[chunk] = graph.TITLE if about else 1.0
        to_entity.setdefault(chunk, {})[entity] = rarity[entity]
    names = {e: weight * rarity[e] for e, weight in names.items() if e in rarity}
    hits = {c: weight for c, weight in hits.items() if c in to_entity}
    share = 0.0 if not names else 1.0 if not hits else graph.NAMES_SHARE
    begin: dict[tuple[str, int], float] = {}
    begin |= {("e", e): share * weight / sum(names.values()) for e, weight in names.items()}
    begin |= {("c", c): (1 - share) * weight / sum(hits.values()) for c, weight in hits.items()}
    at = dict(begin)
    for _ in range(graph.STEPS):
        after = {place: graph.RETURN * weight for place, weight in begin.items()}
        for (kind, number), weight in at.items():
            for target, share_of in (to_chunk if kind == "e" else to_entity)[number].items():
                place = ("c" if kind == "e" else "e", target)
                total = sum((to_chunk if kind == "e" else to_entity)[number].values())
                after[place] = after.get(place, 0.0) + (1 - graph.RETURN) * weight * share_of / total
        at = after
    return {number: weight for (kind, number), weight in at.items() if kind == "c" and weight > 1e-9}


@given(mentions, weights, weights)
def test_the_walk_is_the_one_written_down(
    edges: list[tuple[int, int, bool]], names: dict[int, float], hits: dict[int, float]
) -> None:
    found = built(edges).ranked(names, hits)
    expected = walked(edges, names, hits)
    assert dict(zip(found.ids.tolist(), found.scores.tolist(), strict=True)) == pytest.approx(expected, abs=1e-6)
    assert found.scores.tolist() == sorted(found.scores.tolist(), reverse=True)
    assert found.scores.sum() <= 1.000001
    again = built(list(reversed(edges))).ranked(dict(reversed(names.items())), dict(reversed(hits.items())))
    assert dict(zip(again.ids.tolist(), again.scores.tolist(), strict=True)) == pytest.approx(expected, abs=1e-6)


def test_two_hops_lead_to_what_the_query_does_not_name() -> None:
    # 1 is named by the query; chunk 11 says that it belongs to 2; chunk 12 is about 2; chunks 13 and 14 mention others.
    edges = [(1, 11, True), (2, 11, False), (2, 12, True), (3, 13, True), (3, 14, False)]
    found = built(edges).ranked({1: 1.0}, {})
    assert found.ids.tolist() == [11, 12]


def test_what_all_mention_leads_nowhere_special() -> None:
    edges = [(1, chunk, False) for chunk in range(1, 40)] + [(2, 1, False), (2, 39, False)]
    assert built(edges).ranked({}, {1: 1.0}).ids.tolist()[:2] == [1, 39]


def test_an_empty_graph_ranks_nothing() -> None:
    assert built([]).ranked({1: 1.0}, {1: 1.0}).ids.tolist() == []
    assert built([(1, 1, False)]).ranked({}, {}).ids.tolist() == []
    assert built([(1, 1, False)]).ranked({9: 1.0}, {8: 1.0}).ids.tolist() == []


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Who bought DeepMind in 2014?", {2: 1.0}),
        ("is demis hassabis's laboratory in Boston", {5: 1.0, 1: 1.0}),
        ("Deep Mind Technologies", {2: 1.0}),  # an alias, and the longest name
        ("google llc and GOOGLE", {4: 2.0}),
        ("Bostonian", {}),
        ("", {}),
        ("x " * 500, {}),
    ],
)
def test_names_in_a_query(catalog: Database, query: str, expected: dict[int, float]) -> None:
    assert CatalogRows(catalog).mentioned(query) == expected


def test_entities_that_share_a_name_share_its_weight(catalog: Database) -> None:
    catalog.write(lambda cursor: insert(cursor, "entity_aliases", {"entity_id": [3, 4], "alias": ["Deep", "deep"]}))
    assert CatalogRows(catalog).mentioned("how deep is it") == {3: 0.5, 4: 0.5}


@given(st.text(max_size=60))
def test_any_query_has_stretches(query: str) -> None:
    found = query_stretches(query)
    assert all(first <= last < first + graph.LONGEST_NAME for first, last, _ in found)
    assert named_entities(found, [[]] * len(found)) == {}


def test_words_of_every_question_are_no_names() -> None:
    assert {text for _, _, text in query_stretches("Who is it?")} == {"who is it", "who is", "is it"}
    assert {text for first, last, text in query_stretches("why WHO") if first == last} == {"who"}


def test_what_is_kept_of_the_rows_follows_writes(catalog: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = CatalogRows(catalog)
    assert reader.present().coverage(["chunk", "fact"]) == rows.Coverage(8, 8)
    assert (len(reader.graph()[0]), reader.graph()[1]) == (3, True)
    monkeypatch.setattr(reader._mentions, "_until", float("inf"))
    catalog.write(lambda cursor: cursor.execute("DELETE FROM entity_chunks WHERE chunk_id = 1") and None)
    catalog.write(lambda cursor: cursor.execute("UPDATE chunks SET have_gen = 0 WHERE id = 1") and None)
    assert reader.present().coverage(["chunk", "fact"]) == rows.Coverage(8, 7)
    assert (len(reader.graph()[0]), reader.graph()[1]) == (3, False)  # reading it took long: not again so soon
    monkeypatch.setattr(reader._mentions, "_until", 0.0)
    assert (len(reader.graph()[0]), reader.graph()[1]) == (2, True)
