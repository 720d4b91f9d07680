"""What one document claims of topics: tags, headings, what headings join, and phrases."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from kgfs.config import Config
from kgfs.documents.formats import parsing
from kgfs.extraction.extractor import extract
from kgfs.extraction.names.tagging import has_tagger
from kgfs.extraction.phrases import noun_phrases
from kgfs.extraction.topic_words import CLOSERS, OPENERS, says_nothing, topic_name
from kgfs.extraction.topics import heading_subject, name_conjuncts
from kgfs.model import Extraction, TopicCandidate

FILLER = "Plain words in a sentence that goes on for a while. " * 30


def read(text: str, extractor: str = "patterns") -> Extraction:
    return extract(parsing.parse_document(text.encode(), "a.md", config=Config()), extractor=extractor)


def claimed(extraction: Extraction, source: str) -> dict[tuple[str, ...], TopicCandidate]:
    return {tuple(topic.path): topic for topic in extraction.topics if topic.source == source}


def words(text: str) -> list[tuple[str, str]]:
    """``word/TAG`` as words with their parts of speech."""
    return [(word, tag) for word, _, tag in (one.rpartition("/") for one in text.split())]


@pytest.mark.parametrize(
    ("sentence", "phrases"),
    [
        ("Commercial/JJ real/JJ estate/NN slowed/VBD ./.", ["commercial real estate", "real estate"]),
        ("strong/JJ loan/NN demand/NN fell/VBD", ["loan demand"]),
        ("recent/JJ years/NNS", []),
        ("the/DT Boston/NNP labor/NN market/NN", ["labor market"]),
        ("full/JJ -/HYPH time/NN office/NN workers/NNS", ["office workers"]),
        ("year/NN -/HYPH over/IN -/HYPH year/NN price/NN growth/NN", ["price growth"]),
        ("wages/NNS and/CC prices/NNS", []),
        ("x/NN ray/NN", []),
        ("Banks/NNS tightened/VBD credit/NN standards/NNS", ["credit standards"]),
        ("", []),
    ],
)
def test_phrases_of_a_sentence(sentence: str, phrases: Sequence[str]) -> None:
    assert list(noun_phrases(words(sentence))) == phrases


def test_a_phrase_has_no_more_than_four_words() -> None:
    found = list(noun_phrases(words("a1/NN cat/NN dog/NN cow/NN hen/NN fox/NN")))
    assert "cat dog cow hen" in found
    assert max(len(phrase.split()) for phrase in found) == 4


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("employment and wages", ["employment", "wages"]),
        ("ports & transportation", ["ports", "transportation"]),
        ("roads, ports and rail", ["roads", "ports", "rail"]),
        ("roads, ports, and rail", ["roads", "ports", "rail"]),
        ("commercial real estate", []),
        ("and", []),
        ("brandy", []),
    ],
)
def test_what_a_name_joins(name: str, parts: list[str]) -> None:
    assert name_conjuncts(name) == parts


@pytest.mark.parametrize(
    "name",
    [
        "overview", "2019", "q3", "additional reading", "types of things", "quick links", "see also", "",
        "getting here", "pros", "there", "final words",
        "january", "early january 2020", "2020 03", "monday", "week two", "3rd quarter", "the first of may", "two",
    ],
)  # fmt: skip
def test_names_that_say_nothing(name: str) -> None:
    assert says_nothing(name)


@pytest.mark.parametrize(
    "name",
    ["march madness", "second language", "day care", "wages", "labor markets", "generalists", "linked data", "tax"],
)
def test_names_that_say_something(name: str) -> None:
    assert not says_nothing(name)


@pytest.mark.parametrize(
    ("heading", "subject"),
    [("Labor Markets", "labor markets"), ("Labor Markets {#labor-markets}", "labor markets"), ("Wages {", None)],
)
def test_the_subject_of_a_heading(heading: str, subject: str | None) -> None:
    assert heading_subject(heading) == subject


def test_word_lists_are_words() -> None:
    assert all(word == word.lower().strip() and word for word in OPENERS | CLOSERS)
    assert topic_name(" #Labor-Markets: ") == "labor markets"


def test_headings_have_the_heading_above_and_their_first_sentence() -> None:
    extraction = read(
        f"# T\n\n{FILLER}\n\n## Labor markets\n\nLabor is what people do for pay.\n\n"
        "### Wages\n\nWages are paid for work done.\n\n"
        f"## Prices\n\nToo short.\n\n### Wages\n\n{FILLER}\n"
    )
    found = claimed(extraction, "heading")
    assert set(found) == {("labor markets",), ("labor markets", "wages"), ("prices",), ("prices", "wages")}
    assert found["labor markets", "wages"].lead == "Wages are paid for work done."
    assert found["labor markets",].lead == "Labor is what people do for pay."
    assert found["prices",].lead == ""
    assert found["prices", "wages"].times == 2
    assert set(found["labor markets", "wages"].chunks) <= set(found["labor markets",].chunks)


def test_the_parts_of_a_joined_heading_have_the_passages_that_speak_of_them() -> None:
    extraction = read(
        f"# T\n\n{FILLER}\n\n## Employment and Wages\n\nWages rose. {FILLER}\n\nThe wage rose. {FILLER}\n\n"
        f"Hiring was slow. {FILLER}\n"
    )
    found = claimed(extraction, "part")
    assert set(found) == {("employment and wages", "wages")}
    whole = claimed(extraction, "heading")["employment and wages",]
    assert 1 <= len(found["employment and wages", "wages"].chunks) < len(whole.chunks)


def test_generic_tags_and_names_of_things_are_none() -> None:
    extraction = read(
        "---\ntags: [overview, 2019, Google, wages, a/draft]\n---\n# T\n\nGoogle Inc. bought Kaggle in 2017.\n"
    )
    assert ("wages",) in claimed(extraction, "tag")
    assert not {("overview",), ("2019",), ("a", "draft")} & set(claimed(extraction, "tag"))


def test_phrases_need_the_tagger_and_count_by_chunk() -> None:
    if not has_tagger():
        pytest.skip("needs a model of spaCy")
    text = "Commercial real estate was steady. Demand for commercial real estate rose. Loan demand fell.\n"
    patterns = read(text)
    assert not claimed(patterns, "phrase")
    extraction = read(text, extractor="auto")
    found = claimed(extraction, "phrase")
    assert found["commercial real estate",].counts == [2]
    assert found["loan demand",].counts == [1]
    assert ("estate",) not in found
    assert all(len(topic.counts) == len(topic.chunks) for topic in found.values())
