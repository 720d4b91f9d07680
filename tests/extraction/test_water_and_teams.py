"""Places on rivers lie in none; what a team has is no part of it; labels that are names make no types of facts."""

# Sentences stand in the tables as they are written.
# ruff: noqa: E501

from __future__ import annotations

import pytest

from kgfs.documents.formats.parsing import parse_document
from kgfs.extraction.extractor import extract
from kgfs.extraction.facts.sentences.statement_checks import lies_in_water
from kgfs.extraction.names import tagging

needs_tagger = pytest.mark.skipif(not tagging.has_tagger(), reason="places are told where spaCy is installed")


def stated(text: str, path: str = "a.md") -> set[str]:
    """The facts of a text."""
    extraction = extract(parse_document(text.encode(), path))
    names = [entity.name for entity in extraction.entities]
    return {
        f"{names[fact.subject]} {fact.type} {fact.object_text if fact.object is None else names[fact.object]}"
        for fact in extraction.facts
    }


@needs_tagger
def test_a_village_lies_on_a_river() -> None:
    found = stated("# Oakmere\n\nOakmere is a village. It lies on the River Ludd.")
    assert "Oakmere LIES_ON River Ludd" in found
    assert "Oakmere LOCATED_IN River Ludd" not in found


@needs_tagger
def test_who_lies_on_a_river_is_the_town() -> None:
    found = stated("# Orm\n\nOrm is a city in the Tarn Territory, on the Mississippi River.")
    assert "Tarn Territory LIES_ON Mississippi River" not in found
    assert "Orm LOCATED_IN Tarn Territory" in found


@needs_tagger
def test_a_river_beside_a_town_is_no_part_of_its_state() -> None:
    text = "In 1837, the court met in Burlington, just north of the Skunk River on the Mississippi, which became part of the Iowa Territory in 1838."
    assert not [fact for fact in stated(text) if fact.startswith("Mississippi")]


@pytest.mark.parametrize(
    ("name", "place", "before", "wet"),
    [
        ("Orm", "River Ludd", "Orm lies on the ", True),
        ("Orm", "Mississippi", "Orm is a city on the ", True),
        ("Orm", "Lake Tarn", "Orm is a village on ", True),
        ("Orm", "Ludd River", "Orm lies in the ", True),
        ("Orm", "Fall River", "Orm is a school in ", False),
        ("Orm", "Lake District", "Orm is a village on the edge of ", False),
        ("Orm", "Isle of Tarn", "Orm is a village on the ", False),
        ("Orm Island", "Ludd River", "Orm Island lies in the ", False),
    ],
)
def test_lies_in_water(name: str, place: str, before: str, wet: bool) -> None:
    assert lies_in_water(name, place, before) is wet


def test_team_of_a_thing_owns_it() -> None:
    found = stated(
        "# Services\n\n| Service | Team |\n|---|---|\n| Widget Store | Storage Team |\n| Lamp Store | Light Team |\n"
    )
    assert {"Storage Team OWNS Widget Store", "Light Team OWNS Lamp Store"} <= found
    assert not [fact for fact in found if "PART_OF" in fact]


def test_team_of_somebody_has_a_member() -> None:
    found = stated("# People\n\n| Name | Team |\n|---|---|\n| Ann Lee | Storage Team |\n| Bob Lark | Light Team |\n")
    assert {"Ann Lee MEMBER_OF Storage Team", "Bob Lark MEMBER_OF Light Team"} <= found


@pytest.mark.parametrize(
    "label", ["New York City", "Washington, D.C.", "Washington, DC", "Washington D.C", "Chicago", "Office Guide"]
)
def test_a_label_that_is_a_name_makes_no_type(label: str) -> None:
    value = label if "Guide" in label else "orm@acme.org"
    text = f'name,type,"{label}",Status\nAcme,Organization,"{value}",open\nLumen,Organization,"{value}",closed\n'
    found = stated(text, "a.csv")
    assert {"Acme STATUS open", "Lumen STATUS closed"} <= found
    assert not [
        fact for fact in found if "NEW_YORK" in fact or "WASHINGTON" in fact or "CHICAGO" in fact or "GUIDE" in fact
    ]
