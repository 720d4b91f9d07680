"""What stands beside a name and says of what other one it is: kin, firms, works, prizes, posts; and what says nothing."""

# Sentences stand in the tables as they are written.
# ruff: noqa: E501

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgfs.extraction.extractor import read_sentences
from kgfs.extraction.facts.marks import CLOSE, OPEN
from kgfs.extraction.facts.sentences.ties import TYPES, tie_facts
from kgfs.extraction.names import tagging
from kgfs.relation_types import RELATION_TYPES

STATED = {
    "The Quay Rifles, of which Maria Lopez was colonel, left.": {"Maria Lopez WORKS_FOR Quay Rifles"},
    'Maria Lopez joined the staff of the "Tarn Gazette" in 1903.': {"Maria Lopez WORKS_FOR Tarn Gazette"},
    'Maria Lopez, editor of the "Tarn Gazette," was there.': {"Maria Lopez WORKS_FOR Tarn Gazette"},
    "Maria Lopez is from Google and works on lamps.": {"Maria Lopez WORKS_FOR Google"},
    "Maria Lopez, Google CEO, spoke first.": {"Maria Lopez WORKS_FOR Google"},
    "Maria Lopez serves on the Harbour Council.": {"Maria Lopez MEMBER_OF Harbour Council"},
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
    "Maria Lopez became an Associate Professor of Philosophy at Stanford University.": {"Maria Lopez WORKS_FOR Stanford University"},
    "Maria Lopez became a Fellow of the Royal Society in 2009.": {"Maria Lopez MEMBER_OF Royal Society"},
    "At Microsoft, Maria Lopez heads the design team.": {"Maria Lopez WORKS_FOR Microsoft"},
    "Maria Lopez has held senior roles at Microsoft, Oracle, and Boeing.": {f"Maria Lopez WORKS_FOR {firm}" for firm in ("Microsoft", "Oracle", "Boeing")},
    "Maria Lopez (former Microsoft employee who resigned) spoke first.": {"Maria Lopez WORKS_FOR Microsoft"},
    "Maria Lopez, a Microsoft researcher who collects lamps, spoke first.": {"Maria Lopez WORKS_FOR Microsoft"},
    "Maria Lopez, formerly Microsoft's design lead, spoke first.": {"Maria Lopez WORKS_FOR Microsoft"},
    "In 2020, Maria Lopez served as a Yale University research fellow.": {"Maria Lopez WORKS_FOR Yale University"},
    "Yale University received a $5 million grant from Microsoft in 2001.": {"Microsoft FUNDS Yale University"},
    "Maria Lopez donated $2.5 million in stock to Yale University.": {"Maria Lopez FUNDS Yale University"},
    "Maria Lopez enrolled at Stanford University in 1990.": {"Maria Lopez EDUCATED_AT Stanford University"},
    "Maria Lopez earned a bachelor's degree in law from Yale University and completed a Ph.D. at Stanford University.": {"Maria Lopez EDUCATED_AT Yale University", "Maria Lopez EDUCATED_AT Stanford University"},
    "In 2001 it rebranded from Tarn Systems Inc. to Lumen Systems Inc. and moved.": {"Tarn Systems Inc. RENAMED_TO Lumen Systems Inc."},
    "Founded in early 2001 by Maria Lopez and John Baker, Lumen Systems Inc. makes lamps.": {"Maria Lopez FOUNDED Lumen Systems Inc.", "John Baker FOUNDED Lumen Systems Inc."},
    "Maria Lopez serves as a board member of the Ford Foundation.": {"Maria Lopez BOARD_MEMBER_OF Ford Foundation"},
    "Lumen Systems Inc. is an independent body affiliated with Yale University.": {"Lumen Systems Inc. AFFILIATED_WITH Yale University"},
    "Lumen Systems Inc. is a London-based maker of lamps.": {"Lumen Systems Inc. LOCATED_IN London"},
    "Maria Lopez, a security architect at Bloomberg, is leading the work.": {"Maria Lopez WORKS_FOR Bloomberg"},
    "Maria Lopez is the Director of Design Communications at Intel.": {"Maria Lopez WORKS_FOR Intel"},
    "Maria Lopez is a maintainer of Kubernetes and lives well.": {"Maria Lopez MAINTAINS Kubernetes"},
    "Maria Lopez currently serves as co-chair of the Royal Society.": {"Maria Lopez LEADS Royal Society"},
    "Maria Lopez is co-chairing the Royal Society.": {"Maria Lopez LEADS Royal Society"},
    "Maria Lopez maintains several tools (Kubernetes, Django) and sails.": {"Maria Lopez MAINTAINS Kubernetes", "Maria Lopez MAINTAINS Django"},
    "Maria Lopez participates in the Royal Society, Sierra Club, and Ford Foundation.": {f"Maria Lopez PARTICIPATES_IN {body}" for body in ("Royal Society", "Sierra Club", "Ford Foundation")},
    # nothing, or another's
    "Before joining Microsoft, Maria Lopez worked at Intel and Oracle.": {
        "Maria Lopez JOINED Microsoft", "Maria Lopez WORKED_FOR Intel", "Maria Lopez WORKED_FOR Oracle",
    },
    "Previously, Maria Lopez was a member of the Royal Society.": set(),
    "Maria Lopez is a maintainer of the Bloomberg lamp project Quill.": set(),
    "Maria Lopez studied law under the supervision of John Baker, and held a position at Microsoft.": set(),
    "Maria Lopez attended a meeting at Microsoft.": set(),
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
