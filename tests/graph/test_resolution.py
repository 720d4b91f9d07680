"""Claims become entities: one name, one entity; aliases join; what a document brought goes with it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgfs.graph.name_keys import name_key
from kgfs.model import (
    EntityCandidate,
    Evidence,
    Extraction,
    FactCandidate,
    Mention,
    Passage,
    TopicCandidate,
    UnconfirmedName,
)
from kgfs.store.catalog.database import Database
from tests import planned_graphs as graphs
from tests.rounds import rounds

pytestmark = pytest.mark.usefixtures("nothing_left")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Alphabet Inc.", "alphabet"), ("The Alphabet, Inc.", "Alphabet"), ("Fitbit's", "Fitbit"), ("U.S.", "US"),
        ("Mandiant LLC", "MANDIANT"), ("A&B Ltd", "A & B"), ("A and B", "A & B"), ("Café", "Cafe\u0301"),
        ("Looker Corp.", "Looker Corporation"), ("O’Reilly", "O'Reilly"), ("--no-lock", "--no_lock"),
    ],
)  # fmt: skip
def test_names_of_one_thing(one: str, other: str) -> None:
    assert name_key(one) == name_key(other) != ""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("C++", "C"),
        ("C#", "C"),
        ("Alphabet", "Alpha"),
        ("The", "Inc"),
        ("Bank of Boston", "Boston"),
        ("!!!", "???"),
        ("--yaml", "YAML"),
    ],
)
def test_names_of_two_things(one: str, other: str) -> None:
    assert name_key(one) != name_key(other)


def entity(name: str, kind: str = "Organization", *aliases: str, **fields: Any) -> EntityCandidate:
    return EntityCandidate(name=name, type=kind, aliases=list(aliases), **fields)


def says(database: Database, path: str, *entities: EntityCandidate, text: str = "A b c.", **fields: Any) -> int:
    found = Extraction(
        extractor="test",
        entities=list(entities),
        mentions=[Mention(entity=index, chunk=1) for index in range(len(entities))],
        **fields,
    )
    return graphs.put(database, path, graphs.parsed([text], title=path), found)


def names(database: Database) -> list[tuple[Any, ...]]:
    return database.fetch("SELECT slug, name, type FROM entities ORDER BY slug")


def test_a_declaration_wins_and_leaves_a_link(shared: Database) -> None:
    says(shared, "/1", entity("Alphabet", "Concept", confidence=0.9))
    says(shared, "/2", entity("Alphabet", "Concept", confidence=0.9))
    assert names(shared) == [("Alphabet", "Alphabet", "Concept")]
    declaring = says(shared, "/3", entity("Alphabet Inc.", "Organization", declared=True, description="A company."))
    assert names(shared) == [("Alphabet_Inc", "Alphabet Inc.", "Organization")]
    assert shared.fetch("SELECT directory, slug FROM former_names") == [("concepts", "Alphabet")]
    assert shared.fetch("SELECT description FROM entities") == [("A company.",)]
    graphs.remove(shared, declaring)
    assert names(shared) == [("Alphabet", "Alphabet", "Concept")]
    assert shared.fetch("SELECT directory, slug FROM former_names") == [("organizations", "Alphabet_Inc")]


def test_a_page_that_does_not_say_what_it_is_of_leaves_its_type_to_the_texts(shared: Database) -> None:
    says(shared, "/1", entity("Brightlane", "Concept", declared=True, description="A page."))
    says(shared, "/2", entity("Brightlane", "Organization", confidence=0.9))
    says(shared, "/3", entity("Brightlane", "Organization", confidence=0.9))
    assert names(shared) == [("Brightlane", "Brightlane", "Organization")]
    says(shared, "/4", entity("Brightlane", "Product", declared=True))
    assert names(shared) == [("Brightlane", "Brightlane", "Product")]


@pytest.mark.parametrize(("against", "one"), [({"the": 5}, True), ({"the": 5, "noun": 1}, False), ({"the": 1}, False)])
def test_the_project_of_a_name_is_the_same_where_there_is_one(
    shared: Database, against: dict[str, int], one: bool
) -> None:
    shown = {"Organization": 0.8}
    project = Evidence(seen=9, types={"Organization": 9}, shown=shown, against=against)
    acme = Evidence(seen=9, types={"Organization": 9}, shown=shown, single=True)
    says(shared, "a", entity("Acme Project", evidence=project), entity("Acme", evidence=acme))
    found = shared.fetch("SELECT name FROM entities")
    assert len(found) == (1 if one else 2)


@pytest.mark.parametrize(("places", "one"), [(0, True), (1, True), (6, False)])
def test_a_club_goes_by_its_name_alone_where_no_town_has_it(shared: Database, places: int, one: bool) -> None:
    tarn = Evidence(seen=9, types={"Organization": 9, "Location": places}, shown={"Organization": 0.8}, single=True)
    says(shared, "a", entity("Tarn F.C.", declared=True), entity("Tarn", evidence=tarn))
    says(shared, "b", entity("Tarn Football Club"), entity("Tarn", evidence=tarn))
    found = {name for (name,) in shared.fetch("SELECT name FROM entities")}
    assert found == ({"Tarn F.C."} if one else {"Tarn F.C.", "Tarn"})


def test_a_declared_alias_merges_two_entities(shared: Database) -> None:
    text = "Google bought Fitbit. Facebook is Meta."
    fact = FactCandidate(type="ACQUIRED", subject=0, object=1, chunk=1, quote="Google bought Fitbit", start=0, end=20)
    says(shared, "/1", entity("Google"), entity("Fitbit"), text=text, facts=[fact])
    says(shared, "/2", entity("Alphabet Inc."))
    before = dict(shared.fetch("SELECT slug, id FROM entities"))
    fact_before = shared.fetch("SELECT fact_id, id FROM facts")
    joining = says(shared, "/3", entity("Alphabet Inc.", "Organization", "Google", declared=True))
    assert [row[0] for row in names(shared)] == ["Alphabet_Inc", "Fitbit"]
    assert shared.fetch("SELECT kept_id, gone_id, gone_name FROM merges") == [
        (before["Alphabet_Inc"], before["Google"], "Google")
    ]
    assert shared.fetch("SELECT slug, target_id FROM former_names") == [("Google", before["Alphabet_Inc"])]
    assert shared.fetch("SELECT alias, slug FROM entity_aliases") == [("Google", "Google")]
    assert shared.fetch("SELECT subject_id FROM facts") == [(before["Alphabet_Inc"],)]
    assert shared.fetch("SELECT fact_id, id FROM facts") == fact_before
    assert ("entity", before["Google"]) in shared.fetch("SELECT kind, id FROM removals")
    stale = set(shared.fetch("SELECT kind, id FROM stale"))
    assert {("entity", before["Fitbit"]), ("fact", fact_before[0][1])} <= stale
    assert graphs.contradictions(shared) == {}
    graphs.remove(shared, joining)
    assert [row[0] for row in names(shared)] == ["Alphabet_Inc", "Fitbit", "Google"]
    assert graphs.contradictions(shared) == {}


def test_an_acronym_joins_unless_it_is_declared(shared: Database) -> None:
    says(shared, "/1", entity("FOMC", "Concept"))
    says(shared, "/2", entity("Federal Open Market Committee", "Organization", "FOMC"))
    assert names(shared) == [("FOMC", "Federal Open Market Committee", "Concept")]
    says(shared, "/3", entity("FOMC", "Organization", declared=True))
    assert [row[1] for row in names(shared)] == ["FOMC", "Federal Open Market Committee"]


def test_an_alias_of_two_goes_to_the_one_with_more_documents(shared: Database) -> None:
    says(shared, "/1", entity("Columbia Broadcasting System", "Organization", "CBS"))
    says(shared, "/2", entity("Central Bureau of Statistics", "Organization", "CBS"))
    says(shared, "/3", entity("Columbia Broadcasting System", "Organization", "CBS"), entity("CBS"))
    assert [row[1] for row in names(shared)] == ["Central Bureau of Statistics", "Columbia Broadcasting System"]
    keys = dict(shared.fetch("SELECT k.key, e.name FROM entity_keys k JOIN entities e ON e.id = k.entity_id"))
    assert keys["cbs"] == "Columbia Broadcasting System"


def test_slugs_that_clash(shared: Database) -> None:
    says(shared, "/1", entity("C++"), entity("C#"), entity("C"), entity("c!"))
    assert sorted(row[0] for row in names(shared)) == ["C", "C++", "C~2"]


def test_a_fact_needs_its_quote(shared: Database) -> None:
    text = "é Ann runs Beta. Ann runs Beta."
    right = FactCandidate(type="T", subject=0, object=1, chunk=1, quote="Ann runs Beta", start=3, end=16)
    moved = FactCandidate(type="T", subject=0, object=1, chunk=1, quote="Ann runs Beta", start=18, end=31)
    wrong = FactCandidate(type="T", subject=0, object=1, chunk=1, quote="Ann walks", start=0, end=9)
    nowhere = FactCandidate(type="T", subject=0, object=1, chunk=9, quote="Ann runs Beta", start=3, end=16)
    says(shared, "/1", entity("Ann"), entity("Beta"), text=text, facts=[right, moved, wrong, nowhere])
    rows = shared.fetch("SELECT fact_id, span_start, span_end FROM facts ORDER BY span_start")
    assert [row[1:] for row in rows] == [(3, 16), (18, 31)]
    assert len({row[0] for row in rows}) == 2
    assert all(len(row[0]) == 18 and row[0].startswith("f_") for row in rows)


def test_facts_keep_their_rows_through_a_new_cut(shared: Database) -> None:
    def fact(chunk: int, start: int) -> FactCandidate:
        return FactCandidate(
            type="T", subject=0, object=1, chunk=chunk, quote="Ann runs Beta", start=start, end=start + 13
        )

    people = [entity("Ann", "Person"), entity("Beta")]
    first = Extraction(extractor="x", entities=people, facts=[fact(1, 4)])
    second = Extraction(extractor="x", entities=people, facts=[fact(2, 0)])
    graphs.put(shared, "/1", graphs.parsed(["One Ann runs Beta."]), first)
    before = shared.fetch("SELECT fact_id FROM facts")
    graphs.put(shared, "/1", graphs.parsed(["One ", "Ann runs Beta."]), second)
    assert shared.fetch("SELECT fact_id FROM facts") == before
    graphs.put(shared, "/1", graphs.parsed(["One ", "Ann runs Beta."]), second)
    assert shared.fetch("SELECT want_gen, version FROM facts") == [(1, 1)]


# --- whatever the order --------------------------------------------------------------------------------------------

NAMES = (
    "Alpha", "Alpha Inc.", "the alpha", "Beta", "Beta Corp", "AG", "Delta & Co", "delta", "Épsilon", "Gamma Rho Iota",
    "GRI", "GRIs", "gamma rho iotas", "Ann Lee", "A. Lee", "Ann B. Lee", "Ann C. Lee", "Lee", "First National Bank",
)  # fmt: skip
TOPICS = ("Wages", "wages", "Prices", "Labor markets")
evidence = st.builds(
    Evidence,
    seen=st.integers(0, 9),
    types=st.dictionaries(st.sampled_from(["Organization", "Person"]), st.integers(1, 9), max_size=2),
    clues=st.dictionaries(st.sampled_from(["Organization", "Product"]), st.integers(1, 3), max_size=1),
    against=st.dictionaries(st.sampled_from(["code", "common", "noun"]), st.integers(1, 2), max_size=1),
    shown=st.dictionaries(st.just("Organization"), st.sampled_from([0.55, 0.8]), max_size=1),
    word=st.booleans(),
    single=st.booleans(),
)
candidates = st.builds(
    EntityCandidate,
    name=st.sampled_from(NAMES),
    type=st.sampled_from(["Organization", "Person", "Concept"]),
    aliases=st.lists(st.sampled_from(NAMES), max_size=2),
    description=st.sampled_from(["", "Short.", "Longer text."]),
    attributes=st.sampled_from([{}, {"founded": 1998}, {"founded": 1999, "seat": "Bern"}]),
    confidence=st.sampled_from([0.3, 0.5, 0.9]),
    declared=st.sampled_from([False, False, True]),
    titled=st.booleans(),
    linked=st.booleans(),
    rules=st.dictionaries(st.sampled_from(NAMES), st.sampled_from(["bracket", "surname", "link"]), max_size=1),
    evidence=st.one_of(st.none(), evidence),
    passages=st.lists(
        st.builds(
            Passage,
            text=st.sampled_from(["It is.", "It was."]),
            score=st.sampled_from([0.5, 2.0]),
            defines=st.booleans(),
        ),
        max_size=1,
    ),
)


@st.composite
def extractions(draw: st.DrawFn) -> Extraction:
    found = draw(st.lists(candidates, min_size=1, max_size=4))
    index = st.integers(0, len(found) - 1)
    chunk = st.integers(1, 3)
    quoted = st.sampled_from([("one", 0, 3), ("two", 4, 7)])

    def fact(subject: int, other: int | None, ordinal: int, quote: tuple[str, int, int]) -> FactCandidate:
        return FactCandidate(
            type="KNOWS", subject=subject, object=other, object_text=None if other is not None else "5 percent",
            chunk=ordinal, quote=quote[0], start=quote[1], end=quote[2],
        )  # fmt: skip

    facts = draw(st.lists(st.builds(fact, index, st.one_of(st.none(), index), chunk, quoted), max_size=3))
    for end in {end for one in facts for end in (one.subject, one.object) if end is not None}:
        found[end].evidence = None  # as the extractor has it: what has a fact is an entity
    return Extraction(
        extractor="test",
        entities=found,
        unconfirmed=draw(
            st.lists(
                st.builds(
                    UnconfirmedName,
                    name=st.sampled_from(NAMES),
                    evidence=evidence,
                    chunks=st.dictionaries(chunk, st.integers(1, 2), max_size=2),
                ),
                max_size=3,
            )
        ),
        mentions=draw(st.lists(st.builds(Mention, entity=index, chunk=chunk, count=st.integers(1, 3)), max_size=5)),
        facts=facts,
        topics=draw(
            st.lists(
                st.builds(
                    TopicCandidate,
                    path=st.lists(st.sampled_from(TOPICS), min_size=1, max_size=2),
                    chunks=st.lists(chunk, min_size=1, max_size=2),
                    definition=st.sampled_from(["", "Said."]),
                ),
                max_size=2,
            )
        ),
    )


TEXTS = ["one two ", "one two three ", "one two four"]


def store(database: Database, number: int, extraction: Extraction) -> int:
    return graphs.put(database, f"/d{number}", graphs.parsed(TEXTS, title=f"d{number}"), extraction)


@pytest.mark.long
@settings(max_examples=rounds(5, 60), deadline=None)
@given(first=st.lists(extractions(), min_size=1, max_size=2), second=extractions())
def test_removing_takes_exactly_what_came_only_from_it(
    shared: Database, first: list[Extraction], second: Extraction
) -> None:
    graphs.empty(shared)
    for number, extraction in enumerate(first):
        store(shared, number, extraction)
    before = graphs.graph(shared, slugs=False)
    assert graphs.wrong_pages(shared) == []
    added = store(shared, 9, second)
    assert graphs.contradictions(shared) == {} and graphs.wrong_pages(shared) == []
    graphs.remove(shared, added)
    assert graphs.contradictions(shared) == {} and graphs.wrong_pages(shared) == []
    # A slug is made once: an entity that was split by a declaration and joined again may have another of its names.
    assert graphs.graph(shared, slugs=False) == before


@pytest.mark.long
@settings(max_examples=rounds(3, 30), deadline=None)
@given(documents=st.lists(extractions(), min_size=2, max_size=3), data=st.data())
def test_the_order_does_not_matter(shared: Database, documents: list[Extraction], data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(documents))))
    graphs.empty(shared)
    for number, extraction in enumerate(documents):
        store(shared, number, extraction)
    expected = graphs.graph(shared, slugs=False)
    graphs.empty(shared)
    for number in range(len(documents)):  # the rows in one order, so that ties between documents fall alike
        store(shared, number, Extraction(extractor="test"))
    for number in order:
        store(shared, number, data.draw(extractions()))
    for number in reversed(order):
        store(shared, number, documents[number])
    assert graphs.contradictions(shared) == {}
    assert graphs.graph(shared, slugs=False) == expected
