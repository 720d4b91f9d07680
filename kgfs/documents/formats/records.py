"""Records by line: CSV, TSV, JSON and JSON by lines. The text is the file; a table is described by its columns.

One of the readers of ``kgfs.documents.formats``; pure.
"""

from __future__ import annotations

import csv

from kgfs.documents.formats.reading import FileText, RawFile, printable
from kgfs.documents.summaries import MAX_DESCRIPTION

_HEAD = 64 * 1024
_SHOWN = 40


def read(source: RawFile) -> FileText:
    """A file of records."""
    table = source.mime_type in ("text/csv", "text/tab-separated-values")
    return FileText(source.text, is_content=True, description=_columns(source) if table else "")


def _columns(source: RawFile) -> str:
    """``Columns: year, district, rate.`` where the first line names columns; every chunk is found by them."""
    head = source.text[:_HEAD].lstrip("\ufeff")
    first = head.partition("\n")[0]
    delimiter = max(",;\t|", key=first.count) if source.mime_type == "text/csv" else "\t"
    try:
        names = [printable(name) for name in next(csv.reader(head.splitlines(), delimiter=delimiter), [])]
    except csv.Error:
        return ""
    named = [name for name in names if name]
    if len(named) < 2 or any(not any(char.isalpha() for char in name) or len(name) > 60 for name in named):
        return ""
    line = f"Columns: {', '.join(named[:_SHOWN])}"
    return line[: MAX_DESCRIPTION - 1] + "." if len(line) < MAX_DESCRIPTION else line[: MAX_DESCRIPTION - 1] + "…"
