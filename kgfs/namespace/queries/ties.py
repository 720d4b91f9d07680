"""What binds entities beside facts: links between their pages, and passages that speak of both.

Used by ``queries.paths`` where no fact leads on. Reads the snapshot only, an entity at a time, and few of its ties: the
rare ones, so that neither a page that all link to nor an entity that stands everywhere leads to everybody. All indexes
are those of the snapshot's columns. Ties are numbered like edges, behind the edges of the ``Adjacency``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from kgfs.namespace.queries.adjacency import Adjacency
from kgfs.namespace.relations import Ints
from kgfs.namespace.snapshot import Snapshot

FACT, LINK, PASSAGE = "fact", "link", "passage"
LINK_STRENGTH = 0.25
"""How strongly a link binds two entities, beside facts that are sure to a half or more."""
PASSAGE_STRENGTH = 0.2
"""The most that passages bind them: they stand in no others."""
PAGES, LINKS, NEIGHBOURS = 4, 32, 16
"""The most of an entity that are followed: pages, links either way, entities in the same passages."""
PASSAGES = 256
"""Of an entity's passages so many are looked at."""
CROWD = 40
"""A passage with more entities is a list: it says nothing of any two."""


class Step(NamedTuple):
    """What leads from one entity to another."""

    kind: str
    row: int
    """The fact, the document with the link, or the passage."""
    subject: int
    """The entity from which it points; -1 for a passage."""


class _Tie(NamedTuple):
    other: int
    strength: float
    step: Step


class Ties:
    """The edges of an ``Adjacency``, and behind them the ties of those entities that were asked for."""

    def __init__(self, s: Snapshot, adjacency: Adjacency) -> None:
        self._snapshot, self.adjacency = s, adjacency
        self._first = len(adjacency.other_array)
        self._ties: list[_Tie] = []
        self._of: dict[int, range] = {}

    def around(self, entities: Sequence[int]) -> tuple[Ints, Ints]:
        """The ties of several entities, and for each the place of its entity among them."""
        numbers: list[int] = []
        owners: list[int] = []
        for place, entity in enumerate(entities):
            found = self._of.get(entity)
            if found is None:
                start = len(self._ties)
                self._ties += self._tied(entity)
                found = self._of[entity] = range(self._first + start, self._first + len(self._ties))
            numbers += found
            owners += [place] * len(found)
        return np.array(numbers, np.int64), np.array(owners, np.int64)

    def others(self, edges: Ints) -> Ints:
        """The entities that edges and ties lead to."""
        return self._column(edges, self.adjacency.other_array, [tie.other for tie in self._ties])

    def strengths(self, edges: Ints) -> Ints:
        """How strong edges and ties are."""
        return self._column(edges, self.adjacency.strength_array, [tie.strength for tie in self._ties])

    def counts(self, edges: Ints) -> Ints:
        """How many facts there are in each."""
        return self._column(edges, self.adjacency.count_array, [0] * len(self._ties))

    def step(self, edge: int) -> Step:
        """What an edge (its surest fact) or a tie is."""
        if edge >= self._first:
            return self._ties[edge - self._first].step
        fact = self.adjacency.facts(edge)[0]
        return Step(FACT, fact, self._snapshot.fact_subject[fact])

    def more(self, edge: int) -> int:
        """How many facts an edge has besides its surest."""
        return 0 if edge >= self._first else len(self.adjacency.facts(edge)) - 1

    def _column(self, edges: Ints, of_edges: Ints, of_ties: Sequence[float]) -> Ints:
        if not self._ties:
            return of_edges[edges]
        return np.concatenate((of_edges, np.array(of_ties, of_edges.dtype)))[edges]

    def _tied(self, entity: int) -> list[_Tie]:
        found: dict[int, _Tie] = {}
        for tie in (*self._linked(entity), *self._beside(entity)):
            if tie.other != entity:
                found.setdefault(tie.other, tie)
        return list(found.values())

    def _linked(self, entity: int) -> Iterator[_Tie]:
        s = self._snapshot
        for page in s.entity_pages.members(entity)[:PAGES]:
            for relation, back in ((s.document_links, s.document_backlinks), (s.document_backlinks, s.document_links)):
                documents = relation.members(page)
                rarest = sorted(zip(map(back.count, documents), documents, strict=True))
                for _, document in rarest[:LINKS]:
                    for other in s.page_entities.members(document)[:PAGES]:
                        ends = (page, entity) if relation is s.document_links else (document, other)
                        yield _Tie(other, LINK_STRENGTH, Step(LINK, *ends))

    def _beside(self, entity: int) -> list[_Tie]:
        s = self._snapshot
        shared: dict[int, float] = {}
        best: dict[int, tuple[int, int]] = {}
        for chunk in s.entity_chunks.members(entity)[:PASSAGES]:
            members = s.chunk_entities.members(chunk)
            if len(members) > CROWD:
                continue
            for other in members:
                shared[other] = shared.get(other, 0) + 1
                best[other] = min(best.get(other, (CROWD, chunk)), (len(members), chunk))
        shared.pop(entity, None)
        own = s.entity_chunks.count(entity)
        ties = [
            _Tie(
                other,
                PASSAGE_STRENGTH * min(1.0, together / math.sqrt(own * s.entity_chunks.count(other))),
                Step(PASSAGE, best[other][1], -1),
            )
            for other, together in shared.items()
        ]
        return sorted(ties, key=lambda tie: (-round(tie.strength, 9), tie.other))[:NEIGHBOURS]
