"""Names of pages in a text: which documents a question or a passage speaks of by their titles.

Used by ``kgfs.search.hops`` through ``kgfs.search.rows``; pure, numpy only.

A document is named by its title, by its title without what a bracket behind it says (``David Bradley (director)``) and,
less surely, by what stands before a comma (``Royston, Hertfordshire``). In a passage a name is written as a name: it
begins with a capital or a digit, and a single word counts only inside a sentence. In a question case does not matter,
but a name of one word needs a capital there where the question has any. Of names that overlap the first and the longest
counts.

A page of a day (``Harbour Committee — June 10``), and one of a meeting whose name has a day, have one more name, in
which the day stands last as numbers and words that all such pages have are missing (``harbour committee 6 10``):
*the meeting of the Harbour Committee on June 10* names it, and more surely than a title does: pages of meetings are
alike but for their days.
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
OF_MEETINGS = (
    "agenda bi biweekly call calls meeting meetings minutes monthly note notes of on project sync the weekly".split()
)
"""Words that names of days are read without."""
MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
DAY = (
    r"\b(?:(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* (\d{1,2})(?:st|nd|rd|th)?(?: (?:19|20)\d\d)?|"
    r"((?:19|20)\d\d) (\d\d) (\d\d))\b"
)
"""A day among words in lower case: its month by three letters and its number, or year, month and number."""
_DAY = re.compile(DAY)
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
    words = _words(text)
    found: list[Stretch] = []
    for first, word in enumerate(words):
        sign = word.text[0]
        if sign.isupper() or sign.isdigit() or (sign.isalpha() and not sign.islower()):
            _begin_at(words, first, _single_counts(text, word), found)
    return found


def stretches_of_question(question: str) -> list[Stretch]:
    """What may be a name in a question, as ``stretches_of_passage``."""
    words = _words(question[:READ])
    # ("I" is no name.)
    inside = any(len(word.text) > 1 and word.text[0].isupper() for word in words[1:])
    found: list[Stretch] = []
    for first, word in enumerate(words):
        _begin_at(words, first, not word.stops and (not inside or not word.text[0].islower()), found)
    return sorted([*_of_days(words), *found], key=lambda stretch: stretch.first)


def _of_days(words: Sequence[_Word]) -> list[Stretch]:
    """What a question may call the page of a day: the words before the day, or behind it, and the day; the longest
    first."""
    joined = " ".join(word.lower for word in words)
    found: list[Stretch] = []
    for day in _DAY.finditer(joined):
        month, number, _, *numbers = day.groups()
        name = f"{MONTHS.index(month) + 1} {int(number)}" if month else " ".join(str(int(part)) for part in numbers)
        first = joined[: day.start()].count(" ")
        last = first + day.group().count(" ")
        before = [word for word in joined[: day.start()].split() if word not in OF_MEETINGS]
        behind = [word for word in joined[day.end() :].split() if word not in OF_MEETINGS]
        for many in range(min(LONGEST, max(len(before), len(behind))), 0, -1):
            sides = (before[-many:] if many <= len(before) else [], behind[:many] if many <= len(behind) else [])
            found += [Stretch(first, last, f"{' '.join(side)} {name}") for side in sides if side]
    return found


class _Word(NamedTuple):
    begin: int
    end: int
    text: str
    lower: str
    stops: bool
    """Whether every text has it."""


def _words(text: str) -> list[_Word]:
    found = []
    for match in _WORD.finditer(text):
        word = match.group()
        lower = word.lower()
        found.append(_Word(match.start(), match.end(), word, lower, is_stop_word(lower)))
    return found


def _begin_at(words: Sequence[_Word], first: int, single: bool, found: list[Stretch]) -> None:
    """Add the stretches that begin at a word; ``single``: whether it may be a name alone."""
    word = words[first]
    text, says, end = word.lower, not word.stops, word.end
    own = [Stretch(first, first, text)] if single and len(text) > 1 else []
    for last in range(first + 1, min(len(words), first + LONGEST)):
        word = words[last]
        if word.begin - end > _MOST_BETWEEN:
            break
        text, says, end = f"{text} {word.lower}", says or not word.stops, word.end
        if says:
            own.append(Stretch(first, last, text))
    found += own[::-1]


_MOST_BETWEEN = 4
"""Characters between two words of a name (``, ``, ``. "``)."""


def _single_counts(text: str, word: _Word) -> bool:
    """Whether one word alone may be a name where it stands."""
    if word.stops or word.text.isdigit():
        return False
    return word.text.isupper() or not _BEGINS_SENTENCE.search(text[max(0, word.begin - 12) : word.begin])
