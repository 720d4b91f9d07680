"""Sentences, lists and notices that look as if they stated a fact; and beside each what does state one."""

# Sentences stand in the tables as they are written.
# ruff: noqa: E501

from __future__ import annotations

import pytest

from kgfs.extraction.facts.guides.contacts import is_in_banner
from kgfs.extraction.facts.guides.tools_used import tool_worked_in
from kgfs.extraction.facts.marks import CLOSE, OPEN
from kgfs.extraction.facts.sentences.report_sentences import report_subjects
from kgfs.extraction.facts.sentences.stated_ends import is_another
from kgfs.extraction.names import tagging
from kgfs.extraction.names.named import NameSpan
from kgfs.extraction.units import document_units
from tests.extraction.read_texts import parsed, read

pytestmark = pytest.mark.skipif(not tagging.has_tagger(), reason="sentences are parsed where spaCy is installed")


def said(*texts: str) -> set[str]:
    """The facts of the last text, given the names of all."""
    found = read(*texts)
    names = [entity.name for entity in found.entities]
    return {
        f"{names[fact.subject]} {fact.type} {fact.object_text if fact.object is None else names[fact.object]}"
        for fact in found.facts
    }


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Assyria, Babylon, Syria were all Semitic lands.", set()),
        ("Austria, Hungary, Poland and the rest of Russia took part.", set()),
        ("She lives in Reno, Nevada.", {"Reno LOCATED_IN Nevada"}),
        ("She lives in Hamilton, Ontario, Canada.", {"Hamilton LOCATED_IN Ontario", "Hamilton LOCATED_IN Canada", "Ontario LOCATED_IN Canada"}),
        ("The bitterest rival of Athens in Greece was a town of soldiers.", set()),
        ("The harbour of Athens in Greece is old.", {"Athens LOCATED_IN Greece"}),
    ],
)  # fmt: skip
def test_lists_and_relations_of_places(text: str, facts: set[str]) -> None:
    assert said(text) == facts


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Leon Marsh was born about 484 B.C. in the Ionian city of Oslo.", {"Leon Marsh BORN_IN Oslo"}),
        ("Leon Marsh was born in the town of Reno.", {"Leon Marsh BORN_IN Reno"}),
        ("Leon Marsh was a pupil of Ann Lee.", {"Ann Lee TAUGHT Leon Marsh"}),
        ("Leon Marsh, the pupil of Ann Lee, came home.", {"Ann Lee TAUGHT Leon Marsh"}),
        ("Leon Marsh was the tutor of Ann Lee.", {"Leon Marsh TAUGHT Ann Lee"}),
        ("Leon Marsh was never a pupil of Ann Lee.", set()),
        ("In 1048 Leon Marsh founded the city of Oslo.", {"Leon Marsh FOUNDED Oslo"}),
        ("Leon Marsh did not found the city of Oslo.", set()),
    ],
)
def test_lives(text: str, facts: set[str]) -> None:
    assert said(text) == facts


@pytest.mark.parametrize(
    ("heading", "lines"),
    [
        ("Step 3: Invite the Team", 0),
        ("Step 12", 0),
        ("Stepwise Lamps", 3),
    ],
)
def test_what_a_step_explains_it_does_not_have(heading: str, lines: int) -> None:
    fields = "- **Owner**: Full control\n- **Admin**: Lamp management\n- **Maintainer**: Basic access\n"
    text = f"# Lamps\n\n## {heading}\n\n{fields}"
    assert len([fact for fact in read(text).facts if fact.object is None]) == lines


@pytest.mark.parametrize(
    ("text", "place", "inside"),
    [
        ('<div class="beta-banner">\n <span>Write to a@b.org</span>\n</div>', "a@b", True),
        ('<div id="x" class="alert alert-info"><p>Write to a@b.org</p></div>', "a@b", True),
        ('<div class="banner">Lamps</div>\nWrite to a@b.org', "a@b", False),
        ('<div class="banner">Lamps</div>\n\nWrite to a@b.org', "a@b", False),
        ('<div class="content">Write to a@b.org</div>', "a@b", False),
        ("Write to a@b.org", "a@b", False),
    ],
)
def test_banners(text: str, place: str, inside: bool) -> None:
    assert is_in_banner(text, text.index(place)) is inside


def test_a_banner_says_nothing_of_its_page() -> None:
    banner = '<div class="beta-banner">\n  <span>To join, please contact ask@lamps.org.</span>\n</div>\n\n'
    own = "For questions, contact help@lamps.org.\n"
    front = "---\ntitle: How to light lamps\n---\n\n"
    assert said(f"{front}{banner}{own}") == {"How to light lamps HAS_CONTACT help@lamps.org"}


@pytest.mark.parametrize(
    ("text", "worked_in"),
    [
        ("We publish data on ", True),
        ("We've often talked about publishing data on ", False),
        ("We discussed publishing data on ", False),
        ("We discuss it on ", True),
    ],
)
def test_what_is_talked_about_is_not_done(text: str, worked_in: bool) -> None:
    assert tool_worked_in(f"{text}GitHub.", NameSpan(len(text), len(text) + 6, 0)) is worked_in


@pytest.mark.parametrize(
    ("text", "type_", "another"),
    [
        ("Lumen provides the `gem` command.", "Concept", True),
        ("Lumen provides the `gem` command.", "Command", False),
        ("Lumen provides the `gem` package.", "Concept", False),
        ("Lumen provides the gem command.", "Concept", False),
    ],
)
def test_a_command_is_not_what_is_called_so(text: str, type_: str, another: bool) -> None:
    (unit,) = document_units(parsed(text))
    start = unit.content.text.index("gem")
    assert is_another(unit, NameSpan(start, start + 3, 0), type_) is another


@pytest.mark.parametrize(("verb", "count"), [("announced", 1), ("approved", 0), ("signed", 0)])
def test_what_is_decided_is_not_reported(verb: str, count: int) -> None:
    text = f"The Acme Board {verb} the new codes for lamps in March."
    masked = text.replace("Acme Board", f"{OPEN}O0{CLOSE}")
    assert len(report_subjects(text, masked, ["Acme Board"])) == count
