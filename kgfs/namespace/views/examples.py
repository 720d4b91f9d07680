"""Good examples from the graph that is there, for the guide: an entity that is worth a look, and where it leads.

Used by ``kgfs.namespace.views.guide`` in a thread, once a generation; reads the snapshot and nothing else. A newcomer
tries the examples first, so each must show what this very graph is good for: an entity with a real name, with a page or
many passages, with facts that lead to others that lead on.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from kgfs.names import entity_directory, one_line
from kgfs.namespace.snapshot import Snapshot
from kgfs.relation_types import RELATION_TYPES

_LOOKED_AT = 300
"""Entities with most relationships, among which the best example is looked for."""
_TELLING = 11.0
"""An example of less worth is not shown."""
_LONG = 40
"""Names of more bytes are no good examples: the guide is short."""
_NAME = re.compile(r"(?=.*[^\W\d_])[^\W_][\w.&'’+-]*(?: [\w.&'’+-]+){0,4}")
_SMALL_WORDS = frozenset("a an and at by for from in into of on or the to with".split())
_SAYING_LITTLE = frozenset({"SEE_ALSO", "IS_A", "REPORTED", "HAS", "ALIAS_OF", "DESCRIBED_IN", "COVERS"})
_PLACING = frozenset({"LOCATED_IN", "HEADQUARTERED_IN", "PART_OF", "BORDERS", "CITIZEN_OF", "BORN_IN", "LIVES_IN"})
_FOUND = 10
"""So many entities, or more, are found by the example of ``@find``."""
_PAST = frozenset({"WROTE", "TAUGHT", "WON", "BUILT"})
"""Types that say what was, beside those that end in ``ED``."""


class Hop(NamedTuple):
    """An entity, a type of its facts, and where that leads; indexes of the snapshot."""

    subject: int
    type: str
    object: int
    third: int | None
    """Where ``object`` leads on to."""


def best_hop(s: Snapshot) -> Hop | None:
    """The relationship that shows best what facts are good for; ``None`` where none shows much."""
    owners = np.argsort(-s.stated.pair_counts, kind="stable")[:_LOOKED_AT].tolist()
    found = [(_worth(s, hop), -hop.subject, hop) for owner in owners for hop in _hops(s, owner)]
    best = max(found, default=None, key=lambda each: each[:2])
    return best[2] if best is not None and best[0] >= _TELLING else None


def _hops(s: Snapshot, owner: int) -> Iterator[Hop]:
    if not presentable(s, owner) or is_document(s, owner):
        return
    for number in s.stated.types(owner):
        if not s.stated.has_edges(number):
            continue
        kind = s.names.name(s.stated.group(number).type)
        for _, other in s.stated.pairs(number)[:_LOOKED_AT]:
            if other != owner and presentable(s, other):
                yield Hop(owner, kind, other, _third(s, owner, other))


def _third(s: Snapshot, owner: int, other: int) -> int | None:
    """Another entity that a fact of ``other`` leads to."""
    found = (
        each
        for number in s.stated.types(other)
        if s.stated.has_edges(number) and s.names.name(s.stated.group(number).type) not in _SAYING_LITTLE
        for _, each in s.stated.pairs(number)
    )
    return next((each for each in found if each not in (owner, other) and presentable(s, each)), None)


def _worth(s: Snapshot, hop: Hop) -> float:
    """How good an example is; the numbers were found by looking at what they choose on five corpora."""
    owner, kind, other, third = hop
    worth = 4.0 * reads_as_name(s, owner) + 3.0 * reads_as_name(s, other)
    worth += 2.0 * has_page(s, owner) + 1.0 * has_page(s, other) + 1.0 * (third is not None)
    worth += min(4.0, math.log2(1 + int(s.stated.pair_counts[owner])))
    worth += min(3.0, math.log2(1 + s.entity_chunks.count(owner)) / 2)
    worth += min(2.0, math.log2(1 + s.entity_chunks.count(other)) / 2)
    known = RELATION_TYPES.get(kind)
    worth += 1.5 if known and known.verbs else 0.0
    return worth - 4.0 * (kind in _SAYING_LITTLE) - 2.5 * (kind in _PLACING)


def best_entity(s: Snapshot) -> int | None:
    """The entity to look at where no fact leads well from one to another: with facts, passages and a page that links
    on; ``None`` where none has a name that can be shown."""

    def worth(index: int) -> tuple[float, int]:
        facts, chunks = int(s.stated.counts[index]), s.entity_chunks.count(index)
        known = 6.0 * reads_as_name(s, index) + 2.0 * links_on(s, index)
        return known + math.log2(1 + facts) + math.log2(1 + chunks) / 2, -index

    return max((each for each in range(len(s.entities)) if presentable(s, each)), key=worth, default=None)


def links_on(s: Snapshot, index: int) -> bool:
    """Whether the page of an entity links to others."""
    return any(s.document_links.count(page) for page in s.entity_pages.members(index))


def has_page(s: Snapshot, index: int) -> bool:
    return s.entity_pages.count(index) > 0


def presentable(s: Snapshot, index: int) -> bool:
    """Whether a name may stand in the guide: a few short words, neither a sentence nor a file's name. What somebody
    put into a title to be read as an order is neither."""
    name = spoken(s, index)
    return 3 <= len(name.encode()) <= _LONG and _NAME.fullmatch(name) is not None


def is_document(s: Snapshot, index: int) -> bool:
    """Whether an entity is a page: *How we test it* is a title, of which nobody asks."""
    return s.entity_directory[index] == s.names.number(entity_directory("Document"))


def reads_as_name(s: Snapshot, index: int) -> bool:
    """Whether a name that is presentable looks like one of somebody or something: capitals, and letters mostly."""
    name = spoken(s, index)
    if is_document(s, index):
        return False
    words = [word for word in name.split(" ") if word not in _SMALL_WORDS]
    capitals = sum(not word[0].islower() for word in words)
    return capitals == len(words) > 0 and sum(sign.isdigit() for sign in name) * 3 <= len(name)


def spoken(s: Snapshot, index: int) -> str:
    """An entity's name, as one says it."""
    return s.entities.slugs[index].replace("_", " ")


def question(s: Snapshot, hop: Hop) -> str:
    """What one would ask to hear of this relationship."""
    subject, known = spoken(s, hop.subject), RELATION_TYPES.get(hop.type)
    if known is None or not known.verbs:
        return f"how is {subject} related to {spoken(s, hop.object)}"
    if any(word in known.verbs[0].split() for word in ("locate", "headquarter", "base", "live", "bury", "name")):
        return f"how is {subject} related to {spoken(s, hop.object)}"
    number = s.entity_directory[hop.object]
    asked = "whom" if number == s.people else "what"
    did = "did" if hop.type.endswith("ED") or "ED_" in hop.type or hop.type in _PAST else "does"
    return f"{asked} {did} {subject} {known.verbs[0]}"


def question_about(s: Snapshot, entity: int) -> str:
    """What one would ask of an entity: of a place, what its passages are about; of anything else, what it is."""
    name = spoken(s, entity)
    if s.entity_directory[entity] != s.places:
        return f"what is {name}"
    about: Counter[int] = Counter()
    for chunk in s.entity_chunks.members(entity):
        about.update(s.chunk_topics.members(chunk))
    topics = (one_line(s.topic_names[topic]) for topic, _ in about.most_common())
    plain = (each for each in topics if name.casefold() not in each.casefold() and len(each.encode()) <= _LONG)
    topic = next(plain, None)
    return f"{topic} in {name}" if topic else f"what is {name}"


def common_word(s: Snapshot, entity: int) -> str:
    """A word of letters that stands in the texts: of an entity's name."""
    words: list[str] = re.findall(r"[^\W\d_]{3,20}", spoken(s, entity))
    return max(words, key=len, default="the")


def found_by_type(s: Snapshot) -> tuple[str, int] | None:
    """The type with most entities, and a number of facts that some of these have: for ``@find``."""
    sizes = Counter({kind: 0 for kind in s.entity_types})
    for code in s.entity_type:
        sizes[s.entity_types[code]] += 1
    kind, size = max(sizes.items(), key=lambda each: each[1], default=("", 0))
    if not size:
        return None
    code = s.entity_types.index(kind)
    counts = np.sort(s.stated.counts[np.asarray(s.entity_type) == code])[::-1]
    return kind, int(counts[min(len(counts), _FOUND) - 1])
