"""Many documents decide what one cannot: names become entities and cease to be, types are voted, merges come and go."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kgfs.extraction.extractor import PATTERNS
from kgfs.model import EntityCandidate, Evidence, Extraction, FactCandidate, Mention, Passage, UnconfirmedName
from kgfs.pipeline import graph_pass
from kgfs.pipeline.pipeline import Pipeline
from kgfs.pipeline.request import AddRequest
from kgfs.store.catalog.database import Database
from tests import planned_graphs as graphs
from tests.local_worker import LocalWorker


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with Database.open(tmp_path_factory.mktemp("votes"), create=True) as database:
        yield database


@pytest.fixture(autouse=True)
def nothing_left(shared: Database) -> Iterator[None]:
    yield
    assert graphs.contradictions(shared) == {}
    graphs.empty(shared)
    assert graphs.rows_left(shared) == {}


def says(
    database: Database,
    path: str,
    *entities: EntityCandidate,
    unconfirmed: list[UnconfirmedName] | None = None,
    **fields: Any,
) -> int:
    found = Extraction(
        extractor="test",
        entities=list(entities),
        unconfirmed=unconfirmed or [],
        mentions=[Mention(entity=index, chunk=1) for index in range(len(entities))],
        **fields,
    )
    return graphs.put(database, path, graphs.parsed(["Ann Lee runs Beta."], title=path), found)


def entity(name: str, type_: str = "Organization", *aliases: str, **fields: Any) -> EntityCandidate:
    return EntityCandidate(name=name, type=type_, aliases=list(aliases), **fields)


def shown(name: str, type_: str = "Organization", **said: Any) -> EntityCandidate:
    evidence = Evidence(**{"seen": 5, "types": {type_: 5}, "single": True} | said)
    return entity(name, type_, evidence=evidence, confidence=0.8)


def glimpse(name: str, type_: str = "Organization", **said: Any) -> UnconfirmedName:
    return UnconfirmedName(
        name=name, evidence=Evidence(**{"seen": 1, "types": {type_: 1}, "single": True} | said), chunks={1: 1}
    )


def names(database: Database) -> list[tuple[str, str]]:
    return database.fetch("SELECT name, type FROM entities ORDER BY name")


def merges(database: Database) -> list[tuple[Any, ...]]:
    return database.fetch(
        "SELECT e.name, m.name, m.rule FROM entity_merges m JOIN entities e ON e.id = m.entity_id ORDER BY ALL"
    )


def test_many_glimpses_make_an_entity_and_few_do_not(shared: Database) -> None:
    ids = [says(shared, f"/{number}", unconfirmed=[glimpse("Zenith")]) for number in range(2)]
    assert names(shared) == []
    ids += [says(shared, f"/{number}", unconfirmed=[glimpse("Zenith")]) for number in (2, 3)]
    assert names(shared) == [("Zenith", "Organization")]
    # The documents from before name it too.
    assert shared.fetch("SELECT count(DISTINCT document_id), sum(count) FROM entity_chunks") == [(4, 4)]
    stale = shared.fetch("SELECT DISTINCT id FROM stale WHERE kind = 'document'")
    assert {(number,) for number in ids} <= set(stale)
    graphs.remove(shared, *ids[:2])
    assert names(shared) == []


def test_others_overrule_a_mistake(shared: Database) -> None:
    first = says(shared, "/1", shown("Cmdlet", acts=1))
    assert names(shared) == [("Cmdlet", "Organization")]
    assert graphs.wrong_pages(shared) == []
    for number in range(2, 5):
        says(shared, f"/{number}", unconfirmed=[glimpse("Cmdlet", against={"common": 1})])
    assert names(shared) == []
    assert shared.fetch("SELECT count(*) FROM removals WHERE kind = 'entity'") == [(1,)]
    assert graphs.wrong_pages(shared) == []  # the first document's says no more that it speaks of it
    graphs.remove(shared, first)


def test_what_is_certain_is_not_overruled(shared: Database) -> None:
    says(shared, "/1", entity("Cmdlet", "Concept"))
    for number in range(2, 5):
        says(shared, f"/{number}", unconfirmed=[glimpse("Cmdlet", against={"common": 1})])
    assert names(shared) == [("Cmdlet", "Concept")]


def test_types_are_voted(shared: Database) -> None:
    says(shared, "/1", shown("Slack", "Organization"))
    for number in range(2, 5):
        says(shared, f"/{number}", shown("Slack", "Product", clues={"Product": 3}))
    assert names(shared) == [("Slack", "Product")]


def test_a_declaration_outvotes_all(shared: Database) -> None:
    for number in range(2, 6):
        says(shared, f"/{number}", shown("Slack", "Product"))
    says(shared, "/1", entity("Slack", "Organization", declared=True))
    assert names(shared) == [("Slack", "Organization")]


def test_an_acronym_joins_and_the_cause_can_go(shared: Database) -> None:
    says(shared, "/1", entity("FOMC", "Concept"))
    says(shared, "/2", entity("FOMC", "Concept"))
    assert names(shared) == [("FOMC", "Concept")]
    cause = says(shared, "/3", entity("FOMC", "Concept"), entity("Federal Open Market Committee"))
    assert [name for name, _ in names(shared)] == ["Federal Open Market Committee"]
    assert merges(shared) == [("Federal Open Market Committee", "FOMC", "acronym")]
    assert shared.fetch("SELECT rule, confidence, documents FROM entity_merges") == [("acronym", 0.6, 3)]
    graphs.remove(shared, cause)
    assert names(shared) == [("FOMC", "Concept")]
    assert merges(shared) == []


def test_spellings_of_one_name_are_recorded(shared: Database) -> None:
    says(shared, "/1", entity("Alphabet"))
    says(shared, "/2", entity("Alphabet"))
    other = says(
        shared, "/3", entity("The Alphabet"), entity("Beta Works", "Organization", "BW", rules={"BW": "bracket"})
    )
    assert merges(shared) == [("Alphabet", "The Alphabet", "article"), ("Beta Works", "BW", "bracket")]
    graphs.remove(shared, other)
    assert merges(shared) == []


def test_a_surname_is_somebody_else_elsewhere(shared: Database) -> None:
    fact = FactCandidate(type="T", subject=0, object=1, chunk=1, quote="Ann Lee runs Beta", start=0, end=17)
    says(shared, "/1", entity("Lee", "Person"), entity("Beta"), facts=[fact])
    says(shared, "/2", entity("Lee", "Person"), entity("Beta"), facts=[fact])
    assert names(shared) == [("Beta", "Organization"), ("Lee", "Person"), ("Lee", "Person")]
    assert len({row[0] for row in shared.fetch("SELECT subject_id FROM facts")}) == 2
    says(shared, "/3", entity("Lee", "Person", titled=True), entity("Ann Lee", "Person"))
    assert [name for name, type_ in names(shared) if type_ == "Person"] == ["Ann Lee", "Lee", "Lee"]
    assert merges(shared) == [("Ann Lee", "Lee", "title")]


def test_linked_names_are_one_wherever(shared: Database) -> None:
    says(shared, "/1", entity("Lee", "Person", linked=True))
    says(shared, "/2", entity("Lee", "Person", linked=True))
    assert names(shared) == [("Lee", "Person")]


def test_the_best_sentences_of_all_documents(shared: Database) -> None:
    poor, good, other = "Beta is here.", "Beta is a maker of clocks in Bern.", "Beta grew by a half in 2019."
    says(shared, "/1", entity("Beta", passages=[Passage(text=poor, score=0.6), Passage(text=other, score=1.4)]))
    second = says(shared, "/2", entity("Beta", passages=[Passage(text=good, score=2.5, defines=True)]))
    assert shared.fetch("SELECT description, summary FROM entities") == [(good, f"{other} {poor}")]
    graphs.remove(shared, second)
    assert shared.fetch("SELECT description, summary FROM entities") == [("", f"{other} {poor}")]
    says(shared, "/3", entity("Beta", declared=True, description="Declared."))
    assert shared.fetch("SELECT description FROM entities") == [("Declared.",)]


def test_what_patterns_read_is_read_again(
    pipeline: Pipeline, database: Database, worker: LocalWorker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(3):
        (notes / f"{number}.md").write_text(f"Alpha acquired Beta{number}.\n")
    request = AddRequest(paths=[notes])
    pipeline.add(request)
    assert database.fetch("SELECT DISTINCT extractor FROM documents") == [("test",)]
    database.write(lambda cursor: cursor.execute("UPDATE documents SET extractor = ?", [PATTERNS]))
    monkeypatch.setattr(graph_pass, "extractor_name", lambda wanted: PATTERNS)
    pipeline.add(request)
    assert database.fetch("SELECT DISTINCT extractor FROM documents") == [(PATTERNS,)]
    monkeypatch.setattr(graph_pass, "extractor_name", lambda wanted: "better")
    pipeline.add(AddRequest(paths=[notes], extractor="none"))
    assert database.fetch("SELECT DISTINCT extractor FROM documents") == [(PATTERNS,)]
    pipeline.add(request)
    assert database.fetch("SELECT DISTINCT extractor FROM documents") == [("test",)]


@pytest.mark.parametrize(
    ("name", "description", "others", "type_"),
    [
        ("2024 Lamp Committee Candidates", "", 0, "Document"),
        ("2024 Lamp Committee Candidates", "", 2, "Document"),
        ("2024 Lamp Committee Candidates", "", 3, "Concept"),
        ("Lamp Semantic Convention Stability", "Get them to be stable.", 0, "Document"),
        ("Lamp Semantic Convention Stability", "Lamp Semantic Convention Stability is a state.", 0, "Concept"),
        ("Zettelkasten", "", 0, "Concept"),
        ("Phase 2", "", 0, "Document"),
    ],
)
def test_a_title_of_which_no_text_speaks_is_its_page(
    shared: Database, name: str, description: str, others: int, type_: str
) -> None:
    says(shared, "page.md", entity(name, "Concept", declared=True, description=description, confidence=1.0))
    for number in range(others):
        says(shared, f"other{number}.md", entity(name, "Concept", confidence=0.5))
    with shared.read() as cursor:
        assert cursor.execute("SELECT type FROM entities WHERE name = ?", [name]).fetchall() == [(type_,)]


def test_a_term_of_a_list_is_no_page(shared: Database) -> None:
    says(shared, "terms.md", entity("Minimum Viable Lamp", "Concept", declared=True, confidence=0.9))
    with shared.read() as cursor:
        assert cursor.execute("SELECT type FROM entities").fetchall() == [("Concept",)]
