"""Rows of one kind as columns: ids in order, times, names, and the pages that each row has.

Used by ``loading``, which builds them in the thread that loads a snapshot; after that they are only read.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from functools import cached_property
from zlib import crc32

import numpy as np

from kgfs import names
from kgfs.errors import NotFoundError
from kgfs.namespace import prefixes
from kgfs.namespace.node import NumberedNames
from kgfs.namespace.prefixes import Prefixes, grouped, regrouped
from kgfs.namespace.relations import Ints, flat, order_of

PAGE_VIEWS: dict[str, tuple[str, ...]] = {
    "documents": ("document_metadata", "document_summary", "document_structure", "document_toc"),
    "chunks": ("chunk_metadata",),
    "entities": ("entity_summary", "entity_metadata", "co_occurs"),
    "facts": ("fact_line",),
    "topics": ("topic_definition",),
}
"""The views that every row of a domain has one page of."""


_SHORT = 63
"""Up to so many characters a name is surely short enough."""


def gone(what: str) -> NotFoundError:
    """The error for a node whose row or group is no longer there."""
    return NotFoundError(f"This {what} is no longer in the graph.")


def places_of(ids: Ints, row_ids: Ints) -> Ints:
    """The places of row ids among sorted ones, -1 where there is none."""
    count = len(ids)
    if not count:
        return np.full(len(row_ids), -1, np.int64)
    first = int(ids[0])
    if int(ids[-1]) - first == count - 1:  # none is missing in between
        places = row_ids.astype(np.int64)
        places -= first
        places[places.view(np.uint64) >= count] = -1  # negative ones are the greatest there
        return places
    places = np.searchsorted(ids, row_ids)
    places[places == count] = 0
    return np.where(ids[places] == row_ids, places, -1)


class PageColumn:
    """Page ids and sizes of one view, by index of the owner."""

    def __init__(self, ids: Ints, sizes: Ints) -> None:
        self.id_array = ids
        self.size_array = sizes
        self.ids = flat(ids)
        self.sizes = flat(sizes)


def pages_of(domain: str, columns: Mapping[str, Ints]) -> dict[str, PageColumn]:
    """View to the pages of the rows of a domain, from the columns of these rows."""
    return {view: PageColumn(columns[f"page {view}"], columns[f"size {view}"]) for view in PAGE_VIEWS[domain]}


class Domain:
    """Rows of one kind: ids in order, their times, and the pages that each has."""

    def __init__(self, kind: str, ids: Ints, ctime: Ints) -> None:
        self.kind = kind
        self.id_array = np.asarray(ids, np.int64)
        self.ctime_array = np.asarray(ctime, np.int64)
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

    def first_behind(self, row_id: int) -> int:
        """The index of the first row with a greater id."""
        return bisect_right(self.ids, row_id)

    def map(self, row_ids: Ints) -> Ints:
        """Indexes of many row ids, -1 where there is none."""
        return places_of(self.id_array, row_ids)

    def set_mtime(self, values: Ints) -> None:
        self.mtime_array = np.asarray(values, np.int64)
        self.mtime = flat(self.mtime_array)

    def take_order(self, former: Domain) -> None:
        """Walk as in a former snapshot, whose rows these are."""
        self.order, self.rank = former.order, former.rank

    def set_order(self, keys: tuple[Ints, ...]) -> None:
        """Walk order: by the last key first, as ``numpy.lexsort``."""
        self.walk_in(order_of(*keys))

    def walk_in(self, order: Ints) -> None:
        """Walk in this order of the indexes."""
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order), dtype=np.int32)
        self.order, self.rank = flat(order), flat(rank)


class Slugged(Domain):
    """Rows that have a name of their own in the tree."""

    def __init__(
        self, kind: str, ids: Ints, ctime: Ints, slugs: list[str], by_slug: dict[str, int] | None = None
    ) -> None:
        super().__init__(kind, ids, ctime)
        self.slugs = slugs
        self.by_slug = dict(zip(slugs, range(len(slugs)), strict=True)) if by_slug is None else by_slug
        self.former: dict[str, dict[str, int]] = {}
        """Directory (empty but for entities) to former slug to index."""
        self.prefixes: Prefixes | None = None
        """The rows by how their names begin, once somebody has asked (``by_prefix``)."""

    @property
    def is_long(self) -> bool:
        """Whether there are more than a directory by prefix may have; only then there are any."""
        return len(self) > prefixes.LIMIT

    def by_prefix(self, numbered: NumberedNames) -> Prefixes:
        """The rows by how their names begin. Takes a while where nobody has asked for it yet."""
        if self.prefixes is None:
            self.prefixes = grouped(self.slugs, numbered)
        return self.prefixes

    def take_prefixes(self, former: Slugged, numbered: NumberedNames) -> None:
        """Have them at hand if somebody asked a former snapshot for them."""
        if former.prefixes is not None:
            self.prefixes = regrouped(former.prefixes, former.slugs, self.slugs, numbered)

    @cached_property
    def former_places(self) -> dict[tuple[int, int], tuple[str, str]]:
        """Index and mark (``alias_mark``) of a former slug to its directory and itself."""
        every = ((name, at, index) for at, names in self.former.items() for name, index in names.items())
        places: dict[tuple[int, int], tuple[str, str]] = {}
        for name, directory, index in every:
            places.setdefault((index, alias_mark(name)), (directory, name))
        return places


def usable(name: str) -> bool:
    """Whether a stored name can stand in a directory as it is."""
    return (
        bool(name)
        and name not in (".", "..")
        and "/" not in name
        and "\0" not in name
        and (len(name) <= _SHORT or len(names.name_bytes(name)) <= 255)
    )


def safe_name(name: str) -> str:
    """A stored name that was not made by the naming rules, as one that can stand in a directory."""
    return name if usable(name) and name[0] not in "@." else names.slug(name)


def alias_mark(name: str) -> int:
    """The ``sub`` of a link that stands under another name: never 0, so that it differs from the name itself."""
    return 1 << 26 | (crc32(names.name_bytes(name)) & ((1 << 26) - 1))
