"""Types that the words of a name show, whatever the statistical tagger says."""

from __future__ import annotations

from collections import Counter

import pytest

from kgfs.documents.formats.parsing import parse_document
from kgfs.extraction.extractor import extract
from kgfs.extraction.names import tagging
from kgfs.extraction.names.declared.gazetteer import make_gazetteer, stated_names
from kgfs.extraction.names.evidence import settle_votes
from kgfs.extraction.names.named import NameFindings
from kgfs.extraction.names.wording import Wording

pytestmark = pytest.mark.skipif(not tagging.has_tagger(), reason="the extra `offline` is not installed")


@pytest.mark.parametrize(
    ("name", "tagged", "type_"),
    [
        ("Head of People", "Organization", "Concept"),
        ("Head of Operations", "Person", "Concept"),
        ("Data Protection Officer", "Organization", "Concept"),
        ("Office of Personnel Management", "Organization", "Organization"),
        ("Industry Practices", "Organization", "Concept"),
        ("Google Drive", "Location", "Product"),
        ("Google Research", "Organization", "Organization"),
        ("Apple Park", "Location", "Location"),
        ("Miro", "Person", "Product"),
        ("GDPR", "Organization", "Law"),
        ("SLAs", "Organization", "Concept"),
        ("DevOps", "Organization", "Concept"),
        ("AI", "Organization", "Concept"),
        ("SHA-256", "Organization", "Technology"),
        ("GPLv3", "Organization", "License"),
        ("Lamp Collector", "Organization", "Product"),
        ("Release Checklist", "Organization", "Document"),
        ("Center for Lamp Safety", "Product", "Organization"),
        ("FBI", "Product", "Organization"),
        ("Wikipedia", "Location", "Product"),
    ],
)
def test_words_overrule_the_tagger(name: str, tagged: str, type_: str) -> None:
    named = NameFindings(name)
    named.count = 3
    named.tags = Counter({tagged: 3})
    settle_votes(named, Wording())
    assert named.best is not None and named.best[0] == type_


def test_somebody_in_a_post_is_a_person_where_the_text_says_so() -> None:
    named = NameFindings("Justin Leader")
    named.count = 3
    named.tags, named.clues = Counter(Person=3), Counter(Person=2)
    settle_votes(named, Wording())
    assert named.best is not None and named.best[0] == "Person"


def test_texts_say_what_the_subject_of_a_page_is_where_its_lead_does_not() -> None:
    text = (
        "# Brightlane\n\nMost people know the name from the street. Much has happened since.\n\n"
        "“We began small,” said Ann Lovell, a security engineer at Brightlane. Brightlane hired forty people in May.\n"
    )
    document = parse_document(text.encode(), "cases/brightlane.md")
    found = {one.name: one.type for one in extract(document, make_gazetteer([stated_names(document)])).entities}
    assert found["Brightlane"] == "Organization"


def test_a_body_leaves_its_first_word_to_what_it_is_for() -> None:
    text = (
        "The Zonk Foundation was founded in 2001. The Zonk Foundation hired Ann Lovell. Zonk is fast. "
        "Lampworks Networks was founded in 1999. Lampworks Networks hired Mira Holt. Lampworks is large.\n"
    )
    found = {one.name: one.aliases for one in extract(parse_document(text.encode(), "a.txt")).entities}
    assert "Zonk" not in found["Zonk Foundation"]
    assert "Lampworks" in found["Lampworks Networks"]


@pytest.mark.parametrize(
    ("title", "text", "type_"),
    [
        (
            "Genghis Khan",
            "His father had died. Börte married Genghis Khan at sixteen. In 1206, they elected Genghis Khan leader.",
            "Person",
        ),
        (
            "Geology",
            "Rocks are old. Students of geology know it, and Geology is taught here, and Geology is fun.",
            None,
        ),
        ("Icon legend", "Signs are small. You see the icon legend below, and the icon legend above.", None),
    ],
)
def test_a_text_that_says_nothing_of_its_title_shows_whether_it_is_a_name(
    title: str, text: str, type_: str | None
) -> None:
    document = parse_document(f"# {title}\n\n{text}\n".encode(), f"pages/{title}.md")
    found = {one.name: one.type for one in extract(document, make_gazetteer([stated_names(document)])).entities}
    assert found.get(title) == type_


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("# Ruby\n\n- Use two spaces.\n- Name things well.\n", "Product"),
        ("# Ruby\n\nRuby is a red gem of the mineral corundum.\n", "Concept"),
    ],
)
def test_a_page_with_the_name_of_software_is_of_it_unless_it_says_else(text: str, type_: str) -> None:
    document = parse_document(text.encode(), "ruby.md")
    found = extract(document, make_gazetteer([stated_names(document)]))
    assert {entity.name: entity.type for entity in found.entities}["Ruby"] == type_
