"""What stands under what: a parent for each topic that something shows one for.

Used by ``kgfs.graph.topic_tree``. Pure; ties are decided by keys. The kinds of evidence, the strongest first:

1. a tag's path;
2. what a language model says that was shown all topics (``kgfs.llm.consolidation``);
3. what a heading joins (``employment and wages``) is above its parts; a part that stands on its own (it is a heading by
   itself, or several headings join it) is above the whole instead;
4. the same heading stands under the same heading in two documents or more, and in most that have it;
5. the path under which a language model put it when it read passages, in most documents;
6. the name is another topic's with a word more (``commercial real estate``, ``loan demand``), and their passages meet;
7. nearly all its passages are passages of a larger topic (subsumption: Sanderson and Croft, 1999);
8. the group that the vectors of its passages put it into (``grouping``).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from kgfs.graph.topics.keys import SEPARATOR, leaf_key

MAX_DEPTH = 4
"""Levels; tags may have more."""
NESTED_DOCUMENTS = 2
NESTED_SHARE = 0.6
"""Of the documents that have the heading."""
NAMED_OVERLAP = 0.3
"""The share of passages (for phrases: of documents) that a topic has in common with the one whose name it extends."""
SUBSUMED = 0.8
SUBSUMED_CHUNKS = 3
LARGER = 1.5
TOO_LARGE = 40.0
"""A topic so many times larger is a frame, not a subject that the smaller one belongs to."""


MANY_DOCUMENTS, LEAST_DOCUMENTS = 100, 3
"""In a store of so many documents a topic that stands alone at the top has so many."""
TOPS_PER_ROOT, LEAST_TOPS, MOST_TOPS = 2.5, 30, 60
"""Topics at the top, per square root of the number of documents: 39 of 250, 60 of 600 and more."""


@dataclass(slots=True)
class Topic:
    """A topic that is shown."""

    key: str
    name: str
    source: str
    chunks: set[int] = field(default_factory=set)
    documents: set[int] = field(default_factory=set)
    parent: str | None = None


def place_topics(
    topics: Mapping[str, Topic],
    nested: Mapping[tuple[str, str], int],
    headings: Mapping[str, int],
    joined: Mapping[str, Collection[str]],
    alone: Collection[str],
    *,
    said: Mapping[tuple[str, str], int] = MappingProxyType({}),
    verdicts: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Give topics their parents.

    ``nested``: in how many documents a heading stands under another, ``(above, key)``; ``headings``: how many documents
    have it at all; ``joined``: the parts of a heading that joins several; ``alone``: the parts that stand on their own.
    ``said``: in how many documents a model puts a topic under another, ``(above, key)``; ``verdicts``: under what it
    puts a topic in view of all.
    """
    tree = _Tree(topics)
    for key in sorted(topics):
        if SEPARATOR in key:
            tree.put(key, key.rsplit(SEPARATOR, 1)[0], limited=False)
    for key in sorted(verdicts):
        if key in topics:
            tree.put(key, verdicts[key])
    by_leaf = {leaf_key(key): key for key in sorted(topics, reverse=True)}
    for whole in sorted(joined):
        parts = [by_leaf[part] for part in joined[whole] if part in by_leaf]
        above = next((part for part in parts if leaf_key(part) in alone), None)
        if above is not None and whole in topics:
            tree.put(whole, above)
        elif whole in topics:
            for part in parts:
                tree.put(part, whole)
    for key in sorted(topics):
        options = {above: count for (above, below), count in nested.items() if below == key and above in topics}
        above = min(options, key=lambda one: (-options[one], one), default=None)
        if above is not None and options[above] >= max(NESTED_DOCUMENTS, NESTED_SHARE * headings.get(key, 0)):
            tree.put(key, above)
    for pair in sorted(said, key=lambda pair: (-said[pair], pair[1], pair[0])):
        if pair[1] in topics:
            tree.put(pair[1], pair[0])
    _by_name(topics, by_leaf, tree)
    _by_passages(topics, tree)


class _Tree:
    """The parents given so far; refuses circles and too many levels."""

    def __init__(self, topics: Mapping[str, Topic]) -> None:
        self._topics = topics
        self._height: Counter[str] = Counter()

    def depth(self, key: str) -> int:
        levels, above = 1, self._topics[key].parent
        while above is not None:
            levels, above = levels + 1, self._topics[above].parent
        return levels

    def height(self, key: str) -> int:
        height, level = 0, {key}
        while level:
            height += 1
            level = {one.key for one in self._topics.values() if one.parent in level}
        return height

    def put(self, key: str, above: str, *, limited: bool = True) -> bool:
        topic = self._topics[key]
        if topic.parent is not None or above == key or above not in self._topics:
            return False
        up: str | None = above
        while up is not None:
            if up == key:
                return False
            up = self._topics[up].parent
        # One level is left for the group at the top.
        if limited and self.depth(above) + self.height(key) > MAX_DEPTH - 1:
            return False
        topic.parent = above
        return True


def drop_weak(topics: dict[str, Topic], documents: int) -> None:
    """Take out of the top what is alone there and little: the vectors found no group for it either.

    ``documents`` counts the whole store. Tags that several documents have stay.
    """
    above = {topic.parent for topic in topics.values()}
    alone = [
        topic
        for topic in topics.values()
        if topic.parent is None and topic.key not in above and not (topic.source == "tag" and len(topic.documents) > 1)
    ]
    least = LEAST_DOCUMENTS if documents >= MANY_DOCUMENTS else 1
    few = [topic for topic in alone if len(topic.documents) < least]
    for topic in few:
        del topics[topic.key]
    tops = sum(topic.parent is None for topic in topics.values())
    most = min(MOST_TOPS, max(LEAST_TOPS, int(TOPS_PER_ROOT * math.sqrt(documents))))
    ranked = sorted(
        (topic for topic in alone if topic.key in topics),
        key=lambda topic: (len(topic.documents), len(topic.chunks), topic.key),
    )
    for topic in ranked[: max(0, tops - most)]:
        del topics[topic.key]


def _by_name(topics: Mapping[str, Topic], by_leaf: Mapping[str, str], tree: _Tree) -> None:
    """``commercial real estate`` under ``real estate``, else ``loan demand`` under ``loan``."""
    for key in sorted(topics):
        topic = topics[key]
        words = leaf_key(key).split()
        if topic.parent is not None or len(words) < 2 or "and" in words:
            continue
        shorter = [" ".join(words[start:]) for start in range(1, len(words))]
        shorter += [" ".join(words[:end]) for end in range(len(words) - 1, 0, -1)]
        for name in shorter:
            above = by_leaf.get(name)
            if above is not None and _meets(topic, topics[above]) and tree.put(key, above):
                break


def _meets(topic: Topic, above: Topic) -> bool:
    common = len(topic.chunks & above.chunks)
    if common >= NAMED_OVERLAP * len(topic.chunks):
        return True
    return bool(common) and len(topic.documents & above.documents) >= 0.5 * len(topic.documents)


def _by_passages(topics: Mapping[str, Topic], tree: _Tree) -> None:
    """A topic under the smallest one that has nearly all its passages."""
    of_chunk: defaultdict[int, list[str]] = defaultdict(list)
    for key in sorted(topics):
        for chunk in topics[key].chunks:
            of_chunk[chunk].append(key)
    for key in sorted(topics, key=lambda key: (-len(topics[key].chunks), key)):
        topic = topics[key]
        own = len(topic.chunks)
        if topic.parent is not None or own < SUBSUMED_CHUNKS:
            continue
        common: Counter[str] = Counter()
        for chunk in topic.chunks:
            common.update(of_chunk[chunk])
        options = [
            other
            for other, count in common.items()
            if other != key and count >= SUBSUMED * own and LARGER * own <= len(topics[other].chunks) <= TOO_LARGE * own
        ]
        for other in sorted(options, key=lambda one: (len(topics[one].chunks), one)):
            if tree.put(key, other):
                break
