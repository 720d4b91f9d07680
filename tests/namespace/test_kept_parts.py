"""A snapshot that takes parts of an earlier one is the same as one that is loaded whole."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kgfs.namespace import relations
from kgfs.namespace.domains import Domain, PageColumn
from kgfs.namespace.fact_groups import FactGroups
from kgfs.namespace.loading.loader import load_snapshot
from kgfs.namespace.publish import publish
from kgfs.namespace.relations import Csr, order_of
from kgfs.store.catalog import dirty_rows
from kgfs.store.catalog.database import Cursor
from tests.graph_builder import build, touch
from tests.namespace.drivers import opened

NOT_COMPARED = {
    "kept",
    "columns",
    "depths",
    "rendered",
    "context",
    "position",
    "generation",
    "published",
    "names",
    "_marks",
}


def plain(value: Any) -> Any:
    """What can be compared of a part of a snapshot."""
    if isinstance(value, Domain | Csr | FactGroups | PageColumn):
        return {name: plain(each) for name, each in vars(value).items()}
    if isinstance(value, memoryview | np.ndarray):
        return np.asarray(value).tolist()
    if isinstance(value, tuple | list):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    return value if isinstance(value, int | str | set) else None


def parts(snapshot: Any) -> dict[str, Any]:
    return {name: plain(value) for name, value in vars(snapshot).items() if name not in NOT_COMPARED}


def chunk_comes(cursor: Cursor) -> None:
    cursor.execute("UPDATE chunks SET tokens = tokens + 1 WHERE id = (SELECT max(id) FROM chunks)")


def without(kind: str, table: str) -> Callable[[Cursor], None]:
    """A row in the middle goes, so that those behind it have other indexes."""

    def work(cursor: Cursor) -> None:
        rows = cursor.execute(f"SELECT id FROM {table} ORDER BY id").fetchall()
        gone = rows[len(rows) // 2][0]
        cursor.execute(f"DELETE FROM {table} WHERE id = ?", [gone])
        dirty_rows.mark_removed(cursor, kind, [gone])

    return work


def update(kind: str, table: str, assignment: str) -> Callable[[Cursor], None]:
    def work(cursor: Cursor) -> None:
        rows = cursor.execute(f"SELECT id FROM {table} ORDER BY id").fetchall()
        changed = rows[len(rows) // 3][0]
        cursor.execute(f"UPDATE {table} SET {assignment} WHERE id = ?", [changed])
        dirty_rows.mark_dirty(cursor, kind, [changed])

    return work


CHANGES: dict[str, Callable[[Cursor], object]] = {
    "a passage": chunk_comes,
    "an entity goes": without("entity", "entities"),
    "a fact goes": without("fact", "facts"),
    "a passage goes": without("chunk", "chunks"),
    "a document goes": without("document", "documents"),
    "a date": update("fact", "facts", "date = '1999-02-03'"),
    "a type": update("fact", "facts", "type = 'LEFT_OUT'"),
    "a conflict": update("fact", "facts", "conflict_id = subject_id"),
    "a name": update("entity", "entities", "slug = 'Somebody_Else'"),
    "a passage's date": update("chunk", "chunks", "date = '2001-05'"),
    "a title": update("document", "documents", "title = 'Another'"),
    "a mention": lambda cursor: cursor.execute(
        "DELETE FROM entity_chunks WHERE chunk_id = (SELECT min(id) FROM chunks)"
    ),
    "a link": lambda cursor: cursor.execute("UPDATE document_links SET target_id = document_id + 1"),
}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_kept_parts_are_as_loaded(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    with build(tmp_path / "store", entities=30, documents=8, chunks_a_document=3, topics=8, seed=seed) as database:
        namespace = opened(database)
        order = list(CHANGES)
        dice.shuffle(order)
        kept = set()
        for step, name in enumerate(["nothing", *order, *("rows come" for _ in range(3))]):
            if name in CHANGES:
                database.write(CHANGES[name])
            elif name == "rows come":
                touch(database, seed + step)
            for published in (False, True):  # rows that have no pages yet are left out
                if published:
                    publish(database)
                before = namespace.view
                now = namespace.load_snapshot()
                with database.read(snapshot=True) as cursor:
                    whole = load_snapshot(cursor, namespace.names, namespace.numbers)
                ours, theirs = parts(now), parts(whole)
                different = [part for part in theirs if ours[part] != theirs[part]]
                assert not different and set(ours) == set(theirs), (name, published, different)
                kept |= {part for part in ("facts", "chunk_entities", "document_links", "entity_pages", "stated")
                         if getattr(now, part) is getattr(before, part)}  # fmt: skip
                namespace.adopt(now)
        assert kept == {"facts", "chunk_entities", "document_links", "entity_pages", "stated"}


def test_rows_at_the_end_keep_what_is_before_them() -> None:
    relation = Csr(3, np.array([0, 2]), np.array([5, 6]))
    assert plain(relation.grown(5)) == plain(Csr(5, np.array([0, 2]), np.array([5, 6])))
    columns = (np.array([0, 1, 1]), np.array([7, 7, 8]), np.array([1, -1, 2]), np.array([3, 4, 5]), np.array([9, 8, 7]))
    assert plain(FactGroups(2, *columns).grown(4)) == plain(FactGroups(4, *columns))


@pytest.mark.parametrize("kind", ["int8", "int32", "int64", "uint64"])
def test_order(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relations, "_FEW_TO_SORT", 0)
    dice = np.random.default_rng(1)
    limits = np.iinfo(kind)
    wide = [dice.integers(limits.min, limits.max, 500, kind, endpoint=True) for _ in range(2)]
    few = dice.integers(-2 if limits.min else 0, 3, 500, kind)
    for keys in ([wide[0]], [few], [wide[0], few], [few, wide[0], few], [*wide, few]):
        assert order_of(*keys).tolist() == np.lexsort(keys).tolist()
