"""Sentences that say who is of whose family, with and without a name for whom they speak of; and whom *he* does not mean."""

# Sentences stand in the tables as they are written.
# ruff: noqa: E501

from __future__ import annotations

import pytest

from kgfs.extraction.names import tagging
from tests.extraction.read_texts import read

pytestmark = pytest.mark.skipif(not tagging.has_tagger(), reason="types of names are shown where spaCy is installed")

_FAMILY = ("SPOUSE_OF", "CHILD_OF", "SIBLING_OF")
HE = "# Hugo Lark\n\nHugo Lark was a British painter. "
SHE = "# Eva Lark\n\nEva Lark was a British painter. "


def kin(text: str) -> set[str]:
    """The facts of families of a text; those of two equals by their names in order."""
    extraction = read(text)
    found = set()
    for fact in extraction.facts:
        if fact.type in _FAMILY and fact.object is not None:
            pair = [extraction.entities[end].name for end in (fact.subject, fact.object)]
            first, second = pair if fact.type == "CHILD_OF" else sorted(pair)
            found.add(f"{first} {fact.type} {second}")
    return found


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (HE + "His wife was Ellen Marsh.", {"Ellen Marsh SPOUSE_OF Hugo Lark"}),
        (SHE + "Her husband was Hugo Lark.", {"Eva Lark SPOUSE_OF Hugo Lark"}),
        ("# Mia Ferrand\n\nMia Ferrand is a painter. Ferrand's husband is the composer Jonas Whitlock.", {"Jonas Whitlock SPOUSE_OF Mia Ferrand"}),
        ("Cid Holm is married to Dan Holm.", {"Cid Holm SPOUSE_OF Dan Holm"}),
        (SHE + "She married Hugo Lark. Their daughter is Nina Lark.",
         {"Eva Lark SPOUSE_OF Hugo Lark", "Nina Lark CHILD_OF Eva Lark", "Nina Lark CHILD_OF Hugo Lark"}),
        ("Eve Holm has a son, Gus Holm.", {"Gus Holm CHILD_OF Eve Holm"}),
        (SHE + "She had two children, Hugo Lark and Siri Lark.", {"Hugo Lark CHILD_OF Eva Lark", "Siri Lark CHILD_OF Eva Lark"}),
        (HE + "He had three sons: Adam Lark, Carl Lark and Emil Lark.",
         {"Adam Lark CHILD_OF Hugo Lark", "Carl Lark CHILD_OF Hugo Lark", "Emil Lark CHILD_OF Hugo Lark"}),
        (HE + "His parents were Adam Lark and Ellen Marsh.", {"Hugo Lark CHILD_OF Adam Lark", "Hugo Lark CHILD_OF Ellen Marsh"}),
        (HE + "His brother is the composer Carl Lark.", {"Carl Lark SIBLING_OF Hugo Lark"}),
        # Of somebody else, of nobody, or not so.
        (HE + "His wife was the daughter of Carl Lark.", set()),
        (HE + "His wife was Ellen Marsh's sister.", set()),
        (HE + "His wife was not Ellen Marsh.", set()),
        (HE + "His son was born in 1920 to Ellen Marsh.", set()),
        ("Their daughter is Nina Lark.", set()),
        ("His wife was Ellen Marsh.", set()),
    ],
)  # fmt: skip
def test_families(text: str, facts: set[str]) -> None:
    assert kin(text) == facts


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("# Eric\n\nEric was King of Hafnia. His wife was [[Ingeborg of Ulm]]. He was the father of [[Matilda of Hafnia]].",
         {"Eric SPOUSE_OF Ingeborg of Ulm", "Matilda of Hafnia CHILD_OF Eric"}),
        ("# Inga\n\nInga was Queen of Hafnia. Her husband was [[Eric of Ulm]]. She was the mother of [[Matilda of Hafnia]].",
         {"Eric of Ulm SPOUSE_OF Inga", "Matilda of Hafnia CHILD_OF Inga"}),
        # She is the wife, and only he the page's.
        (HE + "His wife was Ellen Marsh. She was the daughter of Carl Marsh.", {"Ellen Marsh SPOUSE_OF Hugo Lark", "Ellen Marsh CHILD_OF Carl Marsh"}),
        # Outside of a lead.
        ("# Notes\n\nHere is more.\n\n## Kings\n\nHugo Lark was a king. His wife was Ellen Marsh. He was the father of Nina Lark.",
         {"Ellen Marsh SPOUSE_OF Hugo Lark", "Nina Lark CHILD_OF Hugo Lark"}),
    ],
)  # fmt: skip
def test_whom_a_pronoun_means(text: str, facts: set[str]) -> None:
    assert kin(text) == facts
