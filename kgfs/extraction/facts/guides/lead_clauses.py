"""The clauses of a sentence of a lead, each as a sentence that begins with the page's subject.

Used by the fact reader before ``leads`` reads them; pure. *Founded in 1888 by Ann Lee, it is part of Orm* says what *The
firm is founded by Ann Lee* and *The firm is part of Orm* say; *It was sold, and is a suburb of Orm* says that it is one.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator

SUBJECT = "\ue002"
"""The mark of the page's subject."""
_DONE = (
    "Adapted|Based|Born|Built|Commissioned|Composed|Created|Designed|Developed|Directed|Edited|Established|Formed|Founded|Headquartered|"
    "Incorporated|Invented|Launched|Located|Opened|Owned|Painted|Produced|Published|Recorded|Released|Situated|Written"
)
_WHEN = (
    r"year|month|week|day|decade|century|season|following|next|same|time|after|before|few|number|later|latter|former|result|"
    r"majority|rest|more|less|better"
)
FRONT = (
    rf"(?:(?:Originally |First |Initially )?(?:{_DONE}|(?<=y )(?:founded|built|published|written|formed|opened|established)) |"
    rf"(?:An?|The) (?!(?:[\w-]+ )?(?:{_WHEN})\b))[^;:.]{{3,160}}?, "
)
"""What may stand before the pronoun of a lead's sentence and is said of whom it means."""
_FRONTED = re.compile(rf"^(?P<front>{FRONT})(?={SUBJECT} )")
_DATED = re.compile(
    rf"^(?:In|On|By) [^,;:.]{{4,24}}\d{{4}},? (?={SUBJECT} (?:married|wed)\b)|^In \d{{4}},? (?={SUBJECT} (?:married|wed)\b)"
)
_FIELD = re.compile(rf"^In [a-z][a-z -]{{2,40}}, (?=(?:the |an? )?{SUBJECT} )")
"""*In graph theory, Lee's theorem is*."""
_MORE = re.compile(
    r"(?:,? and|,) (?=(?:is|was|are|were) (?:an?|the|one|located|based|headquartered|part|owned|directed|written|produced)\b)"
)
_SECOND = re.compile(
    rf"^\W*(?:The )?{SUBJECT}(?: \([^()]*\))? (?:is|was) (?:an?|the) [^,;:.]{{3,80}}? and (?=(?:an?|the) )"
)
"""*Orm is a tile maker and* "a subsidiary of Tarn"."""
_ORDER = re.compile(
    r"\b(?:is|was|were|are) (?:followed|preceded|succeeded)\b[^;:.]{0,80}? and (?=(?:followed|preceded|succeeded) by )"
)
_OF_ANOTHER = re.compile(r"\b(?:that|which|who|whom|whose|where|because|if|when|while|but)\b")


def clauses(masked: str) -> Iterator[str]:
    """The sentence that says only what ``masked`` says of the subject behind what stands in front of it, then the others.

    ``masked`` has the subject's mark where the subject stands, and marks for other names.
    """
    fronted = _FRONTED.match(masked)
    main = masked
    if fronted is not None:
        front = fronted["front"].removesuffix(", ")
        main = masked[fronted.end() :]
        yield main
        yield f"{SUBJECT} is {front[0].lower()}{front[1:]}."
    elif (stripped := _DATED.match(masked) or _FIELD.match(masked)) is not None:
        main = masked[stripped.end() :]
        yield main
    else:
        yield masked
    if not main.lstrip(' "“').startswith((SUBJECT, f"The {SUBJECT}")):
        return
    second = _SECOND.match(main)
    if second is not None and _OF_ANOTHER.search(second[0]) is None:
        yield f"{SUBJECT} is {main[second.end() :]}"
    for more in (*_MORE.finditer(main), *_ORDER.finditer(main)):
        if _OF_ANOTHER.search(main, 0, more.start()) is None:
            rest = main[more.end() :]
            yield f"{SUBJECT} {rest}" if rest.startswith(("is ", "was ", "are ", "were ")) else f"{SUBJECT} was {rest}"
