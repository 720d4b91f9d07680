"""How far what was found backs a search: one factor for all scores."""

from __future__ import annotations

import pytest

from kgfs.search.fusion import RankedList, fuse_legs
from kgfs.search.snippets import says_something
from kgfs.search.support import LEAST, factor


@pytest.mark.parametrize(
    ("cosine", "held", "kind", "backs"),
    [
        (0.20, 0.15, "chunk", "nothing"),  # a question that other texts answer
        (0.24, 0.30, "chunk", "nothing"),
        (0.35, 0.0, "chunk", "nothing"),  # invented words
        (0.28, 0.40, "chunk", "something"),
        (0.41, 0.43, "chunk", "all"),
        (0.60, 0.10, "chunk", "all"),
        (0.20, 1.00, "chunk", "all"),  # a word that every second text has
        (0.50, 0.0, "entity", "nothing"),  # short texts are near to anything
        (0.70, 0.0, "entity", "all"),
        (None, 0.0, "chunk", "nothing"),
        (None, 0.25, "chunk", "something"),
        (None, 0.50, "chunk", "all"),
    ],
)
def test_words_and_nearness_back_together(cosine: float | None, held: float, kind: str, backs: str) -> None:
    legs = {"bm25": RankedList.of([1, 2], [3.0, 2.0])}
    if cosine is not None:
        legs["vector"] = RankedList.of([1, 2], [cosine, 0.1])
    found = factor([fuse_legs(kind, legs)], [held, 0.0], named=False)
    assert {"nothing": found == LEAST, "something": LEAST < found < 1.0, "all": found == 1.0}[backs]
    assert factor([fuse_legs(kind, legs)], [held], named=True) == 1.0


@pytest.mark.parametrize(
    ("query", "says"),
    [("what is the of and", False), ("The of", False), ("is it", False), ("what is Tarn", True), ("人工", True)],
)
def test_a_question_of_stop_words_says_nothing(query: str, says: bool) -> None:
    assert says_something(query) is says
    assert factor((), (), named=False) == LEAST
    assert factor((), (), named=True) == 1.0  # "It" is a book
