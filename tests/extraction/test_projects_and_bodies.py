"""What tables and sentences say of projects and bodies: who maintains them, what implements what."""

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


def _mark(text: str) -> str:
    """Text with its one name, between bars, as a mark."""
    before, _, behind = text.split("|")
    return f"{before}{OPEN}0{CLOSE}{behind}"


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("Implements the |Tarn| protocol", "IMPLEMENTS"),
        ("A web server for |Tarn| clusters", "MADE_FOR"),
        ("A parser that has nothing to do with |Tarn|", ""),
        ("Does not implement |Tarn|", ""),
    ],
)
def test_what_packages_implement(text: str, type_: str) -> None:
    assert [one.type for one in described(_mark(text))] == ([type_] if type_ else [])


@tagged
def test_rows_that_describe() -> None:
    table = "## Packages\n\n| Package | Description | Notes |\n|---|---|---|\n| [lumen-pg](https://x.org/pg) | Client for PostgreSQL | new |\n| [lumen-web](https://x.org/web) | A fork of Django | old |\n"
    assert said(HEAD + table, "described.tool_for", "described.based_on") == [
        "lumen-pg MADE_FOR PostgreSQL",
        "lumen-web BASED_ON Django",
    ]


@tagged
def test_lines_of_yaml_that_describe() -> None:
    text = "name: lamp-hist\ndescription: Python library for lamps.\nurl: https://x.org/lamp\n"
    assert said(text, "described.", name="lamp-hist.yml") == ["lamp-hist MADE_FOR Python"]
    assert said(text.replace("library for", "not"), "described.", name="lamp-hist.yml") == []


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
