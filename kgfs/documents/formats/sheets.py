"""Workbooks (XLSX, XLSB, XLS, ODS): each sheet as a heading and a table of its values, by calamine.

One of the readers of ``kgfs.documents.formats``; pure. Formulas show the value that the program stored with them.
"""

from __future__ import annotations

import datetime as dt
import io
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

from python_calamine import CalamineError, CalamineWorkbook, PasswordError, ZipError

from kgfs.documents import dates
from kgfs.documents.formats.archive import open_archive, read_member
from kgfs.documents.formats.reading import BROKEN, FileText, RawFile, Unreadable, printable, property_lines, split_words
from kgfs.documents.formats.writing import FIRST_PART_KEPT, MarkdownWriter, TextFull
from kgfs.documents.formats.xml import local_name, parse_xml

MAX_CELLS = 20_000_000
"""Between the first and the last filled cell of a sheet; some 40 bytes each."""
_PLACE = re.compile(rb'<(?:\w+:)?c [^>]{0,40}?r="([A-Z]{1,3})([0-9]{1,7})"')


def read(source: RawFile) -> FileText:
    """A workbook. ``Unreadable`` where it is broken, asks for a password, or unpacks to too much."""
    said: dict[str, str] = {}
    if source.mime_type != "application/vnd.ms-excel":
        with open_archive(source) as archive:
            for name in ("docProps/core.xml", "meta.xml"):
                if name in archive.namelist():
                    said = _properties(read_member(archive, name))
            _refuse_far_corners(archive)
    try:
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(source.data))
    except PasswordError as error:
        raise Unreadable("It asks for a password") from error
    writer = MarkdownWriter(source.config.max_extracted_bytes)
    notes: list[str] = []
    try:
        for name in workbook.sheet_names:
            _sheet(workbook, name, writer, notes)
    except TextFull:
        notes.append(FIRST_PART_KEPT)
    finally:
        workbook.close()
    return FileText(
        writer.text(),
        title=printable(said.get("title")),
        made=dates.from_value(said.get("modified") or said.get("date") or said.get("created") or ""),
        front_matter=property_lines(author=said.get("creator"), subject=said.get("subject")),
        tags=split_words(said.get("keywords") or said.get("keyword")),
        notes=notes,
    )


def _refuse_far_corners(archive: zipfile.ZipFile) -> None:
    """``Unreadable`` for a workbook with a sheet that would not fit in memory, however few of its cells are filled.

    calamine lays a sheet out from corner to corner, and ends the process where there is no room for that.
    """
    for name in archive.namelist():
        if not name.startswith("xl/worksheets/") or not name.endswith(".xml"):
            continue
        columns = rows = 0
        rest = b""
        try:
            with archive.open(name) as part:
                while data := part.read(1 << 20):
                    data = rest + data
                    for column, row in set(_PLACE.findall(data)):
                        columns, rows = max(columns, _number(column)), max(rows, int(row))
                    rest = data[-64:]
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError) as error:
            raise Unreadable(BROKEN) from error
        if columns * rows > MAX_CELLS:
            raise Unreadable(f"One of its sheets spans {columns * rows:,} cells, more than {MAX_CELLS:,}")


def _number(column: bytes) -> int:
    """The number of a column: ``A`` is 1, ``AA`` 27."""
    number = 0
    for letter in column:
        number = 26 * number + letter - 64
    return number


def _sheet(workbook: CalamineWorkbook, name: str, writer: MarkdownWriter, notes: list[str]) -> None:
    try:
        sheet = workbook.get_sheet_by_name(name)
        rows = _rows(sheet.iter_rows())
        first = next(rows, None)
        if first is None:
            return
        writer.heading(2, name)
        writer.table(_again(first, rows))
    except (CalamineError, ZipError, ValueError, OSError):
        notes.append(f"Sheet {printable(name)!r} cannot be read; it was left out.")


def _again(first: list[str], rows: Iterator[list[str]]) -> Iterator[list[str]]:
    yield first
    yield from rows


def _rows(rows: Any) -> Iterator[list[str]]:
    """The rows that hold something, as text."""
    for row in rows:
        cells = [_text(value) for value in row]
        if any(cells):
            yield cells


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, dt.datetime):
        return value.date().isoformat() if value.time() == dt.time(0) else value.isoformat(" ", "seconds")
    return str(value)


def _properties(xml: bytes) -> dict[str, str]:
    """The document properties of Office and OpenDocument by their names without namespaces."""
    try:
        root = parse_xml(xml)
    except Unreadable:
        return {}
    found: dict[str, str] = {}
    elements: Sequence[Any] = list(root.iter())
    for element in elements[:1000]:
        if local_name(element) and element.text and element.text.strip():
            found.setdefault(local_name(element), element.text.strip())
    return found
