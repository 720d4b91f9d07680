"""What belongs to an organization by how the names stand together: ``GSA's Office of Ethics``, ``the GSA OCFO``, ``18F's brand guide``.

Used by the fact reader; pure. A possessive says little of places and of persons, whose they are or where, so only an organization
has something here.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kgfs.extraction.facts.marks import CLOSE, OPEN

_O = rf"{OPEN}O(?P<a>\d+){CLOSE}"
_UNIT_OF = re.compile(rf"(?P<b>{OPEN}O\d+{CLOSE})(?: \([^()]{{1,30}}\))? (?:of|in|within|at) (?:the )?{_O}")
_END = (
    r"(?= \(|[,.;:)?!’']|$| (?:is|are|was|were|has|have|to|for|in|on|and|or|that|which|by|at|as|with|can|must|will|also|when|if|from|"
    r"team|office|staff)\b)"
)
_X = rf"(?P<b>{OPEN}[XWO]\d+{CLOSE})(?: \([^()]{{1,30}}\))?"
_MEANS = r"(?:tool|program|programme|service|system|platform|initiative|application|website|database|product|portal|solution|software|network|fund|handbook|app|bot|library|API|CLI|newsletter|blog|podcast|conference)"
_IS_MEANS = re.compile(
    rf"^[^\w({OPEN}]*+(?:\([^()]{{1,40}}\)[^\w({OPEN}]*+)?(?:The )?{_X} (?:is|are) (?:an? |the )?(?:[a-z-]+ ){{0,3}}{_O}(?:[’']s|-level|-wide|-run|-owned|-approved)? (?:[a-z-]+ ){{0,4}}{_MEANS}\b"
)
_APPOSED_MEANS = re.compile(rf"{_X}, (?:the )?{_O}[’']s (?:[a-z-]+ ){{0,4}}{_MEANS}s?(?=[,.;:)]| (?:for|to|that)\b)")
_OWN_UNIT = re.compile(
    rf"{_O}(?:[’']s? \((?:[A-Z][A-Za-z]{{1,9}}|{OPEN}[A-Z]\d+{CLOSE})\) ?|[’']s?| ) ?(?P<b>{OPEN}O\d+{CLOSE}){_END}"
)
_OWN_THING = re.compile(rf"{_O}[’']s (?P<b>{OPEN}[XW]\d+{CLOSE}){_END}")
_UNIT = re.compile(
    r"\b(?:Offices?|Division|Teams?|Services?|Department|Bureau|Cent(?:er|re)s?|Branch|Unit|Committee|Council|Group|Desk|Directorate|Agency|Administration|"
    r"Institute|School|Faculty|Laborator(?:y|ies)|Lab|Board|Program|Programme|Section|Secretariat|Library|Foundation|Academy|Corps|Guild|Association|Commission)\b"
)
"""What a part of an organization is called."""
_LARGE = re.compile(
    r"(?:U\.S\. |US )?(?:Department|Ministry)\b|.* (?:Council|Administration|Agency|Department|Ministry)$"
)
_SMALL = re.compile(r"\b(?:Offices?|Division|Branch|Unit|Team|Section|Desk)\b")
"""What is part of the former, and none of them part of it."""


_OWN_PART = re.compile(
    r"(?: [\w&'’.-]+){0,5} (?:Office|Division|Team|Department|Bureau|Branch|Unit|(?:Sub-?)?[Cc]ommittee|Council|Desk|Directorate|Working Group|Task Force|"
    r"Secretariat|Board|Chapter|Guild|SIG|Press|Labs?|Laborator(?:y|ies)|Library|(?:Law|Business|Medical|Graduate) School)"
    r"|(?: [\w&'’.-]+){0,2} (?:Office|Division|Department|Bureau|School|Faculty|Institute|Board|Center|Centre) (?:of|for) [A-Z].*"
)
"""What stands in the name of a part of an organization behind the name of the organization: *GSA Office of Ethics*."""
_NO_PART = re.compile(r"\b(?:and|or|through|from|to|with|in|at|by|our|your|their|its)\b|[,/]")


def owner_of_part(name: str) -> Iterator[str]:
    """The names of organizations of which the name of a part may speak, the longest first: *Acme* of *Acme Security Team*.

    Whether there is an organization of that name the caller knows.
    """
    if _NO_PART.search(name):
        return
    end = name.rfind(" ")
    while end > 0:
        if not name.startswith((" of ", " for "), end) and _OWN_PART.fullmatch(name, end):
            yield re.sub(r"[’']s?$", "", name[:end])
        end = name.rfind(" ", 0, end)


class Belonging(NamedTuple):
    """A fact between two names, by their numbers."""

    rule: str
    type: str
    subject: int
    object: int
    confidence: float


def belongings(marked: str, name: Sequence[str]) -> Iterator[Belonging]:
    """The facts in a sentence whose names are marks with the letters of their types; ``name`` are the whole names."""
    for rule, pattern in (
        ("belonging.unit_of", _UNIT_OF),
        ("belonging.own_unit", _OWN_UNIT),
    ):
        for found in pattern.finditer(marked):
            whole, part = int(found["a"]), int(found["b"][2:-1])
            if _UNIT.search(name[part]) is None or name[whole] in name[part]:
                continue
            if rule == "belonging.unit_of" and _SMALL.search(name[whole]) and _LARGE.match(name[part]):
                continue  # "at the Department of Lamps at the Office of Wicks"
            yield Belonging(rule, "PART_OF", part, whole, 0.7)
    for pattern in (_IS_MEANS, _APPOSED_MEANS):
        for found in pattern.finditer(marked):
            yield Belonging("belonging.means_of", "HAS", int(found["a"]), int(found["b"][2:-1]), 0.7)
    for found in _OWN_THING.finditer(marked):
        yield Belonging("belonging.own_thing", "HAS", int(found["a"]), int(found["b"][2:-1]), 0.65)
