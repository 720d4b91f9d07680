"""Records of CSV and TSV: a row is a record where a header says what the columns are.

One of the readers of this package; pure.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

from kgfs.documents.records.columns import Columns, read_columns
from kgfs.documents.records.kinds import is_role, kind_type
from kgfs.documents.records.record import KIND_KEYS, MAX_FIELDS, MAX_RECORDS, MAX_VALUE, Field, Record

_LOOKED_AT = 200
_ROLE = re.compile(r"(?P<name>[^\W\d_][^()]*\S) ?\((?P<role>[^()]*[^\W\d_])\)")
"""What somebody is, in the bracket behind the name: *Ann Lee (Board Chair)*."""

LINE_BREAK = "\v"
"""Between the lines of a cell, each of which is a value; it stands for the ``<br>`` of a text."""


def delimited_records(text: str, *, tabs: bool, kind: str) -> list[Record]:
    """The first rows of a table as records; none where its header is missing or nothing names its rows."""
    first = text.lstrip("\ufeff").partition("\n")[0]
    delimiter = "\t" if tabs else max(",;\t|", key=first.count)
    rows = _rows(text, delimiter)
    header = next(rows, None)
    if header is None:
        return []
    head: list[tuple[int, int, list[str]]] = []
    for row in rows:
        head.append(row)
        if len(head) >= _LOOKED_AT:
            break
    columns = read_columns(header[2], [cells for _, _, cells in head])
    if columns is None:
        return []
    found: list[Record] = []
    for rows_ in (head, rows):
        for start, end, cells in rows_:
            record = row_record(columns, cells, start, end, kind)
            if record is not None:
                found.append(record)
                if len(found) >= MAX_RECORDS:
                    return found
    return found


def row_record(columns: Columns, cells: list[str], start: int, end: int, kind: str) -> Record | None:
    """One row as a record; ``None`` where it has no name, or is torn."""
    name = columns.name(cells)
    if not name or len(cells) < 2 or len(cells) > columns.width + 1:
        return None
    kind, says = columns.kind_of(kind), None
    if columns.kind is not None and columns.kind < len(cells) and cells[columns.kind].strip():
        kind = " ".join(cells[columns.kind].split())
        says = (
            Field(columns.header[columns.kind], kind, start, end) if columns.words[columns.kind] in KIND_KEYS else None
        )
    role = _ROLE.fullmatch(name) if kind_type(kind) == "Person" else None
    if role is not None and not is_role(role["role"]):
        role = None
    record = Record(role["name"] if role is not None else name, kind, "row", start, end, says=says)
    if role is not None:
        record.fields.append(Field("role", role["role"], start, end))
    if columns.key is not None and columns.key < len(cells):
        record.key = cells[columns.key].strip()
    for place, header in enumerate(columns.header):
        if place in columns.names or place == columns.kind or place >= len(cells) or not header:
            continue
        lines = [" ".join(line.split()) for line in cells[place].split(LINE_BREAK)]
        for value in lines:
            if value and len(value) <= MAX_VALUE and len(record.fields) < MAX_FIELDS:
                record.fields.append(Field(header, value, start, end, listed=len(lines) > 1))
    return record


def _rows(text: str, delimiter: str) -> Iterator[tuple[int, int, list[str]]]:
    """The rows with their places, without the line end; up to the first that is none."""
    position = 0

    def lines() -> Iterator[str]:
        nonlocal position
        for line in io.StringIO(text, newline=""):
            position += len(line)
            yield line if position > len(line) else line.lstrip("\ufeff")

    start = 0
    try:
        for cells in csv.reader(lines(), delimiter=delimiter):
            end = position
            while end > start and text[end - 1] in "\r\n":
                end -= 1
            if any(cell.strip() for cell in cells):
                yield start, end, cells
            start = position
    except csv.Error:
        return
