"""Which names are spelled alike: by the runs of three characters that they share.

Used for merge candidates (``candidates``), in the worker process: scikit-learn is imported at the first use; without
it (the extra ``topics``) no two names are. The share of their runs that two names have in common (Jaccard's, on
character n-grams) says which pairs are looked at. The words of the two decide, one beside the other, as a long name
shares most of its runs with one that means another thing (*Information System Security Officer*, *Information System
Security Manager*).
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
Shares = NDArray[np.float64]
RUN = 3
"""Characters that are compared at a time; a word's edge counts as one."""
LEAST, LEAST_WITH_MORE = 0.4, 0.6
"""The share of their runs that two names have in common; more where one has words in front that the other lacks."""
LEAST_OF_A_WORD, LEAST_ALONE = 0.75, 0.8
"""How much of two words is the same (``SequenceMatcher.ratio``) where they are one, among others and alone."""
LONG_ENOUGH, LONG_ENOUGH_ALONE = 4, 6
"""Letters of a word that may be spelled in two ways, among others and alone: *II* is not *III*."""
MOST = 20_000
"""Of more names none are compared: each shares a run with hundreds."""
MANY = 50
"""Other names that one may be like: what is like more is one of a kind, as a table's rows are (*Item 17 Device*)."""
_ROWS = 1_000
"""So many are compared with all others at once."""


def spelled_alike(names: Sequence[Sequence[str]]) -> Iterator[tuple[int, int]]:
    """Places of two names whose words, from the last, are the same but for their spelling; the smaller place first.

    ``names`` are their words in small letters, without those that count for nothing. The same words are no pair.
    """
    if not 1 < len(names) <= MOST or importlib.util.find_spec("sklearn") is None:
        return
    from sklearn.feature_extraction.text import CountVectorizer

    sizes = np.array([len(set(_runs(words))) for words in names])
    if not sizes.any():
        return
    found = CountVectorizer(analyzer=_runs, binary=True).fit_transform(names)
    alike = np.zeros(len(names), np.int64)
    for ones, _, _ in _shares(found, sizes):
        alike += np.bincount(ones, minlength=len(names))
    kept = np.flatnonzero(alike <= MANY + 1)  # each is like itself
    for ones, others, shares in _shares(found[kept], sizes[kept]):
        for one, other, share in zip(kept[ones].tolist(), kept[others].tolist(), shares.tolist(), strict=True):
            if one < other and _one_name(names[one], names[other], share):
                yield one, other


def _shares(found: Any, sizes: Numbers) -> Iterator[tuple[Numbers, Numbers, Shares]]:
    """The places of two names that share enough of their runs, and the share, some rows at a time."""
    for start in range(0, found.shape[0], _ROWS):
        shared = (found[start : start + _ROWS] @ found.T).tocoo()
        ones = shared.row + start
        share = shared.data / (sizes[ones] + sizes[shared.col] - shared.data)
        enough = share >= LEAST
        yield ones[enough], shared.col[enough], share[enough]


def _runs(words: Sequence[str]) -> list[str]:
    # Word by word, as sklearn's "char_wb" does.
    return [f" {word} "[place : place + RUN] for word in words for place in range(len(word) + 3 - RUN)]


def _one_name(one: Sequence[str], other: Sequence[str], share: float) -> bool:
    short, long = sorted((one, other), key=len)
    if len(long) > len(short) and share < LEAST_WITH_MORE:
        return False
    differ = [(mine, its) for mine, its in zip(short, long[len(long) - len(short) :], strict=True) if mine != its]
    alone = len(long) == 1
    if alone and any(mine.startswith(its) or its.startswith(mine) for mine, its in differ):
        return False  # what goes on where the other ends is another name: PowerShell, PowerShellGet
    letters, least = (LONG_ENOUGH_ALONE, LEAST_ALONE) if alone else (LONG_ENOUGH, LEAST_OF_A_WORD)
    return bool(differ) and all(
        min(map(len, pair)) >= letters and SequenceMatcher(None, *pair, autojunk=False).ratio() >= least
        for pair in differ
    )
