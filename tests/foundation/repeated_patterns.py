"""Patterns whose repetitions are tried many times over: does each of them come to an end?

Run as a program, since it sees each pattern when it is compiled: ``python -m tests.foundation.repeated_patterns``
prints those that do not end, with where they stand. For each repetition of a pattern it makes texts in which that part
is there 40 times, in two ways that alternate, and behind them what does not match. A pattern that can read such a part
in two ways tries 2 to the 40 of them.
"""

from __future__ import annotations

import importlib
import pkgutil
import random
import re
import signal
import sys
from collections.abc import Iterator
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from types import FrameType
from typing import Any, NoReturn

TIMES, TRIALS, SECONDS = 40, 3, 5
ENDS = ("", "\x00", "\n\x00!")
LETTERS = " \t\nabAB01.-_,:;()[]{}<>*#`\"'/|=@&é’"
"""What a part is made of, where it may be made of several."""
REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)


class _EndlessError(Exception):
    """A match took ``SECONDS``."""


def compiled_patterns() -> dict[tuple[str, int], str]:
    """Every pattern of text that the modules of the program compile, with its flags, and where that stands."""
    found: dict[tuple[str, int], str] = {}
    plain = re.compile

    def compile_(pattern: Any, flags: Any = 0) -> re.Pattern[Any]:
        made: re.Pattern[Any] = plain(pattern, flags)
        caller = sys._getframe(1)
        if isinstance(made.pattern, str):
            found.setdefault((made.pattern, made.flags), f"{caller.f_globals.get('__name__')}:{caller.f_lineno}")
        return made

    re.compile = compile_
    for root in ("kgfs", "mountd"):
        for module in pkgutil.walk_packages(importlib.import_module(root).__path__, f"{root}."):
            importlib.import_module(module.name)
    re.compile = plain
    return {pattern: place for pattern, place in found.items() if place.startswith(("kgfs.", "mountd."))}


def repetitions(tree: Any) -> Iterator[Any]:
    """The parts of a parsed pattern that may be there many times."""
    for code, value in tree:
        if code is codes.BRANCH:
            for one in value[1]:
                yield from repetitions(one)
        elif code in (codes.SUBPATTERN, codes.ATOMIC_GROUP):
            yield from repetitions(value[3] if code is codes.SUBPATTERN else value)
        elif code in (codes.ASSERT, codes.ASSERT_NOT):
            yield from repetitions(value[1])
        elif code in REPEATS:
            if value[1] > TIMES:
                yield value
            yield from repetitions(value[2])


def text_of(tree: Any, repeated: Any, draw: random.Random) -> str:
    """A text that a parsed pattern matches, more or less, with one of its parts repeated."""
    return "".join(_part(code, value, repeated, draw) for code, value in tree)


def _part(code: Any, value: Any, repeated: Any, draw: random.Random) -> str:
    if code is codes.LITERAL:
        return chr(value)
    if code is codes.BRANCH:
        return text_of(draw.choice(value[1]), repeated, draw)
    if code in (codes.SUBPATTERN, codes.ATOMIC_GROUP):
        return text_of(value[3] if code is codes.SUBPATTERN else value, repeated, draw)
    if code in REPEATS:
        least, most, inside = value
        if value is repeated:
            ways = [text_of(inside, None, draw) for _ in range(2)]
            return "".join(draw.choice(ways) for _ in range(TIMES))
        times = min(max(least, draw.choice((0, 1, 1, 2))), most)
        return "".join(text_of(inside, repeated, draw) for _ in range(times))
    if code in (codes.IN, codes.ANY, codes.NOT_LITERAL):
        one = re.compile(".", re.S) if code is codes.ANY else _one_of(code, value)
        return draw.choice([letter for letter in LETTERS if one.match(letter)] or ["a"])
    return ""


def _one_of(code: Any, value: Any) -> re.Pattern[str]:
    """The pattern of a class of letters, made from its parsed form."""
    state = parser.State()
    state.str = ""
    made: re.Pattern[str] = re._compiler.compile(parser.SubPattern(state, [(code, value)]), 0)  # type: ignore[attr-defined]
    return made


def is_endless(pattern: re.Pattern[str], draw: random.Random) -> bool:
    """Whether a text was found in which the pattern searches for ``SECONDS``."""
    tree = parser.parse(pattern.pattern, pattern.flags)
    for repeated in repetitions(tree):
        for _ in range(TRIALS):
            made = text_of(tree, repeated, draw)
            try:
                signal.alarm(SECONDS)
                for end in ENDS:
                    pattern.search(made + end)
                    pattern.fullmatch(made + end)
            except _EndlessError:
                return True
            finally:
                signal.alarm(0)
    return False


def _end(number: int, frame: FrameType | None) -> NoReturn:
    raise _EndlessError


if __name__ == "__main__":
    signal.signal(signal.SIGALRM, _end)
    drawn = random.Random(1)
    known = re.compile(r"(?:[ \t]+[^\n]*\n|[ \t]*\n)*\Z")
    assert any(is_endless(known, drawn) for _ in range(20)), "what is known to be endless was not found"
    patterns = compiled_patterns()
    for (text, flags), place in patterns.items():
        if is_endless(re.compile(text, flags), drawn):
            print(place, repr(text[:200]))
    print(len(patterns), "patterns")
