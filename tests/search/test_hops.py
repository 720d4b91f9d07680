"""Hops: which pages a question and a passage name, and how far these rise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgfs.search import hops
from kgfs.search.fusion import FusedList, RankedList, fuse_legs
from kgfs.search.hops import Passage, hopped, unanswered
from kgfs.search.page_names import stretches_of_passage, stretches_of_question
from kgfs.search.rows import CatalogRows
from kgfs.store.catalog.database import Database
from kgfs.store.catalog.inserts import insert

PAGES = {
    101: ("Superman IV", "# Superman IV\n\nA film. Gene Hackman plays Lex Luthor in it, and The Hero is nobody."),
    102: ("Gene Hackman", "An actor, born in San Bernardino, a friend of David Bradley."),
    103: ("David Bradley (director)", "A director of films in Royston, who met Gene Hackman. Times were hard."),
    104: ("Royston, Hertfordshire", "A town. Rose grew up there."),
    105: ("Rose", "A flower."),
    106: ("Settings", "How to set things."),
    107: ("It", "A novel."),
    108: ("Ελλάδα", "Χώρα. Η Αθήνα είναι εκεί."),
    109: ("人工智能", "关于 Gene Hackman 的文章。"),
    110: ("2019-10-30", "A day. Settings were changed by Gene Hackman."),
    111: ("🙂", "A smile."),
    112: ("x" * 300, "Long."),
    113: ("Wasm+ML Working Group — June 10", "They met."),
    114: ("Wasm+ML Working Group — July 22nd, 2024", "They met again."),
    115: ("January 26th SIG-Debugging Meeting", "Lamps were seen."),
}
"""Document to title and text; its passage has the same number less a hundred."""


@pytest.fixture
def reader(catalog: Database) -> CatalogRows:
    def work(cursor: Any) -> None:
        for table in ("documents", "chunks", "context_items", "entity_chunks", "facts"):
            cursor.execute(f"DELETE FROM {table}")
        insert(cursor, "documents", {"id": list(PAGES), "title": [title for title, _ in PAGES.values()]})
        ones, refs = [1] * len(PAGES), [f"disk:/{number}" for number in PAGES]
        insert(cursor, "context_items", {"id": list(PAGES), "want_gen": ones, "parsed_gen": ones, "ref": refs})
        chunks: dict[str, list[Any]] = {
            "id": [number - 100 for number in PAGES], "document_id": list(PAGES), "ordinal": [1] * len(PAGES),
            "text": [text for _, text in PAGES.values()],
        }  # fmt: skip
        insert(cursor, "chunks", chunks)

    catalog.write(work)
    return CatalogRows(catalog)


def named(reader: CatalogRows, text: str, question: bool) -> set[int]:
    stretches = stretches_of_question(text) if question else stretches_of_passage(text)
    return set(reader.page_names().named(stretches, reader.hashes([each.text for each in stretches])))


@pytest.mark.parametrize(
    ("text", "question", "expected"),
    [
        ("who played Lex Luthor in Superman IV", True, {101}),
        ("gene hackman's birthday", True, {102}),
        ("when was David Bradley born", True, {103}),  # without its bracket
        ("David Bradley (director)", True, {103}),
        ("which county is Royston in", True, {104}),
        ("how do I change settings", True, {106}),
        ("Did Ann rose to the top", True, set()),  # a word, where the question has names
        ("what is it", True, set()),
        ("is it what It is", True, set()),
        ("Τι είναι η Ελλάδα;", True, {108}),
        ("什么是 人工智能 ?", True, {109}),
        ("", True, set()),
        ("Who was at the Wasm+ML Working Group meeting of June 10?", True, {113}),
        ("the wasm ml working group on Jul 22, 2024", True, {114}),
        ("Who chaired the SIG-Debugging meeting on January 26th?", True, {115}),
        ("the January 26 meeting of SIG Debugging", True, {115}),
        ("Who was at the Wasm+ML Working Group meeting of June 11?", True, set()),
        ("wages on June 10", True, set()),
        ("He met Gene Hackman and David Bradley.", False, {102, 103}),
        ("He met gene hackman.", False, set()),  # a name is written as a name
        ("Rose went home.", False, set()),  # a word at the beginning of a sentence may be any word
        ("She met Rose. It was late.", False, {105}),
        ("In Royston, Hertfordshire, and in Royston", False, {104}),
        ("It was late. IT", False, set()),
    ],
)
def test_names_of_pages(reader: CatalogRows, text: str, question: bool, expected: set[int]) -> None:
    assert named(reader, text, question) == expected


def test_a_name_that_many_pages_have_says_nothing(reader: CatalogRows, catalog: Database) -> None:
    catalog.write(lambda cursor: insert(cursor, "documents", {"id": [*range(201, 210)], "title": [*("Part (1)",) * 9]}))
    assert named(reader, "a part of Part", True) == set()


def _fused(order: list[int]) -> FusedList:
    return fuse_legs("chunk", {"bm25": RankedList.of(order, [10.0 / place for place, _ in enumerate(order, 1)])})


def _hopped(reader: CatalogRows, order: list[int], question: str, among: list[int] | None = None) -> list[int]:
    present = reader.present().rows["chunk"]
    if among is not None:
        present = present.of(np.array(among, np.int64))
    found = hopped(_fused(order), question, reader, present.ids, present.documents)
    assert sorted(found.scores.tolist(), reverse=True) == [
        float(found.scores[np.searchsorted(found.ids, row)]) for row in found.best(99).tolist()
    ]
    best: list[int] = found.best(99).tolist()
    return best


def test_what_the_best_hit_names_comes_next(reader: CatalogRows) -> None:
    order = [1, 5, 6, 7, 12]
    question = "birthday of the villain in that fourth film about Krypton's son"
    assert _hopped(reader, order, question)[:2] == [1, 2]
    # It joins only where it may be found, and what names it stays before it.
    assert _hopped(reader, order, question, [1, 5, 6, 7, 12]) == order
    assert _hopped(reader, [5, 1, 6, 7, 12], "birthday of whom the film has")[0] == 5


def test_a_question_that_one_passage_answers_needs_no_second(reader: CatalogRows) -> None:
    assert unanswered("a film Gene plays", Passage("Superman IV", PAGES[101][1])) == 0.0
    assert _hopped(reader, [1, 5, 6], "a film Gene plays") == [1, 5, 6]
    assert unanswered("the of and", Passage("", "x")) == 0.0


def test_pages_that_the_question_names_rise(reader: CatalogRows) -> None:
    assert _hopped(reader, [5, 6, 12], "a flower for David Bradley")[:2] == [5, 3]


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("In which city is Dave Lamb the contact?", ["Dave Lamb"]),
        ("Who is Anna-Lena O’Brien Smith at ACME", ["Anna-Lena O’Brien Smith"]),
        ("The Dave Lamb", ["Dave Lamb"]),
        ("Is Lamb there", []),
        ("what about dave lamb", []),
        ("Über Émile Zola", ["Über Émile Zola"]),
        ("", []),
    ],
)
def test_names_that_are_no_pages(question: str, names: list[str]) -> None:
    assert hops.unpaged_names(question) == names


def test_a_passage_with_a_name_that_no_page_has_rises(reader: CatalogRows) -> None:
    assert _hopped(reader, [5, 6, 12, 2], "the place of birth San Bernardino of whom")[0] == 2
    # In many, or as the name of a page, it says nothing by itself.
    assert _hopped(reader, [5, 6, 12, 2], "the place of san bernardino")[0] == 5
    assert _hopped(reader, [10, 9, 1, 3, 5], "a flower met by Lex Luthor")[0] == 1


@given(st.text(max_size=300))
def test_any_text_has_stretches(text: str) -> None:
    for stretches in (stretches_of_passage(text), stretches_of_question(text)):
        for first, last, words in stretches:
            assert first <= last and words == words.lower().strip()


def test_a_long_question(reader: CatalogRows) -> None:
    assert _hopped(reader, [5, 6], "Gene Hackman " * 400)[0] in (2, 5)
    assert hops.unanswered("word " * 5000, Passage("", "")) == 1.0
