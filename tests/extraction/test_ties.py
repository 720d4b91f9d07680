"""What stands beside a name and says of what other one it is: kin, firms, works, prizes, posts; and what says nothing."""

# Sentences stand in the tables as they are written.
# ruff: noqa: E501

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgfs.extraction.extractor import read_sentences
from kgfs.extraction.facts.marks import CLOSE, OPEN
from kgfs.extraction.facts.ties import TYPES, tie_facts
from kgfs.extraction.names import tagging
from kgfs.relation_types import RELATION_TYPES

STATED = {
    "Maria Lopez's husband, John Baker, is a painter.": {"John Baker SPOUSE_OF Maria Lopez"},
    "Maria Lopez's mother, Ann Lee, was a painter.": {"Maria Lopez CHILD_OF Ann Lee"},
    "Maria Lopez is the eldest daughter of actors John Baker and Ann Lee.": {"Maria Lopez CHILD_OF John Baker", "Maria Lopez CHILD_OF Ann Lee"},
    "Nordwind Energy AG's subsidiary Tarn Systems Inc. makes lamps.": {"Tarn Systems Inc. SUBSIDIARY_OF Nordwind Energy AG"},
    "Nordwind Energy AG, the parent company of Tarn Systems Inc., makes turbines.": {"Tarn Systems Inc. SUBSIDIARY_OF Nordwind Energy AG"},
    "Tarn Systems Inc. changed its name to Lumen Systems Inc. in 2002.": {"Tarn Systems Inc. RENAMED_TO Lumen Systems Inc."},
    "Lumen Systems Inc., formerly known as Tarn Systems Inc., makes lamps.": {"Tarn Systems Inc. RENAMED_TO Lumen Systems Inc."},
    "Nordwind Energy AG has offices in Hamburg, London and Paris.": {f"Nordwind Energy AG HAS_SITE_IN {place}" for place in ("Hamburg", "London", "Paris")},
    "Maria Lopez received a Ph.D. in physics from Stanford University in 1993.": {"Maria Lopez EDUCATED_AT Stanford University"},
    "Maria Lopez won the Nobel Prize in Physics in 1988.": {"Maria Lopez WON Nobel Prize in Physics"},
    "Maria Lopez was awarded the Pulitzer Prize in 1988.": {"Maria Lopez WON Pulitzer Prize"},
    "Maria Lopez sits on the board of Nordwind Energy AG.": {"Maria Lopez BOARD_MEMBER_OF Nordwind Energy AG"},
    "Maria Lopez is a member of the Royal Society.": {"Maria Lopez MEMBER_OF Royal Society"},
    "Nordwind Energy AG named Maria Lopez chief executive in May.": {"Maria Lopez WORKS_FOR Nordwind Energy AG"},
    "Maria Lopez was a politician in Nevada who served as mayor of Reno.": {"Maria Lopez OFFICIAL_OF Reno"},
    "The Libre Graphics Meeting was held in Montreal in 2011.": {"Libre Graphics Meeting HELD_IN Montreal"},
    "I met Maria Lopez, the Senior Data Scientist for the Royal Society.": {"Maria Lopez WORKS_FOR Royal Society"},
    "Maria Lopez, Senior Director Open Source Practice at Comcast, spoke first.": {"Maria Lopez WORKS_FOR Comcast"},
    "Maria Lopez joined Dreamworks Animation in August 2015.": {"Maria Lopez JOINED Dreamworks Animation"},
    # nothing, or another's
    "Maria Lopez, the daughter of John Baker, was born in Reno.": {"Maria Lopez CHILD_OF John Baker", "Maria Lopez BORN_IN Reno"},
    "Maria Lopez, whose father served as president of Yale University, is a painter.": set(),
    "Maria Lopez may be named president of Yale University.": set(),
    "Maria Lopez has not won the Nobel Prize.": set(),
    "Maria Lopez would have joined Microsoft in 2010.": set(),
    "Was Maria Lopez awarded the Pulitzer Prize?": set(),
    "Maria Lopez won the lottery in Reno.": set(),
    "The Libre Graphics Meeting will be held in Montreal.": set(),
}  # fmt: skip


@pytest.mark.skipif(not tagging.has_tagger(), reason="names have their types where spaCy is installed")
def test_ties() -> None:
    found = {}
    for sentence in STATED:
        (reading,) = read_sentences([sentence])
        found[sentence] = {
            f"{sentence[slice(*fact.subject)]} {fact.type} {sentence[slice(*fact.object)]}" for fact in reading.facts
        }
    assert found == STATED


@given(
    st.lists(
        st.one_of(
            st.sampled_from(
                "'s , wife son of novel by was awarded the won joined and is a subsidiary formerly renamed as in board".split()
            ),
            st.sampled_from([f"{OPEN}{letter}{number}{CLOSE}" for letter in "POLWEX" for number in range(3)]),
        ),
        max_size=24,
    )
)
def test_any_words_between_names(words: list[str]) -> None:
    """Whatever stands between names: a fact joins two different ones, with a type of the table."""
    letters, names = ["P", "O", "W"], ["Ann Lee", "Acme University", "Nobel Prize"]
    for fact in tie_facts(" ".join(words), letters, names):
        assert fact.subjects != fact.objects
        assert fact.type in TYPES
        assert fact.start < fact.end


def test_types_are_in_the_table() -> None:
    assert set(RELATION_TYPES) >= TYPES
