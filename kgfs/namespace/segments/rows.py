"""Variable segments that stand for rows: all of a domain, those of a type or topic, those that a relation gives.

Also how rows are named in directories (``RowNames``). Runs on the event loop and reads the snapshot only.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import ClassVar

from kgfs import paths
from kgfs.namespace.domains import Domain, Slugged, gone
from kgfs.namespace.node import NodeRef
from kgfs.namespace.relations import flat
from kgfs.namespace.route import Above, Listed, Long
from kgfs.namespace.snapshot import Snapshot

Of = tuple[str | None, str | None]
PickSlugged = Callable[[Snapshot], Slugged]


class RowNames:
    """How the rows of a domain are named in some directories: name of an index, index of a name (or -1)."""

    def __init__(self, of: str, name: Callable[[Snapshot, int], str], index_of: Callable[[Snapshot, str], int]):
        """``of`` is the snapshot's attribute that holds the domain."""
        self.of, self.name, self.index_of = of, name, index_of

    def domain(self, s: Snapshot) -> Domain:
        return getattr(s, self.of)  # type: ignore[no-any-return]

    def named(self, s: Snapshot, members: Sequence[int], row_id: int) -> Iterator[tuple[str, int]]:
        """Name and row id of those of these indexes, which rise, whose row ids are greater than this one."""
        domain, name = self.domain(s), self.name
        ids = domain.ids
        for place in range(bisect_left(members, domain.first_behind(row_id)), len(members)):
            index = members[place]
            yield name(s, index), ids[index]


def _index_of_slug(pick: PickSlugged) -> Callable[[Snapshot, str], int]:
    return lambda s, name: pick(s).by_slug.get(name, -1)


def _index_of_chunk(s: Snapshot, name: str) -> int:
    said = paths.parse_chunk_id(name)
    if said is None or (document := s.documents.by_slug.get(said.document, -1)) < 0:
        return -1
    chunk = s.chunk_at(document, int(said.ordinal))
    return chunk if chunk >= 0 and s.chunk_id(chunk) == name else -1


def index_of_fact(s: Snapshot, name: str) -> int:
    number = paths.fact_number(name[:-5]) if name.endswith(".json") else None
    return -1 if number is None else s.fact_by_hash(number)


ENTITY = RowNames("entities", lambda s, i: s.entities.slugs[i], _index_of_slug(lambda s: s.entities))
DOCUMENT = RowNames("documents", lambda s, i: s.documents.slugs[i], _index_of_slug(lambda s: s.documents))
TOPIC = RowNames("topics", lambda s, i: s.topics.slugs[i], _index_of_slug(lambda s: s.topics))
CHUNK = RowNames("chunks", lambda s, i: s.chunk_id(i), _index_of_chunk)
FACT = RowNames("facts", lambda s, i: f"{s.fact_name(i)}.json", index_of_fact)


class Members(Long):
    """What a relation gives an owner: ``id`` is the owner's row id, ``sub`` the member's."""

    def __init__(self, owner: str, relation: str, row_names: RowNames) -> None:
        """``owner`` and ``relation`` are attributes of the snapshot."""
        self._owner, self._relation, self._row_names = attrgetter(owner), attrgetter(relation), row_names
        self.of: Of = owner, row_names.of

    def list_behind(self, s: Snapshot, node: NodeRef, key: int) -> Iterator[Listed]:
        members = self._relation(s).members(self._owner(s).index(node.id))
        for name, row_id in self._row_names.named(s, members, key):
            yield name, node.id, row_id, row_id

    def find_node(self, s: Snapshot, node: NodeRef, name: str) -> NodeRef | None:
        member = self._row_names.index_of(s, name)
        if member < 0 or not self._relation(s).has(self._owner(s).index(node.id), member):
            return None
        return NodeRef(node.id, self._row_names.domain(s).ids[member])

    def name(self, s: Snapshot, node: NodeRef) -> str:
        return self._row_names.name(s, self._row_names.domain(s).index(node.sub))

    def up(self, s: Snapshot, node: NodeRef) -> Above:
        return None, NodeRef(node.id)


class Everything(Long):
    """All rows of a domain, or those that ``members`` lists: ``id`` is the row's id."""

    def __init__(self, row_names: RowNames, members: Callable[[Snapshot], Sequence[int]] | None = None) -> None:
        self._row_names, self._members = row_names, members
        self.of: Of = row_names.of, None

    def list_behind(self, s: Snapshot, node: NodeRef, key: int) -> Iterator[Listed]:
        members = range(len(self._row_names.domain(s))) if self._members is None else self._members(s)
        for name, row_id in self._row_names.named(s, members, key):
            yield name, row_id, 0, row_id

    def find_node(self, s: Snapshot, node: NodeRef, name: str) -> NodeRef | None:
        index = self._row_names.index_of(s, name)
        return None if index < 0 else NodeRef(self._row_names.domain(s).ids[index])

    def name(self, s: Snapshot, node: NodeRef) -> str:
        return self._row_names.name(s, self._row_names.domain(s).index(node.id))

    def up(self, s: Snapshot, node: NodeRef) -> Above:
        return None, NodeRef()


class RootTopics(Everything):
    """Topics at the top; one nested elsewhere is found in its own place only."""

    def __init__(self) -> None:
        super().__init__(TOPIC, lambda s: s.topic_roots)

    def find_node(self, s: Snapshot, node: NodeRef, name: str) -> NodeRef | None:
        index = s.topics.by_slug.get(name, -1)
        return NodeRef(s.topics.ids[index]) if index >= 0 and s.topic_parent[index] < 0 else None

    def up(self, s: Snapshot, node: NodeRef) -> Above:
        parent = s.topic_parent[s.topics.index(node.id)]
        return (None, NodeRef()) if parent < 0 else (SUBTOPICS_PATTERN, NodeRef(s.topics.ids[parent]))


SUBTOPICS_PATTERN = "topics/<topic>/subtopics/"


class Subtopics(RootTopics):
    """Topics beneath a topic."""

    def list_behind(self, s: Snapshot, node: NodeRef, key: int) -> Iterator[Listed]:
        for name, row_id in TOPIC.named(s, s.topic_children[s.topics.index(node.id)], key):
            yield name, row_id, 0, row_id

    def find_node(self, s: Snapshot, node: NodeRef, name: str) -> NodeRef | None:
        index = s.topics.by_slug.get(name, -1)
        return NodeRef(s.topics.ids[index]) if index >= 0 and s.topic_parent[index] == s.topics.index(node.id) else None


class ChunksOf(Long):
    """Chunks of a document, in order, as ``chunk_0001`` or ``0001``: ``id`` is the chunk's row id."""

    of: ClassVar[Of] = ("chunks", None)

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix

    def list_behind(self, s: Snapshot, node: NodeRef, key: int) -> Iterator[Listed]:
        ids, ordinal = s.chunks.ids, s.chunk_ordinal
        members = s.chunks_of(s.documents.index(node.id))
        for index in members[bisect_right(members, key, key=ordinal.__getitem__) :]:
            yield self.name(s, NodeRef(ids[index])), ids[index], 0, ordinal[index]

    def find_node(self, s: Snapshot, node: NodeRef, name: str) -> NodeRef | None:
        digits = name.removeprefix(self._prefix)
        if not (digits.isascii() and digits.isdigit()) or len(digits) > 9:
            return None
        chunk = s.chunk_at(s.documents.index(node.id), int(digits))
        if chunk < 0 or self.name(s, NodeRef(s.chunks.ids[chunk])) != name:
            return None
        return NodeRef(s.chunks.ids[chunk])

    def name(self, s: Snapshot, node: NodeRef) -> str:
        return self._prefix + s.chunk_name(s.chunks.index(node.id)).removeprefix("chunk_")

    def up(self, s: Snapshot, node: NodeRef) -> Above:
        return None, NodeRef(s.documents.ids[s.chunk_document[s.chunks.index(node.id)]])


class Types:
    """Directories of types: ``id`` is the number of the type."""

    of: ClassVar[Of] = (None, None)

    def __init__(self, groups: Callable[[Snapshot], Mapping[int, object]], what: str) -> None:
        """``groups`` are by the numbers that have a directory; ``what`` is gone where one has none any more."""
        self._groups, self._what = groups, what

    def list(self, s: Snapshot, node: NodeRef) -> Iterator[Listed]:
        return ((s.names.name(number), number, 0, number) for number in sorted(self._groups(s)))

    def find_node(self, s: Snapshot, node: NodeRef, name: str) -> NodeRef | None:
        number = s.names.find_number(name)
        return None if number is None or number not in self._groups(s) else NodeRef(number)

    def name(self, s: Snapshot, node: NodeRef) -> str:
        if node.id not in self._groups(s):
            raise gone(self._what)
        return s.names.name(node.id)

    def up(self, s: Snapshot, node: NodeRef) -> Above:
        return None, NodeRef()


ENTITY_TYPES = Types(lambda s: s.by_type, "type")
FACT_TYPES = Types(lambda s: s.by_fact_type, "kind of fact")
CONFLICT_TYPES = Types(lambda s: s.conflicts, "conflict")
"""Types of facts that contradict each other."""


class FactsOfType(Long):
    """Facts of a type: ``id`` is the fact's row id."""

    of: ClassVar[Of] = ("facts", None)

    def list_behind(self, s: Snapshot, node: NodeRef, key: int) -> Iterator[Listed]:
        for name, row_id in FACT.named(s, flat(s.by_fact_type[node.id]), key):
            yield name, row_id, 0, row_id

    def find_node(self, s: Snapshot, node: NodeRef, name: str) -> NodeRef | None:
        fact = index_of_fact(s, name)
        return NodeRef(s.facts.ids[fact]) if fact >= 0 and s.fact_type[fact] == node.id else None

    def name(self, s: Snapshot, node: NodeRef) -> str:
        return FACT.name(s, s.facts.index(node.id))

    def up(self, s: Snapshot, node: NodeRef) -> Above:
        return None, NodeRef(s.fact_type[s.facts.index(node.id)])


class Conflicts:
    """Entities of which facts of a type contradict each other: ``id`` is the entity's row id, ``sub`` the type."""

    of: ClassVar[Of] = (None, None)

    def list(self, s: Snapshot, node: NodeRef) -> Iterator[Listed]:
        for entity in sorted(s.conflicts.get(node.id, {})):
            yield f"{s.entities.slugs[s.entities.index(entity)]}.jsonl", entity, node.id, entity

    def find_node(self, s: Snapshot, node: NodeRef, name: str) -> NodeRef | None:
        index = s.entities.by_slug.get(name.removesuffix(".jsonl"), -1) if name.endswith(".jsonl") else -1
        if index < 0 or s.entities.ids[index] not in s.conflicts.get(node.id, {}):
            return None
        return NodeRef(s.entities.ids[index], node.id)

    def name(self, s: Snapshot, node: NodeRef) -> str:
        conflicting(s, node)
        return f"{s.entities.slugs[s.entities.index(node.id)]}.jsonl"

    def up(self, s: Snapshot, node: NodeRef) -> Above:
        return None, NodeRef(node.sub)


def conflicting(s: Snapshot, node: NodeRef) -> Sequence[int]:
    """The facts of entity ``id`` and type ``sub`` that contradict each other; ``NotFoundError`` where none do."""
    facts = s.conflicts.get(node.sub, {}).get(node.id)
    if facts is None:
        raise gone("conflict")
    return facts
