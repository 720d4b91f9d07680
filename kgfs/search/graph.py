"""The leg ``graph``: passages that the entities they mention link to what the query names and to its best hits.

Used by ``kgfs.search.searcher``, on the search's thread; pure, numpy only.

A question such as "the head office of the firm that bought X" needs two passages, and the second may share no word with
it. The leg walks at random between chunks and the entities that they mention and often comes back to where it began
(personalised PageRank): half of the time to entities whose names stand in the query, half to the ``SEEDS`` best hits of
the other legs. Entities that few chunks mention lead on more than those that all do; a chunk of the document that is
about an entity (its title) is where the entity leads first.

**Measured** on hotpotqa (200 two-hop questions, 1,971 paragraphs, graph as ``kgfs add`` makes it offline; both
supporting paragraphs, ``scripts/bench retrieval``): see ``docs/benchmarks.md``. Every choice of the constants below
that was tried (2, 3, 5 hits; half or a third for the names; titles 1, 5, 20; return .3 to .5; 2 to 8 steps; weights .5
to 1.2) was better than no such leg; 10 hits, or probabilities that are not taken by their logarithm, were not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from kgfs.search.fusion import RankedList
from kgfs.search.snippets import STOP_WORDS

SEEDS = 3
"""So many of the best hits are where the walk begins."""
NAMES_SHARE = 0.5
"""How often it begins at the names in the query, where there are any."""
RETURN = 0.4
"""How often it goes back to where it began."""
STEPS = 4
"""Farther than that nothing changes."""
TITLE = 10.0
"""How much more often an entity leads to a chunk of the document that it is the title of."""
LONGEST_NAME = 8
"""Words of a name in a query."""

_WORD = re.compile(r"\w[\w'’.&-]*\w|\w")
_POSSESSIVE = re.compile("['’]s$")


class EntityGraph:
    """Which chunks mention which entities, as of one moment. Immutable; for any thread.

    16 bytes a mention. A walk takes a millisecond for 50,000 mentions.
    """

    def __init__(self, entities: NDArray[np.int32], chunks: NDArray[np.int32], about: NDArray[np.bool_]) -> None:
        """Arrays of one length, one element a mention: an entity's row id, a chunk's, and whether the entity is the
        title of the chunk's document."""
        self._entities, self._entity = np.unique(entities, return_inverse=True)
        self._chunks, self._chunk = np.unique(chunks, return_inverse=True)
        mentions = np.bincount(self._entity, minlength=len(self._entities))
        self.rarity = 1.0 / np.log2(1.0 + mentions)
        """Of each entity."""
        to_entity = self.rarity[self._entity]
        to_chunk = np.where(about, TITLE, 1.0)
        of_chunk = np.bincount(self._chunk, weights=to_entity, minlength=len(self._chunks))
        of_entity = np.bincount(self._entity, weights=to_chunk, minlength=len(self._entities))
        self._to_entity = (to_entity / of_chunk[self._chunk]).astype(np.float32)
        self._to_chunk = (to_chunk / of_entity[self._entity]).astype(np.float32)
        self._entity, self._chunk = self._entity.astype(np.int32), self._chunk.astype(np.int32)

    def __len__(self) -> int:
        return len(self._entity)

    def ranked(self, names: Mapping[int, float], hits: Mapping[int, float]) -> RankedList:
        """All chunks that the walk reaches, with how often it is there (a probability), the most often first.

        ``names``: entities named in the query, each with its share; ``hits``: chunks, each with its weight (above 0).
        """
        first_entities = _started(self._entities, names) * self.rarity
        first_chunks = _started(self._chunks, hits)
        share = NAMES_SHARE if hits else 1.0
        if not first_entities.any():
            share = 0.0
        elif not first_chunks.any():
            share = 1.0
        if not len(self) or not (first_entities.any() or first_chunks.any()):
            return RankedList.of([], [])
        first_entities *= share / (first_entities.sum() or 1.0)
        first_chunks *= (1.0 - share) / (first_chunks.sum() or 1.0)
        at_entities, at_chunks = first_entities, first_chunks
        for _ in range(STEPS):
            to_entities = np.bincount(
                self._entity, weights=at_chunks[self._chunk] * self._to_entity, minlength=len(at_entities)
            )
            to_chunks = np.bincount(
                self._chunk, weights=at_entities[self._entity] * self._to_chunk, minlength=len(at_chunks)
            )
            at_entities = RETURN * first_entities + (1.0 - RETURN) * to_entities
            at_chunks = RETURN * first_chunks + (1.0 - RETURN) * to_chunks
        reached = np.flatnonzero(at_chunks > _LEAST)
        scores = np.round(at_chunks[reached], _DIGITS)
        order = np.lexsort((self._chunks[reached], -scores))
        return RankedList(self._chunks[reached][order].astype(np.int64), scores[order])


_DIGITS = 9
_LEAST = 10.0**-_DIGITS


def _started(ids: NDArray[np.int32], weights: Mapping[int, float]) -> NDArray[np.float64]:
    started = np.zeros(len(ids))
    if len(ids) and weights:
        wanted = np.array(list(weights), np.int64)
        places = np.minimum(np.searchsorted(ids, wanted), len(ids) - 1)
        known = ids[places] == wanted
        started[places[known]] = np.array(list(weights.values()))[known]
    return started


def query_stretches(query: str) -> list[tuple[int, int, str]]:
    """What may be a name in a query: first and last word (by number), and the text between them in lower case.

    By first word, the longest first.
    """
    words = [(match.start(), match.end()) for match in _WORD.finditer(query)][:_MOST_WORDS]
    found = []
    for first, (begin, _) in enumerate(words):
        for last in range(min(len(words), first + LONGEST_NAME) - 1, first - 1, -1):
            written = query[begin : words[last][1]]
            text = written.lower()
            if text in STOP_WORDS and not (written.isupper() and len(written) > 1):
                continue  # "who", which is no World Health Organization
            found.append((first, last, text))
            short = _POSSESSIVE.sub("", text)
            if short != text:
                found.append((first, last, short))
    return found


_MOST_WORDS = 60


def named_entities(stretches: Sequence[tuple[int, int, str]], entities: Sequence[Sequence[int]]) -> dict[int, float]:
    """The entities that a query names: of names that overlap, the first and the longest.

    ``entities``: those with each stretch as a name.
    """
    found: dict[int, float] = {}
    free = 0
    for (first, last, _), known in zip(stretches, entities, strict=True):
        if known and first >= free:
            free = last + 1
            for entity in known:
                found[entity] = found.get(entity, 0.0) + 1.0 / len(known)
    return found
