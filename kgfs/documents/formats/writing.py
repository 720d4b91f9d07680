"""Text that a reader builds from a document's parts, written as Markdown so that its structure is known.

Used by the readers of office formats, PDF, books, mail and notebooks; pure. What is written is what people read in
``text.txt``: marks are few, and text that would by accident mean something in Markdown is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_ACCIDENTS = re.compile(r"^(#{1,6}(?=\s|$)|=+\s*$|-+\s*$|`{3,}|~{3,}|\[[^\]]*\]:|<(?=[A-Za-z!/?]))")
_ITEM = re.compile(r"(?:[-+*]|\d{1,9}[.)])\s")
_CONTROLS = re.compile(r"[\x01-\x08\x0e-\x1f\x7f-\x9f]")
_SPACES = re.compile(r"[^\S\n]+")
_ENDS = str.maketrans(
    {"\r": "\n", "\v": "\n", "\f": "\n", "\x85": "\n", "\u2028": "\n", "\u2029": "\n", "\0": "\ufffd"}
)

FIRST_PART_KEPT = "Its text is very long: the first part of it was kept."
"""The note on a document with more text than it may have (``TextFull``)."""


class TextFull(Exception):
    """As much text was written as a document may have. The writer keeps this first part."""


class MarkdownWriter:
    """Collects blocks; each stands between blank lines, but the items of one list."""

    def __init__(self, limit: int) -> None:
        """At most ``limit`` characters are taken."""
        self._limit = limit
        self._parts: list[str] = []
        self._length = 0
        self._in_list = False
        self.pages: list[int] = []
        """Where each page starts."""

    def text(self) -> str:
        """All that was written; ends with a line end unless it is empty."""
        return "".join(self._parts)

    def page(self) -> None:
        """What follows is on the next page."""
        self.pages.append(self._length)
        self._in_list = False

    def heading(self, level: int, title: str) -> None:
        """``level`` is cut to 1 to 6; an empty title writes nothing."""
        line = _SPACES.sub(" ", clean_text(title).replace("\n", " ")).strip()
        if line:
            self._block(f"{'#' * min(6, max(1, level))} {line}\n")

    def prose(self, text: str) -> None:
        """Paragraphs of plain text; its line ends and blank lines stay."""
        kept = escaped_prose(text)
        if kept:
            self._block(kept + "\n")

    def item(self, text: str, depth: int = 0, number: int | None = None) -> None:
        """One item of a list; ``depth`` counts from 0."""
        line = _SPACES.sub(" ", clean_text(text).replace("\n", " ")).strip()
        if line:
            mark = "-" if number is None else f"{number}."
            self._block(f"{'  ' * min(depth, 8)}{mark} {line}\n", in_list=True)

    def definition(self, term: str, text: str) -> None:
        """A term with what it means, as Markdown's definition lists have them."""
        name = _SPACES.sub(" ", clean_text(term).replace("\n", " ")).strip().lstrip("#>-+*|: ")
        said = _SPACES.sub(" ", clean_text(text).replace("\n", " ")).strip()
        if name and said:
            self._block(f"{name}\n: {said}\n")

    def table(self, rows: Iterable[Sequence[str]]) -> None:
        """Rows of cells, the first one the head; empty rows and empty columns at the right are left out.

        Rows are written as they come, so that a long table is never held twice.
        """
        width = 0
        for row in rows:
            cells = [table_cell(value) for value in row]
            while cells and not cells[-1]:
                cells.pop()
            if not cells:
                continue
            if not width:
                width = len(cells)
                self._block(f"{_row(cells)}|{' --- |' * width}\n")
            else:
                # A row that is longer than the head keeps its cells: Markdown would not show them, the text does.
                self._add(_row(cells + [""] * (width - len(cells))))

    def code(self, text: str, language: str = "") -> None:
        """Text that is kept as it is, between fences."""
        body = clean_text(text).rstrip("\n")
        if body.strip():
            fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", body)), default=0))
            self._block(f"{fence}{language}\n{body}\n{fence}\n")

    def raw(self, markdown: str) -> None:
        """Markdown as it is."""
        body = clean_text(markdown).strip("\n")
        if body.strip():
            self._block(body + "\n")

    def _block(self, text: str, in_list: bool = False) -> None:
        if self._length and not (in_list and self._in_list):
            text = "\n" + text
        self._in_list = in_list
        self._add(text)

    def _add(self, text: str) -> None:
        room = self._limit - self._length
        if len(text) > room:
            self._parts.append(text[:room])
            self._length += room
            raise TextFull
        self._parts.append(text)
        self._length += len(text)


def clean_text(text: str) -> str:
    """Valid text whose only line end is ``\\n``, without other control characters."""
    text = text.replace("\r\n", "\n").translate(_ENDS)
    return _CONTROLS.sub("", text).encode("utf-8", "replace").decode("utf-8")


def escaped_prose(text: str) -> str:
    """Plain text that means in Markdown what it is: paragraphs, and lists where lines begin like items."""
    lines: list[str] = []
    for line in clean_text(text).split("\n"):
        stripped = line.strip()
        if line[:1] in (" ", "\t") and not _ITEM.match(stripped):
            line = stripped  # deeper lines would be code
        line = _ACCIDENTS.sub(r"\\\1", line.rstrip())
        if line or (lines and lines[-1]):
            lines.append(line)
    while lines and not lines[-1]:
        lines.pop()
    return "\n".join(lines)


def table_cell(value: str) -> str:
    """A table's cell: one line without bars."""
    return _SPACES.sub(" ", clean_text(value).replace("\n", " ")).strip().replace("|", "/")


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |\n"
