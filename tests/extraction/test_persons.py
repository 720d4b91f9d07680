"""Persons and places of one word, as books and news have them."""

# Sentences stand in the tables as they are written.
# ruff: noqa: E501

from __future__ import annotations

import pytest

from kgfs.documents.markup import PlainSentence
from kgfs.extraction.names import tagging
from kgfs.extraction.names.boundaries import cleaned_spans
from kgfs.extraction.names.capitals import CapitalsSpan
from kgfs.extraction.names.people.persons import lives_there
from kgfs.extraction.names.recut import recut
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
        # with a title somewhere: "Mrs. Lind"
        (1, {"seen": 4, "types": {"Person": 4}, "shown": {"Person": 0.55}}, "Person"),
        (1, {"seen": 2, "types": {"Person": 2}, "shown": {"Person": 0.55}}, None),
        (1, {"seen": 4, "types": {"Person": 2, "Location": 5}, "shown": {"Person": 0.55}}, None),
        (1, {"seen": 4, "types": {"Person": 4}, "shown": {"Person": 0.55}, "against": {"part": 1}}, None),
        (1, {"seen": 4, "types": {"Person": 4}, "shown": {"Person": 0.55}, "against": {"beside": 1}}, None),
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


@needs_spacy
@pytest.mark.parametrize(
    ("text", "name", "type_", "not_name"),
    [
        # Names are not welded to what follows, nor begin with who speaks, nor are they cut.
        ("I’m Ludovic Poitou, Director at Lampworks. Ludovic Poitou wrote it.", "Ludovic Poitou", "Person", "I’m Ludovic Poitou"),
        ("Special thanks to Brian Brazil, Fabian Reinartz and Julius Volz.", "Brian Brazil", "Person", "Brazil"),
        (
            "This example shows a UK Foreign, Commonwealth and Development Office activity.",
            "Foreign, Commonwealth and Development Office",
            "Organization",
            "Commonwealth and Development Office",
        ),
        # What words and letters say of the type.
        ("We met at OKFestival in Berlin. I will go to OKFestival again.", "OKFestival", "Event", ""),
        ("Ann Lee spoke at LampHack in Berlin. The team of LampHack met. We will go to LampHack again.", "LampHack", "Event", ""),
        ("The switches speak SNMP. We use SNMP for all lamps. SNMP is old.", "SNMP", "Technology", ""),
    ],
)  # fmt: skip
def test_where_names_begin_and_end_and_what_they_are(text: str, name: str, type_: str, not_name: str) -> None:
    found = {entity.name: entity.type for entity in read(text).entities}
    assert found.get(name) == type_
    assert not_name not in found


@pytest.mark.parametrize(
    ("text", "name", "left"),
    [
        ("Before the time of Alexander Greeks had spread.", "Alexander Greeks", "Alexander"),
        ("It was written by Alexander Green.", "Alexander Green", "Alexander Green"),
        ("I'm Ann Lee.", "I'm Ann Lee", "Ann Lee"),
    ],
)
def test_what_of_a_tagged_person_is_a_name(text: str, name: str, left: str) -> None:
    start = text.index(name)
    assert [text[span.start : span.end] for span in cleaned_spans(text, start, start + len(name), "Person")] == [left]


@pytest.mark.parametrize(
    ("text", "name", "type_", "whole"),
    [
        ("Thanks to Brian Brazil for it.", "Brazil", "Location", "Brian Brazil"),
        ("We met in Austin, Brazil too.", "Brazil", "Location", "Brazil"),
        ("We met Brian, Brazil won.", "Brazil", "Location", "Brazil"),
        ("We flew to Rio Brazil.", "Brazil", "Location", "Brazil"),
        ("Ask the Oil, Lamp and Wick Office.", "Lamp and Wick Office", "Organization", "Oil, Lamp and Wick Office"),
        ("Ask Tarnia, Lamp and Wick Office.", "Lamp and Wick Office", "Organization", "Lamp and Wick Office"),
        ("In France, Lamp and Wick Office staff met.", "Lamp and Wick Office", "Organization", "Lamp and Wick Office"),
    ],
)
@needs_spacy
def test_names_with_what_stands_before(text: str, name: str, type_: str, whole: str) -> None:
    start = text.index(name)
    found = CapitalsSpan(start, start + len(name), name, False, tag=type_)
    assert recut(PlainSentence(text), found).text == whole


@needs_spacy
def test_part_of_a_whole_name_is_nobody_else() -> None:
    text = f"{_BOOK} The king was Oleg Darius. Darius Lind was his cousin."
    found = read(text)
    assert "Darius" not in {entity.name for entity in found.entities}
    seen = [one.evidence for one in found.unconfirmed if one.name == "Darius"]
    assert all(name_verdict(one) is None for one in seen)


def test_where_somebody_is_from_is_no_name_of_theirs() -> None:
    found = read(
        "# Duke Franz Holt of Tarn\n\nDuke Franz Holt of Tarn (1811 – 1899) was a duke. Franz Holt lived in Oslo.\n"
    )
    (person,) = (one for one in found.entities if one.type == "Person")
    assert "Franz Holt" in person.aliases and "Tarn" not in person.aliases and "Duke" not in person.aliases


def test_a_work_is_not_called_as_a_place() -> None:
    found = read("# Holt (film)\n\nHolt (also known as Chicago) is a 1942 film by Ann Lee. It was made in Chicago.\n")
    assert all("Chicago" not in one.aliases for one in found.entities if one.type == "Work")
