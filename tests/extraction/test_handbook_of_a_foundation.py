"""What the handbook of a foundation showed: who *we* are where a name has *for* in it, forms, lists of a team."""

from __future__ import annotations

import pytest

from kgfs.documents.formats.parsing import parse_document
from kgfs.documents.records.key_lines import are_key_lines
from kgfs.documents.suggestions.speakers import speakers
from kgfs.extraction.extractor import extract
from kgfs.extraction.facts.structured.roster_titles import label_title
from kgfs.extraction.names import tagging
from kgfs.extraction.names.boundaries import cleaned_spans
from kgfs.extraction.names.declared.applications import applied_for
from kgfs.extraction.names.declared.defined_terms import defined_term
from kgfs.extraction.names.declared.gazetteer import make_gazetteer, stated_names
from kgfs.extraction.names.declared.pages import page_subject
from kgfs.extraction.names.kinds import said_kind
from kgfs.model import DefinedTerm, ParsedDocument

tagged = pytest.mark.skipif(not tagging.has_tagger(), reason="needs a model of spaCy")


def page(text: str, path: str = "a.md") -> ParsedDocument:
    document = parse_document(text.encode(), path)
    document.path = path
    return document


def stated(text: str, types: str) -> set[str]:
    found = extract(page(text))
    names = [entity.name for entity in found.entities]
    return {
        f"{names[one.subject]} {one.type} {names[one.object]}"
        for one in found.facts
        if one.type in types.split() and one.object is not None
    }


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("At the Foundation for Open Lamps, we light the harbour.", ["Foundation for Open Lamps"]),
        ("We have met all Foundation for Open Lamps staff.", ["Foundation for Open Lamps"]),
        ("We say how it is to work at the Office of Lamps.", ["Office of Lamps"]),
        ("At the Foundation, we light the harbour.", []),
        ("At Acme, we light the harbour.", ["Acme"]),
    ],
)
def test_who_speaks_for_a_body_with_a_small_word_in_its_name(text: str, names: list[str]) -> None:
    assert [one.name for one in speakers("", text)] == names


@pytest.mark.parametrize(
    ("title", "type_"), [("Code of Lamps (Contributor Covenant)", ""), ("Ann Lee (contributor)", "Person")]
)
def test_a_bracket_with_a_name_in_it_is_no_kind(title: str, type_: str) -> None:
    found = page_subject(page(f"# {title}\n\nIn the interest of all, we light lamps.\n"))
    assert found is not None and (found.type == "Person") == bool(type_)


@pytest.mark.parametrize("title", ["Value and impact", "Product assets for early incubation"])
def test_a_title_in_small_letters_applies_for_nothing(title: str) -> None:
    assert applied_for(page(f"# {title}\n\nThis is a list for the project, one of our projects.\n")) is None


@pytest.mark.parametrize(
    ("sentence", "type_"),
    [
        ("Lampod is a podcast publishing and monetization service, with statistics.", "Product"),
        ("Lampod is a podcast and a newsletter.", "Work"),
        ("Lampstat is a simple, lightweight (< 1 KB), open source and friendly analytics tool.", "Product"),
        ("Lampyard is a browser-based live streaming studio.", "Product"),
        ("Lampyard is a studio in Tarn.", "Facility"),
    ],
)
def test_the_kind_of_a_service(sentence: str, type_: str) -> None:
    said = said_kind(sentence)
    assert said is not None and said.type == type_


@pytest.mark.parametrize(
    ("lines", "are"),
    [
        (["Name: Ann Lee", "Title: Secretary of the Board", "Date:"], True),
        (["Name: Ann Lee", "Date:"], False),
        (["Name: Ann Lee", "Title: Secretary", "Date:", "Place:", "Seal:"], False),
        (["Name: Ann Lee", "Title: Secretary", "and so on"], False),
    ],
)
def test_a_key_may_wait_for_its_value(lines: list[str], are: bool) -> None:
    assert are_key_lines(lines) == are


def test_a_term_in_quotes_has_no_number() -> None:
    text = '# Terms\n\n## Definitions\n\n* a. "lamp lighter": who lights lamps.\n* b. "harbour dues": what ships pay.\n'
    assert [term.name for term in page(text).terms] == ["lamp lighter", "harbour dues"]


def test_a_term_with_its_acronym_behind_it() -> None:
    found = defined_term(DefinedTerm(name="Lamp in Progress (LIP)", definition="a lamp that is being made"))
    assert found is not None and (found.name, found.aliases) == ("Lamp in Progress", ["LIP"])


@pytest.mark.parametrize(
    ("line", "body"),
    [
        ("The Management/Operations Team at Acme Lamps consists of these members:", "Acme Lamps"),
        ("Our board includes the following people:", ""),
        ("The team consists of lamps that shine:", None),
        ("The Harbour Committee met at the Acme Hall:", None),
    ],
)
def test_of_whom_a_team_consists(line: str, body: str | None) -> None:
    title = label_title(line)
    assert (None if title is None else title.body) == body


@tagged
@pytest.mark.parametrize(
    ("line", "wrote"),
    [
        ("[Lamps of the North](https://lamps.org/a) - article by Anna Lind on [Lamps](https://lamps.org)", True),
        ("Anna Lind, [_Lamps of the North_](https://lamps.org/a), chapter 3", True),
        ("_Lamps of the North_, by Anna Lind (2005)", True),
        ("[Lamps of the North](https://lamps.org/a) - seen by Anna Lind", False),
        ("Anna Lind, [the lamps of the north](https://lamps.org/a)", False),
    ],
)
def test_who_wrote_what_is_recommended(line: str, wrote: bool) -> None:
    found = stated(f"# Reading\n\n- {line}\n", "WROTE")
    assert found == ({"Anna Lind WROTE Lamps of the North"} if wrote else set())


@pytest.mark.parametrize(
    ("title", "lead", "type_"),
    [
        ("Healthcare and Disability Insurance", "Our priorities are wellness and education.", "Concept"),
        ("Lamp and Wick Insurance", "Lamp and Wick Insurance has been in Tarn for long.", "Organization"),
        ("Ministry of Housing and Local Government", "It has been in Tarn for long.", "Organization"),
    ],
)
def test_a_title_of_two_fields_is_no_firm(title: str, lead: str, type_: str) -> None:
    found = page_subject(page(f"# {title}\n\n{lead}\n"))
    assert found is not None and found.type == type_


@tagged
def test_the_name_giver_of_something_was_not_made_by_its_maker() -> None:
    text = "Python is a language named after a British Comedy Troupe, created by Guido van Rossum, and kept by many.\n"
    assert stated(f"# Python\n\n{text}", "DEVELOPED CREATED") == {"Guido van Rossum CREATED Python"}


@tagged
@pytest.mark.parametrize(
    ("line", "stands"),
    [
        ("We use Docker to run our tests.", True),
        ("First we have to install Docker on Windows.", False),
        ("We install Docker in the above file.", False),
        ("We use {Docker} in each letter.", False),
    ],
)
def test_we_in_a_tutorial_are_its_readers(line: str, stands: bool) -> None:
    pages = [
        page("# Acme Handbook\n\nAt Acme, we light lamps. At Acme, we like it.\n", "README.md"),
        page(f"# Setup\n\n{line}\n"),
    ]
    known = make_gazetteer(stated_names(one) for one in pages)
    found = extract(pages[1], known)
    names = [entity.name for entity in found.entities]
    told = {(names[one.subject], names[one.object]) for one in found.facts if one.object is not None}
    assert (("Acme", "Docker") in told) == stands


@pytest.mark.parametrize(
    ("text", "type_", "names"),
    [
        ("Quoth Dick", "Person", ["Dick"]),
        ("Hilloa, Dick", "Person", ["Dick"]),
        ("London,--a", "Location", ["London"]),
    ],
)
def test_names_of_a_novel(text: str, type_: str, names: list[str]) -> None:
    assert [text[span.start : span.end] for span in cleaned_spans(text, 0, len(text), type_)] == names


@tagged
@pytest.mark.parametrize(("firm", "stands"), [("Docker", True), ("Acme Lamps", True), ("Chrome", False)])
def test_software_employs_nobody_unless_its_maker_has_the_name(firm: str, stands: bool) -> None:
    people = "".join(
        f"- [{name}](https://{name.split()[1].lower()}.example.org) - {firm}\n" for name in ("Anna Lind", "Robert Ray")
    )
    assert stated(f"# Speakers\n\n{people}", "WORKS_FOR") == (
        {f"Anna Lind WORKS_FOR {firm}", f"Robert Ray WORKS_FOR {firm}"} if stands else set()
    )
