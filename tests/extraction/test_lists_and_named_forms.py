"""Lists of a text's own pages, sections on roles, former members, works; ends that are others."""

# Texts stand in the tables as they are written.
# ruff: noqa: E501

from __future__ import annotations

import re

import pytest

from kgfs.documents.formats.parsing import parse_document
from kgfs.extraction.extractor import extract_by_rule
from kgfs.extraction.facts.marks import CLOSE, OPEN
from kgfs.extraction.facts.sentences.statement_checks import is_infinitive
from kgfs.extraction.facts.sentences.ties import tie_facts
from kgfs.extraction.links import sentence_links
from kgfs.extraction.names import tagging
from kgfs.extraction.names.declared.gazetteer import make_gazetteer, stated_names
from kgfs.model import ParsedDocument

tagged = pytest.mark.skipif(not tagging.has_tagger(), reason="pages are read where spaCy is installed")


def page(path: str, text: str) -> ParsedDocument:
    document = parse_document(text.encode(), path.rpartition("/")[2])
    document.path = path
    return document


def facts(path: str, text: str, *others: ParsedDocument) -> list[str]:
    """The facts of a text beside others; each quote stands in its chunk."""
    document = page(path, text)
    found, _ = extract_by_rule(document, make_gazetteer([stated_names(one) for one in (document, *others)]))
    names = [entity.name for entity in found.entities]
    said = []
    for fact in found.facts:
        chunk = document.chunks[fact.chunk - 1].text.encode()
        assert chunk[fact.start : fact.end].decode() == fact.quote and fact.quote
        end = names[fact.object] if fact.object is not None else repr(fact.object_text)
        said.append(f"{names[fact.subject]} {fact.type} {end}" + (f" as {fact.role}" if fact.role else ""))
    return said


# --- lists of pages --------------------------------------------------------------------------------------------------

APPROVE = page("docs/approve.md", "# Get a ferry approved\n\nIt rained.\n")
SLEEP = page("docs/sleep.md", "# Sleep at the quay when it rains\n\nIt rained.\n")
TOLLBOX = page("docs/tollbox.md", "# Tollbox\n\nTollbox is a tool that counts boats.\n")
QUAY = page("other/quay.md", "# Moor at the other quay\n\nIt rained.\n")
PAGES = (APPROVE, SLEEP, TOLLBOX, QUAY)
LIST = "- [Approvals](approve.md)\n- [The quay](sleep.md)\n- [Tollbox](tollbox.md)\n"
TITLE = "How one travels by ferry"
COVERED = {f"{TITLE} COVERS Get a ferry approved", f"{TITLE} COVERS Sleep at the quay when it rains"}


@tagged
@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        # on the front page and on any other, with a heading or without: pages, and not the thing that one is about
        ("docs/README.md", f"# {TITLE}\n\nIt rained.\n\n{LIST}", COVERED),
        ("docs/travel.md", f"# {TITLE}\n\nIt rained.\n\n{LIST}", COVERED),
        ("docs/travel.md", f"# {TITLE}\n\n## Contents\n\n{LIST}", COVERED),
        ("docs/travel.md", f"# {TITLE}\n\n## Contents\n\n- [Approvals](approve.md)\n", {f"{TITLE} COVERS Get a ferry approved"}),
        # what lies elsewhere, and what the reader is sent to
        ("docs/travel.md", f"# {TITLE}\n\n- [Quay](../other/quay.md)\n- a boat\n", {f"{TITLE} SEE_ALSO Moor at the other quay"}),
        ("docs/travel.md", f"# {TITLE}\n\n## See also\n\n- [Approvals](approve.md)\n- [The quay](sleep.md)\n", {one.replace("COVERS", "SEE_ALSO") for one in COVERED}),
        # a page of nothing but contents, a register of pages: links say it
        ("docs/toc.md", f"# Table of contents\n\n{LIST}", set()),
        ("docs/README.md", f"# {TITLE}\n\n{LIST}" + "".join(f"- [Part {n}](#part-{n})\n" for n in range(20)), set()),
    ],
)  # fmt: skip
def test_a_list_of_contents_is_of_pages(path: str, text: str, said: set[str]) -> None:
    assert set(facts(path, text, *PAGES)) == said


@pytest.mark.parametrize(
    ("quote", "links"),
    [
        ("![Boats at sea](boats.md)", []),
        ("See [the map](quay.svg) and ([PNG](quay.png?raw=true)).", []),
        ("See ![x](a.png) [the map](map.md#top).", [("the map", "map.md")]),
        ("[the map](map.md)", [("the map", "map.md")]),
    ],
)
def test_pictures_are_no_pages(quote: str, links: list[tuple[str, str]]) -> None:
    assert sentence_links(quote, {}) == links


@tagged
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("## Tollbox\n\nThe boats are counted here every day.", True),
        ("- **Tollbox** – a box in which each boat is counted that sails by", True),
        ("Good examples are:\n\n- **Tollbox** – a box in which each boat is counted that sails by", False),
        ("## Findings\n\n- **Tollbox** – a box in which each boat is counted that sails by", False),
        (
            "- Tollbox: the counter accepts a boat without any sail on it\n- Tollbox: the box can be opened by everybody on board",
            False,
        ),
    ],
)
def test_what_a_page_covers(text: str, said: bool) -> None:
    assert (
        f"{TITLE} COVERS Tollbox" in facts("notes/travel.md", f"# {TITLE}\n\nIt rained.\n\n{text}\n", TOLLBOX)
    ) is said


# --- tables of persons ------------------------------------------------------------------------------------------------

TABLE = "\n| Name | Company | Email |\n|---|---|---|\n"


@tagged
def test_a_group_of_interest_by_its_tables() -> None:
    text = (
        "# Lamp SIG Scalability\n\nLamp SIG Scalability is focused on the scalability of lamps.\n\n"
        f"## Sig-Lead\n{TABLE}| [Dana Poe](https://github.com/dpoe) | Red Hat | |\n\n"
        f"## Secretary\n{TABLE}| [Max Roe](https://github.com/mroe) | Independent | max@x.org |\n\n"
        f"## Members\n{TABLE}| [Lee Fox](https://github.com/lfox) | Octopus Deploy | |\n| Ann Ray | Acme / Umbrella | |\n\n"
        f"## Emeritus\n{TABLE}| Bob Day | Acme | bob@x.org |\n"
    )
    found = facts("sigs/README.md", text)
    assert len(found) == len(set(found))
    assert set(found) == {
        "Dana Poe LEADS Lamp SIG Scalability",
        "Max Roe MEMBER_OF Lamp SIG Scalability as secretary",
        "Lee Fox MEMBER_OF Lamp SIG Scalability",
        "Ann Ray MEMBER_OF Lamp SIG Scalability",
        "Dana Poe WORKS_FOR Red Hat",
        "Lee Fox WORKS_FOR Octopus Deploy",
        "Ann Ray WORKS_FOR Acme",
        "Ann Ray WORKS_FOR Umbrella",
        "Max Roe EMAIL 'max@x.org'",
        "Bob Day EMAIL 'bob@x.org'",
    }


@tagged
def test_the_lines_of_a_cell_are_values() -> None:
    text = (
        "# Maintainers\n\n| Maintainer | Project Roles | Affiliation |\n|---|---|---|\n"
        "| Dana Poe | Lead - CD <br/>Approver - Workflows | [GitLab](https://github.com/gitlab) |\n| Max Roe | Reviewer - CD | Independent |\n"
    )
    assert {one for one in facts("MAINTAINERS.md", text) if "MAINTAINS" not in one} == {
        "Dana Poe PROJECT_ROLES 'Lead - CD'",
        "Dana Poe PROJECT_ROLES 'Approver - Workflows'",
        "Dana Poe WORKS_FOR GitLab",
        "Max Roe PROJECT_ROLES 'Reviewer - CD'",
    }


# --- named forms ------------------------------------------------------------------------------------------------------

SITE = page("README.md", "# Lampworks Handbook\n\nWelcome. This is how we work at Lampworks.\n")


@tagged
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Mira Holt and Jenny Bryan's *Lamps at Sea* book is a good read.", "Mira Holt WROTE Lamps at Sea"),
        ("Read the [Lamps at Sea book by Mira Holt and Anna Holt](https://x.org/lamps).", "Anna Holt WROTE Lamps at Sea"),
        ("Take the [course corresponding to the book by Mira Holt](https://x.org/lamps).", ""),
    ],
)  # fmt: skip
def test_works_and_their_writers(text: str, said: str) -> None:
    found = [one for one in facts("co/tests.md", f"# How to test\n\n{text}\n", SITE) if "SEE_ALSO" not in one]
    assert found == [] if not said else said in found


# --- ends that are others ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "infinitive"),
    [
        ("Ann worked with Bob to onboard ", True),
        ("Ann worked with Bob to quickly onboard the ", True),
        ("Acme sends its logs to ", False),
        ("Acme sends its logs to the new ", False),
        ("Acme sends its logs to our internal ", False),
    ],
)
def test_the_to_of_a_verb(before: str, infinitive: bool) -> None:
    assert is_infinitive(f"{before}Lumen", len(before)) is infinitive


@tagged
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("PostgreSQL uses Terraform.", True),
        ("The PostgreSQL team uses Terraform.", False),
        ("PostgreSQL uses the Terraform website.", False),
        ("// PostgreSQL uses Terraform.", False),
        ("PostgreSQL uses Terraform(text string).", False),
    ],
)
def test_ends_of_what_belongs_to_a_thing(text: str, said: bool) -> None:
    assert ("PostgreSQL USES Terraform" in facts("co/page.md", f"# How to test\n\n{text}\n")) is said


def tied(text: str) -> set[str]:
    """The ties of a sentence whose names are written as letter and number: ``P0`` is somebody, ``O1`` a body."""
    letters = [found[0] for found in re.findall(r"\b[POX]\d\b", text)]
    masked = re.sub(r"\b([POX])(\d)\b", rf"{OPEN}\1\2{CLOSE}", text)
    names = [f"Name {number}" for number in range(len(letters))]
    return {f"{one.subjects[0]} {one.type} {one.objects[0]}" for one in tie_facts(masked, letters, names)}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("-- P0, Community manager at O1", {"0 WORKS_FOR 1"}),
        ("-- P0, O1 manager at X2", {"0 WORKS_FOR 2"}),
        ("-- P0, Director of Sales at O1; Cofounder of X2", {"0 WORKS_FOR 1", "0 FOUNDED 2"}),
        ("P0 from O1 is the editor who makes us sound well.", {"0 WORKS_FOR 1"}),
        ("P0 from O1 is the one who makes us sound well.", set()),
        ("P0, O1 manager, spoke first.", {"0 WORKS_FOR 1"}),
    ],
)
def test_signatures_and_editors(text: str, said: set[str]) -> None:
    assert tied(text) == said
