"""Definition lists of Markdown (``Term``, then ``: what it is``), lines of ``Key: value`` and those of an index, told
from paragraphs.

Used by formats where blocks are made; pure. The parser of Markdown takes both for running text; what they are decides
how extraction reads them: a term and a value are no sentences.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kgfs.documents.blocks import Block, Leaf, lines_of
from kgfs.documents.records.key_lines import are_key_lines

_GLOSSARY = re.compile(
    r"(?i)\b(?:glossary|terminology|definitions|abbreviations|acronyms|initialisms|nomenclature|key terms|key concepts|"
    r"terms and definitions|defined terms|list of terms|vocabulary|glossar|terminologie|definitionen|begriffe|"
    r"abkürzungen|abkürzungsverzeichnis|glossaire|définitions|abréviations|sigles|glosario|terminología|definiciones|"
    r"abreviaturas|glossario|definizioni|abbreviazioni|acronimi|terminologia|definições|begrippenlijst|woordenlijst|"
    r"глоссарий|термины|определения|сокращения|словарь)\b|用語集|用語|术语表|术语|詞彙|词汇表|용어집"
)
_EXPLAINS = re.compile(r"[ ]{0,3}:[ \t]+(?=\S)")
_MAX_TERM = 100
_TERMS = re.compile(
    r"(?i)(?:common |important |our |project |the |useful )*terms"
    r"(?: (?:we use|used|explained|and (?:their )?meanings?))?"
)
"""The title of a page; in a contract a heading *Terms* opens what was agreed."""


def is_glossary(title: str, *, of_page: bool = False) -> bool:
    """Whether a title or heading says that terms are defined beneath it; ``of_page``: it is that of the whole page."""
    said = title.strip(" .:")
    return len(said.split()) <= 8 and (
        _GLOSSARY.search(said) is not None or (of_page and _TERMS.fullmatch(said) is not None)
    )


def mark_structures(text: str, blocks: Sequence[Block]) -> None:
    """Change paragraphs and lists that are definitions or keys and values: the leaves of their lines become rows."""
    glossary = 0
    """The level of the heading that opens a glossary: its lines are terms and what defines them."""
    for place, block in enumerate(blocks):
        if block.kind == "heading":
            if is_glossary(block.title, of_page=block.level == 1):
                glossary = min(glossary or 9, block.level)
            elif block.level <= glossary:
                glossary = 0
            continue
        if block.kind == "paragraph" and (_define(text, block) or _index(text, block)):
            continue
        if block.kind == "paragraph" and place and _EXPLAINS.match(text, block.start, block.end):
            # The term stands by itself, in the block before.
            term = blocks[place - 1]
            line = text[term.start : term.end].strip()
            if term.kind == "paragraph" and "\n" not in line and 0 < len(line) <= _MAX_TERM:
                term.leaves = [Leaf(term.start, term.end, "row")]
                term.kind = "definitions"
            if term.kind == "definitions":
                _explain(text, block)
        elif (
            block.kind in ("paragraph", "list")
            and not glossary
            and not any(leaf.kind == "code" for leaf in block.leaves)
        ) and not {":", "："}.isdisjoint(text[block.start : block.start + 100]):
            starts = lines_of(text, block.start, block.end)
            lines = [text[a:b] for a, b in zip(starts, [*starts[1:], block.end], strict=True)]
            if are_key_lines(lines):
                block.leaves = [
                    Leaf(start, start + len(line), "row")
                    for start, line in zip(starts, lines, strict=True)
                    if line.strip()
                ]


def _define(text: str, block: Block) -> bool:
    """Make a paragraph of terms and their definitions one of definitions."""
    if "\n:" not in text[block.start : block.end] and "\n " not in text[block.start : block.end]:
        return False
    starts = lines_of(text, block.start, block.end)
    explains = [_EXPLAINS.match(text, start, block.end) is not None for start in starts]
    if len(starts) < 2 or explains[0] or not any(explains):
        return False
    ends = [*starts[1:], block.end]
    leaves: list[Leaf] = []
    for place, (start, end) in enumerate(zip(starts, ends, strict=True)):
        line = text[start:end].strip()
        if explains[place]:
            leaves.append(Leaf(start + 2, end))
        elif place + 1 < len(starts) and explains[place + 1] and not (place and text[start] in " \t"):
            if len(line) > _MAX_TERM:
                return False
            leaves.append(Leaf(start, end, "row"))
        elif leaves and leaves[-1].kind == "text":
            leaves[-1].end = end  # a definition goes on
        elif place + 2 < len(starts) and explains[place + 2] and len(line) <= _MAX_TERM:
            leaves.append(Leaf(start, end, "row"))  # two terms of one definition
        else:
            return False
    block.kind, block.leaves = "definitions", leaves
    block.cuts = [leaf.start for leaf in leaves[1:] if leaf.kind == "row"]
    return True


_ON_PAGES = re.compile(r"\s*\S[^\n]{0,70}?,? \d{1,4}(?:[-–]\d{1,4})?(?:, \d{1,4}(?:[-–]\d{1,4})?)*\.?\s*")
"""A line of an index: *Lind, Ann, 12, 34-36*."""
_FEWEST_LINES = 3
_IN_INDEX = 0.6
"""The share of the lines of an index that end in pages: others say *see Lind*, or go on."""


def _index(text: str, block: Block) -> bool:
    """Make each line of an index a row: a name ends where its line does."""
    starts = lines_of(text, block.start, block.end)
    if len(starts) < _FEWEST_LINES:
        return False
    ends = [*starts[1:], block.end]
    on_pages = sum(_ON_PAGES.fullmatch(text, a, b) is not None for a, b in zip(starts, ends, strict=True))
    if on_pages < _FEWEST_LINES or on_pages < _IN_INDEX * len(starts):
        return False
    block.leaves = [Leaf(a, b, "row") for a, b in zip(starts, ends, strict=True) if text[a:b].strip()]
    return True


def _explain(text: str, block: Block) -> None:
    found = _EXPLAINS.match(text, block.start, block.end)
    assert found is not None
    block.kind = "definitions"
    block.leaves = [Leaf(found.end(), block.end)]
