"""Terms: what glossaries, definition lists and headings with definitions define."""

# Texts stand here as they are written.
# ruff: noqa: E501

from __future__ import annotations

import pytest

from kgfs.documents.formats.parsing import document_blocks, parse_document
from kgfs.extraction.extractor import extract
from kgfs.extraction.names.declared.gazetteer import make_gazetteer, stated_names


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("# A\n\nApple\n: A fruit. It is red.\n\nPear\n: Another\n  one.\n", "a.md", {"Apple": "A fruit. It is red.", "Pear": "Another one."}),
        ("# A\n\nApple\n\n:   A fruit.\n", "a.md", {"Apple": "A fruit."}),
        ("# A\n\nApple\nPomme\n: A fruit.\n", "a.md", {"Apple": "A fruit.", "Pomme": "A fruit."}),
        ("<dl><dt>Apple<dd>A fruit.<dt>Pear<dd><p>Another.</p><p>More.</p></dl>", "a.html", {"Apple": "A fruit.", "Pear": "Another."}),
        ("# Glossary\n\n- **Ledger**: a book\n- **PEP** – a proposal\n- Quorum: enough of them\n- no term here\n", "a.md",
         {"Ledger": "a book", "PEP": "a proposal", "Quorum": "enough of them"}),
        ("# A\n\n## Terms and definitions\n\n### Ledger\n\nA ledger is a book.\n\n### A\n\nNothing is here at all.\n\n## Next\n\n### Other\n\nIt is a thing.\n", "a.md",
         {"Ledger": "A ledger is a book."}),
        ("# Glossary of things\n\n**Ledger** is a book of accounts.\n\n**Note** well.\n", "a.md", {"Ledger": "is a book of accounts."}),
        ("# Abkürzungen\n\n| Abkürzung | Bedeutung |\n|--|--|\n| EU | Europäische Union |\n", "a.md", {"EU": "Europäische Union"}),
        ("# A\n\n| Term | Definition |\n|--|--|\n| Ledger | A book |\n", "a.md", {"Ledger": "A book"}),
        # none of these defines anything
        ("# A\n\n- **Ledger**: a book\n- **Other**: a thing\n", "a.md", {}),
        ("# A\n\n| Name | Description |\n|--|--|\n| x | A book |\n", "a.md", {}),
        ("# Definition of done\n\n- it works: always\n", "a.md", {}),
        ("# A\n\nA long story that ends\n: here it is not, as the line before is far too long to be a term of anything, "
         "is it not so, dear reader, who has come this far down the line?\nNo.\n", "a.md", {"A long story that ends": None}),
    ],
)  # fmt: skip
def test_terms(text: str, name: str, expected: dict[str, str | None]) -> None:
    found = {term.name: term.definition for term in parse_document(text.encode(), name).terms if not term.kind}
    assert found.keys() == expected.keys()
    assert all(wanted is None or found[term] == wanted for term, wanted in expected.items())


def test_a_definition_list_is_read_as_terms_and_sentences() -> None:
    document = parse_document(b"# A\n\nApple\n: A fruit. It is red.\n\nOwner: Ann Poe\nStatus: live\n", "a.md")
    kinds = [
        (leaf.kind, (document.text or "")[leaf.start : leaf.end].strip())
        for block in document_blocks(document)
        for leaf in block.leaves
    ]
    assert kinds == [
        ("heading", "# A"), ("row", "Apple"), ("text", "A fruit. It is red."),
        ("row", "Owner: Ann Poe"), ("row", "Status: live"),
    ]  # fmt: skip


ENTRIES = "## Ballast note\n\nA ballast note is a note that a builder leaves.\n\n- **Spill gate**: Stops the water.\n"


@pytest.mark.parametrize("title", "Glossary Terms Definitions Vocabulary Terminology Abbreviations Acronyms".split())
def test_a_page_of_terms_defines_them_whatever_it_is_called(title: str) -> None:
    document = parse_document(f"# {title}\n\n{ENTRIES}".encode(), "terms.md")
    assert [term.name for term in document.terms if not term.kind] == ["Ballast note", "Spill gate"]
    found = extract(document, make_gazetteer([stated_names(document)]))
    assert {entity.name for entity in found.entities} == {"Ballast note", "Spill gate"} and not found.facts


@pytest.mark.parametrize("text", [f"# Terms of service\n\n{ENTRIES}", f"# Lease\n\n## Terms\n\n{ENTRIES[-37:]}"])
def test_what_was_agreed_defines_no_terms(text: str) -> None:
    assert not [term for term in parse_document(text.encode(), "lease.md").terms if not term.kind]
