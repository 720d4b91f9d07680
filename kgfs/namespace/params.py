"""The variable segments of the tree: each lists names under a parent and finds one.

Used by the table in ``tree``. Everything here runs on the event loop and reads the snapshot only. ``a`` of a node is
the row id of what it stands for or belongs to, so that the rest of its path follows from the snapshot (see each class).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import Any, ClassVar

from kgfs import names
from kgfs.errors import NotFoundError
from kgfs.namespace.context_tree import SELF, Directory
from kgfs.namespace.relations import FactGroups
from kgfs.namespace.route import Listed, Place
from kgfs.namespace.snapshot import Domain, Slugged, Snapshot, alias_mark

Up = tuple[str | None, int, int]
Of = tuple[str | None, str | None]
PickSlugged = Callable[[Snapshot], Slugged]


def gone(what: str) -> NotFoundError:
    return NotFoundError(f"This {what} is no longer in the graph.")


class Naming:
    """How the rows of a domain are named in some directories: name of an index, index of a name (or -1)."""

    def __init__(self, of: str, name: Callable[[Snapshot, int], str], find: Callable[[Snapshot, str], int]):
        """``of`` is the snapshot's attribute that holds the domain."""
        self.of, self.name, self.find = of, name, find

    def domain(self, s: Snapshot) -> Domain:
        return getattr(s, self.of)  # type: ignore[no-any-return]


def _find_slug(pick: PickSlugged) -> Callable[[Snapshot, str], int]:
    return lambda s, name: pick(s).by_slug.get(name, -1)


def _find_chunk(s: Snapshot, name: str) -> int:
    slug, _, digits = name.rpartition("_chunk_")
    document = s.documents.by_slug.get(slug, -1)
    if document < 0 or not (digits.isascii() and digits.isdigit()) or len(digits) > 9:
        return -1
    chunk = s.chunk_at(document, int(digits))
    return chunk if chunk >= 0 and s.chunk_id(chunk) == name else -1


def _find_fact(s: Snapshot, name: str) -> int:
    digits = name[2:-5]
    if len(name) != 23 or not name.startswith("f_") or not name.endswith(".json") or digits.strip("0123456789abcdef"):
        return -1
    return s.fact_by_hash(int(digits, 16))


ENTITY = Naming("entities", lambda s, i: s.entities.slugs[i], _find_slug(lambda s: s.entities))
DOCUMENT = Naming("documents", lambda s, i: s.documents.slugs[i], _find_slug(lambda s: s.documents))
TOPIC = Naming("topics", lambda s, i: s.topics.slugs[i], _find_slug(lambda s: s.topics))
CHUNK = Naming("chunks", lambda s, i: s.chunk_id(i), _find_chunk)
FACT = Naming("facts", lambda s, i: f"f_{s.fact_hash[i]:016x}.json", _find_fact)


class Members:
    """What a relation gives an owner: ``a`` is the owner's row id, ``b`` the member's."""

    def __init__(self, owner: str, relation: str, naming: Naming) -> None:
        """``owner`` and ``relation`` are attributes of the snapshot."""
        self._owner, self._relation, self._naming = attrgetter(owner), attrgetter(relation), naming
        self.of: Of = owner, naming.of

    def list(self, s: Snapshot, a: int, b: int) -> Iterator[Listed]:
        ids, name = self._naming.domain(s).ids, self._naming.name
        for index in self._relation(s).members(self._owner(s).index(a)):
            yield name(s, index), a, ids[index], ids[index]

    def find(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
        member = self._naming.find(s, name)
        if member < 0 or not self._relation(s).has(self._owner(s).index(a), member):
            return None
        return a, self._naming.domain(s).ids[member]

    def name(self, s: Snapshot, a: int, b: int) -> str:
        return self._naming.name(s, self._naming.domain(s).index(b))

    def up(self, s: Snapshot, a: int, b: int) -> Up:
        return None, a, 0


class Everything:
    """All rows of a domain, or those that ``members`` lists: ``a`` is the row's id."""

    def __init__(self, naming: Naming, members: Callable[[Snapshot], Iterable[int]] | None = None) -> None:
        self._naming, self._members = naming, members
        self.of: Of = naming.of, None

    def list(self, s: Snapshot, a: int, b: int) -> Iterator[Listed]:
        domain, name = self._naming.domain(s), self._naming.name
        for index in range(len(domain)) if self._members is None else self._members(s):
            row_id = domain.ids[index]
            yield name(s, index), row_id, 0, row_id

    def find(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
        index = self._naming.find(s, name)
        return None if index < 0 else (self._naming.domain(s).ids[index], 0)

    def name(self, s: Snapshot, a: int, b: int) -> str:
        return self._naming.name(s, self._naming.domain(s).index(a))

    def up(self, s: Snapshot, a: int, b: int) -> Up:
        return None, 0, 0


class EntityTypes:
    """Directories of entity types: ``a`` is the number of the directory's name."""

    of: ClassVar[Of] = (None, None)

    def list(self, s: Snapshot, a: int, b: int) -> Iterator[Listed]:
        return ((s.names.name(number), number, 0, number) for number in s.type_directories)

    def find(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
        number = s.names.find(name)
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

    def find(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
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

    def find(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
        domain = self._domain(s)
        index = domain.former.get(self._directory(s, a), {}).get(name)
        return None if index is None else (domain.ids[index], alias_mark(name))

    def _where(self, s: Snapshot, a: int, b: int) -> tuple[str, str]:
        domain = self._domain(s)
        index = domain.index(a)
        for directory, former in domain.former.items():
            for name, target in former.items():
                if target == index and alias_mark(name) == b:
                    return directory, name
        raise gone("name")

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

    def find(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
        index = s.entities.by_slug.get(name, -1)
        if index >= 0:
            return s.entities.ids[index], 0
        index = s.aliases.get(name, -1)
        return (s.entities.ids[index], alias_mark(name)) if index >= 0 else None

    def name(self, s: Snapshot, a: int, b: int) -> str:
        index = s.entities.index(a)
        if not b:
            return s.entities.slugs[index]
        for name in s.alias_names.get(index, ()):
            if alias_mark(name) == b:
                return name
        raise gone("alias")

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
    number = side.groups(s).find(s.entities.index(a), b)
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

    def find(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
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

    def find(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
        fact = _find_fact(s, name)
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

    def find(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
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

    def find(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
        number = s.names.find(name.removesuffix(".tsv")) if name.endswith(".tsv") else None
        known = s.indicators.get(s.entities.index(a), {})
        return (a, number) if number is not None and number in known else None

    def name(self, s: Snapshot, a: int, b: int) -> str:
        return f"{s.names.name(b)}.tsv"

    def up(self, s: Snapshot, a: int, b: int) -> Up:
        return None, a, 0


# --- topics, chunks, documents, facts by type -----------------------------------------------------------------------


class RootTopics(Everything):
    """Topics at the top; one nested elsewhere is found in its own place only."""

    def __init__(self) -> None:
        super().__init__(TOPIC, lambda s: s.topic_roots)

    def find(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
        index = s.topics.by_slug.get(name, -1)
        return (s.topics.ids[index], 0) if index >= 0 and s.topic_parent[index] < 0 else None

    def up(self, s: Snapshot, a: int, b: int) -> Up:
        parent = s.topic_parent[s.topics.index(a)]
        return (None, 0, 0) if parent < 0 else (SUBTOPICS_PATTERN, s.topics.ids[parent], 0)


SUBTOPICS_PATTERN = "topics/<topic>/subtopics/"


class Subtopics(RootTopics):
    """Topics beneath a topic."""

    def list(self, s: Snapshot, a: int, b: int) -> Iterator[Listed]:
        for index in s.topic_children[s.topics.index(a)]:
            row_id = s.topics.ids[index]
            yield s.topics.slugs[index], row_id, 0, row_id

    def find(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
        index = s.topics.by_slug.get(name, -1)
        return (s.topics.ids[index], 0) if index >= 0 and s.topic_parent[index] == s.topics.index(a) else None


class ChunksOf:
    """Chunks of a document, in order, as ``chunk_0001`` or ``0001``: ``a`` is the chunk's row id."""

    of: ClassVar[Of] = ("chunks", None)

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix

    def list(self, s: Snapshot, a: int, b: int) -> Iterator[Listed]:
        ids = s.chunks.ids
        for index in s.chunks_of(s.documents.index(a)):
            yield self.name(s, ids[index], 0), ids[index], 0, s.chunk_ordinal[index]

    def find(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
        digits = name.removeprefix(self._prefix)
        if not (digits.isascii() and digits.isdigit()) or len(digits) > 9:
            return None
        chunk = s.chunk_at(s.documents.index(a), int(digits))
        if chunk < 0 or self.name(s, s.chunks.ids[chunk], 0) != name:
            return None
        return s.chunks.ids[chunk], 0

    def name(self, s: Snapshot, a: int, b: int) -> str:
        return self._prefix + s.chunk_name(s.chunks.index(a)).removeprefix("chunk_")

    def up(self, s: Snapshot, a: int, b: int) -> Up:
        return None, s.documents.ids[s.chunk_document[s.chunks.index(a)]], 0


class FactTypes:
    """Fact types of the graph: ``a`` is the number of the type."""

    of: ClassVar[Of] = (None, None)

    def list(self, s: Snapshot, a: int, b: int) -> Iterator[Listed]:
        return ((s.names.name(kind), kind, 0, kind) for kind in s.fact_types)

    def find(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
        number = s.names.find(name)
        return None if number is None or number not in s.by_fact_type else (number, 0)

    def name(self, s: Snapshot, a: int, b: int) -> str:
        if a not in s.by_fact_type:
            raise gone("kind of fact")
        return s.names.name(a)

    def up(self, s: Snapshot, a: int, b: int) -> Up:
        return None, 0, 0


class FactsOfType:
    """Facts of a type: ``a`` is the fact's row id."""

    of: ClassVar[Of] = ("facts", None)

    def list(self, s: Snapshot, a: int, b: int) -> Iterator[Listed]:
        ids = s.facts.ids
        for fact in s.by_fact_type[a].tolist():
            yield FACT.name(s, fact), ids[fact], 0, ids[fact]

    def find(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
        fact = _find_fact(s, name)
        return (s.facts.ids[fact], 0) if fact >= 0 and s.fact_type[fact] == a else None

    def name(self, s: Snapshot, a: int, b: int) -> str:
        return FACT.name(s, s.facts.index(a))

    def up(self, s: Snapshot, a: int, b: int) -> Up:
        return None, s.fact_type[s.facts.index(a)], 0


# --- dates ----------------------------------------------------------------------------------------------------------


class Dated:
    """Rows of a domain by month."""

    def __init__(
        self, months: Callable[[Snapshot], dict[int, Any]], of: Callable[[Snapshot], memoryview], name: Naming
    ):
        self.months, self.month_of, self.naming = months, of, name


class Years:
    """Years in which something is dated: ``a`` is the year."""

    of: ClassVar[Of] = (None, None)

    def __init__(self, dated: Dated) -> None:
        self._dated = dated

    def list(self, s: Snapshot, a: int, b: int) -> Iterator[Listed]:
        years = sorted({month // 12 for month in self._dated.months(s) if month >= 0})
        return ((f"{year:04d}", year, 0, year) for year in years)

    def find(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
        return next(((year, 0) for shown, year, _, _ in self.list(s, a, b) if shown == name), None)

    def name(self, s: Snapshot, a: int, b: int) -> str:
        return f"{a:04d}"

    def up(self, s: Snapshot, a: int, b: int) -> Up:
        return None, 0, 0


class Months:
    """Months of a year: ``a`` is year * 12 + month - 1."""

    of: ClassVar[Of] = (None, None)

    def __init__(self, dated: Dated) -> None:
        self._dated = dated

    def list(self, s: Snapshot, a: int, b: int) -> Iterator[Listed]:
        found = (month for month in range(a * 12, a * 12 + 12) if month in self._dated.months(s))
        return ((f"{month % 12 + 1:02d}", month, 0, month) for month in found)

    def find(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
        return next(((month, 0) for shown, month, _, _ in self.list(s, a, b) if shown == name), None)

    def name(self, s: Snapshot, a: int, b: int) -> str:
        return f"{a % 12 + 1:02d}"

    def up(self, s: Snapshot, a: int, b: int) -> Up:
        return None, a // 12, 0


class OfMonth:
    """Rows of a month, or the undated ones: ``a`` is the row's id."""

    def __init__(self, dated: Dated, undated: bool = False) -> None:
        self._dated, self._undated = dated, undated
        self.of: Of = dated.naming.of, None

    def list(self, s: Snapshot, a: int, b: int) -> Iterator[Listed]:
        ids, name = self._dated.naming.domain(s).ids, self._dated.naming.name
        members = self._dated.months(s).get(-1 if self._undated else a)
        for index in members.tolist() if members is not None else ():
            yield name(s, index), ids[index], 0, ids[index]

    def find(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
        index = self._dated.naming.find(s, name)
        if index < 0 or self._dated.month_of(s)[index] != (-1 if self._undated else a):
            return None
        return self._dated.naming.domain(s).ids[index], 0

    def name(self, s: Snapshot, a: int, b: int) -> str:
        return self._dated.naming.name(s, self._dated.naming.domain(s).index(a))

    def up(self, s: Snapshot, a: int, b: int) -> Up:
        return None, 0 if self._undated else self._dated.month_of(s)[self._dated.naming.domain(s).index(a)], 0


# --- context, sources -----------------------------------------------------------------------------------------------


class Drives:
    """Drives: ``a`` and ``b`` are the halves of the directory's key."""

    of: ClassVar[Of] = (None, None)

    def list(self, s: Snapshot, a: int, b: int) -> list[Listed]:
        return _directories(s.context.drives.values())

    def find(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
        found = s.context.drives.get(name)
        return None if found is None else (found.a, found.b)

    def name(self, s: Snapshot, a: int, b: int) -> str:
        return directory_at(s, a, b).name

    def up(self, s: Snapshot, a: int, b: int) -> Up:
        return None, 0, 0


CONTEXT_DIRECTORY = "context/<drive>/<path>/"


class ContextDirectories:
    """Directories of a drive: ``a`` and ``b`` are the halves of the key."""

    of: ClassVar[Of] = (None, None)

    def list(self, s: Snapshot, a: int, b: int) -> list[Listed]:
        return _directories(directory_at(s, a, b).directories.values())

    def find(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
        found = directory_at(s, a, b).directories.get(name)
        return None if found is None else (found.a, found.b)

    def name(self, s: Snapshot, a: int, b: int) -> str:
        return directory_at(s, a, b).name

    def up(self, s: Snapshot, a: int, b: int) -> Up:
        return _above(directory_at(s, a, b).parent)


class ContextFiles:
    """Files of a directory on a drive: ``a`` is the item's row id."""

    of: ClassVar[Of] = ("items", None)

    def list(self, s: Snapshot, a: int, b: int) -> list[Listed]:
        files = directory_at(s, a, b).files
        return sorted(((name, item, 0, item) for name, item in files.items()), key=lambda listed: listed[3])

    def find(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
        item = directory_at(s, a, b).files.get(name)
        return None if item is None else (item, 0)

    def name(self, s: Snapshot, a: int, b: int) -> str:
        return _place_of(s, a)[1]

    def up(self, s: Snapshot, a: int, b: int) -> Up:
        return _above(_place_of(s, a)[0])


def _place_of(s: Snapshot, item: int) -> tuple[Directory, str]:
    found = s.context.place.get(item)
    if found is None:
        raise gone("file")
    return found


def _above(directory: Directory | None) -> Up:
    assert directory is not None, "a drive is no directory of a drive"
    return ("context/<drive>/" if directory.parent is None else CONTEXT_DIRECTORY), directory.a, directory.b


def directory_at(s: Snapshot, a: int, b: int) -> Directory:
    found = s.context.by_key.get(a << 27 | b)
    if found is None:
        raise gone("directory")
    return found


def _directories(directories: Iterable[Directory]) -> list[Listed]:
    return sorted(((d.name, d.a, d.b, d.key) for d in directories), key=lambda listed: listed[3])


class Sources:
    """What was added: ``a`` is the source's row id."""

    of: ClassVar[Of] = (None, None)

    def list(self, s: Snapshot, a: int, b: int) -> list[Listed]:
        rows = ((name, row_id, 0, row_id) for name, (row_id, _, _) in s.sources.items())
        return sorted(rows, key=lambda listed: listed[3])

    def find(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
        found = s.sources.get(name)
        return None if found is None else (found[0], 0)

    def name(self, s: Snapshot, a: int, b: int) -> str:
        if a not in s.source_names:
            raise gone("source")
        return s.source_names[a]

    def up(self, s: Snapshot, a: int, b: int) -> Up:
        return None, 0, 0


class Original:
    """``original.<ext>`` of a document: ``a`` is the document's row id."""

    of: ClassVar[Of] = ("documents", None)

    def list(self, s: Snapshot, a: int, b: int) -> Iterator[Listed]:
        if s.document_item[s.documents.index(a)] >= 0:
            yield self.name(s, a, b), a, 0, 0

    def find(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
        return (a, 0) if any(shown == name for shown, _, _, _ in self.list(s, a, b)) else None

    def name(self, s: Snapshot, a: int, b: int) -> str:
        stored = _place_of(s, a)[1]
        if stored == SELF:
            stored = _place_of(s, a)[0].name
        stem, dot, extension = stored.rpartition(".")
        usual = dot and stem and len(extension) <= 16 and extension.isalnum()
        return f"original.{extension}" if usual else "original"

    def up(self, s: Snapshot, a: int, b: int) -> Up:
        return None, a, 0
