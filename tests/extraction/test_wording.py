"""How a document writes a name beside it: a common noun, a path, a word written small in haste."""

from __future__ import annotations

import pytest

from kgfs.documents.formats.parsing import parse_document
from kgfs.extraction.names import tagging
from kgfs.extraction.names.capitals import type_cue
from kgfs.extraction.names.wording import Wording
from kgfs.extraction.units import document_units

needs_spacy = pytest.mark.skipif(not tagging.has_tagger(), reason="the extra `offline` is not installed")


def wording(text: str) -> Wording:
    return Wording(document_units(parse_document(text.encode(), "a.md")))


@needs_spacy
@pytest.mark.parametrize(
    ("text", "name", "times", "common"),
    [
        ("The Property was sold; every property has a price.", "Property", 1, True),
        ("We run Zorbium here, and zorbium runs us.", "Zorbium", 1, False),
        ("A zorbium is a part. Each zorbium has one.", "Zorbium", 1, True),
        ("See property/list and #property and ann@property.org.", "Property", 1, False),
        ("The Harbour Board met. A harbour board is elected.", "Harbour Board", 1, True),
    ],
)
def test_a_name_that_is_also_written_small(text: str, name: str, times: int, common: bool) -> None:
    tagging.tag_sentences(["It is so."])  # the dictionary comes with the tagger
    assert wording(text).common(name, times) is common


@pytest.mark.parametrize(
    ("name", "type_"),
    [
        ("SIG Storage", "Organization"),
        ("Accessibility WG", "Organization"),
        ("DjangoCon", "Event"),
        ("RustConf Asia", "Event"),
        ("Falcon", None),
        ("Silicon", None),
    ],
)
def test_what_the_words_of_a_name_show(name: str, type_: str | None) -> None:
    assert (type_cue(name) or (None,))[0] == type_
