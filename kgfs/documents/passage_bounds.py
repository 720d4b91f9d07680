"""Where passages must begin, whatever their size: at headings that change the date, and at pages.

Used by ``chunking``; pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from kgfs.documents.blocks import Block
from kgfs.documents.dates import from_heading
from kgfs.documents.tokens import count_tokens

TINY = 40
"""Less than so many tokens are no passage of their own, and decide nothing about a chunk's heading path."""


def date_turns(text: str, blocks: Sequence[Block]) -> set[int]:
    """The starts of the headings at which the date changes that headings state; none for a first date behind a line."""
    found: set[int] = set()
    path: list[tuple[int, str]] = []
    day = ""
    before = 0
    """Tokens of the text that stands before the first date."""
    for block in blocks:
        if block.kind == "heading":
            path = [(level, title) for level, title in path if level < block.level]
            path.append((block.level, block.title))
            now = heading_date(path)
            if now != day and (day or found or before >= TINY):
                found.add(block.start)
            day = now
        elif not found and not day and before < TINY and block.kind != "front":
            before += count_tokens(text[block.start : min(block.end, block.start + 100 * TINY)])
    return found


def heading_date(path: Sequence[tuple[int, str]]) -> str:
    """The date of the innermost dated heading; empty where none is."""
    return next((day for _, title in reversed(path) if (day := from_heading(title))), "")


def page_starts(text: str, pages: Sequence[int]) -> list[int]:
    """Where the first line of each page starts that has one, without the first page."""
    starts = []
    for page in dict.fromkeys(pages):
        while page < len(text) and text[page] == "\n":
            page += 1
        if 0 < page < len(text):
            starts.append(page)
    return list(dict.fromkeys(starts))


def parted(blocks: Sequence[Block], starts: Sequence[int]) -> list[Block]:
    """The blocks, those cut in two that run over a page's end: a list may."""
    found: list[Block] = []
    number = 0
    for block in blocks:
        bounds = [block.start]
        while number < len(starts) and starts[number] < block.end:
            if starts[number] > block.start:
                bounds.append(starts[number])
            number += 1
        if len(bounds) == 1 or block.kind == "heading":
            found.append(block)
            continue
        for start, end in pairwise([*bounds, block.end]):
            found += clipped([block], start, end)
    return found


def clipped(blocks: Sequence[Block], start: int, end: int) -> list[Block]:
    """The blocks of a stretch of the text."""
    found = []
    for block in blocks:
        first, last = max(start, block.start), min(end, block.end)
        if first < last:
            kind = "paragraph" if block.kind == "heading" and first > block.start else block.kind
            cuts = [cut for cut in block.cuts if first < cut < last]
            found.append(Block(first, last, kind, block.level, block.title, cuts))
    return found
