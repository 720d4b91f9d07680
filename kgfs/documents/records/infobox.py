"""The infobox of a page: a table of two columns above its sections, whose rows are fields of what the page is about.

One of the readers of this package; pure. Tables of two columns are mostly of other things: the first column has to hold
keys that things have, and the header may not say what the columns are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice, takewhile

from kgfs.documents.blocks import Block
from kgfs.documents.markup import plain_sentence
from kgfs.documents.records.columns import is_header_word, is_property_of_page
from kgfs.documents.records.delimited import LINE_BREAK
from kgfs.documents.records.record import (
    KIND_KEYS,
    MAX_FIELDS,
    MAX_VALUE,
    Field,
    Record,
    has_no_case,
    is_plain_value,
    key_word,
)
from kgfs.documents.records.rst_tables import TableRow

_FEWEST = 2
"""Keys that things have."""
_SHARE = 1 / 3
"""Of the rows, so many have such a key."""
_MOST_ROWS = 40
_MOST_WORDS = 4
"""Of a key."""
_MOST_WORDS_OF_VALUE = 8
_SHORT = 0.75
"""Of the values, so many are short, so that they are no sentences."""
_KEYS = frozenset(
    "attribute attributes detail details fact facts field fields item key label parameter property".split()
)
_VALUES = frozenset("data detail details info information value values".split())
_TYPES = frozenset(
    "any array bool boolean char date datetime decimal double enum false float int int32 int64 integer json "
    "list long map null number object optional required str string text timestamp true uuid varchar".split()
)
"""Values of what describes a table or a format, and is no thing."""


def infobox_record(rows: Sequence[TableRow], title: str) -> Record | None:
    """The record of a table above the sections of the page ``title``; ``None`` where it is no infobox.

    ``rows`` are all of it, with the one that is written as its header.
    """
    filled = [row for row in rows if sum(bool(cell) for cell in row.cells) > 1]
    if not _FEWEST <= len(filled) <= _MOST_ROWS or any(sum(map(bool, row.cells[2:])) for row in filled):
        return None
    if len(rows) - len(filled) > max(2, len(filled)):
        return None
    first, second = (cell.strip(" :").lower() for cell in filled[0].cells[:2])
    if first in _KEYS and second in _VALUES:
        filled = filled[1:]
    elif is_header_word(second):
        return None  # "Owner | Ship"
    pairs = [(row.cells[0].strip(" *_:"), row) for row in filled]
    words = [key_word(key) for key, _ in pairs]
    known = sum(map(is_property_of_page, words))
    if known < max(_FEWEST, _SHARE * len(words)) or len(set(words)) < len(words) or not all(map(_may_be_key, words)):
        return None
    values = [row.cells[1] for _, row in pairs]
    lines = [line for value in values for line in value.split(LINE_BREAK)]
    if sum(map(_is_short, lines)) < _SHORT * len(lines):
        return None
    if any(value.strip(" `").lower() in _TYPES for value in values):
        return None
    if sum(is_property_of_page(key_word(value)) for value in values) > 1:
        return None  # the columns are keys, too
    record = Record(title, "", "box", filled[0].start, filled[-1].end, of_page=True)
    for (key, row), word in zip(pairs, words, strict=True):
        several = [" ".join(line.split()) for line in row.cells[1].split(LINE_BREAK)]
        if word in KIND_KEYS and len(several) == 1:
            record.kind, record.says = several[0], Field(key, several[0], row.start, row.end)
            continue
        for value in several:
            if value and len(value) <= MAX_VALUE and len(record.fields) < MAX_FIELDS:
                record.fields.append(Field(key, value, row.start, row.end, listed=len(several) > 1))
    return record if record.fields else None


def definition_rows(text: str, blocks: Sequence[Block], place: int) -> list[TableRow]:
    """The terms of a definition list with what stands beneath each, as rows; none where one has several.

    The list begins at ``blocks[place]``, and goes on in the blocks behind it.
    """
    rows: list[TableRow] = []
    for block in takewhile(lambda one: one.kind == "definitions", islice(blocks, place, place + _MOST_ROWS)):
        if len(block.leaves) % 2:
            return []
        for term, said in zip(block.leaves[::2], block.leaves[1::2], strict=True):
            if term.kind != "row" or said.kind != "text":
                return []
            key, value = (plain_sentence(text[leaf.start : leaf.end]).text.strip() for leaf in (term, said))
            rows.append(TableRow([key, value], term.start, said.start + len(text[said.start : said.end].rstrip())))
    return rows


def _is_short(line: str) -> bool:
    """Whether a value is a name or a figure, and not a sentence."""
    words = line.split()
    return len(words) <= _MOST_WORDS_OF_VALUE and not (len(words) > 2 and line.endswith((".", "!", "?")))


def _may_be_key(word: str) -> bool:
    return (
        bool(word)
        and word.count("_") < _MOST_WORDS
        and not is_plain_value(word)
        and (has_no_case(word) or re.match(r"[^\W\d_]{2}", word) is not None)
    )
