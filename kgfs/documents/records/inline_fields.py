"""Fields in the text of notes, as plugins of Obsidian read them: ``director:: [[Ann Lee]]``, ``(year:: 1999)``.

One of the readers of this package; pure. They speak of what the note is about. What stands in code is none, nor is a
bracket in an item of a list or a task, which speaks of the item.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from kgfs.documents.blocks import Block
from kgfs.documents.markup import plain_sentence
from kgfs.documents.records.record import KIND_KEYS, MAX_FIELDS, MAX_VALUE, Field, Record, key_word

_KEY = r"[^\W\d_][\w -]{0,38}[^\W_]|[^\W\d_]"
_INDENT, _ITEM_MARK = r"[ \t]*(?:>[ \t]?)*", r"(?:[-*+]|\d{1,3}[.)])[ \t]"
_LINE = re.compile(
    rf"{_INDENT}(?:{_ITEM_MARK}+)?(?P<mark>\*\*|__|\*|_|)(?P<key>{_KEY})(?P=mark)"
    r"::[ \t]+(?P<value>\S[^\n]*)"
)
_IN_BRACKETS = re.compile(
    rf"(?<![\w\]!\\])(?:\[(?P<key>{_KEY})::[ \t]+(?P<value>(?:\[\[[^\[\]\n]*\]\]|[^\[\]\n])+)\](?!\()"
    rf"|\((?P<hidden>{_KEY})::[ \t]+(?P<said>(?:\[\[[^\[\]\n]*\]\]|[^()\n])++)\))"
)
_ITEM = re.compile(rf"{_INDENT}{_ITEM_MARK}")
_CODE = re.compile(r"->|=>|[{}<>;]|\w\(|::")
"""In the value of what is a line of a program: ``map:: a -> b``."""
_MOST_WORDS = 4
"""Words of a key."""


def inline_record(text: str, blocks: Sequence[Block], title: str) -> Record | None:
    """The record of the fields in the text of a note with this title; ``None`` where there are none.

    A key that several sections have speaks of each of them, and not of the note.
    """
    if ":: " not in text and "::\t" not in text:
        return None
    record = Record(title, "", "lines", 0, 0, of_page=True)
    sections: defaultdict[str, set[int]] = defaultdict(set)
    found: list[Field] = []
    section = 0
    for block in blocks:
        if block.kind == "heading":
            section = block.start
        elif block.kind in ("paragraph", "list"):
            for one in _fields(text, block):
                sections[key_word(one.key)].add(section)
                found.append(one)
    for one in found:
        if key_word(one.key) in ("type", "kind", "category"):
            record.kind = one.value
            record.says = one if key_word(one.key) in KIND_KEYS else None
        elif len(sections[key_word(one.key)]) == 1 and len(record.fields) < MAX_FIELDS:
            record.fields.append(one)
            record.end = max(record.end, one.end)
    if not record.fields:
        return None
    record.start = min(one.start for one in record.fields)
    return record


def _fields(text: str, block: Block) -> Iterator[Field]:
    position = block.start
    for line in text[block.start : block.end].splitlines(keepends=True):
        start, end = position + len(line) - len(line.lstrip()), position + len(line.rstrip())
        position += len(line)
        if "::" not in line:
            continue
        pairs: list[tuple[str, str]] = []
        whole = _LINE.fullmatch(line.rstrip())
        if whole is not None:
            pairs = [(whole["key"], whole["value"])]
        elif _ITEM.match(line) is None:
            shown = re.sub(r"`[^`\n]*`", lambda code: " " * len(code[0]), line)
            pairs = [(one["key"] or one["hidden"], one["value"] or one["said"]) for one in _IN_BRACKETS.finditer(shown)]
        for key, said in pairs:
            value = plain_sentence(said.strip()).text.strip()
            if _CODE.search(value):
                continue
            if value and len(value) <= MAX_VALUE and len(key.split()) <= _MOST_WORDS:
                yield Field(key.strip(), value, start, end)
