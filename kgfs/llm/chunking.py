"""The chunker dialogue: a model proposes where a document's passages begin and end, by lines.

Used by ``kgfs.pipeline.chunk_pass``; pure. The model sees numbered lines, in windows where the text is long, and
answers with ranges of lines only, so that it can change no letter. What it proposes is checked (``ranges``) and brought
to size by the structural splitter (``kgfs.documents.chunking``), which also replaces what cannot be used.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kgfs.documents.blocks import lines_of
from kgfs.documents.chunking import chunk_at
from kgfs.documents.formats.parsing import document_blocks
from kgfs.documents.tokens import count_tokens
from kgfs.llm import prompts
from kgfs.llm.asking import Dialogue
from kgfs.llm.ranges import BadRanges, tile_ranges
from kgfs.llm_records import LlmAnswer, LlmRequest
from kgfs.model import Chunk, ParsedDocument

STRUCTURAL, MODEL = "structural", "llm"
WINDOW_TOKENS = 6000
"""What the model is shown at once, by the estimate of ``count_tokens``."""
SHOWN_CHARACTERS = 600
"""Of a long line its beginning is shown: it is one line whatever it says."""
_MAX_TOKENS = 4096


class PassageSizes(msgspec.Struct, frozen=True):
    """How long passages should be, in tokens."""

    least: int
    most: int


class ChunkProposal(msgspec.Struct):
    """The chunks that a document gets."""

    chunks: list[Chunk] | None
    """``None``: those that it has, by the structural splitter, stay."""
    chunker: str
    """``llm``, or ``structural`` with the reason in brackets."""


def propose_chunks(document: ParsedDocument, model: str, sizes: PassageSizes) -> Dialogue[ChunkProposal]:
    """Ask for the chunks of a document. A text that is one passage anyway costs no question."""
    text = document.text or ""
    if len(document.chunks) < 2:
        return ChunkProposal(None, STRUCTURAL)
    starts = lines_of(text, 0, len(text))
    blocks = document_blocks(document)
    waiting = _windows(text, starts, {block.start for block in blocks if block.kind == "heading"})
    bounds: list[int] = []
    while waiting:
        answers = yield [_request(document, text, starts, first, last, model, sizes) for first, last in waiting]
        halves = []
        try:
            for (first, last), answer in zip(waiting, answers, strict=True):
                if answer.stop_reason == "max_tokens" and last > first:
                    middle = (first + last) // 2
                    halves += [(first, middle), (middle + 1, last)]
                else:
                    bounds += _bounds(text, starts, first, last, answer)
        except BadRanges as error:
            return ChunkProposal(None, f"{STRUCTURAL} ({error})")
        waiting = halves
    chunks = chunk_at(
        text,
        blocks,
        bounds,
        tokens_min=sizes.least,
        tokens_max=sizes.most,
        date=document.date,
    )
    return ChunkProposal(chunks, MODEL)


def _windows(text: str, starts: Sequence[int], headings: set[int]) -> list[tuple[int, int]]:
    """The lines, from 1, that are shown together: they begin at a heading or behind an empty line where they may."""
    sizes = []
    for number, start in enumerate(starts):
        end = starts[number + 1] if number + 1 < len(starts) else len(text)
        sizes.append(count_tokens(text[start : min(end, start + SHOWN_CHARACTERS)]) + 4)
    windows = []
    first, size = 0, 0
    for number in range(len(starts)):
        if number > first and size + sizes[number] > WINDOW_TOKENS:
            cut = _cut(text, starts, headings, first, number)
            windows.append((first + 1, cut))
            size = sum(sizes[cut:number])
            first = cut
        size += sizes[number]
    windows.append((first + 1, len(starts)))
    return windows


def _cut(text: str, starts: Sequence[int], headings: set[int], first: int, number: int) -> int:
    """Where a window that begins at ``first`` ends, ``number`` being too far: in its second half, if possible."""
    half = (first + number) // 2 + 1
    for place in range(number, half, -1):
        if starts[place] in headings:
            return place
    for place in range(number, half, -1):
        if not text[starts[place - 1] : starts[place]].strip():
            return place
    return number


def _request(
    document: ParsedDocument, text: str, starts: Sequence[int], first: int, last: int, model: str, sizes: PassageSizes
) -> LlmRequest:
    shown = []
    for number in range(first, last + 1):
        end = starts[number] if number < len(starts) else len(text)
        line = text[starts[number - 1] : end].rstrip("\r\n")
        more = f" …[{len(line) - SHOWN_CHARACTERS:,} more characters]" if len(line) > SHOWN_CHARACTERS else ""
        shown.append(f"{number}: {line[:SHOWN_CHARACTERS]}{more}")
    return LlmRequest(
        purpose="chunk",
        model=model,
        prompt_version=prompts.CHUNK_VERSION,
        system=prompts.chunk_system(sizes.least, sizes.most),
        content=prompts.chunk_content(document.title, first, last, "\n".join(shown)),
        tool=prompts.CHUNK_TOOL,
        max_tokens=_MAX_TOKENS,
    )


def _bounds(text: str, starts: Sequence[int], first: int, last: int, answer: LlmAnswer) -> list[int]:
    """Where the chunks of one window begin, in characters."""
    if answer.error:
        raise BadRanges(f"the model failed: {answer.error.rstrip('.')}")
    if answer.stop_reason == "max_tokens":
        raise BadRanges("the model's answer was cut off")
    if answer.input is None:
        raise BadRanges("the model gave no ranges")

    def blank(line: int) -> bool:
        end = starts[line] if line < len(starts) else len(text)
        return not text[starts[line - 1] : end].strip()

    try:
        found = tile_ranges(answer.input.get("chunks"), first, last, blank)
    except BadRanges as error:
        raise BadRanges(f"the model gave ranges {error}") from error
    return [starts[start - 1] for start, _ in found]
