"""Which topics are shown: of all that documents claim, what is a tag, recurs as a heading, or is a term.

Used by ``kgfs.graph.topic_tree``. Pure; nothing here depends on the order of documents or on row ids.

Phrases are scored by their C-value (Frantzi, Ananiadou and Mima, 2000): how many passages hold a phrase, less what it
owes to longer phrases around it, weighted by its length. What stands often in few documents is about something, what
stands once in many is only said; so the score is multiplied by the root of occurrences per document.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from kgfs.graph.topics.keys import SEPARATOR, leaf_key

MIN_DOCUMENTS = 2
"""That claim a heading."""
ONE_DOCUMENT_CHUNKS = 3
"""Passages of a heading that only one document has."""
MODEL_CHUNKS = 2
"""Passages that a model says are about a topic, in one document."""
ONE_DOCUMENT_SAID = 2
"""How often the text itself must say a heading of several words that only one document has."""
PHRASE_DOCUMENTS = 3
PHRASE_CHUNKS = 5
PHRASE_SCORE = 8.0
PHRASES_PER_ROOT = 2.5
"""Phrases that are shown at most, per square root of the number of passages: 56 of 500, 177 of 5,000."""
OWN_TAGS = 2
"""A document with more tags that no other document has lists words to be found by (``quit, quitting, resign``)."""
FRAGMENT = 0.8
"""A phrase that stands so often inside one longer phrase is a piece of that: ``estate activity``."""
TOO_COMMON = 0.5
"""A phrase in more of the passages than this tells none apart."""
WEAK_ENDS = frozenset(
    "activity area condition contact demand department employee event expert expertise growth industry information "
    "level management market person process product program project provider service space staff system task team type "
    "work worker".split()
)
"""Nouns (in the singular) that add little to what stands before them, where that is a topic of its own."""

EMPTY_ENDS = frozenset("activity address category company executive firm goods member sector volume".split())
"""Nouns (in the singular) that make no topic of any word before them."""


SPOKEN_DOCUMENTS = 5
"""Of a heading in so many documents it is asked whether the passages under it speak of it."""
SPOKEN = 0.35
"""In fewer of the passages the heading is a slot that each document fills: *communication*, *plot*, *schema*."""
SLOT_DOCUMENTS, SLOT_SHARE, SLOT_CHUNKS = 20, 0.2, 1.5
"""So is what stands over one short passage in a good part of all documents, whatever is said there."""


class HeadedCounts(NamedTuple):
    """What claims other than phrases come to, for one key."""

    key: str
    documents: int
    chunks: int
    times: int
    """The most that one document has it as a heading."""
    tag: bool
    only: int | None = None
    """The document that is the only one to have it."""
    model: bool = False
    """Whether a language model says that passages are about it."""
    spoken: float = 1.0
    """In what share of its passages, headings left out, a word of it stands."""


class PhraseCounts(NamedTuple):
    """How often the texts say a phrase."""

    key: str
    documents: int
    chunks: int
    occurrences: int


def select_topics(
    headed: Sequence[HeadedCounts],
    said: Sequence[PhraseCounts],
    chunks: int,
    documents: int,
    barred: Collection[str] = (),
) -> dict[str, float]:
    """The keys of the topics that are shown, with how much they weigh.

    ``chunks`` and ``documents`` count the whole store; ``barred`` are the keys of names of entities.
    """
    phrases = {one.key: one for one in said}
    kept: dict[str, float] = {}
    own_tags = Counter(one.only for one in headed if _is_own_tag(one))
    for one in headed:
        if one.key in barred or leaf_key(one.key) in barred:
            continue
        if _is_slot(one, documents):
            continue
        keyword = _is_own_tag(one) and own_tags[one.only] > OWN_TAGS
        if (one.tag and not keyword) or _counts(one, phrases.get(one.key)):
            kept[one.key] = float(one.chunks)
    scores = _scores(said, chunks, documents, {one.key for one in headed}, barred)
    limit = int(PHRASES_PER_ROOT * math.sqrt(chunks))
    best = sorted(scores, key=lambda key: (-round(scores[key], 6), key))[:limit]
    leaves = {leaf_key(key) for key in kept}
    kept |= {key: scores[key] for key in best if key not in leaves and scores[key] >= PHRASE_SCORE}
    return kept


def _is_own_tag(one: HeadedCounts) -> bool:
    """Whether only one document has this tag, and it is no path."""
    return one.tag and one.documents == 1 and SEPARATOR not in one.key


def _is_slot(one: HeadedCounts, documents: int) -> bool:
    """Whether a heading belongs to the form of the documents, and says nothing of what they are about."""
    if one.tag or one.model or one.documents < SPOKEN_DOCUMENTS:
        return False
    common = one.documents >= max(SLOT_DOCUMENTS, SLOT_SHARE * documents)
    return one.spoken < SPOKEN or (common and one.chunks < SLOT_CHUNKS * one.documents)


def _counts(one: HeadedCounts, said: PhraseCounts | None) -> bool:
    """Whether a heading is more than a line in one document."""
    if one.documents >= MIN_DOCUMENTS or (one.model and one.chunks >= MODEL_CHUNKS):
        return True
    if one.tag or (one.chunks < ONE_DOCUMENT_CHUNKS and one.times < 2):
        return False
    return " " not in one.key or one.model or (said is not None and said.occurrences >= ONE_DOCUMENT_SAID)


def _scores(
    said: Sequence[PhraseCounts], chunks: int, documents: int, headings: Collection[str], barred: Collection[str]
) -> dict[str, float]:
    """The phrases that may be topics, with their scores."""
    counts = {one.key: one.chunks for one in said}
    around: defaultdict[str, list[int]] = defaultdict(list)
    for key, count in counts.items():
        for part in _within(key):
            if part in counts:
                around[part].append(count)
    least = PHRASE_DOCUMENTS + (1 if documents >= 100 else 0) + (1 if documents >= 1000 else 0)
    found = {}
    for one in said:
        words = one.key.split()
        if len(words) < 2 or one.key in barred or one.documents < least or one.chunks < PHRASE_CHUNKS:
            continue
        if chunks >= 20 and one.chunks > TOO_COMMON * chunks:
            continue
        rest = " ".join(words[:-1])
        if words[-1] in WEAK_ENDS and (rest in headings or rest in counts):
            continue
        longer = around.get(one.key, ())
        if words[-1] in EMPTY_ENDS or max(longer, default=0) >= FRAGMENT * one.chunks:
            continue
        own = one.chunks - (sum(longer) / len(longer) if longer else 0.0)
        found[one.key] = math.log2(len(words) + 0.5) * own * math.sqrt(one.occurrences / one.documents)
    return found


def _within(key: str) -> list[str]:
    """The shorter phrases in a phrase."""
    words = key.split()
    return [
        " ".join(words[start:end])
        for start in range(len(words))
        for end in range(start + 2, len(words) + 1)
        if end - start < len(words)
    ]


def shown_name(names: Mapping[str, int]) -> str:
    """Of the names that claims have for one topic, with how many claims each, the one for people."""
    return min(names, key=lambda name: (-names[name], name)) if names else ""
