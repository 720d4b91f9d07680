"""What phrases say of names in code, and names that only their markup shows."""

from __future__ import annotations

import pytest

from kgfs.documents.markup import plain_sentence
from kgfs.extraction.facts.sentences.stated_ends import stated_ends
from kgfs.extraction.names import tagging
from kgfs.extraction.units import Unit
from kgfs.model import Chunk
from tests.extraction.read_texts import parsed, read

tagged = pytest.mark.skipif(not tagging.has_tagger(), reason="sentences are read where spaCy is installed")


def facts(text: str) -> list[str]:
    """The facts between two names that a page states."""
    found = read(f"# How lamps are lit\n\n{text}\n")
    names = [entity.name for entity in found.entities]
    return [f"{names[one.subject]} {one.type} {names[one.object]}" for one in found.facts if one.object is not None]


@tagged
@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("You set the `wick-color` attribute of the `lampStand` element first.", ["wick-color PART_OF lampStand"]),
        ("The `--dim` flag of the `lamp light` command makes it dark.", ["lamp light HAS_OPTION --dim"]),
        ("Run the `lamp light` command with the `--dim` flag at night.", ["lamp light HAS_OPTION --dim"]),
        ("The `lamp light` command accepts the `--dim` flag since then.", ["lamp light HAS_OPTION --dim"]),
        ("Put the `lampStand` element in your `house.xml` file before that.", ["lampStand CONFIGURED_IN house.xml"]),
        ("Add the `lampStand` element to your `house.xml` file before that.", ["lampStand CONFIGURED_IN house.xml"]),
        (
            "Set the `wick-size`, `wickLength`, and `wick-color` attributes of the `lampStand` element first.",
            ["wick-color PART_OF lampStand", "wickLength PART_OF lampStand", "wick-size PART_OF lampStand"],
        ),
        ("It calls the `lightLamp` function in `lamp.dll` then.", ["lightLamp PART_OF lamp.dll"]),
        # gone, not a part, nothing known of both, values, examples
        ("It lights them with the `--dim` option on `house.nix` at night.", []),
        ("Remove support for the `--dim` flag of the `lamp light` command.", []),
        ("The `--dim` flag of the `lamp light` command was silently removed.", []),
        ("You get the `wick-color` attribute without the `lampStand` element.", []),
        ("The `wick-color` of `lamp-stand` is red.", []),
        ("The `true` value of the `lampStand` element is old.", []),
        ("The `color` attribute of the `myLamp` element is old.", []),
    ],
)
def test_parts_in_code(text: str, stated: list[str]) -> None:
    assert facts(text) == stated


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("It has `--dim` and `--path=PATH`.", [("--dim", "Setting"), ("--path", "Setting")]),
        ("The `wick-color` attribute is in `house.xml`.", [("wick-color", "Property"), ("house.xml", "File")]),
        ("The `color` attribute is `true` or `3`.", []),
        (
            "It uses the [Generic lamp algorithm (GLA)](https://lamps.net/x).",
            [("Generic lamp algorithm (GLA)", "Concept")],
        ),
        ("It uses [lamps](a.md), see [How to use Lumen](b.md).", []),
    ],
)
def test_names_by_their_markup(text: str, ends: list[tuple[str, str]]) -> None:
    chunk = Chunk(ordinal=1, text=text, start=0, first_line=1, last_line=1, headings=[], tokens=0)
    unit = Unit("sentence", chunk, 0, len(text), plain_sentence(text), (), 0)
    assert [(one.name, one.type) for one in stated_ends(unit, [])] == ends


@tagged
@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("Give it a `wick-color` of `dark-red` at night.", []),
        ("Set the `wick-color` attribute of the `lampStand` element at night.", ["wick-color PART_OF lampStand"]),
    ],
)
def test_a_value_is_no_owner(text: str, stated: list[str]) -> None:
    assert facts(text) == stated


def test_roles_that_lead_to_a_place_show_no_code() -> None:
    text = "Lamps\n=====\n\nSee :ref:`ug_lamps_on` and :doc:`lamp_docs`. Use :func:`light_lamp` or ``lamp_level``.\n"
    assert {term.name for term in parsed(text, "lamps.rst").terms} == {"light_lamp", "lamp_level"}
