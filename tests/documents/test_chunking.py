"""Chunks: contiguous byte for byte, aligned with the structure, of a bounded size, in linear time."""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kgfs.config import Config
from kgfs.documents.blocks import Block, line_blocks, plain_blocks
from kgfs.documents.chunking import chunk, chunk_at
from kgfs.documents.formats.parsing import document_blocks, number_pages, parse_document
from kgfs.documents.markdown import front_matter, markdown_blocks
from kgfs.documents.sentences import sentence_spans
from kgfs.documents.tokens import count_tokens
from kgfs.model import Chunk

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=400)
PIECES = st.lists(
    st.sampled_from(
        ["# Title\n", "## A\n", "### B\n", "\n", "word " * 30, "One sentence. Another one! ", "- item\n", "| a | b |\n",
         "|---|---|\n", "```\n", "x" * 300, "\r\n", "\r", "> quote\n", "Setext\n===\n", "    code\n", "é😀", "\ufeff",
         "---\n", "<div>\n", "[a]: b\n", "1. one\n", "\t", "\u2028", "\x0c", "\x1c", "\x85"]
    ),
    max_size=40,
).map("".join)  # fmt: skip


def check(text: str, chunks: list[Chunk]) -> None:
    assert "".join(piece.text for piece in chunks) == text
    offset, line = 0, 1
    for ordinal, piece in enumerate(chunks, 1):
        assert piece.ordinal == ordinal
        assert piece.text
        assert piece.start == offset
        assert piece.first_line == line
        assert piece.last_line >= piece.first_line
        offset += len(piece.text.encode())
        line += piece.text.count("\n")
    if chunks:
        assert chunks[-1].last_line <= text.count("\n") + 1


@pytest.mark.parametrize("blocks", [plain_blocks, line_blocks, markdown_blocks])
@given(text=st.one_of(TEXT, PIECES), size=st.sampled_from([(200, 350), (5, 9), (1, 1), (20, 30)]))
@example(text="\n\n", size=(200, 350))
@example(text="a\rb\r\n\r\nc", size=(1, 1))
@settings(max_examples=150, deadline=None)
def test_chunks_joined_are_the_text(blocks: object, text: str, size: tuple[int, int]) -> None:
    found = blocks(text)  # type: ignore[operator]
    if text:
        assert found[0].start == 0
        assert found[-1].end == len(text)
        assert all(a.end == b.start for a, b in pairwise(found))
    check(text, chunk(text, found, tokens_min=size[0], tokens_max=size[1]))


@given(text=PIECES)
@settings(max_examples=100, deadline=None)
def test_front_matter_does_not_disturb_the_tiling(text: str) -> None:
    text = "---\ntitle: x\n---\n" + text
    end = front_matter(text).end
    assert end
    check(text, chunk(text, markdown_blocks(text, end), tokens_min=10, tokens_max=20))


def test_an_empty_text_has_no_chunks() -> None:
    assert chunk("", []) == []


@given(st.lists(st.sampled_from(["word ", "longer words here ", "End. ", "\n\n", "x" * 40 + " "]), max_size=200))
@settings(max_examples=60, deadline=None)
def test_no_chunk_of_ordinary_text_is_above_the_maximum(pieces: list[str]) -> None:
    text = "".join(pieces)
    for piece in chunk(text, plain_blocks(text), tokens_min=20, tokens_max=40):
        assert count_tokens(piece.text) <= 40


def test_a_line_without_spaces_is_cut_and_loses_nothing() -> None:
    text = "é" * 100_000
    chunks = chunk(text, plain_blocks(text))
    check(text, chunks)
    assert max(piece.tokens for piece in chunks) <= 350


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["x", "word ", "A sentence here. ", "a,b\n", "\n", "# h\n", "- i\n"])
def test_time_is_linear(unit: str) -> None:
    small, large = (unit * (size // len(unit)) for size in (250_000, 1_000_000))
    times = []
    for text in (small, large):
        start = time.process_time()
        chunk(text, plain_blocks(text))
        times.append(time.process_time() - start)
    assert times[1] < 12 * times[0] + 0.5


def test_a_document_of_one_huge_line_is_cut_in_seconds() -> None:
    text = "lorem ipsum dolor sit amet " * 400_000  # 10 MB
    start = time.process_time()
    chunks = chunk(text, plain_blocks(text))
    assert time.process_time() - start < 15
    assert sum(len(piece.text) for piece in chunks) == len(text)


def markdown(text: str) -> list[Chunk]:
    return parse_document(text.encode(), "a.md").chunks


def test_a_heading_stays_with_what_follows() -> None:
    body = "Words stand here and go on. " * 30
    chunks = markdown(f"# T\n\n{body}\n\n## A\n\n{body}\n\n## B\n\n### C\n\n{body}\n")
    for piece in chunks[:-1]:
        last = [line for line in piece.text.splitlines() if line.strip()][-1]
        assert not last.startswith("#")
    assert [piece.headings for piece in chunks] == [["T"], ["T", "A"], ["T", "B", "C"]]


def test_sections_of_a_district_have_their_own_chunks() -> None:
    body = "Contacts said that wages rose at a moderate pace in most places. " * 14
    tail = "A short end of the section."
    text = "# Report: October 2019\n\nIntroduction.\n" + "".join(
        f"\n## Bank of {city}\n\n### Summary\n\n{body}\n\n### Wages\n\n{body}\n\n### Energy\n\n{tail}\n"
        for city in ("Boston", "Chicago", "Dallas")
    )
    for piece in markdown(text):
        cities = [city for city in ("Boston", "Chicago", "Dallas") if f"Bank of {city}" in piece.headings]
        assert len(cities) == 1
        assert all(f"## Bank of {other}" not in piece.text for other in {"Boston", "Chicago", "Dallas"} - set(cities))
        assert piece.headings[0] == "Report: October 2019"


def test_small_sections_share_a_chunk() -> None:
    text = "# T\n\n" + "".join(f"## S{n}\n\nA few words only.\n\n" for n in range(6))
    (only,) = markdown(text)
    assert only.headings == ["T"]


def test_tables_and_code_that_fit_are_not_cut() -> None:
    rows = "".join(f"| name {n} | value {n} |\n" for n in range(20))
    code = "```\n" + "".join(f"line_{n} = {n}\n" for n in range(30)) + "```\n"
    filler = "Some words that fill the chunk before it. " * 20
    chunks = markdown(f"# T\n\n{filler}\n\n| a | b |\n|---|---|\n{rows}\n{filler}\n\n{code}\n")
    assert any(rows in piece.text for piece in chunks)
    assert any(code in piece.text for piece in chunks)


def test_a_long_table_is_cut_between_rows() -> None:
    rows = "".join(f"| name {n} | value {n} of many words here |\n" for n in range(400))
    for piece in markdown("| a | b |\n|---|---|\n" + rows):
        assert piece.text.startswith("|")
        assert piece.text.endswith("|\n")


def test_the_date_goes_to_every_chunk() -> None:
    document = parse_document(("words " * 2000).encode(), "notes_2019-10.md", config=Config())
    assert {piece.date for piece in document.chunks} == {"2019-10"}


BOOKS = Path(__file__).parents[3] / "shared" / "data" / "beige_books"


@pytest.mark.data
@pytest.mark.skipif(not BOOKS.is_dir(), reason="the development data is not here")
def test_districts_of_the_beige_books() -> None:
    for path in sorted(BOOKS.glob("*.md")):
        document = parse_document(path.read_bytes(), path.name)
        check(document.text or "", document.chunks)
        assert document.date and len(document.date) == 7
        for piece in document.chunks:
            assert piece.text.count("\n## Federal Reserve Bank of ") == 0
            assert piece.tokens <= 360
        boston = [piece for piece in document.chunks if "Federal Reserve Bank of Boston" in piece.headings]
        assert len(boston) >= 4


def test_a_dated_heading_dates_its_passages() -> None:
    said = "Somebody said something about wages and prices in the north. " * 30
    text = f"# Diary\n\n{said}\n\n## 2023-07-10\n\n### Morning\n\n{said}\n\n"
    text += f"## Tuesday, 4 June 2024\n\n{said}\n\n## Rest\n\n{said}\n"
    document = parse_document(text.encode(), "diary.md", mtime_ns=1_571_000_000_000_000_000)
    dated = {piece.headings[-1]: piece.date for piece in document.chunks}
    assert dated == {
        "Diary": "2019-10-13",
        "Morning": "2023-07-10",
        "Tuesday, 4 June 2024": "2024-06-04",
        "Rest": "2019-10-13",
    }


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("# Log\n\n## 2023-07-10\n\nOrm lit it.\n\n## 2023-08-02\n\nTarn left.\n", ["2023-07-10", "2023-08-02"]),
        ("# Log\n\nA long line on how the log of the lamp is kept by all.\n\n## 2023-07-10\n\nOil.\n", ["2023-07-10"]),
        ("# Log\n\n## 2.0 - 2024-02-03\n\nOil.\n\n### Wicks\n\nNew.\n\n### Oil\n\nLess.\n", ["2024-02-03"]),
        ("# Log\n\n### 2023-07-10\n\nOil.\n\n## Rest\n\nNone.\n", ["2023-07-10", None]),
        ("# Log\n\n## 2023-07-10\n\n## 2023-08-02\n\nTarn put it out.\n", ["2023-08-02"]),
        ("**2023-07-10**\n\nOil.\n\n**2023-08-02**\n\nWicks.\n", ["2023-07-10", "2023-08-02"]),
        ("2023-07-10\n---\n\nOil.\n\n2023-08-02\n---\n\nWicks.\n", ["2023-07-10", "2023-08-02"]),
    ],
)  # fmt: skip
def test_a_dated_heading_begins_a_passage(text: str, dates: list[str | None]) -> None:
    chunks = parse_document(text.encode(), "log.md").chunks
    assert [piece.date for piece in chunks] == dates
    assert "".join(piece.text for piece in chunks) == text
    # A model that proposes one passage for all of it changes nothing.
    proposed = chunk_at(text, _marked(text), [])
    assert [piece.date for piece in proposed] == dates
    assert "".join(piece.text for piece in proposed) == text


def _marked(text: str) -> list[Block]:
    return document_blocks(parse_document(text.encode(), "log.md"))


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (
            "Tests: Kevin  \nBugs triaging: Peter Hunt. He came.",
            ["Tests: Kevin", "Bugs triaging: Peter Hunt.", "He came."],
        ),
        ("**Chair:** Ann Lee\\\n**Vice chair:** Bob Ray", ["**Chair:** Ann Lee", "**Vice chair:** Bob Ray"]),
        ("A line that is kept  \ngoes on here.", ["A line that is kept  \ngoes on here."]),
        ("Tests: Kevin\nBugs: Peter", ["Tests: Kevin\nBugs: Peter"]),
    ],
)
def test_a_label_on_a_line_of_its_own_begins_a_sentence(text: str, sentences: list[str]) -> None:
    assert [text[start:end] for start, end in sentence_spans(text)] == sentences


def test_marks_of_footnotes_belong_to_no_sentence() -> None:
    text = "He built it.[12][13] However, some say no.[a] He left (1932).[4]:5 See list[0] and a[1] there."
    found = [text[start:end] for start, end in sentence_spans(text)]
    assert found == ["He built it.", "However, some say no.", "He left (1932).", "See list[0] and a[1] there."]


@pytest.mark.parametrize(
    ("words", "pages"),
    [
        ([450, 450, 450], [1, 1, 2, 2, 3, 3]),  # what is left of a page is no passage with the next page
        ([300, 300, 300], [1, 2, 3]),
        ([360, 360], [1, 1, 2, 2]),
        ([60, 60, 60, 60], [1, 3]),  # short pages share one
        ([10, 300, 300], [2, 3]),  # a cover is no passage of its own
        ([300, 10], [1, 2]),
        ([300, 0, 300], [1, 3]),
    ],
)
def test_a_page_begins_a_passage(words: list[int], pages: list[int]) -> None:
    text, starts = "", []
    for count in words:
        starts.append(len(text))
        lines = [("lamp " * min(50, count - done)).strip() + "\n" for done in range(0, count, 50)]
        text += "".join(("\n" if text or number else "") + line for number, line in enumerate(lines))
    chunks = chunk(text, markdown_blocks(text), pages=starts)
    number_pages(chunks, starts)
    assert "".join(piece.text for piece in chunks) == text
    assert [piece.page for piece in chunks] == pages
    assert all(piece.tokens <= 350 for piece in chunks)


def test_a_list_ends_with_its_page() -> None:
    page = "".join(f"- lamp {number} burns all night long\n" for number in range(40))
    text = f"{page}\n{page}"
    chunks = chunk(text, markdown_blocks(text), pages=[0, len(page)])
    number_pages(chunks, [0, len(page)])
    firsts = [piece for piece in chunks if piece.text.lstrip().startswith("- lamp 0 ")]
    assert [piece.page for piece in firsts] == [1, 2]
