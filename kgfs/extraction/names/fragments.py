"""Capitals that are no name as they stand: an order before a name, a heading that runs into its text.

Used by the lexicon, the evidence and the acceptance: the tagger takes every run of capitals for one name. Pure.
"""

from __future__ import annotations

import re

from kgfs.extraction.names import capitals, tagging, words
from kgfs.extraction.topic_words import GENERIC_PHRASES

_HEADS = words.ORGANIZATION_HEADS | words.OF_HEADS | words.PLACE_HEADS | words.NOT_SURNAMES | {"State"}
"""Words that belong to the place before them: ``Boston College``, ``Washington State``."""
_SEE = re.compile(r"\b(?:see|read|visit|follow)(?: the)? [\"“]?$", re.I)
_SURE = frozenset({"Person", "Location", "Facility", "Work"})
"""What the tagger takes an order for only seldom: ``Sue Grafton``, ``Bury St Edmunds``."""


def is_heading(name: str) -> bool:
    """Whether a name is the heading of many texts, a subject of none: ``Table of Contents``."""
    return name.casefold() in GENERIC_PHRASES


def runs_on(text: str, tail: str, end: int) -> bool:
    """Whether the capital behind a place at the start of a sentence, which ends at ``end``, opens the sentence itself.

    The place is then a heading without a stop: ``Boston Economic activity expanded``.
    """
    return tail.lower() in words.NOT_NAMES and tail not in _HEADS and re.match(r" [a-z]", text[end:]) is not None


def echoes_heading(text: str, candidate: capitals.CapitalsSpan) -> bool:
    """Whether capitals are the end of a heading and the first word of its text, which says the heading again.

    ``Retail, Travel, and Tourism Travel and tourism were strong``.
    """
    first, _, second = candidate.text.partition(" ")
    return bool(second) and re.match(rf" (?:and|or) {re.escape(first.lower())}\b", text[candidate.end :]) is not None


def without_order(text: str, candidate: capitals.CapitalsSpan, *, label: bool) -> capitals.CapitalsSpan:
    """``Oversee Council`` as ``Council``: a word that is only a verb, in its basic form, gives an order where it
    opens a sentence, the ``label`` of a link or a title that one should ``see``."""
    first, _, rest = candidate.text.partition(" ")
    opens = label or candidate.initial or _SEE.search(text[: candidate.start]) is not None
    if not (opens and rest[:1].isupper() and candidate.tag not in _SURE and tagging.is_only_verb(first.lower())):
        return candidate
    start = candidate.start + len(first) + 1
    return capitals.CapitalsSpan(
        start, candidate.end, text[start : candidate.end], False, candidate.titled, candidate.tag
    )
