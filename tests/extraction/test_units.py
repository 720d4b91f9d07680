"""What of a document is read as sentences."""

from __future__ import annotations

from kgfs.extraction.units import document_units
from tests.extraction.read_texts import parsed, read

BOOK = """The Project Gutenberg EBook of A Walk in Reno, by Ann Lee

This eBook is for the use of anyone anywhere. Literary Archive Foundation gives it away.

Title: A Walk in Reno

Author: Ann Lee

*** START OF THIS PROJECT GUTENBERG EBOOK A WALK IN RENO ***

Paul Harrow was born in Reno. Paul Harrow wrote to Mary Seward.

*** {end} OF THIS PROJECT GUTENBERG EBOOK A WALK IN RENO ***

Michael Hart is the originator of the electronic work concept. Michael Hart lives in Oxford, Mississippi.
"""


def test_a_book_is_read_without_the_terms_of_its_publisher() -> None:
    units = document_units(parsed(BOOK.format(end="END"), "book.txt"))
    sentences = [unit.quote for unit in units if unit.kind == "sentence"]
    assert sentences[-1] == "Paul Harrow wrote to Mary Seward."
    assert "Author: Ann Lee" in "\n".join(unit.quote for unit in units if unit.kind != "foreign")
    assert "".join(unit.quote for unit in units if unit.kind == "foreign").count("Hart") == 2  # known names are found


def test_a_text_without_the_mark_is_read_to_its_end() -> None:
    quotes = [
        unit.quote for unit in document_units(parsed(BOOK.format(end="FINISH"), "book.txt")) if unit.kind != "code"
    ]
    assert "Michael Hart lives in Oxford, Mississippi." in quotes


def test_the_publisher_is_no_entity_of_the_book() -> None:
    names = {entity.name for entity in read(BOOK.format(end="END")).entities}
    assert "Paul Harrow" in names and "Michael Hart" not in names
