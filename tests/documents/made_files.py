"""Files of many formats, made by the libraries that write them, for tests of the readers."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterable, Sequence
from email.message import EmailMessage
from typing import Any

import docx
import nbformat
import openpyxl
import pptx
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

HEBREW = "שלום עולם, זהו מסמך קצר על השכר בבוסטון."
ARABIC = "مرحبا بالعالم، هذه وثيقة قصيرة."
JAPANESE = "日本語の文書です。賃金は上がった。"
CYRILLIC = "Заработная плата в Бостоне выросла на три процента."
SCRIPTS = [HEBREW, ARABIC, JAPANESE, CYRILLIC, "Grüße aus Łódź, naïve café — 3 % 😀"]


def word(build: Callable[[Any], None], **properties: Any) -> bytes:
    """A DOCX that ``build`` fills."""
    document = docx.Document()
    for name, value in properties.items():
        setattr(document.core_properties, name, value)
    build(document)
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def deck(build: Callable[[Any], None], **properties: Any) -> bytes:
    """A PPTX that ``build`` fills."""
    presentation = pptx.Presentation()
    for name, value in properties.items():
        setattr(presentation.core_properties, name, value)
    build(presentation)
    file = io.BytesIO()
    presentation.save(file)
    return file.getvalue()


def workbook(sheets: dict[str, Iterable[Sequence[Any]]], **properties: Any) -> bytes:
    """An XLSX with one sheet a name."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    for name, value in properties.items():
        setattr(book.properties, name, value)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def pdf(
    pages: Sequence[Sequence[tuple[float, str]]], *, password: str = "", font: str = "Helvetica", **info: str
) -> bytes:
    """A PDF of pages of lines, each with its size of type; a line of size 0 is a gap."""
    file = io.BytesIO()
    encryption = StandardEncryption(password, canPrint=0) if password else None
    canvas = Canvas(file, encrypt=encryption, invariant=1)
    if font not in pdfmetrics.standardFonts:
        pdfmetrics.registerFont(UnicodeCIDFont(font))
    for name, value in info.items():
        getattr(canvas, f"set{name.capitalize()}")(value)
    for lines in pages:
        height = 780.0
        for size, text in lines:
            if size:
                canvas.setFont(font, size)
                canvas.drawString(72, height, text)
            height -= 1.2 * size if size else 14
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def scan(pages: int = 2) -> bytes:
    """A PDF whose pages hold lines and boxes, no text."""
    file = io.BytesIO()
    canvas = Canvas(file, invariant=1)
    for _ in range(pages):
        canvas.rect(50, 50, 400, 600, fill=1)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def book(
    chapters: dict[str, str | bytes], metadata: str = "", *, missing: Sequence[str] = (), encrypted: Sequence[str] = ()
) -> bytes:
    """An EPUB of chapters by name."""
    items = "".join(f'<item id="{i}" href="{n}" media-type="application/xhtml+xml"/>' for i, n in enumerate(chapters))
    spine = "".join(f'<itemref idref="{index}"/>' for index in range(len(chapters)))
    parts: dict[str, str | bytes] = {
        "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
        "OEBPS/content.opf": '<package xmlns="http://www.idpf.org/2007/opf" version="3.0">'
        f'<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">{metadata}</metadata>'
        f"<manifest>{items}</manifest><spine>{spine}</spine></package>",
    }
    parts |= {f"OEBPS/{name}": content for name, content in chapters.items() if name not in missing}
    if encrypted:
        uris = "".join(f'<CipherReference URI="OEBPS/{name}"/>' for name in encrypted)
        parts["META-INF/encryption.xml"] = f"<encryption>{uris}</encryption>"
    return archive({"mimetype": "application/epub+zip", **parts})


def archive(parts: dict[str, str | bytes]) -> bytes:
    """A zip archive."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in parts.items():
            packed.writestr(name, content, zipfile.ZIP_STORED if name == "mimetype" else None)
    return file.getvalue()


def with_part(data: bytes, name: str, content: bytes) -> bytes:
    """An archive with one member replaced or added."""
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        parts: dict[str, str | bytes] = {one: packed.read(one) for one in packed.namelist()}
    return archive(parts | {name: content})


def letter(text: str = "Hello.\n", **headers: str) -> EmailMessage:
    """A message; headers are written ``Subject="…"``."""
    message = EmailMessage()
    for name, value in headers.items():
        message[name] = value
    message.set_content(text)
    return message


def notebook(cells: Sequence[Any], **metadata: Any) -> str:
    """A notebook of cells that ``nbformat.v4`` made."""
    made = nbformat.v4.new_notebook(cells=list(cells), metadata=metadata)  # type: ignore[no-untyped-call]
    return str(nbformat.writes(made))  # type: ignore[no-untyped-call]
