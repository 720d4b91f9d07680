"""What the structure of pages says: sections, lists with a heading or a sentence before them, tables, links, instructions."""

# Sentences stand in the tables as they are written.
# ruff: noqa: E501

from __future__ import annotations

import pytest

from kgfs.documents.formats.parsing import parse_document
from kgfs.extraction.extractor import extract_by_rule
from kgfs.extraction.facts.marks import CLOSE, OPEN
from kgfs.extraction.facts.sentences.belonging import belongings
from kgfs.extraction.links import references, sentence_links, target_name
from kgfs.extraction.names import tagging
from kgfs.extraction.names.declared.gazetteer import make_gazetteer
from kgfs.model import EntityCandidate

pytestmark = pytest.mark.skipif(not tagging.has_tagger(), reason="pages are read where spaCy is installed")

KNOWN = {
    "Tallybook": "Product", "Quillbox": "Product", "Rostra": "Product", "Harbor Bureau": "Organization", "Ledger Office": "Organization",
    "Records Act": "Law", "Field Leave": "Concept", "Frame Element": "Concept", "Row Element": "Concept", "Cell Element": "Concept",
    "Ada Brandt": "Person",
}  # fmt: skip


def stated(text: str, *, title: str = "Field Leave", type_: str = "Concept") -> set[str]:
    """The facts between two entities of a page, as ``subject TYPE object``; each has its quote from its chunk."""
    document = parse_document(f"---\ntype: {type_}\ntitle: {title}\n---\n\n{text}\n".encode(), "page.md")
    known = [
        [EntityCandidate(name=name, type=kind, confidence=1.0, declared=True, pages=[name.casefold()])]
        for name, kind in KNOWN.items()
    ]
    extraction, rules = extract_by_rule(document, make_gazetteer(known))
    found = set()
    for fact, rule in zip(extraction.facts, rules, strict=True):
        chunk = document.chunks[fact.chunk - 1].text.encode()
        assert chunk[fact.start : fact.end].decode() == fact.quote
        if fact.object is not None and rule.partition(".")[0] in (
            "structure",
            "page",
            "belonging",
            "clause",
            "open",
            "records",
        ):
            names = [extraction.entities[end].name for end in (fact.subject, fact.object)]
            found.add(f"{names[0]} {fact.type} {names[1]}")
    return found


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        # sections
        ("Intro.\n\n## Tallybook\n\nHours are kept here.", {"Field Leave COVERS Tallybook"}),
        ("Intro.\n\n## What is Tallybook?\n\nHours are kept here.", {"Field Leave COVERS Tallybook"}),
        ("Intro.\n\n## Recording hours with care: Tallybook\n\nHours are kept here.", {"Field Leave COVERS Tallybook"}),
        ("Intro.\n\n## Cycle 1\n\nHours are kept here. Cycle 1 is a round of the Harbor Bureau.", set()),
        ("Intro.\n\n## Tallybook training\n\nHours are kept here.", set()),
        ("Intro.\n\n## Examples in Tallybook\n\nHours are kept here.", set()),
        ("Intro.\n\n## Harbor Bureau\n\nIts people come first.", set()),  # a page does not explain who somebody is
        # lists beneath a heading or behind a sentence
        ("Intro.\n\n## Requirements\n\n- Tallybook\n- Rostra, in its latest version\n- a pen", {"Field Leave REQUIRES Tallybook", "Field Leave REQUIRES Rostra"}),
        ("Intro.\n\n## Quillbox\n\n### Prerequisites\n\n* Rostra", {"Field Leave COVERS Quillbox", "Quillbox REQUIRES Rostra"}),
        ("Quillbox supports the following systems:\n\n- Rostra\n- Tallybook\n\nNothing else.\n\n- Harbor Bureau", {"Quillbox SUPPORTS Rostra", "Quillbox SUPPORTS Tallybook"}),
        ("The Harbor Bureau uses two tools:\n\n1. **Rostra** - for lists\n2. **Tallybook** - for hours", {"Harbor Bureau USES Rostra", "Harbor Bureau USES Tallybook"}),
        ("If needed, Quillbox does not support these systems:\n\n- Rostra", set()),
        ("Quillbox, being a box, makes use of the following systems:\n\n- Rostra\n- Tallybook", {"Quillbox USES Rostra", "Quillbox USES Tallybook"}),
        ("Quillbox supports one of the following:\n\n- Rostra", set()),
        ("Required modules:\n\n- Rostra", {"Field Leave REQUIRES Rostra"}),
        ("Intro.\n\n## Requirements\n\nA pen.\n\n### Rostra\n\nAdd these lines.", set()),
        ("Intro.\n\n## Requirements\n\n- Rostra users must sign", set()),
        # items that say something
        ("Intro.\n\n| App | Where |\n|--|--|\n| Quillbox | https://www.quill-box.example.org/lists/of/all/jobs |", set()),
        ("Intro.\n\n- **Quillbox** – a box in which each letter is kept until somebody reads it", {"Field Leave COVERS Quillbox"}),
        ("Intro.\n\n- **Quillbox** – vacant", set()),
    ],
)  # fmt: skip
def test_sections_and_lists(text: str, facts: set[str]) -> None:
    assert stated(text) == facts


def test_tables_beneath_headings() -> None:
    text = (
        "Defines a row.\n\n## Attributes and Elements\n\n### Child Elements\n\n|Element|Description|\n|---|---|\n"
        "|[Cell Element](./cell.md)|A cell.|\n\n### Parent Elements\n\n|Element|Description|\n|---|---|\n|Frame Element|A frame.|\n"
    )
    assert stated(text, title="Row Element") == {
        "Row Element INCLUDES Cell Element",
        "Row Element PART_OF Frame Element",
    }


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("For questions, contact the Ledger Office.", set()),
        ("Record the hours in Tallybook; all forms are subject to the Records Act.", set()),
        ("This page describes how to use Quillbox.", set()),
        ("For more, see the [letters](/tools/quillbox/) page.", {"Field Leave SEE_ALSO Quillbox"}),
        ("Hours went up in [spring](/tools/quillbox/).", set()),
        ("- [Boxes](../quillbox.md)\n- [News](https://example.org/quillbox)", {"Field Leave SEE_ALSO Quillbox"}),
        ("Request Quillbox via Rostra.", {"Quillbox REQUESTED_VIA Rostra"}),
        ("Quillbox must be approved by the Ledger Office.", {"Ledger Office APPROVED Quillbox"}),
        ("Quillbox should be approved by the Ledger Office.", set()),
        ("Quillbox is no longer included in Rostra.", set()),
        ("Harbor Bureau employees use Quillbox.", {"Harbor Bureau USES Quillbox"}),
        ("Some Harbor Bureau employees use Quillbox.", set()),
        ("At Harbor Bureau, we use Quillbox.", {"Harbor Bureau USES Quillbox"}),
        ("Quillbox is a tool that Harbor Bureau uses.", {"Harbor Bureau USES Quillbox"}),
        ("Quillbox is available through Rostra.", {"Quillbox AVAILABLE_IN Rostra"}),
        ("The Ledger Office is an office within Harbor Bureau.", {"Ledger Office PART_OF Harbor Bureau"}),
        ("Write to Harbor Bureau's Ledger Office.", {"Ledger Office PART_OF Harbor Bureau"}),
        ("Quillbox is an internal Harbor Bureau tool.", {"Harbor Bureau HAS Quillbox"}),
    ],
)  # fmt: skip
def test_sentences_of_a_page(text: str, facts: set[str]) -> None:
    assert stated(text) == facts


def test_front_matter_of_plain_words() -> None:
    """A list of words in front matter names no entities; a name as it is written, or a link, does."""
    matter = "questions:\n  - tallybook\nkeywords: [Quillbox]\nowner_tool: Rostra"
    document = parse_document(f"---\ntype: Concept\ntitle: Field Leave\n{matter}\n---\n\nText.\n".encode(), "page.md")
    known = [
        [EntityCandidate(name=name, type=kind, confidence=1.0, declared=True, pages=[name.casefold()])]
        for name, kind in KNOWN.items()
    ]
    extraction, _ = extract_by_rule(document, make_gazetteer(known))
    found = {(one.type, extraction.entities[one.object].name) for one in extraction.facts if one.object is not None}
    assert found == {("OWNER_TOOL", "Rostra")}


def test_what_is_owned() -> None:
    """What is no organization has an owner, not a parent."""
    document = parse_document(b"Quillbox is owned by Harbor Bureau.", "page.md")
    known = [
        [EntityCandidate(name=name, type=kind, confidence=1.0, declared=True, pages=[name.casefold()])]
        for name, kind in KNOWN.items()
    ]
    extraction, _ = extract_by_rule(document, make_gazetteer(known))
    assert [(one.type, extraction.entities[one.subject].name) for one in extraction.facts] == [
        ("OWNS", "Harbor Bureau")
    ]


@pytest.mark.parametrize(
    ("marked", "found"),
    [
        ("⟨O0⟩'s ⟨O1⟩ is new.", ["1 PART_OF 0"]), ("the ⟨O0⟩ ⟨O1⟩ will call", ["1 PART_OF 0"]), ("the ⟨O0⟩ ⟨O1⟩ form", []),
        ("the ⟨O1⟩ at the ⟨O0⟩.", ["1 PART_OF 0"]), ("the ⟨P1⟩ at ⟨O0⟩", []), ("⟨O0⟩'s ⟨X2⟩, too", ["0 HAS 2"]), ("⟨O0⟩'s ⟨X2⟩ training", []),
        ("⟨L0⟩'s ⟨X2⟩", []),
    ],
)  # fmt: skip
def test_belongings(marked: str, found: list[str]) -> None:
    marked = marked.replace("⟨", OPEN).replace("⟩", CLOSE)
    names = ["Harbor Bureau", "Ledger Office", "brand guide"]
    assert [f"{one.subject} {one.type} {one.object}" for one in belongings(marked, names)] == found


def test_links_of_a_sentence() -> None:
    known = references("[01]: ./paid-leave.md\n")
    quote = 'See [A](a/sick-leave.html#x), [B][01], [C]({% page "/time-off/" %}), [[Quiet Hours|D]], [E](https://e.org) and [F](#f).'
    assert [(label, target_name(target)) for label, target in sentence_links(quote, known)] == [
        ("A", "sick leave"), ("C", "time off"), ("B", "paid leave"), ("D", "quiet hours"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("## Subprojects\n\n### lamp-resizer\n\nIt is small.\n", {"Harbor Bureau INCLUDES lamp-resizer"}),
        ("## Notes\n\n### lamp-resizer\n\nIt is small.\n", set()),
        (
            "## Teams\n\nThe following teams are sponsored by the bureau:\n\n- Ledger Office\n",
            {"Harbor Bureau SPONSORS Ledger Office"},
        ),
    ],
)
def test_parts_and_what_is_sponsored(text: str, facts: set[str]) -> None:
    assert stated(text, title="Harbor Bureau", type_="Organization") == facts
