"""What belongs to what in a snapshot.

Used by ``loader``, after all rows.
"""

from __future__ import annotations

import weakref

import numpy as np

from kgfs.namespace.loading.edits import Edited
from kgfs.namespace.loading.rows import Rows
from kgfs.namespace.loading.topology import edited_relation, pair_keys, swapped, touched_owners
from kgfs.namespace.relations import Csr, Derived, Ints, mapped, through
from kgfs.namespace.snapshot import Snapshot

PAIRS: dict[str, tuple[str, str, str | None, str]] = {
    "entity_chunks": ("chunks", "entities", "chunk_entities", "entity_chunks"),
    "chunk_topics": ("chunks", "topics", "chunk_topics", "topic_chunks"),
    "fact_topics": ("facts", "topics", None, "topic_facts"),
    "document_links": ("documents", "documents", "document_links", "document_backlinks"),
    "entity_pages": ("documents", "entities", "page_entities", "entity_pages"),
}
"""Table to the kinds of rows of both sides, and where the relation is in the snapshot from each side."""


def load_relations(s: Snapshot, rows: Rows, former: Snapshot | None) -> dict[str, Ints]:
    """All relations, from tables or from what they were. Returns the owners with other targets than before, sorted, of
    each relation that was made of the former one, by its name in the snapshot."""
    touched: dict[str, Ints] = {}
    for table, (key, other, forth, back) in PAIRS.items():
        by_key = None if former is None or forth is None else getattr(former, forth)
        by_other = None if former is None else getattr(former, back)
        pairs = rows.pairs(table, key, other, by_key, by_other)
        keys, others = rows.load_state.rows[key].edit, rows.load_state.rows[other].edit
        if by_other is None:
            added = pairs.added
            if forth is not None:
                setattr(s, forth, Csr(keys.after, added >> 32, added & 0xFFFFFFFF))
            setattr(s, back, Csr(others.after, added & 0xFFFFFFFF, added >> 32))
            continue
        if forth is not None and by_key is not None:
            setattr(s, forth, edited_relation(by_key, keys, others, pairs.removed, pairs.added))
            touched[forth] = touched_owners(by_key, keys, others, pairs.removed, pairs.added)
        removed, added = swapped(pairs.removed), swapped(pairs.added)
        setattr(s, back, edited_relation(by_other, others, keys, removed, added))
        touched[back] = touched_owners(by_other, others, keys, removed, added)
    _load_facts_of_chunks(s, rows.load_state.rows["facts"], rows, former, touched)
    _derive(s)
    return touched


def _load_facts_of_chunks(
    s: Snapshot, facts: Edited, rows: Rows, former: Snapshot | None, touched: dict[str, Ints]
) -> None:
    chunk = s.fact_chunk_array
    if former is None:
        s.chunk_facts = Csr(len(s.chunks), chunk, np.arange(len(s.facts)))
        return
    chunks, edit = rows.load_state.rows["chunks"].edit, facts.edit
    changed, came = edit.changed, edit.came
    was = chunks.follow(former.fact_chunk_array[edit.before_of(changed)])
    moved = was != chunk[changed]
    left = moved & (was >= 0)
    removed = np.sort(pair_keys(was[left], changed[left]))
    entered = np.union1d(changed[moved], came)
    added = np.sort(pair_keys(chunk[entered], entered))
    s.chunk_facts = edited_relation(former.chunk_facts, chunks, edit, removed, added)
    touched["chunk_facts"] = touched_owners(former.chunk_facts, chunks, edit, removed, added)


def _derive(s: Snapshot) -> None:
    """Relations that are worked out for one owner when asked."""
    s.entity_topics = Derived(through(s.entity_chunks, s.chunk_topics))
    s.entity_documents = Derived(mapped(s.entity_chunks, s.chunk_document_array))
    s.topic_entities = Derived(through(s.topic_chunks, s.chunk_entities))
    s.co_occurring = Derived(through(s.entity_chunks, s.chunk_entities, without_owner=True), keep=1024)
    # None of them may hold the snapshot, which goes with its columns when the last one lets go of it, not at some later
    # collection of cycles.
    whole = weakref.proxy(s)
    s.document_entities = Derived(lambda document: whole.over_chunks(document, whole.chunk_entities))
    s.document_topics = Derived(lambda document: whole.over_chunks(document, whole.chunk_topics))
    s.entity_links = Derived(through(s.entity_pages, s.document_links))
    s.entity_backlinks = Derived(through(s.entity_pages, s.document_backlinks))
    s.topic_all_chunks = Derived(lambda topic: whole.with_subtopics(topic), keep=1024)
