"""The graph's whole topology in memory: compact columns of one generation, immutable once loaded.

``loading`` makes it, in a thread; everything else only reads. Things are known by *index* (their place in id order)
inside the snapshot and by row id in nodes; ``Domain.index`` translates. Times are microseconds since 1970. A row whose
pages are not rendered yet is left out: what is shown has its true size.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from kgfs import paths
from kgfs.namespace.context_tree import ContextTree, StoredFile
from kgfs.namespace.domains import Domain, Slugged, alias_mark
from kgfs.namespace.fact_groups import FactGroups
from kgfs.namespace.node import NumberedNames
from kgfs.namespace.relations import Csr, Derived, Ints

if TYPE_CHECKING:
    from kgfs.namespace.loading.load_state import LoadState


class Snapshot:
    """One generation of the graph. See ``loading.loader.load_snapshot`` for how it comes about."""

    load_state: LoadState
    """What the next snapshot is made of."""

    # Rows, and what is known of them by index.
    items: Domain
    item_size: memoryview
    item_mode: memoryview
    item_textual: memoryview
    context: ContextTree
    documents: Slugged
    document_month_array: Ints
    document_day_array: Ints
    document_item: memoryview
    document_size: memoryview
    document_linked: memoryview
    document_stored: memoryview
    document_width: memoryview
    """How many digits the numbers of its chunks have."""
    chunks: Domain
    chunk_month_array: Ints
    chunk_month: memoryview
    chunk_day_array: Ints
    chunk_document_array: Ints
    chunk_document: memoryview
    chunk_ordinal: memoryview
    chunk_size: memoryview
    chunk_tokens: memoryview
    chunk_indexed: memoryview
    in_document: memoryview
    """The chunks of all documents, in order."""
    document_bounds: memoryview
    """Where those of each document begin there."""
    months_of_chunks: dict[int, Ints]
    """Month (year * 12 + month - 1, -1 undated) to the indexes of its rows, both sorted."""
    topics: Slugged
    topic_names: list[str]
    topic_parent: list[int]
    topic_children: list[list[int]]
    topic_roots: list[int]
    entities: Slugged
    entity_types: list[str]
    entity_type: memoryview
    """The place of each entity's type among ``entity_types``."""
    entity_directory_array: Ints
    entity_directory: memoryview
    type_directories: list[int]
    by_type: dict[int, Ints]
    people: int
    places: int
    aliases: dict[str, int]
    alias_names: dict[int, list[str]]
    indicators: dict[int, dict[int, tuple[int, int]]]
    """Entity index to indicator number to page id and size."""
    facts: Domain
    fact_month_array: Ints
    fact_month: memoryview
    fact_day_array: Ints
    fact_status_array: Ints
    """The index in ``model.STATUSES``."""
    fact_types: list[int]
    fact_type_array: Ints
    fact_type: memoryview
    by_fact_type: dict[int, Ints]
    fact_hash: memoryview
    hash_order: memoryview
    """The facts by their hash."""
    hashes: memoryview
    """Those hashes, in order."""
    fact_subject_array: Ints
    fact_subject: memoryview
    fact_chunk_array: Ints
    fact_chunk: memoryview
    fact_object_array: Ints
    fact_object: memoryview
    months_of_facts: dict[int, Ints]
    conflicts: dict[int, dict[int, list[int]]]
    """Number of a fact type to entity (row id) to the facts that contradict each other."""
    sources: dict[str, tuple[int, str, int]]
    """Name to row id, the path that it leads to, and that one's time."""
    source_names: dict[int, str]
    path_sizes: dict[str, memoryview]
    """Bytes of the canonical path of each row, by its kind; of the entities on both sides of each fact."""

    # What belongs to what.
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
    entity_topics: Derived
    entity_documents: Derived
    topic_entities: Derived
    co_occurring: Derived
    document_entities: Derived
    document_topics: Derived
    entity_links: Derived
    entity_backlinks: Derived
    topic_all_chunks: Derived

    # Dates.
    newest: dict[str, memoryview]
    """The newest member of what stands in a row's directory."""
    latest: dict[str, int]
    type_newest: dict[int, int]
    fact_type_newest: dict[int, int]

    def __init__(self, generation: int, published: int, numbered: NumberedNames) -> None:
        self.position = 0
        """Where in the journal it was loaded."""
        self.overwritten: list[int] = []
        """Inodes of files that were open when it was adopted, and of which its rows say something new."""
        self.generation, self.published = generation, published
        self.names = numbered
        self.columns: dict[int, Any] = {}
        """Rows of the table to their columns (``attributes``), filled when first asked for."""
        self.depths: dict[int, int] = {}
        """Row and query to how deep its links stand, filled when first asked for."""
        self.rendered: dict[Any, bytes] = {}
        """Whole-graph files, rendered when first asked for."""
        self._marked: dict[int, dict[int, str]] = {}
        """Entity to its aliases by mark, of those that somebody asked for."""

    # --- stored files -----------------------------------------------------------------------------------------------

    def row_file(self, inode: int, item: int) -> StoredFile:
        index = self.items.index(item)
        return StoredFile(
            inode, item, self.item_size[index], self.items.mtime[index], self.items.ctime[index],
            self.item_mode[index], bool(self.item_textual[index]), target=self.context.targets.get(inode),
        )  # fmt: skip

    def file(self, inode: int) -> StoredFile:
        """What is known of a stored file; ``NotFoundError`` where it is gone."""
        live = self.context.live.get(inode)
        return live or self.row_file(inode, self.context.item_of(inode))

    def item_mtime(self, inode: int) -> int:
        """The last write of a stored file."""
        live = self.context.live.get(inode)
        return self.items.mtime[self.items.index(self.context.item_of(inode))] if live is None else live.mtime

    def directory_of(self, item: int) -> int:
        """The key of the directory in which a stored file stands, -1 where there is none."""
        found = self.context.place.get(self.context.inode_of(item))
        return -1 if found is None else found[0].key

    # --- rows -------------------------------------------------------------------------------------------------------

    def chunks_of(self, document: int) -> memoryview:
        """The chunks of a document, in order."""
        return self.in_document[self.document_bounds[document] : self.document_bounds[document + 1]]

    def chunk_at(self, document: int, ordinal: int) -> int:
        """The chunk of a document with this ordinal, or -1."""
        members = self.chunks_of(document)
        if 0 < ordinal <= len(members) and self.chunk_ordinal[members[ordinal - 1]] == ordinal:
            return int(members[ordinal - 1])
        return next((chunk for chunk in members if self.chunk_ordinal[chunk] == ordinal), -1)

    def topic_names_above(self, index: int) -> list[str]:
        """Slugs from the root topic down to this one."""
        slugs = []
        while index >= 0:
            slugs.append(self.topics.slugs[index])
            index = self.topic_parent[index]
        return slugs[::-1]

    def over_chunks(self, document: int, relation: Csr) -> Ints:
        parts = [relation.members(chunk) for chunk in self.chunks_of(document)]
        return np.unique(np.concatenate(parts)) if parts else np.empty(0, np.int32)

    def topics_beneath(self, topic: int) -> list[int]:
        """A topic and all that are nested in it, itself first."""
        found = [topic]
        for each in found:
            found.extend(self.topic_children[each])
        return found

    def with_subtopics(self, topic: int) -> Ints:
        return np.unique(np.concatenate([self.topic_chunks.members(each) for each in self.topics_beneath(topic)]))

    def alias(self, index: int, mark: int) -> str | None:
        """The alias of an entity that has this mark (``alias_mark``)."""
        marked = self._marked.get(index)
        if marked is None:
            marked = self._marked[index] = {alias_mark(name): name for name in self.alias_names.get(index, ())}
        return marked.get(mark)

    def latest_first(self, facts: Iterable[int]) -> list[int]:
        """Facts in the order in which they are shown: the dated ones, newest first, then the others; then by id."""
        dates, months, hashes = self.facts.mtime, self.fact_month, self.fact_hash
        return sorted(facts, key=lambda fact: (months[fact] < 0, -dates[fact], hashes[fact]))

    def fact_by_hash(self, value: int) -> int:
        """The fact whose id ends in these 16 hexadecimal digits, or -1."""
        place = bisect_left(self.hashes, value)
        return self.hash_order[place] if place < len(self.hashes) and self.hashes[place] == value else -1

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
        return paths.fact_id(self.fact_hash[index])

    def fact_path(self, index: int) -> str:
        return f"facts/by_type/{self.names.name(self.fact_type[index])}/{self.fact_name(index)}.json"

    def topic_path(self, index: int) -> str:
        return "topics/" + "/subtopics/".join(self.topic_names_above(index))
