"""Snippets: one line, short enough, around the best match, cut on words."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgfs.search.snippets import WIDTH, coverage, snippet

FILLER = "Some other words that nobody looked for stand here in between. " * 20


@given(st.text(max_size=1500), st.text(max_size=60), st.integers(40, 300))
def test_any_text_gives_one_short_line(text: str, query: str, width: int) -> None:
    line = snippet(text, query, width)
    assert len(line) <= width
    assert line == " ".join(line.split())
    assert all(char.isprintable() or ord(char) > 0x9F for char in line)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text("abcdefgh", min_size=1, max_size=12), min_size=60, max_size=120), st.data())
def test_what_is_shown_stands_in_the_text_in_whole_words(words: list[str], data: st.DataObject) -> None:
    text = " ".join(words)
    line = snippet(text, data.draw(st.sampled_from(words)))
    shown = line.strip("…")
    assert shown in text
    assert set(shown.split()) <= set(words)


@pytest.mark.parametrize("place", ["start", "middle", "end"])
def test_the_match_is_shown_wherever_it_stands(place: str) -> None:
    match = "Wages in the Boston District rose modestly."
    text = {"start": match + " " + FILLER, "middle": FILLER + match + " " + FILLER, "end": FILLER + match}[place]
    line = snippet(text, "what happened to wages in Boston")
    assert match in line
    assert len(line) > WIDTH / 2
    assert line.startswith("…") == (place != "start")
    assert line.endswith("…") == (place != "end")


def test_the_sentence_that_holds_the_words_is_shown_to_its_end() -> None:
    """What was asked for stands behind the words of the question, at the end of a sentence that its author wrapped."""
    fact = "The ferry to the northern islands, which\nleaves from pier 9 in the old harbor of Reno, takes 47\nminutes."
    long = f"{FILLER}{FILLER.strip()}\n\n{fact} {FILLER}"
    line = snippet(long, "how long does the ferry to the northern islands take")
    assert " ".join(fact.split()) in line
    assert line.strip("…").endswith(".") and len(line) <= WIDTH
    at_length = "The ferry " + "that is painted blue " * 9 + "and goes to Reno costs 47 dollars. " + FILLER
    assert "costs 47 dollars.…" in snippet(at_length, "what does the ferry to Reno cost")
    assert "…It was built by Dr. J. Smith in 1901. Some" in snippet(
        FILLER + "It was built by Dr. J. Smith in 1901. " + FILLER, "built"
    )


def test_most_words_together_win_over_many_of_one() -> None:
    text = "Boston. Boston. Boston. Boston. " + FILLER + "In Boston the wages rose." + FILLER
    assert "the wages rose" in snippet(text, "wages Boston")


def test_other_forms_of_a_word_match() -> None:
    assert "acquisition was rumoured; Google acquired it" in snippet(
        FILLER + "An acquisition was rumoured; Google acquired it." + FILLER, "acquiring"
    )


def test_no_match_shows_the_beginning() -> None:
    assert snippet("The beginning. " + FILLER, "zeppelin").startswith("The beginning. Some other")


@pytest.mark.parametrize("end", ["---\n", "...\n", "--- \r\n"])
def test_front_matter_is_shown_only_where_nothing_else_matches(end: str) -> None:
    text = "---\ntitle: Slack records\ntags: [archive]\n" + end + "Messages in Slack may be records. " + FILLER
    for query in ("Slack records", "zeppelin"):
        assert snippet(text, query).startswith("Messages in Slack may be records. Some")
    assert "tags: [archive]" in snippet(text, "archive")
    assert snippet("---\ntitle: All there is\n---\n", "zeppelin") == "--- title: All there is ---"
    assert snippet("---\nA rule, then text. " + FILLER, "rule").startswith("--- A rule, then text.")


def test_text_without_spaces_is_cut() -> None:
    assert len(snippet("工资上涨" * 200, "工资")) <= WIDTH
    assert len(snippet("x" * 5000, "y")) <= WIDTH


def test_terminal_escapes_are_no_part_of_it() -> None:
    assert snippet("a\x1b[31mred\x07 \u2028b\r\nc", "red") == "a [31mred b c"


@pytest.mark.parametrize(
    ("match", "query"),
    [
        ("人工智能是计算机科学的一个分支。", "人工智能"),
        ("コンピュータは計算機である。", "計算機"),
        ("인공지능은 컴퓨터 과학의 한 분야이다.", "컴퓨터"),
        ("ปัญญาประดิษฐ์เป็นสาขาหนึ่ง", "ประดิษฐ์"),
        ("Лошади паслись за городом.", "лошадей"),
        ("Die Bürger wählten den Rat.", "burger"),
        ("الكتاب القديم في المكتبة", "المكتبة"),
    ],
)
def test_the_match_is_shown_in_every_script(match: str, query: str) -> None:
    line = snippet(FILLER + match + " " + FILLER, query)
    assert match in line
    assert line.startswith("…") and line.endswith("…")


@pytest.mark.parametrize(
    ("query", "text", "share"),
    [
        ("Häusern", "Die Häuser der Altstadt wurden gebaut.", 1.0),
        ("старых городов", "Дома в старом городе построены давно.", 1.0),
        ("人工智能", "人工智能是计算机科学的一个分支。", 1.0),
        ("zzzzqqqq xyzzy", "Die Häuser der Altstadt wurden gebaut.", 0.0),
        ("contracts", "The control of the contrast is with the editor.", 0.0),
    ],
)
def test_a_question_is_covered_by_other_forms_of_its_words(query: str, text: str, share: float) -> None:
    assert coverage(query, text) == share
