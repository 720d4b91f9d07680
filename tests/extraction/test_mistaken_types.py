"""Names that texts show to be of another type than their words or the tagger say: labels, employers, authors, kinds."""

from __future__ import annotations

from collections import Counter

import pytest

from kgfs.documents.labelled_links import labelled_links
from kgfs.documents.suggestions.site_names import site_names
from kgfs.extraction.extractor import extract
from kgfs.extraction.facts.meeting_notes.attendees import read_entry
from kgfs.extraction.names.declared.gazetteer import document_page, make_gazetteer, stated_names
from kgfs.extraction.names.evidence import explained_type, may_be_person
from kgfs.extraction.names.kinds import said_kind
from kgfs.extraction.names.named import NameFindings
from kgfs.extraction.names.people.persons import labels_person
from kgfs.extraction.names.software_places import settle_site
from kgfs.extraction.names.tagging import has_tagger
from kgfs.extraction.names.usage import name_use
from kgfs.model import Extraction
from tests.extraction.read_texts import parsed

tagger = pytest.mark.skipif(not has_tagger(), reason="needs a model of spaCy")


def read(text: str) -> Extraction:
    document = parsed(text, "notes.md")
    return extract(document, make_gazetteer([stated_names(document)]))


def types_in(text: str) -> dict[str, str]:
    return {entity.name: entity.type for entity in read(text).entities}


def facts_in(text: str) -> set[tuple[str, str, str]]:
    found = read(text)
    names = [entity.name for entity in found.entities]
    return {
        (names[fact.subject], fact.type, fact.object_text or "" if fact.object is None else names[fact.object])
        for fact in found.facts
    }


@pytest.mark.parametrize(
    ("sentence", "name", "software"),
    [
        ("The songs were written by Wickop.", "Wickop", False),
        ("The lamp was built by Wickop.", "Wickop", False),
        ("The lamp is powered by Wickop.", "Wickop", True),
        ("The lamp is written in Wickop.", "Wickop", True),
    ],
)
def test_who_made_something_is_no_software(sentence: str, name: str, software: bool) -> None:
    start = sentence.index(name)
    assert name_use(sentence, start, start + len(name)).software == software


@pytest.mark.parametrize(
    ("sentence", "type_"),
    [
        ("Wickop is a Kubernetes operator that lights lamps.", "Product"),
        ("Wickop is a Kubernetes storage operator.", "Product"),
        ("Wickop is a tour operator.", "Organization"),
    ],
)
def test_what_an_operator_is(sentence: str, type_: str) -> None:
    found = said_kind(sentence)
    assert found is not None and found.type == type_


@pytest.mark.parametrize(
    ("name", "person"),
    [("J.E. Carpet", True), ("T.S.R. Lind", True), ("TJ Lind", True), ("Lamp WG Meeting", False), ("DB Lamps", True)],
)
def test_initials_are_no_letters_of_a_body(name: str, person: bool) -> None:
    assert may_be_person(name) == person


@pytest.mark.parametrize(
    ("name", "short", "type_"),
    [
        ("single-lamp app", "SLA", "Concept"),
        ("Lamp Finder App", "LFA", "Product"),
        ("lamp package manager", "LPM", "Product"),
    ],
)
def test_a_kind_of_app_is_no_product(name: str, short: str, type_: str) -> None:
    assert explained_type(name, short) == type_


@pytest.mark.parametrize(
    ("line", "labels"),
    [
        ("Lamp Liaison: Katie Lind", True),
        ("Lamp Liaison: Katie Lind (@klind)", True),
        ("Lamp Liaison: Katie Lind, David Poe", True),
        ("Lamp Liaison: Katie Lind said that it burns.", False),
        ("Lamp Liaison: Wick Oil", False),
    ],
)
def test_what_somebody_is_there_for(line: str, labels: bool) -> None:
    assert labels_person(line, 0, len("Lamp Liaison")) == labels


@tagger
def test_labels_of_a_list_of_persons_are_nobody() -> None:
    text = (
        "# Handbook\n\n## Reviewers\n\n* Wick Guide - Oil: Katie Lind (@klind)\n"
        "* Wick Guide - Glass: James Moe (@jmoe)\n"
        "* Lamp Care: Mark Roe (@mroe)\n* Oil Keeper: David Poe (@dpoe)\n\nThe Wick Guide is long.\n"
    )
    assert "Person" not in {types_in(text).get(name) for name in ("Wick Guide", "Lamp Care", "Oil Keeper")}
    assert not any(fact[1] == "WORKS_FOR" for fact in facts_in(text))
    assert types_in("# Handbook\n\n## Reviewers\n\n* Katie Lind - Acme (@klind)\n").get("Katie Lind") == "Person"


MINUTES = (
    "# Lamp Committee Meeting\n\nDate: 2021-12-10\nLocation: {}\n\n## Attendees\n\n- Ann Lee, Google\n"
    "- Bob Ray, Canonical\n- Mark Lind, Mill River\n- Carl Moe, {}\n\n## Agenda\n\n* Approve minutes\n"
)


@tagger
def test_who_stands_in_the_place_of_an_employer_among_firms() -> None:
    assert ("Mark Lind", "WORKS_FOR", "Mill River") in facts_in(MINUTES.format("Boston", "IBM"))
    # where some are listed with their towns, a river is a river
    assert ("Mark Lind", "WORKS_FOR", "Mill River") not in facts_in(MINUTES.format("Boston", "Boston"))


@tagger
@pytest.mark.parametrize(("where", "held"), [("Boston", True), ("Zoom", False)])
def test_a_call_is_no_place(where: str, held: bool) -> None:
    facts = facts_in(MINUTES.format(where, "IBM"))
    assert (("Lamp Committee Meeting", "HELD_IN", where) in facts) == held
    assert types_in(MINUTES.format(where, "IBM")).get(where) == ("Location" if held else None)


@tagger
def test_what_has_a_plural_is_no_place() -> None:
    text = "Bonus Point is what a keeper gets near Reno. He lost {} in Reno, near Bonus Point.\n"
    assert types_in(text.format("his Bonus Points")).get("Bonus Point") != "Location"
    islands = "They sailed to Lind Island. The Lind Islands are cold, and on Lind Island nobody lives.\n"
    assert types_in(islands).get("Lind Island") == "Location"


@tagger
def test_a_body_and_where_it_works() -> None:
    text = (
        "We met the Linux Foundation Europe members. Linux Foundation Europe is here. They like the Linux Foundation"
        " Europe summit, and so does Linux Foundation Europe.\n"
    )
    assert types_in(text).get("Linux Foundation Europe") == "Organization"


@pytest.mark.parametrize(("site", "kind"), [("https://lwf.dev", "site"), ("https://lwf.org", "official site")])
def test_the_site_of_an_acronym(site: str, kind: str) -> None:
    text = f"We read [LWF]({site}) lamps.\n"
    assert {term.kind for term in site_names(text, labelled_links(text))} == {kind}


@tagger
@pytest.mark.parametrize(
    ("name", "site", "person"),
    [("Impostor Lamp", "https://impostorlamp.org", False), ("Odalric Wickensen", "https://odalricwickensen.com", True)],
)
def test_who_has_a_site(name: str, site: str, person: bool) -> None:
    named = NameFindings(name, guessed=True, tags=Counter(Person=2))
    settle_site(named)
    assert (named.best is not None and named.best[0] == "Person") == person, site


@tagger
def test_a_firm_of_an_example_is_none() -> None:
    text = "The record shows Company Name Inc. in Boston. The domain of Example LLC, Boston, is Example LLC's.\n"
    assert not {"Company Name Inc.", "Company Name", "Example LLC", "Example"} & types_in(text).keys()
    assert "Acme LLC" in types_in("The domain of Acme LLC, Boston, is Acme LLC's.\n")


@pytest.mark.parametrize(
    ("title", "type_"),
    [("Wick libraries", "Document"), ("Aspley bus station", "Facility"), ("Lamp Library", "Facility")],
)
def test_several_facilities_are_none(title: str, type_: str) -> None:
    found = document_page(parsed(f"# {title}\n\nWe list them.\n", "docs/page.md"))
    assert found is not None and found.type == type_


@pytest.mark.parametrize(
    ("entry", "name"),
    [
        ("LWF Liaison: Odal Keller (@ok)", None),
        ("Wick Guide - Oil: Katie Lind (@klind)", None),
        ("Katie Lind: Wick Guide (@klind)", "Katie Lind"),
        ("Katie Lind, Acme: lights lamps", "Katie Lind"),
    ],
)
def test_whom_an_entry_with_a_colon_names(entry: str, name: str | None) -> None:
    found = read_entry(entry, tagged=False)
    assert (None if found is None else found.name) == name


@tagger
def test_a_place_behind_a_rank_is_nobody() -> None:
    assert types_in("The Earl of Dunmark was her son. She was Princess of Sanmark.\n\nThe King of Pop died.") == {
        "Dunmark": "Location",
        "Sanmark": "Location",
    }
