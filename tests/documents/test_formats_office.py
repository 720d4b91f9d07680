"""DOCX, PPTX, workbooks and EPUB: text, structure, properties, and what is broken, locked, huge or misnamed."""

# Documents and what is read from them stand as they are written.
# ruff: noqa: E501

from __future__ import annotations

import datetime as dt
import io
import struct
import zipfile
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgfs.config import Config
from kgfs.documents.formats.parsing import document_blocks, parse_document
from kgfs.model import ParsedDocument
from tests.documents.made_files import SCRIPTS, archive, book, deck, with_part, word, workbook

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def checked(document: ParsedDocument) -> ParsedDocument:
    assert document.text is not None, document.unread
    assert "".join(piece.text for piece in document.chunks) == document.text
    assert "".join(document.text[b.start : b.end] for b in document_blocks(document)) == document.text
    assert not document.text_is_content
    return document


def simple(kind: str, text: str = "Wages rose in Boston.") -> bytes:
    """A small document of a kind with a title, so that every test of bad input has one to spoil."""
    if kind == "docx":
        return word(lambda d: (d.add_heading("Report", 1), d.add_paragraph(text)))
    if kind == "pptx":

        def build(presentation: Any) -> None:
            slide = presentation.slides.add_slide(presentation.slide_layouts[1])
            slide.shapes.title.text = "Report"
            slide.placeholders[1].text = text

        return deck(build)
    if kind == "xlsx":
        return workbook({"Report": [["text"], [text]]})
    return book({"one.xhtml": f"<html><body><h1>Report</h1><p>{text}</p></body></html>"})


KINDS = ["docx", "pptx", "xlsx", "epub"]


# --- what is in them -----------------------------------------------------------------------------------------------


def test_word() -> None:
    def build(document: Any) -> None:
        document.add_heading("Beige Book", 0)
        document.add_heading("Boston", 1)
        document.add_paragraph("Wages rose modestly.\nRetail sales were # flat.")
        document.add_paragraph("first", style="List Bullet")
        document.add_paragraph("second", style="List Bullet 2")
        document.add_heading("Prices", 2)
        table = document.add_table(2, 2)
        for place, text in enumerate(["Year", "Rate | percent", "2019", "3.6"]):
            table.cell(place // 2, place % 2).text = text
        document.add_paragraph("---")
        document.add_paragraph("")

    data = word(
        build, title="The Book", author="Ann", keywords="wages; prices", modified=dt.datetime(2019, 10, 16, 9, 30)
    )
    document = checked(parse_document(data, "a.docx", mtime_ns=0))
    assert document.text == (
        "# Beige Book\n\n# Boston\n\nWages rose modestly.\nRetail sales were # flat.\n\n- first\n  - second\n\n"
        "## Prices\n\n| Year | Rate / percent |\n| --- | --- |\n| 2019 | 3.6 |\n\n\\---\n"
    )
    assert (document.title, document.date) == ("The Book", "2019-10-16T09:30:00Z")
    assert (document.front_matter["author"], document.tags) == ("Ann", ["wages", "prices"])
    assert parse_document(data, "2020-01-02 book.docx").date == "2020-01-02"


def test_word_changes_boxes_notes_and_controls() -> None:
    names = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    body = (
        f"<w:document {names}><w:body><w:p><w:r><w:t>kept </w:t></w:r><w:ins><w:r><w:t>added </w:t></w:r></w:ins>"
        "<w:del><w:r><w:delText>removed</w:delText></w:r></w:del><w:hyperlink><w:r><w:t>linked</w:t></w:r></w:hyperlink>"
        "</w:p><w:sdt><w:sdtContent><w:p><w:r><w:t>controlled</w:t></w:r></w:p></w:sdtContent></w:sdt>"
        "<w:p><w:pPr><w:outlineLvl w:val='1'/></w:pPr><w:r><w:t>Outlined</w:t></w:r></w:p>"
        "<w:p><w:r><w:fldChar/><w:instrText>PAGE</w:instrText></w:r><w:r><w:tab/><w:t>after</w:t></w:r></w:p>"
        "</w:body></w:document>"
    )
    document = checked(parse_document(with_part(simple("docx"), "word/document.xml", body.encode()), "a.docx"))
    assert document.text == "kept added linked\n\ncontrolled\n\n## Outlined\n\nafter\n"


def test_slides() -> None:
    def build(presentation: Any) -> None:
        for number in (1, 2):
            slide = presentation.slides.add_slide(presentation.slide_layouts[1])
            slide.shapes.title.text = f"Slide on wages {number}"
            frame = slide.placeholders[1].text_frame
            frame.text = "one"
            paragraph = frame.add_paragraph()
            paragraph.text, paragraph.level = "deeper", 1
        slide.notes_slide.notes_text_frame.text = "Say this aloud."
        table = slide.shapes.add_table(1, 2, 0, 0, 100, 100).table
        table.cell(0, 0).text, table.cell(0, 1).text = "A", "B"
        presentation.slides.add_slide(presentation.slide_layouts[6])

    document = checked(parse_document(deck(build, author="Ann"), "talk.pptx"))
    assert document.text == (
        "## Slide on wages 1\n\n- one\n  - deeper\n\n## Slide on wages 2\n\n- one\n  - deeper\n\n| A | B |\n| --- | --- |\n\n"
        "Say this aloud.\n"
    )
    assert document.title == "Slide on wages 1"
    assert (document.front_matter["pages"], document.chunks[0].page) == (3, 1)
    small = parse_document(deck(build), "talk.pptx", config=Config(chunk_tokens_min=1, chunk_tokens_max=8))
    assert [piece.page for piece in small.chunks if "wages 2" in piece.text] == [2]


def test_a_deck_without_text_is_kept_as_a_file() -> None:
    document = parse_document(deck(lambda d: d.slides.add_slide(d.slide_layouts[6])), "a.pptx")
    assert (document.text, document.unread) == (None, "No text on its 1 slides (pictures?); kept as a file.")


def test_workbooks() -> None:
    data = workbook(
        {
            "Rates": [["District", "Date", "Rate", "Up"], ["Boston", dt.date(2019, 10, 16), 3.5, True], ["Dallas", None, 4.0]],
            "Empty": [],
            "Far": [[], [], [None, None, "x"]],
        },
        title="The rates", creator="Ann",
    )  # fmt: skip
    document = checked(parse_document(data, "a.xlsx"))
    assert document.text == (
        "## Rates\n\n| District | Date | Rate | Up |\n| --- | --- | --- | --- |\n| Boston | 2019-10-16 | 3.5 | TRUE |\n"
        "| Dallas |  | 4 |  |\n\n## Far\n\n| x |\n| --- |\n"
    )
    assert (document.title, document.front_matter) == ("The rates", {"author": "Ann"})


def test_a_long_sheet_is_cut_at_rows() -> None:
    document = checked(
        parse_document(workbook({"S": [["n", "name"], *([n, f"row {n}"] for n in range(3000))]}), "a.xlsx")
    )
    assert len(document.chunks) > 30
    assert all(piece.text.endswith("|\n") for piece in document.chunks)


def test_a_sheet_whose_corners_are_far_apart_takes_no_memory() -> None:
    cells = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>'
    sheet = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>%s</sheetData></worksheet>'
    data = with_part(simple("xlsx"), "xl/worksheets/sheet1.xml", (sheet % cells).encode())
    assert refused(data, "a.xlsx") == (
        "One of its sheets spans 17,179,869,184 cells, more than 20,000,000; kept as a file."
    )


def test_books() -> None:
    chapters: dict[str, str | bytes] = {
        "one.xhtml": "<html><head><title>x</title></head><body><h1>First</h1><p>Wages &amp; prices.</p></body></html>",
        "two%20words.xhtml": "<html><body><p>nothing: its name is odd</p></body></html>",
        "latin.xhtml": "<?xml version='1.0' encoding='iso-8859-1'?><html><body><p>Grüße</p></body></html>".encode(
            "latin-1"
        ),
        "gone.xhtml": "",
    }
    metadata = (
        "<dc:title>The Book</dc:title><dc:creator>Ann</dc:creator><dc:creator>Bob</dc:creator><dc:date>2019-10-16</dc:date>"
        "<dc:description>&lt;p&gt;About &lt;b&gt;wages&lt;/b&gt;.&lt;/p&gt;</dc:description><dc:subject>labor</dc:subject>"
    )
    document = checked(parse_document(book(chapters, metadata, missing=["gone.xhtml"]), "a.epub"))
    assert document.text == "# First\n\nWages & prices.\n\nGrüße\n"
    assert (document.title, document.date, document.tags) == ("The Book", "2019-10-16", ["labor"])
    assert (document.front_matter["author"], document.description) == ("Ann, Bob", "About wages.")
    assert document.notes == ["2 of 4 chapters are missing or broken; they were left out."]


def test_a_protected_book() -> None:
    document = parse_document(book({"a.xhtml": "\x01\x02"}, encrypted=["a.xhtml"]), "a.epub")
    assert document.unread == "Its text is encrypted (it is protected against copying); kept as a file."


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", SCRIPTS)
def test_all_scripts(kind: str, text: str) -> None:
    document = checked(parse_document(simple(kind, text), f"a.{kind}"))
    assert document.text is not None and text in document.text


@pytest.mark.parametrize("kind", KINDS)
def test_office_files_are_known_without_their_suffix(kind: str) -> None:
    data = simple(kind)
    assert parse_document(data, "a").mime_type == parse_document(data, f"a.{kind}").mime_type
    assert parse_document(data, "a.txt").text is not None


# --- what is wrong with them ---------------------------------------------------------------------------------------


def refused(data: bytes, name: str, config: Config | None = None) -> str:
    document = parse_document(data, name, config=config)
    assert document.text is None and not document.chunks
    assert document.notes == [document.unread]
    assert document.unread.endswith("; kept as a file.") and "\n" not in document.unread
    return document.unread


@pytest.mark.parametrize("kind", KINDS)
def test_broken_files_are_reported(kind: str) -> None:
    data = simple(kind)
    assert refused(b"", f"a.{kind}") == "It is empty; kept as a file."
    assert "broken" in refused(data[: len(data) // 2], f"a.{kind}")
    assert "broken" in refused(data[-200:], f"a.{kind}")
    assert "broken" in refused(b"just words", f"a.{kind}")
    assert "broken" in refused(archive({"readme.txt": "another archive"}), f"a.{kind}")
    assert "broken" in refused(b"PK\x03\x04" + bytes(100), f"a.{kind}")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("other", KINDS)
def test_another_kind_of_office_file_under_the_suffix(kind: str, other: str) -> None:
    if kind != other:
        assert "kept as a file" in refused(simple(other), f"a.{kind}")


@pytest.mark.parametrize("kind", KINDS)
def test_locked_files_are_reported(kind: str) -> None:
    locked = OLE + bytes(500) + "EncryptedPackage".encode("utf-16-le") + bytes(500)
    assert refused(locked, f"a.{kind}") == "It asks for a password; kept as a file."
    data = bytearray(simple(kind))
    place = data.index(b"PK\x01\x02")
    flags = struct.unpack_from("<H", data, place + 8)[0]
    struct.pack_into("<H", data, place + 8, flags | 1)
    assert refused(bytes(data), f"a.{kind}") == "It asks for a password; kept as a file."


def bomb(kind: str, size: int) -> bytes:
    """A document one of whose parts unpacks to ``size`` bytes of nothing."""
    part = {"docx": "word/document.xml", "pptx": "ppt/slides/slide1.xml", "xlsx": "xl/worksheets/sheet1.xml"}
    return with_part(simple(kind), part.get(kind, "OEBPS/one.xhtml"), b"<p>" + b" " * size)


@pytest.mark.parametrize("kind", KINDS)
def test_bombs_are_refused_unopened(kind: str) -> None:
    data = bomb(kind, 40 << 20)
    assert "times its size" in refused(data, f"a.{kind}")
    few = Config(max_unpacked_bytes=10 << 20)
    assert refused(data, f"a.{kind}", few).endswith("MiB, more than the 10 MiB that are allowed; kept as a file.")


def test_a_bomb_that_lies_about_its_size_is_cut_there() -> None:
    data = bytearray(bomb("docx", 40 << 20))
    with zipfile.ZipFile(io.BytesIO(bytes(data))) as packed:
        true = struct.pack("<I", packed.getinfo("word/document.xml").file_size)
    lying = bytes(data).replace(true, struct.pack("<I", 1000))
    assert "kept as a file" in refused(lying, "a.docx")


def test_entities_of_xml_are_not_expanded() -> None:
    names = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    body = (
        f'<!DOCTYPE x [<!ENTITY l0 "ha">{laughs}<!ENTITY host SYSTEM "file:///etc/passwd">]><w:document {names}><w:body>'
        "<w:p><w:r><w:t>a&l11;b&host;c</w:t></w:r></w:p></w:body></w:document>"
    )
    document = parse_document(with_part(simple("docx"), "word/document.xml", body.encode()), "a.docx")
    assert len(document.text or "") < 100
    assert "root:" not in (document.text or "")


def test_deep_nesting_ends() -> None:
    names = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    for depth in (200, 5000):
        body = f"<w:document {names}><w:body>{'<w:sdt><w:sdtContent>' * depth}<w:p><w:r><w:t>deep</w:t></w:r></w:p>"
        body += f"{'</w:sdtContent></w:sdt>' * depth}</w:body></w:document>"
        parse_document(with_part(simple("docx"), "word/document.xml", body.encode()), "a.docx")


def test_an_old_format() -> None:
    assert refused(OLE + bytes(2000), "a.docx") == "It is in an old Office format; kept as a file."
    assert "kept as a file" in refused(OLE + bytes(2000), "a.xls")
    assert parse_document(OLE + bytes(2000), "a.doc").unread == ""


def test_too_much_text_keeps_the_first_part() -> None:
    data = word(lambda d: [d.add_paragraph(f"Paragraph {n} of many.") for n in range(200)])
    document = parse_document(data, "a.docx", config=Config(max_extracted_bytes=1000))
    assert document.text is not None and len(document.text) == 1000
    assert document.text.startswith("Paragraph 0") and document.chunks
    assert "first part" in document.notes[0]
    document = parse_document(data, "a.docx", config=Config(max_text_bytes=1000))
    assert document.text is not None and not document.chunks
    assert "larger than 1000 bytes" in document.notes[-1]


SAMPLES = {kind: simple(kind) for kind in KINDS}


@given(st.sampled_from(KINDS), st.integers(0, 1 << 20), st.binary(min_size=1, max_size=8))
@settings(max_examples=150, deadline=None)
def test_no_damage_is_too_odd(kind: str, place: int, change: bytes) -> None:
    data = bytearray(SAMPLES[kind])
    place %= len(data)
    data[place : place + len(change)] = change
    document = parse_document(bytes(data), f"a.{kind}")
    assert (document.text is None) == bool(document.unread)
    if document.text is not None:
        checked(document)


@given(st.sampled_from(["docx", "xlsx", "epub"]), st.data())
@settings(max_examples=100, deadline=None)
def test_no_damage_inside_the_archive_is_too_odd(kind: str, data: Any) -> None:
    with zipfile.ZipFile(io.BytesIO(SAMPLES[kind])) as packed:
        name = data.draw(st.sampled_from(sorted(packed.namelist())))
        content = packed.read(name)
    start, end = sorted((data.draw(st.integers(0, len(content))), data.draw(st.integers(0, len(content)))))
    spoiled = content[:start] + data.draw(st.binary(max_size=20)) + content[end:]
    document = parse_document(with_part(SAMPLES[kind], name, spoiled), f"a.{kind}")
    assert (document.text is None) == bool(document.unread)
