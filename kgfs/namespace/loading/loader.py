"""A snapshot made of the store's rows, and of the snapshot before where that is of the same store.

Used by ``Namespace.load_snapshot``, in a thread; a handful of statements in one read transaction. What no row changed
of is the former snapshot's own, what few rows changed of is copied with those put in. The former one stays as it is:
others read it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kgfs.namespace.domains import Domain, Slugged, pages_of
from kgfs.namespace.loading.context import load_items, load_sources
from kgfs.namespace.loading.dates import load_dates
from kgfs.namespace.loading.edits import Edit, Edited, grouped, regrouped
from kgfs.namespace.loading.facts import load_facts
from kgfs.namespace.loading.load_state import LoadState
from kgfs.namespace.loading.naming import load_entities, load_former_names, load_path_sizes, renamed
from kgfs.namespace.loading.relating import load_relations
from kgfs.namespace.loading.rows import Incomparable, Rows
from kgfs.namespace.relations import flat, reduce_over
from kgfs.namespace.snapshot import Snapshot
from kgfs.store.tree import pages as page_rows

if TYPE_CHECKING:
    from kgfs.namespace.context_tree import FileNumbers
    from kgfs.namespace.node import NumberedNames
    from kgfs.progress import Cancel
    from kgfs.store.catalog.database import Cursor


def load_snapshot(
    cursor: Cursor,
    numbered: NumberedNames,
    numbers: FileNumbers | None = None,
    former: Snapshot | None = None,
    *,
    anew: bool = False,
    cancel: Cancel | None = None,
) -> Snapshot:
    """The newest published state of a store. ``former`` is an earlier snapshot of it, if there is one; ``anew`` reads
    all rows, though numbers that it gave out stay. ``Cancelled`` once ``cancel`` is set."""
    if former is None or former.names is not numbered:
        return _load(cursor, numbered, numbers, None, None, cancel)
    s = _load_behind(cursor, numbered, numbers, former, anew, cancel)
    s.entities.take_prefixes(former.entities, numbered)
    s.documents.take_prefixes(former.documents, numbered)
    return s


def _load_behind(
    cursor: Cursor,
    numbered: NumberedNames,
    numbers: FileNumbers | None,
    former: Snapshot,
    anew: bool,
    cancel: Cancel | None,
) -> Snapshot:
    if anew:
        return _load(cursor, numbered, numbers, None, former.load_state, cancel)
    try:
        return _load(cursor, numbered, numbers, former, former.load_state, cancel)
    except Incomparable:
        return _load(cursor, numbered, numbers, None, former.load_state, cancel)


def _load(
    cursor: Cursor,
    numbered: NumberedNames,
    numbers: FileNumbers | None,
    former: Snapshot | None,
    state: LoadState | None,
    cancel: Cancel | None,
) -> Snapshot:
    s = Snapshot(*page_rows.generation(cursor), numbered)
    rows = Rows(cursor, numbered, None if former is None else former.load_state, state, cancel)
    s.load_state = rows.load_state
    load_items(s, cursor, rows.domain("items"), rows.load_state, None if former is None else former.load_state, numbers)
    _load_documents(s, rows.domain("documents"), former)
    _load_topics(s, rows.domain("topics"), former)
    load_entities(s, cursor, rows, former)
    _load_chunks(s, rows.domain("chunks"), former)
    load_facts(s, rows.domain("facts"), rows.load_state.rows["entities"].edit, former)
    s.indicators = rows.indicators()
    touched = load_relations(s, rows, former)
    load_dates(s, former, touched)
    load_path_sizes(s)
    load_former_names(s, cursor)
    load_sources(s, cursor)
    for name, found in rows.load_state.rows.items():
        rows.load_state.rows[name] = found._replace(edit=Edit(len(found.ids)))
    return s


def _load_documents(s: Snapshot, found: Edited, former: Snapshot | None) -> None:
    columns = found.columns
    slugs, by_slug = renamed(found, None if former is None else former.documents)
    s.documents = Slugged("document", found.ids, columns["ctime"], slugs, by_slug)
    s.documents.pages = pages_of("documents", columns)
    item = s.items.map(found.ids).astype(np.int32)
    s.document_item = flat(item)
    written = np.where(item >= 0, np.append(s.items.mtime_array, 0)[item], 0)
    s.documents.set_mtime(np.where(columns["month"] >= 0, columns["dated"], written))
    s.document_month_array, s.document_day_array = columns["month"], columns["day"]
    s.document_size = flat(columns["size"])
    s.document_linked = flat(columns["content"] * (item >= 0).astype(np.int8))
    s.document_stored = flat(columns["stored"])


def _load_chunks(s: Snapshot, found: Edited, former: Snapshot | None) -> None:
    columns = found.columns
    document = columns["document"]
    s.chunks = Domain("chunk", found.ids, columns["ctime"])
    s.chunks.pages = pages_of("chunks", columns)
    dated = columns["month"] >= 0
    s.chunks.set_mtime(np.where(dated, columns["dated"], s.documents.mtime_array[document]))
    s.chunk_month_array = np.where(dated, columns["month"], s.document_month_array[document])
    s.chunk_month = flat(s.chunk_month_array)
    s.chunk_day_array = np.where(dated, columns["day"], s.document_day_array[document])
    s.chunk_document_array = document
    s.chunk_document = flat(document)
    s.chunk_ordinal = flat(columns["ordinal"])
    s.chunk_size = flat(columns["size"])
    s.chunk_tokens = flat(columns["tokens"])
    s.chunk_indexed = flat(columns["indexed"])
    if former is not None:
        s.months_of_chunks = regrouped(
            former.months_of_chunks, former.chunk_month_array, s.chunk_month_array, found.edit
        )
    else:
        s.months_of_chunks = grouped(s.chunk_month_array)
    ordinal = columns["ordinal"]
    same = former is not None and found.edit.grew and not len(found.edit.came)
    if (
        former is not None
        and same
        and document is former.chunk_document_array
        and (
            ordinal is former.load_state.rows["chunks"].columns["ordinal"] and len(s.documents) == len(former.documents)
        )
    ):
        s.chunks.take_order(former.chunks)
        s.in_document, s.document_bounds, s.document_width = (
            former.in_document, former.document_bounds, former.document_width,
        )  # fmt: skip
        return
    s.chunks.set_order((ordinal, document))
    places = np.array(s.chunks.order)
    s.in_document = flat(places)
    bounds = np.searchsorted(document[places], np.arange(len(s.documents) + 1)).astype(np.int64)
    s.document_bounds = flat(bounds)
    highest = reduce_over(np.maximum, ordinal.astype(np.int64)[places], bounds, 0)
    tens = 10 ** np.arange(4, 19, dtype=np.int64)
    s.document_width = flat((4 + np.searchsorted(tens, highest, side="right")).astype(np.int8))


def _load_topics(s: Snapshot, found: Edited, former: Snapshot | None) -> None:
    columns = found.columns
    slugs, by_slug = renamed(found, None if former is None else former.topics)
    s.topics = Slugged("topic", found.ids, columns["ctime"], slugs, by_slug)
    s.topics.pages = pages_of("topics", columns)
    s.topic_names = columns["name"].tolist()
    parents = s.topics.map(columns["parent"]).tolist()
    for index in range(len(parents)):  # a ring would have no root and never be found: cut it
        seen, above = {index}, parents[index]
        while above >= 0:
            if above in seen:
                parents[index] = -1
                break
            seen.add(above)
            above = parents[above]
    s.topic_parent = parents
    s.topic_children = [[] for _ in parents]
    s.topic_roots = []
    for index, parent in enumerate(parents):
        (s.topic_children[parent] if parent >= 0 else s.topic_roots).append(index)
