"""What references say of authors and publishers, and what tables on a person's page say of where somebody worked."""

# Sources stand here as they are written.
# ruff: noqa: E501

from __future__ import annotations

import pytest

from kgfs.extraction.extractor import extract_by_rule
from kgfs.extraction.names import tagging
from kgfs.extraction.names.declared.record_names import record_entity
from kgfs.model import DefinedTerm
from tests.extraction.read_texts import parsed, read

needs_tagger = pytest.mark.skipif(not tagging.has_tagger(), reason="the extra `offline` is not installed")


def facts(text: str) -> set[tuple[str, str, str, str | None]]:
    found, _ = extract_by_rule(parsed(text))
    return {
        (found.entities[fact.subject].name, fact.type, found.entities[fact.object].name, fact.date or fact.role)
        for fact in found.facts
        if fact.object is not None
    }


def test_who_wrote_and_who_published_what_a_note_refers_to() -> None:
    assert facts(
        "# Keeping lamps\n\nWe keep them.[^1]\n\n[^1]: Ann Lindqvist and Bo Rayner (2010): _Lamps at Sea_, Oslo: Tarn Press, p. 4.\n"
    ) == {
        ("Ann Lindqvist", "WROTE", "Lamps at Sea", "2010"),
        ("Bo Rayner", "WROTE", "Lamps at Sea", "2010"),
        ("Tarn Press", "PUBLISHED", "Lamps at Sea", "2010"),
    }


@needs_tagger
def test_a_title_and_its_source_hold_no_other_names() -> None:
    found = read(
        "# Keeping lamps\n\nWe keep them.[^1]\n\n[^1]: Ann Lindqvist (2010): Lamps at Sea: _The Light of Jonas Tarnholm and"
        " Break Bad Ones_, USA: Avery Press, p. 4.\n"
    )
    names = {entity.name for entity in found.entities}
    assert {"Ann Lindqvist", "Lamps at Sea"} <= names
    assert not {"Jonas Tarnholm", "Break Bad Ones"} & names


def test_initials_alone_are_nobody_unless_the_text_names_them() -> None:
    reference = "Lee, A., & Ray, B. (2019). Lamps in the far north. *Journal of Lamps*, 12(3), 1-10.\n"
    assert facts(f"# Keeping lamps\n\n{reference}") == set()


PAGE = """# Ann Lindqvist

Ann Lindqvist is a programmer.

## Work

| Organization | Role | Period |
|---|---|---|
| Acme Lamps Inc. | VP of Wicks | 2016–2021 |
| Tarn Foundation | CEO & Co-founder | 2021–present |
"""


def test_an_author_by_a_given_name_wrote_the_text() -> None:
    text = "---\ntitle: Keeping lamps at sea\nauthor: {}\n---\nThey burn well, and we keep them.\n"
    assert [one[:3] for one in facts(text.format("christian"))] == [("Christian", "WROTE", "Keeping lamps at sea")]
    assert not [one for one in facts(text.format("admin")) if one[1] == "WROTE"]
    (author,) = [one for one in extract_by_rule(parsed(text.format("christian")))[0].entities if one.type == "Person"]
    assert author.linked  # one person in all documents, though a given name says little


@needs_tagger
@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("We met Chief Scientist Jasjeet Sekhon of Acme. Jasjeet Sekhon is at Yale, and Chief Scientist Jasjeet Sekhon said so.", "Scientist Jasjeet Sekhon"),
        ("Will DeepMind go on with it? Will DeepMind pause? DeepMind is a lab in London.", "Will DeepMind"),
        ("I read Daniel Lindqvist's Blog, since Daniel Lindqvist is a friend.", "Daniel Lindqvist's Blog"),
    ],
)  # fmt: skip
def test_what_stands_before_and_behind_somebody_is_no_name(text: str, name: str) -> None:
    found, _ = extract_by_rule(parsed(text))
    assert name not in {entity.name for entity in found.entities}


@needs_tagger
def test_a_word_with_an_article_is_no_surname() -> None:
    text = (
        "Most think Luhmanns Zettelkasten is about this. We call it a Zettelkasten, and my Zettelkasten grows. Put it in"
        " the Zettelkasten, and in your Zettelkasten too. The Zettelkasten is a thing."
    )
    found, _ = extract_by_rule(parsed(text))
    assert "Luhmanns Zettelkasten" not in {entity.name for entity in found.entities if entity.type == "Person"}


def test_phrases_in_small_letters_are_no_places_or_works() -> None:
    for title in ("convergence of series", "logic gate"):
        found, _ = extract_by_rule(parsed(f"# {title}\n\nThis is used in mathematics.\n"))
        assert {entity.type for entity in found.entities if entity.name == title} <= {"Concept", "Document"}


def test_what_is_based_on_something_lies_in_no_place() -> None:
    assert not [
        one
        for one in facts("# Lamp gates\n\nLamp gates are mostly based on Tarn Gate, but with differences.\n")
        if one[1] == "LOCATED_IN"
    ]


@needs_tagger
@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Established Thiel Capital in 2011 to manage his wealth.", "Thiel Capital"),
        ("Many Centre for Effective Altruism-adjacent figures met there.", "Centre for Effective Altruism"),
        ("He advised the Centre for the Governance of AI there.", "Centre for the Governance of AI"),
        ("During ApacheCon Benjamin Young organized a hackathon with us.", "ApacheCon"),
    ],
)
def test_names_end_where_they_end(text: str, name: str) -> None:
    found, _ = extract_by_rule(parsed(f"{text} {text}"))
    names = {entity.name for entity in found.entities}
    assert name in names
    assert not [one for one in names if name in one and one != name]


def test_a_column_of_mentors_says_who_mentors_whom() -> None:
    page = (
        "# Lamp season\n\n| Contributor | Project | Mentors |\n|---|---|---|\n| Himanshu Acharya | Wicks | Bo Rayner, Cy Ottmar |\n"
        "| Kaifeng Liu | Oil | Xiaoyang Liu |\n"
    )
    assert {one[:3] for one in facts(page) if one[1] == "MENTORS"} == {
        ("Bo Rayner", "MENTORS", "Himanshu Acharya"),
        ("Cy Ottmar", "MENTORS", "Himanshu Acharya"),
        ("Xiaoyang Liu", "MENTORS", "Kaifeng Liu"),
    }


@needs_tagger
@pytest.mark.parametrize(
    ("title", "path"),
    [
        ("Adding Committers", "a.md"),
        ("Becoming a PMC Member", "a.md"),
        ("PMC Responsibilities", "a.md"),
        ("Employing Lamp Makers", "companies/a.md"),
    ],
)
def test_a_title_that_says_what_one_does_is_of_a_page(title: str, path: str) -> None:
    found, _ = extract_by_rule(parsed(f"# {title}\n\nAsk the others first, and go on then.\n", path))
    assert {entity.type for entity in found.entities if entity.name == title} <= {"Document"}


def test_a_label_in_a_table_of_places_is_no_place() -> None:
    assert {
        name: entity.type
        for name in ("Slack channel", "Tarn Quay", "Design team")
        for kind in ("location" if name != "Design team" else "team",)
        if (entity := record_entity(DefinedTerm(name=name, definition="", kind=kind))) is not None
    } == {"Slack channel": "Concept", "Tarn Quay": "Location", "Design team": "Organization"}
