"""What of a topic a language model is shown: its name and some words of the documents on it.

Used by ``kgfs.graph.topic_tree`` (a verdict holds as long as this is what would be shown) and by
``kgfs.pipeline.topic_pass`` (which asks), with a cursor, on any thread. Depends on the claims alone, not on where
topics stand: what a model says of topics changes nothing of what it is asked.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping
from typing import NamedTuple

import msgspec

from kgfs.documents.markup import plain_sentence
from kgfs.graph.topics.keys import leaf_key, word_stems
from kgfs.names import one_line
from kgfs.store.catalog.database import Cursor
from kgfs.store.graph import topics

VERSION = "topics-1"
"""Raise it when another choice of words, or another prompt (``kgfs.llm.consolidation``), is to be asked anew."""
EXCERPTS = 3
"""Documents of which words are shown: the first by ref."""
_BEFORE, _LENGTH = 60, 280
"""Characters before the first word of the name, and in all."""


class TopicEvidence(NamedTuple):
    """A topic as a model is shown it."""

    key: str
    name: str
    excerpts: list[str]
    documents: list[int]
    """Whose words these are."""

    @property
    def evidence(self) -> str:
        """A hash of it."""
        text = msgspec.json.encode((VERSION, self.key, self.excerpts))
        return hashlib.blake2b(text, digest_size=16).hexdigest()


def topic_evidence(
    cursor: Cursor, names: Mapping[str, str], chunks: Mapping[str, Collection[int]]
) -> dict[str, TopicEvidence]:
    """Topics as a model would be shown them, by key; ``names`` and ``chunks`` by key. Without those that no text is on.

    Of a topic that has only subtopics the words of these are shown: those that claims put beneath it.
    """
    beneath = topics.claimed_beneath(cursor, [key for key in names if not chunks.get(key)])
    held = {key: set(chunks.get(key, ())) or beneath.get(key, set()) for key in names}
    found: dict[str, TopicEvidence] = {}
    if not names:
        return found
    for key, document_id, text in topics.opening_chunks(
        cursor, {key: own for key, own in held.items() if own}, EXCERPTS
    ):
        one = found.setdefault(key, TopicEvidence(key, names[key], [], []))
        one.excerpts.append(_excerpt(text, key))
        one.documents.append(document_id)
    return found


def _excerpt(text: str, key: str) -> str:
    """Where a passage says a word of a topic's name, else how it begins."""
    words = one_line(plain_sentence(text).text)
    stems = [re.escape(stem) for stem in word_stems(leaf_key(key)) if len(stem) > 2]
    place = re.search(rf"(?i)\b(?:{'|'.join(stems)})", words) if stems else None
    start = max(0, place.start() - _BEFORE) if place is not None else 0
    return words[start : start + _LENGTH].strip()
