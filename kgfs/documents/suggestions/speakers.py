"""Who the documents of a folder mean by *we*, as one of them shows: ``At Acme, we review each change``.

Used by formats when a file is parsed. One sentence may quote somebody; the documents of a folder together decide
(``extraction.names.declared.speakers``).
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

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

_BODY = r"[A-Z][a-z]+ (?:for|of) "
"""How the name of a body may begin: *Foundation for Open Lamps*, *Code for Tarn*."""
_THE = rf"(?:the (?={_BODY}))?"
_NAME = (
    rf"(?<!\w)(?P<name>(?:{_BODY}(?:the )?)?(?:[a-z]?[A-Z]|\d+(?=[A-Za-z]{{3}}|[A-Z]\b))[\w&-]*\w(?: [A-Z][\w&-]*\w){{0,2}}?"
    r"(?:,? (?:Inc|Ltd|LLC|LLP|Corp|GmbH|PLC|plc|Limited|CIC|AG|AB|BV)\b\.?)?)"
)
_AT = re.compile(rf"\b(?:At|at) {_THE}{_NAME},? (?:we|our)\b")
_AT_LOWER = re.compile(r"\b(?:At|at) (?P<name>[a-z][a-z0-9]{2,15}),? (?:we|our)\b")
"""A name that its owners write in lower case; that it is no ordinary word is for those who know words to say."""
_WE_AT = re.compile(
    rf"\b(?:[Ww]e|[Oo]ur|us)\b[^.!?:\n]{{1,60}}? at {_THE}{_NAME}"
    r"(?=[.,;:!?)]|\s*$|[ \n](?:and|are|as|because|by|for|if|in|is|that|through|to|we|when|with)\b)",
    re.MULTILINE,
)
_OF_STAFF = re.compile(
    rf"{_NAME}(?:['’]s?)? (?:team members|teammates|employees|staff|colleagues|contractors)\b"
    rf"|\b(?:[Ww]orking|[Ww]ork|[Ee]mployed|[Jj]ob|[Tt]enure|[Ee]mployees|[Ee]mployment|[Cc]areer|[Oo]nboarding) (?:at|by|with) {_THE}{_NAME.replace('<name>', '<at>')}"
    r"(?=[.,;:!?)]|\s*$|[ \n](?:and|are|as|because|by|for|if|in|is|means|or|should|that|through|to|we|when|will|with|you)\b)"
    rf"|\b(?:[Jj]oin(?:ed|ing)?|[Ll]eav(?:e|ing)|[Rr]esign(?:ing)? from) {_NAME.replace('<name>', '<joined>')},? (?:we|you|your|our)\b",
    re.MULTILINE,
)
"""Who employs those whom a text addresses; a text on others says it of others, too, so it counts only beside *we*."""
_WE = re.compile(r"\b(?:[Ww]e|[Oo]ur)\b")
_TITLE = re.compile(
    rf"^(?:[Tt]he |[Ww]elcome to the )?{_NAME}(?:['’]s)?"
    r" (?:(?:[Cc]ompany|[Ee]mployees?|[Ss]taff|[Tt]eam) )?(?:[Hh]andbook|[Pp]laybook)$"
)
_NO_NAMES = frozenset(
    "A Agency All An Any Association Board Christmas Committee Community Company Council Department Foundation "
    "Government Group Institute Organisation Organization Project "
    "Developer Current Each Easter Employee Engineering European For Full-time HQ His Her Home Its Least Many Most My New Night No "
    "Noon Office Once Our Product Sales School Some Staff Team That The Their These This Those Time UK US University Work You "
    "Your".split()
)
_CODE = re.compile(r"^[>\s]*(?P<fence>`{3,}|~{3,}).*?(?:^[>\s]*(?P=fence)|\Z)|`[^`\n]+`", re.DOTALL | re.MULTILINE)
"""``FROM employees``: there nobody speaks."""
_OF = re.compile(r" (?:for|of) ")
_WHEN = re.compile(r"\d+(?:am|pm|th|st|nd|rd|k|min|hrs?|sec|days?|weeks?)\b", re.IGNORECASE)


def speakers(title: str, text: str) -> list[DefinedTerm]:
    """The names that a document shows to be *we*, those shown most often first."""
    text = _CODE.sub(" ", text)
    counts: Counter[str] = Counter()
    for pattern in (_AT, _AT_LOWER, _WE_AT):
        counts.update(found["name"] for found in pattern.finditer(text))
    if _WE.search(text) is not None:
        named = (found["name"] or found["at"] or found["joined"] for found in _OF_STAFF.finditer(text))
        counts.update(f"{name}." if name.endswith(" Inc") else name for name in named)
    weights = {name: min(MOST, count) for name, count in counts.items()}
    titled = _TITLE.match(title.strip())
    if titled is not None:
        weights[titled["name"]] = weights.get(titled["name"], 0) + IN_TITLE
    return [
        DefinedTerm(name=name, kind=SPEAKER, weight=weight)
        for name, weight in sorted(weights.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST]
        if (_OF.search(name) or not _NO_NAMES.intersection(re.split(r" |-(?=based)", name)))
        and not _WHEN.match(name)
        and len(name) > 1
    ]
