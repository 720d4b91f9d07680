"""Capitals that are no name as they stand: headings that run into their text, orders, participles, halves of brackets."""

# Sentences stand in the tables as they are written.
# ruff: noqa: E501

from __future__ import annotations

import pytest

from kgfs.documents.formats.parsing import parse_document
from kgfs.extraction.extractor import extract
from kgfs.extraction.names import capitals, tagging
from kgfs.extraction.names.boundaries import cleaned_spans
from kgfs.extraction.names.verdict import name_verdict, total_evidence

pytestmark = pytest.mark.skipif(not tagging.has_tagger(), reason="the extra `offline` is not installed")


def types(text: str) -> dict[str, str]:
    return {entity.name: entity.type for entity in extract(parse_document(text.encode(), "a.md")).entities}


def seen(text: str) -> set[str]:
    extraction = extract(parse_document(text.encode(), "a.md"))
    return {one.name for one in (*extraction.entities, *extraction.unconfirmed)}


@pytest.mark.parametrize(
    ("text", "wanted", "unwanted"),
    [
        ("Critics of Orbis Group said that the plan failed.", "Orbis Group", "Critics of Orbis Group"),
        ("Unless Orbis Group pays, the town will sue.", "Orbis Group", "Unless Orbis Group"),
        ("Neither Orbis Group nor Velport Council paid.", "Orbis Group", "Neither Orbis Group"),
        ("Whereas Orbis Group lost, Tarn Bank won.", "Orbis Group", "Whereas Orbis Group"),
        ("Either Orbis Group or Tarn Bank pays.", "Orbis Group", "Either Orbis Group"),
        ("Whenever Orbis Group pays, we stay.", "Orbis Group", "Whenever Orbis Group"),
        ("Although Orbis Group paid, nobody came.", "Orbis Group", "Although Orbis Group"),
        ("Boston Economic activity expanded at a modest pace.", "Boston", "Boston Economic"),
        ("St. Louis Reports from contacts indicate that conditions improved.", "St. Louis", "St. Louis Reports"),
        ("Boston College plans a new library.", "Boston College", "Boston"),
        ("Boston Economic Club met in May.", "Boston Economic Club", "Boston"),
        ("Aggregate Philadelphia business activity resumed a modest pace.", "Philadelphia", "Aggregate Philadelphia"),
        ("Retail, Travel, and Tourism Travel and tourism in Boston were strong.", "Boston", "Tourism Travel"),
        ("Represent Council views to GSA and others.", "GSA", "Represent Council"),
        ("See [Install PowerShell 7](a.md) before you begin on Windows.", "PowerShell", "Install PowerShell 7"),
        ("For more information, see Install PowerShell 7 on macOS.", "PowerShell", "Install PowerShell 7"),
        ("The World Wide Web Consortium (W3C) has recommendations for colors.", "World Wide Web Consortium", "The World Wide Web Consortium"),
        ("USDC - The United States Digital Corps is a fellowship.", "United States Digital Corps", "The United States Digital Corps"),
        ("A Project (or Program) Management Office is there for Boston.", "Boston", "Program) Management Office"),
    ],
)  # fmt: skip
def test_what_runs_into_a_name_is_cut_off(text: str, wanted: str, unwanted: str) -> None:
    found = seen(text)
    assert unwanted not in found
    assert any(name.startswith(wanted) for name in found), found


@pytest.mark.parametrize(
    ("text", "type_", "wanted"),
    [
        ("Program) Management Office", "Organization", ["Management Office"]),
        ("Program (Management Office", "Organization", ["Program"]),
        ("Alphabet (Google) Inc", "Organization", ["Alphabet (Google) Inc"]),
        ("Clients & Markets, Solutions", "Organization", ["Clients & Markets", "Solutions"]),
        ("Kuhn, Loeb & Co", "Organization", ["Kuhn, Loeb & Co"]),
        ("Health, Education and Welfare", "Organization", ["Health, Education and Welfare"]),
        ("Windows-specific", "Product", []),
        ("Lamp Team over Zoom", "Organization", ["Lamp Team"]),
        ("the Chair of the Oil Committee and Board of Directors", "Law", ["Oil Committee", "Board of Directors"]),
        ("Nils Mial Candidate Profile", "Person", ["Nils Mial"]),
        ("Self-Organised", "Organization", []),
        ("The Lampers and Board", "Organization", ["Lampers", "Board"]),
        ("JEA DSC resource", "Product", ["JEA DSC"]),
        ("Ann: Bob", "Person", ["Ann", "Bob"]),
        ("Ann Lind v Bob Ray", "Person", ["Ann Lind", "Bob Ray"]),
        ("Superwicks: Lamps and Oils", "Work", ["Superwicks: Lamps and Oils"]),
        ("Lamp Team + Oil Committee", "Organization", ["Lamp Team", "Oil Committee"]),
        ("LampCon + OilCon", "Organization", ["LampCon + OilCon"]),
        ("the Project and Foundation", "Organization", ["Project", "Foundation"]),
        ("Lamp and Foundation", "Organization", ["Lamp and Foundation"]),
        ("AB / CD Working Group", "Organization", ["AB / CD Working Group"]),
        ("Acme Lamps / Tarn Oil Council", "Organization", ["Acme Lamps", "Tarn Oil Council"]),
        ("the University of Nevada, Tarn", "Organization", ["University of Nevada, Tarn"]),
        ("University of Tarn, Nevada", "Organization", ["University of Tarn", "Nevada"]),
        ("Coca-Cola", "Organization", ["Coca-Cola"]),
    ],
)
def test_what_the_tagger_marks_is_cut_to_the_name(text: str, type_: str, wanted: list[str]) -> None:
    assert [text[tag.start : tag.end] for tag in cleaned_spans(text, 0, len(text), type_)] == wanted


def test_a_title_that_asks_names_nobody() -> None:
    text = "Read How We Relate to Partners."
    assert cleaned_spans(text, len("Read "), len(text) - 1, "Organization") == []
    assert capitals.type_cue("How We Relate to Partners") is None


def test_the_article_of_an_office_is_none_of_its_name() -> None:
    text = "He joined The Office of Trade and The Washington Post."
    spans = [(text.index("The O"), text.index(" and")), (text.index("The W"), len(text) - 1)]
    found = [tag for start, end in spans for tag in cleaned_spans(text, start, end, "Organization")]
    assert [text[tag.start : tag.end] for tag in found] == ["Office of Trade", "The Washington Post"]


def test_a_participle_is_no_organization() -> None:
    text = "I chose verbs (Collaborated, Managed) for bullets.\n\n" + "\n\n".join(
        f"- Collaborated with {team} to write a guide." for team in ("design", "sales", "research", "support")
    )
    assert not {"Collaborated", "Managed"} & set(types(text))
    assert tagging.is_inflected_verb("planning") and not tagging.is_inflected_verb("boeing")


def test_a_heading_of_many_texts_is_no_entity() -> None:
    text = "All articles must be in the Table of Contents (TOC). The TOC comes from a Statement of Work (SOW)."
    found = types(text)
    assert "Table of Contents" not in found and "Statement of Work" in found


@pytest.mark.parametrize(
    ("text", "name", "type_"),
    [
        ("Keys on newer MacBooks differ. Older MacBooks have drives. MacBooks are sold by Apple.", "MacBooks", "Product"),
    ],
)  # fmt: skip
def test_types_of_technologies_and_products(text: str, name: str, type_: str) -> None:
    assert types(text)[name] == type_


def test_a_language_is_a_technology_whatever_the_tagger_says() -> None:
    text = "NASA distributes JavaScript libraries. They write JavaScript."
    (found,) = [one for one in extract(parse_document(text.encode(), "a.md")).entities if one.name == "JavaScript"]
    assert found.type == "Technology" and found.evidence is not None
    judged = name_verdict(total_evidence([found.evidence] * 3), 3)
    assert judged is not None and judged.type == "Technology"


def test_the_head_of_a_name_is_not_what_follows_of() -> None:
    assert capitals.type_cue("Software as a Service") == ("Concept", 0.6)
    assert capitals.type_cue("Zoom Terms of Service") is None and capitals.type_cue("Board of Trade") is not None
