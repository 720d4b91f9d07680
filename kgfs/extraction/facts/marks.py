"""A sentence with a mark in the place of each name: what the patterns of facts are matched against.

Used by all readers of facts; pure. A pattern sees where a name starts and ends, perhaps the letter of its type, and
nothing else of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kgfs.extraction.names.named import NameSpan

OPEN, CLOSE = "\ue000", "\ue001"
"""What a mark is made of: private characters that no text of ours has."""
MARK = rf"{OPEN}\d+{CLOSE}"
"""The pattern of a mark without a letter."""
_MARK = re.compile(rf"{OPEN}(\d+){CLOSE}")


def with_marks(text: str, spans: Sequence[NameSpan], letters: Sequence[str] = ()) -> str:
    """``text`` with a mark in the place of each name, with the letter of its type if there are any.

    *Our* is the possessive of those who speak: ``Our investor`` becomes ``MARK's investor``.
    """
    if OPEN in text or CLOSE in text:
        text = text.replace(OPEN, " ").replace(CLOSE, " ")
    pieces: list[str] = []
    position = 0
    for number, span in enumerate(spans):
        letter = letters[number] if letters else ""
        whose = "'s" if text[span.start : span.end] in ("our", "Our") else ""
        pieces += [text[position : span.start], f"{OPEN}{letter}{number}{CLOSE}{whose}"]
        position = span.end
    pieces.append(text[position:])
    return "".join(pieces)


def mark_numbers(text: str) -> list[int]:
    """The numbers of the marks in ``text``."""
    return [int(number) for number in _MARK.findall(text)]
