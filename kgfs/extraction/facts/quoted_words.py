"""What a sentence only quotes as somebody's words: ``"Lumen bought Tarn," he said`` states nothing itself.

Used where facts are rejected; pure. Titles and short words in quotation marks are no such words: a fact falls where
both of its ends stand in one quotation that somebody speaks, or that goes on before or behind the sentence.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator

from kgfs.extraction.units import Unit

_PAIRS = {"“": "”", "„": "“”", "«": "»", '"': '"'}
_MARK = re.compile(r"[“”„«»\"]")
_SINGLE = re.compile(r"(?:(?<=^)|(?<=[\s(]))[‘'](?=\w)(?P<inside>(?:[^‘’'\n]|[’'](?=\w))+[,.!?])[’'](?!\w)")
"""A quotation in single marks: only one that ends as a sentence does, since the mark is an apostrophe too."""
_SPOKEN = re.compile(
    r"(?i)\b(?:says?|said|saying|tells?|told|claim(?:s|ed|ing)?|assert(?:s|ed)?|insist(?:s|ed)?|argue[sd]?|announce[sd]?|declare[sd]?|"
    r"maintain(?:s|ed) that|state[sd]?|remark(?:s|ed)?|repl(?:y|ies|ied)|answer(?:s|ed)|ask(?:s|ed)?|add(?:s|ed)|wrote|writes|"
    r"exclaim(?:s|ed)?|shout(?:s|ed)?|cried|whisper(?:s|ed)?|recall(?:s|ed)?|explain(?:s|ed)?|boast(?:s|ed)?|joke[sd]?|note[sd]|"
    r"think(?:s|ing)?|thought|believe[sd]?|quoth|comment(?:s|ed)|according to|quot(?:ed|es|ing))\b"
)
_ENDS = (",", ".", "!", "?", "…", "—", "–")
"""What closes words that are spoken, before the mark or behind it."""
_LABEL = re.compile(r":\W*$")
_LETTERS = re.compile(r"\w")


def quotations(text: str) -> Iterator[tuple[int, int, bool]]:
    """What stands between quotation marks: from where to where, and whether both marks are there."""
    position = 0
    while position < len(text):
        if (found := _MARK.search(text, position)) is None:
            break
        opened, mark = found.start(), found[0]
        if mark in "”»":
            yield position, opened, False  # what began before the sentence
            position = opened + 1
            continue
        if mark == '"' and text[opened - 1 : opened].isdigit():
            position = opened + 1  # inches
            continue
        if mark == '"' and not text[opened + 1 : opened + 2].strip():
            yield position, opened, False  # it closes what began before the sentence
            position = opened + 1
            continue
        closed = next((place for place in range(opened + 1, len(text)) if text[place] in _PAIRS[mark]), -1)
        yield opened + 1, closed if closed >= 0 else len(text), closed >= 0
        if closed < 0:
            break
        position = closed + 1
    for single in _SINGLE.finditer(text):
        yield *single.span("inside"), True


def is_spoken(text: str, start: int, end: int, *, unclosed: bool = True) -> bool:
    """Whether what stands from ``start`` to ``end`` of a sentence is within words that somebody else is quoted with.

    ``unclosed``: also where a mark has none that belongs to it in the sentence.
    """
    for first, last, whole in quotations(text):
        if not first <= start or not end <= last or not (whole or unclosed):
            continue
        before, behind = text[: first - 1], text[last + 1 :]
        if not whole or _LABEL.search(before) is not None:
            return True
        closes = text[first:last].rstrip().endswith(_ENDS) or behind.lstrip()[:1] in (",", "—", "–")
        if _LETTERS.search(before + behind) is None:
            return text[first:last].rstrip().endswith(_ENDS)
        if _SPOKEN.search(before) is not None or _SPOKEN.search(behind) is not None:
            return closes or _SPOKEN.search(before[-40:]) is not None
    return False


def goes_on(unit: Unit) -> bool:
    """Whether a sentence stands within a quotation that began before it in its paragraph, and ends behind it."""
    text = unit.chunk.text
    before = text[text.rfind("\n\n", 0, unit.start) + 1 : unit.start]
    if before.count("“") > before.count("”"):
        return "”" in text[unit.end : unit.end + 2000].partition("\n\n")[0]
    behind = text[unit.end : unit.end + 2000].partition("\n\n")[0]
    if before.count('"') % 2 == 0 or behind.count('"') % 2 == 0:
        return False
    opened = before.rfind('"')
    return before[opened + 1 : opened + 2].isalpha() and not before[opened - 1 : opened].isalnum()
