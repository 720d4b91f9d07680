"""Checks of generations and of the search index: what rows say of the index is what it has.

Used by ``kgfs.fsck.run``. The index is listed by the worker, which has it open, some rows at a time.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kgfs.calls import ListingCalls
from kgfs.fsck.findings import Check, Damage, Find, Repair, selected
from kgfs.fsck.rebuilding import column, parse_again, read_again
from kgfs.model import KINDS
from kgfs.store.catalog import dirty_rows
from kgfs.store.catalog.database import Cursor
from kgfs.store.files.documents import IN
from kgfs.store.files.items import DIRECTORY
from kgfs.store.indexing import TABLES

ROWS_AT_ONCE = 100_000
PARTS = ("text", "vector")

# --- generations ----------------------------------------------------------------------------------------------------

_ITEMS = (
    "SELECT id, ref FROM context_items WHERE want_gen IS NULL OR have_gen IS NULL OR parsed_gen IS NULL OR"
    " extracted_gen IS NULL OR want_gen < 0 OR have_gen > want_gen OR parsed_gen > want_gen OR extracted_gen > want_gen"
    f" OR (want_gen = 0 AND mime_type <> '{DIRECTORY}') ORDER BY id"
)


def _read_again(cursor: Cursor, damages: Sequence[Damage]) -> None:
    parse_again(cursor, [damage.key[0] for damage in damages])


_ROWS = " UNION ALL ".join(
    f"SELECT '{kind}', id FROM {table} WHERE want_gen IS NULL OR have_gen IS NULL OR want_gen < 1"
    " OR have_gen > want_gen OR have_gen < 0"
    for kind, table in TABLES.items()
)


def _wait(cursor: Cursor, kind: str, row_ids: Sequence[int]) -> None:
    """Rows of a kind wait for the index."""
    cursor.execute(
        f"UPDATE {TABLES[kind]} SET want_gen = greatest(want_gen, 1), have_gen = 0 WHERE id {IN}", [list(row_ids)]
    )
    if kind == "chunk":
        owners = f"SELECT document_id FROM chunks WHERE id {IN}"
        cursor.execute(f"UPDATE context_items SET have_gen = 0 WHERE id IN ({owners})", [list(row_ids)])


def _index_rows_again(cursor: Cursor, damages: Sequence[Damage]) -> None:
    for kind in TABLES:
        _wait(cursor, kind, [damage.key[1] for damage in damages if damage.key[0] == kind])


_REMOVALS = " UNION ALL ".join(
    f"SELECT kind, id FROM removals WHERE kind = '{kind}' AND id IN (SELECT id FROM {table})"
    for kind, table in TABLES.items()
)


def _keep_rows(cursor: Cursor, damages: Sequence[Damage]) -> None:
    for kind in TABLES:
        dirty_rows.mark_removed(cursor, kind, [damage.key[1] for damage in damages if damage.key[0] == kind])
    _index_rows_again(cursor, damages)


CHECKS = (
    Check("generations of files", "No generation of a file is ahead of the one of its body.",
          "The file is read, indexed and extracted again.", selected(_ITEMS, "{1}"), _read_again),
    Check("generations", "The index never has a later generation of a row than there is.", "The row is indexed again.",
          selected(_ROWS, "{0} {1}"), _index_rows_again),
    Check("removals", "What is to leave the search index is gone from the rows.", "It stays, and is indexed again.",
          selected(_REMOVALS, "{0} {1}"), _keep_rows),
)  # fmt: skip

# --- the index ------------------------------------------------------------------------------------------------------


Ints = NDArray[np.int64]
Listing = tuple[Ints, Ints, Ints]
"""Ids, generations and documents of all rows of one table of the index, by id."""


def listing(worker: ListingCalls, kind: str, part: str) -> Listing:
    """All that the index has of a kind, in order of id."""
    parts: list[Listing] = []
    first = -(1 << 62)
    while True:
        rows = worker.indexed(kind, part, first, ROWS_AT_ONCE)
        found = tuple(np.frombuffer(column, np.int64) for column in (rows.ids, rows.gens, rows.documents))
        parts.append((found[0], found[1], found[2]))
        if len(found[0]) < ROWS_AT_ONCE:
            break
        first = int(found[0][-1]) + 1
    ids, gens, documents = (np.concatenate([part[place] for part in parts]) for place in range(3))
    return ids, gens, documents


def index_checks(worker: ListingCalls) -> tuple[Check, ...]:
    """The checks of every table of the index. They list it once, when they first look."""
    return tuple(_table_check(worker, kind, part) for kind in KINDS for part in PARTS)


def _table_check(worker: ListingCalls, kind: str, part: str) -> Check:
    table = TABLES[kind]
    what = "keyword index" if part == "text" else "vector index"
    return Check(
        f"{what} of {table}",
        f"The {what} has every {kind} that is said to be in it, at its generation, and nothing else.",
        "What is missing is indexed again, what is too much leaves the index.",
        _differences(worker, kind, part),
        _index_again(kind),
        quick=False,
    )


def _differences(worker: ListingCalls, kind: str, part: str) -> Find:
    table = TABLES[kind]

    def find_damages(cursor: Cursor) -> list[Damage]:
        ids, gens, owners = listing(worker, kind, part)
        source = f"SELECT id, want_gen, have_gen >= want_gen AS there FROM {table} ORDER BY id"
        if kind == "chunk" and part == "text":
            source = (
                "SELECT c.id, c.want_gen, i.have_gen >= i.want_gen AS there FROM chunks c"
                " LEFT JOIN context_items i ON i.id = c.document_id ORDER BY c.id"
            )
        rows = cursor.execute(source).fetchnumpy()
        row_ids, row_gens = np.asarray(rows["id"], np.int64), np.asarray(rows["want_gen"], np.int64)
        there = np.asarray(rows["there"].filled(False) if hasattr(rows["there"], "filled") else rows["there"], bool)
        wanted = dict(zip(row_ids.tolist(), row_gens.tolist(), strict=True))
        had = dict(zip(ids.tolist(), gens.tolist(), strict=True))
        going = set(column(cursor, "SELECT id FROM removals WHERE kind = ?", kind))
        found = [
            Damage(f"{kind} {number} is {'of another generation' if number in had else 'missing'}", (number, None))
            for number in row_ids[there].tolist()
            if had.get(number) != wanted[number]
        ]
        if len(had) < len(ids):
            found += [
                Damage(f"{kind} {number} is there twice", (number, None))
                for number in np.unique(ids[:-1][ids[1:] == ids[:-1]]).tolist()
            ]
        found += [
            Damage(f"{kind} {number} is in it and is no row", (number, owner))
            for number, owner in zip(ids.tolist(), owners.tolist(), strict=True)
            if number not in wanted and number not in going
        ]
        return found

    return find_damages


def _index_again(kind: str) -> Repair:
    def repair(cursor: Cursor, damages: Sequence[Damage]) -> None:
        lacking = [damage.key[0] for damage in damages if damage.key[1] is None]
        surplus = {damage.key[0]: damage.key[1] for damage in damages if damage.key[1] is not None}
        _wait(cursor, kind, lacking)
        dirty_rows.mark_removed(cursor, kind, surplus)
        # A row was there when this was indexed. If it was lost, its document brings it back.
        if kind == "chunk":
            parse_again(cursor, set(surplus.values()))
        elif kind == "fact":
            read_again(cursor, set(surplus.values()))

    return repair
