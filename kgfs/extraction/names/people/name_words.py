"""Of what words the name of somebody may be made.

Used for the names that pages and records declare; pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from kgfs.extraction.names.wordlists import words
from kgfs.extraction.names.wordlists.kind_nouns import noun_type

PARTICLES = frozenset(
    "de del della der den di da dal dalla degli do dos du la le van von zu ter ten bin ibn al el y e i und ap".split()
)
"""Small words in the names of persons."""


def may_be_somebody(parts: Sequence[str]) -> bool:
    """Whether the words of a name among those of people can be somebody's: *people* is a department, too."""
    ordinary = words.NOT_NAMES | words.TITLE_SMALL - PARTICLES
    heads = words.TERM_HEADS | words.DOCUMENT_HEADS | words.ORGANIZATION_HEADS
    if parts and parts[-1] in words.NO_SURNAMES:
        return False
    return len(parts) <= 5 and not any(
        word.lower() in ordinary
        or word in heads
        or (word.islower() and word not in PARTICLES)
        or noun_type(word.lower())
        for word in parts
    )
