"""Many names found in a text in one pass: a trie of tokens.

Used by extraction; pure. The work is linear in the text for any number of names. The longest name wins; a name with
capitals must stand with its capitals, a lower-case one in any case.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Generic, NamedTuple, TypeVar

Key = TypeVar("Key")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_END = ""


class Hit(NamedTuple, Generic[Key]):
    """A name that stands in ``text[start:end]``."""

    start: int
    end: int
    key: Key


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
        tokens = _TOKEN.findall(name.casefold() if self._fold else name)
        while tokens and tokens[-1] == ".":
            tokens.pop()
        if not any(token[0].isalnum() for token in tokens):
            return
        node = self._root
        for token in tokens:
            node = node.setdefault(token, {})
        node.setdefault(_END, key)  # type: ignore[arg-type]

    def find(self, text: str) -> list[Hit[Key]]:
        """The names in ``text`` from left to right, none inside another."""
        hits: list[Hit[Key]] = []
        root = self._root
        if not root:
            return hits
        source = text.casefold() if self._fold and len(text.casefold()) == len(text) else text
        tokens = [(found.group(), found.start(), found.end()) for found in _TOKEN.finditer(source)]
        count = len(tokens)
        index = 0
        while index < count:
            node = root.get(tokens[index][0])
            if node is None:
                index += 1
                continue
            best = -1
            key: Key | None = None
            place = index
            while True:
                if _END in node:
                    best, key = place, node[_END]  # type: ignore[assignment]
                place += 1
                if place >= count:
                    break
                following = node.get(tokens[place][0])
                if following is None or tokens[place][1] - tokens[place - 1][2] > 1:
                    break
                node = following
            if best < 0:
                index += 1
                continue
            end = tokens[best][2]
            hits.append(Hit(tokens[index][1], end, key))  # type: ignore[arg-type]
            index = best + 1
        return hits
