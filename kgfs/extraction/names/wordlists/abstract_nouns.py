"""Nouns that no body, person or place is called by alone: *survey*, *vision*, *practice*.

Used by ``bodies``; the list is made by ``scripts/abstract-nouns`` from WordNet. The tagger takes phrases in capitals
that end in one (*Product Vision*, *Performance Improvement Plan*) for organizations, places and persons.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

_ENDINGS = re.compile(r"[a-z]{3,}(?:[ts]ion|ment|ness|ity|ing|ism|ology)s?")
"""How such nouns end that the counted texts do not have: *onboarding*, *encryption*."""


@cache
def _listed() -> frozenset[str]:
    text = resources.files(__package__).joinpath("abstract_nouns.txt").read_text("ascii")
    return frozenset(line for line in text.splitlines() if line and not line.startswith("#"))


def is_abstract(noun: str) -> bool:
    """Whether a noun in small letters, singular or plural, is for an act, a thought, a state or the like."""
    forms = {noun, noun.removesuffix("s"), noun.removesuffix("es"), f"{noun.removesuffix('ies')}y"}
    return not _listed().isdisjoint(forms) or _ENDINGS.fullmatch(noun) is not None
