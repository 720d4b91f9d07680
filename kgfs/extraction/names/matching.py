"""Many names found in a text in one pass: a trie of tokens.

Used by extraction; pure. The work is linear in the text for any number of names. The longest name wins; a name with
capitals must stand with its capitals, a lower-case one in any case. In scripts that put no space between words each
sign is a token, so that a name is found inside a sentence; a word in Katakana is one token, and a name in Korean must
begin a word, since particles stick to its end only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Generic, NamedTuple, TypeVar

from kgfs.languages import UNSPACED

Key = TypeVar("Key")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_UNSPACED = re.compile(f"[{UNSPACED}]")
_SIGNS = re.compile(f"[\u30a1-\u30fa\u30fc-\u30ff]+|[{UNSPACED}]|(?:(?![{UNSPACED}])\\w)+|[^\\w\\s]")
_KOREAN = re.compile("[\uac00-\ud7a3]")
_FEWEST_SIGNS = 2
"""A name of one sign would stand in every second word."""
_HYPHENS = ("-", "\u2010", "\u2011")
_END = ""


class NameMatch(NamedTuple, Generic[Key]):
    """A name that stands in ``text[start:end]``."""

    start: int
    end: int
    key: Key


class Tokens:
    """A text as words and signs with their places, made once and searched by several matchers."""

    __slots__ = ("folded", "spans", "words")

    def __init__(self, text: str) -> None:
        self.spans = [found.span() for found in _tokens(text)]
        self.words = [text[start:end] for start, end in self.spans]
        self.folded = [word.casefold() for word in self.words]


class Matcher(Generic[Key]):
    """A compiled set of names, each with the key that it means."""

    def __init__(self, names: Iterable[tuple[str, Key]], *, ignore_case: bool = False) -> None:
        """The first key of a name wins. ``ignore_case`` holds for all names."""
        self._fold = ignore_case
        self._root: dict[str, dict] = {}  # type: ignore[type-arg]
        for name, key in names:
            self.add(name, key)

    def add(self, name: str, key: Key) -> None:
        """Add a name; one without a letter or a digit is passed over."""
        name = name.casefold() if self._fold else name
        tokens = [found.group() for found in _tokens(name)]
        while tokens and tokens[-1] == ".":
            tokens.pop()
        if not any(token[0].isalnum() for token in tokens):
            return
        if _UNSPACED.match(name) and len(name.strip()) < _FEWEST_SIGNS:
            return
        node = self._root
        for token in tokens:
            node = node.setdefault(token, {})
        node.setdefault(_END, key)  # type: ignore[arg-type]

    def find_names(self, tokens: Tokens) -> list[NameMatch[Key]]:
        """The names in a text from left to right, none inside another."""
        hits: list[NameMatch[Key]] = []
        root = self._root
        if not root:
            return hits
        words = tokens.folded if self._fold else tokens.words
        spans = tokens.spans
        count = len(words)
        index = 0
        while index < count:
            node = root.get(words[index])
            if node is None or _inside_word(words, spans, index):
                index += 1
                continue
            best = -1
            key: Key | None = None
            place = index
            while True:
                if _END in node:
                    best, key = place, node[_END]
                place += 1
                if place >= count:
                    break
                following = node.get(words[place])
                if following is None or spans[place][0] - spans[place - 1][1] > 1:
                    break
                node = following
            if best < 0:
                index += 1
                continue
            if (
                _joined(words, spans, index - 1, -1)
                or _joined(words, spans, best + 1, 1)
                or _opens_address(words, spans, best)
                or (self._fold and _ends_compound(tokens.words, spans, index))
            ):
                index += 1
                continue
            hits.append(NameMatch(spans[index][0], spans[best][1], key))  # type: ignore[arg-type]
            index = best + 1
        return hits


def _tokens(text: str) -> Iterator[re.Match[str]]:
    return (_SIGNS if not text.isascii() and _UNSPACED.search(text) else _TOKEN).finditer(text)


def _joined(words: list[str], spans: list[tuple[int, int]], dot: int, step: int) -> bool:
    """Whether a dot joins a name to another word: ``GOV.UK`` names no country, ``Node.js`` no node, ``U.S.C.`` no
    country either."""
    if not 0 < dot < len(words) - 1 or words[dot] != ".":
        return False
    beside = words[dot + step]
    return (
        beside.isalpha()
        and (len(beside) > 1 or (step == 1 and len(words[dot - 1]) == 1))
        and spans[dot - 1][1] == spans[dot][0]
        and spans[dot][1] == spans[dot + 1][0]
    )


def _ends_compound(words: list[str], spans: list[tuple[int, int]], first: int) -> bool:
    """Whether a word in small letters at ``first`` is the end of a longer one: *lamp* of *anti-lamp*, another thing."""
    return (
        first > 1
        and words[first - 1] in _HYPHENS
        and words[first].islower()
        and words[first - 2].isalpha()
        and spans[first - 2][1] == spans[first - 1][0]
        and spans[first - 1][1] == spans[first][0]
    )


def _opens_address(words: list[str], spans: list[tuple[int, int]], last: int) -> bool:
    """Whether a name ends what stands before the sign of an address: ``lamp.security@acme.org``."""
    return (
        last + 2 < len(words)
        and words[last + 1] == "@"
        and words[last + 2][0].isalnum()
        and spans[last][1] == spans[last + 1][0]
        and spans[last + 1][1] == spans[last + 2][0]
    )


def _inside_word(words: list[str], spans: list[tuple[int, int]], index: int) -> bool:
    """Whether a token stands inside a Korean word, where no name begins."""
    return (
        index > 0
        and spans[index - 1][1] == spans[index][0]
        and not words[index].isascii()
        and _KOREAN.match(words[index]) is not None
        and _KOREAN.match(words[index - 1]) is not None
    )
