"""Names that only the tagger takes for a body, names that texts cut or glue, and what has members."""

from __future__ import annotations

import pytest

from kgfs.documents.markup import plain_sentence
from kgfs.extraction.descriptions import fitting_description
from kgfs.extraction.names import bodies, capitals, tagging
from kgfs.extraction.names.declared.defined_terms import defined_term
from kgfs.extraction.names.declared.gazetteer import document_page, document_subject
from kgfs.extraction.names.declared.suggested import Suggestions, suggested_entity
from kgfs.extraction.names.evidence import may_be_person
from kgfs.extraction.names.fragments import is_of_treaty
from kgfs.extraction.names.kinds import introduced_type, said_kind
from kgfs.extraction.names.named import NameFindings
from kgfs.extraction.names.recut import recut
from kgfs.extraction.names.tag_notes import note_tag
from kgfs.extraction.names.verdict import name_verdict
from kgfs.extraction.prose import is_log
from kgfs.model import DefinedTerm, EntityCandidate, Evidence
from tests.extraction.read_texts import parsed, read

needs_tagger = pytest.mark.skipif(not tagging.has_tagger(), reason="the extra `offline` is not installed")


@pytest.mark.parametrize(
    ("documents", "evidence", "type_"),
    [
        (4, Evidence(seen=20, types={"Organization": 12}, plain=True), "Concept"),
        (4, Evidence(seen=20, types={"Organization": 12}, plain=True, acts=2), "Organization"),
        (4, Evidence(seen=20, types={"Organization": 12}, clues={"Organization": 2}, plain=True), "Organization"),
        (4, Evidence(seen=20, types={"Organization": 12}, clues={"Product": 3}, plain=True), "Product"),
        (3, Evidence(seen=7, types={"Location": 7}, acts=1), "Organization"),
        (3, Evidence(seen=7, types={"Location": 7}), "Location"),
        (3, Evidence(seen=7, types={"Location": 7}, clues={"Location": 2}, acts=1), "Location"),
        # what has a community
        (9, Evidence(seen=40, types={"Location": 3}, single=True, word=True, against={"members": 9}), "Organization"),
        (2, Evidence(seen=40, types={"Location": 3}, single=True, word=True, against={"members": 9}), None),
        (9, Evidence(seen=90, types={"Location": 3}, single=True, word=True, against={"members": 9}), None),
        (9, Evidence(seen=40, single=True, word=True, against={"members": 9, "common": 5}), None),
    ],
)
def test_a_body_needs_more_than_the_tagger(documents: int, evidence: Evidence, type_: str | None) -> None:
    found = name_verdict(evidence, documents)
    assert (None if found is None else found.type) == type_


@pytest.mark.parametrize(
    ("text", "name", "acts"),
    [
        ("Ann is Director of Sales at Acmeria; she lights lamps.", "Acmeria", True),
        ("They tasked Wax of Lamps with a review.", "Wax of Lamps", True),
        ("Wax of Lamps' assessment found much.", "Wax of Lamps", True),
        ("She lives at Acmeria.", "Acmeria", False),
        ("If you move, notify LampOps.", "LampOps", True),
        ("You need approval from LampOps before you sail.", "LampOps", True),
        ("Contact LampOps support.", "LampOps", False),
        ("LampOps will reach out to you.", "LampOps", True),
        ("LampOps works with your supervisor.", "LampOps", True),
        ("LampOps works with Docker.", "LampOps", False),
    ],
)
def test_what_acts_as_a_body(text: str, name: str, acts: bool) -> None:
    start = text.index(name)
    assert bodies.acts_as_body(text, start, start + len(name)) == acts


@pytest.mark.parametrize(
    ("raw", "type_"),
    [
        ("[Acme Wicks](https://github.com/acme/acme-wicks) is here.", 2),
        ("[Acme Wicks](https://github.com/acme/acme-wicks.git) is here.", 2),
        ("[Acme Wicks](https://github.com/acme/lamps) is here.", 0),
        ("Acme Wicks is at [it](https://github.com/acme/acme-wicks).", 0),
    ],
)
def test_the_label_of_a_link_to_its_repository_is_software(raw: str, type_: int) -> None:
    content = plain_sentence(raw)
    start = content.text.index("Acme Wicks")
    named = NameFindings("Acme Wicks")
    note_tag(named, capitals.CapitalsSpan(start, start + 10, "Acme Wicks", True), content, (), code=False)
    assert named.clues["Product"] == type_


@pytest.mark.parametrize(
    ("name", "cue"),
    [
        ("Lamp Office Hours", "Event"), ("Lamp Contributor Office Hour", "Event"), ("Lamp Happy Hour", None),
        ("Pan-LMC Meeting", "Event"), ("Online Meeting", None), ("Lamp Community Call", "Event"),
        ("Acme SIG Wicks", "Organization"), ("Acme Sig Wicks", "Organization"), ("WG Repository Structure", None),
    ],
)  # fmt: skip
def test_meetings_and_groups_by_their_names(name: str, cue: str | None) -> None:
    found = capitals.type_cue(name)
    assert (None if found is None else found[0]) == cue


def test_an_acronym_of_words_with_a_hyphen() -> None:
    assert capitals.stands_for("LLW", "Lamp-chain Levels for Wicks")
    assert not capitals.stands_for("LLX", "Lamp-chain Levels for Wicks")


@pytest.mark.parametrize(
    ("raw", "found", "name"),
    [
        ("The OAuth2 exchange is slow.", "OAuth2 exchange", "OAuth2"),
        ("The Acme lamp is slow.", "Acme lamp", "Acme lamp"),
        (
            "It is beside the Lamp Foundation's Wick Source Summit 2023.",
            "Lamp Foundation's Wick Source Summit 2023", "Wick Source Summit 2023",
        ),
        ("We met Ann Lee's Lamp Society.", "Ann Lee's Lamp Society", "Ann Lee's Lamp Society"),
    ],
)  # fmt: skip
def test_names_without_what_is_none_of_them(raw: str, found: str, name: str) -> None:
    content = plain_sentence(raw)
    start = content.text.index(found)
    assert recut(content, capitals.CapitalsSpan(start, start + len(found), found, False)).text == name


@needs_tagger
@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("It uses Amazon Xolq to sort.", "Amazon Xolq"),
        ("It uses Amazon Engineers to sort.", "Amazon"),
        ("It uses Amazon to sort.", "Amazon"),
    ],
)
def test_what_a_maker_makes_has_its_name(raw: str, name: str) -> None:
    content = plain_sentence(raw)
    start = content.text.index("Amazon")
    assert recut(content, capitals.CapitalsSpan(start, start + 6, "Amazon", False)).text == name


def test_a_place_in_the_name_of_a_treaty() -> None:
    text = "See the Declaration of Oslo, not the mayor of Oslo."
    assert [is_of_treaty(text, start) for start in (text.index("Oslo"), text.rindex("Oslo"))] == [True, False]


@needs_tagger
@pytest.mark.parametrize(
    ("name", "person"),
    [("Acme Pipelines", False), ("Dave Matthews", True), ("Zora Flowers", True), ("Ann Brooks", True)],
)
def test_several_things_are_nobody(name: str, person: bool) -> None:
    assert may_be_person(name) == person


@pytest.mark.parametrize(
    ("name", "known"), [("Zora Qvist", True), ("Acme Project", False), ("Acme Cloud", False), ("Ann Lind", True)]
)
def test_who_has_a_profile(name: str, known: bool) -> None:
    suggestions = Suggestions()
    suggestions.add(suggested_entity(DefinedTerm(name=name, definition="@x", kind="profile", weight=1), ""))
    assert [entry.name for entry in suggestions.entries() if entry.type == "Person"] == [name] * known


@pytest.mark.parametrize(
    ("name", "definition", "type_"),
    [
        ("Common Wick", "The group that focuses on defining wicks.", "Organization"),
        ("Lamp Ecosystem", "This working group applies wicks to lamps.", "Organization"),
        ("Lampd", "This working group connects Lampd with wicks.", ""),
        ("GSoC", "Google Summer of Code", "Program"),
    ],
)
def test_what_a_definition_says_of_groups_and_programs(name: str, definition: str, type_: str) -> None:
    found = defined_term(DefinedTerm(name=name, definition=definition))
    assert found is not None and found.type == type_


def test_programs_and_what_a_page_introduces() -> None:
    said = said_kind("Lampy is a paid, remote internship program.")
    assert said is not None and said.type == "Program"
    assert introduced_type("This is Lampcast, the Lamp Community Podcast where we talk.", "Lampcast") == "Work"
    assert introduced_type("This is Lampcast.", "Lampcast") == ""


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("# Wick.gov Lamps\n\nWe use Wick.gov Lamps to light ships.\n", "Product"),
        ("# Wick.gov Lamps\n\nPlease use Wick.gov Lamps with care.\n", "Concept"),
        ("# LMP Outreach\n\nLMP Outreach is responsible for the brand.\n\nThe team works with all.\n", "Organization"),
        ("# LMP Outreach\n\nLMP Outreach is responsible for the brand.\n\nIts users work with all.\n", "Concept"),
    ],
)
def test_tools_and_teams_by_how_their_pages_open(text: str, type_: str) -> None:
    subject = document_subject(parsed(text, "lamps.md"))
    assert subject is not None and (subject.type or "Concept") == type_


TOPIC = "# Lamp trimming\n\nSome like it.\n\n" + "People speak of lamp trimming all day long.\n\n" * 5


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        (TOPIC, "Concept"),
        (TOPIC.replace("lamp trimming", "it"), "Document"),
        (TOPIC.replace("Lamp trimming", "Lamp types").replace("lamp trimming", "lamp types"), "Document"),
    ],
)
def test_a_page_on_a_topic_is_one_where_it_speaks_of_it(text: str, type_: str) -> None:
    page = document_page(parsed(text, "lamps.md"))
    assert page is not None and (page.type or "Document") == type_


def test_a_definition_names_what_letters_were_short_for() -> None:
    found = defined_term(DefinedTerm(name="OL", definition="The Wick Division was called the Office of Lamps (OL)."))
    assert found is not None and (found.name, found.type, found.aliases) == ("Office of Lamps", "Organization", ["OL"])


@needs_tagger
def test_an_office_of_programs_is_no_program() -> None:
    text = (
        "The Office of Lamps and Programs (OLP) was founded in 2016. The Office of Lamps and Programs has 20 employees."
    )
    assert {one.name: one.type for one in read(text).entities}["Office of Lamps and Programs"] == "Organization"


@pytest.mark.parametrize(
    ("name", "type_", "sure", "said", "kept"),
    [
        ("Lamp of Interest Policy", "Policy", 1.0, "A lamp of interest arises when somebody lights one.", False),
        ("Lampd", "Product", 0.9, "This working group connects Lampd with wicks and oil.", False),
        ("Lampd", "Organization", 0.9, "This working group connects Lampd with wicks and oil.", True),
    ],
)
def test_descriptions_of_something_else(name: str, type_: str, sure: float, said: str, kept: bool) -> None:
    entity = EntityCandidate(name=name, type=type_, description=said, confidence=sure, declared=True)
    assert fitting_description(entity) == (said if kept else "")


def test_the_first_word_of_a_text_and_the_name_of_a_file_are_no_subjects() -> None:
    assert document_subject(parsed("Lampd\n\nIt is dark here.\n", "report.txt")) is None
    assert document_subject(parsed("@misc{x}\n", "lamp_citation_BibTeX.bib")) is None


def test_what_tex_wrote_names_nothing() -> None:
    assert is_log("This is XeTeX, Version 3.14 (TeX Live 2018)")
    assert not is_log("This is Ann, Version 3.14")
    assert read("This is pdfTeX, Version 3.14\n\nPackage: xlamp (UK)\n").entities == []


@needs_tagger
def test_the_project_of_what_a_page_names_is_the_same() -> None:
    page = "# LMPSS\n\nLMPSS is a set of lamps.\n"
    one = read(page, "# Notes\n\nAnn joined the LMPSS Project in May, and the LMPSS Project is large.\n")
    several = read(page, "# Notes\n\nAnn joined an LMPSS Project in May, and the LMPSS Projects are large.\n")
    assert ["LMPSS Project" in entity.aliases for entity in one.entities if entity.name == "LMPSS"] == [True]
    assert not any("LMPSS Project" in entity.aliases for entity in several.entities)


@needs_tagger
def test_a_kind_of_resource_is_no_body() -> None:
    page = "# LampRoute\n\nA LampRoute is a Kubernetes resource which leads to a lamp. LampRoute leads to lamps.\n"
    (route,) = [entity for entity in read(page).entities if entity.name == "LampRoute"]
    assert route.type == "Concept"
