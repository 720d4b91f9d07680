"""Names, types and facts with the tagger: tables of sentences, those among them that must give nothing."""

# Sentences stand in the tables as they are written.
# ruff: noqa: E501

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgfs.documents.formats import parsing
from kgfs.documents.formats.parsing import document_blocks, parse_document
from kgfs.extraction.extractor import extract, extract_by_rule, extractor_name, extractor_quality, read_sentences
from kgfs.extraction.names import tagging
from kgfs.extraction.names.boundaries import cleaned_spans, is_name
from kgfs.model import Extraction, Gazetteer, GazetteerEntry

pytestmark = pytest.mark.skipif(not tagging.has_tagger(), reason="the extra `offline` is not installed")

Row = tuple[str, str, str]


def read(text: str, known: Gazetteer | None = None) -> Extraction:
    document = parse_document(text.encode(), "a.md")
    extraction = extract(document, known)
    for fact in extraction.facts:
        chunk = document.chunks[fact.chunk - 1].text.encode()
        assert chunk[fact.start : fact.end].decode() == fact.quote
        assert 0 < fact.confidence <= 1
        assert fact.object is not None or fact.object_text
    for mention in extraction.mentions:
        assert mention.count > 0 and mention.entity < len(extraction.entities)
    return extraction


def types(extraction: Extraction) -> dict[str, str]:
    return {entity.name: entity.type for entity in extraction.entities}


def rows(extraction: Extraction) -> set[Row]:
    names = [entity.name for entity in extraction.entities]
    return {
        (names[fact.subject], fact.type, names[fact.object]) for fact in extraction.facts if fact.object is not None
    }


def test_the_extractor_says_what_it_is() -> None:
    assert extractor_name() == extractor_name("offline") == "spacy" == read("Boston is a city.").extractor
    assert extractor_name("patterns") == "patterns"
    assert extractor_quality("spacy") == "" and "add or refresh" in extractor_quality("patterns")


def test_a_sentence_is_read_once_for_names_phrases_and_syntax(monkeypatch: pytest.MonkeyPatch) -> None:
    tagging.tag_sentences(["It is loaded."])
    pipeline: Any = tagging._pipeline()
    vectors: Any = pipeline.get_pipe("tok2vec")
    make_doc, predict = pipeline.make_doc, vectors.predict
    split: list[str] = []
    scanned: list[str] = []

    def made(text: str) -> Any:
        split.append(text)
        return make_doc(text)

    def predicted(docs: Any) -> Any:
        scanned.extend(doc.text for doc in docs)
        return predict(docs)

    monkeypatch.setattr(pipeline, "make_doc", made)
    monkeypatch.setattr(vectors, "predict", predicted)
    said = "Ada Lee founded Acme Works in Reno, Nevada. The local mill works well in wet weather."
    found = read(f"{said}\n\n{said}\n\n{said}")
    assert ("Ada Lee", "FOUNDED", "Acme Works") in rows(found) and found.topics
    assert sorted(split) == sorted(scanned) and len(split) == len(set(split)) == 2
    read(said)  # nothing is kept for the next document
    assert len(split) == 4


@pytest.mark.parametrize("extractor", ["patterns", "offline"])
def test_the_blocks_of_a_document_are_made_once(extractor: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    blocks = parsing._blocks
    document = parse_document(b"# Tarn\n\n| Tool | Owner |\n|---|---|\n| lamp | Ada Lee |\n\nName: Tarn\n", "a.md")

    def noted(text: str, *more: Any) -> Any:
        made.append(text)
        return blocks(text, *more)

    monkeypatch.setattr(parsing, "_blocks", noted)
    extract(document, extractor=extractor)
    assert made == [document.text]
    extract(document, extractor=extractor)
    assert len(made) == 2  # nothing is kept for the next document
    assert document_blocks(document) == document_blocks(document) and len(made) == 4


def test_without_spacy_the_patterns_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tagging, "tagger_package", lambda: None)
    extraction = extract(parse_document(b"Google acquired Kaggle in March 2017.", "a.md"))
    assert "offline extra" in extractor_quality("patterns") and extraction.unconfirmed == []
    assert extraction.extractor == "patterns" and [fact.type for fact in extraction.facts] == ["ACQUIRED"]


@pytest.mark.parametrize(
    ("text", "span", "type_", "wanted"),
    [
        ("the Boston Globe's editors", "the Boston Globe's", "Organization", ["Boston Globe"]),
        ("President Angela Merkel", "President Angela Merkel", "Person", ["Angela Merkel"]),
        ("Goa, Panaji", "Goa, Panaji", "Location", ["Goa", "Panaji"]),
        ("Washington, D.C. is", "Washington, D.C.", "Location", ["Washington, D.C."]),
        ("Martin Luther King, Jr. spoke", "Martin Luther King, Jr.", "Person", ["Martin Luther King, Jr."]),
        ("Standard Oil Company of", "Standard Oil Company of", "Organization", ["Standard Oil Company"]),
        ("Acme Corp. sells", "Acme Corp.", "Organization", ["Acme Corp."]),
        ("(Zenith", "(Zenith", "Organization", ["Zenith"]),
        ("Contact Jane Miller", "Contact Jane Miller", "Person", ["Jane Miller"]),
        ("COVID-19 spread", "COVID-19", "Organization", ["COVID-19"]),
        ("A320 and", "A320", "Organization", []),
        ("It is", "It", "Organization", []),
        ("setup.ps1 runs", "setup.ps1", "Organization", []),
        ("Get-Process is", "Get-Process", "Person", []),
        ("Contoso bought Zenith", "Contoso bought", "Organization", ["Contoso"]),
        ("big league club", "big league club", "Organization", []),
        ("March", "March", "Person", []),
        ("notes/boston.md", "notes/boston.md", "Organization", []),
    ],
)
def test_boundaries(text: str, span: str, type_: str, wanted: list[str]) -> None:
    start = text.index(span)
    found = cleaned_spans(text, start, start + len(span), type_)
    assert [text[tag.start : tag.end] for tag in found] == wanted
    if span == "COVID-19":
        assert found[0].type == "Concept"


@given(st.text(max_size=60), st.data())
def test_boundaries_lie_inside(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    for type_ in ("Person", "Organization", "Location", "Work", ""):
        for tag in cleaned_spans(text, start, end, type_):
            assert start <= tag.start < tag.end <= end
            assert is_name(text[tag.start : tag.end], type_)


TYPED: list[tuple[str, dict[str, str]]] = [
    ("Sanjay Deshmukh was born in Nashik. Sanjay Deshmukh writes novels.", {"Sanjay Deshmukh": "Person"}),
    ("The band Crazyhead toured Europe. Crazyhead is a band from Leicester.", {"Crazyhead": "Organization"}),
    ("Clergoux is a village in central France.", {"Clergoux": "Location", "France": "Location"}),
    (
        "The outbreak of COVID-19 hit China. COVID-19 spread in February. Hotels closed as COVID-19 spread.",
        {"COVID-19": "Concept", "China": "Location"},
    ),
    ("The Clean Water Act was passed in 1972. Critics of the Clean Water Act sued.", {"Clean Water Act": "Law"}),
    ("Fargo, N.D., saw lower sales.", {"Fargo": "Location", "North Dakota": "Location"}),
]


@pytest.mark.parametrize(("text", "wanted"), TYPED, ids=[text[:40] for text, _ in TYPED])
def test_types(text: str, wanted: dict[str, str]) -> None:
    found = types(read(text))
    assert wanted.items() <= found.items(), found


NOTHING = [
    "It rained on Monday, and they left in March.",
    "He paid 3.6 percent, or $12, on 14 January 2021.",
    "# Getting Started\n\n## Installing Things\n\nPlease wait for a while and then go on as before.",
    "- [Installing the Tools](install.md)\n- [Creating Custom Controls](custom.md)\n- [Keyboard Shortcuts](keys.md)",
    "The `ShouldProcess` method and the `ComputerName` parameter are explained below; ComputerName is a string.",
    "The American and the French versions differ, as do most British and German ones.",
    "| Name | Notes |\n|---|---|\n| Width Element | Sets the Width |",
    "Run setup.ps1 and then look at notes/readme.md for what to do next.",
    "",
    "\n\n\n",
]


@pytest.mark.parametrize("text", NOTHING, ids=range(len(NOTHING)))
def test_no_entity(text: str) -> None:
    assert types(read(text)) == {}


def test_headings_and_labels_are_not_fed_as_prose() -> None:
    extraction = read(
        "# Reduce Friction\n\n## Width Element\n\n[Running PowerShell Everywhere](a.md)\n\nA short text that says nothing of it.\n"
    )
    assert types(extraction) == {}


def test_votes_give_one_type_a_document() -> None:
    text = "Budjana joined Spirit. With Budjana, the album sold well. Later I Dewa Budjana, who was born in 1963, left. Budjana moved away."
    found = types(read(text))
    assert len([type_ for name, type_ in found.items() if "Budjana" in name]) <= 1
    assert found.get("I Dewa Budjana", found.get("Dewa Budjana", "Person")) == "Person"


def test_the_gazetteer_wins() -> None:
    known = Gazetteer(
        entries=[GazetteerEntry(name="Tock", type="Product"), GazetteerEntry(name="Fargo", type="Organization")]
    )
    found = types(read("People log their hours in Tock. They met Fargo in North Dakota.", known))
    assert found["Tock"] == "Product" and found["Fargo"] == "Organization"


FACTS: list[tuple[str, set[Row]]] = [
    ("IBM spokeswoman Jane Miller said that the office is open.", {("Jane Miller", "WORKS_FOR", "IBM")}),
    ("Richard Kahn, chief scientific officer for the American Diabetes Association, said so.", {("Richard Kahn", "WORKS_FOR", "American Diabetes Association")}),
    ("Edgar Allan Poe was born in Boston in 1809.", {("Edgar Allan Poe", "BORN_IN", "Boston")}),
    ("Robert Kennedy was shot and killed by Sirhan Sirhan in 1968.", {("Sirhan Sirhan", "KILLED", "Robert Kennedy")}),
    ("Jack Ruby, a nightclub owner, killed Lee Harvey Oswald.", {("Jack Ruby", "KILLED", "Lee Harvey Oswald")}),
    ("The office is in Toulouse, France.", {("Toulouse", "LOCATED_IN", "France")}),
    ("Peter Smith graduated from Stanford University in 1990.", {("Peter Smith", "EDUCATED_AT", "Stanford University")}),
    ("Peter Smith, who lives in Chicago, writes books.", {("Peter Smith", "LIVES_IN", "Chicago")}),
    ("Microsoft, after long talks that failed twice, acquired Zenith Electronics Corp.", {("Microsoft", "ACQUIRED", "Zenith Electronics Corp.")}),
    ("Maria Lopez, D-Ariz., voted against it.", {("Maria Lopez", "OFFICIAL_OF", "Arizona")}),
    ("Ada Lovell is an American singer who tours. Later Ada Lovell retired.", {("Ada Lovell", "CITIZEN_OF", "United States")}),
    ("The French painter Yves Roi died. Later Yves Roi was famous.", {("Yves Roi", "CITIZEN_OF", "France")}),
    ("He studied at McGill University in Toronto.", {("McGill University", "LOCATED_IN", "Toronto")}),
    ("They met in Okotoks, Alberta, Canada.", {("Okotoks", "LOCATED_IN", "Alberta"), ("Okotoks", "LOCATED_IN", "Canada"), ("Alberta", "LOCATED_IN", "Canada")}),
    ("Nordwind Energy AG is a Danish wind turbine maker headquartered in Toulouse, France.", {("Nordwind Energy AG", "HEADQUARTERED_IN", "Toulouse")}),
    ("Contoso Ltd. is an American company founded in 1979 by Peter Smith.", {("Peter Smith", "FOUNDED", "Contoso Ltd.")}),
    # none
    ("Ada Lovell is an African American singer. Later Ada Lovell retired.", set()),
    ("Ada Lovell likes the French painter. Later Ada Lovell retired.", set()),
    ("Google may acquire Kaggle.", set()),
    ("Google did not acquire Kaggle, and Microsoft never bought Kaggle.", set()),
    ("Did Jack Ruby kill Lee Harvey Oswald?", set()),
    ("Peter Smith would live in Chicago if he could.", set()),
    ("Sales were flat in St. Louis, New York, and Chicago.", set()),
    ("Peter Smith and Jane Miller met Google and IBM.", set()),
    ("Peter Smith plans to join IBM.", set()),
    # The names stand where a fact has them, and are its ends in none.
    ("Prices rose after Russia's invasion of Ukraine.", set()),
    ("The state of Ukraine in Russia was discussed.", set()),
    ("They met on London's Baker Street and at Britain's Foreign Ministry.", set()),
    ("Toll rates in the U.S. state of Texas fell.", set()),
    ("Princess Margaret of Denmark was the last child of Prince Valdemar.", set()),
    ("A banker for PaineWebber in Hackensack bought it.", set()),
    ("The Life Insurance Co. of Georgia opened an office.", set()),
    ("King Charles of Sweden spoke.", set()),
    ('"IBM spokeswoman Jane Miller is in London," he said.', set()),
    ("Refineries in Reno, Mexico's energy company said, are closed.", set()),
]  # fmt: skip


@pytest.mark.parametrize(("text", "wanted"), FACTS, ids=[text[:50] for text, _ in FACTS])
def test_facts(text: str, wanted: set[Row]) -> None:
    found = rows(read(text))
    assert found == wanted if not wanted else wanted <= found, found


def test_dates_are_attached() -> None:
    (fact,) = [fact for fact in read("Edgar Allan Poe was born in Boston in 1809.").facts if fact.type == "BORN_IN"]
    assert fact.date == "1809"


def test_no_date_of_another_clause() -> None:
    text = "Peter Smith was born in Boston in 1961 and studied at Stanford University."
    dates = {fact.type: fact.date for fact in read(text).facts}
    assert dates["BORN_IN"] == "1961" and dates["EDUCATED_AT"] is None


@pytest.mark.parametrize(
    "text",
    [
        "Peter Smith was born in Chicago and studied at Stanford University in 1935.",
        "In 2001 Peter Smith, who was born in Chicago, left.",
    ],
)
def test_no_date_of_another_verb(text: str) -> None:
    (fact,) = [one for one in read(text).facts if one.type == "BORN_IN"]
    assert fact.date is None


def test_a_fact_names_its_rule() -> None:
    document = parse_document(b"IBM spokeswoman Jane Miller said that the office in Toulouse, France, is open.", "a.md")
    extraction, rules = extract_by_rule(document)
    assert extraction == extract(document) and len(rules) == len(extraction.facts)
    assert {"proximity.organization_role", "proximity.comma"} <= set(rules)


def test_a_company_by_its_shorter_names() -> None:
    """Whatever the tagger takes them for."""
    extraction = read(
        "# Nordwind Energy\n\nNordwind Energy AG makes turbines. In March 2021, Nordwind acquired Helios Solar Inc. for $430"
        " million.\n\nNordwind Energy reported revenue of \u20ac2.4 billion in 2022.\n"
    )
    (company,) = [entity for entity in extraction.entities if "Nordwind" in entity.name]
    assert (company.name, company.type) == ("Nordwind Energy", "Organization")  # as its page is called
    assert set(company.aliases) == {"Nordwind Energy AG", "Nordwind"}
    said = {(fact.type, fact.value, fact.date) for fact in extraction.facts}
    assert said == {("ACQUIRED", 430e6, "2021-03"), ("REPORTED", 2.4e9, "2022")}


def test_the_date_that_a_report_states_is_its_own() -> None:
    matter = "---\ndate: 2024-01-15\n---\n"
    said = "Zenith Electronics Corp. announced a new factory for televisions"
    for when, date in ((" in May 2021", "2021-05"), (", its first since 2009", "2024-01-15")):
        (fact,) = [one for one in read(f"{matter}{said}{when}.\n").facts if one.type == "REPORTED"]
        assert fact.date == date


def test_what_is_reported_of_places() -> None:
    text = "---\ndate: 2020-01-15\n---\nHotels in Charleston and Savannah saw strong demand, and hotel prices rose.\n"
    extraction = read(text)
    names = [entity.name for entity in extraction.entities]
    found = {names[fact.subject]: fact for fact in extraction.facts if fact.type == "REPORTED"}
    assert set(found) == {"Charleston", "Savannah"}
    assert all(fact.date == "2020-01-15" and "strong demand" in fact.quote for fact in found.values())


@pytest.mark.parametrize(
    "text",
    [
        "Hotels in Charleston expect strong demand next year and higher prices.",
        "Did prices in Charleston rise by more than wages did in the past year?",
        "Charleston lies on the coast and has a harbor with a long history.",
        "Prices of food rose in the past year because of the conflict in Charleston.",
    ],
)
def test_what_is_no_report(text: str) -> None:
    assert [fact for fact in read(text).facts if fact.type == "REPORTED"] == []


TABLE = """---
title: Acme
type: company
date: 2021-05-01
---
# Acme

| Year | Revenue (USD million) | Employees | Notes |
|------|----------------------:|-----------|-------|
| 2019 | 1,200 | 4,500 | good |
| 2020 | −1,350 | n/a | 12 of 14 |

## Cities

| City | Unemployment rate (%) | Rank |
|---|---|---|
| Boston | 3.2 | 1 |
| Nowhereville Upon | 4.4 | 2 |
"""


@pytest.mark.parametrize("extractor", ["patterns", "spacy"])
def test_tables(extractor: str) -> None:
    document = parse_document(TABLE.encode(), "a.md")
    extraction = extract(document, None, extractor)
    names = [entity.name for entity in extraction.entities]
    found = {
        (names[fact.subject], fact.indicator, fact.value, fact.unit, fact.date)
        for fact in extraction.facts
        if fact.type == "REPORTED"
    }
    assert found == {
        ("Acme", "revenue", 1.2e9, "USD", "2019"),
        ("Acme", "employees", 4500.0, None, "2019"),
        ("Acme", "revenue", -1.35e9, "USD", "2020"),
        ("Boston", "unemployment_rate", 3.2, "percent", "2021-05-01"),
        ("Nowhereville Upon", "unemployment_rate", 4.4, "percent", "2021-05-01"),
    }


def test_definitions() -> None:
    extraction = read(
        "# Labor markets\n\nLabor markets are the places where workers meet employers. "
        "Zenith Electronics, a maker of television sets, was sold. Zenith Electronics is an American company.\n"
    )
    (topic,) = (topic for topic in extraction.topics if topic.source == "heading")
    assert topic.definition.startswith("Labor markets are the places")
    described = {entity.name: entity.description for entity in extraction.entities}
    assert described["Zenith Electronics"] == "Zenith Electronics is an American company."


def test_the_same_text_gives_the_same() -> None:
    text = "Jane Miller joined Acme Corp. in Toulouse. Acme Corp. bought Zenith Electronics. " * 5
    first = read(text)
    extract(parse_document(b"Paris Hilton met Toulouse Lautrec and Acme Boat in Zenith.", "b.md"))
    assert read(text) == first


@settings(max_examples=40, deadline=None)
@given(st.text(alphabet="AaBb .,'’\"-–()[]`|#*\n\t0123é漢א$€%/\\_", max_size=200))
def test_any_text_is_read(text: str) -> None:
    read(text)


def test_sentences_are_read_with_places() -> None:
    sentence = "The Boston Globe hired Peter Smith of Chicago."
    (reading,) = read_sentences([sentence])
    found = {sentence[name.start : name.end]: name.type for name in reading.names}
    assert found["Peter Smith"] == "Person" and found["Chicago"] == "Location"
