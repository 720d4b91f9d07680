"""Ordinary words in small letters that are names, too: where a text means the name."""

from __future__ import annotations

import pytest

from kgfs.documents.formats.parsing import parse_document
from kgfs.extraction.extractor import extract
from kgfs.extraction.names.declared.gazetteer import make_gazetteer, stated_names
from kgfs.extraction.names.tagging import has_tagger
from kgfs.extraction.names.wordlists.small_words import is_small_word
from kgfs.model import ParsedDocument

pytestmark = pytest.mark.skipif(not has_tagger(), reason="needs a model of spaCy")

PAGE = "---\ntitle: filter (Lampfile directive)\n---\n\nKeeps oil clean.\n"


def parsed(text: str, name: str) -> ParsedDocument:
    document = parse_document(text.encode(), name)
    document.path = name
    return document


def mentions(text: str, tmp: str = "b.md") -> int:
    documents = [parsed(PAGE, "a.md"), parsed(text, tmp)]
    found = extract(documents[1], make_gazetteer([stated_names(document) for document in documents]))
    names = [entity.name for entity in found.entities]
    return sum(one.count for one in found.mentions if names[one.entity] == "filter (Lampfile directive)")


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Each filter of the lamp is short, and one filter is long.", 0),
        ("Use `filter` here, not `filter 3` there.", 2),
        ("The filter directive cleans it.", 1),
        ("The directive filter cleans it.", 1),
        ("The directive called `filter` cleans it.", 1),
        ("See [filter](filter.md) and the [`filter`](filter.md) of lamps.", 2),
        ('It is called "filter" there.', 1),
        ("# Lamps\n\nWe keep oil.\n\n## filter\n\nIt cleans.", 1),
        ("# Every filter\n\nIt cleans.", 0),
        ("```\nlamp {\n    filter 3\n    long filter\n}\n```", 1),
        ("The filters are long, and a `subfilter` is not.", 0),
    ],
)
def test_where_an_ordinary_word_is_the_name(text: str, count: int) -> None:
    assert mentions(text) == count


@pytest.mark.parametrize(
    ("name", "type_", "small"),
    [
        ("section", "Command", True), ("section", "Concept", True), ("information", "Concept", False),
        ("information", "Command", False), ("Section", "Command", False), ("tarn_lamp", "Command", False),
        ("use", "Command", True), ("lampify", "Command", False), ("SECTION", "Command", False),
    ],
)  # fmt: skip
def test_what_is_an_ordinary_word(name: str, type_: str, small: bool) -> None:
    assert is_small_word(name, type_, tagged=False) == small
