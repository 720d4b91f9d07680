"""PDF: pages, headings, paragraphs and running heads; scans, passwords and damage."""

# Documents and what is read from them stand as they are written.
# ruff: noqa: E501

from __future__ import annotations

import io
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reportlab.pdfgen.canvas import Canvas

from kgfs.config import Config
from kgfs.documents.formats.parsing import document_blocks, parse_document
from kgfs.model import ParsedDocument
from tests.documents.made_files import JAPANESE, pdf, scan

SENTENCE = "Wages in the Boston District rose modestly, employers said, and more of them are hiring."


def checked(document: ParsedDocument) -> ParsedDocument:
    assert document.text is not None, document.unread
    assert "".join(piece.text for piece in document.chunks) == document.text
    assert "".join(document.text[b.start : b.end] for b in document_blocks(document)) == document.text
    return document


def test_pages_headings_paragraphs_and_items() -> None:
    pages = [
        [(24, "Beige Book"), (0, ""), (11, SENTENCE), (11, "They expect more."), (0, ""), (11, "# Another paragraph.")],
        [
            (16, "Prices and costs"),
            (0, ""),
            (11, SENTENCE),
            (0, ""),
            (11, "\u2022 the first"),
            (11, "\u2022 the second"),
        ],
    ]
    data = pdf(pages, title="The Beige Book", author="Ann", subject="wages", keywords="labor, prices")
    document = checked(parse_document(data, "a.pdf", mtime_ns=0))
    assert document.text == (
        f"# Beige Book\n\n{SENTENCE}\nThey expect more.\n\n\\# Another paragraph.\n\n## Prices and costs\n\n{SENTENCE}\n\n"
        "- the first\n\n- the second\n"
    )
    assert (document.mime_type, document.title) == ("application/pdf", "The Beige Book")
    assert document.front_matter == {"author": "Ann", "subject": "wages", "pages": 2}
    assert document.tags == ["labor", "prices"]
    assert document.date == "2000-01-01"  # what reportlab writes when its output must always be the same
    assert parse_document(data, "2019-10 book.pdf").date == "2019-10"


def test_each_chunk_knows_its_page() -> None:
    pages = [[(11, f"On page {number} something is said. {SENTENCE}")] * 12 for number in range(1, 9)]
    document = checked(parse_document(pdf(pages), "a.pdf"))
    assert len(document.chunks) >= 8
    for piece in document.chunks:
        assert f"On page {piece.page} " in piece.text[:200]
    assert [piece.page for piece in document.chunks] == sorted(piece.page or 0 for piece in document.chunks)


def test_no_chunk_runs_over_the_end_of_a_long_page() -> None:
    pages = [[(11, f"On page {number} something is said. {SENTENCE}"), (0, "")] * 18 for number in range(1, 5)]
    document = checked(parse_document(pdf(pages), "a.pdf"))
    for piece in document.chunks:
        assert {int(number) for number in re.findall(r"On page (\d)", piece.text)} == {piece.page}
        assert piece.tokens >= 100


@pytest.mark.parametrize(
    ("lines", "title"),
    [
        (["Keeping the Lamps of Orm", "", SENTENCE, SENTENCE], "Keeping the Lamps of Orm"),
        (["Keeping the Lamps of Orm", SENTENCE, SENTENCE], "a"),
        (["Dear Ann,", "", SENTENCE, SENTENCE], "a"),
        (["Tarn, 4 June 2024", "", SENTENCE, SENTENCE], "a"),
        (["Orm Works", "1 Quay", "", SENTENCE, SENTENCE], "a"),
        (["Orm Works", "", "1 Quay", "", SENTENCE, SENTENCE], "a"),
    ],
)
def test_a_line_alone_above_the_text_is_the_title(lines: list[str], title: str) -> None:
    page = [(11 if line else 0, line) for line in lines]
    assert checked(parse_document(pdf([page, [(11, SENTENCE)] * 3]), "a.pdf")).title == title


def test_running_heads_and_page_numbers_are_left_out() -> None:
    pages = [
        [
            (9, f"Annual report of the Bank {number}"),
            (0, ""),
            (11, f"{SENTENCE} {'abcdefg'[number] * 5}"),
            (0, ""),
            (9, f"{number + 4}"),
        ]
        for number in range(1, 7)
    ]
    text = checked(parse_document(pdf(pages), "a.pdf")).text or ""
    assert "Annual report" not in text
    assert [line for line in text.split("\n") if line.isdigit()] == []
    assert text.count(SENTENCE) == 6


def test_headings_and_rows_at_the_edge_of_each_page_are_no_running_heads() -> None:
    pages = [
        [
            (18, f"Section {number} of it"),
            (0, ""),
            (11, f"{2000 + number * number} 3.5 4.25"),
            (0, ""),
            (11, f"{SENTENCE} {'abcdefg'[number] * 5}"),
            (0, ""),
            (11, f"{1900 + number * number} 3 4"),
            (0, ""),
            (9, f"Page {number if number < 4 else number - 3} of 6"),
        ]
        for number in range(1, 7)
    ]
    text = checked(parse_document(pdf(pages), "a.pdf")).text or ""
    assert "Page" not in text
    for number in range(1, 7):
        assert f"# Section {number} of it\n\n{2000 + number * number} 3.5 4.25\n" in text
        assert f"{1900 + number * number} 3 4\n" in text


def test_a_table_of_contents_has_no_headings() -> None:
    contents = [(16, "Contents"), (0, ""), (14, "1 Wages . . . . . . . . 2"), (14, "2 Prices.........3"), (0, "")]
    text = checked(
        parse_document(pdf([[*contents, (11, SENTENCE)], [(14, "1 Wages"), (0, ""), (11, SENTENCE)]]), "a.pdf")
    ).text
    assert [line for line in (text or "").split("\n") if line.startswith("#")] == ["## Contents", "### 1 Wages"]


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Microsoft Word - Wages and prices", "Wages and prices"),
        ("report_final.docx", "Head of it"),
        ("", "Head of it"),
    ],
)
def test_titles(title: str, expected: str) -> None:
    data = pdf([[(24, "Head of it"), (0, ""), (11, SENTENCE)]], title=title)
    assert parse_document(data, "a.pdf").title == expected
    assert parse_document(pdf([[(11, SENTENCE)]], title="untitled"), "name of it.pdf").title == "name of it"


def test_other_scripts() -> None:
    document = checked(parse_document(pdf([[(11, JAPANESE)]], font="HeiseiMin-W3"), "a.pdf"))
    assert document.text == JAPANESE + "\n"


def refused(data: bytes, name: str = "a.pdf") -> str:
    document = parse_document(data, name)
    assert (document.text, document.chunks, document.notes) == (None, [], [document.unread])
    assert document.mime_type == "application/pdf"
    return document.unread


def test_what_gives_no_text_is_kept_as_a_file() -> None:
    assert refused(scan()) == "No text (scanned?); kept as a file."
    assert refused(pdf([[(11, SENTENCE)]], password="secret")) == "It asks for a password; kept as a file."
    broken = "It is broken (no PDF reader can open it); kept as a file."
    assert refused(b"") == broken
    assert refused(b"%PDF-1.7\n") == broken
    assert refused(b"%PDF-1.7\n" + bytes(range(256)) * 40, "a") == broken
    assert refused(b"just words") == broken


def test_pages_without_text_among_others_are_told() -> None:
    document = checked(parse_document(pdf([[(11, SENTENCE)], [], []]), "a.pdf"))
    assert document.notes == ["2 of 3 pages have no text (scanned?)."]


def test_the_suffix_does_not_matter() -> None:
    data = pdf([[(11, SENTENCE)]])
    assert {parse_document(data, name).mime_type for name in ("a.pdf", "a", "a.txt", "a.PDF", "a.md")} == {
        "application/pdf"
    }


def test_a_long_document_keeps_its_first_pages() -> None:
    data = pdf([[(11, f"{SENTENCE} {number}")] * 40 for number in range(20)])
    document = checked(parse_document(data, "a.pdf", config=Config(max_extracted_bytes=10_000)))
    assert len(document.text or "") == 10_000
    assert document.notes == ["Its text is very long: it was kept up to page 4."]


SAMPLE = pdf([[(24, "Head"), (11, SENTENCE)], [(11, SENTENCE)]])


@given(st.integers(0, len(SAMPLE) - 1), st.binary(min_size=1, max_size=12), st.booleans())
@settings(max_examples=200, deadline=None)
def test_no_damage_is_too_odd(place: int, change: bytes, cut: bool) -> None:
    data = SAMPLE[:place] + change + (b"" if cut else SAMPLE[place + len(change) :])
    document = parse_document(data, "a.pdf")
    if document.mime_type == "application/pdf":  # else its first bytes became those of another format
        assert (document.text is None) == bool(document.unread)
    if document.text is not None:
        checked(document)


def test_cells_of_a_line_with_gaps_are_paragraphs_and_sentences_are_none() -> None:
    file = io.BytesIO()
    canvas = Canvas(file, invariant=1)
    canvas.setFont("Helvetica", 11)
    canvas.drawString(72, 700, "Lamp Tester")
    canvas.drawString(300, 700, "Tests all lamps of the house and")
    canvas.drawString(300, 686, "writes down what was found.")
    canvas.drawString(72, 640, "This line has words and no gap between them, and goes on")
    canvas.drawString(72, 626, "in a second line that ends here.")
    canvas.showPage()
    canvas.save()
    text = parse_document(file.getvalue(), "a.pdf").text or ""
    paragraphs = [" ".join(one.split()) for one in text.split("\n\n")]
    assert paragraphs[-3:] == [
        "Lamp Tester",
        "Tests all lamps of the house and writes down what was found.",
        "This line has words and no gap between them, and goes on in a second line that ends here.",
    ]


def test_a_label_above_its_text_is_a_paragraph() -> None:
    """Where the first word of the next line had room on a line, that line was ended on purpose."""
    lines = [
        "Exploit Scenario",
        "Bob runs a server of lamps, and Eve reads what it writes. Whoever may look at the lamps of",
        "Acme Works may also look at what Bob wrote there in the last weeks; this was found by Delta",
        "Works and was mended soon.",
        "Recommendation",
        "Acme Works should have a",
        "password for each lamp.",
    ]
    file = io.BytesIO()
    canvas = Canvas(file, invariant=1)
    canvas.setFont("Helvetica", 11)
    for number, line in enumerate(lines):
        canvas.drawString(72, 700 - 14 * number, line)
    canvas.showPage()
    canvas.save()
    text = parse_document(file.getvalue(), "a.pdf").text or ""
    paragraphs = [" ".join(one.split()) for one in text.split("\n\n")]
    assert paragraphs[-4:] == [lines[0], " ".join(lines[1:4]), lines[4], " ".join(lines[5:])]
