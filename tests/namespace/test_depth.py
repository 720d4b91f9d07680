"""What is as deep as a reader's path, pattern or sentence is: no step of ours calls itself once a level."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace
from typing import Any, cast

from kgfs.extraction.facts.sentences.syntax import _names
from kgfs.namespace.changes import _Standing
from kgfs.namespace.journal import Journal
from kgfs.namespace.node import ROOT
from kgfs.namespace.queries.literals import needles
from kgfs.namespace.queries.query_cache import QueryCache, visiting

DEPTH = 5_000


def test_queries_beneath_queries_are_forgotten() -> None:
    queries = QueryCache({}, lambda _: None, cast(Any, None), Journal())
    with visiting():
        number = queries.area("@find", ROOT)
        for level in range(DEPTH):
            number = queries.word("@find/<predicate>", number, f"date={level}")
        assert len(queries) == DEPTH + 1
    assert len(queries) == 0
    number = queries.area("@find", ROOT)
    numbers = [number]
    for level in range(DEPTH):
        numbers.append(queries.word("@find/<predicate>", numbers[-1], f"date={level}"))
    queries.forget(numbers)
    assert len(queries) == 0
    assert queries.area("@find", ROOT) > number


def test_groups_in_groups_have_no_literals() -> None:
    assert needles("(" * DEPTH + "Google" + ")" * DEPTH, False, False).texts == ()
    assert needles("(" * 20 + "Google" + ")" * 20, False, False).texts == ("Google",)


def test_a_list_of_thousands_of_names() -> None:
    """``Ann, Bob, Carl …``: the syntax hangs each from the one before it."""
    words: list[Any] = [SimpleNamespace(i=i, dep_="conj", children=[]) for i in range(DEPTH)]
    for before, word in pairwise(words):
        before.children.append(word)
        word.head = before
    words[0].dep_ = "nsubj"
    marks = {word.i: word.i for word in words}
    assert list(_names(words[0], marks)) == list(range(DEPTH))


def test_directories_in_directories_are_found_where_they_stand() -> None:
    """Each number stands in the one before it; from ``lost`` on nothing leads to it."""
    lost = DEPTH // 2

    class Chain:
        root = 0

        def parent_in(self, snapshot: Any, node: int) -> tuple[int, str]:
            return node - 1, f"d{node}"

        def lookup_in(self, snapshot: Any, above: int, name: str) -> int:
            return 0 if above + 1 == lost else above + 1

    standing = _Standing(cast(Any, Chain()), cast(Any, None))
    assert standing.place(DEPTH) is None
    assert standing.place(lost) is None
    assert standing.place(lost - 1) == (lost - 2, f"d{lost - 1}")
