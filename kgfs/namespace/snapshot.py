"""The graph's whole topology in memory: compact columns of one generation, immutable once loaded.

``load_snapshot`` runs in a thread and takes a handful of statements in one read transaction; everything else only
reads. Things are known by *index* (their place in id order) inside the snapshot and by row id in nodes;
``Domain.index`` translates. Times are microseconds since 1970. A row whose pages are not rendered yet is left out:
what is shown has its true size.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import Any

import msgspec
import numpy as np

from kgfs import names
from kgfs.names import name_text
from kgfs.namespace.context_names import AGENT_DRIVE
from kgfs.namespace.context_tree import ContextTree, DirectoryRow, FileNumbers, StoredFile
from kgfs.namespace.domains import (
    PAGE_VIEWS,
    Domain,
    PageColumn,
    Slugged,
    alias_mark,
    keep_rows,
    safe_name,
    same_pages,
    usable,
    with_pages,
)  # fmt: skip
from kgfs.namespace.node import NumberedNames
from kgfs.namespace.relations import (
    NO_TIME,
    Csr,
    Derived,
    FactGroups,
    Ints,
    flat,
    mapped,
    order_of,
    reduce_over,
    through,
)
from kgfs.store.catalog.database import Cursor
from kgfs.store.tree import pages as page_rows
from kgfs.store.tree.columns import MARKS, Columns, Mark, Table, read_pages


def _set(moment: int) -> int | None:
    return None if moment == -1 else moment


def _xattrs(text: str) -> dict[str, str]:
    return msgspec.json.decode(text, type=dict[str, str]) if text else {}


_OF_FACTS = (
    "facts", "fact_month_array", "fact_month", "fact_day_array", "fact_status_array", "fact_types", "fact_type_array",
    "fact_type", "by_fact_type", "fact_hash", "_hash_order", "_hashes", "fact_subject_array", "fact_chunk_array",
    "fact_subject", "fact_chunk", "fact_object_array", "fact_object", "months_of_facts", "conflicts",
)  # fmt: skip
"""What a snapshot knows of its facts, whatever entities and passages came behind the others."""


class Snapshot:
    """One generation of the graph. See ``load_snapshot`` for how it comes about."""

    documents: Slugged
    chunks: Domain
    entities: Slugged
    facts: Domain
    topics: Slugged
    items: Domain
    entity_chunks: Csr
    chunk_entities: Csr
    topic_chunks: Csr
    chunk_topics: Csr
    topic_facts: Csr
    document_links: Csr
    document_backlinks: Csr
    entity_pages: Csr
    """Documents of which an entity is the subject: one, if no two are about it."""
    page_entities: Csr
    chunk_facts: Csr
    stated: FactGroups
    """Facts by subject."""
    received: FactGroups
    """Facts by object."""

    def __init__(
        self,
        cursor: Cursor,
        numbered: NumberedNames,
        numbers: FileNumbers | None = None,
        former: Snapshot | None = None,
    ) -> None:
        """Parts of which no row changed are taken from ``former``, an earlier snapshot of the same store."""
        self.position = 0
        """Where in the journal it was loaded."""
        self.overwritten: list[int] = []
        """Inodes of files that were open when it was adopted, and of which its rows say something new."""
        self.generation, self.published = page_rows.generation(cursor)
        self.names = numbered
        self.columns: dict[int, Any] = {}
        """Rows of the table to their columns (``attributes``), filled when first asked for."""
        self.depths: dict[int, int] = {}
        """Row and query to how deep its links stand, filled when first asked for."""
        self.rendered: dict[Any, bytes] = {}
        """Whole-graph files, rendered when first asked for."""
        tables = Columns(cursor)
        self._marks: dict[str, Mark] = {name: tables.mark(name) for name in MARKS}
        self._whole: set[str] = set()
        """The parts in which nothing is left out because what it belongs to is not shown (yet)."""
        former = former if former is not None and former.names is numbered else None
        kept: dict[str, tuple[Table, dict[str, PageColumn]]] = {
            domain: with_pages(cursor, tables[domain], views)
            for domain, views in PAGE_VIEWS.items()
            if domain != "facts"
        }
        self._load_context(tables, numbers)
        self._load_documents(*kept["documents"])
        self._load_chunks(*kept["chunks"])
        self._load_topics(*kept["topics"])
        self._load_entities(*kept["entities"], tables)
        if not self._take_facts(cursor, former):
            self._load_facts(*with_pages(cursor, tables["facts"], PAGE_VIEWS["facts"]), tables)
        self._load_relations(tables, former)
        self._load_times()
        self._load_path_sizes()
        self._load_indicators(read_pages(cursor, "economic_data"))
        self._load_former(tables["former_names"])
        self._load_sources(tables["sources"])

    # --- rows -------------------------------------------------------------------------------------------------------

    def _load_context(self, tables: Columns, numbers: FileNumbers | None) -> None:
        items = tables["items"]
        self.items = Domain("file", items["id"], items["ctime"])
        self.items.set_mtime(items["mtime"])
        self.item_size = flat(items["size"].astype(np.int64))
        self.item_mode = flat(items["mode"].astype(np.int32))
        self.item_textual = flat(items["textual"].astype(np.int8))
        self.context = ContextTree([AGENT_DRIVE], numbers)
        rows = tables["directories"]
        for item, drive, path, mode, mtime, ctime, atime, xattrs in zip(
            *(rows[name].tolist() for name in ("id", "drive", "path", "mode", "mtime", "ctime", "atime", "xattrs")),
            strict=True,
        ):
            row = DirectoryRow(item, mode, ctime, _set(mtime), _set(atime), _xattrs(xattrs))
            self.context.add_directory(drive, path, row)
        columns = (items["id"].tolist(), items["drive"].tolist(), items["path"].tolist(), items["mtime"].tolist())
        self.context.add_all(zip(*columns, strict=True))
        rows = tables["links"]
        for item, target in zip(rows["id"].tolist(), rows["target"].tolist(), strict=True):
            self.context.targets[self.context.inode_of(item)] = name_text(bytes(target or b""))
        rows = tables["attributes"]
        for item, atime, xattrs in zip(*(rows[name].tolist() for name in ("id", "atime", "xattrs")), strict=True):
            file = self._file(self.context.inode_of(item), item)
            file.atime, file.xattrs = _set(atime), _xattrs(xattrs)
            self.context.live[file.inode] = file
        # Files of a directory are read together.
        place, inode_of = self.context.place, self.context.numbers.inode_of
        found = (place.get(inode_of.get(item, item)) for item in columns[0])
        directories = np.fromiter((-1 if one is None else one[0].key for one in found), np.int64, len(columns[0]))
        self.items.set_order((items["id"], directories))

    def _file(self, inode: int, item: int) -> StoredFile:
        index = self.items.index(item)
        return StoredFile(
            inode, item, self.item_size[index], self.items.mtime[index], self.items.ctime[index],
            self.item_mode[index], bool(self.item_textual[index]), target=self.context.targets.get(inode),
        )  # fmt: skip

    def file(self, inode: int) -> StoredFile:
        """What is known of a stored file; ``NotFoundError`` where it is gone."""
        live = self.context.live.get(inode)
        return live or self._file(inode, self.context.item_of(inode))

    def item_mtime(self, inode: int) -> int:
        """The last write of a stored file."""
        live = self.context.live.get(inode)
        return self.items.mtime[self.items.index(self.context.item_of(inode))] if live is None else live.mtime

    def directory_of(self, item: int) -> int:
        """The key of the directory in which a stored file stands, -1 where there is none."""
        found = self.context.place.get(self.context.inode_of(item))
        return -1 if found is None else found[0].key

    def _load_documents(self, table: Table, pages: dict[str, PageColumn]) -> None:
        self.documents = Slugged("document", table["id"], table["ctime"], table["slug"])
        self.documents.pages = pages
        self.documents.set_mtime(np.where(table["month"] >= 0, table["dated"], table["source_mtime"]))
        self.document_month_array, self.document_day_array = table["month"], table["day"]
        self.document_item = flat(self.items.map(table["id"]).astype(np.int32))
        self.document_size = flat(table["size"].astype(np.int64))
        self.document_linked = flat(table["linked"].astype(np.int8))
        self.document_stored = flat(table["stored"].astype(np.int8))

    def _load_chunks(self, table: Table, pages: dict[str, PageColumn]) -> None:
        document = self.documents.map(table["document_id"])
        table, pages = keep_rows(table, pages, document >= 0)
        document = document[document >= 0].astype(np.int32)
        self.chunks = Domain("chunk", table["id"], table["ctime"])
        self.chunks.pages = pages
        dated = table["month"] >= 0
        self.chunks.set_mtime(np.where(dated, table["dated"], self.documents.mtime_array[document]))
        self.chunk_month_array = np.where(dated, table["month"], self.document_month_array[document]).astype(np.int32)
        self.chunk_month = flat(self.chunk_month_array)
        self.chunk_day_array = np.where(dated, table["day"], self.document_day_array[document]).astype(np.int32)
        self.chunk_document_array = document
        self.chunk_document = flat(document)
        self.chunk_ordinal = flat(table["ordinal"].astype(np.int32))
        self.chunk_size = flat(table["size"].astype(np.int32))
        self.chunk_tokens = flat(table["tokens"].astype(np.int32))
        self.chunk_indexed = flat(table["indexed"].astype(np.int8))
        self.chunks.set_order((table["ordinal"], document))
        places = np.array(self.chunks.order)
        self._in_document = flat(places)
        bounds = np.searchsorted(document[places], np.arange(len(self.documents) + 1)).astype(np.int64)
        self._document_bounds = flat(bounds)
        highest = reduce_over(np.maximum, table["ordinal"].astype(np.int64)[places], bounds, 0)
        tens = 10 ** np.arange(4, 19, dtype=np.int64)
        self.document_width = flat((4 + np.searchsorted(tens, highest, side="right")).astype(np.int8))

    def chunks_of(self, document: int) -> memoryview:
        """The chunks of a document, in order."""
        return self._in_document[self._document_bounds[document] : self._document_bounds[document + 1]]

    def chunk_at(self, document: int, ordinal: int) -> int:
        """The chunk of a document with this ordinal, or -1."""
        members = self.chunks_of(document)
        if 0 < ordinal <= len(members) and self.chunk_ordinal[members[ordinal - 1]] == ordinal:
            return int(members[ordinal - 1])
        return next((chunk for chunk in members if self.chunk_ordinal[chunk] == ordinal), -1)

    def _load_topics(self, table: Table, pages: dict[str, PageColumn]) -> None:
        self.topics = Slugged("topic", table["id"], table["ctime"], table["slug"])
        self.topics.pages = pages
        self.topic_names: list[str] = table["name"].tolist()
        parents = self.topics.map(table["parent_id"]).tolist()
        for index in range(len(parents)):  # a ring would have no root and never be found: cut it
            seen, above = {index}, parents[index]
            while above >= 0:
                if above in seen:
                    parents[index] = -1
                    break
                seen.add(above)
                above = parents[above]
        self.topic_parent: list[int] = parents
        self.topic_children: list[list[int]] = [[] for _ in parents]
        self.topic_roots: list[int] = []
        for index, parent in enumerate(parents):
            (self.topic_children[parent] if parent >= 0 else self.topic_roots).append(index)

    def topic_names_above(self, index: int) -> list[str]:
        """Slugs from the root topic down to this one."""
        slugs = []
        while index >= 0:
            slugs.append(self.topics.slugs[index])
            index = self.topic_parent[index]
        return slugs[::-1]

    def _load_entities(self, table: Table, pages: dict[str, PageColumn], tables: Columns) -> None:
        self.entities = Slugged("entity", table["id"], table["ctime"], table["slug"])
        self.entities.pages = pages
        numbers: dict[str, int] = {}
        for kind in (*names.ALWAYS_SHOWN, *dict.fromkeys(table["type"].tolist())):
            numbers[kind] = self.names.number(names.entity_directory(kind))
        self.entity_types: list[str] = list(numbers)
        codes = {kind: code for code, kind in enumerate(self.entity_types)}
        self.entity_type = flat(np.array([codes[kind] for kind in table["type"].tolist()], np.int32))
        """The place of each entity's type among ``entity_types``."""
        self.type_directories = sorted(set(numbers.values()))
        kinds = np.array([numbers[kind] for kind in table["type"].tolist()], np.int32)
        self.entity_directory_array = kinds
        self.entity_directory = flat(kinds)
        self.people = self.names.number(names.entity_directory("Person"))
        self.places = self.names.number(names.entity_directory("Location"))
        self.by_type = {number: np.nonzero(kinds == number)[0].astype(np.int32) for number in self.type_directories}
        self.entities.set_order((kinds,))
        aliases = tables["aliases"]
        owners = self.entities.map(aliases["entity_id"])
        self.aliases: dict[str, int] = {}
        self.alias_names: dict[int, list[str]] = {}
        self._marked: dict[int, dict[int, str]] = {}
        """Entity to its aliases by mark, of those that somebody asked for."""
        known = self.entities.by_slug
        for owner, slug in zip(owners.tolist(), aliases["slug"].tolist(), strict=True):
            if owner >= 0 and slug and slug not in known and slug not in self.aliases and usable(slug):
                self.aliases[slug] = owner
                self.alias_names.setdefault(owner, []).append(slug)

    def alias(self, index: int, mark: int) -> str | None:
        """The alias of an entity that has this mark (``alias_mark``)."""
        marked = self._marked.get(index)
        if marked is None:
            marked = self._marked[index] = {alias_mark(name): name for name in self.alias_names.get(index, ())}
        return marked.get(mark)

    def _unchanged(self, former: Snapshot | None, part: str, *domains: str) -> bool:
        """Whether a part is what it was in the former snapshot, in which ``domains`` had the same indexes."""
        return (
            former is not None
            and part in former._whole
            and self._marks[part] == former._marks[part]
            and all(getattr(self, each).grew_from(getattr(former, each)) for each in domains)
        )

    def _take_facts(self, cursor: Cursor, former: Snapshot | None) -> bool:
        """Take the facts of the former snapshot, if they are what they were; else False."""
        if former is None or not self._unchanged(former, "facts", "entities", "chunks"):
            return False
        if not np.array_equal(self.chunks.mtime_array[: len(former.chunks)], former.chunks.mtime_array):
            return False  # a fact without a date has that of its passage
        if not same_pages(cursor, former.facts):
            return False
        for name in _OF_FACTS:
            setattr(self, name, getattr(former, name))
        count = len(self.entities)
        self.stated, self.received = former.stated.grown(count), former.received.grown(count)
        self._whole.add("facts")
        return True

    def _load_facts(self, table: Table, pages: dict[str, PageColumn], tables: Columns) -> None:
        subject, chunk = self.entities.map(table["subject_id"]), self.chunks.map(table["chunk_id"])
        keep = (subject >= 0) & (chunk >= 0)
        if keep.all() and len(table["id"]) == self._marks["facts"][0]:
            self._whole.add("facts")
        table, pages = keep_rows(table, pages, keep)
        subject, chunk = subject[keep].astype(np.int32), chunk[keep].astype(np.int32)
        self.facts = Domain("fact", table["id"], table["ctime"])
        self.facts.pages = pages
        dated = table["month"] >= 0
        self.facts.set_mtime(np.where(dated, table["dated"], self.chunks.mtime_array[chunk]))
        self.fact_month_array = table["month"].astype(np.int32)
        self.fact_month = flat(self.fact_month_array)
        self.fact_day_array = table["day"].astype(np.int32)
        self.fact_status_array = table["status"].astype(np.int8)
        """The index in ``model.STATUSES``."""
        codes = [self.names.number(safe_name(kind)) for kind in tables["fact_types"]["type"].tolist()]
        kinds = np.array([*codes, 0], np.int32)[table["type"]]
        self.fact_types = sorted(np.unique(kinds).tolist())
        self.fact_type_array = kinds
        self.fact_type = flat(kinds)
        self.by_fact_type = {kind: np.nonzero(kinds == kind)[0].astype(np.int32) for kind in self.fact_types}
        self.fact_hash = flat(table["hash"].astype(np.uint64))
        by_hash = order_of(table["hash"])
        self._hash_order = flat(by_hash)
        self._hashes = flat(np.ascontiguousarray(table["hash"].astype(np.uint64)[by_hash]))
        self.fact_subject_array, self.fact_chunk_array = subject, chunk
        self.fact_subject, self.fact_chunk = flat(subject), flat(chunk)
        self.fact_object_array = self.entities.map(table["object_id"]).astype(np.int32)
        self.fact_object = flat(self.fact_object_array)
        if ((self.fact_object_array < 0) & (table["object_id"] >= 0)).any():
            self._whole.discard("facts")
        sizes = pages["fact_line"].size_array.astype(np.int64)
        count = len(self.entities)
        dates = self.facts.mtime_array
        self.stated = FactGroups(count, subject, kinds, self.fact_object_array, sizes, dates)
        self.received = FactGroups(count, self.fact_object_array, kinds, subject, sizes, dates)
        self.facts.set_order((kinds,))
        self.months_of_facts = months(self.fact_month_array)
        holders = self.entities.map(table["conflict_id"])
        if ((holders < 0) & (table["conflict_id"] >= 0)).any():
            self._whole.discard("facts")
        self._load_conflicts(holders)

    def _load_conflicts(self, holders: Ints) -> None:
        """``holders`` are the entities of which facts contradict another, -1 of those that contradict none."""
        found: dict[int, dict[int, list[int]]] = {}
        for fact in np.nonzero(holders >= 0)[0].tolist():
            # BORN, and BORN_ON as a table has it, are one thing.
            kind = self.names.number(self.names.name(self.fact_type[fact]).removesuffix("_ON"))
            found.setdefault(kind, {}).setdefault(self.entities.ids[int(holders[fact])], []).append(fact)
        for groups in found.values():  # of a fact whose other side is not shown nothing is seen
            for entity in [entity for entity, facts in groups.items() if len(facts) < 2]:
                del groups[entity]
        self.conflicts = {kind: groups for kind, groups in sorted(found.items()) if groups}
        """Number of a fact type to entity (row id) to the facts that contradict each other."""

    def latest_first(self, facts: Iterable[int]) -> list[int]:
        """Facts in the order in which they are shown: the dated ones, newest first, then the others; then by id."""
        dates, months, hashes = self.facts.mtime, self.fact_month, self.fact_hash
        return sorted(facts, key=lambda fact: (months[fact] < 0, -dates[fact], hashes[fact]))

    def fact_by_hash(self, value: int) -> int:
        """The fact whose id ends in these 16 hexadecimal digits, or -1."""
        place = bisect_left(self._hashes, value)
        return self._hash_order[place] if place < len(self._hashes) and self._hashes[place] == value else -1

    # --- what belongs to what ---------------------------------------------------------------------------------------

    def _load_relations(self, tables: Columns, former: Snapshot | None) -> None:
        def pair(part: str, forth: str, back: str | None, owner: str, target: str, columns: tuple[str, str]) -> None:
            """A relation and its inverse, from a table or as they were."""
            owners, targets = getattr(self, owner), getattr(self, target)
            if former is not None and self._unchanged(former, part, owner, target):
                setattr(self, forth, getattr(former, forth).grown(len(owners)))
                if back is not None:
                    setattr(self, back, getattr(former, back).grown(len(targets)))
                self._whole.add(part)
                return
            of, to = owners.map(tables[part][columns[0]]), targets.map(tables[part][columns[1]])
            keep = (of >= 0) & (to >= 0)
            if keep.all():
                self._whole.add(part)
            relation = Csr(len(owners), of[keep], to[keep])
            setattr(self, forth, relation)
            if back is not None:
                setattr(self, back, relation.reverse(len(targets)))

        pair("entity_chunks", "entity_chunks", "chunk_entities", "entities", "chunks", ("entity_id", "chunk_id"))
        pair("chunk_topics", "topic_chunks", "chunk_topics", "topics", "chunks", ("topic_id", "chunk_id"))
        pair("fact_topics", "topic_facts", None, "topics", "facts", ("topic_id", "fact_id"))
        links = ("document_id", "target_id")
        pair("document_links", "document_links", "document_backlinks", "documents", "documents", links)
        pair("entity_pages", "entity_pages", "page_entities", "entities", "documents", ("entity_id", "document_id"))
        if former is not None and self.facts is former.facts:
            self.chunk_facts = former.chunk_facts.grown(len(self.chunks))
        else:
            self.chunk_facts = Csr(len(self.chunks), self.fact_chunk_array, np.arange(len(self.facts)))
        self.entity_topics = Derived(through(self.entity_chunks, self.chunk_topics))
        self.entity_documents = Derived(mapped(self.entity_chunks, self.chunk_document_array))
        self.topic_entities = Derived(through(self.topic_chunks, self.chunk_entities))
        neighbours = through(self.entity_chunks, self.chunk_entities, without_owner=True)
        self.co_occurring = Derived(neighbours, keep=1024)
        self.document_entities = Derived(lambda document: self._over_chunks(document, self.chunk_entities))
        self.document_topics = Derived(lambda document: self._over_chunks(document, self.chunk_topics))
        self.entity_links = Derived(through(self.entity_pages, self.document_links))
        self.entity_backlinks = Derived(through(self.entity_pages, self.document_backlinks))
        self.topic_all_chunks = Derived(self._with_subtopics, keep=1024)
        self.months_of_chunks = months(self.chunk_month_array)

    def _over_chunks(self, document: int, relation: Csr) -> Ints:
        parts = [relation.members(chunk) for chunk in self.chunks_of(document)]
        return np.unique(np.concatenate(parts)) if parts else np.empty(0, np.int32)

    def topics_beneath(self, topic: int) -> list[int]:
        """A topic and all that are nested in it, itself first."""
        found = [topic]
        for each in found:
            found.extend(self.topic_children[each])
        return found

    def _with_subtopics(self, topic: int) -> Ints:
        return np.unique(np.concatenate([self.topic_chunks.members(each) for each in self.topics_beneath(topic)]))

    def _load_times(self) -> None:
        """Newest members: an entity's of its facts and chunks, a topic's of its chunks, with those of its subtopics."""

        def or_else(values: Ints, fallback: Ints) -> Ints:
            return np.where(values > NO_TIME, values, fallback)

        entities, topics, chunks = self.entities, self.topics, self.chunks
        from_chunks = self.entity_chunks.newest(chunks.mtime_array)
        newest = np.maximum(from_chunks, np.maximum(self.stated.newest_array, self.received.newest_array))
        entities.set_mtime(or_else(newest, entities.ctime_array))
        own = entities.mtime_array
        own_topics = self.topic_chunks.newest(chunks.mtime_array).tolist()
        for index in range(len(own_topics)):
            value, above = own_topics[index], self.topic_parent[index]
            while above >= 0 and own_topics[above] < value:
                own_topics[above] = value
                above = self.topic_parent[above]
        topics.set_mtime(or_else(np.array(own_topics, np.int64), topics.ctime_array))
        chunk_topics = self.chunk_topics.newest(topics.mtime_array)
        chunk_entities = self.chunk_entities.newest(own)
        documents = self.documents.mtime_array[self.chunk_document_array]
        chunk_facts = self.chunk_facts.newest(self.facts.mtime_array)
        linked = self.document_links.newest(self.documents.mtime_array)
        linking = self.document_backlinks.newest(self.documents.mtime_array)

        def shown(values: Ints, fallback: Ints) -> memoryview:
            return flat(or_else(values, fallback))

        self.newest: dict[str, memoryview] = {
            "entity_facts": shown(self.stated.newest_array, own),
            "entity_mentions": shown(self.received.newest_array, own),
            "entity_relationships": shown(self.stated.newest_edge_array, own),
            "entity_chunks": shown(from_chunks, own),
            "entity_topics": shown(self.entity_chunks.newest(chunk_topics), own),
            "entity_documents": shown(self.entity_chunks.newest(documents), own),
            "entity_neighbours": shown(self.entity_chunks.newest(chunk_entities), own),
            "entity_links": shown(self.entity_pages.newest(linked), own),
            "entity_backlinks": shown(self.entity_pages.newest(linking), own),
            "topic_entities": shown(self.topic_chunks.newest(chunk_entities), topics.mtime_array),
            "topic_chunks": shown(self.topic_chunks.newest(chunks.mtime_array), topics.mtime_array),
            "topic_facts": shown(self.topic_facts.newest(self.facts.mtime_array), topics.mtime_array),
            "chunk_entities": shown(chunk_entities, chunks.mtime_array),
            "chunk_topics": shown(chunk_topics, chunks.mtime_array),
            "chunk_facts": shown(chunk_facts, chunks.mtime_array),
            "document_chunks": shown(self._by_document(chunks.mtime_array), self.documents.mtime_array),
            "document_entities": shown(self._by_document(chunk_entities), self.documents.mtime_array),
            "document_topics": shown(self._by_document(chunk_topics), self.documents.mtime_array),
            "document_links": shown(linked, self.documents.mtime_array),
            "document_backlinks": shown(linking, self.documents.mtime_array),
        }
        self.latest = {
            domain.kind: int(domain.mtime_array.max()) if len(domain) else self.published
            for domain in (self.documents, chunks, entities, self.facts, topics, self.items)
        }
        self.latest["all"] = max((self.latest[d.kind] for d in (self.documents, entities)), default=self.published)
        self.type_newest = {
            number: int(own[members].max()) if len(members) else self.published
            for number, members in self.by_type.items()
        }
        self.fact_type_newest = {
            kind: int(self.facts.mtime_array[members].max()) for kind, members in self.by_fact_type.items()
        }

    def _by_document(self, of_chunks: Ints) -> Ints:
        return reduce_over(
            np.maximum, of_chunks[np.asarray(self._in_document)], np.asarray(self._document_bounds), NO_TIME
        )

    def _load_indicators(self, table: Table) -> None:
        owners = self.entities.map(table["owner_id"]).tolist()
        self.indicators: dict[int, dict[int, tuple[int, int]]] = {}
        """Entity index to indicator number to page id and size."""
        columns = (owners, table["name"].tolist(), table["page_id"].tolist(), table["size"].tolist())
        for owner, name, page_id, size in zip(*columns, strict=True):
            if owner >= 0:
                self.indicators.setdefault(owner, {})[self.names.number(name)] = (page_id, size)

    def _load_former(self, table: Table) -> None:
        domains = {"entity": self.entities, "document": self.documents, "topic": self.topics}
        columns = (table[name].tolist() for name in ("kind", "directory", "slug", "target_id"))
        for kind, directory, slug, target in zip(*columns, strict=True):
            domain = domains.get(kind)
            index = domain.find_index(target) if domain is not None else -1
            if domain is None or index < 0 or not usable(slug):
                continue
            if kind != "entity":
                if slug not in domain.by_slug:
                    domain.former.setdefault("", {})[slug] = index
                continue
            number = self.names.number(directory)
            holder = domain.by_slug.get(slug, -1)
            if holder < 0 or self.entity_directory[holder] != number:
                domain.former.setdefault(directory, {})[slug] = index
                if number not in self.by_type:
                    self.by_type[number] = np.empty(0, np.int32)
                    self.type_newest[number] = self.published
                    self.type_directories = sorted(self.by_type)
            if holder < 0 and slug not in self.aliases:
                self.aliases[slug] = index
                self.alias_names.setdefault(index, []).append(slug)

    def _load_sources(self, table: Table) -> None:
        self.sources: dict[str, tuple[int, str, int]] = {}
        """Name to row id, the path that it leads to, and that one's time."""
        columns = (table[name].tolist() for name in ("id", "name", "drive", "path"))
        for row_id, name, drive, path in zip(*columns, strict=True):
            found = self.context.find_stored(drive, path)
            if found is None or not usable(name):
                continue
            if isinstance(found, int):
                self.sources[name] = (row_id, self.context.path(found), self.item_mtime(found))
            else:
                self.sources[name] = (row_id, "/".join(("context", *found.names())), found.mtime)
        self.source_names = {row_id: name for name, (row_id, _, _) in self.sources.items()}

    def _load_path_sizes(self) -> None:
        """Bytes of the canonical path of each row, by its kind; of the entities on both sides of each fact."""
        entity = byte_lengths(self.entities.slugs) + len("entities//")
        kinds = [len(self.names.name(number).encode()) for number in range(len(self.names))]
        of_names = np.array([*kinds, 0], np.int32)
        entity += of_names[self.entity_directory_array]
        document = byte_lengths(self.documents.slugs)
        chunk = document[self.chunk_document_array] + np.asarray(self.document_width)[self.chunk_document_array]
        topic = byte_lengths([self.topic_path(index) for index in range(len(self.topics))])
        objects = np.append(entity, 0)[self.fact_object_array]
        columns = {
            "entity": entity,
            "document": document + len("documents/"),
            "chunk": chunk + len("chunks/by_document//chunk_"),
            "topic": topic,
            "fact": of_names[self.fact_type_array] + len("facts/by_type//f_0123456789abcdef.json"),
            "subject": entity[self.fact_subject_array],
            "object": objects,
        }
        self.path_sizes = {kind: flat(column.astype(np.int32)) for kind, column in columns.items()}

    # --- canonical paths --------------------------------------------------------------------------------------------

    def entity_path(self, index: int) -> str:
        return f"entities/{self.names.name(self.entity_directory[index])}/{self.entities.slugs[index]}"

    def document_path(self, index: int) -> str:
        return f"documents/{self.documents.slugs[index]}"

    def chunk_name(self, index: int) -> str:
        """``chunk_0042``, as wide as the document needs."""
        return f"chunk_{self.chunk_ordinal[index]:0{self.document_width[self.chunk_document[index]]}d}"

    def chunk_id(self, index: int) -> str:
        return f"{self.documents.slugs[self.chunk_document[index]]}_{self.chunk_name(index)}"

    def chunk_path(self, index: int) -> str:
        return f"chunks/by_document/{self.documents.slugs[self.chunk_document[index]]}/{self.chunk_name(index)}"

    def fact_name(self, index: int) -> str:
        return f"f_{self.fact_hash[index]:016x}"

    def fact_path(self, index: int) -> str:
        return f"facts/by_type/{self.names.name(self.fact_type[index])}/f_{self.fact_hash[index]:016x}.json"

    def topic_path(self, index: int) -> str:
        return "topics/" + "/subtopics/".join(self.topic_names_above(index))


def byte_lengths(texts: list[str]) -> Ints:
    """How long each text is in UTF-8."""
    plain = "".join(texts).isascii()
    lengths = map(len, texts) if plain else (len(text.encode()) for text in texts)
    return np.fromiter(lengths, np.int32, len(texts))


def months(of_rows: Ints) -> dict[int, Ints]:
    """Month (year * 12 + month - 1, -1 undated) to the indexes of its rows, both sorted."""
    order = order_of(of_rows)
    values, starts = np.unique(of_rows[order], return_index=True)
    return dict(zip(values.tolist(), np.split(order, starts[1:]), strict=True)) if len(values) else {}
