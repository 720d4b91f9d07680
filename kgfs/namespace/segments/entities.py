"""Variable segments of entities: their types, names and former names, and the facts that they state or receive."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar

from kgfs import names
from kgfs.namespace.domains import alias_mark, gone
from kgfs.namespace.relations import FactGroups
from kgfs.namespace.route import Listed, Place
from kgfs.namespace.segments.rows import (
    FACT,
    Of,
    PickSlugged,
    Up,
    index_of_fact,
)
from kgfs.namespace.snapshot import Snapshot


class EntityTypes:
    """Directories of entity types: ``a`` is the number of the directory's name."""

    of: ClassVar[Of] = (None, None)

    def list(self, s: Snapshot, a: int, b: int) -> Iterator[Listed]:
        return ((s.names.name(number), number, 0, number) for number in s.type_directories)

    def find_node(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
        number = s.names.find_number(name)
        return None if number is None or number not in s.by_type else (number, 0)

    def name(self, s: Snapshot, a: int, b: int) -> str:
        if a not in s.by_type:
            raise gone("type")
        return s.names.name(a)

    def up(self, s: Snapshot, a: int, b: int) -> Up:
        return None, 0, 0


class Entities:
    """Entities of a type: ``a`` is the entity's row id."""

    of: ClassVar[Of] = ("entities", None)

    def list(self, s: Snapshot, a: int, b: int) -> Iterator[Listed]:
        ids, slugs = s.entities.ids, s.entities.slugs
        for index in s.by_type[a].tolist():
            row_id = ids[index]
            yield slugs[index], row_id, 0, row_id

    def find_node(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
        index = s.entities.by_slug.get(name, -1)
        return (s.entities.ids[index], 0) if index >= 0 and s.entity_directory[index] == a else None

    def name(self, s: Snapshot, a: int, b: int) -> str:
        return s.entities.slugs[s.entities.index(a)]

    def up(self, s: Snapshot, a: int, b: int) -> Up:
        return None, s.entity_directory[s.entities.index(a)], 0


class Former:
    """Names that something had before: ``a`` is the row id of what stands for it now, ``b`` marks the name."""

    of: ClassVar[Of] = (None, None)

    def __init__(self, domain: PickSlugged, above: str | None = None) -> None:
        self._domain, self._above = domain, above

    def _directory(self, s: Snapshot, a: int) -> str:
        return "" if self._above is not None else s.names.name(a)

    def list(self, s: Snapshot, a: int, b: int) -> list[Listed]:
        domain = self._domain(s)
        former = domain.former.get(self._directory(s, a), {})
        rows = ((name, domain.ids[index], alias_mark(name)) for name, index in former.items())
        return sorted(((n, t, mark, t << 27 | mark) for n, t, mark in rows), key=lambda row: row[3])

    def find_node(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
        domain = self._domain(s)
        index = domain.former.get(self._directory(s, a), {}).get(name)
        return None if index is None else (domain.ids[index], alias_mark(name))

    def _where(self, s: Snapshot, a: int, b: int) -> tuple[str, str]:
        domain = self._domain(s)
        found = domain.former_places.get((domain.index(a), b))
        if found is None:
            raise gone("name")
        return found

    def name(self, s: Snapshot, a: int, b: int) -> str:
        return self._where(s, a, b)[1]

    def up(self, s: Snapshot, a: int, b: int) -> Up:
        if self._above is not None:
            return None, 0, 0
        return None, s.names.number(self._where(s, a, b)[0]), 0


class EntityNames:
    """Slugs and aliases of all entities: ``a`` is the entity's row id, ``b`` marks an alias."""

    of: ClassVar[Of] = ("entities", None)

    def list(self, s: Snapshot, a: int, b: int) -> Iterator[Listed]:
        ids, slugs = s.entities.ids, s.entities.slugs
        aliases = s.alias_names
        for index in range(len(slugs)):
            row_id = ids[index]
            yield slugs[index], row_id, 0, row_id << 27
            if index in aliases:
                marked = sorted((alias_mark(name), name) for name in aliases[index])
                for mark, name in marked:
                    yield name, row_id, mark, row_id << 27 | mark

    def find_node(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
        index = s.entities.by_slug.get(name, -1)
        if index >= 0:
            return s.entities.ids[index], 0
        index = s.aliases.get(name, -1)
        return (s.entities.ids[index], alias_mark(name)) if index >= 0 else None

    def name(self, s: Snapshot, a: int, b: int) -> str:
        index = s.entities.index(a)
        if not b:
            return s.entities.slugs[index]
        found = s.alias(index, b)
        if found is None:
            raise gone("alias")
        return found

    def up(self, s: Snapshot, a: int, b: int) -> Up:
        return None, 0, 0


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


def group_of(s: Snapshot, side: Side, a: int, b: int) -> int:
    """The group of entity ``a`` and fact type ``b``; ``NotFoundError`` where there is none."""
    number = side.groups(s).find_group(s.entities.index(a), b)
    if number is None:
        raise gone("kind of fact")
    return number


class TypesOf:
    """Types of an entity's facts: ``a`` is the entity's row id, ``b`` the number of the type."""

    of: ClassVar[Of] = ("entities", None)

    def __init__(self, side: Side, edges: bool = False) -> None:
        self._side, self._edges = side, edges

    def _shown(self, kind: str) -> str:
        return names.inverse(kind) if self._edges and not self._side.subject else kind

    def list(self, s: Snapshot, a: int, b: int) -> Iterator[Listed]:
        groups = self._side.groups(s)
        for number in groups.types(s.entities.index(a)):
            if not self._edges or groups.has_edges(number):
                kind = groups.group(number).type
                yield self._shown(s.names.name(kind)), a, kind, kind

    def find_node(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
        for shown, _, kind, _ in self.list(s, a, b):
            if shown == name:
                return a, kind
        return None

    def name(self, s: Snapshot, a: int, b: int) -> str:
        group_of(s, self._side, a, b)
        return self._shown(s.names.name(b))

    def up(self, s: Snapshot, a: int, b: int) -> Up:
        return None, a, 0


class FactsOf:
    """Facts of an entity and a type: ``a`` is the fact's row id."""

    of: ClassVar[Of] = ("facts", None)

    def __init__(self, side: Side) -> None:
        self._side = side

    def list(self, s: Snapshot, a: int, b: int) -> list[Listed]:
        groups, ids = self._side.groups(s), s.facts.ids
        found = sorted(groups.facts(group_of(s, self._side, a, b)))
        return [(FACT.name(s, fact), ids[fact], 0, ids[fact]) for fact in found]

    def find_node(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
        fact = index_of_fact(s, name)
        if fact < 0 or s.fact_type[fact] != b or self._side.owner(s, fact) != s.entities.index(a):
            return None
        return s.facts.ids[fact], 0

    def name(self, s: Snapshot, a: int, b: int) -> str:
        return FACT.name(s, s.facts.index(a))

    def up(self, s: Snapshot, a: int, b: int) -> Up:
        fact = s.facts.index(a)
        owner = self._side.owner(s, fact)
        if owner < 0:
            raise gone("fact")
        return None, s.entities.ids[owner], s.fact_type[fact]


class Others:
    """The entities that facts of a type lead to: ``a`` is the row id of the first fact that does."""

    of: ClassVar[Of] = ("facts", None)

    def __init__(self, side: Side) -> None:
        self._side = side

    def list(self, s: Snapshot, a: int, b: int) -> list[Listed]:
        pairs = self._side.groups(s).pairs(group_of(s, self._side, a, b))
        ids, slugs = s.facts.ids, s.entities.slugs
        return sorted(((slugs[other], ids[fact], 0, ids[fact]) for fact, other in pairs), key=lambda listed: listed[3])

    def find_node(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
        other = s.entities.by_slug.get(name, -1)
        fact = self._side.groups(s).pair(group_of(s, self._side, a, b), other) if other >= 0 else None
        return None if fact is None else (s.facts.ids[fact], 0)

    def name(self, s: Snapshot, a: int, b: int) -> str:
        other = self._side.other(s, s.facts.index(a))
        if other < 0:
            raise gone("relationship")
        return s.entities.slugs[other]

    def up(self, s: Snapshot, a: int, b: int) -> Up:
        fact = s.facts.index(a)
        owner = self._side.owner(s, fact)
        if owner < 0:
            raise gone("relationship")
        return None, s.entities.ids[owner], s.fact_type[fact]


class Roles(TypesOf):
    """Roles of a person: those of its relationships whose type is a role."""

    def __init__(self) -> None:
        super().__init__(STATED, edges=True)

    def list(self, s: Snapshot, a: int, b: int) -> Iterator[Listed]:
        for name, _, kind, key in super().list(s, a, b):
            role = names.role_directory(name)
            if role is not None:
                yield role, a, kind, key

    def name(self, s: Snapshot, a: int, b: int) -> str:
        return names.role_directory(super().name(s, a, b)) or ""


class Indicators:
    """Dated figures of a place: ``a`` is the entity's row id, ``b`` the number of the indicator."""

    of: ClassVar[Of] = ("entities", None)

    def list(self, s: Snapshot, a: int, b: int) -> list[Listed]:
        known = s.indicators.get(s.entities.index(a), {})
        return [(f"{s.names.name(number)}.tsv", a, number, number) for number in sorted(known)]

    def find_node(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
        number = s.names.find_number(name.removesuffix(".tsv")) if name.endswith(".tsv") else None
        known = s.indicators.get(s.entities.index(a), {})
        return (a, number) if number is not None and number in known else None

    def name(self, s: Snapshot, a: int, b: int) -> str:
        return f"{s.names.name(b)}.tsv"

    def up(self, s: Snapshot, a: int, b: int) -> Up:
        return None, a, 0
