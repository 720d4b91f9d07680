"""The rows of two snapshots that the tree shows otherwise in one than in the other.

Used by ``changes``, in the thread that invalidates. Columns of both are compared whole, those that one snapshot took
from the other not at all; then what differs is followed to the rows that show something of it. A row may be named
though all that is seen of it is the same, but none is left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from kgfs.namespace.domains import Domain, Slugged
from kgfs.namespace.relations import Csr, Ints
from kgfs.namespace.snapshot import Snapshot

DOMAINS = ("documents", "chunks", "entities", "facts", "topics", "items")
Marks = np.ndarray[Any, np.dtype[np.bool_]]
"""For each row of the newer snapshot whether it is shown otherwise."""


class _Both:
    """The rows of one kind in both snapshots."""

    def __init__(self, old: Domain, new: Domain) -> None:
        self.old, self.new = old, new
        count = len(old)
        if count <= len(new) and np.array_equal(old.id_array, new.id_array[:count]):
            self.was: Any = slice(count)
            self.now: Any = slice(count)
            self.moved: Ints | None = None
        else:
            places = new.map(old.id_array)
            self.was = np.nonzero(places >= 0)[0]
            self.now = places[self.was]
            self.moved = np.append(places, -1)
        self.came = np.ones(len(new), bool)
        self.came[self.now] = False
        self.marks: Marks = self.came.copy()

    def follow(self, places: Ints) -> Ints:
        """Places in the older snapshot as those in the newer, -1 where there is none."""
        return places if self.moved is None else self.moved[places]

    def differ(self, was: Any, now: Any, into: Marks | None = None) -> Marks:
        """Mark rows whose value in a column differs."""
        marks = np.zeros(len(self.new), bool) if into is None else into
        was, now = _array(was), _array(now)
        if self.moved is not None or not _same(was, now):
            marks[self.now] |= np.asarray(was[self.was] != now[self.now], bool)
        return marks

    def gone(self) -> Ints:
        """The places in the older snapshot of rows that are not in the newer."""
        if self.moved is None:
            return np.empty(0, np.int64)
        return np.nonzero(self.moved[:-1] < 0)[0]

    def ids(self) -> Ints:
        """The ids of all rows that differ."""
        return np.union1d(self.new.id_array[self.marks], self.old.id_array[self.gone()])


def _array(column: Any) -> Ints:
    return np.asarray(column)


def _same(was: Ints, now: Ints) -> bool:
    return len(was) == len(now) and was.__array_interface__["data"] == now.__array_interface__["data"]


class _Comparison:
    """Two snapshots, and what differs so far."""

    def __init__(self, old: Snapshot, new: Snapshot) -> None:
        self.old, self.new = old, new
        self.rows = {name: _Both(getattr(old, name), getattr(new, name)) for name in DOMAINS}

    def columns(self, domain: str, names: Iterable[str], into: Marks | None = None) -> Marks:
        """Rows whose value differs in any of these columns, by their names in the snapshot."""
        both = self.rows[domain]
        marks = np.zeros(len(both.new), bool) if into is None else into
        for name in names:
            both.differ(getattr(self.old, name), getattr(self.new, name), marks)
        return marks

    def stored(self, domain: str, names: Iterable[str]) -> Marks:
        """The same of columns of the rows."""
        both = self.rows[domain]
        was, now = self.old.load_state.rows[domain].columns, self.new.load_state.rows[domain].columns
        marks = np.zeros(len(both.new), bool)
        for name in names:
            both.differ(was[name], now[name], marks)
        return marks

    def own(self, domain: str) -> None:
        """Mark rows whose dates or pages differ, also the newest of their directories."""
        both = self.rows[domain]
        both.differ(both.old.mtime_array, both.new.mtime_array, both.marks)
        both.differ(both.old.ctime_array, both.new.ctime_array, both.marks)
        for view, page in both.new.pages.items():
            both.differ(both.old.pages[view].id_array, page.id_array, both.marks)
        prefix = {"entities": "entity_", "documents": "document_", "chunks": "chunk_", "topics": "topic_"}.get(domain)
        if prefix is not None:
            for name, newest in self.new.newest.items():
                if name.startswith(prefix):
                    both.differ(self.old.newest[name], newest, both.marks)

    def named(self, domain: str, other: str, column: str) -> Marks:
        """Rows that name another row of another kind than they did."""
        both, named = self.rows[domain], self.rows[other]
        was = np.asarray(getattr(self.old, column))
        return both.differ(named.follow(was), getattr(self.new, column))

    def members(self, relation: str, owners: str, targets: str, *marks: Marks) -> Marks:
        """Owners that have other targets, or one that is marked in any of ``marks``."""
        of, to = self.rows[owners], self.rows[targets]
        was: Csr = getattr(self.old, relation)
        now: Csr = getattr(self.new, relation)
        found = np.zeros(len(of.new), bool)
        if was is not now or of.moved is not None or to.moved is not None:
            counts_was, counts = was.counts()[of.was], now.counts()[of.now]
            equal = counts_was == counts
            found[of.now] = ~equal
            was_equal, now_equal = np.zeros(len(of.old), bool), np.zeros(len(of.new), bool)
            was_equal[of.was], now_equal[of.now] = equal, equal
            targets_was = to.follow(was.target_array[np.repeat(was_equal, was.counts())])
            targets_now = now.target_array[np.repeat(now_equal, now.counts())]
            if of.moved is not None or not np.array_equal(targets_was, targets_now):
                # Rows keep their order, so those of both stand side by side.
                owner = np.repeat(np.nonzero(now_equal)[0], now.counts()[now_equal])
                found[owner[targets_was != targets_now]] = True
        found[of.came] = now.counts()[of.came] > 0
        self._with(now, found, marks)
        return found

    @staticmethod
    def _with(relation: Csr, found: Marks, marks: Iterable[Marks]) -> None:
        for each in marks:
            if each.any():
                edges = np.nonzero(each[relation.target_array])[0]
                found[np.searchsorted(relation.offset_array, edges, side="right") - 1] = True

    def facts_of(self, column: str) -> Marks:
        """The entities in this column of facts that are marked, came or are gone."""
        facts, entities = self.rows["facts"], self.rows["entities"]
        was, now = np.asarray(getattr(self.old, column)), np.asarray(getattr(self.new, column))
        places = np.concatenate([
            now[facts.marks], entities.follow(was[facts.gone()]),
            entities.follow(was[facts.was][facts.marks[facts.now]]),
        ])  # fmt: skip
        found = np.zeros(len(entities.new), bool)
        found[places[places >= 0]] = True
        return found


def differing(old: Snapshot, new: Snapshot) -> dict[str, Ints]:
    """For each domain the row ids, sorted, that are in one snapshot only or are shown otherwise."""
    c = _Comparison(old, new)
    rows = c.rows
    documents, chunks, entities, facts, topics, items = (rows[name] for name in DOMAINS)
    # Names, which others show.
    entity_name = c.columns("entities", ["entity_directory_array"], c.stored("entities", ["slug"]))
    document_name = c.stored("documents", ["slug"])
    chunk_name = c.columns("chunks", ["chunk_ordinal"], c.named("chunks", "documents", "chunk_document_array"))
    renumbered = c.columns("documents", ["document_width"]) | document_name
    chunk_name |= renumbered[new.chunk_document_array]
    topic_name = _topic_names(c)

    facts.marks |= c.columns("facts", ["fact_hash", "fact_type_array", "fact_month_array"])
    for name, other in (("fact_subject_array", "entities"), ("fact_object_array", "entities"),
                        ("fact_chunk_array", "chunks")):  # fmt: skip
        facts.marks |= c.named("facts", other, name)
    if entity_name.any():
        facts.marks |= entity_name[new.fact_subject_array] | np.append(entity_name, False)[new.fact_object_array]
    c.own("facts")

    chunk_entities = c.members("chunk_entities", "chunks", "entities", entity_name)
    chunk_topics = c.members("chunk_topics", "chunks", "topics", topic_name)
    chunks.marks |= (
        chunk_name | chunk_entities | chunk_topics | c.members("chunk_facts", "chunks", "facts", facts.marks)
    )
    c.columns("chunks", ["chunk_size", "chunk_tokens", "chunk_indexed", "chunk_month_array"], chunks.marks)
    c.own("chunks")

    _mark_items(c)

    links = c.members("document_links", "documents", "documents", document_name)
    backlinks = c.members("document_backlinks", "documents", "documents", document_name)
    documents.marks |= document_name | links | backlinks | c.named("documents", "items", "document_item")
    documents.marks |= np.append(items.marks, False)[np.asarray(new.document_item)]
    c.columns("documents", ["document_size", "document_linked", "document_stored"], documents.marks)
    owners = np.concatenate([
        new.chunk_document_array[chunks.marks], documents.follow(old.chunk_document_array[chunks.gone()]),
        documents.follow(old.chunk_document_array[chunks.was][chunks.marks[chunks.now]]),
    ])  # fmt: skip
    documents.marks[owners[owners >= 0]] = True
    c.own("documents")

    entities.marks |= entity_name | c.facts_of("fact_subject_array") | c.facts_of("fact_object_array")
    entities.marks |= c.members("entity_chunks", "entities", "chunks", chunk_name, chunk_entities, chunk_topics)
    entities.marks |= c.members("entity_pages", "entities", "documents", document_name, links, backlinks)
    _mark_indicators(c)
    c.own("entities")

    topics.marks |= topic_name | c.members("topic_chunks", "topics", "chunks", chunk_name, chunk_entities)
    topics.marks |= c.members("topic_facts", "topics", "facts", facts.marks)
    c.own("topics")
    _mark_above(c)
    _mark_moved(c)
    return {name: both.ids() for name, both in rows.items()}


def _topic_names(c: _Comparison) -> Marks:
    old, new = c.old, c.new
    if old.topics.slugs == new.topics.slugs and old.topic_parent == new.topic_parent:
        return np.zeros(len(new.topics), bool)
    was, now = (np.array([s.topic_path(index) for index in range(len(s.topics))], object) for s in (old, new))
    return c.rows["topics"].differ(was, now)


def _mark_items(c: _Comparison) -> None:
    items = c.rows["items"]
    items.marks |= c.stored("items", ["folder", "name"])
    c.columns("items", ["item_size", "item_mode"], items.marks)
    c.own("items")
    # What was written is in the trees alone, as long as it is newer than the rows.
    for s in (c.old, c.new):
        written = [c.new.items.find_index(s.context.item_of(inode)) for inode in list(s.context.written)]
        items.marks[[index for index in written if index >= 0]] = True


def _mark_indicators(c: _Comparison) -> None:
    was, now, entities = c.old.indicators, c.new.indicators, c.rows["entities"]
    if was is now:
        return
    if entities.moved is not None:
        moved = entities.moved.tolist()
        was = {moved[index]: pages for index, pages in was.items() if moved[index] >= 0}
    other = [index for index, pages in now.items() if was.get(index) is not pages and was.get(index) != pages]
    entities.marks[[*other, *(was.keys() - now.keys())]] = True


def _mark_moved(c: _Comparison) -> None:
    """Rows that stand in the directory of another prefix, as others came or went."""
    for both in (c.rows["entities"], c.rows["documents"]):
        if isinstance(both.old, Slugged) and isinstance(both.new, Slugged) and both.old.prefixes is not None:
            both.differ(both.old.prefixes.of, both.new.by_prefix(c.new.names).of, both.marks)


def _mark_above(c: _Comparison) -> None:
    """A topic's listing by subtopics shows theirs too."""
    topics = c.rows["topics"]
    marked = topics.marks.nonzero()[0].tolist()
    for index in marked:
        above = c.new.topic_parent[index]
        while above >= 0 and not topics.marks[above]:
            topics.marks[above] = True
            above = c.new.topic_parent[above]
    here = {int(place) for place in topics.gone()} | {
        int(place) for place in np.arange(len(topics.old))[topics.was][topics.marks[topics.now]]
    }
    for index in here:
        above = c.old.topic_parent[index]
        while above >= 0:
            if (place := int(topics.follow(np.array([above]))[0])) >= 0:
                topics.marks[place] = True
            above = c.old.topic_parent[above]
