"""Terms: what glossaries, definition lists and headings with definitions define."""

# Texts stand here as they are written.
# ruff: noqa: E501

from __future__ import annotations

import pytest

from kgfs.documents.formats.parsing import document_blocks, parse_document


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
