"""Line patches: the edits of ``context_edit``, applied to a text.

Pure; used by ``kgfs.tools.files``. Lines end with ``\\n`` and nothing else; every byte of a line that no patch names
stays what it is.
"""

from __future__ import annotations

from collections.abc import Sequence

from kgfs.errors import UsageError
from kgfs.tools.parameters import Patch


class PatchError(UsageError):
    """The patches do not fit the item; nothing was written."""

    kind = "bad_patch"


def lines_of(text: str) -> list[str]:
    """The lines of a text with their ends; the last may have none."""
    lines = text.split("\n")
    last = lines.pop()
    return [line + "\n" for line in lines] + ([last] if last else [])


def apply(text: str, patches: Sequence[Patch]) -> str:
    """The text with all patches applied; their line numbers are those of ``text``, so their order does not matter.

    Insertions at one line stand in the order given, and before what replaces that line. New lines that do not end the
    text get a line end where they lack it; in place of lines that had one they get it too. ``PatchError`` for a range
    that is not in the text, and for patches that overlap.
    """
    lines = lines_of(text)
    original = tuple(lines)
    ordered = sorted(enumerate(patches), key=lambda each: (each[1].start_line, each[1].end_line != 0, each[0]))
    _check([(number + 1, patch) for number, patch in ordered], len(lines))
    for _, patch in reversed(ordered):  # bottom up: what is above keeps its numbers
        first = patch.start_line - 1
        last = patch.end_line if patch.end_line else first
        lines[first:last] = _replacement(lines, original, patch, first, last)
    return "".join(lines)


def same_lines(text: str, other: str, patches: Sequence[Patch]) -> bool:
    """Whether patches that were made for ``text`` mean the same in ``other``: all lines down to the last that they name
    are the same."""
    last = max((max(patch.end_line, patch.start_line - 1) for patch in patches), default=0)
    return lines_of(text)[:last] == lines_of(other)[:last]


def _replacement(lines: list[str], original: Sequence[str], patch: Patch, first: int, last: int) -> list[str]:
    """What stands in place of ``lines[first:last]``."""
    if not patch.content:
        return []
    at_end = last == len(lines)
    if first and first == len(lines) and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
        return [patch.content]
    ended = not at_end or (bool(lines) and lines[-1].endswith("\n"))
    if not patch.end_line and first < len(original):
        ended = True  # it stands before a line, also where another patch takes that one away
    if ended and not patch.content.endswith("\n"):
        # What ends with half of a CR LF gets the other half.
        return [patch.content + ("\n" if patch.content.endswith("\r") else _line_end(original, first))]
    return [patch.content]


def _line_end(lines: Sequence[str], near: int) -> str:
    """The line end of the line that a patch is about."""
    return "\r\n" if lines and lines[min(near, len(lines) - 1)].endswith("\r\n") else "\n"


def _check(ordered: Sequence[tuple[int, Patch]], count: int) -> None:
    """``PatchError`` unless every range lies in ``count`` lines and none overlaps another."""
    reach, before = 0, 0
    for number, patch in ordered:
        start, end = patch.start_line, patch.end_line
        if start < 1 or end < 0:
            raise PatchError(f"Patch {number}: lines are counted from 1.")
        if end == 0:
            if start > count + 1:
                raise PatchError(
                    f"Patch {number} inserts before line {start}, but there are {count} lines;"
                    f" {count + 1} appends at the end."
                )
        elif end < start:
            raise PatchError(f"Patch {number} ends (line {end}) before it starts (line {start}).")
        elif end > count:
            raise PatchError(f"Patch {number} goes to line {end}, but there are {count} lines.")
        if start <= reach:
            raise PatchError(f"Patches {before} and {number} overlap at line {start}; make one of them.")
        if end:
            reach, before = end, number
