"""Rows of one kind as columns: ids in order, times, names, and the pages that each row has.

Used by ``snapshot``, which builds them in the thread that loads it; after that they are only read.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from functools import cached_property
from zlib import crc32

import numpy as np

from kgfs import names
from kgfs.errors import NotFoundError
from kgfs.namespace.relations import Ints, flat, order_of
from kgfs.store.catalog.database import Cursor
from kgfs.store.tree.columns import Table, read_pages

PAGE_VIEWS: dict[str, tuple[str, ...]] = {
    "documents": ("document_metadata", "document_summary", "document_structure", "document_toc"),
    "chunks": ("chunk_metadata",),
    "entities": ("entity_summary", "entity_metadata", "co_occurs"),
    "facts": ("fact_line",),
    "topics": ("topic_definition",),
}
"""The views that every row of a domain has one page of."""


def gone(what: str) -> NotFoundError:
    """The error for a node whose row or group is no longer there."""
    return NotFoundError(f"This {what} is no longer in the graph.")


class PageColumn:
    """Page ids and sizes of one view, by index of the owner."""

    def __init__(self, ids: Ints, sizes: Ints) -> None:
        self.id_array = ids
        self.size_array = sizes
        self.ids = flat(ids)
        self.sizes = flat(sizes)


class Domain:
    """Rows of one kind: ids in order, their times, and the pages that each has."""

    def __init__(self, kind: str, ids: Ints, ctime: Ints) -> None:
        self.kind = kind
        self.id_array = ids.astype(np.int64)
        self.ctime_array = ctime.astype(np.int64)
        self.mtime_array = np.zeros(len(ids), np.int64)
        self.ids = flat(self.id_array)
        self.ctime = flat(self.ctime_array)
        self.mtime = flat(self.mtime_array)
        self.pages: dict[str, PageColumn] = {}
        self.order = self.rank = flat(np.arange(len(ids), dtype=np.int32))
        """Index by place in a walk, and place by index: what is read together is loaded together."""
        self._count = len(ids)
        self._first = int(ids[0]) if len(ids) else 0

    def __len__(self) -> int:
        return self._count

    def find_index(self, row_id: int) -> int:
        """The index of a row id, or -1."""
        ids = self.ids
        # Ids are given out in order and seldom removed: look first where the id stands if none is missing.
        high = row_id - self._first
        if high < 0:
            return -1
        if high < self._count and ids[high] == row_id:
            return high
        place = bisect_left(ids, row_id, 0, min(high, self._count))
        return place if place < self._count and ids[place] == row_id else -1

    def index(self, row_id: int) -> int:
        """The index of a row id; ``NotFoundError`` when the row is gone."""
        found = self.find_index(row_id)
        if found < 0:
            raise gone(self.kind)
        return found

    def indexes(self, row_ids: list[int]) -> list[int]:
        """``index`` of each."""
        if len(row_ids) < 32:
            index = self.index
            return [index(row_id) for row_id in row_ids]
        found = self.map(np.array(row_ids, np.int64)).tolist()
        if -1 in found:
            raise gone(self.kind)
        return found  # type: ignore[no-any-return]

    def map(self, row_ids: Ints) -> Ints:
        """Indexes of many row ids, -1 where there is none."""
        if not self._count:
            return np.full(len(row_ids), -1, np.int64)
        if self.ids[-1] - self._first == self._count - 1:  # none is missing in between
            places = np.asarray(row_ids, np.int64) - self._first
            return np.where((places >= 0) & (places < self._count), places, -1)
        places = np.searchsorted(self.id_array, row_ids)
        places[places == self._count] = 0
        return np.where(self.id_array[places] == row_ids, places, -1)

    def grew_from(self, former: Domain) -> bool:
        """Whether each row of an earlier snapshot has its index still: rows only came behind them."""
        return np.array_equal(self.id_array[: len(former)], former.id_array)

    def set_mtime(self, values: Ints) -> None:
        self.mtime_array[:] = values

    def set_order(self, keys: tuple[Ints, ...]) -> None:
        """Walk order: by the last key first, as ``numpy.lexsort``."""
        order = order_of(*keys)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order), dtype=np.int32)
        self.order, self.rank = flat(order), flat(rank)


class Slugged(Domain):
    """Rows that have a name of their own in the tree."""

    def __init__(self, kind: str, ids: Ints, ctime: Ints, slugs: Ints) -> None:
        super().__init__(kind, ids, ctime)
        self.slugs: list[str] = slugs.tolist()
        self.by_slug: dict[str, int] = {slug: index for index, slug in enumerate(self.slugs)}
        self.former: dict[str, dict[str, int]] = {}
        """Directory (empty but for entities) to former slug to index."""

    @cached_property
    def former_places(self) -> dict[tuple[int, int], tuple[str, str]]:
        """Index and mark (``alias_mark``) of a former slug to its directory and itself."""
        every = ((name, at, index) for at, names in self.former.items() for name, index in names.items())
        places: dict[tuple[int, int], tuple[str, str]] = {}
        for name, directory, index in every:
            places.setdefault((index, alias_mark(name)), (directory, name))
        return places


def with_pages(cursor: Cursor, table: Table, views: Iterable[str]) -> tuple[Table, dict[str, PageColumn]]:
    """A table and its page columns, without the rows that lack a page."""
    ids = table["id"].astype(np.int64)
    columns: dict[str, PageColumn] = {}
    keep = np.ones(len(ids), bool)
    for view in views:
        pages = read_pages(cursor, view)
        page_ids, sizes = np.full(len(ids), -1, np.int64), np.zeros(len(ids), np.int32)
        if len(ids) and len(pages["owner_id"]):
            places = np.searchsorted(ids, pages["owner_id"])
            places[places == len(ids)] = 0
            owned = ids[places] == pages["owner_id"]
            page_ids[places[owned]] = pages["page_id"][owned]
            sizes[places[owned]] = pages["size"][owned]
        keep &= page_ids >= 0
        columns[view] = PageColumn(page_ids, sizes)
    return keep_rows(table, columns, keep)


def same_pages(cursor: Cursor, domain: Domain) -> bool:
    """Whether all rows of a domain have the pages that they had."""
    _, now = with_pages(cursor, {"id": domain.id_array}, domain.pages)
    return all(np.array_equal(now[view].id_array, column.id_array) for view, column in domain.pages.items())


def keep_rows(table: Table, pages: dict[str, PageColumn], keep: Ints) -> tuple[Table, dict[str, PageColumn]]:
    if keep.all():
        return table, pages
    kept = {view: PageColumn(page.id_array[keep], page.size_array[keep]) for view, page in pages.items()}
    return {name: column[keep] for name, column in table.items()}, kept


def usable(name: str) -> bool:
    """Whether a stored name can stand in a directory as it is."""
    return (
        bool(name)
        and name not in (".", "..")
        and "/" not in name
        and "\0" not in name
        and len(names.name_bytes(name)) <= 255
    )


def safe_name(name: str) -> str:
    """A stored name that was not made by the naming rules, as one that can stand in a directory."""
    return name if usable(name) and name[0] not in "@." else names.slug(name)


def alias_mark(name: str) -> int:
    """The ``sub`` of a link that stands under another name: never 0, so that it differs from the name itself."""
    return 1 << 26 | (crc32(names.name_bytes(name)) & ((1 << 26) - 1))
