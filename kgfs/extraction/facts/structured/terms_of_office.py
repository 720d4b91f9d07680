"""For how long somebody is a member or holds an office: ``until October 2027``, ``term ends 1 May 2025``.

Used by ``rosters``; pure.
"""

from __future__ import annotations

import re

from kgfs.documents.dates import find_dates

_ENDS = re.compile(r"(?i)\b(?:until|till|through|(?:term )?(?:ends|expires|ending)(?: in| on)?):? ")
_YEARS = re.compile(r"(?<![\d-])((?:19|20)\d\d) ?[-–—/] ?((?:19|20)\d\d|present|today|now)(?![\d-])", re.I)
_SINCE = re.compile(r"(?i)\b(?:since|from) ((?:19|20)\d\d)\b")


def term_of_office(text: str) -> tuple[str | None, str | None]:
    """The first and the last day, month or year that a line names as a term; ``None`` for what it doesn't say."""
    years = _YEARS.search(text)
    if years is not None:
        return years[1], years[2] if years[2].isdigit() else None
    since, ends = _SINCE.search(text), _ENDS.search(text)
    last = None
    if ends is not None:
        found = find_dates(text[ends.end() : ends.end() + 40])
        year = re.match(r"(?:the end of )?((?:19|20)\d\d)\b", text[ends.end() :])
        last = found[0].date if found and found[0].start <= len("the end of ") else year[1] if year else None
    return since[1] if since else None, last
