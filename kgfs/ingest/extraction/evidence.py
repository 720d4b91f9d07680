"""What the tagger's votes come to beside the words of a name: one type a document, and how sure it is.

Used by the lexicon; pure.
"""

from __future__ import annotations

from collections import Counter
from typing import Protocol

ONE_TAG = 0.5
"""How sure a type is that the tagger gave once; every further sentence that agrees adds to it."""
EACH_MORE = 0.08
MOST = 0.8


class Evidence(Protocol):
    """The part of a name that holds the evidence for its type."""

    votes: dict[str, float]
    tags: Counter[str]

    @property
    def best(self) -> tuple[str, float] | None: ...


def settle(named: Evidence) -> None:
    """Turn the tags of all sentences into votes: a share of the tags each, more with more sentences.

    Where the words of the name show the same type, both count; where they show another, the surer one wins.
    """
    total = named.tags.total()
    strength = min(MOST, ONE_TAG + EACH_MORE * (total - 1))
    for type_, count in named.tags.items():
        share = count / total * strength
        shown = named.votes.get(type_, 0.0)
        named.votes[type_] = min(0.95, shown + share / 2) if shown else share


def only_tagged(named: Evidence) -> bool:
    """Whether nothing but tags speaks for the type of a name."""
    best = named.best
    return best is None or (best[1] <= MOST and named.tags.get(best[0], 0) > 0)
