"""How far the rows back what a search found: so that a score tells a right hit from none.

Used by ``kgfs.search.searcher``. Pure. Ranks alone cannot tell: the first of a list is first, whatever was asked. So
the scores of an answer are multiplied by one factor, which is 1 where its best hits hold half of the question's words,
or are near to it in meaning, or one is called so; and ``LEAST`` where nothing speaks for them.

**Measured** with all-MiniLM-L6-v2 on 2,000 paragraphs: the nearest passage to 200 questions has a cosine of .41 to .87
(half of them above .66), the nearest to invented words .24 to .35; to such words short texts, names, come as near as
.53.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kgfs.search.fusion import FusedList

LEAST = 0.15
BEST = 3
"""So many of the best hits are looked at."""
_ENOUGH_WORDS = 0.5
_NEAR: Mapping[str, tuple[float, float]] = {"chunk": (0.34, 0.42), "fact": (0.40, 0.50)}
_NEAR_SHORT = (0.54, 0.66)
"""Cosines that say nothing, and that say enough."""


def factor(lists: Iterable[FusedList], covered: Iterable[float], named: bool) -> float:
    """What the scores are multiplied by.

    ``covered``: what part of the question's words each of the best hits holds; ``named``: whether an entity is called
    like the question.
    """
    if named:
        return 1.0
    support = min(1.0, max(covered, default=0.0) / _ENOUGH_WORDS)
    for one in lists:
        vectors = one.legs.get("vector")
        if vectors is not None and len(vectors.scores):
            none, enough = _NEAR.get(one.kind, _NEAR_SHORT)
            support = max(support, min(1.0, (float(vectors.scores[0]) - none) / (enough - none)))
    return LEAST + (1.0 - LEAST) * support
