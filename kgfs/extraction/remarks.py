"""Sentences of the form *X is …* that remark on X and do not say what it is: *Excel is a winner here*.

Used for descriptions and passages; pure, English.
"""

from __future__ import annotations

import re

from kgfs.extraction.names.kinds import said_kind
from kgfs.extraction.names.named import TERM_TYPES

_JUDGED = re.compile(
    r"(?:an?|the|one|one of the) (?:[\w-]+ ){0,2}?(?:answer|bit|case|choice|example|fact|few|focus|goal|issue|key|lot|"
    r"matter|must|only|point|priority|problem|question|reason|result|same|start|thing|time|way|winner)s?\b"
    r"|the (?:first|second|third|fourth|fifth|next|last|other) (?:component|item|level|one|option|part|phase|piece|"
    r"place|stage|step|thing|time)\b"
    r"|(?:an?|the) (?:\w+ly )?(?:big|broad|complex|complicated|deep|difficult|hard|hot|huge|important|interesting|"
    r"large|long|vast|wide) (?:area|field|subject|topic)\b"
)
"""What somebody finds of a thing, or where it stands among others."""
_POINTS = re.compile(
    r"\b(?:here|above|below|this (?:case|change|example|guide|issue|meeting|month|page|PR|proposal|section|table|week|"
    r"year)|today|tomorrow|yesterday)\b"
)
"""Words that a reader understands only where the sentence stands."""
_COPULA = re.compile(r"(?: \([^()]{1,60}\))?,? (?:is|are|was|were) ")
_ORDERS = re.compile(
    r"(?:Check (?:out|that)|Click|Contact|Go to|Head to|Log in|Make sure|Navigate|Please|Refer to|Scroll|See|Sign in|"
    r"Visit)\b"
)
"""What tells the reader where to go, not what a thing is."""
FEWEST_WORDS = 3
"""Words of a definition that says more than a label of the thing."""


def is_remark(text: str, end: int, type_: str) -> bool:
    """Whether what stands behind a name, which ends at ``end``, is no definition of an entity of this type."""
    copula = _COPULA.match(text, end)
    if _POINTS.search(text, end) is not None:
        return True
    if copula is None:
        return False
    if _JUDGED.match(text, copula.end()) is not None:
        return True
    said = said_kind(text[max(0, end - 2) :])
    return said is not None and said.type != "" and (said.type == "Person") != (type_ == "Person") and bool(type_)


def is_order(text: str, type_: str) -> bool:
    """Whether a text sends its reader somewhere. What one types is described so: *See all lamps*."""
    return type_ in TERM_TYPES | {"Document", "Organization", "Product", "Technology"} and bool(_ORDERS.match(text))
