"""Whether a table shows an example: *Imagine personal data in this format:* above it says so.

Used by the readers of this package; pure. Who lives where in such a table is nobody, so its rows are no records.
"""

from __future__ import annotations

import re

_IMAGINED = re.compile(
    r"(?i)\b(?:imagine|suppose|let(?:['’]s| us) (?:assume|imagine|pretend|say)|say you have"
    r"|consider (?:a|an|the following) (?:\w+ ){0,3}(?:data ?set|data|list|records|spreadsheet|table)"
    r"|(?:dummy|fake|fictional|fictitious|invented|made-up|mock|sample|toy)"
    r" (?:customers?|data|data ?sets?|employees|names|people|persons|records|rows|table|users))\b"
)


def is_example(text: str, start: int, end: int) -> bool:
    """Whether the text from a heading, at ``start``, to a table, at ``end``, bids the reader imagine its data."""
    return _IMAGINED.search(text, start, end) is not None
