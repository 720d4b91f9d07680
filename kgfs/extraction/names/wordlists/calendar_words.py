"""Names of months and of days of the week, which are names of villages, films and people too: *May*, *Friday*.

Used for titles of pages and by the lexicon; pure.
"""

from __future__ import annotations

import re

from kgfs.documents.dates import MONTH_NAMES
from kgfs.extraction.names.wordlists.kind_nouns import noun_type

CALENDAR = frozenset(MONTH_NAMES) | frozenset("Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split())
_KIND_BEFORE = re.compile(r"\b(?P<kind>[a-z]+)(?: of| called| named)? [\"“*_]*$")
_TIME_BEFORE = re.compile(
    r"(?:\d|\b(?:early|each|every|in|last|late|mid|next|on|one|since|this|until))(?:st|nd|rd|th)?[ -](?:of )?$"
)
_TIME_BEHIND = re.compile(r",? \d|,? (?:afternoon|evening|morning|night)s?\b")


def is_time(text: str, start: int, end: int, *, own: bool) -> bool:
    """Whether the name of a month or a day says when: everywhere but on the page of what is called so (``own``), unless
    the word before it says what thing is meant, *the village of May*; and there beside a number, *May 1802*."""
    kind = _KIND_BEFORE.search(text, 0, start)
    if kind is not None and noun_type(kind["kind"]) not in ("", "Concept", "Event"):
        return False
    if not own:
        return True
    return _TIME_BEHIND.match(text, end) is not None or _TIME_BEFORE.search(text, 0, start) is not None
