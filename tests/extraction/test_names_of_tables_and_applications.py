"""Names at the edges of cells, names of projects in small letters, and pages on which something applies."""

# Sentences stand in the tables as they are written.
# ruff: noqa: E501

from __future__ import annotations

import pytest

from kgfs.documents.formats.parsing import document_blocks
from kgfs.documents.records.reading import document_records
from kgfs.documents.suggestions.project_names import project_names
from kgfs.documents.suggestions.site_names import SITE
from kgfs.extraction.descriptions import fitting_description
from kgfs.extraction.extractor import extract
from kgfs.extraction.facts.meeting_notes.attendees import plain_entry
from kgfs.extraction.facts.structured.roster_titles import roster_title
from kgfs.extraction.names import boundaries, capitals, fragments, tagging
from kgfs.extraction.names.declared.applications import applied_for
from kgfs.extraction.names.declared.gazetteer import make_gazetteer, stated_names
from kgfs.extraction.names.declared.pages import page_subject
from kgfs.extraction.names.declared.record_names import record_entity
from kgfs.extraction.names.declared.suggested import suggested_entity
from kgfs.extraction.names.declared.titles import title_name
from kgfs.extraction.names.evidence import may_be_person
from kgfs.extraction.units import document_units
from kgfs.model import DefinedTerm, EntityCandidate
from tests.extraction.read_texts import parsed

needs_tagger = pytest.mark.skipif(not tagging.has_tagger(), reason="the extra `offline` is not installed")


TABLE = """<table>
  <tr><td>Full Name</td><td>Socials</td><td>Why do you want to serve?</td></tr>
  <tr>
   <td>Daniel Appelby
   </td>
   <td>Pronouns: He/Him
<p>
Company: Lampad<br>London
   </td>
   <td>I work on lamps. I have done so for years.</td>
  </tr>
  <tr><td>Quira Molkin</td><td>Pronouns: She/Her</td><td>I write about lamps in many places.</td></tr>
</table>
"""


def test_cells_and_lines_of_html_are_units_of_their_own() -> None:
    units = [unit.content.text.strip() for unit in document_units(parsed(f"# Nominations\n\n{TABLE}"))]
    assert units[4:9] == ["Daniel Appelby", "Pronouns: He/Him", "Company: Lampad", "London", "I work on lamps."]
    assert not any("  " in unit or "Appelby Pronouns" in unit for unit in units)


def test_rows_of_html_tables_are_records() -> None:
    document = parsed(f"# Nominations\n\n{TABLE}")
    records = document_records(document, document_blocks(document))
    assert [(one.name, one.kind, one.fields) for one in records] == [
        ("Daniel Appelby", "person", []), ("Quira Molkin", "person", [])
    ]  # fmt: skip


@needs_tagger
def test_persons_of_an_html_table() -> None:
    found = {entity.name: entity.type for entity in extract(parsed(f"# Nominations\n\n{TABLE}")).entities}
    assert found["Daniel Appelby"] == found["Quira Molkin"] == "Person"
    assert not any("Pronouns" in name for name in found)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Daniel Appelby  Pronouns: He/Him", "Daniel Appelby"),
        ("Daniel Appelby Pronouns: He/Him", "Daniel Appelby"),
        ("Daniel Appelby he/him Lampad", "Daniel Appelby"),
        ("Contract Board  Managing lamps", "Contract Board"),
        ("Daniel Appelby\nLampad", "Daniel Appelby"),
        ("Daniel Appelby", "Daniel Appelby"),
    ],
)
def test_a_name_ends_with_its_cell(text: str, name: str) -> None:
    spans = boundaries.cleaned_spans(text, 0, len(text), "Person")
    assert [text[span.start : span.end] for span in spans] == [name]


@needs_tagger
@pytest.mark.parametrize(
    ("text", "wanted", "unwanted"),
    [
        ("Lampad Ltd makes lamps. We met Tim Pepper. It was signed by Google Tim Pepper at noon.", "Tim Pepper", "Google Tim Pepper"),
        ("We met Tim Pepper in London. Tim Pepper Google signed it, and Google paid.", "Tim Pepper", "Tim Pepper Google"),
        ("Tim Pepper said so. Mary Pepper and Tim Pepper agreed.", "Mary Pepper", ""),
    ],
)  # fmt: skip
def test_a_body_and_a_person_are_two(text: str, wanted: str, unwanted: str) -> None:
    extraction = extract(parsed(f"# Lamps\n\n{text}\n"))
    found = {one.name for one in (*extraction.entities, *extraction.unconfirmed)}
    assert wanted in found
    assert unwanted not in found


@pytest.mark.parametrize(
    ("name", "person"),
    [
        ("Ann Lee, Lampad", "Ann Lee"),
        ("Lampery Wick, Lampad", "Lampery Wick"),
        ('Christopher "CRob" Lee, Lampad', "Christopher Lee"),
        ("Ann Lee, PhD", "Ann Lee, PhD"),
        ("Ann Lee", "Ann Lee"),
    ],
)
def test_whom_somebody_works_for_is_none_of_the_name(name: str, person: str) -> None:
    found = record_entity(DefinedTerm(name=name, kind="person"))
    assert found is not None
    assert found.name == person
    assert found.aliases == (["CRob", 'Christopher "CRob" Lee'] if "CRob" in name else [])


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("lampd aims to light. We use lampd. See https://github.com/lampd/lampd.", ["lampd"]),
        ("The lampd project is small, and lampd works. Its home is https://lampd.dev/.", ["lampd"]),
        ("| lampd | [Code](https://github.com/acme/lampd) |\n| --- | --- |\n", ["lampd"]),
        ("__lampd__ is a tool. We like lampd. [Code](https://github.com/acme/lampd)", ["lampd"]),
        ("OpenLamp supports wicks. OpenLamp runs. [Code](https://github.com/openlamp/openlamp)", ["OpenLamp"]),
        ("Run `lampd` and `lampd`. See https://github.com/lampd/lampd and @lampd, @lampd.", []),  # code, a handle
        ("lampd aims to light. We use lampd.", []),  # no address
        ("Ask jdoe or jdoe again, at https://github.com/jdoe.", []),  # somebody
        ("LAMP is a tool. LAMP runs. https://github.com/acme/lamp", []),  # an acronym may be a body's
        ("Read the docs. The docs are long. https://github.com/acme/docs", []),
        ("Acme is a firm. Acme sells. https://acme.io/", []),  # a site of a name with a capital may be a firm's
    ],
)
def test_projects_by_their_addresses(text: str, names: list[str]) -> None:
    assert [term.name for term in project_names(text)] == names


@needs_tagger
def test_a_project_in_small_letters_is_a_product_elsewhere_and_a_word_is_none() -> None:
    home = parsed(
        "# Notes\n\nlampd aims to light. We use lampd, lampd. https://github.com/lampd/lampd\n\n"
        "website is made here. The website works, website. https://github.com/acme/website\n"
    )
    other = parsed("# Plans\n\nAcme runs a pilot of lampd on its website.\n", "b.md")
    gazetteer = make_gazetteer([stated_names(home), stated_names(other)])
    found = {entity.name: entity.type for entity in extract(other, gazetteer).entities}
    assert found.get("lampd") == "Product"
    assert "website" not in found


PEOPLE = "### List of project maintainers\n\nThe project needs three.\n\n* Ann Lee (Acme, @al)\n* Bob Ray (Acme, @br)\n"


@pytest.mark.parametrize(
    ("path", "text", "name", "type_"),
    [
        ("lampd_sandbox_stage.md", f"## Application for a new project at Sandbox stage\n\n{PEOPLE}\nThe lampd project makes light.", "lampd", "Product"),
        ("openlamp_sandbox_stage.md", f"## Application for a new project\n\n{PEOPLE}\nOpenLamp makes light, and OpenLamp is old.", "OpenLamp", "Product"),
        ("a.md", f"# LampBrain Sandbox Stage Application\n\n{PEOPLE}\nLampBrain is a project.", "LampBrain", "Product"),
        ("a.md", f"# lampd incubation application\n\n{PEOPLE}\nlampd is used.", "lampd", "Product"),
        ("a.md", "# Application for LampBrain at Sandbox stage\n\nLampBrain makes light. This project works.", "LampBrain", "Product"),
        ("WG_LMP_incubating_stage.md", "## Working Group incubation application\n\nText.", "WG LMP", "Organization"),
        ("PROJECT_NAME_sandbox_stage.md", f"## Application\n\n{PEOPLE}", "", ""),
        ("a.md", "# Moving to incubation\n\nMoving to it is hard. The project is asked.", "", ""),
        ("a.md", "# Requirements for graduation\n\nRequirements are many.", "", ""),
        ("a.md", "# Project Sandbox Application\n\nThe project is asked.", "", ""),
        ("a.md", "# Lamps\n\nText on the project.", "", ""),
    ],
)  # fmt: skip
def test_for_what_a_page_applies(path: str, text: str, name: str, type_: str) -> None:
    found = applied_for(parsed(text, path))
    assert ((found.name, found.type) if found is not None else ("", "")) == (name, type_)


@needs_tagger
def test_who_maintains_what_a_page_applies_for() -> None:
    text = f"## Application for a new project at Sandbox stage\n\n{PEOPLE}\n### Adopters\n\n#### Google\n\nGoogle uses lampd.\n"
    document = parsed(text, "lampd_sandbox_stage.md")
    extraction = extract(document, make_gazetteer([stated_names(document)]))
    names = [entity.name for entity in extraction.entities]
    facts = {
        (names[fact.subject], fact.type, names[fact.object]) for fact in extraction.facts if fact.object is not None
    }
    assert {("Ann Lee", "MAINTAINS", "lampd"), ("Bob Ray", "MAINTAINS", "lampd")} <= facts
    assert "COVERS" not in {type_ for _, type_, _ in facts}


@pytest.mark.parametrize(
    ("heading", "type_"),
    [
        ("List of project maintainers", "MAINTAINS"),
        ("List SIG Lead(s)", "LEADS"),
        ("List WG Chair(s) and or Vice Chair", "LEADS"),
        ("Lists", ""),
        ("List of lamps", ""),
    ],
)
def test_headings_of_lists_of_people(heading: str, type_: str) -> None:
    found = roster_title(heading)
    assert ((found.type, found.body) if found is not None else ("", "")) == (type_, "")


@pytest.mark.parametrize(
    ("line", "plain"),
    [
        ('"Ann Lee", "Acme", @al', "Ann Lee, Acme, @al"),
        ('Ann "Al" Lee, Acme', 'Ann "Al" Lee, Acme'),
    ],
)
def test_fields_in_quotes(line: str, plain: str) -> None:
    assert plain_entry(line) == plain


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("with the Chief Lamp Officers Council and others", ["Chief Lamp Officers Council"]),
        ("with Chief Executive Officer Ann Lee", ["Ann Lee"]),
        ("In the 8th Annual State of Agile Survey by Lampad", ["State of Agile Survey", "Lampad"]),
        ("the State of Oregon and others", ["State of Oregon"]),
    ],
)
def test_names_that_were_cut(text: str, names: list[str]) -> None:
    found = [one.text for one in capitals.find_capitals(text)]
    assert found == names or (names == ["State of Oregon"] and "State of Oregon Survey" not in found)


@needs_tagger
@pytest.mark.parametrize(
    ("text", "name", "tag", "kept"),
    [
        ("Utilize Agile coaches.", "Utilize Agile", "Person", "Agile"),
        ("Sue Grafton wrote.", "Sue Grafton", "Person", "Sue Grafton"),
        (
            "people needed to Support Agile Development",
            "Support Agile Development",
            "Organization",
            "Agile Development",
        ),
        ("we went to March Madness", "March Madness", "Event", "March Madness"),
    ],
)
def test_verbs_are_none_of_a_name(text: str, name: str, tag: str, kept: str) -> None:
    start = text.index(name)
    candidate = capitals.CapitalsSpan(start, start + len(name), name, start == 0, tag=tag)
    assert fragments.without_order(text, candidate, label=False).text == kept


@needs_tagger
@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("Federal Lamp Certification7", "Federal Lamp Certification"),
        ("Federal Lamp Certification", "Federal Lamp Certification"),
        ("Microsoft Windows10", "Microsoft Windows10"),
        ("Certification7", "Certification7"),
    ],
)
def test_numbers_of_footnotes_are_none_of_a_name(name: str, kept: str) -> None:
    candidate = capitals.CapitalsSpan(0, len(name), name, True)
    found = fragments.without_footnote(candidate)
    assert (found.text, found.end) == (kept, len(kept))


@needs_tagger
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("* Priya Wadhwa\n* Thomas Nyman", {"Priya Wadhwa": "Person", "Thomas Nyman": "Person"}),
        ("<p>Company: Lampad Open Source Group</p>", {"Lampad Open Source Group": "Organization"}),
        ("* Grace Period", {}),
        ("* Mary Committee", {}),
    ],
)
def test_lines_that_are_one_name(text: str, found: dict[str, str]) -> None:
    extraction = extract(parsed(f"# Notes\n\n{text}\n"))
    types = {
        one.name: max(one.evidence.types, key=lambda key: one.evidence.types[key], default="")
        for one in extraction.unconfirmed
    }
    types |= {entity.name: entity.type for entity in extraction.entities}
    assert {name: type_ for name, type_ in types.items() if name != "Notes"} == found


@pytest.mark.parametrize(
    ("title", "path", "name"),
    [
        ("Lamp Handbook 8 7 14", "Lamp Handbook 8 7 14.docx", "Lamp Handbook"),
        ("Lamp Handbook_2014-08-07", "Lamp Handbook_2014-08-07.docx", "Lamp Handbook"),
        ("Board Minutes 2014-08-07", "Board Minutes 2014-08-07.md", "Board Minutes 2014-08-07"),
        ("Lamp Handbook 8 7 14", "a.docx", "Lamp Handbook 8 7 14"),
        ('"Gives and Gets" for Lamps', "a.md", '"Gives and Gets" for Lamps'),
        ('27" Lamps', "a.md", '27" Lamps'),
        ("SIG_NAME_archived_stage", "SIG_NAME_archived_stage.md", ""),
    ],
)
def test_titles_with_days_quotes_and_placeholders(title: str, path: str, name: str) -> None:
    assert title_name(title, path) == name


@pytest.mark.parametrize(
    ("name", "aliases", "said", "description"),
    [
        ("Lamp Groups", [], "(LG) are bodies of the board.", "Lamp Groups (LG) are bodies of the board."),
        ("Lamp Groups", [], "are formed by the board.", "Lamp Groups are formed by the board."),
        ("Lamp baseline", [], "The purpose of the Acme Lamp Foundation is to inspire.", ""),
        ("Digital Lamp Playbook", [], "People expect to see by digital means such as light.", ""),
        ("Lamp Requirements", [], "All of these must be met:", ""),
        ("Lamp Funding Process", [], "This process details who pays.", "This process details who pays."),
        ("Waterford, Lampshire", [], "Waterford is a town.", "Waterford is a town."),
        ("Cloud Lamp Shade", ["CLS"], "CLS gives shade to clouds.", "CLS gives shade to clouds."),
    ],
)
def test_descriptions_say_what_something_is(name: str, aliases: list[str], said: str, description: str) -> None:
    page = EntityCandidate(name=name, type="Concept", aliases=aliases, description=said, confidence=1.0)
    assert fitting_description(page) == description


@needs_tagger
def test_what_somebody_is_called_besides_is_the_same_person() -> None:
    text = "Christopher Robin (aka Lampy) is a director. Lampy leads the work, and Lampy said so to the Acme Board."
    found = {entity.name: entity for entity in extract(parsed(f"# Notes\n\n{text}\n")).entities}
    assert found["Christopher Robin"].type == "Person"
    assert "Lampy" in found["Christopher Robin"].aliases
    assert "Lampy" not in found


@pytest.mark.parametrize(
    ("name", "kind", "aliases"),
    [
        ("Lamp Safety", "Working Groups", ["Lamp Safety WG", "Lamp Safety Working Group"]),
        ("Lamp Safety WG", "Working Groups", []),
        ("Lamp Safety", "Special Interest Groups", ["Lamp Safety SIG", "Lamp Safety Special Interest Group"]),
        ("Lamp Safety", "Projects", []),
    ],
)
def test_groups_that_a_table_calls_by_their_subject(name: str, kind: str, aliases: list[str]) -> None:
    found = record_entity(DefinedTerm(name=name, kind=kind))
    assert found is not None
    assert found.aliases == aliases


def test_letters_that_and_joins_are_explained() -> None:
    text = "For example, time-and-materials (T&M) contracts are used."
    assert capitals.defined_phrase(text, text.index("("), "T&M") == "time-and-materials"


@pytest.mark.parametrize(
    ("title", "header", "name", "type_"),
    [
        ("Projects", "Repository", "lampd", "Product"),
        ("Projects", "Repository", "Lamp Score", "Product"),
        ("Working Groups (WGs)", "Repository", "Securing Critical Lamps", "Organization"),
        ("Projects", "Price", "Lamp Score", "Concept"),
    ],
)
def test_what_rows_are_by_the_heading_of_their_table(title: str, header: str, name: str, type_: str) -> None:
    rows = f"| {name} | [Code](https://github.com/acme/x) | Active |\n| Other Lamp | [Code](https://github.com/acme/y) | Active |"
    document = parsed(f"# Acme\n\n## {title}\n\n| Name | {header} | Status |\n| --- | --- | --- |\n{rows}\n")
    found = [record_entity(term) for term in document.terms if term.name == name and not term.weight]
    assert [one.type for one in found if one is not None][:1] == [type_]


@pytest.mark.parametrize(
    ("title", "said", "description"),
    [
        ("Lamp Cookbook", "A lamp is a package definition.", ""),
        ("Cask Handbook", "Each cask is a block of code.", ""),
        ("Lamp Guide", "This guide explains lamps.", "This guide explains lamps."),
        ("Lamp Manual", "The Lamp manual has all of it.", "The Lamp manual has all of it."),
        ("Lampwork", "new Lamp().toString() Don't use lamp.light()", ""),
        ("lamp(1)", "lamp(1) is a program.", "lamp(1) is a program."),
    ],
)
def test_what_a_book_is_about_is_not_the_book(title: str, said: str, description: str) -> None:
    page = EntityCandidate(name=title, type="Document", description=said, confidence=1.0)
    assert fitting_description(page) == description


@pytest.mark.parametrize(
    ("text", "name", "type_"),
    [
        ("# Lamp Cookbook\n\nA *lamp* is a package definition.\n", "Lamp Cookbook", "Document"),
        ("# Lamp Reference\n\nThe lamp is a tool that shines.\n", "Lamp Reference", "Document"),
        ("# Lamp Bundle, `lamp bundle` and `Lampfile`\n\nLamp Bundle is run with a command.\n", "Lamp Bundle, lamp bundle and Lampfile", "Concept"),
    ],
)  # fmt: skip
def test_types_of_books(text: str, name: str, type_: str) -> None:
    page = page_subject(parsed(text))
    assert page is not None
    assert (page.name, page.type or "Concept") == (name, type_)


@pytest.mark.parametrize(
    ("text", "start", "name"),
    [
        ("11:25–11:40 Lamp Steering Committee", 0, "Lamp Steering Committee"),
        ("at 9:00 Lamp Council", 3, "Lamp Council"),
    ],
)
def test_no_name_begins_with_a_time(text: str, start: int, name: str) -> None:
    assert [text[one.start : one.end] for one in boundaries.cleaned_spans(text, start, len(text), "Organization")] == [
        name
    ]


@pytest.mark.parametrize(
    ("name", "somebody"), [("Diego Cells", False), ("Diego Rivera", True), ("Diego and Ann", False)]
)
def test_parts_of_programs_are_nobody(name: str, somebody: bool) -> None:
    assert may_be_person(name) is somebody


@pytest.mark.parametrize(("name", "type_"), [("Anna Ames", "Person"), ("Lamp Works", "Product")])
def test_who_has_a_site(name: str, type_: str) -> None:
    assert suggested_entity(DefinedTerm(name=name, kind=SITE, weight=1), "").type == type_
