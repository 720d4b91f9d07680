"""Names that were cut or glued, words that lists define, examples, and names with a site."""

from __future__ import annotations

import pytest

from kgfs.documents.markup import plain_sentence
from kgfs.extraction.names import capitals, tagging
from kgfs.extraction.names.declared.defined_terms import defined_term
from kgfs.extraction.names.declared.gazetteer import document_subject, make_gazetteer, stated_names
from kgfs.extraction.names.declared.occasions import is_occasion
from kgfs.extraction.names.declared.record_names import record_entity
from kgfs.extraction.names.fragments import is_initials, is_placeholder
from kgfs.extraction.names.recut import recut
from kgfs.extraction.names.verdict import name_verdict
from kgfs.extraction.names.whole_names import whole_names
from kgfs.extraction.names.wordlists.well_known import well_known_type
from kgfs.model import DefinedTerm, Evidence
from tests.extraction.read_texts import parsed, read

needs_tagger = pytest.mark.skipif(not tagging.has_tagger(), reason="the extra `offline` is not installed")


@pytest.mark.parametrize(
    ("raw", "found", "name"),
    [
        ("We are sponsored by Code for Lamps Society.", "Lamps Society", "Code for Lamps Society"),
        ("He is Director for Lamps Society.", "Lamps Society", "Lamps Society"),
        ("Code for Lamps Society.", "Lamps Society", "Lamps Society"),
        ("Ask in the Acme Lamps GitHub.", "Acme Lamps GitHub", "GitHub"),
        ("He is in Tarn [University of Lamps](https://x.org).", "Tarn University of Lamps", "University of Lamps"),
        ("The [Lamp](https://x.org) Society.", "Lamp Society", "Lamp Society"),
        ("She met the widow of Mrs. Thomas Lind.", "Thomas Lind", "Mrs. Thomas Lind"),
        ("She met Mrs. J.T. Lind there.", "J.T. Lind", "Mrs. J.T. Lind"),
        ("She met Mrs. Anna Lind there.", "Anna Lind", "Anna Lind"),
        ("She met Mrs. Lind there.", "Lind", "Lind"),
        ("She met Mr. Thomas Lind there.", "Thomas Lind", "Thomas Lind"),
        ("The U.S. Lamp and Wick Office left.", "U.S. Lamp", "U.S. Lamp and Wick Office"),
        ("The Lamp and Wick Trade Commission left.", "Lamp", "Lamp and Wick Trade Commission"),
        ("The Lamp and Wick Office left.", "Wick Office", "Lamp and Wick Office"),
        ("The Lamp and Trade Directorate left.", "Lamp and Trade", "Lamp and Trade Directorate"),
        ("The Parliament and European Council left.", "Parliament", "Parliament"),
        ("The Senate and Budget Committee left.", "Budget Committee", "Budget Committee"),
        ("Ann and Lamp Office left.", "Lamp Office", "Lamp Office"),
        ("He spoke at LampCon + WickCon there.", "LampCon + WickCon", "LampCon + WickCon"),
        ("Lampert and Isomorphic Labs left.", "Lampert", "Lampert"),
        ("They drove to the Lind plantation.", "Lind", "Lind plantation"),
        ("They drove to Lind and lit lamps.", "Lind", "Lind"),
        (
            "He ran the Tarn, Orm & Reno Railroad Company.",
            "Orm & Reno Railroad Company",
            "Tarn, Orm & Reno Railroad Company",
        ),
        ("In Tarn, Orm & Reno Company made lamps.", "Orm & Reno Company", "Orm & Reno Company"),
        ("The Lamp Working Group Working Group met.", "Lamp Working Group Working Group", "Lamp Working Group"),
        ("It is byThe Lamp Foundation.", "byThe Lamp Foundation", "The Lamp Foundation"),
        ("We rode to San Lindo de Tarn.", "de Tarn", "San Lindo de Tarn"),
        ("We met Gus van Tarn.", "van Tarn", "Gus van Tarn"),
        ("Appointed Gus van Tarn.", "van Tarn", "Gus van Tarn"),
        ("There van Tarn came.", "van Tarn", "van Tarn"),
        ("He went to the State of Georgia.", "State of Georgia", "Georgia"),
        ("He went to the State of Lamps.", "State of Lamps", "State of Lamps"),
        ("Plan the LampCon keynote & upcoming talks.", "LampCon keynote & upcoming", "LampCon"),
        ("Plan the LampCon Europe talks.", "LampCon Europe", "LampCon Europe"),
        ("See the Lamp Rules Section 3.2 for more.", "Lamp Rules Section", "Lamp Rules"),
        ("See the Lamp Rules Section for more.", "Lamp Rules Section", "Lamp Rules Section"),
    ],
)
def test_names_are_cut_where_they_begin(raw: str, found: str, name: str) -> None:
    content = plain_sentence(raw)
    start = content.text.index(found)
    assert recut(content, capitals.CapitalsSpan(start, start + len(found), found, False)).text == name


@needs_tagger
@pytest.mark.parametrize(
    ("text", "found", "tag", "name"),
    [
        ("We met with LGT Europe there.", "Europe", "Location", "LGT Europe"),
        ("She is VP Europe there.", "Europe", "Location", "Europe"),
        ("They went to the US Virginia.", "Virginia", "Location", "Virginia"),
        ("Come at 10 AM London time.", "London", "Location", "London"),
        ("The AB / CD Working Group met.", "CD Working Group", "", "AB / CD Working Group"),
        ("Lamps / CD Working Group met.", "CD Working Group", "", "CD Working Group"),
        ("The John D. and Ann Lind Foundation gave.", "Ann Lind Foundation", "", "John D. and Ann Lind Foundation"),
        ("Google and Ann Lind Foundation gave.", "Ann Lind Foundation", "", "Ann Lind Foundation"),
        ("The Bureau of Oil, Lamps, and Wax met.", "Bureau of Oil", "", "Bureau of Oil, Lamps, and Wax"),
        ("The Bureau of Oil, Google and Ann met.", "Bureau of Oil", "", "Bureau of Oil"),
        ("We were at Ohio LampFest and lit lamps.", "Ohio", "Location", "Ohio LampFest"),
        ("We were in Ohio Monday.", "Ohio", "Location", "Ohio"),
        ("It is in Amazon ECR now.", "Amazon", "Organization", "Amazon ECR"),
        ("An Amazon Lamp is there.", "Amazon", "Organization", "Amazon"),
        ("Write a Lamp Bill of Costs first.", "Lamp Bill", "", "Lamp Bill of Costs"),
        ("The Lamp Bill of Google is there.", "Lamp Bill", "", "Lamp Bill"),
        ("The Lamp Trainer of Wicks is there.", "Lamp Trainer", "", "Lamp Trainer"),
        ("It is kept in Acme Oils Manager now.", "Acme Oils", "", "Acme Oils Manager"),
        ("Ask Acme Oils Manager Ann Lind.", "Acme Oils", "", "Acme Oils"),
    ],
)
def test_what_the_tagger_leaves_out_is_of_the_name(text: str, found: str, tag: str, name: str) -> None:
    start = text.index(found)
    with tagging.tagging_zone():
        (one,) = whole_names(text, [capitals.CapitalsSpan(start, start + len(found), found, False, tag=tag)])
    assert one.text == name


@needs_tagger
def test_what_lies_within_a_whole_name_is_none() -> None:
    text = "The AB / CD Working Group met."
    spans = [capitals.CapitalsSpan(4, 6, "AB", False), capitals.CapitalsSpan(9, 25, "CD Working Group", False)]
    with tagging.tagging_zone():
        assert [one.text for one in whole_names(text, spans)] == ["AB / CD Working Group"]


@pytest.mark.parametrize(
    ("text", "name", "gap"),
    [
        ("# {GROUP NAME} Working Group", "GROUP NAME", True),
        ("The <GROUP NAME> meets.", "GROUP NAME", True),
        ("The GROUP meets.", "GROUP", False),
        ("A map {a} of Tarn {b}.", "Tarn", False),
    ],
)
def test_gaps_of_templates(text: str, name: str, gap: bool) -> None:
    start = text.index(name)
    assert is_placeholder(text, start, start + len(name)) == gap


@pytest.mark.parametrize(
    ("text", "name", "initials"),
    [
        ("We asked S.K. to light it.", "S.K.", True),
        ("He came from Tarn, N.M. by train.", "N.M.", False),
        ("The U.N. met.", "U.N.", False),
        ("J.T. Lind met us.", "J.T. Lind", False),
    ],
)
def test_mere_initials_are_nobody(text: str, name: str, initials: bool) -> None:
    start = text.index(name)
    assert is_initials(text, start, start + len(name)) == initials


@pytest.mark.parametrize(
    ("title", "occasion"),
    [
        ("2007–08 Lamp League", True), ("Reno mayoral election, 2006", True), ("2012 Lamp Open – Doubles", True),
        ("Russia 2018 Lamp Cup bid", True), ("2024 Lamp Report", False), ("Lamp League", False),
        ("Lamps in 2006", False), ("Lamps – Doubles", False),
    ],
)  # fmt: skip
def test_occasions_have_a_year(title: str, occasion: bool) -> None:
    assert is_occasion(title) == occasion
    subject = document_subject(parsed("Ann Lee and Bob Ray were the defending champions.\n", f"{title}.md"))
    assert (subject is not None and subject.type == "Event") == occasion


@pytest.mark.parametrize(
    ("path", "text", "type_"),
    [
        ("Tarn Lamps, Inc. v. Lee.md", "The court decided for Lee.\n", "Law"),
        ("Lamp v Oil.md", "Lamp v Oil is a 2016 film by Ann Lee.\n", "Work"),
        ("Lamp &amp; Oil.md", "Lamp & Oil is a 2016 film by Ann Lee.\n", "Work"),
        ("Take a Lamp.md", '"Take a Lamp" is a song by Ann Lee.\n', "Work"),
        ("Lamp Wars.md", "The Lamp Wars were a series of conflicts in Orm.\n", "Event"),
        ("Lampia.md", "Lampia is a small to medium-sized tree of Orm.\n", "Species"),
        ("LAMPS.md", "LAMPS (Korean: 허 is a South Korean folk band.\n", "Organization"),
        ("Cape Lamp.md", "Cape Lamp is the easternmost point of Orm.\n", "Location"),
    ],
)
def test_titles_of_encyclopedias(path: str, text: str, type_: str) -> None:
    subject = document_subject(parsed(text, path))
    assert subject is not None and subject.type == type_ and "&amp;" not in subject.name


def test_a_title_that_the_text_writes_as_a_name_is_one() -> None:
    """The pipeline gathers names where the text is not at hand."""
    text = "# Lampo program\n\nIn 1961 Orm began. For Lee the Lampo program was all. In 1972 the Lampo program ended.\n"
    for said, unsaid in ((text, False), (text + "Every lampo program ends.\n", True)):
        document = parsed(said)
        document.text = None
        assert [name.unsaid for name in stated_names(document)][:1] == [unsaid]


@needs_tagger
def test_a_word_that_a_list_defines_is_a_name_only_where_it_is_meant() -> None:
    glossary = "# Glossary\n\ninternal\n: An event that the system makes for itself.\n"
    for text, has in (
        ("We keep an internal list of the lamps of each town.\n", False),
        ("The `internal` one.\n", True),
    ):
        assert ("internal" in {entity.name for entity in read(glossary, text).entities}) == has


def test_rows_of_examples_are_nobody() -> None:
    table = "| Name | Street |\n|---|---|\n| Ann Lee | 1 Oil Road |\n| Bob Ray | 2 Oil Road |\n"
    for lead, has in (("Imagine addresses in this format:", False), ("These are our employees:", True)):
        names = {name.name for name in stated_names(parsed(f"# Employees\n\n{lead}\n\n{table}"))}
        assert ("Ann Lee" in names) == has


def test_an_option_of_several_commands_is_no_single_thing() -> None:
    one = "`-f, --force`\n: Light the lamp though it burns.\n\n"
    for more, has in (("", True), ("`-f, --force`\n: Put the lamp out at once.\n", False)):
        assert ("-f, --force" in {name.name for name in stated_names(parsed(f"# Options\n\n{one}{more}"))}) == has


@pytest.mark.parametrize(
    ("name", "definition", "called", "type_"),
    [
        ("lamp_size [int]", "How large the lamp is.", "lamp_size", "Identifier"),
        ("-O, --open", "Open the lamp in a browser.", "-O, --open", "Setting"),
    ],
)
def test_terms_of_code(name: str, definition: str, called: str, type_: str) -> None:
    found = defined_term(DefinedTerm(name=name, definition=definition))
    assert found is not None and (found.name, found.type) == (called, type_)


def test_the_letters_of_a_record_are_another_name() -> None:
    found = record_entity(DefinedTerm(name="Lamp Leader (LL)", kind="roles", definition="Leads the lamps."))
    assert found is not None and (found.name, found.aliases) == ("Lamp Leader", ["LL"])


@needs_tagger
@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("Ann Lee works at Lampizome. Lampizome announced a lamp.", "Organization"),
        ("We log in to Lampizome. Install Lampizome first.", "Product"),
    ],
)
def test_what_has_a_site_is_what_the_text_shows(text: str, type_: str) -> None:
    site = "# Links\n\nSee [Lampizome](https://lampizome.org).\n"
    found = {entity.name: entity.type for entity in read(site, f"# Notes\n\n{text}\n").entities}
    assert found["Lampizome"] == type_


@pytest.mark.parametrize(
    ("said", "type_"),
    [
        (Evidence(seen=12, types={"Product": 4}, clues={"Product": 2}, acronym=True, single=True), None),
        (Evidence(seen=12, types={"Product": 9}, clues={"Product": 6}, acronym=True, single=True), "Product"),
        (Evidence(seen=8, types={"Product": 8}, against={"method": 6}, single=True), "Concept"),
        (Evidence(seen=8, types={"Product": 8}, against={"method": 1}, single=True), "Product"),
        (
            Evidence(
                seen=18, types={"Organization": 18, "Product": 2}, clues={"Product": 2}, against={"term": 16},
                acronym=True, single=True,
            ),
            "Technology",
        ),
    ],
)  # fmt: skip
def test_weak_evidence_gives_the_neutral_type(said: Evidence, type_: str | None) -> None:
    found = name_verdict(said)
    assert (None if found is None else found.type) == type_


def test_spellings_of_what_everybody_knows() -> None:
    assert well_known_type("Javascript") == "Technology" and well_known_type("Lampscript") == ""
    standard = make_gazetteer(
        [stated_names(parsed("By ISO 8601 it is so. We follow ISO 8601 and RFC 3339, RFC 3339.\n"))]
    )
    assert {(entry.name, entry.type) for entry in standard.entries} >= {
        ("ISO 8601", "Standard"), ("RFC 3339", "Identifier"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("said", "type_"),
    [
        # a quoted label where there is code; a state of things; bodies of which much and little is said
        (Evidence(seen=3, types={"Work": 6}, clues={"Work": 4}, against={"beside": 1}, plain=True), "Concept"),
        (Evidence(seen=3, types={"Work": 6}, clues={"Work": 4}, plain=True), "Work"),
        (Evidence(seen=3, types={"Product": 6}, clues={"Product": 4}, plain=True, common_head=True), "Concept"),
        (
            Evidence(
                seen=265, types={"Organization": 263, "Product": 24}, clues={"Product": 13, "Organization": 10}, acts=6,
                acronym=True, single=True,
            ),
            "Organization",
        ),
        (Evidence(seen=40, types={"Organization": 40}, acts=1, acronym=True, single=True), None),
    ],
)  # fmt: skip
def test_labels_and_bodies(said: Evidence, type_: str | None) -> None:
    found = name_verdict(said, 3)
    assert (None if found is None else found.type) == type_


@pytest.mark.parametrize(
    ("title", "lead", "type_"),
    [
        ("Lead Lamp Researcher", "Lead Lamp Researchers are expert practitioners.", "Concept"),
        ("Lampscript", "Lampscript is a programming language for lamps.", "Technology"),
        ("Python", "Python is an interpreted, high-level programming language.", "Technology"),
        ("Lamp editing", "Lamp editing contains some of the best methods.", None),
        ("Lamp Component Library", "We have buttons.", "Product"),
    ],
)
def test_pages_of_roles_languages_and_tasks(title: str, lead: str, type_: str | None) -> None:
    subject = document_subject(parsed(f"# {title}\n\n{lead}\n"))
    assert (None if subject is None else subject.type) == type_
