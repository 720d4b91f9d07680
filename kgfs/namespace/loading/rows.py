"""Rows of the store as columns: read whole, or those of the former snapshot with the blocks of the tables that changed.

Used by ``loader``. No writer has to say what it changed: sums over blocks of rows tell (``store.tree.columns``). A row
is left out while it lacks a page, or what it belongs to is not there; its block is read again then, until it is there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kgfs.errors import Cancelled
from kgfs.namespace.domains import PAGE_VIEWS, places_of, safe_name
from kgfs.namespace.loading.edits import NONE, Edit, Edited, edited
from kgfs.namespace.loading.load_state import Aliases, LoadState
from kgfs.namespace.loading.topology import pair_keys
from kgfs.namespace.node import NumberedNames
from kgfs.namespace.relations import Csr, Ints, offsets_of
from kgfs.progress import Cancel, Never
from kgfs.store.catalog.database import Cursor
from kgfs.store.tree import columns as tables
from kgfs.store.tree.columns import Range, Table

BELONGS: dict[str, dict[str, str]] = {
    "chunks": {"document": "documents"},
    "facts": {"subject": "entities", "chunk": "chunks"},
}
"""Columns that name a row without which there is none, and whose rows they name."""
NAMES: dict[str, dict[str, str]] = {"facts": {"object": "entities", "conflict": "entities"}}
"""Columns that may name a row."""
INDICATORS = "economic_data"
LARGE_SHARE = 0.5
"""Where more than this share of a table's keys changed all tables are read."""


class Incomparable(Exception):
    """What changed since the former snapshot is too much, or of a kind that cannot be told from sums: read all."""


@dataclass
class Pairs:
    """How a relation changed, as pairs of places now (``topology.pair_keys``): those of the side by which its rows are
    in blocks first. All are ``added`` where it was read whole, in any order."""

    removed: Ints
    added: Ints


class Rows:
    """One load: tables as columns, in the order of ``domain`` calls that ``BELONGS`` asks for."""

    def __init__(
        self,
        cursor: Cursor,
        names: NumberedNames,
        former: LoadState | None,
        numbered: LoadState | None = None,
        cancel: Cancel | None = None,
    ) -> None:
        """``numbered`` is what an earlier load kept, the numbers of which are to stay though all is read anew. Once
        ``cancel`` is set, ``domain`` raises ``Cancelled``."""
        self._cursor, self._names, self._former = cursor, names, former
        self._cancel = cancel or Never()
        self.load_state = LoadState()
        numbered = former or numbered
        if numbered is not None:
            self.load_state.folders, self.load_state.types = numbered.folders, numbered.types
        self.load_state.pages = tables.page_totals(cursor)
        self._ranges: dict[str, list[Range]] = {}
        for name, query in tables.QUERIES.items():
            if not query.sums:
                continue
            now = self.load_state.blocks[name] = tables.block_sums(cursor, name)
            if former is not None:
                changed = self._ranges[name] = tables.changed_ranges(former.blocks[name], now)
                rows = sum(last + 1 - first for first, last in changed)
                if rows > max(LARGE_SHARE * len(now.numbers), 8) * (1 << tables.BLOCK_BITS):
                    raise Incomparable
        self._pages: dict[str, Table] = {}
        self._indicators: Table = {}
        if former is not None:
            self._read_new_pages(former.pages.last)

    @property
    def former_aliases(self) -> Aliases | None:
        """What the former load knew of aliases."""
        return None if self._former is None else self._former.aliases

    def ranges(self, name: str) -> list[Range] | None:
        """The keys of a table of which rows are others than before; ``None``: all."""
        return None if self._former is None else self._ranges[name]

    def inside(self, keys: Ints, name: str) -> Ints:
        """The places of former rows in these ranges."""
        return _places_in(keys, self._ranges[name])

    # --- rows of a kind ---------------------------------------------------------------------------------------------

    def domain(self, name: str) -> Edited:
        """The rows of a kind. What they belong to must have been asked for."""
        if self._cancel.is_set():
            raise Cancelled("The store is being closed; what is published is shown when it is opened again.")
        former = None if self._former is None else self._former.rows[name]
        if former is None:
            ids, columns = self._read(name, None, None)
            found = Edited(Edit(0, came=np.arange(len(ids))), ids, columns)
        else:
            found = self._edited(name, former)
        self.load_state.rows[name] = found
        return found

    def _edited(self, name: str, former: Edited) -> Edited:
        ids, columns = former.ids, dict(former.columns)
        dropped: Ints = NONE
        lost: Ints = NONE
        for column, other in BELONGS.get(name, {}).items():
            edit = self.load_state.rows[other].edit
            if not edit.grew:
                columns[column] = edit.follow(columns[column])
                dropped = np.union1d(dropped, np.nonzero(columns[column] < 0)[0])
        for column, other in NAMES.get(name, {}).items():
            edit = self.load_state.rows[other].edit
            if not edit.grew:
                now = edit.follow(columns[column])
                lost = np.union1d(lost, np.nonzero((now < 0) & (columns[column] >= 0))[0])
                columns[column] = now
        self._forget(name, ids[np.union1d(dropped, lost).astype(np.int64)])
        # Topics are few, and name each other.
        ranges = None if name == "topics" else self._ranges[name]
        if ranges == [] and not len(dropped) and not len(lost):
            return self._with_new_pages(name, Edited(Edit(len(ids)), ids, columns))
        fresh_ids, fresh = self._read(name, ranges, former)
        read = np.arange(len(ids)) if ranges is None else _places_in(ids, ranges)
        found = edited(ids, columns, read, fresh_ids, fresh, dropped)
        lost = found.edit.follow(lost)
        found.edit.changed = np.union1d(found.edit.changed, lost[lost >= 0]).astype(np.int64)
        return self._with_new_pages(name, found)

    def _read(self, name: str, ranges: list[Range] | None, former: Edited | None) -> tuple[Ints, dict[str, Ints]]:
        codes = None
        if tables.QUERIES[name].typed:
            kinds = tables.read_types(self._cursor, name, ranges)
            number = (
                self.load_state.types.number if name == "entities" else lambda kind: self._names.number(safe_name(kind))
            )
            codes = {kind: number(kind) for kind in kinds}
        table = tables.read_rows(self._cursor, name, ranges, codes)
        ids = table.pop("id").astype(np.int64)
        if name == "items":
            self._split_paths(table)
        keep = np.ones(len(ids), bool)
        left = np.zeros(len(ids), bool)
        for column, other in (*BELONGS.get(name, {}).items(), *NAMES.get(name, {}).items()):
            places = places_of(self.load_state.rows[other].ids, table[column]).astype(np.int32)
            missing = (places < 0) & (table[column] >= 0)
            if column in BELONGS.get(name, {}):
                keep &= places >= 0
            left |= missing
            table[column] = places
        table |= self._page_columns(name, ids, former)
        for view in PAGE_VIEWS.get(name, ()):
            keep &= table[f"page {view}"] >= 0
        self._forget(name, ids[left | ~keep])
        if keep.all():
            return ids, table
        return ids[keep], {column: values[keep] for column, values in table.items()}

    def _split_paths(self, table: Table) -> None:
        split = self.load_state.folders.split
        drives, paths = table.pop("drive").tolist(), table.pop("path").tolist()
        found = [split(drive, path) for drive, path in zip(drives, paths, strict=True)]
        table["folder"] = np.fromiter((number for number, _ in found), np.int32, len(found))
        names = np.empty(len(found), object)
        names[:] = [name for _, name in found]
        table["name"] = names

    def _forget(self, name: str, ids: Ints) -> None:
        """Read the blocks of these rows again the next time, changed or not."""
        self.load_state.blocks[name] = self.load_state.blocks[name].without(ids)

    # --- pages ------------------------------------------------------------------------------------------------------

    def _read_new_pages(self, last: int) -> None:
        found = tables.pages_since(self._cursor, last)
        for view in np.unique(found["view"]).tolist():
            chosen = found["view"] == view
            table = {name: column[chosen] for name, column in found.items()}
            if view == INDICATORS:
                self._indicators = table
            else:  # the newest of each owner
                owners, first = np.unique(table["owner_id"][::-1], return_index=True)
                place = len(table["owner_id"]) - 1 - first
                self._pages[view] = {"owner_id": owners, **{name: table[name][place] for name in ("page_id", "size")}}

    def _page_columns(self, name: str, ids: Ints, former: Edited | None) -> Table:
        """Ids and sizes of the pages of each row, -1 where it has none."""
        found: Table = {}
        for view in PAGE_VIEWS.get(name, ()):
            pages, sizes = np.full(len(ids), -1, np.int64), np.zeros(len(ids), np.int32)
            if former is None:
                _put(ids, pages, sizes, tables.read_pages(self._cursor, view))
            else:
                place = places_of(former.ids, ids)
                there = place >= 0
                pages[there] = former.columns[f"page {view}"][place[there]]
                sizes[there] = former.columns[f"size {view}"][place[there]]
                if view in self._pages:
                    _put(ids, pages, sizes, self._pages[view])
                missing = ids[pages < 0]
                if len(missing):  # of a row that was left out until now
                    _put(ids, pages, sizes, tables.pages_of(self._cursor, [view], missing.tolist()))
            found[f"page {view}"], found[f"size {view}"] = pages, sizes
        return found

    def _with_new_pages(self, name: str, found: Edited) -> Edited:
        """Rows that were not read, too, may have new pages."""
        for view in PAGE_VIEWS.get(name, ()):
            new = self._pages.get(view)
            if new is None:
                continue
            pages, sizes = found.columns[f"page {view}"].copy(), found.columns[f"size {view}"].copy()
            _put(found.ids, pages, sizes, new)
            changed = np.nonzero(pages != found.columns[f"page {view}"])[0]
            if len(changed):
                found.columns[f"page {view}"], found.columns[f"size {view}"] = pages, sizes
                found.edit.changed = np.union1d(found.edit.changed, changed)
        return found

    def indicators(self) -> dict[int, dict[int, tuple[int, int]]]:
        """Place of an entity to indicator number to page id and size; after all rows."""
        entities, former = self.load_state.rows["entities"], self._former
        if former is None or not entities.edit.grew:
            found = self._all_indicators()
        else:
            found = dict(former.indicators)
            self._put_indicators(found, self._indicators, fresh=True)
        self.load_state.indicators = found
        self.load_state.unowned = self._unowned()
        if former is not None and self.load_state.unowned != former.unowned:
            self.load_state.indicators = found = self._all_indicators()  # one may be gone
            self.load_state.unowned = self._unowned()
            if self.load_state.unowned != former.unowned:
                raise Incomparable
        return found

    def _all_indicators(self) -> dict[int, dict[int, tuple[int, int]]]:
        found: dict[int, dict[int, tuple[int, int]]] = {}
        self._put_indicators(found, tables.read_pages(self._cursor, INDICATORS), fresh=False)
        return found

    def _put_indicators(self, found: dict[int, dict[int, tuple[int, int]]], table: Table, *, fresh: bool) -> None:
        """``fresh`` are pages of owners whose others belong to a former snapshot."""
        if not table:
            return
        owners = places_of(self.load_state.rows["entities"].ids, table["owner_id"]).tolist()
        own: set[int] = set()
        number = self._names.number
        columns = (owners, table["name"].tolist(), table["page_id"].tolist(), table["size"].tolist())
        for owner, name, page_id, size in zip(*columns, strict=True):
            if owner < 0:
                continue
            pages = found.get(owner)
            if pages is None or (fresh and owner not in own):
                pages = found[owner] = dict(pages or ())
                own.add(owner)
            pages.pop(number(name), None)  # the newest stands last
            pages[number(name)] = (page_id, size)

    def _unowned(self) -> tuple[int, int]:
        count = sum(map(len, self.load_state.indicators.values()))
        total = sum(page_id for pages in self.load_state.indicators.values() for page_id, _ in pages.values())
        for name, views in PAGE_VIEWS.items():
            for view in views:
                column = self.load_state.rows[name].columns[f"page {view}"]
                count += len(column)
                total += int(column.sum())
        return self.load_state.pages.number - count, self.load_state.pages.total - total

    # --- what belongs to what ---------------------------------------------------------------------------------------

    def pairs(self, name: str, key: str, other: str, by_key: Csr | None, by_other: Csr | None) -> Pairs:
        """How the relation of a table changed. ``key`` and ``other`` are the kinds of both sides; of the former
        relation one side is given, or none where it is read whole."""
        sources = tables.PAIRS_FROM.get(name, (name,))
        keys, others = self.load_state.rows[key], self.load_state.rows[other]
        ranges = None if by_key is by_other is None else tables.all_ranges(*(self._ranges[one] for one in sources))
        before: Ints = NONE
        if ranges is not None and self._former is not None:
            ids = self._former.rows[key].ids
            before = _pairs_in(_places_in(ids, ranges), by_key, by_other)
            of, to = keys.edit.follow(before >> 32), others.edit.follow(before & 0xFFFFFFFF)
            before = pair_keys(of, to)[(of >= 0) & (to >= 0)]
            # What is gone may come back as it was.
            self._forget(sources[0], ids[keys.edit.gone])
            if len(others.edit.gone):
                self._forget_pairs(sources[0], ids, others.edit, by_key, by_other)
            if not ranges:
                return Pairs(NONE, NONE)
        table = tables.read_rows(self._cursor, name, ranges)
        of, to = places_of(keys.ids, table["id"]), places_of(others.ids, table["other"])
        keep = (of >= 0) & (to >= 0)
        if not keep.all():
            self._forget(sources[0], table["id"][~keep])
            of, to = of[keep], to[keep]
        now = pair_keys(of, to)
        if ranges is None:
            return Pairs(NONE, now)
        return Pairs(np.setdiff1d(before, now), np.setdiff1d(now, before))

    def _forget_pairs(self, source: str, ids: Ints, others: Edit, by_key: Csr | None, by_other: Csr | None) -> None:
        gone = np.zeros(others.before, bool)
        gone[others.gone] = True
        if by_key is not None:
            places = by_key.owner_array[gone[by_key.target_array]]
        else:
            assert by_other is not None
            places = by_other.target_array[gone[by_other.owner_array]]
        self._forget(source, ids[places])


def _put(ids: Ints, pages: Ints, sizes: Ints, table: Table) -> None:
    """The pages of a table, at the places of their owners."""
    places = places_of(ids, table["owner_id"])
    page_ids, of_pages = table["page_id"], table["size"]
    owned = places >= 0
    if not owned.all():
        places, page_ids, of_pages = places[owned], page_ids[owned], of_pages[owned]
    pages[places], sizes[places] = page_ids, of_pages


def _places_in(ids: Ints, ranges: Sequence[Range]) -> Ints:
    """The places of rows in these ranges of ids."""
    parts = [np.arange(*np.searchsorted(ids, (first, last + 1)).tolist(), dtype=np.int64) for first, last in ranges]
    return np.concatenate(parts) if parts else NONE


def _pairs_in(places: Ints, by_key: Csr | None, by_other: Csr | None) -> Ints:
    """The pairs of these owners, as numbers with the owner first."""
    if by_key is not None:
        first, counts = by_key.offset_array[places], by_key.counts()[places]
        chosen = np.repeat(first - offsets_of(counts)[:-1], counts) + np.arange(counts.sum())
        return pair_keys(np.repeat(places, counts), by_key.target_array[chosen])
    assert by_other is not None
    if not len(places):
        return NONE
    chosen = np.nonzero(np.isin(by_other.target_array, places))[0]
    owners = np.searchsorted(by_other.offset_array, chosen, side="right") - 1
    return np.sort(pair_keys(by_other.target_array[chosen], owners))
