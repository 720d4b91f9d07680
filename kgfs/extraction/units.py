"""A document as the sentences, headings, rows and references that extraction reads, each with its place in a chunk.

Used by the extractor; pure. A unit lies inside one chunk, so that a quote always does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from kgfs.documents.blocks import Block
from kgfs.documents.citations import citation_spans
from kgfs.documents.formats.parsing import document_blocks
from kgfs.documents.markup import PlainSentence, plain_sentence, strip_lead
from kgfs.documents.sentences import sentence_spans
from kgfs.documents.shouting import calmed_opening
from kgfs.model import Chunk, ParsedDocument

MAX_UNIT = 2000
"""Characters; a longer sentence is none (a table without rows, a dump) and is only searched for known names."""
_BOOK_ENDS = re.compile(r"^\*\*\* ?END OF (?:THE|THIS) PROJECT GUTENBERG\b.*$", re.IGNORECASE | re.MULTILINE)
"""The line behind which Project Gutenberg puts its own terms of use."""


_Kind = Literal["sentence", "foreign", "heading", "row", "code", "citation"]


@dataclass(slots=True)
class Unit:
    """A sentence, a heading, a row, a reference or a piece of code."""

    kind: _Kind
    """``foreign``: what is only searched for known names, a sentence in another language than English (made of a
    sentence by ``mark_foreign``) or of the terms behind a book. ``citation``: a reference, which is no prose."""
    chunk: Chunk
    start: int
    """Characters from the start of the chunk's text."""
    end: int
    content: PlainSentence
    headings: tuple[str, ...]
    paragraph: int
    """Units of one paragraph share it."""

    @property
    def quote(self) -> str:
        """The unit as it stands in the chunk."""
        return self.chunk.text[self.start : self.end]

    def span(self) -> tuple[int, int]:
        """The byte span of the quote in the chunk's text."""
        start = len(self.chunk.text[: self.start].encode())
        return start, start + len(self.quote.encode())


def document_units(document: ParsedDocument) -> list[Unit]:
    """The units of a document, in order; none where it has no chunks."""
    if not document.chunks or not document.text:
        return []
    units = list(_Reader(document).read())
    opening = next((unit for unit in units if unit.kind == "sentence"), None)
    if opening is not None:
        opening.content.text = calmed_opening(opening.content.text, document.title)
    return units


class _Reader:
    def __init__(self, document: ParsedDocument) -> None:
        self._document = document
        self._text = document.text or ""
        self._chunks = document.chunks
        self._starts: list[int] = []
        position = 0
        for chunk in self._chunks:
            self._starts.append(position)
            position += len(chunk.text)
        self._current = 0
        self._paragraph = 0
        end = _BOOK_ENDS.search(self._text)
        self._end = end.start() if end else len(self._text)

    def read(self) -> Iterator[Unit]:
        path: list[tuple[int, str]] = []
        for block in document_blocks(self._document):
            if block.kind == "heading":
                path = [(level, title) for level, title in path if level < block.level]
                path.append((block.level, block.title))
            if block.kind != "front":
                yield from self._block(block, tuple(title for _, title in path if title))

    def _block(self, block: Block, headings: tuple[str, ...]) -> Iterator[Unit]:
        for leaf in block.leaves:
            self._paragraph += 1
            if leaf.kind == "text":
                begin = leaf.start + strip_lead(self._text[leaf.start : min(leaf.end, leaf.start + 200)])
                citations = citation_spans(self._text, begin, leaf.end) if begin < self._end else []
                for start, end in citations:
                    yield from self._placed("citation", start, end, headings)
                for start, end in () if citations else sentence_spans(self._text, begin, leaf.end):
                    yield from self._placed("sentence" if start < self._end else "foreign", start, end, headings)
            else:
                kind: _Kind = leaf.kind if leaf.start < self._end else "foreign"
                yield from self._placed(kind, leaf.start, leaf.end, headings)

    def _placed(self, kind: _Kind, start: int, end: int, headings: tuple[str, ...]) -> Iterator[Unit]:
        """The unit in its chunk; one that a chunk's end cuts becomes code: read for known names, nothing else."""
        while start < end:
            while self._current + 1 < len(self._starts) and self._starts[self._current + 1] <= start:
                self._current += 1
            base = self._starts[self._current]
            chunk = self._chunks[self._current]
            stop = min(end, base + len(chunk.text))
            whole = stop == end
            raw = self._text[start:stop]
            length = len(raw.rstrip())
            if length:
                readable = kind != "code" and whole and length <= MAX_UNIT
                bare = raw[:length].lstrip("#") if kind == "heading" else raw[:length]
                content = plain_sentence(bare) if readable else PlainSentence(bare)
                unit_kind = kind if readable else "code"
                yield Unit(unit_kind, chunk, start - base, start - base + length, content, headings, self._paragraph)
            if whole:
                return
            kind = "code"
            start = stop
