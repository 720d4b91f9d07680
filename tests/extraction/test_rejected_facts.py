"""Facts that fall or are turned: what no document does, examples, placeholders, alternatives; values of several."""

# Sentences stand in the tables as they are written.
# ruff: noqa: E501

from __future__ import annotations

import pytest

from kgfs.documents.formats.parsing import parse_document
from kgfs.extraction.extractor import extract_by_rule
from kgfs.extraction.facts.guides.page_links import is_navigation
from kgfs.extraction.facts.rejected_documents import is_document
from kgfs.extraction.facts.sentences.brackets import employed
from kgfs.extraction.facts.structured.roster_titles import spelled_out
from kgfs.extraction.names import tagging
from kgfs.extraction.names.declared.gazetteer import make_gazetteer, stated_names

tagged = pytest.mark.skipif(not tagging.has_tagger(), reason="guides are read where spaCy is installed")
ABOUT = ("co/README.md", "# 9lanterns Employee Handbook\n\nWelcome. This is how we work at 9lanterns.\n")


def said(text: str, path: str = "co/page.md") -> list[str]:
    """The facts of a text, beside the first page of a firm."""
    documents = []
    for name, body in ((path, text), ABOUT):
        document = parse_document(body.encode(), name)
        document.path = name
        documents.append(document)
    found, _ = extract_by_rule(documents[0], make_gazetteer([stated_names(one) for one in documents]))
    return [
        f"{found.entities[fact.subject].name} {fact.type} {fact.object_text if fact.object is None else found.entities[fact.object].name}"
        for fact in found.facts
        if fact.type not in ("SEE_ALSO", "COVERS")
    ]


@pytest.mark.parametrize(
    ("name", "document"),
    [
        ("Lamp Cookbook", True),
        ("Lumen/lamp-core Maintainer Guide", True),
        ("lamp(1) -- The Lamp Manager", True),
        ("Thank you for your interest in Lumen", True),
        ("FAQ", True),
        ("Lumen", False),
        ("How to deploy the site", False),
        ("Guide Dogs", False),
        ("Lamp Manual Override", False),
    ],
)
def test_documents_by_their_names(name: str, document: bool) -> None:
    assert is_document(name) is document


OPTIONS = "\n\n## Options\n\n| Option | Description |\n|---|---|\n| `keep_alive` | keeps the lamp alive |\n"


@tagged
@pytest.mark.parametrize(
    ("title", "facts"),
    [
        ("Lamp Cookbook", ["keep_alive DESCRIBED_IN Lamp Cookbook"]),
        ("lamp(1)", ["keep_alive DESCRIBED_IN lamp(1)"]),
        ("How lamps are kept", ["keep_alive DESCRIBED_IN How lamps are kept"]),
    ],
)
def test_what_a_cookbook_lists_is_described_in_it(title: str, facts: list[str]) -> None:
    assert said(f"# {title}\n\n{title} is a software library of lamps.{OPTIONS}") != []
    assert [one for one in said(f"# {title}\n\nIt tells of lamps.{OPTIONS}") if "keep_alive" in one] == facts


@tagged
@pytest.mark.parametrize("title", ["Lamp Cookbook", "Lamp Maintainer Guide", "lamp(1)"])
@pytest.mark.parametrize(
    "text",
    ["Use Terraform to create the servers.", "Questions? Ask in #lamp-help.", "Deploy the stack using Terraform."],
)
def test_a_manual_uses_nothing_and_has_no_contact(title: str, text: str) -> None:
    found = said(f"# {title}\n\n{text}\n")
    assert not [one for one in found if one.startswith((f"{title} USES", f"{title} HAS_CONTACT"))]


@tagged
@pytest.mark.parametrize(
    ("text", "unsaid"),
    [
        ("To have static types, we have set up [Sorbet](https://sorbet.org/) in our codebase.", "FOUNDED"),
        ("Use [Lamp Rules](rules.md) for Python, Node.js, Java and Ruby dependencies.", "RECOMMENDS"),
        ("We use the natural medium (for example, a pull request in GitHub, or a change in Google Docs).", "USES"),
        ("We keep notes in a shared editor, e.g. Google Docs.", "USES"),
        ("Update versions for resource blocks using *`docker`*.", "docker"),
        ("Create an account on [Heroku](https://heroku.com) and create an app.", "USES"),
        ("Log into your Jenkins account, creating one if needed.", "USES"),
        ("If in doubt, ask somebody else on GitHub or Slack.", "USES"),
        ("All lamps are written in Python and published in a package on npm.", "USES"),
        (
            "Our lamps got a grant from the [Silicon Valley Community Foundation](https://svcf.example).",
            "Silicon Valley FUNDS",
        ),
        ("Flagpole is 9lanterns's internal, options-backed library.", "internal"),
        ("**Public lamps**: represent 9lanterns in public.", "REPRESENTS"),
        (
            "We are thinking of moving the main communication channels (the [user mailing list](https://groups.google.com/g/lamps)).",
            "HAS_CONTACT",
        ),
        ("Members with access to the `lamps@9lanterns.example` account can contact support.", "HAS_CONTACT"),
        ("Keep conversations and questions visible within #lamp-alumni.", "HAS_CONTACT"),
    ],
)
def test_examples_and_frames(text: str, unsaid: str) -> None:
    assert not [one for one in said(f"# How we work\n\n{text}\n", "co/work.md") if unsaid in one]


@tagged
def test_systems_beneath_requirements_are_alternatives() -> None:
    text = "# Lampd\n\nLampd is a program for lamps.\n\n## Requirements\n\n"
    assert not [one for one in said(f"{text}- Fedora\n- Debian\n- Arch Linux\n") if "REQUIRES" in one]
    assert [one for one in said(f"{text}- Docker\n- PostgreSQL\n") if "REQUIRES" in one]


@tagged
@pytest.mark.parametrize(("path", "facts"), [("co/rfcs/rfc-0001-lamps.md", 0), ("co/handbook/lamps.md", 1)])
def test_who_speaks_in_a_proposal_is_its_group(path: str, facts: int) -> None:
    text = "# Lamps on the wall\n\nWe use Slack to talk to each other.\n"
    assert len([one for one in said(text, path) if one == "9lanterns USES Slack"]) == facts


@tagged
def test_a_clause_says_what_is_used_with_examples() -> None:
    assert "Lampd USES PostgreSQL" in said("# Lampd\n\nLampd is a program. Lampd uses databases such as PostgreSQL.\n")


def test_values_of_several_people_are_several() -> None:
    text = "# Lamps on the wall\n\n- Name: Lamps on the wall\n- Start Date: 2024-03-01\n- Contributing Authors: @al, @bo-lee\n- Status: Accepted\n"
    found = [one.rpartition(" ")[2] for one in said(text) if "CONTRIBUTING_AUTHORS" in one]
    assert found == ["@al", "@bo-lee"]
    officers = "name: 2023 Lamp Committee election\ntype: event\nelection_officers:\n- annlee\n- bolee\n- cylee\n"
    found = [one.rpartition(" ")[2] for one in said(officers, "co/election.yaml") if "ELECTION_OFFICERS" in one]
    assert found == ["annlee", "bolee", "cylee"]


def _marked(text: str, *letters: str) -> str:
    return text.format(*(f"\ue000{letter}{place}\ue001" for place, letter in enumerate(letters)))


@tagged
def test_a_fiscal_sponsor_gives_no_money() -> None:
    found = said("# Lumen\n\nLumen is a program for lamps. Lumen is fiscally sponsored by the Tarn Foundation.\n")
    assert "Tarn Foundation FISCAL_SPONSOR_OF Lumen" in found
    assert not [one for one in found if " FUNDS " in one]


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        (
            "Congratulations to {0} ({1}) and {2} ({1}), who have each been re-elected to two year terms to the {3}!",
            [(0, 1), (2, 1)],
        ),
        ("Ask {0} ({1}).", []),
        ("Ask {0} ({1}), who voted.", []),
        ("{0} ({1}) was elected to the {3}.", [(0, 1)]),
        ("They join {0} ({1}) and {2} ({3}).", [(0, 1), (2, 3)]),
    ],
)
def test_employers_in_brackets(text: str, pairs: list[tuple[int, int]]) -> None:
    assert list(employed(_marked(text, "P", "O", "P", "O"))) == pairs


@pytest.mark.parametrize(
    ("letters", "title", "body"),
    [
        ("PLC", "Acme Project Leadership Committee Minutes 2021", "Project Leadership Committee"),
        ("PLC", "Acme Project Minutes", ""),
        ("Lamp", "Lamp Committee", ""),
    ],
)
def test_letters_of_a_body_in_a_title(letters: str, title: str, body: str) -> None:
    assert spelled_out(letters, title) == body


@pytest.mark.parametrize(
    ("label", "navigation"),
    [("« previous", True), ("← Back to Index", True), ("Backups", False), ("Next steps", False)],
)
def test_links_through_a_site(label: str, navigation: bool) -> None:
    assert is_navigation(label) is navigation
