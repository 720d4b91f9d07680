"""Ranges of lines that a model proposed, checked: they cover every line once, in order, or they are not used.

Used by the chunker dialogue; pure. Mended is only what can be meant in one way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

FEW_LINES = 3
"""So many lines with text that belong to no range are taken for an oversight: they go on with the range before them."""


class LineRange(NamedTuple):
    """Lines ``start`` to ``end``, inclusive, from 1."""

    start: int
    end: int


class BadRanges(Exception):
    """Proposed ranges that cannot be used; the message ends the sentence *the model gave ranges …*."""


def tile_ranges(proposed: Any, first: int, last: int, blank: Callable[[int], bool]) -> list[LineRange]:
    """``proposed`` (the tool's ``chunks``) as ranges that cover the lines ``first`` to ``last``, each once, in order.

    ``blank`` tells of a line whether it is empty. Mended: numbers as text, order, repetitions, ends beyond the last
    line, one line in two neighbours, empty lines and a few others in none. ``BadRanges`` says what else is wrong.
    """
    ranges = sorted(set(_read(proposed, first, last)))
    found: list[LineRange] = []
    covered = first - 1
    for start, end in ranges:
        if start <= covered:
            if start < covered:
                raise BadRanges(f"that overlap at line {start}")
            # One line in two: it begins the second, unless the first is only that line.
            before = found[-1]
            if before.start == before.end:
                start += 1
                if start > end:
                    continue
            else:
                found[-1] = LineRange(before.start, covered - 1)
        elif start > covered + 1:
            start = _over(found, start, covered + 1, blank)
        found.append(LineRange(start, end))
        covered = end
    if covered < last:
        _over(found, last + 1, covered + 1, blank)
    return found


def _read(proposed: Any, first: int, last: int) -> list[LineRange]:
    """The ranges as numbers that are in the text."""
    if not isinstance(proposed, list) or not proposed:
        raise BadRanges("in no list" if proposed else "of no lines")
    found = []
    for one in proposed:
        if not isinstance(one, dict):
            raise BadRanges("that are no ranges")
        start, end = _line(one.get("start_line")), _line(one.get("end_line"))
        if start is None or end is None:
            raise BadRanges("without line numbers")
        if end < start:
            raise BadRanges(f"that end before they begin (line {start})")
        if not first <= start <= last:
            raise BadRanges(f"of lines that there are not (line {start})")
        found.append(LineRange(start, min(end, last)))
    return found


def _line(value: Any) -> int | None:
    """A line number: a whole number, also where it is written as text."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    text = value.strip() if isinstance(value, str) else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _over(found: list[LineRange], start: int, missing: int, blank: Callable[[int], bool]) -> int:
    """Give the lines from ``missing`` to ``start - 1`` to the range before, else the next one; where that begins."""
    text = sum(not blank(line) for line in range(missing, start))
    if text > FEW_LINES:
        raise BadRanges(f"that leave out line {missing} and {start - missing - 1:,} more")
    if not found:
        return missing
    found[-1] = LineRange(found[-1].start, start - 1)
    return start
