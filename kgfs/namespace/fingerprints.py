"""A number for each row of a snapshot that changes when anything does that the tree shows of the row.

Used by ``changes``, in the thread that invalidates: two snapshots are compared in milliseconds, whole columns at a
time, and only nodes of rows whose number differs are looked at one by one. Numbers are good within one process.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kgfs.namespace.domains import Domain
from kgfs.namespace.relations import Csr, Ints
from kgfs.namespace.snapshot import Snapshot

Marks = NDArray[np.uint64]
DOMAINS = ("documents", "chunks", "entities", "facts", "topics", "items")


def _mix(values: Any) -> Marks:
    """A scattering of 64-bit numbers (splitmix64), so that sums and differences of small ones do not cancel out."""
    x = np.asarray(values).astype(np.int64, copy=False).view(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def _all(*columns: Any) -> Marks:
    """One number from several columns, in which order and value count."""
    result = _mix(columns[0])
    for column in columns[1:]:
        result = _mix((result * np.uint64(31) + _mix(column)).view(np.int64))
    return result


def _texts(texts: Iterable[Any], count: int) -> Ints:
    return np.fromiter((hash(text) for text in texts), np.int64, count)


def _sum(relation: Csr, marks: Marks) -> Marks:
    """For each owner the sum over its targets."""
    result = np.zeros(len(relation.offset_array) - 1, np.uint64)
    filled = relation.offset_array[1:] > relation.offset_array[:-1]
    if filled.any():
        result[filled] = np.add.reduceat(marks[relation.target_array], relation.offset_array[:-1][filled])
    return result


def _sum_at(count: int, owners: Ints, marks: Marks) -> Marks:
    result = np.zeros(count, np.uint64)
    np.add.at(result, owners, marks)
    return result


def _pages(domain: Domain) -> list[Ints]:
    return [column.id_array for column in domain.pages.values()]


def _newest(s: Snapshot, *columns: str) -> list[Ints]:
    return [np.asarray(s.newest[column]) for column in columns]


def fingerprints(s: Snapshot) -> dict[str, Marks]:
    """Domain to a number for each of its rows, by index."""
    entities, documents, chunks, facts, topics, items = (
        s.entities, s.documents, s.chunks, s.facts, s.topics, s.items,
    )  # fmt: skip
    kinds = _texts((s.names.name(number) for number in range(len(s.names))), len(s.names))
    entity_name = _all(entities.id_array, _texts(entities.slugs, len(entities)), kinds[s.entity_directory_array])
    document_name = _all(documents.id_array, _texts(documents.slugs, len(documents)))
    document = s.chunk_document_array
    widths = np.asarray(s.document_width)[document]
    chunk_name = _all(chunks.id_array, document_name[document].view(np.int64), np.asarray(s.chunk_ordinal), widths)
    topic_name = _all(topics.id_array, _texts((s.topic_path(index) for index in range(len(topics))), len(topics)))
    objects = np.where(s.fact_object_array >= 0, s.fact_object_array, 0)
    object_name = entity_name[objects] if len(entity_name) else np.zeros(len(facts), np.uint64)
    fact = _all(
        facts.id_array, np.asarray(s.fact_hash).view(np.int64), s.fact_type_array, facts.mtime_array, facts.ctime_array,
        s.fact_month_array, s.fact_object_array >= 0, object_name.view(np.int64),
        entity_name[s.fact_subject_array].view(np.int64), chunks.id_array[s.fact_chunk_array], *_pages(facts),
    )  # fmt: skip
    chunk_entities, chunk_topics = _sum(s.chunk_entities, entity_name), _sum(s.chunk_topics, topic_name)
    chunk_facts = _sum(s.chunk_facts, fact)
    chunk = _all(
        chunk_name.view(np.int64), np.asarray(s.chunk_size), np.asarray(s.chunk_tokens), np.asarray(s.chunk_indexed),
        chunks.mtime_array, chunks.ctime_array, s.chunk_month_array, chunk_entities.view(np.int64),
        chunk_topics.view(np.int64), chunk_facts.view(np.int64),
        *_newest(s, "chunk_entities", "chunk_topics", "chunk_facts"), *_pages(chunks),
    )  # fmt: skip
    inode_of, place = s.context.inode_of, s.context.place
    item = _all(
        items.id_array, _texts((place.get(inode_of(row_id), ("", ""))[1] for row_id in items.ids), len(items)),
        _texts((s.directory_of(row_id) for row_id in items.ids), len(items)), np.asarray(s.item_size),
        np.asarray(s.item_mode), items.mtime_array, items.ctime_array,
    )  # fmt: skip
    item_of = np.asarray(s.document_item)
    item_mark = np.where(item_of >= 0, item[np.maximum(item_of, 0)], 0) if len(items) else np.zeros(len(documents))
    links, backlinks = _sum(s.document_links, document_name), _sum(s.document_backlinks, document_name)
    whole_document = _all(
        document_name.view(np.int64), documents.mtime_array, documents.ctime_array, np.asarray(s.document_size),
        np.asarray(s.document_linked), np.asarray(s.document_stored), item_mark.astype(np.uint64).view(np.int64),
        _sum_at(len(documents), document, chunk).view(np.int64),
        links.view(np.int64), backlinks.view(np.int64),
        *_newest(s, *(column for column in s.newest if column.startswith("document_"))), *_pages(documents),
    )  # fmt: skip
    stated = _sum_at(len(entities), s.fact_subject_array, fact)
    with_object = s.fact_object_array >= 0
    received = _sum_at(len(entities), s.fact_object_array[with_object], fact[with_object])
    entity = _all(
        entity_name.view(np.int64), entities.mtime_array, entities.ctime_array, stated.view(np.int64),
        received.view(np.int64), _sum(s.entity_chunks, chunk_name).view(np.int64),
        _sum(s.entity_chunks, chunk_entities).view(np.int64), _sum(s.entity_chunks, chunk_topics).view(np.int64),
        _sum(s.entity_pages, _all(document_name.view(np.int64), links.view(np.int64), backlinks.view(np.int64))).view(
            np.int64
        ),
        _texts((tuple(s.indicators.get(index, {}).items()) for index in range(len(entities))), len(entities)),
        *_newest(s, *(column for column in s.newest if column.startswith("entity_"))), *_pages(entities),
    )  # fmt: skip
    topic = _all(
        topic_name.view(np.int64), topics.mtime_array, topics.ctime_array,
        _sum(s.topic_chunks, chunk_name).view(np.int64),
        _sum(s.topic_chunks, chunk_entities).view(np.int64), _sum(s.topic_facts, fact).view(np.int64),
        *_newest(s, "topic_entities", "topic_chunks", "topic_facts"), *_pages(topics),
    )  # fmt: skip
    return {
        "documents": whole_document, "chunks": chunk, "entities": entity, "facts": fact,
        "topics": _with_subtopics(s, topic), "items": item,
    }  # fmt: skip


def _with_subtopics(s: Snapshot, topic: Marks) -> Marks:
    """A topic's listing by subtopics shows theirs too."""
    marks = topic.tolist()
    totals = list(marks)
    for index, mark in enumerate(marks):
        above = s.topic_parent[index]
        while above >= 0:
            totals[above] += mark
            above = s.topic_parent[above]
    return np.array([total & 0xFFFFFFFFFFFFFFFF for total in totals], np.uint64)


def differing(old: Snapshot, new: Snapshot) -> dict[str, Ints]:
    """For each domain the row ids, sorted, that are in one snapshot only or are shown otherwise."""
    before, after = fingerprints(old), fingerprints(new)
    result: dict[str, Ints] = {}
    for name in DOMAINS:
        was: Domain = getattr(old, name)
        now: Domain = getattr(new, name)
        there = now.map(was.id_array)
        same = np.zeros(len(was), bool)
        kept = there >= 0
        same[kept] = before[name][kept] == after[name][there[kept]]
        added = now.id_array[was.map(now.id_array) < 0]
        result[name] = np.union1d(was.id_array[~same], added)
    return result
