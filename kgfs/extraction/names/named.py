"""A name of one document with all that speaks for its type, and a place where it stands.

Used by the lexicon, which makes them, and by whatever reads its names; pure.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from kgfs.documents.identifiers import code_shape

_NAME_TYPES = frozenset(
    {"Organization", "Person", "Location", "Product", "Facility", "Law", "Event", "Work", "Identifier"}
)

TERM_TYPES = frozenset({"Concept", "Species"})


@dataclass(slots=True)
class NameFindings:
    """A name with its evidence."""

    name: str
    aliases: list[str] = field(default_factory=list)
    rules: dict[str, str] = field(default_factory=dict)
    """Alias to how it was found to be one."""
    votes: dict[str, float] = field(default_factory=dict)
    """Type to the surest evidence for it."""
    shown: dict[str, float] = field(default_factory=dict)
    """The votes without those of the tagger."""
    declared: bool = False
    known: bool = False
    """The gazetteer has it."""
    term: bool = False
    """Lists, tables and glossaries define it, and it is no page's subject."""
    guessed: bool = False
    """It is taken for software, since it has a site of its name."""
    linked: bool = False
    defined: bool = False
    """The text explains it: ``graphics processing units (GPUs)``."""
    titled: bool = False
    """A title of a person stands before it somewhere."""
    count: int = 0
    mid: int = 0
    """How often it stands where a capital is no accident."""
    tags: Counter[str] = field(default_factory=Counter)
    """Type to how often the statistical tagger gave it, and the words around it."""
    clues: Counter[str] = field(default_factory=Counter)
    """Of these, what clear words around it gave."""
    uses: Counter[str] = field(default_factory=Counter)
    """How often it is used as no name is: ``noun the identifier term pressed``."""

    acts: int = 0
    """How often it does what organizations do, or somebody works for it."""

    def vote(self, type_: str, confidence: float) -> None:
        if type_:
            self.votes[type_] = max(self.votes.get(type_, 0.0), confidence)

    @property
    def best(self) -> tuple[str, float] | None:
        """The type with the surest evidence."""
        if not self.votes:
            return None
        type_ = max(sorted(self.votes), key=lambda key: self.votes[key])
        return type_, self.votes[type_]


@dataclass(slots=True)
class NameSpan:
    """A name at ``text[start:end]`` of a plain sentence."""

    start: int
    end: int
    ref: int


LONG_TERM = 8
"""Letters of a word that says enough as a concept in lower case, too: ``photosynthesis``."""


_HYPHENED = re.compile(r"[a-z\d]{2,}(?:-[a-z\d]{2,})+")


def matches_any_case(name: str, type_: str) -> bool:
    """Whether a name is an ordinary phrase (``Wage Inflation``, a concept) that texts write in lower case too.

    No name in code is, nor one of a series. One of software in small letters with a hyphen is no word in capitals:
    *scikit-lamp*, *Scikit-LAMP*.
    """
    if type_ == "Product" and _HYPHENED.fullmatch(name):
        return True
    if (
        type_ in _NAME_TYPES
        or len(name) <= 3
        or (" " not in name and code_shape(name))
        or any(part[1:] != part[1:].lower() for part in name.split())
    ):
        return False
    return " " in name or name.islower() or (type_ in TERM_TYPES and len(name) >= LONG_TERM and name.isalpha())
