"""Who the documents of a folder mean by *we*, as one of them shows: ``At Acme, we review each change``.

Used by formats when a file is parsed. One sentence may quote somebody; the documents of a folder together decide
(``extraction.names.declared.speakers``).
"""

from __future__ import annotations

import re
from collections import Counter

from kgfs.model import DefinedTerm

SPEAKER = "speaker"
"""``DefinedTerm.kind`` of such a name."""
MOST = 3
"""How often one document counts."""
IN_TITLE = 2
"""What a title weighs: *Acme Employee Handbook*."""

_NAME = r"(?P<name>(?:[A-Z]|\d+(?=[A-Za-z]{3}))[\w&-]*\w(?: [A-Z][\w&-]*\w){0,2}?)"
_AT = re.compile(rf"\b(?:At|at) {_NAME},? (?:we|our)\b")
_AT_LOWER = re.compile(r"\b(?:At|at) (?P<name>[a-z][a-z0-9]{2,15}),? (?:we|our)\b")
"""A name that its owners write in lower case; that it is no ordinary word is for those who know words to say."""
_WE_AT = re.compile(
    rf"\b(?:[Ww]e|[Oo]ur|us)\b[^.!?:\n]{{1,60}}? at {_NAME}"
    r"(?=[.,;:!?)]|\s*$|[ \n](?:and|are|as|because|by|for|if|in|is|that|through|to|we|when|with)\b)",
    re.MULTILINE,
)
_TITLE = re.compile(
    rf"^(?:[Tt]he |[Ww]elcome to the )?{_NAME}(?:['’]s)?"
    r" (?:(?:[Cc]ompany|[Ee]mployees?|[Ss]taff|[Tt]eam) )?(?:[Hh]andbook|[Pp]laybook)$"
)
_NO_NAMES = frozenset(
    "A All An Any Christmas Company Developer Each Easter Employee Engineering HQ His Her Home Its Least My Night No "
    "Noon Office Once Our Product Sales School Staff Team That The Their These This Those Time University Work You "
    "Your".split()
)
_WHEN = re.compile(r"\d+(?:am|pm|th|st|nd|rd|k|min|hrs?|sec|days?|weeks?)\b", re.IGNORECASE)


def speakers(title: str, text: str) -> list[DefinedTerm]:
    """The names that a document shows to be *we*, those shown most often first."""
    counts: Counter[str] = Counter()
    for pattern in (_AT, _AT_LOWER, _WE_AT):
        counts.update(found["name"] for found in pattern.finditer(text))
    weights = {name: min(MOST, count) for name, count in counts.items()}
    titled = _TITLE.match(title.strip())
    if titled is not None:
        weights[titled["name"]] = weights.get(titled["name"], 0) + IN_TITLE
    return [
        DefinedTerm(name=name, kind=SPEAKER, weight=weight)
        for name, weight in sorted(weights.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST]
        if not _NO_NAMES.intersection(name.split()) and not _WHEN.match(name) and len(name) > 1
    ]
