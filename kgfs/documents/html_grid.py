"""Cells of HTML tables in the columns in which a reader sees them, whatever they span.

Used by ``html`` and ``html_cells``; pure. What spans rows is said in each of them. What spans columns of a header is
said in each of these, before what stands beneath it (``Crew: Captain``, ``Crew: Mate``); where no other header stands
beneath it, it names all of its columns only if these hold one sort of value, else the first alone (*Owner* above
*Ann Lee* and *1990*). In other rows the columns behind its first stay empty. What spans a whole row is a title or a
divider, and is said once.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from kgfs.documents.records.record import is_nothing, is_plain_value

MOST_COLUMNS = 100
"""Of what spans more the others are left out."""
_LONGEST = 200
"""Characters of a text that is repeated; a longer one is said once."""
_ROOM = 2_000_000
"""Characters that repetitions may take in a page: a small file could ask for any number of them."""


class Cell(NamedTuple):
    """A cell as it is written."""

    text: str
    columns: int = 1
    rows: int = 1
    is_head: bool = False


class GridRow(NamedTuple):
    """The texts of a row, and the rows of the source that it is made of, counted from 0: several of a header."""

    cells: list[str]
    first: int
    last: int


def span(value: str | None, rest: int = 1) -> int:
    """What an attribute ``colspan`` or ``rowspan`` says; ``rest`` where it says 0, 1 where it is no number."""
    if value is None:
        return 1
    digits = value.strip()
    return (int(digits[:6]) or rest) if digits.isascii() and digits.isdigit() else 1


class TableGrid:
    """The tables of a page, one after the other: rows are added, then taken."""

    def __init__(self) -> None:
        self._room = _ROOM
        self._clear()

    def _clear(self) -> None:
        self._rows: list[GridRow] = []
        self._open: dict[int, tuple[int, str]] = {}
        """Of the columns into which a cell of a row above reaches: how many rows more, and its text."""
        self._real: set[int] = set()
        """The columns in which cells begin."""
        self._seen = 0
        self._depth = 0
        """The rows that cells in the first row show to be of the header."""
        self._heads = 0
        """Rows of the header; counted as long as no other came."""
        self._in_header = True
        self._has_groups = False
        """A cell of the header stands above several columns."""
        self._above: dict[int, int] = {}
        """The columns above which a cell of the last row of the header stands that began before them, and where."""

    def add(self, own: Sequence[Cell]) -> None:
        """The next row by its own cells; one without text is none, but counts for what spans it."""
        number = self._seen
        self._seen += 1
        if not self._in_header and not self._open and all(cell.columns == cell.rows == 1 for cell in own):
            if any(cell.text for cell in own):
                self._real.update(range(len(own)))
                self._rows.append(GridRow([cell.text for cell in own], number, number))
            return
        reached, self._open = self._open, {}
        whole = len(own) == 1 and not reached
        if self._in_header and not whole:
            self._in_header = self._is_header(own)
        repeats = self._in_header and not whole
        above = {column: self._above[column] for column in reached if column in self._above} if repeats else {}
        cells: list[str] = []
        for cell in own:
            self._pass(cells, reached)
            place = len(cells)
            self._real.add(place)
            cells.append(cell.text)
            said = cell.text if repeats else ""
            for column in range(place + 1, 1 if whole else min(place + cell.columns, MOST_COLUMNS)):
                if column in reached or not self._takes(said):
                    break
                cells.append(said)
                above[column] = place
            if cell.rows > 1:
                self._open |= {column: (cell.rows - 1, cells[column]) for column in range(place, len(cells))}
        while reached:
            cells += [""] * (min(reached) - len(cells))
            self._pass(cells, reached)
        if not any(cell.text for cell in own):
            return
        if repeats:
            self._heads += 1
            self._above = above
            self._has_groups = self._has_groups or any(cell.columns > 1 for cell in own)
        self._rows.append(GridRow(cells, number, number))

    def end_group(self) -> None:
        """What comes is in another part of the table (``tbody``): nothing reaches into it."""
        self._open = {}

    def take(self) -> list[GridRow]:
        """The rows that were added: those of the header as one, without columns in which no cell begins."""
        rows, heads, real, groups = self._rows, self._heads, self._real, self._has_groups
        above = self._above
        self._clear()
        first = next((place for place, row in enumerate(rows) if len(row.cells) > 1), 0)
        if groups and 1 < heads < len(rows) - first:
            header = rows[first : first + heads]
            rows[first : first + heads] = [GridRow(_joined(header), header[0].first, header[-1].last)]
        if above and first < len(rows):
            rows[first] = rows[first]._replace(cells=_told_apart(rows[first].cells, above, rows[first + 1 :]))
        width = max((len(row.cells) for row in rows), default=0)
        if len(real) < width:
            kept = [column for column in range(width) if column in real]
            rows = [row._replace(cells=[row.cells[one] for one in kept if one < len(row.cells)]) for row in rows]
        return rows

    def _is_header(self, own: Sequence[Cell]) -> bool:
        """Whether a row belongs to the header: all its cells say so, or in the first row one stands above several
        columns and the others beside both rows."""
        if own and all(cell.is_head for cell in own):
            return True
        if self._seen <= self._depth:
            return True
        if self._heads:
            return False
        beside = {cell.rows for cell in own if cell.columns == 1}
        if any(cell.columns > 1 for cell in own) and len(beside) == 1:
            self._depth = min(self._seen - 1 + min(beside), self._seen + 2)
        return self._seen < self._depth

    def _pass(self, cells: list[str], reached: dict[int, tuple[int, str]]) -> None:
        """Fill the next columns that cells of rows above reach into."""
        while (held := reached.pop(len(cells), None)) is not None:
            left, text = held
            if left > 1:
                self._open[len(cells)] = left - 1, text
            cells.append(text if len(text) <= _LONGEST and self._takes(text) else "")

    def _takes(self, text: str) -> bool:
        self._room -= len(text) + len(" | ")
        return self._room > 0


def _joined(header: Sequence[GridRow]) -> list[str]:
    """The rows of a header as one: in each column what stands above it, outermost first."""
    width = max(len(row.cells) for row in header)
    columns = []
    for column in range(width):
        said = [row.cells[column].rstrip(": ") for row in header if column < len(row.cells)]
        columns.append(": ".join(dict.fromkeys(text for text in said if text)))
    return columns


def _told_apart(header: Sequence[str], above: dict[int, int], rows: Sequence[GridRow]) -> list[str]:
    """A header whose cells that span columns name the first of them alone where the values beneath are of two sorts.

    ``above`` has the columns that are spanned with the one in which the cell begins.
    """
    cells = list(header)
    for first, columns in groupby(sorted(above), key=lambda column: above[column]):
        spanned = [column for column in columns if column < len(cells) and cells[column] == cells[first]]
        values = [row.cells[one] for row in rows for one in (first, *spanned) if one < len(row.cells)]
        if len({is_plain_value(value) for value in values if not is_nothing(value)}) > 1:
            for column in spanned:
                cells[column] = ""
    return cells
