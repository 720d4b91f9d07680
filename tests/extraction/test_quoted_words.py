"""What a sentence only quotes as somebody's words is no fact; titles and short words in quotes are none of these."""

# Sentences stand in the tables as they are written.
# ruff: noqa: E501

from __future__ import annotations

import pytest

from kgfs.extraction.facts.quoted_words import is_spoken
from kgfs.extraction.names import tagging
from tests.extraction.read_texts import read

tagger = pytest.mark.skipif(not tagging.has_tagger(), reason="types of names are shown where spaCy is installed")


def stated(text: str) -> set[str]:
    """The facts of a text between two entities."""
    extraction = read(text)
    names = [entity.name for entity in extraction.entities]
    return {
        f"{names[fact.subject]} {fact.type} {names[fact.object]}"
        for fact in extraction.facts
        if fact.object is not None
    }


@tagger
@pytest.mark.parametrize(
    "text",
    [
        '"Tinder Labs bought Zinc Shell," he said.',
        "“Tinder Labs bought Zinc Shell,” said Ann Lee.",
        "‘Tinder Labs bought Zinc Shell,’ he said.",
        '"Widget Service uses HexDB", somebody claimed.',
        'Ann Lee said: "Tinder Labs bought Zinc Shell."',
        'According to Ann Lee, "Tinder Labs bought Zinc Shell."',
        # One sentence of several that are quoted.
        '"We are glad. Tinder Labs bought Zinc Shell. It was cheap," Ann Lee said.',
        "“Tinder Labs bought Zinc Shell. It was cheap,” Ann Lee said.",
    ],
)
def test_words_of_somebody(text: str) -> None:
    assert not {fact for fact in stated(text) if " ACQUIRED " in fact or " USES " in fact}


@tagger
@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("Tinder Labs bought Zinc Shell, he said.", "Tinder Labs ACQUIRED Zinc Shell"),
        ('He played in "The Hero" and Ann Lee wrote "The Hero Returns".', "Ann Lee WROTE The Hero Returns"),
        ('Tinder Labs bought Zinc Shell, a "gem" of a firm.', "Tinder Labs ACQUIRED Zinc Shell"),
        ('"It was cheap," Ann Lee said. Tinder Labs bought Zinc Shell. "And quick," she added.', "Tinder Labs ACQUIRED Zinc Shell"),
    ],
)  # fmt: skip
def test_words_of_the_text(text: str, fact: str) -> None:
    assert fact in stated(text)


@pytest.mark.parametrize(
    ("text", "said", "spoken"),
    [
        ('"Orm uses Tarn," he said.', "Orm uses Tarn", True),
        ('"Orm uses Tarn."', "Orm uses Tarn", True),
        ('"Orm at Tarn" is a song.', "Orm at Tarn", False),
        ('The song "Orm at Tarn" is old, he said.', "Orm at Tarn", False),
        ('A 5" Orm uses Tarn, he said.', "Orm uses Tarn", False),
        ("The Lees' Orm uses Tarn, they say.", "Orm uses Tarn", False),
    ],
)
def test_spoken(text: str, said: str, spoken: bool) -> None:
    start = text.index(said)
    assert is_spoken(text, start, start + len(said)) is spoken
