"""How far the rows back what a search found: so that a score tells a right hit from none.

Used by ``kgfs.search.searcher``. Pure. Ranks alone cannot tell: the first of a list is first, whatever was asked. So
the scores of an answer are multiplied by one factor, which is 1 where its best hits are near to the question in meaning
and hold its words, or one is called so; and ``LEAST`` where nothing speaks for them.

**Measured** with all-MiniLM-L6-v2, on two manuals (355 and 642 passages). For 30 questions that they answer in other
words the nearest passage has a cosine of .28 to .62 and one of the best three holds .22 to .86 of the words; for 80
questions of HotpotQA, which they do not, .11 to .25 and .06 to .30 (from the tenth to the ninetieth of a hundred). So
neither tells alone: the cosine and half of the words together are .45 and more for all of the former, below .42 for 97
of a hundred of the latter. Questions on another manual lie between (28 of a hundred below). To invented words short
texts, names, come as near as .53.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kgfs.search.fusion import FusedList

LEAST = 0.15
BEST = 3
"""So many of the best hits are looked at."""
_ENOUGH_WORDS = 0.5
_WORDS_SHARE = 0.5
"""What the words of the best hit add to the cosine of the nearest passage."""
_PASSAGE = (0.42, 0.52)
_NEAR: Mapping[str, tuple[float, float]] = {"fact": (0.40, 0.50)}
_NEAR_SHORT = (0.54, 0.66)
"""What says nothing, and what says enough: that sum, and cosines of what is no passage."""


def factor(lists: Iterable[FusedList], covered: Iterable[float], named: bool) -> float:
    """What the scores are multiplied by.

    ``covered``: what part of the question's words each of the best hits holds; ``named``: whether an entity is called
    like the question. A question of words that every text has has neither lists nor ``covered``: nothing backs it.
    """
    if named:
        return 1.0
    held = max(covered, default=0.0)
    support = 0.0
    near = False
    for one in lists:
        vectors = one.legs.get("vector")
        if vectors is None or not len(vectors.scores):
            continue
        found, (none, enough) = float(vectors.scores[0]), _NEAR.get(one.kind, _NEAR_SHORT)
        if one.kind == "chunk":
            near, found, (none, enough) = True, found + _WORDS_SHARE * held, _PASSAGE
        support = max(support, min(1.0, (found - none) / (enough - none)))
    if not near:  # by keyword alone
        support = max(support, min(1.0, held / _ENOUGH_WORDS))
    return LEAST + (1.0 - LEAST) * support
