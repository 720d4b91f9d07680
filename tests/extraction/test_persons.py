"""Persons and places of one word, as books and news have them."""

# Sentences stand in the tables as they are written.

from __future__ import annotations

import pytest

from kgfs.extraction.names import tagging
from kgfs.extraction.names.persons import lives_there
from kgfs.extraction.names.verdict import name_verdict
from kgfs.graph.name_forms import says_too_little
from kgfs.model import Evidence
from tests.extraction.read_texts import read

needs_spacy = pytest.mark.skipif(not tagging.has_tagger(), reason="the extra `offline` is not installed")


@pytest.mark.parametrize(
    ("sentence", "name", "lives"),
    [
        ("Tarn was born about 484 B.C. in Lampedonia.", "Tarn", True),
        ("Then Tarn had married a second wife.", "Tarn", True),
        ("With this army Tarn extended his frontiers.", "Tarn", True),
        ("We read a remark of Tarn's, who often alludes to it.", "Tarn", True),
        ("Tarn, the son of a baker, went home.", "Tarn", True),
        ("Tarn, son of Oleg, went home.", "Tarn", True),
        ("Tarn the Great went home.", "Tarn", True),
        ("It was in the reign of Tarn that oil was found.", "Tarn", True),
        ("For a time Oleg was tutor to Tarn.", "Tarn", True),
        ("The philosopher Tarn went home.", "Tarn", True),
        ("The fish was described by Tarn in a book.", "Tarn", True),
        # What a body or a place does as well.
        ("Tarn said on Monday that it will sell lamps.", "Tarn", False),
        ("The army of Tarn pushed on.", "Tarn", False),
        ("Tarn is a city in the north.", "Tarn", False),
        ("Tarn where his house stood is old.", "Tarn", False),
        ("We bought lamps from Tarn and his brother.", "Tarn", False),
        # No name of one person.
        ("TARN wrote it.", "TARN", False),
        ("LampTarn wrote it.", "LampTarn", False),
        ("Tarn2 wrote it.", "Tarn2", False),
    ],
)
def test_what_only_somebody_does(sentence: str, name: str, lives: bool) -> None:
    start = sentence.index(name)
    assert lives_there(sentence, start, start + len(name)) is lives


ONE = {"single": True, "word": True}


@pytest.mark.parametrize(
    ("documents", "said", "type_"),
    [
        (1, {"seen": 4, "types": {"Person": 4}, "against": {"lives": 2}}, "Person"),
        (1, {"seen": 9, "types": {"Person": 4, "Organization": 5}, "against": {"lives": 3}}, "Person"),
        (1, {"seen": 5, "types": {"Group": 3, "Organization": 2}, "against": {"lives": 3}}, "Person"),
        (1, {"seen": 4, "types": {"Person": 8}, "clues": {"Person": 4}}, "Person"),
        (1, {"seen": 2, "types": {"Person": 2}, "against": {"lives": 2}}, None),
        (1, {"seen": 4, "types": {"Person": 4}, "against": {"lives": 1}}, None),
        (1, {"seen": 4, "types": {"Person": 4}}, None),
        (1, {"seen": 9, "types": {"Group": 9, "Person": 4}, "against": {"lives": 3}}, None),
        (1, {"seen": 9, "types": {"Person": 4}, "against": {"lives": 3, "the": 4}}, None),
        (1, {"seen": 9, "types": {"Person": 4}, "against": {"lives": 3}, "acts": 4}, None),
        # in manuals, in minutes, in small letters, of another text
        (1, {"seen": 9, "types": {"Person": 9}, "against": {"lives": 3, "beside": 1}}, None),
        (1, {"seen": 9, "types": {"Person": 9}, "against": {"lives": 3, "speaks": 1}}, None),
        (1, {"seen": 9, "types": {"Person": 9}, "against": {"lives": 3, "common": 1}}, None),
        (2, {"seen": 9, "types": {"Person": 9}, "against": {"lives": 3}}, None),
        # places
        (1, {"seen": 5, "types": {"Location": 6}, "against": {"elsewhere": 2}}, "Location"),
        (1, {"seen": 5, "types": {"Location": 6}, "against": {"elsewhere": 5}}, None),
        (1, {"seen": 9, "types": {"Location": 5}, "against": {"elsewhere": 2}}, None),
        (1, {"seen": 5, "types": {"Location": 6}, "against": {"the": 2}}, None),
        (1, {"seen": 5, "types": {"Location": 6}, "against": {"beside": 1}}, None),
    ],
)
def test_verdicts_on_one_word(documents: int, said: dict[str, object], type_: str | None) -> None:
    found = name_verdict(Evidence(**ONE, **said), documents)  # type: ignore[arg-type]
    assert (found.type if found else None) == type_


_BOOK = (
    "Darius was murdered in 465 B.C. and rebellions followed. After the death of Darius the country fell to his sons. "
    "Darius fled across the river with a few men. Nobody in the camp had seen Darius again."
)


@needs_spacy
def test_a_person_of_one_word_in_a_book_but_not_in_a_manual() -> None:
    assert ("Darius", "Person") in {(entity.name, entity.type) for entity in read(_BOOK).entities}
    code = "\n\n".join(f"Set `lamp_{place}` and run `tarn_{place}()`." for place in range(6))
    assert "Darius" not in {entity.name for entity in read(f"{_BOOK}\n\n{code}").entities}
    assert says_too_little("Darius", "Person"), "it is another one in another text"
