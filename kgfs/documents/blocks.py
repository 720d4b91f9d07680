"""The structure of a text as a list of blocks that tile it: what chunking cuts and extraction reads.

Used by formats, chunking and extraction, in the worker process; pure. Blocks are contiguous: each one ends where the
next one starts (blank lines belong to the block before them), the first starts at 0 and the last ends with the text.
Offsets are characters.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

LeafKind = Literal["text", "heading", "row", "code"]


@dataclass(slots=True)
class Leaf:
    """A run of text inside a block that is read as one: a paragraph, an item, a heading, a table's row, code."""

    start: int
    end: int
    kind: LeafKind = "text"


@dataclass(slots=True)
class Block:
    """One block; ``kind`` is ``heading``, ``paragraph``, ``list``, ``table``, ``code``, ``html`` or ``front``."""

    start: int
    end: int
    kind: str
    level: int = 0
    """Of a heading: 1 is outermost."""
    title: str = ""
    """Of a heading: its text without markup."""
    cuts: list[int] = field(default_factory=list)
    """Where it is best cut when it is too long: starts of items, rows, lines; ascending, inside the block."""
    leaves: list[Leaf] = field(default_factory=list)


_PARAGRAPH_END = re.compile(r"\n(?:[ \t\r\f\v]*\n)+")
_LINE = re.compile(r"[^\n]*\n?")
_TERMINAL = tuple(".!?:;,)…")
MAX_HEADING = 72
_BOLD = re.compile(r"(\*\*|__)(?=\S)((?:(?!\1)[^\n])+)(?<=\S)\1[ \t]*:?")
_NO_HEADING = tuple(".!;,…。！")
_LEAST_BOLD = 3
"""The level of a bold heading beneath no other: above it sections do not share a passage."""


def lines_of(text: str, start: int, end: int) -> list[int]:
    """The starts of the lines in ``text[start:end]``."""
    starts = []
    position = start
    while position < end:
        starts.append(position)
        found = text.find("\n", position, end)
        position = end if found < 0 else found + 1
    return starts


def plain_blocks(text: str) -> list[Block]:
    """Plain text: paragraphs by blank lines; short lines that stand alone before text count as headings.

    In a paragraph with a hanging indent (``1998  Google is …`` with deeper lines under it) every line that is not
    indented starts an item.
    """
    spans = []
    position = 0
    for gap in _PARAGRAPH_END.finditer(text):
        if text[position : gap.start()].strip():
            spans.append((position, gap.end()))
            position = gap.end()
    if position < len(text):
        if text[position:].strip() or not spans:
            spans.append((position, len(text)))
        else:
            spans[-1] = (spans[-1][0], len(text))
    blocks = []
    for index, (start, end) in enumerate(spans):
        title = _alone(text, start, end)
        if title and index + 1 < len(spans) and (index > 0 or len(spans) > 2):
            level = 1 if index == 0 else 2
            blocks.append(Block(start, end, "heading", level, title, leaves=[Leaf(start, end, "heading")]))
        else:
            cuts = _hanging(text, start, end)
            bounds = [start, *cuts, end]
            leaves = [Leaf(a, b) for a, b in pairwise(bounds)]
            blocks.append(Block(start, end, "paragraph", cuts=cuts, leaves=leaves))
    return blocks


def mark_bold_headings(text: str, blocks: list[Block], plain: Callable[[str], str]) -> None:
    """Make headings of paragraphs that are one short bold line with text beneath; ``plain`` takes markup off it.

    They stand one level beneath the heading above them.
    """
    above = 0
    for block, following in pairwise(blocks):
        if block.kind == "heading":
            above = block.level
        elif block.kind == "paragraph" and following.kind != "heading":
            found = _BOLD.fullmatch(text[block.start : min(block.end, block.start + 4 * MAX_HEADING)].strip())
            title = plain(found[2]).strip().removesuffix(":") if found is not None else ""
            if title and len(title) <= MAX_HEADING and not title.endswith(_NO_HEADING):
                block.kind, block.level, block.title = "heading", max(_LEAST_BOLD, above + 1), title
                block.cuts, block.leaves = [], [Leaf(block.start, block.end, "heading")]


def line_blocks(text: str) -> list[Block]:
    """Records by line (CSV, TSV, JSON): one block that is best cut at line ends; its lines are rows."""
    return _row_block(text, 0, len(text))


_TOP_KEY = re.compile(
    r"^[\"']?(?P<key>[^\W_][^\n:#{}\[\]\"']{0,70}?)[\"']?[ \t]*:[ \t]*(?:#[^\n]*)?\n(?=[ \t]|- )", re.M
)
_FEWEST_KEYS = 3


def keyed_blocks(text: str) -> list[Block]:
    """YAML: each top key over a mapping or a list is a heading, so that no passage holds the end of one and the start
    of the next; the lines beneath are rows."""
    keys = list(_TOP_KEY.finditer(text))
    if len(keys) < _FEWEST_KEYS:
        return line_blocks(text)
    blocks = _row_block(text, 0, keys[0].start())
    for key, after in pairwise([*keys, None]):
        assert key is not None
        leaf = Leaf(key.start(), key.end(), "row")
        blocks.append(Block(key.start(), key.end(), "heading", level=2, title=key["key"], leaves=[leaf]))
        blocks += _row_block(text, key.end(), len(text) if after is None else after.start())
    return blocks


def _row_block(text: str, start: int, end: int) -> list[Block]:
    """The lines from ``start`` to ``end`` as one block; none where there are none."""
    starts = lines_of(text, start, end)
    leaves = [Leaf(a, b, "row") for a, b in pairwise([*starts, end])]
    return [Block(start, end, "table", cuts=starts[1:], leaves=leaves)] if starts else []


def _alone(text: str, start: int, end: int) -> str:
    """The text of a paragraph that looks like a heading, else nothing."""
    if end - start > 4 * MAX_HEADING:
        return ""
    line = text[start:end].strip()
    if not line or "\n" in line or len(line) > MAX_HEADING or line.endswith(_TERMINAL) or text[start] in " \t":
        return ""
    if not line[0].isupper() or len(line.split()) > 9:
        return ""
    return line


def _hanging(text: str, start: int, end: int) -> list[int]:
    """The starts of items in a paragraph with a hanging indent, without the first."""
    starts = lines_of(text, start, end)
    if len(starts) < 2:
        return []
    indented = [text[line : line + 1] in (" ", "\t") for line in starts]
    bullets = [line for line in starts if re.match(r"[ \t]*(?:[-*•]|\d+[.)])\s", text[line : line + 80])]
    # Items may be indented beneath the line that names them.
    if indented[0] or not any(indented) or 2 * len(bullets) >= len(starts):
        return [line for line in bullets if line != start]
    return [line for line, deeper in zip(starts[1:], indented[1:], strict=True) if not deeper]
