"""Texts out of the store: runs, the cache, and reads that a commit overtakes."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgfs.documents.formats.parsing import parse_document
from kgfs.namespace.bodies import StaleSnapshotError
from kgfs.namespace.namespace import Namespace
from kgfs.namespace.pages import PageStore, Runs, TextCache
from kgfs.namespace.publish import publish
from kgfs.namespace.views import entities
from kgfs.store.catalog.database import Cursor, Database
from kgfs.store.catalog.dirty_rows import mark_dirty
from kgfs.store.catalog.statements import run_prepared
from kgfs.store.files.documents import PlacedDocument, put_documents
from kgfs.store.files.items import NewItem, put_item
from tests.graph_builder import build, remove_document
from tests.namespace.drivers import all_nodes, opened


def counted(monkeypatch: pytest.MonkeyPatch, database: Database) -> list[None]:
    """A list that grows with each reading transaction."""
    reads: list[None] = []
    plain = database.read

    def read(*arguments: object, **options: object) -> object:
        reads.append(None)
        return plain(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(database, "read", read)
    return reads


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("name", ["summary.txt", "metadata.json", "facts/all.jsonl", "co_occurs_with/_edges.jsonl"])
def test_a_walk_takes_few_statements(
    database: Database, monkeypatch: pytest.MonkeyPatch, name: str, backwards: bool
) -> None:
    tree = opened(database)
    reads = counted(monkeypatch, database)
    for kind in tree.view.type_directories:
        entries = tree.entries(tree.resolve(f"entities/{tree.names.name(kind)}"))
        for entry in reversed(entries) if backwards else entries:
            if tree.row(entry.node).kind == "d":
                node = tree.resolve(f"{tree.path(entry.node)}/{name}")
                body = tree.peek(node) or tree.load(node)
                assert body.size == tree.attr(node).size
    assert len(tree.view.entities) == 120 and len(reads) <= 16


@pytest.mark.slow
def test_stored_files_are_loaded_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small ones with their neighbours, whatever lies between; each has its own bytes."""
    bodies = [b"", b"text \xc3\xa9", b"\0\xff" * 20, b"y" * 70_000, b"z" * 2_000_000]
    with build(tmp_path / "store", entities=5, documents=2) as database:
        for number in range(400):
            item = NewItem(drive="disk", path=f"/many/{number:03}", body=bodies[number % 7 % 5] + b"%d" % (number // 7))
            database.write(lambda cursor, item=item: put_item(cursor, item))
        database.write(lambda cursor: put_item(cursor, NewItem(drive="disk", path="/many/empty", body=b"")))
        publish(database)
        tree = opened(database)
        reads = counted(monkeypatch, database)
        for name, node, _ in tree.entries(tree.resolve("context/disk/many")):
            body = tree.peek(node) or tree.load(node)
            number = 0 if name == "empty" else int(name)
            wanted = b"" if name == "empty" else bodies[number % 7 % 5] + b"%d" % (number // 7)
            assert body.read(0, body.size) == wanted and tree.attr(node).size == len(wanted)
        large = sum(len(bodies[number % 7 % 5]) > 64 * 1024 for number in range(400))
        assert len(reads) <= large + 60


def test_a_single_read_loads_few_pages(database: Database) -> None:
    tree = opened(database)
    tree.load(tree.resolve("entities/people/Person_number_1/summary.txt"))
    assert len(tree.store.cache._texts) <= 16


def test_walks_side_by_side_grow_both() -> None:
    runs = Runs()
    at, steps = [0, 90_000], 0
    while at[0] < 4000:
        for walk in (0, 1):
            low, high = runs.around(at[walk], 100_000, lambda each: 10)
            at[walk] = high if walk == 0 else low - 1
            steps += 1
    assert steps < 24


def test_a_tiny_cache_is_enough(database: Database) -> None:
    tree = opened(database, cache_bytes=1000)
    nodes = [node for _, _, node in all_nodes(tree) if tree.row(node).kind == "f"]
    random.Random(3).shuffle(nodes)
    for node in nodes[:400]:
        if tree.pending(node):
            tree.prepare(node)
        assert tree.load(node).size == tree.attr(node).size
        assert len(tree.store.cache._texts) <= 8


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 300)), max_size=60))
def test_the_cache_keeps_its_limit(steps: list[tuple[int, int]]) -> None:
    cache = TextCache(2000)
    held: dict[int, bytes] = {}
    for key, size in steps:
        text = held.setdefault(key, b"x" * size)
        cache.put({key: text})
        assert cache.get(key) == text
        assert sum(len(each) + 150 for each in cache._texts.values()) <= 2000


@given(st.lists(st.integers(0, 4999), min_size=1, max_size=50), st.integers(1, 10_000_000))
def test_runs_hold_what_is_asked(ranks: list[int], size: int) -> None:
    runs = Runs()
    for rank in ranks:
        low, high = runs.around(rank, 5000, lambda each: size)
        assert 0 <= low <= rank < high <= 5000 and high - low <= 1024
        assert (high - low - 1) * size <= 8 * 1024 * 1024 + size


def test_runs_grow_and_shrink() -> None:
    runs = Runs()
    lengths = []
    at = 0
    while at < 4000:
        _, high = runs.around(at, 4000, lambda each: 10)
        lengths.append(high - at)
        at = high
    assert len(lengths) < 20 and max(lengths) == 1024
    assert runs.around(17, 4000, lambda each: 10) == (16, 32)


def test_what_a_commit_overtook(tmp_path: Path) -> None:
    with build(tmp_path / "store", entities=10, documents=2) as database:
        tree = opened(database)
        paths = (
            "documents/note_1/metadata.json",
            "chunks/by_document/note_1/chunk_0001/content.txt",
            "documents/note_1/text.txt",
        )
        nodes = [tree.resolve(path) for path in paths]
        subject = next(entity for entity in range(10) if tree.view.stated.counts[entity])
        nodes.append(tree.resolve(f"{tree.view.entity_path(subject)}/facts/all.jsonl"))
        database.write(lambda cursor: remove_document(cursor, 1))
        database.write(lambda cursor: remove_document(cursor, 2))
        publish(database)
        for node in nodes:
            with pytest.raises(StaleSnapshotError):
                tree.load(node)
        tree.adopt(tree.load_snapshot())
        assert tree.load(nodes[-1]).size == 0


def test_rows_that_are_not_published_are_not_shown(tmp_path: Path) -> None:
    with build(tmp_path / "store", entities=10, documents=2, published=False) as database:
        tree = opened(database)
        assert [len(tree.view.entities), len(tree.view.documents), len(tree.view.chunks), len(tree.view.facts)] == [
            0
        ] * 4
        assert len(tree.view.items) == 2
        publish(database)
        tree.adopt(tree.load_snapshot())
        assert [len(tree.view.entities), len(tree.view.documents)] == [10, 2]


def test_many_threads_read(tree: Namespace, database: Database) -> None:
    from concurrent.futures import ThreadPoolExecutor

    fresh = opened(database, cache_bytes=50_000)
    nodes = [node for _, _, node in all_nodes(fresh) if fresh.row(node).kind == "f"][:600]
    for node in nodes:
        if fresh.pending(node):
            fresh.prepare(node)

    def read(seed: int) -> int:
        order = nodes[:]
        random.Random(seed).shuffle(order)
        return sum((fresh.peek(node) or fresh.load(node)).size for node in order)

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(read, range(4)))) == 1
    assert isinstance(fresh.store, PageStore)


def test_a_summary_says_how_many_facts_it_leaves_out(tmp_path: Path) -> None:
    with build(tmp_path / "store", entities=12, documents=12) as database:
        _summaries_are_complete(opened(database))


def _summaries_are_complete(tree: Namespace) -> None:
    def lines(path: str) -> list[str]:
        return read(tree, path).splitlines()

    left_out = 0
    kinds = (f"entities/{tree.names.name(kind)}" for kind in tree.view.type_directories)
    entries = ((kind, entry) for kind in kinds for entry in tree.entries(tree.resolve(kind)))
    for place in (f"{kind}/{entry.name}" for kind, entry in entries if tree.row(entry.node).kind == "d"):
        every = {
            (fact["type"], fact["subject_slug"], fact["object_slug"] or (fact["object"], fact["date"]))
            for part in ("facts", "mentioned_in")
            for fact in map(msgspec.json.decode, lines(f"{place}/{part}/all.jsonl"))
        }
        told = [line for line in lines(f"{place}/summary.txt") if line.startswith("- ")]
        facts = [line for line in told if not line.startswith("- documents/")]
        more = re.fullmatch(r"- and ([\d,]+) more in facts/ and mentioned_in/", facts[-1]) if facts else None
        left_out += more is not None
        assert len(facts) - (more is not None) + int(more[1].replace(",", "") if more else 0) == len(every)
    assert left_out


@pytest.mark.parametrize(
    ("title", "shown"),
    [("Leave", "Leave"), ("index", "note_1"), ("README", "note_1"), ("_index", "note_1"), ("", "note_1")],
)
def test_a_page_of_its_folder_is_called_as_its_directory(tmp_path: Path, title: str, shown: str) -> None:
    """And what a document links to that is not in the store is named, pictures apart."""
    targets = [f"../gone/{number:02d}.md" for number in range(12)]
    with build(tmp_path / "store", entities=5, documents=2) as database:

        def change(cursor: Cursor) -> None:
            cursor.execute("UPDATE documents SET title = ? WHERE slug = 'note_1'", [title])
            columns = "(group_id, document_id, target, target_key, kind)"
            sql = f"INSERT INTO document_links {columns} VALUES (1, 1, ?, ?, 'path')"
            for target in [*targets, "images/a.png", "../shots/b.SVG"]:
                cursor.execute(sql, [target, target])
            cursor.execute("DELETE FROM document_links WHERE document_id = 1 AND kind <> 'path'")
            mark_dirty(cursor, "document", [1])

        database.write(change)
        publish(database)
        tree = opened(database)
        metadata, summary = (read(tree, f"documents/note_1/{name}") for name in ("metadata.json", "summary.txt"))
        told = msgspec.json.decode(metadata)
        assert (told["title"], told["missing_links"]) == (shown, targets)
        assert summary.startswith(shown) and ".png" not in summary
        assert summary.splitlines()[-1] == f"Links to what is not here: {', '.join(targets[:10])} and 2 more"


def test_the_structure_has_all_headings_with_their_levels(tmp_path: Path) -> None:
    text = "\n# Tarn\n\nA lamp.\n\n## Wick\n\nCotton.\n\n#### Care\n\nTrim it.\n\n## Oil\n\nOil.\n"
    parsed = parse_document(text.encode(), "tarn.md")
    assert len(parsed.chunks) == 1
    with build(tmp_path / "store", entities=5, documents=2) as database:

        def change(cursor: Cursor) -> None:
            put_documents(cursor, [PlacedDocument(1, "/home/ann/notes/1.md", parsed, ["hash"])])
            cursor.execute("UPDATE chunks SET headings = '[\"Old\"]' WHERE document_id = 2")
            mark_dirty(cursor, "document", [1, 2])

        database.write(change)
        publish(database)
        tree = opened(database)
        assert read(tree, "documents/note_1/structure.txt").splitlines() == [
            "Tarn",
            "  Tarn  [chunk_0001, line 2]",
            "    Wick  [chunk_0001, line 6]",
            "        Care  [chunk_0001, line 10]",
            "    Oil  [chunk_0001, line 14]",
        ]
        # Parsed before all headings were kept.
        assert "  Old  [chunk_0001, line " in read(tree, "documents/note_2/structure.txt")


def read(tree: Namespace, path: str) -> str:
    node = tree.resolve(path)
    body = tree.peek(node) or tree.load(node)
    return body.read(0, body.size).decode()


def test_entities_are_rendered_with_one_look_at_all_facts(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether a thousand or one: the same pages, and nothing is left in the engine."""
    asked: list[str] = []

    def noted(cursor: Cursor, sql: str, parameters: Sequence[object] = ()) -> Cursor:
        asked.append(sql)
        return run_prepared(cursor, sql, parameters)

    monkeypatch.setattr(entities, "run_prepared", noted)
    with database.read() as cursor:
        ids = [row[0] for row in cursor.execute("SELECT id FROM entities ORDER BY id").fetchall()]
        together = sorted(entities.render_entities(cursor, ids))
        assert len([sql for sql in asked if re.search(r"\b(FROM|JOIN) facts\b", sql)]) == 1
        assert len([sql for sql in asked if re.search(r"\b(FROM|JOIN) entity_chunks\b", sql)]) == 2
        assert together == sorted(page for row_id in ids for page in entities.render_entities(cursor, [row_id]))
        assert not cursor.execute("SELECT table_name FROM duckdb_tables() WHERE temporary").fetchall()
    assert {page.view for page in together} >= {"entity_summary", "entity_metadata", "co_occurs"}
