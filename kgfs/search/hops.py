"""Hops: the pages that the question and the best hits name join the candidates.

Used by ``kgfs.search.searcher`` after fusion, on the search's thread; numpy only, texts and names by a ``RowReader``.

A question such as "how old is the actor who played X in Y" is answered by two passages, and the second may share no
word with it: the first names it. So the passages of pages that the question names rise, and then those of pages that
one of the best hits names (``page_names``). How far is measured by how far the best hit stands above the hundredth,
since sums have no common scale. A page never rises above the hit that names it, so what answers alone stays first; and
it rises the less, the fewer words of the question the best hit lacks: a question that one passage answers needs no
second. A name in the question that no page has (*Dave Lamb*) raises the few good hits in which it stands as it is
written: by meaning, any page with a contact is as good.

**Measured** on hotpotqa: see ``docs/benchmarks.md``. The constants were chosen on every second question; 3 to 5 hits,
weights from .6 to 1.5, .2 to .8 for names in the question and a decay of .6 to .9 differ by at most .03.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from kgfs.search import fusion
from kgfs.search.fusion import FusedList, Ids, RankedList
from kgfs.search.page_names import (
    READ,
    Hashes,
    PageNames,
    Stretch,
    stretches_of_passage,
    stretches_of_question,
)
from kgfs.search.snippets import is_stop_word, keywords

HITS = 5
"""So many of the best hits, of different documents, are read for names."""
WEIGHT = 1.0
"""Of a page that the best hit names; of one that a hit behind it names ``DECAY`` times as much for each place."""
DECAY = 0.8
ASKED = 0.5
"""Of a page that the question names."""
ENOUGH = 0.2
"""Where the best hit lacks so large a part of the question's words, pages that hits name rise as far as they can."""
LOOKED = 30
"""So many of the best hits are looked through for a name that is no page's."""
FEW = 3
"""Such a name in more of them says little."""
_LEVEL = 100
_LEAST = 1e-6
_BELOW = 1e-3
_MOST_NAMES = 5
_NAME = re.compile(r"[^\W\d_a-z][\w'’.-]*(?: [^\W\d_a-z][\w'’-]*)+")


class Passage(NamedTuple):
    """A chunk's text and its document's title."""

    title: str
    text: str


class NameReader(Protocol):
    """What hops need to know of the rows."""

    def page_names(self) -> PageNames:
        """Which documents have which names."""

    def hashes(self, texts: Sequence[str]) -> Hashes:
        """Of texts, as ``PageNames`` has them."""

    def passages(self, chunks: Sequence[int]) -> dict[int, Passage]:
        """Chunks by id."""


def unanswered(question: str, hit: Passage) -> float:
    """What part of a question's words, those that say something, a passage lacks: 0 to 1."""
    wanted = keywords(question)
    if not wanted:
        return 0.0
    return len(wanted - keywords(f"{hit.title} {hit.text}")) / len(wanted)


def hopped(fused: FusedList, question: str, rows: NameReader, ids: Ids, documents: NDArray[np.int32]) -> FusedList:
    """A fused list of chunks with the pages that are named.

    ``ids`` (ascending) and ``documents`` are the chunks that may be found.
    """
    pages = rows.page_names()
    if not len(pages) or not len(fused.ids):
        return fused
    ranks = _Ranks(fused, pages, ids, documents)
    asked = _names(rows, pages, [stretches_of_question(question)])[0]
    for document, sure in asked.items():
        ranks.raise_page(document, ASKED * ranks.scale * sure, None)
    _raise_named(ranks, rows, pages, question)
    hits = ranks.best(HITS)
    passages = rows.passages(hits)
    hits = [hit for hit in hits if hit in passages]
    if not hits:
        return fused
    open_part = min(1.0, unanswered(question, passages[hits[0]]) / ENOUGH)
    if open_part:
        named = _names(rows, pages, [stretches_of_passage(passages[hit].text) for hit in hits])
        begun = dict(ranks.sums)
        for place, (hit, found) in enumerate(zip(hits, named, strict=True)):
            share = WEIGHT * open_part * DECAY**place * ranks.scale
            for document, sure in found.items():
                if document != ranks.document(hit):
                    ranks.raise_page(document, share * sure, begun[hit], begun)
    return ranks.fused()


def unpaged_names(question: str) -> list[str]:
    """What is written as the name of somebody or something in a question: two capitalised words or more in a row."""
    found = []
    for match in _NAME.finditer(question[:READ]):
        words = match.group().split()
        if match.start() == 0 and is_stop_word(words[0].lower()):
            words = words[1:]
        if len(words) > 1:
            found.append(" ".join(words))
    return list(dict.fromkeys(found))[:_MOST_NAMES]


def _raise_named(ranks: _Ranks, rows: NameReader, pages: PageNames, question: str) -> None:
    """A name that no page has stands in few passages: these are meant, whatever else is alike."""
    names = unpaged_names(question)
    if not names:
        return
    with_page = _names(rows, pages, [stretches_of_question(name) for name in names])
    names = [name for name, found in zip(names, with_page, strict=True) if not found]
    if not names:
        return
    best = ranks.first(LOOKED)
    passages = rows.passages(best)
    for name in names:
        having = [chunk for chunk in best if chunk in passages and name in " ".join(passages[chunk].text.split())]
        if len(having) <= FEW:
            for chunk in having:
                ranks.raise_chunk(chunk, ranks.scale)


def _names(rows: NameReader, pages: PageNames, texts: Sequence[list[Stretch]]) -> list[dict[int, float]]:
    """The documents that each text names; one statement for all."""
    hashes = rows.hashes([stretch.text for stretches in texts for stretch in stretches])
    found, begin = [], 0
    for stretches in texts:
        end = begin + len(stretches)
        found.append(pages.named(stretches, hashes[begin:end]))
        begin = end
    return found


class _Ranks:
    """Sums that rise."""

    def __init__(self, fused: FusedList, pages: PageNames, ids: Ids, documents: NDArray[np.int32]) -> None:
        self._fused, self._pages, self._ids, self._documents = fused, pages, ids, documents
        self.sums: dict[int, float] = dict(zip(fused.ids.tolist(), fused.sums.tolist(), strict=True))
        ordered = np.sort(fused.sums)[::-1]
        self.scale = max(float(ordered[0] - ordered[min(_LEVEL, len(ordered) - 1)]), _LEAST)
        self._lowest = float(ordered[-1])
        self._risen: dict[int, float] = {}
        of = documents[np.searchsorted(ids, fused.ids)]
        order = np.lexsort((fused.ids, -fused.sums, of))
        firsts = np.flatnonzero(np.concatenate([[True], np.diff(of[order]) != 0]))
        self._best_of = dict(zip(of[order][firsts].tolist(), fused.ids[order][firsts].tolist(), strict=True))

    def document(self, chunk: int) -> int:
        return int(self._documents[np.searchsorted(self._ids, chunk)])

    def _may_be_found(self, chunk: int) -> bool:
        if chunk in self.sums:
            return True
        place = int(np.searchsorted(self._ids, chunk))
        return place < len(self._ids) and int(self._ids[place]) == chunk

    def raise_page(
        self, document: int, by: float, below: float | None, begun: Mapping[int, float] | None = None
    ) -> None:
        """A page's first passage and the one that was found best rise, but not to ``below``.

        ``begun``: what the sums were, where they rise by several hits: the highest counts.
        """
        first = self._pages.firsts.get(document)
        for chunk in {first, self._best_of.get(document, first)}:
            if chunk is None or not self._may_be_found(chunk):
                continue
            before = (self.sums if begun is None else begun).get(chunk, self._lowest)
            risen = before + by
            if below is not None:
                # Of those that stop there, the better comes first.
                stop = _BELOW * self.scale / (1.0 + max(0.0, before - self._lowest) / self.scale)
                risen = min(risen, below - stop)
            if risen > self.sums.get(chunk, self._lowest):
                self.sums[chunk] = risen
                self._risen[chunk] = max(self._risen.get(chunk, 0.0), (risen - before) / self.scale)

    def raise_chunk(self, chunk: int, by: float) -> None:
        """A passage rises by itself."""
        before = self.sums[chunk]
        self.sums[chunk] = before + by
        self._risen[chunk] = max(self._risen.get(chunk, 0.0), by / self.scale)

    def first(self, count: int) -> list[int]:
        """The best chunks, best first."""
        return sorted(self.sums, key=lambda each: (-self.sums[each], each))[:count]

    def best(self, count: int) -> list[int]:
        """The best chunks of different documents, best first."""
        found: dict[int, int] = {}
        for chunk in sorted(self.sums, key=lambda each: (-self.sums[each], each)):
            found.setdefault(self.document(chunk), chunk)
            if len(found) == count:
                break
        return list(found.values())

    def fused(self) -> FusedList:
        if not self._risen:
            return self._fused
        order = sorted(self._risen, key=lambda each: (-self._risen[each], each))
        named = RankedList.of(order, [round(self._risen[each], 6) for each in order])
        return fusion.reordered(self._fused, self.sums, {"named": named})
