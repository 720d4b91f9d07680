"""Literals that every match of a pattern of GNU grep holds: what narrows the texts that are handed to it.

Used by ``grep``. Careful rather than clever: where a construct is not certain there is no literal, and all texts are
searched. Source of the syntax: the GNU grep manual, "Regular Expressions"; of what is equal in another case: its
``case_folded_counterparts``.
"""

from __future__ import annotations

import re

from kgfs.store.tree.text_scan import Needles

_ALTERNATIVES = 8
"""More literals than this are no gain."""
_DEPTH = 50
"""Nor are literals in more groups within groups."""
_PLAIN_ESCAPES = frozenset(".[]*^$+?{}()|\\")
_REPEAT = re.compile(r"\{([0-9]+(?:,[0-9]*)?|,[0-9]+)\}")

Required = tuple[str, ...] | None
"""Literals of which one must occur; ``None`` where nothing is certain."""


class _Unsure(Exception):
    """The pattern holds what this module does not vouch for."""


def needles(pattern: str, fixed: bool, fold: bool) -> Needles:
    """Literals of which each matching text holds one, for ``grep -E`` (or ``-F``) and perhaps ``-i``."""
    found: list[str] = []
    for line in pattern.split("\n"):
        required = (line,) if fixed else _of_expression(line)
        required = _usable(required, fold)
        if required is None:
            return Needles()
        found += required
    return Needles(tuple(dict.fromkeys(found)), fold) if len(found) <= _ALTERNATIVES else Needles()


def _usable(required: Required, fold: bool) -> Required:
    """The part of the literals that the store can look for."""
    if required is None:
        return None
    found = []
    for text in required:
        if any("\ud800" <= char <= "\udfff" for char in text) or "\0" in text:
            return None
        if fold:  # in ASCII it is known what else stands for a letter
            text = max(re.split(r"[^\x20-\x7e]+", text), key=len)
        if len(text) < 2 and (text.isascii() or not text):
            return None
        found.append(text)
    return tuple(found)


def _of_expression(pattern: str) -> Required:
    scanner = _Scanner(pattern)
    try:
        required = scanner.alternatives()
    except _Unsure:
        return None
    return required if scanner.at == len(pattern) else None


def _better(one: Required, other: Required) -> Required:
    """The one that narrows more: whose shortest literal is longest."""
    if one is None or other is None:
        return one or other
    return max(one, other, key=lambda texts: (min(map(len, texts)), -len(texts)))


class _Scanner:
    """Reads an extended regular expression once, from left to right."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self.at = 0
        self._depth = 0

    def _peek(self) -> str:
        return self._pattern[self.at : self.at + 1]

    def alternatives(self) -> Required:
        """Up to the end or an unopened ``)``: one literal of each alternative."""
        found: list[str] | None = []
        while True:
            required = self._sequence()
            if required is None or found is None:
                found = None
            else:
                found += required
            if self._peek() != "|":
                return None if found is None or len(found) > _ALTERNATIVES else tuple(found)
            self.at += 1

    def _sequence(self) -> Required:
        """Up to a ``|``, a ``)`` or the end."""
        best: Required = None
        run = ""
        while True:
            char = self._peek()
            if char in ("", "|", ")"):
                return _better(best, (run,) if run else None)
            self.at += 1
            group: Required = None
            literal = ""
            if char == "(":
                self._depth += 1
                if self._depth > _DEPTH:
                    raise _Unsure
                group = self.alternatives()
                self._depth -= 1
                if self._peek() != ")":
                    raise _Unsure
                self.at += 1
            elif char == "[":
                self._bracket()
            elif char == "\\":
                literal = self._escape()
            elif char not in ".^$*+?{":
                literal = char
            elif char == "{":
                self.at -= 1  # what it repeats was looked at with it; here it is at a beginning
                raise _Unsure
            optional, repeated = self._quantifiers()
            if literal and not optional:
                run += literal
                if repeated:
                    best, run = _better(best, (run,)), ""
                continue
            if run:
                best, run = _better(best, (run,)), ""
            if not optional:
                best = _better(best, group)

    def _quantifiers(self) -> tuple[bool, bool]:
        """Whether what stands before may be missing, and whether it is repeated at all."""
        optional = repeated = False
        while (char := self._peek()) and char in "*+?{":
            repeated = True
            if char == "{":
                interval = _REPEAT.match(self._pattern, self.at)
                if interval is None:
                    raise _Unsure
                optional = True
                self.at = interval.end()
            else:
                optional |= char != "+"
                self.at += 1
        return optional, repeated

    def _escape(self) -> str:
        char = self._peek()
        if not char:
            raise _Unsure
        self.at += 1
        return char if char in _PLAIN_ESCAPES else ""

    def _bracket(self) -> None:
        """Past a bracket expression, whose ``[`` was read."""
        if self._peek() == "^":
            self.at += 1
        first = True
        while True:
            char = self._peek()
            if not char:
                raise _Unsure
            self.at += 1
            if char == "]" and not first:
                return
            first = False
            if char == "[" and self._peek() in (":", ".", "="):
                closing = self._pattern.find(self._peek() + "]", self.at + 1)
                if closing < 0:
                    raise _Unsure
                self.at = closing + 2
