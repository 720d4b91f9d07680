"""Searches from request to hits: with the real worker and model, and with legs that misbehave."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgfs.calls import SearchCalls
from kgfs.errors import DeadlineExceeded, KgfsError, ModelError, ModelLoading, QueryError, WorkerError
from kgfs.index_records import IdFilter, IndexRow, Ranking
from kgfs.models.client import Worker
from kgfs.search.query import SearchRequest, is_option, search_request
from kgfs.search.rows import CatalogRows
from kgfs.search.searcher import Searcher
from kgfs.store.catalog.database import Database
from kgfs.store.catalog.inserts import insert

pytestmark = pytest.mark.model


@pytest.fixture
def searcher(worker: Worker, catalog: Database) -> Iterator[Searcher]:
    one = Searcher(worker, CatalogRows(catalog), 60.0)
    yield one
    one.close()


def execute(catalog: Database, sql: str) -> None:
    catalog.write(lambda cursor: cursor.execute(sql) and None)


def ids(searcher: Searcher, area: str, query: str, **options: str) -> list[int]:
    return [hit.id for hit in searcher.search(search_request(area, query, options)).hits]


# --- the answers ---------------------------------------------------------------------------------------------------


def test_the_passage_that_answers_comes_first(searcher: Searcher) -> None:
    answer = searcher.search(search_request("semantic", "what happened to wages in Boston"))
    first = answer.hits[0]
    assert (first.kind, first.id, answer.mode) == ("chunk", 1, "hybrid")
    assert first.legs["bm25"].rank == first.legs["vector"].rank == 1
    assert "Wages in the Boston District" in first.snippet
    assert answer.milliseconds > 0


def test_meaning_is_found_without_a_common_word(searcher: Searcher) -> None:
    assert ids(searcher, "chunks", "employees' pay")[0] == 1
    assert ids(searcher, "chunks", "harvest of cereals")[0] == 4


def test_scores_fall_and_stay_between_0_and_1(searcher: Searcher) -> None:
    for area in ("semantic", "keyword", "entities", "facts", "chunks", "topics"):
        scores = [hit.score for hit in searcher.search(search_request(area, "laboratory in Boston")).hits]
        assert scores == sorted(scores, reverse=True)
        assert all(0 < score <= 1 for score in scores)


def test_the_same_search_gives_the_same_answer(searcher: Searcher) -> None:
    asked = search_request("semantic", "laboratory")
    assert searcher.search(asked).hits == searcher.search(asked).hits


def test_keyword_does_without_vectors(searcher: Searcher) -> None:
    answer = searcher.search(search_request("keyword", "wages"))
    assert answer.mode == "keyword"
    assert {leg for hit in answer.hits for leg in hit.legs} == {"bm25"}
    assert (answer.hits[0].kind, answer.hits[0].id) == ("chunk", 1)


def test_each_area_has_its_kinds(searcher: Searcher) -> None:
    for area, kind in (("entities", "entity"), ("facts", "fact"), ("chunks", "chunk"), ("topics", "topic")):
        assert {hit.kind for hit in searcher.search(search_request(area, "laboratory wages")).hits} == {kind}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("DeepMind", [2]), ("deepmind", [2]), ("  DeepMind ", [2]), ("Google LLC", [4]), ("deep", [3, 2]),
        ("Deep Mind Tech", [2]), ("BOSTON", [1]), ("Demis", [5]),
    ],
)  # fmt: skip
def test_names_and_aliases_come_first(searcher: Searcher, query: str, expected: list[int]) -> None:
    answer = searcher.search(search_request("entities", query))
    assert [hit.id for hit in answer.hits][: len(expected)] == expected
    assert all("name" in hit.legs and hit.score >= 0.95 for hit in answer.hits[: len(expected)])
    assert all("name" not in hit.legs and hit.score < 0.95 for hit in answer.hits[len(expected) :])


def test_a_search_over_everything_lifts_only_the_whole_name(searcher: Searcher) -> None:
    first = searcher.search(search_request("semantic", "deepmind")).hits[0]
    assert (first.kind, first.id, first.score >= 0.98) == ("entity", 2, True)
    assert all("name" not in hit.legs for hit in searcher.search(search_request("semantic", "deep")).hits)


def test_names_with_signs_of_sql_are_names(searcher: Searcher, catalog: Database) -> None:
    execute(catalog, "UPDATE entities SET name = '100%_O''Neil' WHERE id = 1")
    assert ids(searcher, "entities", "100%_O'Neil")[0] == 1
    assert all("name" not in hit.legs for hit in searcher.search(search_request("entities", "1__%")).hits)


# --- pages and filters ---------------------------------------------------------------------------------------------


def test_pages_join_to_the_whole(searcher: Searcher) -> None:
    whole = ids(searcher, "chunks", "Boston laboratory", limit="6")
    pages = [one for offset in range(6) for one in ids(searcher, "chunks", "Boston laboratory", limit="1", offset=str(offset))]  # fmt: skip  # noqa: E501
    assert pages == whole
    assert ids(searcher, "chunks", "Boston", offset="1000") == []


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"origin": "disk"}, {1, 2, 3, 4}),
        ({"origin": "agent"}, {5, 6}),
        ({"origin": "disk:/home/ann/notes"}, {1, 2, 3, 4}),
        ({"origin": "disk:/home/ann/notes/boston.md"}, {1, 2}),
        ({"origin": "disk:/home/ann/not"}, set()),
        ({"origin": "disk:"}, {1, 2, 3, 4}),
        ({"origin": "nothing' OR 1=1"}, set()),
        ({"from": "2019-10"}, {1, 2}),
        ({"to": "2019-09"}, {3, 4, 5}),
        ({"from": "2014", "to": "2014"}, {5}),
        ({"from": "2014-01-02", "to": "2014-12"}, set()),  # a year is its first day
        ({"from": "2019-09-04", "to": "2019-09-04"}, {3, 4}),
        ({"from": "2020"}, set()),
        ({"type": "Organization"}, set()),
    ],
)
def test_filters_of_chunks(searcher: Searcher, options: dict[str, str], expected: set[int]) -> None:
    assert set(ids(searcher, "chunks", "wages in Boston", **options)) == expected


def test_filters_of_the_other_kinds(searcher: Searcher) -> None:
    assert set(ids(searcher, "entities", "laboratory", type="organization")) == {2, 3, 4}
    assert set(ids(searcher, "entities", "laboratory", **{"from": "2014", "to": "2014"})) == {2, 4}
    assert set(ids(searcher, "entities", "Boston", origin="disk")) == {1}
    assert set(ids(searcher, "facts", "laboratory", type="acquired")) == {1}
    assert set(ids(searcher, "facts", "laboratory", to="2015")) == {1}
    assert ids(searcher, "topics", "wages", origin="disk") == []


def test_at_most_three_of_a_document_among_all_kinds(worker: Worker, catalog: Database, searcher: Searcher) -> None:
    numbers = list(range(5000, 5012))
    rows = [IndexRow(id=one, document_id=7, gen=1, title="", text=f"zeppelin {one}") for one in numbers]
    worker.index_texts("chunk", rows)
    columns: dict[str, list[Any]] = {"id": numbers, "document_id": [7] * 12, "text": [row.text for row in rows]}
    generations = {"want_gen": [1] * 12, "have_gen": [0] * 12}
    catalog.write(lambda cursor: insert(cursor, "chunks", {**columns, **generations}))
    try:
        hits = searcher.search(search_request("semantic", "zeppelin", {"limit": "100"})).hits
        kept = [hit for hit in hits if hit.id in numbers and hit.kind == "chunk"]
        assert [(hit.more, hit.legs["bm25"].rank) for hit in kept] == [(9, 1), (9, 2), (9, 3)]
        answer = searcher.search(search_request("chunks", "zeppelin", {"limit": "100"}))
        assert sum(hit.id in numbers for hit in answer.hits) == 12
        assert answer.mode == "hybrid, vectors 33 %"
    finally:
        worker.unindex("chunk", numbers)


# --- what the rows no longer have ----------------------------------------------------------------------------------


def test_a_row_that_is_gone_is_no_hit(searcher: Searcher, catalog: Database) -> None:
    execute(catalog, "DELETE FROM chunks WHERE id = 1")
    assert 1 not in ids(searcher, "chunks", "wages in Boston")


def test_a_vector_of_another_generation_does_not_count(searcher: Searcher, catalog: Database) -> None:
    execute(catalog, "UPDATE chunks SET want_gen = 2 WHERE id = 1")
    execute(catalog, "UPDATE entities SET want_gen = 2 WHERE id = 5")
    answer = searcher.search(search_request("chunks", "wages in Boston"))
    assert answer.mode == "hybrid, vectors 83 %"
    assert set(next(hit for hit in answer.hits if hit.id == 1).legs) - {"graph"} == {
        "bm25"
    }  # a chunk's text is never rewritten
    assert 5 not in ids(searcher, "entities", "founder of a laboratory")


def test_no_vectors_yet_is_said_and_not_waited_for(catalog: Database) -> None:
    execute(catalog, "UPDATE chunks SET have_gen = 0")
    answer = Searcher(Legs(keyword=[1]), CatalogRows(catalog)).search(search_request("chunks", "wages"))
    assert (answer.mode, [hit.id for hit in answer.hits]) == ("keyword, vectors 0 %", [1])


def test_an_empty_store_answers_without_a_worker(catalog: Database) -> None:
    for table in ("chunks", "entities", "facts", "topics"):
        execute(catalog, f"DELETE FROM {table}")
    answer = Searcher(Legs(), CatalogRows(catalog)).search(search_request("semantic", "anything"))
    assert (answer.hits, answer.mode) == ([], "keyword")


# --- legs that misbehave -------------------------------------------------------------------------------------------


class Legs(SearchCalls):
    """A worker whose legs answer or raise as told."""

    def __init__(self, keyword: list[int] | None = None, nearest: list[int] | KgfsError | None = None) -> None:
        self._keyword, self._nearest = keyword, nearest
        self.waited = -1.0

    def keyword(
        self, kinds: Sequence[str], query: str, limit: int, where: dict[str, IdFilter] | None = None
    ) -> dict[str, Ranking]:
        assert self._keyword is not None, "the keyword leg was asked"
        return dict.fromkeys(kinds, _ranking(self._keyword))

    def nearest(
        self, kinds: Sequence[str], query: str, limit: int, where: dict[str, IdFilter] | None = None, wait: float = 0.0
    ) -> dict[str, Ranking]:
        self.waited = wait
        assert self._nearest is not None, "the vector leg was asked"
        if isinstance(self._nearest, KgfsError):
            raise self._nearest
        return dict.fromkeys(kinds, _ranking(self._nearest))


def _ranking(numbers: list[int]) -> Ranking:
    return Ranking(ids=numbers, gens=[1] * len(numbers), scores=[1.0 / place for place in range(1, len(numbers) + 1)])


@pytest.mark.parametrize(
    ("error", "mode"),
    [
        (ModelLoading("Loading."), "keyword, model loading"),
        (ModelError("Broken."), "keyword, model failed"),
        (WorkerError("Died."), "keyword, vectors failed"),
        (DeadlineExceeded("Slow."), "keyword, vectors failed"),
    ],
)
def test_without_the_vector_leg_keyword_answers_alone(catalog: Database, error: KgfsError, mode: str) -> None:
    legs = Legs(keyword=[3, 1], nearest=error)
    answer = Searcher(legs, CatalogRows(catalog), 2.5).search(search_request("chunks", "wages"))
    assert (answer.mode, [hit.id for hit in answer.hits]) == (mode, [3, 1])
    assert legs.waited == 2.5


def test_ids_that_no_row_has_are_dropped_and_ranks_close_up(catalog: Database) -> None:
    legs = Legs(keyword=[900, 3, 901, 1], nearest=[902, 1])
    hits = Searcher(legs, CatalogRows(catalog), graph=False).search(search_request("chunks", "wages")).hits
    assert {hit.id: {leg: place.rank for leg, place in hit.legs.items()} for hit in hits} == {
        1: {"bm25": 2, "vector": 1},
        3: {"bm25": 1},
    }


# --- queries -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("query", ["", " ", "\n\t", "...", "?!", "***", "--", "_", "\0", '""', "«»"])
def test_a_query_without_a_word_is_refused(searcher: Searcher, query: str) -> None:
    with pytest.raises(QueryError, match="no word"):
        searcher.search(SearchRequest(query=query))


@pytest.mark.parametrize(
    "query",
    [
        'he said "wages"', "O'Neil", "😀", "what is it that they are", "a", "\ud800 wages", "wages " * 1700,
        "x" * 10_000, "工资", "wages\nin\nBoston", "'; DROP TABLE chunks; --", "{0} %s {date}", "\x1b[2J wages",
    ],
)  # fmt: skip
def test_any_other_query_is_answered(searcher: Searcher, query: str) -> None:
    answer = searcher.search(SearchRequest(query=query))
    assert answer.mode == "hybrid"
    assert answer.hits


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=80))
def test_no_query_does_worse_than_be_refused(searcher: Searcher, query: str) -> None:
    try:
        answer = searcher.search(SearchRequest(query=query))
    except QueryError:
        return
    for hit in answer.hits:
        assert len(hit.snippet) <= 240
        assert "\n" not in hit.snippet


@pytest.mark.parametrize(
    ("area", "options", "says"),
    [
        ("rumours", {}, "no search"),
        ("chunks", {"limit": "0"}, "out of range"),
        ("chunks", {"limit": "1001"}, "out of range"),
        ("chunks", {"limit": "-1"}, "no number"),
        ("chunks", {"limit": "ten"}, "no number"),
        ("chunks", {"limit": "٣"}, "no number"),
        ("chunks", {"offset": "99999999999"}, "no number"),
        ("chunks", {"offset": "1001"}, "out of range"),
        ("chunks", {"from": "yesterday"}, "no date"),
        ("chunks", {"to": "2019-13"}, "no date"),
        ("chunks", {"to": ""}, "no date"),
        ("chunks", {"colour": "red"}, "no option"),
    ],
)
def test_a_request_that_makes_no_sense_says_why(area: str, options: dict[str, str], says: str) -> None:
    with pytest.raises(QueryError, match=says):
        search_request(area, "wages", options)


def test_kinds_must_exist() -> None:
    for kinds in ((), ("rumour",)):
        with pytest.raises(QueryError, match="kind"):
            Searcher(Legs(), _NoRows()).search(SearchRequest(query="x", kinds=kinds))


class _NoRows(CatalogRows):
    def __init__(self) -> None:
        pass

    def present(self) -> Any:
        raise AssertionError("asked before the request was checked")


def test_options_are_told_from_queries() -> None:
    assert all(map(is_option, ("limit=5", "from=2019", "type=", "origin=disk:/x")))
    assert not any(map(is_option, ("limit", "x=5", "wages", "=", "a=b=c", "")))
