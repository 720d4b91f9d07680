"""Who works with whom, who speaks for whom, and whom minutes mean by a given name."""

# Sentences stand here as they are written.
# ruff: noqa: E501

from __future__ import annotations

import pytest

from kgfs.documents.formats.parsing import parse_document
from kgfs.documents.suggestions.attendance_names import attendance_names
from kgfs.extraction.extractor import extract_by_rule
from kgfs.extraction.facts.meeting_notes.short_names import ShortNames
from kgfs.extraction.names import tagging
from kgfs.extraction.names.declared.gazetteer import make_gazetteer, stated_names

tagged = pytest.mark.skipif(not tagging.has_tagger(), reason="sentences are read where spaCy is installed")


def stated(*texts: str, types: str = "") -> set[str]:
    """The facts between two entities of the last of some documents of one folder, of these types or of any."""
    documents = [parse_document(text.encode(), f"d{place}.md") for place, text in enumerate(texts)]
    found, _ = extract_by_rule(documents[-1], make_gazetteer([stated_names(one) for one in documents]))
    name = [entity.name for entity in found.entities]
    return {
        f"{name[fact.subject]} {fact.type} {name[fact.object]}"
        for fact in found.facts
        if fact.object is not None and (not types or fact.type in types.split())
    }


@tagged
@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("The Lamp Foundation is working with the Department of Labor to mend lamps.",
         {"Lamp Foundation WORKS_WITH Department of Labor"}),
        ("The Lamp Foundation began collaborating with the Department of Labor in May.",
         {"Lamp Foundation PARTNERED_WITH Department of Labor"}),
        ("If the Lamp Foundation and the Forest Service worked together, all would win.", set()),
        ("The Lamp Foundation has not been working with the Forest Service.", set()),
        ("Anna Lind, chair of the Wick Committee, opened the meeting.", {"Anna Lind LEADS Wick Committee"}),
        ("Anna Lind, treasurer of the Wick Committee, opened the meeting.", {"Anna Lind MEMBER_OF Wick Committee"}),
        ("Anna Lind, an analyst at the Forest Service, opened the meeting.", {"Anna Lind WORKS_FOR Forest Service"}),
        ("We heard two talks: Anna Lind from the Forest Service and Robert Ray from the Lamp Foundation.",
         {"Anna Lind WORKS_FOR Forest Service", "Robert Ray WORKS_FOR Lamp Foundation"}),
        ("— Robert Ray, Lamp Foundation", {"Robert Ray WORKS_FOR Lamp Foundation"}),
        ("The Department of Light recently released LampKit, a tool for sailors.", {"Department of Light RELEASED LampKit"}),
    ],
)  # fmt: skip
def test_what_bodies_and_their_people_do(text: str, facts: set[str]) -> None:
    assert stated(text) == facts


SPEAKER = "# Why lamps\n\nAt 21W, we mend lamps. At 21W, our lamps are lit. 21W employees rest, and we at 21W sleep.\n"
"""A page of those who are called by a number and a letter, which no tagger takes for a name."""


@tagged
def test_we_may_be_called_by_a_number_and_a_letter() -> None:
    text = (
        "# How we mend\n\nAt 21W, we love lamps. We've been working with the Forest Service on lamps. Our designer, Maria "
        "Lane, drew lamps. Our product owner, Anna Lind, saw them.\n"
    )
    assert stated(SPEAKER, text) == {"21W WORKS_WITH Forest Service", "Maria Lane WORKS_FOR 21W"}


@tagged
def test_a_post_has_its_writers_and_no_contact_of_its_own() -> None:
    post = "---\ntitle: How we mend lamps\ndate: 2020-01-02\nauthors:\n- anna-lind\n- lamp-team\n---\n\n"
    asked = "Lamps are mended at sea. If you have questions, email us at ask@lamps.example.org or at lamps@tarn.gov.\n"
    wrote = "Anna Lind WROTE How we mend lamps"
    assert stated(f"{post}Lamps are mended at sea. Email lamps@tarn.gov with questions.\n") == {wrote}
    assert stated(SPEAKER, f"{post}{asked.replace('ask@lamps.example.org or at ', '')}") == {
        wrote,
        "21W HAS_CONTACT lamps@tarn.gov",
    }


MET = "# Lamp meeting 2024-05-06\n\n## Attendance\n\n"


def test_names_on_lists_of_attendance() -> None:
    text = f"{MET}- Members: Ann Lee, Bob, Rita Ray (Acme)\n- Minutes: Max Fox\n"
    assert [term.name for term in attendance_names("Lamp meeting", text)] == ["Ann Lee", "Rita Ray", "Max Fox"]
    assert attendance_names("Lamps", "Members: Ann Lee, Rita Ray\n") == []


def test_short_names_are_written_out_where_one_person_has_them() -> None:
    short = ShortNames(
        "Meeting", "# Meeting\n\n- Minutes: Josh Reed\n", ["Ann Lee", "Bob Ray", "Bob Tree", "Tomáš Beck"]
    )
    assert short.written_out(" Ann, Bob, Tomas (late) and josh") == " Ann Lee, Bob, Tomáš Beck (late) and Josh Reed"
    assert short.written_out(" Bob R., alee") == " Bob Ray, Ann Lee"
    assert short.written_out(" Ann Lee, Ann") == " Ann Lee, Ann"


@tagged
def test_given_names_in_minutes() -> None:
    other = "# Lamp meeting 2024-04-01\n\n## Attendance\n\n- Members: Ann Lee, Rita Ray\n- Guests: Robert Ames\n"
    text = f"{MET}- Members: Ann, Bob, Rita\n- Regrets: Zoe\n- Guests: Robert\n- Chair: Rita, Notes: Ann\n"
    held = "Lamp meeting 2024-05-06"
    assert stated(other, text) == {
        f"Ann Lee PARTICIPATED_IN {held}", f"Rita Ray PARTICIPATED_IN {held}", f"Robert Ames PARTICIPATED_IN {held}",
        f"Rita Ray LEADS {held}",
    }  # fmt: skip
