"""Dates in a snapshot that follow from others: the newest member of each row's directories.

Used by ``loader``, after all relations. Those of a former snapshot stay, but for owners that have other members, or one
with another date.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from kgfs.namespace.relations import NO_TIME, Csr, Ints, flat, members_of, reduce_over
from kgfs.namespace.snapshot import Snapshot

LARGE_SHARE = 0.1
"""Where more than this share of the owners is touched all are worked out anew."""


class Dates(NamedTuple):
    """A column of dates."""

    now: Ints
    other: Ints | None
    """Where rows that were there before may have another one than before; ``None``: anywhere."""


class Members(NamedTuple):
    """The rows in a directory of each owner, and how to find the owners of some rows."""

    owners: str
    targets: Ints
    offsets: Ints
    touched: Ints | None
    """The owners that have other rows than before, and those that came; ``None``: all."""
    back: Csr | Ints | None
    """From the rows to the owners; ``None``: look through all."""

    def owners_of(self, rows: Ints) -> Ints:
        """The owners of which one of these rows is."""
        if isinstance(self.back, Csr):
            return members_of(rows, self.back.target_array, self.back.offset_array)[0]
        if self.back is not None:
            return self.back[rows]
        chosen = np.isin(self.targets, rows).nonzero()[0]
        return np.searchsorted(self.offsets, chosen, side="right") - 1


class _Load:
    def __init__(self, s: Snapshot, former: Snapshot | None, touched: Mapping[str, Ints]) -> None:
        self._s, self._touched = s, touched
        self._kept = s.load_state.dates
        self._before = None if former is None else former.load_state.dates

    def column(self, name: str, of: str, now: Ints) -> Dates:
        """A column of the rows of a kind, under a name by which it is found again."""
        self._kept[name] = now
        if self._before is None:
            return Dates(now, None)
        was, edit = self._before[name], self._s.load_state.rows[of].edit
        if edit.grew:
            return Dates(now, np.nonzero(was != now[: edit.before])[0])
        old, new = edit.kept
        return Dates(now, new[was[old] != now[new]])

    def relation(self, name: str, owners: str, back: str | None = None, column: Ints | None = None) -> Members:
        """The members that a relation of the snapshot says, and the relation or column that says the inverse."""
        relation: Csr = getattr(self._s, name)
        inverse = getattr(self._s, back) if back is not None else column
        return Members(owners, relation.target_array, relation.offset_array, self._touched.get(name), inverse)

    def newest(self, name: str, members: Members, dates: Dates) -> Dates:
        """For each owner the newest of its members' dates, ``NO_TIME`` where it has none."""
        now = self._newest_before(name, members, dates)
        if now is None:
            now = Dates(reduce_over(np.maximum, dates.now[members.targets], members.offsets, NO_TIME), None)
        self._kept[name] = now.now
        return now

    def _newest_before(self, name: str, members: Members, dates: Dates) -> Dates | None:
        if self._before is None or dates.other is None or members.touched is None:
            return None
        edit = self._s.load_state.rows[members.owners].edit
        affected = np.union1d(members.touched, members.owners_of(dates.other)).astype(np.int64)
        if len(affected) > LARGE_SHARE * edit.after:
            return None
        former = self._before[name]
        column = edit.column(former, np.full(len(edit.came), NO_TIME))
        if not len(affected):
            return Dates(column, affected)
        if column is former:
            column = column.copy()
        was = column[affected]
        targets, offsets = members_of(affected, members.targets, members.offsets)
        column[affected] = reduce_over(np.maximum, dates.now[targets], offsets, NO_TIME)
        return Dates(column, affected[column[affected] != was])


def _in_documents(s: Snapshot, former: Snapshot | None) -> Members:
    """The passages of each document."""
    document, edit = s.chunk_document_array, s.load_state.rows["chunks"].edit
    touched: Ints | None = None
    if former is not None:
        documents = s.load_state.rows["documents"].edit
        left = np.concatenate([edit.gone, edit.before_of(edit.changed)])
        was = documents.follow(former.chunk_document_array[left])
        touched = np.concatenate([was[was >= 0], document[edit.changed], document[edit.came], documents.came])
    return Members("documents", np.asarray(s.in_document), np.asarray(s.document_bounds), touched, document)


def load_dates(s: Snapshot, former: Snapshot | None, touched: Mapping[str, Ints]) -> None:
    """Newest members: an entity's of its facts and chunks, a topic's of its chunks, with those of its subtopics.

    ``touched`` are the owners with other members than before, by relation (``load_relations``)."""

    def or_else(values: Ints, fallback: Ints) -> Ints:
        return np.where(values > NO_TIME, values, fallback)

    load = _Load(s, former, touched)
    newest = load.newest
    entities, topics, chunks = s.entities, s.topics, s.chunks
    of_entity = load.relation("entity_chunks", "entities", back="chunk_entities")
    of_topic = load.relation("topic_chunks", "topics", back="chunk_topics")
    in_chunk = load.relation("chunk_entities", "chunks", back="entity_chunks")
    of_document = _in_documents(s, former)
    of_page = load.relation("entity_pages", "entities", back="page_entities")
    of_chunks = load.column("chunks", "chunks", chunks.mtime_array)
    of_documents = load.column("documents", "documents", s.documents.mtime_array)
    of_facts = load.column("facts", "facts", s.facts.mtime_array)

    from_chunks = newest("entity_chunks", of_entity, of_chunks).now
    latest = np.maximum(from_chunks, np.maximum(s.stated.newest_array, s.received.newest_array))
    entities.set_mtime(or_else(latest, entities.ctime_array))
    own = entities.mtime_array
    from_topics = newest("topic_chunks", of_topic, of_chunks).now
    own_topics = from_topics.tolist()
    for index in range(len(own_topics)):
        value, above = own_topics[index], s.topic_parent[index]
        while above >= 0 and own_topics[above] < value:
            own_topics[above] = value
            above = s.topic_parent[above]
    topics.set_mtime(or_else(np.array(own_topics, np.int64), topics.ctime_array))
    of_topics = load.column("topics", "topics", topics.mtime_array)
    chunk_topics = newest("chunk_topics", load.relation("chunk_topics", "chunks", back="topic_chunks"), of_topics)
    chunk_entities = newest("chunk_entities", in_chunk, load.column("entities", "entities", own))
    documents = load.column("documents of chunks", "chunks", s.documents.mtime_array[s.chunk_document_array])
    in_facts = load.relation("chunk_facts", "chunks", column=s.fact_chunk_array)
    linked = newest("linked", load.relation("document_links", "documents", back="document_backlinks"), of_documents)
    linking = newest("linking", load.relation("document_backlinks", "documents", back="document_links"), of_documents)

    def shown(values: Ints, fallback: Ints) -> memoryview:
        return flat(or_else(values, fallback))

    def of_entities(name: str, members: Members, dates: Dates) -> memoryview:
        return shown(newest(name, members, dates).now, own)

    def of_all_topics(name: str, members: Members, dates: Dates) -> memoryview:
        return shown(newest(name, members, dates).now, topics.mtime_array)

    def of_all_documents(name: str, dates: Dates) -> memoryview:
        return shown(newest(name, of_document, dates).now, s.documents.mtime_array)

    s.newest = {
        "entity_facts": shown(s.stated.newest_array, own),
        "entity_mentions": shown(s.received.newest_array, own),
        "entity_relationships": shown(s.stated.newest_edge_array, own),
        "entity_chunks": shown(from_chunks, own),
        "entity_topics": of_entities("entity_topics", of_entity, chunk_topics),
        "entity_documents": of_entities("entity_documents", of_entity, documents),
        "entity_neighbours": of_entities("entity_neighbours", of_entity, chunk_entities),
        "entity_links": of_entities("entity_links", of_page, linked),
        "entity_backlinks": of_entities("entity_backlinks", of_page, linking),
        "topic_entities": of_all_topics("topic_entities", of_topic, chunk_entities),
        "topic_chunks": shown(from_topics, topics.mtime_array),
        "topic_facts": of_all_topics("topic_facts", load.relation("topic_facts", "topics"), of_facts),
        "chunk_entities": shown(chunk_entities.now, chunks.mtime_array),
        "chunk_topics": shown(chunk_topics.now, chunks.mtime_array),
        "chunk_facts": shown(newest("chunk_facts", in_facts, of_facts).now, chunks.mtime_array),
        "document_chunks": of_all_documents("document_chunks", of_chunks),
        "document_entities": of_all_documents("document_entities", chunk_entities),
        "document_topics": of_all_documents("document_topics", chunk_topics),
        "document_links": shown(linked.now, s.documents.mtime_array),
        "document_backlinks": shown(linking.now, s.documents.mtime_array),
    }
    s.latest = {
        domain.kind: int(domain.mtime_array.max()) if len(domain) else s.published
        for domain in (s.documents, chunks, entities, s.facts, topics, s.items)
    }
    s.latest["all"] = max((s.latest[d.kind] for d in (s.documents, entities)), default=s.published)
    s.type_newest = {
        number: int(own[members].max()) if len(members) else s.published for number, members in s.by_type.items()
    }
    s.fact_type_newest = {kind: int(s.facts.mtime_array[members].max()) for kind, members in s.by_fact_type.items()}
