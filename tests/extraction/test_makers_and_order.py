"""Leads that name who made a work, what is short for what, who came before whom; and days of what somebody did."""

# Sentences stand in the tables as they are written.
# ruff: noqa: E501

from __future__ import annotations

import pytest

from kgfs.extraction.names import tagging
from tests.extraction.read_texts import read

pytestmark = pytest.mark.skipif(not tagging.has_tagger(), reason="leads are read where spaCy is installed")

FILM = "# Ferry One\n\n*Ferry One* is a 1982 British drama film"
DIRECTOR = "# Ines Calloway\n\nInes Calloway (born 1920) is a British film director. "


def stated(text: str) -> list[str]:
    """The facts of a text between two entities, with dates, in order of the alphabet."""
    extraction = read(text)
    names = [entity.name for entity in extraction.entities]
    return sorted(
        f"{names[fact.subject]} {fact.type} {names[fact.object]}{f' @{fact.date}' if fact.date else ''}"
        for fact in extraction.facts
        if fact.object is not None
    )


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (f"{FILM} directed by [[Ines Calloway]] and written by [[Ada Holm]].", ["Ines Calloway DIRECTED Ferry One", "Ada Holm WROTE Ferry One"]),
        (f"{FILM}. The music was composed by Hugo Lark.", ["Hugo Lark COMPOSED Ferry One"]),
        (f"{FILM}. The screenplay was written by Ann Lee.", ["Ann Lee WROTE Ferry One"]),
        (f"{DIRECTOR}He directed *Julius Caesar* (1950).", ["Ines Calloway DIRECTED Julius Caesar"]),
        (f"{DIRECTOR}She later wrote and directed *The Quay* (1950), *Orm at Sea* and *Wick*.",
         [f"Ines Calloway {verb} {title}" for verb in ("DIRECTED", "WROTE") for title in ("The Quay", "Orm at Sea", "Wick")]),
        ("# cosh\n\ncosh is an alias of Copper Shell.", ["cosh ALIAS_OF Copper Shell"]),
        ("# Get-Widget\n\n`gwi` is an alias of Get-Widget.", ["gwi ALIAS_OF Get-Widget"]),
        ("# Orm\n\nOrm was a king of Hafnia. Orm was preceded by Bob Lark.", ["Orm SUCCEEDED Bob Lark"]),
        ("# Orm\n\nOrm was a king of Hafnia. He was succeeded by Tarn Lee.", ["Tarn Lee SUCCEEDED Orm"]),
        ("# Orm\n\nOrm is a village. Orm is part of the Tarn Valley.", ["Orm PART_OF Tarn Valley"]),
        ("# Lamp Plan\n\nThe Lamp Plan is a plan. The plan was approved by Ann Lee on 3 May 2021.", ["Ann Lee APPROVED Lamp Plan @2021-05-03"]),
        ("# Lampd\n\nLampd is a daemon. Lampd replaced Wickd in 2019.", ["Lampd REPLACES Wickd @2019"]),
        ("# Lampd\n\nLampd is a daemon. In 2019, Lampd replaced Wickd.", ["Lampd REPLACES Wickd @2019"]),
    ],
)  # fmt: skip
def test_stated(text: str, facts: list[str]) -> None:
    assert set(facts) <= set(stated(text))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        # The script is that of a film of the novel.
        ("# Orm\n\nOrm is a 1982 novel. The screenplay was written by Ann Lee.", " WROTE Orm"),
        # A score is no film, and he wrote of it, not it.
        (f"{DIRECTOR}He directed the music for *The Quay*.", " DIRECTED "),
        (f"{DIRECTOR}He wrote a review of *The Quay*.", " WROTE "),
        # The day is that of something else.
        ("# Lampd\n\nLampd is a daemon. Lampd replaced Wickd, which was written in 2019.", "Wickd @"),
        ("# Lampd\n\nLampd is a daemon. Lampd replaces Wickd in 2019.", "Wickd @"),
    ],
)  # fmt: skip
def test_not_stated(text: str, words: str) -> None:
    assert not [fact for fact in stated(text) if words in f" {fact}"]


@pytest.mark.parametrize(
    "text",
    [
        "# Quay Pictures\n\nQuay Pictures is a company founded by Ines Calloway in 1990.",
        f"{DIRECTOR}She founded Quay Pictures in 1990.",
    ],
)
def test_the_dated_of_two_facts_stays(text: str) -> None:
    assert [fact for fact in stated(text) if " FOUNDED " in fact] == ["Ines Calloway FOUNDED Quay Pictures @1990"]
