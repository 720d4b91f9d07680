"""What a model says, found in the text again: names and quotes, and the exact place where they stand.

Used by the dialogues; pure. A model repeats a text nearly: it straightens quotation marks, shortens dashes, joins
lines and leaves out markup. ``FoldedText`` forgives that, and nothing else, and leads back to the characters and bytes
of the text as it is.
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
_MARKUP = re.compile(
    r"\]\([^()\s]*(?:\([^()]*\)[^()\s]*)*\)|!?\[\[(?:[^\[\]|\n]*\|)?|\]\]|[*`~]+|(?<![^\W_])_+"
    r"|_+(?![^\W_])|!?\[|\]|^[ \t]*(?:#{1,6}|>|[-+])(?=[ \t])|\|",
    re.M,
)
"""Signs of Markdown: emphasis, code, links with where they lead, what begins headings, quotes and items, cells."""
_CAPITAL = re.compile(r"(?<![\w'’])[^\W\d_a-z][\w&.'’-]*\w|\d[\d.,]*\d|\d")
"""Words with a capital, and numbers."""
_DOTS = re.compile(r"^(?:\.\.\.|…|\[(?:\.\.\.|…)\])\s*|\s*(?:\.\.\.|…|\[(?:\.\.\.|…)\])$")


class QuoteSpan(NamedTuple):
    """Where something stands: characters ``start`` to ``end`` of a text."""

    start: int
    end: int


class FoldedText:
    """A text in which quotes are found although signs and white space differ; made once a text."""

    __slots__ = ("_at", "_bare", "_folded", "_folded_lower", "_marked", "text")

    def __init__(self, text: str, *, markup: bool = True) -> None:
        """``markup`` is whether signs of Markdown may be left out."""
        self.text = text
        self._folded, self._at = _fold(text)
        self._folded_lower: str | None = None
        self._marked = markup and _MARKUP.search(text) is not None
        self._bare: _Bare | None = None

    def find_quote(self, quote: str) -> QuoteSpan | None:
        """Where ``quote`` stands: word for word but for quotation marks, dashes, white space, composition, markup.

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
        bare = self._without_markup()
        return None if bare is None else bare.find_quote(quote)

    def _without_markup(self) -> _Bare | None:
        """The text without its markup; ``None`` where it has none."""
        if self._bare is None and self._marked:
            self._bare = _Bare(self.text)
        return self._bare

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
        bare = self._without_markup()
        return None if bare is None else bare.name(name, any_case=any_case)

    def _place(self, start: int, end: int) -> QuoteSpan:
        first, last = self._at[start], self._at[end - 1] + 1
        # Marks that belong to the last letter go with it.
        while last < len(self.text) and unicodedata.combining(self.text[last]):
            last += 1
        return QuoteSpan(first, last)


class _Bare:
    """A text without its markup, with the places of what is left; what it finds has the markup around it."""

    __slots__ = ("_folded", "_marks", "_of")

    def __init__(self, text: str) -> None:
        self._marks = [found.span() for found in _MARKUP.finditer(text)]
        kept: list[str] = []
        self._of: list[int] = []
        """Of each character that is left its place in the text."""
        position = 0
        for start, end in [*self._marks, (len(text), len(text))]:
            kept.append(text[position:start])
            self._of += range(position, start)
            if text[start:end] == "|":
                kept.append(" ")
                self._of.append(start)
            position = end
        self._folded = FoldedText("".join(kept), markup=False)

    def find_quote(self, quote: str) -> QuoteSpan | None:
        return self._placed(self._folded.find_quote(_MARKUP.sub(_blank, quote)))

    def name(self, name: str, *, any_case: bool) -> QuoteSpan | None:
        return self._placed(self._folded.name(_MARKUP.sub(_blank, name), any_case=any_case))

    def _placed(self, place: QuoteSpan | None) -> QuoteSpan | None:
        if place is None:
            return None
        start, end = self._of[place.start], self._of[place.end - 1] + 1
        starts = {last: first for first, last in self._marks}
        ends = dict(self._marks)
        return QuoteSpan(starts.get(start, start), ends.get(end, end))


def _blank(mark: re.Match[str]) -> str:
    return " " if mark[0] == "|" else ""


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


def says_only(sentence: str, text: str) -> bool:
    """Whether all names and numbers of a sentence stand in ``text``: of its words only these can be checked."""
    words = {word.casefold() for word in _CAPITAL.findall(text)}
    lowered = text.casefold()
    first = next((place for place, char in enumerate(sentence) if char.isalnum()), 0)
    for found in _CAPITAL.finditer(sentence):
        word = found[0].casefold()
        if word in words or re.sub(r"['’]s$", "", word) in words:
            continue
        # The first word has a capital whatever it is.
        if found.start() != first or not word.isalpha() or (word not in _OPENERS and word not in lowered):
            return False
    return True


_OPENERS = frozenset(
    "a an the it he she they this that these those there in on at by for from as after before during while when "
    "since both many most some all several one two three of to not no its his her their our who what how "
    "according based overall however although though about describes explains lists covers outlines introduces "
    "presents reports gives shows details defines discusses summarizes summarises states notes says provides "
    "contains sets tells names compares recommends requires recounts announces argues reviews records documents "
    "instructs users people employees customers readers teams members staff companies visitors authors writers "
    "new former each other more".split()
)
