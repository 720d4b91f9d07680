"""Variable segments of entities: their types, names and former names, and the facts that they state or receive."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import ClassVar

from kgfs import names, relation_types
from kgfs.namespace.domains import alias_mark, gone
from kgfs.namespace.fact_groups import FactGroups
from kgfs.namespace.node import ID_BITS, NodeRef
from kgfs.namespace.relations import flat
from kgfs.namespace.route import Above, Listed, Long
from kgfs.namespace.segments.rows import (
    ENTITY,
    FACT,
    Of,
    PickSlugged,
    index_of_fact,
)
from kgfs.namespace.snapshot import Snapshot


class Entities(Long):
    """Entities of a type: ``id`` is the entity's row id."""

    of: ClassVar[Of] = ("entities", None)

    def list_behind(self, s: Snapshot, node: NodeRef, key: int) -> Iterator[Listed]:
        for name, row_id in ENTITY.named(s, flat(s.by_type[node.id]), key):
            yield name, row_id, 0, row_id

    def find_node(self, s: Snapshot, node: NodeRef, name: str) -> NodeRef | None:
        index = s.entities.by_slug.get(name, -1)
        return NodeRef(s.entities.ids[index]) if index >= 0 and s.entity_directory[index] == node.id else None

    def name(self, s: Snapshot, node: NodeRef) -> str:
        return s.entities.slugs[s.entities.index(node.id)]

    def up(self, s: Snapshot, node: NodeRef) -> Above:
        return None, NodeRef(s.entity_directory[s.entities.index(node.id)])


class Former:
    """Names that something had before: ``id`` is the row id of what stands for it now, ``sub`` marks the name."""

    of: ClassVar[Of] = (None, None)

    def __init__(self, domain: PickSlugged, above: str | None = None) -> None:
        self._domain, self._above = domain, above

    def _directory(self, s: Snapshot, node: NodeRef) -> str:
        return "" if self._above is not None else s.names.name(node.id)

    def list(self, s: Snapshot, node: NodeRef) -> list[Listed]:
        domain = self._domain(s)
        former = domain.former.get(self._directory(s, node), {})
        rows = ((name, domain.ids[index], alias_mark(name)) for name, index in former.items())
        return sorted(((n, t, mark, t << 27 | mark) for n, t, mark in rows), key=lambda row: row[3])

    def find_node(self, s: Snapshot, node: NodeRef, name: str) -> NodeRef | None:
        domain = self._domain(s)
        index = domain.former.get(self._directory(s, node), {}).get(name)
        return None if index is None else NodeRef(domain.ids[index], alias_mark(name))

    def _where(self, s: Snapshot, node: NodeRef) -> tuple[str, str]:
        domain = self._domain(s)
        found = domain.former_places.get((domain.index(node.id), node.sub))
        if found is None:
            raise gone("name")
        return found

    def name(self, s: Snapshot, node: NodeRef) -> str:
        return self._where(s, node)[1]

    def up(self, s: Snapshot, node: NodeRef) -> Above:
        if self._above is not None:
            return None, NodeRef()
        return None, NodeRef(s.names.number(self._where(s, node)[0]))


class EntityNames(Long):
    """Slugs and aliases of all entities: ``id`` is the entity's row id, ``sub`` marks an alias."""

    of: ClassVar[Of] = ("entities", None)

    def list_behind(self, s: Snapshot, node: NodeRef, key: int) -> Iterator[Listed]:
        ids, slugs = s.entities.ids, s.entities.slugs
        aliases = s.alias_names
        for index in range(s.entities.first_behind((key >> ID_BITS) - 1), len(slugs)):
            row_id = ids[index]
            if row_id << ID_BITS > key:
                yield slugs[index], row_id, 0, row_id << ID_BITS
            if index in aliases:
                marked = sorted((alias_mark(name), name) for name in aliases[index])
                for mark, name in marked:
                    if row_id << ID_BITS | mark > key:
                        yield name, row_id, mark, row_id << ID_BITS | mark

    def find_node(self, s: Snapshot, node: NodeRef, name: str) -> NodeRef | None:
        index = s.entities.by_slug.get(name, -1)
        if index >= 0:
            return NodeRef(s.entities.ids[index])
        index = s.aliases.get(name, -1)
        return NodeRef(s.entities.ids[index], alias_mark(name)) if index >= 0 else None

    def name(self, s: Snapshot, node: NodeRef) -> str:
        index = s.entities.index(node.id)
        if not node.sub:
            return s.entities.slugs[index]
        found = s.alias(index, node.sub)
        if found is None:
            raise gone("alias")
        return found

    def up(self, s: Snapshot, node: NodeRef) -> Above:
        return None, NodeRef()


# --- facts of an entity ---------------------------------------------------------------------------------------------


class Side:
    """Facts of an entity: those that it states (subject) or receives (object)."""

    def __init__(self, groups: Callable[[Snapshot], FactGroups], subject: bool) -> None:
        self.groups, self.subject = groups, subject

    def owner(self, s: Snapshot, fact: int) -> int:
        """The entity on this side of a fact, as an index."""
        return s.fact_subject[fact] if self.subject else s.fact_object[fact]

    def other(self, s: Snapshot, fact: int) -> int:
        return s.fact_object[fact] if self.subject else s.fact_subject[fact]


STATED = Side(lambda s: s.stated, True)
RECEIVED = Side(lambda s: s.received, False)


def group_of(s: Snapshot, side: Side, node: NodeRef) -> int:
    """The group of entity ``id`` and fact type ``sub``; ``NotFoundError`` where there is none."""
    number = side.groups(s).find_group(s.entities.index(node.id), node.sub)
    if number is None:
        raise gone("kind of fact")
    return number


class TypesOf:
    """Types of an entity's facts: ``id`` is the entity's row id, ``sub`` the number of the type."""

    of: ClassVar[Of] = ("entities", None)

    def __init__(self, side: Side, edges: bool = False) -> None:
        self._side, self._edges = side, edges

    def _shown(self, kind: str) -> str:
        return relation_types.inverse(kind) if self._edges and not self._side.subject else kind

    def list(self, s: Snapshot, node: NodeRef) -> Iterator[Listed]:
        groups = self._side.groups(s)
        for number in groups.types(s.entities.index(node.id)):
            if not self._edges or groups.has_edges(number):
                kind = groups.group(number).type
                yield self._shown(s.names.name(kind)), node.id, kind, kind

    def find_node(self, s: Snapshot, node: NodeRef, name: str) -> NodeRef | None:
        for shown, _, kind, _ in self.list(s, node):
            if shown == name:
                return NodeRef(node.id, kind)
        return None

    def name(self, s: Snapshot, node: NodeRef) -> str:
        group_of(s, self._side, node)
        return self._shown(s.names.name(node.sub))

    def up(self, s: Snapshot, node: NodeRef) -> Above:
        return None, NodeRef(node.id)


class FactsOf(Long):
    """Facts of an entity and a type: ``id`` is the fact's row id."""

    of: ClassVar[Of] = ("facts", None)

    def __init__(self, side: Side) -> None:
        self._side = side

    def list_behind(self, s: Snapshot, node: NodeRef, key: int) -> Iterator[Listed]:
        facts = sorted(self._side.groups(s).facts(group_of(s, self._side, node)))
        for name, row_id in FACT.named(s, facts, key):
            yield name, row_id, 0, row_id

    def find_node(self, s: Snapshot, node: NodeRef, name: str) -> NodeRef | None:
        fact = index_of_fact(s, name)
        if fact < 0 or s.fact_type[fact] != node.sub or self._side.owner(s, fact) != s.entities.index(node.id):
            return None
        return NodeRef(s.facts.ids[fact])

    def name(self, s: Snapshot, node: NodeRef) -> str:
        return FACT.name(s, s.facts.index(node.id))

    def up(self, s: Snapshot, node: NodeRef) -> Above:
        fact = s.facts.index(node.id)
        owner = self._side.owner(s, fact)
        if owner < 0:
            raise gone("fact")
        return None, NodeRef(s.entities.ids[owner], s.fact_type[fact])


class Others(Long):
    """The entities that facts of a type lead to: ``id`` is the row id of the first fact that does."""

    of: ClassVar[Of] = ("facts", None)

    def __init__(self, side: Side) -> None:
        self._side = side

    def list_behind(self, s: Snapshot, node: NodeRef, key: int) -> Iterator[Listed]:
        pairs = sorted(self._side.groups(s).pairs(group_of(s, self._side, node)))
        ids, slugs = s.facts.ids, s.entities.slugs
        for fact, other in pairs[bisect_left(pairs, (s.facts.first_behind(key), -1)) :]:
            yield slugs[other], ids[fact], 0, ids[fact]

    def find_node(self, s: Snapshot, node: NodeRef, name: str) -> NodeRef | None:
        other = s.entities.by_slug.get(name, -1)
        fact = self._side.groups(s).pair(group_of(s, self._side, node), other) if other >= 0 else None
        return None if fact is None else NodeRef(s.facts.ids[fact])

    def name(self, s: Snapshot, node: NodeRef) -> str:
        other = self._side.other(s, s.facts.index(node.id))
        if other < 0:
            raise gone("relationship")
        return s.entities.slugs[other]

    def up(self, s: Snapshot, node: NodeRef) -> Above:
        fact = s.facts.index(node.id)
        owner = self._side.owner(s, fact)
        if owner < 0:
            raise gone("relationship")
        return None, NodeRef(s.entities.ids[owner], s.fact_type[fact])


class Roles(TypesOf):
    """Roles of a person: those of its relationships whose type is a role."""

    def __init__(self) -> None:
        super().__init__(STATED, edges=True)

    def list(self, s: Snapshot, node: NodeRef) -> Iterator[Listed]:
        for name, _, kind, key in super().list(s, node):
            role = names.role_directory(name)
            if role is not None:
                yield role, node.id, kind, key

    def name(self, s: Snapshot, node: NodeRef) -> str:
        return names.role_directory(super().name(s, node)) or ""


class Indicators:
    """Dated figures of a place: ``id`` is the entity's row id, ``sub`` the number of the indicator."""

    of: ClassVar[Of] = ("entities", None)

    def __init__(self, suffix: str = ".tsv") -> None:
        self._suffix = suffix

    def list(self, s: Snapshot, node: NodeRef) -> list[Listed]:
        known = s.indicators.get(s.entities.index(node.id), {})
        return [(f"{s.names.name(number)}{self._suffix}", node.id, number, number) for number in sorted(known)]

    def find_node(self, s: Snapshot, node: NodeRef, name: str) -> NodeRef | None:
        stem = name.removesuffix(self._suffix)
        number = s.names.find_number(stem) if stem != name else None
        known = s.indicators.get(s.entities.index(node.id), {})
        return NodeRef(node.id, number) if number is not None and number in known else None

    def name(self, s: Snapshot, node: NodeRef) -> str:
        return f"{s.names.name(node.sub)}{self._suffix}"

    def up(self, s: Snapshot, node: NodeRef) -> Above:
        return None, NodeRef(node.id)
