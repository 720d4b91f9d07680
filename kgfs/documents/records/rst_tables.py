"""Rows of the tables of reStructuredText: simple ones between rules, grids, and ``list-table`` directives.

One of the readers of this package, for other readers of tables; pure. The quote of a row is its lines as they stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from kgfs.documents.blocks import Block
from kgfs.documents.markup import plain_sentence

_SIMPLE = re.compile(r"[ \t]*={2,}(?:[ ]+={2,})+[ \t]*")
_SUBRULE = re.compile(r"[ \t]*-{2,}(?:[ ]+-{2,})*[ \t]*")
_GRID = re.compile(r"[ \t]*\+[-=+]{2,}\+[ \t]*")
_ROW = re.compile(r"(?P<indent>[ \t]*)\* ?- ?(?P<cell>.*)")
_CELL = re.compile(r"(?P<indent>[ \t]+)- ?(?P<cell>.*)")
_OPTION = re.compile(r"[ \t]+:[\w-]+:")
_LINE_BLOCK = re.compile(r"^\|[ \t]+")
_WORD = re.compile(r"[\w.-]+")
MOST_LINES = 6000


class TableRow(NamedTuple):
    """The cells of a row, without markup, and its place in the text."""

    cells: list[str]
    start: int
    end: int


def rst_rows(text: str, block: Block) -> Sequence[TableRow]:
    """The rows of a table, the header first; none where a directive names a file, or no header shows."""
    lines = list(_lines(text, block))
    for place, (_, line) in enumerate(lines):
        if _SIMPLE.fullmatch(line):
            return _simple(lines[place:])
        if _GRID.fullmatch(line):
            return _grid(lines[place:])
        if _ROW.match(line):
            return _listed(lines[place:])
    return ()


def _lines(text: str, block: Block) -> Iterator[tuple[int, str]]:
    position = block.start
    for count, line in enumerate(text[block.start : block.end].splitlines(keepends=True)):
        if count >= MOST_LINES:
            return
        yield position, line.rstrip("\r\n")
        position += len(line)


def _simple(lines: Sequence[tuple[int, str]]) -> list[TableRow]:
    """Rows between rules of equal signs: columns are where these stand; a row whose first cell is empty goes on."""
    columns = [(found.start(), found.end()) for found in re.finditer(r"=+", lines[0][1])]
    ends = [start for start, _ in columns[1:]] + [10_000]
    rows: list[list[tuple[int, str]]] = []
    for start, line in lines[1:]:
        if _SIMPLE.fullmatch(line) or _SUBRULE.fullmatch(line) or not line.strip():
            continue
        if rows and not line[columns[0][0] : ends[0]].strip():
            rows[-1].append((start, line))
        else:
            rows.append([(start, line)])
    return [
        _row(
            [" ".join(line[at:end].strip() for _, line in row) for (at, _), end in zip(columns, ends, strict=True)], row
        )
        for row in rows
    ]


def _grid(lines: Sequence[tuple[int, str]]) -> list[TableRow]:
    """Rows between rules with corners; none of a table whose cells reach over others."""
    bars = [place for place, char in enumerate(lines[0][1]) if char == "+"]
    rows: list[list[tuple[int, str]]] = []
    open_row: list[tuple[int, str]] = []
    for start, line in lines[1:]:
        if _GRID.fullmatch(line):
            if open_row:
                rows.append(open_row)
            open_row = []
        elif any(place >= len(line) or line[place] not in "|+" for place in bars):
            return []
        else:
            open_row.append((start, line))
    return [
        _row(
            [" ".join(line[at + 1 : end].strip() for _, line in row) for at, end in pairwise(bars)],
            row,
        )
        for row in rows
    ]


def _listed(lines: Sequence[tuple[int, str]]) -> list[TableRow]:
    """Rows of a list of lists: ``* - a`` opens a row, ``- b`` another cell of it."""
    rows: list[tuple[list[str], list[tuple[int, str]]]] = []
    outer = inner = -1
    for start, line in lines:
        opened, cell = _ROW.match(line), _CELL.match(line)
        if opened is not None and (outer < 0 or len(opened["indent"]) == outer):
            outer, inner = len(opened["indent"]), -1
            rows.append(([opened["cell"]], [(start, line)]))
        elif cell is not None and rows and (inner < 0 or len(cell["indent"]) == inner):
            inner = len(cell["indent"])
            rows[-1][0].append(cell["cell"])
            rows[-1][1].append((start, line))
        elif line.strip() and rows:
            rows[-1][0][-1] += "\n" + line.strip()
            rows[-1][1].append((start, line))
    return [_row(["\n".join(map(_unbarred, cell.split("\n"))) for cell in cells], held) for cells, held in rows]


def _unbarred(line: str) -> str:
    return _LINE_BLOCK.sub("", line.strip())


def _row(cells: Sequence[str], lines: Sequence[tuple[int, str]]) -> TableRow:
    start, (last, line) = lines[0][0], lines[-1]
    start += len(lines[0][1]) - len(lines[0][1].lstrip())
    return TableRow([_plain(cell.strip()) for cell in cells], start, last + len(line.rstrip()))


def _plain(cell: str) -> str:
    """A cell without markup; a word is none, whatever signs it has: ``__main__``."""
    return cell if not cell or _WORD.fullmatch(cell) else plain_sentence(cell).text.strip()
