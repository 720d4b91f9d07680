"""Tables of example data: rows that a text only imagines, and forms that its reader fills in.

Used by the readers of this package; pure. What such rows say is true of nothing.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Sequence

_IMAGINED = re.compile(
    r"(?i)\b(?:imagine|suppose|let(?:[’']s| us) (?:assume|imagine|pretend|say|suppose)|say (?:that )?(?:you|we) have"
    r"|assume (?:that )?(?:you|we|there)|consider (?:a|an|the following) (?:\w+ ){0,3}(?:data ?set|data|list|records|spreadsheet|table)"
    r"|(?:dummy|example|fake|fictional|fictitious|invented|made-up|mock|sample|test|toy)"
    r" (?:customers?|data(?:base| ?sets?)?|employees?|people|persons?|records?|rows?|spreadsheet|tables?|users?))\b"
)
"""What the section of a table says whose rows are made up, so many characters before it:"""
_FAR = 2000
_SHOWN = re.compile(
    r"(?i)(?:\b(?:for example|for instance|e\.g\.|such as|an example|examples?(?: of [^.:]{1,60})?|(?:might|could|would|should|will) (?:now )?(?:look|be) (?:something )?like(?: this)?|"
    r"looks? (?:something )?like(?: this)?|in (?:this|the following) (?:format|form|shape|layout))\b)[^.\n]{0,60}[:.]?[\s*_]*$"
)
"""How the line before a table ends whose rows only show something."""
_OF_EXAMPLE = re.compile(
    r"(?i)\W*(?:an? |some )?(?:worked )?(?:examples?|sample (?:data|output|input)|sample)(?: \d+)?\W*"
)
_FORM = frozenset(
    "field fields input inputs key label name option parameter property question setting settings item".split()
)
_VALUES = frozenset("value values enter answer response your_value".split())
_CODE = re.compile(r"[a-z][A-Z]|[a-z\d][_./-][a-z\d]|^[A-Z\d_]{3,}$|^--?\w")


def is_example(text: str, section: int, table: int, headings: Sequence[str]) -> bool:
    """Whether the rows of the table at ``table`` are made up, by what its section, which begins at ``section`` beneath
    ``headings``, says before it."""
    if headings and _OF_EXAMPLE.fullmatch(headings[-1]):
        return True
    end = table
    while end > section and text[end - 1].isspace():
        end -= 1
    break_ = text.rfind("\n\n", section, end)
    last = text[section if break_ < 0 else break_ + 2 : end]
    shown = "|" not in last and _SHOWN.search(last) is not None
    return shown or _IMAGINED.search(text, max(section, table - _FAR), table) is not None


def is_form(header: Sequence[str], labels: Sequence[str]) -> bool:
    """Whether a table only says what its reader puts into a form: ``| Field | Value |`` with labels in plain words."""
    words = ["_".join(re.findall(r"[a-z]+", cell.lower())) for cell in header if cell.strip()]
    if len(words) != 2 or words[0] not in _FORM or words[1] not in _VALUES:
        return False
    said = [label for label in labels if label]
    return sum(_CODE.search(label) is not None for label in said) * 2 < len(said)
