"""What the readers of line-based markup share: lines with their places, and blocks that begin at them.

Used by ``rst``, ``org`` and ``asciidoc``, in the worker process; pure. Their texts stay as they are: a block says what
lines are, a leaf what is read of them.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from kgfs.documents.blocks import Block, Leaf, LeafKind, lines_of


class Line(NamedTuple):
    """One line."""

    start: int
    end: int
    """Behind its line end."""
    text: str
    """Without white space at its end."""
    indent: int
    """Columns of white space before it; a tab reaches to the next eighth."""

    @property
    def blank(self) -> bool:
        return not self.text.strip()


def read_lines(text: str) -> list[Line]:
    """The lines of a text, in order."""
    starts = lines_of(text, 0, len(text))
    found = []
    for start, end in pairwise([*starts, len(text)]):
        line = text[start:end].rstrip()
        if start == 0:
            line = line.lstrip("\ufeff")
        lead = line[: len(line) - len(line.lstrip())]
        found.append(Line(start, end, line, len(lead.expandtabs())))
    return found


class BlockWriter:
    """Collects blocks by the numbers of their lines."""

    def __init__(self, text: str, lines: list[Line]) -> None:
        self.text = text
        self.lines = lines
        self.blocks: list[Block] = []

    def heading(self, first: int, last: int, level: int, title: str, line: int) -> None:
        """Lines ``first`` to ``last`` (exclusive) are a heading whose title stands in ``line``."""
        at = self.lines[line]
        leaf = Leaf(at.start, at.end, "heading")
        self._add(Block(self.lines[first].start, self._end(last), "heading", level, title, leaves=[leaf]))

    def block(self, kind: str, first: int, last: int, leaves: list[Leaf] | None = None) -> Block:
        """Lines ``first`` to ``last`` (exclusive) are a block; without ``leaves`` nothing of it is read."""
        block = Block(self.lines[first].start, self._end(last), kind, leaves=leaves or [])
        self._add(block)
        return block

    def code(self, first: int, last: int) -> None:
        """A block of code that may be cut at its lines."""
        block = self.block("code", first, last, [self.leaf(first, last, "code")])
        block.cuts = [line.start for line in self.lines[first + 1 : last]]

    def rows(self, kind: str, first: int, last: int) -> None:
        """A block of which each line is a row."""
        leaves = [Leaf(line.start, line.end, "row") for line in self.lines[first:last] if not line.blank]
        self.block(kind, first, last, leaves).cuts = [line.start for line in self.lines[first + 1 : last]]

    def leaf(self, first: int, last: int, kind: LeafKind = "text") -> Leaf:
        """Lines ``first`` to ``last`` (exclusive) as one run of text."""
        return Leaf(self.lines[first].start, self._end(last), kind)

    def finish(self) -> list[Block]:
        """The blocks, tiling the text."""
        text, kept = self.text, [block for block in self.blocks if block.end > block.start]
        if not text:
            return []
        if not kept:
            return [Block(0, len(text), "paragraph")]
        kept[0].start = 0
        for block, following in pairwise(kept):
            block.end = following.start
        kept[-1].end = len(text)
        for block in kept:
            block.cuts = [cut for cut in block.cuts if block.start < cut < block.end]
        return kept

    def _end(self, last: int) -> int:
        return self.lines[last - 1].end if last > 0 else 0

    def _add(self, block: Block) -> None:
        self.blocks.append(block)
