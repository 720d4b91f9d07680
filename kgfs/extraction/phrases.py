"""Noun phrases of a document's sentences: candidates for topics that no heading names.

Used by ``topics``, in the worker, where the tagger is installed. A candidate is two to four ordinary words, adjectives
and nouns with a noun at the end (the pattern of Justeson and Katz, 1995, without prepositions), names left out. How
often each stands in which chunk is all that is kept: whether it is a term is seen over all documents.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from kgfs.extraction.names import tagging
from kgfs.extraction.topic_words import CLOSERS, MAX_NAME, OPENERS, says_nothing
from kgfs.extraction.units import Unit
from kgfs.model import TopicCandidate

MAX_WORDS = 4
MAX_PHRASES = 1500
"""Of one document: the most frequent ones."""
_NOUNS = frozenset({"NN", "NNS"})
_IN_PHRASE = frozenset({"NN", "NNS", "JJ"})
_JOINERS = frozenset("- – ‑ / & _".split())


def find_phrases(units: Sequence[Unit], names: set[str]) -> tuple[list[TopicCandidate], set[str]]:
    """The phrases of a document with the chunks that hold them and how often; and the nouns that end a phrase.

    ``names`` (casefolded) are left out.
    """
    sentences = [unit for unit in units if unit.kind == "sentence"]
    found: defaultdict[str, Counter[int]] = defaultdict(Counter)
    heads: set[str] = set()
    for unit, words in zip(sentences, tagging.parts_of_speech([unit.content.text for unit in sentences]), strict=True):
        for phrase in noun_phrases(words):
            found[phrase][unit.chunk.ordinal] += 1
        heads.update(word.lower() for (word, tag), (_, after) in pairwise([*words, ("", "")]) if _ends(tag, after))
    kept = sorted(
        (phrase for phrase in found if len(phrase) <= MAX_NAME and phrase not in names and not says_nothing(phrase)),
        key=lambda phrase: (-found[phrase].total(), phrase),
    )
    candidates = [
        TopicCandidate(path=[phrase], chunks=(chunks := sorted(found[phrase])), source="phrase",
                       counts=[found[phrase][chunk] for chunk in chunks])
        for phrase in sorted(kept[:MAX_PHRASES])
    ]  # fmt: skip
    return candidates, heads


def _ends(tag: str, after: str) -> bool:
    return tag in _NOUNS and after not in _NOUNS


def noun_phrases(words: Sequence[tuple[str, str]]) -> Iterator[str]:
    """The phrases in a sentence of ``(word, part of speech)`` (Penn Treebank's tags), those within others too."""
    run: list[tuple[str, str]] = []
    before = ""
    for (word, tag), (after, _) in pairwise([*words, ("", ""), ("", "")]):
        # What a hyphen or an apostrophe joins is one word, and none of the dictionary's.
        joined = before in _JOINERS or after in _JOINERS
        fits = tag in _IN_PHRASE and word.isalpha() and len(word) > 1
        if fits and not joined and (word.islower() or (not before and word[1:].islower())):
            run.append((word.lower(), tag))
        else:
            yield from _within(run)
            run = []
        before = word
    yield from _within(run)


def _within(run: Sequence[tuple[str, str]]) -> Iterator[str]:
    for start in range(len(run)):
        if run[start][0] in OPENERS:
            continue
        for end in range(start + 2, min(len(run), start + MAX_WORDS) + 1):
            word, tag = run[end - 1]
            if tag in _NOUNS and word not in CLOSERS:
                yield " ".join(one for one, _ in run[start:end])
