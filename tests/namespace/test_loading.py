"""A snapshot that is made of an earlier one is the same as one that is loaded whole."""

from __future__ import annotations

import gc
import random
import shutil
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgfs.namespace import relations
from kgfs.namespace.context_tree import ContextTree, Directory
from kgfs.namespace.domains import Domain, PageColumn
from kgfs.namespace.fact_groups import FactColumns, FactGroups, group_facts
from kgfs.namespace.loading import dates, edits, loader, rows, topology
from kgfs.namespace.loading.edits import NONE, Edit, edited, grouped, regrouped
from kgfs.namespace.loading.loader import load_snapshot
from kgfs.namespace.loading.topology import edited_groups, edited_relation, pair_keys
from kgfs.namespace.namespace import Namespace
from kgfs.namespace.publish import publish
from kgfs.namespace.relations import Csr, Ints, order_of
from kgfs.namespace.snapshot import Snapshot
from kgfs.store.catalog import dirty_rows
from kgfs.store.catalog.database import Cursor, Database
from kgfs.store.tree import columns
from tests.graph_builder import TYPES, build, mark_topics, remove_document, touch
from tests.namespace.drivers import opened

NOT_COMPARED = {"load_state", "columns", "depths", "rendered", "position", "generation", "published", "names"}


def plain(value: Any) -> Any:
    """What can be compared of a part of a snapshot."""
    if isinstance(value, ContextTree):
        return tree(value)
    if isinstance(value, Domain | Csr | FactGroups | PageColumn):
        return {name: plain(each) for name, each in vars(value).items()}
    if isinstance(value, memoryview | np.ndarray):
        return np.asarray(value).tolist()
    if isinstance(value, tuple | list):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    return value if isinstance(value, int | str | set) else None


def tree(context: ContextTree) -> dict[str, Any]:
    def inside(directory: Directory) -> Any:
        beneath = {name: inside(each) for name, each in directory.directories.items()}
        return directory.key, directory.mtime, directory.row, dict(directory.files), beneath

    return {
        "drives": {name: inside(drive) for name, drive in context.drives.items()},
        "places": {inode: (place.key, name) for inode, (place, name) in context.place.items()},
        "live": dict(context.live),
        "targets": dict(context.targets),
    }


def parts(snapshot: Snapshot) -> dict[str, Any]:
    return {name: plain(value) for name, value in vars(snapshot).items() if name not in NOT_COMPARED}


# --- edits of a store ----------------------------------------------------------------------------------------------

Change = Callable[[Cursor, random.Random], object]


def one(cursor: Cursor, dice: random.Random, table: str, where: str = "true") -> int:
    """The id of some row; 0 where there is none."""
    found = cursor.execute(f"SELECT id FROM {table} WHERE {where} ORDER BY id").fetchall()
    return int(dice.choice(found)[0]) if found else 0


def without(kind: str, table: str) -> Change:
    """A row goes, and what belongs to it stays."""

    def work(cursor: Cursor, dice: random.Random) -> None:
        gone = one(cursor, dice, table)
        cursor.execute(f"DELETE FROM {table} WHERE id = ?", [gone])
        dirty_rows.mark_removed(cursor, kind, [gone])

    return work


def update(kind: str, table: str, assignment: str, where: str = "true") -> Change:
    def work(cursor: Cursor, dice: random.Random) -> None:
        changed = one(cursor, dice, table, where)
        cursor.execute(f"UPDATE {table} SET {assignment.format(dice.randrange(10**6))} WHERE id = ?", [changed])
        if kind:
            dirty_rows.mark_dirty(cursor, kind, [changed])

    return work


def names_pass(cursor: Cursor, dice: random.Random) -> None:
    """Two entities have each other's name."""
    first, second = one(cursor, dice, "entities"), one(cursor, dice, "entities")
    slugs = dict(cursor.execute("SELECT id, slug FROM entities WHERE id IN (?, ?)", [first, second]).fetchall())
    if len(slugs) == 2:
        cursor.execute("UPDATE entities SET slug = ? WHERE id = ?", [slugs[second], first])
        cursor.execute("UPDATE entities SET slug = ? WHERE id = ?", [slugs[first], second])
        dirty_rows.mark_dirty(cursor, "entity", [first, second])


def merge(cursor: Cursor, dice: random.Random) -> None:
    """An entity goes into another one, its name becomes an alias and a former name."""
    gone, kept = one(cursor, dice, "entities"), one(cursor, dice, "entities")
    if gone == kept:
        return
    ((slug, kind),) = cursor.execute("SELECT slug, type FROM entities WHERE id = ?", [gone]).fetchall()
    cursor.execute(
        "DELETE FROM entity_chunks WHERE entity_id = $1 AND chunk_id IN"
        " (SELECT chunk_id FROM entity_chunks WHERE entity_id = $2)",
        [gone, kept],
    )
    for table in ("entity_chunks", "entity_claims", "entity_aliases"):
        cursor.execute(f"UPDATE {table} SET entity_id = ? WHERE entity_id = ?", [kept, gone])
    for column in ("subject_id", "object_id", "conflict_id"):
        cursor.execute(f"UPDATE facts SET {column} = ? WHERE {column} = ?", [kept, gone])
    cursor.execute("INSERT INTO entity_aliases VALUES (1, ?, ?, ?, ?)", [kept, slug, slug, slug.lower()])
    cursor.execute("INSERT INTO former_names VALUES (1, 'entity', ?, ?, ?)", [kind, slug, kept])
    cursor.execute("DELETE FROM entities WHERE id = ?", [gone])
    dirty_rows.mark_removed(cursor, "entity", [gone])
    dirty_rows.mark_dirty(cursor, "entity", [kept])


def alias(cursor: Cursor, dice: random.Random) -> None:
    """An entity gets an alias that another one has, or is called, or nobody."""
    owner, other = one(cursor, dice, "entities"), one(cursor, dice, "entities")
    slugs = [
        slug
        for sql in ("SELECT slug FROM entities WHERE id = ?", "SELECT slug FROM entity_aliases WHERE entity_id = ?")
        for (slug,) in cursor.execute(sql, [other]).fetchall()
    ]
    slug = dice.choice([*slugs, f"Also_{dice.randrange(9)}"])
    cursor.execute("INSERT INTO entity_aliases VALUES (1, ?, ?, ?, ?)", [owner, slug, slug, slug.lower()])


def alias_goes(cursor: Cursor, dice: random.Random) -> None:
    rows = cursor.execute("SELECT DISTINCT slug FROM entity_aliases ORDER BY slug").fetchall()
    if rows:
        cursor.execute("DELETE FROM entity_aliases WHERE slug = ?", [dice.choice(rows)[0]])


def regroup(cursor: Cursor, dice: random.Random) -> None:
    """A topic stands beneath another, whether that makes sense or not; passages go from one to another."""
    topic, above = one(cursor, dice, "topics"), one(cursor, dice, "topics")
    cursor.execute("UPDATE topics SET parent_id = ? WHERE id = ?", [above, topic])
    chunk = one(cursor, dice, "chunks")
    cursor.execute("UPDATE chunk_topics SET topic_id = ? WHERE chunk_id = ?", [above, chunk])
    mark_topics(cursor, [topic, above])


def folder(cursor: Cursor, dice: random.Random) -> None:
    """A file stands where another is, or beneath it."""
    moved, other = one(cursor, dice, "context_items"), one(cursor, dice, "context_items")
    path = f"/home/ann/Vault/note {other}.md{dice.choice(['/inner', '/inner/deep', ''])} {dice.randrange(99)}".strip()
    cursor.execute("UPDATE context_items SET path = ?, ref = ? WHERE id = ?", [path, f"disk:{path}", moved])


CHANGES: dict[str, Change] = {
    "a passage": update("", "chunks", "tokens = tokens + 1"),
    "a passage is indexed": update("", "chunks", "have_gen = want_gen - 1"),
    "an entity goes": without("entity", "entities"),
    "a fact goes": without("fact", "facts"),
    "a passage goes": without("chunk", "chunks"),
    "a document goes": without("document", "documents"),
    "a topic goes": without("topic", "topics"),
    "a document goes with all of it": lambda cursor, dice: remove_document(cursor, one(cursor, dice, "documents")),
    "a date": update("fact", "facts", "date = '1999-02-03'"),
    "no date": update("fact", "facts", "date = NULL"),
    "a type of fact": update("fact", "facts", "type = 'LEFT_{}'"),
    "another subject": update("fact", "facts", "subject_id = (SELECT max(id) FROM entities)"),
    "another passage": update("fact", "facts", "chunk_id = (SELECT max(id) FROM chunks)"),
    "a conflict": update("fact", "facts", "conflict_id = subject_id"),
    "a hash": update("fact", "facts", "fact_id = 'f_' || lpad('{0}', 16, '0'), changed_at = make_timestamp({0})"),
    "a name": update("entity", "entities", "slug = 'Somebody_{}'"),
    "a type": update("entity", "entities", f"type = '{TYPES[3]}'"),
    "a new type": update("entity", "entities", "type = 'Type {}'"),
    "names pass": names_pass,
    "a merge": merge,
    "an alias": alias,
    "an alias goes": alias_goes,
    "a passage's date": update("chunk", "chunks", "date = '2001-05'"),
    "a document's date": update("document", "documents", "date = '2031-05-01'"),
    "a document's name": update("document", "documents", "slug = 'named_{}'"),
    "a title": update("document", "documents", "title = 'Another {}'"),
    "a mention goes": lambda cursor, dice: cursor.execute(
        "DELETE FROM entity_chunks WHERE chunk_id = ?", [one(cursor, dice, "chunks")]
    ),
    "links": lambda cursor, dice: cursor.execute(
        "UPDATE document_links SET target_id = ? WHERE document_id = ?",
        [one(cursor, dice, "documents"), one(cursor, dice, "documents")],
    ),
    "topics are regrouped": regroup,
    "a file is elsewhere": folder,
    "a file is written": update("", "context_items", "mtime_us = 17{}00000, size = size + 1"),
    "a file has attributes": update("", "context_items", "atime_us = 5, xattrs = '{{}}'"),
    "a former name": lambda cursor, dice: cursor.execute(
        "INSERT INTO former_names VALUES (1, 'entity', 'Person', ?, ?)",
        [f"Was_{dice.randrange(5)}", one(cursor, dice, "entities")],
    ),
}
TOUCHED = range(7)
"""What ``touch`` does, with all that follows from it."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store to take copies of."""
    store = tmp_path_factory.mktemp("made") / "store"
    build(store, entities=30, documents=8, chunks_a_document=3, topics=8).close()
    return store


@pytest.fixture(scope="module")
def copies(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    def copy() -> Path:
        store = tmp_path_factory.mktemp("copies") / "store"
        shutil.copytree(made, store)
        return store

    return copy


@pytest.fixture(scope="module", autouse=True)
def small_blocks() -> Iterator[None]:
    """So that even small stores have many blocks, and none changes too much."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "BLOCK_BITS", 2)
        patch.setattr(rows, "LARGE_SHARE", 9)
        patch.setattr(dates, "LARGE_SHARE", 9)
        yield


def as_loaded_whole(database: Database, namespace: Namespace) -> Snapshot:
    """The next snapshot, which must be the same as one that takes nothing from the shown one."""
    now = namespace.load_snapshot()
    with database.read(snapshot=True) as cursor:
        whole = load_snapshot(cursor, namespace.names, namespace.numbers)
    ours, theirs = parts(now), parts(whole)
    assert not [part for part in theirs if ours.get(part) != theirs[part]] and set(ours) == set(theirs)
    return now


STEPS = st.lists(
    st.tuples(
        st.lists(st.sampled_from([*CHANGES, *TOUCHED]), min_size=1, max_size=3), st.booleans(), st.integers(0, 10**6)
    ),
    min_size=1,
    max_size=5,
)


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(STEPS)
def test_what_follows_from_the_former_is_as_loaded(
    copies: Callable[[], Path], steps: list[tuple[list[str | int], bool, int]]
) -> None:
    """``False``: rows are read before they are rendered; those without pages are left out."""
    with Database.open(copies(), reserve=0) as database:
        namespace = opened(database)
        for changes, published, seed in steps:
            for place, change in enumerate(changes):
                if isinstance(change, int):
                    touch(database, seed - seed % 7 + 7 * place + change)
                else:
                    work, dice = CHANGES[change], random.Random(seed + place)
                    database.write(lambda cursor, work=work, dice=dice: work(cursor, dice))  # type: ignore[misc]
            if published:
                publish(database)
            namespace.adopt(as_loaded_whole(database, namespace))


@pytest.mark.parametrize("kind", TOUCHED)
def test_a_published_change_is_not_loaded_whole(
    kind: int, copies: Callable[[], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    with Database.open(copies(), reserve=0) as database:
        namespace = opened(database)
        before = namespace.view
        touch(database, 7 + kind)
        publish(database)
        load = loader._load

        def loaded(*given: Any) -> Snapshot:
            assert given[3] is before
            return load(*given)

        with monkeypatch.context() as patch:
            patch.setattr(loader, "_load", loaded)
            namespace.load_snapshot()
        namespace.adopt(as_loaded_whole(database, namespace))
        again = namespace.load_snapshot()
        for part in ("fact_subject_array", "chunk_entities", "document_links", "entity_pages", "stated"):
            assert getattr(again, part) is getattr(namespace.view, part), part


def test_a_former_snapshot_goes_at_once(copies: Callable[[], Path]) -> None:
    """Its columns are large: no collection of cycles is waited for."""
    with Database.open(copies(), reserve=0) as database:
        namespace = opened(database)
        gc.disable()
        try:
            former = weakref.ref(namespace.view)
            touch(database, 7)
            publish(database)
            namespace.adopt(namespace.load_snapshot())
            assert former() is None
        finally:
            gc.enable()


# --- columns made by an edit ---------------------------------------------------------------------------------------

SEEDS = st.integers(0, 1 << 32).map(np.random.default_rng)


def some(dice: np.random.Generator, count: int, most: int) -> Ints:
    return np.sort(dice.choice(count, dice.integers(0, min(count, most) + 1), replace=False)).astype(np.int64)


def an_edit(dice: np.random.Generator, count: int) -> Edit:
    gone = some(dice, count, 4) if dice.random() < 0.6 else NONE
    stay, come = count - len(gone), int(dice.integers(0, 4))
    at_the_end = np.arange(stay, stay + come)
    came = at_the_end if dice.random() < 0.5 else np.sort(dice.choice(stay + come, come, replace=False))
    return Edit(count, gone, came.astype(np.int64))


@pytest.mark.parametrize("few", [0, 9999])
@given(SEEDS)
def test_rows_that_are_read_anew(few: int, dice: np.random.Generator) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(edits, "FEW_RUNS", few)
        ids = some(dice, 60, 30)
        column = dice.integers(0, 5, len(ids))
        read, dropped = some(dice, len(ids), 30), some(dice, len(ids), 5)
        fresh_ids = np.setdiff1d(some(dice, 60, 12), np.delete(ids, read))
        fresh = dice.integers(0, 5, len(fresh_ids))
        found = edited(ids, {"a": column}, read, fresh_ids, {"a": fresh}, dropped)
        stay = [place for place in range(len(ids)) if place not in read and place not in dropped]
        wanted = {int(ids[place]): int(column[place]) for place in stay} | dict(
            zip(fresh_ids.tolist(), fresh.tolist(), strict=True)
        )
        assert dict(zip(found.ids.tolist(), found.columns["a"].tolist(), strict=True)) == wanted
        assert found.ids.tolist() == sorted(wanted)
        before = dict(zip(ids.tolist(), column.tolist(), strict=True))
        other = [place for place, row_id in enumerate(found.ids.tolist()) if wanted[row_id] != before.get(row_id)]
        assert np.union1d(found.edit.came, found.edit.changed).tolist() == sorted({*found.edit.came.tolist(), *other})
        groups = regrouped(grouped(column), column, found.columns["a"], found.edit)
        assert plain(groups) == plain(grouped(found.columns["a"]))


@pytest.mark.parametrize("few", [0, 9999])
@given(SEEDS)
def test_relations_with_other_pairs(few: int, dice: np.random.Generator) -> None:
    owners, targets = an_edit(dice, int(dice.integers(1, 12))), an_edit(dice, int(dice.integers(1, 12)))
    pairs = int(dice.integers(0, 30))
    former = Csr(owners.before, dice.integers(0, owners.before, pairs), dice.integers(0, targets.before, pairs))
    of, to = owners.follow(former.owner_array), targets.follow(former.target_array)
    left = pair_keys(of, to)[(of >= 0) & (to >= 0)]
    removed = left[some(dice, len(left), 30)]
    added = NONE
    if owners.after and targets.after:
        come = pair_keys(dice.integers(0, owners.after, 5), dice.integers(0, targets.after, 5))
        added = np.setdiff1d(come, left)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(topology, "FEW_PAIRS", few)
        found = edited_relation(former, owners, targets, removed, added)
    wanted = np.union1d(np.setdiff1d(left, removed), added)
    assert plain(found) == plain(Csr(owners.after, wanted >> 32, wanted & 0xFFFFFFFF))


@pytest.mark.parametrize("few", [0, 9999])
@given(SEEDS)
def test_groups_with_other_facts(few: int, dice: np.random.Generator) -> None:
    owners, count = an_edit(dice, int(dice.integers(1, 10))), int(dice.integers(0, 25))
    facts = an_edit(dice, count)

    def columns_of(number: int, most: int) -> FactColumns:
        high = most if most else 0
        sides = (dice.integers(-1, high, number).astype(np.int32) for _ in range(2))
        return FactColumns(
            next(sides), dice.integers(0, 3, number).astype(np.int32), next(sides),
            dice.integers(1, 9, number).astype(np.int32), dice.integers(1, 9, number),
        )  # fmt: skip

    was, fresh = columns_of(count, owners.before), columns_of(len(facts.came), owners.after)
    moved = was._replace(owner=owners.follow(was.owner), other=owners.follow(was.other))
    now = FactColumns(*(np.array(facts.column(*each)) for each in zip(moved, fresh, strict=True)))
    for place in some(dice, facts.after, 2).tolist():
        now.date[place], now.type[place] = 3, 1
        now.owner[place] = dice.integers(-1, owners.after) if owners.after else -1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(topology, "FEW_OWNERS", few)
        found = edited_groups(group_facts(owners.before, was), owners, facts, was, now)
    assert plain(found) == plain(group_facts(owners.after, now))


@pytest.mark.parametrize("kind", ["int8", "int32", "int64", "uint64"])
def test_order(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relations, "_FEW_TO_SORT", 0)
    dice = np.random.default_rng(1)
    limits = np.iinfo(kind)
    wide = [dice.integers(limits.min, limits.max, 500, kind, endpoint=True) for _ in range(2)]
    few = dice.integers(-2 if limits.min else 0, 3, 500, kind)
    for keys in ([wide[0]], [few], [wide[0], few], [few, wide[0], few], [*wide, few]):
        assert order_of(*keys).tolist() == np.lexsort(keys).tolist()
