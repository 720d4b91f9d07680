"""Passages: a text cut into contiguous chunks along its structure.

Used by formats, in the worker process; pure and linear in the length of the text. The texts of the chunks, joined, are
the text. A chunk aims at 200 to 350 tokens (settings): it never ends with a heading, tables and code that fit are
not cut, what is too long is cut at items or lines, then sentences, then words, then anywhere. Sections under
headings of levels 1 and 2 share a chunk only when both are small. A heading with a date of its own begins a chunk, and
so does a page, unless pages are so short that chunks would be tiny.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from kgfs.documents.blocks import Block
from kgfs.documents.passage_bounds import TINY, clipped, date_turns, heading_date, page_starts, parted
from kgfs.documents.sentences import sentence_spans
from kgfs.documents.tokens import PIECE, count_tokens
from kgfs.model import Chunk

_WHOLE = ("table", "code")
_SECTION = 2
"""Headings up to this level open sections that do not mix, unless they are small."""


@dataclass(slots=True)
class _Piece:
    """A stretch of the text that goes into one chunk whole."""

    start: int
    end: int
    tokens: int
    heading: Block | None = None
    breaks: bool = False
    """A chunk must begin here."""
    front: bool = False
    """Front matter: it stands under no heading and says nothing about the path."""


def chunk(
    text: str,
    blocks: Sequence[Block],
    *,
    tokens_min: int = 200,
    tokens_max: int = 350,
    date: str | None = None,
    pages: Sequence[int] = (),
) -> list[Chunk]:
    """``text`` as chunks, in order; no chunk for an empty text.

    ``blocks`` tile ``text`` (characters). Token numbers are estimates. ``date`` is the document's and goes to each that
    stands under no dated heading. ``pages`` are where each page starts.
    """
    if not text:
        return []
    tokens_max = max(1, tokens_max)
    tokens_min = min(max(0, tokens_min), tokens_max)
    starts = page_starts(text, pages)
    packer = _Packer(text, parted(blocks, starts) if starts else blocks, tokens_min, tokens_max, starts)
    return _finish(text, packer.pack(), date)


def chunk_at(
    text: str,
    blocks: Sequence[Block],
    starts: Sequence[int],
    *,
    tokens_min: int = 200,
    tokens_max: int = 350,
    date: str | None = None,
) -> list[Chunk]:
    """``text`` as chunks that begin at ``starts`` (characters), as somebody proposed them; no chunk for an empty text.

    A start outside the text is passed over; the text itself begins one. What is too long (half as much again as
    ``tokens_max``) is cut as ``chunk`` cuts it, and no chunk but the last ends with a heading. What is very small joins
    the chunk before it where both fit one; so does what is smaller than ``tokens_min`` unless a heading begins it: in
    a section a cut leaves a sentence without what it speaks of. Where the date changes a chunk begins, whoever proposed
    what.
    """
    if not text:
        return []
    tokens_max = max(1, tokens_max)
    tokens_min = min(max(0, tokens_min), tokens_max)
    limit = tokens_max + tokens_max // 2
    blocks = blocks or [Block(0, len(text), "paragraph")]
    groups: list[list[_Piece]] = []
    carried: list[_Piece] = []
    turns = date_turns(text, blocks)
    whole = {start for start in starts if 0 < start < len(text)} | {start for start in turns if start}
    for block in blocks:
        if block.kind == "heading":  # it is not cut, from the empty line behind it neither
            within = {start for start in whole if block.start < start < block.end}
            whole = (whole - within) | ({block.start} if within else set())
    bounds = [0, *sorted(whole - {0}), len(text)]
    for pieces in _split(text, blocks, bounds):
        group = [*carried, *pieces]
        carried = []
        while group and group[-1].end < len(text) and group[-1].heading is not None:
            carried.insert(0, group.pop())
        if not group:
            continue
        size = sum(piece.tokens for piece in group)
        before = sum(piece.tokens for piece in groups[-1]) if groups else 0
        if size > limit:
            inside = clipped(blocks, group[0].start, group[-1].end)
            groups += _Packer(text, inside, tokens_min, tokens_max).pack()
        elif (
            groups
            and turns.isdisjoint(piece.start for piece in group)
            and _joins(min(before, size), group[0], tokens_min)
            and before + size <= tokens_max
        ):
            groups[-1].extend(group)
        else:
            groups.append(group)
    return _finish(text, groups, date)


def _joins(smaller: int, first: _Piece, tokens_min: int) -> bool:
    """Whether a proposed chunk is one with that before it: ``smaller`` tokens has one of them, ``first`` begins it."""
    return smaller * (4 if first.heading is not None else 1) < tokens_min


def _split(text: str, blocks: Sequence[Block], bounds: Sequence[int]) -> Iterator[list[_Piece]]:
    """The blocks as pieces, those of each stretch between two ``bounds`` together."""
    number = 0
    for start, end in pairwise(bounds):
        pieces = []
        while number < len(blocks):
            block = blocks[number]
            first, last = max(start, block.start), min(end, block.end)
            if first < last:
                heading = block if block.kind == "heading" and first == block.start else None
                tokens = count_tokens(text[first:last])
                pieces.append(_Piece(first, last, tokens, heading=heading, front=block.kind == "front"))
            if block.end > end:
                break
            number += 1
        yield pieces


class _Packer:
    """Greedy packing with a look ahead at the size of the section that comes, and of the page."""

    def __init__(self, text: str, blocks: Sequence[Block], least: int, most: int, pages: Sequence[int] = ()) -> None:
        """``pages`` are starts of blocks."""
        self._text = text
        self._blocks = blocks or [Block(0, len(text), "paragraph")]
        self._least = least
        self._most = most
        self._tokens = [count_tokens(text[block.start : block.end]) for block in self._blocks]
        self._sections = self._section_sizes()
        self._turns = date_turns(text, self._blocks)
        self._pages = self._page_sizes(pages)
        self._inside_page = False
        """The current chunk began inside a page, behind another one."""
        self._chunks: list[list[_Piece]] = []
        self._forced: list[bool] = []
        """For each chunk: it begins a section that must not join the chunk before."""
        self._current: list[_Piece] = []
        self._has_content = False
        """Whether the current chunk holds more than headings and front matter."""
        self._size = 0
        self._begins_section = False
        self._in_tail = False
        """The current chunk began inside a section of level 1 or 2."""

    def _section_sizes(self) -> list[int]:
        """For each heading the tokens of its section up to the next heading of its level or above."""
        sizes = [0] * len(self._blocks)
        open_headings: list[int] = []
        total = 0
        before: list[int] = []
        for index, block in enumerate(self._blocks):
            if block.kind == "heading":
                while open_headings and self._blocks[open_headings[-1]].level >= block.level:
                    closed = open_headings.pop()
                    sizes[closed] = total - before[closed]
                open_headings.append(index)
            before.append(total)
            total += self._tokens[index]
        for index in open_headings:
            sizes[index] = total - before[index]
        return sizes

    def _page_sizes(self, pages: Sequence[int]) -> dict[int, int]:
        """For the start of each page the tokens that it has."""
        sizes = dict.fromkeys(pages, 0)
        page = -1
        for block, tokens in zip(self._blocks, self._tokens, strict=True):
            page = block.start if block.start in sizes else page
            if page >= 0:
                sizes[page] += tokens
        return sizes

    def pack(self) -> list[list[_Piece]]:
        for index, block in enumerate(self._blocks):
            if block.start in self._pages:
                self._page(self._pages[block.start])
            if block.kind == "heading":
                self._heading(index, block)
            else:
                self._content(index, block)
        self._emit(final=True)
        return self._joined()

    def _page(self, coming: int) -> None:
        """A page with so many tokens begins: the current chunk ends, unless it and the page are short."""
        long = self._inside_page or self._size * 2 >= self._least
        if self._has_content and (long or (self._size >= TINY and self._size + coming > self._most)):
            self._share()
            self._emit()
            self._begins_section = True
        self._inside_page = False

    def _share(self) -> None:
        """Give what is left of a page some of the chunk before it, where it is little and does not fit that one."""
        if not self._inside_page or self._begins_section or not self._chunks:
            return
        before = self._chunks[-1]
        size = sum(piece.tokens for piece in before)
        if size + self._size <= self._most:
            return
        while self._size * 2 < self._least and len(before) > 1 and before[-2].heading is None:
            moved = before[-1].tokens
            if self._size + moved > size - moved:
                return
            self._current.insert(0, before.pop())
            self._size, size = self._size + moved, size - moved

    def _heading(self, index: int, block: Block) -> None:
        piece = _Piece(block.start, block.end, self._tokens[index], heading=block)
        if self._has_content:
            small = self._sections[index] < self._least
            turns = block.start in self._turns
            if turns:
                breaks = True
            elif self._size < TINY and self._under(block.level):
                breaks = False  # a line or two between a title and its first section
            elif block.level <= _SECTION:
                breaks = self._size >= self._least or not small or self._in_tail
            else:
                fits = self._size + self._sections[index] <= self._most
                breaks = self._size >= self._least or (not fits and self._size * 2 >= self._least)
            if breaks:
                self._emit()
                self._begins_section = turns or block.level <= _SECTION
                self._in_tail = block.level > _SECTION
        if piece.tokens > self._most:
            for part in self._cut(block, piece.tokens, 0):
                self._append(part)
            return
        self._append(piece)

    def _under(self, level: int) -> bool:
        """Whether the current chunk holds only what stands before the first section of ``level``."""
        first = self._current[0]
        opens = first.heading is not None or first.front or first.start == 0
        return opens and all(piece.heading is None or piece.heading.level < level for piece in self._current)

    def _append(self, piece: _Piece) -> None:
        self._current.append(piece)
        self._size += piece.tokens
        self._has_content = self._has_content or (piece.heading is None and not piece.front)

    def _content(self, index: int, block: Block) -> None:
        tokens = self._tokens[index]
        if self._size + tokens > self._most:
            whole = block.kind in _WHOLE and tokens <= self._most
            if self._has_content and (whole or (self._size >= self._least and tokens <= self._most)):
                self._emit()
            if self._size + tokens > self._most and not (whole and not self._has_content):
                for part in self._cut(block, tokens, self._size):
                    if part.breaks and self._has_content:
                        self._emit()
                    self._append(part)
                return
        self._append(_Piece(block.start, block.end, tokens, front=block.kind == "front"))

    def _emit(self, final: bool = False) -> None:
        """Close the current chunk; headings at its end go on to the next one."""
        carried: list[_Piece] = []
        if not final:
            while self._current and self._current[-1].heading is not None:
                carried.insert(0, self._current.pop())
        if self._current:
            self._chunks.append(self._current)
            self._forced.append(self._begins_section)
        self._current = carried
        self._has_content = False
        self._inside_page = True
        self._size = sum(piece.tokens for piece in carried)
        opens = any(piece.heading and piece.heading.level <= _SECTION for piece in carried)
        self._begins_section, self._in_tail = opens, not opens

    def _joined(self) -> list[list[_Piece]]:
        """Very small chunks joined to the one before them, where they fit and no section begins."""
        joined: list[list[_Piece]] = []
        for pieces, forced in zip(self._chunks, self._forced, strict=True):
            size = sum(piece.tokens for piece in pieces)
            if joined and not forced and size * 2 < self._least:
                before = sum(piece.tokens for piece in joined[-1])
                if before + size <= self._most:
                    joined[-1].extend(pieces)
                    continue
            joined.append(pieces)
        return joined

    def _cut(self, block: Block, tokens: int, used: int) -> Iterator[_Piece]:
        """``block`` in pieces that fill chunks evenly, the first one beside the ``used`` tokens that are there."""
        target = _even(tokens + used, self._most)
        start = position = block.start
        size = 0
        breaks = False
        for end, atom in self._atoms(block):
            load = used + size
            if load and (load + atom > self._most or (size and load + atom // 2 > target)):
                if size:
                    yield _Piece(start, position, size, breaks=breaks)
                start, size, used, breaks = position, 0, 0, True
            size += atom
            position = end
        yield _Piece(start, block.end, size, breaks=breaks)

    def _atoms(self, block: Block) -> Iterator[tuple[int, int]]:
        """What ``block`` is cut into at the finest: ``(end, tokens)``, contiguous, none above the maximum."""
        bounds = [block.start, *block.cuts, block.end]
        for start, end in pairwise(bounds):
            tokens = count_tokens(self._text[start:end])
            if tokens <= self._most // 2:
                yield end, tokens
            else:
                yield from self._sentences(start, end)

    def _sentences(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        position = start
        begins = [span[0] for span in sentence_spans(self._text, start, end)]
        for following in [*begins[1:], end]:
            tokens = count_tokens(self._text[position:following])
            if tokens <= self._most:
                yield following, tokens
            else:
                yield from self._words(position, following)
            position = following

    def _words(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """A sentence beyond the maximum: stretches of words; a word beyond it is cut anywhere."""
        limit = max(1, self._most // 4)
        position = start
        count = 0
        for found in PIECE.finditer(self._text, start, end):
            if count >= limit:
                spaced = self._text[found.start() - 1].isspace()
                if spaced or count >= 2 * limit:
                    yield found.start(), count
                    position, count = found.start(), 0
            count += 1
        if position < end:
            yield end, count


def _even(total: int, most: int) -> int:
    """The size of each part when ``total`` is shared evenly among as few parts of at most ``most`` as do."""
    parts = -(-total // most)
    return -(-total // parts)


def _common(paths: list[list[str]]) -> list[str]:
    shared = paths[0]
    for path in paths[1:]:
        length = 0
        while length < min(len(shared), len(path)) and shared[length] == path[length]:
            length += 1
        shared = shared[:length]
    return shared


def _finish(text: str, groups: list[list[_Piece]], date: str | None) -> list[Chunk]:
    chunks: list[Chunk] = []
    path: list[tuple[int, str]] = []
    offset = 0
    line = 1
    for ordinal, pieces in enumerate(groups, 1):
        start, end = pieces[0].start, pieces[-1].end
        content = text[start:end]
        paths: list[list[str]] = []
        dated: Counter[str] = Counter()
        longest = max((piece.tokens for piece in pieces if not piece.heading and not piece.front), default=0)
        for piece in pieces:
            if piece.heading is not None:
                path = [(level, title) for level, title in path if level < piece.heading.level]
                path.append((piece.heading.level, piece.heading.title))
            elif not piece.front:
                if piece.tokens >= min(TINY, longest):
                    paths.append([title for _, title in path if title])
                dated[heading_date(path)] += piece.tokens
        if not paths:
            paths.append([title for _, title in path if title])
        # A chunk that begins in the middle of a section stands under it, whatever follows.
        inside = pieces[0].heading is None and not pieces[0].front
        headings = paths[0] if inside and ordinal > 1 else _common(paths)
        lines = content.count("\n")
        if any(dated):
            del dated[""]  # a line above the first date
        chunks.append(
            Chunk(
                ordinal=ordinal,
                text=content,
                start=offset,
                first_line=line,
                last_line=max(line, line + lines - content.endswith("\n")),
                headings=headings,
                tokens=sum(piece.tokens for piece in pieces),
                date=(max(dated, key=lambda day: dated[day]) if dated else heading_date(path)) or date,
            )
        )
        offset += len(content.encode("utf-8"))
        line += lines
    return chunks
