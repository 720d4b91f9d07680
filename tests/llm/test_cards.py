"""The card of a document: what of it the document says, and what it does for the passages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llm_reader import passage_of, talk

from kgfs.documents.formats.parsing import parse_document
from kgfs.llm.cards import OPENING
from kgfs.llm.extraction import DocumentReading, read_document
from kgfs.llm_records import LlmAnswer, LlmRequest
from kgfs.model import ParsedDocument

FILLER = "Plain words stand here and say nothing of anybody. " * 45
TEXT = f"""\
# Letter of 2025

Norvane Holdings (NVH) writes once a year. Dana Whitfield, who signs it, was born in 1961.
We are proud of our people. {FILLER}

## Growth

In 2024 we acquired Tarn Systems. {FILLER}

## People

Dana thanks Mr. Okafor, who leads the yard. {FILLER}
"""
CARD = {
    "author": "Dana Whitfield",
    "we": "Norvane Holdings",
    "title": "Letter of 2025",
    "date": "1999-01-01",
    "description": "Norvane Holdings looks back on a year.",
    "summary": "Norvane Holdings looks back; in 2024 it acquired Tarn Systems.",
    "names": [
        {"name": "Norvane Holdings", "type": "Organization", "aliases": ["NVH", "Norvane Group"]},
        {"name": "Dana Whitfield", "type": "Person", "aliases": ["Dana"]},
        {"name": "Tarn Systems", "type": "Organization"},
        {"name": "Okafor", "type": "Person"},
        {"name": "Elon Musk", "type": "Person"},
    ],
}
ACQUIRED = {"quote": "In 2024 we acquired Tarn Systems.", "date_words": "In 2024", "date": "2024", "says": [
    {"subject": "Norvane Holdings", "type": "ACQUIRED", "object": "Tarn Systems"}]}  # fmt: skip


def document(text: str = TEXT) -> ParsedDocument:
    found = parse_document(text.encode(), "letter.md")
    assert len(found.chunks) > 2 or text is not TEXT
    return found


def read(
    card: dict[str, Any] | LlmAnswer | None, passage: Callable[[str], dict[str, Any]], text: str = TEXT
) -> tuple[DocumentReading, list[LlmRequest]]:
    asked: list[LlmRequest] = []

    def model(request: LlmRequest) -> dict[str, Any] | LlmAnswer | None:
        asked.append(request)
        if request.purpose == "glean":
            return {"entities": [], "facts": []}
        return card if request.purpose == "card" else passage(passage_of(request.content)[1])

    return talk(read_document(document(text), "m"), model), asked


def growth(text: str) -> dict[str, Any]:
    """What a model says that knows who *we* is, and lists only what the passage names."""
    found: dict[str, Any] = {"entities": [], "facts": []}
    if "Tarn Systems" in text:
        found = {"entities": [{"name": "Tarn Systems", "type": "Organization"}], "facts": [ACQUIRED]}
    if "Okafor" in text:
        found["entities"] = [{"name": "Dana", "type": "Person"}, {"name": "Okafor", "type": "Person"}]
    return found


def test_who_we_are_is_on_the_card_and_the_fact_is_kept() -> None:
    reading, asked = read(CARD, growth)
    assert [one.purpose for one in asked] == ["card", *["extract"] * len(document().chunks)]
    extraction = reading.extraction
    assert extraction is not None
    (fact,) = extraction.facts
    names = [entity.name for entity in extraction.entities]
    assert (names[fact.subject], fact.type, names[fact.object or 0], fact.date) == (
        "Norvane Holdings", "ACQUIRED", "Tarn Systems", "2024",
    )  # fmt: skip
    assert fact.confidence == 0.95, "the quote names the one that was bought"
    assert "Dana" not in names, "a first name is the person of the card"
    (dana,) = (entity for entity in extraction.entities if entity.name == "Dana Whitfield")
    assert dana.aliases == ["Dana"]
    assert "NVH" in next(entity.aliases for entity in extraction.entities if entity.name == "Norvane Holdings")


def test_an_alias_of_two_is_one_of_neither() -> None:
    names = [*CARD["names"][:2], {"name": "Okafor", "type": "Person", "aliases": ["Dana", "Okafor"]}]  # type: ignore[index]
    reading, _ = read(CARD | {"names": names}, growth)
    assert reading.extraction is not None
    assert {"Dana", "Okafor"} <= {entity.name for entity in reading.extraction.entities}


def test_what_the_document_does_not_say_of_itself_is_dropped_and_counted() -> None:
    reading, asked = read(CARD | {"author": "Elon Musk", "summary": "In 1984 it was Acme."}, growth)
    assert reading.dropped == {
        "card: name not in the document": 1,
        "card: alias not in the document": 1,
        "card: speaker not in the document": 1,
        "card: sentence with what the document does not say": 1,
    }
    assert reading.description == CARD["description"]
    assert reading.title == "", "its own title stands in the text"
    head, _ = passage_of(asked[1].content)
    assert "Musk" not in head and "Date" not in head
    assert "We: Norvane Holdings\nNames: Norvane Holdings (Organization, also NVH)" in head


def test_a_passage_is_shown_the_names_that_it_has() -> None:
    others = [{"name": f"Yard {letter}", "type": "Facility"} for letter in "ABCDEF"]
    text = TEXT.replace("who leads the yard", "who leads Yard D") + "Yard A, Yard B, Yard C, Yard E and Yard F."
    _, asked = read(CARD | {"names": [*CARD["names"], *others]}, growth, text)  # type: ignore[misc]
    heads = {passage_of(one.content)[0] for one in asked[1:] if "Yard D" in passage_of(one.content)[1]}
    assert len(heads) == 1 and "Yard D" in (head := heads.pop())
    assert not any(f"Yard {letter}" in head for letter in "AB" if f"Yard {letter}" not in text.split("## People")[1])
    first = passage_of(asked[1].content)[0]
    assert "Yard" not in first and "Tarn Systems" in first


def test_without_a_card_the_passages_are_read_all_the_same() -> None:
    for card in (None, LlmAnswer(error="overloaded"), LlmAnswer(stop_reason="max_tokens", input={"we": "Nor"})):
        reading, _ = read(card, growth)
        assert reading.extraction is not None
        assert reading.dropped["card: no answer"] == 1
        assert reading.dropped["fact: end not among the entities"] == 1
        assert [one.reason for one in reading.examples] == ["fact: end not among the entities"]
    for odd in ({}, {"names": "x", "we": 7}, {"names": [7, {"name": {}}], "summary": [], "date": "soon"}):
        reading, _ = read(odd, growth)
        assert reading.extraction is not None and "card: no answer" not in reading.dropped


def test_a_document_of_one_passage_is_its_own_card() -> None:
    _, asked = read(CARD, growth, "# Note\n\nIn 2024 we acquired Tarn Systems.\n")
    assert [one.purpose for one in asked if one.purpose != "glean"] == ["extract"]


def test_of_a_long_document_the_beginning_and_the_headings_are_shown() -> None:
    long = TEXT + "".join(f"\n## Chapter {number}\n\n{FILLER}\n" for number in range(30))
    _, asked = read(CARD, growth, long)
    _, shown = passage_of(asked[0].content)
    assert "Norvane Holdings (NVH) writes once a year." in shown
    assert "[…] Chapter 29" in shown
    assert len(shown) < 2 * OPENING + 100
