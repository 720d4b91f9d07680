"""Names of pages in a text: which documents a question or a passage speaks of by their titles.

Used by ``kgfs.search.hops`` through ``kgfs.search.rows``; pure, numpy only.

A document is named by its title, by its title without what a bracket behind it says (``David Bradley (director)``) and,
less surely, by what stands before a comma (``Royston, Hertfordshire``). In a passage a name is written as a name: it
begins with a capital or a digit, and a single word counts only inside a sentence. In a question case does not matter,
but a name of one word needs a capital there where the question has any. Of names that overlap the first and the longest
counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgfs.search.number_map import NumberMap
from kgfs.search.snippets import is_stop_word

LONGEST = 10
"""Words of a name."""
READ = 6000
"""Characters of a passage that are read."""
MOST_SHARED = 8
"""A name that more documents have says nothing."""

_WORD = re.compile(r"[^\W_]+")
_BEGINS_SENTENCE = re.compile(r"(?:^|[.!?:;]['\"”’)\]]*\s+|\n\s*(?:[-*#>]+\s*)?)['\"“‘(\[*_]*$")

Hashes = NDArray[np.uint64]
Hashing = Callable[[Sequence[str]], Hashes]


class Stretch(NamedTuple):
    """What may be a name in a text: its first and last word (by number), and its words joined by spaces."""

    first: int
    last: int
    text: str


class PageNames:
    """Which documents have which names, as of one moment. Immutable; for any thread."""

    def __init__(
        self, hashes: Hashes, documents: NDArray[np.int32], sure: NDArray[np.float32], firsts: NumberMap
    ) -> None:
        """One element a name of a document: the hash of its words in lower case, joined by spaces; how sure it is that
        they mean the document. Ascending by hash. ``firsts``: of each document its first passage."""
        self._hashes, self._documents, self._sure = hashes, documents, sure
        self.firsts = firsts

    def __len__(self) -> int:
        return len(self._hashes)

    def named(self, stretches: Sequence[Stretch], hashes: Hashes) -> dict[int, float]:
        """The documents that stretches of a text name, each with how surely; ``hashes`` are those of the stretches.

        Documents that share a name share its weight.
        """
        found: dict[int, float] = {}
        begins = np.searchsorted(self._hashes, hashes)
        ends = np.searchsorted(self._hashes, hashes, side="right")
        free = 0
        for place in np.flatnonzero(ends > begins).tolist():
            first, last, _ = stretches[place]
            begin, end = int(begins[place]), int(ends[place])
            if first < free:
                continue
            free = last + 1
            if end - begin > MOST_SHARED:
                continue
            every = float(self._sure[begin:end].sum())
            for document, sure in zip(self._documents[begin:end].tolist(), self._sure[begin:end].tolist(), strict=True):
                found[document] = max(found.get(document, 0.0), sure * sure / every)
        return found


def stretches_of_passage(text: str) -> list[Stretch]:
    """What may be a name in a passage, by first word, the longest first."""
    text = text[:READ]
    words = [(match.start(), match.end(), match.group()) for match in _WORD.finditer(text)]
    found: list[Stretch] = []
    for first, (begin, _, word) in enumerate(words):
        if not (word[0].isupper() or word[0].isdigit() or _has_no_case(word)):
            continue
        found += _beginning_at(words, first, _single_counts(text, begin, word))
    return found


def stretches_of_question(question: str) -> list[Stretch]:
    """What may be a name in a question, as ``stretches_of_passage``."""
    question = question[:READ]
    words = [(match.start(), match.end(), match.group()) for match in _WORD.finditer(question)]
    inside = any(len(word) > 1 and word[0].isupper() for _, _, word in words[1:])  # (I is no name)
    found: list[Stretch] = []
    for first, (_, _, word) in enumerate(words):
        single = not is_stop_word(word.lower()) and (not inside or not word[0].islower())
        found += _beginning_at(words, first, single)
    return found


def _beginning_at(words: Sequence[tuple[int, int, str]], first: int, single: bool) -> list[Stretch]:
    run: list[str] = []
    found: list[Stretch] = []
    for last in range(first, min(len(words), first + LONGEST)):
        if last > first and words[last][0] - words[last - 1][1] > _MOST_BETWEEN:
            break
        run.append(words[last][2].lower())
        if (single if last == first else not all(map(is_stop_word, run))) and not (last == first and len(run[0]) < 2):
            found.append(Stretch(first, last, " ".join(run)))
    return found[::-1]


_MOST_BETWEEN = 4
"""Characters between two words of a name (``, ``, ``. "``)."""


def _has_no_case(word: str) -> bool:
    return word[0].isalpha() and not word[0].islower() and not word[0].isupper()


def _single_counts(text: str, begin: int, word: str) -> bool:
    """Whether one word alone may be a name where it stands."""
    if is_stop_word(word.lower()) or word.isdigit():
        return False
    return word.isupper() or not _BEGINS_SENTENCE.search(text[max(0, begin - 12) : begin])
