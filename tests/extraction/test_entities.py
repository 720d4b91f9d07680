"""Entities, mentions, topics and links of documents, and what the shipped sample must answer."""

# Sentences stand in the tables as they are written.
# ruff: noqa: E501

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

import pytest

from kgfs.documents.formats.parsing import parse_document
from kgfs.extraction import extractor
from kgfs.extraction.names.capitals import find_capitals, stands_for, type_cue
from kgfs.extraction.names.declared.gazetteer import declared_entities, entity_type, make_gazetteer
from kgfs.extraction.names.matching import Matcher, Tokens
from kgfs.extraction.names.wordlists.places import PLACES
from kgfs.extraction.topics import heading_subject
from kgfs.model import EntityCandidate, Extraction, Gazetteer, GazetteerEntry, ParsedDocument

extract = partial(extractor.extract, extractor="patterns")


def read(text: str, known: Gazetteer | None = None, name: str = "a.md") -> Extraction:
    return extract(parse_document(text.encode(), name), known)


def types(extraction: Extraction) -> dict[str, str]:
    return {entity.name: entity.type for entity in extraction.entities}


def count(extraction: Extraction, name: str) -> int:
    (place,) = [place for place, entity in enumerate(extraction.entities) if entity.name == name]
    return sum(mention.count for mention in extraction.mentions if mention.entity == place)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Bureau of Labor Statistics met.", {"Bureau of Labor Statistics": "Organization"}),
        ("He visited the University of Toronto.", {"University of Toronto": "Organization"}),
        (
            "The Department of Health and Human Services said so.",
            {"Department of Health and Human Services": "Organization"},
        ),
        ("The Competition and Markets Authority (CMA) looked.", {"Competition and Markets Authority": "Organization"}),
        ("First Republic Bank failed.", {"First Republic Bank": "Organization"}),
        ("Products of Johnson & Johnson Inc. sold well.", {"Johnson & Johnson Inc.": "Organization"}),
        ("They met Ginni Rometty and Larry Page.", {"Larry Page": "Person"}),
        ("They met Dr. Ada Lovelace there.", {"Ada Lovelace": "Person"}),
        ("They met Thomas J. Watson there.", {"Thomas J. Watson": "Person"}),
        ("It rained in Boston and St. Louis.", {"Boston": "Location", "St. Louis": "Location"}),
        ("He lives in Armonk, New York.", {"Armonk": "Location", "New York State": "Location"}),
        ("Chips such as graphics processing units (GPUs) sell.", {"graphics processing unit": "Concept"}),
        ("Wage growth in Greater Boston slowed.", {"Boston": "Location"}),
        ("The Paperwork Reduction Act applies.", {"Paperwork Reduction Act": "Law"}),
        ("See [[Quantum Foam]] for more.", {"Quantum Foam": "Concept"}),
        # Nothing of this is a name that shows what it is.
        ("In October the Business Was Good. However, Monday came. Wheat Futures fell.", {}),
        ("THE QUICK BROWN FOX JUMPS. I think We did Well.", {}),
        ("Both the American and the Israeli side agreed on Tuesday.", {}),
        ("The National Bank and the State Council and a General Office met.", {}),
        ("Americans with Disabilities Act.", {}),
        ("Click Save As. Open the File Menu. Press Enter.", {}),
        ("", {}),
    ],
)
def test_names_become_entities_only_with_evidence(text: str, expected: dict[str, str]) -> None:
    assert types(read(text + "\n")) == expected


def test_headings_in_capitals_are_no_names() -> None:
    assert (
        types(
            read("Some words.\n\n## Larry Page Memorial University\n\n## The Great Big Bank\n\nWords in lower case.\n")
        )
        == {}
    )


def test_a_surname_and_a_short_name_are_the_whole_name() -> None:
    extraction = read(
        "Sam Altman met them. Later Altman left. Cumulus Networks grew. Then Cumulus shrank, says Altman's friend.\n"
    )
    assert types(extraction) == {"Sam Altman": "Person", "Cumulus Networks": "Organization"}
    assert count(extraction, "Sam Altman") == 3
    assert count(extraction, "Cumulus Networks") == 2


def test_an_ambiguous_surname_is_nobody() -> None:
    extraction = read("Dario Amodei and Daniela Amodei met. Then Amodei left.\n")
    assert set(types(extraction)) == {"Dario Amodei", "Daniela Amodei"}
    assert all("Amodei" not in entity.aliases for entity in extraction.entities)


@pytest.mark.parametrize(
    ("text", "name", "alias"),
    [
        ("The Bureau of Labor Statistics (BLS) met.", "Bureau of Labor Statistics", "BLS"),
        ("The BLS (Bureau of Labor Statistics) met.", "Bureau of Labor Statistics", "BLS"),
        ("The Federal Reserve Bank of Boston (Boston Fed) met.", "Federal Reserve Bank of Boston", "Boston Fed"),
        ("In tests, consumer price index (CPI) was used.", "consumer price index", "CPI"),
        ("We read the Employment Cost Index (ECI).", "Employment Cost Index", "ECI"),
    ],
)
def test_brackets_give_aliases(text: str, name: str, alias: str) -> None:
    extraction = read(text + f"\n\nLater the {alias} came again.\n")
    (entity,) = [entity for entity in extraction.entities if entity.name == name]
    assert alias in entity.aliases
    assert count(extraction, name) == 3


@pytest.mark.parametrize(
    ("short", "long", "answer"),
    [
        ("BLS", "Bureau of Labor Statistics", True),
        ("FOMC", "Federal Open Market Committee", True),
        ("SIEM", "security information and event management", True),
        ("DoD", "Department of Defense", True),
        ("GPUs", "graphics processing units", True),
        ("Boston Fed", "Federal Reserve Bank of Boston", True),
        ("VS Code", "Visual Studio Code", True),
        ("NY Times", "New York Times", True),
        ("VS Code", "Visual Basic Code", False),
        ("NYSE", "New York", False),
        ("X", "Xylophone", False),
        ("the", "Town Hall Estate", False),
        ("2019", "Two Zero One Nine", False),
    ],
)
def test_stands_for(short: str, long: str, answer: bool) -> None:
    assert stands_for(short, long) is answer


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("In January 2014 Google bought the British firm DeepMind.", ["Google", "DeepMind"]),
        ("Both Google's YouTube and AT&T came.", ["Google", "YouTube", "AT&T"]),
        ("Thomas Kurian became CEO of Google Cloud.", ["Thomas Kurian", "Google Cloud"]),
        ("the Bank of England, U.S. firms and P.A. Semi", ["Bank of England", "U.S.", "P.A. Semi"]),
        ("Ludwig van Beethoven and Rio de Janeiro", ["Ludwig van Beethoven", "Rio de Janeiro"]),
        ("iPhone and eBay, O'Reilly, LeCun", ["iPhone", "eBay", "O'Reilly", "LeCun"]),
        ("see user@Example.com or C:\\Windows or $HOME", []),
    ],
)
def test_candidates(text: str, found: list[str]) -> None:
    assert [candidate.text for candidate in find_capitals(text)] == found


@pytest.mark.parametrize(
    ("name", "type_"),
    [
        ("Alphabet Inc.", "Organization"), ("Carnegie Mellon University", "Organization"), ("Isomorphic Labs", "Organization"),
        ("University College London", "Organization"), ("Federal Trade Commission", "Organization"),
        ("Larry Page", "Person"), ("Jacob Kaplan-Moss", "Person"), ("Boston", "Location"), ("Dallas-Fort Worth", "Location"),
        ("National Bank", None), ("Will Power Station", None), ("Grace Hall", None), ("Mark Street", None), ("Google Cloud", None),
    ],
)  # fmt: skip
def test_cues(name: str, type_: str | None) -> None:
    found = type_cue(name)
    assert (found[0] if found else None) == type_


def test_front_matter_declares() -> None:
    text = (
        "---\ntitle: Alphabet Inc.\ntype: company\naliases: [Google, '[[GOOGL]]', Google]\nfounded: 2015-10-02\n"
        "headquarters: Mountain View\nnested: {a: 1}\ntags: [x]\ndescription: A holding.\n---\nText about Google.\n"
    )
    document = parse_document(text.encode(), "a.md")
    (entity,) = declared_entities(document)
    assert entity == EntityCandidate(
        name="Alphabet Inc.", type="Organization", aliases=["Google", "GOOGL"], description="A holding.",
        attributes={"founded": "2015-10-02", "headquarters": "Mountain View"}, confidence=1.0, declared=True,
    )  # fmt: skip
    extraction = extract(document, Gazetteer())
    assert types(extraction) == {"Alphabet Inc.": "Organization", "Mountain View": "Location"}
    assert count(extraction, "Alphabet Inc.") >= 1


@pytest.mark.parametrize(
    "matter", ["type: note", "type: [a]", "type: 7", "type:", "kind: Organization", "type: how-to"]
)
def test_kinds_of_text_declare_nothing(matter: str) -> None:
    assert declared_entities(parse_document(f"---\ntitle: T\n{matter}\n---\nx\n".encode(), "a.md")) == []


@pytest.mark.parametrize(
    ("value", "type_"),
    [("Organization", "Organization"), ("company", "Organization"), ("person", "Person"), ("research lab", "ResearchLab"),
     ("Note", None), ("", None), (None, None), ("a long list of words", None), ("123", None)],
)  # fmt: skip
def test_entity_types(value: object, type_: str | None) -> None:
    assert entity_type(value) == type_


def test_the_gazetteer_gives_names_types_and_aliases() -> None:
    known = make_gazetteer(
        [
            [EntityCandidate(name="Meta Platforms", type="Organization", aliases=["Facebook"], declared=True)],
            [EntityCandidate(name="meta platforms", type="Concept", aliases=["Meta"])],
            [EntityCandidate(name="Wage Inflation", type="Concept", aliases=["Pay Growth"], declared=True)],
        ]
    )
    extraction = read(
        "Facebook and Meta are one. Here wage inflation and Pay growth rose; metal and Facebooks did not.\n", known
    )
    assert types(extraction) == {"Meta Platforms": "Organization", "Wage Inflation": "Concept"}
    assert count(extraction, "Meta Platforms") == 2
    assert count(extraction, "Wage Inflation") == 2


def test_a_link_with_another_label_is_another_name() -> None:
    known = Gazetteer(entries=[GazetteerEntry(name="Alphabet Inc.", type="Organization")])
    extraction = read(
        "[[Alphabet Inc.|Google]] grew. Then Google shrank, as [[Alphabet Inc.|the company]] said.\n", known
    )
    (entity,) = extraction.entities
    assert (entity.name, entity.aliases) == ("Alphabet Inc.", ["Google"])
    assert [mention.count for mention in extraction.mentions] == [3]


@pytest.mark.slow
def test_ten_thousand_names_cost_no_more_than_a_few() -> None:
    text = "Words of Company 77 Inc. stand here with Company 5000 Inc. and others.\n\n" * 2000
    document = parse_document(text.encode(), "a.md")
    few = Gazetteer(entries=[GazetteerEntry(name="Company 77 Inc.", type="Organization")])
    many = Gazetteer(
        entries=[
            GazetteerEntry(name=f"Company {n} Inc.", type="Organization", aliases=[f"C{n}"]) for n in range(10_000)
        ]
    )
    extract(document, few), extract(document, many)
    seconds = []
    for known in (few, many):
        extract(parse_document(b"x", "a.md"), known)
        start = time.perf_counter()
        extract(document, known)
        seconds.append(time.perf_counter() - start)
    assert seconds[1] < 3 * seconds[0] + 0.5


@pytest.mark.parametrize(
    "text",
    ["Aa " * 20000, "A" * 50000, "Google, " * 5000 + "acquired Kaggle.", "(" * 20000, "[[" * 10000, "$1 " * 20000, "In 2014 " * 8000,
     "Google acquired " * 3000, "rate of growth of " * 5000, "Google and " * 5000, "the unemployment rate in " * 4000,
     "a, " * 20000, "Bank of " * 8000, "Mr. " * 10000],
)  # fmt: skip
def test_no_text_takes_long(text: str) -> None:
    start = time.perf_counter()
    read(text)
    assert time.perf_counter() - start < 10


def test_the_matcher_takes_the_longest_whole_words() -> None:
    matcher = Matcher([("New York", 1), ("New York Times", 2), ("York", 3), ("AT&T", 4), ("St. Louis", 5), ("...", 6)])
    text = "New York Times of New  York, Yorks, York. AT&T, St. Louis and St.\nLouis; ..."
    assert [(text[hit.start : hit.end], hit.key) for hit in matcher.find_names(Tokens(text))] == [
        ("New York Times", 2), ("York", 3), ("York", 3), ("AT&T", 4), ("St. Louis", 5), ("St.\nLouis", 5),
    ]  # fmt: skip


def test_places_are_clean() -> None:
    assert all(place == place.strip() and place[0].isupper() for place in PLACES)


@pytest.mark.parametrize(
    ("heading", "topic"),
    [
        ("Labor Markets", "labor markets"), ("labor-markets", "labor markets"), ("Employment and Wages", "employment and wages"),
        ("Introduction", None), ("See also", None), ("How to install it", None), ("Release 2.0", None), ("Why?", None),
        ("A very long heading that names no topic at all", None), ("One unit", None), ("🎉", None), ("", None),
    ],
)  # fmt: skip
def test_headings_that_are_topics(heading: str, topic: str | None) -> None:
    assert heading_subject(heading) == topic


def test_topics_come_from_tags_and_headings() -> None:
    filler = "Plain words in a sentence that goes on for a while. " * 30
    extraction = read(
        f"---\ntags: [Labor-Markets/Wages, housing]\n---\n# T\n\n{filler}\n\n## Wages\n\n{filler}\n\n## Monetary Policy\n\n{filler}\n\n"
        f"## Larry Page University\n\n{filler} Larry Page University grew.\n"
    )
    by_path = {tuple(topic.path): topic for topic in extraction.topics}
    assert set(by_path) == {("labor markets", "wages"), ("housing",), ("wages",), ("monetary policy",)}
    assert len(by_path["housing",].chunks) > len(by_path["wages",].chunks) >= 1
    assert by_path["labor markets", "wages"].source == "tag"
    assert by_path["wages",].source == "heading"
    assert by_path["monetary policy",].source == "heading"


def test_links_between_documents() -> None:
    extraction = read(
        "See [[Alphabet Inc.#History|Google]] and ![[image.png]], [the history](alphabet-history.md#x), [web](https://x.y), "
        "[mail](mailto:a@b), [here](#top), [space](a%20b.md) and [ref][r].\n\n[r]: ../other.md 'Title'\n"
    )
    assert [(link.target, link.kind, link.label) for link in extraction.links] == [
        ("Alphabet Inc.", "wikilink", "Google"), ("image.png", "embed", ""), ("alphabet-history.md", "path", "the history"),
        ("a b.md", "path", "space"), ("../other.md", "path", "r"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ('[leave]({% page "/travel/leave/#top" %})', "/travel/leave/"),
        ('[leave]({{< ref "leave.md" >}})', "leave.md"),
        ("[leave]({% link _posts/leave.md %})", "_posts/leave.md"),
        ("[leave]({{ site.baseurl }}/leave/)", "/leave/"),
        ("[leave](<paid leave.md>)", "paid leave.md"),
        ("[leave](Leave_(paid).md)", "Leave_(paid).md"),
        ("See <a class='x' href=\"leave.html?x=1\">leave</a>.", "leave.html"),
        ('[leave]("https://x.y")', None),
        ('[leave]({% page "https://x.y" %})', None),
        ("[leave]({{ url }})", None),
        ("`[leave](leave.md)` ```[[x]]``` <a href='#x'>", None),
    ],
)
def test_links_of_sites_and_odd_paths(text: str, target: str | None) -> None:
    assert [link.target for link in read(f"Words before. {text} And after.\n").links] == [target] * (target is not None)


@pytest.mark.parametrize("name", ["a.bin", "a.csv", "a.json", "a.txt", "a.html"])
def test_every_format_can_be_read(name: str) -> None:
    extraction = read("Google acquired Kaggle in 2017, said Larry Page.\n", name=name)
    assert extraction.extractor == "patterns"
    assert bool(extraction.facts) == name.endswith(("bin", "txt", "html"))


# --- the shipped sample --------------------------------------------------------------------------------------------

SAMPLES = Path(__file__).parents[2] / "kgfs" / "samples"


@pytest.fixture(scope="module")
def sample() -> list[tuple[ParsedDocument, Extraction]]:
    documents = [
        parse_document(path.read_bytes(), path.name) for path in sorted(SAMPLES.rglob("*.*")) if path.is_file()
    ]
    known = make_gazetteer(declared_entities(document) for document in documents)
    return [(document, extract(document, known)) for document in documents]


@pytest.fixture(scope="module")
def sample_facts(sample: list[tuple[ParsedDocument, Extraction]]) -> set[tuple[str, str, str]]:
    found = set()
    for _, extraction in sample:
        names = [entity.name for entity in extraction.entities]
        found |= {(names[f.subject], f.type, names[f.object]) for f in extraction.facts if f.object is not None}
    return found


@pytest.mark.parametrize(
    "fact",
    [
        *[("Alphabet Inc.", "ACQUIRED", name) for name in
          ("DeepMind", "Fitbit", "Mandiant", "Looker", "Nest Labs", "Kaggle", "DNNresearch", "YouTube", "Android", "Waze")],
        ("Larry Page", "FOUNDED", "Alphabet Inc."),
        ("Demis Hassabis", "FOUNDED", "DeepMind"),
        ("Geoffrey Hinton", "FOUNDED", "DNNresearch"),
        ("Sundar Pichai", "CHIEF_EXECUTIVE_OF", "Alphabet Inc."),
        ("Demis Hassabis", "CHIEF_EXECUTIVE_OF", "DeepMind"),
        ("Alphabet Inc.", "HEADQUARTERED_IN", "Mountain View"),
        ("Waymo", "SUBSIDIARY_OF", "Alphabet Inc."),
        ("Microsoft", "INVESTED_IN", "OpenAI"),
        ("DeepMind", "DEVELOPED", "AlphaFold"),
    ],
)  # fmt: skip
def test_the_sample_answers(sample_facts: set[tuple[str, str, str]], fact: tuple[str, str, str]) -> None:
    assert fact in sample_facts


def test_nothing_embarrassing_in_the_sample(
    sample: list[tuple[ParsedDocument, Extraction]], sample_facts: set[tuple[str, str, str]]
) -> None:
    by_type: dict[str, set[str]] = {}
    for _, extraction in sample:
        for entity in extraction.entities:
            by_type.setdefault(entity.type, set()).add(entity.name)
    assert by_type["Person"].isdisjoint(by_type["Organization"] | by_type["Location"] | by_type["Concept"])
    assert {"Google Cloud", "Morgan Stanley", "New York Stock Exchange"}.isdisjoint(by_type["Person"])
    for name in by_type["Person"]:
        assert len(name.split()) >= 2, name
    # Offers that came to nothing.
    assert ("Nvidia", "ACQUIRED", "Arm") not in sample_facts
    assert all(
        not (fact[1] == "ACQUIRED" and fact[2] in by_type["Location"] | by_type["Person"]) for fact in sample_facts
    )


def test_numbers_of_a_concept_are_one_entry() -> None:
    """Also a word that has one form for both."""
    known = make_gazetteer(
        [
            [EntityCandidate(name=name, type="Concept", declared=True)]
            for name in ("time series", "lamps", "lamp", "lens")
        ]
    )
    assert sorted(entry.name for entry in known.entries) == ["lamp", "lens", "time series"]


def test_no_name_is_found_in_an_address() -> None:
    matcher = Matcher([("security", 1), ("lamps@acme.org", 2)], ignore_case=True)
    text = "Write to hspd12.security@acme.org or lamps@acme.org; ask Security @ Acme."
    assert [(hit.key, text[hit.start : hit.end]) for hit in matcher.find_names(Tokens(text))] == [
        (2, "lamps@acme.org"), (1, "Security"),
    ]  # fmt: skip
