"""What a directory is about: the rows that lie beneath it and those that belong to it, by kind.

Each directory's row in ``tree`` names its scope; the query areas (``@search``, ``@find``) look only there. Reads the
snapshot only; ``of`` takes microseconds for a row and milliseconds for what has a hundred thousand members.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from kgfs.namespace.context_tree import Directory
from kgfs.namespace.node import Node, NodeRef, ref_of
from kgfs.namespace.relations import Ints, Relation
from kgfs.namespace.route import Dir, Row, Scope, ScopeOf
from kgfs.namespace.segments.context import directory_at
from kgfs.namespace.segments.dates import Dated
from kgfs.namespace.segments.entities import RECEIVED, STATED, Roles, Side, group_of
from kgfs.namespace.snapshot import Snapshot
from kgfs.search.query import SearchRequest

NONE = np.empty(0, np.int32)
EVERYTHING = Scope()
NOTHING = Scope(NONE, NONE, NONE, NONE, NONE)

Pick = Callable[[Snapshot, NodeRef], Ints]


def of(s: Snapshot, node: Node, row: Row) -> Scope:
    """The scope of a directory's node; that of the directory above where its row names none (``NotFoundError``)."""
    ref = ref_of(node)
    each: Row | None = row
    while each is not None:
        node_type = each.node_type
        if isinstance(node_type, Dir) and node_type.scope is not None:
            return node_type.scope(s, ref)
        each = each.parent
    return EVERYTHING


class Narrowing(NamedTuple):
    """Row ids of each kind that a search may find; ``None`` is all of a kind."""

    chunk: Ints | None
    fact: Ints | None
    entity: Ints | None
    topic: Ints | None


def ids(s: Snapshot, scope: Scope) -> Narrowing:
    """A scope as sorted row ids."""

    def rows(domain: str, members: Ints | None) -> Ints | None:
        if members is None:
            return None
        return np.sort(np.asarray(getattr(s, domain).ids, np.int64)[np.asarray(members, np.int64)])

    return Narrowing(
        rows("chunks", scope.chunks), rows("facts", scope.facts),
        rows("entities", scope.entities), rows("topics", scope.topics),
    )  # fmt: skip


def narrowed(asked: SearchRequest, s: Snapshot, scope: Scope) -> SearchRequest:
    """A search as it is asked in a directory, given the directory's scope."""
    if all(members is None for members in scope):
        return asked
    return msgspec.structs.replace(asked, within=ids(s, scope)._asdict())


# --- scopes of rows of the table ------------------------------------------------------------------------------------


def everything(s: Snapshot, node: NodeRef) -> Scope:
    return EVERYTHING


def nothing(s: Snapshot, node: NodeRef) -> Scope:
    return NOTHING


def every(*kinds: str) -> ScopeOf:
    """All of some kinds."""
    scope = NOTHING._replace(**dict.fromkeys(kinds))
    return lambda s, node: scope


def only(kind: str, pick: Pick) -> ScopeOf:
    """Rows of one kind, by index."""
    return lambda s, node: NOTHING._replace(**{kind: pick(s, node)})


def members(owner: str, relation: str, kind: str) -> ScopeOf:
    """What a relation gives a row; ``owner`` and ``relation`` are attributes of the snapshot."""
    return only(kind, lambda s, node: _of(getattr(s, relation), getattr(s, owner).index(node.id)))


def _of(relation: Relation, owner: int) -> Ints:
    return np.asarray(relation.members(owner), np.int32)


def _union(relation: Relation, owners: Iterable[int]) -> Ints:
    parts = [relation.members(owner) for owner in owners]
    return np.unique(np.concatenate(parts)).astype(np.int32) if parts else NONE


def _others(s: Snapshot, side: Side, entity: int) -> Ints:
    others = {side.other(s, fact) for fact in side.groups(s).all(entity)}
    return np.array(sorted(others - {-1}), np.int32)


def entity(s: Snapshot, node: NodeRef) -> Scope:
    """Its facts, in whatever place it stands in them, its chunks, documents and topics, and what it is related to."""
    index = s.entities.index(node.id)
    facts = np.union1d(np.asarray(s.stated.all(index)), np.asarray(s.received.all(index)))
    related = np.union1d(_others(s, STATED, index), _others(s, RECEIVED, index))
    return Scope(
        chunks=_of(s.entity_chunks, index),
        facts=facts.astype(np.int32),
        entities=related[related != index].astype(np.int32),
        topics=_of(s.entity_topics, index),
        documents=_of(s.entity_documents, index),
    )


def facts_of(side: Side) -> ScopeOf:
    """The facts on one side of an entity."""
    return only("facts", lambda s, node: np.sort(np.asarray(side.groups(s).all(s.entities.index(node.id)), np.int32)))


def facts_of_type(side: Side) -> ScopeOf:
    return only("facts", lambda s, node: np.sort(np.asarray(side.groups(s).facts(group_of(s, side, node)), np.int32)))


def others(side: Side) -> ScopeOf:
    """The entities on the other side of an entity's facts."""
    return only("entities", lambda s, node: _others(s, side, s.entities.index(node.id)))


def others_of_type(side: Side) -> ScopeOf:
    def pick(s: Snapshot, node: NodeRef) -> Ints:
        pairs = side.groups(s).pairs(group_of(s, side, node))
        return np.array(sorted({other for _, other in pairs}), np.int32)

    return only("entities", pick)


def _role_holders(s: Snapshot, node: NodeRef) -> Ints:
    found: set[int] = set()
    for _, _, kind, _ in Roles().list(s, node):
        found |= {other for _, other in s.stated.pairs(group_of(s, STATED, NodeRef(node.id, kind)))}
    return np.array(sorted(found), np.int32)


roles = only("entities", _role_holders)


def topic(s: Snapshot, node: NodeRef) -> Scope:
    """All that is under a topic and its subtopics."""
    return _of_topics(s, s.topics_beneath(s.topics.index(node.id)))


def subtopics(s: Snapshot, node: NodeRef) -> Scope:
    """The same without the topic itself."""
    return _of_topics(s, s.topics_beneath(s.topics.index(node.id))[1:])


def _of_topics(s: Snapshot, topics: list[int]) -> Scope:
    return Scope(
        chunks=_union(s.topic_chunks, topics),
        facts=_union(s.topic_facts, topics),
        entities=_union(s.topic_entities, topics),
        topics=np.array(sorted(topics), np.int32),
        documents=np.unique(s.chunk_document_array[_union(s.topic_chunks, topics)]),
    )


def chunk(s: Snapshot, node: NodeRef) -> Scope:
    index = s.chunks.index(node.id)
    return Scope(
        chunks=np.array([index], np.int32),
        facts=_of(s.chunk_facts, index),
        entities=_of(s.chunk_entities, index),
        topics=_of(s.chunk_topics, index),
        documents=NONE,
    )


def document(s: Snapshot, node: NodeRef) -> Scope:
    return of_documents(s, np.array([s.documents.index(node.id)], np.int32))


def of_documents(s: Snapshot, documents: Ints) -> Scope:
    """Documents with their chunks, and what these hold."""
    wanted = np.zeros(len(s.documents), bool)
    wanted[documents] = True
    chunks = np.nonzero(wanted[s.chunk_document_array])[0].astype(np.int32)
    few = len(chunks) < len(s.chunks)
    return Scope(
        chunks=chunks,
        facts=np.nonzero(np.isin(s.fact_chunk_array, chunks))[0].astype(np.int32),
        entities=_union(s.chunk_entities, chunks.tolist()) if few else np.arange(len(s.entities), dtype=np.int32),
        topics=_union(s.chunk_topics, chunks.tolist()) if few else np.arange(len(s.topics), dtype=np.int32),
        documents=documents,
    )


def chunks_of_document(s: Snapshot, node: NodeRef) -> Scope:
    return NOTHING._replace(chunks=np.sort(np.asarray(s.chunks_of(s.documents.index(node.id)), np.int32)))


def documents_of(owner: str, relation: str) -> ScopeOf:
    """The documents that a relation gives a row, with their chunks; arguments as for ``members``."""
    return with_chunks(lambda s, node: _of(getattr(s, relation), getattr(s, owner).index(node.id)))


def with_chunks(pick: Pick) -> ScopeOf:
    """Documents, by index, with their chunks."""

    def scope(s: Snapshot, node: NodeRef) -> Scope:
        found = of_documents(s, pick(s, node))
        return NOTHING._replace(documents=found.documents, chunks=found.chunks)

    return scope


def entities_of_type(s: Snapshot, node: NodeRef) -> Scope:
    return NOTHING._replace(entities=s.by_type.get(node.id, NONE))


def facts_with_type(s: Snapshot, node: NodeRef) -> Scope:
    return NOTHING._replace(facts=s.by_fact_type.get(node.id, NONE))


def conflicts(s: Snapshot, node: NodeRef) -> Scope:
    return _contradicting(s.conflicts.values())


def conflicts_of_type(s: Snapshot, node: NodeRef) -> Scope:
    return _contradicting([s.conflicts.get(node.id, {})])


def _contradicting(of_types: Iterable[Mapping[int, Sequence[int]]]) -> Scope:
    facts = [fact for groups in of_types for facts in groups.values() for fact in facts]
    return NOTHING._replace(facts=np.array(sorted(facts), np.int32))


def year(dated: Dated) -> ScopeOf:
    """What is dated in a year."""

    def pick(s: Snapshot, node: NodeRef) -> Ints:
        parts = [found for month, found in dated.months(s).items() if month // 12 == node.id and month >= 0]
        return np.sort(np.concatenate(parts)) if parts else NONE

    return only(dated.row_names.of, pick)


def month(dated: Dated) -> ScopeOf:
    return only(dated.row_names.of, lambda s, node: dated.months(s).get(node.id, NONE))


def undated(dated: Dated) -> ScopeOf:
    return only(dated.row_names.of, lambda s, node: dated.months(s).get(-1, NONE))


def context(s: Snapshot, node: NodeRef) -> Scope:
    """The documents of the stored files beneath a directory, and what these hold."""
    waiting: list[Directory] = [directory_at(s, node)]
    items: list[int] = []
    for each in waiting:
        items.extend(each.files.values())
        waiting.extend(each.directories.values())
    found = (s.documents.find_index(item) for item in items)
    return of_documents(s, np.array(sorted(each for each in found if each >= 0), np.int32))
