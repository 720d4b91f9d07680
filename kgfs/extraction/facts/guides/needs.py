"""What is needed, and by what: items beneath *Prerequisites*, titles such as *Installing Lumen*, ``to run Lumen``.

Used by ``guide_facts``; pure.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re

from kgfs.extraction.facts.marks import MARK, mark_numbers

_REQUIREMENTS = re.compile(
    r"(?i)^[\W\d]*(?:before you (?:begin|start)|pre-?requisites?|requirements|(?:system|software) requirements|what you(?:[’']ll| will)? need|you will need|"
    r"required (?:software|tools)|tools (?:needed|required))\W*$"
)
_NEEDED = re.compile(
    r"^[\W_]*(?:(?:an?|the|your|own|running|working|existing|recent|latest|installed?|have|having|you(?:[’']ve)?|make sure|ensure|that|access|to|account|on|with|for|of|version|locally|current|valid|"
    r"administrator|admin|basic|knowledge|familiarity|understanding|some|experience|instance|cluster|using|download|set up|and)\s+){0,6}$",
    re.I,
)
_ENDS_SOON = re.compile(r"[’'”*_`]*(?:\s(?!--)[\w.+≥>=-]+){0,4}\s*(?:[.,;:(–—]|-\s|$)")
"""What stands behind the name in an item that only names it."""
_DEFINED = re.compile(r"[*_`]* (?:is|are|means?|refers? to) (?:an?|the|to)?\b")
_OPTIONAL = re.compile(
    r"(?i)\b(?:optional(?:ly)?|recommended|preferred|suggested|alternatively|or (?:similar|your|any|another|other|equivalent)|nice to have)\b|^[^.;(]{0,80} or (?!later|newer|higher|above|greater|more|up)\S"
)
"""In an item that asks for nothing, or for one of several things."""
_INSTALLING = re.compile(
    r"(?:Install(?:ing)?|Run(?:ning)?|Build(?:ing)?|Compil(?:e|ing)|Deploy(?:ing)?|Set(?:ting)? up) (?:the )?(?P<name>[A-Z][\w.+-]*(?: [A-Z][\w.+-]*){0,3})"
    r"(?: (?:on|in|with|from|to|locally|using)\b.*)?"
)
"""Titles of pages on how one gets a thing to run, which needs what they ask for."""
_PURPOSE = re.compile(
    rf"\b[Tt]o (?:run|use|install|build|start|compile|deploy|develop|set up|launch) (?:the |your |an? )?(?P<o>{MARK})(?=[^\w\s]|$| (?:you|on|in|from|locally|with|as)\b)"
)


def what_needs(masked: str, mark: int) -> int | None:
    """The number of what a sentence, whose names are marks, says the name ``mark`` is needed for: *to run Tarn*."""
    found = next((number for one in _PURPOSE.finditer(masked) for number in mark_numbers(one["o"])), None)
    return found if found != mark else None


def is_of_needs(heading: str) -> bool:
    """Whether the items beneath a heading are needed."""
    return _REQUIREMENTS.match(heading) is not None


def asks_for(text: str, start: int, end: int) -> bool:
    """Whether an item beneath such a heading has its reader have the thing whose name stands from ``start`` to ``end``."""
    if _NEEDED.match(text[:start].lstrip("-*+• ")) is None or _OPTIONAL.search(text) or _DEFINED.match(text, end):
        return False
    return " if " not in text and _ENDS_SOON.match(text, end) is not None


def installed_thing(heading: str) -> str:
    """The name of what a section tells how to install or to run; empty for any other."""
    found = _INSTALLING.fullmatch(heading)
    return found["name"] if found is not None else ""
