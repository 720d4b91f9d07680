"""What a model says, found in the text again: names and quotes, and the exact place where they stand.

Used by the dialogues; pure. A model repeats a text nearly: it straightens quotation marks, shortens dashes and joins
lines. ``FoldedText`` forgives that, and nothing else, and leads back to the characters and bytes of the text as it is.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

_SIGNS = {
    **dict.fromkeys("‘’‚‛′`´ʼ", "'"),
    **dict.fromkeys("“”„‟″«»", '"'),
    **dict.fromkeys("‐‑‒–—―−", "-"),
    "…": "...",
    **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", ""),
}
"""Signs that people and models write in several ways; soft hyphens and joiners are nothing at all."""
_AROUND = " \t\r\n\"'“”‘’«»`"
_DOTS = re.compile(r"^(?:\.\.\.|…|\[(?:\.\.\.|…)\])\s*|\s*(?:\.\.\.|…|\[(?:\.\.\.|…)\])$")


class QuoteSpan(NamedTuple):
    """Where something stands: characters ``start`` to ``end`` of a text."""

    start: int
    end: int


class FoldedText:
    """A text in which quotes are found although signs and white space differ; made once a text."""

    __slots__ = ("_at", "_folded", "_folded_lower", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._folded, self._at = _fold(text)
        self._folded_lower: str | None = None

    def find_quote(self, quote: str) -> QuoteSpan | None:
        """Where ``quote`` stands: word for word, else but for quotation marks, dashes, white space and composition.

        Quotation marks and dots of omission around the quote do not count. The first place where there are several;
        ``None`` where it does not stand, or nothing is left of it.
        """
        start = self.text.find(quote) if quote.strip() else -1
        if start >= 0:
            return QuoteSpan(start, start + len(quote))
        for trimmed in dict.fromkeys((quote.strip(), _trimmed(quote))):
            wanted = _fold(trimmed)[0].strip()
            place = self._folded.find(wanted) if wanted else -1
            if place >= 0:
                return self._place(place, place + len(wanted))
        return None

    def name(self, name: str, *, any_case: bool = False) -> QuoteSpan | None:
        """Where ``name`` stands as words of its own; ``None`` where it does not."""
        wanted = _fold(name)[0].strip()
        if not any(char.isalnum() for char in wanted):
            return None
        text = self._folded
        if any_case:
            if self._folded_lower is None:
                lower = text.lower()
                self._folded_lower = lower if len(lower) == len(text) else text
            text, wanted = self._folded_lower, wanted.lower()
        place = text.find(wanted)
        while place >= 0:
            end = place + len(wanted)
            if not (_joined(text, place) or _joined(text, end)):
                return self._place(place, end)
            place = text.find(wanted, place + 1)
        return None

    def _place(self, start: int, end: int) -> QuoteSpan:
        first, last = self._at[start], self._at[end - 1] + 1
        # Marks that belong to the last letter go with it.
        while last < len(self.text) and unicodedata.combining(self.text[last]):
            last += 1
        return QuoteSpan(first, last)


def byte_span(text: str, place: QuoteSpan) -> tuple[int, int]:
    """A place in bytes of UTF-8."""
    start = len(text[: place.start].encode())
    return start, start + len(text[place.start : place.end].encode())


def _fold(text: str) -> tuple[str, list[int]]:
    """``text`` in one way of writing, and of each of its characters the place in ``text``."""
    folded: list[str] = []
    at: list[int] = []
    space = True
    for number, char in enumerate(text):
        if char.isspace():
            if not space:
                folded.append(" ")
                at.append(number)
            space = True
            continue
        signs = _SIGNS.get(char)
        if signs is None:
            signs = char if char.isascii() else "".join(one for one in _decomposed(char) if not one.isspace())
        for sign in signs:
            folded.append(sign)
            at.append(number)
        if signs:
            space = False
    return "".join(folded), at


def _decomposed(char: str) -> str:
    return unicodedata.normalize("NFD", char)


def _joined(text: str, place: int) -> bool:
    """Whether a word goes on over ``place``."""
    if not 0 < place < len(text):
        return False
    before, after = text[place - 1], text[place]
    if _unspaced(before) or _unspaced(after):
        return False
    return (before.isalnum() or unicodedata.combining(before) > 0) and (
        after.isalnum() or unicodedata.combining(after) > 0
    )


def _unspaced(char: str) -> bool:
    """Whether a letter is of a script that puts no spaces between words: Thai to Khmer, kana, Han, Hangul."""
    return "\u0e00" <= char <= "\u0eff" or "\u1000" <= char <= "\u109f" or "\u1100" <= char <= "\u11ff" or (
        "\u1780" <= char <= "\u17ff" or char >= "\u2e80"
    )  # fmt: skip


def _trimmed(quote: str) -> str:
    """A quote without quotation marks and dots of omission around it."""
    before = None
    while quote != before:
        before, quote = quote, _DOTS.sub("", quote.strip(_AROUND))
    return quote
