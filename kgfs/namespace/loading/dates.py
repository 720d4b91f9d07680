"""Dates in a snapshot that follow from others: the newest member of each row's directories.

Used by ``loader``, after all relations.
"""

from __future__ import annotations

import numpy as np

from kgfs.namespace.relations import NO_TIME, Ints, flat, reduce_over
from kgfs.namespace.snapshot import Snapshot


def load_dates(s: Snapshot) -> None:
    """Newest members: an entity's of its facts and chunks, a topic's of its chunks, with those of its subtopics."""

    def or_else(values: Ints, fallback: Ints) -> Ints:
        return np.where(values > NO_TIME, values, fallback)

    entities, topics, chunks = s.entities, s.topics, s.chunks
    from_chunks = s.entity_chunks.newest(chunks.mtime_array)
    newest = np.maximum(from_chunks, np.maximum(s.stated.newest_array, s.received.newest_array))
    entities.set_mtime(or_else(newest, entities.ctime_array))
    own = entities.mtime_array
    own_topics = s.topic_chunks.newest(chunks.mtime_array).tolist()
    for index in range(len(own_topics)):
        value, above = own_topics[index], s.topic_parent[index]
        while above >= 0 and own_topics[above] < value:
            own_topics[above] = value
            above = s.topic_parent[above]
    topics.set_mtime(or_else(np.array(own_topics, np.int64), topics.ctime_array))
    chunk_topics = s.chunk_topics.newest(topics.mtime_array)
    chunk_entities = s.chunk_entities.newest(own)
    documents = s.documents.mtime_array[s.chunk_document_array]
    chunk_facts = s.chunk_facts.newest(s.facts.mtime_array)
    linked = s.document_links.newest(s.documents.mtime_array)
    linking = s.document_backlinks.newest(s.documents.mtime_array)

    def shown(values: Ints, fallback: Ints) -> memoryview:
        return flat(or_else(values, fallback))

    s.newest = {
        "entity_facts": shown(s.stated.newest_array, own),
        "entity_mentions": shown(s.received.newest_array, own),
        "entity_relationships": shown(s.stated.newest_edge_array, own),
        "entity_chunks": shown(from_chunks, own),
        "entity_topics": shown(s.entity_chunks.newest(chunk_topics), own),
        "entity_documents": shown(s.entity_chunks.newest(documents), own),
        "entity_neighbours": shown(s.entity_chunks.newest(chunk_entities), own),
        "entity_links": shown(s.entity_pages.newest(linked), own),
        "entity_backlinks": shown(s.entity_pages.newest(linking), own),
        "topic_entities": shown(s.topic_chunks.newest(chunk_entities), topics.mtime_array),
        "topic_chunks": shown(s.topic_chunks.newest(chunks.mtime_array), topics.mtime_array),
        "topic_facts": shown(s.topic_facts.newest(s.facts.mtime_array), topics.mtime_array),
        "chunk_entities": shown(chunk_entities, chunks.mtime_array),
        "chunk_topics": shown(chunk_topics, chunks.mtime_array),
        "chunk_facts": shown(chunk_facts, chunks.mtime_array),
        "document_chunks": shown(_by_document(s, chunks.mtime_array), s.documents.mtime_array),
        "document_entities": shown(_by_document(s, chunk_entities), s.documents.mtime_array),
        "document_topics": shown(_by_document(s, chunk_topics), s.documents.mtime_array),
        "document_links": shown(linked, s.documents.mtime_array),
        "document_backlinks": shown(linking, s.documents.mtime_array),
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


def _by_document(s: Snapshot, of_chunks: Ints) -> Ints:
    return reduce_over(np.maximum, of_chunks[np.asarray(s.in_document)], np.asarray(s.document_bounds), NO_TIME)
