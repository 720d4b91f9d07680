"""HTML in Markdown: its cells, items and paragraphs as runs of text of their own, its tables as rows of cells.

Used by ``markdown``, by the records and by the reader of facts; pure. Patterns instead of a parser: what is looked for
is where one text ends and the next one begins.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from kgfs.documents.blocks import Leaf
from kgfs.documents.html_grid import Cell, TableGrid
from kgfs.documents.markup import plain_sentence

_EDGE = re.compile(
    r"</?(?:address|article|aside|blockquote|br|caption|dd|details|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|"
    r"header|hr|li|main|nav|ol|p|section|summary|table|tbody|td|tfoot|th|thead|tr|ul)\b[^<>]{0,300}>",
    re.I,
)
"""Where a run of text ends, whatever stands beside it."""
_ROW = re.compile(r"<tr\b[^<>]{0,300}>(?P<cells>.*?)(?=<tr\b|</table|\Z)", re.I | re.S)
_CELL = re.compile(
    r"<t(?P<kind>[dh])\b(?P<attributes>[^<>]{0,300})>(?P<said>.*?)(?=<t[dh]\b|</t[dh]>|</tr|\Z)", re.I | re.S
)
_HEAD_CELL = re.compile(r"<tr\b[^>]*>\s*<t[dh]\b[^>]*>\s*(?P<said>[^<\n]{3,60}?)\s*<(?:/t[dh]|br|p)\b", re.I)
"""The beginning of a row with a cell that is one line."""
_SPAN = re.compile(r"\b(?P<over>col|row)span\s*=\s*[\"']?\s*(?P<count>\d{1,6})", re.I)
_TABLE = re.compile(r"<table\b", re.I)
_TAG = re.compile(r"<[^<>]{0,300}>")


class HtmlRow(NamedTuple):
    """A row of a table: the text of its cells, and where it stands."""

    cells: list[str]
    start: int
    end: int


def html_leaves(text: str, start: int, end: int) -> list[Leaf]:
    """The runs of text in ``text[start:end]``, a block of HTML, each of one cell, item or paragraph."""
    edges = [start, *(found.start() for found in _EDGE.finditer(text, start, end)), end]
    leaves = [Leaf(a, b) for a, b in pairwise(edges) if _TAG.sub("", text[a:b]).strip()]
    return leaves or [Leaf(start, end)]


def html_rows(text: str, start: int, end: int) -> Iterator[HtmlRow]:
    """The rows of the tables in ``text[start:end]``, which is a block of HTML; those of a header as one."""
    grid = TableGrid()
    edges = [start, *(found.start() for found in _TABLE.finditer(text, start, end)), end]
    for first, last in pairwise(edges):
        places = []
        for row in _ROW.finditer(text, first, last):
            places.append(row.span())
            grid.add([_cell(found) for found in _CELL.finditer(text, row.start("cells"), row.end())])
        for laid in grid.take():
            yield HtmlRow(laid.cells, places[laid.first][0], places[laid.last][1])


def _cell(found: re.Match[str]) -> Cell:
    spans = {said["over"].lower(): int(said["count"]) for said in _SPAN.finditer(found["attributes"])}
    text = plain_sentence(found["said"]).text.strip()
    return Cell(text, spans.get("col", 1), spans.get("row", 1), found["kind"] in "hH")


def row_head(before: str) -> str:
    """The first cell of the row that ``before``, the text up to a place, ends in, if that is one line; else empty."""
    row = before.rfind("<tr")
    found = _HEAD_CELL.match(before, row) if row >= 0 and "</tr" not in before[row:] else None
    return "" if found is None else html.unescape(found["said"])
