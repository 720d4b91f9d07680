"""Who was elected or appointed to a body, and for whom those work whose employers stand in brackets behind their names.

Used by the fact reader where the tagger gives every name a type; pure.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from kgfs.extraction.facts.marks import CLOSE, OPEN

_ONE = rf"{OPEN}P\d+{CLOSE}(?: \((?:[^()]{{1,80}})\))?"
_MANY = rf"{_ONE}(?:(?:, and |, | and | & ){_ONE})*"
_WHEN = r"(?: (?:each|all|both|also|just|now|recently|again|newly|unanimously|officially))?"
_SEAT = r"(?:(?:an?|the|one|their|his|her|two|three|four|\d+) )?(?:[\w-]+ ){0,4}(?:terms?|seats?|positions?) (?:to|on|at|in|of) "
_ELECTED = re.compile(
    rf"(?P<who>{_MANY})(?:,? (?:who|which))?(?: (?:has|have|had))?{_WHEN} (?:been|was|were|got){_WHEN} (?:re-?)?(?:elected|appointed|voted) (?:in)?(?:to|onto) "
    rf"(?:{_SEAT})?(?:the )?(?:{OPEN}O\d+{CLOSE}[’']s )?{OPEN}O(?P<body>\d+){CLOSE}(?=[^\w\s]|$| (?:for|in|on|as|by|at|until|from|and|with|during)\b)"
)
_EMPLOYED = re.compile(rf"{OPEN}P(?P<who>\d+){CLOSE} \({OPEN}O(?P<firm>\d+){CLOSE}\)")
_VERB = re.compile(r"\b(?:elected|appointed|voted)\b")
_PERSON = re.compile(rf"{OPEN}P(\d+){CLOSE}")
_UNREAL = re.compile(
    r"\b(?:[Ii]f|would|could|should|may|might|not|[Nn]ever|[Uu]nless|[Ww]hether|nominated|[Cc]andidates?)\b|n[’']t\b"
)


class Elected(NamedTuple):
    """A fact between two names, by their numbers."""

    rule: str
    type: str
    person: int
    body: int


def elected(marked: str) -> Iterator[Elected]:
    """The facts of a sentence whose names are marks with the letters of their types."""
    told = _VERB.search(marked) is not None
    for found in _ELECTED.finditer(marked) if told else ():
        if _UNREAL.search(found[0]) is None and _UNREAL.search(marked[: found.start()]) is None:
            for person in _PERSON.findall(found["who"]):
                yield Elected("elections.body", "MEMBER_OF", int(person), int(found["body"]))
    pairs = list(_EMPLOYED.finditer(marked)) if "(" in marked else []
    # One alone may be whom a firm is called after, or who told it.
    for found in pairs if len(pairs) > 1 or (told and _ELECTED.search(marked) is not None) else ():
        yield Elected("elections.employer", "WORKS_FOR", int(found["who"]), int(found["firm"]))
