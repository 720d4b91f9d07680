"""Nouns in the singular."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgfs.plurals import singular

PAIRS = """
    analyses analysis, policies policy, processes process, branches branch, requests request, boxes box, dishes dish,
    movies movie, ties tie, caches cache, sizes size, prizes prize, houses house, viruses virus, statuses status,
    campuses campus, people person, children child, People Person, PEOPLE PERSON, matrices matrix, criteria criterion,
    pull requests pull request, Account Managers Account Manager, SIGs SIG, APIs API, clauses clause, men man
"""
SAME = "glass bus analysis gas status series news sales species lens CSS GPS address Wellness rhombus x"


def test_of_several() -> None:
    pairs = [pair.split() for pair in PAIRS.split(",")]
    several = {" ".join(words[: len(words) // 2]): " ".join(words[len(words) // 2 :]) for words in pairs}
    assert {phrase: singular(phrase) for phrase in several} == several


@pytest.mark.parametrize("word", SAME.split())
def test_of_one(word: str) -> None:
    assert singular(word) == word


@given(st.text())
def test_any_text(text: str) -> None:
    assert len(singular(text)) <= len(text) + 2
    assert singular(text).startswith(text.rpartition(" ")[0])
