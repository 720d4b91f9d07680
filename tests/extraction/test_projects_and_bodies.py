"""What tables and sentences say of projects and bodies: who maintains, uses, funds them, whom they report to, what wraps what."""

# Tables and sentences stand here as they are written.
# ruff: noqa: E501

from __future__ import annotations

import pytest

from kgfs.documents.formats.parsing import document_blocks, parse_document
from kgfs.documents.records.rst_tables import rst_rows
from kgfs.extraction.extractor import extract_by_rule
from kgfs.extraction.facts.marks import CLOSE, OPEN
from kgfs.extraction.facts.rejected_facts import is_of_style
from kgfs.extraction.facts.sentences.descriptions_of import described
from kgfs.extraction.names import tagging

tagged = pytest.mark.skipif(not tagging.has_tagger(), reason="names of sentences are read where spaCy is installed")

HEAD = "# Lumen\n\nLumen is a Python library for lamps.\n\n"
HARBOUR = "# Harbour Committee\n\nThe Harbour Committee looks after the harbour.\n\n"


def said(text: str, *rules: str, name: str = "README.md") -> list[str]:
    """The facts between two entities that rules make, in order; each quote stands in its chunk."""
    document = parse_document(text.encode(), name)
    found, by = extract_by_rule(document, None)
    names = [entity.name for entity in found.entities]
    for fact in found.facts:
        chunk = document.chunks[fact.chunk - 1].text.encode()
        assert chunk[fact.start : fact.end].decode() == fact.quote
    return [
        f"{names[fact.subject]} {fact.type} {names[fact.object]}"
        for fact, rule in zip(found.facts, by, strict=True)
        if fact.object is not None and rule.startswith(rules)
    ]


SIMPLE = """\
Experts
=======

==========  ====================
Module      Maintainers
==========  ====================
__main__    dpoe, lroe42
json        dpoe*
lamps.core  mfox-7,
            dpoe
==========  ====================
"""
LISTED = """\
Experts
=======

.. list-table::
   :header-rows: 1

   * - Language
     - Coordination team
   * - `German (de) <https://x.org/de>`__
     - | Dana Poe (:github-user:`dpoe`),
       | Lee Roe
   * - Greek (el)
     - Max Fox
   * - Hungarian
     -
"""
GRID = "Experts\n=======\n\n+--------+----------+\n| Module | Expert   |\n+========+==========+\n| json   | @dpoe    |\n+--------+----------+\n| time   | @lroe    |\n+--------+----------+\n"


@tagged
@pytest.mark.parametrize(
    ("text", "name", "facts"),
    [
        (
            SIMPLE,
            "a.rst",
            [
                "dpoe MAINTAINS __main__",
                "lroe42 MAINTAINS __main__",
                "dpoe MAINTAINS json",
                "mfox-7 MAINTAINS lamps.core",
                "dpoe MAINTAINS lamps.core",
            ],
        ),
        (LISTED, "a.rst", ["Dana Poe COORDINATES German", "Lee Roe COORDINATES German", "Max Fox COORDINATES Greek"]),
        (GRID, "a.rst", ["@dpoe EXPERT_IN json", "@lroe EXPERT_IN time"]),
        (
            "# Parts\n\n| Tool | Owner |\n|---|---|\n| lamp | @dpoe |\n| quay | @lroe |\n",
            "a.md",
            ["@dpoe OWNS lamp", "@lroe OWNS quay"],
        ),
        # words are no handles, a row of nothing is nothing, what was once is no more
        ("# Parts\n\n| Tool | Owner |\n|---|---|\n| lamp | nobody yet |\n| quay | anybody who can |\n", "a.md", []),
        ("# Parts\n\n| Module | Maintainers |\n|---|---|\n| lamp | table |\n| quay | chair |\n", "a.md", []),
        (
            "# Parts\n\n## Former maintainers\n\n| Tool | Owner |\n|---|---|\n| lamp | @dpoe |\n| quay | @lroe |\n",
            "a.md",
            [],
        ),
        ("# Parts\n\n| Option | Owner |\n|---|---|\n| lamp | @dpoe |\n| quay | @lroe |\n", "a.md", []),
    ],
)
def test_tables_with_a_column_of_persons(text: str, name: str, facts: list[str]) -> None:
    assert said(text, "tables.role", name=name) == facts


def test_rows_of_restructuredtext() -> None:
    document = parse_document(LISTED.encode(), "a.rst")
    (table,) = [block for block in document_blocks(document) if block.kind == "table"]
    rows = rst_rows(document.text or "", table)
    assert [row.cells[0] for row in rows] == ["Language", "German (de)", "Greek (el)", "Hungarian"]
    assert (document.text or "")[rows[2].start : rows[2].end] == "* - Greek (el)\n     - Max Fox"


@tagged
@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (
            "## Who uses Lumen?\n\n- [Tarn Systems](https://tarn.example.io)\n- Umbrella Labs: lamps for all\n- **Acme Corporation** – lamps\n",
            ["Tarn Systems USES Lumen", "Umbrella Labs USES Lumen", "Acme Corporation USES Lumen"],
        ),
        (
            "## Adopters\n\n| Organization | How |\n|---|---|\n| Tarn Systems | lamps |\n| Umbrella Labs | quays |\n",
            ["Tarn Systems USES Lumen", "Umbrella Labs USES Lumen"],
        ),
        (
            "## Sponsors\n\n- [Tarn Systems](https://tarn.example.io)\n- Red Hat\n",
            ["Tarn Systems SPONSORS Lumen", "Red Hat SPONSORS Lumen"],
        ),
        # sentences: of the page's project, with what somebody gives
        (
            "This project is funded by the Wellcome Trust and the Sloan Foundation.",
            ["Wellcome Trust FUNDS Lumen", "Sloan Foundation FUNDS Lumen"],
        ),
        ("The work was supported by a grant from the Sloan Foundation.", ["Sloan Foundation FUNDS Lumen"]),
        ("Lumen receives funding from the Sloan Foundation.", ["Sloan Foundation FUNDS Lumen"]),
        (
            "Major adopters include Kubernetes, Django and Red Hat.",
            ["Kubernetes USES Lumen", "Django USES Lumen", "Red Hat USES Lumen"],
        ),
        ("- **Homebrew**: adopting Lumen for its lamps\n", ["Homebrew USES Lumen"]),
        ("Adopters may include Kubernetes and Red Hat.", []),
        # what is no list of organizations, what is not so, who was it once
        ("## Users\n\n- Administrators\n- Guests\n", []),
        ("## Former sponsors\n\n- [Tarn Systems](https://tarn.example.io)\n- Red Hat\n", []),
        ("This project is not funded by the Wellcome Trust.", []),
        ("The talk was supported by slides from the Sloan Foundation.", []),
    ],
)
def test_who_uses_and_funds_a_project(text: str, facts: list[str]) -> None:
    assert said(HEAD + text + "\n", "supporters.", "clause.got") == facts


@tagged
@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (
            "The Harbour Committee (HC) will report to the Executive Council quarterly.",
            ["Harbour Committee REPORTS_TO Executive Council"],
        ),
        ("This committee shall report to the Executive Council.", ["Harbour Committee REPORTS_TO Executive Council"]),
        (
            "The Executive Council is responsible for appointing the members of the Harbour Committee.",
            ["Executive Council APPOINTS Harbour Committee"],
        ),
        (
            "The Pilot Foundation is a directed fund of the Linux Foundation.",
            ["Pilot Foundation PART_OF Linux Foundation"],
        ),
        (
            "The Executive Council acts on behalf of the Pilot Foundation.",
            ["Executive Council ACTS_FOR Pilot Foundation"],
        ),
        ("The chair of the Harbour Committee is Dana Poe.", ["Dana Poe LEADS Harbour Committee"]),
        ("The Harbour Committee does not report to the Executive Council.", []),
        ("If it grows, the Harbour Committee will report to the Executive Council.", []),
        ("Does the Harbour Committee report to the Executive Council?", []),
        ("The former chair of the Harbour Committee is Dana Poe.", []),
    ],
)
def test_what_charters_say_of_bodies(text: str, facts: list[str]) -> None:
    assert said(HARBOUR + text + "\n", "governance.") == facts


def _mark(text: str) -> str:
    """Text with its one name, between bars, as a mark."""
    before, _, behind = text.split("|")
    return f"{before}{OPEN}0{CLOSE}{behind}"


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("Python bindings for the C++14 |Tarn| library", "WRAPS"),
        ("A thin wrapper around |Tarn|", "WRAPS"),
        ("Wraps |Tarn| for browsers", "WRAPS"),
        ("Implements the |Tarn| protocol", "IMPLEMENTS"),
        ("A web server for |Tarn| clusters", "MADE_FOR"),
        ("A wrapper that has nothing to do with |Tarn|", ""),
        ("Does not implement |Tarn|", ""),
    ],
)
def test_what_packages_wrap_and_implement(text: str, type_: str) -> None:
    assert [one.type for one in described(_mark(text))] == ([type_] if type_ else [])


@tagged
def test_rows_that_describe() -> None:
    table = "## Packages\n\n| Package | Description | Notes |\n|---|---|---|\n| [lumen-pg](https://x.org/pg) | Wrapper around PostgreSQL | new |\n| [lumen-web](https://x.org/web) | A site built with Django | old |\n"
    assert said(HEAD + table, "described.wraps", "described.built_with") == [
        "lumen-pg WRAPS PostgreSQL",
        "lumen-web USES Django",
    ]


@tagged
def test_lines_of_yaml_that_describe() -> None:
    text = "name: lamp-hist\ndescription: Python bindings for the C++14 Tarn::Histogram library.\nurl: https://x.org/lamp\n"
    assert said(text, "described.wraps", name="lamp-hist.yml") == ["lamp-hist WRAPS Tarn::Histogram"]
    assert said(text.replace("bindings for", "not"), "described.wraps", name="lamp-hist.yml") == []


@tagged
@pytest.mark.parametrize(
    "text",
    [
        "# Style guide\n\nAcme uses Docker. Kubernetes runs on Linux.\n",
        "# {{ team }} handbook\n\nThe {{ team }} handbook uses Docker.\n",
        "# How we write\n\nUse inclusive language.\n",
    ],
)
def test_examples_and_placeholders_state_nothing(text: str) -> None:
    assert said(text, "open.", "clause.", "guide.") == []


@pytest.mark.parametrize(
    ("title", "found"),
    [("Content style guide", True), ("Voice and tone", True), ("Guides", False), ("Lifestyle", False)],
)
def test_titles_of_texts_on_writing(title: str, found: bool) -> None:
    assert is_of_style(title) is found
