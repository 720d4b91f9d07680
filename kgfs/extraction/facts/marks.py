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
_SHORTENED = (" Inc", " Ltd", " Corp", " Co", " Bros", " Jr", " Sr", " plc")
_STOP = re.compile(r"\.(?=[ \n](?!(?:The|This|These|We|It|If|In|An?|You|For|He|She|They|On|At)\b)\S|[,;:)'’])")
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
        position = span.end + (1 if _is_abbreviated(text, span.end) else 0)
    pieces.append(text[position:])
    return "".join(pieces)


def place_in_marked(text: str, spans: Sequence[NameSpan], letters: Sequence[str], place: int) -> int:
    """Where a character of ``text``, outside of its names, stands in what ``with_marks`` makes of it."""
    shift = 0
    for number, span in enumerate(spans):
        if span.end > place:
            break
        whose = 2 if text[span.start : span.end] in ("our", "Our") else 0
        mark = len(letters[number]) + len(str(number)) + 2 + whose
        shift += mark - (span.end - span.start) - (1 if _is_abbreviated(text, span.end) else 0)
    return place + shift


def _is_abbreviated(text: str, end: int) -> bool:
    """Whether the full stop behind a name is the end of its last word, not of the sentence: *Acme, Inc. uses Lumen*."""
    return _STOP.match(text, end) is not None and text[:end].endswith(_SHORTENED)


def mark_numbers(text: str) -> list[int]:
    """The numbers of the marks in ``text``."""
    return [int(number) for number in _MARK.findall(text)]
