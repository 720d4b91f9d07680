"""The tables of a document, each with its header, its rows and the headings above it, whatever the markup.

Used by the readers of tables; pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kgfs.documents.formats.parsing import document_blocks
from kgfs.documents.records.rst_tables import TableRow, rst_rows
from kgfs.documents.records.text_tables import row_cells, table_rows
from kgfs.model import ParsedDocument

REMARK = re.compile(r"\s*\([^()]*\)|\s*\[[^\[\]]{1,6}\]_?(?!\w)")
"""What stands in brackets in a cell, a footnote: no part of the name before it."""


class DocumentTable(NamedTuple):
    """A table."""

    headings: list[str]
    """Those above it, the nearest last."""
    header: Sequence[str]
    """Its cells."""
    rows: Sequence[TableRow]
    """Those beneath the header."""


def document_tables(document: ParsedDocument) -> Iterator[DocumentTable]:
    """The tables that have a header and a row, in order."""
    text = document.text or ""
    headings: list[tuple[int, str]] = []
    for block in document_blocks(document) if document.chunks and text else ():
        if block.kind == "heading":
            headings = [*(one for one in headings if one[0] < block.level), (block.level, block.title)]
        elif block.kind == "table":
            if document.mime_type == "text/x-rst":
                rows = rst_rows(text, block)
            else:
                header, leaves = table_rows(text, block)
                rows = [
                    TableRow(row_cells(said), leaf.start, leaf.start + len(said.rstrip()))
                    for leaf in ([header, *leaves] if header is not None else ())
                    for said in (text[leaf.start : leaf.end],)
                ]
            if len(rows) > 1:
                yield DocumentTable([title for _, title in headings], rows[0].cells, rows[1:])
