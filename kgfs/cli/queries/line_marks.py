"""Where in a line the pattern of ``kgfs grep`` stands, so that it can be marked on a terminal.

GNU grep, which finds the lines, does not say where. A pattern that is understood otherwise here, or that takes long,
leaves its lines unmarked.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import regex

LINE_SECONDS = 0.05
"""Time for one line. A pattern that needs more marks no further lines."""


class LineMarks:
    """The matches of one pattern."""

    def __init__(self, pattern: str, *, fixed: bool, ignore_case: bool, words: bool, wanted: bool = True) -> None:
        self._expression: regex.Pattern[str] | None = None
        if wanted:
            self._expression = _compiled(pattern, fixed, ignore_case, words)

    def of(self, line: str) -> list[tuple[int, int]]:
        """Beginning and end of each match, in order."""
        if self._expression is None:
            return []
        try:
            found = self._expression.finditer(line, timeout=LINE_SECONDS)
            return [match.span() for match in found if match.end() > match.start()]
        except TimeoutError:
            self._expression = None
            return []


def _compiled(pattern: str, fixed: bool, ignore_case: bool, words: bool) -> regex.Pattern[str] | None:
    import regex  # it knows [[:alpha:]], the longest match, and when to stop; here: a script pays nothing for it

    parts = pattern.split("\n")  # each line of a pattern is one
    if fixed:
        parts = [re.escape(part) for part in parts]
    else:
        parts = [part.replace(r"\<", r"\m").replace(r"\>", r"\M") for part in parts]
    whole = "|".join(f"(?:{part})" for part in parts)
    if words:
        whole = rf"(?<!\w)(?:{whole})(?!\w)"
    try:
        return regex.compile(whole, regex.VERSION0 | regex.POSIX | (regex.IGNORECASE if ignore_case else 0))
    except regex.error:
        return None
