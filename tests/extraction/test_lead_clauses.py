"""The clauses of leads: what stands before the subject, what *and is* adds, what is denied; parts of what a page is about."""

# A case is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re

import pytest

from kgfs.documents.formats.parsing import parse_document
from kgfs.extraction.extractor import extract
from kgfs.extraction.facts.guides.lead_clauses import SUBJECT, clauses
from kgfs.extraction.names.declared.gazetteer import make_gazetteer, stated_names

S = SUBJECT


def stated(title: str, lead: str, *others: tuple[str, str]) -> set[tuple[str, str, str]]:
    """The facts between two entities of a page, beside ``others``."""
    pages = [parse_document(f"# {one}\n\n{text}\n".encode(), f"{one}.md") for one, text in [(title, lead), *others]]
    for page in pages:
        page.path = f"{re.sub('[ ()]+', '-', page.title).strip('-')}.md"
    found = extract(pages[0], make_gazetteer(map(stated_names, pages)))
    names = [entity.name for entity in found.entities]
    return {(names[one.subject], one.type, names[one.object]) for one in found.facts if one.object is not None}


@pytest.mark.parametrize(
    ("masked", "expected"),
    [
        (f"Founded in 1888 by Ann, {S} is part of Orm.", [f"{S} is part of Orm.", f"{S} is founded in 1888 by Ann."]),
        (f"A member of the Guild, {S} was mayor.", [f"{S} was mayor.", f"{S} is a member of the Guild."]),
        (f"The next year, {S} moved.", [f"The next year, {S} moved."]),
        (f"In 1893 {S} married Ann.", [f"{S} married Ann."]),
        (f"{S} was sold, and is a suburb of Orm.", [f"{S} was sold, and is a suburb of Orm.", f"{S} is a suburb of Orm."]),
        (f"{S} was preceded by A and followed by B.", [f"{S} was preceded by A and followed by B.", f"{S} was followed by B."]),
        (f"{S} met Ann, who was a singer, and is a mayor.", [f"{S} met Ann, who was a singer, and is a mayor."]),
    ],
)  # fmt: skip
def test_clauses(masked: str, expected: list[str]) -> None:
    assert list(clauses(masked)) == expected


@pytest.mark.parametrize(
    ("title", "lead", "fact"),
    [
        ("Orm Institute", "The Orm Institute is a research institute. Founded in 1888 by Ann Lee, it is big.", ("Ann Lee", "FOUNDED", "Orm Institute")),
        ("Sofia Lind", "Sofia Lind was a botanist. The daughter of Bob Lind, she grew up in Oslo.", ("Sofia Lind", "CHILD_OF", "Bob Lind")),
        ("Orm Kilns", "Orm Kilns Ltd is a firm in Oslo. Its chief executive is Ann Lee.", ("Ann Lee", "CHIEF_EXECUTIVE_OF", "Orm Kilns")),
        ("Orm Kilns", "Orm Kilns Ltd is a tile maker and a subsidiary of Acme Corporation.", ("Orm Kilns", "SUBSIDIARY_OF", "Acme Corporation")),
        ("Carrow", "Carrow is a country in Europe. Its capital is Port Ambrel.", ("Port Ambrel", "CAPITAL_OF", "Carrow")),
        ("River Tesk", "The Tesk is a river in Norway.", ("River Tesk", "LOCATED_IN", "Norway")),
        ("Ann Lee", "Ann Lee is a writer. Her husband was the poet Knut Aas. She wrote *Ash and Ember* (1938).", ("Ann Lee", "WROTE", "Ash and Ember")),
    ],
)  # fmt: skip
def test_what_a_lead_says(title: str, lead: str, fact: tuple[str, str, str]) -> None:
    assert fact in stated(title, lead)


@pytest.mark.parametrize(
    "lead",
    [
        "Oslo is a city. Oslo is not part of the Tarn Valley Authority.",
        "Oslo is a city. Oslo was never part of the Tarn Valley Authority.",
        "Oslo is a city. It is no longer a member of the Tarn Valley Authority.",
        "Oslo is a city. Oslo is neither a member of the Tarn Valley Authority nor part of Norway.",
        "Ann Lee is a writer. She is believed to be a member of the Tarn Valley Authority.",
        "Ann Lee is a writer. She hardly worked for the Tarn Valley Authority.",
        "Lampd is a server. Lampd is not developed by the Tarn Valley Authority.",
        "Lampd is a server. Lampd runs on Linux, critics claimed.",
    ],
)
def test_what_is_denied_is_no_fact(lead: str) -> None:
    title = lead.partition(" is")[0]
    facts = stated(title, lead, ("Tarn Valley Authority", "The Tarn Valley Authority is a public body."))
    assert not {
        one for one in facts if one[2] in ("Tarn Valley Authority", "Linux") or one[0] == "Tarn Valley Authority"
    }


def test_an_owner_owns_what_the_lead_is_about() -> None:
    lead = "Slipware Books is an independent publisher located in Oslo, owned by Acme Corporation."
    assert {one for one in stated("Slipware Books", lead) if one[1] == "OWNS"} == {
        ("Acme Corporation", "OWNS", "Slipware Books")
    }


def test_a_link_says_which_of_several_is_meant() -> None:
    lead = "The Salt Orchard is a 1987 film directed by [Ann Lee](Ann-Lee-director.md)."
    several = [(f"Ann Lee ({kind})", f"Ann Lee is a {kind} from Oslo.") for kind in ("director", "footballer")]
    assert ("Ann Lee (director)", "DIRECTED", "The Salt Orchard") in stated("The Salt Orchard", lead, *several)


def test_a_surname_is_whom_the_page_is_about() -> None:
    lead = "Ann Rokovan is a director.\n\nRokovan's elder brother Pavle ran a bakery. Mirko Rokovan is a writer."
    others = (
        ("Ann Rokovan (footballer)", "Ann Rokovan is a footballer."),
        ("Mirko Rokovan", "Mirko Rokovan is a writer."),
    )
    facts = stated("Ann Rokovan (director)", lead, *others)
    assert ("Mirko Rokovan" not in {one[2] for one in facts if one[1] == "SIBLING_OF"}) and facts
