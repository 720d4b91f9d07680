"""How words are written, which the packaged model does not see: it knows no capitals.

Used by ``sentence_encoder`` and by what learns its weights (``scripts/train-name-types``); pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

NUMBERS = 20
"""How many shapes there are; those from the half on are of the first word of a sentence."""
_WORD = re.compile(r"[^\W_]+")
_SIGN, _DIGITS, _WITH_DIGITS, _LOWER, _LETTER, _UPPER, _CAPITAL, _CAPITALS_INSIDE, _OTHER = range(1, NUMBERS // 2)


def _shape(word: str) -> int:
    if any(letter.isdigit() for letter in word):
        return _WITH_DIGITS if any(letter.isalpha() for letter in word) else _DIGITS
    if word.islower():
        return _LOWER
    if len(word) == 1:
        return _LETTER
    if word.isupper():
        return _UPPER
    if word[0].isupper():
        return _CAPITAL if word[1:].islower() else _CAPITALS_INSIDE
    return _OTHER


def word_shapes(text: str, offsets: Sequence[tuple[int, int]]) -> list[int]:
    """The shape of the word that each token of a sentence is in, below ``NUMBERS``; 0 for a token that the model adds.

    ``offsets``: start and end of the tokens in characters, in their order.
    """
    words = [(match.start(), match.end(), _shape(match[0])) for match in _WORD.finditer(text)]
    found: list[int] = []
    at = 0
    for start, end in offsets:
        if start == end:
            found.append(0)
            continue
        while at < len(words) and words[at][1] <= start:
            at += 1
        inside = at < len(words) and words[at][0] < end
        shape = words[at][2] if inside else _SIGN
        found.append(shape + NUMBERS // 2 if inside and at == 0 else shape)
    return found
