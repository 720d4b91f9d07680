"""``@find``: what satisfies all predicates, among what a directory is about.

Used through ``query_cache``; the engine reads the snapshot only. A predicate is a mask over the rows of each kind that
it makes sense for; rows of other kinds do not satisfy it.
"""

from __future__ import annotations

import fnmatch
import operator
import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgfs import names, relation_types
from kgfs.errors import QueryError
from kgfs.model import STATUSES
from kgfs.namespace.queries.named_rows import entity_named, topic_named
from kgfs.namespace.queries.query_cache import Query, QueryResult, ResultLink, decode
from kgfs.namespace.relations import Ints
from kgfs.namespace.segments.rows import CHUNK, DOCUMENT, ENTITY, FACT, TOPIC, RowNames
from kgfs.namespace.snapshot import Snapshot
from kgfs.namespace.tree_reader import TreeReader
from kgfs.nearest import did_you_mean
from kgfs.search.query import days_of

Mask = NDArray[np.bool_]
Test = Callable[["RowMasks", str], "dict[str, Mask]"]
"""From the value of a predicate to the rows of each kind that satisfy it; kinds that are not named have none."""

USAGE = b"""\
Find by properties, in every directory, among what lies below it or belongs to it. Each component is a predicate; all
must hold. The listing has links to the entities, topics, documents, chunks and facts that satisfy them.

  ls '@find/type=Organization/min_facts=10'
  ls 'chunks/@find/mentions=Boston/topic=labor_markets'
  ls '@find/subject=Alphabet_Inc/relationship=ACQUIRED'

name=*Inc*                 the name in the tree, as a shell pattern (case-sensitive)
type=Organization          an entity's type, a fact's type (ACQUIRED), or a kind: entity, topic, document, chunk, fact
facts>10 facts<3 facts=0   number of facts, also facts>=11 and facts<=2; unquoted: min_facts=11, max_facts=2
date=2019-10               dated in that year, month or day: by its passages, or an entity by a fact
from=2019-07 to=2019-10-15 the same, between these dates, both inclusive; date= from= and to= combine to one span
mentions=Boston            chunks, documents, facts and topics that mention the entity; entities in the same chunks
topic=labor_markets        of this topic or a subtopic
related_to=Alphabet_Inc    entities connected to it by a fact; facts with it as subject or object
relationship=ACQUIRED      facts of this type; entities that are the subject of one (ACQUIRED_BY: the object)
subject=  object=          facts with this entity as subject or object
status=planned             facts that are stated, planned, claimed or conditional; entities that are an end of one
has_subtopics=true         topics with subtopics (false: without)

cat '@find/type=Organization/_paths.txt' has their paths from the root, one per line; it is not listed.
Name entities and topics by slug, name or alias. In a value write / as %2F.
"""

KINDS: dict[str, tuple[str, RowNames, Callable[[Snapshot, int], str]]] = {
    "entity": ("entities", ENTITY, Snapshot.entity_path),
    "topic": ("topics", TOPIC, Snapshot.topic_path),
    "document": ("documents", DOCUMENT, Snapshot.document_path),
    "chunk": ("chunks", CHUNK, Snapshot.chunk_path),
    "fact": ("facts", FACT, Snapshot.fact_path),
}
_COMPARE = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq}
_PREDICATE = re.compile(r"(?P<name>[a-z_]+)(?P<compare><=|>=|<|>|=)(?P<value>.*)", re.DOTALL)


class RowMasks:
    """The rows of a snapshot as masks."""

    def __init__(self, s: Snapshot) -> None:
        self.s = s

    def count(self, kind: str) -> int:
        return len(getattr(self.s, KINDS[kind][0]))

    def mask(self, kind: str, members: Ints | list[int] | memoryview) -> Mask:
        made = np.zeros(self.count(kind), bool)
        made[np.asarray(members, np.int64)] = True
        return made

    def entity(self, value: str) -> int:
        index = entity_named(self.s, value)
        if index is None:
            meant = did_you_mean(value, self.s.entities.slugs, "look for its name with @search/entities.")
            raise QueryError(f"There is no entity {value!r}; {meant}")
        return index

    def through_chunks(self, chunks: Mask, *, facts: bool = True) -> dict[str, Mask]:
        """The chunks, and the documents, entities, topics and facts that they hold."""
        s = self.s
        found = {
            "chunk": chunks,
            "document": self.mask("document", np.unique(s.chunk_document_array[chunks])),
            "entity": self._reached(s.chunk_entities, chunks, "entity"),
            "topic": self._reached(s.chunk_topics, chunks, "topic"),
        }
        if facts:
            found["fact"] = chunks[s.fact_chunk_array]
        return found

    def _reached(self, relation: object, chunks: Mask, kind: str) -> Mask:
        return self.mask(kind, relation.target_array[chunks[relation.owner_array]])  # type: ignore[attr-defined]


# --- predicates -----------------------------------------------------------------------------------------------------


def _name(found: RowMasks, value: str) -> dict[str, Mask]:
    fits = re.compile(fnmatch.translate(value)).match
    masks = {}
    for kind, (_, row_names, _) in KINDS.items():
        count = found.count(kind)
        if kind == "fact" and not fits("f_0123456789abcdef.json") and not re.search(r"[0-9a-f?*\[]", value):
            continue  # no fact is called so: do not spell them all out
        masks[kind] = np.fromiter(
            (fits(row_names.name(found.s, each)) is not None for each in range(count)), bool, count
        )
    return masks


def _type(found: RowMasks, value: str) -> dict[str, Mask]:
    if value.lower() in KINDS:
        return {value.lower(): np.ones(found.count(value.lower()), bool)}
    s = found.s
    directory = s.names.find_number(names.entity_directory(value))
    if directory is None or directory not in s.by_type:
        directory = s.names.find_number(value)
    if directory is None or directory not in s.by_type:
        wanted = value.casefold()
        directory = next((number for number in s.by_type if s.names.name(number).casefold() == wanted), None)
    fact_type = _fact_type(s, value)
    return {
        "entity": found.mask("entity", [] if directory is None else s.by_type.get(directory, [])),
        "fact": found.mask("fact", s.by_fact_type[fact_type] if fact_type is not None else []),
    }


def _fact_type(s: Snapshot, value: str) -> int | None:
    wanted = value.casefold()
    return next((kind for kind in s.fact_types if s.names.name(kind).casefold() == wanted), None)


def _facts(compare: str, shift: int = 0) -> Test:
    def test(found: RowMasks, value: str) -> dict[str, Mask]:
        if not re.fullmatch("[0-9]{1,9}", value):
            raise QueryError(f"{value!r} is no number of facts; write min_facts=10.")
        s, number, fits = found.s, int(value) + shift, _COMPARE[compare]
        of_chunks = s.chunk_facts.counts()
        of_documents = np.zeros(len(s.documents), np.int64)
        np.add.at(of_documents, s.chunk_document_array, of_chunks)
        return {
            "entity": fits(s.stated.counts, number),
            "chunk": fits(of_chunks, number),
            "topic": fits(s.topic_facts.counts(), number),
            "document": fits(of_documents, number),
        }

    return test


class Span(NamedTuple):
    """Days from 1970, both inclusive."""

    first: int
    last: int

    def narrowed(self, option: str, date: str) -> Span:
        """What of it lies within a date (``date=``), not before (``from=``) or not after it (``to=``)."""
        first, last = days_of(date, option)
        return Span(
            self.first if option == "to=" else max(self.first, first),
            self.last if option == "from=" else min(self.last, last),
        )

    def holds(self, days: Ints, months: Ints) -> Mask:
        """Whether each of some rows is dated within."""
        return np.asarray((months >= 0) & (days >= self.first) & (days <= self.last))

    def masks(self, found: RowMasks) -> dict[str, Mask]:
        """The rows of each kind of which something is dated within: a passage; of an entity, a fact too."""
        s = found.s
        masks = found.through_chunks(self.holds(s.chunk_day_array, s.chunk_month_array), facts=False)
        facts = masks["fact"] = self.holds(s.fact_day_array, s.fact_month_array)
        ends = np.concatenate([s.fact_subject_array[facts], s.fact_object_array[facts]])
        masks["entity"] |= found.mask("entity", ends[ends >= 0])
        masks["document"] |= self.holds(s.document_day_array, s.document_month_array)
        return masks


ALL_TIME = Span(-(1 << 62), 1 << 62)


def _mentions(found: RowMasks, value: str) -> dict[str, Mask]:
    s, index = found.s, found.entity(value)
    masks = found.through_chunks(found.mask("chunk", s.entity_chunks.members(index)), facts=False)
    masks["entity"][index] = False
    masks["fact"] = (s.fact_subject_array == index) | (s.fact_object_array == index)
    return masks


def _topic(found: RowMasks, value: str) -> dict[str, Mask]:
    s = found.s
    index = topic_named(s, value)
    if index is None:
        meant = did_you_mean(value, s.topics.slugs, "look for its name with @search/topics.")
        raise QueryError(f"There is no topic {value!r}; {meant}")
    beneath = s.topics_beneath(index)
    masks = found.through_chunks(found.mask("chunk", s.topic_all_chunks.members(index)), facts=False)
    facts = [np.asarray(s.topic_facts.members(each)) for each in beneath]
    return {**masks, "topic": found.mask("topic", beneath), "fact": found.mask("fact", np.concatenate(facts))}


def _related_to(found: RowMasks, value: str) -> dict[str, Mask]:
    s, index = found.s, found.entity(value)
    stated, received = s.fact_subject_array == index, s.fact_object_array == index
    others = np.concatenate([s.fact_object_array[stated], s.fact_subject_array[received]])
    entities = found.mask("entity", others[(others >= 0) & (others != index)])
    return {"entity": entities, "fact": stated | received}


def _relationship(found: RowMasks, value: str) -> dict[str, Mask]:
    s = found.s
    wanted = value.upper()
    with_object = s.fact_object_array >= 0
    inverse = [kind for kind in s.fact_types if relation_types.inverse(s.names.name(kind)) == wanted]
    kind = _fact_type(s, value)
    facts = np.zeros(len(s.facts), bool) if kind is None else s.fact_type_array == kind
    subjects = s.fact_subject_array[facts & with_object]
    objects = s.fact_object_array[np.isin(s.fact_type_array, inverse) & with_object]
    if kind is None and inverse:
        facts = np.isin(s.fact_type_array, inverse)
    return {"entity": found.mask("entity", np.concatenate([subjects, objects])), "fact": facts}


def _side(subject: bool) -> Test:
    def test(found: RowMasks, value: str) -> dict[str, Mask]:
        index = found.entity(value)
        return {"fact": (found.s.fact_subject_array if subject else found.s.fact_object_array) == index}

    return test


def _status(found: RowMasks, value: str) -> dict[str, Mask]:
    if value not in STATUSES:
        raise QueryError(f"status is {', '.join(STATUSES[:-1])} or {STATUSES[-1]}, not {value!r}.")
    s = found.s
    facts = s.fact_status_array == STATUSES.index(value)
    ends = np.concatenate([s.fact_subject_array[facts], s.fact_object_array[facts]])
    return {"entity": found.mask("entity", ends[ends >= 0]), "fact": facts}


def _has_subtopics(found: RowMasks, value: str) -> dict[str, Mask]:
    if value not in ("true", "false"):
        raise QueryError(f"has_subtopics is true or false, not {value!r}.")
    children = found.s.topic_children
    has = np.fromiter((bool(each) for each in children), bool, len(children))
    return {"topic": has if value == "true" else ~has}


PREDICATES: dict[str, Test] = {
    "name=": _name,
    "type=": _type,
    **{f"facts{compare}": _facts(compare) for compare in _COMPARE},
    "min_facts=": _facts(">="),
    "max_facts=": _facts("<="),
    "mentions=": _mentions,
    "topic=": _topic,
    "related_to=": _related_to,
    "relationship=": _relationship,
    "subject=": _side(True),
    "object=": _side(False),
    "status=": _status,
    "has_subtopics=": _has_subtopics,
}
SPANS = frozenset({"date=", "from=", "to="})
"""Predicates that are one together: the span of time in which something must be dated."""


def predicates() -> list[str]:
    """The names of all predicates."""
    return sorted({name.rstrip("<=>") for name in PREDICATES.keys() | SPANS})


def is_predicate(s: Snapshot, name: str) -> bool:
    """Whether a component is a predicate, whatever its value."""
    match = _PREDICATE.fullmatch(name)
    return match is not None and match["name"] + match["compare"] in PREDICATES.keys() | SPANS


def no_predicate(s: Snapshot, name: str) -> str:
    """The sentence for a component that is none."""
    return f"{name!r} is no predicate, and nothing of this name was found; @find/_usage.txt has all predicates."


# --- answers --------------------------------------------------------------------------------------------------------


def find_matching(tree: TreeReader, query: Query) -> QueryResult:
    """Links to what satisfies all predicates, by kind, then by name, and ``_paths.txt`` with where they lead."""
    s = tree.view
    chosen = satisfying(s, tree.scope_of(s, query.scope), query.words)
    links: list[ResultLink] = []
    taken: dict[str, int] = {}
    for kind, (domain, row_names, path) in KINDS.items():
        mtimes = getattr(s, domain).mtime
        for name, index in sorted((row_names.name(s, index), index) for index in chosen.get(kind, ())):
            again = taken[name] = taken.get(name, 0) + 1
            links.append(ResultLink(name if again == 1 else f"{name}~{again}", path(s, index), mtimes[index]))
    paths = "".join(f"{link.path}\n" for link in links)
    return QueryResult(s.generation, {"_paths.txt": names.name_bytes(paths)}, links)


def satisfying(s: Snapshot, scope: object, words: tuple[str, ...]) -> dict[str, list[int]]:
    """The indexes of the rows of each kind in a scope that satisfy all predicates, rising.

    ``QueryError`` for a value that means nothing.
    """
    found = RowMasks(s)
    masks: dict[str, Mask] = {}
    for kind, (domain, _, _) in KINDS.items():
        members = getattr(scope, domain)
        masks[kind] = np.ones(found.count(kind), bool) if members is None else found.mask(kind, members)
    tests: list[dict[str, Mask]] = []
    span = ALL_TIME
    for word in words:
        match = _PREDICATE.fullmatch(word)
        assert match is not None, "only predicates are components"
        predicate, value = match["name"] + match["compare"], decode(match["value"])
        if predicate in SPANS:
            span = span.narrowed(predicate, value)
        else:
            tests.append(PREDICATES[predicate](found, value))
    if span != ALL_TIME:
        tests.append(span.masks(found))
    for given in tests:
        masks = {kind: mask & given[kind] for kind, mask in masks.items() if kind in given}
    return {kind: np.nonzero(mask)[0].tolist() for kind, mask in masks.items()}
